"""How long planning takes, and how much memory: for the programs of the SparseEinSum paper, for those of the graphs and
stars that bench-algebra measures, and at the limits of what is to be planned at once.

    make bench-planning    BENCH_RUNS (5), PLANNING='word ...' for some; SPARSEEINSUM_DATASETS is the directory of data sets

For each program the median of einsum_sql, which plans it once and writes its query; of the search alone; the most memory that the
search had at once; the forms that were cut and those that were planned; and whether the plan is marked heuristic. Ends with how
many are beyond their targets: 20 ms for programs of the paper, 150 ms and 64 MB for all.
"""

import os
import re
import statistics
import sys

import psycopg2

import datasets
import graph as graphs
import planning
from algebra_work import POINTS, WORK
from clock import timed
from systems import sparseeinsum

RUNS = int(os.environ.get("BENCH_RUNS") or 5)
ASKED = os.environ.get("PLANNING", "").split()
PAPER_MS, LIMIT_MS, LIMIT_KB = 20, 150, 64 * 1024


def numbered(pattern, count, separator, first=1):
    """the pattern for each number, # and for that before, @"""
    return separator.join(pattern.replace("#", str(n)).replace("@", str(n - 1)) for n in range(first, first + count))


def two_earlier(count):
    """statements that each read two earlier ones"""
    return "t0[i] = x[i]; t1[i] = x[i] * 2; " + "; ".join(
        "t%d[i] = t%d[i] + t%d[i]" % (n, (n * 7 + 3) % n, (n * 13 + 5) % (n - 1) if n > 1 else 0) for n in range(2, count))


def cascade(count):
    """statements without labels that each read the two before"""
    return "t0[] = sum[i] x[i]; t1[] = sum[i] y[i]; " + "; ".join("t%d[] = t%d[] + t%d[]" % (n, n - 1, n - 2) for n in range(2, count))


def nested(depth):
    body = "a[i,j]"
    for _ in range(depth):
        body = "(%s + 1)^2" % body
    return "y[i,j] = " + body


LIMITS = [
    ("a product of 40 factors, a chain", "s[] = " + " * ".join("a[l%d,l%d]" % (n, n + 1) for n in range(40))),
    ("a product of 40 factors, a star", "s[] = " + " * ".join("a[l0,l%d]" % (n + 1) for n in range(40))),
    ("a product of 40 factors, a grid", "s[] = " + " * ".join(
        ["a[l%d,l%d]" % (5 * r + c, 5 * r + c + 1) for r in range(5) for c in range(4)] +
        ["a[l%d,l%d]" % (5 * r + c, 5 * r + c + 5) for r in range(4) for c in range(5)])),
    ("a square of 12 terms", "s[] = sum[i] (%s)^2" % " + ".join("x[i] * %d * y[i]^%d" % (n, n) for n in range(1, 13))),
    ("a square of 12 products", "s[] = sum[i,j] (%s)^2" % " + ".join("(sum[k] u[i,k]^%d * v[j,k])" % n for n in range(1, 13))),
    ("a sum of 2,000 like terms", "y[i,j] = " + " + ".join(["a[i,j]"] * 2000)),
    ("a sum of 2,000 terms", "y[i,j] = " + numbered("# * a[i,j]^#", 2000, " + ")),
    ("a sum of 2,000 products", "y[i] = " + numbered("x[i] * #", 1000, " + ") + " + " + numbered("y[i] / (x[i] + #)", 1000, " + ")),
    ("200 statements that read two each", two_earlier(200)),
    ("200 scalars that read two each", cascade(200)),
    ("a product of ten sums of three", "y[i] = " + " * ".join("(x[i] + y[i] * %d + z[i])" % n for n in range(1, 11))),
    ("a product of ten sums of sums", "s[] = sum[i] " + " * ".join("(x[i] + y[i] + (sum[j] a[i,j] * x[j] * %d))" % n for n in range(1, 11))),
    ("squares eight deep", nested(8)),
    ("squares eight deep, summed", nested(8).replace("y[i,j] = ", "s[] = sum[i,j] ")),
    ("a chain of 12 self joins", numbered("c#[i,j] = c@[i,k] * c@[j,k]", 12, "; ").replace("c0[", "u[")),
    ("powers by squaring, 12 times", numbered("c#[i,k] = c@[i,j] * c@[j,k]", 12, "; ").replace("c0[", "a[")),
    ("three steps of any", "y[i] = any[j,k,l] a[i,j] * a[j,k] * a[k,l]"),
    ("softmax attention", """e[i,j] = a[i,j] * exp((sum[k] u[i,k] * v[j,k]) / 8); d[i] = sum[j] e[i,j];
     z[i,k] = (sum[j] e[i,j] * v[j,k]) / d[i]"""),
    ("dense softmax attention", """q[i,k] = u[i,l] * w[l,k]; r[j,k] = v[j,l] * w[l,k]; e[i,j] = exp((sum[k] q[i,k] * r[j,k]) / 8);
     d[i] = sum[j] e[i,j]; z[i,k] = (sum[j] e[i,j] * v[j,k]) / d[i]"""),
    ("a chain of 12 products", "c[i0,i12] = " + " * ".join("a[i%d,i%d]" % (n, n + 1) for n in range(12))),
]
TABLES = [("a[I,J]", "{1000,1000}", "select (n * 7919) % 1000, (n * 104729 + n / 1000) % 1000, 1 + n % 7 from generate_series(1, 5000) n group by 1, 2, 3"),
          ("x[I]", "{1000}", "select n, 1 + n % 5 from generate_series(0, 999) n"),
          ("y[I]", "{1000}", "select n, 1 + n % 3 from generate_series(0, 999, 2) n"),
          ("z[I]", "{1000}", "select n, 1 + n % 4 from generate_series(0, 999, 3) n"),
          ("u[I,k]", "{1000,16}", "select n, k, n % 7 + k from generate_series(0, 999) n, generate_series(0, 15) k"),
          ("v[I,k]", "{1000,16}", "select n, k, n % 5 + k from generate_series(0, 999) n, generate_series(0, 15) k"),
          ("w[k,l]", "{16,16}", "select k, l, k + l from generate_series(0, 15) k, generate_series(0, 15) l")]


class Planner:
    def __init__(self, cursor):
        self.cursor, self.beyond = cursor, 0
        print("%-40s %10s %10s %10s %6s %6s %s" % ("program", "ms", "search ms", "kB", "cuts", "plans", "heuristic"))

    def show(self, name, program, most, at=None, settings=()):
        if ASKED and not any(word in name for word in ASKED):
            return
        for setting in settings:
            self.cursor.execute("set " + setting)
        self.cursor.execute("set client_min_messages = debug1")
        walls, searches, shown = [], [], None
        for _ in range(RUNS + 1):
            notices = self.cursor.connection.notices
            del notices[:]
            try:
                _, wall, _ = timed(lambda: self.cursor.execute(
                    "select length(einsum_sql(%s, at => %s::text[]))", (program, at)), memory=0)
            except psycopg2.Error as error:
                print("%-40s %s" % (name, error.diag.message_primary), flush=True)
                self.beyond += 1
                break
            walls.append(wall * 1e3)
            shown, = (re.search(r"planned in ([\d.]+) ms, (\d+) kB, (\d+) cuts, (\d+) forms(.*)", n) for n in notices if "planned in" in n)
            searches.append(float(shown[1]))
        else:
            wall, kilobytes = statistics.median(walls[1:]), int(shown[2])
            over = wall > most or kilobytes > LIMIT_KB
            self.beyond += over
            print("%-40s %10.1f %10.1f %10d %6s %6s %s%s" % (name, wall, statistics.median(searches[1:]), kilobytes, shown[3], shown[4],
                                                            shown[5].strip(", \n"), " beyond its target" if over else ""), flush=True)
        self.cursor.execute("reset client_min_messages")
        for setting in settings:
            self.cursor.execute("reset " + setting.split()[0])


def connect(schema):
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("create extension if not exists sparseeinsum; create schema if not exists %s; set search_path = %s, public" % (schema, schema))
    return cursor


def main():
    cursor = connect("limits")
    for notation, bounds, query in TABLES:
        cursor.execute("select einsum_store(%s, %s, %s)", (notation, query, bounds))
        cursor.execute("vacuum analyze " + notation[0])
        cursor.execute("select einsum_analyze(%s)", (notation[0],))
    planner = Planner(cursor)
    for name, program in LIMITS:
        planner.show(name, program, LIMIT_MS)
    planner.show("a budget of 1: softmax attention", dict(LIMITS)["softmax attention"], LIMIT_MS, settings=["sparseeinsum.rewrite_budget = 1"])
    planner.show("a search budget of 1", LIMITS[2][1], LIMIT_MS, settings=["sparseeinsum.search_budget = 1"])
    if datasets.available() and (not ASKED or any(word in work.name for work in WORK + POINTS for word in ASKED)):
        planner.cursor = connect("bench_sets")
        planner.cursor.execute("create schema source")
        for work in WORK + POINTS:
            if ASKED and not any(word in work.name for word in ASKED):
                continue
            datasets.load(planner.cursor, work.program)
            planner.show(work.name, work.program, LIMIT_MS, at=[work.label] if work.label else None)
    if not ASKED or any(word in name for name, _ in planning.PROGRAMS for word in ASKED):
        planner.cursor = sparseeinsum.connect("paper")
        sparseeinsum.load(planner.cursor, "paper", graphs.load()[0], [table for _, table, *_ in sparseeinsum.TENSORS])
        planning.load(planner.cursor)
        for name, program in planning.PROGRAMS:
            planner.show(name, program, PAPER_MS)
    print("%d beyond their targets" % planner.beyond)
    return 0


if __name__ == "__main__":
    sys.exit(main())
