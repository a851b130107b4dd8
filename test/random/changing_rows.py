#!/usr/bin/env python3
"""Functions and aggregates over rows whose element type and shape change from row to row, against numpy.

Every function of values, and every aggregate over them, is called for the rows of one table, in
several orders: operands of the four element types and numbers, dense, sparse and NULL, of shapes that are broadcast, empty, of rank 0,
or do not fit; other arguments change, too. A row's value must be numpy's for that row alone, of numpy's type, whatever rows came before, and a group's the
fold of these; where numpy refuses, there must be the error that such a row has alone. Each query runs as it is,
with values out of line, with kernels in batches, with joins and aggregates as loop nests, and
with workers. The catalog says which functions take tensors: each is called, or has a reason in NOT_DRAWN.

    test/cluster test/python test/random/changing_rows.py [--count N] [--seed S]
"""
import argparse
import itertools
import random
import re

import numpy as np
import psycopg2
from _functions import DRAWERS, SHAPE, UNDEFINED, Draw, Refusal, each, Function
from einsum_values import NAMES, TYPES, literal, parse

MOST_CASES = 10000  # of kernels and aggregates, among which each occurs

# functions of the catalog that take tensors and that no case calls, each with the reason
NOT_DRAWN = {
    'einsum_path(text,"any")': "is about shapes alone; regress:einsum_path checks its text",
    'einsum_entries(text,double precision,"any")': "takes arrays; random/layouts.py",
    'einsum_keys_unique(text,"any")': "takes keys",
    "sparsevec_of_tensor(tensor)": "returns a text of pgvector; regress:tensor_sparse",
    'einsum_stored_entries(text,text,text[],bigint[],double precision,"any")': "takes arrays; random/layouts.py",
    'einsum_stack_blocks(double precision,double precision,integer,"any")': "takes numbers at places, which are numbers",
    "tensor_to_json(tensor)": "a cast; regress:tensor_cast",
}

PLAIN = {"enable_batching": "off", "enable_aggregate_join": "off"}
BATCHES = {"enable_batching": "force", "enable_aggregate_join": "off"}
NESTS = {"enable_batching": "off", "enable_aggregate_join": "force"}
WORKERS = {
    "min_parallel_table_scan_size": "0", "parallel_setup_cost": "0", "parallel_tuple_cost": "0", "max_parallel_workers_per_gather": "2"}


# ---- what functions mean ----


def is_complex(array):
    return np.iscomplexobj(array)


def real_only(*arrays):
    if any(is_complex(a) for a in arrays):
        raise Refusal(UNDEFINED)


def promoted(arrays):
    return np.result_type(*[a.dtype for a in arrays])


def aligned(equation, arrays):
    """The operands as arrays over all labels, the labels, and which of them the output has."""
    terms, output = equation.split("->")
    labels = sorted(set(terms) - {","})
    extents = {}
    for term, array in zip(terms.split(","), arrays):
        if array.ndim != len(term):
            raise Refusal(SHAPE)
        for label, n in zip(term, array.shape):
            if term.count(label) > 1 and len({m for x, m in zip(term, array.shape) if x == label}) > 1:
                raise Refusal(SHAPE)
            known = extents.get(label, 1)
            if known not in (1, n) and n != 1:
                raise Refusal(SHAPE)
            extents[label] = n if known == 1 else known
    found = []
    for term, array in zip(terms.split(","), arrays):
        once = "".join(dict.fromkeys(term))
        array = np.einsum("%s->%s" % (term, "".join(sorted(once))), array)
        found.append(array.reshape([array.shape[sorted(once).index(x)] if x in once else 1 for x in labels]))
    # one dimension more: to numpy arrays of rank 0 adapt to others
    return [np.broadcast_to(a, [extents[x] for x in labels])[..., None] for a in found], labels, output


def reduced(array, labels, output, how):
    """An array over all labels, and one dimension more, folded to the output's, in that order."""
    array = array[..., 0]
    axes = tuple(n for n, x in enumerate(labels) if x not in output)
    kept = [x for x in labels if x in output]
    with np.errstate(all="ignore"):
        result = {
            "sum": lambda: array.sum(axis=axes, dtype=array.dtype), "prod": lambda: array.prod(axis=axes, dtype=array.dtype),
            "min": lambda: array.min(axis=axes, initial=np.inf), "max": lambda: array.max(axis=axes, initial=-np.inf),
            "any": lambda: (array != 0).any(axis=axes), "all": lambda: (array != 0).all(axis=axes)}[how]()
    return np.asarray(result, dtype=array.dtype).transpose([kept.index(x) for x in output])


def product(equation, arrays, how="sum"):
    """What einsum and its kin make of a row."""
    dtype = promoted(arrays)
    found, labels, output = aligned(equation, [a.astype(dtype) for a in arrays])
    if how not in ("sum", "prod"):
        real_only(np.empty(0, dtype))
    result = found[0]
    for array in found[1:]:
        result = result * array
    return reduced(result, labels, output, how)


def mapped(expression, equation, arrays, how="sum"):
    """What tensor_map and its kin make of a row. Numbers in the expression adapt to the operands."""
    found, labels, output = aligned(equation, arrays)
    with np.errstate(all="ignore"):
        result = EXPRESSIONS[expression](*found)
    if how not in ("sum", "prod"):
        real_only(result)
    return reduced(result, labels, output, how)


def only_real(function):
    def checked(*arrays):
        real_only(*arrays)
        return function(*arrays)

    return checked


def conditional(x, y):
    dtype = np.result_type(x.dtype, y.dtype)
    return np.where(x != 0, x.astype(dtype), y.astype(dtype))


EXPRESSIONS = {
    "$1+1": lambda x: x + 1,
    "$1*0.5-2": lambda x: x * 0.5 - 2,
    "$1/3": lambda x: x / 3,
    "-$1": lambda x: -x,
    "conj($1)": np.conj,
    "real($1)+imag($1)": lambda x: x.real + x.imag,
    "abs($1)": abs,
    "exp($1/4)": lambda x: np.exp(x / 4),
    "floor($1/2)": only_real(lambda x: np.floor(x / 2)),
    "relu($1)": only_real(lambda x: np.maximum(x, 0)),
    "$1*$2": lambda x, y: x * y,
    "$1+$2": lambda x, y: x + y,
    "$1-$2*2": lambda x, y: x - y * 2,
    "if($1,$1,$2)": conditional,
    "greatest($1,$2)": only_real(np.maximum),
    "least($1,$2)+1": only_real(lambda x, y: np.minimum(x, y) + 1),
    "$1*$2+$3": lambda x, y, z: x * y + z,
}


@each(["einsum", "einsum_scalar"])
def changing_equations(draw, name):
    """Calls whose equation changes from row to row."""
    scalar = name.endswith("scalar")

    def row():
        text = draw.rng.choice(["i,i->", "ij,ij->", "ij,ji->", ",->"] if scalar else ["i,i->i", "ij,j->i", "ij,jk->ik", "i,j->ij", "ii,i->i", "ij,ij->"])
        extents = {x: draw.rng.choice([1, 2, 3, 9]) for x in "ijk"}
        return [text] + [draw.array([extents[x] for x in term], draw.mostly_real() if scalar else None) for term in text.split("->")[0].split(",")]

    return Function("%s(x0, x1, x2)" % name, ["text", "tensor", "tensor"], row, lambda text, x, y: number_of(product(text, [x, y])) if scalar else product(text, [x, y]), "number" if scalar else "tensor")


@each(["tensor_map", "tensor_map_scalar"])
def changing_expressions(draw, name):
    """Calls whose expression and equation change from row to row."""
    scalar = name.endswith("scalar")

    def row():
        expression = draw.rng.choice([e for e in EXPRESSIONS if "$3" not in e and "$2" in e])
        text = draw.rng.choice(["i,i->", "ij,ij->", "ij,j->"] if scalar else ["i,i->i", "ij,j->i", "ij,jk->ik", "i,j->ij"])
        extents = {x: draw.rng.choice([1, 2, 3, 9]) for x in "ijk"}
        kinds = draw.real if scalar or "greatest" in expression or "least" in expression else None
        return [expression, text] + [draw.array([extents[x] for x in term], kinds) for term in text.split("->")[0].split(",")]

    return Function("%s(x0, x1, x2, x3)" % name, ["text", "text", "tensor", "tensor"], row,
                    lambda expression, text, x, y: number_of(mapped(expression, text, [x, y])) if scalar else mapped(expression, text, [x, y]), "number" if scalar else "tensor", inexact=4)


def fold(values, how):
    """The values of rows as an aggregate has them."""
    shapes = {v.shape for v in values}
    dtype = promoted(values)
    if how not in ("sum", "prod", "avg"):
        real_only(*values)
    if len(shapes) > 1:
        raise Refusal(SHAPE)
    total = np.stack([v.astype(dtype) for v in values])
    with np.errstate(all="ignore"):
        if how == "any" or how == "all":
            result = getattr(total != 0, how)(axis=0)
        elif how == "avg":
            result = total.sum(axis=0, dtype=np.result_type(dtype, np.float64)) / len(values)
        else:
            result = getattr(total, how)(axis=0)
    return np.asarray(result, dtype=dtype)


def filled(shape, fill, values):
    """An array of this shape for values, which is fill: None, a number or an array of rank 0."""
    dtype = promoted(values + [fill] if isinstance(fill, np.ndarray) else values)
    return np.full(shape, 0 if fill is None else fill, dtype=dtype)


def number_of(value):
    """The result of a scalar function: a number, which is float8."""
    if is_complex(value):
        raise Refusal("42804")
    return np.asarray(value, dtype=np.float64)


# ---- cases ----


class Case:
    """Rows, a call over their columns, and what it is for each row and for all."""

    def __init__(self, rng, drawer=None):
        self.rng = rng
        self.rows = []
        self.fold = None  # how rows are folded, if the call is an aggregate
        self.number = False  # the result is float8
        self.text = False  # it is compared as text
        self.inner = False  # it is of sums of what may be no integers
        self.inexact = 1.0  # how much more than usual results may differ
        self.drawn = bool(drawer)
        self.optional = ()  # operands that may be NULL without the result being NULL
        if drawer:
            self.function(drawer(Draw(rng)))
        else:
            self.draw()
        self.change_formats()

    def function(self, function):
        """a call of one function that is no aggregate"""
        self.rows = [function.row() for _ in range(self.rng.choice([3, 4, 6]))]
        self.scalars = [None if t == "tensor" else t for t in function.types]
        self.call = function.call
        self.of_row = lambda row: function.of_row(*row)
        self.number, self.text = function.result == "number", function.result == "text"
        self.inexact = function.inexact
        if not function.strict:
            self.optional = [n for n, t in enumerate(function.types) if t != "tensor"]

    def change_formats(self):
        """Makes some operands NULL, and others sparse."""
        rng = self.rng
        share = rng.choice([0, 0, 0.1, 0.3])
        self.rows = [[None if n not in self.optional and rng.random() < share / len(row) else x for n, x in enumerate(row)] for row in self.rows]
        share = rng.choice([0, 0.3, 0.6])
        self.sparse = {(r, n) for r, row in enumerate(self.rows) for n, x in enumerate(row) if rng.random() < share}

    def is_null(self, n):
        return any(x is None and k not in self.optional for k, x in enumerate(self.rows[n]))

    def draw(self):
        rng = self.rng
        getattr(self, rng.choice(["einsum", "einsum", "map", "map", "map", "values", "values", "operators", "stack", "blocks", "unstack", "covar", "places", "named"]))()

    def extents(self, letters):
        return {x: self.rng.choice([1, 2, 2, 3, 3, 4]) for x in letters}

    def array(self, shape, kinds=tuple(TYPES)):
        rng = self.rng
        dtype = TYPES[rng.choice(kinds)]
        count = int(np.prod(shape, dtype=int))
        numbers = [rng.randint(-3, 3) for _ in range(count)]
        if np.issubdtype(dtype, np.complexfloating):
            numbers = [complex(x, rng.randint(-2, 2)) for x in numbers]
        return np.array(numbers, dtype=dtype).reshape(shape)

    def fill_rows(self, terms, scalars, extents):
        """Operands for every row: of changing types, and as a mode wants it of changing shapes."""
        rng = self.rng
        mode = rng.choice(["types", "types", "types", "broadcast", "broadcast", "any"])
        # batches are of rows that have some operands in common
        same = rng.choice([None, rng.randrange(len(terms))]) if len(terms) > 1 else None
        kinds = rng.choice([tuple(TYPES), tuple(TYPES), ("float4", "float8"), ("complex8", "float8"), ("float4", "complex16")])
        if rng.random() < 0.3:
            # long enough to be out of line, and for products of matrices
            extents = {x: rng.choice([8, 17, 40]) for x in extents}
        for _ in range(rng.choice([2, 3, 3, 4, 5, 6, 12])):
            here = dict(extents)
            if mode == "any":
                here = {x: rng.choice([n, n, n, 1, 0, n + 1]) for x, n in extents.items()}
            row = []
            for term, scalar in zip(terms, scalars):
                shape = [here[x] for x in term]
                if mode != "types" and rng.random() < 0.3:
                    shape = [1 if rng.random() < 0.5 and term.count(x) == 1 else n for x, n in zip(term, shape)]
                if mode == "any" and rng.random() < 0.05:
                    shape = rng.choice([[], shape[:-1], shape + [2]])
                if scalar:
                    row.append(np.array(rng.randint(-3, 3), dtype=np.float32 if scalar == "real" else np.float64))
                else:
                    row.append(self.array(shape, kinds))
            if self.rows and same is not None:
                row[same] = self.rows[0][same]
            self.rows.append(row)
        self.scalars = scalars

    def operands(self, terms):
        """SQL types of the operands that are numbers; None of tensors."""
        scalars = [self.rng.choice(["real", "float8", "int"]) if t == "" and self.rng.random() < 0.7 else None for t in terms]
        if all(scalars):
            scalars[0] = None
        return scalars

    def columns(self):
        return ", ".join("x%d" % n for n in range(len(self.scalars)))

    def equation(self, choices):
        text = self.rng.choice(choices)
        terms = text.split("->")[0].split(",")
        self.fill_rows(terms, self.operands(terms), self.extents(set(text) - set(",->")))
        return text, terms

    def einsum(self):
        rng = self.rng
        text, _ = self.equation(["i->i", "i,i->i", "i,->i", ",i->i", "ij->ji", "ij,j->i", "i,ij->j", "ij,jk->ik", "i,j->ij", "i,j->ji", ",i,j->ij", "i,i->", "ij,ij->", "->", ",->", "ii->i", "i,i,i->i", "ij,jk,k->i", "ij,j,->i"])
        self.fold = rng.choice([None, "sum", "sum", "sum", "min", "max", "any", "all"])
        self.number = text.endswith("->") and rng.random() < 0.5
        how = self.fold or "sum"
        name = ("einsum_%s" % self.fold if self.fold else "einsum") + ("_scalar" if self.number else "")
        # what 0.2.0 had in views
        name = ("sparseeinsum_internal." if how == "sum" and rng.random() < 0.3 else "") + name
        self.call = "%s('%s', %s)" % (name, text, self.columns())
        self.of_row = lambda row: product(text, row, how)

    def map(self):
        rng = self.rng
        count = rng.choice([1, 1, 2, 2, 3])
        text, _ = self.equation({
            1: ["i->i", "i->i", "ij->ij", "ij->i", "i->", "->", "ii->i"],
            2: ["i,i->i", "i,i->i", "i,->i", "ij,j->ij", "ij,j->i", "i,j->ij", "i,i->", ",->"],
            3: ["i,i,i->i", "i,,i->i", "ij,j,->ij", "i,i,->"]}[count])
        expression = rng.choice([e for e in EXPRESSIONS if "$%d" % count in e and "$%d" % (count + 1) not in e])
        self.fold = rng.choice([None, "sum", "sum", "sum", "prod", "min", "max"])
        self.inner = any(x not in text.split("->")[1] for x in text.split("->")[0])
        self.number = text.endswith("->") and rng.random() < 0.5
        how = self.fold or "sum"
        name = ("tensor_map_%s" % self.fold if self.fold else "tensor_map") + ("_scalar" if self.number else "")
        name = ("sparseeinsum_internal." if rng.random() < 0.3 else "") + name
        self.call = "%s('%s', '%s', %s)" % (name, expression, text, self.columns())
        self.of_row = lambda row: mapped(expression, text, row, how)

    def values(self):
        """aggregates of values as they are"""
        self.fold = self.rng.choice(["sum", "sum", "avg", "prod", "min", "max", "any", "all"])
        term = self.rng.choice(["", "i", "i", "ij", "ijk"])
        self.fill_rows([term], [None], self.extents(term))
        short = self.fold in ("sum", "avg", "min", "max") and self.rng.random() < 0.5
        self.call = "%s%s(x0)" % ("" if short else "tensor_", self.fold)
        self.of_row = lambda row: row[0]

    def operators(self):
        rng = self.rng
        a, b = rng.choice([("i", "i"), ("ij", "j"), ("", "i"), ("ij", "ij"), ("i", "")])
        self.fill_rows([a, b], [None, None], self.extents("ij"))
        symbol = rng.choice("+-*")

        def of_row(row):
            try:
                return {"+": np.add, "-": np.subtract, "*": np.multiply}[symbol](*[x.astype(promoted(row)) for x in row], dtype=promoted(row))
            except ValueError:
                raise Refusal(SHAPE) from None

        self.call = "x0 %s x1" % symbol
        self.of_row = of_row

    def named(self):
        """products that do not broadcast"""
        name, text = self.rng.choice([("mat_mult", "ij,jk->ik"), ("vec_mat_mult", "i,ij->j"), ("mat_vec_mult", "ij,j->i"), ("outer_prod", "i,j->ij"), ("inner_prod", "i,i->")])
        terms = text.split("->")[0].split(",")
        self.fill_rows(terms, [None, None], self.extents("ijk"))
        self.number = name == "inner_prod"
        self.call = "%s(x0, x1)" % name

        def of_row(row):
            if any(len(t) != x.ndim for t, x in zip(terms, row)):
                raise Refusal(SHAPE)
            extents = {}
            for label, n in zip("".join(terms), row[0].shape + row[1].shape):
                if extents.setdefault(label, n) != n:
                    raise Refusal(SHAPE)
            return product(text, row)

        self.of_row = of_row

    def stack(self):
        """values at their numbers along a new dimension, with a fill that is a number, or a tensor, whose type counts as the values' do"""
        rng = self.rng
        term = rng.choice(["", "i", "ij"])
        self.fill_rows([term], [None], self.extents(term))
        dimension = rng.randint(0, len(term))
        bound = len(self.rows) + rng.randint(0, 2)
        fill = self.random_fill()
        if isinstance(fill, np.ndarray):
            self.call = "einsum_stack(x0, n, %d, %d, '%s'::tensor)" % (dimension, bound, literal(fill))
        else:
            self.call = "stack(x0, n, %d, %d%s)" % (dimension, bound, "" if fill is None else ", %g" % fill)
        self.fold = "stack"

        def whole(rows, order):
            values = [row[0] for row in rows]
            if any(dimension > v.ndim for v in values) or len({v.shape for v in values}) > 1:
                raise Refusal(SHAPE)
            result = filled((bound,) + values[0].shape, fill, values)
            result[order] = np.stack([v.astype(result.dtype) for v in values])
            return np.moveaxis(result, 0, dimension)

        self.of_row = lambda row: row[0]
        self.whole = whole

    def blocks(self):
        """values side by side along one dimension of a tensor, which they have or which is new; the result is a vector"""
        rng = self.rng
        rank = rng.choice([1, 2, 2, 3])
        along = rng.randrange(rank)
        added = rng.random() < 0.5
        term = "ijk"[: rank - added]
        extents = self.extents(term)
        self.fill_rows([term], [None], extents)
        fill = self.random_fill()
        fill = 0 if fill is None else fill
        # the place of a value does not depend on its shape: what does not fit, or lies on another, is refused
        block = 1 if added else max(row[0].shape[along] if row[0].ndim > along else 1 for row in self.rows)
        kept = [n for d, n in enumerate(next((row[0].shape for row in self.rows if row[0].ndim == len(term)), [extents[x] for x in term])) if added or d != along]
        bounds = kept[:along] + [block * len(self.rows) + rng.randint(0, 2)] + kept[along:]
        places = ["%s, %d" % ("n * %d" % block if d == along else "0", n) for d, n in enumerate(bounds)]
        written = "'%s'::tensor" % literal(fill) if isinstance(fill, np.ndarray) else "%g" % fill
        self.call = "einsum_stack_blocks(x0, %s, %d, %s)" % (written, added << along, ", ".join(places))
        self.fold = "stack"

        def whole(rows, order):
            values = [row[0] for row in rows]
            result = filled(bounds, fill, values)
            for n, value in zip(order, values):
                if value.ndim != len(term):
                    raise Refusal(SHAPE)
                value = np.expand_dims(value, along) if added else value
                if any(m > bound for d, (m, bound) in enumerate(zip(value.shape, bounds)) if d != along) or n * block + value.shape[along] > bounds[along]:
                    raise Refusal(SHAPE)
                result[tuple(slice(n * block, n * block + m) if d == along else slice(m) for d, m in enumerate(value.shape))] = value
            return result.reshape(-1)

        self.of_row = lambda row: row[0]
        self.whole = whole

    def random_fill(self):
        """None, a number, or an array of rank 0"""
        return self.rng.choice([None, 0, 2, 0.1, self.array([]), self.array([])])

    def unstack(self):
        """the slices of a value, put together again: what it was, of its type; 7 is no element, so none is left out"""
        term = self.rng.choice(["i", "ij", "ijk"])
        self.fill_rows([term], [None], self.extents(term))
        self.call = "(SELECT coalesce(stack(value, index, 0, (tensor_shape(x0))[1]), x0) FROM einsum_unstack(x0, 0, 7) AS u(index, value))"

        def of_row(row):
            if row[0].ndim == 0:
                raise Refusal("2202E")
            return row[0]

        self.of_row = of_row

    def covar(self):
        self.fill_rows(["i"], [None], self.extents("i"))
        self.call = "(tensor_covar(x0)).%s" % self.rng.choice(["mean", "comoment"])
        field = self.call.rpartition(".")[2]
        self.fold = "covar"

        def of_row(row):
            real_only(row[0])
            if row[0].ndim != 1:
                raise Refusal(SHAPE)
            return row[0]

        def whole(rows, order):
            values = [of_row(row) for row in rows]
            if len({v.shape for v in values}) > 1:
                raise Refusal(SHAPE)
            matrix = np.stack([v.astype(np.float64) for v in values])
            if field == "mean":
                return matrix.mean(axis=0)
            centred = matrix - matrix.mean(axis=0)
            return centred.T @ centred

        self.of_row = of_row
        self.whole = whole

    def places(self):
        """where the largest and the smallest of each element are, among as many keys as there are rows"""
        largest = self.rng.random() < 0.5
        term = self.rng.choice(["", "i", "ij"])
        self.fill_rows([term], [None], self.extents(term))
        self.call = "einsum_arg%s(x0, n, %d, 0)" % ("max" if largest else "min", len(self.rows))
        self.fold = "places"

        def whole(rows, order):
            values = [row[0] for row in rows]
            real_only(*values)
            if len({v.shape for v in values}) > 1:
                raise Refusal(SHAPE)
            # of equal ones the first key has it
            keys = sorted(order)
            stacked = np.stack([values[order.index(n)].astype(np.float64) for n in keys])
            return np.take(np.asarray(keys, dtype=np.float64), (stacked.argmax if largest else stacked.argmin)(axis=0))

        self.of_row = lambda row: row[0]
        self.whole = whole

    def single(self):
        """Are numbers added up or multiplied in float4, within a row or of several rows that follow each other?"""
        if self.fold == "stack":
            return False
        rows = [row for n, row in enumerate(self.rows) if not self.is_null(n)]
        arrays = [x for row in rows for x in row if isinstance(x, np.ndarray)]
        if not self.fold and (self.number or not self.inner):
            # distances and norms of float4 are float8, to the digits of float4
            return self.inexact > 1 and any(x.dtype in (np.float32, np.complex64) for x in arrays)
        return any(x.dtype in (np.float32, np.complex64) for x in arrays) and (self.inner or (self.fold and sum(promoted(row) in (np.float32, np.complex64) for row in rows) > 1))

    def agrees(self, found, expected):
        return all(same(f, e, len(self.rows) * self.inexact, self.single()) for f, e in zip(found, expected))

    def shown(self, order):
        """The rows in this order, for a message."""
        return [[(("sparse " if (n, k) in self.sparse else "") + literal(x)[:200]) if isinstance(x, np.ndarray) else x for k, x in enumerate(self.rows[n])] for n in order]

    def expected_of_row(self, n):
        if self.is_null(n):
            return None
        try:
            value = self.of_row(self.rows[n])
            return number_of(value) if self.number else value
        except Refusal as refusal:
            return refusal

    def expected(self, order):
        """The result over these rows: an array, or the errors of which one must be raised."""
        order = [n for n in order if not self.is_null(n)]
        if not order:
            return None
        rows = [self.rows[n] for n in order]
        single = [self.expected_of_row(n) for n in order]
        codes = {v.code for v in single if isinstance(v, Refusal)}
        if hasattr(self, "whole"):
            if not codes:
                try:
                    return np.asarray(self.whole(rows, order))
                except Refusal as refusal:
                    codes = {refusal.code}
            shapes = {row[0].shape for row in rows}
            return codes | ({SHAPE} if len(shapes) > 1 else set()) | ({UNDEFINED} if any(is_complex(row[0]) for row in rows) and self.fold != "stack" else set())
        if codes:
            # or what rows before it raise together
            return codes | ({SHAPE} if len({v.shape for v in single if not isinstance(v, Refusal)}) > 1 else set())
        try:
            return fold(single, self.fold)
        except Refusal as refusal:
            differ = len({v.shape for v in single}) > 1
            return {refusal.code} | ({SHAPE} if differ else set())


# ---- asking the server ----


def same(found, expected, parts, single):
    """Equal, but for the last digits of what is no integer: single, of what is added up in float4."""
    if expected is None or isinstance(expected, (str, int)):
        return found == (None if expected is None else str(expected))
    if found is None or found.dtype != expected.dtype or found.shape != expected.shape:
        return False
    single = single or found.dtype in (np.float32, np.complex64)
    scale = max(1.0, float(abs(expected[np.isfinite(expected)]).max(initial=0.0)))
    tolerance = (2e-6 if single else 4e-15) * scale * parts
    return bool(np.allclose(found, expected, rtol=0, atol=tolerance, equal_nan=True))


class Server:
    def __init__(self):
        self.connection = psycopg2.connect("")
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()
        self.cursor.execute("CREATE EXTENSION IF NOT EXISTS sparseeinsum")
        self.cursor.execute("SET client_min_messages = warning")
        # aggregates of programs, as einsum_argmax, are not in the extension's schema
        self.cursor.execute("SET search_path = public, sparseeinsum_internal")

    def run(self, sql):
        self.cursor.execute(sql)

    def set(self, settings):
        for name, value in settings.items():
            self.run("SET %s%s = '%s'" % ("sparseeinsum." if name.startswith("enable_") else "", name, value))

    def reset(self, settings):
        for name in settings:
            self.run("RESET %s%s" % ("sparseeinsum." if name.startswith("enable_") else "", name))

    def results(self, query, case):
        """Its rows, parsed, or the SQLSTATE."""
        columns = "t::text, NULL, NULL" if case.number or case.text else "tensor_dense(t)::text, tensor_type(t), tensor_shape(t)"
        try:
            self.cursor.execute("SELECT %s FROM (%s) q(t)" % (columns, query))
        except psycopg2.Error as error:
            return "%s" % (error.pgcode or error)
        found = []
        for text, kind, shape in self.cursor.fetchall():
            if text is None or case.text:
                found.append(text)
            elif case.number:
                found.append(np.asarray(float(text)))
            else:
                found.append(parse(kind, shape, text))
        return found


def written(x, kind, sparse):
    """An operand in SQL."""
    if x is None:
        return "NULL"
    if kind is None:
        fill = x.reshape(-1)[0].real if x.size and sparse else 0
        return "tensor_sparse('%s', %g)" % (literal(x), fill) if sparse else "'%s'" % literal(x)
    return "'%s'" % x if kind in ("text", "bool") else "%g" % x


def create(server, case, order, spread):
    """The table of a case, its rows stored in this order; spread: each on a page of its own, its values out of line."""
    columns = ["x%d %s" % (n, s or "tensor") for n, s in enumerate(case.scalars)]
    server.run("DROP TABLE IF EXISTS changing")
    server.run("CREATE TABLE changing (o int, n int, g int, %s, filler text)" % ", ".join(columns))
    if spread:
        server.run("ALTER TABLE changing SET (toast_tuple_target = 128)")
        server.run("ALTER TABLE changing ALTER filler SET STORAGE plain")
    rows = []
    for place, n in enumerate(order):
        values = [written(x, s, (n, k) in case.sparse) for k, (x, s) in enumerate(zip(case.rows[n], case.scalars))]
        rows.append("(%d, %d, 0, %s, %s)" % (place, n, ", ".join(values), "repeat('f', 5000)" if spread else "NULL"))
    server.run("INSERT INTO changing VALUES %s" % ", ".join(rows))


def orders(rng, case):
    """Some orders of the rows: by type, the other way, and any."""
    count = len(case.rows)
    ranked = sorted(range(count), key=lambda n: [list(NAMES).index(x.dtype) for x in case.rows[n] if isinstance(x, np.ndarray)])
    found = [ranked, ranked[::-1], rng.sample(range(count), count)]
    if count <= 3 and case.fold:
        found = [list(p) for p in itertools.permutations(range(count))]
    return [o for n, o in enumerate(found) if o not in found[:n]]


def check(server, case, order, what, query, complain):
    """Compares the query's results with numpy's. Returns whether they agree."""
    if case.fold is None:
        expected = [case.expected_of_row(n) for n in order]
        codes = {v.code for v in expected if isinstance(v, Refusal)}
        answer = codes or expected
    else:
        answer = case.expected(order)
        answer = answer if isinstance(answer, set) else [answer]
    found = server.results(query, case)
    if isinstance(answer, set):
        good = isinstance(found, str) and found in answer
    else:
        good = not isinstance(found, str) and len(found) == len(answer) and case.agrees(found, answer)
    if not good:
        complain("%s: %s\n  rows: %s\n  expected %r\n  found    %r" % (what, query, case.shown(order), answer, found))
    return good


def forms(case, order):
    """Queries of a case over its rows in this order: (name, SQL, settings)."""
    call = case.call
    if case.drawn:
        # their table is made once
        place = "array_position('{%s}', n)" % ",".join(str(n) for n in order)
        rows = "SELECT %s FROM (SELECT * FROM changing ORDER BY %s) s" % (call, place)
        joined = "SELECT %s FROM (SELECT r.* FROM changing r JOIN changing s USING (n) ORDER BY %s) s" % (call, place)
        return [("rows", rows, PLAIN), ("joined batches", joined, BATCHES)]
    if case.fold is None:
        rows = "SELECT %s FROM (SELECT * FROM changing ORDER BY o) s" % call
        joined = "SELECT %s FROM (SELECT r.* FROM changing r JOIN changing s ON s.n = r.n ORDER BY r.o) s" % call
        return [("rows", rows, PLAIN), ("joined", joined, PLAIN), ("batches", rows, BATCHES), ("joined batches", joined, BATCHES)]
    whole = "SELECT %s FROM changing" % call
    ordered = "SELECT %s FROM (SELECT * FROM changing ORDER BY o) s" % call
    grouped = "SELECT %s FROM changing GROUP BY g" % call
    joined = "SELECT %s FROM changing r JOIN (SELECT n, g AS h FROM changing) s USING (n) GROUP BY s.h" % call
    return [("whole", whole, PLAIN), ("ordered", ordered, PLAIN), ("grouped", grouped, PLAIN), ("joined", joined, PLAIN), ("batches", grouped, BATCHES),
            ("nest", joined, NESTS), ("nest of one", grouped, NESTS)]


def check_prefixes(server, case, order, complain):
    """An aggregate as a window function: what it is for the rows up to each."""
    expected = [case.expected(order[: n + 1]) for n in range(len(order))]
    if any(isinstance(e, set) for e in expected):
        return
    query = "SELECT %s OVER (ORDER BY o) FROM changing ORDER BY o" % case.call
    found = server.results(query, case)
    if isinstance(found, str) or len(found) != len(expected) or not case.agrees(found, expected):
        complain("window: %s\n  rows: %s\n  expected %r\n  found    %r" % (query, case.shown(order), expected, found))


# the functions of the extension that take tensors, or operands of any type, by their signatures
TAKING_TENSORS = """
    SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
    JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
    WHERE e.extname = 'sparseeinsum' AND NOT EXISTS (SELECT FROM pg_aggregate a WHERE p.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn))
    AND ('tensor'::regtype = ANY (p.proargtypes) OR 'tensor[]'::regtype = ANY (p.proargtypes) OR p.provariadic = '"any"'::regtype)"""

# those that a view calls, by its dependencies on functions and operators
CALLED = """
    SELECT DISTINCT coalesce(o.oprcode::oid, d.refobjid)::regprocedure::text FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
    LEFT JOIN pg_operator o ON d.refclassid = 'pg_operator'::regclass AND d.refobjid = o.oid
    WHERE r.ev_class = 'calling'::regclass AND d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass)"""


def called(server, case):
    """The functions that the call of a case names."""
    server.run("CREATE TEMP VIEW calling AS SELECT (%s)::text FROM changing" % case.call)
    server.cursor.execute(CALLED)
    found = {name for (name,) in server.cursor.fetchall()}
    server.run("DROP VIEW calling")
    return found


def taking_tensors(server):
    server.cursor.execute(TAKING_TENSORS)
    return {name for (name,) in server.cursor.fetchall()}


class Run:
    """The cases of a seed, and what became of them."""

    def __init__(self, server, seed):
        self.server, self.seed = server, seed
        self.passed = self.failed = self.refused = self.nests = 0
        self.drawn = set()  # functions
        self.forms = set()  # of calls, whose functions are among them

    def case(self, number, drawer=None, needed=True):
        """Runs a case, which unless needed must call a function that no other has called."""
        rng = random.Random(self.seed * 1_000_003 + number)
        case = Case(rng, drawer)
        form = (re.sub(r"'[^']*'|\b\d+\b", "", case.call), *case.scalars)
        if not needed and form in self.forms:
            return
        spread = rng.random() < 0.25
        ordered = orders(rng, case)
        create(self.server, case, ordered[0], spread)
        functions = set() if form in self.forms else called(self.server, case)
        self.forms.add(form)
        if not needed and functions <= self.drawn:
            return
        self.drawn |= functions
        complaints = []
        for order in ordered:
            if order is not ordered[0] and not case.drawn:
                create(self.server, case, order, spread)
            self.ask(case, order, spread, complaints.append)
        if not complaints:
            self.passed += 1
            return
        self.failed += 1
        if self.failed <= 20:
            print("case %d: %s" % (number, complaints[0]))

    def ask(self, case, order, spread, complain):
        """All queries over the rows of a case in one order."""
        server = self.server
        self.refused += isinstance(case.expected(order), set) if case.fold else 0
        for what, query, settings in forms(case, order):
            server.set(settings)
            good = check(server, case, order, what, query, complain)
            if settings is NESTS and good:
                server.cursor.execute("EXPLAIN (COSTS off) " + query)
                self.nests += any("AggregateJoin" in line for (line,) in server.cursor.fetchall())
        if spread:
            server.set(PLAIN | WORKERS)
            check(server, case, order, "workers", forms(case, order)[0][1], complain)
            server.reset(WORKERS)
        if case.fold in ("sum", "prod", "min", "max", "avg", "stack"):
            server.set(PLAIN)
            check_prefixes(server, case, order, complain)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=60, help="cases of kernels and aggregates; each function has one more")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    run = Run(Server(), arguments.seed)
    for number in range(arguments.count):
        run.case(number)
    for number, drawer in enumerate(DRAWERS):
        run.case(MOST_CASES + number, drawer)
    known = taking_tensors(run.server)
    for number in range(arguments.count, MOST_CASES):
        if known <= run.drawn | set(NOT_DRAWN):
            break
        run.case(number, needed=False)
    for name in sorted(known - run.drawn - set(NOT_DRAWN)):
        print("%s takes tensors, and no case calls it" % name)
        run.failed += 1
    for name in sorted(set(NOT_DRAWN) - (known - run.drawn)):
        print("%s is called, or is no function that takes tensors, and is in NOT_DRAWN" % name)
        run.failed += 1
    print("changing_rows: %d functions, %d orders refused, %d by loop nests" % (len(run.drawn), run.refused, run.nests))
    if run.nests == 0:
        print("no query was computed by a loop nest")
        run.failed += 1
    print("%d passed, %d failed" % (run.passed, run.failed))
    raise SystemExit(run.failed > 0)


if __name__ == "__main__":
    main()
