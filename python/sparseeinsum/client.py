"""Programs in the database, and their results.

Every function takes a psycopg 3 connection first, or one of SQLAlchemy whose driver
is psycopg 3. Nothing commits, but that a connection in autocommit mode commits each
statement. What a statement raises, psycopg raises; an option that the SQL function
has not is a TypeError.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
from psycopg import RawCursor, sql
from psycopg.adapt import Transformer
from psycopg.pq import Format
from psycopg.rows import tuple_row

from . import copying
from .connection import Connectable, driver_connection
from .options import DecomposeOptions, GradientOptions, IterateOptions, PlanOptions, RegisterOptions, SearchOptions, checked
from .psycopg import register_tensor
from .sparse import is_sparse
from .tensor import Array

if TYPE_CHECKING:
    import pandas
    import pyarrow
    import scipy.sparse
    from typing_extensions import Never, Self, Unpack

Connection = psycopg.Connection[Any]

# arguments of the SQL functions that a text or number does not become by itself
_CASTS = {
    "at": "name[]",
    "schema": "name",
    "keys": "text[]",
    "assign": "text[]",
    "stored": "text[]",
    "wrt": "text[]",
    "key": "name",
    "position": "name",
}


def _call(function: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> tuple[sql.Composed, list[Any]]:
    """function(arguments, option => value, ...) and its parameters."""
    given = {name: value for name, value in options.items() if value is not None}
    parts: list[sql.Composable] = [sql.SQL("%s") for _ in arguments]
    for name in given:
        cast = _CASTS.get(name)
        parts.append(sql.SQL("{} => %s{}").format(sql.Identifier(name), sql.SQL(f"::{cast}" if cast else "")))
    call = sql.SQL("{}({})").format(sql.SQL(function), sql.SQL(", ").join(parts))
    return call, [*arguments, *(_names(k, v) if _CASTS.get(k, "").endswith("[]") else v for k, v in given.items())]


def _names(option: str, given: Any) -> list[str]:
    """The names that an option has: one by itself is a list of one. Raises TypeError for anything else."""
    names = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else [given]
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{option} is a list of names, and not {given!r}")
    return names


def _no_arrays(arrays: Sequence[object]) -> None:
    """Raises TypeError if there are arguments behind the program, as numpy.einsum has them."""
    if arrays:
        raise TypeError("a program reads tensors that are stored: store(conn, 'a[I,J]', array), then 'y[i] = sum[j] a[i,j]'")


def _array(elements: Sequence[Any]) -> str:
    """The text of an array, of names or of what is written as them."""
    return "{" + ",".join('"' + str(each).replace("\\", "\\\\").replace('"', '\\"') + '"' for each in elements) + "}"


def _one(conn: Connection, function: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
    call, parameters = _call(function, arguments, options)
    with conn.cursor(row_factory=tuple_row, binary=True) as cursor:
        row = cursor.execute(sql.SQL("SELECT {}").format(call), parameters).fetchone()
    return row[0] if row else None


class Table(Sequence[tuple[Any, ...]]):
    """Rows with the names of their columns, shown as psql shows them."""

    def __init__(self, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        self.columns = list(columns)
        self.rows = list(rows)

    def __getitem__(self, at: Any) -> Any:
        return self.rows[at]

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> list[Any]:
        """The values of a column. Raises ValueError if no column has that name."""
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    def __repr__(self) -> str:
        shown = self.rows if len(self.rows) <= 20 else [*self.rows[:10], tuple("..." for _ in self.columns), *self.rows[-10:]]
        texts = [self.columns, *([_cell(value) for value in row] for row in shown)]
        widths = [max(len(row[n]) for row in texts) for n in range(len(self.columns))]
        lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in texts]
        return "\n".join([lines[0], "-+-".join("-" * width for width in widths), *lines[1:]])


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    text = "" if value is None else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _table(conn: Connection, query: sql.Composable, parameters: Sequence[Any] = ()) -> Table:
    with conn.cursor(row_factory=tuple_row) as cursor:
        rows = cursor.execute(sql.SQL("{}").format(query), parameters).fetchall()
        return Table([column.name for column in cursor.description or ()], rows)


def _rows_of(conn: Connection, function: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Table:
    call, parameters = _call(function, arguments, options)
    return _table(conn, sql.SQL("SELECT * FROM {}").format(call), parameters)


def _lines(conn: Connection, function: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> list[str]:
    return [row[0] for row in _rows_of(conn, function, arguments, options)]


class Plan:
    """What einsum_plan says of a program. Its text is its str; notebooks show its picture."""

    def __init__(self, conn: Connection, program: str, options: Mapping[str, Any]) -> None:
        self.text = "\n".join(_lines(conn, "einsum_plan", [program], options))
        self.svg = "\n".join(_lines(conn, "einsum_plan", [program], {**options, "format": "svg"}))

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_svg_(self) -> str:
        return self.svg


def plan(conn: Connectable, program: str, *arrays: Never, **options: Unpack[PlanOptions]) -> Plan:
    """The plan of a program. options: those of einsum_plan, but for format.

    >>> "y[I]" in plan(conn, "y[I] = sum[j] a[i,j]").text
    True
    """
    _no_arrays(arrays)
    return Plan(driver_connection(conn), program, checked(options, PlanOptions))


def value(conn: Connectable, program: str, *arrays: Never, **options: Unpack[SearchOptions]) -> Any:
    """The result of the last statement as one array, with the shape of its labels' bounds; where the server gives a sparse value, a
    sparse array of scipy (rank 1 and 2, fill 0) or a SparseTensor.

    options: those of einsum_value. An open label is an error of the server.

    >>> value(conn, "y[i] = sum[j] a[i,j]")
    array([2., 3., 0.])
    """
    _no_arrays(arrays)
    conn = driver_connection(conn)
    register_tensor(conn)
    return _one(conn, "einsum_value", [program], checked(options, SearchOptions))


# rows in one array, which may not be larger than 1 GB
_ROWS_OF_ARRAY = 1 << 22


def _number_columns(conn: Connection, query: str, types: Sequence[str]) -> list[Array] | None:
    """The columns of a query whose columns have numbers, as arrays that the server makes: a row by itself takes a microsecond or
    more to get here. None if there are NULLs."""
    columns = [sql.Identifier(f"c{n}") for n in range(len(types))]
    statement = sql.SQL(
        "SELECT {} FROM (SELECT *, (pg_catalog.row_number() OVER () - 1) / {} AS part FROM ({}) AS q({})) AS r GROUP BY part ORDER BY part"
    ).format(
        sql.SQL(", ").join(sql.SQL("pg_catalog.array_agg({})").format(column) for column in columns),
        sql.Literal(_ROWS_OF_ARRAY),
        sql.SQL(query),
        sql.SQL(", ").join(columns),
    )
    with conn.cursor(binary=True) as cursor:
        result = cursor.execute(statement).pgresult
        assert result is not None
        parts: list[list[Array]] = []
        for n, type_ in enumerate(types):
            arrays = [copying.decode_array(result.get_value(row, n) or b"", type_) for row in range(result.ntuples)]
            present = [array for array in arrays if array is not None]
            if len(present) < len(arrays):
                return None
            parts.append(present or [np.empty(0, copying.NUMBERS[type_])])
    return [np.concatenate(arrays) if len(arrays) > 1 else arrays[0] for arrays in parts]


def _columns(conn: Connection, query: str) -> tuple[list[str], list[Array]]:
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
    if oids and all(type_ in copying.NUMBERS for type_ in types):
        numbers = _number_columns(conn, query, types)
        if numbers is not None:
            return names, numbers
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
        dtype = copying.NUMBERS.get(type_, np.dtype("M8[us]") if type_ == "timestamp" else None)
        if dtype is not None and not any(row[n] is None for row in rows):
            result.append(np.array([row[n] for row in rows], dtype))
        else:
            column = np.empty(len(rows), object)
            for at, row in enumerate(rows):
                column[at] = row[n]
            result.append(column)
    return names, result


def _entries(conn: Connection, program: str, options: Mapping[str, Any]) -> tuple[list[str], list[Array]]:
    """The rows of a program's result: a column for each label, and the values."""
    register_tensor(conn)
    return _columns(conn, _one(conn, "einsum_sql", [program], {"result": "rows", **checked(options, SearchOptions)}))


def _without_sparse(column: Array) -> Array:
    """A column in which sparse values are arrays with all elements."""
    if column.dtype == object:
        for n, each in enumerate(column):
            if is_sparse(each):
                column[n] = each.toarray()
    return column


def frame(conn: Connectable, program: str, *arrays: Never, **options: Unpack[SearchOptions]) -> pandas.DataFrame:
    """The entries of the result as rows: a column for each label, and ``value``.

    options: those of einsum_sql; ``result="auto"`` gives rows with vectors, if the program says so.

    >>> frame(conn, "y[i] = sum[j] a[i,j]").sort_values("i").values.tolist()
    [[0.0, 2.0], [1.0, 3.0]]
    """
    import pandas

    _no_arrays(arrays)
    names, columns = _entries(driver_connection(conn), program, options)
    return pandas.DataFrame({name: column if column.ndim == 1 else list(column) for name, column in zip(names, columns)}, columns=names)


def arrow(conn: Connectable, program: str, *arrays: Never, **options: Unpack[SearchOptions]) -> pyarrow.Table:
    """The same as an Arrow table; vectors of one shape are a FixedShapeTensor column.

    >>> arrow(conn, "y[i] = sum[j] a[i,j]").num_rows
    2
    """
    import pyarrow

    _no_arrays(arrays)
    names, columns = _entries(driver_connection(conn), program, options)
    columns = [_without_sparse(column) for column in columns]
    made = [pyarrow.array(column) if column.ndim == 1 else pyarrow.FixedShapeTensorArray.from_numpy_ndarray(column) for column in columns]
    return pyarrow.Table.from_arrays(made, names=names)


def _indices(keys: Array, first: int) -> Array:
    """The indices of keys, which are integers, or days counted as PostgreSQL counts them."""
    if keys.dtype == object:
        keys = (keys.astype("datetime64[D]") - np.datetime64("2000-01-01")).astype(np.int64)
    return keys - first if first else keys


def coo(conn: Connectable, program: str, *arrays: Never, **options: Unpack[SearchOptions]) -> scipy.sparse.coo_array:
    """The result as a sparse array of rank 1 or 2.

    >>> coo(conn, "b[j,i] = a[i,j]").toarray().tolist()
    [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0]]

    Raises ValueError if its fill is not 0 (all entries that are not stored would be lost), a label is open, or its values are
    vectors or matrices.
    """
    import scipy.sparse

    _no_arrays(arrays)
    conn = driver_connection(conn)
    known = checked(options, SearchOptions)
    described = json.loads("".join(_lines(conn, "einsum_plan", [program], {**known, "format": "json"})))[0]["result"]
    if described["fill"] not in ("0", "0+0i"):
        raise ValueError(f"{described['name']} is {described['fill']} wherever nothing is stored: a sparse array would be 0 there")
    if None in described["bounds"]:
        raise ValueError(f"{described['name']} has an open label, and no shape: use frame()")
    if not 1 <= len(described["bounds"]) <= 2:
        raise ValueError(f"{described['name']} has {len(described['bounds'])} labels: use value()")
    columns: list[Any] = _entries(conn, program, options)[1]
    shape = tuple(map(int, described["bounds"]))
    if columns[-1].dtype == object or columns[-1].ndim > 1:
        raise ValueError(f"{described['name']} has values of several entries: write its labels in lower case, or use frame()")
    indices: Any = tuple(_indices(keys, first) for keys, first in zip(columns, described.get("firsts", [0] * len(shape))))
    result: scipy.sparse.coo_array = scipy.sparse.coo_array((columns[-1], indices), shape=shape)
    return result


def rows(
    conn: Connectable, program: str, at: Mapping[str, Any] | None = None, *arrays: Never, **options: Unpack[SearchOptions]
) -> list[tuple[Any, ...]]:
    """The rows of the result, all of them or those at the keys of some labels, as ``at={"i": 42}``.

    options: those of einsum_sql.

    >>> rows(conn, "y[I] = sum[j] a[i,j]", at={"i": 1})
    [(1, 3.0)]
    """
    if hasattr(at, "__array__"):
        _no_arrays([at])
    _no_arrays(arrays)
    if at is not None and not isinstance(at, Mapping):
        raise TypeError(f"at is a mapping of labels to keys, as at={{'i': 42}}, and not {at!r}")
    conn = driver_connection(conn)
    register_tensor(conn)
    if at is not None and not isinstance(at, Mapping):
        raise TypeError(f"at is {at!r}, not a mapping of labels to keys, as at={{'i': 42}}")
    keys = dict(at or {})
    query = _one(conn, "einsum_sql", [program], {**checked(options, SearchOptions), "at": list(keys) or None})
    with RawCursor(conn, row_factory=tuple_row) as cursor:
        return cursor.execute(query, list(keys.values()), binary=True).fetchall()


class _Made(Table):
    """Rows of what a call made under a name. As a context manager it drops that at the end."""

    def __init__(self, conn: Connection, name: str, schema: str | None, rows: Table) -> None:
        super().__init__(rows.columns, rows.rows)
        self._conn = conn
        self._schema = schema
        self.name = name

    def drop(self) -> None:
        """Drops the views or tables."""
        _one(self._conn, "einsum_drop", [self.name], {"schema": self._schema})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, exception: type[BaseException] | None, *_: object) -> None:
        # a transaction that has failed drops them itself
        if self._conn.info.transaction_status != psycopg.pq.TransactionStatus.INERROR:
            self.drop()


class Decomposition(_Made):
    """The views of a program: a row (view, notation, columns, cost, tuples) for each stage."""

    @property
    def stages(self) -> list[tuple[Any, ...]]:
        return self.rows

    def refresh(self, whole: bool = False) -> Table:
        """Brings tables of ``materialize="always"`` up to date: a row (tensor, how, why, changes, written, milliseconds) for each."""
        return _rows_of(self._conn, "einsum_refresh", [self.name], {"schema": self._schema, "whole": whole})


class Loop(_Made):
    """What the rounds of a loop were: a row (round, value, entries, bytes, milliseconds, planned, columns) for each."""

    @property
    def rounds(self) -> int:
        return len(self.rows)


def decompose(conn: Connectable, program: str, name: str, **options: Unpack[DecomposeOptions]) -> Decomposition:
    """Creates the views of a program (einsum_decompose); with ``with``, for the time of the block.

    >>> with decompose(conn, "y[I] = sum[j] a[i,j]", "sums"):
    ...     conn.execute("SELECT value FROM y WHERE i = 0").fetchone()
    (2.0,)
    """
    conn = driver_connection(conn)
    known = checked(options, DecomposeOptions)
    return Decomposition(conn, name, known.get("schema"), _rows_of(conn, "einsum_decompose", [program, name], known))


def iterate(conn: Connectable, name: str, init: str | None, step: str, **options: Unpack[IterateOptions]) -> Loop:
    """Repeats a program until a condition holds (einsum_iterate); its states are tables, until ``drop()`` or the end of ``with``.

    >>> with iterate(conn, "half", "size[] = 8", "size[] = size[]/2", until="size[] <= 1") as loop:
    ...     loop.rounds, value(conn, "y[] = size[]").tolist()
    (3, 1.0)
    """
    conn = driver_connection(conn)
    known = checked(options, IterateOptions)
    return Loop(conn, name, known.get("schema"), _rows_of(conn, "einsum_iterate", [name, init, step], known))


def gradient(conn: Connectable, program: str, of: str, wrt: Sequence[str], **options: Unpack[GradientOptions]) -> str:
    """A program that computes the derivatives of a number by tensors, ``d_x`` for each x (einsum_gradient).

    >>> "d_x" in gradient(conn, "loss[] = sum[i] (x[i] - 1)^2", "loss", ["x"])
    True
    """
    result: str = _one(driver_connection(conn), "einsum_gradient", [program, of], {"wrt": wrt, **checked(options, GradientOptions)})
    return result


def register(
    conn: Connectable,
    tensor: str,
    relation: str,
    keys: Sequence[str],
    value: str | Sequence[str] | None = None,
    bounds: Sequence[int | str] | None = None,
    **options: Unpack[RegisterOptions],
) -> None:
    """Declares that a table or view holds a tensor (einsum_register).

    value: the value column; a list of columns is one dimension of the value, the one label in lower case.

    >>> _ = conn.execute("CREATE TABLE edge (dst int, src int, weight float8, PRIMARY KEY (dst, src))")
    >>> register(conn, "e[I,J]", "edge", ["dst", "src"], "weight", [2708, 2708])
    """
    values = value if value is None or isinstance(value, str) else _array(value)
    given = None if bounds is None else _array(bounds)
    known = checked(options, RegisterOptions)
    arguments = {"keys": keys, "value": values, "bounds": given, **known}
    _one(driver_connection(conn), "einsum_register", [tensor, relation], arguments)


def dimension(conn: Connectable, name: str, relation: str, key: str, position: str | None = None) -> None:
    """Declares that the keys of a table are the index set of labels, by ``bounds=[name, ...]`` (einsum_dimension).

    >>> _ = conn.execute("CREATE TABLE city (name text PRIMARY KEY)")
    >>> dimension(conn, "city", "city", "name")
    """
    _one(driver_connection(conn), "einsum_dimension", [name, relation], {"key": key, "position": position})


def analyze(conn: Connectable, tensor: str) -> Table:
    """Measures a tensor for the optimizer (einsum_analyze): a row (statistic, labels, given, count) for each measure.

    >>> analyze(conn, "a")[0]
    ('entries', 'i, j', None, 2)
    """
    return _rows_of(driver_connection(conn), "einsum_analyze", [tensor], {})


def tensors(conn: Connectable) -> Table:
    """The tensors that are registered (einsum_tensors), those of the search path first.

    >>> tensors(conn).column("tensor")
    ['a', 'x']
    """
    conn = driver_connection(conn)
    return _table(conn, sql.SQL("SELECT * FROM einsum_tensors ORDER BY schema <> ALL (current_schemas(true)), schema, tensor"))
