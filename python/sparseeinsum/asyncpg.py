"""Tensors and numpy arrays in asyncpg, which exchanges the binary form; sparse values as sparse arrays.

from sparseeinsum.asyncpg import register_tensor
await register_tensor(conn)         # or asyncpg.create_pool(..., init=register_tensor)
"""

from __future__ import annotations

from typing import Any

from asyncpg import Connection
from asyncpg.exceptions import UndefinedObjectError

from .tensor import from_binary, from_text, to_binary


def _encode(value: Any) -> bytes:
    # SQLAlchemy passes what its column type has written as text
    return bytes(to_binary(from_text(value) if isinstance(value, str) else value))


async def register_tensor(conn: Connection) -> None:
    """Numpy arrays are tensors on this connection, in both directions, also in copy_records_to_table; so are sparse arrays of scipy
    and SparseTensor, which are sparse values.

    >>> await register_tensor(conn)
    >>> (await conn.fetchval("SELECT tensor_sparse($1)", np.eye(3))).nnz
    3

    Raises asyncpg.UndefinedObjectError where the extension is not installed.
    """
    schema = await conn.fetchval("SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'sparseeinsum'")
    if schema is None:
        raise UndefinedObjectError("the extension sparseeinsum is not in this database: CREATE EXTENSION sparseeinsum")
    await conn.set_type_codec("tensor", schema=schema, encoder=_encode, decoder=from_binary, format="binary")
