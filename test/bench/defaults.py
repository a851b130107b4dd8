"""The programs of the real-data tests, and steps of them, with PostgreSQL's default settings, beside
the same with more memory and without JIT, and beside hand-written SQL.

    make bench-defaults    BENCH_RUNS (5); SPARSEEINSUM_DATASETS is the directory of data sets

The server has Debian's postgresql.conf. For each program the least time to read
its result with these settings, with work_mem 64 MB, and with that and no JIT;
the same for the view of a program that was planned before anything was measured;
and for hand-written SQL, the faster of two, with the settings of the server. All
take turns. It fails where our time with the defaults is more than 3 times that
with 64 MB and no JIT, or more than twice that of hand-written SQL.
"""

import os
import sys

import psycopg2

sys.path.insert(0, "test/data")
import cora as scalar  # noqa: E402
import planetoid_cora as cora  # noqa: E402
from clock import Sample, timed  # noqa: E402
from queries import agree, first, scored  # noqa: E402

MOST_BY_MEMORY = 3.0
MOST_BY_HAND = 2.0

SETTINGS = {
    "defaults": "reset work_mem; reset jit",
    "64MB": "set work_mem = '64MB'; reset jit",
    "64MB, no JIT": "set work_mem = '64MB'; set jit = off",
}

SCALAR_NETWORK = scalar.SCALAR_LAYER + """,
u as (select m, sum(value) / 2708 as u, var_pop(value) as v from h group by m),
g as (select h.i, h.m, (h.value - u.u) / sqrt(u.v + 0.001) as value from h join u using (m)),
gw as (
	select g.i as j, w.j as c, sum(g.value * w.value) as value
	from g join cora.weight w on w.layer = 'w2' and w.i = g.m
	group by g.i, w.j),
y as materialized (select n.i, gw.c, sum(n.value * gw.value) as value from n join gw using (j) group by n.i, gw.c),
e as (select i, c, exp(value - max(value) over (partition by i)) as value from y)
select i, c, value / sum(value) over (partition by i) as value from e"""

# program, the result's name, and hand-written SQL
PROGRAMS = {
    "convolution": (cora.CONVOLUTION, "z", [scalar.SCALAR_CONVOLUTION, scalar.NATURAL_CONVOLUTION]),
    "attention": (cora.ATTENTION, "attn", [scalar.SCALAR_ATTENTION, scalar.NATURAL_ATTENTION]),
    "network": (cora.NETWORK % (cora.N, cora.N), "p", [SCALAR_NETWORK]),
    "degrees": ("d[i] = sum[j] a[i,j]", "d", ["select i, count(*) as value from cora.link group by i"]),
    "two hops": ("t[I,K] = sum[j] b[I,j] * b[j,K]", "t", [
        "select a.i, b.j, count(*) as value from cora.citation a join cora.citation b on b.i = a.j group by a.i, b.j"]),
    "neighbours": ("y[I,k] = sum[j] a[I,j] * x[j,k]", "y", [
        "select l.i, x.feature, sum(x.value) as value from cora.link l join cora.feature x on x.node = l.j group by l.i, x.feature"]),
}


def main():
    if not cora.available():
        sys.exit("bench-defaults needs SPARSEEINSUM_DATASETS, the directory of the data sets")
    runs = int(os.environ.get("BENCH_RUNS", 5))
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cora.load(cursor)
    cursor.execute("select pg_jit_available()")
    print("JIT is %savailable; the least of %d runs, in ms" % ("" if cursor.fetchone()[0] else "not ", runs))
    print("%-12s %10s %10s %10s %10s %10s %8s %8s" % (
        "program", "defaults", "64MB", "no JIT", "unmeasured", "by hand", "/ 64MB", "/ hand"))
    beyond = 0
    for name, (program, result, by_hand) in PROGRAMS.items():
        cursor.execute("select count(*) from einsum_decompose(%s, 'measured')", (program,))
        queries = {"measured": scored(cursor, "select * from cora." + result)}
        # planned as if nothing had been measured
        cursor.execute("create schema unmeasured; create table unmeasured.kept as table einsum_statistics; delete from einsum_statistics")
        cursor.execute("select count(*) from einsum_decompose(%s, 'unmeasured', schema => 'unmeasured')", (program,))
        cursor.execute("insert into einsum_statistics table unmeasured.kept")
        queries["unmeasured"] = scored(cursor, "select * from unmeasured." + result)
        for n, query in enumerate(by_hand):
            queries[n] = scored(cursor, query)
        asked = [("measured", s) for s in SETTINGS] + [("unmeasured", "defaults")] + [(n, "defaults") for n in range(len(by_hand))]
        samples = {which: Sample() for which in asked}
        values = set()
        slow = set()
        for _ in range(runs):
            for which in asked:
                if which in slow:
                    continue
                cursor.execute(SETTINGS[which[1]])
                value, wall, cpu = timed(lambda: first(cursor, queries[which[0]]))
                samples[which].add(wall, cpu)
                values.add(value)
                if wall > 5:
                    slow.add(which)  # once is enough
        cursor.execute(SETTINGS["defaults"])
        if not agree(values):
            sys.exit("%s: results differ: %s" % (name, sorted(values)))
        least = {which: samples[which].least for which in asked}
        ours = least["measured", "defaults"]
        memory = ours / least["measured", "64MB, no JIT"]
        hand = min(least[n, "defaults"] for n in range(len(by_hand)))
        times = [ours, least["measured", "64MB"], least["measured", "64MB, no JIT"], least["unmeasured", "defaults"], hand]
        bad = memory > MOST_BY_MEMORY or ours / hand > MOST_BY_HAND
        beyond += bad
        print("%-12s " % name + " ".join("%10.1f" % (1000 * t) for t in times) +
              " %8.2f %8.2f%s" % (memory, ours / hand, "  BEYOND" if bad else ""), flush=True)
        cursor.execute("select einsum_drop('measured'), einsum_drop('unmeasured', 'unmeasured')")
        cursor.execute("drop schema unmeasured cascade")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
