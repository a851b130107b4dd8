"""What the loaded library costs the planning of queries that have nothing to do with it:

    make bench-untouched   BENCH_RUNS (10,000) of EXPLAIN of each query

In a database without the extension, and in one with it. Three sessions take turns, two with the library and
one without. Printed are the median of the planning time that the server gives, without the library; the median
of what the library adds to the run before, which other load on the machine meets alike; and the same
between the two that do the same, which shows what the measurement is worth. The goal is less than 1 %.
"""

import os
import statistics

import psycopg2

TABLES = """
create table big as select a, a % 7 as b, repeat('x', 20) as t from generate_series(1, 100000) a;
create table small as select a, a % 5 as c from generate_series(1, 2000) a;
create table third as select a as c, 'n' || a as n from generate_series(0, 4) a;
create index on big (a); create index on small (a);
create function plus(x bigint) returns bigint language plpgsql immutable as 'begin return x + 1; end';
create view grouped as select a, count(*) as n from big where t is not null group by a;
"""
QUERIES = {
    "one row": "select * from big where a = 42",
    "three tables": "select n, sum(b) from big join small using (a) join third using (c) group by n order by n",
    "a view and a function": "select c, plus(sum(n)::bigint) from grouped join small using (a) where a < 1000 group by c",
    "catalogs": "select nspname, count(*) from pg_proc p join pg_namespace n on n.oid = pronamespace group by 1"}
LIBRARY = "load '$libdir/sparseeinsum'"


def session(database, *commands):
    connection = psycopg2.connect(dbname=database)
    connection.autocommit = True
    cursor = connection.cursor()
    for command in commands:
        cursor.execute(command)
    return cursor


def planning_time(cursor, query):
    """whole microseconds, as the server prints them"""
    cursor.execute("explain (summary, costs off) " + query)
    line = cursor.fetchall()[-1][0]
    return round(1000 * float(line.removeprefix("Planning Time: ").removesuffix(" ms")))


def main():
    runs = int(os.environ.get("BENCH_RUNS", "10000"))
    admin = session("postgres")
    print("%-12s %-22s %10s %8s %8s" % ("database", "query", "without", "library", "noise"))
    for database in ("bare", "extended"):
        admin.execute("create database " + database)
        session(database, TABLES, "vacuum analyze", *(["create extension sparseeinsum"] if database == "extended" else []))
        sessions = [session(database), session(database, LIBRARY), session(database, LIBRARY)]
        for name, query in QUERIES.items():
            times = [[] for _ in sessions]
            for run in range(runs):
                # in another order each time
                for turn in range(len(sessions)):
                    n = (run + turn) % len(sessions)
                    times[n].append(planning_time(sessions[n], query))
            whole = statistics.median_grouped(times[0])

            def share(more, less):
                # half of the pairs took turns in one order, half in the other
                return 100 * statistics.median_grouped([a - b for a, b in zip(more, less)]) / whole

            print("%-12s %-22s %8.1fus %+7.1f%% %+7.1f%%" %
                  (database, name, whole, (share(times[1], times[0]) + share(times[2], times[0])) / 2, share(times[2], times[1])))


main()
