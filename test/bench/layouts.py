"""Matrices in layouts of arrays beside the same matrix as rows of entries, and SciPy.

    make bench-layouts

Processor time, the median of BENCH_RUNS (5), and its ratio to rows of entries; sizes on disk; results are compared with SciPy's.
The matrices: amazon_computers (a node has 37 neighbours), mtx_tags_math_sx (a row has 2.2 entries), mtx_bcsstk25.
"""

import gzip
import io
import os
import statistics
import time

import numpy as np
import scipy.sparse

import datasets
from clock import serial_time

RUNS = int(os.environ.get("BENCH_RUNS", 5))
# folder, file, rows, columns
MATRICES = {"amazon": ("amazon_computers", "edges", 13752, 13752), "tags": ("mtx_tags_math_sx", "entries", 822059, 1629),
            "bcsstk25": ("mtx_bcsstk25", "entries", 15439, 15439)}
WIDTH = 64

# of a matrix m in n storages: what is stored, and how it is registered
LISTS = "create table {m}_lists as select i as id, array_agg(j order by j) as idx, array_agg(v order by j) as v from {m}_rows group by i"
CSR = """create table {m}_csr as select (select array_agg(e::int order by i) from (select -1 as i, 0 as e union all
    select i, sum(count(v)) over (order by i) from generate_series(0, {rows} - 1) i left join {m}_rows using (i) group by i) s) as ptr,
    array_agg(j order by i, j) as idx, array_agg(v order by i, j) as v from {m}_rows"""
STORAGES = {
    "rows": (None, "keys => '{{i,j}}', value => 'v'"),
    "lists": (LISTS + "; alter table {m}_lists add primary key (id)", "keys => '{{id}}', layout => 'lists(idx,v)'"),
    "csr": (CSR, "keys => '{{}}', layout => 'csr(ptr,idx,v)'"),
}


# name: a program over the tensor {t} of the matrix {m}, and what SciPy computes
WORK = {
    "A x": ("y[I] = sum[j] {t}[i,j]*{m}_x[j]", lambda m, x, h: m @ x),
    "A H": ("y[I,k] = sum[j] {t}[i,j]*{m}_h[j,k]", lambda m, x, h: m @ h),
    "A'(A x)": ("p[I] = sum[j] {t}[i,j]*{m}_x[j]; y[J] = sum[i] {t}[i,j]*p[i]", lambda m, x, h: m.T @ (m @ x)),
}


def read(folder, file, rows, columns):
    with gzip.open(os.path.join(datasets.FOLDER, folder, file + ".tsv.gz")) as lines:
        entries = np.loadtxt(lines, ndmin=2)
    values = entries[:, 2] if entries.shape[1] > 2 else np.ones(len(entries))
    matrix = scipy.sparse.csr_matrix((values, (entries[:, 0].astype(int), entries[:, 1].astype(int))), (rows, columns))
    matrix.sum_duplicates()
    return matrix


def make(cursor, name, matrix):
    """stores the matrix in each way, with a vector and dense rows beside it"""
    rows, columns = matrix.shape
    cursor.execute(f"create table {name}_rows (i int, j int, v float8 not null, primary key (i, j))")
    coordinates = matrix.tocoo()
    lines = "".join("%d\t%d\t%r\n" % entry for entry in zip(coordinates.row.tolist(), coordinates.col.tolist(), coordinates.data.tolist()))
    copy(cursor, f"{name}_rows", lines)
    for storage, (create, registered) in STORAGES.items():
        if create:
            cursor.execute(create.format(m=name, rows=rows))
        cursor.execute(f"vacuum analyze {name}_{storage}")
        cursor.execute(f"select einsum_register('{name}_{storage}[I,J]', '{name}_{storage}', {registered.format()}, bounds => '{{{rows},{columns}}}')")
        cursor.execute(f"select einsum_analyze('{name}_{storage}')")
    x, h = np.arange(columns) % 7 - 2.5, np.arange(columns * WIDTH).reshape(columns, WIDTH) % 11 / 4.0
    cursor.execute(f"create table {name}_x (j int primary key, v float8 not null); create table {name}_h (j int primary key, v tensor not null)")
    copy(cursor, f"{name}_x", "".join("%d\t%r\n" % pair for pair in enumerate(x.tolist())))
    copy(cursor, f"{name}_h", "".join("%d\t[%s]\n" % (j, ",".join(map(repr, row))) for j, row in enumerate(h.tolist())))
    cursor.execute(f"vacuum analyze {name}_x, {name}_h")
    cursor.execute(f"select einsum_register('{name}_x[J]', '{name}_x', '{{j}}', 'v', '{{{columns}}}'), einsum_register('{name}_h[J,k]', '{name}_h', '{{j}}', 'v', '{{{columns},{WIDTH}}}')")
    return x, h


def copy(cursor, relation, lines):
    cursor.copy_expert("copy %s from stdin" % relation, io.StringIO(lines))


def measure(cursor, process, program):
    """processor seconds of the server, and the rows of the result"""
    cursor.execute("select einsum_sql(%s)", (program,))
    query = cursor.fetchone()[0]
    start = serial_time(process)
    cursor.execute(query)
    seconds = serial_time(process) - start
    return seconds, cursor.fetchall()


def check(rows, expected):
    """the rows of a result have the numbers that SciPy has"""
    found = np.zeros(expected.shape)
    for row in rows:
        found[row[0]] = np.array(row[1].strip("[]").split(","), dtype=float) if isinstance(row[1], str) else row[1]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def main():
    if not datasets.available():
        print("SPARSEEINSUM_DATASETS names no folder of data sets")
        return
    cursor = datasets.connect()
    process = cursor.connection.info.backend_pid
    for name, source in MATRICES.items():
        matrix = read(*source)
        x, h = make(cursor, name, matrix)
        for storage in STORAGES:
            cursor.execute("select pg_size_pretty(pg_total_relation_size(%s))", (f"{name}_{storage}",))
            print("%-9s %-6s %s" % (name, storage, cursor.fetchone()[0]))
        for work, (program, compute) in WORK.items():
            times = {storage: [] for storage in STORAGES}
            peer = []
            for run in range(RUNS + 1):
                start = time.process_time()
                expected = compute(matrix, x, h)
                peer.append(time.process_time() - start)
                for storage in times:
                    seconds, rows = measure(cursor, process, program.format(t=f"{name}_{storage}", m=name))
                    if run == 0:
                        check(rows, expected)
                    else:
                        times[storage].append(seconds)
            base = statistics.median(times["rows"])
            for storage, seconds in times.items():
                median = statistics.median(seconds)
                print("%-9s %-8s %-6s %9.1f ms %6.2f of rows %8.1f of SciPy" % (name, work, storage, median * 1000, median / base, median / statistics.median(peer[1:])), flush=True)


main()
