"""Tensors and tensor programs of the PostgreSQL extension sparseeinsum, in Python.

Adapters between the type tensor and numpy arrays are in sparseeinsum.psycopg,
.psycopg2, .asyncpg, .sqlalchemy and .django; each imports its library, and
nothing else does. The client below works on a psycopg 3 connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .sparse import SparseTensor
from .tensor import from_binary, from_text, to_binary, to_text

if TYPE_CHECKING:
    from .client import analyze, arrow, coo, decompose, dimension, frame, gradient, iterate, plan, register, rows, tensors, value
    from .storing import store

_CLIENT = (
    "analyze",
    "arrow",
    "coo",
    "decompose",
    "dimension",
    "frame",
    "gradient",
    "iterate",
    "plan",
    "register",
    "rows",
    "tensors",
    "value",
)

__all__ = [
    "SparseTensor",
    "analyze",
    "arrow",
    "coo",
    "decompose",
    "dimension",
    "frame",
    "from_binary",
    "from_text",
    "gradient",
    "iterate",
    "plan",
    "register",
    "rows",
    "store",
    "tensors",
    "to_binary",
    "to_text",
    "value",
]
__version__ = "0.3.0"


def __getattr__(name: str) -> Any:
    # the client imports psycopg 3, which users of other drivers may lack
    if name == "store":
        from .storing import store

        return store
    if name in _CLIENT:
        from . import client

        return getattr(client, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
