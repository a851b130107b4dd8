"""Programs with work_mem 64 MB and with PostgreSQL's default of 4 MB, where loop nests have little room: triangles, Jaccard
similarity and paths of a random graph, before and after its tables are analyzed; then the programs on real data of plan_programs.py
and nests.py.

    make bench-nest-memory     BENCH_NODES (20000), BENCH_LINKS (200000), BENCH_RUNS (3), BENCH_REAL='name ...' (words of names of
                               programs on real data; all); SPARSEEINSUM_DATASETS is the directory of data sets

Both settings take turns, and the least processor time of each counts, from SQL text to the sum of all values; what takes longer than
a minute counts as that. It fails where 4 MB take more than twice the time of 64 MB, or results differ.
"""

import os
import sys

import datasets
from nests import MORE
from plan_programs import cora, programs
from queries import agree, call, way

MOST = 2.0
LIMIT = 60
MEMORY = ["4MB", "64MB"]
CLAIMED = 64 << 20

PROGRAMS = {
    "triangles": "triangles[] = u[i,j] * u[j,k] * u[k,i] / 6",
    "Jaccard": """
        friends[i] = sum[j] u[i,j];
        common[i,j] = u[i,j] * u[j,k] * u[i,k];
        jaccard[I,J] = common[i,j] / (u[i,j] * (friends[i] + friends[j]) - common[i,j])""",
    "two steps": "y[i,k] = sum[j] u[i,j] * u[j,k]"}


def load(cursor, nodes, links):
    """a graph of links in both directions"""
    cursor.execute("""
        drop table if exists u cascade;
        select setseed(0.5);
        create table u (i int, j int, value float8, primary key (i, j));
        with drawn as materialized (
            select (random() ^ 2 * %(nodes)s)::int as a, (random() * %(nodes)s)::int as b from generate_series(1, %(links)s / 2))
        insert into u select a, b, 1.0 from drawn where a <> b union select b, a, 1.0 from drawn where a <> b;
        select einsum_register('u[I,J]', 'u', '{i,j}', 'value', array[%(bound)s, %(bound)s]::text[])""",
                   {"nodes": nodes, "links": links, "bound": nodes + 1})


def compare(cursor, name, note, program, runs):
    """prints the times of a program with little and with much memory; true if little takes far more"""
    ways = {}
    for memory in MEMORY:
        cursor.execute("set work_mem = '%s'" % memory)
        ways[memory] = way(cursor, memory, call(cursor, "einsum_sql", program))
    for _ in range(runs):
        for memory in MEMORY:
            cursor.execute("set work_mem = '%s'" % memory)
            ways[memory].run(LIMIT, CLAIMED)
    if not agree([w.result for w in ways.values() if w.result is not None]):
        sys.exit("%s: results differ: %s" % (name, [w.result for w in ways.values()]))
    times = [w.seconds for w in ways.values()]
    bad = times[0] > MOST * times[1]
    print("%-38s %-9s %9.1f %9.1f %7.2f%s" % (name, note, *(1000 * t for t in times), times[0] / times[1], "  BEYOND" if bad else ""),
          flush=True)
    return bad


def compare_real(cursor, runs):
    """compares the programs on real data; returns how many take far more with little memory"""
    asked = os.environ.get("BENCH_REAL", "").split()
    works = [w for w in MORE + programs() if not asked or any(word in w.name for word in asked)]
    if any(w.in_cora for w in works):
        cora.load(cursor)
    beyond = 0
    for work in works:
        cursor.execute("set search_path = %spublic" % ("cora, " if work.in_cora else ""))
        if not work.in_cora:
            datasets.load(cursor, work.program)
        beyond += compare(cursor, work.name, "", work.program, runs)
    return beyond


def main():
    nodes, links = (int(os.environ.get(name, default)) for name, default in [("BENCH_NODES", 20000), ("BENCH_LINKS", 200000)])
    runs = int(os.environ.get("BENCH_RUNS", 3))
    cursor = datasets.connect()
    print("processor time in ms, the least of %d runs" % runs)
    print("%-38s %-9s %9s %9s %7s" % ("program", "", *MEMORY, "ratio"))
    load(cursor, nodes, links)
    beyond = 0
    for analyzed in (False, True):
        if analyzed:
            cursor.execute("select einsum_analyze('u'); analyze u")
        for name, program in PROGRAMS.items():
            beyond += compare(cursor, name, "analyzed" if analyzed else "", program, runs)
    if datasets.available():
        cursor.execute("drop table u cascade")
        beyond += compare_real(cursor, runs)
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
