#!/usr/bin/env python3
"""Results that are refreshed between random changes of the tables that they are computed from.

Rows come, go and change, one or many, in transactions, savepoints and rollbacks, below a parent and in its partitions; tables are
emptied, renamed and rewritten, logs begin, end and are emptied, triggers are off for a while. Values are numbers of float8 and float4, and
blocks; fills are 0 and infinite; a dimension gets and loses keys. Behind each refresh every result is compared with its query, so what a
refresh leaves out has to be what did not change; and what nothing has changed below has to be left out. Before it, at each step, so are the
views that are current between refreshes.

    test/cluster test/python test/random/histories.py [--count N] [--seed S]
"""
import argparse
import random
from collections import Counter

import psycopg2

SIZE = 8
TABLES = {"edge": "a[I,J]", "weight": "w[J]", "part": "c[I]", "blocks": "g[I:4,k]", "thin": "t[I]", "node": "n[I]", "score": "u[I]"}
BOUNDS = {"edge": "8,8", "blocks": "8,2", "node": "node", "score": "node"}
KEYS = {"edge": "i,j", "weight": "j", "blocks": "b"}
PROGRAMS = {
    "p": "y[I] = sum[j] a[i,j]*w[j]; z[] = sum[i] y[i]*y[i]; double[I,J] = 2*a[i,j]",
    "q": "least[J] = min[i] a[i,j]; pair[I] = c[i] + w[i]",
    "r": "of_y[I] = y[i]*c[i]; of_w[J] = 3*w[j]",
    "s": "added[I] = sum[j] a[i,j]*w[j]; most[I] = max[j] a[i,j]*w[j]; of_most[K] = sum[i] a[i,k]*most[i]; spread[I:3,J] = relu(a[i,j] - c[i])",
    "t": "near[J] = min[i] (d[i,j] + c[i]); least_of[I] = least(w[i], 2); of_block[I] = sum[k] g[i,k]*c[i]; twofold[I:4,k] = 2*g[i,k]; of_thin[I] = 3*t[i]; "
         "of_score[I] = 2*u[i]; share[I] = u[i]/(sum[j] (1 + u[j]*u[j]))",
}
INCREMENTAL = {"s", "t"}
READS = {"y": {"edge", "weight"}, "z": {"edge", "weight"}, "double": {"edge"}, "least": {"edge"}, "pair": {"part", "weight"},
         "of_y": {"y", "part"}, "of_w": {"weight"}, "added": {"edge", "weight"}, "most": {"edge", "weight"}, "of_most": {"edge", "weight"}, "spread": {"edge", "part"},
         "near": {"edge", "part"}, "least_of": {"weight"}, "of_block": {"blocks", "part"}, "twofold": {"blocks"}, "of_thin": {"thin"},
         "of_score": {"score", "node"}, "share": {"score", "node"}}


class History:
    def __init__(self, cursor, rng):
        self.cursor, self.rng = cursor, rng
        self.changed = {name: True for name in READS}
        self.left_out = self.computed = 0
        self.how = Counter()

    def run(self, *statements):
        for statement in statements:
            self.cursor.execute(statement)

    def begin(self):
        self.run("CREATE TABLE edge (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j))",
                 "CREATE TABLE weight (j int PRIMARY KEY, v float8 NOT NULL)",
                 "CREATE TABLE part (i int PRIMARY KEY, v float8 NOT NULL) PARTITION BY RANGE (i)",
                 "CREATE TABLE part_low PARTITION OF part FOR VALUES FROM (0) TO (4)",
                 "CREATE TABLE part_high PARTITION OF part FOR VALUES FROM (4) TO (8)",
                 "INSERT INTO edge SELECT i, j, i + j FROM generate_series(0, 7) i, generate_series(0, 7) j WHERE (i + j) % 2 = 0",
                 "INSERT INTO weight SELECT j, 1 + j FROM generate_series(0, 7) j",
                 "INSERT INTO part SELECT i, 1 FROM generate_series(0, 7) i",
                 "CREATE TABLE blocks (b int PRIMARY KEY, v tensor NOT NULL)",
                 "INSERT INTO blocks SELECT b, tensor_full('{4,2}', b + 1) FROM generate_series(0, 1) b",
                 "CREATE TABLE thin (i int PRIMARY KEY, v real NOT NULL)",
                 "INSERT INTO thin SELECT i, i FROM generate_series(0, 7) i",
                 "CREATE TABLE node (i int PRIMARY KEY)",
                 "CREATE TABLE score (i int PRIMARY KEY REFERENCES node ON DELETE CASCADE, v float8 NOT NULL)",
                 "INSERT INTO node SELECT generate_series(0, 7)",
                 "INSERT INTO score SELECT i, i FROM generate_series(0, 7, 2) i",
                 "SELECT einsum_dimension('node', 'node', 'i')")
        for table, tensor in TABLES.items():
            self.run("SELECT einsum_register('%s', '%s', '{%s}', %s, '{%s}')" % (
                tensor, table, KEYS.get(table, "i"), "NULL" if table == "node" else "'v'", BOUNDS.get(table, "8")))
        self.run("SELECT einsum_register('d[I,J]', 'edge', '{i,j}', 'v', '{8,8}', fill => 'Infinity')")
        for name, program in PROGRAMS.items():
            self.make(name)
        for tensor in ["a", "w", "c", "g", "t", "n", "u", "y"]:
            self.run("SELECT einsum_log('%s')" % tensor)

    def make(self, name, options=""):
        self.run("SELECT count(*) FROM einsum_decompose('%s', '%s', materialize => '%s'%s)" % (PROGRAMS[name], name, "incremental" if name in INCREMENTAL else "always", options))

    def key(self):
        return self.rng.randrange(SIZE)

    def change(self, table):
        """A statement that changes rows of a table, or none."""
        rng = self.rng
        if table == "node":
            return rng.choice(["INSERT INTO node VALUES (%d) ON CONFLICT DO NOTHING", "DELETE FROM node WHERE i = %d"]) % rng.randrange(12)
        if table == "blocks":
            value = "'[%s]'" % ",".join("[%d,%d]" % (rng.randint(-3, 3), rng.randint(-3, 3)) for _ in range(4))
            return rng.choice(["INSERT INTO blocks VALUES (%d, %s) ON CONFLICT (b) DO UPDATE SET v = excluded.v", "UPDATE blocks SET v = v * 2::float8 WHERE b = %d AND v <> %s",
                               "DELETE FROM blocks WHERE b = %d AND v <> %s"]) % (rng.randrange(2), value)
        column = "j" if table in ("edge", "weight") else "i"
        target = rng.choice(["part", "part", "part_low", "part_high"]) if table == "part" else table
        low, high = (4, 7) if target == "part_high" else (0, 3) if target == "part_low" else (0, 7)
        if table == "score":
            self.run("INSERT INTO node SELECT generate_series(0, 7) ON CONFLICT DO NOTHING")
        columns, row = ("i, j, v", "%d, %d, %d" % (self.key(), self.key(), rng.randint(-3, 3))) if table == "edge" else \
            ("%s, v" % column, "%d, %d" % (rng.randint(low, high), rng.randint(-3, 3)))
        conflict = "i, j" if table == "edge" else column
        return rng.choice([
            "INSERT INTO %s (%s) VALUES (%s) ON CONFLICT (%s) DO UPDATE SET v = excluded.v" % (target, columns, row, conflict),
            "INSERT INTO %s (%s) VALUES (%s) ON CONFLICT DO NOTHING" % (target, columns, row),
            "DELETE FROM %s WHERE %s = %d" % (target, column, rng.randint(low, high)),
            "UPDATE %s SET v = v + %d WHERE %s <= %d" % (target, rng.randint(-1, 2), column, rng.randint(low, high)),
            "UPDATE %s SET v = -v" % target,
        ] + ["TRUNCATE %s" % target] * (rng.random() < 0.2))

    def touch(self, *tables):
        for result, reads in READS.items():
            if reads & set(tables) or (result == "of_y" and READS["y"] & set(tables)):
                self.changed[result] = True

    def step(self):
        """Changes something; says what was wrong on the way."""
        rng = self.rng
        table = rng.choice(list(TABLES))
        log = table + "__log"
        tensor = TABLES[table][0]
        kind = rng.random()
        if kind < 0.3:
            self.run(self.change(table))
        elif kind < 0.4:
            self.run("BEGIN", self.change(table), "SAVEPOINT s", self.change(table), rng.choice(["ROLLBACK TO s", "RELEASE s"]),
                     rng.choice(["COMMIT", "COMMIT", "ROLLBACK"]))
        elif kind < 0.5:
            self.run(rng.choice(["BEGIN", "BEGIN ISOLATION LEVEL REPEATABLE READ"]), self.change(table))
            self.touch(table)
            wrong = self.refresh(rng.choice(list(PROGRAMS)), True)
            self.run(self.change(table))
            wrong = wrong or self.refresh(rng.choice(list(PROGRAMS)), True)
            self.run(rng.choice(["COMMIT", "ROLLBACK"]))
            self.changed = {name: True for name in READS}
            return wrong
        elif kind < 0.55:
            self.run("ALTER TABLE %s DISABLE TRIGGER USER" % table, self.change(table), "ALTER TABLE %s ENABLE TRIGGER USER" % table)
            if rng.random() < 0.5:
                self.run("SELECT einsum_log('%s')" % tensor)
        elif kind < 0.6:
            self.run("ALTER TABLE %s RENAME TO away" % table, "UPDATE away SET %s" % ("v = v * 2::float8" if table == "blocks" else "i = i" if table == "node" else "v = v + 1"), "ALTER TABLE away RENAME TO %s" % table)
        elif kind < 0.64:
            self.run(self.change(table), "SELECT einsum_log('%s', false)" % tensor, self.change(table), "SELECT einsum_log('%s')" % tensor)
        elif kind < 0.68:
            self.run(self.change(table), "TRUNCATE %s" % log)
        elif kind < 0.72:
            self.run("VACUUM FULL %s" % rng.choice([table, "y", "z"]), "SET session_replication_role = replica", self.change(table),
                     "RESET session_replication_role")
            self.changed = {name: True for name in READS}
        elif kind < 0.75:
            name = rng.choice(list(PROGRAMS))
            self.make(name, ", replace => true")
            self.changed = {name: True for name in READS}
        else:
            return None
        self.touch(table)
        return None

    def entries(self, relation):
        """The entries of a relation. A row of zeros, or of the fill, is as good as none."""
        self.cursor.execute("SELECT (to_jsonb(t) - 'moved')::text FROM %s t WHERE tensor_count_nonzero(value::tensor) > 0 AND value::text <> 'Infinity'" % relation)
        return Counter(row for (row,) in self.cursor.fetchall())

    def current(self, program):
        """The entries of the views that are current, by result."""
        self.cursor.execute("SELECT tensor FROM einsum_tensors WHERE program = %s AND schema = 'history' AND to_regclass('history.' || tensor || '__now') IS NOT NULL", [program])
        return {tensor: self.entries(tensor + "__now") for (tensor,) in self.cursor.fetchall() if tensor in READS}

    def refresh(self, program, in_transaction=False):
        current = self.current(program) if program in INCREMENTAL and not in_transaction else {}
        self.run("SET sparseeinsum.enable_additions = %s" % self.rng.choice(["on", "on", "force", "force", "off"]))
        self.cursor.execute("SELECT tensor, how, why FROM einsum_refresh('%s', whole => %s)" % (program, self.rng.random() < 0.05))
        rows = self.cursor.fetchall()
        for tensor, how, why in rows:
            expected = self.entries(tensor + "__query") if tensor in READS else None
            if tensor in current and current[tensor] != expected:
                return "%s__now differed from the query: %s" % (tensor, dict(current[tensor]))
            self.how["now"] += tensor in current
            if tensor in READS and self.entries(tensor) != expected:
                return "%s of %s differs from its query: %s, %s" % (tensor, program, how, why)
            left_out = why == "nothing that it reads has changed"
            if not in_transaction and not left_out and how != "whole" and not self.changed.get(tensor, True) and "log" not in why:
                return "%s of %s is computed: %s" % (tensor, program, why)
            self.left_out += left_out
            self.computed += not left_out
            self.how[how] += 1
            if tensor in READS and not in_transaction:
                self.changed[tensor] = False
                if tensor == "y" and not left_out:
                    self.changed["of_y"] = True
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=12, help="histories of 60 steps")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION IF NOT EXISTS sparseeinsum")
    cursor.execute("SET client_min_messages = error")
    passed = failed = left_out = computed = 0
    how = Counter()
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        cursor.execute("CREATE SCHEMA history")
        cursor.execute("SET search_path = history, public")
        history = History(cursor, random.Random(seed))
        history.begin()
        wrong = None
        for step in range(60):
            wrong = history.step() or history.refresh(history.rng.choice(list(PROGRAMS)))
            if wrong:
                print("seed %d, step %d: %s" % (seed, step, wrong))
                break
        passed, failed = passed + (wrong is None), failed + (wrong is not None)
        how += history.how
        left_out, computed = left_out + history.left_out, computed + history.computed
        cursor.execute("DROP SCHEMA history CASCADE")
    print("results left out %d times, computed %d times" % (left_out, computed))
    print(", ".join("%s %d" % item for item in sorted(how.items())))
    enough = left_out > computed / 4 and min(how["added"], how["keys"], how["better"], how["now"]) >= arguments.count / 2
    passed, failed = passed + enough, failed + (not enough)
    print("%d passed, %d failed" % (passed, failed))
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
