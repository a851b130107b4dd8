"""Random linear algebra, compared with numpy.

    test/cluster test/python test/random/linear_algebra.py [--seed S] [--count N] [--minutes M]

Every value is a matrix here, and what repeats, multiplies and does not conform is
decided by R's rules as written below, with nothing of the extension's. Tensors
have every storage that test/random knows, sparse, empty and with other fills.
Programs run under several plans, rewritings and searches; entries are exact, so
that results are equal. What does not conform is an error of 2202E with a position,
both shapes and a hint. Ends with "N passed, N failed".
"""

import random
import sys
from dataclasses import dataclass

import numpy as np
import psycopg2

from _cases import run_cases
from _session import Failure, value_query
from _storage import storages_sql
from _syntax import Tensor, label_text

BOUNDS = [1, 2, 3, 4]
# of what is exact in every order of computation
MOST = 2.0**26
FINEST = 2.0**12


class Unfit(Exception):
    """A value that is not exact, or depends on the plan."""


class Refusal(Exception):
    """A part of the expression does not conform: the message, and the operands."""


@dataclass
class Value:
    """rows and columns: has a tensor such a dimension? m: of absolute values."""

    v: np.ndarray
    m: np.ndarray
    rows: bool
    columns: bool

    def number(self):
        return not self.rows and not self.columns

    def shape_text(self):
        return "a number" if self.number() else "%d x %d" % self.v.shape


def exact(value):
    """What the following operations may compute with."""
    if not np.isfinite(value.v).all() or (value.m > MOST).any() or (value.v * FINEST % 1 != 0).any():
        raise Unfit
    return value


def stored_value(array, row=False):
    if array.ndim == 2:
        return Value(array, abs(array), True, True)
    if array.ndim == 0:
        return Value(array.reshape(1, 1), abs(array).reshape(1, 1), False, False)
    array = array.reshape((1, -1) if row else (-1, 1))
    return Value(array, abs(array), not row, row)


def conform(name, values):
    """The operands that cover all others: each has their rows or one, their columns or one."""

    def covers(a, b):
        return all(n == k or k == 1 for n, k in zip(a.v.shape, b.v.shape))

    covering = [a for a in values if all(covers(a, b) for b in values)]
    if not covering:
        for i, a in enumerate(values):
            for b in values[i + 1 :]:
                if not covers(a, b) and not covers(b, a):
                    raise Refusal('operands of "%s" do not conform' % name, [a, b])
    return covering


def elementwise(name, f, values, m=None):
    covering = conform(name, values)
    arrays = np.broadcast_arrays(*[x.v for x in values])
    bounds = np.broadcast_arrays(*[x.m for x in values])
    with np.errstate(all="ignore"):
        v = np.array(f(*arrays), float)
        m = np.array(m(*bounds) if m else abs(v), float)
    return Value(v, m, any(x.rows for x in covering), any(x.columns for x in covering))


COMPARISONS = {"==": np.equal, "<>": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
ARITHMETIC = {"+": (np.add, np.add), "-": (np.subtract, np.add), "*": (np.multiply, np.multiply)}
FUNCTIONS = {"abs": np.abs, "relu": lambda v: np.maximum(v, 0), "sign": np.sign, "floor": np.floor}
CHOICES = {"if": lambda c, a, b: np.where(c != 0, a, b), "greatest": np.maximum, "least": np.minimum}
REDUCTIONS = {
    "sum": np.sum, "min": np.min, "max": np.max, "prod": np.prod, "mean": None,
    "rowSums": np.sum, "rowMins": np.min, "rowMaxs": np.max, "rowMeans": None,
    "colSums": np.sum, "colMins": np.min, "colMaxs": np.max, "colMeans": None,
}  # fmt: skip
OTHERS = ["t", "diag", "trace", "nrow", "ncol"]


def reduction(name, x):
    function = REDUCTIONS[name]
    axis = 1 if name.startswith("row") else 0 if name.startswith("col") else None
    count = x.v.size if axis is None else x.v.shape[axis]
    # over nothing
    neutral = {np.min: {"initial": np.inf}, np.max: {"initial": -np.inf}}.get(function, {})
    v = (function or np.sum)(x.v, axis=axis, keepdims=True, **neutral).astype(float)
    # where less than 1 is multiplied, some of the factors may be more
    m = np.prod(np.maximum(x.m, 1), axis=axis, keepdims=True) if function is np.prod else np.sum(x.m, axis=axis, keepdims=True)
    if function is None:
        if count & (count - 1):
            raise Unfit
        v = v / count if count else v
    return Value(v, m, x.rows and axis == 1, x.columns and axis == 0)


def matrix_function(name, x):
    rows, columns = x.v.shape
    if name in REDUCTIONS:
        return reduction(name, x)
    if name == "t":
        return Value(x.v.T, x.m.T, x.columns, x.rows)
    if name in ("nrow", "ncol"):
        count = np.array([[float(rows if name == "nrow" else columns)]])
        return Value(count, count, False, False)
    if name == "trace":
        if rows != columns:
            raise Refusal("trace of what is not square", [x])
        return Value(np.trace(x.v).reshape(1, 1), np.trace(x.m).reshape(1, 1), False, False)
    if x.number() or (rows != columns and 1 not in (rows, columns)):
        raise Refusal("diag of what is neither square nor a vector", [x])
    if rows == columns:
        return Value(np.diag(x.v).reshape(-1, 1), np.diag(x.m).reshape(-1, 1), True, False)
    return Value(np.diag(x.v.ravel()), np.diag(x.m.ravel()), True, True)


def product(x, y):
    left, rows, left_m = x.v, x.rows, x.m
    # a vector is taken as the row that the other side needs
    if x.rows and not x.columns and y.rows and left.shape[0] == y.v.shape[0]:
        left, left_m, rows = left.T, left_m.T, False
    if left.shape[1] != y.v.shape[0]:
        raise Refusal('operands of "%*%" do not conform', [x, y])
    return Value(left @ y.v, left_m @ y.m, rows, y.columns)


class Node:
    """A part of an expression; begins is where its operator or name stands in the program."""

    def __init__(self, kind, name, args=()):
        self.kind = kind  # of "name", "number", "operator", "negate", "function", "matrix"
        self.name = name
        self.args = list(args)

    def value(self, known):
        try:
            return exact(self.computed(known))
        except Refusal as refusal:
            # that of the innermost part stands
            if not hasattr(refusal, "node"):
                refusal.node = self
            raise

    def computed(self, known):
        if self.kind == "name":
            return known[self.name]
        if self.kind == "number":
            v = np.full((1, 1), float(self.name))
            return Value(v, abs(v), False, False)
        args = [a.value(known) for a in self.args]
        if self.kind == "matrix":
            return matrix_function(self.name, args[0])
        if self.name == "%*%":
            return product(*args)
        if self.kind == "negate":
            return elementwise("-", np.negative, args, lambda m: m)
        if self.name in ARITHMETIC:
            f, m = ARITHMETIC[self.name]
            return elementwise(self.name, f, args, m)
        if self.name in COMPARISONS:
            return elementwise(self.name, COMPARISONS[self.name], args, lambda a, b: a + b + 1)
        if self.name == "^":
            return elementwise("^", np.power, args, lambda a, b: np.power(np.maximum(a, 1), np.maximum(b, 1)))
        if self.name == "/":
            return elementwise("/", np.divide, args, lambda a, b: a)
        if self.name in CHOICES:
            return elementwise(self.name, CHOICES[self.name], args, lambda *m: sum(m))
        return elementwise(self.name, FUNCTIONS[self.name], args, lambda m: m)

    def write(self, text, rng):
        """Appends the text."""
        if self.kind in ("name", "number"):
            self.begins = len(text)
            return text + self.name
        if self.kind == "operator":
            text = self.args[0].write(text + "(", rng) + " "
            self.begins = len(text)
            return self.args[1].write(text + self.name + " ", rng) + ")"
        if self.kind == "negate":
            self.begins = len(text) + 1
            return self.args[0].write(text + "(-", rng) + ")"
        self.begins = len(text)
        # case does not matter
        text += rng.choice([self.name] * 8 + [self.name.lower(), self.name.upper()]) + "("
        for n, arg in enumerate(self.args):
            text = arg.write(text + (", " if n else ""), rng)
        return text + ")"

    def names(self):
        yield self.kind if self.kind in ("name", "number", "negate") else self.name
        for arg in self.args:
            yield from arg.names()


class Generator:
    """Random expressions, mostly of a shape that is asked for."""

    def __init__(self, rng):
        self.rng = rng
        self.bounds = rng.sample(BOUNDS, 2) + [1]
        if rng.random() < 0.08:
            self.bounds[0] = 0
        self.tensors = []
        self.known = {}  # name -> Value
        for n in range(rng.choice([3, 4, 5])):
            self.store("abcde"[n])

    def store(self, name):
        rng = self.rng
        bounds = tuple(rng.choice(self.bounds) for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 2])))
        fill = rng.choice([0, 0, 0, 0, 1, -1, 2])
        density = rng.choice([0, 0.2, 0.5, 0.8, 1])
        data = np.full(bounds, float(fill))
        for index in np.ndindex(bounds):
            if rng.random() < density:
                data[index] = rng.randrange(-3, 4)
        self.tensors.append(Tensor(name, bounds, tuple("s%d" % b for b in bounds), data, fill=float(fill)))
        self.known[name] = stored_value(data)

    def leaf(self, shape):
        fitting = [Node("name", n) for n, x in self.known.items() if x.v.shape == shape]
        fitting += [Node("matrix", "t", [Node("name", n)]) for n, x in self.known.items() if x.v.shape == shape[::-1] and shape[0] != shape[1]]
        if fitting and self.rng.random() < 0.95:
            return self.rng.choice(fitting)
        if self.rng.random() < 0.15:
            return Node("name", self.rng.choice(sorted(self.known)))
        return Node("number", self.rng.choice(["0", "1", "2", "3", "0.5"]))

    def expression(self, shape, depth):
        if depth <= 0 or self.rng.random() < 0.1:
            return self.leaf(shape)
        if self.rng.random() < 0.03:
            shape = (self.bound(), self.bound())
        return self.operation(shape, depth - 1)

    def bound(self):
        return self.rng.choice(self.bounds)

    def repeating(self, shape, depth):
        """What repeats for the shape, or has it."""
        rows, columns = shape
        return self.expression(self.rng.choice([shape] * 3 + [(rows, 1), (1, columns), (1, 1)]), depth)

    def operator(self, name, shape, depth):
        args = [self.expression(shape, depth), self.repeating(shape, depth)]
        self.rng.shuffle(args)
        return Node("operator", name, args)

    def operation(self, shape, depth):
        rng = self.rng
        rows, columns = shape
        kinds = ["arithmetic"] * 4 + ["compare", "power", "choose", "divide", "negate", "function", "t"] + ["product"] * 3
        if columns == 1:
            kinds += ["rowSums", "rowMins", "rowMaxs", "rowMeans", "diag"]
        if rows == 1:
            kinds += ["colSums", "colMins", "colMaxs", "colMeans"]
        if rows == columns:
            kinds += ["diag"] * 2
        if rows == columns == 1:
            kinds += ["sum", "min", "max", "prod", "mean", "trace", "trace", "nrow", "ncol"]
        kind = rng.choice(kinds)
        if kind == "arithmetic":
            return self.operator(rng.choice("+-*"), shape, depth)
        if kind == "compare":
            return self.operator(rng.choice(sorted(COMPARISONS)), shape, depth)
        if kind == "divide":
            return Node("operator", "/", [self.expression(shape, depth), Node("number", rng.choice(["2", "4"]))])
        if kind == "power":
            exponent = Node("number", rng.choice("0123"))
            if rng.random() < 0.5:
                exponent = Node("operator", ">", [self.repeating(shape, 0), Node("number", "0")])
            return Node("operator", "^", [self.expression(shape, depth), exponent])
        if kind == "choose":
            name = rng.choice(sorted(CHOICES))
            args = [self.expression(shape, depth)] + [self.repeating(shape, depth) for _ in range(2 if name == "if" else 1)]
            rng.shuffle(args)
            return Node("function", name, args)
        if kind == "negate":
            return Node("negate", "-", [self.expression(shape, depth)])
        if kind == "function":
            return Node("function", rng.choice(sorted(FUNCTIONS)), [self.expression(shape, depth)])
        if kind == "product":
            inner = self.bound()
            return Node("operator", "%*%", [self.expression((rows, inner), depth), self.expression((inner, columns), depth)])
        return Node("matrix", kind, [self.expression(self.argument_shape(kind, rows, columns), depth)])

    def argument_shape(self, kind, rows, columns):
        """Of what the function makes that many rows and columns."""
        if kind == "t":
            return columns, rows
        if kind == "trace":
            return (self.bound(),) * 2
        if kind == "diag" and columns == 1:
            return rows, rows
        if kind == "diag":
            return self.rng.choice([(rows, 1), (1, rows)])
        return rows if kind.startswith("row") else self.bound(), columns if kind.startswith("col") else self.bound()


def dimensions(rng, value):
    """(which of rows and columns the result has labels for, whether these are written)"""
    all_of_them = (value.rows, value.columns)
    longer = tuple(has and b != 1 for has, b in zip(all_of_them, value.v.shape))
    written = rng.choice([None, None, all_of_them, longer])
    return written or (all_of_them if any(longer) else (False, False)), written is not None


def option_sets(rng):
    """The plans that a program runs under, of which pins are on the left side only."""
    return [
        {},
        {"rewrite": "none"},
        rng.choice([{"rewrite": "reassociate"}, {"estimator": "uniform"}, {"estimator": "chain"}]),
        {"search": "greedy"},
        {"search": "as_written"},
        {"alternative": 2},
        {"alternative": rng.choice([3, 5])},
        {"materialize": rng.choice(["never", "always"])},
    ]


class Case:
    def __init__(self, session, seed):
        self.session = session
        self.rng = random.Random(seed)
        self.text = ""
        self.setup = []

    def generate(self):
        """Statements; the last may not conform, and then there is a refusal."""
        rng = self.rng
        self.generator = generator = Generator(rng)
        self.refusal = None
        self.used = set()
        for number in range(rng.choice([1, 1, 1, 2, 3])):
            name = "r%d" % number
            while True:
                node = generator.expression((generator.bound(), generator.bound()), rng.choice([1, 2, 2, 3]))
                try:
                    value = node.value(generator.known)
                except Unfit:
                    continue
                except Refusal as refusal:
                    if rng.random() < 0.8:
                        continue
                    self.refusal = refusal
                break
            self.used.update(node.names())
            self.text += "; " if number else ""
            if self.refusal:
                self.text = node.write(self.text + name + " = ", rng)
                return
            has, written = dimensions(rng, value)
            self.shape = tuple(b for b, h in zip(value.v.shape, has) if h)
            self.last = value.v.reshape(self.shape)
            # k is what a sum would be over
            labels = rng.sample(["i", "j", "k", "k1", "a"], len(self.shape))
            before = len(self.text)
            target = name + ("[%s]" % ",".join(labels) if written else "")
            self.text = node.write(self.text + target + " = ", rng)
            self.pins = (before, before + len(target), name, labels)
            generator.known[name] = stored_value(self.last, has == (False, True))

    def pinned(self):
        """The program with random pins on the left of its last statement."""
        begins, ends, name, labels = self.pins
        pins = [label_text(n, self.rng.choice(["U", "*", None, 2 if b > 2 else None])) for n, b in zip(labels, self.shape)]
        return "%s%s[%s]%s" % (self.text[:begins], name, ",".join(pins), self.text[ends:])

    def run(self):
        self.generate()
        self.setup = storages_sql(self.generator.tensors, self.rng, 0.5, {}, blocks=True)
        self.session.begin(self.setup)
        try:
            if self.refusal:
                return self.check_refusal()
            asked = [(str(o), self.text, o) for o in option_sets(self.rng)]
            asked += [("pinned " + str(o), self.pinned(), o) for o in ({}, {"search": "as_written"}, {"rewrite": "none"})]
            for what, value in self.session.values(asked):
                if value.shape != self.shape:
                    raise Failure("%s: shape %s instead of %s" % (what, value.shape, self.shape))
                if not (value == self.last).all():
                    raise Failure("%s\n  is:     %s\n  should: %s" % (what, value.tolist(), self.last.tolist()))
        finally:
            if not self.session.connection.closed:
                self.session.end()

    def check_refusal(self):
        message, operands = self.refusal.args
        shapes = " and ".join(x.shape_text() for x in operands)
        try:
            self.session.rows(value_query(self.text, {}))
        except psycopg2.Error as error:
            found = error.diag
            told = (error.pgcode, found.message_primary, found.message_detail, int(found.internal_position or 0))
            due = ("2202E", message, ("They are %s." if len(operands) > 1 else "It is %s.") % shapes, self.refusal.node.begins + 1)
            if told != due:
                raise Failure("error %s instead of %s" % (told, due))
            if not found.message_hint:
                raise Failure("no hint: %s" % message)
            return
        raise Failure("no error: %s" % message)


# what has to have occurred for the test to be one
EVERYTHING = {"negate", "number", "%*%", "/", "^"} | set(ARITHMETIC) | set(COMPARISONS) | set(CHOICES) | set(FUNCTIONS) | set(REDUCTIONS) | set(OTHERS)


def main():
    used, refused = set(), set()

    def note(case):
        used.update(case.used)
        if case.refusal:
            refused.add(case.refusal.args[0].split()[0])

    passed, failed, skipped = run_cases(Case, note, 200, 60)
    if passed >= 100 and (EVERYTHING - used or refused != {"operands", "trace", "diag"}):
        print("never occurred: %s; refused were %s" % (sorted(EVERYTHING - used), sorted(refused)))
        failed += 1
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return failed > 0


sys.exit(main())
