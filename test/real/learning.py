"""Models that are fitted by einsum_iterate give what plain numpy gives, whose derivatives are written by hand:
linear and logistic regression over a join of ratings, users and films and Poisson regression of films (a
generalised linear model) on movielens_latest_small; multinomial logistic regression, a support vector machine,
Poisson factorisation and k-means on planetoid_cora. Derivatives of the programs are einsum_gradient's.

    test/cluster test/python test/real/learning.py

The workloads of SPORES (section 4.2) are GLM, MLR, SVM and PNMF, in its notation. Ends with "N passed, N failed".
"""

import gzip
import os
import sys
import time

import numpy as np
from _data import cursor_for, directory

CLASSES, FACTORS, ROUNDS = 7, 8, 25


class Fit:
    """Programs beside numpy: which numbers differ by how much, and how long both take."""

    def __init__(self, cursor):
        self.cursor = cursor
        self.passed = self.failed = 0

    def execute(self, sql, arguments=None):
        self.cursor.execute(sql, arguments)
        return self.cursor.fetchall() if self.cursor.description else []

    def value(self, program):
        return np.array(self.execute("select einsum_value(%s)::float8[]", (program,))[0][0], dtype=float)

    def gradient(self, program, of, wrt):
        return self.execute("select einsum_gradient(%s, %s, %s)", (program, of, wrt))[0][0]

    def loop(self, name, **arguments):
        arguments["name"] = name
        arguments.setdefault("max_rounds", 1000)
        started = time.monotonic()
        rows = self.execute("select * from einsum_iterate(%s)" % ", ".join("%s => %%(%s)s" % (key, key) for key in arguments), arguments)
        self.seconds, self.rounds = time.monotonic() - started, len(rows)

    def vector(self, name, notation, array):
        """a tensor that one row holds"""
        self.execute("create table %s (v tensor not null); insert into %s values (%%s::float8[]::tensor)" % (name, name), (array.tolist(),))
        self.execute("select einsum_register(%s, %s, keys => '{}', value => 'v')", (notation, name))

    def compare(self, what, pairs, numpy):
        """pairs of what is and what should be; numpy makes the latter"""
        started = time.monotonic()
        expected = numpy()
        own = time.monotonic() - started
        difference = max(np.abs(found - value).max() / max(1.0, np.abs(value).max()) for found, value in zip(pairs, expected))
        ok = difference < 1e-9
        self.passed += ok
        self.failed += not ok
        print("%s %s: differs by %.1e; %d rounds in %.2f s, numpy %.2f s" % ("ok     " if ok else "FAILED ", what, difference, self.rounds, self.seconds, own), flush=True)


def columns(data_set, file):
    with gzip.open(os.path.join(directory(data_set), file), "rt") as lines:
        return np.loadtxt(lines).T


def sigmoid(v):
    return 1 / (1 + np.exp(-v))


def films(fit):
    """A rating joins what is known of its user and of its film, in dimensions of their own."""
    u, i, rating = columns("movielens_latest_small", "ratings.tsv.gz")
    u, i = u.astype(int), i.astype(int)
    fit.execute("create schema films; set search_path = films, public; create table rating (u int, i int, rating float8 not null, liked float8 not null, primary key (u, i))")
    fit.execute("insert into rating select u, i, r, (r >= 4)::int from unnest(%s, %s, %s) x(u, i, r); analyze rating", (u.tolist(), i.tolist(), rating.tolist()))
    count = {"person": np.bincount(u), "film": np.bincount(i)}
    known = {}
    for table, ids, first in ("person", u, 0), ("film", i, 3):
        total = np.bincount(ids, rating)
        known[table] = np.zeros((len(total), 5))
        known[table][:, first] = np.log(np.maximum(count[table], 1)) / 5
        known[table][:, first + 1] = np.divide(total, count[table], out=np.zeros(len(total)), where=count[table] > 0) / 5
    known["person"][:, 2] = 1
    for table, ids in ("person", u), ("film", i):
        rows = np.unique(ids)
        fit.execute("create table %s (id int primary key, f tensor not null)" % table)
        fit.execute("insert into %s select n, f::float8[]::tensor from unnest(%%s, %%s) x(n, f)" % table, (rows.tolist(), ["{%s}" % ",".join(map(repr, map(float, known[table][n]))) for n in rows]))
    for notation, table, keys, value, bounds in (
            ("m[U,I]", "rating", "{u,i}", None, ["*", "*"]), ("t[U,I]", "rating", "{u,i}", "rating", ["*", "*"]), ("l[U,I]", "rating", "{u,i}", "liked", ["*", "*"]),
            ("fu[U,k]", "person", "{id}", "f", ["*", "5"]), ("fi[I,k]", "film", "{id}", "f", ["*", "5"])):
        fit.execute("select einsum_register(%s, %s, keys => %s, value => %s, bounds => %s)", (notation, table, keys, value, bounds))
    for name in "m", "t", "l", "fu", "fi":
        fit.execute("select einsum_analyze(%s)", (name,))
    x = known["person"][u] + known["film"][i]

    started = time.monotonic()
    w = fit.value("""
        g[k,l] = (sum[u,i] m[u,i]*fu[u,k]*fu[u,l]) + (sum[u,i] m[u,i]*fi[i,k]*fi[i,l]) + (sum[u,i] m[u,i]*fu[u,k]*fi[i,l]) + (sum[u,i] m[u,i]*fi[i,k]*fu[u,l]);
        b[k]   = (sum[u,i] t[u,i]*fu[u,k]) + (sum[u,i] t[u,i]*fi[i,k]);
        w[k]   = solve(g[k,l], b[l])""")
    fit.seconds, fit.rounds = time.monotonic() - started, 1
    fit.compare("linear regression over the join of ratings, users and films", [w], lambda: [np.linalg.lstsq(x, rating, rcond=None)[0]])

    # the weights live in a table of ours
    fit.vector("weight", "w[k]", np.zeros(5))
    step = fit.gradient("""
        a[u]   = sum[k] fu[u,k]*w[k];
        b[i]   = sum[k] fi[i,k]*w[k];
        loss[] = (sum[u,i] m[u,i]*(ln(1 + exp(a[u] + b[i])) - (a[u] + b[i])*l[u,i]))/100004 + 0.001*(sum[k] w[k]^2)""", "loss", "{w}")
    fit.loop("logistic", init=None, step=step + "w[k] = w[k] - 2*d_w[k]", until="loss[] < 0", max_rounds=ROUNDS, assign="{w}")

    def descended():
        w = np.zeros(5)
        for _ in range(ROUNDS):
            w = w - 2 * (x.T @ (sigmoid(x @ w) - (rating >= 4)) / len(x) + 0.002 * w)
        return [w]
    fit.compare("logistic regression over the join", [fit.value("v[k] = w[k]")], descended)

    # how often a film is rated, by what it got: Newton's method, which is weighted least squares in each round
    seen = np.unique(i)
    z = np.stack([np.ones(len(seen)), known["film"][seen, 4], known["film"][seen, 4] ** 2], axis=1)
    y = count["film"][seen].astype(float)
    fit.vector("z", "z[i,k]", z)
    fit.vector("y", "y[i]", y)
    fit.loop("glm", init="b = t(z) %*% y * 0", until="moved[] < 1e-13", step="""
        mu = exp(z %*% b);
        d  = solve(t(z) %*% (z * mu), t(z) %*% (y - mu));
        moved = sum(abs(d)) / (1 + sum(abs(b)));
        b = b + d""", max_rounds=100)

    def newton():
        b = np.zeros(3)
        for _ in range(fit.rounds):
            mu = np.exp(z @ b)
            b = b + np.linalg.solve(z.T @ (z * mu[:, None]), z.T @ (y - mu))
        return [b]
    fit.compare("generalised linear model: Poisson regression of films", [fit.value("v[k] = b[k]")], newton)


def papers(fit):
    node, word, value = columns("planetoid_cora", "features.tsv.gz")
    node, word = node.astype(int), word.astype(int)
    labels = columns("planetoid_cora", "labels.tsv.gz")[1].astype(int)
    n, words = len(labels), word.max() + 1
    x = np.zeros((n, words))
    x[node, word] = value
    classes = np.eye(CLASSES)[labels]
    fit.execute("create schema papers; set search_path = papers, public; create table feature (i int, k int, v float8 not null, primary key (i, k)); create table paper (i int primary key, c int not null, side float8 not null)")
    fit.execute("insert into feature select * from unnest(%s, %s, %s); create index on feature (k, i)", (node.tolist(), word.tolist(), value.tolist()))
    fit.execute("insert into paper select ordinality - 1, c, case when c = 3 then 1 else -1 end from unnest(%s) with ordinality p(c, ordinality); analyze feature; analyze paper", (labels.tolist(),))
    fit.execute("select einsum_register('x[I,K]', 'feature', keys => '{i,k}', value => 'v', bounds => %s)", ([str(n), str(words)],))
    fit.execute("create view class as select i, c from paper; select einsum_register('y[I,C]', 'class', keys => '{i,c}', bounds => %s, duplicates => 'trust')", ([str(n), str(CLASSES)],))
    fit.execute("select einsum_register('side[I]', 'paper', keys => '{i}', value => 'side', bounds => %s)", ([str(n)],))
    for name in "x", "y", "side":
        fit.execute("select einsum_analyze(%s)", (name,))

    fit.vector("w0", "w[k,c]", np.zeros((words, CLASSES)))
    step = fit.gradient("""
        s[i,c] = sum[k] x[i,k]*w[k,c];
        e[i,c] = exp(s[i,c]);
        p[i,c] = e[i,c] / (sum[c] e[i,c]);
        loss[] = -(sum[i,c] y[i,c]*ln(p[i,c]))/2708 + 0.001*(sum[k,c] w[k,c]^2)""", "loss", "{w}")
    fit.loop("mlr", init=None, step=step + "w[k,c] = w[k,c] - 1*d_w[k,c]", until="loss[] < 0", max_rounds=ROUNDS, assign="{w}")

    def multinomial():
        w = np.zeros((words, CLASSES))
        for _ in range(ROUNDS):
            e = np.exp(x @ w)
            w = w - (x.T @ (e / e.sum(axis=1, keepdims=True) - classes) / n + 0.002 * w)
        return [w]
    fit.compare("multinomial logistic regression of papers", [fit.value("v[k,c] = w[k,c]")], multinomial)

    # as linear algebra, with the squared hinge
    fit.vector("v0", "v[k]", np.zeros(words))
    step = fit.gradient("out = 1 - side * (x %*% v); loss = sum(relu(out)^2) / 2708 + 0.001 * sum(v^2)", "loss", "{v}")
    fit.loop("svm", init=None, step=step + "v = v - 0.5 * d_v", until="loss[] < 0", max_rounds=ROUNDS, assign="{v}")

    def machine():
        v, side = np.zeros(words), np.where(labels == 3, 1.0, -1.0)
        for _ in range(ROUNDS):
            out = 1 - side * (x @ v)
            v = v - 0.5 * (-2 * x.T @ (side * np.maximum(out, 0)) / n + 0.002 * v)
        return [v]
    fit.compare("support vector machine of papers", [fit.value("r[k] = v[k]")], machine)

    numbers = np.random.default_rng(3)
    w0, h0 = numbers.uniform(0.1, 1, (n, FACTORS)), numbers.uniform(0.1, 1, (FACTORS, words))
    fit.vector("p0", "p0[i,f]", w0)
    fit.vector("q0", "q0[f,k]", h0)
    fit.loop("pnmf", init="p = p0 * 1; q = q0 * 1", until="loss[] < 0", max_rounds=ROUNDS, step="""
        qn = q * (t(p) %*% (x / (p %*% q))) / t(colSums(p));
        pn = p * ((x / (p %*% qn)) %*% t(qn)) / t(rowSums(qn));
        loss = sum(pn %*% qn) - sum(x * ln(pn %*% qn));
        q = qn;
        p = pn""")

    def quotient(told):
        return np.divide(x, told, out=np.zeros_like(x), where=x != 0)

    def factors():
        p, q = w0, h0
        for _ in range(ROUNDS):
            q = q * (p.T @ quotient(p @ q)) / p.sum(axis=0)[:, None]
            p = p * (quotient(p @ q) @ q.T) / q.sum(axis=1)
        return [p, q]
    fit.compare("Poisson factorisation of the words of papers", [fit.value("r[i,f] = p[i,f]"), fit.value("r[f,k] = q[f,k]")], factors)

    # words of a paper add up to 1; to begin with, a cluster is any papers
    first = np.eye(CLASSES)[numbers.integers(0, CLASSES, n)].T
    first /= first.sum(axis=1, keepdims=True)
    fit.vector("first", "first[g,i]", first)
    fit.loop("means", init="d[i] = sum[k] x[i,k]; c[g,k] = sum[i] first[g,i]*x[i,k]/d[i]; member[i,g] = 0*(sum[k] x[i,k]*c[g,k])", until="moved[] == 0", max_rounds=100, step="""
        d[i]        = sum[k] x[i,k];
        u[i,k]      = x[i,k]/d[i];
        size[g]     = sum[k] c[g,k]^2;
        far[i,g]    = size[g] - 2*(sum[k] u[i,k]*c[g,k]);
        near[i]     = min[g] far[i,g];
        in[i,g]     = (far[i,g] == near[i]);
        moved[]     = sum[i,g] abs(in[i,g] - member[i,g]);
        c[g,k]      = (sum[i] in[i,g]*u[i,k]) / (sum[i] in[i,g]);
        member[i,g] = in[i,g]""")

    def means():
        u = x / np.maximum(x.sum(axis=1, keepdims=True), 1)
        centres = first @ u
        member = None
        while True:
            far = (centres**2).sum(axis=1) - 2 * u @ centres.T
            new = np.eye(CLASSES)[far.argmin(axis=1)]
            centres = new.T @ u / new.sum(axis=0)[:, None]
            if member is not None and (new == member).all():
                return [member, centres]
            member = new
    fit.compare("k-means of papers in 7 clusters", [fit.value("r[i,g] = member[i,g]"), fit.value("r[g,k] = c[g,k]")], means)


def main():
    cursor = cursor_for("movielens_latest_small")
    cursor.execute("create extension if not exists sparseeinsum")
    fit = Fit(cursor)
    films(fit)
    if os.path.isdir(directory("planetoid_cora")):
        papers(fit)
    else:
        print("planetoid_cora is not there")
    print("%d passed, %d failed" % (fit.passed, fit.failed))
    return fit.failed


sys.exit(1 if main() else 0)
