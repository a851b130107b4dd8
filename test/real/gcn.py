"""A graph convolution of two layers learns planetoid_cora by einsum_iterate and einsum_gradient, with Adam,
weight decay and dropout: no formula of a derivative is written by hand.

    test/cluster test/python test/real/gcn.py [--seeds N] [--epochs N]

The mean test accuracy has to be at least 0.78 by default, of one seed, and 0.805 with --seeds 10 --epochs 200
(published: 0.815). A round is an epoch. Dropout's masks are of the language, too: what is behind the point of a large sine.
"""

import argparse
import gzip
import os
import sys
import time

import numpy as np
from _data import cursor_for, directory

sys.path.insert(0, "test/data")
import planetoid_cora as cora  # noqa: E402

RATE, DECAY = 0.01, 5e-4

# masks are 0 or 2, half of them each; f is different in each round
FORWARD = """
  xm[i,k] = x[i,k] * 2 * (fraction(12.9898*node[i] + 78.233*feature[k] + 37.719*round[]));
  h[i,m]  = relu(sum[j] n[i,j] * (sum[k] xm[j,k] * w1[k,m]));
  hm[i,m] = h[i,m] * 2 * (fraction(39.346*node[i] + 11.135*hidden[m] + 83.155*round[]));
  z[i,c]  = sum[j] n[i,j] * (sum[m] hm[j,m] * w2[m,c]);
  top[i]  = max[c] z[i,c];
  e[i,c]  = exp(z[i,c] - top[i]);
  p[i,c]  = e[i,c] / (sum[c] e[i,c]);
  loss[]  = -(sum[i,c] y[i,c] * ln(p[i,c])) / 140 + %r * 0.5 * (sum[k,m] w1[k,m]^2);
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


def load_labels(cursor):
    def rows(name):
        with gzip.open(os.path.join(directory("planetoid_cora"), name), "rt") as file:
            return [line.rstrip("\n").split("\t") for line in file]
    labels = {int(node): int(label) for node, label in rows("labels.tsv.gz")}
    splits = {part: [int(node) for node, name in rows("splits.tsv.gz") if name == part] for part in ("train", "test")}
    cursor.execute("create table truth (i int, c int, primary key (i, c))")
    for node in splits["train"]:
        cursor.execute("insert into truth values (%s, %s)", (node, labels[node]))
    cursor.execute("select einsum_register('y[I,C]', 'truth', keys => '{i,c}', bounds => %s)", ([str(cora.N), str(cora.CLASSES)],))
    return labels, splits["test"]


def start_values(cursor, seed):
    """Glorot's"""
    numbers = np.random.default_rng(seed)
    for name, shape, labels in ("w1_0", (cora.FEATURES, cora.HIDDEN), "k,m"), ("w2_0", (cora.HIDDEN, cora.CLASSES), "m,c"):
        limit = np.sqrt(6 / sum(shape))
        cursor.execute("drop table if exists %s cascade; create table %s (val tensor not null)" % (name, name))
        cursor.execute("insert into %s values (%%s::float8[]::tensor)" % name, (numbers.uniform(-limit, limit, shape).tolist(),))
        cursor.execute("select einsum_register(%s, %s, keys => '{}', value => 'val')", ("%s[%s]" % (name, labels), name))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=100)
    options = parser.parse_args()
    cursor = cursor_for("planetoid_cora")
    cursor.execute("create extension if not exists sparseeinsum")
    cora.load(cursor)
    cursor.execute("create schema learned; set search_path = learned, cora, public")
    labels, test = load_labels(cursor)
    for name, label, count in ("node", "i", cora.N), ("feature", "k", cora.FEATURES), ("hidden", "m", cora.HIDDEN):
        vector(cursor, name, label, count)
    normalised = "d[i] = sum[j] a[i,j]; n[i,j] = a[i,j] / sqrt(d[i]*d[j]);"
    accuracies, milliseconds = [], []
    for seed in range(options.seeds):
        start_values(cursor, seed)
        init = """w1[k,m] = w1_0[k,m]; w2[m,c] = w2_0[m,c]; mean_w1[k,m] = 0*w1_0[k,m]; square_w1[k,m] = 0*w1_0[k,m];
                  mean_w2[m,c] = 0*w2_0[m,c]; square_w2[m,c] = 0*w2_0[m,c]; round[] = 0"""
        if seed == 0:
            # the gradient is of a program: the weights have to be tensors that it knows
            cursor.execute("create view w1 as select * from w1_0; create view w2 as select * from w2_0; create table round_0 (val float8 not null); insert into round_0 values (0)")
            cursor.execute("select einsum_register('w1[k,m]', 'w1', keys => '{}', value => 'val', bounds => '{%s,%s}', duplicates => 'trust')" % (cora.FEATURES, cora.HIDDEN))
            cursor.execute("select einsum_register('w2[m,c]', 'w2', keys => '{}', value => 'val', bounds => '{%s,%s}', duplicates => 'trust')" % (cora.HIDDEN, cora.CLASSES))
            cursor.execute("select einsum_register('round[]', 'round_0', keys => '{}', value => 'val')")
            cursor.execute("select einsum_gradient(%s, 'loss', '{w1,w2}')", (normalised + written_out(FORWARD),))
            gradient = cursor.fetchone()[0]
            cursor.execute("drop view w1, w2; drop table round_0")
        step = gradient + ADAM.format(w="w1", l="k,m") + ADAM.format(w="w2", l="m,c").replace("t[] = round[] + 1;", "") + "round[] = t[]"
        started = time.monotonic()
        cursor.execute("select milliseconds from einsum_iterate('gcn', %s, %s, max_rounds => %s, restart => true)", (init, step, options.epochs))
        milliseconds += [row[0] for row in cursor.fetchall()]
        cursor.execute("select einsum_value(%s)::float8[]", (normalised + PREDICTION,))
        predicted = np.array(cursor.fetchone()[0]).argmax(axis=1)
        accuracies.append(np.mean([predicted[node] == labels[node] for node in test]))
        print("seed %d: %.4f, %.1f s, %.1f ms an epoch" % (seed, accuracies[-1], time.monotonic() - started, np.median(milliseconds)), flush=True)
    mean = np.mean(accuracies)
    wanted = 0.805 if options.seeds >= 10 else 0.78
    print("mean test accuracy of %d seeds: %.4f" % (options.seeds, mean))
    print("%d passed, %d failed" % (mean >= wanted, mean < wanted))
    return mean < wanted


sys.exit(1 if main() else 0)
