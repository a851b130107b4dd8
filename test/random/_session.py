"""A connection that runs programs, and what is compared with the oracle."""

import json
import os
import re

import numpy as np
import psycopg2

from _storage import open_key

# What programs may refuse today, by the beginning of the message.
DOCUMENTED = (
    "a stage would join",
)


class Failure(Exception):
    """The extension is wrong."""


class Refused(Exception):
    """A documented refusal."""


class Slow(Exception):
    """The server's plan of a join of many small tables took too long."""


class NoPlan(Exception):
    """There is no alternative of that number."""


def options_text(options):
    return "".join(
        ", %s => %s" % (k, "'%s'" % v if isinstance(v, str) else v) for k, v in options.items()
    )


class Session:
    def __init__(self, coverage=None):
        self.coverage = coverage
        self.connect()

    def connect(self):
        self.connection = psycopg2.connect("")
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()
        self.cursor.execute("CREATE EXTENSION IF NOT EXISTS sparseeinsum")
        self.cursor.execute("SET client_min_messages = warning")
        self.cursor.execute("SET statement_timeout = '60s'")

    def reconnect(self):
        self.connection.close()
        self.connect()

    def rows(self, sql):
        self.cursor.execute(sql)
        return self.cursor.fetchall() if self.cursor.description else []

    def begin(self, statements):
        self.rows("BEGIN; " + "; ".join(statements) + "; SAVEPOINT s")

    def end(self):
        self.rows("ROLLBACK")

    def attempt(self, sql, what):
        """Rows of a query; errors are failures, but for documented ones."""
        try:
            return self.rows(sql)
        except psycopg2.Error as error:
            message = error.diag.message_primary or str(error)
            try:
                self.rows("ROLLBACK TO SAVEPOINT s")
            except psycopg2.Error:
                raise Failure("%s: the connection is lost: %s" % (what, error))
            if error.pgcode in ("0A000", "54000") and message.startswith(DOCUMENTED):
                raise Refused(message)
            if error.pgcode == "22023" and message.startswith("there is no plan"):
                raise NoPlan(message)
            if error.pgcode == "57014":
                raise Slow("too slow")
            raise Failure("%s: %s: %s\n%s" % (what, error.pgcode, error, sql))

    def value(self, text, what, **options):
        if self.coverage:
            self.coverage.plan(self.plan(text, what, **options), options)
        rows = self.attempt(
            "SELECT einsum_value($prog$%s$prog$%s)::text" % (text, options_text(options)), what
        )
        return parse_tensor(rows[0][0])

    def plan(self, text, what, **options):
        rows = self.attempt(
            "SELECT * FROM einsum_plan($prog$%s$prog$%s)" % (text, options_text(options)), what
        )
        return "\n".join(r[0] for r in rows)

    def plans(self, text, what, **options):
        return json.loads(self.plan(text, what, format="json", **options))

    def sql(self, text, what, **options):
        return self.attempt(
            "SELECT einsum_sql($prog$%s$prog$%s)" % (text, options_text(options)), what
        )[0][0]

    def decompose(self, text, what, **options):
        """Creates views; returns (view, notation) of every stage."""
        return self.attempt(
            "SELECT view, notation FROM einsum_decompose($prog$%s$prog$, 'random'%s)"
            % (text, options_text(options)),
            what,
        )

    def fill(self, relation):
        """The fill that a view is registered with."""
        rows = self.attempt(
            "SELECT fill FROM einsum_tensors WHERE relation = '%s'::regclass" % relation, "einsum_tensors"
        )
        return rows[0][0]

    @staticmethod
    def closed(key, key_type, bound):
        """The index of a key, which for an open label is one of those stored."""
        if key_type is None:
            return key
        keys = [open_key(k, key_type) for k in range(bound)]
        return keys.index(str(key)) if str(key) in keys else -1

    def read_view(self, statement, notation, relation=None, open_sorts={}, fill=0.0):
        """The entries of a statement's view as a dense array."""
        name = statement.target.name
        bounds = statement.target.bounds
        rows = self.attempt("SELECT * FROM %s" % (relation or name), "view " + name)
        columns = [c.name for c in self.cursor.description]
        indices = re.findall(r'"[^"]*"(?::1)?|[A-Za-z_0-9]+', notation[notation.index("[") :])
        promoted = [d for d, x in enumerate(indices) if x.endswith(":1") or (x[0] != '"' and x == x.upper())]
        if columns != [statement.labels[d] for d in promoted] + ["value"]:
            raise Failure("view %s (%s) has columns %s" % (name, notation, columns))
        demoted = [d for d in range(len(bounds)) if d not in promoted]
        result = np.full(bounds, fill)
        seen = set()
        if not promoted and len(rows) != 1:
            raise Failure("view %s (%s) has %d rows" % (name, notation, len(rows)))
        for row in rows:
            key = tuple(
                self.closed(k, open_sorts.get(statement.target.sorts[d]), bounds[d])
                for k, d in zip(row, promoted)
            )
            if key in seen:
                raise Failure("view %s (%s) has key %s twice" % (name, notation, key))
            seen.add(key)
            if any(not 0 <= k < bounds[d] for k, d in zip(key, promoted)):
                raise Failure("view %s (%s) has key %s" % (name, notation, key))
            value = row[-1]
            if value is None:
                raise Failure("view %s (%s) has a null value" % (name, notation))
            value = parse_tensor(value) if isinstance(value, str) else np.array(value, float)
            if value.shape != tuple(bounds[d] for d in demoted):
                raise Failure("view %s (%s) has a value of shape %s" % (name, notation, value.shape))
            where = [slice(None)] * len(bounds)
            for d, k in zip(promoted, key):
                where[d] = k
            result[tuple(where)] = value
        return result


def parse_tensor(text):
    shape = re.match(r"^[a-z0-9]+(\(([^)]*)\))?:", text)
    if shape:
        text = text[shape.end() :]
    value = np.array(json.loads(text), dtype=float)
    # without entries the brackets do not tell all bounds
    return value.reshape([int(b) for b in shape[2].split(",")]) if shape and shape[2] else value


def difference(value, expected, exact):
    """What is wrong with a value, or None."""
    if value.shape != expected.v.shape:
        return "shape %s instead of %s" % (value.shape, expected.v.shape)
    with np.errstate(all="ignore"):
        good = (value == expected.v) | expected.p
        if not exact:
            good |= abs(value - expected.v) <= 32 * expected.e
            good |= ~np.isfinite(expected.e) | (~np.isfinite(expected.m) & np.isfinite(expected.v))
    if good.all():
        return None
    return "%d of %d entries differ\n  is:     %s\n  should: %s%s" % (
        (~good).sum(), good.size, value.tolist(), expected.v.tolist(),
        "\n  poison: %s" % expected.p.astype(int).tolist() if expected.p.any() else "",
    )  # fmt: skip
