"""The vector of each row times one matrix, 13,752 x 767 times 767 x 256: numpy's
product of two matrices in memory (one thread of OpenBLAS), and a query over a
table of vectors stored out of line, with and without batched projections.

    make bench-row-matrix [BENCH_ARGS="--rounds 9"]      (SPARSEEINSUM_DATASETS is the directory of data sets)

The vectors are the features of amazon_computers, or random zeros and ones where
the data set is missing. Every query adds up all elements of all results, and so
does numpy; weights are small integers, so that the sums must be equal. A round
runs all contestants in turn. "scan" only reads and adds up the vectors. Ratios
are of minima to numpy's: other work on the machine only adds.
"""

import argparse
import gzip
import io
import os
import statistics
import time

import numpy as np
import psycopg2

NODES, FEATURES, WIDTH = 13752, 767, 256

PRODUCT = """
select sum(einsum_scalar('a->', value))
from (select sparseeinsum_internal.einsum_once(vec_mat_mult(h.value, w.value)) as value from h, w) x"""
SCAN = "select sum(einsum_scalar('a->', value)) from h"


def load_features():
    path = os.path.join(os.environ.get("SPARSEEINSUM_DATASETS", ""), "amazon_computers", "features.tsv.gz")
    if not os.path.exists(path):
        return (np.random.default_rng(1).random((NODES, FEATURES)) < 0.35).astype(float)
    x = np.zeros((NODES, FEATURES))
    with gzip.open(path, "rt") as lines:
        for line in lines:
            node, feature, value = line.split("\t")
            x[int(node), int(feature)] = float(value)
    return x


def tensor_text(array):
    if array.ndim == 1:
        return "[" + ",".join("%g" % v for v in array) + "]"
    return "[" + ",".join(map(tensor_text, array)) + "]"


def store(cursor, x, w):
    cursor.execute("create extension if not exists sparseeinsum")
    cursor.execute("create table h (i int primary key, value tensor not null)")
    cursor.execute("create table w (value tensor not null)")
    rows = io.StringIO("".join("%d\t%s\n" % (i, tensor_text(v)) for i, v in enumerate(x)))
    cursor.copy_expert("copy h from stdin", rows)
    cursor.execute("insert into w values (%s)", (tensor_text(w),))
    cursor.execute("vacuum analyze h")
    cursor.execute("analyze w")


def query_time(cursor, sql, batching, expected):
    cursor.execute("set sparseeinsum.enable_batching = %s" % batching)
    start = time.perf_counter()
    cursor.execute(sql)
    result = cursor.fetchone()[0]
    elapsed = time.perf_counter() - start
    assert result == expected, (sql, batching, result, expected)
    return elapsed


def numpy_time(x, w, expected):
    start = time.perf_counter()
    result = (x @ w).sum()
    elapsed = time.perf_counter() - start
    assert result == expected
    return elapsed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    x = load_features()
    w = np.random.default_rng(1).integers(-4, 5, (FEATURES, WIDTH)).astype(float)
    store(cursor, x, w)
    product = float(x.sum(axis=0) @ w.sum(axis=1))
    contestants = {
        "numpy": lambda: numpy_time(x, w, product),
        "batched": lambda: query_time(cursor, PRODUCT, "on", product),
        "row by row": lambda: query_time(cursor, PRODUCT, "off", product),
        "scan": lambda: query_time(cursor, SCAN, "on", float(x.sum())),
    }
    times = {name: [] for name in contestants}
    for run in contestants.values():
        run()
    for _ in range(arguments.rounds):
        for name, run in contestants.items():
            times[name].append(run())
    print("%-12s %8s %8s %8s   load %.1f" % ("", "min ms", "median", "ratio", os.getloadavg()[0]))
    for name, values in times.items():
        print("%-12s %8.0f %8.0f %8.2f" % (name, 1e3 * min(values), 1e3 * statistics.median(values),
                                           min(values) / min(times["numpy"])))


if __name__ == "__main__":
    main()
