"""How long programs of many statements and terms take to plan, and to be cancelled.

    make bench-long        BENCH_RUNS (5), BENCH_CANCELS (20)

For each pattern and number of repetitions, the median time of einsum_plan and that time for each
repetition; and for the longest program of each pattern how long after a cancel, at moments spread
over its planning, the error comes.
"""

import os
import statistics
import threading
import time

import psycopg2
from psycopg2.errors import QueryCanceled

RUNS = int(os.environ.get("BENCH_RUNS", 5))
CANCELS = int(os.environ.get("BENCH_CANCELS", 20))

REPETITIONS = (10, 100, 1000, 3000)

# pattern: what comes first, what is repeated (# is the number, @ the one before), what separates, most repetitions
PATTERNS = {
    "t1[i,j] = relu(t0[i,j]); ...": ("t0[i,j] = a[i,j]; ", "t#[i,j] = relu(t@[i,j])", "; ", 3000),
    "t1[i,j] = sum[k] t0[i,k] * a[k,j]; ...": ("t0[i,j] = a[i,j]; ", "t#[i,j] = sum[k] t@[i,k] * a[k,j]", "; ", 3000),
    "t1[i,j] = 1 * a[i,j]; ...": ("", "t#[i,j] = # * a[i,j]", "; ", 3000),
    "n1[i,j] = x[i] * n0[i,j]; ...": ("n0[i,j] = a[i,j]; ", "n#[i,j] = x[i] * n@[i,j]", "; ", 1000),
    "s1 = t0 a; t1 = relu(s1) + s1; ...": (
        "t0[i,j] = a[i,j]; ", "s#[i,j] = t@[i,k] * a[k,j]; t#[i,j] = relu(s#[i,j]) + s#[i,j]", "; ", 100),
    "y[i] = x[i] + x[i] + ...": ("y[i] = ", "x[i]", " + ", 3000),
    "y[i] = (x[i] - 1)^2 * a[i,i] + ...": ("y[i] = ", "(x[i] - #) ^ 2 * a[i,i]", " + ", 1000),
}


def program(pattern, count):
    first, repeated, separator, _ = PATTERNS[pattern]
    return first + separator.join(repeated.replace("#", str(k)).replace("@", str(k - 1)) for k in range(1, count + 1))


def plan(cursor, text):
    start = time.perf_counter()
    cursor.execute("select count(*) from einsum_plan(%s)", (text,))
    return time.perf_counter() - start


def latencies(connection, cursor, text, seconds):
    """seconds from a cancel to the error, at moments spread over the planning"""
    result = []
    for n in range(CANCELS):
        sent = []

        def cancel():
            sent.append(time.perf_counter())
            connection.cancel()

        timer = threading.Timer(seconds * (n + 0.5) / CANCELS, cancel)
        timer.start()
        try:
            plan(cursor, text)
        except QueryCanceled:
            result.append(time.perf_counter() - sent[0])
        timer.cancel()
        timer.join()
    return result


def main():
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("""
        create extension sparseeinsum;
        create table a (i int, j int, v float8 not null, primary key (i, j));
        insert into a select n % 10, n / 10, n from generate_series(0, 99, 3) n;
        create table x (i int primary key, v float8 not null);
        insert into x select n, n from generate_series(0, 9) n;
        select einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{10,10}'), einsum_register('x[I]', 'x', '{i}', 'v', '{10}')""")
    plan(cursor, program("y[i] = x[i] + x[i] + ...", 10))
    print("%-40s %6s %10s %10s %18s" % ("program", "n", "ms", "ms / n", "cancelled in ms"))
    for pattern, (*_, most) in PATTERNS.items():
        counts = [n for n in REPETITIONS if n <= most]
        for count in counts:
            text = program(pattern, count)
            try:
                seconds = statistics.median(plan(cursor, text) for _ in range(RUNS))
            except psycopg2.Error as error:
                print("%-40s %6d %s" % (pattern, count, str(error).splitlines()[0]))
                continue
            ended = latencies(connection, cursor, text, seconds) if count == counts[-1] else []
            print("%-40s %6d %10.1f %10.3f %18s" % (
                pattern, count, seconds * 1000, seconds * 1000 / count,
                "at most %.0f of %d" % (max(ended) * 1000, len(ended)) if ended else ""))


main()
