"""Random programs with solve, inverse and cholesky, compared with numpy key by key.

    test/cluster test/python test/random/matrix_functions.py [--seed S] [--count N] [--minutes M]

Matrices have up to two labels of keys, with and without an entry, of zeros too, in any
order of dimensions, sparse and in every storage that test/random knows; right sides have
some of these labels and up to two of their own; both are tensors or expressions; results
are read by others. Programs run under several plans, rewritings and searches, with pins
and as views. Some matrices are singular: then every plan has the error of mat_solve.
Ends with "N passed, N failed".
"""

import itertools
import random
import sys

import numpy as np
import psycopg2

from _cases import run_cases
from _session import Failure, value_query
from _storage import storages_sql
from _syntax import Tensor, label_text

BOUNDS = {"u": 3, "v": 2, "m": 3, "p": 2}


class Singular(Exception):
    """A matrix that has no inverse, and is needed."""


def matrices(rng, shape, n, singular):
    """Well conditioned ones of small numbers, symmetric ones of them positive, or none at all."""
    result = np.zeros(shape + (n, n))
    for index in np.ndindex(*shape):
        if rng.random() < 0.3:
            continue
        a = np.array([[rng.choice([0, 0, 1, -1, 2]) for _ in range(n)] for _ in range(n)])
        result[index] = a @ a.T + np.eye(n) if singular == "positive" else a + np.diag([rng.choice([-9.0, 7.0, 9.0]) for _ in range(n)])
        if singular == "singular" and n > 1 and rng.random() < 0.4:
            result[index][0] = result[index][1]
    return result


def einsum(spec, *operands):
    return np.einsum(spec, *operands, optimize=False)


def of_each(function, a, labels, k, l):
    """The function of the matrix [k, l] of each key, where it is not 0, with the same labels."""
    keys = "".join(x for x in labels if x not in (k, l))
    moved = einsum("%s->%s" % (labels, keys + k + l), a)
    result = np.zeros(moved.shape)
    for index in np.ndindex(*moved.shape[:-2]):
        if moved[index].any():
            result[index] = function(moved[index])
    return einsum("%s->%s" % (keys + k + l, labels), result)


def inverted(matrix):
    if abs(np.linalg.det(matrix)) < 1e-9:
        raise Singular
    return np.linalg.inv(matrix)


def solved(a, a_labels, b, b_labels, k, l, extents):
    """x with sum over k of a x = b, by keys; columns by themselves."""
    keys = "".join(x for x in a_labels if x not in (k, l))
    sides = "".join(x for x in b_labels if x != l and x not in keys)
    a = einsum("%s->%s" % (a_labels, keys + l + k), a)
    ones = np.ones([extents[x] for x in keys + l + sides])
    b = einsum("%s,%s->%s" % (b_labels, keys + l + sides, keys + l + sides), b, ones)
    result = np.zeros(b.shape)
    for index in np.ndindex(*a.shape[:-2]):
        for side in itertools.product(*(range(extents[x]) for x in sides)):
            right = b[index + (slice(None),) + side]
            if a[index].any() and right.any():
                if abs(np.linalg.det(a[index])) < 1e-9:
                    raise Singular
                result[index + (slice(None),) + side] = np.linalg.solve(a[index], right)
    return result, keys + k + sides


class Case:
    def __init__(self, session, seed):
        self.session = session
        self.rng = random.Random(seed)
        self.setup = []
        self.text = ""

    def stored(self, name, labels, data):
        order = "".join(self.rng.sample(labels, len(labels)))
        data = einsum("%s->%s" % (labels, order), data)
        self.tensors.append(Tensor(name, data.shape, tuple(order), data=data, kind="stored"))
        return "%s[%s]" % (name, ",".join(order))

    def random_tensor(self, labels, share=0.7):
        rng = self.rng
        shape = tuple(self.extents[x] for x in labels)
        return np.array([rng.choice([-2.0, -1.0, 1.0, 3.0]) if rng.random() < share else 0.0 for _ in range(int(np.prod(shape)))]).reshape(shape)

    def generate(self):
        rng = self.rng
        self.tensors = []
        n = rng.choice([1, 2, 2, 3, 3, 4])
        self.extents = dict(BOUNDS, k=n, l=n)
        self.kind = rng.choice(["solve", "solve", "solve", "inverse", "cholesky"])
        keys = rng.choice(["", "u", "u", "u", "uv"])
        style = "positive" if self.kind == "cholesky" else rng.choice(["regular", "regular", "regular", "singular"])
        a = matrices(rng, tuple(self.extents[x] for x in keys), n, style)
        labels = keys + "kl"
        written = self.stored("a", labels, a)
        if rng.random() < 0.3:
            # a sum or a product of others: of a matrix for each key, and of a weight
            weight = rng.choice(["2*%s", "%s + %s", "%s*w[%s]" if keys else "%s/2"])
            if weight == "%s + %s":
                written, a = weight % (written, written), 2 * a
            elif "w" in weight:
                w = np.abs(self.random_tensor(keys))
                written = weight % (written, self.stored("w", keys, w)[2:-1])
                a = einsum("%s,%s->%s" % (labels, keys, labels), a, w)
            else:
                written, a = weight % written, a * (2 if weight[0] == "2" else 0.5)
        singular = None
        try:
            if self.kind == "solve":
                of = "".join(x for x in keys if rng.random() < 0.8)
                sides = rng.choice(["", "", "m", "mp"])
                b = self.random_tensor(of + "l" + sides)
                right = self.stored("b", of + "l" + sides, b)
                if rng.random() < 0.2:
                    right, b = right + "*3", b * 3
                x, result = solved(a, labels, b, of + "l" + sides, "k", "l", self.extents)
                named = "solve[k,l](%s, %s)" % (written, right)
                if set(of) == set(keys) and rng.random() < 0.7:
                    named = "solve(%s, %s)" % (written, right)
            else:
                result = labels
                x = of_each(inverted if self.kind == "inverse" else np.linalg.cholesky, a, labels, "k", "l")
                named = "%s[k,l](%s)" % (self.kind, written)
                if rng.random() < 0.7:
                    named = "%s(%s)" % (self.kind, written)
        except Singular:
            singular, result, x = True, labels if self.kind != "solve" else None, None
        self.singular = singular
        if singular and self.kind == "solve":
            result = keys + "k" + sides
            named = "solve[k,l](%s, %s)" % (written, right)
        if singular and self.kind == "inverse":
            named = "inverse[k,l](%s)" % written
        # the last labels of the left side say which the matrix's are
        first = "".join(rng.sample([c for c in result if c not in "kl"], len(result) - len(set(result) & set("kl"))))
        target = first + "".join(c for c in "kl" if c in result)
        if "%s[k,l](" % self.kind in named:
            target = "".join(rng.sample(target, len(target)))
        form = rng.choice(["plain", "scaled", "added", "function", "product", "sum of products", "read", "read twice"])
        if singular and "product" in form:
            # what is multiplied by 0 may not be computed
            form = "plain"
        change = None
        if form == "scaled":
            named, factor, plus = "2*%s" % named, 2.0, 0.0
        elif form == "added":
            named, factor, plus = "%s + 1" % named, 1.0, 1.0
        else:
            factor, plus = 1.0, 0.0
        if form == "function":
            named = rng.choice(["relu(%s)", "greatest(%s, 0)", "if(%s > 0, SELF, 0)"]).replace("SELF", named) % named
            change = lambda v: np.maximum(v, 0)
        elif form in ("product", "sum of products") and target:
            weights = "".join(c for c in target if rng.random() < 0.6) or target[0]
            f = self.random_tensor(weights)
            written = self.stored("f", weights, f)
            f = einsum("%s,%s->%s" % (weights, target, target), f, np.ones([self.extents[c] for c in target]))
            if form == "product":
                named, change = rng.choice(["%s*%s", "%s*%s*1"]) % ((written, named) if rng.random() < 0.5 else (named, written)), lambda v: v * f
            else:
                named, change = "%s*(%s + 2)" % (written, named), lambda v: f * (v + 2)
        self.target = target
        self.text = "x[%s] = %s" % (",".join(target), named)
        self.value = None if x is None else factor * einsum("%s->%s" % (result, target), x) + plus
        if change and self.value is not None:
            self.value = change(self.value)
        self.pins = ("",) if form.startswith("read") else ("x[%s]" % ",".join(target),)
        if form.startswith("read"):
            kept = "".join(c for c in target if rng.random() < 0.5)
            power = "*x[%s]" % ",".join(target) if form == "read twice" else ""
            self.text += "; y[%s] = x[%s]%s" % (",".join(kept), ",".join(target), power)
            if x is not None:
                self.value = einsum("%s->%s" % (target, kept), self.value ** (2 if power else 1))
            self.target = kept

    def pinned(self):
        if not self.pins[0]:
            return self.text
        pins = [label_text(c, self.rng.choice(["U", "U", "*", None])) for c in self.target]
        return self.text.replace(self.pins[0], "x[%s]" % ",".join(pins), 1)

    def option_sets(self):
        rng = self.rng
        return [
            {},
            {"rewrite": "none"},
            rng.choice([{"rewrite": "reassociate"}, {"estimator": "uniform"}, {"estimator": "chain"}]),
            {"search": "greedy"},
            {"search": "as_written"},
            {"alternative": 2},
            {"alternative": 3},
            {"alternative": rng.choice([4, 6, 9])},
            {"materialize": rng.choice(["never", "always"])},
        ]

    def run(self):
        self.generate()
        open_sorts = {}
        self.setup = storages_sql(self.tensors, self.rng, 0.5, open_sorts, blocks=True)
        self.session.begin(self.setup)
        try:
            asked = [(str(o), self.text, o) for o in self.option_sets()]
            asked += [("pinned " + str(o), self.pinned(), o) for o in ({}, {"search": "as_written"})]
            if self.singular:
                return self.check_singular(asked)
            for what, value in self.session.values(asked):
                if value.shape != self.value.shape:
                    raise Failure("%s: shape %s instead of %s" % (what, value.shape, self.value.shape))
                if not np.allclose(value, self.value, rtol=1e-9, atol=1e-9):
                    raise Failure("%s\n  is:     %s\n  should: %s" % (what, value.tolist(), self.value.tolist()))
        finally:
            if not self.session.connection.closed:
                self.session.end()

    def check_singular(self, asked):
        for what, text, options in asked:
            try:
                value = self.session.rows(value_query(text, options))
            except psycopg2.Error as error:
                self.session.rows("ROLLBACK TO SAVEPOINT s")
                if error.pgcode == "22023" and "there is no plan" in str(error):
                    continue
                if error.pgcode != "22000" or "is singular" not in str(error):
                    raise Failure("%s: another error: %s" % (what, error))
                continue
            raise Failure("%s: no error, but %s" % (what, value))


def main():
    kinds = {}

    def note(case):
        kind = "singular" if case.singular else case.kind
        kinds[kind] = kinds.get(kind, 0) + 1

    passed, failed, skipped = run_cases(Case, note, 150, 60)
    print(", ".join("%d %s" % (n, kind) for kind, n in sorted(kinds.items())))
    if passed >= 100 and set(kinds) != {"solve", "inverse", "cholesky", "singular"}:
        failed += 1
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return failed > 0


sys.exit(main())
