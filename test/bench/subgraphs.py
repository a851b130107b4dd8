"""The query graphs of subgraph_hprd and subgraph_yeast, each one product of adjacency matrices and label vectors, beside DuckDB.

    make bench-subgraphs     SUBGRAPHS='word ...' (all of hprd and yeast; words of names), BENCH_RUNS (5), BENCH_LIMIT (20);
                             SPARSEEINSUM_DATASETS is the directory of data sets

Medians of BENCH_RUNS runs that take turns, of the processor, in ms:

    search    einsum_plan
    planning  EXPLAIN of the SQL that einsum_sql writes
    SQL       that SQL, from text to count
    all       einsum_value: from program to count
    DuckDB    in memory, with one thread, from the text of one flat join to count

What takes more than a second runs once, and what takes more than BENCH_LIMIT seconds is stopped and counts as that. Counts have to be as published.
"""

import math
import os
import statistics
import sys
import time

import duckdb
from clock import Limit, TooSlow, claim, serial_time
from psycopg2.errors import QueryCanceled

sys.path.insert(0, "test/real")
from _data import cursor_for  # noqa: E402
from query_graphs import Graphs  # noqa: E402

RUNS = int(os.environ.get("BENCH_RUNS") or 5)
LIMIT = float(os.environ.get("BENCH_LIMIT") or 20)
ASKED = os.environ.get("SUBGRAPHS", "").split()
SLOW = 1.0
MEMORY = 64 << 20


class Duck:
    """DuckDB with the tables of a data set"""

    def __init__(self, graphs):
        self.graphs, self.connection = graphs, duckdb.connect()
        self.connection.execute("set threads = 1")
        self.create("edge", "src int, dst int", graphs.rows("edges"))
        vertices = graphs.rows("vertices")
        for label in sorted({label for _, _, label in graphs.rows("query_vertices")}):
            self.create("label_" + label, "v int", [[v] for v, of in vertices if of == label])
        self.edges, self.labels = graphs.rows("query_edges"), graphs.rows("query_vertices")
        self.number = {name: query for query, name, *_ in graphs.rows("queries")}

    def create(self, table, columns, rows):
        self.connection.execute("create table %s (%s)" % (table, columns))
        if rows:
            self.connection.execute("insert into %s values %s" % (table, ", ".join("(%s)" % ", ".join(row) for row in rows)))

    def sql(self, name):
        """one flat join, as the product says it"""
        tables, columns = [], {}
        for query, *ends in self.edges:
            if query == self.number[name]:
                tables.append("edge e%d" % len(tables))
                for column, vertex in zip(("src", "dst"), ends):
                    columns.setdefault(vertex, []).append("%s.%s" % (tables[-1].split()[1], column))
        for query, vertex, label in self.labels:
            if query == self.number[name]:
                tables.append("label_%s l%s" % (label, vertex))
                columns.setdefault(vertex, []).append("l%s.v" % vertex)
        same = ["%s = %s" % (first, other) for first, *others in columns.values() for other in others]
        return "select count(*) from %s where %s" % (", ".join(tables), " and ".join(same))

    def count(self, sql):
        return self.connection.execute(sql).fetchone()[0]


class Way:
    """one way to a result: its processor times, and whether it was stopped"""

    def __init__(self, name, run, clock):
        self.name, self.run, self.clock = name, run, clock
        self.times, self.result = [], None

    def turn(self):
        if self.times and self.times[0] > SLOW:
            return
        claim(MEMORY)
        start = self.clock()
        try:
            self.result = self.run()
            self.times.append(self.clock() - start)
        except (QueryCanceled, TooSlow):
            self.times.append(LIMIT)

    @property
    def seconds(self):
        return statistics.median(self.times)


def ways(cursor, duck, name, program):
    backend = cursor.connection.info.backend_pid
    cursor.execute("select einsum_sql(%s)", (program,))
    sql, flat = cursor.fetchone()[0], duck.sql(name)

    def ask(query, *values):
        cursor.execute(query, values or None)
        return cursor.fetchone()[0]

    def beside():
        with Limit(LIMIT, duck.connection.interrupt):
            return duck.count(flat)

    ours = [("search", lambda: ask("select einsum_plan(%s)", program)), ("planning", lambda: ask("explain " + sql)),
            ("SQL", lambda: ask(sql)), ("all", lambda: float(ask("select einsum_value(%s)", program)))]
    return [Way(title, run, lambda: serial_time(backend)) for title, run in ours] + [Way("DuckDB", beside, time.process_time)]


def mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values)) if values else float("nan")


def asked(name):
    return not ASKED or any(word in name for word in ASKED)


def main():
    cursor = cursor_for("subgraph_hprd")
    cursor.execute("create extension if not exists sparseeinsum; set max_parallel_workers_per_gather = 0; set statement_timeout = '%ds'" % LIMIT)
    print("processor time in ms, medians of %d" % RUNS)
    right, found = True, {}
    for data in ("subgraph_hprd", "subgraph_yeast"):
        graphs = Graphs(data)
        graphs.load(cursor)
        duck = Duck(graphs)
        for name, program, count in graphs.queries():
            title = data.removeprefix("subgraph_") + name.removeprefix("query")
            if not asked(title):
                continue
            each = ways(cursor, duck, name, program)
            for _ in range(RUNS):
                for way in each:
                    way.turn()
            found[title] = {way.name: way.seconds for way in each}
            wrong = [way.name for way in each[2:] if way.result is not None and way.result != count]
            right = right and not wrong
            print("%-22s %s   x %.2f %.2f%s" % (
                title, "  ".join("%s %8.1f" % (way.name, way.seconds * 1e3) for way in each),
                each[-1].seconds / each[2].seconds, each[-1].seconds / each[3].seconds,
                "   WRONG: " + ", ".join(wrong) if wrong else ""), flush=True)
    print()
    for title, words in (("hprd", ["hprd"]), ("yeast", ["yeast"]), ("hprd, 8 vertices", ["hprd", "_8_"]),
                         ("yeast, 8 vertices", ["yeast", "_8_"]), ("8 vertices", ["_8_"]), ("all", [])):
        rows = [times for name, times in found.items() if all(word in name for word in words)]
        if rows:
            print("%-18s %s   times faster than DuckDB: SQL %.2f, all %.2f in geometric mean, %.2f, %.2f in sum; worst search %.0f ms" % (
                title, "  ".join("%s %.0f" % (way, 1e3 * sum(times[way] for times in rows)) for way in rows[0]),
                *[mean([times["DuckDB"] / times[way] for times in rows]) for way in ("SQL", "all")],
                *[sum(times["DuckDB"] for times in rows) / sum(times[way] for times in rows) for way in ("SQL", "all")],
                1e3 * max(times["search"] for times in rows)))
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
