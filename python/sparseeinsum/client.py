"""Programs in the database, and their results.

Every function takes a psycopg 3 connection first. Nothing commits, but that a
connection in autocommit mode commits each statement. What a statement raises,
psycopg raises.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
from psycopg import Connection, RawCursor, sql
from psycopg.adapt import Transformer
from psycopg.pq import Format
from psycopg.rows import tuple_row

from . import copying
from .psycopg import register_tensor
from .tensor import Array

if TYPE_CHECKING:
    import pandas
    import pyarrow
    import scipy.sparse

# arguments of the SQL functions that a text or number does not become by itself
_CASTS = {"at": "name[]", "schema": "name", "value": "name", "keys": "text[]"}


def _call(function: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> tuple[sql.Composed, list[Any]]:
    """function(arguments, option => value, ...) and its parameters."""
    given = {name: value for name, value in options.items() if value is not None}
    parts: list[sql.Composable] = [sql.SQL("%s") for _ in arguments]
    for name in given:
        cast = _CASTS.get(name)
        parts.append(sql.SQL("{} => %s{}").format(sql.Identifier(name), sql.SQL(f"::{cast}" if cast else "")))
    call = sql.SQL("{}({})").format(sql.SQL(function), sql.SQL(", ").join(parts))
    return call, [*arguments, *given.values()]


def _one(conn: Connection[Any], function: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
    call, parameters = _call(function, arguments, options)
    with conn.cursor(row_factory=tuple_row, binary=True) as cursor:
        row = cursor.execute(sql.SQL("SELECT {}").format(call), parameters).fetchone()
    return row[0] if row else None


def _lines(conn: Connection[Any], function: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> list[str]:
    call, parameters = _call(function, arguments, options)
    with conn.cursor(row_factory=tuple_row) as cursor:
        return [row[0] for row in cursor.execute(sql.SQL("SELECT * FROM {}").format(call), parameters)]


class Plan:
    """What einsum_plan says of a program. Its text is its str; notebooks show its picture."""

    def __init__(self, conn: Connection[Any], program: str, options: Mapping[str, Any]) -> None:
        self.text = "\n".join(_lines(conn, "einsum_plan", [program], options))
        self.svg = "\n".join(_lines(conn, "einsum_plan", [program], {**options, "format": "svg"}))

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_svg_(self) -> str:
        return self.svg


def plan(conn: Connection[Any], program: str, **options: Any) -> Plan:
    """The plan of a program. options: those of einsum_plan, but for format."""
    return Plan(conn, program, options)


def value(conn: Connection[Any], program: str, **options: Any) -> Array:
    """The result of the last statement as one array, with the shape of its labels' bounds.

    options: those of einsum_value. An open label is an error of the server.
    """
    register_tensor(conn)
    result: Array = _one(conn, "einsum_value", [program], options)
    return result


def _columns(conn: Connection[Any], query: str) -> tuple[list[str], list[Array]]:
    """The columns of a query's rows, each an array: of numbers, of tensors of one shape, or of objects."""
    described = conn.pgconn.prepare(b"", query.encode(conn.info.encoding))
    if described.status != psycopg.pq.ExecStatus.COMMAND_OK:
        raise psycopg.errors.lookup(described.error_field(psycopg.pq.DiagnosticField.SQLSTATE).decode())(  # type: ignore[union-attr]
            described.error_message.decode(conn.info.encoding)
        )
    described = conn.pgconn.describe_prepared(b"")
    names = [(described.fname(n) or b"").decode(conn.info.encoding) for n in range(described.nfields)]
    oids = [described.ftype(n) for n in range(described.nfields)]
    known = [conn.adapters.types.get(oid) for oid in oids]
    types = [info.name if info else "" for info in known]
    with conn.cursor() as cursor, cursor.copy(sql.SQL("COPY ({}) TO STDOUT (FORMAT BINARY)").format(sql.SQL(query))) as copy:
        data = np.frombuffer(b"".join(copy), np.uint8)
    data = data[len(copying.SIGNATURE) : -len(copying.TRAILER)]
    if len(data):
        columns = copying.decode(data, types)
        if columns is not None:
            return names, columns
    transformer = Transformer(conn)
    loaders = [transformer.get_loader(oid, Format.BINARY) for oid in oids]
    rows = [
        [None if field is None else loader.load(field) for field, loader in zip(fields, loaders)]
        for fields in copying.split(data, len(oids))
    ]
    result = []
    for n, type_ in enumerate(types):
        if type_ in copying.NUMBERS and not any(row[n] is None for row in rows):
            result.append(np.array([row[n] for row in rows], copying.NUMBERS[type_]))
        else:
            column = np.empty(len(rows), object)
            for at, row in enumerate(rows):
                column[at] = row[n]
            result.append(column)
    return names, result


def _entries(conn: Connection[Any], program: str, options: Mapping[str, Any]) -> tuple[list[str], list[Array]]:
    """The rows of a program's result: a column for each label, and the values."""
    register_tensor(conn)
    return _columns(conn, _one(conn, "einsum_sql", [program], {"result": "rows", **options}))


def frame(conn: Connection[Any], program: str, **options: Any) -> pandas.DataFrame:
    """The entries of the result as rows: a column for each label, and ``value``.

    options: those of einsum_sql; ``result="auto"`` gives rows with vectors, if the program says so.
    """
    import pandas

    names, columns = _entries(conn, program, options)
    return pandas.DataFrame({name: column if column.ndim == 1 else list(column) for name, column in zip(names, columns)}, columns=names)


def arrow(conn: Connection[Any], program: str, **options: Any) -> pyarrow.Table:
    """The same as an Arrow table; vectors of one shape are a FixedShapeTensor column."""
    import pyarrow

    names, columns = _entries(conn, program, options)
    arrays = [pyarrow.array(column) if column.ndim == 1 else pyarrow.FixedShapeTensorArray.from_numpy_ndarray(column) for column in columns]
    return pyarrow.Table.from_arrays(arrays, names=names)


def coo(conn: Connection[Any], program: str, **options: Any) -> scipy.sparse.coo_array:
    """The result as a sparse array of rank 1 or 2.

    Raises ValueError if its fill is not 0 (all entries that are not stored would be lost), or a label is open.
    """
    import scipy.sparse

    described = json.loads("".join(_lines(conn, "einsum_plan", [program], {**options, "format": "json"})))[0]["result"]
    if described["fill"] not in ("0", "0+0i"):
        raise ValueError(f"{described['name']} is {described['fill']} wherever nothing is stored: a sparse array would be 0 there")
    if None in described["bounds"]:
        raise ValueError(f"{described['name']} has an open label, and no shape: use frame()")
    if not 1 <= len(described["bounds"]) <= 2:
        raise ValueError(f"{described['name']} has {len(described['bounds'])} labels: use value()")
    columns: list[Any] = _entries(conn, program, options)[1]
    shape = tuple(map(int, described["bounds"]))
    result: scipy.sparse.coo_array = scipy.sparse.coo_array((columns[-1], tuple(columns[:-1])), shape=shape)
    return result


def rows(conn: Connection[Any], program: str, at: Mapping[str, Any] | None = None, **options: Any) -> list[tuple[Any, ...]]:
    """The rows of the result, all of them or those at the keys of some labels, as ``at={"i": 42}``.

    options: those of einsum_sql.
    """
    register_tensor(conn)
    keys = dict(at or {})
    query = _one(conn, "einsum_sql", [program], {**options, "at": list(keys) or None})
    with RawCursor(conn, row_factory=tuple_row) as cursor:
        return cursor.execute(query, list(keys.values()), binary=True).fetchall()


class Decomposition(Sequence[tuple[str, str, str, float, float]]):
    """The views of a program: a row (view, notation, columns, cost, tuples) for each stage.

    As a context manager it drops them at the end.
    """

    def __init__(self, conn: Connection[Any], program: str, name: str, options: Mapping[str, Any]) -> None:
        call, parameters = _call("einsum_decompose", [program, name], options)
        self._conn = conn
        self._schema = options.get("schema")
        self.name = name
        with conn.cursor(row_factory=tuple_row) as cursor:
            self.stages = cursor.execute(sql.SQL("SELECT * FROM {}").format(call), parameters).fetchall()

    def __getitem__(self, at: Any) -> Any:
        return self.stages[at]

    def __len__(self) -> int:
        return len(self.stages)

    def refresh(self) -> None:
        """Brings tables of ``materialize="always"`` up to date."""
        _one(self._conn, "einsum_refresh", [self.name], {"schema": self._schema})

    def drop(self) -> None:
        """Drops the views or tables."""
        _one(self._conn, "einsum_drop", [self.name], {"schema": self._schema})

    def __enter__(self) -> Decomposition:
        return self

    def __exit__(self, exception: type[BaseException] | None, *_: object) -> None:
        # a transaction that has failed drops them itself
        if self._conn.info.transaction_status != psycopg.pq.TransactionStatus.INERROR:
            self.drop()


def decompose(conn: Connection[Any], program: str, name: str, **options: Any) -> Decomposition:
    """Creates the views of a program (einsum_decompose); with ``with``, for the time of the block."""
    return Decomposition(conn, program, name, options)


def register(
    conn: Connection[Any],
    tensor: str,
    relation: str,
    keys: Sequence[str],
    value: str | None = None,
    bounds: Sequence[int | str] | None = None,
    **options: Any,
) -> None:
    """Declares that a table or view holds a tensor (einsum_register).

    As in ``register(conn, "a[I,J]", "edge", ["dst", "src"], "weight", [2708, 2708])``.
    """
    given = None if bounds is None else "{" + ",".join(map(str, bounds)) + "}"
    _one(conn, "einsum_register", [tensor, relation], {"keys": list(keys), "value": value, "bounds": given, **options})
