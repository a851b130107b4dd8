"""Zachary's karate club as tensors: 34 members, 78 friendships.

W. W. Zachary, "An information flow model for conflict and fission in small
groups", Journal of Anthropological Research 33, 1977. Members count from 0.
"""

import numpy as np

N, FEATURES, HIDDEN, CLASSES = 34, 6, 4, 3

FRIENDSHIPS = [
    (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (0, 7), (0, 8), (0, 10), (0, 11), (0, 12), (0, 13), (0, 17),
    (0, 19), (0, 21), (0, 31), (1, 2), (1, 3), (1, 7), (1, 13), (1, 17), (1, 19), (1, 21), (1, 30), (2, 3),
    (2, 7), (2, 8), (2, 9), (2, 13), (2, 27), (2, 28), (2, 32), (3, 7), (3, 12), (3, 13), (4, 6), (4, 10),
    (5, 6), (5, 10), (5, 16), (6, 16), (8, 30), (8, 32), (8, 33), (9, 33), (13, 33), (14, 32), (14, 33),
    (15, 32), (15, 33), (18, 32), (18, 33), (19, 33), (20, 32), (20, 33), (22, 32), (22, 33), (23, 25),
    (23, 27), (23, 29), (23, 32), (23, 33), (24, 25), (24, 27), (24, 31), (25, 31), (26, 29), (26, 33),
    (27, 33), (28, 31), (28, 33), (29, 32), (29, 33), (30, 32), (30, 33), (31, 32), (31, 33), (32, 33),
]  # fmt: skip


def arrays():
    """adjacency with self loops, features and weights"""
    a = np.eye(N)
    for i, j in FRIENDSHIPS:
        a[i, j] = a[j, i] = 1
    i, j = np.ogrid[:N, :FEATURES]
    x = np.where((i * 7 + j * 5) % 3 == 0, (i * 11 + j * 13) % 9 / 4 - 1, 0)
    i, j = np.ogrid[:FEATURES, :HIDDEN]
    w1 = ((i * 29 + j * 17) % 13 - 6) / 8
    i, j = np.ogrid[:HIDDEN, :CLASSES]
    w2 = ((i * 31 + j * 23) % 11 - 5) / 8
    return a, x, w1, w2


def load(cursor):
    """makes the tables in schema karate, registers and measures them, and puts them on the search path"""
    a, x, w1, w2 = arrays()
    cursor.execute("""
        create extension if not exists sparseeinsum;
        create schema karate;
        set search_path = karate, public;
        create table link (i int, j int, primary key (i, j));
        create table feature (node int, feature int, value float8 not null, primary key (node, feature));
        create table w1 (val tensor not null);
        create table w2 (val tensor not null)""")
    for index in np.argwhere(a):
        cursor.execute("insert into link values (%s, %s)", index.tolist())
    for i, j in np.argwhere(x):
        cursor.execute("insert into feature values (%s, %s, %s)", (int(i), int(j), float(x[i, j])))
    cursor.execute("insert into w1 values (%s::float8[])", (w1.tolist(),))
    cursor.execute("insert into w2 values (%s::float8[])", (w2.tolist(),))
    cursor.execute("create index on link (j, i)")
    cursor.execute("vacuum analyze link, feature, w1, w2")
    for notation, relation, keys, value, bounds in [
            ("a[I,J]", "link", "{i,j}", None, [N, N]), ("x[I,K]", "feature", "{node,feature}", "value", [N, FEATURES]),
            ("w1[k,m]", "w1", "{}", "val", None), ("w2[m,c]", "w2", "{}", "val", None)]:
        cursor.execute("select einsum_register(%s, %s, keys => %s, value => %s, bounds => %s::text[])",
                       (notation, relation, keys, value, bounds))
        cursor.execute("select einsum_analyze(%s)", (notation.split("[")[0],))
