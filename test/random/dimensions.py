"""Random programs over tables that grow: the index set of some labels is the keys of a table.

    test/cluster test/python test/random/dimensions.py [--seed S] [--count N] [--minutes M]

Views, tables that are refreshed, prepared statements and point queries are made when the
dimensions and the tensors over them have a few keys. Then keys are inserted, and rows with
them, and after each step all have the values that numpy gives for arrays of these bounds. Keys
are integers with gaps, of two types, texts and uuids, with foreign keys and without. Most
dimensions have positions, in another order and with gaps: pins demote their labels and split
them in blocks.
"""

import sys

import numpy as np

from _cases import run_cases
from _oracle import Oracle, evaluate
from _session import NoPlan, options_text
from _storage import Dimensions, VectorStorage, literal, open_key
from _suites import Case, Skipped
from _syntax import Moved, Ref, Sum, program_text, walk

VARIANTS = [
    {}, {"alternative": 2}, {"rewrite": "none"}, {"rewrite": "reassociate"}, {"search": "greedy"},
    {"materialize": "never", "estimator": "chain"}, {"estimator": "uniform"}, {"alternative": 3}, {"search": "as_written"},
]  # fmt: skip
seen = {"view": 0, "prepared": 0, "at": 0, "refreshed": 0, "value": 0, "positions": 0, "arrays": 0}


def label_sorts(node):
    """The labels of a reference, each with its sort."""
    sorts = node.tensor.sorts
    if isinstance(node, Moved):
        sorts = [s for s, place in zip(sorts, node.places) if not isinstance(place, int)]
    return list(zip(node.labels, sorts))


def moved_sorts(program):
    """Those at whose indices a tensor is shifted, or constant: keys that a table has do not move."""
    nodes = [n for s in program for n in walk(s.expr) if isinstance(n, Moved)]
    return {s for n in nodes for s, place in zip(n.tensor.sorts, n.places) if isinstance(place, int) or place[1]}


def sort_of(name, body):
    """The sort of a label by what it indexes."""
    for node in walk(body):
        if isinstance(node, Ref) and name in node.labels:
            return dict(label_sorts(node))[name]
    raise Skipped("a label that indexes nothing")


class GrowingCase(Case):
    """One random program, and how its tables grow."""

    first_keys = False  # those of a table

    def __init__(self, session, seed):
        super().__init__(session, seed, "values" if seed % 4 == 0 else "fills")

    def generate(self):
        sorts = []
        while not sorts:
            super().generate()
            targets = [s.target for s in self.program]
            self.bounds = {s: b for t in self.tensors + targets for s, b in zip(t.sorts, t.bounds)}
            self.sums = [n for s in self.program for n in walk(s.expr) if isinstance(n, Sum)]
            try:
                self.sum_sorts = [[sort_of(name, n.body) for name, _ in n.labels] for n in self.sums]
            except Skipped:
                continue
            # of nothing an extreme is that of the fill
            sorts = sorted({s for s, b in self.bounds.items() if b > 1} - moved_sorts(self.program))
            if any(isinstance(t.fill, complex) for t in self.tensors):
                sorts = []
        rng = self.rng
        for statement in self.program:
            statement.algebra = None
        self.text = program_text(self.program, seed=rng.getrandbits(16))
        chosen = rng.sample(sorted(sorts), rng.randint(1, len(sorts)))
        positions = {s: rng.sample(range(3 * self.bounds[s]), self.bounds[s]) for s in chosen if rng.random() < 0.7}
        self.open = Dimensions({s: rng.choice(["int", "bigint", "text", "uuid"]) for s in chosen}, dict(self.bounds), positions)
        self.whole = {t: t.data for t in self.tensors}
        first = {s: rng.randint(1, self.bounds[s]) for s in chosen}
        second = {s: rng.randint(first[s], self.bounds[s]) for s in chosen}
        few = {s: rng.randint(0, first[s]) for s in chosen}
        more = {s: rng.randint(few[s], second[s]) for s in chosen}
        last = {s: self.bounds[s] for s in chosen}
        self.steps = [(first, few), (second, few), (second, more), (last, last)]
        self.values = []
        for step in self.steps:
            self.move_to(step)
            self.values.append(evaluate(self.program, Oracle()))

    def move_to(self, step):
        """Arrays and bounds as they are at a step: the number of keys, and of those with entries."""
        keys, entries = step

        def bound(sort):
            return keys.get(sort, self.bounds[sort])

        for tensor in self.tensors:
            data = self.whole[tensor].copy()
            for d, sort in enumerate(tensor.sorts):
                where = [slice(None)] * data.ndim
                where[d] = slice(entries.get(sort, self.bounds[sort]), None)
                data[tuple(where)] = tensor.fill
            tensor.data = data[tuple(slice(bound(s)) for s in tensor.sorts)]
        for tensor in self.tensors + [s.target for s in self.program]:
            tensor.bounds = tuple(bound(s) for s in tensor.sorts)
        for node, sorts in zip(self.sums, self.sum_sorts):
            node.labels = tuple((name, bound(sort)) for (name, _), sort in zip(node.labels, sorts))

    def placed(self):
        """The text with pins on the right, also of labels that have positions."""
        pins = []
        for statement in self.program:
            # a name may be that of labels of two sums
            sorts = {}
            for name, sort in zip(statement.labels, statement.target.sorts):
                sorts.setdefault(name, set()).add(sort)
            for node in walk(statement.expr):
                if isinstance(node, Ref):
                    for name, sort in label_sorts(node):
                        sorts.setdefault(name, set()).add(sort)
            pins.append({name: self.place_pin(found) for name, found in sorts.items()})
        return program_text(self.program, None, pins)

    def place_pin(self, sorts):
        if any(s in self.open and s not in self.open.positions for s in sorts):
            return None
        return self.rng.choice(["U", "*", "*", 2, 3, None])

    def by_position(self, value, last):
        """A dense value by position, as one by key; what no key has is fill."""
        taken = []
        for bound, sort in zip(last.target.bounds, last.target.sorts):
            places = self.open.positions[sort][:bound] if sort in self.open else list(range(bound))
            taken.append(places)
        shape = tuple(max(places, default=-1) + 1 for places in taken)
        assert value.shape == shape, "shape %s, should be %s" % (value.shape, shape)
        return value[np.ix_(*taken)] if taken else value

    def tables(self):
        """Tables that have keys of dimensions, with the sorts of these columns."""
        for sort in self.open:
            yield self.open.table(sort), {"id": sort}
        for tensor in self.tensors:
            for storage in tensor.storages:
                found = {storage.key_columns[d]: s for d, s in enumerate(tensor.sorts) if s in self.open and d in storage.key_columns}
                if found:
                    yield storage.table, found

    def condition(self, table, columns, step):
        """Which rows a table has then."""
        counts = step[0] if table.startswith("dim_") else step[1]
        tests = []
        for column, sort in columns.items():
            keys = self.open.key_list(sort, counts[sort])
            tests.append("(%s IS NULL%s)" % (column, " OR %s IN (%s)" % (column, keys) if keys else ""))
        return " AND ".join(tests)

    def shrink(self):
        """What comes later is kept elsewhere."""
        sql = []
        # rows go before the keys that they refer to
        for table, columns in reversed(list(self.tables())):
            condition = self.condition(table, columns, self.steps[0])
            sql.append("CREATE TEMP TABLE later_%s AS SELECT * FROM %s WHERE NOT (%s)" % (table, table, condition))
            sql.append("DELETE FROM %s WHERE NOT (%s)" % (table, condition))
        # arrays are those of the last step
        self.move_to(self.steps[0])
        sql += self.vectors()
        self.move_to(self.steps[-1])
        return sql

    def vectors(self):
        """Vectors over positions, and arrays of keys, are written anew."""
        storages = [s for tensor in self.tensors for s in tensor.storages if isinstance(s, VectorStorage) or s.written]
        return [line for s in storages for line in s.filling()]

    def grow(self, step):
        sql = []
        for table, columns in self.tables():
            condition = self.condition(table, columns, step)
            sql.append("INSERT INTO %s SELECT * FROM later_%s WHERE %s" % (table, table, condition))
            sql.append("DELETE FROM later_%s WHERE %s" % (table, condition))
        if self.rng.random() < 0.3:
            sql.append("ANALYZE " + self.open.table(next(iter(self.open))))
        sql += self.vectors()
        return "; ".join(sql)

    def run(self):
        self.generate()
        self.move_to(self.steps[-1])
        try:
            self.store(0.3)
            seen["arrays"] += any(s.written for tensor in self.tensors for s in tensor.storages)
            self.setup += self.shrink()
            self.session.end()
            self.session.begin(self.setup)
            options = self.rng.sample(VARIANTS, 2)
            texts = [self.text, self.pinned(lambda name, bound: "U")] + [self.placed() for _ in range(3)]
            for chosen in options:
                self.through_steps(self.rng.choice(texts), chosen, self.views)
            self.through_steps(self.rng.choice(texts), options[0], self.prepared)
            if self.open.positions:
                self.through_steps(self.placed(), {"search": "as_written"}, self.prepared)
            self.through_steps(self.text, options[1], self.point)
            self.through_steps(self.rng.choice([self.text, self.placed()]), {"materialize": "always"}, self.refreshed)
        finally:
            if not self.session.connection.closed:
                self.session.end()

    def through_steps(self, text, options, make):
        """make(text, options) gives a function that reads and compares."""
        self.move_to(self.steps[0])
        self.expected = self.values[0]
        try:
            read = make(text, options)
        except NoPlan:
            return
        for step, expected in zip(self.steps, self.values):
            self.move_to(step)
            self.expected = expected
            if step is not self.steps[0]:
                self.session.rows(self.grow(step))
                self.session.rows("SAVEPOINT grown")
            self.notes = ["%s %s at %s" % (make.__name__, options, step)]
            try:
                read()
            except Exception as error:
                raise type(error)("%s\n%s\n%s" % (error, self.notes, "\n".join(self.setup))) from error
        self.session.rows("ROLLBACK TO SAVEPOINT s; DEALLOCATE ALL")

    def compare(self, stages, what):
        for n, statement in enumerate(self.program):
            relation, notation = stages[statement.target.name]
            value = self.session.read_view(statement, notation, relation, self.open, self.session.fill(relation))
            self.check(value, n, what)

    def decompose(self, text, options):
        stages = self.session.decompose(text, "einsum_decompose %s" % options, **options)
        return {name.split(".")[-1]: (name, notation) for name, notation in stages}

    def views(self, text, options):
        stages = self.decompose(text, options)

        def read():
            self.compare(stages, "view %s" % options)
            seen["view"] += 1

        return read

    def refreshed(self, text, options):
        stages = self.decompose(text, options)

        def read():
            self.session.attempt("SELECT einsum_refresh('random')", "einsum_refresh")
            self.compare(stages, "table")
            seen["refreshed"] += 1

        return read

    def prepared(self, text, options):
        """One statement, of the last result, and its value as a tensor where that has no key of a dimension."""
        last = self.program[-1]
        session = self.session
        plan = session.plans(text, "einsum_plan", **options)[0]
        notation = next(s["notation"] for s in plan["stages"] if s["name"] == last.target.name)
        fill = float(plan["result"]["fill"])
        session.attempt("PREPARE whole AS " + session.sql(text, "einsum_sql", **options), "PREPARE")

        def read():
            rows = session.attempt("EXECUTE whole", "EXECUTE")
            columns = [c.name for c in session.cursor.description]
            self.check(session.dense(last, notation, columns, rows, self.open, fill), len(self.program) - 1, "EXECUTE %s" % options)
            if not set(last.target.sorts) & set(self.open) - set(self.open.positions):
                value = self.by_position(session.value(text, "value", **options), last)
                self.check(value, len(self.program) - 1, "einsum_value")
                seen["value"] += 1
                seen["positions"] += bool(set(last.target.sorts) & set(self.open))
            seen["prepared"] += 1

        return read

    def point(self, text, options):
        """The rows at each key of one label."""
        last = self.program[-1]
        session = self.session
        places = [d for d, s in enumerate(last.target.sorts) if s in self.open]
        if not places:
            raise NoPlan("no key")
        d = self.rng.choice(places)
        given = "$prog$%s$prog$, at => ARRAY[%s]::name[]%s" % (text, literal(last.labels[d]), options_text(dict(options, result="rows")))
        query = session.attempt("SELECT einsum_sql(%s)" % given, "einsum_sql at")[0][0]
        plan = session.plans(text, "einsum_plan", **options)[0]
        fill = float(plan["result"]["fill"])
        session.attempt("PREPARE point AS " + query, "PREPARE")

        def read():
            expected = self.expected[-1]
            for key in range(last.target.bounds[d]):
                rows = session.attempt("EXECUTE point(%s)" % literal(open_key(key, self.open[last.target.sorts[d]])), "EXECUTE at")
                columns = [c.name for c in session.cursor.description]
                if len(columns) != len(last.labels) + 1:
                    return
                value = session.dense(last, "[%s]" % ",".join("x:1" for _ in last.labels), columns, rows, self.open, fill)
                where = (slice(None),) * d + (key,)
                with np.errstate(all="ignore"):
                    good = (value[where] == expected.v[where]) | expected.p[where] | np.isnan(value[where]) & np.isnan(expected.v[where])
                if not self.exact:
                    good |= abs(value[where] - expected.v[where]) <= 64 * expected.e[where]
                assert good.all(), "at %s: is %s, should be %s" % (key, value[where], expected.v[where])
            seen["at"] += 1

        return read


def main():
    passed, failed, skipped = run_cases(GrowingCase, lambda case: None, 30, 60)
    print("read: %s" % ", ".join("%s %d" % item for item in seen.items()))
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    if passed >= 20 and min(seen.values()) == 0:
        print("some are never read")
        failed += 1
    return failed > 0


sys.exit(main())
