"""Layouts of arrays, against what the view einsum_layouts says that they mean.

    test/cluster test/python test/random/layouts.py [--seed S] [--count N]

Arrays are drawn for each layout, and its meaning, a Python comprehension, is evaluated over them. einsum_entries returns
the same entries, and so does a program over a registered row, whatever plan is chosen. Then the entries of a drawn tensor are
written by einsum_store in each layout, its arrays are read by that comprehension again, and by a program. What the layout has no
place for is an error. Ends with "N passed, N failed".
"""

import argparse
import itertools
import json
import math
import random
import sys

import psycopg2
import psycopg2.errors

SETTINGS = ["sparseeinsum.enable_aggregate_join = force", "sparseeinsum.enable_aggregate_join = off", "enable_hashjoin = off"]


def ascending(rng, bound):
    return sorted(rng.sample(range(bound), rng.randint(0, bound)))


def draw(name, rng, half=False):
    """Columns of a layout, the bounds of its indices, and how many values there are; None is the column of these. half: no index
    is less than the one before it, and both have the same bound."""
    rows, columns = rng.randint(0, 6), rng.randint(1, 9)
    if half:
        rows = columns - (name == "csc")
    square = [rows, rows]
    if name == "csr":
        lists = [[j for j in ascending(rng, columns) if not half or j >= i] for i in range(rows)]
        indices = sum(lists, [])
        return [[sum(map(len, lists[:i])) for i in range(rows + 1)], indices, None], [rows, columns], len(indices)
    if name == "csc":
        lists = [[i for i in ascending(rng, rows + 1) if not half or i <= j] for j in range(columns)]
        indices = sum(lists, [])
        return [[sum(map(len, lists[:j])) for j in range(columns + 1)], indices, None], [rows + 1, columns], len(indices)
    if name == "csf":
        entries = sorted({tuple(rng.randrange(b) for b in (4, 3, 5)) for _ in range(rng.randint(0, 25))})
        entries = [e for e in entries if not half or e[1] <= e[2]]
        levels = [sorted({e[: d + 1] for e in entries}) for d in range(3)]
        # an index of the first level that has no entries below it
        levels[0] = sorted({*levels[0], *[(7,)] * rng.randint(0, 1)})
        arrays = [[node[-1] for node in levels[0]]]
        for above, level in zip(levels, levels[1:]):
            arrays += [[sum(n[:-1] < a for n in level) for a in above] + [len(level)], [n[-1] for n in level]]
        return arrays + [None], [8, 5 if half else 3, 5], len(entries)
    if name == "lists":
        indices = ascending(rng, columns)
        return [indices, None], [columns], len(indices)
    if name == "coo":
        entries = [(i, j) for i in range(rows) for j in range(columns) if rng.random() < 0.4 and (not half or i <= j)]
        rng.shuffle(entries)
        return [[e[0] for e in entries], [e[1] for e in entries], None], [rows, columns], len(entries)
    if name in ("lower", "upper"):
        return [None], square, rows * (rows + 1) // 2
    if name == "diagonal":
        return [None], square, rows
    if name == "band":
        below, above = rng.randint(0, 3), rng.randint(0, 3)
        below *= not half
        return [None, below, above], square, rows * (below + 1 + above)
    if name == "object":
        return [None], [columns], columns
    if name == "zorder":
        k = rng.randint(0, 2)
        bounds = [2**k, 2 ** (k - (k > 0 and rng.random() < 0.5))]
        return [None], bounds, math.prod(bounds)
    raise ValueError("no arrays are drawn for layout " + name)


def sql_array(numbers, kind):
    return "'{%s}'::%s[]" % (",".join(map(str, numbers)), kind)


def entries_meant(layout, arrays, mirror):
    """What the comprehension says, as {indices: value}; mirror: that of symmetric, or None."""
    columns = layout["columns"].replace("...", "j" if layout["name"] == "coo" else "ptr2,idx2").split(",")
    found = eval(layout["meaning"], dict(zip(columns, arrays)))
    if mirror:
        # the meaning is that of the last two indices
        parts = {k[:-2]: {} for k in found}
        for k, x in found.items():
            parts[k[:-2]][k[-2:]] = x
        found = {k + e: x for k, part in parts.items() for e, x in eval(mirror, {"entries": part}).items()}
    return {k if isinstance(k, tuple) else (k,): float(x) for k, x in found.items()}


def check(cursor, layout, mirror, rng):
    name = layout["name"]
    arrays, bounds, length = draw(name, rng, bool(mirror))
    if mirror:
        bounds = [*bounds[:-2], max(bounds), max(bounds)]
        name = "symmetric " + name
    place = arrays.index(None)
    arrays[place] = [rng.randint(-3, 3) for _ in range(length)]
    fill = rng.choice([0, 0, 0, 1, -2])
    # a value that equals the fill is no entry
    columns = [dict(enumerate(arrays[0]))] if name == "object" else arrays
    meant = {k: x for k, x in entries_meant(layout, columns, mirror).items() if x != fill}
    kinds = [rng.choice(["smallint", "int", "bigint"]) for _ in arrays]
    kinds[place] = rng.choice(["int", "real", "float8"])
    values = [sql_array(a, k) if isinstance(a, list) else "%d::%s" % (a, k) for a, k in zip(arrays, kinds)]
    kinds = [k + "[]" * isinstance(a, list) for a, k in zip(arrays, kinds)]
    if name == "object":
        kinds, values = ["jsonb"], ["'%s'::jsonb" % json.dumps(dict(enumerate(arrays[0])))]
    rank = len(bounds)
    columns = ", ".join("d%d bigint" % d for d in range(rank)) + ", value float8"
    cursor.execute("SELECT * FROM einsum_entries('%s', %d, %s) AS e(%s)" % (name, fill, ", ".join(values), columns))
    rows = cursor.fetchall()
    assert len(rows) == len(meant) and {r[:-1]: r[-1] for r in rows} == meant, ("einsum_entries", rows, meant)

    cursor.execute("BEGIN")
    names = ["c%d" % c for c in range(len(arrays))]
    cursor.execute("CREATE TABLE t (%s)" % ", ".join("%s %s" % c for c in zip(names, kinds)))
    cursor.execute("INSERT INTO t VALUES (%s)" % ", ".join(values))
    labels = ",".join("x%d" % d for d in range(rank))
    cursor.execute(
        "SELECT einsum_register('a[%s]', 't', keys => '{}', layout => '%s(%s)', bounds => '{%s}', fill => %d%s)"
        % (labels.upper(), name, ",".join(names), ",".join(map(str, bounds)), fill, ", duplicates => 'trust'" if name.endswith("coo") else "")
    )
    cursor.execute("SET LOCAL " + rng.choice(SETTINGS))
    cursor.execute("SELECT * FROM einsum_rows('y[%s] = a[%s]') AS r(%s)" % (labels, labels, columns.replace("bigint", "int")))
    found = {r[:-1]: r[-1] for r in cursor.fetchall()}
    assert found == meant, ("a program", found, meant)
    cursor.execute("SELECT einsum_value('y[] = a[%s]')::text" % labels)
    assert float(cursor.fetchone()[0]) == sum(meant.values()) + fill * (math.prod(bounds) - len(meant)), "the sum"
    cursor.execute("ROLLBACK")


def places(name, bounds):
    """Which entries a layout has a place for."""
    least = min(bounds)
    return {
        "diagonal": lambda e: e[0] == e[1], "lower": lambda e: e[1] <= e[0] < least, "upper": lambda e: e[0] <= e[1] < least,
        "band": lambda e: max(e) < least,
    }.get(name, lambda e: True)  # fmt: skip


def columns_of(name, rank):
    """The columns of a layout, the values last but for band."""
    if name == "csf":
        return ["idx0"] + [part + str(level) for level in range(1, rank) for part in ("ptr", "idx")] + ["v"]
    return {
        "coo": list("ijklm"[:rank]) + ["v"], "csr": ["ptr", "idx", "v"], "csc": ["ptr", "idx", "v"], "lists": ["idx", "v"],
        "band": ["v", "below", "above"], "object": ["o"],
    }.get(name, ["v"])  # fmt: skip


def store(cursor, layout, mirror, rng):
    """Writes a drawn tensor, and reads it: by its arrays, by a program, and a matrix by scipy."""
    name = layout["name"]
    single = {"lists": 1, "object": 1, "coo": rng.randint(1, 3), "csf": 3}.get(name, 2)
    keys = rng.randint(0 if not mirror or single > 1 else 1, 1)
    if mirror:
        keys, single = (1, 1) if single == 1 else (keys, max(single, 2))
    rank = keys + single
    bounds = [rng.randint(1, 6) for _ in range(rank)]
    if mirror:
        bounds[-1] = bounds[-2]
    fill = rng.choice([0, 0, 1, -2, math.inf])
    ones = name in ("coo", "csr", "csc", "csf", "lists") and fill == 0 and rng.random() < 0.2
    if name == "object" and fill == math.inf:
        fill = 1
    if name == "coo" and not ones and keys:
        # as many columns as labels have no values
        fill, ones = 0, True
    entries = {}
    density = rng.choice([0, 0.3, 0.3, 0.8])
    for index in itertools.product(*map(range, bounds)):
        if rng.random() < density:
            entries[index] = 1 if ones else rng.randint(-3, 3)
    if mirror:
        entries = {(*e[:-2], *pair): x for e, x in entries.items() for pair in (e[-2:], e[-1:-3:-1]) if e[-2] <= e[-1]}
    has = places(name, bounds[keys:])
    fitting = rng.random() < 0.85
    if fitting:
        entries = {e: x for e, x in entries.items() if has(e[keys:]) or (mirror and has((e[-1], e[-2])))}
    stored = {e: x for e, x in entries.items() if x != fill}
    fits = all(has(e[keys:]) or (mirror and has((e[-1], e[-2]))) for e in stored)
    kind = rng.choice(["int", "real", "float8", "numeric", "bigint"])
    rows = list(entries.items())
    rng.shuffle(rows)
    names = columns_of(name, single)
    names = names[:-1] if ones else names
    text = ("symmetric " if mirror else "") + "%s(%s)" % (name, ",".join(names))
    query = " UNION ALL ".join("SELECT %s, %s::%s" % (", ".join(map(str, e)), x, kind) for e, x in rows)
    query = query or "SELECT %s, 1::%s WHERE false" % (", ".join("0" * rank), kind)
    labels = ",".join("x%d" % d for d in range(rank))
    cursor.execute("BEGIN")
    try:
        cursor.execute("SET LOCAL " + rng.choice(SETTINGS))
        cursor.execute(
            "SELECT einsum_store(%s, %s, %s, layout => %s, fill => %s)",
            ("s[%s]" % labels.upper(), query, "{%s}" % ",".join(map(str, bounds)), text, fill),
        )
    except psycopg2.errors.NumericValueOutOfRange as error:
        assert not fits and "has no place" in str(error), error
        cursor.execute("ROLLBACK")
        return
    assert fits, "an entry without a place was written"
    cursor.execute("SELECT * FROM s")
    found = {}
    for row in cursor.fetchall():
        arrays = dict(zip(names, row[keys:]))
        if ones:
            arrays["v"] = [1] * len(arrays[names[-1]])
        if name == "object":
            arrays["o"] = {int(k): x for k, x in arrays["o"].items()}
        if name == "coo":
            part = {tuple(e): x for *e, x in zip(*(arrays[c] for c in columns_of(name, single)))}
        else:
            part = {k if isinstance(k, tuple) else (k,): x for k, x in eval(layout["meaning"], arrays).items()}
        if mirror and single > 1:
            part = {(*k[:-2], *pair): x for k, x in part.items() for pair in (k[-2:], k[-1:-3:-1])}
        found.update({(*row[:keys], *k): x for k, x in part.items() if x != fill})
    if mirror and single == 1:
        found = {(*k[:-2], *pair): x for k, x in found.items() for pair in (k[-2:], k[-1:-3:-1])}
    assert found == stored, ("arrays", found, stored)
    columns = ", ".join("d%d bigint" % d for d in range(rank)) + ", value float8"
    cursor.execute("SELECT * FROM einsum_rows('y[%s] = s[%s]') AS r(%s)" % (labels, labels, columns.replace("bigint", "int")))
    found = {r[:-1]: r[-1] for r in cursor.fetchall()}
    assert found == stored, ("a program", found, stored)
    cursor.execute("ROLLBACK")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=160)
    options = parser.parse_args()
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION IF NOT EXISTS sparseeinsum")
    cursor.execute("SELECT name, columns, meaning FROM einsum_layouts ORDER BY name")
    layouts = [dict(zip(("name", "columns", "meaning"), row)) for row in cursor.fetchall()]
    mirror = next(layout["meaning"] for layout in layouts if layout["name"] == "symmetric")
    # positions of zorder are on both sides of the diagonal
    mirrored = [layout for layout in layouts if layout["name"] not in ("symmetric", "lists", "object", "zorder")]
    halves = [layout for layout in layouts if layout["name"] != "symmetric"]
    failed = 0
    for n in range(options.count):
        rng = random.Random(options.seed * 1000003 + n)
        layout = layouts[n % len(layouts)]
        symmetric = layout["name"] == "symmetric"
        try:
            check(cursor, rng.choice(mirrored) if symmetric else layout, mirror if symmetric else None, rng)
            store(cursor, rng.choice(halves) if symmetric else layout, symmetric, rng)
        except (AssertionError, psycopg2.Error) as error:
            failed += 1
            print("seed %d case %d, layout %s: %s" % (options.seed, n, layout["name"], error))
            cursor.execute("ROLLBACK")
    print("%d passed, %d failed" % (options.count - failed, failed))
    sys.exit(failed > 0)


main()
