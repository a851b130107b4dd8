"""What store() reads of other libraries: right rows, or TypeError."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import duckdb
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import psycopg
import pyarrow as pa
import pytest
import scipy.sparse as sp
import xarray as xr

import sparseeinsum as se

Connection = psycopg.Connection[Any]


class Converts:
    """What numpy can convert, and nothing else is known of."""

    def __init__(self, data: Any) -> None:
        self.data = data

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.data, dtype)


class Interchanges:
    """What has the dataframe protocol alone."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
        return self.frame.__dataframe__(nan_as_null, allow_copy)


class Streams:
    """What has Arrow's stream alone, as a reader of ADBC."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)


def weighted(kind: Any = nx.DiGraph) -> Any:
    graph = kind()
    graph.add_weighted_edges_from([("x", "y", 2.0), ("y", "z", 3.0)])
    return graph


KEYS = ["x", "y"]
MISSING = [("x", 1.5), ("z", 2.0)]
FRAMES: list[tuple[str, Any, list[tuple[Any, ...]]]] = [
    ("polars", pl.DataFrame({"k": ["x", None, "z", "w"], "value": [1.5, 2.0, 2.0, None]}), MISSING),
    ("polars lazy frame", pl.LazyFrame({"k": ["x", None, "z"], "value": [1.5, 2.0, 2.0]}), MISSING),
    ("polars lazy column", pl.DataFrame({"k": ["x", "z"], "value": [1.5, 2.0]}).with_columns(pl.col("k").cast(pl.Categorical)), MISSING),
    ("pandas", pd.DataFrame({"k": ["x", None, "z", "w"], "value": [1.5, 2.0, 2.0, np.nan]}), MISSING),
    ("pandas nullable", pd.DataFrame({"k": ["x", "z", "w"], "value": pd.array([1.5, 2.0, pd.NA], "Float64")}), MISSING),
    ("pandas index", pd.DataFrame({"value": [1.5, 2.0]}, index=pd.Index(["x", "z"], name="k")), MISSING),
    ("series", pd.Series([1.5, np.nan, 2.0], index=["x", "y", "z"]), MISSING),
    ("filtered pandas", pd.DataFrame({"k": ["x", "y", "z"], "value": [1.5, 7.0, 2.0]}).query("value < 3"), MISSING),
    ("arrow", pa.table({"k": ["x", "z", None], "value": [1.5, 2.0, 3.0]}), MISSING),
    ("arrow stream", Streams(pa.table({"k": ["x", "z"], "value": [1.5, 2.0]})), MISSING),
    ("record batch", pa.record_batch({"k": ["x", "z"], "value": [1.5, 2.0]}), MISSING),
    ("dataframe protocol", Interchanges(pa.table({"k": ["x", "z"], "value": [1.5, 2.0]})), MISSING),
    ("duckdb", duckdb.sql("SELECT * FROM (VALUES ('x', 1.5), ('z', 2), (NULL, 3)) AS t(k, value)"), MISSING),
    ("mapping", {"k": ["x", "z", None], "value": [1.5, 2, 3]}, MISSING),
    ("structured array", np.array([("x", 1.5), ("z", 2)], [("k", "U1"), ("value", "f8")]), MISSING),
    ("decimals", {"k": KEYS, "value": [Decimal("1.5"), Decimal(2)]}, [("x", 1.5), ("y", 2.0)]),
    ("booleans", {"k": KEYS, "value": [True, False]}, [("x", 1.0), ("y", 0.0)]),
    ("days", pd.DataFrame({"k": [datetime.date(2024, 5, 1)], "value": [1]}), [(datetime.date(2024, 5, 1), 1.0)]),
    (
        "times",
        pd.DataFrame({"k": pd.Series([pd.Timestamp("2024-05-01 12:00"), pd.NaT]), "value": [1, 2]}),
        [(datetime.datetime(2024, 5, 1, 12), 1.0)],
    ),
    ("float keys that pandas made of integers", pd.DataFrame({"k": [1, None, 3], "value": [1, 2, 3]}), [(1, 1.0), (3, 3.0)]),
]


@pytest.mark.parametrize(("data", "wanted"), [case[1:] for case in FRAMES], ids=[case[0] for case in FRAMES])
def test_frames(conn: Connection, data: Any, wanted: list[tuple[Any, ...]]) -> None:
    assert se.store(conn, "t[K]", data, keys=["k"]) == len(wanted)
    assert sorted(conn.execute("SELECT k, value FROM t").fetchall()) == wanted
    assert se.value(conn, "s[] = sum[k] t[k]") == sum(row[1] for row in wanted)


def test_times_with_a_zone(conn: Connection) -> None:
    moments = pd.to_datetime(["2024-05-01 12:00", "2024-05-01 13:00"]).tz_localize("Europe/Berlin")
    se.store(conn, "t[K]", pd.DataFrame({"k": moments, "value": [1.0, 2.0]}))
    found = conn.execute("SELECT k FROM t ORDER BY k").fetchall()
    assert [row[0] for row in found] == [each.to_pydatetime() for each in moments]
    with_texts = pd.DataFrame({"k": moments, "name": ["x", "y"], "value": [1.0, 2.0]})
    se.store(conn, "u[K,NAME]", with_texts)
    assert conn.execute("SELECT count(*) FROM t JOIN u USING (k, value)").fetchone() == (2,)
    with pytest.raises(ValueError, match="microseconds"):
        se.store(conn, "v[K]", {"k": np.array(["2024-05-01T12:00:00.000000001"], "M8[ns]"), "value": [1]})
    assert se.frame(conn, "d[k] = t[k]").k.dtype.kind in "MO"


def test_times_come_back_as_times(conn: Connection) -> None:
    moments = np.array(["2024-05-01T12:00:00.5", "1969-12-31T23:59:59"], "M8[us]")
    se.store(conn, "t[K]", {"k": moments, "value": [1.0, 2.0]})
    found = se.frame(conn, "d[k] = t[k]").sort_values("value")
    assert found.k.dtype.kind == "M" and (found.k.to_numpy() == moments).all()


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_graphs(conn: Connection, kind: Any) -> None:
    graph = weighted(kind)
    graph.add_edge("z", "z", weight=5.0)
    if graph.is_multigraph():
        graph.add_edge("x", "y", weight=4.0)
    se.store(conn, "a", graph)
    nodes = list(graph)
    found = np.zeros((len(nodes), len(nodes)))
    for i, j, weight in conn.execute("SELECT i, j, weight FROM a"):
        found[nodes.index(i), nodes.index(j)] = weight
    assert (found == nx.to_numpy_array(graph)).all()


def test_graphs_without_weights_and_with_numbers_as_nodes(conn: Connection) -> None:
    karate = nx.karate_club_graph()
    karate.add_node(34)
    se.store(conn, "a", karate, value=None)
    degrees = se.value(conn, "d[i] = sum[j] a[i,j]")
    assert degrees.tolist() == [karate.degree(n) for n in range(35)]
    parallel = nx.MultiDiGraph([("x", "y"), ("x", "y")])
    se.store(conn, "p", parallel)
    assert se.value(conn, "n[] = sum[i,j] p[i,j]") == 2
    with pytest.raises(ValueError, match="attribute"):
        se.store(conn, "q", karate, value="length")
    parallel.add_node("z")
    with pytest.raises(TypeError, match="'z'"):
        se.store(conn, "q", parallel)


def test_a_stream_that_fails_says_why(conn: Connection) -> None:
    def batches() -> Any:
        yield pa.record_batch({"i": [0], "value": [1.0]})
        raise OSError("the disk is gone")

    schema = pa.schema({"i": pa.int64(), "value": pa.float64()})
    with pytest.raises(OSError, match="the disk is gone"):
        se.store(conn, "x[I]", pa.RecordBatchReader.from_batches(schema, batches()))


def test_several_columns(conn: Connection) -> None:
    data = pd.DataFrame({"id": [0, 1, 2], "age": [20, 30, 40], "income": [1.5, None, 3.0], "name": ["x", "y", "z"]})
    with pytest.raises(TypeError, match="'name'"):
        se.store(conn, "u[C,k]", data, keys=["id"], value=["age", "income"])
    assert se.store(conn, "u[C,k]", data[["id", "age", "income"]], keys=["id"], value=["age", "income"]) == 2
    assert se.value(conn, "s[k] = sum[c] u[c,k]").tolist() == [60, 4.5]
    assert conn.execute("SELECT * FROM u ORDER BY id").fetchall() == [(0, 20.0, 1.5), (2, 40.0, 3.0)]
    with pytest.raises(TypeError, match="no number"):
        se.store(conn, "v[C,k]", data[["id", "age", "name"]], keys=["id"], value=["age", "name"])


def test_nan(conn: Connection) -> None:
    frame = pd.DataFrame({"i": [0, 1], "value": [1.0, np.nan]})
    assert se.store(conn, "x[I]", frame) == 1
    assert se.store(conn, "y[I]", frame, nan="keep") == 2
    arrow = pa.table({"i": [0, 1, 2], "value": pa.array([1.0, float("nan"), None], from_pandas=False)})
    assert se.store(conn, "z[I]", arrow) == 2
    assert se.store(conn, "w[I]", arrow, nan="absent") == 1
    assert se.store(conn, "v[I]", np.array([1.0, np.nan])) == 2
    assert se.store(conn, "u[I]", np.array([1.0, np.nan]), nan="absent") == 1
    assert se.store(conn, "t[I]", pd.Series([1.0, np.nan])) == 1
    objects = {"i": [0, 1, 2], "value": np.array([1.0, np.nan, None], object)}
    assert se.store(conn, "o[I]", objects) == 2
    assert se.store(conn, "p[I]", objects, nan="absent") == 1
    with pytest.raises(ValueError, match="nan"):
        se.store(conn, "s[I]", np.ones(2), nan="drop")  # type: ignore[arg-type]


def test_arrays_of_others(conn: Connection) -> None:
    wanted = [1.0, 2.0, 4.0]
    arrays: list[Any] = [
        Converts(wanted),
        pl.Series(wanted),
        pd.Series(wanted),
        pd.Index(wanted),
        pa.array(wanted),
        xr.DataArray(wanted),
        (1, 2, 4),
    ]
    for data in arrays:
        assert se.store(conn, "x[I]", data, if_exists="replace") == 3
        assert se.value(conn, "y[i] = x[i]").tolist() == wanted
    pairs = pd.Series([1.0, 2.0], index=pd.MultiIndex.from_tuples([(0, "x"), (1, "y")], names=["i", "name"]))
    se.store(conn, "p", pairs)
    assert sorted(conn.execute("SELECT i, name, value FROM p")) == [(0, "x", 1.0), (1, "y", 2.0)]


ABSENT: list[tuple[str, Any]] = [
    ("arrow", pa.array([1.0, None, 4.0])),
    ("arrow integers", pa.array([1, None, 4])),
    ("arrow chunks", pa.chunked_array([[1.0, None], [4.0]])),
    ("polars", pl.Series([1.0, None, 4.0])),
    ("polars chunks", pl.concat([pl.Series([1, None]), pl.Series([4])], rechunk=False)),
    ("pandas Int64", pd.array([1, None, 4], dtype="Int64")),
    ("pandas Float64", pd.array([1.0, None, 4.0], dtype="Float64")),
    ("pandas sparse", pd.arrays.SparseArray([1.0, np.nan, 4.0])),
    ("pandas of arrow", pd.array([1.0, None, 4.0], dtype="double[pyarrow]")),
    ("index", pd.Index([1.0, np.nan, 4.0])),
    ("index of Int64", pd.Index([1, None, 4], dtype="Int64")),
    ("series of Int64", pd.Series([1, None, 4], dtype="Int64")),
    ("series of Float64", pd.Series([1.0, None, 4.0], dtype="Float64")),
    ("series of arrow", pd.Series([1.0, None, 4.0], dtype="double[pyarrow]")),
]


@pytest.mark.parametrize("data", [case[1] for case in ABSENT], ids=[case[0] for case in ABSENT])
def test_arrays_with_absent_entries(conn: Connection, data: Any) -> None:
    assert se.store(conn, "x[N]", data) == 2
    assert conn.execute("SELECT n, value FROM x ORDER BY n").fetchall() == [(0, 1.0), (2, 4.0)]
    assert se.value(conn, "y[n] = x[n]").tolist() == [1, 0, 4]
    for tensor in ("v[n]", "v"):
        with pytest.raises(TypeError, match="NULL"):
            se.store(conn, tensor, data)
    assert conn.execute("SELECT to_regclass('v')").fetchone() == (None,)


def test_nan_of_pandas_arrays(conn: Connection) -> None:
    zero = pd.Series([1.0, 0.0], dtype="Float64")
    for data in (zero / zero, pd.array([1.0, np.nan], dtype="double[pyarrow]"), pd.Index([1.0, np.nan])):
        assert se.store(conn, "x[I]", data, if_exists="replace") == 1
    assert se.store(conn, "y[I]", pd.Index([1.0, np.nan]), nan="keep") == 2
    assert se.store(conn, "z[I,J]", sp.coo_array(np.array([[1.0, np.nan], [0, 2.0]])), layout="rows") == 3
    assert se.store(conn, "w[I,J]", sp.coo_array(np.array([[1.0, np.nan], [0, 2.0]])), nan="absent", layout="rows") == 2


PLACES = [(0, 5), (1, 7)]
KEYED: list[tuple[str, str, Any, list[tuple[Any, ...]]]] = [
    ("unnamed index", "t[N]", pd.Series([1.5, 2.0], index=["x", "z"]), MISSING),
    ("named index", "t[N]", pd.Series([1.5, 2.0], index=pd.Index(["x", "z"], name="k")), MISSING),
    ("unnamed levels", "t[A,B]", pd.Series([1.0, 2.0], index=pd.MultiIndex.from_tuples(PLACES)), [(0, 5, 1.0), (1, 7, 2.0)]),
    (
        "levels by name",
        "t[B,A]",
        pd.Series([1.0, 2.0], index=pd.MultiIndex.from_tuples(PLACES, names=["a", "b"])),
        [(5, 0, 1.0), (7, 1, 2.0)],
    ),
    (
        "levels of other names",
        "t[C,D]",
        pd.Series([1.0, 2.0], index=pd.MultiIndex.from_tuples(PLACES, names=["a", "b"])),
        [(0, 5, 1.0), (1, 7, 2.0)],
    ),
    ("rows of an index that counts", "t[N]", pd.Series([1.0, 2.0]), [(0, 1.0), (1, 2.0)]),
    ("graph", "t[A,B]", nx.Graph([("x", "y")]), [("x", "y"), ("y", "x")]),
    ("directed graph", "t[B,A]", nx.DiGraph([("x", "y")]), [("x", "y")]),
    ("parallel edges", "t[A,B]", nx.MultiGraph([("x", "y"), ("x", "y")]), [("x", "y", 2.0), ("y", "x", 2.0)]),
    ("weights", "t[A,B]", weighted(nx.MultiDiGraph), [("x", "y", 2.0), ("y", "z", 3.0)]),
]


@pytest.mark.parametrize(("tensor", "data", "wanted"), [case[1:] for case in KEYED], ids=[case[0] for case in KEYED])
def test_keys_under_any_labels(conn: Connection, tensor: str, data: Any, wanted: list[tuple[Any, ...]]) -> None:
    assert se.store(conn, tensor, data) == len(wanted)
    assert sorted(conn.execute("SELECT * FROM t").fetchall()) == wanted


def test_weights_that_are_missing(conn: Connection) -> None:
    for missing in (None, float("nan"), np.float32("nan")):
        graph = nx.DiGraph()
        graph.add_weighted_edges_from([(0, 1, 2.0), (1, 2, missing), (2, 3, 0.5)])
        assert se.store(conn, "a[S,T]", graph, if_exists="replace") == 2
        assert sorted(conn.execute("SELECT s, t, weight FROM a")) == [(0, 1, 2.0), (2, 3, 0.5)]
        assert se.value(conn, "y[s,t] = a[s,t]").shape == (4, 4)
    assert se.store(conn, "kept", graph, nan="keep") == 3
    parallel = nx.MultiDiGraph()
    parallel.add_weighted_edges_from([(0, 1, 2.0), (0, 1, None), (0, 1, 3.0)])
    assert se.store(conn, "p", parallel) == 1
    assert conn.execute("SELECT weight FROM p").fetchone() == (5.0,)
    # a node whose edges are all left out would be lost, but where nodes are numbers
    lost = nx.DiGraph()
    lost.add_weighted_edges_from([("x", "y", 1.0), ("y", "z", None)])
    with pytest.raises(TypeError, match="'z'"):
        se.store(conn, "q", lost)
    nothing = nx.Graph()
    nothing.add_nodes_from(range(3))
    assert se.store(conn, "e", nothing) == 0
    assert se.value(conn, "d[i] = sum[j] e[i,j]").tolist() == [0, 0, 0]


def test_a_column_that_an_index_repeats(conn: Connection) -> None:
    frame = pd.DataFrame({"i": [3, 5], "value": [1.0, 2.0]})
    assert se.store(conn, "x[I]", frame.set_index("i", drop=False)) == 2
    frame.index = pd.Index([5, 3], name="i")
    with pytest.raises(TypeError, match="'i'"):
        se.store(conn, "y[I]", frame)


def levels(*names: str | None) -> Any:
    return pd.Series([1.0], index=pd.MultiIndex.from_tuples([(0, 1)], names=names))


REFUSED: list[tuple[str, Any]] = [
    ("a graph", nx.Graph([(0, 1)])),
    ("a multigraph", nx.MultiDiGraph([(0, 1)])),
    ("levels", levels(None, None)),
    ("a MultiIndex", pd.MultiIndex.from_tuples([(0, 1)])),
    ("pandas texts", pd.array(["x", None], dtype="string")),
    ("pandas times", pd.Series(pd.to_datetime(["2024-05-01"]))),
    ("arrow texts", pa.array(["x", None])),
    ("arrow times", pa.array([datetime.date(2024, 5, 1)])),
    ("polars texts", pl.Series(["x"])),
    ("arrow records that are NULL", pa.array([{"i": 0, "value": 1.0}, None])),
    ("polars records that are NULL", pl.Series([{"i": 0, "value": 1.0}, None])),
    ("lists with None", [1.0, None]),
    ("another column of pandas", pd.DataFrame({"i": [0], "j": [0], "value": [1.0]})),
    ("another column of polars", pl.DataFrame({"i": [0], "j": [0], "value": [1.0]})),
    ("another column of a lazy frame", pl.LazyFrame({"i": [0], "j": [0], "value": [1.0]})),
    ("another column of arrow", pa.table({"i": [0], "j": [0], "value": [1.0]})),
    ("another column of a mapping", {"i": [0], "j": [0], "value": [1.0]}),
    ("another field", np.array([(0, 0, 1.0)], [("i", int), ("j", int), ("value", float)])),
    ("another level", pd.DataFrame({"i": [0], "value": [1.0]}, index=pd.Index(["x"], name="name"))),
    ("a masked field", np.ma.masked_array([(0, 1.0)], (False, True), [("i", int), ("value", float)])),
    ("keys of floats", {"i": [0.5], "value": [1.0]}),
    ("keys of several types", {"i": np.array([0, "x"], object), "value": [1.0, 2.0]}),
    ("keys with dimensions", {"i": np.zeros((1, 2), int), "value": [1.0]}),
    ("a mapping with one name twice", {"i": [0], 1: [0], "1": [0], "value": [1.0]}),
    ("a set", {1, 2}),
    ("a generator", (n for n in range(3))),
    ("a text", "abc"),
    ("bytes", b"abc"),
    ("None", None),
    ("a list of mappings", [{"i": 0, "value": 1.0}]),
    ("texts", np.array(["x", "y"])),
    ("dates", np.array(["2024-05-01"], "M8[D]")),
    ("ragged", [[1.0], [1.0, 2.0]]),
    ("a class", np.ndarray),
    ("coordinates", xr.DataArray([1.0, 2.0], coords={"x": [10, 20]}, dims="x")),
    ("a mask", np.ma.masked_array([1.0, 2.0], [True, False])),
    ("an index without a name", pd.DataFrame({"value": [1.0]}, index=["x"])),
    ("columns of one name", pd.DataFrame([[1.0, 2.0]], columns=["value", "value"])),
    ("a column of texts", pd.DataFrame({"i": [0], "value": ["x"]})),
    ("a mapping of numbers", {"i": 0, "value": 1.0}),
    ("what numpy refuses", Converts([object()])),
]


@pytest.mark.parametrize("data", [case[1] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refused(conn: Connection, data: Any) -> None:
    with pytest.raises(TypeError):
        se.store(conn, "x[I]", data)
    assert conn.execute("SELECT to_regclass('x')").fetchone() == (None,)


def test_null_within_lists(conn: Connection) -> None:
    for dtype in (pl.List(pl.Float64), pl.Array(pl.Float64, 2)):
        for value in ([1.0, None], None):
            data = pl.DataFrame({"i": [0, 1], "value": pl.Series([value, [3.0, 4.0]], dtype=dtype)})
            if value is None:
                assert se.store(conn, "x[I,k]", data, if_exists="replace") == 1
                assert se.rows(conn, "y[I,k] = x[i,k]")[0][1].tolist() == [3, 4]
            else:
                with pytest.raises(TypeError, match="NULL within"):
                    se.store(conn, "x[I,k]", data, if_exists="replace")
    assert se.store(conn, "r[I]", pa.array([{"i": 3, "value": 1.0}, {"i": 4, "value": None}])) == 1


GRAPHS: list[tuple[str, str, Any, dict[str, Any]]] = [
    ("three labels", "x[I,J,K]", weighted(), {}),
    ("labels in lower case", "x[i,j]", weighted(), {}),
    ("one key", "x[I,J]", weighted(), {"keys": ["i"]}),
    ("nodes of two numbers", "x[I,J]", nx.grid_2d_graph(2, 2), {}),
    ("weights of texts", "x[I,J]", nx.DiGraph([("x", "y", {"weight": "heavy"})]), {}),
    ("parallel texts", "x[I,J]", nx.MultiDiGraph([("x", "y", {"weight": "a"}), ("x", "y", {"weight": "b"})]), {}),
    ("parallel edges that mean 1", "x[I,J]", nx.MultiDiGraph([("x", "y"), ("x", "y")]), {"value": None}),
    ("levels where other keys are", "x[B,C]", levels("a", "b"), {}),
    ("levels of one name", "x", levels(None, "i"), {}),
    ("a level as the value", "x", levels("value", "j"), {}),
]


@pytest.mark.parametrize(("tensor", "data", "options"), [case[1:] for case in GRAPHS], ids=[case[0] for case in GRAPHS])
def test_graphs_and_levels_that_are_refused(conn: Connection, tensor: str, data: Any, options: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        se.store(conn, tensor, data, **options)
    assert conn.execute("SELECT to_regclass('x')").fetchone() == (None,)


def test_an_index_that_is_no_key_is_refused(conn: Connection) -> None:
    data = pd.DataFrame({"i": [0], "value": [1.0]}, index=pd.Index(["x"], name="name"))
    with pytest.raises(TypeError, match="name"):
        se.store(conn, "x[I]", data, keys=["i"])
    assert se.store(conn, "x[I,NAME]", data) == 1


def test_sparse_with_one_value_column(conn: Connection) -> None:
    with pytest.raises(ValueError, match="one value column"):
        se.store(conn, "x[I,J]", sp.coo_array((2, 2)), value=["x", "y"])
