"""The psycopg 3 connection in what a caller passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import psycopg

if TYPE_CHECKING:
    import sqlalchemy
    import sqlalchemy.orm

Connectable: TypeAlias = "psycopg.Connection[Any] | sqlalchemy.Connection | sqlalchemy.orm.Session"


def driver_connection(conn: Connectable) -> psycopg.Connection[Any]:
    """The psycopg 3 connection itself, or the one below a connection or session of SQLAlchemy.

    Of SQLAlchemy's it begins the transaction that its commit() ends, as execute() does.
    Raises TypeError for anything else.
    """
    if isinstance(conn, psycopg.Connection):
        return conn
    outer: Any = conn
    # a Session's connection() is a Connection; a Connection's connection is what the pool lends
    if callable(getattr(outer, "connection", None)) and hasattr(outer, "get_bind"):
        outer = outer.connection()
    below = getattr(getattr(outer, "connection", None), "driver_connection", None)
    if isinstance(below, psycopg.Connection):
        if not outer.in_transaction():
            outer.begin()
        return below
    if below is not None:
        raise TypeError(f"SQLAlchemy's driver is {type(below).__module__}, not psycopg 3: use the URL postgresql+psycopg://...")
    hint = "call its connect()" if hasattr(conn, "connect") and hasattr(conn, "dialect") else "open one by psycopg.connect(...)"
    raise TypeError(f"the client needs a psycopg 3 connection, not {type(conn).__module__}.{type(conn).__qualname__}: {hint}")
