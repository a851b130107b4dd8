"""The query graphs of subgraph_hprd and subgraph_yeast: each written as one product of
adjacency matrices and label vectors, up to 28 references over 8 vertices, gives the
published number of homomorphisms, and is planned in a moment.
"""

import gzip
import io
import json
import os
import sys
import time

import psycopg2
from _data import cursor_for, directory

sys.path.insert(0, "test/data")
from processor import at_most  # noqa: E402

# seconds of processor time to run one
RUN_LIMIT = 20.0
# that end within RUN_LIMIT, of 30
LEAST_RUN = {"subgraph_hprd": 28, "subgraph_yeast": 27}


class Graphs:
    def __init__(self, name):
        self.directory = directory(name)
        self.name = name

    def rows(self, file):
        with gzip.open(os.path.join(self.directory, file + ".tsv.gz"), "rt") as lines:
            return [line.rstrip("\n").split("\t") for line in lines]

    def load(self, cursor):
        with open(os.path.join(self.directory, "meta.json")) as file:
            vertices = json.load(file)["vertices"]
        cursor.execute("create schema %s; set search_path = %s, public" % (self.name, self.name))
        cursor.execute("""create table edge (src int, dst int, primary key (src, dst));
                          create table vertex (v int primary key, label int not null)""")
        for table, file in (("edge", "edges"), ("vertex", "vertices")):
            rows = "".join("%s\t%s\n" % tuple(row) for row in self.rows(file))
            cursor.copy_expert("copy %s from stdin" % table, io.StringIO(rows))
        cursor.execute("select einsum_register('a[I,J]', 'edge', keys => '{src,dst}', bounds => %s)", ([vertices] * 2,))
        labels = sorted({label for _, _, label in self.rows("query_vertices")})
        for label in labels:
            cursor.execute("create table label_%s (v int primary key)" % label)
            cursor.execute("insert into label_%s select v from vertex where label = %s" % (label, label))
            cursor.execute("select einsum_register(%s, %s, keys => '{v}', bounds => %s)", (
                "l%s[I]" % label, "label_" + label, [vertices]))
        cursor.execute("analyze")
        for tensor in ["a"] + ["l" + label for label in labels]:
            cursor.execute("select einsum_analyze(%s)", (tensor,))

    def queries(self):
        """name, program and count of each"""
        factors = {}
        for query, u, v in self.rows("query_edges"):
            factors.setdefault(query, []).append("a[x%s,x%s]" % (u, v))
        for query, v, label in self.rows("query_vertices"):
            factors[query].append("l%s[x%s]" % (label, v))
        return [(name, "s[] = " + " * ".join(factors[query]), float(count))
                for query, name, _, _, count, _ in self.rows("queries")]


def seconds_to_plan(cursor, program):
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        cursor.execute("select einsum_plan(%s, result => 'auto')", (program,))
        best = min(best, time.perf_counter() - start)
    return best


def check(name, ok, detail):
    print("%s  %s: %s" % ("ok    " if ok else "FAILED", name, detail), flush=True)
    return ok


def main():
    cursor = cursor_for("subgraph_hprd")
    cursor.execute("create extension sparseeinsum")
    results = []
    for name, least in LEAST_RUN.items():
        graphs = Graphs(name)
        graphs.load(cursor)
        planned, wrong, run = [], [], 0
        for query, program, count in graphs.queries():
            planned.append((seconds_to_plan(cursor, program), query))
            try:
                with at_most(cursor.connection, RUN_LIMIT):
                    cursor.execute("select einsum_value(%s)", (program,))
                run += 1
                found = float(cursor.fetchone()[0])
                if found != count:
                    wrong.append("%s is %r and not %r" % (query, found, count))
            except psycopg2.errors.QueryCanceled:
                print("        %s %s takes more than %d s of processor time" % (name, query, RUN_LIMIT))
        total = sum(seconds for seconds, _ in planned)
        results.append(check(name, not wrong, "counts as published" if not wrong else "; ".join(wrong)))
        results.append(check(name, run >= least, "%d of 30 in %d s each" % (run, RUN_LIMIT)))
        # times depend on what else runs
        print("        %s: planned in at most %.0f ms, %s" % (name, max(planned)[0] * 1000, max(planned)[1]))
        if name == "subgraph_hprd":
            print("        %s: all planned in %.2f s" % (name, total))
    print("%d passed, %d failed" % (sum(results), len(results) - sum(results)))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
