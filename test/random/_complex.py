"""Random programs of complex numbers: sums of products of Gaussian integers.

What is not defined for complex numbers (an order, and functions of it) is applied
to real and imaginary parts. Tensors of real numbers may have infinite fills, which
only conj, real and imag see, inside of functions that make them finite.
"""

import numpy as np

from _generator import NAMES, Generator
from _planted import Planting
from _syntax import Call, Num, Op, Ref, Statement, Sum, Tensor, walk
from _targets import IMAGINARY

# fills of other than real numbers; small integers, so that products stay exact
IMAGINARY_FILLS = [1j, -1j, 1 + 2j, 2 - 1j, 1 + 1j]


class ComplexGenerator(Planting, Generator):
    """targets: cells of _targets.py that the program has to have."""
    ordered = False

    def __init__(self, seed, exact=True, blocks=False, targets=()):
        super().__init__(seed, exact, False, blocks)
        self.targets = targets
        if self.chance(0.5):
            self.fills = [0, 0, 0, 1, 2, IMAGINARY]
        if targets and max(self.bounds.values()) < 3:
            self.bounds["A"] = self.rng.choice([3, 4, 5])

    def tensor(self, sorts, divisor=False, fill=None, kind=None):
        if fill is None:
            fill = self.rng.choice(self.fills) if self.fills else 0.0
        imaginary = fill == IMAGINARY and not divisor
        made = super().tensor(sorts, divisor, 1.0 if fill == IMAGINARY else float(fill), kind)
        if np.isfinite(made.fill) and not divisor and (imaginary or self.chance(0.6)):
            turns = np.random.default_rng(self.rng.getrandbits(32)).choice([1, 1j, 1 + 1j, -1j, 2 - 1j], made.data.shape)
            absent = made.data == made.fill
            if imaginary:
                made.fill = self.rng.choice(IMAGINARY_FILLS)
            made.data = np.where(absent, made.fill, made.data * turns) + 0j
            made.element = "complex16"
        return made

    def fit(self, tensor, scope, wanted):
        """Infinities are for the targets alone: a product of one with a complex number is NaN."""
        return super().fit(tensor, scope, wanted) if np.isfinite(tensor.fill) else None

    def statement(self, number):
        targets = self.hosted.get(number - 1, ())
        return self.hosting(number, targets) if targets else super().statement(number)

    def hosting(self, number, targets):
        """A statement that has targets."""
        rng = self.rng
        self.implicit = set()
        self.explicit = set()
        names = rng.sample(NAMES, len(NAMES))
        output = [names.pop() for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))]
        self.names = names
        scope = {n: rng.choice(sorted(self.bounds)) for n in output}
        parts = [self.planted(target, scope) for target in targets]
        if self.chance(0.6):
            parts.append(self.product(scope, [n for n in output if self.chance(0.5)], 1))
        missing = [n for n in output if not any(n in self.free(part) for part in parts)]
        if missing:
            parts.append(self.pick(scope, missing))
        rng.shuffle(parts)
        expr = parts[0]
        for part in parts[1:]:
            expr = Op(rng.choice(["+", "+", "-", "*", "*", "<>"]), expr, part)
        target = Tensor(
            "r%d" % number, tuple(self.bounds[scope[n]] for n in output), tuple(scope[n] for n in output)
        )
        self.results.append(target)
        return Statement(target, tuple(output), expr, dict(scope))

    def aggregates(self, expr):
        """An order is of real numbers only."""
        return super().aggregates(expr) if self.is_real(expr) else ["sum", "sum", "prod", "any", "all"]

    def applied_to(self, operator, ref, scope):
        call = Call(operator, [ref])
        if self.is_real(ref) and operator == "imag":
            # 0 everywhere: only beside something else does a wrong one show
            return Op(self.rng.choice("+-"), self.finite(scope), call)
        if np.isfinite(ref.tensor.fill) and self.chance(0.3):
            # of an expression
            return Call(operator, [Op(self.rng.choice("+-*"), ref, self.finite(scope))])
        return call

    @staticmethod
    def is_real(expr):
        """Is an expression of real numbers alone, by what it is made of?"""
        return not any(
            isinstance(node, Num) and isinstance(node.value, complex)
            or isinstance(node, Ref) and (node.tensor.data is None or np.iscomplexobj(node.tensor.data))
            for node in walk(expr)
        )  # fmt: skip

    def tamed(self, expr):
        if self.is_real(expr):
            return super().tamed(expr)
        return Op(self.rng.choice(["==", "<>"]), expr, Num(self.rng.choice([0, 1, 2, 1j])))

    def divisor(self, scope, depth):
        return Num(self.rng.choice([2, 4, 0.5, -2]))

    def part(self, arg):
        return Call(self.rng.choice(["real", "imag"]), [arg])

    def function(self, arg):
        kind = self.rng.choice(["conj", "real", "imag", "square", "compare", "if", "of part", "turned"])
        if kind == "square":
            return Op("^", arg, Num(2))
        if kind == "compare":
            return Op(self.rng.choice(["==", "<>"]), arg, Num(self.rng.choice([1, 2, 1j]))) if self.chance(0.5) else Op("<>", arg, Num(0))
        if kind == "if":
            return Call("if", [Op("<>", arg, Num(0)), arg, Num(0)])
        if kind == "of part":
            return super().function(self.part(arg))
        if kind == "turned":
            return Op("*", arg, Num(self.rng.choice([1j, 2j])))
        return Call(kind, [arg])

    def guard(self, scope, depth):
        a = self.pick(scope)
        b = self.pick(scope) if self.chance(0.5) else Num(self.rng.choice([1, 1j, -2]))
        kind = self.rng.choice(["plus", "compare", "of part", "power", "any"])
        if kind == "plus":
            return Op("+", a, b)
        if kind == "compare":
            return Op(self.rng.choice(["==", "<>"]), a, b)
        if kind == "of part":
            return Op(self.rng.choice(["<", "<=", ">"]), self.part(a), self.part(b) if not isinstance(b, Num) else Num(1))
        if kind == "any":
            return self.over(scope, self.rng.choice(["any", "all", "prod"]))
        return Op("^", a, Num(self.rng.choice([0, 2, 3])))

    def over(self, scope, operator):
        """An aggregate over one new label."""
        free = [n for n in NAMES if n not in scope and n not in self.implicit]
        name = self.rng.choice(free)
        self.explicit.add(name)
        inner = dict(scope)
        inner[name] = self.rng.choice(sorted(self.bounds))
        return Sum(((name, self.bounds[inner[name]]),), self.pick(inner, [name]), False, operator)
