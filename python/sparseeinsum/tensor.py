"""The tensor type's text and binary forms, and numpy arrays.

The binary form is a table in docs/reference/values.md, and stable: bytes in network
order, format (1), element type, rank, flags (0), an int4 for each bound, the
elements row-major. Going from one byte order to the other is the one copy that
either direction makes. Sparse values (format 2) are read as sparse.py says.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
import struct
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from .sparse import Array as Array
from .sparse import SparseArray, SparseTensor, coordinates_at, coordinates_of, from_positions, is_sparse, positions_of

Buffer = bytes | bytearray | memoryview

FORMAT_DENSE = 1
FORMAT_SPARSE = 2
FLAG_ONE_ELEMENT = 1
MAX_RANK = 16
HEADER = struct.Struct(">BBBB")

# element types by their number in the binary form
NAMES = {1: "float4", 2: "float8", 3: "complex8", 4: "complex16"}
DTYPES: dict[str, np.dtype[Any]] = {
    "float4": np.dtype(np.float32),
    "float8": np.dtype(np.float64),
    "complex8": np.dtype(np.complex64),
    "complex16": np.dtype(np.complex128),
}
NUMBERS = {DTYPES[name]: number for number, name in NAMES.items()}
_SWAPPED = {dtype: dtype.newbyteorder(">") for dtype in NUMBERS}

# what is exact in an element of the type on the right; the rest of the integers
# is looked at one by one
_EXACT: dict[str, str] = {
    "?": "float8",
    "b": "float8",
    "B": "float8",
    "h": "float8",
    "H": "float8",
    "i": "float8",
    "I": "float8",
    "e": "float4",
    "f": "float4",
    "d": "float8",
    "F": "complex8",
    "D": "complex16",
}
_LARGEST_EXACT = 2**53


def element_type(dtype: npt.DTypeLike) -> str:
    """The element type that holds all numbers of a numpy type, as PostgreSQL's casts
    choose it: float4 for float32 and float16, complex8 and complex16, else float8.

    Raises TypeError for what is no number, or has none that holds it (longdouble).
    """
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        return "float8"
    name = _EXACT.get(dtype.char)
    if name is None:
        raise TypeError(f"no element type of a tensor holds {dtype}")
    return name


def as_elements(value: npt.ArrayLike) -> Array:
    """The value as an array of one of the four element types, in any memory layout.

    Raises TypeError where it has no numbers, ValueError where an integer of more than
    53 bits would be rounded or the rank is above 16.
    """
    array = np.asarray(value)
    if array.dtype in NUMBERS and array.ndim <= MAX_RANK:
        return array
    if array.size == 0 and array.dtype == object:
        array = array.astype(np.float64)
    own = element_type(array.dtype)
    if (
        array.dtype.kind in "iu"
        and array.dtype.itemsize == 8
        and array.size
        and (array.max() > _LARGEST_EXACT or array.min() < -_LARGEST_EXACT)
    ):
        raise ValueError("integers beyond 2**53 are not exact as float8")
    if array.ndim > MAX_RANK:
        raise ValueError(f"the array has {array.ndim} dimensions, and a tensor at most {MAX_RANK}")
    return array.astype(DTYPES[own], copy=False)


@functools.lru_cache(maxsize=256)
def header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """What comes before the elements in the binary form."""
    number = NUMBERS[dtype]
    return HEADER.pack(FORMAT_DENSE, number, len(shape), 0) + struct.pack(f">{len(shape)}i", *shape)


def _entries_of(value: Any) -> tuple[tuple[int, ...], Array, Array, Array]:
    """Of a sparse value its shape, the row-major positions of the entries other than fill, ascending, their elements, and fill.

    Raises ValueError for an entry that is there twice or a fill beyond the type, TypeError for a fill that is no element.
    """
    shape, coordinates, data, fill = coordinates_of(value)
    positions = positions_of(shape, coordinates, len(data))
    elements = as_elements(data)
    if np.iscomplexobj(fill) and elements.dtype.kind != "c":
        raise TypeError(f"the fill {fill} is complex, and the elements are real")
    if np.isfinite(fill) and np.abs(fill) > np.finfo(elements.dtype).max:
        raise ValueError(f"the fill {fill} is beyond {elements.dtype}")
    # the fill is the last one
    elements = np.append(elements, np.asarray(fill, elements.dtype)) + 0  # -0 is 0
    parts = elements.view(elements.real.dtype)
    parts[np.isnan(parts)] = np.nan  # all NaN are one
    elements, filled = elements[:-1], elements[-1:]
    order = np.argsort(positions, kind="stable")
    positions, elements = positions[order], elements[order]
    if (positions[1:] == positions[:-1]).any():
        raise ValueError("an entry of a sparse value is there twice")
    stored = (elements != filled) & ~(np.isnan(elements) & np.isnan(filled))
    return shape, positions[stored], elements[stored], filled


def _sparse_to_binary(value: Any) -> bytearray:
    shape, positions, elements, fill = _entries_of(value)
    swapped = _SWAPPED[elements.dtype]
    alike = len(elements) > 0 and elements.tobytes() == elements[:1].tobytes() * len(elements)
    form = bytearray(HEADER.pack(FORMAT_SPARSE, NUMBERS[elements.dtype], len(shape), FLAG_ONE_ELEMENT if alike else 0))
    form += struct.pack(f">{len(shape)}iq", *shape, len(elements)) + fill.astype(swapped).tobytes()
    form += positions.astype(">u4" if math.prod(shape) < 2**32 else ">u8").tobytes()
    form += (elements[:1] if alike else elements).astype(swapped).tobytes()
    return form


def to_binary(value: npt.ArrayLike | SparseArray | SparseTensor) -> bytearray:
    """The binary form of an array, a nested list or a number; of a sparse array of scipy or a SparseTensor that of a sparse value.

    >>> bytes(to_binary([1.0]))[:8]
    b'\\x01\\x02\\x01\\x00\\x00\\x00\\x00\\x01'
    """
    if is_sparse(value):
        return _sparse_to_binary(value)
    array = as_elements(cast(npt.ArrayLike, value))
    head = header(array.dtype, array.shape)
    form = bytearray(len(head) + array.nbytes)
    form[: len(head)] = head
    np.ndarray(array.shape, _SWAPPED[array.dtype], form, len(head))[...] = array
    return form


@functools.lru_cache(maxsize=256)
def _parse_header(head: bytes) -> tuple[np.dtype[Any], np.dtype[Any], tuple[int, ...], int]:
    """Element type in network order and in this machine's, shape, and number of elements."""
    version, number, rank, flags = HEADER.unpack_from(head)
    known = (version == FORMAT_DENSE and flags == 0) or (version == FORMAT_SPARSE and flags in (0, FLAG_ONE_ELEMENT))
    if not known or number not in NAMES or rank > MAX_RANK:
        raise ValueError(f"unknown binary form of a tensor: format {version}, type {number}, rank {rank}, flags {flags}")
    if len(head) < HEADER.size + 4 * rank:
        raise ValueError("the binary form of a tensor ends before its bounds")
    shape = struct.unpack_from(f">{rank}i", head, HEADER.size)
    if min(shape, default=0) < 0:
        raise ValueError(f"a tensor has no shape {shape}")
    dtype = DTYPES[NAMES[number]]
    return _SWAPPED[dtype], dtype, shape, math.prod(shape)


def _from_sparse(data: Buffer, start: int, swapped: np.dtype[Any], dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
    """A sparse value, whose number of entries stands at start."""
    size = math.prod(shape)
    width = 4 if size < 2**32 else 8
    positions_at = start + 8 + dtype.itemsize
    if len(data) < positions_at:
        raise ValueError("the binary form of a sparse tensor ends before its entries")
    entries = int.from_bytes(bytes(data[start : start + 8]), "big", signed=True)
    elements = min(entries, 1) if data[3] & FLAG_ONE_ELEMENT else entries
    if entries < 0 or len(data) != positions_at + entries * width + elements * dtype.itemsize:
        raise ValueError(f"{entries} entries of a sparse tensor do not take {len(data) - positions_at} bytes")
    positions = np.frombuffer(data, f">u{width}", entries, positions_at).astype(np.int64)
    if entries and (int(positions[-1]) >= size or (positions[1:] <= positions[:-1]).any() or positions[0] < 0):
        raise ValueError(f"the entries of a sparse tensor of shape {shape} do not ascend, or one is beyond it")
    stored = np.frombuffer(data, swapped, elements, positions_at + entries * width).astype(dtype)
    fill = np.frombuffer(data, swapped, 1, start + 8).astype(dtype)[0]
    return from_positions(shape, positions, np.repeat(stored, entries) if elements < entries else stored, fill)


def from_binary(data: Buffer) -> Any:
    """The array of a binary form: writable, row-major, in this machine's byte order. A sparse value is a sparse array of scipy,
    or a SparseTensor.

    >>> from_binary(to_binary([1.0, 2.0]))
    array([1., 2.])
    >>> from_binary(to_binary(SparseTensor((2, 3, 4), ([0], [2], [3]), [1.5])))
    <SparseTensor of shape (2, 3, 4), float64, 1 entries, fill 0.0>

    Raises ValueError for what is not one.
    """
    if len(data) < HEADER.size:
        raise ValueError("a tensor's binary form has at least 4 bytes")
    start = HEADER.size + 4 * data[2]
    # the values of a column mostly have one header
    swapped, dtype, shape, count = _parse_header(bytes(data[:start]))
    if data[0] == FORMAT_SPARSE:
        return _from_sparse(data, start, swapped, dtype, shape)
    if len(data) != start + count * dtype.itemsize:
        raise ValueError(f"a tensor of shape {shape} has {count} elements of {dtype.itemsize} bytes, and {len(data) - start} bytes follow")
    return np.frombuffer(data, swapped, count, start).astype(dtype).reshape(shape)


_PREFIX = re.compile(r"\s*(float4|float8|complex8|complex16)(?:\(([0-9, ]*)\))?:")


def _complex(text: str) -> complex:
    """A number such as 1-2i or NaN+Infinityi; raises ValueError for others."""
    number = text.strip()
    if not number.endswith(("i", "I")):
        raise ValueError(text)
    return complex(number[:-1] + "j")


_ENTRY = re.compile(r"(\([0-9, ]*\)|[0-9]+|\*)\s*:\s*([^,}\s]+)")


def _from_sparse_text(name: str, shape: tuple[int, ...], body: str) -> Any:
    """A sparse value's text form, of which body is what stands in braces and they."""
    parse = _complex if name.startswith("complex") else float
    entries = _ENTRY.findall(body)
    if not body.endswith("}") or _ENTRY.sub("", body[1:-1]).strip(", "):
        raise ValueError(f"not the text form of a tensor: {body[:60]}")
    filled = [parse(number) for place, number in entries if place == "*"] or [0]
    places = [[int(index) for index in place.strip("()").split(",") if index.strip()] for place, _ in entries if place != "*"]
    elements = np.array([parse(number) for place, number in entries if place != "*"], DTYPES[name])
    if len(filled) > 1 or any(len(place) != len(shape) for place in places):
        raise ValueError(f"not the text form of a tensor: {body[:60]}")
    coordinates = np.array(places, np.int64).reshape(len(places), len(shape)).T
    if (coordinates >= np.array(shape, np.int64)[:, None]).any():
        raise ValueError(f"a sparse tensor of shape {shape} has an entry beyond it")
    return from_positions(shape, positions_of(shape, list(coordinates), len(places)), elements, DTYPES[name].type(filled[0]))


def from_text(text: str) -> Any:
    """The array of a text form as the server writes it, such as ``float4:[[1,2],[3,4]]``, in time linear in its length. A sparse
    value is a sparse array of scipy, or a SparseTensor.

    >>> from_text("float4:[[1,2],[3,4]]")
    array([[1., 2.],
           [3., 4.]], dtype=float32)

    Raises ValueError for what is not one.
    """
    prefix = _PREFIX.match(text)
    name = prefix[1] if prefix else "float8"
    body = text[prefix.end() :] if prefix else text
    body = body.strip()
    rank = len(body) - len(body.lstrip("["))
    if rank > MAX_RANK or "_" in body:
        raise ValueError(f"not the text form of a tensor: {text[:60]}")
    if prefix and prefix[2] is not None:
        shape = tuple(int(bound) for bound in prefix[2].split(",") if bound.strip())
        if body.startswith("{"):
            return _from_sparse_text(name, shape, body)
    else:
        # a run of k brackets or more begins a sub-tensor of rank k: as many as the product of the bounds before
        begun = [body.count("," + "[" * k) + 1 for k in range(rank, 0, -1)]
        begun.append(body.count(",") + 1 if body != "[]" else 0)
        shape = tuple(after // before for before, after in itertools.pairwise(begun))
    numbers = body.replace("[", "").replace("]", "")
    parse = _complex if name.startswith("complex") else float
    elements = np.array([parse(part) for part in numbers.split(",")] if numbers else [], np.complex128 if parse is _complex else np.float64)
    closed = body.count("[") == body.count("]") and body.endswith("]" * rank)
    if elements.size != math.prod(shape) or not closed:
        raise ValueError(f"not the text form of a tensor: {text[:60]}")
    # float4 elements are written so that the nearest float4 is the right one, which by way of float8 they stay
    return elements.astype(DTYPES[name]).reshape(shape)


def _number_text(number: complex) -> str:
    return f"{number.real!r}{number.imag:+.17g}i" if isinstance(number, complex) else repr(number)


def _sparse_to_text(value: Any) -> str:
    shape, positions, elements, fill = _entries_of(value)
    places = np.reshape(coordinates_at(shape, positions), (len(shape), len(positions))).T.tolist()
    named = [str(place[0]) if len(place) == 1 else f"({','.join(map(str, place))})" for place in places]
    if fill[0] != 0:
        named.append("*")
        elements = np.append(elements, fill)
    entries = ",".join(f"{place}:{_number_text(number)}" for place, number in zip(named, elements.tolist()))
    return f"{NAMES[NUMBERS[elements.dtype]]}({','.join(map(str, shape))}):{{{entries}}}"


def to_text(value: npt.ArrayLike | SparseArray | SparseTensor) -> str:
    """The text form of an array, a nested list, a number, a sparse array of scipy or a SparseTensor: exact, if not the shortest.

    >>> to_text([[1, 2], [3, 4]])
    'float8:[[1.0,2.0],[3.0,4.0]]'
    """
    if is_sparse(value):
        return _sparse_to_text(value)
    array = as_elements(cast(npt.ArrayLike, value))
    name = NAMES[NUMBERS[array.dtype]]
    shape = ",".join(map(str, array.shape))
    if array.size == 0:
        return f"{name}({shape}):" + "[]"
    if array.dtype.kind == "c":
        numbers = [_number_text(number) for number in array.ravel().tolist()]
        nested = np.array(numbers, dtype=object).reshape(array.shape).tolist()
        body = str(nested).replace("'", "")
    else:
        body = str(array.tolist())
    return f"{name}:{body.replace(' ', '')}"
