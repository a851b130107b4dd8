"""Random storages of a tensor: tables, their rows, and their registrations."""

import itertools
import json

import numpy as np


def literal(text):
    return "'" + text.replace("'", "''") + "'"


def number(value):
    return repr(int(value)) if value == int(value) else repr(value)


def nested(array):
    return json.dumps(array.tolist()).replace(".0", "")


class Storage:
    def __init__(self, tensor, table, promoted, rng):
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
        keys = ["k%d" % d for d in promoted]
        key_types = [rng.choice(["int", "int", "bigint", "smallint"]) for _ in promoted]
        if demoted:
            value_type = rng.choice(["tensor", "tensor", "float8[]", "int[]", "numeric[]"])
        else:
            value_type = rng.choice(["float8", "float8", "int", "numeric", "bigint", "tensor"])
        zeros_or_ones = bool(((tensor.data == 0) | (tensor.data == 1)).all())
        no_value = not demoted and promoted and zeros_or_ones and rng.random() < 0.6
        nullable = not no_value and rng.random() < 0.4
        trust = bool(promoted) and rng.random() < 0.15
        explicit_zeros = rng.choice([0, 0, 0.2, 0.6])

        rows = []
        for index in itertools.product(*(range(tensor.bounds[d]) for d in promoted)):
            where = [slice(None)] * rank
            for d, k in zip(promoted, index):
                where[d] = k
            part = tensor.data[tuple(where)]
            if not np.any(part):
                roll = rng.random()
                if not (roll < explicit_zeros) or no_value:
                    continue
                if nullable and roll < explicit_zeros / 2:
                    rows.append(index + ("NULL",))
                    continue
            if no_value:
                rows.append(index)
            elif not demoted and value_type == "tensor":
                rows.append(index + (literal(number(float(part))),))
            elif not demoted:
                rows.append(index + (number(float(part)),))
            elif value_type == "tensor":
                rows.append(index + (literal(nested(part)),))
            else:
                rows.append(index + (literal(nested(part).replace("[", "{").replace("]", "}")),))
        if trust and rows and rng.random() < 0.4:
            # a key that is null is no entry
            rows.append(("NULL",) + rows[0][1:])
        rng.shuffle(rows)

        columns = ["%s %s%s" % (k, t, "" if trust else " NOT NULL") for k, t in zip(keys, key_types)]
        names = list(keys)
        if not no_value:
            columns.append("v %s%s" % (value_type, "" if nullable else " NOT NULL"))
            names.append("v")
        if rng.random() < 0.2:
            columns.insert(rng.randrange(len(columns) + 1), "extra text")
        if promoted and not trust:
            order = keys[:]
            rng.shuffle(order)
            columns.append("%s (%s)" % (rng.choice(["PRIMARY KEY", "PRIMARY KEY", "UNIQUE"]), ", ".join(order)))
        sql = ["CREATE TABLE %s (%s)" % (self.table, ", ".join(columns))]
        if rows:
            values = ", ".join("(%s)" % ", ".join(str(v) for v in row) for row in rows)
            sql.append("INSERT INTO %s (%s) VALUES %s" % (self.table, ", ".join(names), values))
        relation = self.table
        if rng.random() < 0.08 and promoted:
            relation = self.table + "_view"
            trust = True
            sql.append("CREATE VIEW %s AS SELECT * FROM %s" % (relation, self.table))
        notation = ",".join(("X%d" if p else "x%d") % d for d, p in enumerate(self.promoted))
        sql.append(
            "SELECT einsum_register('%s[%s]', '%s', keys => '{%s}', value => %s, bounds => '{%s}'%s)"
            % (
                tensor.name, notation, relation, ",".join(keys), "NULL" if no_value else "'v'",
                ",".join(map(str, tensor.bounds)), ", duplicates => 'trust'" if trust else "",
            )
        )  # fmt: skip
        return sql


def storages_sql(tensors, rng, analyze):
    """SQL that stores all tensors; analyze is the probability of measuring one."""
    sql = []
    for tensor in tensors:
        rank = len(tensor.bounds)
        count = rng.choices([1, 2, 3], [15, 4, 1])[0] if rank else 1
        style = rng.random()
        for n in range(count):
            probability = 1.0 if style < 0.25 else 0.0 if style < 0.4 else 0.5
            if n > 0:
                probability = 0.5
            promoted = [rng.random() < probability for _ in range(rank)]
            table = "t_%s_%d" % (tensor.name, n)
            tensor.storages.append(Storage(tensor, table, promoted, rng))
            sql += tensor.storages[-1].sql()
        if rng.random() < analyze:
            sql.append("SELECT count(*) FROM einsum_analyze('%s')" % tensor.name)
    return sql
