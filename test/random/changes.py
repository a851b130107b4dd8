#!/usr/bin/env python3
"""Changes of results by einsum_change, compared with results computed before and after.

Random programs of up to three statements over small tensors of integers, each of which changes in one of the ways that the function knows:
entries are added to, only lowered, only raised, or have other values. numpy computes, by code of this file alone, the results of the
old tensors and of the new ones, and what the function says is the change: the old result and the change have to give the new one, and
where nothing is touched nothing may differ. Programs whose results are not numbers are skipped, as the function's callers have to.

    test/cluster test/python test/random/changes.py [--count N] [--seed S]
"""
import argparse
import random
import re
from collections import Counter

import numpy as np
import psycopg2

BOUNDS = {"i": 3, "j": 4, "k": 2}
# sorts of dimensions, fill; m has no value column, so that its entries are known to be 0 or 1
TENSORS = {"x": ("ij", 0), "a": ("jk", 0), "y": ("j", 0), "z": ("i", 0), "e": ("ii", 0), "f": ("ij", 1), "s": ("", 0),
           "d": ("ij", np.inf), "m": ("ij", 0)}
KINDS = ["added", "lowered", "raised", "at_keys"]
TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?(?:e[-+]?\d+)?|[a-z_0-9]+|<>|<=|>=|==|[-+*/^<>()\[\],;=])")
FUNCTIONS = {"relu": lambda v: np.maximum(v, 0), "abs": np.abs, "sign": np.sign, "floor": np.floor, "greatest": np.maximum, "least": np.minimum,
             "if": lambda c, a, b: np.where(c != 0, a, b)}
AGGREGATES = {"sum": np.sum, "prod": np.prod, "min": np.min, "max": np.max, "any": lambda v, axis: np.any(v != 0, axis=axis) * 1.0,
              "all": lambda v, axis: np.all(v != 0, axis=axis) * 1.0}


def quotient(a, b):
    return np.where((a == 0) & (b == 0), 0, a / b)


OPERATORS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": quotient, "^": lambda a, b: a ** b, "<>": np.not_equal, "==": np.equal,
             "<": np.less, ">": np.greater, "<=": np.less_equal, ">=": np.greater_equal}


class Evaluator:
    """Computes statements from their text: values have a list of labels and an array with an axis for each."""

    def __init__(self, tensors):
        self.tensors = dict(tensors)

    def program(self, text):
        for statement in filter(None, (part.strip() for part in text.split(";"))):
            left, right = statement.split(" = ", 1)
            name, labels = re.match(r"(\w+)\[(.*)\]", left).groups()
            self.tokens, self.at = TOKEN.findall(right), 0
            found, value = self.expr()
            assert self.at == len(self.tokens), statement
            wanted = [label for label in labels.split(",") if label]
            assert sorted(found) == sorted(wanted), statement
            self.tensors[name] = np.transpose(value, [found.index(label) for label in wanted])
        return self.tensors

    def take(self, token=None):
        taken = self.tokens[self.at]
        assert token in (None, taken), (token, taken, self.tokens)
        self.at += 1
        return taken

    def apply(self, function, args):
        labels = list(dict.fromkeys(label for names, _ in args for label in names))
        values = []
        for names, value in args:
            order = [names.index(label) for label in labels if label in names]
            shape = [value.shape[names.index(label)] if label in names else 1 for label in labels]
            values.append(np.transpose(value, order).reshape(shape))
        with np.errstate(all="ignore"):
            return labels, np.asarray(function(*values), float)

    def names(self):
        self.take("[")
        names = []
        while self.tokens[self.at] != "]":
            names.append("".join(self.take() for _ in iter(lambda: self.tokens[self.at] in ",]", True)))
            if self.tokens[self.at] == ",":
                self.take()
        self.take("]")
        return names

    def access(self, value, places):
        labels, axis = [], 0
        for place in places:
            label, offset = re.match(r"([a-z]\w*)?([-+]?\d+)?$", place).groups()
            offset = int(offset or 0)
            size = value.shape[axis]
            if label is None:
                value = value.take(offset, axis=axis)
                continue
            if offset:
                index = np.arange(size) + offset
                inside = ((index >= 0) & (index < size)).reshape([-1] + [1] * (value.ndim - axis - 1))
                value = np.where(inside, value.take(np.clip(index, 0, size - 1), axis=axis), 0)
            if label in labels:
                value = np.moveaxis(np.diagonal(value, axis1=labels.index(label), axis2=axis), -1, labels.index(label))
                continue
            labels.append(label)
            axis += 1
        return labels, value

    def expr(self):
        token = self.take()
        if token == "(":
            return self.inside()
        if token[0].isdigit():
            return [], np.asarray(float(token))
        if self.tokens[self.at] == "[":
            return self.access(self.tensors[token], self.names())
        args = []
        while self.take() != ")":
            args.append(self.expr())
        return self.apply(FUNCTIONS[token], args)

    def inside(self):
        if self.tokens[self.at] == "-":
            self.take()
            result = self.apply(np.negative, [self.expr()])
        elif self.tokens[self.at] in AGGREGATES and self.tokens[self.at + 1] == "[":
            function, bound = AGGREGATES[self.take()], self.names()
            labels, value = self.expr()
            with np.errstate(all="ignore"):
                value = function(value, axis=tuple(labels.index(label) for label in bound))
            result = [label for label in labels if label not in bound], np.asarray(value, float)
        else:
            left = self.expr()
            if self.tokens[self.at] == ")":
                result = left
            else:
                operator = self.take()
                result = self.apply(OPERATORS[operator], [left, self.expr()])
        self.take(")")
        return result


class Generator:
    def __init__(self, rng):
        self.rng = rng
        # how most tensors are to change
        self.favoured = rng.choice(["added", "added"] + KINDS)
        self.tensors = {name: sorts for name, (sorts, _) in TENSORS.items() if name != "d"}
        self.labels = 1
        # programs of sums and products only
        self.ring = self.favoured == "added" and rng.random() < 0.8

    def leaf(self, scope):
        """An access to a tensor whose labels are among these, or a number."""
        rng = self.rng
        names = [name for name, sorts in self.tensors.items() if set(sorts) <= {label[0] for label in scope}]
        if not names or rng.random() < 0.1:
            return str(rng.randint(1, 3))
        name = rng.choice(names)
        indices = []
        for sort in self.tensors[name]:
            label = rng.choice([label for label in scope if label[0] == sort])
            moved = name in ("x", "y") and rng.random() < 0.1
            indices.append(str(rng.randrange(BOUNDS[sort])) if moved and rng.random() < 0.5 else label + rng.choice(["+1", "-1"]) if moved else label)
        return "%s[%s]" % (name, ",".join(indices))

    def expr(self, scope, depth):
        rng = self.rng
        if depth == 0:
            return self.leaf(scope)
        kind = rng.random()
        if self.ring and 0.55 <= kind < 0.75:
            kind = rng.random() * 0.5
        if kind < 0.3:
            return "(%s * %s)" % (self.expr(scope, depth - 1), self.expr(scope, depth - 1))
        if kind < 0.5:
            return "(%s %s %s)" % (self.expr(scope, depth - 1), rng.choice("+-"), self.expr(scope, depth - 1))
        if kind < 0.56:
            return rng.choice(["(%s ^ 2)", "(%s ^ 3)", "(-%s)", "(%s / 2)", "(%s / 2)" if self.ring else "(%s / 0)"]) % self.expr(scope, depth - 1)
        if kind < 0.62:
            return "%s(%s)" % (rng.choice(["relu", "abs", "sign", "floor"]), self.expr(scope, depth - 1))
        if kind < 0.68:
            return "%s(%s, %s)" % (rng.choice(["greatest", "least"]), self.expr(scope, depth - 1), self.expr(scope, depth - 1))
        if kind < 0.72:
            return "if((%s %s %s), %s, %s)" % (self.leaf(scope), rng.choice(["<>", "<", ">"]), self.leaf(scope), self.expr(scope, depth - 1),
                                              self.expr(scope, depth - 1))
        if kind < 0.75:
            return "(%s / %s)" % (self.expr(scope, depth - 1), self.leaf(scope))
        self.labels += 1
        label = "%s%d" % (rng.choice("ijk"), self.labels)
        body = self.expr(scope + [label], depth - 1)
        if not re.search(r"\b%s\b" % label, body):
            return body
        return "(%s[%s] %s)" % ("sum" if self.ring else rng.choice(["sum", "sum", "sum", "max", "min", "any", "all", "prod"]), label, body)

    def extreme(self, scope):
        """An extreme of what tensors with an infinite fill, or without negative entries, make."""
        rng = self.rng
        body = rng.choice(["(d[%s] + %s)" % ("i,j1", self.leaf(["i", "j1"])), "(m[i,j1] * relu(%s))" % self.leaf(["i", "j1"]), self.leaf(["i", "j1"]),
                           "(-%s)" % self.leaf(["i", "j1"]), "(m[i,j1] * (1 + %s))" % self.leaf(["i", "j1"]), "(%s ^ 2)" % self.leaf(["i", "j1"])])
        if not re.search(r"\bj1\b", body):
            return self.expr(scope, 1)
        return "(%s[j1] %s)" % (rng.choice(["min", "max", "any", "all"]), body)

    def statement(self, number):
        rng = self.rng
        labels = rng.choice([["i"], ["i"], ["i"], ["j"], ["i", "j"], ["k"], []])
        expr = self.extreme(labels) if labels == ["i"] and rng.random() < (0.8 if self.favoured in ("lowered", "raised") else 0.2) and not self.ring else self.expr(labels, rng.randint(1, 3))
        free = set(re.findall(r"\b[ijk]\b", expr))
        for label in labels:
            if label not in free:
                expr = "(%s %s %s[%s])" % (expr, rng.choice("+*"), {"i": "z", "j": "y", "k": "a"}[label], "0,k" if label == "k" else label)
        name = "r%d" % number
        self.tensors[name] = "".join(labels)
        return "%s[%s] = %s" % (name, ",".join(labels), expr)


def random_data(name, rng):
    sorts, fill = TENSORS[name]
    values = rng.integers(0, 2, [BOUNDS[s] for s in sorts]) if name == "m" else rng.integers(-3, 4, [BOUNDS[s] for s in sorts])
    return np.where(rng.random(values.shape) < 0.5, values, fill).astype(float)


def changed_data(old, name, kind, rng):
    """Returns the new state of a tensor and its change."""
    other = random_data(name, rng)
    where = rng.random(old.shape) < rng.choice([0.1, 0.3, 0.9])
    if kind == "added":
        new = np.where(where, other, old)
        return new, new - old
    if kind == "at_keys":
        return np.where(where, other, old), where * 1.0
    function, neutral = (np.minimum, np.inf) if kind == "lowered" else (np.maximum, -np.inf)
    change = np.where(where & (function(old, other) != old), other, neutral)
    return function(old, change), change


def wrong(cursor, generator, text, changed, data, tally):
    """What is wrong with the function's answer, or None."""
    cursor.execute("SELECT * FROM sparseeinsum_internal.einsum_change(%s, %s, %s, %s, %s)", [text] + [[n for n, k in changed.items() if k == kind] for kind in KINDS])
    rows = cursor.fetchall()
    old = Evaluator({name: value[0] for name, value in data.items()}).program(text)
    new = Evaluator({name: value[1] for name, value in data.items()})
    results = [row[0] for row in rows]
    after = dict(new.program(text))
    if any(np.isnan(value).any() for name in results for value in (old[name], after[name])):
        return "skipped"
    for name in changed:
        new.tensors[name + "_change"] = data[name][2]
    for name, kind, change, why in rows:
        if change:
            new.program(change)
            value = new.tensors[name + "_change"]
            if kind in ("added", "lowered", "raised") and np.isnan(value).any():
                return "skipped"
        # infinities are not added
        if kind == "added" and not (np.isfinite(old[name]).all() and np.isfinite(after[name]).all()):
            return "skipped"
        expected = old[name]
        if kind == "added":
            expected = old[name] + value
        elif kind == "lowered":
            expected = np.minimum(old[name], value)
        elif kind == "raised":
            expected = np.maximum(old[name], value)
        elif kind == "at_keys":
            keys = re.match(r"\w+\[(.*?)\]", change).group(1).split(",")
            labels = re.search(r"\b%s\[(.*?)\] = " % name, text).group(1).split(",")
            touched = value.reshape([n if label in keys else 1 for label, n in zip(labels, old[name].shape)])
            expected = np.where(touched != 0, after[name], old[name])
        elif kind == "whole":
            expected = after[name]
        if not (expected == after[name]).all():
            return "%s is %s:\n%s\nis, and should be\n%s\n%s" % (name, kind, change, expected, after[name])
        tally[kind] += 1
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1500, help="programs")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION IF NOT EXISTS sparseeinsum")
    cursor.execute("SET client_min_messages = error; DROP SCHEMA IF EXISTS changes CASCADE; CREATE SCHEMA changes; SET search_path = changes, public")
    for name, (sorts, fill) in TENSORS.items():
        keys = ["k%d" % n for n in range(len(sorts))]
        columns = ["%s int" % key for key in keys] + ["v float8"] * (name != "m")
        unique = ", PRIMARY KEY (%s)" % ", ".join(keys) if keys else ""
        cursor.execute("CREATE TABLE %s (%s%s)" % (name, ", ".join(columns), unique))
        cursor.execute("SELECT einsum_register(%s, %s, %s, %s, %s, fill => %s, duplicates => %s)",
                       ["%s[%s]" % (name, ",".join(k.upper() for k in keys)), name, keys, None if name == "m" else "v",
                        "{%s}" % ",".join(str(BOUNDS[s]) for s in sorts), float(fill), "error" if keys else "trust"])
    passed = failed = skipped = 0
    tally = Counter()
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        rng, numbers = random.Random(seed), np.random.default_rng(seed)
        generator = Generator(rng)
        text = "; ".join(generator.statement(n) for n in range(rng.randint(1, 3)))
        read = [name for name in TENSORS if re.search(r"\b%s\[" % name, text)]
        if not read:
            continue
        changed = {name: generator.favoured if rng.random() < 0.85 else rng.choice(KINDS) for name in read if rng.random() < 0.6}
        # a tensor with an infinite fill is not added to
        changed = {name: "lowered" if name == "d" and kind == "added" else kind for name, kind in changed.items()}
        data = {}
        for name in TENSORS:
            old = random_data(name, numbers)
            data[name] = (old, *changed_data(old, name, changed[name], numbers)) if name in changed else (old, old, None)
        message = wrong(cursor, generator, text, changed, data, tally)
        passed, skipped = passed + (message is None), skipped + (message == "skipped")
        if message not in (None, "skipped"):
            failed += 1
            print("seed %d: %s, %s\n%s" % (seed, text, changed, message))
    cursor.execute("DROP SCHEMA changes CASCADE")
    print(", ".join("%s %d" % item for item in sorted(tally.items())))
    # each kind has to be met, or nothing is tested
    for kind in KINDS:
        failed += tally[kind] < arguments.count / 40
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
