"""Loops over graphs, for tests and benchmarks: what init, step and until are.

The tables: a[I,J], an edge each (a row is 1); w[I,J], its length, and e[I,J], 0, both with fill
Infinity; s[I], 1 at the source; z[I], 0 there with fill Infinity; id[I], the number of each node.
"""

import gzip
import os

import numpy as np


def pagerank(n, damping=0.85):
    return dict(
        init="x[i] = (1 + 0*id[i]) / %d" % n,
        step="""
          d[i]    = sum[j] a[i,j];
          lost[]  = sum[i] (d[i] == 0) * x[i];
          y[j]    = %r / %d + %r * ((sum[i] a[i,j] * x[i] / d[i]) + lost[] / %d);
          diff[]  = sum[i] abs(y[i] - x[i]);
          x[i]    = y[i]""" % (1 - damping, n, damping, n),
        until="diff[] < 1e-12")


def personalised(damping=0.85):
    return dict(
        init="x[i] = s[i]",
        step="""
          d[i]   = sum[j] a[i,j];
          lost[] = sum[i] (d[i] == 0) * x[i];
          y[j]   = %r * (sum[i] a[i,j] * x[i] / d[i]) + (%r + %r * lost[]) * s[j];
          diff[] = sum[i] abs(y[i] - x[i]);
          x[i]   = y[i]""" % (damping, 1 - damping, damping),
        until="diff[] < 1e-12")


# level is 0 where a node has not been reached, else 1 more than its distance
BFS = dict(
    init="front[i] = s[i]; level[i] = s[i]; round[] = 1",
    step="""
      next[j]  = (any[i] a[i,j] * front[i]) * (level[j] == 0);
      round[]  = round[] + 1;
      front[j] = next[j];
      level[j] = level[j] + (round[] + 1) * next[j];
      found[]  = sum[j] next[j]""",
    until="found[] == 0")

SHORTEST_PATHS = dict(
    init="dist[i] = z[i]",
    step="""
      better[j] = least(dist[j], min[i] (dist[i] + w[i,j]));
      changed[] = sum[j] (better[j] <> dist[j]);
      dist[j]   = better[j]""",
    until="changed[] == 0")

# The same from those nodes that the last round has brought nearer: a round costs what they are. A quotient by 0 is infinite, so that
# only what is nearer than before stays in the frontier.
FRONTIER_PATHS = dict(
    init="front[i] = z[i]; dist[i] = z[i]",
    step="""
      near[j]   = min[i] (front[i] + w[i,j]);
      next[j]   = near[j] + (1/(near[j] < dist[j]) - 1);
      front[j]  = next[j];
      dist[j]   = least(dist[j], next[j]);
      nearest[] = min[j] next[j]""",
    until="nearest[] > 1e300")

COMPONENTS = dict(
    init="part[i] = id[i]",
    step="""
      least[i]  = least(part[i], min[j] (part[j] + e[i,j]));
      changed[] = sum[i] (least[i] <> part[i]);
      part[i]   = least[i]""",
    until="changed[] == 0")

HITS = dict(
    init="hub[i] = 1 + 0*id[i]; authority[i] = 0*id[i]",
    step="""
      u[j]         = sum[i] a[i,j] * hub[i];
      v[j]         = u[j] / sqrt(sum[j] u[j]^2);
      h[i]         = sum[j] a[i,j] * v[j];
      g[i]         = h[i] / sqrt(sum[i] h[i]^2);
      diff[]       = sum[i] abs(g[i] - hub[i]);
      hub[i]       = g[i];
      authority[j] = v[j]""",
    until="diff[] < 1e-13")


def edges(data_set):
    """the edges of a graph, an array of two columns, and how many nodes it has"""
    path = os.path.join(os.environ.get("SPARSEEINSUM_DATASETS", "/nonexistent"), data_set, "edges.tsv.gz")
    with gzip.open(path, "rt") as file:
        found = np.loadtxt(file, dtype=np.int64)
    return found, int(found.max()) + 1


def load(cursor, schema, found, n, source, lengths=None):
    """makes and registers the tables in a schema, and puts it on the search path"""
    def fill(table, columns, rows):
        cursor.copy_expert("copy %s (%s) from stdin" % (table, columns), StringRows(rows))
    lengths = np.ones(len(found)) if lengths is None else lengths
    cursor.execute("create schema %s; set search_path = %s, public" % (schema, schema))
    cursor.execute("""
        create table edge (i int, j int, length float8 not null, nothing float8 not null default 0, primary key (i, j),
            check (i >= 0 and i < %(n)s), check (j >= 0 and j < %(n)s));
        create table node (i int primary key check (i >= 0 and i < %(n)s), id float8 not null);
        create table source (i int primary key check (i >= 0 and i < %(n)s), one float8 not null default 1, zero float8 not null default 0)""",
                   dict(n=n))
    fill("edge", "i, j, length", ("%d\t%d\t%r\n" % (i, j, float(w)) for (i, j), w in zip(found.tolist(), lengths.tolist())))
    fill("node", "i, id", ("%d\t%d\n" % (i, i) for i in range(n)))
    cursor.execute("insert into source values (%s)", (source,))
    cursor.execute("create index on edge (j, i)")
    for table in "edge", "node", "source":
        cursor.execute("analyze " + table)
    for notation, table, keys, value, filled in (
            ("a[I,J]", "edge", "{i,j}", None, 0), ("w[I,J]", "edge", "{i,j}", "length", "Infinity"),
            ("e[I,J]", "edge", "{i,j}", "nothing", "Infinity"), ("id[I]", "node", "{i}", "id", 0),
            ("s[I]", "source", "{i}", "one", 0), ("z[I]", "source", "{i}", "zero", "Infinity")):
        cursor.execute("select einsum_register(%s, %s, keys => %s, value => %s, bounds => %s, fill => %s)",
                       (notation, table, keys, value, [str(n)] * keys.count(",") + [str(n)], filled))
    for name in "a", "w", "e", "id", "s", "z":
        cursor.execute("select einsum_analyze(%s)", (name,))


class StringRows:
    """a file of rows that are made as they are read"""

    def __init__(self, rows):
        self.rows = rows
        self.rest = ""

    def read(self, size=-1):
        parts = [self.rest]
        length = len(self.rest)
        while length < size or size < 0:
            row = next(self.rows, None)
            if row is None:
                break
            parts.append(row)
            length += len(row)
        text = "".join(parts)
        size = len(text) if size < 0 else size
        self.rest = text[size:]
        return text[:size]


def run(cursor, name, loop, **options):
    """the rows that einsum_iterate returns"""
    arguments = dict(loop, name=name, max_rounds=10000, **options)
    cursor.execute("select * from einsum_iterate(%s)" % ", ".join("%s => %%(%s)s" % (key, key) for key in arguments), arguments)
    return cursor.fetchall()


def dense(cursor, tensor, n, fill=0.0):
    """a tensor of one label that a loop keeps, as an array"""
    cursor.execute("select einsum_value('y[i] = %s[i]')::float8[]" % tensor)
    return np.array(cursor.fetchone()[0])
