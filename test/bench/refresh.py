"""Refreshing results: einsum_refresh, which writes what differs, beside whole => true, which writes all rows.

    make bench-refresh

Processor time of the server process, the median of BENCH_RUNS (5); and the rows written. Both compute the whole result, so that the
ratio shows what writing costs. Then the same changes of tables that keep logs, below results of materialize => 'incremental': what a
refresh takes over one of materialize => 'always'. Each run undoes its change by a rollback. At last, with 100 rows pending, reading the
view that is current between refreshes at a key and as a whole, beside the views of the same program; also of data sets, if
SPARSEEINSUM_DATASETS has them.
"""

import os
import statistics

import psycopg2

import datasets
from clock import serial_time

RUNS = int(os.environ.get("BENCH_RUNS", 5))
USERS, ITEMS, RATINGS = 2000, 1200, 60000

SETUP = f"""
CREATE EXTENSION IF NOT EXISTS sparseeinsum;
CREATE TABLE rating (u int, i int, v float8 NOT NULL, PRIMARY KEY (u, i));
SELECT setseed(0.5);
INSERT INTO rating SELECT DISTINCT ON (u, i) u, i, 1 FROM (SELECT (random() ^ 2 * {USERS - 1})::int, (random() ^ 2 * {ITEMS - 1})::int
    FROM generate_series(1, {RATINGS})) g(u, i);
CREATE TABLE taste (i int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO taste SELECT i, tensor_full('{{64}}', i % 7) FROM generate_series(0, {ITEMS - 1}) i;
SELECT einsum_register('r[U,I]', 'rating', '{{u,i}}', 'v', '{{{USERS},{ITEMS}}}'), einsum_register('t[I,k]', 'taste', '{{i}}', 'v', '{{{ITEMS},64}}');
VACUUM ANALYZE rating, taste;
"""
PROGRAMS = {"degrees": "degree[U] = sum[i] r[u,i]", "vectors": "mean[U,k] = sum[i] r[u,i]*t[i,k]", "co-occurrence": "pairs[I,K] = sum[u] r[u,i]*r[u,k]"}
CHANGES = {"nothing": "SELECT", "1 row": "UPDATE rating SET v = v + 1 WHERE (u, i) = (SELECT u, i FROM rating ORDER BY u DESC, i DESC LIMIT 1)",
           "1 %": "UPDATE rating SET v = v + 1 WHERE u % 100 = 1", "all rows": "UPDATE rating SET v = v + 1"}


def refresh(cursor, process, name, change, whole):
    """(seconds, rows written)"""
    cursor.execute("BEGIN")
    cursor.execute(change)
    start = serial_time(process)
    cursor.execute("SELECT sum(written) FROM einsum_refresh(%s, whole => %s)", (name, whole))
    written = cursor.fetchone()[0]
    seconds = serial_time(process) - start
    cursor.execute("ROLLBACK")
    cursor.execute("VACUUM")
    return seconds, written


ADDED = {"degrees": "degree[U] = sum[i] r[u,i]", "vectors": "mean[U,k] = sum[i] r[u,i]*t[i,k]", "co-occurrence": "pairs[I,K] = sum[u] r[u,i]*r[u,k]",
         "weighted sums": "score[U] = sum[i] r[u,i]*w[i]", "two results": "d[U] = sum[i] r[u,i]; s[I] = sum[u] r[u,i]*d[u]"}
SIZES = {"1 row": 1, "100": 100, "1 %": RATINGS // 100, "10 %": RATINGS // 10}


def compare_added(cursor, process):
    """Prints what refreshes take that may add what has changed, over those that compute."""
    cursor.execute("""CREATE TABLE weight (i int PRIMARY KEY, v float8 NOT NULL); INSERT INTO weight SELECT i, 1 + i %% 5 FROM generate_series(0, %s) i;
        SELECT einsum_register('w[I]', 'weight', '{i}', 'v', '{%s}'), einsum_log('r'), einsum_log('t'), einsum_log('w');""" % (ITEMS - 1, ITEMS))
    print("%-14s %-9s %10s %10s %6s  %s" % ("program", "changed", "added", "computed", "ratio", "how"))
    for name, program in ADDED.items():
        for size, count in SIZES.items():
            change = "UPDATE rating r SET v = v + 1 FROM (SELECT u, i FROM rating ORDER BY hashint4(u * 10000 + i) LIMIT %d) c WHERE (r.u, r.i) = (c.u, c.i)" % count
            times, how = {}, None
            for materialize in ("always", "incremental"):
                cursor.execute("SELECT count(*) FROM einsum_decompose(%s, 'p', materialize => %s, replace => true)", (program, materialize))
                cursor.execute("VACUUM ANALYZE")
                seconds = []
                for run in range(RUNS + 1):
                    cursor.execute("BEGIN")
                    cursor.execute(change)
                    start = serial_time(process)
                    cursor.execute("SELECT string_agg(DISTINCT how, ' ') FROM einsum_refresh('p')")
                    how = cursor.fetchone()[0]
                    seconds.append(serial_time(process) - start)
                    cursor.execute("ROLLBACK")
                times[materialize] = statistics.median(seconds[1:])
            print("%-14s %-9s %8.1fms %8.1fms %6.3f  %s" % (name, size, times["incremental"] * 1000, times["always"] * 1000, times["incremental"] / times["always"], how), flush=True)


FEW = "ORDER BY hashint4(%s * 10000 + %s) LIMIT 100"
SOME_RATINGS = "UPDATE rating r SET v = v + 1 FROM (SELECT u, i FROM rating " + FEW % ("u", "i") + ") c WHERE (r.u, r.i) = (c.u, c.i)"
SOME_EDGES = "DELETE FROM computers WHERE (i, j) IN (SELECT i, j FROM computers " + FEW % ("i", "j") + ")"
LAYERS = "{0}h[I,k] = sum[j] computers[i,j]*computers_x[j,k]; {0}z[I,k] = sum[j] computers[i,j]*{0}h[j,k]"
# program, result, condition, change, data sets
NOW = {"co-occurrence": ("{0}pairs[I,K] = sum[u] r[u,i]*r[u,k]", "pairs", "i = 30 AND k = 7", SOME_RATINGS, None),
       "convolution": ("{0}h[U,k] = sum[i] r[u,i]*t[i,k]; {0}z[I,k] = sum[u] r[u,i]*{0}h[u,k]", "z", "i = 30", SOME_RATINGS, None),
       "movielens": ("{0}pairs[U,V] = sum[i] rated[u,i]*rated[v,i]", "pairs", "u = 30 AND v = 7",
                     "UPDATE rated SET value = value + 1 WHERE (u, i) IN (SELECT u, i FROM rated " + FEW % ("u", "i") + ")", "rated"),
       "amazon": (LAYERS, "z", "i = 30", SOME_EDGES, "computers computers_x"),
       "amazon, relu": (LAYERS.replace("sum[j]", "relu(sum[j]").replace("_x[j,k]", "_x[j,k] - 1)").replace("h[j,k]", "h[j,k] - 1)"), "z", "i = 30", SOME_EDGES, "computers computers_x")}


def seconds_of(cursor, process, query):
    seconds = []
    for run in range(RUNS + 1):
        start = serial_time(process)
        cursor.execute(query)
        cursor.fetchall()
        seconds.append(serial_time(process) - start)
    return statistics.median(seconds[1:])


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
        if names:
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
    for statement in SETUP.split(";\n"):
        if statement.strip():
            cursor.execute(statement)
    process = connection.info.backend_pid
    print("%-14s %-9s %10s %10s %6s %14s" % ("program", "change", "refresh", "whole", "ratio", "rows written"))
    for name, program in PROGRAMS.items():
        cursor.execute("SELECT count(*) FROM einsum_decompose(%s, %s, materialize => 'always')", (program, name))
        for change, statement in CHANGES.items():
            times = {False: [], True: []}
            written = {}
            for run in range(RUNS + 1):
                for whole in times:
                    seconds, written[whole] = refresh(cursor, process, name, statement, whole)
                    if run > 0:
                        times[whole].append(seconds)
            least, most = (statistics.median(times[whole]) for whole in (False, True))
            print("%-14s %-9s %8.1fms %8.1fms %6.2f %14s" % (name, change, least * 1000, most * 1000, least / most, "%d/%d" % (written[False], written[True])), flush=True)
    compare_added(cursor, process)
    compare_now(cursor, process)


main()
