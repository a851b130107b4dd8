"""A graph convolution of two layers learns planetoid_cora and planetoid_citeseer by einsum_iterate and einsum_gradient,
with Adam, weight decay and dropout, and the published splits: no formula of a derivative is written by hand.

    test/cluster test/python test/real/gcn.py [--seeds N] [--epochs N] [--data NAME]

The mean test accuracy has to be at least 0.78 and 0.66 by default, of one seed, and 0.805 and 0.69 with --seeds 10
--epochs 200 (published: 0.815 and 0.703). A round is an epoch. Dropout's masks are of the language, too: what is behind the point of a large sine.
"""

import argparse
import gzip
import os
import sys
import time

import numpy as np
from _data import available, directory, open_cursor

RATE, DECAY, HIDDEN = 0.01, 5e-4, 16
# nodes, features, classes, labelled nodes to learn from, and the accuracies wanted of one seed and of ten
GRAPHS = {
    "planetoid_cora": (2708, 1433, 7, 140, 0.78, 0.805),
    "planetoid_citeseer": (3327, 3703, 6, 120, 0.66, 0.69),
}

# masks are 0 or 2, half of them each; f is different in each round
FORWARD = """
  xm[i,k] = x[i,k] * 2 * (fraction(12.9898*node_number[i] + 78.233*feature_number[k] + 37.719*round[]));
  h[i,m]  = relu(sum[j] n[i,j] * (sum[k] xm[j,k] * w1[k,m]));
  hm[i,m] = h[i,m] * 2 * (fraction(39.346*node_number[i] + 11.135*hidden[m] + 83.155*round[]));
  z[i,c]  = sum[j] n[i,j] * (sum[m] hm[j,m] * w2[m,c]);
  top[i]  = max[c] z[i,c];
  e[i,c]  = exp(z[i,c] - top[i]);
  p[i,c]  = e[i,c] / (sum[c] e[i,c]);
  loss[]  = -(sum[i,c] y[i,c] * ln(p[i,c])) / {labelled} + %r * 0.5 * (sum[k,m] w1[k,m]^2);
""" % DECAY

ADAM = """
  t[] = round[] + 1;
  m_{w}[{l}] = 0.9 * mean_{w}[{l}] + 0.1 * d_{w}[{l}];
  v_{w}[{l}] = 0.999 * square_{w}[{l}] + 0.001 * d_{w}[{l}]^2;
  mean_{w}[{l}] = m_{w}[{l}];
  square_{w}[{l}] = v_{w}[{l}];
  {w}[{l}] = {w}[{l}] - %r * (m_{w}[{l}] / (1 - 0.9 ^ t[])) / (sqrt(v_{w}[{l}] / (1 - 0.999 ^ t[])) + 1e-8);
""" % RATE

PREDICTION = """
  h[i,m] = relu(sum[j] n[i,j] * (sum[k] x[j,k] * w1[k,m]));
  z[i,c] = sum[j] n[i,j] * (sum[m] h[j,m] * w2[m,c])"""


def written_out(program):
    """fraction(u): is what is behind the point of a large sine of u more than a half?"""
    while "fraction(" in program:
        start = program.index("fraction(")
        end = program.index(")", start)
        sine = "43758.5453*sin(%s)" % program[start + len("fraction("):end]
        program = program[:start] + "%s - floor(%s) > 0.5" % (sine, sine) + program[end + 1:]
    return program


def vector(cursor, name, label, count):
    """a tensor of one label whose entries are its indices"""
    cursor.execute("create table %s (val tensor not null); insert into %s select stack(i::float8, i, 0, %s) from generate_series(0, %s - 1) i" % (name, name, count, count))
    cursor.execute("select einsum_register(%s, %s, keys => '{}', value => 'val')", ("%s[%s]" % (name, label), name))


def load(cursor, name):
    """the graph with self loops and the features, as rows and as vectors; true labels and the nodes of the test"""
    nodes, features, classes = GRAPHS[name][:3]

    def rows(file):
        with gzip.open(os.path.join(directory(name), file), "rt") as lines:
            return [line.rstrip("\n").split("\t") for line in lines]

    cursor.execute("drop schema if exists learned cascade; create schema learned; set search_path = learned, public")
    cursor.execute("create table link (i int, j int, primary key (i, j)); create table feature (node int, feature int, value float8 not null, primary key (node, feature))")
    for table, file in ("link", "edges.tsv.gz"), ("feature", "features.tsv.gz"):
        with gzip.open(os.path.join(directory(name), file), "rt") as lines:
            cursor.copy_expert("copy %s from stdin" % table, lines)
    cursor.execute("insert into link select i, i from generate_series(0, %s) i", (nodes - 1,))
    cursor.execute("create table node as select node as id, stack(value, feature, 0, %s) as features from feature group by node", (features,))
    cursor.execute("alter table node add primary key (id); alter table node alter features set not null; analyze")
    labels = {int(node): int(label) for node, label in rows("labels.tsv.gz")}
    splits = {part: [int(node) for node, given in rows("splits.tsv.gz") if given == part] for part in ("train", "test")}
    cursor.execute("create table truth (i int, c int, primary key (i, c))")
    for node in splits["train"]:
        cursor.execute("insert into truth values (%s, %s)", (node, labels[node]))
    for notation, table, keys, value, bounds, storage in (
            ("a[I,J]", "link", "{i,j}", None, [nodes, nodes], "only"), ("x[I,K]", "feature", "{node,feature}", "value", [nodes, features], "only"),
            ("x[I,k]", "node", "{id}", "features", [nodes, features], "further"), ("y[I,C]", "truth", "{i,c}", None, [nodes, classes], "only")):
        cursor.execute("select einsum_register(%s, %s, keys => %s, value => %s, bounds => %s, storage => %s)", (notation, table, keys, value, [str(b) for b in bounds], storage))
    for tensor in "a", "x":
        cursor.execute("select einsum_analyze(%s)", (tensor,))
    return labels, splits["test"]


def start_values(cursor, seed, features, classes):
    """Glorot's"""
    numbers = np.random.default_rng(seed)
    for name, shape, labels in ("w1_0", (features, HIDDEN), "k,m"), ("w2_0", (HIDDEN, classes), "m,c"):
        limit = np.sqrt(6 / sum(shape))
        cursor.execute("drop table if exists %s cascade; create table %s (val tensor not null)" % (name, name))
        cursor.execute("insert into %s values (%%s::float8[]::tensor)" % name, (numbers.uniform(-limit, limit, shape).tolist(),))
        cursor.execute("select einsum_register(%s, %s, keys => '{}', value => 'val')", ("%s[%s]" % (name, labels), name))


def learn(cursor, name, options):
    """Shows the accuracies; is their mean what is wanted?"""
    nodes, features, classes, labelled, of_one, of_ten = GRAPHS[name]
    labels, test = load(cursor, name)
    for vector_name, label, count in ("node_number", "i", nodes), ("feature_number", "k", features), ("hidden", "m", HIDDEN):
        vector(cursor, vector_name, label, count)
    normalised = "d[i] = sum[j] a[i,j]; n[i,j] = a[i,j] / sqrt(d[i]*d[j]);"
    forward = written_out(FORWARD.replace("{labelled}", str(labelled)))
    accuracies, milliseconds = [], []
    for seed in range(options.seeds):
        start_values(cursor, seed, features, classes)
        init = """w1[k,m] = w1_0[k,m]; w2[m,c] = w2_0[m,c]; mean_w1[k,m] = 0*w1_0[k,m]; square_w1[k,m] = 0*w1_0[k,m];
                  mean_w2[m,c] = 0*w2_0[m,c]; square_w2[m,c] = 0*w2_0[m,c]; round[] = 0"""
        if seed == 0:
            # the gradient is of a program: the weights have to be tensors that it knows
            cursor.execute("create view w1 as select * from w1_0; create view w2 as select * from w2_0; create table round_0 (val float8 not null); insert into round_0 values (0)")
            cursor.execute("select einsum_register('w1[k,m]', 'w1', keys => '{}', value => 'val', bounds => '{%s,%s}', duplicates => 'trust')" % (features, HIDDEN))
            cursor.execute("select einsum_register('w2[m,c]', 'w2', keys => '{}', value => 'val', bounds => '{%s,%s}', duplicates => 'trust')" % (HIDDEN, classes))
            cursor.execute("select einsum_register('round[]', 'round_0', keys => '{}', value => 'val')")
            cursor.execute("select einsum_gradient(%s, 'loss', '{w1,w2}')", (normalised + forward,))
            gradient = cursor.fetchone()[0]
            cursor.execute("drop view w1, w2; drop table round_0")
        step = gradient + ADAM.format(w="w1", l="k,m") + ADAM.format(w="w2", l="m,c").replace("t[] = round[] + 1;", "") + "round[] = t[]"
        started = time.monotonic()
        cursor.execute("select milliseconds from einsum_iterate('gcn', %s, %s, max_rounds => %s, restart => true)", (init, step, options.epochs))
        milliseconds += [row[0] for row in cursor.fetchall()]
        cursor.execute("select einsum_value(%s)::float8[]", (normalised + PREDICTION,))
        predicted = np.array(cursor.fetchone()[0]).argmax(axis=1)
        accuracies.append(np.mean([predicted[node] == labels[node] for node in test]))
        print("%s, seed %d: %.4f, %.1f s, %.1f ms an epoch" % (name, seed, accuracies[-1], time.monotonic() - started, np.median(milliseconds)), flush=True)
    cursor.execute("select einsum_drop('gcn')")
    mean = np.mean(accuracies)
    print("%s: mean test accuracy of %d seeds: %.4f" % (name, options.seeds, mean))
    return mean >= (of_ten if options.seeds >= 10 else of_one)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--data", choices=list(GRAPHS))
    options = parser.parse_args()
    names = [options.data] if options.data else list(GRAPHS)
    there = [name for name in names if available(name)]
    passed = 0
    if there:
        cursor = open_cursor()
        cursor.execute("create extension if not exists sparseeinsum")
        passed = sum(learn(cursor, name, options) for name in there)
    print("%d passed, %d failed, %d skipped" % (passed, len(there) - passed, len(names) - len(there)))
    return passed < len(there)


sys.exit(1 if main() else 0)
