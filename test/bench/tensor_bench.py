"""dot, axpy, matrix-vector and matrix-matrix products per call and per row of a
scan, beside OpenBLAS called directly, numpy, and pgvector where it has the
operation.

    make bench-tensor [SPARSEEINSUM_PGVECTOR=/a/source/of/pgvector] [BENCH_ARGS="--rounds 5 --sum-rows 1000000"]

Everything adds its results up, and the sums are compared: elements are small
integers, so that they must be equal. One row of the table is measured in turns,
a round being one run of every contestant; medians and minima of the rounds are
shown, as nanoseconds per call, of processor time: others share the machine, and
every contestant has one thread. A call in SQL is the time of a SELECT over a
generate_series, less that of the same SELECT without the call; its operands are
parameters, flat in memory, one copy of each. "kernel" is the kernel that the call runs,
called from C as OpenBLAS is: the rest is the way of a call through the executor, which no
function can avoid. A row of a scan is the time of a SELECT over a table,
whole; what is larger than 2 kB lies out of line there. A batch is a call with
batched matrices, beside numpy.matmul, which calls OpenBLAS for each. Ratios are of minima,
since other work on the machine (caches, memory) only adds; the load is shown.

pgvector is built from its source in SPARSEEINSUM_PGVECTOR, outside this tree, and installed
into the private installation only.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

import numpy as np
import psycopg2

LEFT = "(i * 7 + 3) % 5 - 2"
RIGHT = "(i * 11 + 1) % 7 - 3"
DTYPES = {"float4": np.float32, "float8": np.float64, "complex8": np.complex64, "complex16": np.complex128}
CALLS_PER_ROW = 16  # of a cheap function, so that the row does not matter
SIZES = [4, 16, 64, 128, 256, 512, 1024, 2048]

# operation, element type, SQL per call and per row of the first operand x with
# the second y, and pgvector's with vectors v and w
OPERATIONS = [
    ("dot", "float4", "inner_prod({x}, {y})", "({v} <#> {w})"),
    ("dot", "float8", "inner_prod({x}, {y})", None),
    ("axpy", "float4", "einsum_scalar('i->', einsum_sum(',i->i', 2.0::real, {x}))", None),
    ("axpy", "float8", "einsum_scalar('i->', einsum_sum(',i->i', 2.0, {x}))", None),
    ("gemv", "float8", "einsum_scalar('i->', einsum_sum('ij,j->i', {x}, {y}))", None),
    ("gemm", "float8", "einsum_scalar('ij->', einsum_sum('ij,jk->ik', {x}, {y}))", None),
]

# (batch, n): batch products of n x n matrices
BATCHES = [(4, 4), (512, 4), (4, 16), (512, 16), (64, 64), (4, 256), (4, 512)]
# numpy.matmul of shapes made of b and n, whose product is the equation's
BATCHED = [
    ("bij,bjk->bik", "b,n,n", "b,n,n", lambda x, y: np.matmul(x, y)),
    ("bij,kj->bik", "b,n,n", "n,n", lambda x, y: np.matmul(x, y.T)),
    ("bhij,bhjk->bhik", "b/4,4,n,n", "b/4,4,n,n", lambda x, y: np.matmul(x, y)),
]


class Calls:
    """calls from C: of OpenBLAS (blas), and of the kernels (kernel)"""

    def __init__(self, who):
        self.who = who
        self.process = subprocess.Popen(["build/bench/tensor_calls"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def run(self, operation, dtype, n, rows, repeats):
        self.process.stdin.write("%s %s %s %d %d %d\n" % (self.who, operation, dtype, n, rows, repeats))
        self.process.stdin.flush()
        ns, checksum = self.process.stdout.readline().split()
        return float(ns), float(checksum)


class Numpy:
    def __init__(self):
        self.key = None

    def run(self, operation, dtype, n, rows, repeats):
        shape = (n,) if operation in ("dot", "axpy") else (n, n)
        if self.key != (operation, dtype, n, rows):
            self.key = (operation, dtype, n, rows)
            i = np.arange(np.prod(shape))
            base = ((i * 7 + 3) % 5 - 2).astype(DTYPES[dtype]).reshape(shape)
            self.rows = [base * DTYPES[dtype](r % 3 + 1) for r in range(rows)]
            i = np.arange(n * n if operation == "gemm" else n)
            self.other = ((i * 11 + 1) % 7 - 3).astype(DTYPES[dtype])
            if operation == "gemm":
                self.other = self.other.reshape(n, n)
        total = 0.0
        other = self.other
        result = np.zeros_like(other)
        two = DTYPES[dtype](2)
        calls = [self.rows[r % rows] for r in range(repeats)]
        start = time.process_time()
        if operation == "dot":
            for x in calls:
                total += float(np.dot(x, other))
        elif operation == "axpy":
            for x in calls:
                result += two * x
        else:
            for x in calls:
                result += x @ other
        ns = (time.process_time() - start) * 1e9 / repeats
        return ns, total + float(result.sum(dtype=np.float64))


class Sql:
    def __init__(self):
        self.connection = psycopg2.connect("")
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()
        # Linux: the processor time of another process
        self.clock = ~self.connection.info.backend_pid << 3 | 2
        self.vector = None
        source = os.environ.get("SPARSEEINSUM_PGVECTOR", "")
        if source:
            self.one("show extension_destdir")
            destination = self.value
            subprocess.run(["make", "-s", "-C", source, "with_llvm=no", "install", "DESTDIR=" + destination],
                           check=True, stdout=subprocess.DEVNULL)
            self.execute("create extension vector")
            self.one("select extversion from pg_extension where extname = 'vector'")
            self.vector = self.value
        self.execute("create extension sparseeinsum")
        for setting in ("max_parallel_workers_per_gather = 0", "work_mem = '1GB'", "jit = off",
                        "statement_timeout = '300s'", "synchronize_seqscans = off"):
            self.execute("set " + setting)

    def execute(self, query):
        self.cursor.execute(query)

    def one(self, query):
        """processor seconds of a query with one value"""
        start = time.clock_gettime(self.clock)
        self.cursor.execute(query)
        self.value = self.cursor.fetchone()[0]
        return time.clock_gettime(self.clock) - start


def array(formula, count, dtype):
    return "(select array_agg((%s)::%s order by i) from generate_series(0, %d) i)" % (formula, dtype, count - 1)


def operand(formula, n, dtype, rank):
    value = "(%s)::tensor" % array(formula, n ** rank, dtype)
    return value if rank == 1 else "tensor_reshape(%s, array[%d, %d])" % (value, n, n)


class Contestant:
    """run gives nanoseconds and a checksum; what the times of less add up to is
    taken from that"""

    def __init__(self, run, less=()):
        self.runs = [run, *less]


def measure(contestants, rounds):
    """name -> (median, minimum) in nanoseconds; the checksums must agree"""
    times = {name: [[] for _ in c.runs] for name, c in contestants.items()}
    checksums = {}
    for r in range(rounds + 1):
        for name, contestant in contestants.items():
            for i, run in enumerate(contestant.runs):
                ns, checksum = run()
                if i == 0:
                    checksums[name] = checksum
                if r > 0:  # after one to warm up
                    times[name][i].append(ns)
    if len(set(checksums.values())) != 1:
        sys.exit("checksums differ: %s" % checksums)
    result = {}
    for name, runs in times.items():
        medians = [statistics.median(t) for t in runs]
        minima = [min(t) for t in runs]
        result[name] = (medians[0] - sum(medians[1:]), minima[0] - sum(minima[1:]))
    return result


NAMES = ("sparseeinsum", "kernel", "OpenBLAS", "numpy", "pgvector")
RATIOS = (("sparseeinsum", "OpenBLAS"), ("kernel", "OpenBLAS"), ("sparseeinsum", "numpy"), ("sparseeinsum", "pgvector"))


def line(kind, operation, dtype, n, times):
    text = "%-4s %-4s %-6s %5d" % (kind, operation, dtype, n)
    for name in NAMES:
        text += "  %10.0f %10.0f" % times[name] if name in times else "  %10s %10s" % ("", "")
    for ours, other in RATIOS:
        text += ("  %7.2f" % (times[ours][1] / max(times[other][1], 0.1))
                 if ours in times and other in times else "  %7s" % "")
    print(text + "  %5.1f" % os.getloadavg()[0], flush=True)


def repeats_of(operation, n, most):
    work = {"dot": n, "axpy": n, "gemv": n * n, "gemm": n ** 3}[operation]
    return int(max(4, min(most, 5e8 / work)))


def per_call(sql, others, operation, dtype, ours, vectors, n, rounds):
    repeats = repeats_of(operation, n, 200000)
    rank = 1 if operation in ("dot", "axpy") else 2
    x = operand(LEFT, n, dtype, rank)
    y = operand(RIGHT, n, dtype, 2 if operation == "gemm" else 1)
    sql.execute("drop table if exists operand")
    sql.execute("create table operand as select %s as x, %s as y" % (x, y))
    calls = CALLS_PER_ROW if operation == "dot" else 1
    repeats = max(1, repeats // calls) * calls
    # the filter makes the aggregates those of the subquery
    series = "filter (where i > 0)%s from generate_series(1, %%d) i" % (
        ")" if ours.startswith("einsum_scalar") else "") % (repeats // calls)
    # made by functions, so that the parameters are flat and no pointers into the table
    columns = ["tensor_reshape(x, array%s) as x" % ([n] * rank),
               "tensor_reshape(y, array%s) as y" % ([n] * (2 if operation == "gemm" else 1))]
    if sql.vector and vectors:
        columns += ["(%s)::vector as v" % array(LEFT, n, "real"), "(%s)::vector as w" % array(RIGHT, n, "real")]

    def select(names, expression):
        """one copy of each operand, which the rows of the subquery get as a parameter"""
        operands = [c for c in columns if c[-1] in names]
        return "select (select %s %s) from (select %s from operand offset 0) o" % (
            expression, series, ", ".join(operands))

    def timed(query, sign):
        seconds = sql.one(query)
        return seconds * 1e9 / repeats, sign * float(sql.value or 0)

    def contestant(names, expression, sign=1):
        """less the time of the rows without the call, and of preparing operands"""
        prepare = "%s is null and %s is null" % tuple(names)
        if operation == "dot":
            # the sum of a number from as far away
            empty = "sum(%s)" % " + ".join(["o.number"] * calls)
            expression = "sum(%s)" % " + ".join([expression] * calls)
            empty = "select (select %s %s) from (select 1.5::float8 as number offset 0) o" % (empty, series)
        else:
            empty = "select (count(*) " + series
            expression = expression[:-1]  # the filter comes before its last parenthesis
        prepare = "select 1 from (select %s from operand offset 0) o where %s" % (
            ", ".join(c for c in columns if c[-1] in names), prepare)
        prepare = "select count(*) from (%s) p" % prepare
        return Contestant(lambda: timed(select(names, expression), sign),
                          [lambda: timed(prepare, 1), lambda: timed(empty, 1)])

    contestants = {"sparseeinsum": contestant("xy", ours.format(x="o.x", y="o.y"))}
    if sql.vector and vectors:
        contestants["pgvector"] = contestant("vw", vectors.format(v="o.v", w="o.w"), -1)
    for name, other in others.items():
        contestants[name] = Contestant(lambda other=other: other.run(operation, dtype, n, 1, repeats))
    line("call", operation, dtype, n, measure(contestants, rounds))


def batched(sql, dtype, equation, shapes, matmul, batch, n, rounds):
    repeats = int(max(2, min(20000, 1e7 / (batch * n ** 3))))
    shapes = [[batch // 4 if d == "b/4" else {"b": batch, "n": n}.get(d) or int(d) for d in shape.split(",")]
              for shape in shapes]
    arrays = []
    columns = []
    for name, shape, step in (("x", shapes[0], "(i * 7 + 3) % 5 - 2"), ("y", shapes[1], "(i * 11 + 1) % 7 - 3")):
        count = int(np.prod(shape))
        i = np.arange(count)
        values = (i * 7 + 3) % 5 - 2 if name == "x" else (i * 11 + 1) % 7 - 3
        arrays.append(values.astype(DTYPES[dtype]).reshape(shape))
        columns.append("tensor_reshape((%s)::tensor::tensor(%s), array%s) as %s" % (
            array(step, count, "float8"), dtype, shape, name))
    sql.execute("drop table if exists operand")
    sql.execute("create table operand as select %s, %s" % tuple(columns))
    flat = ", ".join("tensor_reshape(%s, array%s) as %s" % (name, shape, name) for name, shape in zip("xy", shapes))
    series = "from generate_series(1, %d) i) from (select %s from operand offset 0) o" % (repeats, flat)
    total = "select (select %s %s" % (
        "einsum_scalar('%s->', tensor_real(einsum_sum('%s', o.x, o.y) filter (where i > 0)))" % (
            "abcd"[:len(shapes[0])], equation), series)
    empty = "select (select count(*) filter (where i > 0 and o.x is not null and o.y is not null) %s" % series

    def timed(query):
        return sql.one(query) * 1e9 / repeats, float(sql.value)

    def numpy():
        start = time.process_time()
        for _ in range(repeats):
            result = matmul(*arrays)
        ns = (time.process_time() - start) * 1e9 / repeats
        return ns, repeats * float(result.real.sum(dtype=np.float64))

    contestants = {"sparseeinsum": Contestant(lambda: timed(total), [lambda: timed(empty)]),
                   "numpy": Contestant(numpy)}
    line("%s x%d" % (equation, batch), "", dtype, n, measure(contestants, rounds))


def per_row(sql, others, operation, dtype, ours, vectors, n, rounds):
    rank = 1 if operation in ("dot", "axpy") else 2
    rows = int(max(2, min(100000, 2 ** 22 // n ** rank, repeats_of(operation, n, 100000))))
    sql.execute("drop table if exists operand, entry, vector_entry")
    sql.execute("create table operand as select %s as x, %s as y" % (
        operand(LEFT, n, dtype, rank), operand(RIGHT, n, dtype, 2 if operation == "gemm" else 1)))
    sql.execute("create table entry (r integer, x tensor)")
    factor = "((r %% 3 + 1)::%s)::tensor" % dtype
    sql.execute("insert into entry select r, vec_sca_mult(x, %s) from operand, generate_series(0, %d) r" % (
        factor, rows - 1))
    sql.execute("vacuum analyze entry")

    total = "%ssum(%s)" if operation == "dot" else "%s%s"

    def select(sign, expression, table):
        def run():
            seconds = sql.one("select " + total % (sign, expression) + " from " + table)
            return seconds * 1e9 / rows, float(sql.value)
        return Contestant(run)

    contestants = {"sparseeinsum": select("", ours.format(x="x", y="(select y from operand)"), "entry")}
    if sql.vector and vectors:
        sql.execute("create table vector_entry as select r, x::real[]::vector as v from entry")
        sql.execute("vacuum analyze vector_entry")
        contestants["pgvector"] = select(
            "-", vectors.format(v="v", w="(select (%s)::vector)" % array(RIGHT, n, "real")), "vector_entry")
    for name, other in others.items():
        contestants[name] = Contestant(lambda other=other: other.run(operation, dtype, n, rows, rows))
    line("row", operation, dtype, n, measure(contestants, rounds))


def sums(sql, rows, rounds):
    """tensor_sum of many rows of 128 floats, beside pgvector's sum"""
    sql.execute("drop table if exists entry, vector_entry")
    sql.execute("create table entry (x tensor)")
    base = [operand(formula, 128, "real", 1) for formula in (LEFT, RIGHT)]
    sql.execute("""insert into entry
        select case when r %% 3 = 0 then a else b end from (select %s as a, %s as b) o, generate_series(1, %d) r"""
                % (base[0], base[1], rows))
    sql.execute("vacuum analyze entry")
    contestants = {}

    def select(expression, table):
        def run():
            seconds = sql.one("select %s from %s" % (expression, table))
            return seconds * 1e9 / rows, float(sql.value)
        return Contestant(run)

    contestants["sparseeinsum"] = select("einsum_scalar('i->', tensor_sum(x))", "entry")
    if sql.vector:
        sql.execute("create table vector_entry as select x::real[]::vector as v from entry")
        sql.execute("vacuum analyze vector_entry")
        contestants["pgvector"] = select("einsum_scalar('i->', sum(v)::real[]::tensor)", "vector_entry")
    line("row", "sum", "float4", 128, measure(contestants, rounds))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", type=lambda s: [int(n) for n in s.split(",")], default=SIZES)
    parser.add_argument("--only", default="", help="operations, as in dot,gemm,sum")
    parser.add_argument("--kinds", default="call,row,batch,sum")
    parser.add_argument("--sum-rows", type=int, default=1_000_000)
    arguments = parser.parse_args()
    only = arguments.only.split(",") if arguments.only else None
    kinds = arguments.kinds.split(",")

    sql = Sql()
    others = {"kernel": Calls("kernel"), "OpenBLAS": Calls("blas"), "numpy": Numpy()}
    print("numpy %s, %s; %d processors, load %.1f" % (
        np.__version__, "pgvector " + sql.vector if sql.vector else "no pgvector (SPARSEEINSUM_PGVECTOR is not set)",
        os.cpu_count(), os.getloadavg()[0]))
    print("nanoseconds of processor time, medians and minima of %d rounds; ratios of minima; load" % arguments.rounds)
    print("%-22s" % "" + "".join("  %21s" % name for name in NAMES) +
          "".join("  %7s" % name for name in ("/BLAS", "kernel", "/numpy", "/pgvec")))
    for run, kind in ((per_call, "call"), (per_row, "row")):
        for operation, dtype, ours, vectors in OPERATIONS:
            for n in arguments.sizes:
                if kind in kinds and (only is None or operation in only):
                    run(sql, others, operation, dtype, ours, vectors, n, arguments.rounds)
    if "batch" in kinds:
        for equation, *shapes, matmul in BATCHED:
            for dtype in DTYPES:
                for batch, n in BATCHES:
                    batched(sql, dtype, equation, shapes, matmul, batch, n, arguments.rounds)
    if "sum" in kinds and arguments.sum_rows:
        sums(sql, arguments.sum_rows, min(arguments.rounds, 3))


main()
