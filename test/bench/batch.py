"""Sums that collect rows, beside the same sums without, by the size of groups:
300,000 groups of 1 to 3 rows must take at most 1.2 of the time.

    make bench-batch

An equation with an ellipsis is never batched. Both run in turns; times are of
the processor, since others share the machine, and ratios are of the least of 3.
The two results are compared.
"""

import sys

import psycopg2
from clock import serial_time

RUNS = 3
MOST = 1.2

# kind of sum, batched and unbatched, its operands, and the sum of its elements
ROWS = ("number times row", ",a->a", ",a...->a...", "w, v", "a->")
OUTER = ("outer product", "a,b->ab", "a,...b->a...b", "v, v", "ab->")

# sum, width, groups, most rows of a group
CASES = [
    (ROWS, 16, 300000, 3), (ROWS, 100, 300000, 3), (ROWS, 300, 300000, 3), (ROWS, 767, 50000, 3),
    (ROWS, 100, 10000, 59), (ROWS, 300, 10000, 59), (ROWS, 767, 10000, 59),
    (OUTER, 8, 300000, 3), (OUTER, 24, 100000, 3), (OUTER, 24, 1000, 59), (OUTER, 128, 100, 59)]


def main():
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("create extension sparseeinsum")
    cursor.execute("set max_parallel_workers_per_gather = 0; set work_mem = '1GB'; select pg_backend_pid()")
    server = cursor.fetchone()[0]

    def run(equation, arguments, total):
        """processor time in seconds, and the groups and a checksum"""
        start = serial_time(server)
        cursor.execute("""select count(*), sum(value) from (select einsum_scalar('%s', s) as value from (
            select einsum_sum('%s', %s) as s from link join node using (i) group by g) as q) as r""" % (total, equation, arguments))
        return serial_time(server) - start, cursor.fetchone()

    failed = 0
    print("%-18s %5s %7s %5s  %-6s %10s %10s %6s" % ("sum", "width", "groups", "rows", "groups", "batched/s", "unbatched", "ratio"))
    for (name, batched, unbatched, arguments, total), width, groups, most in CASES:
        cursor.execute("""drop table if exists link, node;
            create table node as select i, tensor_full('{%d}', i %% 7) as v from generate_series(0, 999) as i;
            create table link as select g, (g * 31 + x * 17) %% 1000 as i, 1.0::float8 + x %% 3 as w
                from generate_series(1, %d) as g, generate_series(0, g %% %d) as x order by random();
            analyze node; analyze link""" % (width, groups, most))
        for how in "hashed", "sorted":
            cursor.execute("set enable_hashagg = %s; set enable_sort = %s" % (how == "hashed", how == "sorted"))
            times = {batched: [], unbatched: []}
            results = {}
            for _ in range(RUNS):
                for equation in times:
                    seconds, results[equation] = run(equation, arguments, total)
                    times[equation].append(seconds)
            if results[batched] != results[unbatched] or results[batched][0] != groups:
                sys.exit("results differ: %s" % results)
            ratio = min(times[batched]) / min(times[unbatched])
            failed += ratio > MOST
            print("%-18s %5d %7d %5s  %-6s %10.3f %10.3f %6.2f%s" % (name, width, groups, "1-%d" % most, how, min(times[batched]),
                  min(times[unbatched]), ratio, "  more than %.1f" % MOST if ratio > MOST else ""), flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
