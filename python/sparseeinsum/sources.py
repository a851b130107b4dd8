"""What store() takes, as columns of keys and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol
from uuid import UUID

import numpy as np

from .copying import Column
from .tensor import Array, as_elements

LETTERS = "ijklmnopqrstuvwx"
Bounds = list[int | None]


class Source(Protocol):
    def default_labels(self) -> list[str]:
        """The labels of a tensor of which only the name is given."""
        ...

    def table(self, promoted: Sequence[int], keys: Sequence[str], rank: int, fill: float) -> tuple[list[Column], Column | None, Bounds]:
        """Key columns of the promoted labels, the values (None: a row means 1), and each label's bound (None: open).

        Raises ValueError where the data has not that many dimensions.
        """
        ...


def number_column(values: Array) -> Column:
    """Values of rank 0: a column of numbers, or of tensors if they are complex."""
    values = as_elements(values)
    name = {"f": "float4", "d": "float8"}.get(values.dtype.char, "tensor")
    return Column(name, values)


def key_column(values: Array, bound: int | None) -> Column:
    """A column of keys: integers, as narrow as bound and values allow, or what a driver knows."""
    if values.dtype.kind in "iu":
        largest = bound if bound is not None else max(int(values.max(initial=0)), -int(values.min(initial=0)))
        return Column("int4" if largest <= 2**31 - 1 else "int8", values)
    if values.dtype.kind == "U":
        return Column("text", values)
    if values.dtype == object and len(values):
        first = values[0]
        if all(type(v) is type(first) for v in values):
            name = {str: "text", UUID: "uuid", int: "int8"}.get(type(first))
            if name == "int8":
                return Column("int8", values.astype(np.int64))
            if name is not None:
                return Column(name, values)
    if values.dtype.kind in "O" and not len(values):
        return Column("text", values)
    raise ValueError(f"keys are integers, texts or UUIDs, not {values.dtype}")


def check_rank(rank: int, dimensions: int) -> None:
    if rank != dimensions:
        raise ValueError(f"the data has {dimensions} dimensions, and the notation {rank} labels")


class DenseSource:
    """An array."""

    def __init__(self, data: Any) -> None:
        self.array = as_elements(data)

    def default_labels(self) -> list[str]:
        return list(LETTERS[: self.array.ndim])

    def table(self, promoted: Sequence[int], keys: Sequence[str], rank: int, fill: float) -> tuple[list[Column], Column | None, Bounds]:
        array = self.array
        check_rank(rank, array.ndim)
        shape: Bounds = list(array.shape)
        demoted = [n for n in range(rank) if n not in promoted]
        outer = tuple(array.shape[n] for n in promoted)
        inner = tuple(array.shape[n] for n in demoted)
        values = array.transpose([*promoted, *demoted]).reshape((int(np.prod(outer, dtype=np.int64)), *inner))
        indices = [index.ravel() for index in np.indices(outer, np.int64 if max(outer, default=0) > 2**31 else np.int32)]
        if demoted or not promoted:
            column = Column("tensor", values) if demoted else number_column(values)
        else:
            stored = values != fill
            values = values[stored]
            indices = [index[stored] for index in indices]
            column = number_column(values)
        return [key_column(index, array.shape[n]) for n, index in zip(promoted, indices)], column, shape


class SparseSource:
    """A sparse matrix or array of scipy."""

    def __init__(self, data: Any) -> None:
        self.matrix = data.tocoo()
        self.matrix = type(self.matrix)(self.matrix)
        self.matrix.sum_duplicates()
        self.matrix.eliminate_zeros()

    def default_labels(self) -> list[str]:
        return list(LETTERS[: self.matrix.ndim].upper())

    def table(self, promoted: Sequence[int], keys: Sequence[str], rank: int, fill: float) -> tuple[list[Column], Column | None, Bounds]:
        matrix = self.matrix
        check_rank(rank, matrix.ndim)
        if fill != 0:
            raise ValueError(f"entries that a sparse matrix does not store are 0, not {fill}")
        shape: Bounds = list(matrix.shape)
        coordinates = matrix.coords if hasattr(matrix, "coords") else (matrix.row, matrix.col)
        elements = as_elements(matrix.data)
        if len(promoted) == rank:
            return [key_column(coordinates[n], matrix.shape[n]) for n in promoted], number_column(elements), shape
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
        return [key_column(key, matrix.shape[n]) for n, key in zip(promoted, outer)], Column("tensor", values), shape


class FrameSource:
    """Columns by name: of a DataFrame, of an Arrow table, or of a mapping."""

    def __init__(self, columns: Mapping[str, Array], keys: Sequence[str] | None, value: str | None) -> None:
        self.columns = columns
        self.value = value
        self.keys = list(keys) if keys is not None else [name for name in columns if name != value]
        for name in [*self.keys, *([value] if value is not None else [])]:
            if name not in columns:
                raise ValueError(f"no column {name!r} among {', '.join(map(repr, columns))}")

    def default_labels(self) -> list[str]:
        return [key.upper() for key in self.keys]

    def table(self, promoted: Sequence[int], keys: Sequence[str], rank: int, fill: float) -> tuple[list[Column], Column | None, Bounds]:
        for key in keys:
            if key not in self.columns:
                raise ValueError(f"no column {key!r} among {', '.join(map(repr, self.columns))}")
        values = None
        inner: tuple[int, ...] = ()
        if self.value is not None:
            array = self.columns[self.value]
            if array.dtype == object and len(array):
                array = np.stack([np.asarray(each) for each in array])
            inner = array.shape[1:]
            values = Column("tensor", as_elements(array)) if inner else number_column(array)
        check_rank(rank - len(promoted), len(inner))
        shape: Bounds = [None] * rank
        for n, bound in zip((n for n in range(rank) if n not in promoted), inner):
            shape[n] = bound
        return [key_column(self.columns[key], None) for key in keys], values, shape


def _arrow_column(column: Any) -> Array:
    chunk = column.combine_chunks()
    if hasattr(chunk, "to_numpy_ndarray"):
        array: Array = chunk.to_numpy_ndarray()
        return array
    result: Array = chunk.to_numpy(zero_copy_only=False)
    return result


def source_of(data: Any, keys: Sequence[str] | None, value: str | None) -> Source:
    """How the data is read, by what it has: no library is imported for it."""
    if hasattr(data, "tocoo"):
        return SparseSource(data)
    if hasattr(data, "column_names"):
        return FrameSource({name: _arrow_column(data.column(name)) for name in data.column_names}, keys, value)
    if hasattr(data, "iloc") and hasattr(data, "columns"):
        return FrameSource({str(name): data[name].to_numpy() for name in data.columns}, keys, value)
    if isinstance(data, Mapping):
        return FrameSource({name: np.asarray(column) for name, column in data.items()}, keys, value)
    return DenseSource(data)
