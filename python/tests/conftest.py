from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest


@pytest.fixture(scope="session")
def database() -> Iterator[str]:
    """A database of its own, with the extension in a schema that is not on the search path's front."""
    with psycopg.connect(autocommit=True) as conn:
        conn.execute("CREATE DATABASE python_tests")
    name = "dbname=python_tests"
    with psycopg.connect(name, autocommit=True) as conn:
        conn.execute("CREATE SCHEMA algebra")
        conn.execute("CREATE EXTENSION sparseeinsum SCHEMA algebra")
        conn.execute("ALTER DATABASE python_tests SET search_path = public, algebra")
    yield name
    with psycopg.connect(autocommit=True) as conn:
        conn.execute("DROP DATABASE python_tests WITH (FORCE)")


@pytest.fixture
def conn(database: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection whose transaction is rolled back."""
    with psycopg.connect(database) as conn:
        yield conn
        conn.rollback()
