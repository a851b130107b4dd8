"""The client: what is stored and computed, beside numpy, scipy and pandas."""

from __future__ import annotations

import datetime
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psycopg
import pyarrow as pa
import pytest
import scipy.sparse as sp

import sparseeinsum as se
from sparseeinsum.tensor import Array

Connection = psycopg.Connection[Any]

random = np.random.default_rng(1)
SPARSE = sp.random_array((20, 30), density=0.1, rng=random)
DENSE = random.normal(size=(4, 5, 6))


def registered(conn: Connection, name: str) -> tuple[Any, ...]:
    row = conn.execute("SELECT notation, bounds, type, rows, status FROM einsum_tensors WHERE tensor = %s", (name,)).fetchone()
    assert row is not None
    return tuple(row)


@pytest.mark.parametrize("notation", ["d", "d[I,J,K]", "d[I,j,k]", "d[i,J,k]", "d[i,J,K]", "d[i,j,k]"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_dense(conn: Connection, notation: str, dtype: type[Any]) -> None:
    array = (DENSE * (DENSE > 0)).astype(dtype)
    rows = se.store(conn, notation, array)
    assert rows == (
        np.count_nonzero(array) if notation == "d[I,J,K]" else np.prod([n for n, c in zip(array.shape, notation[2::2]) if c.isupper()])
    )
    found = se.value(conn, "r[i,j,k] = d[i,j,k]")
    assert found.dtype == array.dtype and (found == array).all()
    if notation != "d":
        assert registered(conn, "d") == (notation, ["4", "5", "6"], se.tensor.element_type(dtype), rows, "ok")


@pytest.mark.parametrize("notation", ["a", "a[I,J]", "a[I,j]", "a[i,J]", "a[i,j]"])
@pytest.mark.parametrize("matrix", [SPARSE, SPARSE.tocsr(), sp.csc_matrix(SPARSE), sp.coo_array((20, 30))], ids=lambda m: type(m).__name__)
def test_sparse(conn: Connection, notation: str, matrix: Any) -> None:
    se.store(conn, notation, matrix)
    found = se.coo(conn, "b[i,j] = a[i,j]")
    assert found.shape == matrix.shape and (found.toarray() == matrix.toarray()).all()
    y = se.coo(conn, "y[j] = 2 * a[i,j]")
    assert y.shape == (30,) and np.allclose(y.toarray(), 2 * matrix.toarray().sum(axis=0))


def test_sparse_array_of_days_and_none_of_vectors(conn: psycopg.Connection[Any]) -> None:
    conn.execute("CREATE TABLE price (day date PRIMARY KEY, eur float8)")
    conn.execute("INSERT INTO price VALUES ('1999-12-31', 1), ('2000-01-02', 3)")
    for first, expected in (("1999-12-30", [0, 1, 0, 3]), ("1999-12-31", [1, 0, 3])):
        conn.execute("SELECT einsum_register('p[D]', 'price', '{day}', 'eur', %s, replace => true)", [[f"{first}..2000-01-02"]])
        assert np.array_equal(se.coo(conn, "q[D] = p[d]").toarray(), expected)
    conn.execute("CREATE TABLE bag (id int PRIMARY KEY, v tensor NOT NULL)")
    conn.execute("INSERT INTO bag VALUES (0, '[0,1]')")
    conn.execute("SELECT einsum_register('b[I,k]', 'bag', '{id}', 'v', '{2,2}')")
    for change in ("SELECT", "UPDATE bag SET v = tensor_sparse(v)"):
        conn.execute(change)
        with pytest.raises(ValueError, match="lower case"):
            se.coo(conn, "c[I,k] = b[I,k]")


def test_duplicates_of_a_sparse_matrix_are_added(conn: Connection) -> None:
    matrix = sp.coo_array(([1.0, 2.0, 0.0], ([0, 0, 1], [1, 1, 1])), shape=(2, 2))
    assert se.store(conn, "a", matrix) == 1
    assert se.value(conn, "b[i,j] = a[i,j]").tolist() == [[0, 3], [0, 0]]
    assert matrix.nnz == 3


def test_frame(conn: Connection) -> None:
    data = pd.DataFrame({"customer": ["ann", "bob", "ann"], "product": [3, 1, 2**40], "stars": [5.0, 4.0, 1.0]})
    assert se.store(conn, "r[U,P]", data, keys=["customer", "product"], value="stars") == 3
    assert registered(conn, "r")[:2] == ("r[U,P]", ["*", "*"])
    found = se.frame(conn, "s[U,P] = 2 * r[U,P]").sort_values(["u", "p"]).reset_index(drop=True)
    wanted = data.assign(stars=2 * data.stars).sort_values(["customer", "product"]).reset_index(drop=True)
    assert (found.to_numpy() == wanted.to_numpy()).all() and list(found.columns) == ["u", "p", "value"]
    assert se.rows(conn, "s[U] = r[U,P]", at={"u": "ann"}) == [("ann", 6.0)]
    assert sorted(se.rows(conn, "s[U] = r[U,P]")) == [("ann", 6.0), ("bob", 4.0)]
    with pytest.raises(ValueError, match="open"):
        se.coo(conn, "s[U,P] = r[U,P]")


def test_first_and_last_keys(conn: Connection) -> None:
    data = pd.DataFrame({"day": [datetime.date(2020, 1, 1), datetime.date(2020, 1, 3)], "shop": [1, 2], "pieces": [5.0, 4.0]})
    bounds = ["2020-01-01..2020-01-03", "1..2"]
    assert se.store(conn, "s[D,I]", data, keys=["day", "shop"], value="pieces", bounds=bounds) == 2
    assert registered(conn, "s")[:2] == ("s[D,I]", bounds)
    assert se.coo(conn, "t[i,d] = s[d,i]").toarray().tolist() == [[5, 0, 0], [0, 0, 4]]
    assert se.value(conn, "t[d] = s[d,i]").tolist() == [5, 0, 4]
    assert se.rows(conn, "t[d,i] = s[d,i]", at={"d": data.day[1]}) == [(data.day[1], 2, 4.0)]
    with pytest.raises(psycopg.errors.CheckViolation):
        conn.execute("INSERT INTO s VALUES ('2020-01-04', 1, 1)")


def test_frame_without_values_and_with_uuids(conn: Connection) -> None:
    nodes = [uuid.UUID(int=n) for n in range(4)]
    edges = pd.DataFrame({"src": nodes[:3], "dst": nodes[1:]})
    se.store(conn, "e", edges, value=None)
    assert registered(conn, "e")[0] == "e[SRC,DST]"
    found = se.frame(conn, "two[I,K] = e[I,J] * e[J,K]")
    assert set(found.itertuples(index=False, name=None)) == {(nodes[0], nodes[2], 1.0), (nodes[1], nodes[3], 1.0)}


def test_vectors_of_a_frame(conn: Connection) -> None:
    vectors = random.normal(size=(5, 3)).astype(np.float32)
    data = pd.DataFrame({"id": np.arange(5), "embedding": list(vectors)})
    se.store(conn, "h[I,k]", data, keys=["id"], value="embedding", bounds=[5, 3])
    assert registered(conn, "h")[:3] == ("h[I,k]", ["5", "3"], "float4")
    assert (se.value(conn, "g[i,k] = h[i,k]") == vectors).all()
    found = se.frame(conn, "g[I,k] = h[i,k]", result="auto").sort_values("i")
    assert all((a == b).all() for a, b in zip(found.value, vectors))


def test_arrow(conn: Connection) -> None:
    vectors = random.normal(size=(5, 2, 3))
    data = pa.table({"i": pa.array(range(5)), "value": pa.FixedShapeTensorArray.from_numpy_ndarray(vectors)})
    se.store(conn, "h[I,k,l]", data)
    found = se.arrow(conn, "g[I,k,l] = h[i,k,l]", result="auto")
    assert isinstance(found.schema.field("value").type, pa.FixedShapeTensorType)
    ordered = found.take(pa.array(np.argsort(found.column("i").to_numpy())))
    assert (ordered.column("value").combine_chunks().to_numpy_ndarray() == vectors).all()
    numbers = se.arrow(conn, "g[I] = h[i,k,l]")
    assert numbers.schema.field("value").type == pa.float64()


def test_mistakes_are_told_what_to_write(conn: Connection) -> None:
    se.store(conn, "a[I,J]", np.eye(3))
    with pytest.raises(TypeError, match="mapping of labels to keys"):
        se.rows(conn, "y[I] = a[i,j]", at=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"stored, by store\(conn, 'b\[I,J\]'"):
        se.value(conn, "y[i] = a[i,j]*b[j]", b=np.ones(3))  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="did you mean 'search'"):
        se.value(conn, "y[i] = a[i,j]", serch="greedy")  # type: ignore[call-arg]


def test_mapping_and_append(conn: Connection) -> None:
    se.store(conn, "x[I]", {"i": [0, 1], "value": [1.0, 2.0]}, bounds=[4])
    assert se.store(conn, "x[I]", {"i": [3], "value": [4.0]}, bounds=[4], if_exists="append") == 1
    assert se.value(conn, "y[i] = x[i]").tolist() == [1, 2, 0, 4]
    with pytest.raises(psycopg.errors.DuplicateTable, match="if_exists='replace' drops it"), conn.transaction():
        se.store(conn, "x[I]", {"i": [0], "value": [1.0]}, bounds=[4])
    with pytest.raises(psycopg.errors.CheckViolation), conn.transaction():
        se.store(conn, "x[I]", {"i": [4], "value": [1.0]}, bounds=[4], if_exists="append")
    se.store(conn, "x[I]", {"i": [0], "value": [7.0]}, bounds=[2], if_exists="replace")
    assert se.value(conn, "y[i] = x[i]").tolist() == [7, 0]
    assert se.store(conn, "x[I]", {"i": np.zeros(0, int), "value": np.zeros(0)}, bounds=[2], if_exists="replace") == 0
    assert se.value(conn, "y[i] = x[i]").tolist() == [0, 0]


def test_names(conn: Connection) -> None:
    conn.execute('CREATE SCHEMA "odd schema"')
    with pytest.raises(ValueError, match="notation"):
        se.store(conn, "odd schema.x[I]", np.ones(2))
    conn.execute("CREATE SCHEMA other")
    se.store(conn, "other.x[I]", np.ones(3), keys=["key of x"], value="value of x", relation="a table")
    row = conn.execute("SELECT relation::text, keys, value, status FROM einsum_tensors WHERE tensor = 'x'").fetchone()
    assert row == ('other."a table"', ["key of x"], "value of x", "ok")
    assert se.value(conn, "y[] = other.x[i]").tolist() == 3


def test_bounds_and_fill(conn: Connection) -> None:
    array = np.array([[np.inf, 1.0], [2.0, np.inf]])
    assert se.store(conn, "d[I,J]", array, fill=np.inf) == 2
    assert se.value(conn, "m[i] = min[j] d[i,j]").tolist() == [1, 2]
    with pytest.raises(ValueError, match="Infinity"):
        se.coo(conn, "m[i,j] = d[i,j]")
    se.store(conn, "wide[I]", np.ones(3), bounds=[5])
    assert se.value(conn, "y[i] = wide[i]").tolist() == [1, 1, 1, 0, 0]


@pytest.mark.parametrize(
    ("notation", "data", "arguments"),
    [
        ("a[I,J", np.ones((2, 2)), {}),
        ("a[I,J:64]", np.ones((2, 2)), {}),
        ("a[I]", np.ones((2, 2)), {}),
        ("a[I,J,K]", SPARSE, {}),
        ("a[I,J]", np.ones((2, 2)), {"keys": ["i"]}),
        ("a[I,J]", np.ones((2, 2)), {"bounds": [2]}),
        ("a[I,J]", SPARSE, {"fill": 1}),
        ("a[I]", pd.DataFrame({"x": [1]}), {}),
        ("a[I]", np.ones(2), {"if_exists": "overwrite"}),
    ],
)
def test_what_does_not_fit(conn: Connection, notation: str, data: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        se.store(conn, notation, data, **arguments)
    assert conn.execute("SELECT count(*) FROM einsum_tensors").fetchone() == (0,)


def test_nothing_is_stored_of_a_call_that_fails(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as conn:
        with pytest.raises(psycopg.errors.UniqueViolation):
            se.store(conn, "x[I]", {"i": [0, 0], "value": [1.0, 2.0]}, bounds=[4])
        assert conn.execute("SELECT to_regclass('x')").fetchone() == (None,)


def test_many_batches(conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are the same in whatever batches they go, with a bar or without."""
    monkeypatch.setattr("sparseeinsum.copying.BATCH_BYTES", 100)
    array = random.normal(size=(50, 3))
    for progress in (True, False, None):
        se.store(conn, "h[I,k]", array, if_exists="replace", progress=progress)
        assert (se.value(conn, "g[i,k] = h[i,k]") == array).all()
    data = pd.DataFrame({"k": [str(n) for n in range(50)], "value": range(50)})
    assert se.store(conn, "t[K]", data, progress=True) == 50
    assert se.value(conn, "s[] = sum[K] t[K]").tolist() == sum(range(50))


def test_results_without_a_fixed_width(conn: Connection) -> None:
    """NULLs, texts and tensors of several shapes come row by row."""
    from sparseeinsum.client import _columns
    from sparseeinsum.psycopg import register_tensor

    register_tensor(conn)
    names, (a, b, c, d) = _columns(
        conn,
        "SELECT * FROM (VALUES (1, 'x', '[1]'::tensor, NULL::float8), (2, NULL, '[1,2]', 3)) AS t(a, b, c, d)",
    )
    assert names == ["a", "b", "c", "d"] and a.tolist() == [1, 2] and b.tolist() == ["x", None]
    assert [value.tolist() for value in c] == [[1], [1, 2]] and d.tolist() == [None, 3.0]
    _, (empty,) = _columns(conn, "SELECT 1 WHERE false")
    assert empty.dtype == np.int32 and len(empty) == 0
    large: Array = np.zeros((3, 30000))
    _, (n, found) = _columns(conn, "SELECT 1, tensor_zeros('{30000}') FROM generate_series(1, 3)")
    assert (found == large).all() and n.tolist() == [1, 1, 1]
    with pytest.raises(psycopg.errors.UndefinedTable):
        _columns(conn, "SELECT * FROM nothing")


def test_plan(conn: Connection) -> None:
    se.store(conn, "a", SPARSE)
    plan = se.plan(conn, "b[i] = a[i,j]", search="greedy")
    assert "b[" in str(plan) and repr(plan) == str(plan)
    assert plan._repr_svg_().startswith("<svg")
    with pytest.raises(psycopg.errors.SyntaxError):
        se.plan(conn, "b[i] = a[i,j")


def test_decompose(conn: Connection) -> None:
    se.store(conn, "a", SPARSE)
    with se.decompose(conn, "b[I] = a[i,j]; c[] = b[i]", "sums") as views:
        assert [view[0] for view in views][-1].endswith("c") and len(views) == 2
        row = conn.execute("SELECT value FROM c").fetchone()
        assert row is not None and np.isclose(row[0], SPARSE.toarray().sum())
    assert conn.execute("SELECT to_regclass('c')").fetchone() == (None,)
    kept = se.decompose(conn, "b[I] = a[i,j]", "sums", materialize="always")
    conn.execute("DELETE FROM a")
    kept.refresh()
    assert conn.execute("SELECT count(*) FROM b").fetchone() == (0,)
    kept.drop()
    with pytest.raises(ZeroDivisionError), se.decompose(conn, "b[I] = a[i,j]", "sums"):
        raise ZeroDivisionError
    assert conn.execute("SELECT to_regclass('b')").fetchone() == (None,)
    with pytest.raises(psycopg.errors.UndefinedTable), se.decompose(conn, "b[I] = a[i,j]", "sums"):
        conn.execute("SELECT * FROM nothing")


def test_register(conn: Connection) -> None:
    conn.execute("CREATE TABLE edge (dst int, src int, weight float8, PRIMARY KEY (dst, src))")
    conn.execute("INSERT INTO edge VALUES (0, 1, 2), (1, 2, 3)")
    se.register(conn, "a[I,J]", "edge", ["dst", "src"], "weight", [3, "*"])
    assert se.value(conn, "y[i] = a[i,j]").tolist() == [2, 3, 0]


def test_readme(conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the README shows runs, on this connection."""
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    block = readme.split("## A first session")[1].split("```python\n")[1].split("```")[0]
    monkeypatch.setattr(psycopg, "connect", lambda *_, **__: conn)
    exec(block, {})
    assert conn.execute("SELECT count(*) FROM x").fetchone() == (1000,)


def _read(conn: Connection, layout: str | None, shape: tuple[int, int]) -> Array:
    """The matrix of table m, as its arrays and scipy say it."""
    if layout == "csr":
        row = conn.execute("SELECT data, indices, indptr FROM m").fetchone()
        assert row is not None
        return np.asarray(sp.csr_array(row, shape=shape).toarray())
    found = np.zeros(shape)
    if layout == "lists":
        for i, indices, data in conn.execute("SELECT i, indices, data FROM m"):
            found[i, indices] = data
    else:
        for i, j, x in conn.execute("SELECT i, j, value FROM m"):
            found[i, j] = x
    return found


@pytest.mark.parametrize("layout", [None, "csr", "lists", "rows"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.bool_])
def test_layouts(conn: Connection, layout: Any, dtype: Any) -> None:
    random = np.random.default_rng(5)
    for shape, density in (((30, 20), 0.2), ((1, 7), 0.5), ((7, 1), 0.5), ((4, 5), 0), ((3, 3), 1), ((0, 3), 0), ((400, 300), 0.3)):
        dense = (random.integers(-3, 4, shape) * (random.random(shape) < density)).astype(dtype)
        rows, columns = np.nonzero(dense)
        order = random.permutation(len(rows))
        matrix = sp.coo_array((dense[rows, columns][order], (rows[order], columns[order])), shape=shape)
        made: Any = random.choice(np.array([matrix, matrix.tocsr(), matrix.tocsc()], object))
        count = se.store(conn, "m[i,j]" if layout != "rows" else "m[I,J]", made, layout=layout, if_exists="replace")
        nonzero = dense != 0
        assert count == {"lists": int(nonzero.any(1).sum()), "rows": int(nonzero.sum())}.get(str(layout), 1)
        assert (_read(conn, layout or "csr", shape) == dense).all()
        assert (se.value(conn, "y[i,j] = m[i,j]") == dense).all()
    type_ = conn.execute(
        "SELECT format_type(atttypid, -1) FROM pg_attribute WHERE attrelid = 'm'::regclass ORDER BY attnum DESC"
    ).fetchone()
    assert type_ is not None and type_[0].startswith("real" if dtype == np.float32 else "double precision")


def test_layout_of_an_array(conn: Connection) -> None:
    dense = np.array([[1, 2, 1], [1, 1, 1], [0, 1, np.inf]])
    for layout in ("csr", "lists", "rows"):
        assert se.store(conn, "m[I,J]", dense, layout=layout, fill=1, if_exists="replace") == {"csr": 1, "lists": 2, "rows": 3}[layout]
        assert (se.value(conn, "y[i,j] = m[i,j]") == dense).all()
    se.store(conn, "n[I,J]", np.array([[np.nan, 2], [np.nan, np.nan]]), layout="csr", fill=float("nan"))
    assert conn.execute("SELECT indptr, indices, data FROM n").fetchone() == ([0, 1, 1], [1], [2.0])


def test_layout_of_large_rows(conn: Connection) -> None:
    matrix = sp.random_array((2000, 3000), density=0.1, random_state=np.random.default_rng(3)).tocsr()
    for layout in ("csr", "lists"):
        se.store(conn, "m", matrix, layout=layout, if_exists="replace", keys=None)
        ones = np.ones(3000)
        se.store(conn, "x[J]", ones, if_exists="replace")
        assert np.allclose(se.value(conn, "y[i] = m[i,j] * x[j]"), matrix.toarray().sum(1))


def test_layouts_that_cannot_be(conn: Connection) -> None:
    matrix = sp.eye_array(3).tocsr()
    imaginary = sp.eye_array(3, dtype=np.complex128).tocsr()
    assert se.store(conn, "m[I,J]", matrix, keys=["a", "b"]) == 3
    assert se.store(conn, "c[I,J]", imaginary) == 3
    assert se.store(conn, "r[I,j]", matrix) == 3
    assert se.store(conn, "l[I,J]", matrix, layout="lists", keys=["row"], bounds=[9, 3]) == 3
    more = sp.coo_array(([5.0], ([7], [1])), shape=(9, 3))
    assert se.store(conn, "l[I,J]", more, layout="lists", keys=["row"], if_exists="append") == 1
    assert se.value(conn, "y[] = l[i,j]") == 8
    for data, options, error in (
        (matrix, {"layout": "dense"}, ValueError),
        (matrix, {"layout": "csr", "keys": ["a"]}, ValueError),
        (matrix, {"layout": "csr", "if_exists": "append"}, ValueError),
        (matrix, {"layout": "lists", "fill": 1}, ValueError),
        (imaginary, {"layout": "csr"}, TypeError),
        ({"i": [1], "j": [2], "value": [3.0]}, {"layout": "csr"}, TypeError),
    ):
        with pytest.raises(error), conn.transaction():
            se.store(conn, "w[I,J]", data, **options)
    with pytest.raises(ValueError, match="two labels"):
        se.store(conn, "w[I]", np.ones(3), layout="csr")
    assert conn.execute("SELECT to_regclass('w')").fetchone() == (None,)


def test_results_come_in_parts_and_with_nulls(conn: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns of numbers come as arrays of some rows each; NULLs and other types in rows. Whichever way, they are the same."""
    matrix = sp.random_array((20, 30), density=0.2, rng=np.random.default_rng(5))
    se.store(conn, "m", matrix)
    whole = se.coo(conn, "b[i,j] = m[i,j]")
    assert whole.dtype == np.float64 and np.array_equal(whole.toarray(), matrix.toarray())
    monkeypatch.setattr(se.client, "_ROWS_OF_ARRAY", 7)
    assert np.array_equal(se.coo(conn, "b[i,j] = m[i,j]").toarray(), matrix.toarray())
    nothing = se.client._columns(conn, "SELECT n, n::float8 AS x FROM generate_series(1, 20) AS n WHERE n > 20")[1]
    assert [(len(column), column.dtype.name) for column in nothing] == [(0, "int32"), (0, "float64")]
    names, columns = se.client._columns(conn, "SELECT n::int2 AS a, nullif(n, 3) AS b, n::float4 FROM generate_series(1, 20) AS n")
    assert (
        names == ["a", "b", "n"] and columns[0].tolist() == list(range(1, 21)) and columns[1][2] is None and columns[2].dtype == np.float32
    )


def test_sparse_results(conn: psycopg.Connection[Any]) -> None:
    """A sparse value is a sparse array in value() and rows(), an object in frame(), a list in arrow()."""
    conn.execute("CREATE TABLE bag (id int PRIMARY KEY, words tensor(float8,1,sparse))")
    conn.execute("INSERT INTO bag VALUES (0, '[0,1,0]'), (1, '[2,0,3]')")
    se.register(conn, "w[D,k]", "bag", ["id"], "words", [2, 3])
    found = se.rows(conn, "w2[D,k] = w[d,k]", at={"d": 1})[0][1]
    assert np.array_equal(found.toarray() if hasattr(found, "toarray") else found, [2, 0, 3])
    frame = se.frame(conn, "w2[D,k:*] = w[d,k]", result="auto")
    assert sorted(np.asarray(v.toarray() if hasattr(v, "toarray") else v).tolist() for v in frame["value"]) == [[0, 1, 0], [2, 0, 3]]
    table = se.arrow(conn, "w2[D,k:*] = w[d,k]", result="auto")
    assert sorted(table.column("value").to_pylist()) == [[0, 1, 0], [2, 0, 3]]
    assert np.array_equal(np.asarray(se.value(conn, "y[d,k] = w[d,k]")), [[0, 1, 0], [2, 0, 3]])
