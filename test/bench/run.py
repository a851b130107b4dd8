"""The benchmark: the same computations in this extension and in what a user
would pick instead. `make bench` runs it; README.md says what is measured how.
"""

import os
import signal
import sys

import graph as graphs
import growth
import numpy as np
import planning
import report
from clock import Sample, timed
from systems import memory, scalar, sparseeinsum
from systems.duck import DuckDB
from systems.hyper import Hyper
from systems.postgres import PostgreSQL
from systems.sqlite import SQLite
from workloads import WORKLOADS, Memory

OUT = "build/bench"
RUNS = int(os.environ.get("BENCH_RUNS") or 5)
LIMIT = float(os.environ.get("BENCH_LIMIT") or 60)
FULL = float(os.environ.get("BENCH_FULL") or 10)
ROWS = (os.environ.get("BENCH_ROWS") or " ".join([w.name for w in WORKLOADS] + ["plan", "growth"])).replace(",", " ").split()
PEERS = (os.environ.get("BENCH_PEERS", "export PostgreSQL SQLite DuckDB Hyper")).replace(",", " ").split()
OURS, DEFAULTS, SCIPY = "sparseeinsum", "sparseeinsum with defaults", "scipy"
TOLERANCE = 1e-9


def say(text):
    print(text, flush=True)


def check_sum(got, want, magnitude):
    """equal up to the tolerance of the sum of absolute values"""
    got = 0.0 if got is None else float(got)
    if not abs(got - want) <= TOLERANCE * abs(magnitude):
        sys.exit("the checksum is %r, but numpy's %r" % (got, want))


def check_slice(got, want):
    values = want[2] if isinstance(want, tuple) else want
    check_sum(got, values.sum(), np.abs(values).sum())


def check_result(columns, arrays, want, scale):
    """every element of our result against numpy's"""
    if isinstance(want, tuple):
        got = {(i, j): v for i, j, v in zip(*(a.tolist() for a in arrays))}
        difference = max(abs(got.get((i, j), 0.0) - v) - TOLERANCE * s
                         for i, j, v, s in zip(*(a.tolist() for a in want), scale[2].tolist()))
        if difference > 0 or len(got) > len(want[0]):
            sys.exit("our result differs from numpy's")
        return
    got = arrays[0][0]
    if len(arrays) == 2:
        got = np.zeros_like(want)
        got[arrays[0]] = arrays[1]
    if not np.all(np.abs(got - want) <= TOLERANCE * scale):
        sys.exit("our result differs from numpy's")


class Benchmark:
    def __init__(self):
        self.graph, source = graphs.load()
        say("data: %s, %d nodes, %d edges, %d features" % (
            source, self.graph.nodes, len(self.graph.i), self.graph.x.shape[1]))
        self.memory = Memory(self.graph)
        self.cursor = sparseeinsum.connect("bench")
        self.cursor.execute("create extension sparseeinsum")
        self.cursor.execute("select * from einsum_version()")
        say("ours: sparseeinsum %s, PostgreSQL %s, %s, %s, core %s (%s)" % self.cursor.fetchone())
        for blas in memory.blas_libraries():
            say("numpy and scipy: %s" % blas)
        sparseeinsum.load(self.cursor, "bench", self.graph, [table for _, table, *_ in sparseeinsum.TENSORS])
        self.workloads = [w for w in WORKLOADS if w.name in ROWS]
        self.results, self.plans, self.growth = report.Results(), [], {}
        self.truths = {}

    def add(self, workload, system, threads, seconds, sample=None, how="", processor=None):
        self.results.append(report.Row(workload.name, workload.title, system, threads, seconds, sample, how, processor))

    def truth(self, workload):
        """numpy's results, and the sums of absolute terms of the last one"""
        if workload.memory not in self.truths:
            magnitudes = Memory.__new__(Memory)
            magnitudes.__dict__ = {name: abs(value) for name, value in self.memory.__dict__.items()}
            self.truths[workload.memory] = (workload.memory(self.memory), list(workload.memory(magnitudes).values())[-1])
        return self.truths[workload.memory]

    def quick(self, workload):
        """our views and numpy, run in turns"""
        results, scale = self.truth(workload)
        want = list(results.values())[-1]
        total = memory.checksum(want)
        serial = sparseeinsum.Views(self.cursor, workload, 0)
        serial.create()
        check_result(workload.columns, serial.result(), want, scale)
        systems = {(OURS, 1): serial}
        if 2 in workload.threads:
            systems[OURS, 2] = sparseeinsum.Views(self.cursor, workload, 1)
            systems[OURS, 2].query = serial.query
        systems[DEFAULTS, 3] = sparseeinsum.DefaultViews(self.cursor, workload, serial.query)
        systems[SCIPY, 1] = memory.InMemory(workload, self.memory)
        if workload.exports and "export" in PEERS:
            for threads in workload.threads:
                systems["export + scipy + import", threads] = memory.Exporting(workload, self.cursor, self.graph, threads)
        samples = {key: Sample() for key in systems}
        for run in range(RUNS + 1):
            for key, system in systems.items():
                if key[0] in (OURS, DEFAULTS):
                    system.configure()
                result, wall, cpu = timed(system.run, system.process)
                check_sum(result, total, memory.checksum(scale))
                if run > 0:
                    samples[key].add(wall, cpu)
        for (system, threads), sample in samples.items():
            how = ""
            if (system, threads) == (OURS, 2) and "Gather" not in systems[OURS, 2].explain("%s/%s-2.txt" % (OUT, workload.name)):
                how = "no worker planned"
            self.add(workload, system, threads, sample.median, sample, how)
        serial.explain("%s/%s-1.txt" % (OUT, workload.name))
        serial.drop()
        report.print_rows(report.Results(row for row in self.results if row.workload == workload.name))

    def scalar(self, make, threads, tables):
        """one database on all rows, in its own order of loading"""
        database = make(threads)
        try:
            for table, arrays in tables.items():
                database.create(table, arrays)
            for workload in self.workloads:
                if not set(threads) & set(workload.threads):
                    continue
                part = scalar.Slice(self.graph, workload.domain)
                run = scalar.Scalar(database, workload, part, self.truth(workload)[0], RUNS, LIMIT, FULL)
                for count, outcome in run.measure(check_slice, [t for t in threads if t in workload.threads]):
                    self.add(workload, database.name, count, outcome.seconds, outcome.sample, outcome.how, outcome.processor)
                    say("  %-34s %12.1f ms %s" % ("%s, %s, %d" % (workload.name, database.name, count),
                                                  outcome.seconds * 1e3, outcome.how))
        finally:
            database.close()

    def run(self):
        for workload in self.workloads:
            self.quick(workload)
        tables = scalar.base_tables(self.graph)
        read = {table for w in self.workloads for step in w.steps for table, _ in step.operands}
        tables = {name: arrays for name, arrays in tables.items() if name in read}
        for make, threads in ((PostgreSQL, (1, 2)), (SQLite, (1,)), (DuckDB, (1, 2)), (Hyper, (1,)), (Hyper, (2,))):
            if make.name in PEERS and any(set(threads) & set(w.threads) for w in self.workloads):
                say("\nscalar SQL on %s" % make.name)
                self.scalar(make, threads, tables)
        self.results.sort(key=lambda row: [w.name for w in WORKLOADS].index(row.workload))
        if "plan" in ROWS:
            say("measuring einsum_plan")
            self.plans = planning.measure(self.cursor, 5 * RUNS)
        if "growth" in ROWS:
            say("measuring edges x 10")
            self.growth = growth.measure(self.graph, max(1, RUNS // 2), check_sum)

    def report(self):
        report.print_rows(self.results)
        if self.plans:
            report.print_plans(self.plans)
        if self.growth:
            report.print_growth(self.growth)
        say("\ntargets, of medians of %d runs; cpu: of processor time, which other load disturbs less" % RUNS)
        for target in report.targets(self.results, self.plans, self.growth):
            say("  " + target.line())
        report.write_csv(OUT + "/bench.csv", self.results, self.plans, self.growth)
        report.write_chart(OUT + "/bench.svg", self.results)
        say("\nwritten: %s/bench.csv, bench.svg, and the plans of our queries as ROW-THREADS.txt" % OUT)


def main():
    os.makedirs(OUT, exist_ok=True)
    unknown = set(ROWS) - {w.name for w in WORKLOADS} - {"plan", "growth"}
    if unknown:
        sys.exit("no such rows: %s" % " ".join(unknown))
    benchmark = Benchmark()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        benchmark.run()
    except KeyboardInterrupt:
        say("\ninterrupted; what there is:")
    benchmark.report()


if __name__ == "__main__":
    main()
