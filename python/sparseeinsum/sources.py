"""What store() takes, as columns of keys and values."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol
from uuid import UUID

import numpy as np

from .copying import Column, ListColumn
from .tensor import Array, as_elements

LETTERS = "ijklmnopqrstuvwx"
Bounds = list[int | None]


@dataclass
class Stored:
    """A table: its key columns, the values by column name (without one a row means 1), each label's bound (None: open)."""

    keys: list[Column]
    values: dict[str, Column | ListColumn]
    bounds: Bounds
    layout: str | None = None


@dataclass
class Entries:
    """The entries of a matrix in row-major order, each of them once: where those of each row begin, and all end, and of each
    its column and its number."""

    starts: Array
    columns: Array
    elements: Array
    shape: tuple[int, int]


class Source(Protocol):
    # the value columns, unless the caller names others
    value: str | Sequence[str] | None

    def default_labels(self) -> list[str]:
        """The labels of a tensor of which only the name is given."""
        ...

    def default_layout(self) -> str:
        """The layout of a tensor whose labels are all in one case, unless the caller names another one."""
        ...

    def table(self, promoted: Sequence[int], keys: Sequence[str], rank: int, fill: float) -> Stored:
        """The table of a tensor of this rank, with a key column for each of the promoted labels.

        Raises ValueError where the data has not that many dimensions.
        """
        ...

    def entries(self, fill: float) -> Entries:
        """The entries of a matrix that are not fill.

        Raises ValueError for what has not two dimensions, TypeError for what has keys of its own.
        """
        ...


@dataclass
class Data:
    """A column of a frame: its values, and which rows have none; utc for times with a zone, here those of UTC."""

    values: Array
    absent: Array | None = None
    utc: bool = False

    def of(self, rows: Array | None) -> Data:
        return self if rows is None else Data(self.values[rows], None, self.utc)


def number_column(values: Array) -> Column:
    """Values of rank 0: a column of numbers, or of tensors if they are complex."""
    values = as_elements(values)
    name = {"f": "float4", "d": "float8"}.get(values.dtype.char, "tensor")
    return Column(name, values)


def value_column(name: str, values: Array) -> Column:
    """The values of a frame's column: numbers, or arrays of one shape.

    Raises TypeError for what is no number, ValueError where the shapes differ.
    """
    if values.dtype == object and len(values):
        if all(isinstance(each, np.ndarray | list | tuple) for each in values):
            values = np.stack([as_elements(each) for each in values])
        else:
            # Decimal is a number, though it does not say that it is real
            for each in values:
                if not isinstance(each, Real | np.bool_) and not hasattr(each, "as_tuple"):
                    raise TypeError(f"column {name!r} has {each!r}, which is no number")
            if all(isinstance(each, int | np.integer) for each in values):
                values = np.array([int(each) for each in values])
            else:
                values = values.astype(np.float64)
    if values.ndim > 1:
        return Column("tensor", as_elements(values))
    return number_column(values)


def time_column(values: Array, utc: bool) -> Column:
    """Keys that are times, in microseconds, or days. Raises ValueError where microseconds would round."""
    unit = np.datetime_data(values.dtype)[0]
    if unit in ("D", "W", "M", "Y"):
        return Column("date", values.astype("M8[D]"))
    exact = values.astype("M8[us]")
    if unit in ("ns", "ps", "fs", "as") and (exact.astype(values.dtype) != values).any():
        raise ValueError("PostgreSQL keeps times in microseconds, and these keys are finer")
    return Column("timestamptz" if utc else "timestamp", exact)


def key_column(data: Data, bound: int | None) -> Column:
    """A column of keys: integers, as narrow as bound and values allow, texts, UUIDs, dates or times.

    Raises TypeError for anything else, ValueError for integers of more than 63 bits and times that would be rounded.
    """
    values = data.values
    if values.ndim != 1:
        raise TypeError(f"a column of keys has one key in each row, and not {values.ndim - 1} dimensions")
    if values.dtype.kind in "iu":
        largest = bound if bound is not None else max(int(values.max(initial=0)), -int(values.min(initial=0)))
        if largest >= 2**63:
            raise ValueError("integer keys have at most 63 bits")
        return Column("int4" if largest <= 2**31 - 1 else "int8", values)
    if values.dtype.kind == "U":
        return Column("text", values)
    if values.dtype.kind == "M":
        return time_column(values, data.utc)
    if values.dtype == object:
        if all(isinstance(v, str) for v in values):
            return Column("text", values)
        if all(isinstance(v, UUID) for v in values):
            return Column("uuid", values)
        if all(isinstance(v, int | np.integer) and not isinstance(v, bool) for v in values):
            return key_column(Data(np.array([int(v) for v in values])), bound)
        if all(isinstance(v, datetime.datetime) for v in values):
            zoned = [v.tzinfo is not None for v in values]
            if all(zoned) or not any(zoned):
                moments = [v.astimezone(datetime.timezone.utc).replace(tzinfo=None) if v.tzinfo else v for v in values]
                return time_column(np.array(moments, "M8[us]"), all(zoned))
        elif all(isinstance(v, datetime.date) and not isinstance(v, datetime.datetime) for v in values):
            return time_column(np.array(values, "M8[D]"), False)
        kinds = sorted({type(v).__name__ for v in values})
        raise TypeError(f"keys are integers, texts, UUIDs, dates or times, all of one type, not {', '.join(kinds)}")
    raise TypeError(f"keys are integers, texts, UUIDs, dates or times, not {values.dtype}")


def real_column(elements: Array) -> str:
    """The type of an array of these numbers. Raises TypeError for complex numbers, which no array has."""
    name = number_column(elements).type
    if name == "tensor":
        raise TypeError("arrays of a layout have real numbers: layout='rows' stores complex ones")
    return name


def in_layout(entries: Entries, layout: str) -> Stored:
    """A matrix in arrays: "csr", in one row, or "lists", in a row for each index that has an entry."""
    rows, columns = entries.shape
    index_type = "int4" if columns <= 2**31 else "int8"
    begins = entries.starts.astype(np.int64)
    bounds: Bounds = [rows, columns]
    elements = as_elements(entries.elements)
    if layout == "csr":
        all_of = np.array([0, len(elements)])
        return Stored(
            [],
            {
                "indptr": ListColumn("int4" if len(elements) < 2**31 else "int8", begins, np.array([0, len(begins)])),
                "indices": ListColumn(index_type, entries.columns, all_of),
                "data": ListColumn(real_column(elements), elements, all_of),
            },
            bounds,
            "csr(indptr,indices,data)",
        )
    filled = np.flatnonzero(np.diff(begins))
    starts = np.append(begins[filled], len(elements))
    return Stored(
        [key_column(Data(filled), rows)],
        {"indices": ListColumn(index_type, entries.columns, starts), "data": ListColumn(real_column(elements), elements, starts)},
        bounds,
        "lists(indices,data)",
    )


def check_rank(rank: int, dimensions: int) -> None:
    if rank != dimensions:
        raise ValueError(f"the data has {dimensions} dimensions, and the notation {rank} labels")


def check_matrix(shape: Sequence[int]) -> None:
    if len(shape) != 2:
        raise ValueError(f"a matrix has two dimensions, and the data {len(shape)}: layout='rows' stores it")


class DenseSource:
    """An array. absent: the mask of the entries that it lacks."""

    def __init__(self, data: Any, value: str | Sequence[str] | None = "value", absent: Array | None = None) -> None:
        self.array = as_elements(data)
        self.value = value
        self.absent = absent
        if not isinstance(value, str):
            raise ValueError(f"an array has one value column, and not {value!r}")

    def default_labels(self) -> list[str]:
        return list(LETTERS[: self.array.ndim])

    def default_layout(self) -> str:
        return "rows"

    def entries(self, fill: float) -> Entries:
        check_matrix(self.array.shape)
        stored = (self.array != fill) & ~(np.isnan(self.array) & np.isnan(fill))
        if self.absent is not None:
            stored &= ~self.absent
        starts = np.concatenate([[0], np.cumsum(np.count_nonzero(stored, axis=1))])
        return Entries(starts, np.nonzero(stored)[1], self.array[stored], (self.array.shape[0], self.array.shape[1]))

    def table(self, promoted: Sequence[int], keys: Sequence[str], rank: int, fill: float) -> Stored:
        array = self.array
        check_rank(rank, array.ndim)
        shape: Bounds = list(array.shape)
        demoted = [n for n in range(rank) if n not in promoted]
        outer = tuple(array.shape[n] for n in promoted)
        inner = tuple(array.shape[n] for n in demoted)
        axes, rows = [*promoted, *demoted], (int(np.prod(outer, dtype=np.int64)), *inner)
        values = array.transpose(axes).reshape(rows)
        indices = [index.ravel() for index in np.indices(outer, np.int64 if max(outer, default=0) > 2**31 else np.int32)]
        absent = self.absent.transpose(axes).reshape(rows) if self.absent is not None else None
        if demoted or not promoted:
            if absent is not None and absent.any():
                raise TypeError(
                    "there are NULL or NaN within a value: write the labels in upper case to leave these entries out, "
                    "or fill them; nan='keep' stores NaN"
                )
            column = Column("tensor", values) if demoted else number_column(values)
        else:
            stored = values != fill
            if absent is not None:
                stored &= ~absent
            values = values[stored]
            indices = [index[stored] for index in indices]
            column = number_column(values)
        return Stored([key_column(Data(index), array.shape[n]) for n, index in zip(promoted, indices)], {str(self.value): column}, shape)


class SparseSource:
    """A sparse matrix or array of scipy. Its NaN are absent entries where absent_nan says so."""

    def __init__(self, data: Any, value: str | Sequence[str] | None = "value", absent_nan: bool = False) -> None:
        self.data = data
        self.absent_nan = absent_nan
        self.value = value
        if not isinstance(value, str):
            raise ValueError(f"a sparse matrix has one value column, and not {value!r}")

    def default_labels(self) -> list[str]:
        return list(LETTERS[: len(self.data.shape)].upper())

    def default_layout(self) -> str:
        return "csr" if len(self.data.shape) == 2 and self.data.dtype.kind != "c" else "rows"

    def _stored(self, converted: Any) -> Any:
        """A copy of the data in a format of scipy, with sorted indices, without duplicates and zeros."""
        matrix = type(converted)(converted, copy=True)
        matrix.sum_duplicates()
        if self.absent_nan:
            matrix.data = np.where(np.isnan(matrix.data), 0, matrix.data)
        matrix.eliminate_zeros()
        return matrix

    def _check_fill(self, fill: float) -> None:
        if fill != 0:
            raise ValueError(f"entries that a sparse matrix does not store are 0, not {fill}")

    def entries(self, fill: float) -> Entries:
        check_matrix(self.data.shape)
        self._check_fill(fill)
        matrix = self._stored(self.data.tocsr())
        return Entries(matrix.indptr, matrix.indices, matrix.data, matrix.shape)

    def table(self, promoted: Sequence[int], keys: Sequence[str], rank: int, fill: float) -> Stored:
        matrix = self._stored(self.data.tocoo())
        check_rank(rank, matrix.ndim)
        self._check_fill(fill)
        shape: Bounds = list(matrix.shape)
        coordinates = matrix.coords if hasattr(matrix, "coords") else (matrix.row, matrix.col)
        elements = as_elements(matrix.data)
        if len(promoted) == rank:
            columns = [key_column(Data(coordinates[n]), matrix.shape[n]) for n in promoted]
            return Stored(columns, {str(self.value): number_column(elements)}, shape)
        # rows with an entry, as vectors
        demoted = [n for n in range(rank) if n not in promoted]
        inner = tuple(matrix.shape[n] for n in demoted)
        if promoted:
            index = np.ravel_multi_index([coordinates[n] for n in promoted], [matrix.shape[n] for n in promoted])
            rows, place = np.unique(index, return_inverse=True)
            outer = np.unravel_index(rows, [matrix.shape[n] for n in promoted])
        else:
            rows, place, outer = np.zeros(1, np.int64), np.zeros(len(elements), np.int64), ()
        values = np.zeros((len(rows), *inner), elements.dtype)
        values[(place, *(coordinates[n] for n in demoted))] = elements
        columns = [key_column(Data(key), matrix.shape[n]) for n, key in zip(promoted, outer)]
        return Stored(columns, {str(self.value): Column("tensor", values)}, shape)


class FrameSource:
    """Columns by name, each a key or a value. A row in which one is absent is no row.

    bounds: of the keys, where the data says them.
    """

    def __init__(
        self, columns: Mapping[str, Data], keys: Sequence[str] | None, value: str | Sequence[str] | None, bounds: Sequence[int | None] = ()
    ) -> None:
        self.columns = columns
        self.value = value
        self.bounds = bounds
        self.values = [value] if isinstance(value, str) else list(value or ())
        self.keys = list(keys) if keys is not None else [name for name in columns if name not in self.values]
        for name in [*self.keys, *self.values]:
            self._column(name)
        lengths = {len(column.values) for column in columns.values()}
        if len(lengths) > 1:
            raise ValueError(f"the columns have different lengths: {', '.join(map(str, sorted(lengths)))}")

    def _column(self, name: str) -> Data:
        if name not in self.columns:
            raise ValueError(f"no column {name!r} among {', '.join(map(repr, self.columns))}")
        return self.columns[name]

    def default_labels(self) -> list[str]:
        labels = [key.upper() for key in self.keys]
        if self.value is not None and not isinstance(self.value, str):
            labels.append(next(letter for letter in "k" + LETTERS if letter.upper() not in labels))
        return labels

    def default_layout(self) -> str:
        return "rows"

    def entries(self, fill: float) -> Entries:
        raise TypeError("a frame has keys of its own: layout='csr' and 'lists' are for arrays and sparse matrices")

    def table(self, promoted: Sequence[int], keys: Sequence[str], rank: int, fill: float) -> Stored:
        left = [name for name in self.columns if name not in keys and name not in self.values]
        if left:
            raise TypeError(
                f"columns {', '.join(map(repr, left))} would be left out: pass the others alone, or name these by labels, keys= or value="
            )
        used = [self._column(name) for name in [*keys, *self.values]]
        masks = [column.absent for column in used if column.absent is not None]
        rows = ~np.logical_or.reduce(masks) if masks else None
        values = {name: value_column(name, self._column(name).of(rows).values) for name in self.values}
        if self.value is None:
            inner: tuple[int, ...] = ()
        elif isinstance(self.value, str):
            inner = values[self.value].values.shape[1:]
        else:
            for name, column in values.items():
                if column.type == "tensor":
                    raise ValueError(f"column {name!r} is no column of real numbers, one of which each column of a list has")
            inner = (len(values),)
        check_rank(rank - len(promoted), len(inner))
        shape: Bounds = [None] * rank
        for n, bound in zip((n for n in range(rank) if n not in promoted), inner):
            shape[n] = bound
        for n, known in zip(promoted, self.bounds):
            shape[n] = known
        return Stored([key_column(self._column(key).of(rows), None) for key in keys], {**values}, shape)
