#!/usr/bin/env python3
"""Results kept by materialize => 'incremental', refreshed between random changes of the tables that they are computed from.

Random programs (those of changes.py) over tensors in random storages: rows, rows that add up, vectors, values that are integers, rows that
mean 1, other fills. Rows come, go and change in transactions and savepoints; tables are emptied, and have NaN and infinities for a while.
Behind each refresh all results are compared with what numpy computes from the rows of the tables, and with their queries; before it, and
within transactions, the views that are current between refreshes.

    test/cluster test/python test/random/additions.py [--count N] [--seed S]
"""
import argparse
import json
import random
import re
from collections import Counter

import numpy as np
import psycopg2

from changes import BOUNDS, TENSORS, Evaluator, Generator

STEPS = 6


def number(text):
    return float(text) if text.lower() not in ("nan", "infinity", "-infinity") else float(text.lower().replace("infinity", "inf"))


def entries(text):
    """The entries of a value: a number, or nested lists of them."""
    if not text.startswith("["):
        return number(text)
    return np.array(json.loads(re.sub(r"-?Infinity|NaN", lambda m: m.group(0), text)), float)


class Stored:
    """A tensor in a table."""

    def __init__(self, name, rng):
        self.name, (self.sorts, self.fill) = name, TENSORS[name]
        self.rng = rng
        self.bounds = [BOUNDS[s] for s in self.sorts]
        self.kind = rng.choice(["rows", "rows", "rows", "integers", "sum", "vectors"]) if name in ("x", "a", "y", "z", "e") else "rows"
        if len(self.sorts) < 2 and self.kind == "vectors":
            self.kind = "rows"
        self.nkeys = len(self.sorts) - (self.kind == "vectors")
        self.keys = ["k%d" % n for n in range(self.nkeys)]

    def statements(self):
        kind = {"vectors": "tensor", "integers": "int"}.get(self.kind, "float8")
        columns = ["%s int" % key for key in self.keys] + ["v %s" % kind] * (self.name != "m")
        unique = ", PRIMARY KEY (%s)" % ", ".join(self.keys) if self.keys and self.kind != "sum" else ""
        yield "CREATE TABLE %s (%s%s)" % (self.name, ", ".join(columns), unique)
        labels = [key.upper() for key in self.keys] + ["c"] * (self.kind == "vectors")
        yield "SELECT einsum_register('%s[%s]', '%s', '{%s}', %s, '{%s}', fill => '%s', duplicates => '%s')" % (
            self.name, ",".join(labels), self.name, ",".join(self.keys), "NULL" if self.name == "m" else "'v'",
            ",".join(map(str, self.bounds)), "Infinity" if np.isinf(self.fill) else self.fill,
            "sum" if self.kind == "sum" else "error")
        for _ in range(self.rng.randint(1, 6) if self.keys else 1):
            yield self.insert()
        if self.rng.random() < 0.95:
            yield "SELECT einsum_log('%s')" % self.name

    def value(self):
        rng = self.rng
        if self.kind == "vectors":
            return "'[%s]'" % ",".join(str(rng.randint(-3, 3)) for _ in range(self.bounds[-1]))
        if self.kind != "integers" and rng.random() < 0.01:
            return rng.choice(["'NaN'", "'Infinity'"])
        return "NULL" if self.keys and rng.random() < 0.03 else str(rng.randint(-3, 3))

    def visit(self):
        """A large value that comes, and how it goes again; or None."""
        if self.kind == "integers" or self.name == "m" or not self.keys:
            return None
        large, size = "1e17", "abs(v)"
        if self.kind == "vectors":
            large, size = "'[%s]'" % ",".join(["1e17"] * self.bounds[-1]), "tensor_reduce('max', tensor_abs(v))::float8"
        return ("UPDATE %s SET v = %s WHERE %s = %d" % (self.name, large, self.rng.choice(self.keys), self.rng.randrange(max(self.bounds))),
                "%s FROM %s WHERE %s > 1e16" % ("DELETE", self.name, size))

    def row(self):
        values = [str(self.rng.randrange(bound)) for bound in self.bounds[: self.nkeys]]
        return ", ".join(values + [self.value()] * (self.name != "m"))

    def insert(self):
        upsert = "" if not self.keys or self.kind == "sum" else " ON CONFLICT (%s) DO %s" % (
            ", ".join(self.keys), "NOTHING" if self.name == "m" else "UPDATE SET v = excluded.v")
        return "INSERT INTO %s VALUES (%s)%s" % (self.name, self.row(), upsert)

    def change(self):
        rng = self.rng
        if not self.keys:
            return "UPDATE %s SET v = %d" % (self.name, rng.randint(-3, 3))
        where = "%s = %d" % (rng.choice(self.keys), rng.randrange(max(self.bounds)))
        kind = rng.random()
        if kind < 0.4 or (kind < 0.7 and self.name == "m"):
            return self.insert()
        if kind < 0.6:
            return "UPDATE %s SET v = %s WHERE %s" % (self.name, self.value(), where)
        if kind < 0.7:
            return "UPDATE %s SET v = %s" % (self.name, {"vectors": "v * 2::float8"}.get(self.kind, "1 - v"))
        if kind < 0.97:
            return "DELETE FROM %s WHERE %s" % (self.name, where)
        return "TRUNCATE %s" % self.name

    def dense(self, cursor):
        cursor.execute("SELECT %s FROM %s" % (", ".join(self.keys + (["v::text"] if self.name != "m" else ["'1'"])), self.name))
        result = np.full(self.bounds, float(self.fill))
        for *keys, value in cursor.fetchall():
            if value is None:
                continue
            if self.kind == "sum":
                result[tuple(keys)] += entries(value)
            else:
                result[tuple(keys)] = entries(value)
        return result


def result_bounds(text, name):
    return [BOUNDS[label[0]] for label in re.search(r"\b%s\[(.*?)\] = " % name, text).group(1).split(",") if label]


def dense_result(cursor, relation, name, bounds):
    """The result in a relation as an array; keys are its columns before the value, in the order of the labels."""
    cursor.execute("SELECT bounds, keys, fill, notation FROM einsum_tensors WHERE tensor = %s AND schema = 'additions'", [name])
    _, keys, fill, notation = cursor.fetchone()
    labels = re.search(r"\[(.*)\]", notation).group(1).split(",") if bounds else []
    blocks = [int((re.search(r":(\d+)$", label) or [0, 0])[1]) for label in labels]
    key_axes = [axis for axis, label in enumerate(labels) if label == label.upper() or blocks[axis]]
    result = np.full(bounds, float(fill))
    cursor.execute("SELECT %s value::text FROM %s" % ("".join('"%s", ' % key for key in keys), relation))
    for *row, value in cursor.fetchall():
        place = [slice(None)] * len(bounds)
        for axis, key in zip(key_axes, row):
            place[axis] = slice(key * blocks[axis], (key + 1) * blocks[axis]) if blocks[axis] else key
        result[tuple(place)] = entries(value)
    return result


def same(a, b):
    with np.errstate(all="ignore"):
        return np.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True)


class Now:
    """The views of results that are current between refreshes."""

    def __init__(self, cursor, text, stored, results):
        self.cursor, self.text, self.stored = cursor, text, stored
        cursor.execute("SELECT relname FROM pg_class WHERE relnamespace = 'additions'::regnamespace AND relname LIKE '%\\_\\_now' AND relkind = 'v'")
        views = {row[0] for row in cursor.fetchall()}
        self.results = [name for name in results if name + "__now" in views]

    def contents(self):
        return {name: dense_result(self.cursor, name + "__now", name, result_bounds(self.text, name)) for name in self.results}

    def at_a_key(self, name, rng):
        """Does a condition on a key find the rows that it finds in all of the view?"""
        self.cursor.execute("SELECT keys FROM einsum_tensors WHERE tensor = %s AND schema = 'additions'", [name])
        keys = self.cursor.fetchone()[0]
        if not keys:
            return True
        view, key, column = name + "__now", rng.randrange(3), '"%s"' % keys[-1]
        # plans may differ in the sign of a zero
        row = r"regexp_replace(x::text, '-0(?![.\d])', '0', 'g')"
        self.cursor.execute("SELECT (SELECT array_agg({3} ORDER BY {3}) FROM (SELECT * FROM {0} OFFSET 0) x WHERE {1} = {2}) IS NOT DISTINCT FROM "
                            "(SELECT array_agg({3} ORDER BY {3}) FROM {0} x WHERE {1} = {2})".format(view, column, key, row))
        return self.cursor.fetchone()[0]

    def wrong(self, expected, tally, rng):
        """What is wrong with them where all numbers are finite; or None."""
        contents = self.contents()
        for name in self.results:
            if not same(contents[name], expected[name]):
                return "%s__now\n%s\nshould be\n%s" % (name, contents[name], expected[name])
            if not self.at_a_key(name, rng):
                return "%s__now has other rows at a key" % name
            tally["current"] += 1
        return None


def all_finite(expected, stored, results):
    return all(np.isfinite(expected[name]).all() for name in results) and all(np.isfinite(expected[name]).all() or np.isinf(TENSORS[name][1]) for name in stored)


def history(cursor, seed, tally):
    """What went wrong in a history, or None."""
    rng = random.Random(seed)
    generator = Generator(rng)
    text = "; ".join(generator.statement(n) for n in range(rng.randint(1, 3)))
    stored = {name: Stored(name, rng) for name in TENSORS if re.search(r"\b%s\[" % name, text)}
    if not stored:
        return None
    cursor.execute("CREATE SCHEMA additions; SET search_path = additions, public")
    for tensor in stored.values():
        for statement in tensor.statements():
            cursor.execute(statement)
    # some results as vectors
    program = re.sub(r"\b(r\d)\[i,j\] = ", lambda m: m.group(0) if rng.random() < 0.6 else m.group(1) + rng.choice(["[I,j]", "[i,J]", "[i:*,j:*]", "[i:2,J]"]) + " = ", text)
    try:
        cursor.execute("SELECT count(*) FROM einsum_decompose(%s, 'p', materialize => 'incremental')", [program])
    except psycopg2.Error as error:
        tally["not made"] += 1
        return None if error.pgcode in ("0A000", "54000", "42601", "2202E") else "%s\n%s" % (program, error)
    results = re.findall(r"\b(r\d)\[[^\]]*\] = ", text)
    now = Now(cursor, text, stored, results)
    done = []
    for _ in range(STEPS):
        statements = [rng.choice(list(stored.values())).change() for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.3:
            statements = ["BEGIN"] + statements[:1] + ["SAVEPOINT s"] + statements[1:] + [rng.choice(["ROLLBACK TO s", "RELEASE s"]), rng.choice(["COMMIT", "COMMIT", "ROLLBACK"])]
        elif rng.random() < 0.2:
            statements = ["BEGIN"] + statements + ["SELECT count(*) FROM einsum_refresh('p')"] + [rng.choice(list(stored.values())).change()] + ["COMMIT"]
        for statement in statements:
            cursor.execute(statement)
            done.append(statement)
            if rng.random() < 0.3 or statement is statements[-1]:
                expected = Evaluator({name: tensor.dense(cursor) for name, tensor in stored.items()}).program(text)
                wrong = all_finite(expected, stored, results) and now.wrong(expected, tally, rng)
                if wrong:
                    return "%s\n%s\n%s" % (program, ";\n".join(done), wrong)
        visit = rng.random() < 0.2 and rng.choice(list(stored.values())).visit()
        if visit:
            # what is small beside it is lost, until it goes
            for statement in (visit[0], "SELECT count(*) FROM einsum_refresh('p')", visit[1]):
                cursor.execute(statement)
                done.append(statement)
            expected = Evaluator({name: tensor.dense(cursor) for name, tensor in stored.items()}).program(text)
            tally["visited"] += 1
        before = {} if visit else now.contents()
        cursor.execute("SET sparseeinsum.enable_additions = %s" % rng.choice(["on", "on", "force", "force", "off"] if rng.random() < 0.2 else ["force"]))
        cursor.execute("SELECT tensor, how, why FROM einsum_refresh('p')")
        rows = cursor.fetchall()
        for _, how, why in rows:
            tally[how] += 1
            tally["added: " + why if how == "added" and why else "not added: " + str(why)[:40] if how in ("difference", "whole") else ""] += 1
        # what is not a number in some result decides nothing about others in numpy
        comparable = all_finite(expected, stored, results)
        for name in results:
            bounds = result_bounds(text, name)
            kept = dense_result(cursor, name, name, bounds)
            cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [name + "__query"])
            computed = dense_result(cursor, name + "__query", name, bounds) if cursor.fetchone()[0] else kept
            # beside NaN and infinities a stored 0 is not like an absent entry
            compared = np.isfinite(kept) & np.isfinite(computed) if not comparable else np.full(kept.shape, True)
            if not same(kept[compared], computed[compared]):
                return "%s differs from its query\n%s\n%s\n%s\n%s" % (name, program, ";\n".join(done), rows, kept)
            if comparable and not same(kept, expected[name]):
                return "%s differs\n%s\n%s\n%s\nis\n%s\nand should be\n%s" % (name, program, ";\n".join(done), rows, kept, expected[name])
            if name in before:
                compared &= np.isfinite(before[name])
                if not same(before[name][compared], computed[compared]):
                    return "%s__now was\n%s\n%s\n%s\nand should be\n%s" % (name, before[name], program, ";\n".join(done), computed)
            tally["compared"] += comparable
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=30, help="histories")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION IF NOT EXISTS sparseeinsum")
    cursor.execute("SET client_min_messages = error; DROP SCHEMA IF EXISTS additions CASCADE")
    passed = failed = 0
    tally = Counter()
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        try:
            wrong = history(cursor, seed, tally)
        except psycopg2.Error as error:
            wrong = str(error)
        passed, failed = passed + (wrong is None), failed + (wrong is not None)
        if wrong:
            print("seed %d: %s" % (seed, wrong), flush=True)
        cursor.execute("ROLLBACK; DROP SCHEMA IF EXISTS additions CASCADE")
    for item in sorted(tally.items()):
        if arguments.verbose or ":" not in item[0]:
            print("%s %d" % item)
    # results have to be added to, computed at keys and current, or nothing is tested
    for how, share in (("added", 2), ("keys", 8), ("current", 2)):
        if tally[how] < arguments.count / share:
            print("only %d results were %s" % (tally[how], how))
            failed += 1
    print("%d passed, %d failed" % (passed, failed))
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
