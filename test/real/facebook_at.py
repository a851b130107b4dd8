"""Point queries on graph_facebook: three hops, and three steps of personalised
PageRank, from one node, beside the plain SQL that a person writes for them. Each
has the same rows, and is needed at few keys in every stage that works along the
edges. Times, planning included, are medians of 5 runs, the two by turns. The nodes are a hub, one with two neighbours, and one between.
"""

import gzip
import json
import os
import statistics
import sys
import time

from _data import cursor_for, directory

HOPS = "y[I,L] = a[i,j]*a[j,k]*a[k,l]"
HOPS_SQL = """
    with two as (select b.dst as k, count(*) as n from link a join link b on b.src = a.dst where a.src = %(node)s group by 1)
    select %(node)s, c.dst, sum(n)::float8 from two join link c on c.src = k group by 1, 2"""

RANK = """
    d[j]   = sum[i] a[i,j];
    p[S,J] = a[s,j]/d[s];
    q[S,J] = 0.85*(sum[i] p[s,i]*a[i,j]/d[i]) + 0.15*eye[s,j];
    r[S,J] = 0.85*(sum[i] q[s,i]*a[i,j]/d[i]) + 0.15*eye[s,j]"""
RANK_SQL = """
    with d as (select src, count(*)::float8 as d from link group by 1),
    p as (select dst as j, 1/d as v from link join d using (src) where src = %(node)s),
    q as (select j, sum(v) as v from (
        select link.dst as j, 0.85*p.v/d.d as v from p join link on link.src = p.j join d on d.src = p.j
        union all select %(node)s, 0.15) s group by 1)
    select %(node)s, j, sum(v) from (
        select link.dst as j, 0.85*q.v/d.d as v from q join link on link.src = q.j join d on d.src = q.j
        union all select %(node)s, 0.15) s group by 1, 2"""

# program, SQL, label, stages that are needed at all keys
QUERIES = [("three hops", HOPS, HOPS_SQL, "i", set()), ("PageRank", RANK, RANK_SQL, "s", {"d"})]
NODES = [107, 42, 0]


def load(cursor):
    cursor.execute("create extension if not exists sparseeinsum")
    cursor.execute("create table link (src int, dst int, primary key (src, dst))")
    with gzip.open(os.path.join(directory("graph_facebook"), "edges.tsv.gz"), "rt") as edges:
        cursor.copy_expert("copy link from stdin", edges)
    cursor.execute("create index on link (dst, src)")
    cursor.execute("select einsum_register('a[I,J]', 'link', '{src,dst}', bounds => '{4039,4039}')")
    cursor.execute("select count(*) from einsum_analyze('a')")
    cursor.execute("vacuum analyze link")


class Tests:
    def __init__(self, cursor):
        self.cursor = cursor
        self.passed = self.failed = 0

    def check(self, name, ok, detail=""):
        self.passed += bool(ok)
        self.failed += not ok
        print("%s  %s: %s" % ("ok    " if ok else "FAILED", name, detail))

    def timed(self, query, arguments):
        started = time.monotonic()
        self.cursor.execute(query, arguments)
        rows = self.cursor.fetchall()
        return time.monotonic() - started, {row[:2]: row[2] for row in rows}

    def compare(self, name, program, sql, label, whole):
        call = "select * from einsum_rows(%(program)s, at => %(at)s) as y(i int, j int, value float8)"
        self.cursor.execute("select einsum_plan(%s, format => 'json', at => array[%s]::name[])", (program, label))
        stages = json.loads(self.cursor.fetchone()[0])[0]["stages"]
        unlimited = {stage["name"] for stage in stages if not stage["keys"]}
        self.check(name + ": what is needed at all keys", unlimited == whole, unlimited)
        for node in NODES:
            arguments = {"program": program, "at": json.dumps({label: node}), "node": node}
            ours, theirs = [], []
            for _ in range(5):
                took, got = self.timed(call, arguments)
                ours.append(took)
                took, expected = self.timed(sql, arguments)
                theirs.append(took)
            same = got.keys() == expected.keys() and all(abs(got[k] - v) <= 1e-9 * abs(v) for k, v in expected.items())
            self.check("%s of node %d: the rows of plain SQL" % (name, node), same, "%d and %d rows; %.1f ms, plain SQL %.1f ms" % (
                len(got), len(expected), 1000 * statistics.median(ours), 1000 * statistics.median(theirs)))


def main():
    cursor = cursor_for("graph_facebook")
    cursor.execute("set statement_timeout = '600s'")
    load(cursor)
    tests = Tests(cursor)
    for name, program, sql, label, whole in QUERIES:
        tests.compare(name, program, sql, label, whole)
    print("%d passed, %d failed" % (tests.passed, tests.failed))
    return tests.failed > 0


sys.exit(main())
