"""Sparse values: as what they are read, and what is written as one.

One of rank 1 or 2 with fill 0 is a sparse array of scipy, where that is installed.
All others are a SparseTensor.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class SparseArray(Protocol):
    """What a sparse array or matrix of scipy has."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def nnz(self) -> int: ...
    def tocoo(self, copy: bool = ...) -> Any: ...


class SparseTensor:
    """The entries of a sparse value of any rank, by their coordinates; all other elements are fill.

    coordinates: for each dimension an array of indices; data: the elements, in the same order.

    >>> cube = SparseTensor((2, 3, 4), ([0, 1], [2, 0], [3, 3]), [1.5, 2.0])
    >>> cube.nnz, cube.toarray()[0, 2, 3]
    (2, np.float64(1.5))

    Raises ValueError where the arrays do not fit each other or the shape.
    """

    def __init__(self, shape: Sequence[int], coordinates: Sequence[npt.ArrayLike], data: npt.ArrayLike, fill: Any = 0) -> None:
        self.shape = tuple(int(bound) for bound in shape)
        self.coordinates = tuple(np.asarray(indices) for indices in coordinates)
        self.data = np.asarray(data)
        self.fill = fill
        if (
            len(self.coordinates) != len(self.shape)
            or any(each.shape != self.data.shape for each in self.coordinates)
            or self.data.ndim != 1
        ):
            raise ValueError(f"entries of shape {self.shape} have an element each, and an index for each dimension")
        for bound, indices in zip(self.shape, self.coordinates):
            if len(indices) and (indices.dtype.kind not in "iu" or indices.min() < 0 or indices.max() >= bound):
                raise ValueError(f"an index of an entry is no integer, or not within the shape {self.shape}")

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.data.dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def nnz(self) -> int:
        """How many entries there are."""
        return len(self.data)

    def toarray(self) -> Array:
        """All elements, as an array."""
        array = np.full(self.shape, self.fill, self.data.dtype)
        if self.nnz:
            array[self.coordinates or ...] = self.data if self.coordinates else self.data[0]
        return array

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        return self.toarray().astype(dtype or self.dtype, copy=False)

    def __repr__(self) -> str:
        return f"<SparseTensor of shape {self.shape}, {self.dtype}, {self.nnz} entries, fill {self.fill}>"


def is_sparse(value: object) -> bool:
    """Is the value a SparseTensor, or a sparse array or matrix of scipy?"""
    return isinstance(value, SparseTensor) or (hasattr(value, "tocoo") and hasattr(value, "nnz"))


@functools.cache
def scipy_sparse() -> Any:
    """The module scipy.sparse; None where scipy is not installed."""
    try:
        import scipy.sparse
    except ImportError:
        return None
    return scipy.sparse


def coordinates_at(shape: tuple[int, ...], positions: Array) -> list[Array]:
    """The indices in each dimension of row-major positions."""
    coordinates = []
    for bound in reversed(shape):
        positions, indices = np.divmod(positions, bound)
        coordinates.append(indices)
    return coordinates[::-1]


def from_positions(shape: tuple[int, ...], positions: Array, elements: Array, fill: Any) -> Any:
    """A sparse value, of the row-major positions of its entries and their elements."""
    coordinates = coordinates_at(shape, positions)
    if len(shape) in (1, 2) and fill == 0 and scipy_sparse() is not None:
        return scipy_sparse().coo_array((elements, tuple(coordinates)), shape=shape)
    return SparseTensor(shape, coordinates, elements, fill)


def coordinates_of(value: SparseTensor | SparseArray) -> tuple[tuple[int, ...], Sequence[Array], Array, Any]:
    """Shape, coordinates, elements and fill, each entry once.

    Raises ValueError for a SparseTensor that has an entry twice.
    """
    if isinstance(value, SparseTensor):
        return value.shape, value.coordinates, value.data, value.fill
    matrix = value.tocoo(copy=True)
    matrix.sum_duplicates()
    coordinates = [matrix.row, matrix.col] if len(matrix.shape) == 2 else matrix.coords
    return tuple(map(int, matrix.shape)), coordinates, matrix.data, 0


def positions_of(shape: tuple[int, ...], coordinates: Sequence[Array], count: int) -> Array:
    """The row-major positions of entries. Raises ValueError for a shape that no value has."""
    if max(shape, default=0) >= 2**31 or math.prod(shape) >= 2**63:
        raise ValueError(f"a tensor has bounds below 2**31 and at most 2**63 - 1 elements, unlike shape {shape}")
    positions = np.zeros(count, np.int64)
    for bound, indices in zip(shape, coordinates):
        positions = positions * bound + indices
    return positions
