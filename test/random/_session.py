"""A connection that runs programs, and what is compared with the oracle."""

import contextlib
import json
import os
import re

import numpy as np
import psycopg2

from _coverage import loop_nests
from _storage import open_key
from _syntax import index_of

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


# The values of programs in one round trip; null for one with an error, which is then asked for alone.
TRY_ALL = """
CREATE OR REPLACE FUNCTION pg_temp.try_all(queries text[]) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	result text[] := '{}';
	one text;
BEGIN
	FOR i IN 1 .. cardinality(queries) LOOP
		BEGIN
			EXECUTE queries[i] INTO STRICT one;
		EXCEPTION WHEN OTHERS THEN
			one := NULL;
		END;
		result := result || one;
	END LOOP;
	RETURN result;
END $$"""


# Under test/citus-cluster tables are distributed: by a column that is unique with others, as a reference table, or in one shard.
# Where Citus refuses, as of a table that references a distributed one, the table stays local.
DISTRIBUTE = """
CREATE OR REPLACE FUNCTION pg_temp.distribute(relation text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	choice int := abs(hashtext(relation || (SELECT string_agg(attname || atttypid, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = relation::regclass AND attnum > 0)));
	keys text[] := ARRAY(SELECT attname FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
		WHERE indrelid = relation::regclass AND indisunique AND (SELECT count(*) = 1 FROM pg_index WHERE indrelid = relation::regclass) ORDER BY attnum);
BEGIN
	IF choice % 8 = 0 THEN
		RETURN;
	ELSIF choice % 8 = 1 THEN
		PERFORM create_reference_table(relation);
	ELSIF choice % 8 = 2 OR cardinality(keys) = 0 THEN
		PERFORM create_distributed_table(relation, NULL, colocate_with => 'none');
	ELSE
		PERFORM create_distributed_table(relation, keys[1 + choice / 8 % cardinality(keys)], shard_count => 3);
	END IF;
EXCEPTION WHEN OTHERS THEN
	RAISE NOTICE '%', SQLERRM;
END $$"""
IS_CITUS = "CITUS_WORKERS" in os.environ


def distributed(statements):
    """The statements, each table being distributed once it is created."""
    for statement in statements:
        yield statement
        table = re.match('CREATE TABLE ("(?:[^"]|"")+"|[^ ]+) ', statement)
        if table:
            yield "SELECT pg_temp.distribute('%s')" % table[1].replace("'", "''")


def value_query(text, options):
    return "SELECT einsum_value($prog$%s$prog$%s)::text" % (text, options_text(options))


class Session:
    def __init__(self, coverage=None):
        self.coverage = coverage
        self.imaginary = False  # may results be complex?
        self.look = True  # are plans looked at for the coverage, beside being run?
        self.connect()

    def connect(self):
        # a database for each process: objects of one name in open transactions would wait for each other
        database = os.environ["PGDATABASE"] if IS_CITUS else "cases_%d" % os.getpid()
        with contextlib.closing(psycopg2.connect("")) as connection:
            connection.autocommit = True
            cursor = connection.cursor()
            cursor.execute("SELECT FROM pg_database WHERE datname = %s", (database,))
            if cursor.rowcount == 0:
                cursor.execute("CREATE DATABASE " + database)
        self.connection = psycopg2.connect("", dbname=database)
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()
        self.cursor.execute("CREATE EXTENSION IF NOT EXISTS sparseeinsum")
        self.cursor.execute("SET client_min_messages = warning")
        self.cursor.execute("SET statement_timeout = '600s'")
        # starting workers for a few rows takes most of the time: only some cases have them
        self.cursor.execute("SET max_parallel_workers_per_gather = 0")
        # hash tables are sized for the rows expected of tables that were not analysed: filling that with zeros took a fifth of the time
        self.cursor.execute("SET work_mem = '4MB'")
        self.cursor.execute(TRY_ALL)
        if IS_CITUS:
            self.cursor.execute(DISTRIBUTE)
            self.cursor.execute("SET citus.multi_shard_modify_mode = sequential")

    def reconnect(self):
        self.connection.close()
        self.connect()

    def rows(self, sql):
        self.cursor.execute(sql)
        return self.cursor.fetchall() if self.cursor.description else []

    def begin(self, statements):
        self.rows("BEGIN; " + "; ".join(distributed(statements) if IS_CITUS else statements) + "; SAVEPOINT s")

    def end(self):
        self.rows("ROLLBACK; DEALLOCATE ALL")

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
            if error.pgcode == "22023" and "is no key" in message:
                raise NoPlan(message)
            if error.pgcode == "57014":
                raise Slow("too slow")
            raise Failure("%s: %s: %s\n%s" % (what, error.pgcode, error, sql))

    def value(self, text, what, **options):
        self.looked_at(text, what, options)
        rows = self.attempt(value_query(text, options), what)
        return parse_tensor(rows[0][0])

    def values(self, asked):
        """Yields (what, value) for each of (what, text, options); nothing where there is no such plan."""
        queries = [value_query(text, options) for _, text, options in asked]
        try:
            self.cursor.execute("SELECT pg_temp.try_all(%s)", (queries,))
            found = self.cursor.fetchall()[0][0]
        except psycopg2.Error:
            self.rows("ROLLBACK TO SAVEPOINT s")
            found = [None] * len(asked)
        elements = {}
        for (what, text, options), value in zip(asked, found):
            if value is not None:
                elements[element_of(value)] = what
                if len(elements) > 1:
                    raise Failure("plans give values of different types: %s" % elements)
            if value is None:
                try:
                    yield what, self.value(text, what, **options)
                except NoPlan:
                    pass
                continue
            self.looked_at(text, what, options)
            yield what, parse_tensor(value)

    def looked_at(self, text, what, options):
        """Counts what a program that is run has in it."""
        if not self.coverage:
            return
        self.coverage.asked(what, options)
        if not self.look:
            return
        self.coverage.plan(self.plan(text, what, **options))
        if not options:
            self.coverage.add_nests(loop_nests(self.explain(self.sql(text, what), what)))

    def explain(self, query, what):
        """What PostgreSQL has run, as JSON."""
        return self.attempt("EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF, SUMMARY OFF, FORMAT json) " + query, what)[0][0][0]["Plan"]

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
        if rows[0][0] is None:
            # a complex one is in the label alone
            rows = self.rows("SELECT label FROM pg_seclabels WHERE objoid = '%s'::regclass AND classoid = 'pg_class'::regclass" % relation)
            return complex(parse_tensor("complex16:" + json.loads(rows[0][0])["tensors"][0]["fill"]))
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
        rows = self.attempt("SELECT * FROM %s" % (relation or statement.target.name), "view " + statement.target.name)
        columns = [c.name for c in self.cursor.description]
        return self.dense(statement, notation, columns, rows, open_sorts, fill)

    def dense(self, statement, notation, columns, rows, open_sorts={}, fill=0.0):
        """Rows with the entries of a statement's result as a dense array."""
        name = statement.target.name
        bounds = statement.target.bounds
        choices = decomposition(notation)
        keyed = [d for d, choice in enumerate(choices) if choice != "*"]
        if columns != [statement.labels[d] for d in keyed] + ["value"]:
            raise Failure("view %s (%s) has columns %s" % (name, notation, columns))
        result = np.full(bounds, fill, complex if self.imaginary else float)
        seen = set()
        if not keyed and len(rows) != 1:
            raise Failure("view %s (%s) has %d rows" % (name, notation, len(rows)))
        for row in rows:
            key = tuple(
                index_of(
                    self.closed(k, open_sorts.get(statement.target.sorts[d]), bounds[d]),
                    statement.target.first(d) if choices[d] == "U" else 0,
                )
                for k, d in zip(row, keyed)
            )
            if key in seen:
                raise Failure("view %s (%s) has key %s twice" % (name, notation, key))
            seen.add(key)
            where = [slice(None)] * len(bounds)
            for d, k in zip(keyed, key):
                size = 1 if choices[d] == "U" else choices[d]
                if not 0 <= k * size < bounds[d]:
                    raise Failure("view %s (%s) has key %s" % (name, notation, key))
                where[d] = k if choices[d] == "U" else slice(k * size, k * size + size)
            value = row[-1]
            if value is None:
                raise Failure("view %s (%s) has a null value" % (name, notation))
            value = parse_tensor(value) if isinstance(value, str) else np.array(value, float)
            if value.shape != result[tuple(where)].shape:
                raise Failure("view %s (%s) has a value of shape %s" % (name, notation, value.shape))
            result[tuple(where)] = value
        return result


def decomposition(notation):
    """of each dimension that a notation has: "U" (promoted), "*" (demoted) or a block size"""
    choices = []
    for quoted, name, size in re.findall(r'(?:("[^"]*")|([A-Za-z_0-9]+))(?::([0-9]+|\*))?', notation[notation.index("[") :]):
        if size and size != "*":
            choices.append(int(size) if size != "1" else "U")
        else:
            choices.append("U" if name and name == name.upper() and name != name.lower() and not size else "*")
    return choices


def element_of(text):
    """The element type of a tensor."""
    named = re.match(r"^([a-z]+[0-9]+)[(:]", text)
    return named[1] if named else "float8"


NUMBER = "(?:Infinity|NaN|[0-9.]+(?:e[-+]?[0-9]+)?)"


def parse_number(text):
    return complex(text.replace("i", "j").replace("Infinity", "inf")) if text.endswith("i") else float(text)


def parse_tensor(text):
    shape = re.match(r"^([a-z0-9]+)(\(([^)]*)\))?:", text)
    if shape:
        text = text[shape.end() :]
    bounds = [int(b) for b in shape[3].split(",")] if shape and shape[3] else None
    imaginary = shape and shape[1].startswith("complex")
    if text.startswith("{"):
        # a sparse value: {position:element,...,*:fill}
        entries = re.findall(r"(\*|\d+|\([\d,]+\)):([^,}]+)", text)
        value = np.full(bounds, next((parse_number(e) for at, e in entries if at == "*"), 0.0), dtype=complex if imaginary else float)
        for at, element in entries:
            if at != "*":
                value[tuple(int(i) for i in at.strip("()").split(","))] = parse_number(element)
        return value
    if imaginary:
        # as pairs
        text = re.sub("([-+]?%s)([-+]%s)i" % (NUMBER, NUMBER), r"[\1,\2]", text).replace(",+", ",")
    value = np.array(json.loads(text), dtype=float)
    if imaginary:
        value = value.view(complex)[..., 0] if value.size else value.astype(complex)
    # without entries the brackets do not tell all bounds
    return value.reshape(bounds) if bounds else value


def difference(value, expected, exact):
    """What is wrong with a value, or None."""
    if value.shape != expected.v.shape:
        return "shape %s instead of %s" % (value.shape, expected.v.shape)
    with np.errstate(all="ignore"):
        good = (value == expected.v) | np.isnan(value) & np.isnan(expected.v) | expected.p
        if expected.s is not None:
            good |= expected.s & (abs(value) == abs(expected.v))
        if not exact:
            good |= abs(value - expected.v) <= 32 * expected.e
            good |= ~np.isfinite(expected.e) | (~np.isfinite(expected.m) & np.isfinite(expected.v))
    if good.all():
        return None
    return "%d of %d entries differ\n  is:     %s\n  should: %s%s" % (
        (~good).sum(), good.size, value.tolist(), expected.v.tolist(),
        "\n  poison: %s" % expected.p.astype(int).tolist() if expected.p.any() else "",
    )  # fmt: skip
