"""What loop nests are to reach, beside numpy and scipy, and beside the same without the node.

    make bench-nest-targets   NEST_ROWS='word ...' (words of titles; all), BENCH_RUNS (5)

A row has several ways to compute one number, of which the first is ours; they take turns, and have to agree. Times are medians,
of the wall clock and of the processor; ratios are of our processor time to each other's, which other load disturbs less, but for
rows of several processes.
"""

import os
import statistics
import sys
import time

import datasets
import graph as graphs
import numpy as np
import planning
from algebra_work import Work
from clock import claim, serial_time
from queries import agree, call, first, scored
from systems import sparseeinsum
from workloads import WORKLOADS, Memory

sys.path.insert(0, "test/data")
import karate  # noqa: E402
from plan_programs import cora  # noqa: E402

RUNS = int(os.environ.get("BENCH_RUNS") or 5)
ASKED = os.environ.get("NEST_ROWS", "").split()
MEMORY = 256 << 20
# what takes less runs ten times as often
SHORT = 0.05
TIMES = 10


class Way:
    """one way: what is done before the clock starts, what gives the number, and the process that works"""

    def __init__(self, name, run, before=None, process=None):
        self.name, self.run, self.before, self.process = name, run, before, process or os.getpid()
        self.wall, self.cpu, self.result = [], [], None

    def turn(self, memory):
        if self.before:
            self.before()
        claim(memory)
        cpu, wall = serial_time(self.process), time.perf_counter()
        self.result = self.run()
        self.wall.append(time.perf_counter() - wall)
        self.cpu.append(serial_time(self.process) - cpu)

    def median(self):
        return statistics.median(self.wall[1:]), statistics.median(self.cpu[1:])


class Bench:
    def __init__(self):
        self.cursor = datasets.connect()
        self.process = self.cursor.connection.info.backend_pid
        self.graph, self.arrays, self.views = None, {}, 0
        self.agreed = True

    def asked(self, title):
        return not ASKED or any(word in title for word in ASKED)

    # ways of ours

    def sql(self, name, query, node="on", work_mem="64MB", schema="public", cache_size="256MB", workers=0):
        def settings():
            self.cursor.execute("set search_path = %s, public; set work_mem = '%s'; set sparseeinsum.cache_size = '%s'; set jit = off; "
                                "set sparseeinsum.enable_aggregate_join = %s; set max_parallel_workers_per_gather = %d" % (
                                    schema, work_mem, cache_size, node, workers))

        return Way(name, lambda: first(self.cursor, query), settings, self.process)

    def with_and_without(self, query, **options):
        return [self.sql("ours", query, **options), self.sql("node off", query, node="off", **options)]

    def view(self, workload, schema):
        """a query of the sum of a program's result"""
        views = sparseeinsum.Views(self.cursor, workload, 0)
        self.views += 1
        self.cursor.execute("set search_path = %s, public; set sparseeinsum.enable_aggregate_join = on" % schema)
        views.create("views_%d" % self.views)
        return views.query

    def program(self, text, schema="public"):
        self.cursor.execute("set search_path = %s, public; set sparseeinsum.enable_aggregate_join = on; set work_mem = '64MB'" % schema)
        datasets.load(self.cursor, text)
        return scored(self.cursor, call(self.cursor, "einsum_sql", text))

    # rows

    def row(self, title, target, ways, memory=MEMORY, clock=1):
        ways[0].turn(memory)
        for way in ways[1:]:
            way.turn(memory)
        runs = RUNS if max(way.wall[0] for way in ways) > SHORT else TIMES * RUNS
        for _ in range(runs):
            for way in ways:
                way.turn(memory)
        same = agree([float(way.result) for way in ways if not isinstance(way.result, str)])
        self.agreed = self.agreed and same
        ours = ways[0].median()[clock]
        print("%s%s\n    to reach: %s" % (title, "" if same else "  RESULTS DIFFER: %r" % [w.result for w in ways], target))
        for way in ways:
            wall, cpu = way.median()
            print("    %-26s %10.1f ms %10.1f ms of the processor %s" % (
                way.name, wall * 1e3, cpu * 1e3, "" if way is ways[0] else "  ours takes %.2f x" % (ours / way.median()[clock])), flush=True)

    def load_graph(self):
        if self.graph is None:
            self.graph, source = graphs.load()
            print("graph: %s" % source, flush=True)
            self.cursor.execute("set search_path = bench, public")
            sparseeinsum.load(self.cursor, "bench", self.graph, [table for _, table, *_ in sparseeinsum.TENSORS])
            self.memory = Memory(self.graph)

    def workload(self, name, title, target, off=True):
        if not self.asked(title):
            return
        self.load_graph()
        workload = next(w for w in WORKLOADS if w.name == name)
        query = self.view(workload, "bench")
        ways = self.with_and_without(query, schema="bench", work_mem=workload.work_mem, cache_size=workload.cache_size)
        peer = Way("numpy and scipy", lambda: total(workload.memory(self.memory)))
        self.row(title, target, [ways[0], peer] + (ways[1:] if off else []), 512 << 20)

    def one_worker(self, name, title):
        title += ", one worker"
        if not self.asked(title):
            return
        self.load_graph()
        workload = next(w for w in WORKLOADS if w.name == name)
        query = self.view(workload, "bench")
        options = dict(schema="bench", work_mem=workload.work_mem, cache_size=workload.cache_size)
        self.row(title, "1 / 1.3 of the serial time, by the wall clock",
                 [self.sql("one worker and the leader", query, workers=1, **options), self.sql("serial", query, **options)], 512 << 20, clock=0)

    def growth(self):
        title = "nodes and edges x 10"
        if not self.asked(title):
            return
        self.load_graph()
        workload = next(w for w in WORKLOADS if w.name == "product")
        large = graphs.enlarge(self.graph, TIMES)
        self.cursor.execute("set search_path = large, public")
        sparseeinsum.load(self.cursor, "large", large, ("edge", "node"), measure=False)
        memory = Memory(large)
        tenth = self.sql("ours on the tenth", self.view(workload, "bench"), schema="bench", cache_size="1GB")
        # another number
        tenth.run = lambda run=tenth.run: str(run())
        self.row(title, "11 x the time, 1.3 x scipy", [
            self.sql("ours", self.view(workload, "large"), schema="large", cache_size="1GB"),
            Way("scipy", lambda: total(workload.memory(memory))), tenth], 3 << 30)

    def adjacency(self, name):
        """an unweighted graph as scipy's matrix"""
        import scipy.sparse
        if name not in self.arrays:
            nodes = datasets.TENSORS[name].nodes
            self.cursor.execute("select array_agg(i), array_agg(j) from public." + name)
            i, j = self.cursor.fetchone()
            self.arrays[name] = scipy.sparse.csr_matrix((np.ones(len(i)), (i, j)), shape=(nodes, nodes))
        return self.arrays[name]

    def triangles(self, name):
        title = "triangles of " + name
        if not self.asked(title):
            return
        query = self.program("s[] = sum[I,J,K] %s[I,J] * %s[J,K] * %s[I,K]" % (name, name, name))
        a = self.adjacency(name)
        self.row(title, "0.5 x scipy", [self.sql("ours", query), Way("scipy", lambda: float((a @ a).multiply(a).sum()))])

    def square(self):
        title = "square of wiki, all promoted"
        if not self.asked(title):
            return
        query = self.program("c[I,K] = sum[J] wiki[I,J] * wiki[J,K]")
        a = self.adjacency("wiki")
        ours, off = self.with_and_without(query)
        self.row(title, "3 x scipy, a quarter of the time without", [ours, Way("scipy", lambda: float((a @ a).sum())), off])

    def quadratic_forms(self):
        title = "sum of quadratic forms of tags"
        if not self.asked(title):
            return
        query = self.program("q[J] = 2 * tags[i,j] * tags[i,k] * tags_x[k]")
        count = self.sql("count(value)", "select count(value) from tags")
        count.run = lambda: str(first(self.cursor, "select count(value) from tags"))
        self.row(title, "3 x count(value)", [self.sql("ours", query), count])

    def small(self):
        title = "a table of 100 rows"
        if self.asked(title):
            self.row(title, "1.1 x the time without", self.with_and_without(self.program("y[I] = small[i,j] * small_w[j]")), 0)
        title = "karate club"
        if self.asked(title):
            karate.load(self.cursor)
            query = self.program(cora.NETWORK % (karate.N, karate.N), "karate")
            self.row(title, "1.1 x the time without", self.with_and_without(query, schema="karate"), 0)

    def irregular(self):
        title = "one irregular value at the end"
        if not self.asked(title):
            return
        self.load_graph()
        self.cursor.execute("set search_path = bench, public; create table irregular as select i, j, val from edge; "
                            "insert into irregular values (0, 0, null)")
        self.cursor.execute("vacuum analyze irregular")
        query = scored(self.cursor, "select e.i, einsum_sum(',a->a', e.val, n.val) from irregular e join node n on n.i = e.j group by e.i")
        self.row(title, "1.5 x the time without", self.with_and_without(query, schema="bench"))

    def planned(self):
        title = "planning the view of the convolution"
        if self.asked(title):
            self.load_graph()
            query = self.view(next(w for w in WORKLOADS if w.name == "convolution"), "bench")
            ways = self.with_and_without("explain " + query, schema="bench")
            self.row(title, "0.3 ms more than without", ways, 0)
        title = "einsum_plan"
        if self.asked(title):
            self.load_graph()
            self.cursor.execute("set search_path = bench, public; set sparseeinsum.enable_aggregate_join = on")
            print("einsum_plan of the paper's programs\n    to reach: under 20 ms")
            for name, seconds, error in planning.measure(self.cursor, RUNS):
                print("    %-36s %s" % (name, error or "%.1f ms" % (seconds * 1e3)), flush=True)

    def run(self):
        self.workload("product", "adjacency times features, 64 MB", "1.1 x scipy")
        self.workload("product_4MB", "adjacency times features, 4 MB", "1.25 x scipy")
        self.workload("convolution", "two-layer convolution", "1.6 x numpy and scipy, 0.65 x the time without")
        self.workload("attention", "sparse attention, keys of 1,024", "1.1 x numpy's gathered product")
        for name, title in [("product", "adjacency times features"), ("convolution", "two-layer convolution"), ("attention", "sparse attention")]:
            self.one_worker(name, title)
        self.growth()
        for name in ("wiki", "facebook", "twitter"):
            self.triangles(name)
        self.square()
        self.quadratic_forms()
        self.small()
        self.irregular()
        self.planned()


def total(results):
    """the sum of the last of numpy's results"""
    last = list(results.values())[-1]
    return float((last[2] if isinstance(last, tuple) else last).sum())


def main():
    if not datasets.available():
        sys.exit("bench-nest-targets needs SPARSEEINSUM_DATASETS, the directory of the data sets")
    bench = Bench()
    bench.run()
    return 0 if bench.agreed else 1


if __name__ == "__main__":
    sys.exit(main())
