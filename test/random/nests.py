"""Random joins and aggregates of tables, by the loop nest and by PostgreSQL's plans.

    test/cluster test/python test/random/nests.py [--seed S] [--count N] [--workers W] [--memory M]

Tables of up to some thousand rows, so that all formats and ways of looking up are used, of small
integers, so that every order of a sum has the same bits. Keys are integers, or what is made of them: texts, uuids, numbers of
several scales. Each query runs with
sparseeinsum.enable_aggregate_join = force and off. Ends with "N passed, N failed".
"""

import argparse
import collections
import random
import re

import psycopg2

from _coverage import Coverage, loop_nests

# what may come of a query
OUTCOMES = ["have nests", "in parts", "shared", "streamed", "parallel", "parallel with rows of the leader", "with dictionaries", "parallel with dictionaries",
            "by the relational plan in the end", "of these for equal keys that are not identical"]
SHAPES = ["1", "{3}", "{40}", "{2,3}"]
# keys by dictionaries: a type, and how an integer becomes one
KEYS = [("text", "'key ' || (%s)"), ("varchar(30)", "repeat('x', ((%s) %% 20)::int) || (%s)"), ("uuid", "md5((%s)::text)::uuid"),
        ("numeric", "(%s)::numeric / 4"), ("numeric", "trunc((%s) * 1.000, (random() * 3)::int)"), ("float8", "(%s) / 8.0"), ("date", "date '2000-01-01' + (%s)::int"),
        ("text COLLATE nest_case", "CASE WHEN random() < 0.5 THEN 'k' ELSE 'K' END || (%s)"), ("int[]", "ARRAY[(%s)::int]"), ("nest_pair", "ROW((%s) %% 10, (%s)::text)::nest_pair")]


def made_of(key, number):
    """SQL of a key made of an integer."""
    return key[1].replace("%s", number).replace("%%", "%") if key else number


def table(rng, name, crowded, key_type):
    """SQL of a table: up to three keys, a number and a tensor; maybe duplicates, gaps, NULL keys. And of an index how many rows have it."""
    rows = rng.choice([60, 3000, 9000, 20000, 20000] if crowded else [0, 1, 7, 60, 400, 400, 3000, 3000])
    bound = rng.choice([600, 5000, 20000] if crowded else [3, 20, 80, 600, 5000])
    skew = rng.choice([1, 1, 2])
    key = "%s * floor(random() ^ %d * %d)%s" % (
        rng.choice(["1", "1", "1", "100003", "-3"]), skew, bound, rng.choice(["", "", "", " - 1"]))
    types = [rng.choice(["int", "bigint", "smallint"]) if bound < 600 else "bigint" for _ in range(3)]
    nulls = rng.choice(["", "", "", "CASE WHEN random() < 0.01 THEN NULL ELSE "])
    # made of one number, as random() gives two
    keys = ", ".join(nulls + made_of(key_type, "k%d::bigint" % n) + (" END" if nulls else "") for n in range(3))
    numbers = ", ".join("%s AS k%d" % (key, n) for n in range(3))
    shape = rng.choice(SHAPES[1:])
    types = ["bigint" if "100003" in key else t for t in types]
    types = [key_type[0]] * 3 if key_type else types
    return ["CREATE TABLE %s (a %s, b %s, c %s, v float8 NOT NULL, r real NOT NULL, x tensor NOT NULL)" % (name, *types),
            "INSERT INTO %s SELECT %s, floor(random() * 9) - 4, floor(random() * 5), tensor_full('%s', floor(random() * 7) - 3)"
            " FROM (SELECT %s FROM generate_series(1, %d)) s" % (name, keys, shape, numbers, rows),
            "ANALYZE " + name], rows, rows / (bound / 4 if crowded else 20)


def entries(rng, name, key_type):
    """what functions of its columns make of a table's rows, which is joined with them by a nested loop"""
    call = rng.choice(["einsum_unstack_scalar(tensor_full('{3}', t.v), 0) AS u(index, value)", "generate_series(0, t.%s::int %% 4) AS u(index)" % ("r" if key_type else "c")])
    column = rng.choice("abc")
    # the same each time that it is computed
    columns = ["%s AS %s" % (made_of(key_type, "u.index").replace("random()", "0.4"), c) if c == column else "t.%s" % c for c in "abc"] + ["u.value AS v" if "value" in call else "t.v", "t.r", "t.x"]
    return "(SELECT %s FROM %s t, LATERAL %s%s)" % (", ".join(columns), name, call, rng.choice(["", "", " WHERE t.v > 1", " WHERE u.index > 0"]))


def grouped(rng, name):
    """groups of a table's rows, which are a nest of their own, over some of its columns"""
    a, b = rng.sample("abc", 2)
    keys = {column: "t." + column if column in (a, b) else "t." + a for column in "abc"}
    return "(SELECT %s, tensor_sum(t.v) AS v, tensor_max(t.v)::real AS r, %s AS x FROM %s t GROUP BY t.%s, t.%s)" % (
        ", ".join("%s AS %s" % (keys[c], c) for c in "abc"), rng.choice(["tensor_max(t.x)", "tensor_full('{3}', tensor_sum(t.v))"]), name, a, b)


def query(rng, tables, crowded, key_type):
    """A query over some of the tables."""
    count = rng.choice([1, 2, 2, 2, 3] if crowded else [1, 2, 2, 3, 3, 3, 4])
    labels = "ijkl"
    inner, outer, where, keys = [], [], [], {}
    values, tensors, common = [], [], []
    size = 1
    for n in range(count):
        name, rows, alike = rng.choice(tables)
        alias = "t%d" % n
        kind = rng.random()
        source = entries(rng, name, key_type) if kind < 0.25 else grouped(rng, name) if kind < 0.45 else name
        # which workers cannot read
        if rng.random() < 0.1:
            source = "(WITH m AS MATERIALIZED (SELECT * FROM %s s) SELECT * FROM m)" % source
        elif rng.random() < 0.15:
            known_as = "m%d" % n
            common.append("%s AS MATERIALIZED (SELECT * FROM %s s)" % (known_as, source))
            source = known_as
        elif rng.random() < 0.1:
            source = "(SELECT * FROM %s s WHERE (SELECT count(*) FROM %s) > %d)" % (source, tables[0][0], rng.choice([-1, 1000000]))
        columns = rng.sample("abc", rng.choice([1, 2, 2, 3]))
        left = n > 0 and rng.random() < 0.3
        conditions = []
        own = {}
        for column in columns:
            known = [label for label in labels if label in keys]
            label = rng.choice(known) if left or (n > 0 and not conditions and known) else rng.choice(labels)
            if label in keys:
                conditions.append("%s.%s = %s" % (alias, column, keys[label]))
            elif not left:
                own.setdefault(label, "%s.%s" % (alias, column))
        if not left:
            keys.update({k: v for k, v in own.items() if k not in keys})
        if left and conditions:
            outer.append(" LEFT JOIN %s %s ON %s" % (source, alias, " AND ".join(conditions)))
            values.append("COALESCE(%s.v, %d)" % (alias, rng.randint(-2, 2)))
        else:
            inner.append("%s %s" % (source, alias))
            where += conditions
            values.append(rng.choice(["%s.v", "%s.v", "%s.r::float8"]) % alias)
            tensors.append("%s.x" % alias)
        size *= max(rows, 1) if not conditions else max(alike, 1)
    if size > 3e6:
        return None
    common = "WITH %s " % ", ".join(common) if common else ""
    number = values[0]
    for value in values[1:]:
        number = "%s(%s, %s)" % (rng.choice(["scalar_multiply", "scalar_multiply", "scalar_add", "scalar_greatest"]), number, value)
    if tensors and rng.random() < 0.3:
        # a sum in the kernel
        x, y = rng.choice(tensors), rng.choice(tensors)
        inner = rng.choice(["inner_prod(%s, %s)" % (x, y), "einsum_scalar('a,a->', %s, %s)" % (x, y), "tensor_map_scalar('$1 - $2', 'a,->', %s, %s)" % (x, number)])
        number = rng.choice(["scalar_multiply(%s, %s)", "scalar_add(%s, scalar_abs(%s))"]) % (number, inner)
    aggregates = ["count(*) AS n", "tensor_%s(%s) AS f" % (rng.choice(["sum", "sum", "min", "max", "any", "all"]), number)]
    if tensors:
        x = rng.choice(tensors)
        aggregates.append(rng.choice([
            "tensor_sum(%s)" % x, "einsum_sum(',...->...', %s, %s)" % (number, x), "tensor_max(%s)" % x,
            "einsum_sum(',a->a', %s, %s)" % (number, x), "einsum_sum_scalar('a,a->', %s, %s)" % (x, x),
            "tensor_map_min('$1 * $2', 'a,->a', %s, %s)" % (x, number), "einsum_sum('a,b->ab', %s, %s)" % (x, rng.choice(tensors))]) + " AS x")
    # parts are of a label that groups have
    groups = sorted(rng.sample(sorted(keys), rng.randint(1 if crowded else 0, len(keys))))
    if count > 1 and size < 3e5 and rng.random() < 0.4:
        return common + joined_rows(rng, "FROM %s%s%s" % (" CROSS JOIN ".join(inner), "".join(outer), " WHERE " + " AND ".join(where) if where else ""),
                           ["%s AS %s" % (keys[g], g) for g in groups], values, number, tensors)
    sql = common + "SELECT %s FROM %s%s" % (", ".join(["%s AS %s" % (keys[g], g) for g in groups] + aggregates), " CROSS JOIN ".join(inner), "".join(outer))
    if where:
        sql += " WHERE " + " AND ".join(where)
    if groups:
        sql += " GROUP BY " + ", ".join(keys[g] for g in groups)
    return sql


def joined_rows(rng, source, keys, values, number, tensors):
    """The joined rows of operands with keys, numbers and kernels of tensors; maybe under an aggregate of PostgreSQL's."""
    columns = keys + ["%s AS n" % number] + ["%s AS v%d" % (value, i) for i, value in enumerate(values) if rng.random() < 0.7]
    for i, x in enumerate(tensors):
        y = rng.choice(tensors)
        columns.append(rng.choice([
            "inner_prod(%s, %s)" % (x, y), "einsum_scalar('a,a->', %s, %s)" % (x, y), "einsum_scalar(',a,a->', %s, %s, %s)" % (number, x, y),
            "tensor_map_scalar('$1 * $2 + 1', 'a,->', %s, %s)" % (x, number), "tensor_shape(%s)" % x, "vec_sca_mult(%s, %s)" % (x, number),
            "1 + inner_prod(%s, %s) * %s" % (x, y, number)]) + " AS x%d" % i)
    shape = rng.choice(["rows", "rows", "sorted", "grouped", "whole"])
    if shape == "grouped" and keys:
        return "SELECT %s, sum(x) AS x, count(*) AS n FROM (SELECT %s, %s AS x %s) s GROUP BY %s" % (
            keys[0].split()[-1], keys[0], number, source, keys[0].split()[-1])
    if shape == "whole" and tensors:
        return "SELECT sum(inner_prod(%s, %s)) AS x, max(%s) AS n, count(*) AS m %s" % (tensors[0], tensors[-1], number, source)
    return "SELECT %s %s%s" % (", ".join(columns), source, " ORDER BY n" if shape == "sorted" else "")


def roll_back(cursor):
    """to the savepoint; a timeout may have come at the end of a query that has returned its rows, and PostgreSQL cancels the next statement then"""
    try:
        cursor.execute("ROLLBACK TO s")
    except psycopg2.errors.QueryCanceled:
        cursor.execute("ROLLBACK TO s")


def run(cursor, sql, use):
    """The rows as text, or the error."""
    cursor.execute("SAVEPOINT s")
    try:
        cursor.execute("SET LOCAL sparseeinsum.enable_aggregate_join = " + use)
        cursor.execute("SELECT s::text FROM (%s) s" % sql)
        # which zero is the greatest depends on the order
        return sorted(re.sub(r"-0(?![\d.])", "0", row[0]) for row in cursor.fetchall())
    except psycopg2.errors.QueryCanceled:
        return None
    except psycopg2.Error as error:
        return "%s %s" % (error.pgcode, error.diag.message_primary)
    finally:
        roll_back(cursor)


def explained(cursor, sql):
    """the loop nests of its plan; none if it takes too long this time"""
    cursor.execute("SAVEPOINT s; SET LOCAL sparseeinsum.enable_aggregate_join = force")
    try:
        cursor.execute("EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF, SUMMARY OFF, FORMAT JSON) " + sql)
        return list(loop_nests(cursor.fetchone()[0][0]["Plan"]))
    except psycopg2.errors.QueryCanceled:
        return []
    finally:
        roll_back(cursor)


def what_came_of(nodes, has_common):
    """Which of the outcomes a query's loop nests have."""
    relational = any("Relational Plan" in node for node in nodes)
    parallel = any(node["Parallel Aware"] for node in nodes)
    keys = not relational and any("Dictionary Keys" in node for node in nodes)
    happened = [bool(nodes), not parallel and any("Spilled" in node for node in nodes), any("Read Before" in node for node in nodes),
                any("Rows Streamed" in node for node in nodes), parallel, parallel and has_common, keys, keys and parallel, relational,
                any("not identical" in node.get("Relational Plan", "") for node in nodes)]
    return [name for name, it_did in zip(OUTCOMES, happened) if it_did]


def same(found, expected, any_spelling):
    """Are they the same rows? Which of several equal keys a group has depends on the row that comes first: of processes, or of what spills."""
    if isinstance(found, str) and isinstance(expected, str):
        # an error's text may name another pair of shapes
        return found[:5] == expected[:5]
    if found == expected or not any_spelling or isinstance(found, str) or isinstance(expected, str):
        return found == expected
    one_spelling = [sorted(re.sub(r"(\d)\.0+(?!\d)", r"\1", row.lower()) for row in rows) for rows in (found, expected)]
    return one_spelling[0] == one_spelling[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--workers", type=int, help="in place of any number up to 2")
    parser.add_argument("--memory", help="work_mem, in place of 64 kB to 64 MB")
    arguments = parser.parse_args()
    connection = psycopg2.connect("", options="-c search_path=public,sparseeinsum_internal")
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION IF NOT EXISTS sparseeinsum")
    cursor.execute("SELECT count(*) > 0 FROM pg_collation WHERE collname = 'und-x-icu'")
    if cursor.fetchone()[0]:
        cursor.execute("CREATE COLLATION IF NOT EXISTS nest_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    else:
        KEYS[:] = [key for key in KEYS if "nest_case" not in key[0]]
    cursor.execute("DROP TYPE IF EXISTS nest_pair; CREATE TYPE nest_pair AS (n bigint, t text)")
    passed = failed = 0
    outcomes = collections.Counter()  # of queries
    kinds = Coverage()  # of nodes
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        rng = random.Random(seed)
        connection.commit()
        cursor.execute("SELECT setseed(%s)", (rng.random(),))
        cursor.execute("SET LOCAL client_min_messages = error; SET LOCAL statement_timeout = '20s'")
        workers = rng.choice([0, 0, 1, 2])
        if arguments.workers is not None:
            workers = arguments.workers
        for setting in ["max_parallel_workers_per_gather = %d" % workers, "min_parallel_table_scan_size = 0", "parallel_setup_cost = 0", "parallel_tuple_cost = 0",
                        "parallel_leader_participation = %s" % rng.choice(["on", "on", "off"])]:
            cursor.execute("SET LOCAL " + setting)
        crowded = rng.random() < 0.5
        memory = rng.choice(["64kB", "128kB", "256kB", "1MB"] if crowded else ["64kB", "128kB", "256kB", "1MB", "64MB", "64MB"])
        cursor.execute("SET LOCAL work_mem = '%s'" % (arguments.memory or memory))
        tables = []
        key_type = rng.choice(KEYS) if rng.random() < 0.4 else None
        for n in range(3):
            sql, rows, alike = table(rng, "nest_%d" % n, crowded, key_type)
            for statement in sql:
                cursor.execute(statement)
            tables.append(("nest_%d" % n, rows, alike))
        for _ in range(12):
            sql = query(rng, tables, crowded, key_type)
            if sql is None:
                continue
            expected, found = run(cursor, sql, "off"), run(cursor, sql, "force")
            if expected is None or found is None:
                continue
            if isinstance(expected, list):
                nodes = explained(cursor, sql)
                outcomes.update(what_came_of(nodes, "MATERIALIZED" in sql))
                kinds.add_nests(nodes)
            if same(found, expected, workers or sql.count("GROUP BY") > 1):
                passed += 1
                continue
            failed += 1
            print("seed %d: %s" % (seed, sql))
            if isinstance(expected, list) and isinstance(found, list):
                wrong = sorted(set(found) ^ set(expected))
                print("  %d rows, %d expected; %s" % (len(found), len(expected), wrong[:4]))
            else:
                print("  %.200s; expected %.200s" % (found, expected))
        connection.rollback()
    print(", ".join("%d %s" % (outcomes[name], name) for name in OUTCOMES))
    kinds.report_nests()
    # PostgreSQL 14 has no loop nests: the queries are compared all the same
    if connection.server_version >= 150000 and (
            outcomes["have nests"] - outcomes["by the relational plan in the end"] < 2 * arguments.count or (arguments.count >= 20 and outcomes["with dictionaries"] < arguments.count / 2)):
        print("these are too few")
        failed += 1
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    raise SystemExit(main())
