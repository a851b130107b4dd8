"""Keys of equal expressions: einsum_plan(format => 'forms') shows equal ones as one group.

    test/cluster test/python test/random/keys.py [--seed S] [--count N]

A random expression, scrambled by random laws and cut into statements, is in the group of the one it
was made from, with its labels in the right order. Of two that differ by one random change, and in
value on random integers under every order of their labels, no two are in one group. Values are
numpy's, by code of this file alone. Ends with "N passed, N failed".
"""

import argparse
import itertools
import random
import re
import sys
from dataclasses import dataclass, replace

import numpy as np
import psycopg2

BOUND = 3
TENSORS = {"x": 1, "y": 1, "z": 1, "a": 2, "b": 2, "s": 0}
FREE = ("i", "j")
FUNCTIONS = {"abs": np.abs, "relu": lambda v: np.maximum(v, 0), "exp": lambda v: np.exp(v / 16), "sign": np.sign}
EXTREMES = {"greatest": np.maximum, "least": np.minimum}
# of polynomials: beyond these the limits of keys are near
MOST_TERMS = 24
MOST_DEGREE = 6


@dataclass(frozen=True)
class Expr:
    kind: str  # number, access, + - * /, ^, negate, > (also as <), a function, an extreme, an aggregate, defined
    args: tuple = ()
    labels: tuple = ()  # of an access, or bound
    value: object = None  # of a number, or the exponent; a tensor's name


def access(name, labels):
    return Expr("access", (), tuple(labels), name)


def number(value):
    return Expr("number", value=value)


def free(e):
    if e.kind == "access":
        return frozenset(e.labels)
    below = frozenset().union(*(free(a) for a in e.args)) if e.args else frozenset()
    return below - frozenset(e.labels)


def size_of(e):
    """terms and degree of a polynomial"""
    sizes = [size_of(a) for a in e.args]
    if any(size is None for size in sizes):
        return None
    if e.kind in ("+", "-"):
        size = (sizes[0][0] + sizes[1][0], max(sizes[0][1], sizes[1][1]))
    elif e.kind == "*":
        size = (sizes[0][0] * sizes[1][0], sizes[0][1] + sizes[1][1])
    elif e.kind == "^":
        size = (sizes[0][0] ** e.value, sizes[0][1] * e.value)
    elif e.kind in ("sum", "negate"):
        size = sizes[0]
    else:
        size = (1, 1)
    return size if size[0] <= MOST_TERMS and size[1] <= MOST_DEGREE else None


def text(e):
    if e.kind == "number":
        return "(%s)" % e.value
    if e.kind == "access":
        return "%s[%s]" % (e.value, ",".join(e.labels))
    if e.kind == "negate":
        return "(-%s)" % text(e.args[0])
    if e.kind == "^":
        return "(%s^%d)" % (text(e.args[0]), e.value)
    if e.kind in ("+", "-", "*", "/", ">", "<"):
        return "(%s %s %s)" % (text(e.args[0]), e.kind, text(e.args[1]))
    if e.kind in FUNCTIONS or e.kind in EXTREMES:
        return "%s(%s)" % (e.kind, ", ".join(map(text, e.args)))
    return "(%s[%s] %s)" % (e.kind, ",".join(e.labels), text(e.args[0]))


def value(e, data):
    """(array, its labels in order)"""
    if e.kind == "number":
        return np.array(float(e.value)), ()
    if e.kind == "access":
        labels = tuple(sorted(set(e.labels)))
        return np.einsum(data[e.value], [labels.index(l) for l in e.labels], list(range(len(labels)))), labels
    values = [value(a, data) for a in e.args]
    labels = tuple(sorted(set().union(*(l for _, l in values))))
    arrays = [v.reshape([BOUND if l in own else 1 for l in labels]) for v, own in values]
    if e.kind in FUNCTIONS:
        return FUNCTIONS[e.kind](arrays[0]), labels
    if e.kind in ("sum", "max", "min"):
        rest = tuple(l for l in labels if l not in e.labels)
        axes = tuple(k for k, l in enumerate(labels) if l in e.labels)
        full = arrays[0]
        result = {"sum": np.sum, "max": np.max, "min": np.min}[e.kind](full, axis=axes) if axes else full
        if e.kind == "sum":
            result = result * BOUND ** (len(e.labels) - len(axes))
        return result, rest
    one = arrays[0]
    if e.kind == "negate":
        result = -one
    elif e.kind == "^":
        result = one**e.value
    else:
        two = arrays[1]
        if e.kind == "/":
            result = np.where(one == 0, 0.0, one / np.where(one == 0, 1.0, two))
        else:
            result = {"+": np.add, "-": np.subtract, "*": np.multiply, ">": np.greater, "<": np.less, **EXTREMES}[e.kind](one, two)
    return np.broadcast_to(result * 1.0, [BOUND] * len(labels)), labels


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.nlabels = 0
        self.nstatements = 0

    def new_label(self):
        self.nlabels += 1
        return "k%d" % self.nlabels

    def access(self, labels):
        name = self.random.choice([n for n, rank in TENSORS.items() if labels or not rank])
        return access(name, [self.random.choice(labels) for _ in range(TENSORS[name])])

    def expr(self, labels, depth):
        """an expression over some of the labels"""
        r = self.random
        if depth == 0 or r.random() < 0.15:
            return number(r.choice([-2, 2, 3])) if r.random() < 0.12 else self.access(labels)
        kind = r.choice(["+", "+", "-", "*", "*", "*", "*", "sum", "sum", "sum", "^", "/", ">", "max", "min", "negate"] + list(FUNCTIONS) + list(EXTREMES))
        if kind in ("sum", "max", "min"):
            bound = tuple(self.new_label() for _ in range(r.choice([1, 1, 2])))
            for _ in range(20):
                body = self.expr(tuple(labels) + bound, depth - 1)
                if set(bound) <= free(body):
                    return Expr(kind, (body,), bound)
            return self.access(labels)
        if kind == "/":
            # where nothing is stored it is finite: what is infinite neither cancels nor is multiplied out
            return Expr("/", (self.expr(labels, depth - 1), Expr("+", (number(1), Expr("^", (self.access(labels),), (), 2)))))
        count = 1 if kind in FUNCTIONS or kind in ("negate", "^") else 2
        return Expr(kind, tuple(self.expr(labels, depth - 1) for _ in range(count)), (), 2 if kind == "^" else None)

    def good_expr(self):
        while True:
            e = self.expr(FREE[: self.random.choice([0, 1, 2, 2])], self.random.choice([2, 3, 3, 4]))
            if e.kind != "number" and all_sizes(e):
                return e

    def renamed(self, e, renaming):
        """with fresh names for what it binds"""
        if e.kind == "access":
            return replace(e, labels=tuple(renaming.get(l, l) for l in e.labels))
        if e.labels:
            renaming = {**renaming, **{l: self.new_label() for l in e.labels}}
            return Expr(e.kind, tuple(self.renamed(a, renaming) for a in e.args), tuple(renaming[l] for l in e.labels), e.value)
        return replace(e, args=tuple(self.renamed(a, renaming) for a in e.args))

    def laws(self, e):
        """what a law makes of the root"""
        r = self.random
        a = e.args[0] if e.args else None
        b = e.args[1] if len(e.args) > 1 else None
        if e.kind in ("+", "*") or e.kind in EXTREMES:
            yield replace(e, args=(b, a))
        if e.kind in ("+", "*"):
            if a.kind == e.kind:
                yield replace(e, args=(a.args[0], replace(e, args=(a.args[1], b))))
            if b.kind == e.kind:
                yield replace(e, args=(replace(e, args=(a, b.args[0])), b.args[1]))
        if e.kind == "*" and b.kind in ("+", "-"):
            for _ in range(2):
                yield replace(b, args=(Expr("*", (a, b.args[0])), Expr("*", (self.renamed(a, {}), b.args[1]))))
        if e.kind == "-":
            yield Expr("+", (a, Expr("negate", (b,))))
            yield Expr("+", (Expr("*", (number(-1), b)), a))
        if e.kind == "^":
            yield Expr("*", (a, self.renamed(a, {})))
        if e.kind == ">":
            yield Expr("<", (b, a))
        if e.kind == "/" and a.kind == "*" and a.args[0].kind == "number":
            yield Expr("*", (a.args[0], Expr("/", (a.args[1], b))))
        if e.kind in ("sum", "max", "min"):
            yield self.renamed(e, {})
            yield replace(e, labels=tuple(reversed(e.labels)))
            if len(e.labels) > 1:
                yield Expr(e.kind, (Expr(e.kind, (a,), e.labels[1:]),), e.labels[:1])
            if a.kind == e.kind:
                yield Expr(e.kind, a.args, a.labels + e.labels)
        if e.kind == "sum":
            if a.kind in ("+", "-"):
                yield Expr(a.kind, tuple(self.sum_of(e.labels, term) for term in a.args))
            if a.kind == "*":
                for out, rest in ((a.args[0], a.args[1]), (a.args[1], a.args[0])):
                    if not free(out) & set(e.labels):
                        yield Expr("*", (out, self.sum_of(e.labels, rest)))
        if e.kind == "*" and b.kind == "sum":
            yield Expr("sum", (Expr("*", (a, b.args[0])),), b.labels)
        if e.kind == "access" and e.labels and e.value != "eye":
            # one of its labels by the identity matrix
            at, k = r.randrange(len(e.labels)), self.new_label()
            inner = replace(e, labels=e.labels[:at] + (k,) + e.labels[at + 1 :])
            pair = [e.labels[at], k]
            r.shuffle(pair)
            yield Expr("sum", (Expr("*", (inner, access("eye", pair))),), (k,))
        pick = r.random()
        if pick < 0.1:
            yield Expr("-", (Expr("*", (number(2), e)), self.renamed(e, {})))
        elif pick < 0.2:
            extra = self.access(tuple(sorted(free(e))))
            yield Expr("-", (Expr("+", (e, extra)), extra))
        elif pick < 0.3:
            yield Expr("negate", (Expr("*", (e, number(-1))),))

    def sum_of(self, labels, e):
        """a label that it lacks repeats it"""
        here = tuple(l for l in labels if l in free(e))
        times = BOUND ** (len(labels) - len(here))
        result = Expr("sum", (e,), here) if here else e
        result = self.renamed(result, {})
        return result if times == 1 else Expr("*", (number(times), result))

    def scrambled(self, e, chance):
        e = replace(e, args=tuple(self.scrambled(a, chance) for a in e.args))
        for _ in range(2):
            choices = list(self.laws(e))
            if choices and self.random.random() < chance:
                e = self.random.choice(choices)
        return e

    def changed(self, e):
        """the same but for one random change somewhere"""
        r = self.random
        if e.args and r.random() < 0.75:
            at = r.randrange(len(e.args))
            return replace(e, args=tuple(self.changed(x) if k == at else x for k, x in enumerate(e.args)))
        if e.kind == "number":
            return number(e.value + 1)
        if e.kind == "access":
            if len(e.labels) == 2 and r.random() < 0.5:
                return replace(e, labels=(e.labels[1], e.labels[0]) if r.random() < 0.5 else (e.labels[0],) * 2)
            return replace(e, value=r.choice([n for n, rank in TENSORS.items() if rank == len(e.labels)]))
        if e.kind in ("+", "-", "*", "/", ">"):
            return replace(e, kind=r.choice([k for k in ("+", "-", "*") if k != e.kind])) if r.random() < 0.6 else replace(e, args=e.args[::-1])
        if e.kind in ("sum", "max", "min"):
            return replace(e, kind=r.choice([k for k in ("sum", "max", "min") if k != e.kind]))
        if e.kind == "^":
            return replace(e, value=3)
        if e.kind == "negate":
            return e.args[0]
        if e.kind in EXTREMES:
            return replace(e, kind="least" if e.kind == "greatest" else "greatest")
        return Expr("*", (number(2), e))

    def statements(self, e, target, output):
        """a program that defines parts of it first; e by a name with these labels"""
        defined = []

        def cut(e, top):
            e = replace(e, args=tuple(cut(a, False) for a in e.args))
            if top or e.kind in ("number", "access") or not free(e) or self.random.random() > 0.2:
                return e
            self.nstatements += 1
            name = "t%d" % self.nstatements
            labels = sorted(free(e))
            self.random.shuffle(labels)
            own = {l: "q%d" % k for k, l in enumerate(labels)}
            defined.append("%s[%s] = %s" % (name, ",".join(own[l] for l in labels), text(rename_free(e, own))))
            return access(name, labels)

        e = cut(e, True)
        return "; ".join(defined + ["%s[%s] = %s" % (target, ",".join(output), text(e))])


def rename_free(e, renaming):
    if e.kind == "access":
        return replace(e, labels=tuple(renaming.get(l, l) for l in e.labels))
    return replace(e, args=tuple(rename_free(a, renaming) for a in e.args))


def all_sizes(e):
    return set(e.labels if e.args else ()) <= free(replace(e, labels=())) and size_of(e) is not None and all(all_sizes(a) for a in e.args)


def same_value(v, w):
    return v.shape == w.shape and np.allclose(v, w, rtol=1e-9, atol=1e-9, equal_nan=True)


def groups_of(cursor, program):
    """the names in each group, with the labels of each"""
    cursor.execute("SELECT * FROM einsum_plan(%s, format => 'forms')", (program,))
    return [dict(re.findall(r"(\w+)\[([^]]*)\]", line.split(" = ")[0])) for (line,) in cursor.fetchall()]


def check_scrambled(maker, cursor, data):
    """whether there was something to check; raises AssertionError"""
    e = maker.good_expr()
    other = maker.scrambled(e, 0.6)
    output = sorted(free(e))
    if text(other) == text(e) or not all_sizes(other) or sorted(free(other)) != output:
        return False
    v, w = value(e, data), value(other, data)
    if not np.isfinite(v[0]).all():
        return False
    if not same_value(v[0], w[0]):
        # rounding may decide a comparison
        if "exp" in text(e) or "/" in text(e):
            return False
        raise RuntimeError("a law of this test is wrong:\n%s\n%s" % (text(e), text(other)))
    shuffled = maker.random.sample(output, len(output))
    program = maker.statements(e, "p", output) + "; " + maker.statements(other, "r", shuffled)
    groups = groups_of(cursor, program)
    found = [g for g in groups if "p" in g]
    assert len(found) == 1 and "r" in found[0], "equal, and two groups: %s" % program
    # the labels of one by those of the other
    order = [found[0]["r"].split(",").index(l) if l else 0 for l in found[0]["p"].split(",")] if output else []
    named = [shuffled[k] for k in order]
    again = np.transpose(w[0], [w[1].index(l) for l in named]) if output else w[0]
    assert same_value(v[0], again), "labels are confused: %s: %s" % (program, found)
    return True


def check_different(maker, cursor, data):
    e = maker.good_expr()
    other = maker.changed(e)
    if not all_sizes(other) or not all_sizes(maker.scrambled(e, 0)):
        return False
    v, labels = value(e, data)
    w, other_labels = value(other, data)
    if not np.isfinite(v).all() or not np.isfinite(w).all():
        return False
    if len(labels) == len(other_labels) and any(same_value(v, np.transpose(w, order)) for order in itertools.permutations(range(len(labels)))):
        return False
    program = maker.statements(e, "p", labels) + "; " + maker.statements(other, "r", other_labels)
    groups = groups_of(cursor, program)
    assert not any("p" in g and "r" in g for g in groups), "different, and one group: %s" % program
    return True


def main():
    np.seterr(all="ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    arguments = parser.parse_args()
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION sparseeinsum")
    for name, rank in TENSORS.items():
        keys = ["k%d" % d for d in range(rank)]
        columns = ["%s int NOT NULL" % k for k in keys] + ["v float8"] + (["PRIMARY KEY (%s)" % ", ".join(keys)] if keys else [])
        cursor.execute("CREATE TABLE t_%s (%s)" % (name, ", ".join(columns)))
        cursor.execute("SELECT einsum_register(%s, %s, keys => %s, value => 'v', bounds => %s)",
                       ("%s[%s]" % (name, ",".join("D%d" % d for d in range(rank))), "t_%s" % name, keys, [str(BOUND)] * rank))
    passed = failed = 0
    for check in (check_scrambled, check_different):
        seed, done = arguments.seed, 0
        while done < arguments.count and failed < 5:
            maker = Maker(seed)
            data_random = np.random.RandomState(seed)
            data = {n: data_random.randint(-4, 5, [BOUND] * rank).astype(float) for n, rank in TENSORS.items()}
            data["eye"] = np.eye(BOUND)
            try:
                if check(maker, cursor, data):
                    done += 1
                    passed += 1
            except (AssertionError, psycopg2.Error) as error:
                failed += 1
                print("FAILED: seed %d: %s" % (seed, error), flush=True)
            seed += 1
        print("%s: %d of %d seeds" % (check.__name__, done, seed - arguments.seed))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


sys.exit(main())
