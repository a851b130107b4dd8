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

from .tensor import Array, from_binary, header

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


@dataclass
class Column:
    """A column to be written: one value a row, along the first dimension.

    type: a type of NUMBERS or TIMES, "tensor", or any other, which goes row by row.
    """

    type: str
    values: Array

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
