"""The data of `make bench` as numpy arrays: a graph with a vector of features
for each node, and weights.

It is amazon_computers from the directory SPARSEEINSUM_DATASETS where there is
one: 13,752 nodes, 491,722 edges, 767 features of which 35 % are 1 and the rest
0. Otherwise a graph of the same size is generated whose degrees and numbers of
features have the same distribution (the quantiles below are of that data set).
The edges, which the source sorts, come in random order, and have random
weights, multiples of 1/64 in (0, 1], so that sums show what was added.
"""

import os

import numpy as np

NODES, EDGES, FEATURES = 13752, 491722, 767
HIDDEN, CLASSES, KEYS = 256, 10, 1024

# quantiles of the degrees and of the number of features of a node
DEGREE_AT = [0, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .99, .999, .9999, 1]
DEGREES = [0, 2, 4, 7, 11, 16, 22, 29, 37, 47, 73, 101, 244, 780, 2503, 2992]
FEATURES_AT = [0, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .99, 1]
FEATURE_COUNTS = [5, 44, 58, 87, 118, 157, 204, 264, 342, 454, 602, 684, 754, 767]


class Graph:
    """i, j, value: the edges, of weight 1 if they are not weighted; link_i, link_j, link_value: those and a loop of
    weight 1 at every node; x: the features, nodes x FEATURES; w1, w2, wq, wk:
    weights; hidden: a matrix nodes x HIDDEN"""

    def __init__(self, nodes, i, j, x, seed, weighted=True):
        random = np.random.default_rng(seed)
        order = random.permutation(len(i))
        self.nodes = nodes
        self.i, self.j = i[order].astype(np.int32), j[order].astype(np.int32)
        self.value = random.integers(1, 65, len(i)) / 64 if weighted else np.ones(len(i))
        loops = np.arange(nodes, dtype=np.int32)
        order = random.permutation(len(i) + nodes)
        self.link_i = np.concatenate([self.i, loops])[order]
        self.link_j = np.concatenate([self.j, loops])[order]
        self.link_value = np.concatenate([self.value, np.ones(nodes)])[order]
        self.x = x
        # multiples of 1/64 between -1 and 1
        self.w1, self.w2, self.wq, self.wk, self.hidden = (
            random.integers(-64, 65, shape) / 64
            for shape in [(x.shape[1], HIDDEN), (HIDDEN, CLASSES), (x.shape[1], KEYS), (x.shape[1], KEYS), (nodes, HIDDEN)])


def folder(name):
    return os.path.join(os.environ.get("SPARSEEINSUM_DATASETS", "/nonexistent"), name)


def read(name, nodes, features, weighted=True):
    """a data set of that directory"""
    i, j = np.loadtxt(os.path.join(folder(name), "edges.tsv.gz"), dtype=np.int32, delimiter="\t", unpack=True)
    node, feature, value = np.loadtxt(os.path.join(folder(name), "features.tsv.gz"), delimiter="\t", unpack=True)
    x = np.zeros((nodes, features))
    x[node.astype(int), feature.astype(int)] = value
    return Graph(nodes, i, j, x, 1, weighted)


def load():
    """the data set, or one like it"""
    if os.path.isdir(folder("amazon_computers")):
        return read("amazon_computers", NODES, FEATURES), "amazon_computers"
    random = np.random.default_rng(2)
    i, j = connect(np.interp(random.random(NODES), DEGREE_AT, DEGREES), EDGES, random)
    return Graph(NODES, i, j, features(NODES, random), 1), "generated, like amazon_computers"


def enlarge(graph, times):
    """a graph of times the nodes and times the edges with the same degrees"""
    random = np.random.default_rng(3)
    i, j = connect(np.tile(np.bincount(graph.i, minlength=graph.nodes), times), times * len(graph.i), random)
    return Graph(times * graph.nodes, i, j, np.tile(graph.x, (times, 1)), 4)


def connect(degrees, edges, random):
    """about as many neighbours for each node as degrees says, by the
    configuration model: both directions of edges / 2 different pairs"""
    nodes = len(degrees)
    ends = np.repeat(np.arange(nodes), np.round(degrees).astype(int))
    pairs = np.empty(0, dtype=np.int64)
    while len(pairs) < edges // 2:
        a, b = random.permutation(ends), random.permutation(ends)
        keys = np.minimum(a, b).astype(np.int64) * nodes + np.maximum(a, b)
        keys = random.permutation(np.setdiff1d(keys[a != b], pairs))
        pairs = np.concatenate([pairs, keys[:edges // 2 - len(pairs)]])
    a, b = (pairs // nodes).astype(np.int32), (pairs % nodes).astype(np.int32)
    return np.concatenate([a, b]), np.concatenate([b, a])


def features(nodes, random):
    counts = np.round(np.interp(random.random(nodes), FEATURES_AT, FEATURE_COUNTS)).astype(int)
    ranks = np.argsort(random.random((nodes, FEATURES)), axis=1)
    return (ranks < counts[:, None]).astype(float)
