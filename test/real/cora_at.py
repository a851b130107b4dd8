"""A convolution of two layers through einsum_sql(..., at => '{i}') for one node
reads, whenever it reads the edges, no more of them than the node's two-hop
neighbourhood has, and never all of them: every stage is limited to the keys
that the next one needs, and these reach an index. On planetoid_cora, and on the
karate club. It is so small that one matrix of all its edges is cheapest, and that
reading all of a table is: so there the nodes are pinned as keys, and only nested
loops over indexes are allowed, to see that they are enough.

Row counts are those of EXPLAIN (ANALYZE, FORMAT JSON): what scans returned and
what their filters threw away, for all loops of a scan together. EXPLAIN rounds
the rows of a loop, and so half a row of each is in doubt.
"""

import re
import sys

import numpy as np
from _data import available, open_cursor

sys.path.insert(0, "test/data")
import karate  # noqa: E402
import planetoid_cora as cora  # noqa: E402

# over the transposed graph the edges are found by their second key
TRANSPOSED = cora.CONVOLUTION.replace("a[i,j]", "a[j,i]")


def edge_scans(node):
    """(node type, rows) of the scans of the edges"""
    found = []
    if node.get("Relation Name") == "link":
        rows = node["Actual Rows"] + node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
        loops = node["Actual Loops"]
        found.append((node["Node Type"], rows * loops - (loops / 2 if loops > 1 else 0)))
    for child in node.get("Plans", []):
        found += edge_scans(child)
    return found


class Tests:
    def __init__(self, cursor):
        self.cursor = cursor
        self.passed = self.failed = 0

    def check(self, name, ok, detail):
        if ok:
            self.passed += 1
            print("ok      " + name)
        else:
            self.failed += 1
            print("FAILED  %s: %s" % (name, detail))

    def points(self, graph, nodes, promoted=""):
        """Asks for the nodes of a graph whose tables are on the search path; some labels are pinned as keys."""
        cursor = self.cursor
        for name, program in ("convolution", cora.CONVOLUTION), ("transposed", TRANSPOSED):
            program = re.sub(r"\[[a-z,]*\]", lambda found: "".join(
                c.upper() if c in promoted else c for c in found[0]), program).replace("z[i,c]", "z[I,c]")
            name = "%s, %s" % (graph, name)
            cursor.execute("select einsum_sql(%s, at => '{i}', result => 'auto')", (program,))
            query, = cursor.fetchone()
            cursor.execute("select count(*) from einsum_decompose(%s, 'whole', result => 'auto')", (program,))
            cursor.execute("select i, value::float8[] from z")
            whole = dict(cursor.fetchall())
            cursor.execute("prepare point as " + query)
            for node in nodes:
                cursor.execute("""
                    with recursive near(node, hops) as (
                        select %s, 0 union select l.j, hops + 1 from near join link l on l.i = node where hops < 2)
                    select count(*) from link where i in (select node from near)""", (node,))
                most, = cursor.fetchone()
                cursor.execute("execute point(%s)", (node,))
                rows = cursor.fetchall()
                got = np.array([[float(x) for x in value.strip("[]").split(",")] for _, value in rows])
                self.check("%s, node %d: the row of the whole result" % (name, node),
                           [key for key, _ in rows] == [node] and np.max(abs(got[0] - whole[node])) <= 1e-12, rows)
                cursor.execute("explain (analyze, format json) execute point(%s)", (node,))
                scans = edge_scans(cursor.fetchone()[0][0]["Plan"])
                self.check("%s, node %d: no scan reads more edges than the %d of the two-hop neighbourhood, none all" % (name, node, most),
                           scans and all(rows <= most and kind != "Seq Scan" for kind, rows in scans), scans)
            cursor.execute("deallocate point")
            cursor.execute("select einsum_drop('whole')")


def main():
    cursor = open_cursor()
    tests = Tests(cursor)
    skipped = 0
    karate.load(cursor)
    dear = ["enable_seqscan", "enable_hashjoin", "enable_mergejoin", "enable_material", "enable_memoize", "sparseeinsum.enable_aggregate_join"]
    for setting in dear:
        cursor.execute("set %s = off" % setting)
    tests.points("karate", [0, 9, 11, 16, 26, 33], "ij")
    for setting in dear:
        cursor.execute("reset " + setting)
    if available("planetoid_cora"):
        cora.load(cursor)
        cursor.execute("create index on link (j, i)")
        cursor.execute("vacuum analyze link")
        tests.points("cora", [42, 0, 7, 1000, 1358, 2707])
    else:
        skipped = 1
    print("%d passed, %d failed, %d skipped" % (tests.passed, tests.failed, skipped))
    return 0 if tests.failed == 0 else 1


sys.exit(main())
