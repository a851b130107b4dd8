"""Random programs of long products: 12 to 24 references in one sum.

The labels that references share make a chain, a ring, a star, a tree or a tangle of
few labels, so that small values remain between them, while all labels at once would be
far too many for dense arrays: the oracle leaves the product to numpy.einsum, which finds
an order of its own. What has one label may be sparse, and filters the rest. All entries are -1, 0 or 1, and no order of sums can make a number that
float8 does not hold.
"""

import math

import numpy as np

from _generator import NAMES, Generator
from _oracle import Oracle, Value
from _syntax import Call, Neg, Num, Op, Ref, Statement, Sum, Tensor, walk

LEAST, MOST = 12, 24
# the product of the bounds of all labels, in bits: as many terms can a sum have
MOST_BITS = 40
TRIES = 100


class LongGenerator(Generator):
    def __init__(self, seed, blocks=False):
        super().__init__(seed, True, False, blocks)
        self.bounds = {sort: self.rng.choice([2, 2, 3, 4]) for sort in self.bounds}
        self.kept = self.rng.choice([0.7, 0.8, 0.9, 1])

    def tensor(self, sorts, divisor=False, fill=None, kind=None):
        # mostly full: of many sparse ones the product is 0
        made = super().tensor(sorts, divisor, 0.0, "dense")
        share = 0.4 if len(sorts) == 1 and self.chance(0.5) else self.kept
        kept = np.random.default_rng(self.rng.getrandbits(32)).random(made.data.shape) < share
        made.data = np.sign(made.data) * kept
        made.kind = "sparse"
        return made

    def edges(self, count):
        """The labels of each reference, as numbers."""
        shape = self.rng.choice(["chain", "ring", "star", "tree", "tangle"])
        if shape == "tangle":
            # PostgreSQL takes long to plan more of these
            count = min(count, LEAST + 3)
            labels = range(self.rng.randint(6, 9))
            return [tuple(self.rng.sample(labels, 2)) for _ in range(count - 3)] + [
                (n,) for n in self.rng.sample(labels, 3)]
        if shape == "chain":
            return [(n, n + 1) for n in range(count)]
        if shape == "ring":
            return [(n, (n + 1) % count) for n in range(count)]
        if shape == "star":
            # some of the arms have two references
            edges = [(0, n + 1) for n in range(self.rng.randint((count + 1) // 2, count))]
            ends = self.rng.sample([end for _, end in edges], count - len(edges))
            return edges + [(end, len(edges) + 1 + n) for n, end in enumerate(ends)]
        return [(self.rng.randrange(n + 1), n + 1) for n in range(count)]

    def references(self):
        """The labels of each reference, with their sorts."""
        while True:
            edges = self.edges(self.rng.randint(LEAST, MOST))
            sorts = {}
            for edge in edges:
                sorts.update({n: sorts.get(n) or self.rng.choice(sorted(self.bounds)) for n in edge})
            # some have one label, or one more
            for k in range(len(edges)):
                if self.chance(0.1):
                    edges[k] = (self.rng.choice(edges[k]),)
                elif self.chance(0.05):
                    edges[k] += (self.rng.choice([n for e in edges[max(k - 1, 0) : k + 2] for n in e if n not in edges[k]] or [edges[k][0]]),)
            used = sorted({n for edge in edges for n in edge})
            if math.prod(self.bounds[sorts[n]] for n in used) <= 2**MOST_BITS:
                break
        names = NAMES + ["x%d" % n for n in range(2, MOST + 2)]
        self.rng.shuffle(names)
        scope = {names[n]: sorts[n] for n in used}
        return [self.rng.sample([names[n] for n in edge], len(edge)) for edge in edges], scope

    def reference(self, labels, scope, summed):
        """summed: does the program say where sums are? Else they go around products alone."""
        sorts = tuple(scope[n] for n in labels)
        same = [tensor for tensor in self.stored if tensor.sorts == sorts]
        tensor = self.rng.choice(same) if same and self.chance(0.7) else self.tensor(sorts)
        ref = Ref(tensor, tuple(labels))
        if self.chance(0.06):
            others = [Call("abs", [ref]), Op("^", ref, Num(2)), Op("<>", ref, Num(0))]
            return self.rng.choice(others) if summed else Neg(ref)
        return ref

    def multiplied(self, factors):
        """Their product, from left to right or in parentheses."""
        if len(factors) > 1 and self.chance(0.3):
            middle = self.rng.randrange(1, len(factors))
            return Op("*", self.multiplied(factors[:middle]), self.multiplied(factors[middle:]))
        expr = factors[0]
        for factor in factors[1:]:
            expr = Op("*", expr, factor)
        return expr

    def program(self):
        # a product that is 0 everywhere would tell nothing
        for _ in range(TRIES):
            self.stored = []
            self.serial = 0
            program = [self.statement(1)]
            if LongOracle().sum(next(node for node in walk(program[0].expr) if isinstance(node, Sum))).v.any():
                break
        return program

    def statement(self, number):
        """sum of a long product, perhaps with something else added"""
        labels, scope = self.references()
        self.implicit = set()
        self.explicit = set()
        implicit = self.chance(0.6)
        factors = [self.reference(some, scope, not implicit) for some in labels]
        if self.chance(0.5):
            self.rng.shuffle(factors)
        output = self.rng.sample(sorted(scope), self.rng.choice([0, 1, 1, 2, 2, 3]))
        summed = tuple((n, self.bounds[scope[n]]) for n in scope if n not in output)
        expr = Sum(summed, self.multiplied(factors), implicit)
        if self.chance(0.2):
            expr = Op("+", expr, self.pick({n: scope[n] for n in output}))
        sorts = tuple(scope[n] for n in output)
        target = Tensor("r%d" % number, tuple(self.bounds[s] for s in sorts), sorts)
        return Statement(target, tuple(output), expr, dict(scope))


class LongOracle(Oracle):
    """The oracle for sums of products with many labels."""

    def factors(self, expr):
        if isinstance(expr, Op) and expr.symbol == "*":
            return self.factors(expr.left) + self.factors(expr.right)
        return [self.expr(expr)]

    def sum(self, expr):
        factors = self.factors(expr.body)
        bounds = {}
        for factor in factors:
            bounds.update(zip(factor.labels, factor.v.shape))
        numbers = {name: k for k, name in enumerate(bounds)}
        labels = tuple(n for n in bounds if n not in dict(expr.labels))

        def contracted(arrays):
            operands = []
            for factor, array in zip(factors, arrays):
                operands += [array, [numbers[n] for n in factor.labels]]
            return np.einsum(*operands, [numbers[n] for n in labels], optimize=True)

        v = contracted([factor.v for factor in factors])
        m = contracted([factor.m for factor in factors])
        # whatever the order, each number on the way is a sum of some of the terms
        largest = math.prod(bounds.values()) * math.prod(float(factor.m.max(initial=0.0)) for factor in factors)
        exact = largest <= self.limit and all(factor.scale == 0 for factor in factors)
        return Value(labels, v, m, np.zeros(v.shape), np.zeros(v.shape, bool), 0 if exact else None)
