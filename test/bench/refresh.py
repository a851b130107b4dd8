"""Refreshing results: einsum_refresh, which writes what differs, beside whole => true, which writes all rows.

    make bench-refresh [BENCH_PARTS="written added now"]

Processor time of the server process, the median of BENCH_RUNS (5) runs, or of as many as fit into 1 s; and the rows written. Both
compute the whole result, so that the ratio shows what writing costs. Then the same changes of tables that keep logs, below results of
materialize => 'incremental': what a refresh takes over one of materialize => 'always'. Each run undoes its change by a rollback. At last,
with 100 rows pending, reading the view that is current between refreshes at a key and as a whole, beside the views of the same program.
Programs on data sets are among both, if SPARSEEINSUM_DATASETS has them.
"""

import os
import statistics

import psycopg2

import datasets
import ratings
from clock import serial_time

RUNS = int(os.environ.get("BENCH_RUNS", 5))
PARTS = os.environ.get("BENCH_PARTS", "written added now").split()
USERS, ITEMS, RATINGS = 2000, 1200, 60000

# further runs are not made
MOST_SECONDS = 1


def median_of_runs(run):
    """the median of what run() returns, seconds, without that of the first call"""
    run()
    seconds = [run()]
    while len(seconds) < RUNS and sum(seconds) < MOST_SECONDS:
        seconds.append(run())
    return statistics.median(seconds)


DEGREES, VECTORS, PAIRS = "degree[U] = sum[i] r[u,i]", "mean[U,k] = sum[i] r[u,i]*t[i,k]", "pairs[I,K] = sum[u] r[u,i]*r[u,k]"
WRITTEN = {"nothing": "SELECT", "1 row": "UPDATE rating SET v = v + 1 WHERE (u, i) = (SELECT u, i FROM rating ORDER BY u DESC, i DESC LIMIT 1)",
           "1 %": "UPDATE rating SET v = v + 1 WHERE u % 100 = 1", "all rows": "UPDATE rating SET v = v + 1"}


def refresh(cursor, process, change, options):
    """(seconds, kinds, rows written)"""
    cursor.execute("BEGIN")
    cursor.execute(change)
    start = serial_time(process)
    cursor.execute("SELECT string_agg(DISTINCT how, ' '), sum(written) FROM einsum_refresh('p', %s)" % options)
    how, written = cursor.fetchone()
    seconds = serial_time(process) - start
    cursor.execute("ROLLBACK")
    cursor.execute("VACUUM")
    return seconds, how, written


def compare_written(cursor, process):
    """Prints what refreshes take that write what differs, over those that write all rows."""
    print("%-14s %-9s %10s %10s %6s %14s" % ("program", "change", "refresh", "whole", "ratio", "rows written"))
    for name, program in {"degrees": DEGREES, "vectors": VECTORS, "co-occurrence": PAIRS}.items():
        cursor.execute("SELECT count(*) FROM einsum_decompose(%s, 'p', materialize => 'always', replace => true)", (program,))
        for change, statement in WRITTEN.items():
            rows = {}

            def run(whole):
                seconds, _, rows[whole] = refresh(cursor, process, statement, "whole => %s" % whole)
                return seconds

            least, most = median_of_runs(lambda: run(False)), median_of_runs(lambda: run(True))
            print("%-14s %-9s %8.1fms %8.1fms %6.2f %14s" % (name, change, least * 1000, most * 1000, least / most, "%d/%d" % (rows[False], rows[True])), flush=True)


FEW = "ORDER BY hashint4(%s * 10000 + %s) LIMIT %s"


def fewer_edges(graph):
    return lambda count: "DELETE FROM %s WHERE (i, j) IN (SELECT i, j FROM %s %s)" % (graph, graph, FEW % ("i", "j", count))


def other_ratings(count):
    return "UPDATE rated SET value = value + 1 WHERE (u, i) IN (SELECT u, i FROM rated " + FEW % ("u", "i", count) + ")"


LAYERS = "{0}h[I,k] = sum[j] computers[i,j]*computers_x[j,k]; {0}z[I,k] = sum[j] computers[i,j]*{0}h[j,k]"
# name: program, table that changes, the change of a number of its rows, data sets
ADDED = {"degrees": (DEGREES, "rating", ratings.change, ""), "vectors": (VECTORS, "rating", ratings.change, ""),
         "co-occurrence": (PAIRS, "rating", ratings.change, ""), "weighted sums": ("score[U] = sum[i] r[u,i]*w[i]", "rating", ratings.change, ""),
         "two results": ("d[U] = sum[i] r[u,i]; s[I] = sum[u] r[u,i]*d[u]", "rating", ratings.change, ""),
         "amazon degrees": ("d[I] = sum[j] computers[i,j]", "computers", fewer_edges("computers"), "computers"),
         "amazon sums": ("s[I] = sum[j] computers[i,j]*computers_y[j]", "computers", fewer_edges("computers"), "computers computers_y"),
         "amazon layers": (LAYERS.format(""), "computers", fewer_edges("computers"), "computers computers_x"),
         "triangles": ("n[I] = sum[j,k] facebook[i,j]*facebook[j,k]*facebook[k,i]", "facebook", fewer_edges("facebook"), "facebook"),
         "movielens": ("pairs[U,V] = sum[i] rated[u,i]*rated[v,i]", "rated", other_ratings, "rated")}


def compare_added(cursor, process):
    """Prints what refreshes take that may add what has changed, over those that compute."""
    print("%-14s %-9s %10s %10s %6s  %s" % ("program", "changed", "added", "computed", "ratio", "how"))
    for name, (program, table, change, names) in ADDED.items():
        if names and not datasets.available():
            continue
        load(cursor, names)
        cursor.execute("SELECT count(*) FROM " + table)
        rows = cursor.fetchone()[0]
        sizes = {"1 row": 1, "100": 100, "1 %": rows // 100, "10 %": rows // 10}
        times, kinds = {}, {}
        for materialize in ("always", "incremental"):
            cursor.execute("SELECT count(*) FROM einsum_decompose(%s, 'p', materialize => %s, replace => true)", (program, materialize))
            cursor.execute("VACUUM ANALYZE")
            for size, count in sizes.items():

                def run():
                    seconds, kinds[size], _ = refresh(cursor, process, change(count), "whole => false")
                    return seconds

                times[materialize, size] = median_of_runs(run)
        for size in sizes:
            added, computed = times["incremental", size], times["always", size]
            print("%-14s %-9s %8.1fms %8.1fms %6.3f  %s" % (name, size, added * 1000, computed * 1000, added / computed, kinds[size]), flush=True)


# program, result, condition, change, data sets
NOW = {"co-occurrence": ("{0}pairs[I,K] = sum[u] r[u,i]*r[u,k]", "pairs", "i = 30 AND k = 7", ratings.change(100), ""),
       "convolution": ("{0}h[U,k] = sum[i] r[u,i]*t[i,k]; {0}z[I,k] = sum[u] r[u,i]*{0}h[u,k]", "z", "i = 30", ratings.change(100), ""),
       "movielens": ("{0}pairs[U,V] = sum[i] rated[u,i]*rated[v,i]", "pairs", "u = 30 AND v = 7", other_ratings(100), "rated"),
       "amazon": (LAYERS, "z", "i = 30", fewer_edges("computers")(100), "computers computers_x")}


def seconds_of(cursor, process, query):
    def run():
        start = serial_time(process)
        cursor.execute(query)
        cursor.fetchall()
        return serial_time(process) - start

    return median_of_runs(run)


def prepared(cursor, process, query):
    """the time without planning: of a generic plan, which five executions precede"""
    cursor.execute("SET plan_cache_mode = force_generic_plan; PREPARE query AS " + query)
    seconds = seconds_of(cursor, process, "EXECUTE query")
    cursor.execute("DEALLOCATE query; RESET plan_cache_mode")
    return seconds


def load(cursor, names):
    """Makes tensors of the data sets, with logs; "rated" is their "r", a name that is taken."""
    datasets.TENSORS["rated"] = datasets.TENSORS["r"]
    cursor.execute("CREATE SCHEMA IF NOT EXISTS source")
    datasets.load(cursor, names)
    for name in names.split():
        cursor.execute("SELECT einsum_log(%s)", (name,))


def compare_now(cursor, process):
    """Prints what reading takes while 100 rows are pending: results that are current, over views."""
    print("%-14s %-9s %10s %10s %10s %6s %18s" % ("program", "read", "current", "view", "table", "ratio", "prepared, ratio"))
    for name, (program, result, key, change, names) in NOW.items():
        if names and not datasets.available():
            continue
        load(cursor, names)
        cursor.execute("SELECT count(*) FROM einsum_decompose(%s, 'p', materialize => 'incremental', replace => true)", (program.format(""),))
        cursor.execute("SELECT count(*) FROM einsum_decompose(%s, 'views', replace => true)", (program.format("live_"),))
        cursor.execute(change)
        cursor.execute("VACUUM ANALYZE")
        # all rows of vectors of 767 numbers take seconds each time
        for read, condition in [("at a key", " WHERE " + key), ("whole", "")][: 1 if "amazon" in name else 2]:
            queries = ["SELECT * FROM %s%s" % (relation, condition) for relation in (result + "__now", "live_" + result, result)]
            current, view, table = (seconds_of(cursor, process, query) for query in queries)
            ready, of_view = (prepared(cursor, process, query) for query in queries[:2])
            print("%-14s %-9s %8.1fms %8.1fms %8.1fms %6.3f %8.1fms %6.3f" % (name, read, current * 1000, view * 1000, table * 1000, current / view, ready * 1000, ready / of_view), flush=True)


def main():
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    ratings.make(cursor, USERS, ITEMS, RATINGS, 64)
    process = connection.info.backend_pid
    if "written" in PARTS:
        compare_written(cursor, process)
    ratings.log(cursor)
    if "added" in PARTS:
        compare_added(cursor, process)
    if "now" in PARTS:
        compare_now(cursor, process)


main()
