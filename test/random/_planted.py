"""Expressions that have a given operator applied to a given kind of tensor.

Where the tensor's fill is an infinity most expressions are infinite or depend
on 0 times it. So several are tried, with other operands, with more entries
stored, and inside of functions that make them finite, until the oracle finds
one whose values would tell a right plan from a wrong one.
"""

import numpy as np

from _oracle import Oracle
from _syntax import Call, Neg, Num, Op, Ref, Sum
from _targets import COMPARISONS, RESULT

TRIES = 30


class Planting:
    """For a generator whose targets are cells of _targets.py."""

    def program(self):
        self.statements = []
        results = any(target[1:] == RESULT for target in self.targets)
        count = self.rng.choices([1, 2, 3, 4], [0 if results else 4, 4, 2, 1])[0]
        self.host_targets(count)
        for n in range(count):
            self.statements.append(self.statement(n + 1))
        return self.statements

    def host_targets(self, count):
        """Which statement of a program is to have which targets."""
        self.hosted = {}
        for target in self.targets:
            first = 1 if target[1:] == RESULT else 0
            self.hosted.setdefault(self.rng.randrange(first, count), []).append(target)

    def evaluated(self):
        """The oracle, which knows the statements so far."""
        if not hasattr(self, "oracle"):
            self.oracle = Oracle()
        for statement in self.statements[len(self.oracle.results) :]:
            self.oracle.statement(statement)
        return self.oracle

    def tells(self, expr):
        """Are the values finite, known, and different?"""
        value = self.evaluated().expr(expr)
        good = value.v[~value.p]
        if self.exact and value.scale is None or good.size < value.v.size * 0.9 or not good.size:
            return False
        return bool(np.isfinite(good).all()) and (good.size == 1 or not (good == good.flat[0]).all())

    def aggregates(self, expr):
        """Those that an expression is planted inside of."""
        return ["sum", "max", "min", "sum", "prod", "any", "all"]

    def planted(self, target, scope):
        """An expression of labels in scope that has the target."""
        for attempt in range(TRIES):
            before = list(self.stored), self.serial
            inner = dict(scope)
            ref = self.reference(target, inner, attempt)
            expr = self.applied_to(target[0], ref, inner)
            for _ in range(4):
                bound = [n for n in inner if n not in scope and n in self.free(expr)]
                whole = expr
                if bound:
                    operator = self.rng.choice(self.aggregates(expr))
                    whole = Sum(tuple((n, self.bounds[inner[n]]) for n in bound), expr, False, operator)
                if self.tells(whole) or attempt == TRIES - 1:
                    return whole
                expr = self.tamed(expr)
            self.stored, self.serial = before

    def reference(self, target, inner, attempt):
        """The reference that the operator applies to; labels that scope lacks are added to it."""
        rng = self.rng
        operator, fill, kind = target
        if (fill, kind) == RESULT:
            tensor = rng.choice(self.results)
            return Ref(tensor, tuple(self.label(inner, (), sort) for sort in tensor.sorts))
        least = 3 if kind == "blocked" else 2
        rank = rng.choice([1, 2, 2, 3])
        if kind == "mixed":
            rank = max(rank, 2)
        labels = []
        for n in range(rank):
            wide = [s for s in self.bounds if self.bounds[s] >= least]
            if n == 0 and wide:
                fits = [x for x in inner if inner[x] in wide]
                sort = inner[rng.choice(fits)] if fits and self.chance(0.8) else rng.choice(sorted(wide))
            else:
                some = [x for x in inner if x not in labels]
                sort = inner[rng.choice(some)] if some and self.chance(0.8) else rng.choice(sorted(self.bounds))
            labels.append(self.label(inner, labels, sort))
        sorts = [inner[x] for x in labels]
        infinite = fill in (float("inf"), float("-inf"))
        full = infinite and (operator in ("sin", "cos") or attempt > TRIES // 2)
        stored = "dense" if full else rng.choice(["sparse", "sparse", "dense", "partly", "partly"])
        divisor = operator == "/" and self.chance(0.5)
        tensor = self.tensor(sorts, divisor, fill, stored)
        tensor.stored_as = kind
        return Ref(tensor, tuple(labels))

    def label(self, inner, taken, sort):
        """A label of a sort: one in scope, or a new one."""
        names = [n for n in inner if inner[n] == sort and n not in taken]
        if names and self.chance(0.85):
            return self.rng.choice(names)
        fresh = [n for n in self.names if n not in inner]
        name = self.rng.choice(fresh or names or [n for n in inner if inner[n] == sort])
        inner[name] = sort
        return name

    def finite(self, scope):
        """An operand without infinities."""
        for _ in range(6):
            ref = self.pick(scope)
            if np.isfinite(ref.tensor.fill) and ref.tensor.data is not None:
                return ref
        return Num(self.rng.choice([1, 2, -1, 3]))

    def full(self, scope):
        """An operand that is not 0 anywhere."""
        if not scope or self.chance(0.4):
            return Num(self.rng.choice([2, -1, 0.5, 3]))
        names = self.rng.sample(sorted(scope), min(len(scope), self.rng.choice([1, 2])))
        return Ref(self.tensor([scope[n] for n in names], False, self.rng.choice([0.0, 1.0]), "dense"), tuple(names))

    def applied_to(self, operator, ref, scope):
        rng = self.rng
        infinite = abs(ref.tensor.fill) == float("inf")
        if operator in COMPARISONS or operator in "+-":
            other = Num(rng.choice([-1, 0, 1, 2])) if self.chance(0.4) else self.finite(scope)
            return Op(operator, ref, other) if self.chance(0.6) else Op(operator, other, ref)
        if operator == "*":
            other = self.full(scope) if infinite else self.finite(scope)
            return Op(operator, ref, other) if self.chance(0.5) else Op(operator, other, ref)
        if operator == "/":
            if ref.tensor.divisor and self.chance(0.8):
                return Op("/", self.full(scope) if infinite else self.finite(scope), ref)
            if self.chance(0.5):
                return Op("/", ref, Num(rng.choice([2, 4, -0.5])))
            names = rng.sample(sorted(scope), min(len(scope), 1))
            divisor = self.tensor([scope[n] for n in names], True, rng.choice([1.0, 2.0]), "sparse")
            return Op("/", ref, Ref(divisor, tuple(names)))
        if operator in ("^", "pow"):
            two = Op("^", Num(2), ref) if operator == "^" else Call("pow", [Num(2), ref])
            if self.chance(0.3):
                return two
            exponent = Num(rng.choice([2, 2, 3, 0]))
            return Op("^", ref, exponent) if operator == "^" else Call("pow", [ref, exponent])
        if operator == "negate":
            return Neg(ref)
        if operator in ("greatest", "least"):
            args = [ref] + [self.finite(scope) if self.chance(0.5) else Num(rng.choice([-1, 0, 2])) for _ in range(rng.choice([1, 1, 2]))]
            rng.shuffle(args)
            return Call(operator, args)
        if operator == "if":
            args = [ref, self.finite(scope), Num(rng.choice([-1, 0, 2]))]
            rng.shuffle(args)
            if self.chance(0.5):
                args = [Op(rng.choice(["<", ">"]), ref, Num(1))] + [x for x in args if x is not ref]
            return Call("if", args)
        if operator in ("floor", "ceil", "round"):
            return Call(operator, [Op("*", ref, Num(0.5))])
        if operator in ("ln", "sqrt"):
            size = Call("abs", [ref])
            return Call(operator, [Op("+", size, Num(rng.choice([0.5, 1])))]) if self.chance(0.7) else Call(operator, [size])
        if operator == "exp" and ref.tensor.fill == float("inf"):
            return Call("exp", [Neg(ref)]) if self.chance(0.5) else Call("exp", [Call("least", [ref, Num(2)])])
        return Call(operator, [ref])

    def tamed(self, expr):
        """The expression inside of something that is more often finite."""
        rng = self.rng
        kind = rng.choice(["least", "greatest", "between", "compare", "sign", "if", "reciprocal"])
        if kind in ("least", "greatest"):
            return Call(kind, [expr, Num(rng.choice([-1, 0, 2, 5]))])
        if kind == "between":
            return Call("greatest", [Call("least", [expr, Num(rng.choice([3, 5]))]), Num(rng.choice([-2, 0]))])
        if kind == "compare":
            return Op(rng.choice(COMPARISONS), expr, Num(rng.choice([-1, 0, 1, 2])))
        if kind == "if":
            return Call("if", [Op(rng.choice("<>"), expr, Num(rng.choice([-1, 1, 3]))), expr, Num(rng.choice([0, 3]))])
        if kind == "reciprocal" and not self.exact:
            return Op("/", Num(1), expr)
        return Call("sign", [expr])
