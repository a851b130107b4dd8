"""Connections, options and examples of the client."""

from __future__ import annotations

import doctest
import inspect
from typing import Any

import numpy as np
import psycopg
import psycopg2
import pytest
import scipy.sparse as sp
import sqlalchemy
import sqlalchemy.orm

import sparseeinsum as se
from sparseeinsum import client, options
from sparseeinsum.connection import driver_connection

Connection = psycopg.Connection[Any]


def test_sqlalchemy(database: str) -> None:
    engine = sqlalchemy.create_engine("postgresql+psycopg:///python_tests")
    with engine.connect() as conn:
        se.store(conn, "x[I]", [1.0, 2.0])
        conn.rollback()
    with engine.connect() as conn:
        assert conn.execute(sqlalchemy.text("SELECT to_regclass('x')")).scalar() is None
        conn.rollback()
        se.store(conn, "x[I]", [1.0, 2.0])
        conn.commit()
    with sqlalchemy.orm.Session(engine) as session:
        assert se.value(session, "y[] = sum[i] x[i]") == 3
        se.store(session, "x[I]", [1.0, 2.0, 3.0], if_exists="replace")
        session.commit()
    with engine.begin() as conn:
        assert se.value(conn, "y[] = sum[i] x[i]") == 6
        conn.execute(sqlalchemy.text("DROP TABLE x"))
    with pytest.raises(TypeError, match="connect"):
        se.tensors(engine)  # type: ignore[arg-type]
    engine.dispose()
    other = sqlalchemy.create_engine("postgresql+psycopg2:///python_tests")
    with other.connect() as conn, pytest.raises(TypeError, match="psycopg 3"):
        se.tensors(conn)
    other.dispose()


def test_what_is_no_connection(database: str) -> None:
    other = psycopg2.connect(database)
    refused: list[Any] = [other, None, database, object()]
    for wrong in refused:
        with pytest.raises(TypeError, match="psycopg 3"):
            driver_connection(wrong)
    other.close()


CALLS: dict[str, tuple[type[Any], set[str]]] = {
    "einsum_plan": (options.PlanOptions, {"program", "format"}),
    "einsum_value": (options.SearchOptions, {"program"}),
    "einsum_sql": (options.SearchOptions, {"program", "at"}),
    "einsum_decompose": (options.DecomposeOptions, {"program", "name"}),
    "einsum_iterate": (options.IterateOptions, {"name", "init", "step"}),
    "einsum_gradient": (options.GradientOptions, {"program", "of", "wrt"}),
    "einsum_register": (options.RegisterOptions, {"tensor", "relation", "keys", "value", "bounds"}),
}


@pytest.mark.parametrize("function", CALLS)
def test_options_are_the_servers(conn: Connection, function: str) -> None:
    """Each option of the SQL function is one of the client's, and no other is."""
    known, own = CALLS[function]
    row = conn.execute(
        "SELECT proargnames[:pronargs] FROM pg_proc WHERE proname = %s AND prokind = 'f' ORDER BY pronargs DESC", (function,)
    ).fetchone()
    assert row is not None
    assert set(row[0]) - own == set(known.__annotations__)


def test_unknown_options(conn: Connection) -> None:
    se.store(conn, "a[I]", np.ones(2))
    with pytest.raises(TypeError, match="'search'"):
        se.value(conn, "y[i] = a[i]", serch="greedy")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="max_rounds"):
        se.iterate(conn, "l", "x[] = 1", "x[] = x[]", rounds=3)  # type: ignore[call-arg]


def test_what_numpy_would_take(conn: Connection) -> None:
    array: Any = np.ones((2, 2))
    calls: list[Any] = [se.value, se.frame, se.arrow, se.coo, se.plan, se.rows]
    for call in calls:
        with pytest.raises(TypeError, match="store"):
            call(conn, "ij,jk->ik", array, array)
        with pytest.raises(TypeError, match="store"):
            call(conn, "y[i] = sum[j] A[i,j]", A=array)
    for at in (3, "i", ["i"], 0):
        with pytest.raises(TypeError, match="at is a mapping"):
            se.rows(conn, "y[i] = a[i]", at=at)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="at is a list"):
        se.plan(conn, "y[i] = a[i]", at=3)  # type: ignore[arg-type]
    se.store(conn, "edge", array)
    with pytest.raises(psycopg.errors.DuplicateTable, match="if_exists"), conn.transaction():
        se.store(conn, "edge", array)


@pytest.mark.parametrize("name", sorted(se.__all__))
def test_examples(conn: Connection, name: str) -> None:
    """The example of each docstring, on a database with a few entries."""
    se.store(conn, "a", sp.coo_array(([2.0, 3.0], ([0, 1], [1, 2])), shape=(3, 3)))
    se.store(conn, "x", np.ones(3))
    found = getattr(se, name)
    tests = doctest.DocTestFinder().find(found, name, globs={**vars(client), **vars(se), "store": se.store, "np": np, "conn": conn})
    examples = [test for test in tests if test.examples]
    assert examples and inspect.getdoc(found)
    for test in examples:
        result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
        assert result.failed == 0


def test_what_is_returned_shows_itself(conn: Connection) -> None:
    se.store(conn, "a", sp.coo_array(([2.0, 3.0], ([0, 1], [1, 2])), shape=(3, 3)))
    shown = repr(se.tensors(conn))
    assert "tensor" in shown and "a[I,J]" in shown and len(shown.split("\n")) == 3
    with se.iterate(conn, "count", "n[] = 0", "n[] = n[] + 1", until="n[] >= 50") as loop:
        assert len(repr(loop).split("\n")) == 23 and loop.rounds == 50
    with se.decompose(conn, "b[I] = a[i,j]", "sums") as views:
        assert "b[I]" in repr(views)
    assert repr(se.analyze(conn, "a")).startswith("statistic")
    assert "d_a" in se.gradient(conn, "s[] = sum[i,j] a[i,j]^2", "s", ["a"])


def test_text_is_read_in_linear_time() -> None:
    for hostile in ("[" * 10**6, "complex16:[" + "1" * 10**6, "complex16:[" + "1," * 10**5, "[1" + "_0" * 10**5 + "]"):
        with pytest.raises(ValueError):
            se.from_text(hostile)
