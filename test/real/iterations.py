"""Loops over graphs give what plain algorithms in Python and numpy give, which share nothing with them:
PageRank and personalised PageRank to 1e-9 and HITS on graph_wiki_vote, breadth-first search on
graph_facebook and graph_usroads, shortest paths with lengths and components by the least number on
graph_facebook."""

import collections
import heapq
import sys
import time

import numpy as np
from _data import cursor_for

sys.path.insert(0, "test/data")
import loops  # noqa: E402


def neighbours(found, n):
    lists = [[] for _ in range(n)]
    for i, j in found.tolist():
        lists[i].append(j)
    return lists


def breadth_first(found, n, source):
    """1 more than the distance; 0 where nothing is reached"""
    lists = neighbours(found, n)
    levels = np.zeros(n)
    levels[source] = 1
    queue = collections.deque([source])
    while queue:
        i = queue.popleft()
        for j in lists[i]:
            if levels[j] == 0:
                levels[j] = levels[i] + 1
                queue.append(j)
    return levels


def dijkstra(found, lengths, n, source):
    lists = [[] for _ in range(n)]
    for (i, j), w in zip(found.tolist(), lengths.tolist()):
        lists[i].append((j, w))
    best = np.full(n, np.inf)
    best[source] = 0
    heap = [(0.0, source)]
    while heap:
        d, i = heapq.heappop(heap)
        if d > best[i]:
            continue
        for j, w in lists[i]:
            if d + w < best[j]:
                best[j] = d + w
                heapq.heappush(heap, (d + w, j))
    return best


def components(found, n):
    parent = list(range(n))

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i
    for i, j in found.tolist():
        i, j = root(i), root(j)
        parent[max(i, j)] = min(i, j)
    return np.array([root(i) for i in range(n)], dtype=float)


def power_iteration(found, n, teleport, damping=0.85):
    degree = np.bincount(found[:, 0], minlength=n).astype(float)
    x = teleport.copy()
    for _ in range(1000):
        share = np.divide(x, degree, out=np.zeros(n), where=degree > 0)
        y = np.bincount(found[:, 1], weights=share[found[:, 0]], minlength=n)
        y = damping * (y + x[degree == 0].sum() * teleport) + (1 - damping) * teleport
        if np.abs(y - x).sum() < 1e-14:
            return y
        x = y
    raise AssertionError("no fixed point")


def hits(found, n):
    """the first singular vectors"""
    a = np.zeros((n, n), dtype=np.float32)
    a[found[:, 0], found[:, 1]] = 1
    hub = np.ones(n)
    for _ in range(1000):
        authority = np.bincount(found[:, 1], weights=hub[found[:, 0]], minlength=n)
        authority /= np.linalg.norm(authority)
        new = np.bincount(found[:, 0], weights=authority[found[:, 1]], minlength=n)
        new /= np.linalg.norm(new)
        if np.abs(new - hub).sum() < 1e-15:
            break
        hub = new
    return hub, authority


class Tests:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, ok, detail=""):
        self.passed += bool(ok)
        self.failed += not ok
        print("%s %s %s" % ("ok     " if ok else "FAILED ", name, detail), flush=True)


def main():
    cursor = cursor_for("graph_wiki_vote")
    cursor.execute("create extension if not exists sparseeinsum")
    tests = Tests()

    def loop(name, program, **options):
        started = time.monotonic()
        rows = loops.run(cursor, name, program, **options)
        seconds = time.monotonic() - started
        return rows, "%d rounds, %.1f ms a round, %.2f s; planned in rounds %s" % (
            len(rows), np.median([row[4] for row in rows]), seconds, [row[0] for row in rows if row[5]])

    found, n = loops.edges("graph_wiki_vote")
    loops.load(cursor, "wiki", found, n, source=3)
    rows, said = loop("pagerank", loops.pagerank(n))
    difference = np.abs(loops.dense(cursor, "x", n) - power_iteration(found, n, np.full(n, 1 / n))).max()
    tests.check("PageRank on graph_wiki_vote", difference < 1e-9, "differs by %.1e; %s" % (difference, said))
    cursor.execute("select einsum_drop('pagerank')")
    rows, said = loop("personal", loops.personalised())
    one = np.zeros(n)
    one[3] = 1
    difference = np.abs(loops.dense(cursor, "x", n) - power_iteration(found, n, one)).max()
    tests.check("personalised PageRank on graph_wiki_vote", difference < 1e-9, "differs by %.1e; %s" % (difference, said))
    rows, said = loop("hits", loops.HITS)
    expected = hits(found, n)
    difference = max(np.abs(loops.dense(cursor, name, n) - e).max() for name, e in zip(("hub", "authority"), expected))
    tests.check("HITS on graph_wiki_vote", difference < 1e-9, "differs by %.1e; %s" % (difference, said))

    found, n = loops.edges("graph_facebook")
    lengths = np.random.default_rng(1).integers(1, 100, len(found)).astype(float)
    loops.load(cursor, "facebook", found, n, source=0, lengths=lengths)
    rows, said = loop("bfs", loops.BFS)
    tests.check("breadth-first search on graph_facebook",
                np.array_equal(loops.dense(cursor, "level", n), breadth_first(found, n, 0)), said)
    rows, said = loop("sssp", loops.SHORTEST_PATHS)
    tests.check("shortest paths on graph_facebook",
                np.array_equal(loops.dense(cursor, "dist", n), dijkstra(found, lengths, n, 0)), said)
    for name in "bfs", "sssp":
        cursor.execute("select einsum_drop(%s)", (name,))
    rows, said = loop("frontier", loops.FRONTIER_PATHS)
    tests.check("shortest paths from what has come nearer on graph_facebook",
                np.array_equal(loops.dense(cursor, "dist", n), dijkstra(found, lengths, n, 0)), said)
    # without some nodes, so that there is more than one component
    part = found[(found % 107 != 0).all(axis=1)]
    loops.load(cursor, "parts", part, n, source=0)
    rows, said = loop("parts", loops.COMPONENTS)
    expected = components(part, n)
    tests.check("components of graph_facebook without some nodes",
                np.array_equal(loops.dense(cursor, "part", n), expected),
                "%d components; %s" % (len(np.unique(expected)), said))

    found, n = loops.edges("graph_usroads")
    loops.load(cursor, "roads", found, n, source=60000)
    rows, said = loop("bfs", loops.BFS)
    tests.check("breadth-first search on graph_usroads",
                np.array_equal(loops.dense(cursor, "level", n), breadth_first(found, n, 60000)), said)
    cursor.execute("drop schema roads cascade")
    lengths = np.random.default_rng(1).integers(100, 150, len(found)).astype(float)
    loops.load(cursor, "roads", found, n, source=60000, lengths=lengths)
    rows, said = loop("frontier", loops.FRONTIER_PATHS)
    tests.check("shortest paths on graph_usroads",
                np.array_equal(loops.dense(cursor, "dist", n), dijkstra(found, lengths, n, 60000)), said)
    cursor.execute("select einsum_drop('frontier')")
    rows, said = loop("sssp", loops.SHORTEST_PATHS)
    tests.check("shortest paths on graph_usroads, of which each round takes what has come nearer by itself",
                np.array_equal(loops.dense(cursor, "dist", n), dijkstra(found, lengths, n, 60000)), said)
    print("%d passed, %d failed" % (tests.passed, tests.failed))
    return tests.failed


sys.exit(1 if main() else 0)
