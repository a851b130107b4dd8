"""Arrays, matrices and frames as registered tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from psycopg import Connection, sql
from psycopg.rows import tuple_row

from . import copying
from .client import register
from .copying import Column
from .psycopg import register_tensor
from .sources import Source, source_of
from .tensor import NAMES, NUMBERS

_NOTATION = re.compile(r"\s*(?:(?P<schema>[^\s.\[\]]+)\.)?(?P<name>[^\s.\[\]]+)\s*(?:\[(?P<labels>[^\]]*)\])?\s*")


def _parse(notation: str, source: Source) -> tuple[str | None, str, list[str]]:
    """Schema, name and labels of a notation; labels that it lacks are those of the source."""
    match = _NOTATION.fullmatch(notation)
    if match is None:
        raise ValueError(f"{notation!r} is not a tensor's notation, such as a[I,j]")
    if match["labels"] is None:
        return match["schema"], match["name"], source.default_labels()
    labels = [label.strip() for label in match["labels"].split(",")] if match["labels"].strip() else []
    for label in labels:
        if not label.isidentifier():
            raise ValueError(f"label {label!r} of {notation!r} is no name; einsum_store() makes tables in blocks")
    return match["schema"], match["name"], labels


def _key_definition(name: str, column: Column, bound: str) -> sql.Composed:
    column_name = sql.Identifier(name)
    definition = sql.SQL("{} {} NOT NULL").format(column_name, sql.SQL(column.type))
    if bound != "*":
        definition += sql.SQL(" CHECK ({0} >= 0 AND {0} < {1})").format(column_name, sql.Literal(int(bound)))
    return definition


def _value_definition(name: str, column: Column) -> sql.Composed:
    column_name = sql.Identifier(name)
    if column.type != "tensor":
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
    """A bar of tqdm over so many rows, where it is installed: by default on a terminal only."""
    if shown is False:
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=total, desc=name, unit=" rows", unit_scale=True, disable=None if shown is None else False)


def _copy(conn: Connection[Any], table: sql.Identifier, names: Sequence[str], columns: Sequence[Column], bar: Any) -> None:
    """Copies the columns into the table."""
    count = len(columns[0].values)
    target = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(table, sql.SQL(", ").join(map(sql.Identifier, names)))
    with conn.cursor() as cursor, cursor.copy(target) as copy:
        if all(column.fixed for column in columns):
            copy.write(copying.SIGNATURE)
            for rows, batch in copying.encode(columns):
                copy.write(batch)
                if bar is not None:
                    bar.update(rows)
            copy.write(copying.TRAILER)
            return
        copy.set_types([column.type for column in columns])
        step = copying.rows_per_batch(columns)
        for start in range(0, count, step):
            part = [column.values[start : start + step] for column in columns]
            for row in zip(*(list(v) if c.type == "tensor" else v.tolist() for c, v in zip(columns, part))):
                copy.write_row(row)
            if bar is not None:
                bar.update(min(step, count - start))


def store(
    conn: Connection[Any],
    tensor: str,
    data: Any,
    *,
    keys: Sequence[str] | None = None,
    value: str | None = "value",
    bounds: Sequence[int | str] | None = None,
    fill: float = 0,
    relation: str | None = None,
    if_exists: Literal["fail", "replace", "append"] = "fail",
    progress: bool | None = None,
) -> int:
    """Stores data as a registered table, by binary COPY in batches; returns the number of rows.

    tensor: a notation such as ``h[I,k]``: an upper-case label is a key column, a lower-case one a
        dimension of the value. A name alone has a key for each column of a frame or dimension of a
        sparse matrix, and makes one value of an array.
    data: an array (where all labels are keys, entries that are fill are not stored); a scipy sparse
        matrix; a DataFrame, an Arrow table, or a mapping of columns: one for each key, and the value.
    keys: the key columns; by default the lower-cased labels.
    value: the value column; None for a frame whose rows mean 1.
    bounds: one a label; by default the shape, and ``*`` for keys of frames.
    relation: the table's name, if it is not the tensor's.
    if_exists: "fail"; "replace" the table, which nothing else may depend on; "append" rows to it.
    progress: True shows a bar if tqdm is installed, None on a terminal only.

    Raises ValueError for a notation that does not fit the data. In a failing call nothing is stored.
    """
    if if_exists not in ("fail", "replace", "append"):
        raise ValueError(f"if_exists is {if_exists!r}, not 'fail', 'replace' or 'append'")
    register_tensor(conn)
    source = source_of(data, keys, value)
    schema, name, labels = _parse(tensor, source)
    promoted = [n for n, label in enumerate(labels) if label[:1].isupper()]
    key_names = list(keys) if keys is not None else [labels[n].lower() for n in promoted]
    if len(key_names) != len(promoted):
        raise ValueError(f"{len(key_names)} keys for {len(promoted)} upper-case labels of {tensor!r}")
    columns, values, shape = source.table(promoted, key_names, len(labels), fill)
    limits = [str(bound) for bound in bounds] if bounds is not None else ["*" if n is None else str(n) for n in shape]
    if len(limits) != len(labels):
        raise ValueError(f"{len(limits)} bounds for {len(labels)} labels of {tensor!r}")

    names = list(key_names)
    definitions = [_key_definition(key, column, limits[n]) for key, column, n in zip(key_names, columns, promoted)]
    if values is not None and value is not None:
        definitions.append(_value_definition(value, values))
        columns = [*columns, values]
        names.append(value)
    table = sql.Identifier(*([schema] if schema else []), relation or name)
    qualified = table.as_string(conn)
    with conn.transaction(), conn.cursor(row_factory=tuple_row) as cursor:
        there = cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [qualified]).fetchone() == (True,)
        new = not there or if_exists != "append"
        if there and if_exists == "replace":
            cursor.execute(sql.SQL("DROP TABLE {}").format(table))
        if new:
            cursor.execute(sql.SQL("CREATE TABLE {} ({})").format(table, sql.SQL(", ").join(definitions)))
        bar = _progress(len(columns[0].values), name, progress)
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
            register(conn, f"{name}[{','.join(labels)}]", qualified, key_names, value if values is not None else None, limits, fill=fill)
        cursor.execute(sql.SQL("ANALYZE {}").format(table))
        cursor.execute("SELECT count(*) FROM einsum_analyze(%s)", [f"{schema}.{name}" if schema else name])
    return len(columns[0].values)
