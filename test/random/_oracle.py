"""What a program means: dense arrays, the formula as written, numpy.

Beside each value the oracle keeps what a plan may make of it:

v  the value
m  the same form evaluated on absolute values: what cancels can be no larger
e  a bound of the rounding error of any plan, 0 where arithmetic is exact
p  poison: the entry depends on 0 * infinity or the like, where the language
   leaves the choice to the plan
scale  all values are multiples of 2^-scale, or None where they are no such
   fractions (then arithmetic is not exact)
"""

import math
from dataclasses import dataclass

import numpy as np

from _syntax import Call, Neg, Num, Op, Ref, Sum, first_of_label

EPS = 2.0**-52
# functions whose results are rounded, which the suite "smooth" goes over
SMOOTH = ["cos", "exp", "ln", "sigmoid", "sin", "sqrt", "tanh"]


class Inexact(Exception):
    """Some value is not exact in float8."""


@dataclass
class Value:
    labels: tuple
    v: np.ndarray
    m: np.ndarray
    e: np.ndarray
    p: np.ndarray
    scale: object  # int or None
    s: np.ndarray = None  # of _infinities.py: is the sign of a 0 or an infinity open?


def aligned(array, labels, target):
    """The array with its axes in the order of target, new ones of length 1."""
    array = np.transpose(array, [labels.index(n) for n in target if n in labels])
    shape = iter(array.shape)
    return array.reshape([next(shape) if n in labels else 1 for n in target])


def terms(expr):
    """What an expression adds up."""
    if isinstance(expr, Op) and expr.symbol in "+-":
        return terms(expr.left) + terms(expr.right)
    return terms(expr.child) if isinstance(expr, Neg) else [expr]


def parts(expr):
    """The factors of an expression's terms, and whether they are divisors."""
    if isinstance(expr, Op) and expr.symbol in "*+-":
        return parts(expr.left) + parts(expr.right)
    if isinstance(expr, Op) and expr.symbol == "/":
        return parts(expr.left) + [(expr.right, True)]
    return parts(expr.child) if isinstance(expr, Neg) else [(expr, False)]


def is_sum(expr):
    """Is it a sum, or may it be one when statements are merged?"""
    return isinstance(expr, Sum) and expr.operator == "sum" or isinstance(expr, Ref) and expr.tensor.data is None


def meets_terms(x, y, expr):
    """Where a factor of a product is infinite and may be multiplied into the terms of a sum: 0 may be among them, or both signs."""
    found = False
    for one, other in ((x, expr.right), (y, expr.left)):
        if any(is_sum(part) for part, divides in parts(other) if not divides):
            found = found | ~np.isfinite(one.v)
    return found


def diagonal(array, labels):
    """The array of a reference; a repeated label is a diagonal."""
    distinct = tuple(dict.fromkeys(labels))
    names = "".join(chr(97 + distinct.index(n)) for n in labels)
    out = "".join(chr(97 + k) for k in range(len(distinct)))
    if array.dtype == bool:
        return np.einsum(names + "->" + out, array.astype(float)) != 0
    return np.einsum(names + "->" + out, array) if array.ndim else array


def joined_labels(values):
    names = []
    for value in values:
        names += [n for n in value.labels if n not in names]
    return tuple(names)


def spread(values):
    """Values over the same labels, by broadcasting."""
    labels = joined_labels(values)
    result = []
    for x in values:
        parts = [aligned(a, x.labels, labels) for a in (x.v, x.m, x.e, x.p)]
        result.append(Value(labels, *parts, x.scale))
    return labels, result


def times(a, b):
    """A product of bounds, in which 0 is stronger than infinity."""
    return np.where((a == 0) | (b == 0), 0.0, a * b)


def larger(v, *magnitudes):
    """The largest magnitude of what may have been chosen, infinite only if the choice is."""
    some = abs(v)
    for m in magnitudes:
        some = np.maximum(some, np.where(np.isfinite(m), m, 0.0))
    return some


def raised(base, exponent):
    """A power; numpy's own is not exact where the result is."""
    if exponent.size == 1 and float(exponent.flat[0]) in range(5):
        times = int(exponent.flat[0])
        return np.prod([base] * times, axis=0) if times else np.ones(base.shape)
    if (base == 2).all() and (np.isfinite(exponent) & (exponent == np.floor(exponent))).all():
        return np.ldexp(np.ones(base.shape), exponent.astype(int))
    return np.power(base, exponent)


def both(a, b, operation):
    if a is None or b is None:
        return None
    return operation(a, b)


def size(v):
    """A bound of absolute values that is exact, for complex numbers too."""
    return abs(v.real) + abs(v.imag) if np.iscomplexobj(v) else abs(v)


# what numbers of these precisions hold without rounding, with some room
FLOAT8, FLOAT4 = 2.0**50, 2.0**22


class Oracle:
    """limit: beyond this, in units of the smallest fraction, values count as rounded."""

    def __init__(self, limit=FLOAT8):
        self.results = {}
        self.statements = {}
        self.limit = limit
        self.rounded = False  # has some value been rounded?

    def statement(self, statement):
        value = self.expr(statement.expr)
        shape = statement.target.bounds
        parts = [
            np.broadcast_to(aligned(a, value.labels, statement.labels), shape).copy()
            for a in (value.v, value.m, value.e, value.p)
        ]
        value = Value(statement.labels, *parts, value.scale)
        self.results[statement.target] = value
        self.statements[statement.target] = statement
        return value

    def expr(self, expr):
        with np.errstate(all="ignore"):
            value = getattr(self, type(expr).__name__.lower())(expr)
        # exactness: every intermediate of every plan is below m
        if value.scale is not None:
            finite = value.m[np.isfinite(value.m)]
            if finite.size and finite.max() * 2.0**value.scale > self.limit:
                value.scale = None
        if value.scale is None:
            self.rounded = True
            # in another order there may be an overflow
            value.p = value.p | (np.isfinite(value.v) & (value.m > 1e120))
            value.e = value.e + EPS * np.where(np.isfinite(value.m), value.m, 0)
        return value

    def num(self, expr):
        no = np.zeros((), bool)
        if isinstance(expr.value, complex):
            return Value((), np.array(expr.value), size(np.array(expr.value)), np.zeros(()), no, 1)
        v = np.array(float(expr.value))
        scale = 0
        while scale < 20 and v * 2.0**scale != np.floor(v * 2.0**scale):
            scale += 1
        return Value((), v, abs(v), np.zeros(()), no, scale if scale < 20 else None)

    def ref(self, expr):
        if expr.tensor.data is not None:
            v = expr.tensor.data
            whole = Value(None, v, size(v), np.zeros(v.shape), np.zeros(v.shape, bool), 0)
        else:
            whole = self.results[expr.tensor]
        labels = tuple(dict.fromkeys(expr.labels))
        parts = [diagonal(a, expr.labels) for a in (whole.v, whole.m, whole.e, whole.p)]
        return Value(labels, *parts, whole.scale)

    def moved(self, expr):
        labels = tuple(dict.fromkeys(expr.labels))
        if expr.tensor.data is not None:
            v = diagonal(expr.data(expr.tensor.data, expr.tensor.fill), expr.labels)
            return Value(labels, v, size(v), np.zeros(v.shape), np.zeros(v.shape, bool), 0)
        whole, fills = self.results[expr.tensor], FillOracle(self).fills(expr.tensor)
        parts = [(whole.v, fills.v), (whole.m, fills.m), (whole.e, fills.e), (whole.p, fills.p)]
        # of a tensor without entries nothing is moved
        moved = [diagonal(expr.data(a, b.flat[0] if b.size else 0), expr.labels) for a, b in parts]
        return Value(labels, *moved, both(whole.scale, fills.scale, max))

    def sum(self, expr):
        body = self.expr(expr.body)
        axes = tuple(k for k, n in enumerate(body.labels) if n in dict(expr.labels))
        repeats = 1.0
        for name, bound in expr.labels:
            if name not in body.labels:
                repeats *= bound
        if expr.operator != "sum":
            return self.aggregate(expr.operator, body, axes, repeats)
        count = np.prod([body.v.shape[k] for k in axes]) * repeats
        labels = tuple(n for n in body.labels if n not in dict(expr.labels))
        v = body.v.sum(axis=axes) * repeats
        m = body.m.sum(axis=axes) * repeats
        e = body.e.sum(axis=axes) * repeats
        if body.scale is None:
            e = e + count * EPS * np.where(np.isfinite(m), m, 0)
        p = body.p.any(axis=axes) | np.isnan(v)
        if count == 0:
            p = p | self.infinite_beside(expr, labels)
        return Value(labels, v, m, e, p, body.scale)

    def formula(self, expr):
        """As in a book. Where infinities make NaN of that, the language says more: there it is poison."""
        x, labels = expr.body, expr.labels
        if expr.operator in ("argmax", "argmin"):
            return self.place(expr)
        if expr.operator == "count":
            return self.expr(Sum(labels, Op("<>", x, Num(0))))
        if expr.operator == "avg":
            return self.expr(Op("/", Sum(labels, x), Num(math.prod(bound for _, bound in labels))))
        if expr.operator == "norm":
            return self.expr(Call("sqrt", [Sum(labels, Op("^", Call("abs", [x]), Num(2)))]))
        most = Sum(labels, x, False, "max")
        powers = Call("exp", [Op("-", x, most)])
        if expr.operator == "logsumexp":
            return self.expr(Op("+", Call("ln", [Sum(labels, powers)]), most))
        return self.expr(Op("/", powers, Sum(labels, powers)))

    def place(self, expr):
        """numpy's argmax; anybody's guess where others are as near as rounding goes."""
        x = self.expr(expr.body)
        ((name, _),) = expr.labels
        axis = x.labels.index(name)
        found = x.v.argmax(axis=axis) if expr.operator == "argmax" else x.v.argmin(axis=axis)
        best = np.expand_dims(found, axis)
        v, e = (np.take_along_axis(np.broadcast_to(a, x.v.shape), best, axis) for a in (x.v, x.e))
        slack = x.e + e
        with np.errstate(invalid="ignore"):
            near = (slack > 0) & ~(abs(x.v - v) > 1000 * slack)
        np.put_along_axis(near, best, False, axis)
        p = (x.p | near | np.isnan(x.v)).any(axis=axis)
        labels = tuple(n for n in x.labels if n != name)
        found = found.astype(float) + first_of_label(expr.body, name)
        return Value(labels, found, found, np.zeros(found.shape), p, 0)

    def infinite_beside(self, expr, labels):
        """A sum of nothing: a part that lacks its labels may be multiplied by 0 instead."""
        summed = dict(expr.labels)
        found = False
        for part in terms(expr.body):
            x = self.expr(part)
            axes = tuple(k for k, n in enumerate(x.labels) if n in summed)
            rest = tuple(n for n in x.labels if n not in summed)
            found = found | aligned((x.p | ~np.isfinite(x.v)).any(axis=axes), rest, labels)
        return found

    def aggregate(self, operator, body, axes, repeats):
        count = np.prod([body.v.shape[k] for k in axes]) * repeats
        labels = tuple(n for k, n in enumerate(body.labels) if k not in axes)
        p = body.p.any(axis=axes)
        e = body.e.max(axis=axes, initial=0.0)
        scale = body.scale
        if operator in ("min", "max"):
            v = body.v.min(axis=axes, initial=np.inf) if operator == "min" else body.v.max(axis=axes, initial=-np.inf)
            m = larger(v, np.where(np.isfinite(body.m), body.m, 0.0).max(axis=axes, initial=0.0))
        elif operator == "prod":
            v = body.v.prod(axis=axes) ** repeats
            m = body.m.prod(axis=axes) ** repeats
            e = (body.m + body.e).prod(axis=axes) ** repeats - m
            # 0 and an infinity, or what may be 0 in another form
            infinite = np.isinf(body.v).any(axis=axes)
            p = p | (infinite & ((abs(body.v) != body.m) | (body.v == 0) | (body.e > 0)).any(axis=axes))
            if scale is None:
                e = e + count * EPS * np.where(np.isfinite(m), m, 0) + 1e-290
            else:
                scale = int(scale * count)
        else:
            true = body.v != 0
            v = (true.any(axis=axes) if operator == "any" else true.all(axis=axes)).astype(float)
            m = v
            p = p | (self.near(body, abs(body.v)).any(axis=axes))
            e = np.zeros(v.shape)
            scale = 0
        return Value(labels, v, m, e, p | np.isnan(v), scale)

    def neg(self, expr):
        x = self.expr(expr.child)
        return Value(x.labels, -x.v, x.m, x.e, x.p, x.scale)

    def op(self, expr):
        labels, (x, y) = spread([self.expr(expr.left), self.expr(expr.right)])
        if expr.symbol in "+-":
            v = x.v + y.v if expr.symbol == "+" else x.v - y.v
            p = x.p | y.p | np.isnan(v)
            return Value(labels, v, x.m + y.m, x.e + y.e, p, both(x.scale, y.scale, max))
        if expr.symbol == "*":
            value = self.product(labels, x, y)
            value.p = value.p | meets_terms(x, y, expr)
            return value
        if expr.symbol == "/":
            return self.quotient(labels, x, y, isinstance(expr.right, Ref) and expr.right.tensor.data is not None)
        if expr.symbol == "^":
            return self.power(labels, x, y)
        return self.comparison(labels, expr.symbol, x, y)

    @staticmethod
    def product(labels, x, y):
        v = x.v * y.v
        p = x.p | y.p | np.isnan(v)
        for one, other in ((x, y), (y, x)):
            # another form multiplies an infinity by what is 0 or cancels
            vague = (other.v == 0) | (other.m != abs(other.v)) | (abs(other.v) <= 1000 * other.e)
            p = p | (np.isinf(one.v) & vague)
        e = times(x.m, y.e) + times(y.m, x.e) + times(x.e, y.e)
        scale = both(x.scale, y.scale, lambda a, b: a + b)
        if scale is None:
            p = p | (np.isinf(v) & np.isfinite(x.v) & np.isfinite(y.v))
        return Value(labels, v, times(x.m, y.m), e, p, scale)

    @staticmethod
    def quotient(labels, x, y, stored):
        zero = y.v == 0
        nothing = np.broadcast_to(x.m == 0, np.broadcast_shapes(x.m.shape, y.m.shape))
        d = np.where(zero, 1.0, y.v)
        v = np.where(zero, np.where(nothing, 0.0, x.v / 0.0), x.v / d)
        m = np.where(zero, np.where(nothing, 0.0, np.inf), x.m / abs(d))
        # what cancels may be 0 or infinite, and a computed 0 may be a -0
        uncertain = (abs(x.v) != x.m) | (x.e > 0) | (y.m != abs(y.v)) | (y.e > 0)
        p = x.p | y.p | np.isnan(v)
        p = p | (zero & ~nothing & uncertain)
        if not stored:
            # the sign of a computed 0 is not compared
            p = p | (zero & ~nothing)
        p = p | ((y.e > 0) & (abs(y.v) <= 1000 * y.e) & ~nothing)
        e = x.e / abs(d) + times(x.m, y.e) / (d * d) * 1.01
        e = np.where(np.isinf(d), 0.0, e)
        scale = None
        # powers of two stay exact
        d = np.where(np.isfinite(d), d, 1.0)
        mantissa = np.frexp(abs(d))[0]
        if x.scale is not None and y.scale is not None and (mantissa == 0.5).all() and (y.e == 0).all():
            scale = max(0, x.scale + int(math.log2(abs(d).max())) if d.size else x.scale)
        return Value(labels, v, m, np.where(zero, 0.0, e), p, scale)

    @staticmethod
    def power(labels, x, y):
        v = raised(x.v, y.v)
        m = raised(x.m, y.v)
        n = float(np.max(abs(y.v), initial=0))
        e = times(n * x.e, np.power(np.maximum(x.m, 1), n)) + times(y.e, abs(v) * abs(np.log(abs(x.v) + 1e-300)))
        p = x.p | y.p | np.isnan(v) | ((x.m != abs(x.v)) & np.isinf(v))
        # a 0 may have either sign, and what is nearly 0 be it
        p = p | ((y.v < 0) & (abs(x.v) <= 1000 * x.e))
        scale = None
        if x.scale is not None and y.scale == 0 and (y.v >= 0).all():
            scale = int(x.scale * n) if np.isfinite(n) else None
        elif x.scale is not None and y.scale == 0 and (np.frexp(abs(x.v))[0] == 0.5).all() and np.isfinite(v).all():
            exponents = np.frexp(abs(v))[1]
            scale = max(0, 1 - int(exponents.min())) if v.size else 0
        m = np.maximum(m, size(v))
        return Value(labels, v, m, e, p, scale)

    @staticmethod
    def comparison(labels, symbol, x, y):
        import operator

        compare = {
            "==": operator.eq, "<>": operator.ne, "!=": operator.ne,
            "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
        }[symbol]  # fmt: skip
        v = compare(x.v, y.v).astype(float)
        slack = x.e + y.e
        p = x.p | y.p | np.isnan(x.v) | np.isnan(y.v) | ~np.isfinite(slack)
        p = p | ((slack > 0) & (abs(x.v - y.v) <= 1000 * slack))
        return Value(labels, v, v, np.zeros(v.shape), p, 0)

    def call(self, expr):
        labels, args = spread([self.expr(a) for a in expr.args])
        p = args[0].p
        for x in args[1:]:
            p = p | x.p
        for x in args:
            p = p | np.isnan(x.v)
        v, m, e, scale, uncertain = getattr(self, "f_" + expr.function)(*args)
        p = p | uncertain | np.isnan(v)
        v, m, e, p = np.broadcast_arrays(v, np.maximum(m, size(v)), e, p)
        return Value(labels, v, m, e, p, scale)

    # functions of complex numbers
    def f_real(self, x):
        return x.v.real, x.m, x.e, x.scale, False

    def f_imag(self, x):
        # of a real number it is 0, whatever that number's magnitude may be
        m = x.m if np.iscomplexobj(x.v) else np.zeros(x.m.shape)
        return x.v.imag, m, x.e, x.scale, False

    def f_conj(self, x):
        return np.conj(x.v), x.m, x.e, x.scale, False

    # functions that keep integers: value, m, error, scale, where it may jump
    @staticmethod
    def near(x, distance):
        return (x.e > 0) & (distance <= 1000 * x.e)

    def f_abs(self, x):
        v = abs(x.v)
        # of a complex number it is mostly a root
        exact = not np.iscomplexobj(x.v) or (v == np.floor(v)).all() and (v * v == x.v.real**2 + x.v.imag**2).all()
        return v, x.m, x.e, x.scale if exact else None, False

    def f_relu(self, x):
        return np.where(x.v > 0, x.v, 0.0), x.m, x.e, x.scale, False

    def f_sign(self, x):
        return np.sign(x.v), abs(np.sign(x.v)), 0 * x.e, 0, self.near(x, abs(x.v))

    def f_floor(self, x):
        return np.floor(x.v), x.m + 1, 0 * x.e, 0, self.near(x, abs(x.v - np.round(x.v)))

    def f_ceil(self, x):
        return np.ceil(x.v), x.m + 1, 0 * x.e, 0, self.near(x, abs(x.v - np.round(x.v)))

    def f_round(self, x):
        half = abs(x.v - 0.5 - np.round(x.v - 0.5))
        return np.round(x.v), x.m + 1, 0 * x.e, 0, self.near(x, half)

    def f_greatest(self, *args):
        return self.extreme(np.maximum, args)

    def f_least(self, *args):
        return self.extreme(np.minimum, args)

    @staticmethod
    def extreme(choose, args):
        v, e, scale = args[0].v, args[0].e, args[0].scale
        for x in args[1:]:
            v, e, scale = choose(v, x.v), e + x.e, both(scale, x.scale, max)
        return v, larger(v, *(x.m for x in args)), e, scale, False

    def f_pow(self, x, y):
        r = self.power(x.labels, x, y)
        return r.v, r.m, r.e, r.scale, r.p

    def f_if(self, c, x, y):
        v = np.where(c.v != 0, x.v, y.v)
        return v, larger(v, x.m, y.m), x.e + y.e, both(x.scale, y.scale, max), self.near(c, abs(c.v))

    # transcendental: no plan is exact
    def smooth(self, x, f, slope):
        v = f(x.v)
        vague = np.isinf(v) & (np.isfinite(x.v) & (x.v != 0) | (x.e > 0))
        return v, abs(v), times(slope * np.ones(x.e.shape), x.e) * 1.01, None, np.isnan(v) | vague

    def f_exp(self, x):
        return self.smooth(x, np.exp, np.exp(x.v + np.minimum(x.e, 1)))

    def f_sqrt(self, x):
        v = np.sqrt(x.v)
        e = np.where(x.e > 0, np.sqrt(abs(x.v) + x.e) - np.sqrt(np.maximum(abs(x.v) - x.e, 0)), 0)
        return v, abs(v), e, None, self.near(x, abs(x.v))

    def f_ln(self, x):
        return self.smooth(x, np.log, 1 / np.maximum(abs(x.v) - x.e, 1e-300))

    def f_sin(self, x):
        return self.smooth(x, np.sin, 1.0)

    def f_cos(self, x):
        v, m, e, scale, p = self.smooth(x, np.cos, 1.0)
        return v, m + 0.1, e, scale, p

    def f_tanh(self, x):
        return self.smooth(x, np.tanh, 1.0)

    def f_sigmoid(self, x):
        v, m, e, scale, p = self.smooth(x, lambda t: 1 / (1 + np.exp(-t)), 1.0)
        # what is left where exp(-t) is more than there are numbers for
        return v, m, e + 1e-300, scale, p


class FillOracle(Oracle):
    """What another has evaluated, where nothing is stored: so its entries are the fills."""

    def __init__(self, other):
        super().__init__(other.limit)
        self.statements = other.statements

    def fills(self, tensor):
        if tensor.data is not None:
            v = np.full(tensor.data.shape, tensor.fill)
            return Value(None, v, size(v), np.zeros(v.shape), np.zeros(v.shape, bool), 0)
        if tensor not in self.results:
            self.statement(self.statements[tensor])
        return self.results[tensor]

    def ref(self, expr):
        whole = self.fills(expr.tensor)
        labels = tuple(dict.fromkeys(expr.labels))
        # all entries are one: of the dimensions with constant indices any index does
        places = getattr(expr, "places", expr.labels)
        index = tuple(slice(None) if not isinstance(p, int) else 0 for p in places)
        parts = [diagonal(a[index], expr.labels) for a in (whole.v, whole.m, whole.e, whole.p)]
        return Value(labels, *parts, whole.scale)

    moved = ref


def evaluate(program, oracle):
    """An oracle's values of all statements, in order."""
    return [oracle.statement(s) for s in program]
