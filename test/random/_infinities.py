"""What programs mean whose values may be infinite or NaN.

Unlike the oracle of the other suites this one knows them all: 0 divided by anything
is 0, the rest IEEE 754. Poison is only what docs/semantics.md leaves to the plan, and
beside rounding that is little: 0 times an infinity, an infinity multiplied into a sum,
and infinities of both signs that are added when the sum may as well be divided by 0.
Of an infinity the sign may be open, where a 0 was computed by which something is
divided; functions of it are known where they are the same for both.
"""

import itertools
import math

import numpy as np

from _oracle import EPS, FLOAT8, Oracle, Value, aligned, both, diagonal, is_sum, joined_labels, larger, meets_terms, parts, raised, times
from _syntax import Num, Ref, free_labels


class Signed(Value):
    """A value; s: the sign of what is 0 or infinite is open."""

    def __init__(self, labels, v, m, e, s, p, scale):
        v, m, e, s, p = np.broadcast_arrays(v, m, e, s, p)
        finite = np.isfinite(v)
        # magnitudes and errors are of finite numbers alone
        m = np.where(finite, np.maximum(np.where(np.isfinite(m), m, 0), np.where(finite, abs(v), 0)), 0)
        p = p | (finite & ~np.isfinite(e))
        super().__init__(labels, v, m, np.where(finite & np.isfinite(e), e, 0), p, scale, s)


def spread(values):
    labels = joined_labels(values)
    return labels, [Signed(labels, *(aligned(a, x.labels, labels) for a in (x.v, x.m, x.e, x.s, x.p)), x.scale) for x in values]


def vague(x):
    """What may be 0 or of the other sign when it is computed in another way."""
    return (x.e > 0) & (abs(x.v) <= 1000 * x.e)


def changes_places(sum):
    """May something that is infinite, or divides, be taken out of a sum, over some label at least?"""
    summed = {n for n, _ in sum.labels}
    for part, divides in parts(sum.body):
        finite = isinstance(part, Num) or isinstance(part, Ref) and part.tensor.data is not None
        if is_sum(part) or (divides or not finite) and not summed <= free_labels(part):
            return True
    return False


def at_all_signs(function, args):
    """The values for all signs of what has no certain one: value, is its sign open, are they different?"""
    choices = [[x.v, np.where(x.s, -x.v, x.v)] if x.s.any() else [x.v] for x in args]
    first, *others = [function(*chosen) for chosen in itertools.product(*choices)]
    same = np.ones(first.shape, bool)
    opposite = same
    for other in others:
        same = same & ((first == other) | np.isnan(first) & np.isnan(other))
        opposite = opposite & (abs(first) == abs(other))
    open_sign = np.isinf(first) & opposite & ~same
    return first, open_sign | (first == 0), ~same & ~open_sign


def divided(x, y):
    """0 divided by anything is 0."""
    return np.where(x == 0, 0.0, x / y)


class DivisorOracle(Oracle):
    """The oracle for programs of infinities and NaN; only what the contract leaves open is poison."""

    def __init__(self, limit=FLOAT8):
        super().__init__(limit)
        # divisions by 0, of 0 and of others
        self.nothing = self.something = 0

    def statement(self, statement):
        value = self.expr(statement.expr)
        shape = statement.target.bounds
        parts = [
            np.broadcast_to(aligned(a, value.labels, statement.labels), shape).copy()
            for a in (value.v, value.m, value.e, value.s, value.p)
        ]
        value = Signed(statement.labels, *parts, value.scale)
        self.results[statement.target] = value
        return value

    def expr(self, expr):
        value = super().expr(expr)
        return value if isinstance(value, Signed) else Signed(value.labels, value.v, value.m, value.e, np.zeros(value.v.shape, bool), value.p, value.scale)

    def ref(self, expr):
        x = super().ref(expr)
        # a 0 that is stored, or not stored, is positive
        s = diagonal(self.results[expr.tensor].s, expr.labels) if expr.tensor.data is None else np.zeros(x.v.shape, bool)
        return Signed(x.labels, x.v, x.m, x.e, s, x.p, x.scale)

    def neg(self, expr):
        x = self.expr(expr.child)
        return Signed(x.labels, -x.v, x.m, x.e, x.s | (x.v == 0), x.p, x.scale)

    def op(self, expr):
        labels, (x, y) = spread([self.expr(expr.left), self.expr(expr.right)])
        kinds = {"+": self.plus, "-": self.minus, "*": self.times, "/": self.over, "^": self.raise_to}
        if expr.symbol in kinds:
            value = kinds[expr.symbol](labels, x, y)
            if expr.symbol == "*":
                value.p = value.p | meets_terms(x, y, expr)
            return value
        compared = self.comparison(labels, expr.symbol, x, y)
        v, s, p = at_all_signs(lambda a, b: self.comparison(labels, expr.symbol, self.plain(a), self.plain(b)).v, (x, y))
        slack = x.e + y.e
        near = (slack > 0) & (abs(x.v - y.v) <= 1000 * slack)
        return Signed(labels, v, v, 0.0, s, x.p | y.p | p | near, compared.scale)

    @staticmethod
    def plain(v):
        no = np.zeros(v.shape, bool)
        return Value((), v, v, np.zeros(v.shape), no, 0)

    def plus(self, labels, x, y, function=np.add):
        v, s, p = at_all_signs(function, (x, y))
        return Signed(labels, v, x.m + y.m, x.e + y.e, s, x.p | y.p | p, both(x.scale, y.scale, max))

    def minus(self, labels, x, y):
        return self.plus(labels, x, y, np.subtract)

    def times(self, labels, x, y):
        v, s, p = at_all_signs(np.multiply, (x, y))
        p = p | x.p | y.p
        for one, other in ((x, y), (y, x)):
            # "0 or NaN, depending on the plan"
            p = p | (~np.isfinite(one.v) & ((other.v == 0) | vague(other)))
        e = times(x.m, y.e) + times(y.m, x.e) + times(x.e, y.e)
        return Signed(labels, v, times(x.m, y.m), e, s, p, both(x.scale, y.scale, lambda a, b: a + b))

    def over(self, labels, x, y):
        zero = y.v == 0
        self.nothing += int((zero & (x.v == 0)).sum())
        self.something += int((zero & (x.v != 0)).sum())
        v, s, p = at_all_signs(divided, (x, y))
        # 0 that no rounding has a part in
        p = p | x.p | (y.p | vague(y)) & ((x.v != 0) | (x.e > 0)) | (zero & vague(x))
        finite = np.isfinite(y.v) & ~zero
        d = np.where(finite, y.v, 1.0)
        e = np.where(finite, x.e / abs(d) + times(x.m, y.e) / (d * d) * 1.01, 0)
        m = np.where(finite, x.m / abs(d), 0)
        scale = None
        if x.scale is not None and y.scale is not None and (np.frexp(abs(d))[0] == 0.5).all() and not y.e.any():
            scale = max(0, x.scale + int(math.log2(abs(d).max()))) if d.size else x.scale
        return Signed(labels, v, m, e, s, p, scale)

    def raise_to(self, labels, x, y):
        v, s, p = at_all_signs(raised, (x, y))
        n = float(np.max(abs(y.v), initial=0))
        size = np.where(x.v == 0, 1, abs(x.v))
        e = np.where(x.e > 0, n * x.e * np.power(size, np.where(np.isfinite(y.v), y.v, 0) - 1) * 1.01, 0)
        e = e + times(y.e, abs(np.where(np.isfinite(v), v, 0)) * abs(np.log(size)))
        p = p | x.p | y.p | ((y.v < 0) | (y.v != np.floor(y.v))) & vague(x)
        scale = None
        if x.scale is not None and y.scale == 0 and (y.v == np.floor(y.v)).all():
            finite = np.isfinite(v) & (v != 0) & np.isfinite(x.v)
            if (y.v >= 0).all():
                scale = int(x.scale * n) if np.isfinite(n) else None
            elif (np.frexp(abs(np.where(finite, x.v, 1.0)))[0] == 0.5).all():
                scale = max(0, 1 - int(np.frexp(abs(np.where(finite, v, 1.0)))[1].min(initial=1)))
        return Signed(labels, v, raised(x.m, y.v), e, s, p, scale)

    def sum(self, expr):
        if expr.operator != "sum":
            return super().sum(expr)
        body = self.expr(expr.body)
        axes = tuple(k for k, n in enumerate(body.labels) if n in dict(expr.labels))
        labels = tuple(n for n in body.labels if n not in dict(expr.labels))
        repeats = math.prod([float(b) for n, b in expr.labels if n not in body.labels])
        count = math.prod([body.v.shape[k] for k in axes]) * repeats
        v = body.v.sum(axis=axes) * repeats
        m = body.m.sum(axis=axes) * repeats
        e = body.e.sum(axis=axes) * repeats
        if body.scale is None:
            e = e + count * EPS * m
        infinite = np.isinf(body.v)
        open_signs = (infinite & body.s).sum(axis=axes)
        p = body.p.any(axis=axes) | (~np.isnan(body.v).any(axis=axes) & (open_signs > 0) & (infinite.sum(axis=axes) > 1))
        if changes_places(expr):
            # divided, or multiplied, after they are summed
            p = p | (np.isnan(v) & ~np.isnan(body.v).any(axis=axes))
        if count == 0:
            p = p | self.infinite_beside(expr, labels)
        return Signed(labels, v, m, e, (open_signs > 0) | (v == 0), p, body.scale)

    def aggregate(self, operator, body, axes, repeats):
        labels = tuple(n for k, n in enumerate(body.labels) if k not in axes)
        found = super().aggregate(operator, body, axes, repeats)
        scale, e = found.scale, found.e
        p = body.p.any(axis=axes)
        if operator in ("min", "max"):
            extreme = np.min if operator == "min" else np.max
            # of all signs these are the extremes
            some = [extreme(a, axis=axes) for a in (body.v, np.where(body.s, -abs(body.v), body.v), np.where(body.s, abs(body.v), body.v))]
            v = some[0]
            p = p | ~((some[1] == some[2]) | np.isnan(some[1]) & np.isnan(some[2]))
            s = v == 0
            m = larger(v, body.m.max(axis=axes, initial=0.0))
        elif operator == "prod":
            v = body.v.prod(axis=axes) ** repeats
            s = (v == 0) | np.isinf(v) & (body.s & np.isinf(body.v)).any(axis=axes)
            m = body.m.prod(axis=axes) ** repeats
            p = p | (~np.isfinite(body.v)).any(axis=axes) & ((body.v == 0) | vague(body)).any(axis=axes)
        else:
            true = body.v != 0
            v = (true.any(axis=axes) if operator == "any" else true.all(axis=axes)).astype(float)
            s, m, e = v == 0, v, 0.0
            p = p | vague(body).any(axis=axes)
        return Signed(labels, v, m, e, s, p, scale)

    def call(self, expr):
        labels, args = spread([self.expr(a) for a in expr.args])
        name = expr.function
        v, s, p = at_all_signs(FUNCTIONS[name], args)
        x = args[0]
        m, e, scale = x.m, x.e, x.scale
        if name == "if":
            c, x, y = args
            p = np.where(c.v != 0, x.p, y.p) | c.p | vague(c) | p
            s = np.where(c.v != 0, x.s, y.s)
            m, e, scale = larger(v, x.m, y.m), x.e + y.e, both(x.scale, y.scale, max)
            return Signed(labels, v, m, e, s, p, scale)
        for y in args:
            p = p | y.p
        for y in args[1:]:
            m, e, scale = larger(m, y.m), e + y.e, both(scale, y.scale, max)
        if name == "sign":
            m, e, scale, p = v, 0.0, 0, p | vague(x)
        elif name in ("exp", "ln", "sqrt", "tanh"):
            slope = {"exp": np.exp(x.v + np.minimum(x.e, 1)), "tanh": 1.0, "ln": 1 / np.maximum(abs(x.v), 1e-300), "sqrt": 1 / np.sqrt(np.maximum(abs(x.v), 1e-300))}[name]
            m, e, scale = abs(v), times(slope * np.ones(x.e.shape), x.e) * 1.01, None
            if name in ("ln", "sqrt"):
                p = p | vague(x)
        return Signed(labels, v, m, e, s, p, scale)


FUNCTIONS = {
    "abs": np.abs, "sign": np.sign, "relu": lambda v: np.maximum(v, 0), "exp": np.exp, "ln": np.log, "sqrt": np.sqrt, "tanh": np.tanh,
    "if": lambda c, x, y: np.where(c != 0, x, y),
    "greatest": lambda *args: np.maximum.reduce(np.broadcast_arrays(*args)),
    "least": lambda *args: np.minimum.reduce(np.broadcast_arrays(*args)),
}  # fmt: skip
