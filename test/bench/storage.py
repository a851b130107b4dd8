"""What storages are to reach: layouts of arrays, sparse values and formats by cost, beside rows of entries, dense values, NumPy and SciPy.

    make bench-storage        STORAGE_ROWS='word ...' (words of sections; all), BENCH_RUNS (5)

Processor time of the server, without returning the rows, the median of BENCH_RUNS; what is compared takes turns. The sum of each result
is compared with NumPy's. Prints a line for each measurement with what is asked for, and at the end the lines again that fall short.
What `make bench-ranges` and `make bench-nest-targets` measure is not repeated here.
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

RUNS = int(os.environ.get("BENCH_RUNS") or 5)
ASKED = os.environ.get("STORAGE_ROWS", "").split()
# folder, file, bounds; an entry without a value is 1
MATRICES = {"amazon": ("amazon_computers", "edges", (13752, 13752)), "tags": ("mtx_tags_math_sx", "entries", (822059, 1629)),
            "bcsstk25": ("mtx_bcsstk25", "entries", (15439, 15439))}
TENSORS = {"nell995": ("tensor_nell995", "entries", (75492, 200, 75492)), "lastfm": ("tensor_lastfm_tags", "entries", (1892, 12523, 9749))}
RANK = 16
LAYOUTS = {"csr": "csr(ptr,idx,v)", "lists": "lists(idx,v)", "csf": "csf(idx0,ptr1,idx1,ptr2,idx2,v)", "coo": None}


class Bench:
    def __init__(self):
        self.cursor = datasets.connect()
        self.process = self.cursor.connection.info.backend_pid
        self.short = []
        self.query("set cursor_tuple_fraction = 1; set client_min_messages = error; set work_mem = '64MB'; set jit = off")

    def query(self, sql, *args):
        self.cursor.execute(sql, args or None)
        return self.cursor.fetchall() if self.cursor.description else None

    def sql(self, program, **options):
        names = "".join(", %s => %%s" % name for name in options)
        return self.query("select einsum_sql(%%s%s)" % names, program, *options.values())[0][0]

    def run(self, sql):
        """processor seconds of the server for all rows of a query"""
        self.query("begin")
        start = serial_time(self.process)
        self.query("declare c cursor for " + sql)
        self.query("move forward all in c")
        seconds = serial_time(self.process) - start
        self.query("commit")
        return seconds

    def measure(self, ways):
        """medians of ways that take turns: SQL, or a function of Python"""
        times = {name: [] for name in ways}
        for run in range(RUNS + 1):
            for name, way in ways.items():
                if callable(way):
                    start = time.process_time()
                    way()
                    seconds = time.process_time() - start
                else:
                    seconds = self.run(way)
                if run > 0:
                    times[name].append(seconds)
        return {name: statistics.median(found) for name, found in times.items()}

    def check(self, sql, expected):
        """the sum of a result's numbers, or of the elements of its vectors"""
        kind = self.query("select pg_typeof(value)::text from (%s) q limit 1" % sql)[0][0]
        total = "tensor_sum(value)" if kind == "double precision" else "(select sum(e.value) from tensor_entries(tensor_sum(value)) e)"
        found = self.query("select %s from (%s) q" % (total, sql))[0][0]
        np.testing.assert_allclose(float(found), expected, rtol=1e-9, atol=1e-6)

    def report(self, work, reached, asked, detail=""):
        line = "%-62s %8.3f  asked %-6s %s" % (work, reached, asked, detail)
        print(line, flush=True)
        if reached > asked:
            self.short.append(line)

    def copy(self, relation, lines):
        self.cursor.copy_expert("copy %s from stdin" % relation, io.StringIO(lines))


def read(folder, file, bounds):
    """columns of indices, and values"""
    with gzip.open(os.path.join(datasets.FOLDER, folder, file + ".tsv.gz")) as lines:
        entries = np.loadtxt(lines, ndmin=2)
    rank = len(bounds)
    values = entries[:, rank] if entries.shape[1] > rank else np.ones(len(entries))
    return [entries[:, d].astype(int) for d in range(rank)], values


def store(bench, name, indices, values, bounds, layouts):
    """a tensor in rows, and in layouts: tensors name_rows, name_csr, ..."""
    rank = len(bounds)
    labels, columns = ",".join("IJK"[:rank]), ",".join("ijk"[:rank])
    bound = "{%s}" % ",".join(map(str, bounds))
    bench.query("create table %s_rows (%s, v float8 not null, primary key (%s))" % (name, ", ".join(c + " int" for c in "ijk"[:rank]), columns))
    order = np.lexsort(indices[::-1])
    bench.copy(name + "_rows", "".join("\t".join(map(str, row)) + "\n" for row in zip(*[i[order].tolist() for i in indices], values[order].tolist())))
    bench.query("select einsum_register(%s, %s, %s, 'v', %s)", "%s_rows[%s]" % (name, labels), name + "_rows", "{%s}" % columns, "{%s}" % ",".join(map(str, bounds)))
    for layout in layouts:
        text = LAYOUTS[layout] or "coo(%s,v)" % columns
        bench.query("select einsum_store(%s, %s, %s, layout => %s)", "%s_%s[%s]" % (name, layout, labels), "table %s_rows" % name, bound, text)
    for storage in ["rows", *layouts]:
        bench.query("vacuum analyze %s_%s" % (name, storage))
        bench.query("select einsum_analyze(%s)", "%s_%s" % (name, storage))


def vectors(bench, name, matrix):
    """a dense matrix, a vector in each row"""
    rows, columns = matrix.shape
    bench.query("create table %s (j int primary key, v tensor not null)" % name)
    bench.copy(name, "".join("%d\t[%s]\n" % (j, ",".join(map(repr, row))) for j, row in enumerate(matrix.tolist())))
    bench.query("vacuum analyze %s" % name)
    bench.query("select einsum_register(%s, %s, '{j}', 'v', %s)", name + "[J,k]", name, "{%d,%d}" % (rows, columns))


def numbers(bench, name, vector):
    bench.query("create table %s (j int primary key, v float8 not null)" % name)
    bench.copy(name, "".join("%d\t%r\n" % pair for pair in enumerate(vector.tolist())))
    bench.query("vacuum analyze %s" % name)
    bench.query("select einsum_register(%s, %s, '{j}', 'v', %s)", name + "[J]", name, "{%d}" % len(vector))


def formula(bench, work, program, name, storages, peer, asked):
    """a program over each storage of a tensor beside a peer; asked: (storage, over what, ratio), ..."""
    ways = {storage: bench.sql(program.format(t="%s_%s" % (name, storage), n=name)) for storage in storages}
    expected = peer().sum()
    for sql in ways.values():
        bench.check(sql, expected)
    found = bench.measure({**ways, "peer": peer})
    for storage, over, ratio in asked:
        bench.report("%s, %s: %s over %s" % (work, name, storage, over), found[storage] / found[over], ratio,
                     "%.1f ms, %.1f ms" % (found[storage] * 1000, found[over] * 1000))


def one_tensor(bench, work, program, name, storages):
    """the storage that is chosen beside the best measured, of one tensor in several"""
    notation = bench.query("select notation from einsum_tensors where tensor = %s", "%s_rows" % name)[0][0].partition("[")[2]
    for n, storage in enumerate(storages):
        keys = {"rows": "{i,j,k}" if "K" in notation else "{i,j}", "lists": "{i}"}.get(storage, "{}")
        layout, value = LAYOUTS.get(storage), "v" if storage == "rows" else None
        bench.query("select einsum_register(%s, %s, keys => %s, value => %s, layout => %s, bounds => (select bounds from einsum_tensors where tensor = %s), storage => %s, replace => true)",
                    "all_%s[%s" % (name, notation), "%s_%s" % (name, storage), keys, value, layout, "%s_%s" % (name, storage), "further" if n else "only")
    bench.query("select einsum_analyze(%s)", "all_" + name)
    ways = {storage: bench.sql(program.format(t="%s_%s" % (name, storage), n=name)) for storage in storages}
    found = bench.measure({**ways, "chosen": bench.sql(program.format(t="all_" + name, n=name))})
    bench.report("%s, %s: chosen storage over the best measured" % (work, name), found["chosen"] / min(found[s] for s in storages), 1.2)


def matrices(bench):
    for name, source in MATRICES.items():
        indices, values = read(*source)
        matrix = scipy.sparse.csr_matrix((values, indices), source[2])
        store(bench, name, *read(*source), source[2], ["csr", "lists"])
        x = np.arange(source[2][1]) % 7 - 2.5
        numbers(bench, name + "_x", x)
        storages = ["rows", "csr", "lists"]
        product = "y[I] = sum[j] {t}[i,j]*{n}_x[j]"
        twice = "p[I] = sum[j] {t}[i,j]*{n}_x[j]; y[J] = sum[i] {t}[i,j]*p[i]"
        pairs = "c[J,K] = sum[i] {t}[i,j]*{t}[i,k]"
        if name == "amazon":
            half = indices[0] <= indices[1]
            bench.query("create table amazon_symmetric (i int, j int, v float8 not null, primary key (i, j), check (i <= j))")
            bench.copy("amazon_symmetric", "".join("%d\t%d\t%r\n" % row for row in zip(indices[0][half].tolist(), indices[1][half].tolist(), values[half].tolist())))
            bench.query("vacuum analyze amazon_symmetric")
            bench.query("select einsum_register('amazon_symmetric[I,J]', 'amazon_symmetric', '{i,j}', 'v', '{13752,13752}', layout => 'symmetric')")
            bench.query("select einsum_analyze('amazon_symmetric')")
            formula(bench, "A x", product, name, [*storages, "symmetric"], lambda: matrix @ x, [("csr", "rows", 0.2), ("lists", "rows", 0.3), ("symmetric", "rows", 0.75)])
            one_tensor(bench, "A x", product, name, storages)
            features, ones = read("amazon_computers", "features", (13752, 767))
            h = np.zeros((13752, 767))
            h[tuple(features)] = ones
            vectors(bench, "amazon_h", h)
            formula(bench, "A H", "y[I,k] = sum[j] {t}[i,j]*{n}_h[j,k]", name, ["rows", "csr"], lambda: matrix @ h, [("csr", "rows", 0.9), ("csr", "peer", 0.75)])
            one_key(bench, matrix)
            continue
        asked = {"tags": [("csr", "peer", 5), ("rows", "peer", 15)], "bcsstk25": [("csr", "peer", 12)]}[name]
        formula(bench, "A'(A x)", twice, name, storages, lambda: matrix.T @ (matrix @ x), asked)
        one_tensor(bench, "A'(A x)", twice, name, storages)
        formula(bench, "sum of A'A", "s[] = sum[i,j,k] {t}[i,j]*{t}[i,k]", name, storages, lambda: (matrix.T @ matrix).sum(), [("csr", "peer", {"tags": 4, "bcsstk25": 8}[name])])
        formula(bench, "A'A", pairs, name, storages, lambda: matrix.T @ matrix, [("csr", "peer", {"tags": 1.6, "bcsstk25": 3}[name])])
        one_tensor(bench, "A'A", pairs, name, storages)


def one_key(bench, matrix):
    """a row of csr beside the same by the index of rows, 500 times"""
    ways = {}
    for storage in ("csr", "rows"):
        sql = bench.sql("y[I] = sum[j] amazon_%s[i,j]*amazon_x[j]" % storage, at="{i}")
        bench.query("prepare at_%s(int) as %s" % (storage, sql))
        bench.query("set plan_cache_mode = force_generic_plan")

        def look_up(storage=storage):
            start = serial_time(bench.process)
            for key in range(0, 13500, 27):
                bench.query("execute at_%s(%d)" % (storage, key))
            return serial_time(bench.process) - start
        ways[storage] = statistics.median(look_up() for _ in range(RUNS))
    bench.report("WHERE i = 42, csr over an index look-up of rows", ways["csr"] / ways["rows"], 3, "%.3f ms" % (ways["csr"] * 2))
    plan = "\n".join(row[0] for row in bench.query("explain (analyze) execute at_csr(42)"))
    read_entries = [float(line.split(": ")[1]) for line in plan.split("\n") if "Entries Read" in line]
    bench.report("entries read of csr beyond those of one row (EXPLAIN ANALYZE)", (read_entries or [np.inf])[0] - matrix[42].nnz, 0)
    bench.query("reset plan_cache_mode")


def tensors(bench):
    for name, source in TENSORS.items():
        indices, values = read(*source)
        store(bench, name, indices, values, source[2], ["csf"])
        b, c = (np.arange(n * RANK).reshape(n, RANK) % 11 / 4.0 for n in source[2][1:])
        vectors(bench, name + "_b", b)
        vectors(bench, name + "_c", c)
        order = np.lexsort(indices[::-1])
        i, j, k = (index[order] for index in indices)
        v = values[order]
        ij = np.concatenate([[0], np.cumsum((np.diff(i) != 0) | (np.diff(j) != 0))])
        slices = scipy.sparse.csr_matrix((v, (ij, k)), (ij[-1] + 1, source[2][2]))
        by_row = scipy.sparse.csr_matrix((v, (i, np.arange(len(v)))), (source[2][0], len(v)))
        formula(bench, "TTM", "y[I,J,r] = sum[k] {t}[i,j,k]*{n}_c[k,r]", name, ["rows", "csf"], lambda: slices @ c, [("csf", "peer", 5)])
        formula(bench, "MTTKRP", "y[I,r] = sum[j,k] {t}[i,j,k]*{n}_b[j,r]*{n}_c[k,r]", name, ["rows", "csf"], lambda: by_row @ (b[j] * c[k]), [("csf", "peer", 0.9)])
        one_tensor(bench, "TTM", "y[I,J,r] = sum[k] {t}[i,j,k]*{n}_c[k,r]", name, ["rows", "csf"])


def bags(bench, name, rows, columns, width):
    """a matrix as dense and as sparse vectors, and rows of entries: tensors name_dense, name_sparse, name_rows, and name in all"""
    shape = (int(rows.max()) + 1, columns)
    matrix = scipy.sparse.csr_matrix((np.ones(len(rows)), (rows, bags.columns)), shape)
    lists = np.split(matrix.indices, matrix.indptr[1:-1])
    text = "".join("%d\tfloat8(%d):{%s}\n" % (i, columns, ",".join("%d:1" % k for k in sorted(found.tolist()))) for i, found in enumerate(lists))
    bench.query("create table {0}_sparse (i int primary key, v tensor(float8,1,sparse) not null); create table {0}_dense (i int primary key, v tensor(float8,1) not null)"
                .format(name))
    bench.copy(name + "_sparse", text)
    bench.query("insert into {0}_dense select i, tensor_dense(v) from {0}_sparse".format(name))
    bench.query("create table {0}_rows as select i, e.index[1] as k, e.value as v from {0}_sparse, tensor_entries(v) e where e.value <> 0; alter table {0}_rows add primary key (i, k)".format(name))
    bound = "{%d,%d}" % shape
    for n, (storage, labels, keys) in enumerate([("dense", "I,k", "{i}"), ("sparse", "I,k", "{i}"), ("rows", "I,K", "{i,k}")]):
        bench.query("vacuum analyze %s_%s" % (name, storage))
        bench.query("select einsum_register(%s, %s, %s, 'v', %s), einsum_register(%s, %s, %s, 'v', %s, storage => %s)", "%s_%s[%s]" % (name, storage, labels), "%s_%s" % (name, storage),
                    keys, bound, "%s[%s]" % (name, labels), "%s_%s" % (name, storage), keys, bound, "further" if n else "only")
        bench.query("select einsum_analyze(%s)", "%s_%s" % (name, storage))
    bench.query("select einsum_analyze(%s)", name)
    w = np.arange(columns * width).reshape(columns, width) % 13 / 4.0 - 1
    vectors(bench, name + "_w", w)
    return matrix, w


def citeseer(bench):
    (rows, bags.columns), _ = read("planetoid_citeseer", "features", (3327, 3703))
    matrix, w = bags(bench, "cite", rows, 3703, 256)
    size = {storage: bench.query("select pg_total_relation_size('cite_%s')::float8" % storage)[0][0] for storage in ("dense", "sparse")}
    bench.report("citeseer, bytes: sparse values over dense ones", size["sparse"] / size["dense"], 0.02)
    formula(bench, "times 3,703 x 256", "y[I,m] = sum[k] {t}[i,k]*{n}_w[k,m]", "cite", ["dense", "sparse", "rows"], lambda: matrix @ w, [("sparse", "dense", 0.35), ("sparse", "peer", 1.15)])
    (i, j), _ = read("planetoid_citeseer", "edges", (3327, 3327))
    graph = scipy.sparse.csr_matrix((np.ones(len(i)), (i, j)), (matrix.shape[0], matrix.shape[0]))
    store(bench, "links", [i, j], np.ones(len(i)), graph.shape, ["csr"])
    second = np.arange(256 * 6).reshape(256, 6) % 5 - 2.0
    vectors(bench, "cite_second", second)
    formula(bench, "two-layer convolution",
            "h[I,m] = relu(sum[j,k] links_csr[i,j]*{t}[j,k]*{n}_w[k,m]); z[I,c] = sum[j,m] links_csr[i,j]*h[j,m]*{n}_second[m,c]", "cite", ["sparse", "rows"],
            lambda: graph @ (np.maximum(graph @ (matrix @ w), 0) @ second), [("sparse", "peer", 1.1)])


def densities(bench):
    rng = np.random.default_rng(5)
    worse = []
    for percent in (0.1, 0.3, 1, 3, 5, 10, 30, 60, 100, "amazon"):
        name = "density_%s" % str(percent).replace(".", "_")
        if percent == "amazon":
            (rows, bags.columns), _ = read("amazon_computers", "features", (13752, 767))
            keep = rows < 2000
            rows, bags.columns, columns = rows[keep], bags.columns[keep], 767
        else:
            columns = 1000
            rows, bags.columns = np.nonzero(rng.random((2000, columns)) < percent / 100)
        matrix, w = bags(bench, name, rows, columns, 64)
        program = "y[I,m] = sum[k] %s[i,k]*" + name + "_w[k,m]"
        found = bench.measure({storage: bench.sql(program % (name + storage)) for storage in ("", "_dense", "_sparse", "_rows")})
        worse.append(found[""] / min(found["_dense"], found["_sparse"], found["_rows"]))
        print("density %s: chosen over the best of dense, sparse and rows %.2f (%s ms)" % (
            percent, worse[-1], ", ".join("%.1f" % (found[s] * 1000) for s in ("", "_dense", "_sparse", "_rows"))), flush=True)
    bench.report("densities of 0.1 to 100 %: chosen over the best, the second worst", sorted(worse)[-2], 1.2)


def main():
    if not datasets.available():
        print("SPARSEEINSUM_DATASETS names no folder of data sets")
        return
    bench = Bench()
    for section in (matrices, tensors, citeseer, densities):
        if not ASKED or section.__name__ in ASKED:
            section(bench)
    print("\n%d fall short" % len(bench.short) + "".join("\n" + line for line in bench.short))


main()
