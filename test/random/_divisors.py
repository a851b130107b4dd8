"""Random programs that divide by 0, take its logarithm and raise it to negative powers.

0 divided by anything is 0, anything else divided by 0 an infinity, and what becomes of
infinities and NaN is IEEE 754. So most factors that are divided are 0, at each index
where the divisor is, by one of them or another: the results are finite wherever a plan
divides what the program divides, and not where it divides one of the factors, or moves
one into or out of a sum.
"""

import itertools
import math

import numpy as np

from _generator import NAMES, Generator
from _infinities import DivisorOracle
from _syntax import Call, Neg, Num, Op, Ref, Statement, Sum, Tensor, walk

MOST_STORED = 7
# entries of a dense array over all labels of a product
MOST_ENTRIES = 3000


class DivisorGenerator(Generator):
    def __init__(self, seed, blocks=False):
        super().__init__(seed, False, False, blocks)
        # sums of some terms, out of which factors are taken
        self.bounds = dict(zip("ABC", self.rng.sample([2, 3, 3, 4, 5], 1) + self.rng.sample([5, 6, 7, 8, 10], 1) + [self.rng.choice([3, 4, 6])]))
        self.exactly = self.chance(0.7)
        self.implicit = set()
        self.explicit = set()

    # tensors

    def entries(self, sorts, divisor=False, dense=False, whole=False):
        """A new tensor: of factors, or (divisor) of powers of two, in both of which some are 0; whole: no entry is missing."""
        rng = self.rng
        shape = tuple(self.bounds[s] for s in sorts)
        generator = np.random.default_rng(rng.getrandbits(32))
        some = ([1, 2, 4, 8, -1, -2] if self.exactly else [1, 2, 3, -1, -2]) if divisor else [-3, -2, -1, 1, 2, 3, 4]
        if self.chance(0.2):
            some = [1, -1]
        elif self.chance(0.3):
            some = [n for n in some if n > 0]
        data = generator.choice(some, shape).astype(float)
        share = rng.choice([0.1, 0.2, 0.3]) if divisor or dense else rng.choice([0.1, 0.3, 0.5])
        if not whole:
            data[generator.random(shape) < share] = 0
            if divisor and shape and data.all():
                data[tuple(rng.randrange(b) for b in shape)] = 0
        # where the fill is not 0 each 0 is stored
        fill = float(rng.choice([0, 0, 0, 1, 2]))
        if fill:
            data[generator.random(shape) < 0.3] = fill
        self.serial += 1
        name = "abcdefgh"[(self.serial - 1) % 8] + (str(self.serial // 8) if self.serial > 8 else "")
        made = Tensor(name, shape, tuple(sorts), data, "sparse", divisor, fill)
        self.stored.append(made)
        return made

    def reference(self, scope, names, divisor=False, fresh=False, whole=False):
        """Of a tensor over these labels; one that there is, perhaps."""
        names = tuple(self.rng.sample(names, len(names)))
        sorts = tuple(scope[n] for n in names)
        known = [t for t in self.stored if t.sorts == sorts and t.divisor == divisor]
        if not divisor:
            known += [t for t in self.results if t.sorts == sorts] * 2
        if known and not fresh and self.chance(0.5 if len(self.stored) < MOST_STORED else 0.9):
            return Ref(self.rng.choice(known), names)
        return Ref(self.entries(sorts, divisor, len(names) > 1, whole), names)

    def some(self, names, most):
        names = sorted(names)
        return self.rng.sample(names, min(len(names), self.rng.randint(1, most)))

    # quotients

    def divisor(self, scope, depth=0):
        """Something that is 0 here and there."""
        rng = self.rng
        kind = rng.choices(["stored", "sum", "two", "root", "power", "difference"], [10, 3, 1, 0 if self.exactly else 1, 0.7, 1])[0]
        names = self.some(scope, 2 if self.chance(0.2) else 1)
        if kind == "sum":
            inner, bound = self.bound(scope, names)
            if bound:
                # of what is -1, 0 or 1 is often 0
                ref = self.reference(inner, names + bound, fresh=True)
                ref.tensor.data = np.sign(ref.tensor.data) if self.chance(0.7) else ref.tensor.data
                ref.tensor.fill = np.sign(ref.tensor.fill)
                return self.summed(inner, bound, ref)
        one = self.reference(scope, names, True)
        if kind == "two":
            return Op("*", one, self.reference(scope, self.some(scope, 1), True))
        if kind == "root":
            return Call("sqrt", [Call("abs", [one])])
        if kind == "power":
            return Op("^", one, Num(2))
        if kind == "difference":
            return Op("-", one, self.reference(scope, names, True))
        return one

    def bound(self, scope, beside):
        """A label to be summed: the scope with it, and its name."""
        free = [n for n in NAMES if n not in scope and n not in self.implicit]
        name = self.rng.choice(free)
        self.explicit.add(name)
        return {n: scope[n] for n in beside} | {name: self.rng.choice("BBC")}, [name]

    def summed(self, scope, names, body, operator="sum"):
        return Sum(tuple((n, self.bounds[scope[n]]) for n in names), body, False, operator)

    def factors(self, scope, wanted):
        """References whose labels are those wanted, of new tensors and others."""
        rng = self.rng
        wanted = rng.sample(sorted(wanted), len(wanted))
        several = self.some(wanted, 3) if len(wanted) < 3 else wanted[: rng.choice([2, 2, 3])]
        refs = [self.reference(scope, several, fresh=self.chance(0.7))]
        missing = [n for n in wanted if n not in several]
        while missing or len(refs) < 2 and self.chance(0.8) or self.chance(0.15):
            names = missing[:2] or self.some(wanted, 1 if self.chance(0.8) else 2)
            refs.append(self.reference(scope, names))
            missing = missing[2:]
        rng.shuffle(refs)
        return refs

    def nothing_where(self, divisor, factors, scope):
        """Makes the product of factors 0 where the divisor is, at most entries by the largest factor."""
        own = [f for f in factors if f.tensor.data is not None and not any(f.tensor is r.tensor for r in walk(divisor) if isinstance(r, Ref))]
        if not own or any(r.tensor.data is None for r in walk(divisor) if isinstance(r, Ref)):
            return
        largest = max(own, key=lambda f: (len(set(f.labels)), f.tensor.fill == 0))
        names = [n for n in scope if any(n in f.labels for f in factors)]
        zero = DivisorOracle().expr(divisor)
        names += [n for n in zero.labels if n not in names]
        if math.prod(self.bounds[scope[n]] for n in names) > MOST_ENTRIES:
            return
        kept = self.rng.choice([0, 0, 0, 0.1, 0.3, 0.7])
        for index in itertools.product(*(range(self.bounds[scope[n]]) for n in names)):
            at = dict(zip(names, index))
            if zero.v[tuple(at[n] for n in zero.labels)] != 0:
                continue
            where = [tuple(at[n] for n in f.labels) for f in factors]
            if all(f.tensor.data is None or f.tensor.data[w] for f, w in zip(factors, where)) and not self.chance(kept):
                largest.tensor.data[tuple(at[n] for n in largest.labels)] = 0

    def multiplied(self, factors):
        """Their product, from left to right or in parentheses, perhaps negated."""
        if len(factors) > 2 and self.chance(0.3):
            middle = self.rng.randrange(1, len(factors))
            return Op("*", self.multiplied(factors[:middle]), self.multiplied(factors[middle:]))
        expr = factors[0]
        for factor in factors[1:]:
            expr = Op("*", expr, factor)
        return Neg(expr) if self.chance(0.05) else expr

    def quotient(self, scope, wanted):
        """Factors of which some are divided, once or twice; and all of the labels."""
        rng = self.rng
        refs = self.factors(scope, wanted)
        count = len(refs) if self.chance(0.5) else rng.randint(1, len(refs))
        if self.chance(0.2):
            # a scaling alone
            refs.sort(key=lambda ref: (len(ref.labels), ref.tensor.fill == 0))
            count = 1
        divided, others = refs[:count], refs[count:]
        names = {n: scope[n] for f in divided for n in f.labels} if self.chance(0.7) else {n: scope[n] for n in wanted}
        divisor = self.divisor(names)
        self.nothing_where(divisor, divided, scope)
        if self.chance(0.1):
            divided.append(Num(rng.choice([2, -1, 0.5, 4])))
        if self.chance(0.15):
            # 0 at other entries than those that are missing
            ref = self.reference(names, self.some(names, 2))
            divided.append(rng.choice([Op("-", Num(1), ref), Op("+", ref, Num(2)), Op("<", ref, Num(1)), Op("==", ref, Num(0))]))
        rng.shuffle(divided)
        expr = Op("/", self.multiplied(divided), divisor)
        if self.chance(0.12):
            again = self.divisor(names)
            self.nothing_where(again, [f for f in divided if isinstance(f, Ref)], scope)
            expr = Op("/", expr, again)
        if self.chance(0.3):
            # that a sum perhaps does not concern
            others.append(self.reference(scope, self.some(wanted, 1)))
        if self.chance(0.1):
            others.append(self.guarded(names))
        if self.chance(0.06):
            others.append(Num(rng.choice([2, 3, -1, 0.5])))
        factors = others + [expr]
        rng.shuffle(factors)
        return self.multiplied(factors)

    def unbounded(self, scope):
        """Something that is infinite or NaN here and there."""
        rng = self.rng
        divisor = self.divisor(scope)
        kind = rng.choices(["reciprocal", "power", "quotient", "ln", "root", "minus"], [5, 3, 3] + [0.5 if self.exactly else 2] * 2 + [1])[0]
        if kind == "power":
            return Op("^", divisor, Num(rng.choice([-1, -2, -1, -2, -3] + [-0.5] * (not self.exactly))))
        if kind == "quotient":
            return Op("/", self.reference(scope, self.some(scope, 2)), divisor)
        if kind == "ln":
            return Call("ln", [Call("abs", [divisor]) if self.chance(0.7) else divisor])
        if kind == "root":
            return Call("sqrt", [divisor])
        if kind == "minus":
            return Op("-", Num(rng.choice([1, 2])), Op("/", Num(rng.choice([1, 2])), divisor))
        return Op("/", Num(rng.choice([1, 1, 2, -1, 0.5, 0])), divisor)

    def guarded(self, scope):
        """What an infinity or NaN comes to that is mostly finite."""
        rng = self.rng
        kind = rng.choice(["if", "if", "extreme", "extreme", "compare", "divide", "sign", "self", "extremes", "exp", "truth"])
        if kind == "if":
            divisor = self.divisor(scope)
            inverse = Op("^", divisor, Num(-1)) if self.chance(0.3) else Op("/", Num(rng.choice([1, 2])), divisor)
            if self.chance(0.3):
                return Call("if", [Op("==", divisor, Num(0)), Num(rng.choice([0, 1])), inverse])
            return Call("if", [Op("<>", divisor, Num(0)) if self.chance(0.6) else divisor, inverse, Num(rng.choice([0, 0, 3]))])
        expr = self.unbounded(scope)
        if kind == "extreme":
            return Call("greatest", [Call("least", [expr, Num(rng.choice([2, 5]))]), Num(rng.choice([-3, -1, 0]))])
        if kind == "compare":
            return Op(rng.choice(["<", "<=", ">", ">=", "==", "<>"]), expr, Num(rng.choice([-1, 0, 0.5, 1])))
        if kind == "divide":
            return Op("/", self.reference(scope, self.some(scope, 2)), expr)
        if kind == "self":
            # false of NaN alone
            return Op("==", expr, expr)
        if kind == "extremes":
            inner, bound = self.bound(scope, list(scope))
            expr = self.unbounded(inner)
            while bound[0] not in self.free(expr):
                expr = Op(rng.choice("*+"), expr, self.reference(inner, bound)) if self.chance(0.3) else self.unbounded(inner)
            return self.summed(inner, bound, expr, rng.choice(["min", "max"] if self.chance(0.7) else ["any", "all", "prod"]))
        if kind == "exp" and not self.exactly:
            return Call("exp", [Neg(Call("abs", [expr]))]) if self.chance(0.5) else Call("tanh", [expr])
        if kind == "truth":
            return Call("if", [expr, Num(rng.choice([1, 2])), Num(rng.choice([0, -1]))])
        return Call("sign", [expr])

    # statements

    def defined(self, output, scope, expr):
        sorts = tuple(scope[n] for n in output)
        target = Tensor("r%d" % (len(self.results) + 1), tuple(self.bounds[s] for s in sorts), sorts)
        self.results.append(target)
        self.statements.append(Statement(target, tuple(output), expr, dict(scope)))
        return target

    def labels(self, rank, summed):
        """Labels of a result and of a sum."""
        self.implicit = set()
        self.explicit = set()
        names = self.rng.sample(NAMES, rank + summed)
        output, inner = names[:rank], names[rank:]
        scope = {n: self.rng.choice("ABC") for n in output}
        scope.update({n: self.rng.choice("BBC") for n in inner})
        return output, inner, scope

    def quotients(self):
        """A sum of quotients, or the quotient of a sum"""
        rng = self.rng
        output, inner, scope = self.labels(rng.choices([0, 1, 2], [1, 5, 2])[0], rng.choices([0, 1, 2], [1.5, 6, 2])[0])
        if not scope:
            return self.quotients()
        # no other label has the name of one that is summed
        self.implicit = set(inner)
        kind = rng.choice(["within", "within", "within", "around"]) if inner and output else "within"
        if kind == "within":
            expr = self.quotient(scope, list(scope))
            implicit = self.chance(0.4) and inner and self.linear(expr, set(inner))
            if inner:
                expr = Sum(tuple((n, self.bounds[scope[n]]) for n in inner), expr, bool(implicit))
        else:
            refs = self.factors(scope, list(scope))
            outside = {n: scope[n] for n in output}
            divisor = self.divisor(outside)
            if self.chance(0.25):
                # a row by its sum
                divisor = self.summed(scope, inner, self.multiplied(refs))
                outside = dict(scope)
            elif self.chance(0.8):
                self.nothing_where(divisor, refs, scope)
            expr = Op("/", self.summed(scope, inner, self.multiplied(refs)), divisor)
            if self.chance(0.3):
                expr = Op("*", expr, self.reference(scope, self.some(output, 2)))
        if self.chance(0.2) and output:
            other = self.guarded({n: scope[n] for n in output}) if self.chance(0.5) else self.reference(scope, self.some(output, 2))
            expr = Op(rng.choice("+-"), expr, other)
        missing = [n for n in output if n not in self.free(expr)]
        if missing:
            expr = Op("*", expr, self.reference(scope, missing))
        if self.chance(0.1) and not any(isinstance(n, Sum) and n.implicit for n in walk(expr)):
            expr = Call(rng.choice(["abs", "relu", "sign"]), [expr])
        self.defined(output, scope, expr)

    def linear(self, expr, inner):
        """Is it clear that a sum over labels that is not written goes around all of it?"""
        if isinstance(expr, Op) and expr.symbol == "/":
            return self.linear(expr.left, inner) and not inner & self.free(expr.right)
        if isinstance(expr, Op):
            return expr.symbol == "*" and self.linear(expr.left, inner) and self.linear(expr.right, inner)
        return isinstance(expr, (Ref, Num))

    def normalised(self):
        """Entries divided by the sum of their row, or its root"""
        output, _, scope = self.labels(2, 0)
        row = self.rng.choice(output)
        ref = self.reference(scope, output, fresh=True)
        ref.tensor.fill = abs(ref.tensor.fill)
        if self.chance(0.7):
            ref.tensor.data = abs(ref.tensor.data)
        index = self.rng.randrange(self.bounds[scope[row]])
        ref.tensor.data[tuple(index if n == row else slice(None) for n in ref.labels)] = 0
        total = self.summed(scope, [n for n in output if n != row], ref)
        if not self.exactly and self.chance(0.4):
            total = Call("sqrt", [total])
        factors = [ref] if self.chance(0.6) else [ref, self.reference(scope, self.some(output, 1))]
        self.defined(output, scope, Op("/", self.multiplied(factors), total))

    def scaled(self):
        """A tensor times and divided by others over some of its labels, and sums that read it"""
        rng = self.rng
        output, _, scope = self.labels(2, 0)
        if self.chance(0.6):
            scope[output[1]] = scope[output[0]]
        whole = self.reference(scope, output, fresh=True)
        factors = [whole] + [self.reference(scope, [rng.choice(output)]) for _ in range(rng.choice([1, 1, 2]))]
        rng.shuffle(factors)
        count = rng.randint(1, len(factors))
        divisor = self.reference(scope, [rng.choice(output)], True)
        self.nothing_where(divisor, factors[:count], scope)
        parts = [Op("/", self.multiplied(factors[:count]), divisor)] + factors[count:]
        rng.shuffle(parts)
        made = self.defined(output, scope, self.multiplied(parts))
        # which is read by two sums
        for reader in range(2):
            self.implicit = set()
            self.explicit = set()
            names = rng.sample(NAMES, 3)
            order = names[:2]
            scope = dict(zip(order, made.sorts))
            kept = rng.choice(order)
            summed = [n for n in order if n != kept]
            others = [self.reference(scope, summed)]
            if self.chance(0.4):
                others.append(self.reference(scope, [rng.choice(order)]))
            if self.chance(0.3):
                # over a label that the scaling has not
                scope[names[2]] = rng.choice("AC")
                others.append(self.reference(scope, [rng.choice(summed), names[2]]))
            factors = others + [Ref(made, tuple(order))]
            rng.shuffle(factors)
            body = self.multiplied(factors)
            if self.chance(0.3):
                body = Op("/", body, self.reference(scope, [rng.choice(order)], True))
            output = [n for n in scope if n not in summed]
            expr = self.summed(scope, summed, body)
            self.defined(output, scope, expr)

    def bounded(self):
        """Something finite of infinities, times something"""
        output, inner, scope = self.labels(self.rng.choice([1, 1, 2]), self.rng.choice([0, 1]))
        factors = self.factors(scope, list(scope)) + [self.guarded(scope)]
        self.rng.shuffle(factors)
        expr = self.multiplied(factors)
        self.defined(output, scope, self.summed(scope, inner, expr) if inner else expr)

    def infinite(self):
        """Something that is not finite, as it is or summed"""
        output, inner, scope = self.labels(self.rng.choice([1, 1, 2]), self.rng.choice([0, 0, 1]))
        expr = self.unbounded(scope)
        missing = [n for n in scope if n not in self.free(expr)]
        if missing:
            expr = Op(self.rng.choice("+-*"), expr, self.reference(scope, missing, whole=True))
        self.defined(output, scope, self.summed(scope, inner, expr) if inner else expr)

    def program(self):
        self.statements = []
        for _ in range(self.rng.choices([1, 2, 3], [4, 3, 1])[0]):
            kinds = [self.quotients, self.scaled, self.normalised, self.bounded, self.infinite]
            self.rng.choices(kinds, [6, 2 if len(self.statements) < 2 else 0, 1, 2, 1])[0]()
        return self.statements
