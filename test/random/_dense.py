"""Random programs whose meaning dense semantics alone decides.

Any operator, function and aggregate of anything, whatever it is where tensors
have no entries; tensors whose fill is 0, 1, 2 or an infinity; unions of
operands of different labels; statements of linear algebra.
"""

from _generator import NAMES, Generator
from _planted import Planting
from _syntax import Call, Formula, Moved, Neg, Num, Op, Ref, Statement, Sum, Tensor
from _targets import COMPARISONS

FILLS = [0, 0, 0, 0, 1, 1, 1, 2, float("inf"), float("-inf")]
MOST_LABELS = 5
# aggregates, functions that they distribute over or may not, and fills
INFINITY = float("inf")
SEMIRINGS = [
    ("min", "+", [INFINITY, INFINITY, 0]), ("max", "+", [-INFINITY, -INFINITY, 0]), ("min", "-", [INFINITY, 0]),
    ("any", "*", [0]), ("all", "*", [0, 1]), ("max", "*", [0, 0, 1]), ("min", "*", [0, 0, 1]), ("prod", "*", [0, 1]),
    ("max", "least", [INFINITY, 0]), ("min", "greatest", [INFINITY, 0]), ("max", "greatest", [-INFINITY, 0]),
]


class DenseGenerator(Planting, Generator):
    """targets: cells of _targets.py that the program has to have."""

    def __init__(self, seed, exact=True, blocks=False, targets=()):
        super().__init__(seed, exact, False, blocks)
        self.targets = targets
        self.fills = FILLS if self.chance(0.85) else None
        if targets and max(self.bounds.values()) < 3:
            self.bounds["A"] = self.rng.choice([3, 4, 5])
        # a label without any index, seldom
        if self.chance(0.04):
            empty = self.rng.choice(sorted(self.bounds))
            if not targets or any(b > 2 for s, b in self.bounds.items() if s != empty):
                self.bounds[empty] = 0
        # programs of infinities are mostly such as only min, max and + make sense of
        if self.fills and self.chance(0.4):
            self.fills = [0, 0, 1, 1, 2]
        self.written = self.rng.choices(["any", "products", "algebra", "semiring"], [6, 2, 1.5, 1.5])[0]

    def statement(self, number):
        targets = self.hosted.get(number - 1, ())
        if self.written == "products" and not targets:
            return super().statement(number)
        self.implicit = set()
        self.explicit = set()
        if self.written == "algebra" and not targets:
            return self.algebra_statement(number)
        if self.written == "semiring" and not targets:
            return self.semiring_statement(number)
        names = self.rng.sample(NAMES, len(NAMES))
        rank = self.rng.choices([0, 1, 2, 3, 4], [3, 4, 5, 2, 0.5])[0]
        output = [names.pop() for _ in range(rank)]
        self.names = names
        scope = {n: self.rng.choice(sorted(self.bounds)) for n in output}
        expr = None if targets and self.chance(0.4) else self.dense(scope, 1 if targets else 0)
        for target in targets:
            planted = self.planted(target, scope)
            expr = planted if expr is None else self.combined(*self.rng.sample([planted, expr], 2))
        expr = self.covering(expr, scope, output)
        return self.defined(number, output, scope, expr)

    def semiring_statement(self, number):
        """an aggregate of a product along a path, of whatever is a product to it"""
        operator, symbol, fills = self.rng.choice(SEMIRINGS)
        self.names = self.rng.sample(NAMES, len(NAMES))
        path = [self.names.pop() for _ in range(self.rng.choice([2, 3, 3, 4]))]
        scope = {n: self.rng.choice(sorted(self.bounds)) for n in path}
        fills, self.fills = self.fills, fills
        factors = [self.pick(scope, list(pair)) for pair in zip(path, path[1:])]
        if self.chance(0.5):
            factors.append(self.pick(scope, [self.rng.choice(path)]))
        if self.chance(0.3):
            factors.append(self.pick(scope, [path[0], path[-1]]))
        self.fills = fills
        self.rng.shuffle(factors)
        if symbol == "*":
            factors = [self.rng.choice([f, Call("abs", [f]), Op("<>", f, Num(0))]) for f in factors]
        body = factors[0]
        for factor in factors[1:]:
            body = Op(symbol, body, factor) if symbol in "+-*" else Call(symbol, [body, factor])
        if self.chance(0.3):
            body = self.rng.choice([Neg(body), Call("relu", [body]), Call("floor", [Op("/", body, Num(2))])])
        output = self.rng.sample(path, self.rng.choice([0, 1, 1, 2]))
        summed = tuple((n, self.bounds[scope[n]]) for n in path if n not in output)
        return self.defined(number, output, scope, Sum(summed, body, False, operator) if summed else body)

    def defined(self, number, output, scope, expr, algebra=None):
        target = Tensor(
            "r%d" % number, tuple(self.bounds[scope[n]] for n in output), tuple(scope[n] for n in output)
        )
        self.results.append(target)
        return Statement(target, tuple(output), expr, dict(scope), algebra)

    def covering(self, expr, scope, wanted):
        """An expression that has all wanted labels."""
        missing = [n for n in wanted if n not in self.free(expr)]
        while missing:
            take = missing[: self.rng.choice([1, 2, 3, 4])]
            other = self.pick(scope, take)
            expr = self.combined(expr, other) if self.chance(0.5) else self.combined(other, expr)
            missing = [n for n in missing if n not in take]
        return expr

    def combined(self, a, b):
        symbol = self.rng.choice(["+", "+", "-", "*", "*", "greatest", "least", "<=", "=="])
        if symbol in ("greatest", "least"):
            return Call(symbol, [a, b])
        return Op(symbol, a, b)

    def dense(self, scope, depth):
        """Any expression of labels in scope."""
        rng = self.rng
        part = {n: scope[n] for n in scope if self.chance(0.75)}
        if depth >= 3 or (depth > 0 and self.chance(0.3)):
            return self.leaf(scope) if self.chance(0.93) else Num(rng.choice([0, 1, 2, -1, -3, 0.5]))
        kind = rng.choices(
            ["arithmetic", "divide", "power", "compare", "function", "extreme", "if", "aggregate", "softmax", "minus", "laws", "formula"],
            [6, 1, 1, 1.5, 4, 1.5, 1.2, 7, 0 if self.exact else 1.5, 0.5, 2, 1 if self.exact else 2.5],
        )[0]
        if kind == "arithmetic":
            return Op(rng.choice("++-**"), self.dense(scope, depth + 1), self.dense(part, depth + 1))
        if kind == "divide":
            return Op("/", self.dense(scope, depth + 1), self.divisor(scope, 2))
        if kind == "power":
            return self.power(scope, depth)
        if kind == "compare":
            return Op(rng.choice(COMPARISONS), self.dense(scope, depth + 1), self.dense(part, depth + 2))
        if kind == "function":
            return self.applied(self.dense(scope, depth + 1))
        if kind == "extreme":
            args = [self.dense(rng.choice([scope, part]), depth + 1) for _ in range(rng.choice([2, 2, 3]))]
            return Call(rng.choice(["greatest", "least"]), args)
        if kind == "if":
            return Call("if", [self.dense(s, depth + 2) for s in (scope, part, scope)])
        if kind == "minus":
            return Neg(self.dense(scope, depth + 1))
        if kind == "laws":
            return self.lawful(scope, depth)
        if kind == "softmax" and scope:
            return self.softmax(scope)
        if kind == "formula":
            return self.formula(scope, depth)
        return self.aggregate(scope, depth)

    def leaf(self, scope):
        """A reference; what infinities come to where they are absent is often finite."""
        ref = self.pick(scope)
        fill = ref.tensor.fill
        stored = ref.tensor.data is not None
        if ref.labels and (not ref.tensor.stored_as if stored else not self.open) and self.chance(0.12 if stored else 0.2):
            ref = self.moved(ref)
        if abs(fill) != float("inf") or self.chance(0.25):
            return ref
        kind = self.rng.choice(["extreme", "extreme", "compare", "sign", "if", "bounded", "aggregate"])
        if kind == "extreme":
            return Call("least" if fill > 0 else "greatest", [ref, Num(self.rng.choice([-1, 0, 2, 5]))])
        if kind == "compare":
            return Op(self.rng.choice(COMPARISONS), ref, Num(self.rng.choice([-1, 0, 1])))
        if kind == "if":
            return Call("if", [Op("<" if fill > 0 else ">", ref, Num(1)), ref, Num(self.rng.choice([0, 3]))])
        if kind == "aggregate" and ref.labels:
            inner, bound = self.bind(scope, 1)
            if bound:
                ref = self.pick(inner, bound)
                operator = self.rng.choice(["min"] * 3 + ["any"] if ref.tensor.fill > 0 else ["max"] * 3 + ["all"])
                return Sum(tuple((n, self.bounds[inner[n]]) for n in bound), ref, False, operator)
        if kind == "bounded" and not self.exact:
            if self.chance(0.5):
                return Call(self.rng.choice(["tanh", "sigmoid"]), [ref])
            return Call("exp", [Neg(ref) if fill > 0 else ref])
        return Call("sign", [ref])

    def moved(self, ref):
        """The same tensor at shifted or constant indices."""
        places = []
        for name, bound in zip(ref.labels, ref.tensor.bounds):
            if bound and self.chance(0.25):
                places.append(self.rng.randrange(bound))
            else:
                places.append((name, self.rng.choice([0, 1, -1, 1, -1, 2, -2, bound, -bound - 1])))
        ref.tensor.moved = True
        return Moved(ref.tensor, tuple(p[0] for p in places if not isinstance(p, int)), tuple(places))

    def divisor(self, scope, depth):
        if not scope and self.chance(0.5):
            return Num(self.rng.choice([2, 4, -0.5]))
        return super().divisor(scope, depth)

    def power(self, scope, depth):
        base = self.dense(scope, depth + 1)
        kind = self.rng.choice(["square", "cube", "zeroth", "two", "pow"])
        if kind == "two":
            return Op("^", Num(2), self.pick(scope))
        exponent = Num({"square": 2, "cube": 3, "zeroth": 0, "pow": 2}[kind])
        return Call("pow", [base, exponent]) if kind == "pow" else Op("^", base, exponent)

    def applied(self, arg):
        name = self.rng.choice(["abs", "relu", "sign", "floor", "ceil", "round"])
        if not self.exact and self.chance(0.7):
            name = self.rng.choice(["exp", "ln", "sqrt", "sin", "cos", "tanh", "sigmoid"])
        if name in ("ln", "sqrt"):
            arg = Call("abs", [arg])
            if self.chance(0.7):
                arg = Op("+", arg, Num(self.rng.choice([0.5, 1])))
        if name == "exp" and self.chance(0.6):
            arg = Call("least", [arg, Num(3)])
        if name in ("floor", "ceil", "round"):
            arg = Op("*", arg, Num(0.5))
        return Call(name, [arg])

    def bind(self, scope, count):
        """Fresh labels: the scope with them, and their names."""
        inner = dict(scope)
        bound = []
        for _ in range(count):
            free = [n for n in self.names if n not in inner]
            if free and len(inner) < MOST_LABELS + (not bound):
                bound.append(self.rng.choice(free))
                inner[bound[-1]] = self.rng.choice(sorted(self.bounds))
        return inner, bound

    def aggregate(self, scope, depth):
        operator = self.rng.choice(["sum", "sum", "prod", "max", "min", "any", "all"])
        inner, bound = self.bind(scope, self.rng.choice([1, 1, 2]))
        if not bound:
            return self.pick(scope)
        body = self.covering(self.dense(inner, depth + 1), inner, bound)
        if operator == "prod" and self.chance(0.6):
            body = Call("greatest", [Call("least", [body, Num(2)]), Num(-1)])
        return Sum(tuple((n, self.bounds[inner[n]]) for n in bound), body, False, operator)

    def formula(self, scope, depth):
        places = ["argmax", "argmin"]
        name = self.rng.choice(["count", "avg"] + places if self.exact else ["count", "avg", "norm", "logsumexp", "softmax", "softmax"] + places)
        if name == "softmax":
            body = self.covering(self.dense(scope, depth + 1), scope, list(scope)[:1])
            over = [n for n in scope if n in self.free(body) and self.chance(0.7)] or list(self.free(body))[:1]
            if not over:
                return body
            return Formula(tuple((n, self.bounds[scope[n]]) for n in over), body, False, name)
        inner, bound = self.bind(scope, 1 if name in places else self.rng.choice([1, 1, 2]))
        labels = tuple((n, self.bounds[inner[n]]) for n in bound)
        if name in places and any(b == 0 for _, b in labels):
            return self.pick(scope)
        if not bound or name == "avg" and self.exact and not all(b in (1, 2, 4) for _, b in labels):
            return self.pick(scope)
        body = self.covering(self.dense(inner, depth + 1), inner, bound)
        return Formula(labels, body, False, name)

    def softmax(self, scope):
        """exp(e) divided by its sum over a label that hides the one outside."""
        name = self.rng.choice(sorted(scope))
        label = ((name, self.bounds[scope[name]]),)
        inner = self.pick(scope, [name])
        if self.chance(0.5):
            inner = Op("-", inner, Sum(label, inner, False, "max"))
        inner = Call("exp", [inner])
        return Op("/", inner, Sum(label, inner))

    # linear algebra: text and tree; a value has rows, columns, both or neither

    def algebra_statement(self, number):
        rng = self.rng
        self.names = list(NAMES)
        self.inner = 0
        sorts = sorted(self.bounds)
        rows = ("i", rng.choice(sorts)) if self.chance(0.8) else None
        columns = ("j", rng.choice(sorts)) if rows and self.chance(0.7) else None
        text, expr = self.algebra(rows, columns, 0)
        scope = dict(x for x in (rows, columns) if x)
        return self.defined(number, list(scope), scope, expr, text)

    def stored_algebra(self, rows, columns):
        labels = [x for x in (rows, columns) if x]
        sorts = tuple(s for _, s in labels)
        names = tuple(n for n, _ in labels)
        turned = rows and columns and self.chance(0.3)
        if turned:
            sorts, names = sorts[::-1], names[::-1]
        known = [t for t in self.stored + self.results if t.sorts == sorts and not t.divisor]
        tensor = self.rng.choice(known) if known and self.chance(0.6) else self.tensor(list(sorts))
        flip = turned or (columns and not rows)
        return ("t(%s)" if flip else "%s") % tensor.name, Ref(tensor, names)

    def summed(self):
        self.inner += 1
        return ("inner%d" % self.inner, self.rng.choice(sorted(self.bounds)))

    def algebra(self, rows, columns, depth):
        rng = self.rng
        if depth >= 3 or (depth > 0 and self.chance(0.35)):
            if not rows and not columns and self.chance(0.5):
                value = rng.choice([1, 2, 3])
                return str(value), Num(value)
            return self.stored_algebra(rows, columns)
        kind = rng.choice(["element", "element", "scalar", "matmul", "matmul", "sums", "function", "square"])
        again = depth + 1
        if kind == "element":
            symbol = rng.choice("+-*")
            left, a = self.algebra(rows, columns, again)
            right, b = self.algebra(rows, columns, again)
            return "(%s) %s (%s)" % (left, symbol, right), Op(symbol, a, b)
        if kind == "scalar":
            symbol = rng.choice("+-*")
            left, a = self.algebra(None, None, depth + 2)
            right, b = self.algebra(rows, columns, again)
            return "(%s) %s (%s)" % (left, symbol, right), Op(symbol, a, b)
        if kind == "function":
            name = rng.choice(["abs", "relu", "sign"] + ["exp", "tanh", "sigmoid"] * (not self.exact))
            text, a = self.algebra(rows, columns, again)
            return "%s(%s)" % (name, text), Call(name, [a])
        if kind == "square":
            text, a = self.algebra(rows, columns, again)
            return "(%s)^2" % text, Op("^", a, Num(2))
        k = self.summed()
        label = ((k[0], self.bounds[k[1]]),)
        if kind == "matmul" and (rows or columns):
            left, a = self.algebra(rows, k, again)
            right, b = self.algebra(k, columns, again)
            return "(%s) %%*%% (%s)" % (left, right), Sum(label, Op("*", a, b))
        if rows and not columns:
            text, a = self.algebra(rows, k, again)
            return "rowSums(%s)" % text, Sum(label, a)
        if not rows and not columns:
            two = self.summed()
            text, a = self.algebra(k, two, again)
            return "sum(%s)" % text, Sum(label + ((two[0], self.bounds[two[1]]),), a)
        return self.stored_algebra(rows, columns)
