"""The rows of the benchmark: each computation as a program of this extension,
as numpy and scipy in memory compute it, and as steps of scalar SQL.

`memory` gets the arrays of a Memory and returns {name: result}, where a result
is a dense matrix or, of a sparse one, (i, j, value); the names are those of the
scalar steps, and the last one is what the program computes.
"""

import numpy as np

from graph import KEYS
from scalar_sql import Step

# edges whose gathered vectors fit the processor's cache
CHUNK = 256


class Memory:
    """What scipy and numpy compute from: matrices in CSR with int32 indices,
    and C-contiguous float64"""

    def __init__(self, graph):
        import scipy.sparse
        nodes = graph.nodes

        def csr(i, j, value):
            matrix = scipy.sparse.csr_matrix((value, (i, j)), shape=(nodes, nodes))
            matrix.sort_indices()
            return matrix

        self.a = csr(graph.i, graph.j, graph.value) if hasattr(graph, "i") else None
        self.al = csr(graph.link_i, graph.link_j, graph.link_value) if hasattr(graph, "link_i") else None
        for name in ("x", "w1", "w2", "wq", "wk", "hidden"):
            if hasattr(graph, name):
                setattr(self, name, np.ascontiguousarray(getattr(graph, name), dtype=np.float64))


class Workload:
    """name, title; program and result, its last tensor; tables: what it reads;
    columns: the result's columns for binary COPY; units: scalar steps in groups
    that a slice runs as one query; domain: what the first label of every step
    counts; peer: the name of what the target compares with"""

    def __init__(self, **fields):
        self.__dict__.update(work_mem="64MB", cache_size="256MB", scalar=True, threads=(1, 2), exports=False)
        self.__dict__.update(fields)

    @property
    def steps(self):
        return [step for unit in self.units for step in unit]


def product(m):
    return {"y": m.a @ m.x}


def convolution(m):
    degree = np.asarray(m.al.sum(axis=1)).ravel()
    root = 1 / np.sqrt(degree)
    n = m.al.copy()
    rows = np.repeat(root, np.diff(n.indptr))
    halves = n.data * rows
    n.data = halves * root[n.indices]
    xw = m.x @ m.w1
    h = n @ xw
    np.maximum(h, 0, out=h)
    hw = h @ m.w2
    nodes = np.arange(len(root), dtype=np.int32)
    i = np.repeat(nodes, np.diff(n.indptr))
    return {"d": (nodes, nodes, root), "t0": (i, n.indices, halves), "t1": (i, n.indices, n.data),
            "xw": xw, "h": h, "hw": hw, "z": n @ hw}


def attention(m):
    q, p = m.x @ m.wq, m.x @ m.wk
    i = np.repeat(np.arange(m.a.shape[0], dtype=np.int32), np.diff(m.a.indptr))
    j = m.a.indices
    scores = np.empty(len(i))
    for start in range(0, len(i), CHUNK):
        chunk = slice(start, start + CHUNK)
        scores[chunk] = np.einsum("ek,ek->e", q[i[chunk]], p[j[chunk]])
    scores *= m.a.data
    scores /= np.sqrt(KEYS)
    return {"q": q, "p": p, "attn": (i, j, scores)}


def rows_times_matrix(m):
    return {"r": m.x @ m.w1}


def outer_products(m):
    return {"g": m.x.T @ m.hidden}


PRODUCT = dict(
    program="y[I,k] = a[i,j] * x[j,k]", result="y", tables=("edge", "node"), columns=("int", (767,)),
    memory=product, units=[[Step("y", "ik", [("edge", "ij"), ("feature", "jk")])]], domain="nodes")

WORKLOADS = [
    Workload(name="product", title="adjacency times features, work_mem 64 MB", exports=True, **PRODUCT),
    Workload(name="product_4MB", title="adjacency times features, work_mem 4 MB", **dict(PRODUCT), work_mem="4MB"),
    Workload(
        name="convolution", title="two-layer convolution, hidden width 256", exports=True,
        program="""d[i]   = 1 / sqrt(sum[j] al[i,j]);
                   n[i,j] = d[i] * al[i,j] * d[j];
                   h[i,m] = relu(sum[j,k] n[i,j] * x[j,k] * w1[k,m]);
                   z[I,c] = n[i,j] * h[j,m] * w2[m,c]""",
        result="z", tables=("link", "node", "w1", "w2"), columns=("int", (10,)), memory=convolution,
        units=[[Step("d", "ii", [("link", "ij")], "1 / sqrt({sum})")],
               [Step("t0", "ik", [("d", "ij"), ("link", "jk")])],
               [Step("t1", "il", [("t0", "ik"), ("d", "kl")])],
               [Step("xw", "jm", [("feature", "jk"), ("w1_val", "km")])],
               [Step("h", "im", [("t1", "ij"), ("xw", "jm")], "case when {sum} > 0 then {sum} else 0 end")],
               [Step("hw", "ic", [("h", "im"), ("w2_val", "mc")])],
               [Step("z", "ic", [("t1", "ij"), ("hw", "jc")])]],
        domain="nodes"),
    Workload(
        name="attention", title="sparse attention, keys of 1,024",
        program="""q[i,k]    = x[i,m] * wq[m,k];
                   p[j,k]    = x[j,m] * wk[m,k];
                   attn[I,J] = (sum[k] q[i,k] * a[i,j] * p[j,k]) / 32""",
        result="attn", tables=("edge", "node", "wq", "wk"), columns=("int", "int", "float"), memory=attention,
        units=[[Step("q", "ik", [("feature", "im"), ("wq_val", "mk")])],
               [Step("p", "jk", [("feature", "jm"), ("wk_val", "mk")])],
               [Step("t", "ijk", [("q", "ik"), ("edge", "ij")]),
                Step("attn", "ij", [("t", "ijk"), ("p", "jk")], "{sum} / 32")]],
        domain="nodes"),
    Workload(
        name="rows", title="row vectors times one matrix 767 x 256", threads=(1,),
        program="r[I,m] = x[i,k] * w1[k,m]", result="r", tables=("node", "w1"), columns=("int", (256,)),
        memory=rows_times_matrix, units=[[Step("r", "im", [("feature", "ik"), ("w1_val", "km")])]], domain="nodes"),
    Workload(
        name="outer", title="sum of 13,752 outer products 767 x 256", threads=(1,),
        program="g[k:*,m:*] = x[i,k] * hid[i,m]", result="g", tables=("node", "hidden"), columns=((767, 256),),
        memory=outer_products, units=[[Step("g", "km", [("feature", "ik"), ("hidden_val", "im")])]],
        domain="features"),
]
