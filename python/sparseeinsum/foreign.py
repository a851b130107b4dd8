"""How the data of other libraries is read, by what it has: none of them is imported for it.

An index with a name, coordinates, a mask or nodes without an edge are stored, or are a TypeError. An unnamed index of
integers is taken for the numbers of rows, as a frame that was filtered has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Complex
from typing import Any, Literal

import numpy as np

from .sources import LETTERS, Data, DenseSource, FrameSource, Source, SparseSource
from .tensor import Array, as_elements

Nan = Literal["absent", "keep"]
_Value = str | Sequence[str] | None
# what tells the kinds of data apart
_MARKS = (
    *("tocoo", "iloc", "columns", "to_frame", "index", "isna", "to_numpy", "dtype", "take"),
    *("__arrow_c_stream__", "__arrow_c_array__", "column_names", "__dataframe__"),
)


def _spread(present: Array, values: Array) -> Array:
    """The values at the rows that are present; what the others have is not looked at."""
    if present.all():
        return values
    spread = np.zeros((len(present), *values.shape[1:]), values.dtype)
    spread[present] = values
    return spread


def _nan(data: Data, nan: Nan) -> Data:
    """The column whose NaN are absent too, if nan says so."""
    if nan == "absent" and data.values.dtype.kind in "fc" and data.values.ndim == 1:
        found = np.isnan(data.values)
        return Data(data.values, found if data.absent is None else found | data.absent, data.utc)
    return data


def _missing(value: Any, nan: Nan) -> bool:
    """Tells whether a Python object stands for an absent entry: None, or NaN with nan="absent"."""
    return value is None or (nan == "absent" and isinstance(value, Complex) and value != value)


def _named(columns: Iterable[tuple[Any, Data]]) -> dict[str, Data]:
    """The columns by their names as texts. Raises TypeError where two have one name."""
    found: dict[str, Data] = {}
    for name, column in columns:
        if str(name) in found:
            raise TypeError(f"two columns have the name {str(name)!r}")
        found[str(name)] = column
    return found


def _plain(name: str, values: Any, nan: Nan) -> Data:
    """A column that numpy can make an array of."""
    try:
        array = np.asarray(values)
    except Exception as error:
        raise TypeError(f"numpy makes no column of {name!r}: {error}") from error
    if array.ndim == 0:
        raise TypeError(f"column {name!r} is {values!r}, and no column of rows")
    if array.dtype.kind == "M":
        absent = np.isnat(array)
        return Data(array, absent if absent.any() else None)
    if array.dtype == object:
        absent = np.array([_missing(each, nan) for each in array], bool)
        return Data(array, absent if absent.any() else None)
    return _nan(Data(array), nan)


def _pandas_column(series: Any, nan: Nan, key: bool) -> Data:
    """A pandas column, array or level of an index. What pandas calls missing is absent; a NaN only if nan says so."""
    missing = np.asarray(series.isna())
    dtype = series.dtype
    if nan == "keep" and not key and isinstance(dtype, np.dtype) and dtype.kind in "fc":
        missing = np.zeros(len(missing), bool)
    there = series[~missing]
    utc = getattr(dtype, "tz", None) is not None
    if utc:
        there = (there.dt if hasattr(there, "dt") else there).tz_convert("UTC")
        there = (there.dt if hasattr(there, "dt") else there).tz_localize(None)
    numpy_dtype = getattr(dtype, "numpy_dtype", None)
    values = there.to_numpy() if numpy_dtype is None else there.to_numpy(dtype=numpy_dtype)
    if key and missing.any() and values.dtype.kind == "f" and (values == np.floor(values)).all() and (abs(values) < 2**53).all():
        # integers, which pandas keeps as float64 where some are missing
        values = values.astype(np.int64)
    column = Data(_spread(~missing, values), missing if missing.any() else None, utc)
    return column if key else _nan(column, nan)


def _level_names(index: Any, keys: Sequence[str] | None) -> list[str]:
    """The keys that the levels of a pandas index are: those of their names, or else in order; without keys, their names or i, j, k.

    Raises TypeError where the index has another number of levels, or some levels have the names of other keys.
    """
    own = [None if name is None else str(name) for name in index.names]
    if keys is None:
        return [LETTERS[n] if name is None else name for n, name in enumerate(own)]
    if len(own) != len(keys):
        raise TypeError(f"the index has {len(own)} levels, and the tensor {len(keys)} keys, which are labels in upper case")
    if set(own) == set(keys):
        return [str(name) for name in own]
    for name, key in zip(own, keys):
        if name in keys and name != key:
            raise TypeError(f"the level {name!r} of the index is where the key {key!r} is expected: rename the levels as the keys")
    return list(keys)


def _counts(index: Any) -> bool:
    """Whether an index only counts rows: 0 to n - 1, without a name."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1 and index.name is None


def _pandas_frame(frame: Any, keys: Sequence[str] | None, value: _Value, nan: Nan) -> Source:
    if not frame.columns.is_unique or frame.columns.nlevels > 1:
        raise TypeError("columns of a DataFrame have one name each, and no two the same")
    columns = _named((name, _pandas_column(frame[name], nan, _is_key(str(name), keys, value))) for name in frame.columns)
    index = frame.index
    if all(name is not None for name in index.names):
        levels = [(name, index.get_level_values(n)) for n, name in enumerate(index.names)]
        # set_index(drop=False) keeps the column
        own = [each for each in levels if each[0] not in frame.columns or not each[1].to_series(frame.index).equals(frame[each[0]])]
        columns = _named([*columns.items(), *((name, _pandas_column(level, nan, True)) for name, level in own)])
        left = [str(name) for name in index.names if keys is not None and str(name) not in keys]
        if left:
            raise TypeError(f"the index {', '.join(left)} is no key: add it to keys, or call reset_index(drop=True)")
    elif index.nlevels > 1 or index.dtype.kind not in "iu":
        raise TypeError("the index has no name, so that its keys would be left out: call reset_index(), or reset_index(drop=True)")
    return FrameSource(columns, keys, value)


def _is_key(name: str, keys: Sequence[str] | None, value: _Value) -> bool:
    if keys is not None:
        return name in keys
    return name != value and (value is None or isinstance(value, str) or name not in value)


def _pandas_series(series: Any, keys: Sequence[str] | None, value: _Value, nan: Nan) -> Source:
    if _counts(series.index):
        return _pandas_array(series, value, nan)
    if not isinstance(value, str):
        raise ValueError(f"a Series has one value column, and not {value!r}")
    names = _level_names(series.index, keys)
    levels = [(name, _pandas_column(series.index.get_level_values(n), nan, True)) for n, name in enumerate(names)]
    return FrameSource(_named([*levels, (value, _pandas_column(series, nan, False))]), names if keys is None else keys, value)


def _pandas_array(array: Any, value: _Value, nan: Nan) -> Source:
    """An array or index of pandas, or a Series whose index only counts."""
    if getattr(array, "nlevels", 1) > 1:
        raise TypeError("a MultiIndex is keys, and no array of numbers")
    column = _pandas_column(array, nan, False)
    return DenseSource(column.values, value, column.absent)


def _without_views(array: Any, pyarrow: Any) -> Any:
    """The array, with texts in a form that Arrow's functions know: polars has string views."""
    return array.cast(pyarrow.large_string()) if "string_view" in str(array.type) else array


def _arrow_column(name: str, column: Any, nan: Nan, pyarrow: Any) -> Data:
    types = pyarrow.types
    chunk = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    if hasattr(chunk, "chunks"):
        chunk = pyarrow.concat_arrays(chunk.chunks) if chunk.num_chunks else pyarrow.array([], chunk.type)
    if types.is_dictionary(chunk.type):
        chunk = _without_views(chunk.dictionary, pyarrow).take(chunk.indices)
    chunk = _without_views(chunk, pyarrow)
    if types.is_null(chunk.type):
        return Data(np.zeros(len(chunk)), np.ones(len(chunk), bool))
    missing = np.asarray(chunk.is_null().to_numpy(zero_copy_only=False), bool)
    inner = chunk.storage if hasattr(chunk, "storage") else chunk
    while hasattr(inner.type, "value_type"):
        inner = inner.flatten()
        if inner.null_count:
            raise TypeError(f"column {name!r} has NULL within its lists: fill them")
    if hasattr(chunk, "to_numpy_ndarray"):
        if missing.any():
            raise TypeError(f"column {name!r} has NULL among its tensors: filter these rows out")
        return Data(chunk.to_numpy_ndarray())
    there = chunk.drop_null() if missing.any() else chunk
    utc = types.is_timestamp(chunk.type) and chunk.type.tz is not None
    if types.is_date(chunk.type):
        there = there.cast(pyarrow.date32())
    values = there.to_numpy(zero_copy_only=False)
    return _nan(Data(_spread(~missing, values), missing if missing.any() else None, utc), nan)


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise TypeError("this data is read by way of Arrow: install pyarrow, or pass a mapping of numpy columns") from None
    return pyarrow


def _arrow(data: Any, keys: Sequence[str] | None, value: _Value, nan: Nan) -> Source:
    """What gives an Arrow stream: a table of pyarrow, polars, duckdb, an ADBC reader; or one column."""
    pyarrow = _pyarrow()
    if hasattr(data, "column_names"):
        table = data
    else:
        column = pyarrow.array(data) if hasattr(data, "__arrow_c_array__") else None
        try:
            reader = pyarrow.RecordBatchReader.from_stream(data if column is None else pyarrow.chunked_array([column]))
        except pyarrow.ArrowInvalid:
            # no stream of records: a column, as a Series of polars is
            column = _arrow_column("value", pyarrow.chunked_array(data) if column is None else column, nan, pyarrow)
            return DenseSource(column.values, value, column.absent)
        try:
            table = reader.read_all()
        except pyarrow.ArrowInvalid as error:
            # such as records that are NULL
            raise TypeError(f"Arrow makes no table of the data: {error}") from error
    columns = ((name, _arrow_column(name, table.column(n), nan, pyarrow)) for n, name in enumerate(table.column_names))
    return FrameSource(_named(columns), keys, value)


def _interchanged(data: Any, keys: Sequence[str] | None, value: _Value, nan: Nan) -> Source:
    """What gives the dataframe protocol alone."""
    _pyarrow()
    from pyarrow.interchange import from_dataframe

    return _arrow(from_dataframe(data), keys, value, nan)


def _graph(graph: Any, keys: Sequence[str] | None, value: _Value, nan: Nan) -> Source:
    """A networkx graph, by its edges: of an undirected one both ways, parallel ones added up.

    The value is the attribute named, "weight" if that is "value"; an edge without it is 1, and an edge with
    None for it is left out, both as in networkx.
    """
    names = list(keys) if keys is not None else ["i", "j"]
    if len(names) != 2:
        raise TypeError(f"an edge has two keys, labels in upper case as in a[I,J], and not {len(names)}")
    if value is not None and not isinstance(value, str):
        raise ValueError(f"an edge has one value, and not {value!r}")
    attribute: str | None = None
    if value is not None:
        present = {name for *_, attributes in graph.edges(data=True) for name in attributes}
        attribute = value if value in present or value != "value" else "weight"
        if attribute not in present and value != "value":
            raise ValueError(f"no edge has the attribute {value!r}")
        if attribute not in present and not graph.is_multigraph():
            attribute = None
    weights: dict[tuple[Any, Any], Any] = {}
    for i, j, weight in graph.edges(data=attribute, default=1) if attribute else ((*e[:2], 1) for e in graph.edges()):
        if _missing(weight, nan):
            continue
        for pair in ((i, j),) if graph.is_directed() or i == j else ((i, j), (j, i)):
            if pair in weights and (attribute is None or isinstance(weight, str | bytes | Sequence)):
                raise TypeError(f"there are parallel edges from {i!r} to {j!r}, and no numbers of theirs to add up")
            weights[pair] = weights[pair] + weight if pair in weights else weight
    count = graph.number_of_nodes()
    numbered = set(graph.nodes) == set(range(count)) and not any(isinstance(node, bool) for node in graph.nodes)
    joined = {node for pair in weights for node in pair}
    alone = [node for node in graph.nodes if node not in joined]
    if alone and not numbered:
        raise TypeError(
            f"{len(alone)} nodes have no edge, as {alone[0]!r}, and would be left out: make a table of nodes and call dimension()"
        )
    ends = [_objects(pair[n] for pair in weights) for n in range(2)]
    # nodes that are 0 to n - 1 are all there are, also those without an edge
    columns = [(name, Data(end.astype(np.int64) if numbered else end)) for name, end in zip(names, ends)]
    if attribute is not None:
        columns.append((attribute, Data(_objects(weights.values()))))
    return FrameSource(_named(columns), names, attribute, [count, count] if numbered else [])


def _objects(values: Iterable[Any]) -> Array:
    listed = list(values)
    array = np.empty(len(listed), object)
    array[:] = listed
    return array


def _array(data: Any, value: _Value, nan: Nan) -> Source:
    if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
        raise TypeError("the array is masked: call filled() with what its masked entries are, or pass coordinates")
    if isinstance(data, np.dtype | type) or callable(data):
        raise TypeError(f"{data!r} is no data")
    try:
        array = np.asarray(data)
    except Exception as error:
        raise TypeError(f"numpy makes no array of {type(data).__module__}.{type(data).__qualname__}: {error}") from error
    if array.dtype.kind not in "biufc" and array.size:
        hint = ": pass a frame" if array.dtype == object else ""
        raise TypeError(f"{type(data).__module__}.{type(data).__qualname__} is no array of numbers, but of {array.dtype}{hint}")
    return _dense(array, value, nan)


def _dense(array: Array, value: _Value, nan: Nan) -> Source:
    elements = as_elements(array)
    return DenseSource(elements, value, np.isnan(elements) if nan == "absent" else None)


def source_of(data: Any, keys: Sequence[str] | None, value: _Value, nan: Nan | None = None) -> Source:
    """How the data is read. keys: the columns of the keys, None if the data says them. nan: "absent" or "keep"; by default
    those of pandas and networkx are absent, and others' are numbers.

    Raises TypeError for what it is not read of, or has more than would be stored.
    """
    if nan not in (None, "absent", "keep"):
        raise ValueError(f"nan is {nan!r}, not 'absent' or 'keep'")
    if hasattr(data, "collect_schema") and hasattr(data, "collect"):
        # a LazyFrame of polars
        data = data.collect()
    has = {name for name in _MARKS if hasattr(data, name)}
    if hasattr(data, "coords") and hasattr(data, "dims"):
        # of xarray, whose arrays give a stream of coordinates too
        if len(data.coords):
            raise TypeError("the array has coordinates, which would be left out: pass its to_series(), or its values")
        return _array(data, value, nan or "keep")
    if "tocoo" in has:
        return SparseSource(data, value, nan == "absent")
    if {"iloc", "columns"} <= has:
        return _pandas_frame(data, keys, value, nan or "absent")
    if {"iloc", "index", "to_frame"} <= has:
        return _pandas_series(data, keys, value, nan or "absent")
    if all(hasattr(data, name) for name in ("edges", "nodes", "is_directed", "is_multigraph")):
        return _graph(data, keys, value, nan or "absent")
    if {"isna", "to_numpy", "dtype", "take"} <= has:
        return _pandas_array(data, value, nan or "absent")
    if has & {"__arrow_c_stream__", "__arrow_c_array__", "column_names"}:
        return _arrow(data, keys, value, nan or "keep")
    if "__dataframe__" in has:
        return _interchanged(data, keys, value, nan or "keep")
    if isinstance(data, Mapping):
        return FrameSource(_named((name, _plain(str(name), column, nan or "keep")) for name, column in data.items()), keys, value)
    names = getattr(getattr(data, "dtype", None), "names", None)
    if names:
        if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
            raise TypeError("the array is masked: select the rows that are not")
        return FrameSource(_named((name, _plain(name, data[name], nan or "keep")) for name in names), keys, value)
    return _array(data, value, nan or "keep")
