"""Random programs of complex numbers: sums of products of Gaussian integers.

What is not defined for complex numbers (an order, and functions of it) is applied
to real and imaginary parts.
"""

import numpy as np

from _generator import NAMES, Generator
from _syntax import Call, Num, Op, Sum


class ComplexGenerator(Generator):
    def tensor(self, sorts, divisor=False, fill=None, kind=None):
        made = super().tensor(sorts, divisor, fill, kind)
        if not divisor and self.chance(0.6):
            turns = np.random.default_rng(self.rng.getrandbits(32)).choice([1, 1j, 1 + 1j, -1j, 2 - 1j], made.data.shape)
            made.data = made.data * turns + 0j
            made.element = "complex16"
        return made

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
