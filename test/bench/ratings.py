"""Ratings by users, with a taste and a weight of each item, for the benchmarks of refreshes: make(cursor, ...) makes
the tensors r[U,I], l[U,I] (1 for each rating), t[I,k] and w[I]; log(cursor) gives them logs.
"""


def make(cursor, users, items, ratings, width):
    """Makes the tables and their tensors: for these users and items, with at most this number of ratings, and vectors of this width."""
    cursor.execute(f"""
        CREATE EXTENSION IF NOT EXISTS sparseeinsum;
        CREATE TABLE rating (u int, i int, v float8 NOT NULL, PRIMARY KEY (u, i));
        SELECT setseed(0.5);
        INSERT INTO rating SELECT DISTINCT ON (u, i) u, i, 1
            FROM (SELECT (random() ^ 2 * {users - 1})::int, (random() ^ 2 * {items - 1})::int FROM generate_series(1, {ratings})) g(u, i);
        CREATE TABLE taste (i int PRIMARY KEY, v tensor NOT NULL);
        INSERT INTO taste SELECT i, tensor_full('{{{width}}}', i % 7) FROM generate_series(0, {items - 1}) i;
        CREATE TABLE weight (i int PRIMARY KEY, v float8 NOT NULL);
        INSERT INTO weight SELECT i, 1 + i % 5 FROM generate_series(0, {items - 1}) i;
        SELECT einsum_register('r[U,I]', 'rating', '{{u,i}}', 'v', '{{{users},{items}}}'),
            einsum_register('l[U,I]', 'rating', '{{u,i}}', NULL, '{{{users},{items}}}'),
            einsum_register('t[I,k]', 'taste', '{{i}}', 'v', '{{{items},{width}}}'), einsum_register('w[I]', 'weight', '{{i}}', 'v', '{{{items}}}')""")
    cursor.execute("VACUUM ANALYZE")


def log(cursor):
    """Makes logs of all the tables."""
    cursor.execute("SELECT einsum_log(name) FROM unnest('{r,l,t,w}'::text[]) name")


def change(count):
    """Returns the statement that changes this number of ratings, all over the table."""
    return f"""UPDATE rating r SET v = v + 1 FROM (SELECT u, i FROM rating ORDER BY hashint4(u * 10000 + i) LIMIT {count}) c
        WHERE (r.u, r.i) = (c.u, c.i)"""
