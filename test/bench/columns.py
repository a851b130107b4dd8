"""A regression over a star schema: one program over a view of joined columns, beside the same join with einsum_sum by hand.

    make bench-columns

Prints the time of each, least of runs that take turns, with and without a worker, their ratio, and how far the
coefficients are from numpy's.
"""

import os

import numpy as np
import psycopg2

from clock import timed

SALES = int(os.environ.get("BENCH_ROWS", 500000))
RUNS = int(os.environ.get("BENCH_RUNS", 7))

SCHEMA = """
create extension if not exists sparseeinsum;
create table customer (id int primary key, age int not null, income float8 not null);
create table product (id int primary key, price float8 not null, weight float8 not null);
create table sale (id int primary key, customer int not null, product int not null, discount float8 not null, amount float8 not null);
select setseed(0.5);
insert into customer select i, 18 + random()*60, random()*10 from generate_series(0, 9999) i;
insert into product select i, random()*100, random()*5 from generate_series(0, 999) i;
insert into sale select i, c.id, p.id, d, c.age*0.1 + c.income*2 + p.price*0.3 - 5*d + 7 + random()
from (select i, (random()*9999)::int as c, (random()*999)::int as p, random() as d from generate_series(1, %d) i) s
join customer c on c.id = s.c join product p on p.id = s.p;
create view feature as select s.id, s.discount, s.amount, c.age, c.income, p.price, p.weight
from sale s join customer c on c.id = s.customer join product p on p.id = s.product;
select einsum_register('v[S,k]', 'feature', '{id}', '{age,income,price,weight,discount,1,amount}', '{*,7}', duplicates => 'trust');
-- the features among the columns, and the target
create table part (features tensor not null, target tensor not null);
insert into part values ('[[1,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,1,0,0],[0,0,0,0,1,0],[0,0,0,0,0,1],[0,0,0,0,0,0]]', '[0,0,0,0,0,0,1]');
select einsum_register('p[k,i]', 'part', '{}', 'features'), einsum_register('y[k]', 'part', '{}', 'target');
select einsum_analyze('v');
"""

PROGRAM = """select einsum_value('m[k,l] = v[s,k]*v[s,l]; g[i,j] = p[k,i]*m[k,l]*p[l,j]; b[j] = p[k,j]*m[k,l]*y[l];
	w[i] = solve(g[i,j], b[j])')"""
BY_HAND = """select mat_solve(einsum_sum('k,l->kl', x, x), einsum_sum('k,->k', x, amount)) from (
	select array[age,income,price,weight,discount,1]::float8[]::tensor as x, amount
	from sale s join customer c on c.id = s.customer join product p on p.id = s.product) f"""


def main():
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute(SCHEMA % SALES)
    cursor.execute("vacuum analyze")

    def result(query):
        cursor.execute(query)
        return np.array(cursor.fetchone()[0].strip("[]").split(","), float)

    cursor.execute("select age, income, price, weight, discount, 1, amount from feature")
    rows = np.array(cursor.fetchall(), float)
    wanted = np.linalg.lstsq(rows[:, :-1], rows[:, -1], rcond=None)[0]
    for workers in (0, 1):
        cursor.execute("set max_parallel_workers_per_gather = %d" % workers)
        times = {PROGRAM: [], BY_HAND: []}
        for _ in range(RUNS):
            for query, of in times.items():
                found, wall, _ = timed(lambda query=query: result(query))
                of.append(wall)
                assert np.allclose(found, wanted, rtol=1e-6, atol=1e-6), (found, wanted)
        program, hand = min(times[PROGRAM]), min(times[BY_HAND])
        print("%d sales, %d workers: program %.0f ms, by hand %.0f ms, ratio %.2f" % (SALES, workers, program * 1e3, hand * 1e3, program / hand), flush=True)


if __name__ == "__main__":
    main()
