"""Formulas as textbooks write them: our default beside `rewrite => 'none'`, beside the form that someone writes who knows
how to compute it, and beside DuckDB's SQL of the formula as it stands.

    make bench-algebra     ALGEBRA='word ...' (all of algebra_work.py; words of names), BENCH_RUNS (5), BENCH_LIMIT (60);
                           SPARSEEINSUM_DATASETS is the directory of data sets

Medians of BENCH_RUNS runs that take turns, from SQL text to the sum of all elements of the result; what takes more than
5 s runs once, and what takes more than BENCH_LIMIT is stopped and counts as that. The sums have to agree. DuckDB takes
part where the interpreter has it, in memory, with one thread.
"""

import os
import sys

import datasets
import numpy as np
from algebra_work import MEMORY, NODES, POINTS, WORK
from queries import Way, Within, agree, call, first, sql_by_hand, way
from report import Target

try:
    from systems.duck import DuckDB
except ImportError:
    DuckDB = None

RUNS = int(os.environ.get("BENCH_RUNS", 5))
LIMIT = float(os.environ.get("BENCH_LIMIT", 60))
ASKED = os.environ.get("ALGEBRA", "").split()
SLOW = 5.0
CLAIM = 256 << 20


def asked(name):
    return not ASKED or any(word in name for word in ASKED)


class Duck:
    """DuckDB with the tensors that queries have named"""

    def __init__(self, cursor):
        self.cursor, self.database, self.loaded = cursor, DuckDB(1), set()
        self.database.configure(None, 1)

    def load(self, text):
        for name in set(datasets.named(text)) - self.loaded:
            self.loaded.add(name)
            self.cursor.execute("select notation from einsum_tensors where tensor = %s", (name,))
            labels = "ABCD"[:self.cursor.fetchone()[0].count(",") + 1]
            program = "entries[%s] = %s[%s]" % (",".join(labels), name, ",".join(labels.lower()))
            self.cursor.execute(call(self.cursor, "einsum_sql", program))
            *keys, value = (np.array(column) for column in zip(*self.cursor.fetchall()))
            self.database.create(name, [*(key.astype(np.int32) for key in keys), value.astype(float)])

    def way(self, sql):
        self.load(sql)
        total = "select sum(val) from (%s) r" % sql
        return Way("DuckDB", self.database.within, lambda: self.database.first(total))


def take_turns(ways):
    for turn in range(RUNS):
        for one in ways:
            if turn == 0 or one.sample.median <= SLOW:
                one.run(LIMIT, CLAIM)


def print_ways(name, ways):
    """times in ms, and as multiples of the first one's; whether the results agree"""
    ours, same = ways[0].sample.median, agree([way.result for way in ways if way.result is not None])
    print("%-38s %s" % (name, "  ".join("%s %.1f%s" % (way.name, way.sample.median * 1e3, "" if way is ways[0] else " (%s%.2f)" % (
        "more than " if way.stopped else "", way.sample.median / ours)) for way in ways)), flush=True)
    if not same:
        print("    RESULTS DIFFER: " + ", ".join("%s %r" % (way.name, way.result) for way in ways))
    return same


def formula(cursor, duck, work):
    """the ways of a formula, ours first"""
    datasets.load(cursor, work.program + (work.hand or ""))
    ways = [way(cursor, "default", call(cursor, "einsum_sql", work.program)),
            way(cursor, "none", call(cursor, "einsum_sql", work.program, rewrite="none"))]
    if work.hand:
        ways.append(way(cursor, "by hand", sql_by_hand(cursor, work.hand)))
    if duck and work.sql:
        ways.append(duck.way(work.sql))
    take_turns(ways)
    return ways


def memory(cursor, work):
    """the same with other work_mem, planned so"""
    datasets.load(cursor, work.program)
    cursor.execute("set work_mem = '%s'" % work.work_mem)
    ways = [way(cursor, "default", call(cursor, "einsum_sql", work.program)), way(cursor, "by hand", sql_by_hand(cursor, work.hand))]
    take_turns(ways)
    cursor.execute("reset work_mem")
    return ways


def point(cursor, work):
    """the rows of some keys by a prepared statement, and by SQL"""
    datasets.load(cursor, work.program)
    cursor.execute("deallocate all; prepare at_key(int) as select sum(value) from (%s) r" % call(
        cursor, "einsum_sql", work.program, at="{%s}" % work.label))
    ways = [Way(name, lambda seconds: Within(cursor, seconds),
                lambda query=query: sum(first(cursor, query % {"key": key}) for key in NODES))
            for name, query in [("at", "execute at_key(%(key)s)"), ("by hand", work.hand)]]
    take_turns(ways)
    return ways


def seconds(way):
    return way.sample.median


def targets(work, ways, found):
    """what is demanded of a formula. A default that was stopped is short of it; another way that was stopped takes
    longer yet, which is in our favour"""
    ours, *others = ways
    named = {way.name: way for way in others}

    def target(title, value, bound, at_most, unit="x"):
        return Target(work.name + title, value, bound, at_most, unit, stopped=ours.stopped)

    if work.faster:
        yield target(", rewrite => 'none' over default", seconds(named["none"]) / seconds(ours), work.faster, False)
    if work.close:
        yield target(", over " + work.close[0], seconds(ours) / seconds(named[work.close[0]]), work.close[1], True)
    if work.seconds:
        yield target("", seconds(ours) * 1e3, work.seconds * 1e3, True, "ms")
    if work.beside and work.beside[0] in found:
        name, most = work.beside
        yield target(", over " + name, seconds(ours) / seconds(found[name][0]), most, True)


def main():
    if not datasets.available():
        sys.exit("bench-algebra needs SPARSEEINSUM_DATASETS, the directory of the data sets")
    cursor = datasets.connect()
    duck = Duck(cursor) if DuckDB else None
    print("medians of %d runs in ms, and as multiples of the first" % RUNS)
    found, reached, same = {}, [], True
    jobs = [(work, lambda work=work: formula(cursor, duck, work)) for work in WORK]
    jobs += [(work, lambda work=work: memory(cursor, work)) for work in MEMORY]
    jobs += [(work, lambda work=work: point(cursor, work)) for work in POINTS]
    for work, measure in jobs:
        if asked(work.name):
            found[work.name] = measure()
            same = print_ways(work.name, found[work.name]) and same
            reached += targets(work, found[work.name], found)
    print()
    for target in reached:
        print(target.line())
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
