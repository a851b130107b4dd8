"""A graph convolution of two layers that learns which class a node is of (Kipf and Welling, 2017), for tests and benchmarks: the program, and the
same in numpy, whose derivatives are written by hand.

As published: self loops, D^-1/2 A D^-1/2, features of a node that add up to 1, dropout of a half before both layers, weight decay
of the first layer, Adam, Glorot's start values, 200 epochs. Nothing stops early, and the nodes of "val" are not used.

The tables: a[I,J] with self loops, x[I,K], y[I,C], 1 at the classes of nodes to learn from; node_number[i], feature_number[k]
and hidden[m], which are their indices; w1_0[k,m] and w2_0[m,c].
"""

import gzip
import os

import numpy as np

RATE, DECAY, HIDDEN = 0.01, 5e-4, 16

# what no round changes; place is where a mask begins
GRAPH = """
  d[i] = sum[j] a[i,j];
  n[i,j] = a[i,j] / sqrt(d[i]*d[j]);
  total[i] = sum[k] x[i,k];
  u[i,k] = x[i,k] / total[i];
"""

# masks are 0 or 1, half of them each, the signs of large sines: others in each round
FORWARD = """
  place[i,k] = (x[i,k] <> 0) * (12.9898*node_number[i] + 78.233*feature_number[k]);
  xm[i,k] = u[i,k] * 2 * (sin(43758.5453*sin(place[i,k] + 37.719*round[])) > 0);
  h[i,m]  = relu(sum[j] n[i,j] * (sum[k] xm[j,k] * w1[k,m]));
  mask[i,m] = (sin(43758.5453*sin(39.346*node_number[i] + 11.135*hidden[m] + 83.155*round[])) > 0);
  hm[i,m] = h[i,m] * 2 * mask[i,m];
  z[i,c]  = sum[j] n[i,j] * (sum[m] hm[j,m] * w2[m,c]);
  top[i]  = max[c] z[i,c];
  e[i,c]  = exp(z[i,c] - top[i]);
  p[i,c]  = e[i,c] / (sum[c] e[i,c]);
  loss[]  = -(sum[i,c] y[i,c] * ln(p[i,c])) / (sum[i,c] y[i,c]) + %r * 0.5 * (sum[k,m] w1[k,m]^2);
""" % DECAY

ADAM = """
  m_{w}[{l}] = 0.9 * mean_{w}[{l}] + 0.1 * d_{w}[{l}];
  v_{w}[{l}] = 0.999 * square_{w}[{l}] + 0.001 * d_{w}[{l}]^2;
  mean_{w}[{l}] = m_{w}[{l}];
  square_{w}[{l}] = v_{w}[{l}];
  {w}[{l}] = {w}[{l}] - %r * (m_{w}[{l}] / (1 - 0.9 ^ t[])) / (sqrt(v_{w}[{l}] / (1 - 0.999 ^ t[])) + 1e-8);
""" % RATE

INIT = """w1[k,m] = w1_0[k,m]; w2[m,c] = w2_0[m,c]; mean_w1[k,m] = 0*w1_0[k,m]; square_w1[k,m] = 0*w1_0[k,m];
  mean_w2[m,c] = 0*w2_0[m,c]; square_w2[m,c] = 0*w2_0[m,c]; round[] = 0"""

PREDICTION = GRAPH + """
  h[i,m] = relu(sum[j] n[i,j] * (sum[k] u[j,k] * w1[k,m]));
  z[i,c] = sum[j] n[i,j] * (sum[m] h[j,m] * w2[m,c])"""


def directory(name):
    return os.path.join(os.environ.get("SPARSEEINSUM_DATASETS", "/nonexistent"), name)


class Graph:
    """What the files have."""

    def __init__(self, name):
        def rows(file, *types):
            with gzip.open(os.path.join(directory(name), file), "rt") as lines:
                return [tuple(type(field) for type, field in zip(types, line.split())) for line in lines]

        edges = np.array(rows("edges.tsv.gz", int, int))
        features = rows("features.tsv.gz", int, int, float)
        self.labels = dict(rows("labels.tsv.gz", int, int))
        splits = rows("splits.tsv.gz", int, str)
        self.train, self.test = ([node for node, given in splits if given == part] for part in ("train", "test"))
        self.node, self.feature = np.array([f[:2] for f in features]).T
        self.value = np.array([f[2] for f in features])
        self.classes = max(self.labels.values()) + 1
        # some nodes have no features, and some no edges
        self.nodes = 1 + max(edges.max(), self.node.max(), *(node for node, _ in splits))
        self.features = 1 + self.feature.max()
        loops = np.arange(self.nodes)
        self.source, self.target = np.concatenate([edges, np.stack([loops, loops], axis=1)]).T

    def start(self, seed):
        """Glorot's"""
        numbers = np.random.default_rng(seed)
        shapes = (self.features, HIDDEN), (HIDDEN, self.classes)
        return [numbers.uniform(-limit, limit, shape) for shape in shapes for limit in [np.sqrt(6 / sum(shape))]]

    def accuracy(self, z):
        told = z.argmax(axis=1)
        return np.mean([told[node] == self.labels[node] for node in self.test])


class Entries:
    """A sparse matrix in numpy alone."""

    def __init__(self, values, rows, columns, shape):
        order = np.argsort(rows, kind="stable")
        self.values, self.columns, self.rows, self.shape = values[order], columns[order], rows[order], shape
        self.found, self.begins = np.unique(self.rows, return_index=True)

    @property
    def T(self):
        return Entries(self.values, self.columns, self.rows, self.shape[::-1])

    def __matmul__(self, dense):
        result = np.zeros((self.shape[0], dense.shape[1]))
        result[self.found] = np.add.reduceat(self.values[:, None] * dense[self.columns], self.begins)
        return result


def by_numpy(graph, start, epochs, matrix=Entries):
    """the weights after so many epochs, and the outputs of all nodes; a matrix is made of values, rows, columns and shape"""
    n, square = graph.nodes, (graph.nodes, graph.nodes)
    degree = np.bincount(graph.source, minlength=n)
    a = matrix(1 / np.sqrt(degree[graph.source] * degree[graph.target]), graph.source, graph.target, square)
    at = a.T
    u = graph.value / np.bincount(graph.node, weights=graph.value, minlength=n)[graph.node]
    shape = (n, graph.features)
    y = np.zeros((n, graph.classes))
    y[graph.train, [graph.labels[node] for node in graph.train]] = 1
    labelled = y.sum(axis=1, keepdims=True)
    weights = [w.copy() for w in start]
    means, squares = ([np.zeros_like(w) for w in weights] for _ in range(2))
    place = 12.9898 * graph.node + 78.233 * graph.feature
    hidden = 39.346 * np.arange(n)[:, None] + 11.135 * np.arange(HIDDEN)
    for epoch in range(epochs):
        xm = matrix(u * 2 * (np.sin(43758.5453 * np.sin(place + 37.719 * epoch)) > 0), graph.node, graph.feature, shape)
        mask = 2 * (np.sin(43758.5453 * np.sin(hidden + 83.155 * epoch)) > 0)
        h = a @ (xm @ weights[0])
        hm = np.maximum(h, 0) * mask
        z = a @ (hm @ weights[1])
        e = np.exp(z - z.max(axis=1, keepdims=True))
        dz = at @ ((e / e.sum(axis=1, keepdims=True) * labelled - y) / len(graph.train))
        dh = dz @ weights[1].T * mask * (h > 0)
        gradients = [xm.T @ (at @ dh) + DECAY * weights[0], hm.T @ dz]
        for w, mean, variance, gradient in zip(weights, means, squares, gradients):
            mean[:] = 0.9 * mean + 0.1 * gradient
            variance[:] = 0.999 * variance + 0.001 * gradient ** 2
            w -= RATE * (mean / (1 - 0.9 ** (epoch + 1))) / (np.sqrt(variance / (1 - 0.999 ** (epoch + 1))) + 1e-8)
    x = matrix(u, graph.node, graph.feature, shape)
    return weights, a @ (np.maximum(a @ (x @ weights[0]), 0) @ weights[1])


def tensor(cursor, name, labels, array):
    """a tensor that one row holds"""
    cursor.execute("drop table if exists %s cascade; create table %s (val tensor not null)" % (name, name))
    cursor.execute("insert into %s values (%%s::tensor)" % name, (str(array.tolist()),))
    cursor.execute("select einsum_register(%s, %s, keys => '{}', value => 'val')", ("%s[%s]" % (name, labels), name))


def load(cursor, graph):
    """all tables but the start values; features as rows and as vectors"""
    cursor.execute("drop schema if exists learned cascade; create schema learned; set search_path = learned, public")
    cursor.execute("create table link (i int, j int, primary key (i, j)); create table feature (node int, feature int, value float8 not null, primary key (node, feature))")
    cursor.execute("insert into link select * from unnest(%s, %s)", (graph.source.tolist(), graph.target.tolist()))
    cursor.execute("insert into feature select * from unnest(%s, %s, %s)", (graph.node.tolist(), graph.feature.tolist(), graph.value.tolist()))
    cursor.execute("create table node as select node as id, stack(value, feature, 0, %s) as features from feature group by node", (int(graph.features),))
    cursor.execute("alter table node add primary key (id); alter table node alter features set not null")
    cursor.execute("create table truth (i int, c int, primary key (i, c))")
    cursor.execute("insert into truth select * from unnest(%s, %s); analyze", (graph.train, [graph.labels[node] for node in graph.train]))
    for notation, table, keys, value, bounds, storage in (
            ("a[I,J]", "link", "{i,j}", None, [graph.nodes, graph.nodes], "only"), ("x[I,K]", "feature", "{node,feature}", "value", [graph.nodes, graph.features], "only"),
            ("x[I,k]", "node", "{id}", "features", [graph.nodes, graph.features], "further"), ("y[I,C]", "truth", "{i,c}", None, [graph.nodes, graph.classes], "only")):
        cursor.execute("select einsum_register(%s, %s, keys => %s, value => %s, bounds => %s, storage => %s)", (notation, table, keys, value, [str(b) for b in bounds], storage))
    for name in "a", "x":
        cursor.execute("select einsum_analyze(%s)", (name,))
    for name, label, count in ("node_number", "i", graph.nodes), ("feature_number", "k", graph.features), ("hidden", "m", HIDDEN):
        tensor(cursor, name, label, np.arange(count, dtype=float))


def step(cursor, graph):
    """what einsum_iterate is given, with derivatives of einsum_gradient"""
    # the gradient is of a program: the weights have to be tensors that it knows
    start = graph.start(0)
    for name, labels, array in ("w1", "k,m", start[0]), ("w2", "m,c", start[1]), ("round", "", np.array(0.0)):
        tensor(cursor, name, labels, array)
    cursor.execute("select einsum_gradient(%s, 'loss', '{w1,w2}')", (GRAPH + FORWARD,))
    gradient = cursor.fetchone()[0]
    cursor.execute("drop table w1, w2, round")
    return gradient + "t[] = round[] + 1;" + ADAM.format(w="w1", l="k,m") + ADAM.format(w="w2", l="m,c") + "round[] = t[]"


def learn(cursor, step, start, epochs):
    """the milliseconds of each epoch; w1 and w2 are in tables of the loop gcn then"""
    for name, labels, array in ("w1_0", "k,m", start[0]), ("w2_0", "m,c", start[1]):
        tensor(cursor, name, labels, array)
    cursor.execute("select milliseconds from einsum_iterate('gcn', %s, %s, max_rounds => %s, restart => true)", (INIT, step, epochs))
    return [row[0] for row in cursor.fetchall()]
