"""Programs that have other forms.

Squares of sums and sums in products, aggregates of what they distribute over, with
parts that lack their labels, functions beside what says where they are needed, and
statements that compute again what another one computes.
"""

from dataclasses import replace

from _dense import DenseGenerator
from _generator import NAMES
from _syntax import Call, Neg, Op, Num, Ref, Sum, children

INFINITY = float("inf")
# aggregates of several parts, which are joined by these
PARTS = {"max": ["+", "+", "*", "greatest", "least"], "min": ["+", "+", "*", "greatest", "least"], "prod": ["*"], "any": ["*", "greatest", "or"],
         "all": ["*", "least", "and"], "sum": ["*", "*", "+"]}


def relabelled(expr, names):
    """An expression whose labels have other names, all of them different."""
    if isinstance(expr, Ref):
        return Ref(expr.tensor, tuple(names[n] for n in expr.labels))
    if isinstance(expr, Sum):
        return replace(expr, labels=tuple((names[n], bound) for n, bound in expr.labels), body=relabelled(expr.body, names))
    parts = [relabelled(child, names) for child in children(expr)]
    if isinstance(expr, Op):
        # a product in another order is the same
        return Op(expr.symbol, *(parts[::-1] if expr.symbol == "*" else parts))
    if isinstance(expr, Neg):
        return Neg(parts[0])
    return Call(expr.function, parts) if isinstance(expr, Call) else expr


class RewrittenGenerator(DenseGenerator):
    def __init__(self, seed, blocks=False):
        super().__init__(seed, True, blocks)
        self.fills = self.rng.choice([None, None, [0, 0, 0, 1], [0, 0, 0, 1, 2, INFINITY, -INFINITY]])
        self.written = "any"

    def statement(self, number):
        if self.statements and self.chance(0.3):
            return self.again(number)
        self.implicit = set()
        self.explicit = set()
        self.names = self.rng.sample(NAMES, len(NAMES))
        output = [self.names.pop() for _ in range(self.rng.choice([0, 0, 1, 1, 2, 2, 3]))]
        scope = {n: self.rng.choice(sorted(self.bounds)) for n in output}
        expr = self.rewritable(scope)
        if self.chance(0.3):
            expr = Op(self.rng.choice("+-*"), *self.rng.sample([expr, self.lawful(scope)], 2))
        if self.chance(0.2):
            expr = self.applied(expr)
        return self.defined(number, output, scope, self.covering(expr, scope, output))

    def again(self, number):
        """What another statement computes, under other names, and perhaps something with it."""
        other = self.rng.choice(self.statements)
        names = dict(zip(NAMES, self.rng.sample(NAMES, len(NAMES))))
        output = [names[n] for n in other.labels]
        scope = {names[n]: other.sorts[n] for n in other.labels}
        expr = relabelled(other.expr, names)
        self.implicit = set()
        self.explicit = set()
        if self.chance(0.6):
            self.names = [n for n in NAMES if n not in scope]
            with_it = self.lawful(scope) if self.chance(0.3) else self.pick(scope)
            expr = Op(self.rng.choice("+-**"), *self.rng.sample([expr, with_it], 2))
        return self.defined(number, output, scope, expr)

    def rewritable(self, scope):
        kind = self.rng.choice(["laws", "sum of laws", "parts", "parts", "parts", "killer"])
        if kind == "laws":
            return self.lawful(scope)
        if kind == "killer":
            return self.beside_killer(scope)
        inner, bound = self.bind(scope, self.rng.choice([1, 1, 2]))
        if not bound:
            return self.lawful(scope)
        operator = "sum" if kind == "sum of laws" else self.rng.choice(sorted(PARTS))
        body = self.lawful(inner) if kind == "sum of laws" else self.parts(operator, inner, bound)
        body = self.covering(body, inner, bound)
        return Sum(tuple((n, self.bounds[inner[n]]) for n in bound), body, False, operator)

    def parts(self, operator, inner, bound):
        """Parts of which an aggregate is made of theirs: over some of the labels each."""
        joined = self.rng.choice(PARTS[operator])
        expr = None
        for _ in range(self.rng.choice([2, 2, 3])):
            some = {n: inner[n] for n in inner if self.chance(0.5)} or inner
            part = self.pick(some)
            if self.chance(0.2):
                part = self.squared(some)
            if operator == "prod":
                # such as stay small
                part = Call("greatest", [Call("least", [part, Num(2)]), Num(self.rng.choice([-1, -2]))])
            elif operator in ("max", "min") and joined == "*" and self.chance(0.7):
                part = self.rng.choice([Call("abs", [part]), Op("^", part, Num(2)), Op("<>", part, Num(0))])
            elif self.chance(0.2):
                part = self.rng.choice([Neg(part), Call("relu", [part]), Call("sign", [part])])
            expr = part if expr is None else self.joined(joined, expr, part)
        return expr

    def joined(self, symbol, left, right):
        if symbol in ("greatest", "least"):
            return Call(symbol, [left, right])
        if symbol in ("or", "and"):
            left, right = Op("<>", left, Num(0)), Op("<>", right, Num(0))
            return Op(">", Op("+", left, right), Num(0 if symbol == "or" else 1))
        return Op(symbol, left, right)
