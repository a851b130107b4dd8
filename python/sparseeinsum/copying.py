"""COPY in binary for columns of numbers and of tensors, many rows at a time.

Rows in which every field has a fixed number of bytes are one numpy structure in
network order, so that neither direction has a loop over rows. What has no fixed
width (text keys, NULLs, tensors of several shapes) goes row by row, through the
driver's own adapters.
"""

from __future__ import annotations

import datetime
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .tensor import FORMAT_DENSE, Array, from_binary, header

SIGNATURE = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
TRAILER = struct.pack(">h", -1)
BATCH_BYTES = 1 << 22

# PostgreSQL's types whose binary form is a number in network order
NUMBERS: dict[str, np.dtype[Any]] = {
    "int2": np.dtype(np.int16),
    "int4": np.dtype(np.int32),
    "int8": np.dtype(np.int64),
    "float4": np.dtype(np.float32),
    "float8": np.dtype(np.float64),
}
# types of time: what their values are here, and the integers of their binary form, counted from 2000
TIMES: dict[str, tuple[np.dtype[Any], np.dtype[Any]]] = {
    "timestamp": (np.dtype("M8[us]"), np.dtype(np.int64)),
    "timestamptz": (np.dtype("M8[us]"), np.dtype(np.int64)),
    "date": (np.dtype("M8[D]"), np.dtype(np.int32)),
}


# OIDs of types in the binary form of arrays
_OIDS = {"int4": 23, "int8": 20, "float4": 700, "float8": 701}


@dataclass
class Column:
    """A column to be written: one value a row, along the first dimension.

    type: a type of NUMBERS or TIMES, "tensor", or any other, which goes row by row.
    """

    type: str
    values: Array

    def __len__(self) -> int:
        return len(self.values)

    @property
    def fixed(self) -> bool:
        return self.values.dtype != object and (self.type == "tensor" or self.type in NUMBERS or self.type in TIMES)

    @property
    def numbers(self) -> Array:
        """The values as their binary form counts them."""
        if self.type not in TIMES:
            return self.values
        own, counted = TIMES[self.type]
        numbers: Array = (self.values.astype(own).astype(np.int64) - np.datetime64("2000-01-01").astype(own).astype(np.int64)).astype(
            counted
        )
        return numbers

    def objects(self) -> list[Any]:
        """The values as a driver takes them."""
        if self.type == "tensor":
            return list(self.values)
        listed: list[Any] = self.values.tolist()
        if self.type == "timestamptz":
            listed = [each.replace(tzinfo=datetime.timezone.utc) for each in listed]
        return listed


def _fields(columns: Sequence[tuple[str, Any, tuple[int, ...]]], heads: Sequence[bytes]) -> np.dtype[Any]:
    """A row as a structure: the number of fields, and of each its length, a tensor's header, its elements."""
    fields: list[tuple[str, Any] | tuple[str, Any, tuple[int, ...]]] = [("n", ">i2")]
    for n, ((_, dtype, shape), head) in enumerate(zip(columns, heads)):
        fields.append((f"length{n}", ">i4"))
        if head:
            fields.append((f"head{n}", np.dtype((np.void, len(head)))))
        fields.append((f"value{n}", np.dtype(dtype).newbyteorder(">"), shape))
    return np.dtype(fields)


@dataclass
class ListColumn:
    """A column of arrays to be written: of row r the elements starts[r] to starts[r + 1].

    type: of the elements, one of NUMBERS that _OIDS has.
    """

    element: str
    values: Array
    starts: npt.NDArray[np.int64]

    @property
    def type(self) -> str:
        return self.element + "[]"

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def width(self) -> int:
        """Bytes of an element."""
        return 4 + NUMBERS[self.element].itemsize


# the length of the field, and of an array: its dimensions, whether it has NULLs, its type, its length, its first subscript
_ARRAY = np.dtype([("length", ">i4"), ("dimensions", ">i4"), ("nulls", ">i4"), ("oid", ">i4"), ("count", ">i4"), ("lower", ">i4")])
_EMPTY = 16  # bytes of the field of an array without elements, which says no length


def _bytes_of(records: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """A row of bytes for each record."""
    return np.ascontiguousarray(records).view(np.uint8).reshape(len(records), records.dtype.itemsize)


def _pieces(columns: Sequence[Column | ListColumn], start: int, stop: int) -> Iterator[tuple[npt.NDArray[np.uint8], Array]]:
    """What rows start to stop consist of, in their order: pieces of equal length as rows of bytes, with how many each row has."""
    count = stop - start
    one = np.ones(count, np.int64)
    yield _bytes_of(np.full(count, len(columns), ">i2")), one
    for column in columns:
        if isinstance(column, Column):
            dtype = np.dtype([("length", ">i4"), ("value", NUMBERS[column.type].newbyteorder(">"))])
            records = np.empty(count, dtype)
            records["length"] = NUMBERS[column.type].itemsize
            records["value"] = column.values[start:stop]
            yield _bytes_of(records), one
            continue
        counts = np.diff(column.starts[start : stop + 1])
        heads = np.zeros(count, _ARRAY)
        heads["length"] = np.where(counts, _ARRAY.itemsize - 4 + counts * column.width, _EMPTY - 4)
        heads["dimensions"] = counts > 0
        heads["oid"] = _OIDS[column.element]
        heads["count"] = counts
        heads["lower"] = 1
        parts = _bytes_of(heads)
        yield parts[:, :_EMPTY], one
        yield parts[counts > 0, _EMPTY:], (counts > 0).astype(np.int64)
        dtype = np.dtype([("length", ">i4"), ("value", NUMBERS[column.element].newbyteorder(">"))])
        elements = np.empty(column.starts[stop] - column.starts[start], dtype)
        elements["length"] = NUMBERS[column.element].itemsize
        elements["value"] = column.values[column.starts[start] : column.starts[stop]]
        yield _bytes_of(elements), counts


def _places(counts: Array, offsets: Array, width: int) -> Array:
    """Where pieces of this width begin: of each row counts, one behind the other, from its offset on."""
    before = np.cumsum(counts) - counts
    return np.repeat(offsets - before * width, counts) + np.arange(int(counts.sum())) * width


def encode_lists(columns: Sequence[Column | ListColumn]) -> Iterator[tuple[int, bytes]]:
    """As encode, for columns of numbers and of arrays, without a loop over rows."""
    count = len(columns[0])
    sizes = np.full(count, 2, np.int64)
    for column in columns:
        if isinstance(column, Column):
            sizes += 4 + NUMBERS[column.type].itemsize
        else:
            counts = np.diff(column.starts)
            sizes += np.where(counts, _ARRAY.itemsize + counts * column.width, _EMPTY)
    ends = np.cumsum(sizes)
    start = 0
    while start < count:
        begun = ends[start] - sizes[start]
        stop = max(start + 1, int(np.searchsorted(ends, begun + BATCH_BYTES, side="right")))
        pieces = list(_pieces(columns, start, stop))
        if stop == start + 1:
            # one row, maybe a large one: its pieces stand in their order
            yield 1, b"".join(piece.tobytes() for piece, _ in pieces)
            start = stop
            continue
        batch = np.empty(int(ends[stop - 1] - begun), np.uint8)
        offsets = ends[start:stop] - sizes[start:stop] - begun
        for piece, counts in pieces:
            width = piece.shape[1]
            places = _places(counts, offsets, width)
            batch[places[:, None] + np.arange(width)] = piece
            offsets = offsets + counts * width
        yield stop - start, batch.tobytes()
        start = stop


def rows_per_batch(columns: Sequence[Column]) -> int:
    """How many rows make about BATCH_BYTES."""
    width = sum(8 + column.values[:1].nbytes for column in columns)
    return max(1, BATCH_BYTES // max(width, 1))


def encode(columns: Sequence[Column]) -> Iterator[tuple[int, bytes]]:
    """Batches of rows in the binary format of COPY, with how many rows are in each.

    All columns are fixed; neither the signature nor the trailer is among the batches.
    """
    heads = [header(c.values.dtype, c.values.shape[1:]) if c.type == "tensor" else b"" for c in columns]
    numbers = [column.numbers for column in columns]
    types = [NUMBERS.get(c.type, each.dtype) for c, each in zip(columns, numbers)]
    row = _fields([(c.type, dtype, c.values.shape[1:]) for c, dtype in zip(columns, types)], heads)
    count = len(columns[0].values)
    step = rows_per_batch(columns)
    for start in range(0, count, step):
        stop = min(start + step, count)
        batch = np.empty(stop - start, row)
        batch["n"] = len(columns)
        for n, (column, head) in enumerate(zip(numbers, heads)):
            value = batch[f"value{n}"]
            batch[f"length{n}"] = len(head) + value[:1].nbytes
            if head:
                batch[f"head{n}"] = np.void(head)
            value[...] = column[start:stop]
        yield stop - start, batch.tobytes()


def decode(data: npt.NDArray[np.uint8], types: Sequence[str]) -> list[Array] | None:
    """The columns of rows in the binary format of COPY, without signature and trailer;
    None if they have no fixed width.

    A column of tensors of one shape is an array with a dimension more.
    """
    if any(type_ != "tensor" and type_ not in NUMBERS for type_ in types):
        return None
    shapes: list[tuple[str, Any, tuple[int, ...]]] = []
    heads: list[bytes] = []
    at = 2
    raw = data[: 1 << 16].tobytes()
    for type_ in types:
        (length,) = struct.unpack_from(">i", raw, at)
        at += 4
        if length < 0:
            return None
        if type_ == "tensor":
            if data[at] != FORMAT_DENSE:
                return None
            first = from_binary(data[at : at + length].tobytes())
            heads.append(header(first.dtype, first.shape))
            shapes.append((type_, first.dtype, first.shape))
        else:
            heads.append(b"")
            shapes.append((type_, NUMBERS[type_], ()))
        at += length
        if at + 4 > len(raw):
            raw = data[: at + (1 << 16)].tobytes()
    row = _fields(shapes, heads)
    if len(data) % row.itemsize:
        return None
    rows = data.view(row)
    columns = []
    for n, (head, (_, dtype, _shape)) in enumerate(zip(heads, shapes)):
        value = rows[f"value{n}"]
        if not (rows[f"length{n}"] == len(head) + value[:1].nbytes).all():
            return None
        if head and not (rows[f"head{n}"] == np.void(head)).all():
            return None
        columns.append(value.astype(dtype))
    return columns if (rows["n"] == len(types)).all() else None


def decode_array(data: bytes, type_: str) -> Array | None:
    """The elements of a field of an array of numbers, in one dimension; None if some are NULL."""
    if int.from_bytes(data[4:8], "big"):
        return None
    element = np.dtype([("length", ">i4"), ("value", NUMBERS[type_].newbyteorder(">"))])
    values: Array = np.frombuffer(data, element, offset=_ARRAY.itemsize - 4)["value"].astype(NUMBERS[type_])
    return values


def split(data: npt.NDArray[np.uint8], nfields: int) -> Iterator[list[bytes | None]]:
    """The fields of each row in the binary format of COPY, one row after the other."""
    raw = data.data
    at = 0
    while at < len(raw):
        at += 2
        fields: list[bytes | None] = []
        for _ in range(nfields):
            (length,) = struct.unpack_from(">i", raw, at)
            at += 4
            fields.append(None if length < 0 else bytes(raw[at : at + length]))
            at += max(length, 0)
        yield fields
