"""The two-layer graph convolution and sparse attention on planetoid_cora: this
extension's chosen plan, numpy, and scalar SQL, measured in one run.

    make bench-cora        (SPARSEEINSUM_DATASETS is the directory of data sets)

Medians of 5 after one warm-up, on one server with its defaults of test/cluster
but without parallel workers, and one thread of numpy. SQL includes reading the
tables and storing the result in a temporary table; numpy has its arrays in
memory. All results are compared with numpy's, relative to the sum of absolute
terms.
"""

import os
import statistics
import subprocess
import sys
import time

import numpy as np
import psycopg2

N, FEATURES, HIDDEN, CLASSES, KEYS = 2708, 1433, 16, 7, 64
RUNS = 5

CONVOLUTION = """
  d[i]   = sum[j] a[i,j];
  n[i,j] = a[i,j] / sqrt(d[i] * d[j]);
  h[i,m] = relu(sum[j,k] n[i,j] * x[j,k] * w1[k,m]);
  z[i,c] = n[i,j] * h[j,m] * w2[m,c]"""

# 1 / sqrt(64)
ATTENTION = """
  q[i,k]    = x[i,m] * wq[m,k];
  p[j,k]    = x[j,m] * wk[m,k];
  attn[i,j] = 0.125 * (sum[k] q[i,k] * b[i,j] * p[j,k])"""

SCALAR_CONVOLUTION = """
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
	from n join xw using (j) group by n.i, xw.m),
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


def segment_sums(values, starts):
    return np.add.reduceat(values, starts, axis=0)


class Numpy:
    """The same in numpy: products with sparse matrices are gathers and sums of
    segments, everything else is dense."""

    def __init__(self, cursor):
        def columns(query):
            cursor.execute(query)
            return [np.array(column) for column in zip(*cursor.fetchall())]

        def weights(layer, shape):
            result = np.zeros(shape)
            i, j, value = columns("select i, j, value from cora.weight where layer = '%s'" % layer)
            result[i, j] = value
            return result

        self.i, self.j = columns("select i, j from cora.link order by i, j")
        self.starts = np.searchsorted(self.i, np.arange(N))
        self.bi, self.bj = columns("select i, j from cora.citation order by i, j")
        self.node, self.feature, self.value = columns("select node, feature, value from cora.feature order by node, feature")
        self.x_starts = np.searchsorted(self.node, np.arange(N))
        self.x = np.zeros((N, FEATURES))
        self.x[self.node, self.feature] = self.value
        self.w1, self.w2 = weights("w1", (FEATURES, HIDDEN)), weights("w2", (HIDDEN, CLASSES))
        self.wq, self.wk = weights("wq", (FEATURES, KEYS)), weights("wk", (FEATURES, KEYS))

    def x_times_sparse(self, w):
        return segment_sums(self.value[:, None] * w[self.feature], self.x_starts)

    def x_times_dense(self, w):
        return self.x @ w

    def convolution(self, x_times, magnitude=abs, w1=None, w2=None):
        w1 = self.w1 if w1 is None else w1
        w2 = self.w2 if w2 is None else w2
        degree = np.bincount(self.i, minlength=N)
        n = 1 / np.sqrt(degree[self.i] * degree[self.j])
        h = np.maximum(segment_sums(n[:, None] * x_times(w1)[self.j], self.starts), 0)
        return segment_sums(n[:, None] * (h @ w2)[self.j], self.starts)

    def attention(self, x_times, wq=None, wk=None):
        q = x_times(self.wq if wq is None else wq)
        p = x_times(self.wk if wk is None else wk)
        return np.einsum("ek,ek->e", q[self.bi], p[self.bj]) / np.sqrt(KEYS)


def check(name, got, want, scale):
    error = np.max(np.abs(got - want) / np.where(scale > 0, scale, 1))
    if not error <= 1e-9:
        sys.exit("%s differs from numpy by %g of the sum of absolute terms" % (name, error))
    return error


def main():
    if "SPARSEEINSUM_DATASETS" not in os.environ:
        sys.exit("bench-cora needs SPARSEEINSUM_DATASETS, the directory of the data sets")
    subprocess.run(["psql", "-Xq", "-f", "test/data/planetoid_cora.sql"], check=True)
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("set search_path = cora, public; set max_parallel_workers_per_gather = 0")
    for tensor, relation, keys, value, bounds in [
            ("a[I,J]", "link", "{i,j}", None, [N, N]),
            ("b[I,J]", "citation", "{i,j}", None, [N, N]),
            ("x[I,K]", "feature", "{node,feature}", "value", [N, FEATURES]),
            ("x[I,k]", "node", "{id}", "features", [N, FEATURES]),
            ("w1[k,m]", "w1", "{}", "val", None), ("w2[m,c]", "w2", "{}", "val", None),
            ("wq[m,k]", "wq", "{}", "val", None), ("wk[m,k]", "wk", "{}", "val", None)]:
        cursor.execute("select einsum_register(%s, %s, keys => %s, value => %s, bounds => %s::text[])",
                       (tensor, relation, keys, value, bounds))
    for tensor in "a", "b", "x", "w1", "w2", "wq", "wk":
        cursor.execute("select einsum_analyze(%s)", (tensor,))

    numpy = Numpy(cursor)
    magnitudes = Numpy.__new__(Numpy)
    magnitudes.__dict__ = dict(numpy.__dict__, w1=abs(numpy.w1), w2=abs(numpy.w2), wq=abs(numpy.wq), wk=abs(numpy.wk))
    print("%-12s %10s %10s %10s %12s %10s" % ("", "here", "numpy", "numpy,", "scalar SQL", "planning"))
    print("%-12s %10s %10s %10s %12s %10s" % ("", "", "", "dense X", "", ""))
    for name, program, result, scalar, evaluate in [
            ("convolution", CONVOLUTION, "z", SCALAR_CONVOLUTION, lambda n, x: n.convolution(x)),
            ("attention", ATTENTION, "attn", SCALAR_ATTENTION, lambda n, x: n.attention(x))]:
        start = time.perf_counter()
        cursor.execute("select count(*) from einsum_decompose(%s, %s, result => 'rows')", (program, name))
        planning = time.perf_counter() - start

        def sql(query, target):
            cursor.execute("drop table if exists pg_temp.%s; create temp table %s as %s" % (target, target, query))

        here = median_time(lambda: sql("select * from " + result, "here"))
        by_scalars = median_time(lambda: sql(scalar, "by_scalars"))
        sparse = median_time(lambda: evaluate(numpy, numpy.x_times_sparse))
        dense = median_time(lambda: evaluate(numpy, numpy.x_times_dense))

        want = evaluate(numpy, numpy.x_times_sparse)
        scale = evaluate(magnitudes, magnitudes.x_times_sparse)
        for target in "here", "by_scalars":
            cursor.execute("select * from %s order by 1, 2" % target)
            rows = cursor.fetchall()
            got = np.zeros_like(want)
            if name == "convolution":
                for i, c, value in rows:
                    got[i, c] = value
            else:
                place = {pair: k for k, pair in enumerate(zip(numpy.bi.tolist(), numpy.bj.tolist()))}
                for i, j, value in rows:
                    got[place[i, j]] = value
            check("%s, %s" % (name, target), got, want, scale)
        print("%-12s %8.1fms %8.1fms %8.1fms %10.1fms %8.1fms" %
              (name, here * 1e3, sparse * 1e3, dense * 1e3, by_scalars * 1e3, planning * 1e3), flush=True)
    print("medians of %d; all results agree with numpy to 1e-9 of the sum of absolute terms" % RUNS)


main()
