"""The citation graph planetoid_cora as tensors, the computations that tests and
benchmarks run on it, and two of them in numpy.

The programs are those of the SparseEinSum paper: a graph convolution of two
layers over the normalised adjacency with self loops (hidden width 16, 7
classes), and sparse attention over the graph without them (keys of 64).
"""

import os
import subprocess

import numpy as np

N, FEATURES, HIDDEN, CLASSES, KEYS = 2708, 1433, 16, 7, 64

CONVOLUTION = """
  d[i]   = sum[j] a[i,j];
  n[i,j] = a[i,j] / sqrt(d[i] * d[j]);
  h[i,m] = relu(sum[j,k] n[i,j] * x[j,k] * w1[k,m]);
  z[i,c] = n[i,j] * h[j,m] * w2[m,c]"""

# 0.125 = 1 / sqrt(64)
ATTENTION = """
  q[i,k]    = x[i,m] * wq[m,k];
  p[j,k]    = x[j,m] * wk[m,k];
  attn[i,j] = 0.125 * (sum[k] q[i,k] * b[i,j] * p[j,k])"""

# two convolutions with batch means and variances between them, and softmax; of the given number of nodes
NETWORK = """
  d[i]   = sum[j] a[i,j];
  n[i,j] = a[i,j] / sqrt(d[i] * d[j]);
  h[i,m] = relu(sum[j,k] n[i,j] * x[j,k] * w1[k,m]);
  u[m]   = (sum[i] h[i,m]) / %d;
  v[m]   = (sum[i] (h[i,m] - u[m]) ^ 2) / %d;
  g[i,m] = (h[i,m] - u[m]) / sqrt(v[m] + 0.001);
  y[i,c] = n[i,j] * g[j,m] * w2[m,c];
  t[i]   = max[c] y[i,c];
  e[i,c] = exp(y[i,c] - t[i]);
  p[i,c] = e[i,c] / (sum[c] e[i,c])"""

# notation, relation, key columns, value column, bounds, storage; x has two storages
TENSORS = [
    ("a[I,J]", "link", "{i,j}", None, [N, N]),
    ("b[I,J]", "citation", "{i,j}", None, [N, N]),
    ("x[I,K]", "feature", "{node,feature}", "value", [N, FEATURES]),
    ("x[I,k]", "node", "{id}", "features", [N, FEATURES], "further"),
    ("w1[k,m]", "w1", "{}", "val", None),
    ("w2[m,c]", "w2", "{}", "val", None),
    ("wq[m,k]", "wq", "{}", "val", None),
    ("wk[m,k]", "wk", "{}", "val", None)]


def available():
    """is the directory of data sets known?"""
    return os.path.isdir(os.path.join(os.environ.get("SPARSEEINSUM_DATASETS", "/nonexistent"), "planetoid_cora"))


def load(cursor):
    """makes the tables in schema cora, registers and measures them, and puts
    them on the search path"""
    subprocess.run(["psql", "-Xq", "-f", "test/data/planetoid_cora.sql"], check=True)
    cursor.execute("set search_path = cora, public")
    for tensor in TENSORS:
        register(cursor, *tensor)
    for tensor in sorted({notation.split("[")[0] for notation, *_ in TENSORS}):
        cursor.execute("select einsum_analyze(%s)", (tensor,))


def register(cursor, notation, relation, keys, value=None, bounds=None, storage="only"):
    cursor.execute("select einsum_register(%s, %s, keys => %s, value => %s, bounds => %s::text[], storage => %s)",
                   (notation, relation, keys, value, bounds, storage))


def segment_sums(values, starts):
    return np.add.reduceat(values, starts, axis=0)


class Numpy:
    """The tensors as arrays. Products with sparse matrices are gathers and sums
    of segments, everything else is dense."""

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

    def magnitudes(self):
        """the same with absolute values: its results are sums of absolute terms"""
        result = Numpy.__new__(Numpy)
        result.__dict__ = dict(self.__dict__, **{w: abs(getattr(self, w)) for w in ("w1", "w2", "wq", "wk")})
        return result

    def x_times_sparse(self, w):
        return segment_sums(self.value[:, None] * w[self.feature], self.x_starts)

    def x_times_dense(self, w):
        return self.x @ w

    def convolution(self, x_times):
        """z[i,c], dense"""
        degree = np.bincount(self.i, minlength=N)
        n = 1 / np.sqrt(degree[self.i] * degree[self.j])
        h = np.maximum(segment_sums(n[:, None] * x_times(self.w1)[self.j], self.starts), 0)
        return segment_sums(n[:, None] * (h @ self.w2)[self.j], self.starts)

    def attention(self, x_times):
        """attn[i,j] of the pairs (bi, bj)"""
        return np.einsum("ek,ek->e", x_times(self.wq)[self.bi], x_times(self.wk)[self.bj]) / np.sqrt(self.wq.shape[1])

    def over_pairs(self, values):
        """a result of attention as a dense matrix"""
        result = np.zeros((N, N))
        result[self.bi, self.bj] = values
        return result


def error(got, want, scale):
    """largest difference relative to the sum of absolute terms; where that is 0
    any difference is infinite"""
    difference = np.abs(got - want)
    if not np.all(np.isfinite(difference)):
        return np.inf
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.max(np.where(difference == 0, 0, difference / scale))
