"""The two-layer graph convolution and sparse attention on planetoid_cora: the
views of this extension, numpy, scipy where there is one, and scalar SQL,
measured in one run.

    make bench-cora        (SPARSEEINSUM_DATASETS is the directory of data sets)

Medians of 5 after one warm-up, on one server with the settings of test/cluster
but without parallel workers, and one thread of numpy. SQL is a SELECT of the sum
over all elements of the result, from tables; numpy has its arrays in memory.
Scalar SQL is written twice: in the order of the formulas, one query per product
with every intermediate result, as compilers from einsum to portable SQL do it,
and in the best order with the joins fused. All results are compared with
numpy's, relative to the sum of absolute terms.
"""

import statistics
import sys
import time

import numpy as np
import psycopg2

sys.path.insert(0, "test/data")
import planetoid_cora as cora  # noqa: E402

try:
    import scipy.sparse
except ImportError:
    scipy = None

RUNS = 5

NATURAL_CONVOLUTION = """
with d as (select i, sum(1.0::float8) as value from cora.link group by i),
n as (
	select l.i, l.j, 1 / sqrt(a.value * b.value) as value
	from cora.link l join d a on a.i = l.i join d b on b.i = l.j),
nx as (
	select n.i, x.feature as k, sum(n.value * x.value) as value
	from n join cora.feature x on x.node = n.j group by n.i, x.feature),
h as (
	select nx.i, w.j as m, greatest(sum(nx.value * w.value), 0) as value
	from nx join cora.weight w on w.layer = 'w1' and w.i = nx.k group by nx.i, w.j),
nh as (
	select n.i, h.m, sum(n.value * h.value) as value
	from n join h on h.i = n.j group by n.i, h.m)
select nh.i, w.j as c, sum(nh.value * w.value) as value
from nh join cora.weight w on w.layer = 'w2' and w.i = nh.m group by nh.i, w.j"""

NATURAL_ATTENTION = """
with q as (
	select x.node as i, w.j as k, sum(x.value * w.value) as value
	from cora.feature x join cora.weight w on w.layer = 'wq' and w.i = x.feature group by x.node, w.j),
p as (
	select x.node as j, w.j as k, sum(x.value * w.value) as value
	from cora.feature x join cora.weight w on w.layer = 'wk' and w.i = x.feature group by x.node, w.j),
t as (
	select q.i, b.j, q.k, sum(q.value * 1.0) as value
	from q join cora.citation b on b.i = q.i group by q.i, b.j, q.k)
select t.i, t.j, sum(t.value * p.value) * 0.125 as value
from t join p on p.j = t.j and p.k = t.k group by t.i, t.j"""

# the first layer, h[i,m]
SCALAR_LAYER = """
with links as materialized (select i, count(*) as links from cora.link group by i),
n as materialized (
	select l.i, l.j, 1 / sqrt(a.links * b.links) as value
	from cora.link l join links a on a.i = l.i join links b on b.i = l.j),
xw as (
	select x.node as j, w.j as m, sum(x.value * w.value) as value
	from cora.feature x join cora.weight w on w.layer = 'w1' and w.i = x.feature
	group by x.node, w.j),
h as (
	select n.i, xw.m, greatest(sum(n.value * xw.value), 0) as value
	from n join xw using (j) group by n.i, xw.m)"""

SCALAR_CONVOLUTION = SCALAR_LAYER + """,
hw as (
	select h.i as j, w.j as c, sum(h.value * w.value) as value
	from h join cora.weight w on w.layer = 'w2' and w.i = h.m
	group by h.i, w.j)
select n.i, hw.c, sum(n.value * hw.value) as value
from n join hw using (j) group by n.i, hw.c"""

SCALAR_ATTENTION = """
with q as materialized (
	select x.node as i, w.j as k, sum(x.value * w.value) as value
	from cora.feature x join cora.weight w on w.layer = 'wq' and w.i = x.feature
	group by x.node, w.j),
p as materialized (
	select x.node as j, w.j as k, sum(x.value * w.value) as value
	from cora.feature x join cora.weight w on w.layer = 'wk' and w.i = x.feature
	group by x.node, w.j)
select b.i, b.j, sum(q.value * p.value) * 0.125 as value
from cora.citation b join q on q.i = b.i join p on p.j = b.j and p.k = q.k
group by b.i, b.j"""


def median_time(run):
    run()
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def check(name, got, want, scale):
    error = cora.error(got, want, scale)
    if not error <= 1e-9:
        sys.exit("%s differs from numpy by %g of the sum of absolute terms" % (name, error))


def read_result(cursor, query):
    """a result over nodes with a number or a vector per row"""
    cursor.execute("select * from (%s) r limit 0" % query)
    is_number = cursor.description[-1].type_code == 701
    result = {}
    cursor.execute(query if is_number else "select r.*, value::float8[] as numbers from (%s) r" % query)
    for row in cursor:
        if is_number:
            result[row[:-1]] = row[-1]
        else:
            result.update({row[:-2] + (c,): value for c, value in enumerate(row[-1])})
    return result, is_number


def main():
    if not cora.available():
        sys.exit("bench-cora needs SPARSEEINSUM_DATASETS, the directory of the data sets")
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cora.load(cursor)
    cursor.execute("set max_parallel_workers_per_gather = 0")
    numpy = cora.Numpy(cursor)
    scales = numpy.magnitudes()

    print("times in milliseconds, and as multiples of the views'")
    for name, program, view, natural, best, evaluate, width in [
            ("convolution", cora.CONVOLUTION, "z", NATURAL_CONVOLUTION, SCALAR_CONVOLUTION,
             lambda n, x: n.convolution(x), cora.CLASSES),
            ("attention", cora.ATTENTION, "attn", NATURAL_ATTENTION, SCALAR_ATTENTION,
             lambda n, x: n.over_pairs(n.attention(x)), cora.N)]:
        want = evaluate(numpy, numpy.x_times_sparse)
        scale = evaluate(scales, scales.x_times_sparse)
        times = {}

        def sql(kind, query):
            result, is_number = read_result(cursor, query)
            got = np.zeros((cora.N, width))
            for (i, j), value in result.items():
                got[i, j] = value
            check("%s, %s" % (name, kind), got, want, scale)
            total = "sum(value)" if is_number else "einsum_sum_scalar('k->', value)"
            times[kind] = median_time(lambda: cursor.execute("select %s from (%s) r" % (total, query)))

        start = time.perf_counter()
        cursor.execute("select count(*) from einsum_decompose(%s, %s)", (program, name))
        times["planning"] = time.perf_counter() - start
        sql("views", "select * from " + view)
        results = {"numpy, x gathered": numpy.x_times_sparse, "numpy, x dense": numpy.x_times_dense}
        if scipy:
            csr = scipy.sparse.csr_matrix(numpy.x)
            results["scipy, x in CSR"] = lambda w: csr @ w
        for kind, times_x in results.items():
            check("%s, %s" % (name, kind), evaluate(numpy, times_x), want, scale)
            times[kind] = median_time(
                (lambda: numpy.convolution(times_x)) if name == "convolution" else (lambda: numpy.attention(times_x)))
        sql("scalar SQL, best order", best)
        sql("scalar SQL, natural order", natural)
        print("\n%s" % name)
        for kind, seconds in times.items():
            print("  %-28s %10.1f %8.2f" % (kind, seconds * 1e3, seconds / times["views"]), flush=True)
    print("\nmedians of %d; all results agree with numpy to 1e-9 of the sum of absolute terms" % RUNS)


if __name__ == "__main__":
    main()
