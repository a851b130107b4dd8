"""A network of two graph convolutions on planetoid_cora and on the karate club
equals numpy under every kind of plan: batch means and variances between the
layers, softmax with a row-wise maximum at the end.

Plans: the chosen one, the second- and third-cheapest, the greedy search's,
everything promoted, everything demoted, and pinned ones; for the karate club
also random pins. What every statement defines is compared.
"""

import random
import re
import sys

import numpy as np
import psycopg2
from _data import available, open_cursor

sys.path.insert(0, "test/data")
import karate  # noqa: E402
import planetoid_cora as cora  # noqa: E402
from results import read_result  # noqa: E402

LIMIT = 1e-9


def network(n, x, w1, w2):
    """the same in numpy; n is a function that applies the normalised adjacency"""
    h = np.maximum(n(x @ w1), 0)
    u = h.mean(axis=0)
    v = ((h - u) ** 2).mean(axis=0)
    g = (h - u) / np.sqrt(v + 0.001)
    y = n(g @ w2)
    t = y.max(axis=1)
    e = np.exp(y - t[:, None])
    return {"h": h, "u": u, "v": v, "g": g, "y": y, "t": t, "e": e, "p": e / e.sum(axis=1, keepdims=True)}


def pinned(program, choose):
    """the program with labels as choose(label, number of the statement) writes them"""
    statements = []
    for number, statement in enumerate(program.split(";")):
        statements.append(re.sub(r"\[([a-z,]*)\]", lambda found: "[%s]" % ",".join(
            choose(label, number) for label in found[1].split(",")), statement))
    return ";".join(statements)


def plans(program):
    """(name, program, options)"""
    yield "chosen", program, {}
    for n in 2, 3:
        yield "alternative %d" % n, program, {"alternative": n}
    yield "greedy", program, {"search": "greedy"}
    yield "everything promoted", pinned(program, lambda label, _: label.upper()), {}
    yield "everything demoted", pinned(program, lambda label, _: label + ":*"), {}
    yield "nodes promoted", pinned(program, lambda label, _: label.upper() if label in "ij" else label + ":*"), {}
    yield "features promoted", pinned(program, lambda label, _: label + ":*" if label in "ij" else label.upper()), {}
    yield "by turns", pinned(program, lambda label, n: label.upper() if (label in "ij") == (n % 2 == 0) else label + ":*"), {}
    yield "views read views", program, {"materialize": "never"}


def random_plans(program, count):
    for seed in range(count):
        rng = random.Random(seed)
        pins = {}

        def choose(label, number):
            if (label, number) not in pins:
                pins[label, number] = rng.choice([label, label.upper(), label + ":*"])
            return pins[label, number]

        yield "random pins %d" % seed, pinned(program, choose), {"search": rng.choice(["dp", "greedy"])}


def compare(cursor, program, want, options):
    """an empty text, or what is wrong"""
    arguments = "".join(", %s => %%(%s)s" % (option, option) for option in options)
    try:
        cursor.execute("select view, notation from einsum_decompose(%(program)s, 'tested', result => 'auto'" + arguments + ")",
                       dict(options, program=program))
        views = {notation.split("[")[0].split(".")[-1]: (view, notation) for view, notation in cursor.fetchall()}
        wrong = []
        for name, expected in want.items():
            got = read_result(cursor, *views[name], expected.shape)
            difference = np.max(abs(got - expected) / np.maximum(abs(expected), 1))
            if not difference <= LIMIT:
                wrong.append("%s differs by %g" % (name, difference))
        cursor.execute("select einsum_drop('tested')")
        return ", ".join(wrong)
    except (psycopg2.Error, ValueError, KeyError) as problem:
        cursor.execute("select einsum_drop('tested')")
        return str(problem).strip()


def main():
    cursor = open_cursor()
    cursor.execute("set statement_timeout = '5min'")
    # the adjacency of cora as one matrix of 2708 x 2708 has 59 MB
    cursor.execute("set sparseeinsum.max_kernel_bytes = '64MB'")
    passed = failed = skipped = 0
    karate.load(cursor)
    a, x, w1, w2 = karate.arrays()
    degree = a.sum(axis=1)
    normal = a / np.sqrt(np.outer(degree, degree))
    tests = [("karate", karate.N, network(lambda values: normal @ values, x, w1, w2))]
    if available("planetoid_cora"):
        tests.append(("cora", cora.N, None))
    else:
        skipped = 1
    for graph, nodes, want in tests:
        program = cora.NETWORK % (nodes, nodes)
        some = list(plans(program))
        if graph == "karate":
            some += random_plans(program, 18)
        else:
            cora.load(cursor)
            arrays = cora.Numpy(cursor)
            degree = np.bincount(arrays.i, minlength=cora.N)
            weights = 1 / np.sqrt(degree[arrays.i] * degree[arrays.j])
            want = network(lambda values: cora.segment_sums(weights[:, None] * values[arrays.j], arrays.starts),
                           arrays.x, arrays.w1, arrays.w2)
        for name, text, options in some:
            wrong = compare(cursor, text, want, options)
            if wrong:
                failed += 1
                print("FAILED  %s, %s: %s\n%s" % (graph, name, wrong, text), flush=True)
            else:
                passed += 1
                print("ok      %s, %s" % (graph, name), flush=True)
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return 0 if failed == 0 else 1


sys.exit(main())
