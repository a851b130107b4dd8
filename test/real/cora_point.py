"""WHERE i = 42 on a view whose last stage promotes i reads, in that stage, only
the rows of 42: key columns are neither cast nor hidden, so that the condition
reaches an index, also where keys are bigint.

Row counts are those of EXPLAIN (ANALYZE, FORMAT JSON): what scans returned and
what their filters threw away.
"""

import json
import sys

import numpy as np
from _data import cursor_for

sys.path.insert(0, "test/data")
import planetoid_cora as cora  # noqa: E402

NODE = 42


def rows_read(node, inside=False):
    """(relation, rows) of the scans of a plan's topmost stage: those below the
    first aggregation, but not below another one, which is another stage's"""
    if node["Node Type"] == "Aggregate" or node.get("Custom Plan Provider") == "AggregateJoin":
        if inside:
            return []
        inside = True
    found = []
    if "Relation Name" in node:
        rows = node["Actual Rows"] + node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
        found.append((node["Relation Name"], round(rows * node["Actual Loops"])))
    for child in node.get("Plans", []):
        # a scalar subquery runs once, whatever i is
        if child["Parent Relationship"] != "InitPlan":
            found += rows_read(child, inside)
    return found


def all_rows_read(node):
    """(relation, rows) of all scans of a plan"""
    found = []
    if "Relation Name" in node:
        rows = node["Actual Rows"] + node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
        found.append((node["Relation Name"], round(rows * node["Actual Loops"])))
    for child in node.get("Plans", []):
        found += all_rows_read(child)
    return found


def numbers(rows):
    """rows as an array: keys, then the elements of the value; NULL fails"""
    return np.array([[float(x) for x in str(row).strip("()").replace("'", "").replace("[", "").replace("]", "").split(",")]
                     for row in rows])


def main():
    cursor = cursor_for("planetoid_cora")
    cora.load(cursor)
    passed = failed = 0

    def check(name, ok, detail):
        nonlocal passed, failed
        if ok:
            passed += 1
            print("ok      " + name)
        else:
            failed += 1
            print("FAILED  %s: %s" % (name, detail))

    cursor.execute("select count(*) from link where i = %s", (NODE,))
    degree, = cursor.fetchone()
    for key in "int", "bigint":
        # the normalised adjacency and the first layer's result as tables
        cursor.execute("""
            drop table if exists edge, hidden cascade;
            create table edge (dst {0}, src {0}, weight float8 not null, primary key (dst, src));
            insert into edge
            select l.i, l.j, 1 / sqrt(a.links * b.links) from link l
            join (select i, count(*) as links from link group by i) a on a.i = l.i
            join (select i, count(*) as links from link group by i) b on b.i = l.j;
            create table hidden (id {0} primary key, value tensor not null);
            insert into hidden select i, tensor_random('{{16}}', i) from generate_series(0, 2707) i;
            """.format(key))
        cursor.execute("vacuum analyze edge, hidden")
        cora.register(cursor, "n[I,J]", "edge", "{dst,src}", "weight", [cora.N, cora.N])
        cora.register(cursor, "h[I,m]", "hidden", "{id}", "value", [cora.N, cora.HIDDEN])
        cora.register(cursor, "g[I,J]", "edge", "{dst,src}", None, [cora.N, cora.N])
        tests = [
            # all of it is one stage over two tables: both are read by key
            ("one stage", "z[I,m] = sum[J] n[I,J] * h[J,m]", "z", {"edge": degree, "hidden": degree}),
            ("one row per entry", "z[I,m] = sum[J] n[I,J] * h[J,m]", "z", {"edge": degree, "hidden": degree}),
            # the last stage of a layer: the products with the weights are another's
            ("second layer", "z[I,c] = sum[J,m] n[I,J] * h[J,m] * w2[m,c]", "z", {"edge": degree}),
            # both layers, with the adjacency normalised by a view: its rows belong to the last stage
            ("convolution",
             cora.CONVOLUTION.replace("z[i,c]", "z[I,c]").replace("a[i,j]", "g[i,j]")
             .replace("h[", "hidden1[").replace("n[", "n1["), "z", {"edge": degree}),
        ]
        for name, program, view, most in tests:
            options = ", result => 'rows'" if name == "one row per entry" else ", result => 'auto'"
            if name == "convolution":
                # by default the view computes its operand once, and not in the last stage
                cursor.execute("select count(*) from einsum_decompose(%s, 'tested', result => 'auto')", (program,))
                cursor.execute("explain (analyze, format json) select * from %s where i = %d" % (view, NODE))
                kept = cursor.fetchone()[0][0]["Plan"]
                cursor.execute("select einsum_drop('tested')")
                options = ", materialize => 'never'"
            if name == "one row per entry":
                program = program.replace("z[I,m]", "z[i,m]")
            cursor.execute("select count(*) from einsum_decompose(%s, 'tested'" + options + ")", (program,))
            cursor.execute("select * from %s where i = %d" % (view, NODE))
            restricted = sorted(cursor.fetchall())
            cursor.execute("select * from %s" % view)
            wanted = sorted(row for row in cursor.fetchall() if row[0] == NODE)
            cursor.execute("explain (analyze, format json) select * from %s where i = %d" % (view, NODE))
            plan = cursor.fetchone()[0][0]["Plan"]
            read = rows_read(plan)
            check("%s keys, %s: rows of the last stage" % (key, name),
                  all(rows <= most[relation] for relation, rows in read if relation in most) and
                  set(most) <= {relation for relation, rows in read}, read)
            if name == "convolution":
                kept_edges, edges = (sum(rows for relation, rows in all_rows_read(p) if relation == "edge")
                                     for p in (kept, plan))
                check("%s keys, %s: no more edges are read where a stage is computed once" % (key, name),
                      0 < kept_edges <= edges, (kept_edges, edges))
            # rows are added up in another order
            restricted, wanted = numbers(restricted), numbers(wanted)
            check("%s keys, %s: the same rows as without a condition" % (key, name),
                  restricted.shape == wanted.shape and restricted.size > 0 and
                  np.max(abs(restricted - wanted)) <= 1e-12, (restricted, wanted))
            cursor.execute("select einsum_drop('tested')")
        if key == "int":
            cursor.execute("select einsum_unregister('n', 'edge'), einsum_unregister('g', 'edge'), einsum_unregister('h', 'hidden')")
    print("%d passed, %d failed" % (passed, failed))
    return 0 if failed == 0 else 1


sys.exit(main())
