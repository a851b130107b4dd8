"""Loops: einsum_iterate, scipy on arrays in memory, and PL/pgSQL over the views of the step; and epochs of a graph convolution that
learns (test/data/gcn.py), beside numpy with scipy's sparse matrices.

    make bench-iterate

Prints the time of all rounds of each, and ratios. PL/pgSQL runs three rounds from the middle
on, which are taken for all; each writes tables and reads the step's views.
"""

import os
import re
import sys
import time

import numpy as np
import psycopg2
import scipy.sparse

sys.path.insert(0, "test/data")
import gcn  # noqa: E402
import loops  # noqa: E402

RUNS = int(os.environ.get("BENCH_RUNS", 3))
EPOCHS = 30


def scipy_pagerank(found, n):
    degree = np.bincount(found[:, 0], minlength=n).astype(float)
    transposed = scipy.sparse.csr_matrix((np.ones(len(found)), (found[:, 1], found[:, 0])), (n, n))
    lost = degree == 0
    x = np.full(n, 1 / n)
    rounds = 0
    while True:
        share = np.divide(x, degree, out=np.zeros(n), where=~lost)
        y = 0.85 * (transposed @ share + x[lost].sum() / n) + 0.15 / n
        difference = np.abs(y - x).sum()
        x = y
        rounds += 1
        if difference < 1e-12:
            return x, rounds


def scipy_bfs(found, n, source):
    matrix = scipy.sparse.csr_matrix((np.ones(len(found)), (found[:, 0], found[:, 1])), (n, n))
    level = np.zeros(n)
    level[source] = 1
    front = np.array([source])
    rounds = 0
    while len(front):
        rounds += 1
        reached = np.unique(np.concatenate([matrix.indices[matrix.indptr[i]:matrix.indptr[i + 1]] for i in front]))
        front = reached[level[reached] == 0]
        level[front] = rounds + 1
    return level, rounds


def road_lengths(found):
    return np.random.default_rng(1).integers(100, 150, len(found)).astype(float)


def scipy_paths(found, n, source):
    """rounds over those nodes that the last one has brought nearer"""
    matrix = scipy.sparse.csr_matrix((road_lengths(found), (found[:, 0], found[:, 1])), (n, n))
    distance = np.full(n, np.inf)
    distance[source] = 0
    front = np.array([source])
    rounds = 0
    while len(front):
        rounds += 1
        degrees = matrix.indptr[front + 1] - matrix.indptr[front]
        edges = np.arange(degrees.sum()) + np.repeat(matrix.indptr[front] - np.cumsum(degrees) + degrees, degrees)
        reached, lengths = matrix.indices[edges], np.repeat(distance[front], degrees) + matrix.data[edges]
        nearer = lengths < distance[reached]
        np.minimum.at(distance, reached[nearer], lengths[nearer])
        front = np.unique(reached[nearer])
    return distance, rounds


def timed(function, runs=RUNS):
    best, result = np.inf, None
    for _ in range(runs):
        started = time.monotonic()
        result = function()
        best = min(best, time.monotonic() - started)
    return best, result


def by_hand(cursor, loop, name, tables, before, rounds):
    """seconds of a round in PL/pgSQL, after the rounds before: the step's results, by its views, replace what tables hold"""
    # all of it in rows, so that what a view has fits the table
    target = r"(^|;)(\s*)(%s)\[(\w*)\](\s*=)(?!=)" % "|".join(tables)
    pinned = re.sub(target, lambda m: "%s%s%s[%s]%s" % (m[1], m[2], m[3], m[4].upper(), m[5]), loop["step"])
    cursor.execute("select count(*) from einsum_iterate(%s, %s, %s, max_rounds => %s, restart => true)",
                   (name, loop["init"], pinned, before))
    renamed = re.sub(target, r"\1\2new_\3[\4]\5", pinned)
    cursor.execute("select count(*) from einsum_decompose(%s, 'by_hand')", (renamed,))
    body = []
    for table in tables:
        body.append("create temp table next_%s as select * from new_%s;" % (table, table))
    for table in tables:
        body.append("delete from %s; insert into %s select * from next_%s; drop table next_%s;" % (table, table, table, table))
    cursor.execute("create procedure by_hand() language plpgsql as $$ begin for r in 1..%d loop %s end loop; end $$" % (rounds, " ".join(body)))
    started = time.monotonic()
    cursor.execute("call by_hand()")
    seconds = (time.monotonic() - started) / rounds
    cursor.execute("drop procedure by_hand; select einsum_drop('by_hand'); select einsum_drop(%s)", (name,))
    return seconds


def learn(cursor, name):
    """
    prints a line, of one epoch: the median, without planning and what is done before the first; and how many times as long as
    the value takes what has its derivatives, too; are the weights the same?
    """
    graph = gcn.Graph(name)
    gcn.load(cursor, graph)
    step, start = gcn.step(cursor, graph), graph.start(0)

    def matrix(values, rows, columns, shape):
        return scipy.sparse.csr_matrix((values, (rows, columns)), shape)

    ours = theirs = np.inf
    for _ in range(RUNS):
        ours = min(ours, np.median(gcn.learn(cursor, step, start, EPOCHS)) / 1000)
        theirs = min(theirs, timed(lambda: gcn.by_numpy(graph, start, EPOCHS, matrix), 1)[0] / EPOCHS)
    expected, _ = gcn.by_numpy(graph, start, EPOCHS, matrix)
    cursor.execute("select einsum_value('v[k,m] = w1[k,m]')::float8[]")
    same = np.allclose(np.array(cursor.fetchone()[0]), expected[0], rtol=0, atol=1e-9)
    cursor.execute("select einsum_drop('gcn'); drop table w1_0, w2_0")
    value = np.inf
    for _ in range(RUNS):
        value = min(value, np.median(gcn.learn(cursor, gcn.VALUE, start, EPOCHS, gcn.VALUE_INIT)) / 1000)
        cursor.execute("select einsum_drop('gcn'); drop table w1_0, w2_0")
    cursor.execute("drop schema learned cascade")
    print("%-34s %7d %12.3f %12.4f %14s %10.1f %10s" % ("convolution, " + name, 1, ours, theirs, "", ours / theirs, ""), flush=True)
    print("%-34s %7d %12.3f %39.1f times the value's" % ("the same, of the value alone", 1, value, ours / value), flush=True)
    return same


def main():
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("set client_min_messages = error; create extension sparseeinsum")
    print("%-34s %7s %12s %12s %14s %10s %10s" % ("", "rounds", "iterate, s", "scipy, s", "PL/pgSQL, s", "/ scipy", "PL/pgSQL /"))
    for title, data_set, loop, result, reference, tables, source in (
            ("PageRank, graph_wiki_vote", "graph_wiki_vote", None, "x", scipy_pagerank, ["x"], 3),
            ("BFS, graph_facebook", "graph_facebook", loops.BFS, "level", lambda f, n: scipy_bfs(f, n, 0), ["round", "front", "level"], 0),
            ("BFS, graph_usroads", "graph_usroads", loops.BFS, "level", lambda f, n: scipy_bfs(f, n, 60000), ["round", "front", "level"], 60000),
            ("shortest paths, graph_usroads", "graph_usroads", loops.FRONTIER_PATHS, "dist", lambda f, n: scipy_paths(f, n, 60000),
             ["front", "dist"], 60000),
            ("the same as minima, graph_usroads", "graph_usroads", loops.SHORTEST_PATHS, "dist", lambda f, n: scipy_paths(f, n, 60000),
             ["dist"], 60000)):
        found, n = loops.edges(data_set)
        loops.load(cursor, "%s_%s" % (data_set, title.split(",")[0].replace(" ", "_")), found, n, source=source, lengths=road_lengths(found))
        loop = loop or loops.pagerank(n)
        ours, rows = timed(lambda: loops.run(cursor, "measured", loop, restart=True))
        theirs, (expected, rounds) = timed(lambda: reference(found, n))
        if not np.allclose(loops.dense(cursor, result, n), expected, rtol=0, atol=1e-9):
            print("%s: results differ" % title)
            return 1
        cursor.execute("select einsum_drop('measured')")
        hand = by_hand(cursor, loop, "measured", tables, max(len(rows) // 2, 1), 3) * len(rows)
        print("%-34s %7d %12.3f %12.4f %14.1f %10.1f %10.1f" % (title, len(rows), ours, theirs, hand, ours / theirs, hand / ours), flush=True)
    if not learn(cursor, "planetoid_cora"):
        print("convolution: weights differ")
        return 1
    return 0


sys.exit(main())
