"""How long planning takes, and how much memory: for the programs of the SparseEinSum paper, for those of the graphs and
stars that bench-algebra measures, and at the limits of what is to be planned at once.

    make bench-planning    BENCH_RUNS (5), PLANNING='word ...' for some; SPARSEEINSUM_DATASETS is the directory of data sets

For each program the medians of einsum_sql, which plans it once and writes its query, in processor time, which other load disturbs
less, and by the clock; the most memory that the search had at once; the forms that were cut and those that were planned; and
whether the plan is marked heuristic. Ends with how many are beyond their targets: 20 ms of processor time for programs of the
paper, 150 ms and 32 MB for all.
"""

import os
import re
import statistics
import sys
import time

import psycopg2

import datasets
import graph as graphs
import planning
from algebra_work import POINTS, WORK
from clock import serial_time
from systems import sparseeinsum

sys.path.insert(0, "test/data")
import limits  # noqa: E402

RUNS = int(os.environ.get("BENCH_RUNS") or 5)
ASKED = os.environ.get("PLANNING", "").split()
PAPER_MS, LIMIT_MS, LIMIT_KB = 20, 150, 32 * 1024


class Planner:
    def __init__(self, cursor):
        self.cursor, self.beyond = cursor, 0
        print("%-40s %10s %10s %10s %6s %6s %s" % ("program", "cpu ms", "ms", "kB", "cuts", "plans", "heuristic"))

    def show(self, name, program, most, at=None, settings=()):
        if ASKED and not any(word in name for word in ASKED):
            return
        for setting in settings:
            self.cursor.execute("set " + setting)
        self.cursor.execute("set client_min_messages = debug1")
        walls, cpus, shown = [], [], None
        process = self.cursor.connection.info.backend_pid
        for _ in range(RUNS + 1):
            notices = self.cursor.connection.notices
            del notices[:]
            try:
                start, cpu = time.perf_counter(), serial_time(process)
                self.cursor.execute("select length(einsum_sql(%s, at => %s::text[]))", (program, at))
            except psycopg2.Error as error:
                print("%-40s %s" % (name, error.diag.message_primary), flush=True)
                self.beyond += 1
                break
            cpus.append((serial_time(process) - cpu) * 1e3)
            walls.append((time.perf_counter() - start) * 1e3)
            shown, = (re.search(r"planned in ([\d.]+) ms, (\d+) kB, (\d+) cuts, (\d+) forms(.*)", n) for n in notices if "planned in" in n)
        else:
            cpu, kilobytes = statistics.median(cpus[1:]), int(shown[2])
            over = cpu > most or kilobytes > LIMIT_KB
            self.beyond += over
            print("%-40s %10.1f %10.1f %10d %6s %6s %s%s" % (name, cpu, statistics.median(walls[1:]), kilobytes, shown[3], shown[4],
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
    limits.load(cursor)
    planner = Planner(cursor)
    for name, program in limits.LIMITS:
        planner.show(name, program, LIMIT_MS)
    planner.show("a budget of 1: softmax attention", dict(limits.LIMITS)["softmax attention"], LIMIT_MS, settings=["sparseeinsum.rewrite_budget = 1"])
    planner.show("a search budget of 1", limits.LIMITS[2][1], LIMIT_MS, settings=["sparseeinsum.search_budget = 1"])
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
