"""Sums, means and products over many rows of float4, by every kind of plan, beside numpy's in float64.

    test/cluster test/python test/random/sums_of_float4.py [--rows N]

The elements are not negative, so that nothing cancels: each result has to be within two units in the last place of float4 of
what numpy adds up in float64 and rounds. Queries run hashed, sorted, hashed with batches that spill, by parallel workers, by
loop nests, by loop nests in parts, and with kernels in batches; the plan has to be of that kind. Ends with "N passed, N failed".
"""

import argparse

import numpy as np
import psycopg2

# settings of a kind of plan, and what the plans of its queries have to contain
SERIAL = ["max_parallel_workers_per_gather = 0"]
RELATIONAL = ["sparseeinsum.enable_aggregate_join = off"]
PLANS = {
    "hashed": (SERIAL + RELATIONAL + ["enable_sort = off"], "HashAggregate"),
    "sorted": (SERIAL + RELATIONAL + ["enable_hashagg = off"], "GroupAggregate"),
    "spilled": (SERIAL + RELATIONAL + ["enable_sort = off", "work_mem = '64kB'"], "HashAggregate"),
    "parallel": (RELATIONAL + ["parallel_setup_cost = 0", "parallel_tuple_cost = 0", "min_parallel_table_scan_size = 0", "enable_sort = off", "enable_mergejoin = off",
                              "enable_indexscan = off"], "Partial HashAggregate"),
    "nest": (SERIAL + ["sparseeinsum.enable_aggregate_join = force"], "AggregateJoin"),
    "parts": (SERIAL + ["sparseeinsum.enable_aggregate_join = force", "work_mem = '64kB'"], "AggregateJoin"),
    "batches": (SERIAL + RELATIONAL + ["sparseeinsum.enable_batching = force"], "Aggregate"),
}
WIDE = 700  # elements of a vector that is stored out of line


def vectors(rows, bounds, salt):
    """Fractions that SQL can make too: by row and element, of a tensor of these bounds."""
    i = np.arange(rows, dtype=np.int64)[:, None]
    e = np.arange(int(np.prod(bounds)), dtype=np.int64)[None, :]
    whole = (i * 7919 + e * 104729 + salt) % 1000003
    return (whole / 1000003.0).astype(np.float32).reshape(rows, *bounds)


def sql_vector(bound, salt):
    element = "((i * 7919 + e * 104729::bigint + %d) %% 1000003 / 1000003.0::float8)::real" % salt
    if bound == 1:
        return "(%s)::tensor" % element.replace("e * 104729::bigint", "0")
    return "(SELECT array_agg(%s ORDER BY e)::tensor FROM generate_series(0, %d) e)" % (element, bound - 1)


def create(cursor, name, rows, groups, bound, salt):
    """name(g, k, v): row i has group i % groups"""
    cursor.execute("CREATE TABLE %s (g int NOT NULL, k int PRIMARY KEY, v tensor(float4) NOT NULL)" % name)
    cursor.execute("INSERT INTO %s SELECT i %% %d, i, %s FROM generate_series(0::bigint, %d) i" % (name, groups, sql_vector(bound, salt), rows - 1))
    cursor.execute("ANALYZE " + name)


def by_group(array, groups, operation=np.sum):
    return [operation(array[g::groups].astype(np.float64), axis=0) for g in range(groups)]


def queries(rows, groups, bound, v, w, wide):
    """SQL of columns behind the group, of which tables; and what they are in float64."""
    narrow = v.astype(np.float64)
    found = [
        ("g, tensor_sum(v), tensor_avg(v)", "narrow", [by_group(v, groups), by_group(v, groups, np.mean)]),
        ("g, einsum_sum('i->', v), tensor_map_sum('$1*$1', 'i->i', v)", "narrow",
         [by_group(narrow.sum(axis=1), groups), by_group(narrow * narrow, groups)]),
        ("n.g, einsum_sum('i,->i', n.v, s.v), tensor_map_sum('$1*$2', 'i,->i', n.v, s.v)", "narrow n JOIN single s USING (k)",
         [by_group(narrow * w[:, None], groups)] * 2),
        ("n.g, einsum_sum('i->', n.v), tensor_map_sum('$1', 'i->', n.v)", "narrow n JOIN single s USING (k)", [by_group(narrow.sum(axis=1), groups)] * 2),
        ("s.g, tensor_sum(s.v), einsum_sum(',->', s.v, s.v)", "single s JOIN narrow n USING (k)", [by_group(w, groups), by_group(w.astype(np.float64) ** 2, groups)]),
        ("g, tensor_prod(tensor_map('1 + $1/1024', 'i->i', v))", "narrow",
         [by_group((np.float32(1) + v / np.float32(1024)), groups, np.prod)]),
    ]
    if wide is not None:
        many = wide.astype(np.float64)
        small = many[:, :16]
        found += [
            ("n.g, einsum_sum('i,->i', n.v, s.v), tensor_sum(n.v)", "wide n JOIN single s USING (k)",
             [by_group(many * w[: len(wide), None], groups), by_group(many, groups)]),
            ("g, einsum_sum('i,j->ij', tensor_slice(v, '{0}', '{16}'), tensor_slice(v, '{0}', '{16}'))", "wide", [by_group(np.einsum("ni,nj->nij", small, small), groups)]),
        ]
    return found


MATRICES = (600, 12, 16)  # elements of a value whose products of matrix and vector are added up, by loops around BLAS


def create_matrices(cursor, rows, groups):
    """matrices(g, k, v, u): row k has group k % groups, u is the greatest of v along its second dimension"""
    count = int(np.prod(MATRICES))
    cursor.execute("CREATE TABLE matrices (g int NOT NULL, k int PRIMARY KEY, v tensor(float4) NOT NULL, u tensor(float4) NOT NULL)")
    cursor.execute("INSERT INTO matrices SELECT g, k, v, tensor_reduce('max', v, '{1}') FROM (SELECT i %% %d AS g, i AS k, tensor_reshape(%s, '{%d,%d,%d}') AS v"
                   " FROM generate_series(0::bigint, %d) i) s" % (groups, sql_vector(count, 4), *MATRICES, rows - 1))
    cursor.execute("ANALYZE matrices")


def matrix_queries(rows, groups):
    """As queries()."""
    v = vectors(rows, MATRICES, 4).astype(np.float64)
    products = np.einsum("nabc,nac->nb", v, v.max(axis=2))
    return [
        ("g, einsum_sum('abc,ac->b', v, u), tensor_sum(einsum('abc,ac->b', v, u))", "matrices", [by_group(products, groups)] * 2),
        ("n.g, einsum_sum('abc,ac->b', n.v, n.u), tensor_sum(einsum('abc,ac->b', n.v, n.u))", "matrices n JOIN single s USING (k)",
         [by_group(products, groups)] * 2),
    ]


def compare(found, expected):
    """Units in the last place by which the text of a tensor is off."""
    numbers = np.array([float(x) for x in found.removeprefix("float4:").replace("[", "").replace("]", "").split(",")], dtype=np.float32)
    expected = np.asarray(expected).reshape(-1).astype(np.float32)
    if not (found.startswith("float4:") and numbers.shape == expected.shape):
        return np.inf
    return float(np.max(abs(numbers.astype(np.float64) - expected) / np.spacing(expected)))


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, good, message):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(message)


def run(cursor, tally, name, columns, source, expected):
    settings, node = PLANS[name]
    cursor.execute("SAVEPOINT s")
    for setting in settings:
        cursor.execute("SET LOCAL " + setting)
    key = columns.split(",")[0]
    sql = "SELECT %s FROM %s GROUP BY %s" % (columns, source, key)
    cursor.execute("EXPLAIN (COSTS OFF) " + sql)
    plan = "\n".join(row[0] for row in cursor.fetchall())
    if node == "AggregateJoin" and (cursor.connection.server_version < 150000 or "JOIN" not in source):
        node = ""
    # of few rows for each group, and of few rows, the workers send the rows
    if node.startswith("Partial") and (len(expected[0]) > 100 or "matrices" in source):
        node = "Gather"
    tally.check(node in plan, "%s: %s\n%s" % (name, sql, plan))
    cursor.execute("SELECT %s" % ", ".join("(q).%s::text" % c for c in ["key"] + ["c%d" % i for i in range(len(expected))])
                   + " FROM (%s) AS q(key, %s)" % (sql, ", ".join("c%d" % i for i in range(len(expected)))))
    rows = cursor.fetchall()
    tally.check(len(rows) == len(expected[0]), "%s: %s has %d rows" % (name, sql, len(rows)))
    for i, column in enumerate(expected):
        off = max(compare(row[1 + i], column[int(row[0])]) for row in rows)
        tally.check(off <= 2, "%s: column %d of %s is %g units off" % (name, i + 1, sql, off))
    cursor.execute("ROLLBACK TO s")


def programs(cursor, tally, rows, groups, w):
    """Over open keys, as views and values, by some plans."""
    cursor.execute("SELECT einsum_register('x[G,K]', 'single', keys => '{g,k}', value => 'v')")
    cursor.execute("SELECT einsum_register('y[G,K]', 'real_single', keys => '{g,k}', value => 'v')")
    expected = by_group(w, groups)
    for name, (settings, _) in PLANS.items():
        cursor.execute("SAVEPOINT s")
        for setting in settings:
            cursor.execute("SET LOCAL " + setting)
        for tensor in "xy":
            cursor.execute("SELECT i::text, value::text FROM einsum_rows('z[I] = sum[k] %s[i,k]') AS t(i int, value tensor)" % tensor)
            off = max(compare(value, expected[int(i)]) for i, value in cursor.fetchall())
            tally.check(off <= 2, "%s: a program's sum of %s is %g units off" % (name, tensor, off))
        cursor.execute("ROLLBACK TO s")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100000)
    arguments = parser.parse_args()
    connection = psycopg2.connect("")
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION IF NOT EXISTS sparseeinsum")
    tally = Tally()
    for rows, groups, bound, nwide in [(10000, 7, 3, 1000), (arguments.rows, 3, 3, 0), (10000, 3000, 3, 0)]:
        v, w = vectors(rows, (bound,), 1), vectors(rows, (1,), 2)[:, 0]
        create(cursor, "narrow", rows, groups, bound, 1)
        create(cursor, "single", rows, groups, 1, 2)
        cursor.execute("CREATE TABLE real_single (g, k, v) AS SELECT g, k, v::float8::real FROM single")
        cursor.execute("ALTER TABLE real_single ADD PRIMARY KEY (g, k), ALTER v SET NOT NULL")
        wide = vectors(nwide, (WIDE,), 3) if nwide else None
        if nwide:
            create(cursor, "wide", nwide, groups, WIDE, 3)
        if nwide:
            create_matrices(cursor, 12, groups)
        for columns, source, expected in queries(rows, groups, bound, v, w, wide) + (matrix_queries(12, groups) if nwide else []):
            for name in PLANS:
                run(cursor, tally, name, columns, source, expected)
        cursor.execute("ALTER TABLE single ADD UNIQUE (g, k)")
        programs(cursor, tally, rows, groups, w)
        connection.rollback()
        cursor.execute("CREATE EXTENSION IF NOT EXISTS sparseeinsum")
    # as many rows, and as many elements of one value, as take little time
    cursor.execute("SELECT avg(tensor 'float4:[0.1]')::text, sum(tensor 'float4:[1]')::text FROM generate_series(1, 3000000)")
    mean, total = cursor.fetchone()
    tally.check(compare(mean, np.float32(0.1)) <= 2, "mean of rows: " + mean)
    tally.check(compare(total, 3000000.0) == 0, "sum of rows: " + total)
    for function in ["tensor_reduce('sum', v)", "einsum('i->', v)", "einsum('ji->i', tensor_reshape(v, '{10000000,1}'))", "tensor_map('$1', 'i->', v)"]:
        cursor.execute("SELECT (%s)::text FROM (SELECT tensor_full('{10000000}', 0.1, 'float4') AS v) s" % function)
        found = cursor.fetchone()[0]
        if not found.startswith("float4:["):
            found = "float4:[%s]" % found.removeprefix("float4:")
        tally.check(compare(found, 1e7 * float(np.float32(0.1))) <= 2, "%s: %s" % (function, found))
    # a result that has room in one value in float4 only
    cursor.execute("SELECT tensor_shape(t)::text, tensor_reduce('min', t)::text, tensor_reduce('max', t)::text"
                   " FROM (SELECT tensor_reduce('sum', tensor_full('{1,140000000}', 0.1, 'float4'), '{0}') AS t OFFSET 0) s")
    found = cursor.fetchone()
    tally.check(found[0] == "{140000000}" and {x.removeprefix("float4:") for x in found[1:]} == {"0.1"}, "a large result: %s" % (found,))
    print("%d passed, %d failed" % (tally.passed, tally.failed))
    return tally.failed > 0


if __name__ == "__main__":
    raise SystemExit(main())
