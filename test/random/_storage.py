"""Random storages of a tensor: tables, their rows, and their registrations."""

import datetime
import itertools
import json
import random
import re

import numpy as np

from _filtering import filtering_sql, quoted
from _syntax import Day, Tensor, key_at, label_text, number_text


def literal(text):
    return "'" + text.replace("'", "''") + "'"


# columns may be called anything; a percent sign or a quote must survive
KEYS = ["k%d", "Key %d", "d%d", "value%d", "index%d", "s%d", 'x"%d', "50%%%d", "a'%d", "user"]


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


def element_text(value, element):
    """A tensor's text with its element type, where that is not float8."""
    if np.iscomplexobj(value):
        pairs = np.stack([value.real, value.imag], -1)
        text = re.sub(r"\[([^][]*), ([^][]*)\]", lambda found: complex_text(found[1], found[2]), nested(pairs))
    else:
        text = nested(value)
    if 0 in value.shape:
        return "%s(%s):[]" % (element, ",".join(map(str, value.shape)))
    return text if element == "float8" else "%s:%s" % (element, text)


def sparse_text(value, element):
    """A sparse tensor's text, whose fill is its first element."""
    fill = value.flat[0] if value.size else 0
    entries = ["(%s):%s" % (",".join(map(str, i)), number(float(x)).strip("'")) for i, x in np.ndenumerate(value) if x != fill]
    if fill != 0:
        entries.append("*:%s" % number(float(fill)).strip("'"))
    return "%s(%s):{%s}" % (element, ",".join(map(str, value.shape)), ",".join(entries))


def complex_text(real, imaginary):
    return "%s%s%si" % (real, "" if imaginary.startswith("-") else "+", imaginary)


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


def zorder_position(i, j):
    """Bits of i and j in turn, from the lowest on."""
    return sum((i >> bit & 1) << 2 * bit | (j >> bit & 1) << 2 * bit + 1 for bit in range(16))


def key_columns(name, rank):
    """The column of a layout that has the keys of each index; None where positions count."""
    return {"csr": (None, 1), "csc": (1, None), "lists": (0,), "coo": range(rank), "csf": range(0, 2 * rank, 2)}.get(name, (None,) * rank)


def zorder_length(shape):
    """How many positions from 0 on have indices of the shape."""
    positions = {zorder_position(i, j) for i in range(shape[0]) for j in range(shape[1])}
    return next(p for p in range(len(positions) + 1) if p not in positions)


def is_symmetric(tensor):
    """Are the last two indices of one set, and may they be exchanged?"""
    return len(tensor.sorts) > 1 and tensor.sorts[-1] == tensor.sorts[-2] and np.array_equal(
        tensor.data, np.swapaxes(tensor.data, -1, -2), equal_nan=True
    )  # fmt: skip


class Dimensions(dict):
    """Sorts whose indices are the keys of a table, with the type of the keys; bounds: how many each has;
    positions: of each key, where there are any."""

    def __init__(self, types, bounds, positions=None):
        super().__init__(types)
        self.bounds = bounds
        self.positions = positions or {}

    @staticmethod
    def table(sort):
        return "dim_" + sort.lower()

    def key_list(self, sort, count):
        """The first keys, as elements of a list in SQL."""
        return ", ".join("%s::%s" % (literal(open_key(k, self[sort])), self[sort]) for k in range(count))

    def sql(self):
        statements = []
        for sort, key_type in sorted(self.items()):
            table = self.table(sort)
            keys = "unnest(ARRAY[%s])" % self.key_list(sort, self.bounds[sort])
            if sort in self.positions:
                places = "unnest(ARRAY%s)" % self.positions[sort][: self.bounds[sort]]
                statements += [
                    "CREATE TABLE %s (id %s PRIMARY KEY, note text, place bigint UNIQUE NOT NULL)" % (table, key_type),
                    "INSERT INTO %s SELECT %s, NULL, %s" % (table, keys, places),
                    "SELECT einsum_dimension('%s', '%s', 'id', 'place')" % (table, table),
                ]
                continue
            statements += [
                "CREATE TABLE %s (id %s PRIMARY KEY, note text)" % (table, key_type),
                "INSERT INTO %s SELECT %s" % (table, keys),
                "SELECT einsum_dimension('%s', '%s', 'id')" % (table, table),
            ]
        return statements


class Storage:
    """A table of a tensor in one decomposition: of each dimension "U" (promoted),
    "*" (demoted), or a block size; the last block may be shorter."""

    def __init__(self, tensor, table, decomposition, rng, open_sorts, addends=True):
        self.addends = addends  # several rows may have a key, and are summed
        self.open = open_sorts  # type of the keys of each open sort
        self.tensor = tensor
        self.table = table
        self.decomposition = decomposition
        self.rng = rng
        self.half = None  # np.tril or np.triu: the half of a symmetric tensor that is stored
        self.written = None  # of arrays that are written anew when dimensions have grown: how

    def kind(self):
        """promoted, mixed, demoted or blocked; a number is nothing of these"""
        choices = set(self.decomposition)
        if not choices:
            return None
        if choices - {"U", "*"}:
            return "blocked"
        return {"U": "promoted", "*": "demoted"}[choices.pop()] if len(choices) == 1 else "mixed"

    def keys_of(self, d):
        """How many keys a dimension has."""
        step = self.decomposition[d]
        return self.tensor.bounds[d] if step == "U" else -(-self.tensor.bounds[d] // step)

    def bound_text(self, d):
        sort = self.tensor.sorts[d]
        if sort not in self.open:
            return self.tensor.bound_text(d)
        return self.open.table(sort) if isinstance(self.open, Dimensions) else "*"

    def shown(self, dimensions, index):
        """The keys of some indices, as SQL; blocks are numbered from 0."""
        keys = [key_at(self.tensor.first(d), k) if self.decomposition[d] == "U" else k for d, k in zip(dimensions, index)]
        return [k if isinstance(k, int) else literal(str(k)) for k in keys]

    def wide(self, d, key_type):
        """A type that has all keys."""
        if isinstance(self.tensor.first(d), Day):
            return "date" if self.decomposition[d] == "U" else "int"
        return "bigint" if self.tensor.first(d) > 10000 else key_type

    def entries_of(self, d, key):
        """The index or indices that a key stands for."""
        step = self.decomposition[d]
        return key if step == "U" else slice(key * step, key * step + step)

    def sql(self):
        """Creates, fills and registers the table."""
        if isinstance(self.tensor.fill, complex):
            return self.imaginary_sql()
        layout = self.possible_layout()
        if layout:
            return self.layout_sql(*layout)
        ranges = self.possible_ranges()
        if ranges:
            return self.ranges_sql(*ranges)
        rng = self.rng
        tensor = self.tensor
        rank = len(tensor.bounds)
        keyed = [d for d in range(rank) if self.decomposition[d] != "*"]
        inside = [d for d in range(rank) if self.decomposition[d] != "U"]
        pattern = rng.choice(KEYS) if rng.random() < 0.3 else "k%d"
        keys = [pattern % d if "%d" in pattern else "%s %d" % (pattern, d) for d in keyed]
        value = rng.choice(["value", "Value", "s", '"', "%s"]) if rng.random() < 0.2 else "v"
        is_open = [tensor.sorts[d] in self.open for d in keyed]
        key_types = [
            self.open[tensor.sorts[d]] if o else self.wide(d, rng.choice(["int", "int", "bigint", "smallint"]))
            for d, o in zip(keyed, is_open)
        ]
        finite = bool(np.isfinite(tensor.data).all())
        element = tensor.element
        typed = "tensor(%s)" % element
        if element.startswith("complex"):
            value_type = typed
        elif element == "float4":
            value_type = typed if inside and 0 in tensor.bounds else rng.choice([typed, "real[]" if inside else "real"])
        elif inside and 0 in tensor.bounds:
            value_type = "tensor"
        elif inside:
            value_type = rng.choice(["tensor", "tensor", "float8[]"] + ["int[]", "numeric[]"] * finite)
        else:
            value_type = rng.choice(["float8", "float8", "tensor"] + ["int", "numeric", "bigint"] * finite)
        fill = tensor.fill
        zeros_or_ones = bool(((tensor.data == fill) | (tensor.data == 1)).all())
        no_value = not inside and keyed and zeros_or_ones and tensor.element == "float8" and rng.random() < 0.6
        nullable = not no_value and rng.random() < 0.4
        trust = bool(keyed) and rng.random() < 0.15
        additive = bool(keyed) and fill == 0 and not trust and rng.random() < 0.1 and self.addends
        explicit_zeros = rng.choice([0, 0, 0.2, 0.6])
        # drawn apart, so that a seed makes the programs that it made before there were such columns
        sparse_apart = random.Random(repr((tensor.data.tolist(), tensor.name)))
        columns_apart = random.Random(repr((tensor.name, tensor.data.tolist())))
        of_columns = (
            [self.decomposition[d] for d in inside] == ["*"] and 0 not in tensor.bounds
            and not element.startswith("complex") and columns_apart.random() < 0.3
        )  # fmt: skip

        rows = []
        for index in itertools.product(*(range(self.keys_of(d)) for d in keyed)):
            where = [slice(None)] * rank
            for d, k in zip(keyed, index):
                where[d] = self.entries_of(d, k)
            part = tensor.data[tuple(where)]
            if np.all(part == fill):
                roll = rng.random()
                if not (roll < explicit_zeros) or no_value:
                    continue
                if nullable and roll < explicit_zeros / 2:
                    rows.append(tuple(
                        literal(open_key(k, t)) if o else k
                        for k, t, o in zip(self.shown(keyed, index), key_types, is_open)
                    ) + ([None] * tensor.bounds[inside[0]] if of_columns else "NULL",))
                    continue
            key = tuple(
                literal(open_key(k, t)) if o else k for k, t, o in zip(self.shown(keyed, index), key_types, is_open)
            )
            if no_value:
                rows.append(key)
                continue
            for some in split(part, rng) if additive else [part]:
                if of_columns:
                    text = np.asarray(some).reshape(-1).tolist()
                elif value_type.startswith("tensor"):
                    sparse = sparse_apart.random() < 0.25 and not np.iscomplexobj(some)
                    text = literal((sparse_text if sparse else element_text)(np.asarray(some), element))
                elif not inside:
                    text = number(float(some))
                else:
                    text = literal(nested(some).replace("[", "{").replace("]", "}"))
                rows.append(key + (text,))
        if trust and rows and rng.random() < 0.4:
            # a key that is null is no entry
            rows.append(("NULL",) + rows[0][1:])
        rng.shuffle(rows)

        columns = ["%s %s%s" % (quoted(k), t, "" if trust else " NOT NULL") for k, t in zip(keys, key_types)]
        self.key_columns = {d: quoted(k) for d, k in zip(keyed, keys)}
        growing = isinstance(self.open, Dimensions)
        for n, d in enumerate(keyed):
            if growing and is_open[n] and rng.random() < 0.5:
                columns[n] += " REFERENCES " + self.open.table(tensor.sorts[d])
        names = list(keys)
        if of_columns:
            nulls = columns_apart.choice(["row", "entry"])
            value, value_names, value_types, rows = self.in_columns(
                rows, tensor.bounds[inside[0]], nulls, additive, columns_apart
            )
            columns += ["%s %s" % (quoted(n), t) for n, t in zip(value_names, value_types)]
            names += value_names
        elif not no_value:
            columns.append("%s %s%s" % (quoted(value), value_type, "" if nullable else " NOT NULL"))
            names.append(value)
        if rng.random() < 0.2:
            columns.insert(rng.randrange(len(columns) + 1), "extra text")
        if keyed and not trust and not additive:
            order = [quoted(k) for k in keys]
            rng.shuffle(order)
            columns.append("%s (%s)" % (rng.choice(["PRIMARY KEY", "PRIMARY KEY", "UNIQUE"]), ", ".join(order)))
        sql = ["CREATE TABLE %s (%s)" % (self.table, ", ".join(columns))]
        if rows:
            values = ", ".join("(%s)" % ", ".join(str(v) for v in row) for row in rows)
            sql.append("INSERT INTO %s (%s) VALUES %s" % (self.table, ", ".join(map(quoted, names)), values))
        relation = self.table
        # drawn apart, so that a seed makes the programs that it made before there were such views
        apart = random.Random(repr((rows, names, tensor.name)))
        same_rows = rng.random() < 0.08 and keyed and not additive
        if names and apart.random() < 0.15 and not growing:
            relation = self.table + "_view"
            trust = bool(keyed) and not additive
            types = key_types + (value_types if of_columns else [] if no_value else [value_type])
            sql = filtering_sql(self.table, relation, list(zip(names, types)), rows, additive, apart)
        elif same_rows:
            relation = self.table + "_view"
            trust = True
            sql.append("CREATE VIEW %s AS SELECT * FROM %s" % (relation, self.table))
        notation = ",".join(
            rng.choice(["X%d", "X%d", "X%d", "x%d:1"]) % d if c == "U" else "x%d" % d if c == "*" else "x%d:%d" % (d, c)
            for d, c in enumerate(self.decomposition)
        )
        sql.append(
            "SELECT einsum_register('%s[%s]', '%s', keys => %s, value => %s, bounds => '{%s}'%s%s%s%s)"
            % (
                tensor.name, notation, relation, array(keys), "NULL" if no_value else literal(value),
                ",".join(self.bound_text(d) for d in range(rank)),
                ", fill => '%s'" % spelled(fill) if fill else "",
                ", duplicates => '%s'" % ("trust" if trust else "sum") if trust or additive else "",
                "" if tensor.storages[:1] in ([], [self]) else ", storage => 'further'",
                ", nulls => 'entry'" if of_columns and nulls == "entry" else "",
            )
        )  # fmt: skip
        return sql

    def possible_ranges(self):
        """Draws a label whose key column has ranges of keys; mostly None."""
        tensor = self.tensor
        # drawn apart, so that a seed makes the programs that it made before there were ranges
        apart = random.Random(repr(("ranges", tensor.name, self.table, tensor.data.tolist())))
        growing = isinstance(self.open, Dimensions) and any(sort in self.open for sort in tensor.sorts)
        if apart.random() > 0.2 or set(self.decomposition) != {"U"} or tensor.element != "float8" or growing:
            return None
        labels = [d for d, sort in enumerate(tensor.sorts) if self.open.get(sort) in (None, "int", "bigint")]
        return (apart.choice(labels), apart) if labels else None

    def ranges_sql(self, label, rng):
        """Creates, fills and registers a table whose rows hold their value at each key in a range of this label."""
        tensor = self.tensor
        rank = len(tensor.bounds)
        fill = tensor.fill
        ones = bool(((tensor.data == fill) | (tensor.data == 1)).all()) and rng.random() < 0.5
        types = []
        for d, sort in enumerate(tensor.sorts):
            kind = self.open.get(sort) or self.wide(d, rng.choice(["int", "bigint"]))
            # others have a range of one key, so that an exclusion constraint needs no other operator class
            ranged = d == label or (kind in ("int", "bigint", "date") and rng.random() < 0.7)
            types.append({"int": "int4range", "bigint": "int8range", "date": "daterange"}[kind] if ranged else kind)

        def written(d, number):
            return literal(str(key_at(Day(0), number))) if isinstance(tensor.first(d), Day) else str(number)

        keys = [rng.choice(["k%d", "K %d", "x%d"]) % d for d in range(rank)]
        explicit = 0 if ones else rng.choice([0, 0, 0.3])
        rows = []
        for index in np.ndindex(*(b for d, b in enumerate(tensor.bounds) if d != label)):
            runs = []
            for k in range(tensor.bounds[label]):
                at = index[:label] + (k,) + index[label:]
                value = float(tensor.data[at])
                if value == fill and rng.random() >= explicit:
                    continue
                key = int(open_key(k, self.open[tensor.sorts[label]])) if tensor.sorts[label] in self.open else k + tensor.first(label)
                if runs and runs[-1][1] == key and runs[-1][2] == value and rng.random() < 0.8:
                    runs[-1][1] = key + 1
                else:
                    runs.append([key, key + 1, value])
            for first, end, value in runs:
                cells = []
                for d in range(rank):
                    bounded = tensor.sorts[d] not in self.open
                    lower, upper = first, end
                    if d != label:
                        k = index[d - (d > label)]
                        key = k + tensor.first(d) if bounded else open_key(k, self.open[tensor.sorts[d]])
                        if not types[d].endswith("range"):
                            cells.append(written(d, key) if bounded else literal(key))
                            continue
                        lower, upper = int(key), int(key) + 1
                    endless = bounded and rng.random() < 0.3
                    cells.append("%s(%s, %s)" % (
                        types[d], "NULL" if endless and lower == tensor.first(d) else written(d, lower),
                        "NULL" if endless and upper == tensor.first(d) + tensor.bounds[d] else written(d, upper)
                    ))  # fmt: skip
                rows.append(cells if ones else cells + [number(value)])
        if rows and rng.random() < 0.3:
            rows.append(["'empty'" if t.endswith("range") else c for c, t in zip(rows[0], types)] + rows[0][rank:])
        rng.shuffle(rows)
        # a loop nest reads ranges as runs if no column is NULL
        null = rng.choice(["", " NOT NULL"])
        columns = ["%s %s%s" % (quoted(k), t, null) for k, t in zip(keys, types)] + ["v float8" + null] * (not ones)
        trust = not all(t.endswith("range") for t in types)
        if not trust:
            columns.append("EXCLUDE USING gist (%s)" % ", ".join("%s WITH &&" % quoted(k) for k in keys))
        sql = ["CREATE TABLE %s (%s)" % (self.table, ", ".join(columns))]
        sql += ["INSERT INTO %s VALUES (%s)" % (self.table, ", ".join(row)) for row in rows]
        self.key_columns = {}
        return sql + [
            "SELECT einsum_register('%s[%s]', '%s', keys => %s, value => %s, bounds => '{%s}'%s%s%s)"
            % (
                tensor.name, ",".join("X%d" % d for d in range(rank)), self.table, array(keys), "NULL" if ones else "'v'",
                ",".join(self.bound_text(d) for d in range(rank)),
                ", fill => '%s'" % spelled(fill) if fill else "",
                ", duplicates => 'trust'" if trust else "",
                "" if tensor.storages[:1] in ([], [self]) else ", storage => 'further'",
            )
        ]  # fmt: skip

    def possible_layout(self):
        """Draws a layout of arrays: its name and how many labels are keys of rows; mostly None."""
        tensor = self.tensor
        rank = len(tensor.bounds)
        # drawn apart, so that a seed makes the programs that it made before there were layouts
        apart = random.Random(repr((tensor.name, self.table, tensor.data.tolist())))
        growing = isinstance(self.open, Dimensions)
        if apart.random() > (0.5 if growing else 0.25) or set(self.decomposition) != {"U"} or tensor.element != "float8":
            return None
        choices = [
            ("lists", 1), ("lists", 1), ("object", 1), ("csr", 2), ("csc", 2), ("coo", apart.randint(1, rank)), ("diagonal", 2), ("lower", 2), ("upper", 2),
            ("band", 2), ("zorder", 2), ("csf", max(rank - apart.randint(0, 1), 3)),
        ]  # fmt: skip
        if is_symmetric(tensor) and apart.random() < 0.7:
            self.half = apart.choice([np.tril, np.triu])
            choices = [c for c in choices if c[1] > 1 or (c[0] in ("lists", "object") and rank > 1)] + [("symmetric", 0)] * 4
        data = self.half_of(tensor.data)
        name, indices = apart.choice([c for c in choices if c[1] <= rank])
        first = rank - indices
        if name == "object" and isinstance(tensor.first(first), Day):
            return None
        if not all(self.can_be_index(name, sort) for sort in tensor.sorts[first:]):
            return None
        if name == "object" and not np.isfinite(tensor.data).all():
            return None
        shape = np.shape(tensor.data)[first:]
        stored = {
            "diagonal": lambda i, j: i == j, "lower": lambda i, j: j <= i, "upper": lambda i, j: j >= i,
            "zorder": lambda i, j: zorder_position(i, j) < zorder_length(shape),
        }.get(name)  # fmt: skip
        if name == "band" and len(set(shape)) != 1:
            return None
        if stored and not ((name == "zorder" or len(set(shape)) == 1) and all(
            data[index] == tensor.fill for index in np.ndindex(np.shape(data)) if not stored(*index[-2:])
        )):  # fmt: skip
            return None
        return name, first, apart

    def can_be_index(self, name, sort):
        """Can a layout have indices of a sort? Arrays have integers, and objects texts, or integers if a number says so."""
        kind = self.open.get(sort)
        integer = kind in ("int", "bigint")
        if name == "object":
            return kind in (None, "text")
        return kind is None or (integer and name in ("lists", "coo", "csf"))

    def half_of(self, data):
        """The entries that are stored: of a symmetric tensor those on one side of the diagonal."""
        return data if self.half is None else np.where(self.half(np.ones(np.shape(data)[-2:], bool)), data, self.tensor.fill)

    @staticmethod
    def arrays_of(name, part, fill, explicit, additive, rng):
        """The arrays of a row: of indices, and of values last. Entries that are fill are there, too, with the probability
        explicit."""
        entries = [
            (index, float(x)) for index, x in np.ndenumerate(part) if x != fill or rng.random() < explicit
        ]
        if name == "diagonal":
            return [[float(x) for x in np.diagonal(part)]]
        if name == "zorder":
            places = {zorder_position(*index): float(x) for index, x in np.ndenumerate(part)}
            return [[places[p] for p in range(zorder_length(part.shape))]]
        if name == "band":
            off = [j - i for (i, j), x in np.ndenumerate(part) if x != fill]
            below, above = (max([0, *(s * d for d in off)]) + rng.choice([0, 0, 1]) for s in (-1, 1))
            # what stands beside the matrix is not read
            return [[
                float(part[i, i + d]) if 0 <= i + d < len(part) else 7.0
                for i in range(len(part)) for d in range(-below, above + 1)
            ], below, above]  # fmt: skip
        if name == "object":
            return [{i: x for (i,), x in entries}]
        if name in ("lower", "upper"):
            return [[float(x) for (i, j), x in np.ndenumerate(part) if (j <= i if name == "lower" else j >= i)]]
        if name == "csc":
            entries.sort(key=lambda e: e[0][::-1])
        if name == "coo" and additive:
            entries = [(i, float(x)) for i, v in entries for x in split(v, rng)]
        if name == "coo":
            rng.shuffle(entries)
        if name == "csf":
            levels = [sorted({index[: d + 1] for index, _ in entries}) for d in range(part.ndim)]
            columns = [[node[-1] for node in levels[0]]]
            for above, level in zip(levels, levels[1:]):
                columns += [[sum(n[:-1] < a for n in level) for a in above] + [len(level)], [n[-1] for n in level]]
            return columns + [[x for _, x in entries]]
        columns = [[index[d] for index, _ in entries] for d in range(part.ndim)]
        if name == "csc":
            columns = [[sum(index[1] < j for index, _ in entries) for j in range(part.shape[1] + 1)], columns[0]]
        if name == "csr":
            columns[0] = [sum(index[0] < i for index, _ in entries) for i in range(part.shape[0] + 1)]
        return columns + [[x for _, x in entries]]

    def layout_sql(self, name, first, rng):
        """Creates, fills and registers a table whose rows have arrays of the entries."""
        if name == "symmetric":
            return self.symmetric_sql(rng)
        tensor = self.tensor
        data = self.half_of(tensor.data)
        fill = tensor.fill
        rank = len(tensor.bounds)
        finite = bool(np.isfinite(tensor.data).all())
        additive = name == "coo" and fill == 0 and self.addends and rng.random() < 0.5
        packed = name in ("diagonal", "lower", "upper", "band", "zorder", "object")
        ones = not packed and not additive and bool(((tensor.data == fill) | (tensor.data == 1)).all())
        explicit = 0 if ones else rng.choice([0, 0, 0.3])
        keys = [rng.choice(["k%d", "K %d", "x%d"]) % d for d in range(first)]
        is_open = [sort in self.open for sort in tensor.sorts[:first]]
        key_types = [self.open[s] if o else self.wide(d, rng.choice(["int", "bigint"])) for d, (s, o) in enumerate(zip(tensor.sorts, is_open))]
        nintegers = {"lists": 1, "csr": 2, "csc": 2, "csf": 2 * (rank - first) - 1}.get(name, 0 if packed else rank - first)
        names = [rng.choice(["a%d", "A %d", "value%d"]) % c for c in range(nintegers + (not ones) + 2 * (name == "band"))]
        types = [rng.choice(["int[]", "bigint[]", "smallint[]"]) for _ in range(nintegers)]
        if any(tensor.first(d) > 10000 for d in range(rank)):
            types = ["bigint[]"] * nintegers
        for d, column in enumerate(key_columns(name, rank - first)):
            if column is not None and isinstance(tensor.first(first + d), Day):
                types[column] = "date[]"
        if not ones:
            types.append(rng.choice(["float8[]"] + ["int[]", "real[]"] * (finite and bool((tensor.data == np.floor(tensor.data)).all()))))
        if name == "object":
            types = ["jsonb"]
        if name == "band":
            types += [rng.choice(["int", "bigint", "smallint"]) for _ in range(2)]
        columns = ["%s %s NOT NULL" % (quoted(k), t) for k, t in zip(keys, key_types)]
        columns += ["%s %s" % (quoted(n), t) for n, t in zip(names, types)]
        if keys:
            columns.append("PRIMARY KEY (%s)" % ", ".join(map(quoted, keys)))
        write = (name, first, len(names), explicit, additive)
        sql = ["CREATE TABLE %s (%s)" % (self.table, ", ".join(columns))] + self.array_rows(rng, *write)
        self.key_columns = {d: quoted(k) for d, k in enumerate(keys)}
        # rows of others come and go with the keys of dimensions; arrays are of all keys there are
        if isinstance(self.open, Dimensions) and any(sort in self.open for sort in tensor.sorts[first:]):
            self.key_columns = {}
            self.written = write
        bounds = [self.bound_text(d) for d in range(rank)]
        return sql + [
            "SELECT einsum_register('%s[%s]', '%s', keys => %s, layout => %s, bounds => '{%s}'%s%s%s)"
            % (
                tensor.name, ",".join("X%d" % d for d in range(rank)), self.table, array(keys),
                literal("%s%s(%s)" % ("symmetric " if self.half else "", name, ",".join(map(quoted, names)))), ",".join(bounds),
                ", fill => '%s'" % spelled(fill) if fill else "",
                ", duplicates => '%s'" % ("sum" if additive else "trust") if name == "coo" or (self.half and name in ("lists", "object")) else "",
                "" if tensor.storages[:1] in ([], [self]) else ", storage => 'further'",
            )
        ]  # fmt: skip

    def filling(self):
        """The rows of arrays as the tensor is now."""
        return ["DELETE FROM " + self.table] + self.array_rows(self.rng, *self.written)

    def array_rows(self, rng, name, first, count, explicit, additive):
        """Inserts the rows of arrays, the first count columns of the layout."""
        tensor = self.tensor
        data = self.half_of(tensor.data)
        types = [self.open.get(s) for s in tensor.sorts[:first]]
        rank = len(tensor.sorts)
        rows = []
        for index in np.ndindex(np.shape(tensor.data)[:first]):
            part = data[index]
            if first and np.all(part == tensor.fill) and rng.random() < 0.7:
                if rng.random() < 0.3:
                    rows.append((index, ["NULL"] * count))
                continue
            arrays = self.arrays_of(name, part, tensor.fill, explicit, additive, rng)
            for d, sort in enumerate(tensor.sorts[first:]):
                if sort in self.open and name != "object":
                    column = 2 * d if name == "csf" else d
                    arrays[column] = [int(open_key(i, self.open[sort])) for i in arrays[column]]
                column = key_columns(name, rank - first)[d]
                if tensor.first(first + d) and column is not None:
                    arrays[column] = [key_at(tensor.first(first + d), i) for i in arrays[column]]
            rows.append((index, [
                "'{%s}'" % ",".join(str(x) if isinstance(x, datetime.date) else number(x).strip("'") for x in a) if isinstance(a, list)
                else self.object_text(a) if isinstance(a, dict) else str(a) for a in arrays[:count]
            ]))  # fmt: skip
        rng.shuffle(rows)
        sql = []
        for index, values in rows:
            cells = [literal(open_key(k, t)) if t else str(k) for k, t in zip(self.shown(range(first), index), types)]
            sql.append("INSERT INTO %s VALUES (%s)" % (self.table, ", ".join(cells + values)))
        return sql

    def object_text(self, entries):
        """An object of a row as a literal, with the keys of the last label."""
        key_type = self.open.get(self.tensor.sorts[-1])
        return literal(json.dumps({open_key(i, key_type) if key_type else str(i + self.tensor.first(-1)): x for i, x in entries.items()}))

    def symmetric_sql(self, rng):
        """Creates, fills and registers a table whose rows are the entries of one half of a symmetric tensor."""
        tensor = self.tensor
        fill = tensor.fill
        rank = len(tensor.bounds)
        data = self.half_of(tensor.data)
        additive = fill == 0 and self.addends and rng.random() < 0.2
        ones = not additive and bool(((tensor.data == fill) | (tensor.data == 1)).all()) and rng.random() < 0.7
        explicit = 0 if ones else rng.choice([0, 0, 0.3])
        keys = [rng.choice(["k%d", "K %d", "%%s%d"]) % d for d in range(rank)]
        is_open = [sort in self.open for sort in tensor.sorts]
        types = [self.open[s] if o else self.wide(d, rng.choice(["int", "bigint"])) for d, (s, o) in enumerate(zip(tensor.sorts, is_open))]
        types[-1] = types[-2]
        # nothing orders keys of other types as their numbers are
        trust = not additive and (is_open[-1] or rng.random() < 0.2)
        rows = []
        for index in np.ndindex(np.shape(data)):
            outside = index[-2] < index[-1] if self.half is np.tril else index[-2] > index[-1]
            if outside or (data[index] == fill and rng.random() >= explicit):
                continue
            for x in split(data[index], rng) if additive else [data[index]]:
                i, j = index[-2:] if not additive or rng.random() < 0.5 else index[:-3:-1]
                shown = self.shown(range(rank), index[:-2] + (i, j))
                cells = [literal(open_key(k, t)) if o else str(k) for k, t, o in zip(shown, types, is_open)]
                rows.append(cells if ones else cells + [number(float(x))])
        rng.shuffle(rows)
        columns = ["%s %s NOT NULL" % (quoted(k), t) for k, t in zip(keys, types)] + ["v float8"] * (not ones)
        if not additive:
            columns.append("PRIMARY KEY (%s)" % ", ".join(map(quoted, keys)))
        if not additive and not trust:
            columns.append("CHECK (%s)" % ((" >= " if self.half is np.tril else " <= ").join(map(quoted, keys[-2:]))))
        sql = ["CREATE TABLE %s (%s)" % (self.table, ", ".join(columns))]
        sql += ["INSERT INTO %s VALUES (%s)" % (self.table, ", ".join(row)) for row in rows]
        self.key_columns = {d: quoted(k) for d, k in enumerate(keys)}
        bounds = [self.bound_text(d) for d in range(rank)]
        return sql + [
            "SELECT einsum_register('%s[%s]', '%s', keys => %s, value => %s, layout => 'symmetric', bounds => '{%s}'%s%s%s)"
            % (
                tensor.name, ",".join("X%d" % d for d in range(rank)), self.table, array(keys), "NULL" if ones else "'v'", ",".join(bounds),
                ", fill => '%s'" % spelled(fill) if fill else "",
                ", duplicates => '%s'" % ("trust" if trust else "sum") if trust or additive else "",
                "" if tensor.storages[:1] in ([], [self]) else ", storage => 'further'",
            )
        ]  # fmt: skip

    def in_columns(self, rows, bound, nulls, additive, rng):
        """Rows whose last element is a vector, or a list of None, as rows with a column for each of its
        elements, but for those that are one number everywhere, maybe. A NULL is the fill (nulls is "entry"), or
        says that the row is not there ("row"). Returns the argument that registers them, names, types, and rows."""
        fill = self.tensor.fill
        single = self.tensor.element == "float4"
        parts, names, types, cells = [], [], [], []
        for n in range(bound):
            column = [row[-1][n] for row in rows]
            known = [v for v in column if v is not None and np.isfinite(v)]
            # float4 is what columns of real make, of which there has to be one; and a table has a column
            if len(known) == len(column) > 0 and len(set(known)) == 1 and (names or not single and len(rows[0]) > 1) and rng.random() < 0.5:
                parts.append("%r" % known[0])
                continue
            whole = len(known) == len([v for v in column if v is not None]) and all(v == int(v) for v in known)
            parts.append(rng.choice(["c%d", "C %d", "%%s%d"]) % n)
            names.append(parts[-1])
            types.append("real" if single else rng.choice(["float8", "numeric"] + ["int", "bigint"] * whole) if len(known) == len(column)
                         else "float8")  # fmt: skip
            cells.append([
                "NULL" if v is None or (v == fill and nulls == "entry" and rng.random() < 0.4) else number(v) for v in column
            ])  # fmt: skip
        value = "{%s}" % ",".join('"%s"' % part for part in parts)
        made = [row[:-1] + tuple(cell[r] for cell in cells) for r, row in enumerate(rows)]
        if nulls == "row" and names:
            for r, row in enumerate(rows):
                if row[-1] == [None] * bound:
                    made[r] = row[:-1] + self.left_out(len(names), rng)
                elif additive and rng.random() < 0.3:
                    made.append(row[:-1] + self.left_out(len(names), rng))
        return value, names, types, made

    @staticmethod
    def left_out(count, rng):
        """Numbers that mean nothing, beside a NULL."""
        cells = [rng.choice(["NULL", "7", "0"]) for _ in range(count)]
        cells[rng.randrange(count)] = "NULL"
        return tuple(cells)

    def imaginary_sql(self):
        """A table is registered with a real fill; what has a complex one is the view of a
        program, here of the tensor without the imaginary part of its fill."""
        tensor = self.tensor
        shift = complex(0, tensor.fill.imag)
        base = Tensor(
            tensor.name + "_base", tensor.bounds, tensor.sorts, tensor.data - shift, tensor.kind,
            fill=tensor.fill.real, element=tensor.element, firsts=tensor.firsts,
        )  # fmt: skip
        sql = Storage(base, self.table, self.decomposition, self.rng, self.open, self.addends).sql()
        names = ["i%d" % d for d in range(len(tensor.bounds))]
        pinned = ",".join(label_text(name, choice) for name, choice in zip(names, self.decomposition))
        program = "%s[%s] = %s[%s] + %s" % (tensor.name, pinned, base.name, ",".join(names), number_text(shift))
        return sql + ["SELECT einsum_decompose('%s', 'making %s')" % (program, tensor.name)]


class VectorStorage(Storage):
    """A table whose values are over positions of dimensions that grow: as wide as they were when it was
    filled, or wider or narrower where that is fill."""

    def sql(self):
        tensor = self.tensor
        rank = len(tensor.bounds)
        keyed = [d for d in range(rank) if self.decomposition[d] == "U"]
        types = {d: self.open.get(tensor.sorts[d], "int") for d in keyed}
        columns = ["k%d %s NOT NULL" % (d, types[d]) for d in keyed] + ["v tensor(%s) NOT NULL" % tensor.element]
        if keyed:
            columns.append("PRIMARY KEY (%s)" % ", ".join("k%d" % d for d in keyed))
        self.key_columns = {}
        notation = ",".join("X%d" % d if d in keyed else "x%d" % d for d in range(rank))
        bounds = ",".join(self.open.table(s) if s in self.open else str(b) for s, b in zip(tensor.sorts, tensor.bounds))
        register = "SELECT einsum_register('%s[%s]', '%s', keys => %s, value => 'v', bounds => '{%s}'%s)" % (
            tensor.name, notation, self.table, array(["k%d" % d for d in keyed]), bounds,
            ", fill => '%s'" % spelled(tensor.fill) if tensor.fill else "",
        )  # fmt: skip
        return ["CREATE TABLE %s (%s)" % (self.table, ", ".join(columns))] + self.filling() + [register]

    def filling(self):
        """The rows of the array as it is now."""
        tensor = self.tensor
        rank = len(tensor.bounds)
        keyed = [d for d in range(rank) if self.decomposition[d] == "U"]
        inside = [d for d in range(rank) if d not in keyed]
        places = [self.open.positions.get(tensor.sorts[d], range(b))[:b] for d, b in zip(inside, [tensor.bounds[d] for d in inside])]
        sql = ["DELETE FROM " + self.table]
        for index in itertools.product(*(range(tensor.bounds[d]) for d in keyed)):
            where = [slice(None)] * rank
            for d, k in zip(keyed, index):
                where[d] = k
            part = tensor.data[tuple(where)]
            if np.all(part == tensor.fill) and self.rng.random() < 0.7:
                continue
            widths = [max(p, default=-1) + 1 for p in places]
            whole = np.full(widths, tensor.fill, dtype=part.dtype)
            whole[np.ix_(*places)] = part
            for axis, d in enumerate(inside):
                if tensor.sorts[d] in self.open:
                    whole = self.resized(whole, axis)
            keys = [literal(open_key(k, self.open[tensor.sorts[d]])) if tensor.sorts[d] in self.open else str(k) for d, k in zip(keyed, index)]
            sql.append("INSERT INTO %s VALUES (%s)" % (self.table, ", ".join(keys + [literal(element_text(whole, tensor.element))])))
        return sql

    def resized(self, whole, axis):
        fill = self.tensor.fill
        if self.rng.random() < 0.3:
            extra = list(whole.shape)
            extra[axis] = self.rng.randint(1, 3)
            return np.concatenate([whole, np.full(extra, fill, dtype=whole.dtype)], axis)
        while whole.shape[axis] > 1 and self.rng.random() < 0.8 and np.all(whole.take(-1, axis) == fill):
            whole = whole.take(range(whole.shape[axis] - 1), axis)
        return whole


def random_decomposition(tensor, rng, open_sorts, probability, blocks):
    """promoted with a probability, and in blocks with another"""
    choices = []
    for sort, bound in zip(tensor.sorts, tensor.bounds):
        if sort in open_sorts:
            choices.append("U")
        elif bound > 1 and rng.random() < blocks:
            choices.append(rng.randint(2, bound))
        else:
            choices.append("U" if rng.random() < probability else "*")
    return choices


def decomposition_of(kind, tensor, rng):
    """One of a kind; a bound of 2 has no blocks."""
    rank = len(tensor.bounds)
    if kind in ("promoted", "demoted"):
        return ["U" if kind == "promoted" else "*"] * rank
    choices = [rng.choice("U*") for _ in range(rank)]
    if kind == "mixed":
        while len(set(choices)) < 2:
            choices = [rng.choice("U*") for _ in range(rank)]
        return choices
    some = [d for d in range(rank) if tensor.bounds[d] > 2]
    for d in rng.sample(some, rng.randint(1, len(some))):
        choices[d] = rng.randint(2, tensor.bounds[d] - 1)
    return choices


def vectors_are_possible(tensor, open_sorts, count):
    return (
        isinstance(open_sorts, Dimensions) and count == 1 and not tensor.moved and 0 not in tensor.bounds
        and not isinstance(tensor.fill, complex) and not tensor.element.startswith("complex")
        and any(s in open_sorts.positions for s in tensor.sorts)
    )  # fmt: skip


def storages_sql(tensors, rng, analyze, open_sorts, blocks=False, addends=True):
    """SQL that stores all tensors; analyze is the probability of measuring one; addends: may several rows be one entry?"""
    sql = open_sorts.sql() if isinstance(open_sorts, Dimensions) else []
    # addends of other signs, or 0, times an infinity: a plan may multiply each
    finite = addends and all(np.isfinite(t.data).all() for t in tensors)
    for tensor in tensors:
        rank = len(tensor.bounds)
        count = rng.choices([1, 2, 3], [15, 4, 1])[0] if rank and not tensor.stored_as and not isinstance(tensor.fill, complex) else 1
        style = rng.random()
        blocked = rng.choice([0, 0, 0.3, 0.8]) if blocks and not tensor.moved else 0
        for n in range(count):
            probability = 1.0 if style < 0.25 else 0.0 if style < 0.4 else 0.5
            if n > 0:
                probability = 0.5
            if tensor.stored_as:
                decomposition = decomposition_of(tensor.stored_as, tensor, rng)
            else:
                decomposition = random_decomposition(tensor, rng, open_sorts, probability, blocked)
            table = "t_%s_%d" % (tensor.name, n)
            if vectors_are_possible(tensor, open_sorts, count) and rng.random() < 0.5:
                decomposition = ["*" if s in open_sorts.positions and rng.random() < 0.7 else "U" for s in tensor.sorts]
                if "*" in decomposition:
                    tensor.storages.append(VectorStorage(tensor, table, decomposition, rng, open_sorts))
                    sql += tensor.storages[-1].sql()
                    continue
            tensor.storages.append(Storage(tensor, table, decomposition, rng, open_sorts, finite))
            sql += tensor.storages[-1].sql()
        if rng.random() < analyze:
            sql.append("SELECT count(*) FROM einsum_analyze('%s')" % tensor.name)
    return sql
