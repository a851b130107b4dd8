"""Time and memory of planning programs whose statements and expressions share their parts (test/data/shapes.py), as they
grow, and how long after statement_timeout they end.

    make bench-shared-parts    BENCH_RUNS (3), SHAPES='word ...' for some

For each shape and command, the least time at 50 and at 200 and how many times as long that is, the memory by which the backend
grew, and at 200 how long after a timeout of 100 ms the error came at most. Targets: 8 times the time and memory for 4 times
the size (64 times the time of what is cubic, 16 times for the SQL of several statements, each of which may have a view with all
that it reads), and 200 ms from the beginning to the error. Times below 20 ms are not compared, nor memory below 16 MB.
"""

import os
import re
import sys
import time

import psycopg2
from psycopg2.errors import QueryCanceled

sys.path.insert(0, "test/data")
import shapes  # noqa: E402

RUNS = int(os.environ.get("BENCH_RUNS") or 3)
ASKED = os.environ.get("SHAPES", "").split()
SMALL, LARGE, MOST_GROWTH = 50, 200, 8
LEAST_SECONDS, LEAST_MB = 0.02, 16
TIMEOUT_MS, ENDED_MS = 100, 200


def peak(connection):
    with open("/proc/%d/status" % connection.info.backend_pid) as status:
        return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1)) / 1024


def connect():
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("select count(*) from einsum_plan('y[i] = x[i]')")
    return connection, cursor


def measure(query, arguments):
    """least seconds, and by how many MB a new backend grew; or the error"""
    connection, cursor = connect()
    cursor.execute("set statement_timeout = '60s'")
    before, best = peak(connection), float("inf")
    try:
        for _ in range(RUNS):
            begin = time.perf_counter()
            cursor.execute(query, arguments)
            best = min(best, time.perf_counter() - begin)
        return best, peak(connection) - before
    except psycopg2.Error as error:
        return error.diag.message_primary, 0
    finally:
        connection.close()


def timed_out(query, arguments):
    """milliseconds until a timeout's error at most"""
    connection, cursor = connect()
    cursor.execute("set statement_timeout = %d" % TIMEOUT_MS)
    longest = 0
    for _ in range(RUNS):
        begin = time.perf_counter()
        try:
            cursor.execute(query, arguments)
        except QueryCanceled:
            longest = max(longest, (time.perf_counter() - begin) * 1000)
        except psycopg2.Error:
            pass
    connection.close()
    return longest


def main():
    connection = psycopg2.connect("")
    connection.autocommit = True
    connection.cursor().execute("create extension sparseeinsum;" + shapes.LOAD)
    beyond = 0
    print("%-20s %-16s %8s %8s %6s %7s %7s %6s %9s" % ("shape", "command", "s", "s", "times", "MB", "MB", "times", "ended ms"))
    for name, shape in shapes.SHAPES.items():
        if ASKED and not any(word in name for word in ASKED):
            continue
        large = shapes.CUBIC.get(name, LARGE)
        for command, (query, arguments) in shapes.commands(shape(large)).items():
            seconds, grown = measure(*shapes.commands(shape(large * SMALL // LARGE))[command])
            many_seconds, much_grown = measure(query, arguments)
            if isinstance(seconds, str) or isinstance(many_seconds, str):
                print("%-20s %-16s %s" % (name, command, many_seconds))
                beyond += 1
                continue
            ended = timed_out(query, arguments)
            times = many_seconds / max(seconds, LEAST_SECONDS)
            more = much_grown / max(grown, LEAST_MB)
            most = MOST_GROWTH ** 2 if name in shapes.CUBIC else MOST_GROWTH
            if command == "plan as sql" and ";" in shape(large):
                most = (LARGE // SMALL) ** 2
            missed = times > most or more > MOST_GROWTH or ended > ENDED_MS
            beyond += missed
            print("%-20s %-16s %8.3f %8.3f %6.1f %7.0f %7.0f %6.1f %9.0f%s" % (
                name, command, seconds, many_seconds, times, grown, much_grown, more, ended, "  beyond" if missed else ""), flush=True)
    print("%d beyond their targets" % beyond)


main()
