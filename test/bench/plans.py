"""Is the plan that is chosen the fastest, and does its cost foretell its time?

    make bench-plans       PLANS='name ...' (all of plan_programs.py; words of names), PLANS_OFFERED (10), PLANS_LIMIT (2),
                           PLANS_RUNS (3); SPARSEEINSUM_DATASETS is the directory of data sets

Of every program, the plans offered, the cheapest with less of the algebra, the one as it is written, and the forms by
hand take turns, from SQL text to the sum of all elements of the result; the sums have to agree. The least processor
time of each counts: nothing runs in parallel, and other load disturbs it less. What is faster than the chosen plan is run again beside it. A run that takes more than PLANS_LIMIT seconds is
stopped, and counts as that; the chosen plan may take five times as long.

The q-error of a stage is how many times the tuples of its result are more or fewer than estimated. Everything
measured is in build/bench/plans.csv.
"""

import csv
import json
import os
import sys

import datasets
import numpy as np
import psycopg2
from clock import TooSlow
from plan_programs import cora, programs
from queries import Within, agree, call, is_sql, sql_by_hand, way
from report import Target

OFFERED = int(os.environ.get("PLANS_OFFERED", 10))
LIMIT = float(os.environ.get("PLANS_LIMIT", 2))
RUNS = int(os.environ.get("PLANS_RUNS", 3))
ASKED = os.environ.get("PLANS", "").split()

CLOSE = 1.2
WORST = 2.0
CHOSEN_LIMIT = 5 * LIMIT
MEMORY = 64 << 20

# what beside the plans offered is planned, and by which options
OTHERS = {
    "reassociate": {"rewrite": "reassociate"},
    "rewrite none": {"rewrite": "none"},
    "as written": {"rewrite": "none", "search": "as_written"},
}


def plans(cursor, text, **options):
    return json.loads(call(cursor, "einsum_plan", text, format="json", **options))


def ways(cursor, program):
    """each different SQL of the program, the chosen plan first"""
    found = {}

    def add(name, sql, cost):
        if sql not in found:
            found[sql] = way(cursor, name, sql, cost)

    def offered(n, plan):
        add("plan %d" % n, call(cursor, "einsum_sql", program.program, alternative=n), plan["cost"])

    chosen, *others = plans(cursor, program.program, plans=OFFERED)
    offered(1, chosen)
    if program.hand and is_sql(program.hand):
        add("SQL by hand", program.hand, None)
    elif program.hand:
        add("by hand", sql_by_hand(cursor, program.hand), plans(cursor, program.hand, rewrite="none")[0]["cost"])
    for name, options in OTHERS.items():
        try:
            plan, = plans(cursor, program.program, **options)
        except psycopg2.errors.ProgramLimitExceeded:
            continue  # lower case demotes all of a large tensor
        add(name, call(cursor, "einsum_sql", program.program, **options), plan["cost"])
    for n, plan in enumerate(others, 2):
        offered(n, plan)
    return list(found.values())


def ranks(values):
    """from 1, with the mean of what is equal"""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]


def correlation(pairs):
    """Spearman's rank correlation, None of fewer than three"""
    if len(pairs) < 3:
        return None
    a, b = (ranks(values) for values in zip(*pairs))
    return float(np.corrcoef(a, b)[0, 1]) if a.std() and b.std() else None


def q_error(estimated, actual):
    estimated, actual = max(estimated, 1), max(actual, 1)
    return max(estimated / actual, actual / estimated)


def stages(cursor, program):
    """(q-error, stage, estimated tuples, tuples) of the chosen plan, nothing if it takes too long"""
    try:
        with Within(cursor, CHOSEN_LIMIT):
            plan, = plans(cursor, program.program, actual=True)
    except TooSlow:
        return []
    return [(q_error(stage["tuples"], stage["actual_tuples"]), stage["notation"], stage["tuples"], stage["actual_tuples"])
            for stage in plan["stages"] if "actual_tuples" in stage]


class Measured:
    """the ways of a program with their times, the chosen one first, and the stages of the chosen one"""

    def __init__(self, cursor, program):
        self.program, self.ways = program, ways(cursor, program)
        self.chosen = self.ways[0]
        for turn in range(RUNS):
            for way in self.ways:
                if turn == 0 or way.seconds <= min(LIMIT, 3 * self.chosen.seconds):
                    self.run(way)
        # the least of few runs of many favours the many: beside what seems faster, it runs as often again
        for _ in range(2 * RUNS):
            faster = [w for w in self.ways if not w.stopped and CLOSE < self.chosen.seconds / w.seconds < 3 * WORST]
            for way in [self.chosen] + faster if faster else []:
                self.run(way)
        self.best = min((w for w in self.ways if not w.stopped), key=lambda w: w.seconds, default=self.chosen)
        self.ratio = self.chosen.seconds / self.best.seconds
        # what was stopped takes as long as any other that was, the chosen plan too
        self.costed = [(w.cost, min(w.seconds, LIMIT)) for w in self.ways if w.cost is not None]
        self.same = agree([w.result for w in self.ways if w.result is not None])
        self.stages = stages(cursor, program)

    def run(self, way):
        if way is self.chosen:
            limit = CHOSEN_LIMIT
        elif any(w.sample.wall and not w.stopped and w.seconds <= LIMIT for w in self.ways):
            limit = LIMIT
        else:
            # long enough to see whether the chosen plan is too slow
            limit = max(LIMIT, self.chosen.seconds / WORST)
        way.run(limit, MEMORY)

    def line(self):
        def optional(form, value):
            return "" if value is None else form % value

        return "%-38s %9.1f %9.1f %7.2f %-14s %4d %5s %9.2f %6s %7s%s" % (
            self.program.name, self.chosen.seconds * 1e3, self.best.seconds * 1e3, self.ratio, self.best.name, len(self.ways),
            sum(w.stopped for w in self.ways) or "", self.chosen.cost / 1e6 / self.chosen.seconds,
            optional("%.2f", correlation(self.costed)), optional("%.1f", max((q for q, *_ in self.stages), default=None)),
            "" if self.same else "  RESULTS DIFFER: " + ", ".join("%s %r" % (w.name, w.result) for w in self.ways))


def main():
    if not datasets.available():
        sys.exit("bench-plans needs SPARSEEINSUM_DATASETS, the directory of the data sets")
    asked = [p for p in programs() if not ASKED or any(word in p.name for word in ASKED)]
    if not asked:
        sys.exit("PLANS has no name of a program, which are: " + ", ".join(p.name for p in programs()))
    cursor = datasets.connect()
    if any(p.in_cora for p in asked):
        cora.load(cursor)
    os.makedirs("build/bench", exist_ok=True)
    print("processor time in ms, the least of %d runs; stopped after %g s" % (RUNS, LIMIT))
    print("%-38s %9s %9s %7s %-14s %4s %5s %9s %6s %7s" % (
        "program", "chosen", "best", "ratio", "which is", "ways", "over", "cost/time", "ranks", "tuples"), flush=True)
    measured = []
    with open("build/bench/plans.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["program", "way", "cost", "microseconds", "stopped", "result"])
        for program in asked:
            cursor.execute("set search_path = " + ("cora, public" if program.in_cora else "public"))
            if not program.in_cora:
                datasets.load(cursor, program.program + (program.hand or ""))
            found = Measured(cursor, program)
            measured.append(found)
            print(found.line(), flush=True)
            for way in found.ways:
                out.writerow([program.name, way.name, way.cost, "%.0f" % (way.seconds * 1e6), way.stopped, way.result])
    summary(measured)
    return 0 if all(m.same for m in measured) else 1


def named(measured, value):
    """those of which a value is too much, the most first"""
    return ", ".join("%s (%.1f)" % (m.program.name, value(m)) for m in sorted(measured, key=value, reverse=True)) or "none"


def summary(measured):
    def over_none(m):
        """times that of the plan without algebra, of those that take long"""
        none = next((w for w in m.ways if w.name == "rewrite none"), m.chosen)
        return m.chosen.seconds / none.seconds if m.chosen.seconds >= 0.05 and not none.stopped else 0

    good = sum(m.ratio <= CLOSE for m in measured)
    worst = max(measured, key=lambda m: m.ratio)
    pairs = [pair for m in measured for pair in m.costed]
    errors = sorted(((error, m.program.name, *rest) for m in measured for error, *rest in m.stages), reverse=True)
    quotients = sorted(cost / 1e6 / seconds for cost, seconds in pairs)
    print("\nmore than %g x the best: %s" % (CLOSE, named([m for m in measured if m.ratio > CLOSE], lambda m: m.ratio)))
    print("of 50 ms or more, and more than %g x the time with rewrite => 'none': %s" % (
        CLOSE, named([m for m in measured if over_none(m) > CLOSE], over_none)))
    print("tuples more than 4 x off: %s" % ("; ".join(
        "%s of %s, %.3g for %.3g" % (stage, name, a, b) for error, name, stage, a, b in errors if error > 4) or "none"))
    print("cost over time: median %.2f, nine in ten between %.2f and %.2f" % (
        quotients[len(quotients) // 2], quotients[len(quotients) // 20], quotients[-1 - len(quotients) // 20]))
    print("over the limit: %d of %d ways; chosen plans: %d\n" % (
        sum(w.stopped for m in measured for w in m.ways), sum(len(m.ways) for m in measured), sum(m.chosen.stopped for m in measured)))
    for target in [
            Target("chosen plan within %g x of the best, %% of %d programs" % (CLOSE, len(measured)), 100 * good / len(measured), 95, False, "%"),
            Target("chosen plan over the best, worst: " + worst.program.name, worst.ratio, WORST, True),
            Target("rank correlation of cost and time, %d plans" % len(pairs), correlation(pairs), 0.9, False, ""),
            Target("tuples within 4 x of the estimate, %% of %d stages" % len(errors),
                   100 * sum(error <= 4 for error, *_ in errors) / len(errors) if errors else None, 99, False, "%")]:
        print(target.line())


if __name__ == "__main__":
    sys.exit(main())
