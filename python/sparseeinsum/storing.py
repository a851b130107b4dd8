"""Arrays, matrices and frames as registered tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, cast

import psycopg
from psycopg import sql
from psycopg.rows import tuple_row

from . import copying
from .client import register
from .connection import Connectable, driver_connection
from .copying import Column, ListColumn
from .foreign import Nan, source_of
from .options import RegisterOptions
from .psycopg import register_tensor
from .sources import in_layout
from .tensor import NAMES, NUMBERS

_NOTATION = re.compile(r"\s*(?:(?P<schema>[^\s.\[\]]+)\.)?(?P<name>[^\s.\[\]]+)\s*(?:\[(?P<labels>[^\]]*)\])?\s*")


def _parse(notation: str) -> tuple[str | None, str, list[str] | None]:
    """Schema, name and labels of a notation; None if it has no labels."""
    match = _NOTATION.fullmatch(notation)
    if match is None:
        raise ValueError(f"{notation!r} is not a tensor's notation, such as a[I,j]")
    if match["labels"] is None:
        return match["schema"], match["name"], None
    labels = [label.strip() for label in match["labels"].split(",")] if match["labels"].strip() else []
    for label in labels:
        if not label.isidentifier():
            raise ValueError(f"label {label!r} of {notation!r} is no name; einsum_store() makes tables in blocks")
    return match["schema"], match["name"], labels


def _key_definition(name: str, column: Column, bound: str) -> sql.Composed:
    column_name = sql.Identifier(name)
    definition = sql.SQL("{} {} NOT NULL").format(column_name, sql.SQL(column.type))
    first, dots, last = bound.partition("..")
    if bound.isdecimal():
        definition += sql.SQL(" CHECK ({0} >= 0 AND {0} < {1})").format(column_name, sql.Literal(int(bound)))
    elif dots and '"' not in bound:
        definition += sql.SQL(" CHECK ({} BETWEEN {} AND {})").format(column_name, sql.Literal(first), sql.Literal(last))
    return definition


def _array_storage(table: sql.Identifier, names: Sequence[str]) -> sql.Composed:
    """Arrays are not compressed, as values are not: trying it takes most of the time to store them, and hardly shortens numbers."""
    changes = sql.SQL(", ").join(sql.SQL("ALTER {} SET STORAGE EXTERNAL").format(sql.Identifier(name)) for name in names)
    return sql.SQL("ALTER TABLE {} {}").format(table, changes)


def _value_definition(name: str, column: Column | ListColumn) -> sql.Composed:
    column_name = sql.Identifier(name)
    if isinstance(column, ListColumn) or column.type != "tensor":
        return sql.SQL("{} {} NOT NULL").format(column_name, sql.SQL(column.type))
    shape = column.values.shape[1:]
    type_ = sql.SQL(f"tensor({NAMES[NUMBERS[column.values.dtype]]},{len(shape)})")
    definition = sql.SQL("{} {} NOT NULL").format(column_name, type_)
    if shape:
        # a shape that is proven is not looked at again in each row
        definition += sql.SQL(" CHECK (tensor_shape({}) = {}::int4[])").format(
            column_name, sql.Literal("{" + ",".join(map(str, shape)) + "}")
        )
    return definition


def _progress(total: int, name: str, shown: bool | None) -> Any:
    """A bar of tqdm over total rows, where it is installed: by default on a terminal only."""
    if shown is False:
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=total, desc=name, unit=" rows", unit_scale=True, disable=None if shown is None else False)


def _copy(
    conn: psycopg.Connection[Any], table: sql.Identifier, names: Sequence[str], given: Sequence[Column | ListColumn], bar: Any
) -> None:
    """Copies the columns into the table."""
    count = len(given[0])
    target = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(table, sql.SQL(", ").join(map(sql.Identifier, names)))
    with conn.cursor() as cursor, cursor.copy(target) as copy:
        columns = [column for column in given if isinstance(column, Column)]
        if len(columns) < len(given) or all(column.fixed for column in columns):
            copy.write(copying.SIGNATURE)
            for rows, batch in copying.encode(columns) if len(columns) == len(given) else copying.encode_lists(given):
                copy.write(batch)
                if bar is not None:
                    bar.update(rows)
            copy.write(copying.TRAILER)
            return
        copy.set_types([column.type for column in columns])
        step = copying.rows_per_batch(columns)
        for start in range(0, count, step):
            part = [Column(column.type, column.values[start : start + step]) for column in columns]
            for row in zip(*(column.objects() for column in part)):
                copy.write_row(row)
            if bar is not None:
                bar.update(min(step, count - start))


def store(
    conn: Connectable,
    tensor: str,
    data: Any,
    *,
    keys: Sequence[str] | None = None,
    value: str | Sequence[str] | None = "value",
    bounds: Sequence[int | str] | None = None,
    fill: float = 0,
    relation: str | None = None,
    if_exists: Literal["fail", "replace", "append"] = "fail",
    nan: Nan | None = None,
    progress: bool | None = None,
    layout: Literal["rows", "csr", "lists"] | None = None,
) -> int:
    """Stores data as a registered table, by binary COPY in batches; returns the number of rows.

    tensor: a notation such as ``h[I,k]``: an upper-case label is a key column, a lower-case one a
        dimension of the value. A name alone has a key for each column of a frame or dimension of a
        sparse matrix, and makes one value of an array.
    data: an array, or what numpy makes one of (where all labels are keys, entries that are fill are not stored); a scipy
        sparse matrix; a DataFrame, whose named index is columns too; a Series, whose index is keys; what gives an Arrow
        stream or the dataframe protocol (pyarrow, polars, duckdb, ADBC); a mapping of columns, or a structured array; a
        networkx graph, by its edges: of an undirected one both ways, parallel ones added up. Each column is a key or a
        value. Levels of a Series' index are the keys of their names; if no name is a key, they are the keys in order.
    keys: the key columns; by default the lower-cased labels. Integers, texts, UUIDs, dates or times.
    value: the value column; a list of columns, which are one dimension of the value, the one label in lower case; None
        for rows that mean 1. Of a graph the attribute of the edges, by default ``weight`` if there is one.
    bounds: one a label; by default the shape, and ``*`` for keys of frames.
    relation: the table's name, if it is not the tensor's.
    if_exists: "fail"; "replace" the table, which nothing else may depend on; "append" rows to it.
    nan: "absent" leaves out rows with NaN among their values, "keep" stores NaN; by default those of pandas and networkx
        are absent, and others' kept. What is NULL, None or NaT is absent always.
    layout: of a matrix, "csr": its entries in one row, as the arrays indptr, indices and data, the default of a sparse matrix
        of real numbers whose labels are all in one case; "lists": a row with indices and data for each index of the first
        label that has an entry; "rows": a row for each entry, or a value for the labels in lower case.
    progress: True shows a bar if tqdm is installed, None on a terminal only.

    >>> store(conn, "h[I,k]", np.ones((2, 3)))
    2
    >>> store(conn, "m[I,J]", np.eye(3), layout="lists")
    3
    >>> store(conn, "price[D]", {"day": np.array(["2024-05-01", "2024-05-02"], "M8[D]"), "eur": [1.5, 2.0]}, keys=["day"], value="eur")
    2

    Raises ValueError for a notation that does not fit the data, TypeError for data that would be left out, values that are
    no numbers and keys of other types. In a failing call nothing is stored.
    """
    if if_exists not in ("fail", "replace", "append"):
        raise ValueError(f"if_exists is {if_exists!r}, not 'fail', 'replace' or 'append'")
    conn = driver_connection(conn)
    register_tensor(conn)
    schema, name, given = _parse(tensor)
    if layout not in (None, "rows", "csr", "lists"):
        raise ValueError(f"layout is {layout!r}, not 'rows', 'csr' or 'lists'")
    if keys is None and given is not None:
        keys = [label.lower() for label in given if label[:1].isupper()]
        named = False
    else:
        named = keys is not None
    source = source_of(data, keys, value, nan)
    labels = source.default_labels() if given is None else given
    promoted = [n for n, label in enumerate(labels) if label[:1].isupper()]
    if layout is None:
        # rows are what can be appended to, and what has key columns
        free = not named and value == "value" and if_exists != "append" and len(promoted) in (0, len(labels)) and len(labels) == 2
        layout = cast(Literal["rows", "csr", "lists"], source.default_layout()) if free else "rows"
    if layout == "rows":
        key_names = list(keys) if keys is not None else [labels[n].lower() for n in promoted]
        if len(key_names) != len(promoted):
            raise ValueError(f"{len(key_names)} keys for {len(promoted)} upper-case labels of {tensor!r}")
        stored = source.table(promoted, key_names, len(labels), fill)
    else:
        if len(labels) != 2:
            raise ValueError(f"a matrix has two labels, and {tensor!r} {len(labels)}: layout='rows' stores it")
        if layout == "csr" and if_exists == "append":
            raise ValueError("a matrix in one row cannot be appended to: layout='rows' and 'lists' store rows")
        promoted = [] if layout == "csr" else [0]
        key_names = (list(keys) if named and keys is not None else [labels[0].lower()])[: len(promoted)] if promoted else []
        if named and list(keys or ()) != key_names:
            raise ValueError(f"layout {layout!r} has {len(promoted)} key columns, and not {len(keys or ())}")
        stored = in_layout(source.entries(fill), layout)
        labels = [label.upper() for label in labels]
    limits = [str(bound) for bound in bounds] if bounds is not None else ["*" if n is None else str(n) for n in stored.bounds]
    if len(limits) != len(labels):
        raise ValueError(f"{len(limits)} bounds for {len(labels)} labels of {tensor!r}")

    names = [*key_names, *stored.values]
    if len(set(names)) < len(names):
        raise ValueError(f"two columns of the table would have one name: {', '.join(names)}")
    columns: list[Column | ListColumn] = [*stored.keys, *stored.values.values()]
    definitions = [_key_definition(key, column, limits[n]) for key, column, n in zip(key_names, stored.keys, promoted)]
    definitions += [_value_definition(each, column) for each, column in stored.values.items()]
    table = sql.Identifier(*([schema] if schema else []), relation or name)
    qualified = table.as_string(conn)
    with conn.transaction(), conn.cursor(row_factory=tuple_row) as cursor:
        there = cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [qualified]).fetchone() == (True,)
        new = not there or if_exists != "append"
        if there and if_exists == "fail":
            hint = "if_exists='replace' drops it with its rows, 'append' adds rows to it; relation='...' names another table"
            raise psycopg.errors.DuplicateTable(f"relation {qualified} already exists: {hint}")
        if there and if_exists == "replace":
            cursor.execute(sql.SQL("DROP TABLE {}").format(table))
        if new:
            try:
                cursor.execute(sql.SQL("CREATE TABLE {} ({})").format(table, sql.SQL(", ").join(definitions)))
            except psycopg.errors.DuplicateTable as error:
                raise psycopg.errors.DuplicateTable(
                    f"{str(error).splitlines()[0]}: if_exists='replace' drops it first, 'append' adds rows, relation= names another table"
                ) from error
            arrays = [each for each, column in stored.values.items() if isinstance(column, ListColumn)]
            if arrays:
                cursor.execute(_array_storage(table, arrays))
        bar = _progress(len(columns[0]), name, progress)
        try:
            _copy(conn, table, names, columns, bar)
        finally:
            if bar is not None:
                bar.close()
        if new and key_names:
            # after the rows, as an index is made faster than it is kept
            listed = sql.SQL(", ").join(map(sql.Identifier, key_names))
            cursor.execute(sql.SQL("ALTER TABLE {} ADD PRIMARY KEY ({})").format(table, listed))
        if new:
            options: RegisterOptions = {"fill": fill}
            if stored.layout is not None:
                options["layout"] = stored.layout
            register(
                conn, f"{name}[{','.join(labels)}]", qualified, key_names, source.value if layout == "rows" else None, limits, **options
            )
        cursor.execute(sql.SQL("ANALYZE {}").format(table))
        cursor.execute("SELECT count(*) FROM einsum_analyze(%s)", [f"{schema}.{name}" if schema else name])
    return len(columns[0])
