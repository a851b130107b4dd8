"""Estimates of joins of skewed graphs beside what there is: wedges, stars, paths,
triangles and cycles of four edges of every graph of the data sets, as the default
estimator sees them after einsum_analyze.

Wedges, stars and paths are counted here, from the degrees. The closed ones are
constants, counted once by sparse matrix products: the sums of the entries of
(A A) * A and of (A A) * (A A)'.
"""

import gzip
import json
import os
import statistics
import sys

from _data import cursor_for, directory

# triangles a[i,j] a[j,k] a[i,k], and closed walks a[i,j] a[j,k] a[k,l] a[l,i]
GRAPHS = {
    "graph_ca_grqc": (289560, 9386220),
    "graph_ego_twitter": (78495036, 9113755528),
    "graph_email_eu_core": (432801, 19305492),
    "graph_facebook": (9672060, 1189620288),
    "graph_p2p_gnutella31": (1967, 264),
    "graph_usroads": (25422, 1565306),
    "graph_wiki_vote": (746557, 5078142),
    "amazon_computers": (9164814, 1313467114),
    "amazon_photo": (4304400, 402894398),
    "citationfull_citeseer": (6246, 205862),
    "cora": (9348, 254230),
    "planetoid_citeseer": (7002, 165256),
    "planetoid_cora": (9780, 257072)}

# name, program, largest q-error, SQL of the count over degrees o (of i) and d (of j)
OPEN = [
    ("wedge through a node", "t[I,J,K] = a[I,J]*a[J,K]", 1.2, "sum(d * o)"),
    ("wedge out of a node", "t[I,J,K] = a[I,J]*a[I,K]", 1.2, "sum(o * o)"),
    ("wedge into a node", "t[I,J,K] = a[J,I]*a[K,I]", 1.2, "sum(d * d)"),
    ("star of three", "t[I,J,K,L] = a[I,J]*a[I,K]*a[I,L]", 1.2, "sum(o ^ 3)"),
    ("star of three, one edge turned", "t[I,J,K,L] = a[J,I]*a[I,K]*a[I,L]", 1.2, "sum(d * o ^ 2)"),
    ("path of three edges", "t[I,J,K,L] = a[I,J]*a[J,K]*a[K,L]", 4, None)]
CLOSED = [
    ("triangle", "t[I,J,K] = a[I,J]*a[J,K]*a[I,K]"),
    ("cycle of four", "t[I,J,K,L] = a[I,J]*a[J,K]*a[K,L]*a[L,I]")]
MEDIAN = 10


def q_error(estimated, true):
    return max(estimated / true, true / estimated)


def main():
    cursor = cursor_for("graph_facebook")
    cursor.execute("create extension if not exists sparseeinsum")
    passed = failed = 0
    closed = {name: [] for name, _ in CLOSED}

    def one(query, *arguments):
        cursor.execute(query, arguments)
        value, = cursor.fetchone()
        return value

    def estimate(program):
        """tuples of its only stage"""
        cursor.execute("select einsum_plan(%s, format => 'json', result => 'auto')", (program,))
        plan, = json.loads("\n".join(line for line, in cursor.fetchall()))
        stage, = plan["stages"]
        return stage["tuples"]

    def check(name, error, limit):
        nonlocal passed, failed
        if error <= limit:
            passed += 1
            print("ok      %s: %.2f x" % (name, error))
        else:
            failed += 1
            print("FAILED  %s: %.2f x, more than %g" % (name, error, limit))

    for graph, counts in GRAPHS.items():
        cursor.execute("create table link (i int, j int)")
        with gzip.open(os.path.join(directory(graph), "edges.tsv.gz")) as edges:
            cursor.copy_expert("copy link from stdin", edges)
        cursor.execute("""
            alter table link add primary key (i, j);
            create temp table degree as
                select coalesce(o, 0)::float8 as o, coalesce(d, 0)::float8 as d, v
                from (select i as v, count(*) as o from link group by i) s
                full join (select j as v, count(*) as d from link group by j) t using (v)""")
        nodes = one("select 1 + max(greatest(i, j)) from link")
        cursor.execute("select einsum_register('a[I,J]', 'link', '{i,j}', bounds => %s::text[])", ([nodes, nodes],))
        cursor.execute("select einsum_analyze('a')")
        for name, program, limit, count in OPEN:
            true = one("select %s from degree" % count if count else
                       "select sum(p.d * q.o) from link join degree p on p.v = i join degree q on q.v = j")
            check("%s, %s" % (name, graph), q_error(estimate(program), true), limit)
        for (name, program), true in zip(CLOSED, counts):
            closed[name].append(q_error(estimate(program), true))
        cursor.execute("drop table link, degree")
    for name, errors in closed.items():
        print("        %s: %s" % (name, " ".join("%.1f" % e for e in sorted(errors))))
        check("%s, median of all graphs" % name, statistics.median(errors), MEDIAN)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
