"""The tables of the SparseEinSum paper on this machine. `make bench-paper` runs it; README.md says what is measured how.

Every cell that is measured goes into build/bench/paper.json (paper-short.json) at once, and is not measured again unless
versions or limits are others, or RESTART=1 is given. The report is written from that file: docs/benchmarks.md and its charts, or build/bench/paper-short.md.
"""

import json
import os
import platform
import signal
import sqlite3
import statistics
import sys
import time

import duckdb
import graph as graphs
import numpy as np
import paper_report
import psycopg2
import queries
import scipy
import tableauhyperapi
from paper_work import CIRCUITS, DATA_SETS, PERTURBED, SHAPES, WORKLOADS, read
from run import check_result, check_slice, check_sum, say
from systems import memory, scalar, sparseeinsum
from systems.duck import DuckDB
from systems.hyper import Hyper
from systems.postgres import PostgreSQL
from systems.sqlite import SQLite
from workloads import Memory

sys.path[:0] = ["examples", "test/data"]
import circuits  # noqa: E402
import qasm  # noqa: E402

SHORT = bool(os.environ.get("SHORT"))
RUNS = int(os.environ.get("BENCH_RUNS") or (1 if SHORT else 3))
# of the plans that are compared with each other
PLAN_RUNS = int(os.environ.get("PAPER_RUNS") or RUNS)
LIMIT = float(os.environ.get("BENCH_LIMIT") or (10 if SHORT else 120))
# the chosen plans may take longer, since they have to end on every data set
CHOSEN_LIMIT = float(os.environ.get("PAPER_LIMIT") or (30 if SHORT else 600))
FULL = float(os.environ.get("BENCH_FULL") or (3 if SHORT else 30))
TABLES = (os.environ.get("PAPER") or "4 5 6 9 10 11 12").split()
PEERS = (os.environ.get("PAPER_PEERS", "PostgreSQL SQLite DuckDB Hyper")).split()
CHOSEN = ["Cora", "C. CiteSeer"] if SHORT else list(DATA_SETS)
SEEDS = range(1, 4 if SHORT else 11)
PERTURBED_ON = "C. CiteSeer" if SHORT else "A. Photo"
STATE = "build/bench/paper%s.json" % ("-short" if SHORT else "")
# results with more elements are compared by their sum and on one row in EVERY
LARGE, EVERY = 3e7, 97


def machine():
    with open("/proc/cpuinfo") as file:
        models = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    with open("/proc/meminfo") as file:
        kilobytes = int(file.readline().split()[1])
    return "%s, %d cores, %.0f GB of memory" % (models[0] if models else platform.machine(), os.cpu_count(), kilobytes / 2**20)


class State:
    """what has been measured: a JSON object for each cell"""

    def __init__(self):
        self.cells = {}
        if os.path.exists(STATE) and not os.environ.get("RESTART"):
            with open(STATE) as file:
                self.cells = json.load(file)

    def begin(self, about):
        """what was measured of other versions or with other limits does not count"""
        if {**self.cells.get("about", about), **about} != self.cells.get("about", about):
            self.cells = {}
        self.cells["about"] = about

    def __contains__(self, key):
        return " | ".join(key) in self.cells

    def get(self, *key):
        return self.cells.get(" | ".join(key))

    def put(self, key, **what):
        self.cells[" | ".join(key)] = dict(what, load=os.getloadavg()[0])
        self.save()

    def save(self):
        with open(STATE + ".new", "w") as file:
            json.dump(self.cells, file, indent=1)
        os.replace(STATE + ".new", STATE)


class Paper:
    def __init__(self):
        self.state = State()
        self.cursor = sparseeinsum.connect("bench")
        self.cursor.execute("create extension sparseeinsum")
        self.process = self.cursor.connection.info.backend_pid
        self.loaded = self.graph = None
        self.truths = {}
        self.cursor.execute("select extension_version, current_setting('server_version') from (select extversion from pg_extension where "
                            "extname = 'sparseeinsum') e(extension_version)")
        ours, server = self.cursor.fetchone()
        self.state.begin(dict(
            machine=machine(), short=SHORT, runs=RUNS, plan_runs=PLAN_RUNS, limit=LIMIT, seeds=len(SEEDS), perturbed_on=PERTURBED_ON, versions=dict(
                sparseeinsum=ours, PostgreSQL=server.split()[0], SQLite=sqlite3.sqlite_version, DuckDB=duckdb.__version__,
                Hyper=tableauhyperapi.__version__, numpy=np.__version__, scipy=scipy.__version__)))

    # data

    def load(self, data_set):
        """our tables of a data set, with how long they take to load and to analyze"""
        if self.loaded == data_set:
            return
        self.graph, self.truths = read(data_set), {}
        self.memory = Memory(self.graph)
        self.cursor.execute("drop schema if exists bench cascade")
        start = time.perf_counter()
        sparseeinsum.load(self.cursor, "bench", self.graph, ["edge", "link", "node", "w1", "wq", "wk"], measure=False)
        # the features once more, those that are not 0
        node, feature = np.nonzero(self.graph.x)
        self.cursor.execute("create table entry (i int, j int, val float8 not null, primary key (i, j))")
        sparseeinsum.copy_binary.copy_in(self.cursor, "entry", ["int", "int", "float"],
                                         [node, feature, self.graph.x[node, feature]])
        self.cursor.execute("vacuum analyze entry")
        self.cursor.execute("select einsum_register('x[I,K]', 'entry', '{i,j}', 'val', %s::int[], storage => 'further')",
                            (list(self.graph.x.shape),))
        loading = time.perf_counter() - start
        start = time.perf_counter()
        self.cursor.execute("select count(*) from einsum_analyze()")
        if ("load", data_set) not in self.state:
            self.state.put(("load", data_set), loading=loading, statistics=time.perf_counter() - start)
        self.loaded = data_set

    def truth(self, workload):
        """numpy's results, and the sums of absolute terms of the last one"""
        if workload.name not in self.truths:
            results = workload.memory(self.memory)
            magnitudes = Memory.__new__(Memory)
            magnitudes.__dict__ = {name: abs(value) for name, value in self.memory.__dict__.items()}
            self.truths = {workload.name: (results, list(workload.memory(magnitudes).values())[-1])}
        return self.truths[workload.name]

    # our cells

    def ours(self, key, data_set, workload, settings="", **options):
        """plans, runs and checks one plan of ours"""
        if key in self.state:
            return
        self.load(data_set)
        sparseeinsum.configure(self.cursor, workload.work_mem, workload.cache_size, 0)
        names = [line.split("=")[0].strip() for line in settings.split(";") if line.strip()]
        for line in filter(str.strip, settings.split(";")):
            self.cursor.execute("set sparseeinsum." + line.strip())
        try:
            start = time.perf_counter()
            sql = queries.call(self.cursor, "einsum_sql", workload.program, **options)
            planning = time.perf_counter() - start
            notations = self.notations(workload, options)
        except psycopg2.Error as problem:
            self.state.put(key, error=str(problem).split("\n")[0])
            return
        finally:
            for name in names:
                self.cursor.execute("reset sparseeinsum." + name)
        way = queries.way(self.cursor, " ".join(key), sql)
        limit = CHOSEN_LIMIT if key[0] == "ours" and key[-1] == "1" else LIMIT
        for _ in range(PLAN_RUNS if key[0] in ("ours", "greedy") else RUNS):
            way.run(limit, 512 << 20)
        if way.stopped:
            self.state.put(key, seconds=limit, how="more", planning=planning, notations=notations)
        else:
            results, scale = self.truth(workload)
            want = list(results.values())[-1]
            check_sum(way.result, memory.checksum(want), memory.checksum(scale))
            if key[-1] == "1":
                self.check_elements(workload, sql, want, scale)
            self.state.put(key, seconds=way.sample.median, processor=min(way.sample.cpu), planning=planning, notations=notations)
        self.show(key)

    def notations(self, workload, options):
        lines = queries.call(self.cursor, "einsum_plan", workload.program, **options).split("\n")[1:]
        return [line.split("(cost")[0].strip() if line.startswith("  ") and not line.startswith("   ") else line.rstrip() for line in lines]

    def check_elements(self, workload, sql, want, scale):
        columns = workload.columns(self.graph.nodes)
        if isinstance(want, tuple) or want.size <= LARGE:
            arrays = sparseeinsum.copy_binary.copy_out(self.cursor, sql, columns)
            check_result(columns, arrays, want, scale)
            return
        arrays = sparseeinsum.copy_binary.copy_out(self.cursor, "select * from (%s) r where i %% %d = 0" % (sql, EVERY), columns)
        order = np.argsort(arrays[0])
        check_result(columns, [np.arange(len(order)), arrays[1][order]], want[::EVERY], scale[::EVERY])

    def show(self, key):
        cell = self.state.get(*key)
        say("%-44s %s" % (" | ".join(key), cell.get("error") or "%.3f s %s" % (cell["seconds"], cell.get("how", ""))))

    def circuit(self, name):
        for form in "layers", "gates":
            keys = [("circuit", name, form, str(n)) for n in (1, 2, 3)]
            if all(key in self.state for key in keys):
                continue
            file = os.path.join(graphs.folder("qasmbench"), name + ".qasm")
            with open(file) as text:
                # what was measured in the middle is not changed later: the branches add up to the state
                want = sum(state for _, _, state in qasm.Branches(text.read()).branches).ravel()
            start = time.perf_counter()
            simulation = circuits.Simulation(self.cursor, circuits.read(file), form)
            loading = time.perf_counter() - start
            for n, key in enumerate(keys, 1):
                times = []
                for _ in range(max(RUNS, 3)):
                    start = time.perf_counter()
                    amplitudes = np.array(simulation.amplitudes(alternative=n))
                    times.append(time.perf_counter() - start)
                if np.abs(amplitudes - want).max() > 1e-10:
                    sys.exit("the amplitudes of %s differ from numpy's" % name)
                self.state.put(key, seconds=statistics.median(times), loading=loading)
                self.show(key)
            self.cursor.execute("drop schema circuit cascade; set search_path = bench, public; reset sparseeinsum.search_budget; "
                                "reset sparseeinsum.rewrite_budget")

    def computations(self):
        return ([WORKLOADS["sparse"], WORKLOADS["dense"]] if {"5", "9", "10"} & set(TABLES) else []) + \
            ([WORKLOADS["layer"]] if {"6", "12"} & set(TABLES) else [])

    def our_cells(self):
        if "4" in TABLES:
            for name in CIRCUITS:
                self.circuit(name)
        for data_set in CHOSEN:
            for workload in self.computations():
                for n in "1", "2", "3":
                    self.ours(("ours", workload.name, data_set, n), data_set, workload, alternative=int(n))
                if "9" in TABLES and workload.name != "layer":
                    self.ours(("greedy", workload.name, data_set), data_set, workload, search="greedy")
            if "12" in TABLES:
                for shape, value in SHAPES.items():
                    for seed in SEEDS:
                        self.ours(("noise", shape, data_set, str(seed)), data_set, WORKLOADS["layer"],
                                  "noise_shape = %r; noise_seed = %d" % (value, seed))
        if "11" in TABLES:
            for parameter, (settings, *_) in PERTURBED.items():
                for times in 0.1, 10:
                    self.ours(("perturbed", parameter, str(times)), PERTURBED_ON, WORKLOADS["sparse"],
                              "; ".join("%s = %r" % (name, self.default(name) * times) for name in settings))

    def default(self, setting):
        self.cursor.execute("select boot_val::float8 from pg_settings where name = %s", ("sparseeinsum." + setting,))
        return self.cursor.fetchone()[0]

    # the others

    def peer_cells(self):
        """the dense attention last: it is what takes the peers longest"""
        for data_set in CHOSEN:
            for make in (DuckDB, Hyper, PostgreSQL, SQLite):
                missing = [w for w in sorted(self.computations(), key=lambda w: w.name == "dense")
                           if (make.name, w.name, data_set) not in self.state]
                if make.name not in PEERS or not missing:
                    continue
                self.load(data_set)
                database = make((1,))
                try:
                    read = {table for w in missing for step in w.steps for table, _ in step.operands}
                    for table, arrays in scalar.base_tables(self.graph).items():
                        if table in read:
                            database.create(table, arrays)
                    for workload in missing:
                        part = scalar.Slice(self.graph, workload.domain)
                        run = scalar.Scalar(database, workload, part, self.truth(workload)[0], RUNS, LIMIT, FULL)
                        for _, outcome in run.measure(check_slice, [1]):
                            key = make.name, workload.name, data_set
                            how = "more" if outcome.how.startswith("more") else "slice" if outcome.how else ""
                            self.state.put(key, seconds=outcome.seconds, how=how)
                            self.show(key)
                finally:
                    database.close()
                    if make is PostgreSQL:
                        self.loaded = None

    def run(self):
        self.our_cells()
        if {"5", "6"} & set(TABLES):
            self.peer_cells()


def main():
    os.makedirs("build/bench", exist_ok=True)
    paper = Paper()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        paper.run()
    except KeyboardInterrupt:
        say("\ninterrupted; the same command continues from here")
    except psycopg2.errors.QueryCanceled:
        say("\ncancelled; the same command continues from here")
    report = paper_report.Report(paper.state, CHOSEN)
    text = report.text()
    say(text)
    target = "build/bench/paper-short.md" if SHORT else "docs/benchmarks.md"
    with open(target, "w") as file:
        file.write(text)
    for name in WORKLOADS:
        report.chart("build/bench/paper-short-%s.svg" % name if SHORT else "docs/benchmarks-%s.svg" % name, name)
    say("\nwritten: " + target)


if __name__ == "__main__":
    main()
