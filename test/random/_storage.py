"""Random storages of a tensor: tables, their rows, and their registrations."""

import itertools
import json
import re

import numpy as np


def literal(text):
    return "'" + text.replace("'", "''") + "'"


# columns may be called anything; a percent sign or a quote must survive
KEYS = ["k%d", "Key %d", "d%d", "value%d", "index%d", "s%d", 'x"%d', "50%%%d", "a'%d", "user"]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def array(names):
    """A literal of name[]."""
    return literal("{%s}" % ",".join('"' + n.replace('"', '\\"') + '"' for n in names))


def split(part, rng):
    """Integers that add up to part, for rows with the same keys."""
    if rng.random() < 0.5:
        return [part]
    some = np.zeros(np.shape(part))
    for index in np.ndindex(np.shape(part)):
        some[index] = rng.choice([-2, 0, 0, 1, 3])
    return [some, part - some]


def number(value):
    if not np.isfinite(value):
        return "'%s'" % spelled(value)
    return repr(int(value)) if value == int(value) else repr(value)


def nested(array):
    return re.sub(r"\.0\b", "", json.dumps(array.tolist()))


def spelled(value):
    """A number as PostgreSQL writes it."""
    return {np.inf: "Infinity", -np.inf: "-Infinity"}.get(value) or "%g" % value


def open_key(index, key_type):
    """The key of an index of an open label, as text."""
    if key_type == "uuid":
        return "00000000-0000-0000-0000-%012d" % (index * 7 + 3)
    if key_type == "text":
        return "it's %d" % index
    return str(index * 1000 - 2)


class Storage:
    def __init__(self, tensor, table, promoted, rng, open_sorts, addends=True):
        self.addends = addends  # several rows may have a key, and are summed
        self.open = open_sorts  # type of the keys of each open sort
        self.tensor = tensor
        self.table = table
        self.promoted = promoted  # a flag per dimension
        self.rng = rng

    def sql(self):
        """Creates, fills and registers the table."""
        rng = self.rng
        tensor = self.tensor
        rank = len(tensor.bounds)
        promoted = [d for d in range(rank) if self.promoted[d]]
        demoted = [d for d in range(rank) if not self.promoted[d]]
        pattern = rng.choice(KEYS) if rng.random() < 0.3 else "k%d"
        keys = [pattern % d if "%d" in pattern else "%s %d" % (pattern, d) for d in promoted]
        value = rng.choice(["value", "Value", "s", '"', "%s"]) if rng.random() < 0.2 else "v"
        is_open = [tensor.sorts[d] in self.open for d in promoted]
        key_types = [
            self.open[tensor.sorts[d]] if o else rng.choice(["int", "int", "bigint", "smallint"])
            for d, o in zip(promoted, is_open)
        ]
        finite = bool(np.isfinite(tensor.data).all())
        if demoted and 0 in tensor.bounds:
            value_type = "tensor"
        elif demoted:
            value_type = rng.choice(["tensor", "tensor", "float8[]"] + ["int[]", "numeric[]"] * finite)
        else:
            value_type = rng.choice(["float8", "float8", "tensor"] + ["int", "numeric", "bigint"] * finite)
        fill = tensor.fill
        zeros_or_ones = bool(((tensor.data == fill) | (tensor.data == 1)).all())
        no_value = not demoted and promoted and zeros_or_ones and rng.random() < 0.6
        nullable = not no_value and rng.random() < 0.4
        trust = bool(promoted) and rng.random() < 0.15
        additive = bool(promoted) and fill == 0 and not trust and rng.random() < 0.1 and self.addends
        explicit_zeros = rng.choice([0, 0, 0.2, 0.6])

        rows = []
        for index in itertools.product(*(range(tensor.bounds[d]) for d in promoted)):
            where = [slice(None)] * rank
            for d, k in zip(promoted, index):
                where[d] = k
            part = tensor.data[tuple(where)]
            if np.all(part == fill):
                roll = rng.random()
                if not (roll < explicit_zeros) or no_value:
                    continue
                if nullable and roll < explicit_zeros / 2:
                    rows.append(tuple(
                        literal(open_key(k, t)) if o else k
                        for k, t, o in zip(index, key_types, is_open)
                    ) + ("NULL",))
                    continue
            key = tuple(
                literal(open_key(k, t)) if o else k for k, t, o in zip(index, key_types, is_open)
            )
            if no_value:
                rows.append(key)
                continue
            for some in split(part, rng) if additive else [part]:
                if not demoted:
                    text = number(float(some))
                    text = literal(text) if value_type == "tensor" and text[0] != "'" else text
                elif value_type == "tensor":
                    text = nested(some)
                    if 0 in some.shape:
                        text = "float8(%s):[]" % ",".join(map(str, some.shape))
                    text = literal(text)
                else:
                    text = literal(nested(some).replace("[", "{").replace("]", "}"))
                rows.append(key + (text,))
        if trust and rows and rng.random() < 0.4:
            # a key that is null is no entry
            rows.append(("NULL",) + rows[0][1:])
        rng.shuffle(rows)

        columns = ["%s %s%s" % (quoted(k), t, "" if trust else " NOT NULL") for k, t in zip(keys, key_types)]
        names = list(keys)
        if not no_value:
            columns.append("%s %s%s" % (quoted(value), value_type, "" if nullable else " NOT NULL"))
            names.append(value)
        if rng.random() < 0.2:
            columns.insert(rng.randrange(len(columns) + 1), "extra text")
        if promoted and not trust and not additive:
            order = [quoted(k) for k in keys]
            rng.shuffle(order)
            columns.append("%s (%s)" % (rng.choice(["PRIMARY KEY", "PRIMARY KEY", "UNIQUE"]), ", ".join(order)))
        sql = ["CREATE TABLE %s (%s)" % (self.table, ", ".join(columns))]
        if rows:
            values = ", ".join("(%s)" % ", ".join(str(v) for v in row) for row in rows)
            sql.append("INSERT INTO %s (%s) VALUES %s" % (self.table, ", ".join(map(quoted, names)), values))
        relation = self.table
        if rng.random() < 0.08 and promoted and not additive:
            relation = self.table + "_view"
            trust = True
            sql.append("CREATE VIEW %s AS SELECT * FROM %s" % (relation, self.table))
        notation = ",".join(("X%d" if p else "x%d") % d for d, p in enumerate(self.promoted))
        sql.append(
            "SELECT einsum_register('%s[%s]', '%s', keys => %s, value => %s, bounds => '{%s}'%s%s)"
            % (
                tensor.name, notation, relation, array(keys), "NULL" if no_value else literal(value),
                ",".join("*" if s in self.open else str(b) for s, b in zip(tensor.sorts, tensor.bounds)),
                ", fill => '%s'" % spelled(fill) if fill else "",
                ", duplicates => '%s'" % ("trust" if trust else "sum") if trust or additive else "",
            )
        )  # fmt: skip
        return sql


def storages_sql(tensors, rng, analyze, open_sorts):
    """SQL that stores all tensors; analyze is the probability of measuring one."""
    sql = []
    # addends of other signs, or 0, times an infinity: a plan may multiply each
    finite = all(np.isfinite(t.data).all() for t in tensors)
    for tensor in tensors:
        rank = len(tensor.bounds)
        count = rng.choices([1, 2, 3], [15, 4, 1])[0] if rank else 1
        style = rng.random()
        for n in range(count):
            probability = 1.0 if style < 0.25 else 0.0 if style < 0.4 else 0.5
            if n > 0:
                probability = 0.5
            promoted = [s in open_sorts or rng.random() < probability for s in tensor.sorts]
            table = "t_%s_%d" % (tensor.name, n)
            tensor.storages.append(Storage(tensor, table, promoted, rng, open_sorts, finite))
            sql += tensor.storages[-1].sql()
        if rng.random() < analyze:
            sql.append("SELECT count(*) FROM einsum_analyze('%s')" % tensor.name)
    return sql
