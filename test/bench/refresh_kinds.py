"""How a refresh follows changes: as it chooses to, over the better of adding and computing.

    make bench-refresh-kinds

Processor time of the server process, the least of BENCH_RUNS (3) where the setting sparseeinsum.enable_additions is on, force and off.
Each run undoes its change by a rollback. At last the share of cases that are within 1.2 and within 2 times of the better one.
"""

import os

import psycopg2

from clock import serial_time

RUNS = int(os.environ.get("BENCH_RUNS", 3))
USERS, ITEMS, RATINGS = 1000, 400, 20000

SETUP = f"""
CREATE EXTENSION IF NOT EXISTS sparseeinsum;
CREATE TABLE rating (u int, i int, v float8 NOT NULL, PRIMARY KEY (u, i));
SELECT setseed(0.5);
INSERT INTO rating SELECT DISTINCT ON (u, i) u, i, 1 FROM (SELECT (random() ^ 2 * {USERS - 1})::int, (random() ^ 2 * {ITEMS - 1})::int
    FROM generate_series(1, {RATINGS})) g(u, i);
CREATE TABLE taste (i int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO taste SELECT i, tensor_full('{{16}}', i % 7) FROM generate_series(0, {ITEMS - 1}) i;
CREATE TABLE weight (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO weight SELECT i, 1 + i % 5 FROM generate_series(0, {ITEMS - 1}) i;
SELECT einsum_register('r[U,I]', 'rating', '{{u,i}}', 'v', '{{{USERS},{ITEMS}}}'), einsum_register('t[I,k]', 'taste', '{{i}}', 'v', '{{{ITEMS},16}}'),
    einsum_register('l[U,I]', 'rating', '{{u,i}}', NULL, '{{{USERS},{ITEMS}}}'), einsum_register('w[I]', 'weight', '{{i}}', 'v', '{{{ITEMS}}}');
SELECT einsum_log('r'), einsum_log('t'), einsum_log('l'), einsum_log('w');
VACUUM ANALYZE
"""
PROGRAMS = [
    "d[U] = sum[i] r[u,i]", "d[I] = sum[u] r[u,i]", "d[U] = sum[i] l[u,i]", "s[] = sum[u,i] r[u,i]*r[u,i]", "s[U] = sum[i] r[u,i]*w[i]",
    "p[I,K] = sum[u] r[u,i]*r[u,k]", "c[I,K] = sum[u] l[u,i]*l[u,k]", "m[U,k] = sum[i] r[u,i]*t[i,k]", "m[k,n] = sum[u,i] r[u,i]*t[i,k]*t[i,n]",
    "x[U,I] = r[u,i]*w[i]", "x[U,I] = relu(r[u,i] - w[i])", "b[U] = max[i] r[u,i]", "q[U] = (sum[i] r[u,i]*w[i])/(sum[i] l[u,i])",
    "d[U] = sum[i] r[u,i]; s[I] = sum[u] r[u,i]*d[u]", "h[U,k] = sum[i] r[u,i]*t[i,k]; z[I,k] = sum[u] r[u,i]*h[u,k]",
]
SIZES = (1, 100, RATINGS // 100, RATINGS // 10)


def main() -> None:
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    for statement in SETUP.split(";\n"):
        cursor.execute(statement)
    process = connection.info.backend_pid
    ratios = []
    print("%9s %9s %9s %6s  %-12s %s" % ("chosen", "added", "computed", "ratio", "how", "program, rows"))
    for program in PROGRAMS:
        cursor.execute("SELECT count(*) FROM einsum_decompose(%s, 'p', materialize => 'incremental', replace => true)", (program,))
        for size in SIZES:
            cursor.execute("VACUUM ANALYZE")
            times, how = {}, {}
            for kind in ("on", "force", "off"):
                cursor.execute("SET sparseeinsum.enable_additions = " + kind)
                for run in range(RUNS + 1):
                    cursor.execute("BEGIN")
                    cursor.execute("UPDATE rating r SET v = v + 1 FROM (SELECT u, i FROM rating ORDER BY hashint4(u * 10000 + i) LIMIT %s) c WHERE (r.u, r.i) = (c.u, c.i)", (size,))
                    start = serial_time(process)
                    cursor.execute("SELECT string_agg(DISTINCT how, ' ') FROM einsum_refresh('p')")
                    seconds = serial_time(process) - start
                    how[kind] = cursor.fetchone()[0]
                    cursor.execute("ROLLBACK")
                    # the first one plans
                    times[kind] = seconds if run <= 1 else min(seconds, times[kind])
            ratios.append(times["on"] / min(times.values()))
            print("%7.1fms %7.1fms %7.1fms %6.2f  %-12s %s, %d" % (times["on"] * 1000, times["force"] * 1000, times["off"] * 1000, ratios[-1], how["on"], program, size), flush=True)
    for limit in (1.2, 2.0):
        print("%d of %d cases are within %g times of the better kind" % (sum(ratio <= limit for ratio in ratios), len(ratios), limit))


main()
