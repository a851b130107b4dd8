"""Random loops, compared with a loop in Python over dense arrays.

    test/cluster test/python test/random/iterations.py [--seed S] [--count N]

Each program is made as text and as a function of numpy at once, by code of this file alone. All
values are small integers, so that results have to be equal. Of each loop the state is compared
after all rounds, with the value of until in each; some states become extremes of themselves along edges, whose rounds may take what the
last one has changed for all. Sometimes it is run in two calls, as a
procedure, with some of the state in tables of the user's, planned again in every round, or with little memory.

Two of three loops are over dimensions: the indices of one or two kinds of labels are the keys of a
table, which are texts, integers with gaps or dates, inserted in another order than their own, with
positions and without, and referred to with and without foreign keys. Between two calls some get new keys,
and some of these rows. Some plans are made as if rows cost much, so that labels are inside of values. Ends
with "N passed, N failed".
"""

import argparse
import datetime
import json
import random
import re
import sys

import numpy as np
import psycopg2

BOUNDS = {"i": 4, "k": 3}
# the kind of each label: two of one kind have the same indices
KIND = {"i": "i", "j": "i", "l": "i", "k": "k"}
# stored tensors: labels, fill, share of entries that are stored
STORED = {"a": ("ij", 0, 0.4), "b": ("i", 0, 0.6), "f": ("ij", 1, 0.3), "g": ("k", 2, 0.5), "w": ("ik", 0, 0.7), "c": ("", 0, 1.0)}
STATES = {"x": "i", "y": "ij", "z": "ik", "s": "", "t": "j"}

seen = {"dimensions": 0, "positions": 0, "grown": 0, "refused": 0, "lost": 0, "places": 0}


def nth_key(kind, number):
    """The nth key of a dimension: their order is neither that of n nor that of numbers."""
    digit = (7 * number + 3) % 11
    if kind == "text":
        return "'%s%d'" % ("zAbéY"[number % 5], digit)
    if kind == "date":
        return "'%s'" % (datetime.date(2020, 2, 27) + datetime.timedelta(40 * digit))
    return str(1000 * digit - 4000)


class Expr:
    """text, and a function of the arrays by name; the value has an axis for each label in scope"""

    def __init__(self, text, value):
        self.text = text
        self.value = value


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.bounds = dict(BOUNDS)
        # the dimensions: kind of label -> type of its keys, and whether they have positions
        choose = random.Random("dimensions %d" % seed)
        kinds = choose.choice([[], ["i"], ["k"], ["k"], ["i", "k"], ["i", "k"]]) if seed % 3 else []
        self.dimensions = {kind: (choose.choice(["text", "text", "bigint", "date"]), choose.random() < 0.3) for kind in kinds}
        self.references = choose.random() < 0.5
        self.grows = [kind for kind in kinds if choose.random() < 0.7]
        self.arrays = {name: self.stored(labels, fill, share) for name, (labels, fill, share) in STORED.items()}
        self.states = self.random.sample(sorted(STATES), self.random.randint(1, 3))
        self.changing = [name for name in self.states if STATES[name] and self.random.random() < 0.6]

    def shape(self, labels):
        return tuple(self.bounds[KIND[label]] for label in labels)

    def stored(self, labels, fill, share):
        array = self.numbers.integers(-3, 4, self.shape(labels)).astype(float)
        return np.where(self.numbers.random(self.shape(labels)) < share, array, float(fill))

    def grow(self, arrays, fills):
        """One more key in some dimensions: arrays have their fill there, and some that are stored an entry."""
        for kind in self.grows:
            self.bounds[kind] += 1
        grown = {}
        for name, array in arrays.items():
            labels = STORED[name][0] if name in STORED else STATES[name]
            wider = np.full(self.shape(labels), float(fills[name]))
            wider[tuple(slice(n) for n in array.shape)] = array
            if name in STORED and wider.shape != array.shape and self.numbers.random() < 0.5:
                corner = tuple(self.numbers.integers(0, n) if KIND[label] not in self.grows else n - 1 for label, n in zip(labels, wider.shape))
                wider[corner] = self.numbers.integers(-3, 4)
            grown[name] = wider
        return grown

    def reference(self, scope, names):
        """an access whose labels are in scope, or the same with others of their kind"""
        fitting = []
        for name, labels in names.items():
            kinds = {"i": "ijl", "j": "ijl", "k": "k"}
            choices = [[s for s in scope if s in kinds[label]] for label in labels]
            if all(choices):
                fitting.append((name, "".join(self.random.choice(c) for c in choices)))
        if not fitting:
            return self.number(scope)
        return self.access(scope, *self.random.choice(fitting))

    def access(self, scope, name, labels):
        def value(arrays):
            array = arrays[name]
            letters = dict(zip(scope, "abcdef"))
            array = np.einsum("".join(letters[label] for label in labels) + "->" + "".join(letters[label] for label in dict.fromkeys(labels)), array)
            found = list(dict.fromkeys(labels))
            order = [found.index(label) for label in scope if label in found]
            array = np.transpose(array, order)
            return array.reshape([self.bounds[KIND[label]] if label in found else 1 for label in scope])
        return Expr("%s[%s]" % (name, ",".join(labels)), value)

    def number(self, scope):
        number = self.random.randint(-2, 3)
        return Expr("(%d)" % number, lambda arrays: np.full([1] * len(scope), float(number)))

    def expr(self, scope, names, depth):
        choice = self.random.random()
        if depth == 0 or choice < 0.25:
            return self.reference(scope, names) if self.random.random() < 0.85 else self.number(scope)
        if choice < 0.5:
            free = [label for label in "ijk" if label not in scope]
            if free:
                label = self.random.choice(free)
                aggregate, reduce = self.random.choice([("sum", np.sum), ("max", np.max), ("min", np.min), ("sum", np.sum), ("any", None)])
                body = self.expr(scope + label, names, depth - 1)
                # the label has to occur
                factor = self.reference(label, {n: l for n, l in names.items() if l in ("i", "j", "k")})

                def value(arrays):
                    inner = np.broadcast_to(body.value(arrays) * factor.value(arrays).reshape([1] * len(scope) + [-1]),
                                            np.broadcast_shapes((body.value(arrays)).shape, (1,) * len(scope) + self.shape(label)))
                    if reduce is None:
                        return (inner != 0).any(axis=-1).astype(float)
                    return reduce(inner, axis=-1)
                if "[" in factor.text:
                    return Expr("(%s[%s] (%s*%s))" % (aggregate, label, body.text, factor.text), value)
        left = self.expr(scope, names, depth - 1)
        right = self.expr(scope, names, depth - 1)
        symbol, function = self.random.choice([
            ("%s + %s", np.add), ("%s - %s", np.subtract), ("%s * %s", np.multiply), ("%s * %s", np.multiply),
            ("(%s > %s)", lambda a, b: (a > b).astype(float)), ("(%s == %s)", lambda a, b: (a == b).astype(float)),
            ("greatest(%s, %s)", np.maximum), ("least(%s, %s)", np.minimum)])
        return Expr("(%s)" % (symbol % (left.text, right.text)), lambda arrays: function(left.value(arrays), right.value(arrays)))

    def covering(self, labels, names):
        """an expression in which all labels occur, between -9 and 9"""
        inner = self.expr(labels, names, 3)
        text = inner.text
        for label in labels:
            text += " + 0*%s[%s]" % ("g" if label == "k" else "b", label)
        # wide results would not stay exact
        text = "greatest(-9, least(9, %s))" % text
        return Expr(text, lambda arrays: np.broadcast_to(np.clip(inner.value(arrays), -9, 9), self.shape(labels)) if labels
                    else np.clip(inner.value(arrays), -9, 9).reshape(()))

    def left(self, name, labels):
        pinned = self.random.random() < 0.4
        every = name in self.changing and self.random.random() < 0.8
        return "%s[%s]" % (name, ",".join(label.upper() if every or pinned and self.random.random() < 0.7 else label for label in labels))

    def changed(self, name, names):
        """a state and what changes of it, where another tensor has entries"""
        labels = STATES[name]
        state = Expr("%s[%s]" % (name, ",".join(labels)), lambda arrays: arrays[name])
        for _ in range(self.random.randint(1, 2)):
            where = {"i": "b[i]", "j": "b[j]", "ij": "a[i,j]", "ik": "w[i,k]"}[labels]
            text, function = self.random.choice([
                ("%(s)s + %(w)s * %(x)s", lambda s, w, x: s + w * x),
                ("%(w)s * %(x)s + %(s)s", lambda s, w, x: s + w * x),
                ("%(s)s - %(w)s * %(x)s", lambda s, w, x: s - w * x),
                ("%(s)s * (1 - (%(w)s > 0) * (%(x)s > 0))", lambda s, w, x: s * (1 - (w > 0) * (x > 0))),
                ("greatest(%(s)s, if(%(w)s <> 0, %(x)s, ln(%(w)s)))", lambda s, w, x: np.where(w != 0, np.maximum(s, x), s)),
                ("least(if(%(w)s > 0, %(x)s, 0 - ln(greatest(%(w)s, 0))), %(s)s)", lambda s, w, x: np.where(w > 0, np.minimum(s, x), s))])
            before, change = state, self.covering(labels, names)
            values = dict(s=before.text, w=where, x=change.text)
            state = Expr("(%s)" % (text % values), lambda arrays, f=function, before=before, change=change, t=where[0]:
                         f(before.value(arrays), arrays[t], change.value(arrays)))
        return state

    def extreme(self, name, names):
        """an extreme of terms that read a state, in most cases infinite where that is; and how it is combined with the state"""
        labels = STATES[name]
        scope = labels + "l"
        symbol, aggregate, reduce, combine, no, none = self.random.choice([
            ("least", "min", np.min, np.minimum, "1/0", np.inf), ("greatest", "max", np.max, np.maximum, "ln(0)", -np.inf)])
        others = {n: l for n, l in names.items() if n in STORED or self.random.random() < 0.1}

        def entry():
            return self.access(scope, name, "".join(self.random.choice(scope) for _ in labels))
        one, other, number = entry(), entry(), self.number(scope)
        something = self.reference(scope, others)
        text, function = self.random.choice([
            ("%(x)s + %(s)s", lambda x, y, s: x + s), ("%(x)s + %(s)s", lambda x, y, s: x + s), ("%(x)s", lambda x, y, s: x),
            ("%(x)s + %(y)s", lambda x, y, s: x + y), ("%(x)s + %(y)s + %(s)s", lambda x, y, s: x + y + s),
            ("if(%(x)s > %(s)s, %(x)s + 1, %(x)s + 2)", lambda x, y, s: np.where(x > s, x + 1, x + 2)),
            ("if(%(x)s < 0, %(x)s, 1 - %(x)s)" if no == "ln(0)" else "abs(%(x)s)",
             (lambda x, y, s: np.where(x < 0, x, 1 - x)) if no == "ln(0)" else (lambda x, y, s: abs(x))), ("(%(x)s - %(s)s) - 1", lambda x, y, s: x - s - 1),
            # one of these is not infinite where the state is: there is no frontier
            ("least(%(x)s, %(s)s)", lambda x, y, s: np.minimum(x, s)),
            ("greatest(%(x)s, %(s)s)", lambda x, y, s: np.maximum(x, s))])
        where, test = self.random.choice([("<> 0", lambda v: v != 0), ("> 0", lambda v: v > 0), ("== 1", lambda v: v == 1)])
        mask = self.access(scope, *self.random.choice([
            (n, "".join(self.random.choice(scope) for _ in l)) for n, (l, _, _) in STORED.items() if l in ("i", "ij")]))
        something = something if self.random.random() < 0.7 else number
        # all labels have to occur
        covered = " + ".join(["0*b[%s]" % label for label in scope])
        body = "if(%s %s, %s + %s, %s)" % (mask.text, where, text % dict(x=one.text, y=other.text, s=something.text), covered, no)

        def value(arrays):
            shaped = self.shape(scope)
            inner = np.where(np.broadcast_to(test(mask.value(arrays)), shaped),
                             np.broadcast_to(function(one.value(arrays), other.value(arrays), something.value(arrays)), shaped), none)
            return reduce(inner, axis=-1)
        made = Expr("(%s[l] %s)" % (aggregate, body), value)
        return made, symbol, combine, no, none

    def with_extremes(self, name, names, step, counts):
        """statements of a state that becomes an extreme of itself, in one of the ways in which that may be written"""
        labels = STATES[name]
        state = self.access(labels, name, labels)
        made, symbol, combine, no, none = self.extreme(name, names)
        better = "<" if symbol == "least" else ">"
        way = self.random.choice(["plain", "new", "near", "both"])
        if way in ("near", "both"):
            step.append(("near_" + name, labels, made))
            made = self.access(labels, "near_" + name, labels)
        pair = [state, made] if self.random.random() < 0.5 else [made, state]
        new = Expr("%s(%s, %s)" % (symbol, pair[0].text, pair[1].text), lambda arrays: combine(state.value(arrays), made.value(arrays)))
        if way in ("new", "both"):
            step.append(("new_" + name, labels, new))
            new = self.access(labels, "new_" + name, labels)
        step.append((name, labels, new))
        compared, sign = {"plain": (None, None), "near": (made, better), "new": (new, "<>"), "both": (new, self.random.choice([better, "<>", "=="]))}[way]
        if compared and self.random.random() < 0.8:
            relation = {"<": np.less, ">": np.greater, "<>": np.not_equal, "==": np.equal}[sign]
            sides = "(%s %s %s)" % (compared.text, sign, state.text)
            if sign in "<>" and self.random.random() < 0.5:
                sides = "(%s %s %s)" % (state.text, {"<": ">", ">": "<", "<>": "<>"}[sign], compared.text)
            counts.append(Expr("(sum[%s] %s)" % (",".join(labels), sides), lambda arrays: relation(compared.value(arrays), state.value(arrays)).sum()))
        return no, none

    def make_paths(self):
        """one state of which entries may be infinite, as in a search for shortest paths"""
        name = self.random.choice("xyt")
        self.states, self.changing = [name], [name]
        labels = STATES[name]
        stored = {n: l for n, (l, _, _) in STORED.items()}
        start = self.covering(labels, stored)
        step, counts = [], []
        no, none = self.with_extremes(name, dict(stored, **{name: labels}), step, counts)
        where = self.access(labels, "b", self.random.choice(labels))
        init = [(name, labels, Expr("if(%s > 0, %s, %s)" % (where.text, start.text, no), lambda arrays: np.where(
            np.broadcast_to(where.value(arrays), self.shape(labels)) > 0, start.value(arrays), none)))]
        count = counts[0] if counts else self.number("")
        step.append(("m", "", Expr("2 - (%s == 0)" % count.text, lambda arrays: np.array(2.0 - (count.value(arrays) == 0)))))
        return init, step

    def make(self):
        if self.random.random() < 0.25:
            return self.make_paths()
        stored = {name: labels for name, (labels, _, _) in STORED.items()}
        init = [(name, STATES[name], self.covering(STATES[name], stored)) for name in self.states]
        names = dict(stored, **{name: STATES[name] for name in self.states})
        step = []
        for n in range(self.random.randint(0, 2)):
            labels = self.random.choice(["", "i", "ij", "ik", "k"])
            step.append(("h%d" % n, labels, self.covering(labels, names)))
            names["h%d" % n] = labels
        counts = []
        for name in self.states:
            if STATES[name] in ("i", "j", "ij") and self.random.random() < 0.3:
                self.with_extremes(name, names, step, counts)
                continue
            made = self.changed(name, names) if name in self.changing else self.covering(STATES[name], names)
            step.append((name, STATES[name], made))
        value = self.covering("", dict(names))
        for count in counts:
            value = Expr("%s + %s" % (value.text, count.text), lambda arrays, a=value, b=count: a.value(arrays) + b.value(arrays))
        step.append(("m", "", value))
        return init, step

    def begin(self, init):
        """all arrays before the first round"""
        # what init defines is not known to what it defines next: all of it reads stored tensors
        return dict(self.arrays, **{name: np.array(expr.value(dict(self.arrays)), dtype=float) for name, _, expr in init})

    def run(self, arrays, step, rounds, threshold):
        """the arrays after the rounds, or when m exceeds the threshold; and m in each"""
        arrays = dict(arrays)
        values = []
        for _ in range(rounds):
            new = {}
            scope = dict(arrays)
            for name, labels, expr in step:
                value = np.array(expr.value(scope), dtype=float)
                if name in self.states or name == "m":
                    new[name] = value
                else:
                    scope[name] = value
            values.append(float(new.pop("m")))
            arrays.update(new)
            if values[-1] > threshold or self.is_lost(arrays):
                break
        return arrays, values

    def is_lost(self, arrays):
        """is an entry of a state NaN? That ends a loop with an error"""
        return any(np.isnan(arrays[name]).any() for name in self.states)


class Tables:
    """What a program reads, in a schema of its own."""

    def __init__(self, cursor, program):
        self.cursor = cursor
        self.program = program
        for kind, (type, has_positions) in program.dimensions.items():
            cursor.execute("create table dim_%s (id %s primary key, place int unique not null)" % (kind, type))
            cursor.execute("select einsum_dimension(%%s, %%s, 'id'%s)" % (", 'place'" if has_positions else ""), ("dim_" + kind, "dim_" + kind))
            self.add_keys(kind, range(program.bounds[kind]))
        for name, (labels, fill, _) in STORED.items():
            self.put(name, labels, fill, program.arrays[name])

    def add_keys(self, kind, numbers):
        for number in numbers:
            self.cursor.execute("insert into dim_%s values (%s, %d)" % (kind, self.key(kind, number), (5 * number + 2) % 13))

    def key(self, kind, number):
        return nth_key(self.program.dimensions[kind][0], number) if kind in self.program.dimensions else str(number)

    def type(self, kind):
        return self.program.dimensions[kind][0] if kind in self.program.dimensions else "int"

    def column(self, label):
        kind = KIND[label]
        proof = " references dim_" + kind if kind in self.program.dimensions and self.program.references else ""
        return self.type(kind) + proof

    def insert(self, name, labels, index, value):
        keys = [self.key(KIND[label], n) for label, n in zip(labels, index)]
        self.cursor.execute("insert into %s values (%s)" % (name, ", ".join(keys + ["'%r'" % float(value)])))

    def put(self, name, labels, fill, array):
        columns = ["k%d" % d for d in range(len(labels))]
        self.cursor.execute("create table %s (%s)" % (name, ", ".join(
            ["%s %s" % (c, self.column(label)) for c, label in zip(columns, labels)] + ["v float8 not null"] +
            (["primary key (%s)" % ", ".join(columns)] if labels else []))))
        for index in np.ndindex(*array.shape):
            if array[index] != fill or not labels:
                self.insert(name, labels, index, array[index])
        bounds = ["dim_" + KIND[label] if KIND[label] in self.program.dimensions else str(self.program.bounds[KIND[label]]) for label in labels]
        self.cursor.execute("select einsum_register(%s, %s, keys => %s, value => 'v', bounds => %s::text[]::tensor_bounds, fill => %s)", (
            "%s[%s]" % (name, ",".join(labels.upper())), name, columns, bounds, fill))

    def fill(self, name):
        self.cursor.execute("select fill from einsum_tensors where tensor = %s", (name,))
        return self.cursor.fetchone()[0]

    def grow(self, arrays):
        """One more key in some dimensions; the arrays as they are then."""
        before = dict(self.program.bounds)
        grown = self.program.grow(arrays, {name: self.fill(name) for name in arrays})
        for kind in self.program.grows:
            self.add_keys(kind, range(before[kind], self.program.bounds[kind]))
        for name, (labels, fill, _) in STORED.items():
            old = arrays[name].shape
            for index in np.ndindex(*grown[name].shape):
                if any(n >= m for n, m in zip(index, old)) and grown[name][index] != fill:
                    self.insert(name, labels, index, grown[name][index])
        return grown

    def dense(self, name, labels):
        """the value of a tensor"""
        if not labels:
            self.cursor.execute("select einsum_value('v[] = %s[]')::float8" % name)
            return np.array(self.cursor.fetchone()[0], dtype=float)
        text = "v[%s] = %s[%s]" % (",".join(labels.upper()), name, ",".join(labels))
        self.cursor.execute("select * from einsum_rows(%%s) as v(%s, value float8)" % ", ".join(
            "%s %s" % (label, self.type(KIND[label])) for label in labels), (text,))
        rows = self.cursor.fetchall()
        array = np.full(self.program.shape(labels), float(self.fill(name)))
        places = []
        for label in labels:
            self.cursor.execute("select " + ", ".join("%s::%s" % (self.key(KIND[label], n), self.type(KIND[label]))
                                                      for n in range(self.program.bounds[KIND[label]])))
            places.append({key: n for n, key in enumerate(self.cursor.fetchone())})
        for *keys, value in rows:
            array[tuple(place[key] for place, key in zip(places, keys))] = value
        return array


def has_places(cursor, program, init, step):
    """does the plan of a step have labels of a dimension inside of values?"""
    cursor.execute("select einsum_plan(%s, iterate => true, init => %s, format => 'json')", (step, init))
    plan = json.loads("\n".join(row[0] for row in cursor.fetchall()))
    kinds = [kind for kind in program.dimensions]
    return any(KIND.get(label[0]) in kinds for stage in plan[0]["stages"]
               for label in re.findall(r"[\[,]([ijkl](?:_\d+)?)(?=[\],])", stage["notation"]))


def check(cursor, seed):
    """runs one loop; what is wrong, or None"""
    program = Program(seed)
    choose = program.random
    init, step = program.make()
    rounds = choose.randint(1, 6)
    threshold = choose.choice([3, 8, 8, 100])
    before = program.begin(init)
    cursor.execute("drop schema if exists loop cascade; create schema loop; set search_path = loop, public")
    tables = Tables(cursor, program)
    given = []
    if choose.random() < 0.3:
        # one of them in a table of the user's, which begins with what init would say
        name, labels, expr = choose.choice(init)
        tables.put(name, labels, choose.choice([0, 1]), before[name])
        given = [name]
    first = "; ".join("%s = %s" % (program.left(name, labels), expr.text) for name, labels, expr in init if name not in given)
    second = "; ".join("%s = %s" % (program.left(name, labels) if name in program.states else "%s[%s]" % (name, ",".join(labels)), expr.text)
                       for name, labels, expr in step)
    arguments = dict(name="random", init=first or None, step=second, until="m[] > %d" % threshold, assign=given or None,
                     search=choose.choice(["dp", "dp", "greedy"]))
    cursor.execute("set sparseeinsum.replan_factor = %s" % choose.choice(["1", "1.5", "10", "1e9"]))
    cursor.execute("set sparseeinsum.max_kernel_bytes = %s" % choose.choice(["'16MB'", "'16MB'", "'1kB'", "'256MB'"]))
    dear = choose.random() < 0.6
    cursor.execute("set sparseeinsum.cost_tuple = %s; set sparseeinsum.cost_group = %s" % ((1000, 1) if dear else (0.07, 0.5)))
    report = "seed %d\n  init  %s\n  step  %s\n  %s\n  dimensions %s" % (seed, first, second, arguments, program.dimensions)
    way = choose.choice(["once", "once", "twice", "procedure"])
    # what loop nests keep for all rounds, in much memory and in little
    cursor.execute("set sparseeinsum.enable_aggregate_join = %s" % choose.choice(["on", "force", "force", "force", "off"]))
    cursor.execute("set sparseeinsum.enable_state_changes = %s" % choose.choice(["on", "force", "force", "force", "off"]))
    cursor.execute("set work_mem = %s" % choose.choice(["'64MB'", "'64MB'", "'64kB'"]))
    cursor.execute("set sparseeinsum.cache_size = %s" % choose.choice(["'64MB'", "'64MB'", "'16kB'"]))
    seen["dimensions"] += bool(program.dimensions)
    seen["positions"] += any(positions for _, positions in program.dimensions.values())
    if dear and program.dimensions and way != "procedure" and not given:
        seen["places"] += has_places(cursor, program, first, second)
    # what may be better than all terms give, as the fill at a new key, cannot be continued
    keeps = any(word in second for word in ("least(", "greatest(", "min[", "max[", "any[", "if("))
    calls = [rounds] if way != "twice" or rounds == 1 else [1, rounds - 1]
    for number, most in enumerate(calls):
        if number and values[-1] > threshold:
            break
        if number and program.grows:
            before = tables.grow(before)
            report += "\n  grown by %s" % program.grows
            seen["grown"] += 1
        before, values = program.run(before, step, most, threshold)
        call = dict(arguments, max_rounds=most, **({"commit_every": choose.randint(1, 3)} if way == "procedure" else {}))
        text = ", ".join("%s => %%(%s)s" % (key, key) for key in call)
        try:
            if way == "procedure":
                cursor.execute("call einsum_iterate(%s)" % text, call)
            else:
                cursor.execute("select value from einsum_iterate(%s)" % text, call)
                found = [row[0] for row in cursor.fetchall()]
                if found != values:
                    return "%s\n  %s: until was %s, not %s" % (report, way, found, values)
        except psycopg2.Error as error:
            if number and program.grows and keeps and error.pgcode == "55000" and "no longer right" in str(error):
                seen["refused"] += 1
                return None
            if program.is_lost(before) and error.pgcode == "22003" and "becomes NaN" in str(error):
                seen["lost"] += 1
                return None
            return "%s\n  %s: %s" % (report, way, error)
        for name in program.states:
            value = tables.dense(name, STATES[name])
            if not np.array_equal(value, before[name]):
                return "%s\n  %s, after %d rounds, %s is\n%s\nnot\n%s" % (report, way, len(values), name, value, before[name])
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    options = parser.parse_args()
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("set client_min_messages = error; create extension if not exists sparseeinsum")
    # differences of infinities
    np.seterr(invalid="ignore")
    failed = 0
    for seed in range(options.seed, options.seed + options.count):
        wrong = check(cursor, seed)
        if wrong:
            failed += 1
            print("FAILED  " + wrong, flush=True)
    print("loops: %s" % ", ".join("%s %d" % item for item in seen.items()))
    print("%d passed, %d failed" % (options.count - failed, failed))
    if options.count >= 100 and min(seen["dimensions"], seen["positions"], seen["grown"] - seen["refused"], seen["places"]) <= 0:
        print("some loops are never made")
        failed += 1
    return failed


sys.exit(1 if main() else 0)
