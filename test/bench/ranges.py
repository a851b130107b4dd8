"""Prices with ranges of days, and sales by day, beside SQL's own join by range.

    make bench-ranges

Processor time, the median of BENCH_RUNS (5), and its ratio to SQL: 1,000 products, 3,650 days, a price holds for some 30 days, and every
tenth day has a sale. Revenue joins both; the sum of prices over days needs only how long each held. Results are compared.
"""

import os
import statistics

import datasets
from clock import serial_time

RUNS = int(os.environ.get("BENCH_RUNS", 5))

SETUP = """
create extension btree_gist;
create table price (p int not null, valid daterange not null, v float8 not null, exclude using gist (p with =, valid with &&));
insert into price select p, daterange(date '2015-01-01' + 30 * k, date '2015-01-01' + least(30 * k + 30, 3650)), (p * 7 + k * 3) % 50 + 1
    from generate_series(0, 999) p, generate_series(0, 121) k;
create table sale (p int not null, day date not null, n float8 not null, primary key (p, day));
insert into sale select p, date '2015-01-01' + d, (p + d) % 4 + 1 from generate_series(0, 999) p, generate_series(0, 3649) d where (p + d) % 10 = 0;
vacuum analyze price, sale;
select einsum_register('price[P,D]', 'price', '{p,valid}', 'v', '{1000,*}'), einsum_register('sale[P,D]', 'sale', '{p,day}', 'n', '{1000,*}');
select einsum_analyze('price'), einsum_analyze('sale');
"""

WORK = {
    "revenue": ("y[p] = sum[d] price[p,d]*sale[p,d]", "select p, sum(v * n) from price join sale using (p) where day <@ valid group by p"),
    "sum of prices": ("y[p] = sum[d] price[p,d]", "select p, sum(v * (upper(valid) - lower(valid))) from price group by p"),
}


def measure(cursor, process, query):
    """processor seconds of the server, and the rows of the result"""
    start = serial_time(process)
    cursor.execute(query)
    seconds = serial_time(process) - start
    return seconds, sorted(cursor.fetchall())


def main():
    cursor = datasets.connect()
    process = cursor.connection.info.backend_pid
    for statement in SETUP.split(";"):
        if statement.strip():
            cursor.execute(statement)
    for work, (program, sql) in WORK.items():
        cursor.execute("select einsum_sql(%s)", (program,))
        queries = {"SQL": sql, "einsum": cursor.fetchone()[0]}
        times = {name: [] for name in queries}
        for run in range(RUNS + 1):
            found = {}
            for name, query in queries.items():
                seconds, found[name] = measure(cursor, process, query)
                if run > 0:
                    times[name].append(seconds)
            assert found["SQL"] == found["einsum"]
        base = statistics.median(times["SQL"])
        for name, seconds in times.items():
            print("%-14s %-7s %9.1f ms %6.2f of SQL" % (work, name, statistics.median(seconds) * 1000, statistics.median(seconds) / base), flush=True)


main()
