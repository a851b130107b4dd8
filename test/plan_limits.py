"""What is at the limits of planning (test/data/limits.py) has a plan that PostgreSQL can run, whatever the budgets, which
costs at most what the program costs as it is written; its search stays within its memory; and it ends when it is cancelled,
at whatever moment. The bound on that is of processor time, and generous: what once was deaf was so for minutes.

Run under test/cluster; ends with "N passed, N failed".
"""

import json
import random
import re
import sys
import threading
import time

import psycopg2
from psycopg2.errors import QueryCanceled

sys.path.insert(0, "test/data")
import limits  # noqa: E402
from processor import processor  # noqa: E402

MOST_KB = 32 * 1024
CANCELS, CANCELLED_IN = 1, 5.0
BUDGETS = [(), ("sparseeinsum.rewrite_budget = 1",), ("sparseeinsum.search_budget = 1",), ("sparseeinsum.rewrite_budget = 0",)]

passed, failed = 0, 0


def check(name, holds, found=""):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print("FAILED: %s %s" % (name, found), flush=True)


def cost(cursor, program, **options):
    cursor.execute("select einsum_plan(%s, format => 'json', result => 'auto'" + "".join(", %s => '%s'" % o for o in options.items()) + ")", (program,))
    return json.loads("\n".join(line for line, in cursor.fetchall()))[0]["cost"]


def check_plan(cursor, name, program, settings):
    """the seconds that planning took"""
    for setting in settings:
        cursor.execute("set " + setting)
    name = ", ".join((name,) + settings)
    seconds = 0
    try:
        del cursor.connection.notices[:]
        cursor.execute("set client_min_messages = debug1")
        start = time.perf_counter()
        cursor.execute("select einsum_sql(%s)", (program,))
        seconds = time.perf_counter() - start
        query, = cursor.fetchone()
        cursor.execute("reset client_min_messages")
        (_, kilobytes), = (re.search(r"planned in ([\d.]+) ms, (\d+) kB", n).groups() for n in cursor.connection.notices if "planned in" in n)
        check(name, int(kilobytes) <= MOST_KB, "%s kB" % kilobytes)
        if not settings:
            cursor.execute("explain " + query)
    except psycopg2.Error as error:
        check(name, False, str(error)[:300])
    for setting in settings:
        cursor.execute("reset " + setting.split()[0])
    return seconds


def check_cost(cursor, name, program):
    chosen = cost(cursor, program)
    try:
        written = cost(cursor, program, rewrite="none")
    except psycopg2.Error:
        return  # beyond limits
    check(name + ", beside as written", chosen <= written * (1 + 1e-9), "%g %g" % (chosen, written))


def settle(cursor):
    """a cancel that came late is for nothing that follows"""
    try:
        cursor.execute("select pg_sleep(0.01)")
    except QueryCanceled:
        pass


def check_cancels(cursor, name, program, seconds, rng):
    for _ in range(CANCELS):
        sent = []

        def cancel():
            sent.append(processor(cursor.connection))
            cursor.connection.cancel()

        timer = threading.Timer(seconds * rng.random(), cancel)
        timer.start()
        try:
            cursor.execute("select length(einsum_sql(%s))", (program,))
        except QueryCanceled:
            pass
        ended = processor(cursor.connection)
        timer.cancel()
        timer.join()
        settle(cursor)
        check(name + ", cancelled", not sent or ended - sent[0] < CANCELLED_IN, "%.1f s" % (ended - sent[0] if sent else 0))


def main():
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("create extension if not exists sparseeinsum; create schema limits; set search_path = limits, public")
    limits.load(cursor)
    rng = random.Random(1)
    for name, program in limits.LIMITS:
        seconds = [check_plan(cursor, name, program, settings) for settings in BUDGETS]
        check_cost(cursor, name, program)
        check_cancels(cursor, name, program, seconds[0], rng)
    cursor.execute("drop schema limits cascade")
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
