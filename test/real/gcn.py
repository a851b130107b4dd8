"""A graph convolution of two layers (test/data/gcn.py) learns planetoid_cora and planetoid_citeseer by einsum_iterate and
einsum_gradient, with the published splits, and has the weights of the same in numpy then: no formula of a derivative is written by hand.

    test/cluster test/python test/real/gcn.py [--seeds N] [--epochs N] [--data NAME]

The mean test accuracy has to be at least what is wanted of one seed by default, of ten with --seeds 10 --epochs 200 (published: 0.815 and 0.703).
A round is an epoch.
"""

import argparse
import sys
import time

import numpy as np
from _data import available, open_cursor

sys.path.insert(0, "test/data")
import gcn  # noqa: E402

# wanted of one seed, and of the mean of ten
WANTED = {"planetoid_cora": (0.805, 0.805), "planetoid_citeseer": (0.69, 0.69)}
# of the weights, after all epochs
LIMIT = 1e-6


def learn(cursor, name, options):
    """Shows the accuracies; is their mean what is wanted, and are the weights those of numpy?"""
    graph = gcn.Graph(name)
    gcn.load(cursor, graph)
    step = gcn.step(cursor, graph)
    accuracies, worst = [], 0.0
    for seed in range(options.seeds):
        start = graph.start(seed)
        milliseconds = gcn.learn(cursor, step, start, options.epochs)
        cursor.execute("select einsum_value(%s)::float8[]", (gcn.PREDICTION,))
        accuracies.append(graph.accuracy(np.array(cursor.fetchone()[0])))
        started = time.monotonic()
        expected, outputs = gcn.by_numpy(graph, start, options.epochs)
        own = (time.monotonic() - started) / options.epochs
        for weights, notation in zip(expected, ("w1[k,m]", "w2[m,c]")):
            cursor.execute("select einsum_value(%s)::float8[]", ("v%s = %s" % (notation[2:], notation),))
            worst = max(worst, np.abs(np.array(cursor.fetchone()[0]) - weights).max())
        print("%s, seed %d: %.4f, numpy %.4f; %.1f ms an epoch, numpy %.1f; weights differ by %.1e" % (
            name, seed, accuracies[-1], graph.accuracy(outputs), np.median(milliseconds), own * 1000, worst), flush=True)
    cursor.execute("select einsum_drop('gcn')")
    mean = np.mean(accuracies)
    ok = worst < LIMIT and mean >= WANTED[name][options.seeds >= 10]
    print("%s %s: mean test accuracy of %d seeds: %.4f" % ("ok     " if ok else "FAILED ", name, options.seeds, mean))
    return ok


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--data", choices=list(WANTED))
    options = parser.parse_args()
    names = [options.data] if options.data else list(WANTED)
    there = [name for name in names if available(name)]
    passed = 0
    if there:
        cursor = open_cursor()
        cursor.execute("create extension if not exists sparseeinsum")
        passed = sum(learn(cursor, name, options) for name in there)
    print("%d passed, %d failed, %d skipped" % (passed, len(there) - passed, len(names) - len(there)))
    return passed < len(there)


sys.exit(1 if main() else 0)
