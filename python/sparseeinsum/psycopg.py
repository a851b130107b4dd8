"""Tensors and numpy arrays in psycopg 3, as text, in binary, and in COPY; sparse values as sparse arrays.

from sparseeinsum.psycopg import register_tensor
register_tensor(conn)
conn.execute("INSERT INTO node VALUES (%s, %s)", (1, np.ones(3)))
with conn.cursor().copy("COPY node FROM STDIN (FORMAT BINARY)") as copy:
    copy.set_types(["int4", "tensor"])
    copy.write_row((1, np.ones(3)))
"""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
from psycopg import AsyncConnection, BaseConnection, Connection, sql
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo

from .sparse import SparseTensor
from .tensor import Buffer, from_binary, from_text, to_binary, to_text

# the class of which all sparse arrays and matrices of scipy are, by name: scipy need not be there
SPARSE_ARRAYS = "scipy.sparse._base._spbase"

_SCHEMA = "SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'sparseeinsum'"


class TensorTextDumper(Dumper):
    format = Format.TEXT

    def dump(self, obj: Any) -> Buffer:
        return to_text(obj).encode()


class TensorBinaryDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Any) -> Buffer:
        return to_binary(obj)


class TensorTextLoader(Loader):
    format = Format.TEXT

    def load(self, data: Buffer) -> Any:
        return from_text(bytes(data).decode())


class TensorBinaryLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> Any:
        return from_binary(data)


def _register(context: BaseConnection[Any], info: TypeInfo | None) -> None:
    if info is None:
        raise psycopg.ProgrammingError("the extension sparseeinsum is not in this database: CREATE EXTENSION sparseeinsum")
    info.register(context)
    adapters = context.adapters
    # of the dumpers of a class the one registered last is preferred
    for base in (TensorTextDumper, TensorBinaryDumper):
        for adapted in (np.ndarray, SparseTensor, SPARSE_ARRAYS):
            adapters.register_dumper(adapted, type(base.__name__, (base,), {"oid": info.oid}))
    adapters.register_loader(info.oid, TensorTextLoader)
    adapters.register_loader(info.oid, TensorBinaryLoader)


def _name(row: tuple[Any, ...] | None) -> sql.Identifier:
    return sql.Identifier(row[0], "tensor") if row else sql.Identifier("tensor")


def register_tensor(conn: Connection[Any]) -> None:
    """Numpy arrays are tensors on this connection, in both directions, in whatever schema the extension is; so are sparse arrays of
    scipy and SparseTensor, which are sparse values.

    >>> register_tensor(conn)
    >>> conn.execute("SELECT tensor_sparse(%s)", [np.eye(3)]).fetchone()[0].nnz
    3

    Raises psycopg.ProgrammingError where the extension is not installed.
    """
    with conn.cursor(row_factory=psycopg.rows.tuple_row) as cursor:
        name = _name(cursor.execute(_SCHEMA).fetchone())
    _register(conn, TypeInfo.fetch(conn, name))


async def register_tensor_async(conn: AsyncConnection[Any]) -> None:
    """The same for an asynchronous connection."""
    async with conn.cursor(row_factory=psycopg.rows.tuple_row) as cursor:
        name = _name(await (await cursor.execute(_SCHEMA)).fetchone())
    _register(conn, await TypeInfo.fetch(conn, name))
