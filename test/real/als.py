"""Matrix factorisation with biases learns movielens_latest_small by einsum_iterate: alternating least squares,
a system for each user and then for each film, which solve() in the program solves.

    test/cluster test/python test/real/als.py [--rounds N] [--factors N]

Users and films are the ids of the file, by open labels. After each round the error on held-out ratings equals
that of the same algorithm in numpy to 1e-6, and both times are shown. A rating is mean + p_u q_i + bias of the
user + bias of the film; the penalty of a user or film is weighted by its number of ratings (Zhou et al., 2008).
"""

import argparse
import gzip
import os
import sys
import time

import numpy as np
from _data import cursor_for, directory

DATA = "movielens_latest_small"
PENALTY = 0.08

# the last dimension is the bias, beside which the other side has 1: inner is 1 for all others, last for this one
STEP = """
  mean[] = (sum[u,i] t[u,i]) / (sum[u,i] m[u,i]);
  nu[u]  = sum[i] m[u,i];
  ni[i]  = sum[u] m[u,i];
  c[u,i] = t[u,i] - mean[]*m[u,i];

  x[i,k]   = q[i,k]*inner[k] + (ni[i] > 0)*last[k];
  f[i]     = sum[k] q[i,k]*last[k];
  g[u,k,l] = (sum[i] m[u,i]*x[i,k]*x[i,l]) + %(penalty)r*nu[u]*eye[k,l];
  b[u,k]   = (sum[i] c[u,i]*x[i,k]) - (sum[i] m[u,i]*f[i]*x[i,k]);
  pn[u,k]  = solve(g[u,k,l], b[u,l]);

  y[u,k]   = pn[u,k]*inner[k] + (nu[u] > 0)*last[k];
  e[u]     = sum[k] pn[u,k]*last[k];
  h[i,k,l] = (sum[u] m[u,i]*y[u,k]*y[u,l]) + %(penalty)r*ni[i]*eye[k,l];
  d[i,k]   = (sum[u] c[u,i]*y[u,k]) - (sum[u] m[u,i]*e[u]*y[u,k]);
  qn[i,k]  = solve(h[i,k,l], d[i,l]);

  p[u,k]   = pn[u,k];
  q[i,k]   = qn[i,k];
  r[u,i]   = held[u,i] - one[u,i]*mean[] - one[u,i]*e[u] - one[u,i]*(sum[k] qn[i,k]*last[k]) - one[u,i]*(sum[k] pn[u,k]*qn[i,k]*inner[k]);
  rmse[]   = sqrt((sum[u,i] r[u,i]^2) / (sum[u,i] one[u,i]))
""" % dict(penalty=PENALTY)


def ratings():
    with gzip.open(os.path.join(directory(DATA), "ratings.tsv.gz"), "rt") as file:
        found = np.loadtxt(file)
    users, items = found[:, 0].astype(int), found[:, 1].astype(int)
    held = np.random.default_rng(7).uniform(size=len(found)) < 0.2
    return users, items, found[:, 2], held


def load(cursor, users, items, values, held, start):
    cursor.execute("create schema films; set search_path = films, public")
    for table, part in ("train", ~held), ("test", held):
        cursor.execute("create table %s (u int, i int, rating float8 not null, primary key (u, i))" % table)
        cursor.execute("insert into %s select * from unnest(%%s, %%s, %%s)" % table, (users[part].tolist(), items[part].tolist(), values[part].tolist()))
        cursor.execute("create index on %s (i, u); analyze %s" % (table, table))
    cursor.execute("create table start (i int primary key, q tensor not null)")
    cursor.execute("insert into start select i, q::float8[]::tensor from unnest(%s, %s) s(i, q)", (list(range(len(start))), [str(row.tolist()).replace("[", "{").replace("]", "}") for row in start]))
    factors = start.shape[1]
    for name in "inner", "last":
        cursor.execute("create table %s_dimension (v tensor not null); insert into %s_dimension values (%%s::float8[]::tensor)" % (name, name),
                       ([float((k == factors - 1) == (name == "last")) for k in range(factors)],))
        cursor.execute("select einsum_register(%s, %s, keys => '{}', value => 'v')", ("%s[k]" % name, name + "_dimension"))
    for notation, table, value in ("t[U,I]", "train", "rating"), ("m[U,I]", "train", None), ("held[U,I]", "test", "rating"), ("one[U,I]", "test", None):
        cursor.execute("select einsum_register(%s, %s, keys => '{u,i}', value => %s, bounds => '{*,*}')", (notation, table, value))
    cursor.execute("select einsum_register('q0[I,k]', 'start', keys => '{i}', value => 'q', bounds => %s)", (["*", str(factors)],))
    for name in "t", "m", "held", "one", "q0":
        cursor.execute("select einsum_analyze(%s)", (name,))


class Side:
    """The ratings of one side, a segment for each of its ids."""

    def __init__(self, own, other, values, n):
        order = np.argsort(own, kind="stable")
        self.other, self.values = other[order], values[order]
        self.ends = np.searchsorted(own[order], np.arange(n), side="right")
        self.n = n

    def solved(self, vectors):
        """The vectors of this side, biases last, from those of the other."""
        factors = vectors.shape[1]
        result = np.zeros((self.n, factors))
        begin = 0
        for i, end in enumerate(self.ends):
            if end > begin:
                others = vectors[self.other[begin:end]]
                x = others.copy()
                x[:, -1] = 1
                gram = x.T @ x + PENALTY * (end - begin) * np.eye(factors)
                result[i] = np.linalg.solve(gram, x.T @ (self.values[begin:end] - others[:, -1]))
            begin = end
        return result


def by_numpy(users, items, values, held, start, rounds):
    """Errors on what is held out, round by round, and seconds."""
    train = ~held
    mean = values[train].mean()
    left = Side(users[train], items[train], values[train] - mean, users.max() + 1)
    right = Side(items[train], users[train], values[train] - mean, len(start))
    began = time.monotonic()
    q = start
    errors = []
    for _ in range(rounds):
        p = left.solved(q)
        q = right.solved(p)
        told = mean + p[users[held], -1] + q[items[held], -1] + (p[users[held], :-1] * q[items[held], :-1]).sum(axis=1)
        errors.append(np.sqrt(((values[held] - told) ** 2).mean()))
    return errors, time.monotonic() - began


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--factors", type=int, default=10)
    parser.add_argument("--plan", action="store_true")
    options = parser.parse_args()
    cursor = cursor_for(DATA)
    cursor.execute("create extension if not exists sparseeinsum")
    users, items, values, held = ratings()
    start = np.random.default_rng(1).normal(0, 0.1, (items.max() + 1, options.factors + 1))
    start[:, -1] = 0
    load(cursor, users, items, values, held, start)
    init = "p[u,k] = 0*(sum[i] m[u,i])*last[k]; q[i,k] = (any[u] m[u,i])*q0[i,k]"
    arguments = dict(name="als", init=init, step=STEP, until="rmse[] < 0", max_rounds=options.rounds)
    began = time.monotonic()
    cursor.execute("select round, value, milliseconds from einsum_iterate(%s)" % ", ".join("%s => %%(%s)s" % (key, key) for key in arguments), arguments)
    rows = cursor.fetchall()
    seconds = time.monotonic() - began
    if options.plan:
        cursor.execute("select einsum_plan(%s, iterate => true)", (STEP,))
        print("\n".join(row[0] for row in cursor.fetchall()))
    errors, own = by_numpy(users, items, values, held, start, options.rounds)
    own = min(own, by_numpy(users, items, values, held, start, options.rounds)[1])
    difference = max(abs(row[1] - error) for row, error in zip(rows, errors))
    ok = len(rows) == options.rounds and difference < 1e-6
    print("%s matrix factorisation of %d ratings by %d users of %d films: RMSE %.6f after %d rounds (%.4f after the first), differs by %.1e" % (
        "ok     " if ok else "FAILED ", len(values), users.max() + 1, len(start), rows[-1][1], len(rows), rows[0][1], difference))
    print("%.2f s, %.1f ms a round; numpy %.2f s: %.2f times its time" % (seconds, np.median([row[2] for row in rows]), own, seconds / own))
    print("%d passed, %d failed" % (ok, not ok))
    return not ok


sys.exit(1 if main() else 0)
