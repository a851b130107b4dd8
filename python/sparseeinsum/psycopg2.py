"""Tensors and numpy arrays in psycopg2, which exchanges text; sparse values as sparse arrays.

from sparseeinsum.psycopg2 import register_tensor
register_tensor(conn)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from psycopg2 import ProgrammingError
from psycopg2.extensions import connection, cursor, new_array_type, new_type, register_adapter, register_type

from .sparse import SparseTensor, scipy_sparse
from .tensor import from_text, to_text


class TensorAdapter:
    """Writes an array or a sparse one into a statement, as a literal of the type."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def getquoted(self) -> bytes:
        return f"'{to_text(self._value)}'".encode()


def _cast(value: str | bytes | None, _cursor: Any) -> Any:
    return None if value is None else from_text(value if isinstance(value, str) else value.decode())


def register_tensor(conn_or_cursor: connection | cursor, globally: bool = False) -> None:
    """Tensors are numpy arrays in results of this connection or cursor, or of all, and sparse values sparse arrays of scipy or
    SparseTensor. Both are tensors in the parameters of all, as psycopg2 has one set of adapters.

    >>> register_tensor(conn)
    >>> cursor.execute("SELECT tensor_sparse(%s)", [np.eye(3)])
    >>> cursor.fetchone()[0].nnz
    3

    Raises psycopg2.ProgrammingError where the extension is not installed.
    """
    conn = conn_or_cursor.connection if isinstance(conn_or_cursor, cursor) else conn_or_cursor
    with conn.cursor(cursor_factory=cursor) as lookup:
        lookup.execute(
            "SELECT t.oid, t.typarray FROM pg_type t JOIN pg_extension e ON t.typnamespace = e.extnamespace"
            " WHERE e.extname = 'sparseeinsum' AND t.typname = 'tensor'"
        )
        oids = lookup.fetchone()
    if oids is None:
        raise ProgrammingError("the extension sparseeinsum is not in this database: CREATE EXTENSION sparseeinsum")
    tensor = new_type((oids[0],), "TENSOR", _cast)
    scope = None if globally else conn_or_cursor
    register_type(tensor, scope)
    register_type(new_array_type((oids[1],), "TENSORARRAY", tensor), scope)
    adapted = [np.ndarray, SparseTensor]
    if scipy_sparse() is not None:
        # the classes of all sparse arrays, and of all sparse matrices
        adapted += [scipy_sparse().sparray, scipy_sparse().spmatrix]
    for each in adapted:
        register_adapter(each, TensorAdapter)
