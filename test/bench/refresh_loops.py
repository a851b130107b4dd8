"""Refreshing loops: einsum_refresh after few places have new roads, beside the loop from its start.

    make bench-refresh-loops

Processor time of the server process, the median of BENCH_RUNS (5), and its share of the loop from its start. After each run the states
are compared with those from the start.
"""

import os
import statistics
import sys

import numpy as np
import psycopg2

from clock import serial_time

sys.path.insert(0, "test/data")
import loops  # noqa: E402

RUNS = int(os.environ.get("BENCH_RUNS", 5))
DATA_SET, SOURCE, SEED = "graph_usroads", 60000, 7
# at how many places, and the share of the start that a refresh may take
PLACES = {1: 0.05, 10: 0.2, 100: None}


def refresh(cursor, process, whole=False):
    """(seconds, how)"""
    start = serial_time(process)
    cursor.execute("SELECT how FROM einsum_refresh('paths', whole => %s)", (whole,))
    return serial_time(process) - start, cursor.fetchone()[0]


def compare(cursor, process, places):
    """(seconds of a refresh, seconds from the start, wrong distances), all undone"""
    cursor.execute("BEGIN")
    # between nodes that are two roads apart
    cursor.execute("INSERT INTO edge SELECT DISTINCT ON (a.i, b.j) a.i, b.j, 110 FROM edge a JOIN edge b ON b.i = a.j AND b.j <> a.i WHERE a.i = ANY (%s) "
                   "ON CONFLICT DO NOTHING", (places,))
    cursor.execute("SAVEPOINT s")
    whole, _ = refresh(cursor, process, True)
    cursor.execute("ROLLBACK TO s")
    seconds, how = refresh(cursor, process)
    cursor.execute("CREATE TEMP TABLE former ON COMMIT DROP AS TABLE dist")
    refresh(cursor, process, True)
    cursor.execute("SELECT count(*) FROM dist d FULL JOIN former f USING (j) WHERE d.value IS DISTINCT FROM f.value")
    wrong = cursor.fetchone()[0]
    cursor.execute("ROLLBACK")
    return seconds, whole, wrong if how == "resumed" else -1


def main():
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION IF NOT EXISTS sparseeinsum; SET client_min_messages = warning; SET max_parallel_workers_per_gather = 0")
    cursor.execute("SELECT pg_backend_pid()")
    process = cursor.fetchone()[0]
    found, n = loops.edges(DATA_SET)
    lengths = np.random.default_rng(1).integers(100, 150, len(found)).astype(float)
    loops.load(cursor, "roads", found, n, source=SOURCE, lengths=lengths)
    cursor.execute("SELECT einsum_log(tensor) FROM (VALUES ('w'), ('z')) t(tensor)")
    loop = loops.SHORTEST_PATHS
    cursor.execute("SELECT count(*) FROM einsum_iterate('paths', %s, %s, until => %s, max_rounds => 100000)", (loop["init"], loop["step"], loop["until"]))
    refresh(cursor, process)
    print("nothing new: %.1f ms" % (1000 * refresh(cursor, process)[0]))
    rng = np.random.default_rng(SEED)
    missed = False
    for count, most in PLACES.items():
        runs = [compare(cursor, process, rng.integers(0, n, count).tolist()) for _ in range(RUNS)]
        ours, start = (statistics.median(run[k] for run in runs) for k in (0, 1))
        missed |= any(run[2] for run in runs) or (most is not None and ours > most * start)
        print("new roads at %d places: %.1f ms, from the start %.1f ms: %.3f%s; wrong distances: %s" % (
            count, 1000 * ours, 1000 * start, ours / start, "" if most is None else " (%.2f)" % most, [run[2] for run in runs]))
    raise SystemExit(missed)


if __name__ == "__main__":
    main()
