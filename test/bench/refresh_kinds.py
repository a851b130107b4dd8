"""How a refresh follows changes: as it chooses to, over the better of adding and computing.

    make bench-refresh-kinds

Processor time of the server process, the least of BENCH_RUNS (3) where the setting sparseeinsum.enable_additions is on, force and off.
Each run undoes its change by a rollback. At last the share of cases that are within 1.2 and within 2 times of the better one.
"""

import os

import psycopg2

import ratings
from clock import serial_time

RUNS = int(os.environ.get("BENCH_RUNS", 3))
USERS, ITEMS, RATINGS = 1000, 400, 20000

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
    ratings.make(cursor, USERS, ITEMS, RATINGS, 16)
    ratings.log(cursor)
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
                    cursor.execute(ratings.change(size))
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
