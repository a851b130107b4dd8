"""Syntax trees of random programs, and their text.

The trees are the generator's own: the oracle evaluates them and the extension
reads their text, so that neither can hide a misunderstanding of the other.
"""

import datetime
from dataclasses import dataclass, field

import numpy as np


EPOCH = datetime.date(2000, 1, 1)


class Day(int):
    """The first key of a label whose keys are dates, in days."""


def key_at(first, index):
    """A key by its index."""
    return EPOCH + datetime.timedelta(first + index) if isinstance(first, Day) else first + index


def index_of(key, first):
    return ((key - EPOCH).days if isinstance(key, datetime.date) else key) - first


@dataclass(eq=False)
class Tensor:
    """What a program reads or defines: a name, bounds, and (if stored) entries."""

    name: str
    bounds: tuple
    sorts: tuple  # of each dimension: labels of one sort have one bound
    data: np.ndarray = None  # of a stored tensor
    kind: str = "result"
    divisor: bool = False  # all stored entries are powers of two
    fill: float = 0.0
    element: str = "float8"  # type of the elements
    stored_as: str = None  # the kind of storage that it has to have, if any
    moved: bool = False  # read at shifted or constant indices: not stored in blocks
    firsts: tuple = ()  # the first key of each dimension, where they are not all 0
    storages: list = field(default_factory=list)

    def first(self, d):
        return self.firsts[d] if self.firsts else 0

    def bound_text(self, d):
        """The bound of a dimension that is not open, as it is registered."""
        first = self.first(d)
        return "%s..%s" % (key_at(first, 0), key_at(first, self.bounds[d] - 1)) if first else str(self.bounds[d])


@dataclass(eq=False)
class Num:
    value: float


@dataclass(eq=False)
class Ref:
    tensor: Tensor
    labels: tuple  # names


@dataclass(eq=False)
class Moved(Ref):
    """A tensor at shifted or constant indices; labels are those that there are."""

    places: tuple  # of each dimension (name, offset), or a constant

    def text(self, written):
        parts = []
        for d, place in enumerate(self.places):
            if isinstance(place, int):
                parts.append(str(place + self.tensor.first(d)))
            else:
                name, offset = place
                parts.append(written[name] + ("%+d" % offset if offset else ""))
        return ",".join(parts)

    def data(self, data, fill):
        """The array with a dimension for each label, as it is in labels, of one of the tensor."""
        d = 0
        for place in self.places:
            if isinstance(place, int):
                data = data.take(place, axis=d)
                continue
            bound = data.shape[d]
            index = np.arange(bound) + place[1]
            inside = ((index >= 0) & (index < bound)).reshape((-1,) + (1,) * (data.ndim - d - 1))
            data = np.where(inside, data.take(np.clip(index, 0, max(bound - 1, 0)), axis=d), fill) if bound else data
            d += 1
        return data

    def bounds(self):
        return [b for b, place in zip(self.tensor.bounds, self.places) if not isinstance(place, int)]


@dataclass(eq=False)
class Op:
    """An operator of two operands: + - * / ^ and comparisons."""

    symbol: str
    left: object
    right: object


@dataclass(eq=False)
class Neg:
    child: object


@dataclass(eq=False)
class Call:
    function: str
    args: list


@dataclass(eq=False)
class Sum:
    """An aggregate."""

    labels: tuple  # of (name, bound)
    body: object
    implicit: bool = False  # not written: the language adds it
    operator: str = "sum"  # or prod, max, min, any, all


@dataclass(eq=False)
class Formula(Sum):
    """What has a name and is made of aggregates; softmax has the labels of its body."""


@dataclass(eq=False)
class Statement:
    target: Tensor
    labels: tuple  # names on the left
    expr: object
    sorts: dict  # sort of each name, for choosing pins
    algebra: str = None  # as linear algebra, if that is how it is written


COMPARISON, SUM, AGGREGATE, PRODUCT, MINUS, POWER, ATOM = range(1, 8)

BINDING = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "^": POWER}


def children(expr):
    if isinstance(expr, Op):
        return [expr.left, expr.right]
    if isinstance(expr, Neg):
        return [expr.child]
    if isinstance(expr, Call):
        return expr.args
    if isinstance(expr, Sum):
        return [expr.body]
    return []


def walk(expr):
    yield expr
    for child in children(expr):
        yield from walk(child)


def free_labels(expr):
    """The names that an expression does not bind itself."""
    names = set(expr.labels) if isinstance(expr, Ref) else set()
    for child in children(expr):
        names |= free_labels(child)
    if isinstance(expr, Formula) and expr.operator == "softmax":
        return names
    return names - {n for n, _ in expr.labels} if isinstance(expr, Sum) else names


def label_names(statement):
    """All names of labels of a statement, in order of appearance."""
    names = list(statement.labels)
    for node in walk(statement.expr):
        if isinstance(node, Ref):
            names += node.labels
        elif isinstance(node, Sum):
            names += [name for name, _ in node.labels]
    return list(dict.fromkeys(names))


def is_place(expr):
    """Is it an argmax or argmin?"""
    return isinstance(expr, Formula) and expr.operator in ("argmax", "argmin")


def first_of_label(expr, name):
    """The first key of a label that an expression has."""
    for node in walk(expr):
        if isinstance(node, Ref) and name in node.labels:
            kept = [d for d, place in enumerate(node.places) if not isinstance(place, int)] if isinstance(node, Moved) else None
            d = node.labels.index(name)
            return node.tensor.first(kept[d] if kept else d)
    return 0


def not_in_blocks(statement):
    """Names of labels that cannot be split in blocks."""
    return {name for node in walk(statement.expr) if is_place(node) for name, _ in node.labels}


def label_text(name, pin):
    """A label as written with pin "U" (promoted), "*" (demoted), a block size or None."""
    plain = name.replace("_", "").isalnum() and name == name.lower()
    written = name if plain else '"%s"' % name
    if isinstance(pin, int):
        return "%s:%d" % (written, pin)
    if pin == "U":
        return name.upper() if plain else written + ":1"
    if pin == "*":
        return written + ":*"
    return written


def number_text(value):
    if isinstance(value, complex):
        return number_text(value.imag) + "i"
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


class Writer:
    """Writes expressions. left and right are pins by name."""

    def __init__(self, pins=None, rng=None):
        self.pins = pins or {}
        self.rng = rng

    def labels(self, names):
        return ",".join(label_text(n, self.pins.get(n)) for n in names)

    def expr(self, expr, context=COMPARISON):
        text, own = self.bare(expr)
        if own < context or (self.rng and self.rng.random() < 0.05):
            return "(" + text + ")"
        return text

    def bare(self, expr):
        if isinstance(expr, Num):
            if isinstance(expr.value, complex):
                return number_text(expr.value), ATOM
            text = number_text(abs(expr.value))
            return ("-" + text, MINUS) if expr.value < 0 else (text, ATOM)
        if isinstance(expr, Moved):
            return "%s[%s]" % (expr.tensor.name, expr.text({n: self.labels([n]) for n in expr.labels})), ATOM
        if isinstance(expr, Ref):
            return "%s[%s]" % (expr.tensor.name, self.labels(expr.labels)), ATOM
        if isinstance(expr, Neg):
            child = self.expr(expr.child, MINUS + 1)
            # two minus signs in a row begin a comment
            return "-" + (" " if child.startswith("-") else "") + child, MINUS
        if isinstance(expr, Call):
            args = ", ".join(self.expr(a) for a in expr.args)
            return "%s(%s)" % (expr.function, args), ATOM
        if isinstance(expr, Sum):
            if expr.implicit:
                return self.bare(expr.body)
            names = [name for name, _ in expr.labels]
            body = self.expr(expr.body, AGGREGATE)
            if isinstance(expr, Formula) and body.startswith("-"):
                # behind brackets a sign is an operator
                body = "(" + body + ")"
            return "%s[%s] %s" % (expr.operator, self.labels(names), body), AGGREGATE
        own = BINDING.get(expr.symbol, COMPARISON)
        if own == COMPARISON:
            left, right = SUM, SUM
        elif own == POWER:
            left, right = POWER + 1, POWER
        else:
            left, right = own, own + 1
        gap = " " if own <= SUM else ""
        text = self.expr(expr.left, left) + gap + expr.symbol + gap
        child = self.expr(expr.right, right)
        return text + (" " if child.startswith("-") else "") + child, own


def statement_text(statement, left=None, right=None, rng=None):
    if statement.algebra:
        # pins can stand on the left only
        pinned = ",".join(label_text(n, (left or {}).get(n)) for n in statement.labels)
        # without brackets, what has one entry is a number
        alone = all(b == 1 for b in statement.target.bounds)
        written = "[%s]" % pinned if (left or alone) and statement.labels else ""
        return "%s%s = %s" % (statement.target.name, written, statement.algebra)
    target = "%s[%s]" % (
        statement.target.name,
        ",".join(label_text(n, (left or {}).get(n)) for n in statement.labels),
    )
    written = Writer(right, rng).expr(statement.expr)
    for label in {label_text(n, None) for node in walk(statement.expr) for n in getattr(node, "labels", ()) if isinstance(n, str)}:
        # in double quotes, and summed without saying so, it may be meant as a key: an error
        if label.startswith('"') and label not in target:
            written = written.replace(label, label.strip('"').lower().replace(" ", "_"))
    return "%s = %s" % (target, written)


def program_text(program, left=None, right=None, seed=None):
    """Text of a program; left and right are lists of pins, one for each statement."""
    import random

    lines = []
    for n, statement in enumerate(program):
        rng = random.Random(seed * 31 + n) if seed is not None else None
        lines.append(
            statement_text(statement, left and left[n], right and right[n], rng)
        )
    return ";\n".join(lines)
