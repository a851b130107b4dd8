"""Databases that run the scalar SQL: what they have in common.

A database has `create(table, arrays)`, which stores a tensor as a table of
coordinates i, j and val, and `drop(table)`; `configure(workload, threads)`;
`query(sql, seconds)`, which returns the first column of the first row or raises
TooSlow; `close()`; and `process`, which runs the queries, or None where that is
not known.
"""

import numpy as np
import scalar_sql
from clock import Sample, TooSlow, timed


def entries(result):
    """coordinates and values of a dense matrix or a sparse result"""
    if isinstance(result, tuple):
        return result
    i, j = np.indices(result.shape, dtype=np.int32)
    return i.ravel(), j.ravel(), result.ravel()


def base_tables(graph):
    """what the scalar steps read: only the features that are not 0"""
    node, feature = np.nonzero(graph.x)
    return {
        "edge": (graph.i, graph.j, graph.value),
        "link": (graph.link_i, graph.link_j, graph.link_value),
        "feature": (node.astype(np.int32), feature.astype(np.int32), graph.x[node, feature]),
        "w1_val": entries(graph.w1), "w2_val": entries(graph.w2),
        "wq_val": entries(graph.wq), "wk_val": entries(graph.wk),
        "hidden_val": entries(graph.hidden)}


class Slice:
    """A twentieth of the indices of a domain, in one range, whose share of the
    edges and of the features is at least 5 % and nearest to it."""

    PARTS = 20

    def __init__(self, graph, domain):
        size, self.weights = self.domain(graph, domain)
        length = -(-size // self.PARTS)
        starts = np.arange(0, size - length + 1, max(1, length // 64))
        shares = np.array([(np.cumsum(w)[starts + length - 1] - np.cumsum(w)[starts] + w[starts]) / w.sum()
                           for w in self.weights])
        excess = np.where(shares.min(axis=0) >= 1 / self.PARTS, shares.max(axis=0), np.inf)
        best = excess.argmin() if np.isfinite(excess.min()) else shares.min(axis=0).argmax()
        self.low, self.high = int(starts[best]), int(starts[best] + length)
        self.share = length / size

    @staticmethod
    def domain(graph, domain):
        if domain == "features":
            return graph.x.shape[1], [graph.x.sum(axis=0)]
        return graph.nodes, [np.bincount(graph.i, minlength=graph.nodes), graph.x.sum(axis=1)]

    @property
    def window(self):
        return self.low, self.high

    def part(self, result):
        """the slice of a result"""
        if isinstance(result, tuple):
            inside = (result[0] >= self.low) & (result[0] < self.high)
            return tuple(a[inside] for a in result)
        return result[self.low:self.high]


class Outcome:
    """how a database did on a row: the sample, the share of the rows that it is
    of, and how that came about; seconds, and processor seconds if they are known,
    are for all rows"""

    def __init__(self, sample, share=1, how="", least=None):
        self.sample, self.how = sample, how
        self.seconds = (sample.median if sample else least) / share
        self.processor = sample.processor / share if sample and sample.processor else None


class Scalar:
    """one database on one row. Each unit of steps is first run on a slice of its
    output rows, from complete inputs, those that other units compute being given;
    where that foretells less than `full` seconds, the whole program is run in one
    query, else the slices again."""

    def __init__(self, database, workload, slice, truth, runs, limit, full):
        self.database, self.workload, self.slice, self.truth = database, workload, slice, truth
        self.runs, self.limit, self.full = runs, limit, full

    def give(self):
        """the tables that the units' slices read and other units compute"""
        produced = {step.name for step in self.workload.steps}
        inner = {step.name for unit in self.workload.units for step in unit[:-1]}
        sources = {}
        for unit in self.workload.units:
            for step in unit:
                for table, labels in step.operands:
                    if table in produced - inner:
                        # joined on the sliced label itself: only those rows can be asked for
                        sources.setdefault(table, []).append(labels[0] == step.labels[0])
        for table, only_slice in sources.items():
            result = self.truth[table]
            self.database.create(table, entries(result) if not all(only_slice) else self.sliced(result))
        return list(sources)

    def sliced(self, result):
        if isinstance(result, tuple):
            return self.slice.part(result)
        i, j, value = entries(result[self.slice.low:self.slice.high])
        return i + np.int32(self.slice.low), j, value

    def measure(self, check, threads):
        """a number of threads and the outcome, for each"""
        given = self.give()
        try:
            for count in threads:
                self.database.configure(self.workload, count)
                self.process = self.database.process if count == 1 else None
                yield count, self.run(check)
        finally:
            for table in given:
                self.database.drop(table)

    def run(self, check):
        sample, spent = Sample(), 0.0
        share = self.slice.share
        try:
            total, cpu = self.slices(check)
            sample.add(total, cpu)
            spent += total
            if total / share <= self.full:
                return self.whole(check)
            while len(sample.wall) < self.runs and spent + total < self.limit / 2:
                total, cpu = self.slices(check)
                sample.add(total, cpu)
                spent += total
        except TooSlow as reason:
            if not sample.wall:
                return Outcome(None, share, "more, stopped in a slice of %.1f %%" % (100 * share), reason.args[0])
        return Outcome(sample, share, "from a slice of %.1f %% of the rows" % (100 * share))

    def slices(self, check):
        """seconds and processor seconds of all units on the slice"""
        seconds, processor = 0.0, 0.0
        for unit in self.workload.units:
            query = scalar_sql.checksum(unit, self.slice.window)
            try:
                result, wall, cpu = timed(lambda: self.database.query(query, self.limit), self.process)
            except TooSlow:
                raise TooSlow(seconds + self.limit)
            seconds += wall
            processor = None if cpu is None else processor + cpu
            want = self.slice.part(self.truth[unit[-1].name])
            check(result, want)
        return seconds, processor

    def whole(self, check):
        query = scalar_sql.checksum(self.workload.steps)
        sample = Sample()
        for _ in range(self.runs):
            result, wall, cpu = timed(lambda: self.database.query(query, max(self.limit, 10 * self.full)), self.process)
            check(result, self.truth[self.workload.steps[-1].name])
            sample.add(wall, cpu)
        return Outcome(sample)
