"""A graph convolution of two layers that learns which class a node is of (Kipf and Welling, 2017), for tests and benchmarks: the program, and the
same in numpy, whose derivatives are written by hand.

As published: self loops, D^-1/2 A D^-1/2, features of a node that add up to 1, dropout of a half before both layers, weight decay
of the first layer, Adam, Glorot's start values, 200 epochs. Nothing stops early, and the nodes of "val" are not used.

The tables: a[I,J] with self loops, x[I,K], y[I,C], 1 at the classes of nodes to learn from; w1_0[k,m] and w2_0[m,c]; and angles, numbers of
tensor_random times 2 pi: offset[I,K] and pace[I,K] where x has entries, hidden_offset[i,m] and hidden_pace[i,m].

A mask is 1 where sin(offset + round * pace) > 0: each entry with a probability of a half in each round, whatever other entries are, and whatever it is in any one
other round: (offset + s * pace, offset + t * pace) is uniform on the torus for whole numbers s <> t, since (offset, pace) is. A program
cannot call tensor_random itself: what it says are numbers that are the same however often they are computed, and a mask may be computed once for the
value and once more for the gradient, or a part of it before the first round. A seed for each round would need a tensor of each.
"""

import gzip
import os

import numpy as np

RATE, DECAY, HIDDEN = 0.01, 5e-4, 16
# of the random numbers for the second layer; those for features have the numbers of entries
HIDDEN_SEEDS = -1, -2

# what no round changes
GRAPH = """
  d[i] = sum[j] a[i,j];
  n[i,j] = a[i,j] / sqrt(d[i]*d[j]);
  total[i] = sum[k] x[i,k];
  u[i,k] = x[i,k] / total[i];
"""

# half of each mask is 0, and what is kept counts twice
FORWARD = """
  xm[i,k] = u[i,k] * 2 * (sin(offset[i,k] + round[]*pace[i,k]) > 0);
  h[i,m]  = relu(sum[j] n[i,j] * (sum[k] xm[j,k] * w1[k,m]));
  mask[i,m] = (sin(hidden_offset[i,m] + round[]*hidden_pace[i,m]) > 0);
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
        # seeds of random numbers
        self.entry = self.node * int(self.features) + self.feature
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


def random(shape, seeds):
    """what tensor_random has for each of the seeds: splitmix64"""
    count = int(np.prod(shape))
    with np.errstate(over="ignore"):
        x = np.asarray(seeds).astype(np.uint64)[..., None] + np.arange(1, count + 1).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x ^= x >> np.uint64(31)
    return ((x >> np.uint64(11)) * 2.0 ** -53).reshape(np.shape(seeds) + shape)


def kept(offset, pace, epoch):
    return 2 * (np.sin(offset + epoch * pace) > 0)


def by_numpy(graph, start, epochs, matrix=Entries):
    """the weights after these epochs, and the outputs of all nodes; a matrix is made of values, rows, columns and shape"""
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
    offset, pace = 2 * np.pi * random((2,), graph.entry).T
    hidden_offset, hidden_pace = 2 * np.pi * random((n, HIDDEN), HIDDEN_SEEDS)
    for epoch in range(epochs):
        xm = matrix(u * kept(offset, pace, epoch), graph.node, graph.feature, shape)
        mask = kept(hidden_offset, hidden_pace, epoch)
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
    cursor.execute("create table link (i int, j int, primary key (i, j))")
    cursor.execute("insert into link select * from unnest(%s, %s)", (graph.source.tolist(), graph.target.tolist()))
    cursor.execute("create table feature (node int, feature int, value float8 not null, start float8 not null, pace float8 not null, primary key (node, feature))")
    cursor.execute("insert into feature select node, feature, value, 2 * pi() * random[1], 2 * pi() * random[2] from unnest(%s, %s, %s, %s::bigint[]) f (node, feature, value, entry), "
        "cast(tensor_random('{2}', entry) as float8[]) random", (graph.node.tolist(), graph.feature.tolist(), graph.value.tolist(), graph.entry.tolist()))
    cursor.execute("create table node as select node as id, stack(value, feature, 0, %s) as features from feature group by node", (int(graph.features),))
    cursor.execute("alter table node add primary key (id); alter table node alter features set not null")
    cursor.execute("create table truth (i int, c int, primary key (i, c))")
    cursor.execute("insert into truth select * from unnest(%s, %s); analyze", (graph.train, [graph.labels[node] for node in graph.train]))
    square, wide = [graph.nodes, graph.nodes], [graph.nodes, graph.features]
    for notation, table, keys, value, bounds, storage in (
            ("a[I,J]", "link", "{i,j}", None, square, "only"), ("x[I,K]", "feature", "{node,feature}", "value", wide, "only"),
            ("x[I,k]", "node", "{id}", "features", wide, "further"), ("y[I,C]", "truth", "{i,c}", None, [graph.nodes, graph.classes], "only"),
            ("offset[I,K]", "feature", "{node,feature}", "start", wide, "only"), ("pace[I,K]", "feature", "{node,feature}", "pace", wide, "only")):
        cursor.execute("select einsum_register(%s, %s, keys => %s, value => %s, bounds => %s, storage => %s)", (notation, table, keys, value, [str(b) for b in bounds], storage))
    for name in "a", "x", "offset", "pace":
        cursor.execute("select einsum_analyze(%s)", (name,))
    for name, seed in zip(("hidden_offset", "hidden_pace"), HIDDEN_SEEDS):
        cursor.execute("create table %s (val tensor not null)" % name)
        cursor.execute("insert into %s select tensor_random(%%s, %%s) * (2 * pi())" % name, ([int(graph.nodes), HIDDEN], seed))
        cursor.execute("select einsum_register(%s, %s, keys => '{}', value => 'val')", (name + "[i,m]", name))


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


# rounds of the value alone: weights change, so that each computes it anew
VALUE = GRAPH + FORWARD + "w1[k,m] = 0.9 * w1[k,m]; w2[m,c] = 0.9 * w2[m,c]; round[] = round[] + 1; last[] = loss[]"
VALUE_INIT = "w1[k,m] = w1_0[k,m]; w2[m,c] = w2_0[m,c]; round[] = 0; last[] = 0"


def learn(cursor, step, start, epochs, init=INIT):
    """the milliseconds of each epoch; w1 and w2 are in tables of the loop gcn then"""
    for name, labels, array in ("w1_0", "k,m", start[0]), ("w2_0", "m,c", start[1]):
        tensor(cursor, name, labels, array)
    cursor.execute("select milliseconds from einsum_iterate('gcn', %s, %s, max_rounds => %s, restart => true)", (init, step, epochs))
    return [row[0] for row in cursor.fetchall()]
