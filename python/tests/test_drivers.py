"""Each driver sends and receives the same arrays, beside what the server says of them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
import scipy.sparse
import sqlalchemy as sa
from alembic.autogenerate import api, compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

import sparseeinsum.psycopg
import sparseeinsum.psycopg2
import sparseeinsum.sqlalchemy
from sparseeinsum import SparseTensor
from sparseeinsum.psycopg import register_tensor, register_tensor_async
from sparseeinsum.sqlalchemy import Tensor, include_object, render_item
from sparseeinsum.tensor import Array

from .test_tensor import VALUES, expected, same

ARRAYS: list[Array] = [expected(value) for value in VALUES]
SPARSE: list[Any] = [
    scipy.sparse.csr_array(np.array([[0, 1.5], [0, 0]])),
    scipy.sparse.csc_matrix(np.array([[0, 1.5], [2, 0]], np.float32)),
    scipy.sparse.coo_array(np.array([0, 1 - 2j])),
    SparseTensor((2, 2, 3), ([0, 1], [1, 0], [2, 1]), [1.0, 2.0]),
    SparseTensor((2,), ([1],), np.array([1], np.float32), np.inf),
]


def same_sparse(read: Any, given: Any) -> bool:
    """Is what was read of one class of sparse arrays, with the elements given?"""
    return isinstance(read, SparseTensor if isinstance(given, SparseTensor) else scipy.sparse.coo_array) and same(
        read.toarray(), np.asarray(given.toarray())
    )


@pytest.fixture
def table(database: str) -> Iterator[str]:
    with psycopg.connect(database, autocommit=True) as conn:
        conn.execute("CREATE TABLE item (id int PRIMARY KEY, value tensor)")
        yield "item"
        conn.execute("DROP TABLE item")


@pytest.mark.parametrize("binary", [False, True])
def test_psycopg(conn: psycopg.Connection[Any], binary: bool) -> None:
    register_tensor(conn)
    for array in ARRAYS:
        for placeholder in ("%s", "%t", "%b"):
            row = conn.execute(f"SELECT {placeholder}, tensor_rank({placeholder})", (array, array), binary=binary).fetchone()
            assert row is not None and same(row[0], array) and row[1] == array.ndim
    for value in SPARSE:
        for placeholder in ("%s", "%t", "%b"):
            row = conn.execute(f"SELECT {placeholder}, tensor_format({placeholder})", (value, value), binary=binary).fetchone()
            assert row is not None and same_sparse(row[0], value) and row[1] == "sparse"
    assert conn.execute("SELECT NULL::tensor", binary=binary).fetchone() == (None,)
    row = conn.execute("SELECT ARRAY['[1]', NULL]::tensor[]", binary=binary).fetchone()
    assert row is not None and same(row[0][0], np.ones(1)) and row[0][1] is None
    row = conn.execute("SELECT %s", ([np.ones(2), np.zeros(2)],), binary=binary).fetchone()
    assert row is not None and same(row[0][1], np.zeros(2))


@pytest.mark.parametrize("format_", ["TEXT", "BINARY"])
def test_psycopg_copy(conn: psycopg.Connection[Any], format_: str) -> None:
    register_tensor(conn)
    conn.execute("CREATE TEMP TABLE item (id int, value tensor)")
    with conn.cursor().copy(f"COPY item FROM STDIN (FORMAT {format_})") as copy:
        copy.set_types(["int4", "tensor"])
        for n, array in enumerate(ARRAYS):
            copy.write_row((n, array))
    with conn.cursor().copy(f"COPY item TO STDOUT (FORMAT {format_})") as copy:
        copy.set_types(["int4", "tensor"])
        rows = sorted(copy.rows())
    assert [row[0] for row in rows] == list(range(len(ARRAYS)))
    assert all(same(row[1], array) for row, array in zip(rows, ARRAYS))


def test_psycopg_async(database: str) -> None:
    async def run() -> None:
        async with await psycopg.AsyncConnection.connect(database) as conn:
            await register_tensor_async(conn)
            for array in ARRAYS:
                row = await (await conn.execute("SELECT %s", (array,), binary=True)).fetchone()
                assert row is not None and same(row[0], array)

    asyncio.run(run())


def test_without_the_extension() -> None:
    with psycopg.connect() as conn, pytest.raises(psycopg.ProgrammingError, match="CREATE EXTENSION"):
        register_tensor(conn)


def test_psycopg2(database: str, table: str) -> None:
    import psycopg2

    conn = psycopg2.connect(database)
    sparseeinsum.psycopg2.register_tensor(conn)
    with conn, conn.cursor() as cursor:
        for n, array in enumerate(ARRAYS):
            cursor.execute(f"INSERT INTO {table} VALUES (%s, %s) RETURNING value", (n, array))
            row = cursor.fetchone()
            assert row is not None and same(row[0], array)
        for value in SPARSE:
            cursor.execute("SELECT %s::tensor, tensor_format(%s)", (value, value))
            row = cursor.fetchone()
            assert row is not None and same_sparse(row[0], value) and row[1] == "sparse"
        cursor.execute("SELECT NULL::tensor, ARRAY['[1]', NULL]::tensor[]")
        row = cursor.fetchone()
        assert row is not None and row[0] is None and same(row[1][0], np.ones(1)) and row[1][1] is None
    conn.close()
    absent = psycopg2.connect("")
    with pytest.raises(psycopg2.ProgrammingError, match="CREATE EXTENSION"):
        sparseeinsum.psycopg2.register_tensor(absent)
    absent.close()


def test_asyncpg(database: str, table: str) -> None:
    import asyncpg

    from sparseeinsum.asyncpg import register_tensor

    async def run() -> None:
        conn = await asyncpg.connect(database=database.partition("=")[2])
        await register_tensor(conn)
        await conn.copy_records_to_table(table, records=list(enumerate(ARRAYS)))
        rows = await conn.fetch(f"SELECT value, tensor_rank($1) FROM {table} ORDER BY id", np.ones((2, 2)))
        assert all(same(row[0], array) and row[1] == 2 for row, array in zip(rows, ARRAYS))
        for value in SPARSE:
            assert same_sparse(await conn.fetchval("SELECT $1::tensor", value), value)
        assert await conn.fetchval("SELECT NULL::tensor") is None
        await conn.close()
        absent = await asyncpg.connect()
        with pytest.raises(asyncpg.UndefinedObjectError, match="CREATE EXTENSION"):
            await register_tensor(absent)
        await absent.close()

    asyncio.run(run())


URLS = ["postgresql+psycopg://", "postgresql+psycopg2://"]


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("registered", [False, True])
def test_sqlalchemy(database: str, url: str, registered: bool) -> None:
    class Base(DeclarativeBase):
        pass

    class Node(Base):
        __tablename__ = "node"
        id: Mapped[int] = mapped_column(primary_key=True)
        embedding: Mapped[Any] = mapped_column(Tensor("float4", 1), nullable=True)
        anything: Mapped[Any] = mapped_column(Tensor, nullable=True)
        typed: Mapped[Any] = mapped_column(Tensor("complex16"), nullable=True)

    engine = sa.create_engine(url + "/" + database.partition("=")[2])
    if registered:

        @sa.event.listens_for(engine, "connect")
        def connect(connection: Any, _record: Any) -> None:
            (sparseeinsum.psycopg2 if "psycopg2" in url else sparseeinsum.psycopg).register_tensor(connection)

    Base.metadata.create_all(engine)
    try:
        with Session(engine) as session:
            session.add(Node(id=1, embedding=np.ones(3, np.float32), anything=[[1, 2]], typed=np.array([1j])))
            session.add(Node(id=2))
            session.commit()
            node = session.get_one(Node, 1)
            assert same(node.embedding, np.ones(3, np.float32))
            assert same(node.anything, np.array([[1.0, 2.0]]))
            assert same(node.typed, np.array([1j]))
            node.anything = SPARSE[0]
            session.commit()
            assert same_sparse(session.get_one(Node, 1).anything, SPARSE[0])
            node.embedding = node.embedding + np.float32(1)
            session.commit()
            found = session.scalars(sa.select(Node).where(Node.embedding == np.full(3, 2, np.float32))).one()
            assert found.id == 1
            assert session.get_one(Node, 2).embedding is None
        columns = {column["name"]: column["type"] for column in sa.inspect(engine).get_columns("node")}
        assert repr(columns["embedding"]) == "Tensor(dtype='float4', rank=1)"
        assert repr(columns["anything"]) == "Tensor()"
        assert repr(columns["typed"]) == "Tensor(dtype='complex16')"
        compiled = str(sa.select(sa.literal(np.ones(2), Tensor)).compile(engine, compile_kwargs={"literal_binds": True}))
        assert "'float8:[1.0,1.0]'" in compiled
    finally:
        Base.metadata.drop_all(engine)
        engine.dispose()
    for arguments in (("float9",), (None, 1), ("float8", 17)):
        with pytest.raises(ValueError):
            Tensor(*arguments)


def test_alembic(database: str, tmp_path: Path) -> None:
    """Autogenerate writes the type and its import; the migration that it writes runs; nothing is left to do then."""
    metadata = sa.MetaData()
    sa.Table("embedded", metadata, sa.Column("id", sa.Integer, primary_key=True), sa.Column("value", Tensor("float8", 2)))
    engine = sa.create_engine("postgresql+psycopg:///" + database.partition("=")[2])
    with engine.connect() as connection:
        options = {"target_metadata": metadata, "render_item": render_item, "include_object": include_object}
        context = MigrationContext.configure(connection, opts=options)
        imports: list[str] = []
        difference = api.produce_migrations(context, metadata)
        assert difference.upgrade_ops is not None
        code = api.render_python_code(difference.upgrade_ops, render_item=render_item, imports=imports, migration_context=context)
        assert "sparseeinsum.sqlalchemy.Tensor(dtype='float8', rank=2)" in code
        exec(
            "def upgrade(op, sa, sparseeinsum):\n" + "\n".join("    " + line.strip() for line in code.splitlines()),
            scope := dict[str, Any](),
        )
        scope["upgrade"](Operations(context), sa, sparseeinsum)
        assert compare_metadata(context, metadata) == []
        metadata.tables["embedded"].c.value.type = Tensor("float4", 2)
        assert len(compare_metadata(context, metadata)) == 1
        connection.rollback()
    engine.dispose()


def test_django(database: str) -> None:
    """In a process of its own, as Django has one configuration a process."""
    script = Path(__file__).with_name("django_model.py")
    done = subprocess.run([sys.executable, str(script), database.partition("=")[2]], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
