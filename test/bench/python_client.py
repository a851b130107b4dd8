"""Vectors in and out beside pgvector-python, and a sparse matrix in beside COPY.

    make bench-python

100,000 float4 vectors of 384: into a table by binary COPY row by row as both
packages document it, by store(), and out again by a binary cursor and by
COPY. pgvector is measured on the same server if SPARSEEINSUM_PGVECTOR names a
built source of it. Then 1,000,000 entries of a scipy matrix by store(), beside
COPY of the same rows from a file in the binary format, made beforehand, into a
table that gets its primary key afterwards too. Runs alternate; medians of 5.
"""

import functools
import os
import statistics
import subprocess
import time

import numpy as np
import psycopg
import scipy.sparse as sp

import sparseeinsum as se
from sparseeinsum import copying
from sparseeinsum.psycopg import register_tensor

RUNS = int(os.environ.get("BENCH_RUNS", "5"))
ROWS, WIDTH, ENTRIES = 100_000, 384, 1_000_000


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def copy_in(conn, type_, vectors):
    conn.execute("TRUNCATE %s_item" % type_)
    with conn.cursor().copy("COPY %s_item FROM STDIN (FORMAT BINARY)" % type_) as copy:
        copy.set_types(["int4", type_])
        for n, vector in enumerate(vectors):
            copy.write_row((n, vector))


def select_out(conn, type_):
    with conn.cursor(binary=True) as cursor:
        return cursor.execute("SELECT value FROM %s_item" % type_).fetchall()


def copy_out(conn, type_):
    with conn.cursor().copy("COPY %s_item TO STDOUT (FORMAT BINARY)" % type_) as copy:
        copy.set_types(["int4", type_])
        return list(copy.rows())


def measure(works):
    """The median time of each work, which take turns."""
    times = {name: [] for name in works}
    for _ in range(RUNS):
        for name, work in works.items():
            times[name].append(timed(work)[0])
    return {name: statistics.median(each) for name, each in times.items()}


def main():
    conn = psycopg.connect(autocommit=True)
    conn.execute("CREATE EXTENSION sparseeinsum")
    register_tensor(conn)
    types = ["tensor"]
    source = os.environ.get("SPARSEEINSUM_PGVECTOR")
    if source:
        destination = conn.execute("SHOW extension_destdir").fetchone()[0]
        subprocess.run(["make", "-s", "-C", source, "with_llvm=no", "install", "DESTDIR=" + destination], check=True)
        conn.execute("CREATE EXTENSION vector")
        import pgvector
        import pgvector.psycopg

        pgvector.psycopg.register_vector(conn)
        # both register arrays: the later one has them
        register_tensor(conn)
        types.append("vector")
    vectors = np.random.default_rng(1).normal(size=(ROWS, WIDTH)).astype(np.float32)
    lists = {"tensor": list(vectors)}
    if source:
        lists["vector"] = [pgvector.Vector(vector) for vector in vectors]
    for type_ in types:
        conn.execute("CREATE TABLE %s_item (id int, value %s)" % (type_, type_))

    works = {}
    for type_ in types:
        works["in, row by row: " + type_] = lambda type_=type_: copy_in(conn, type_, lists[type_])
    works["in, store(): tensor"] = lambda: se.store(conn, "h[I,k]", vectors, if_exists="replace", progress=False)
    for type_ in types:
        works["out, binary cursor: " + type_] = lambda type_=type_: select_out(conn, type_)
        works["out, COPY: " + type_] = lambda type_=type_: copy_out(conn, type_)
    works["out, frame(): tensor"] = lambda: se.client._columns(conn, "SELECT * FROM tensor_item")
    matrix = sp.random_array((100_000, 100_000), density=ENTRIES / 1e10, rng=np.random.default_rng(2))
    rows, columns = (copying.Column("int4", c.astype(np.int32)) for c in matrix.coords)
    binary = copying.SIGNATURE + b"".join(
        batch for _, batch in copying.encode([rows, columns, copying.Column("float8", matrix.data)])) + copying.TRAILER

    def copy_entries():
        conn.execute("DROP TABLE IF EXISTS entry")
        conn.execute("CREATE TABLE entry (i int NOT NULL CHECK (i >= 0 AND i < 100000), j int NOT NULL CHECK (j >= 0 AND j < 100000),"
                     " value float8 NOT NULL)")
        with conn.cursor().copy("COPY entry FROM STDIN (FORMAT BINARY)") as copy:
            for start in range(0, len(binary), copying.BATCH_BYTES):
                copy.write(binary[start : start + copying.BATCH_BYTES])

    def key_entries():
        conn.execute("ALTER TABLE entry ADD PRIMARY KEY (i, j)")
        conn.execute("ANALYZE entry")

    works["matrix, COPY of a buffer"] = copy_entries
    works["matrix, its primary key and ANALYZE"] = key_entries
    for layout in ("rows", "lists", "csr"):
        works["matrix, store(layout=%r)" % layout] = functools.partial(
            se.store, conn, "a_" + layout, matrix, layout=layout, if_exists="replace", progress=False
        )
    for name, seconds in measure(works).items():
        print("%-40s %8.3f s" % (name, seconds))


main()
