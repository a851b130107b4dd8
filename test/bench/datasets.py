"""Tensors of the shared data sets, for benchmarks: load(cursor, text) makes, registers and measures those
that a text names. Beside the data there are dense factors and vectors for them, whose numbers come from a
fixed seed.
"""

import gzip
import os
import re

import psycopg2

FOLDER = os.environ.get("SPARSEEINSUM_DATASETS", "/nonexistent")


def available():
    return os.path.isdir(os.path.join(FOLDER, "movielens_latest_small"))


def connect():
    """a session in which nothing runs in parallel: costs are of one core"""
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("set max_parallel_workers_per_gather = 0; create extension if not exists sparseeinsum; create schema source")
    return cursor


class Graph:
    """edges without a value, as users keep them, with an index for either direction"""

    def __init__(self, folder, nodes, file="edges"):
        self.folder, self.nodes, self.file = folder, nodes, file

    def make(self, cursor, name):
        cursor.execute("create table %s (i int, j int, primary key (i, j))" % name)
        copy(cursor, name, self.folder, self.file)
        cursor.execute("create index on %s (j, i)" % name)
        cursor.execute("select einsum_register(%s, %s, '{i,j}', bounds => %s::int[])",
                       (name + "[I,J]", name, [self.nodes, self.nodes]))


class Entries:
    """a file of coordinates and a value, in any decomposition; value is an expression of v"""

    def __init__(self, labels, folder, bounds, file="entries", value="v", fill=0):
        self.labels, self.folder, self.bounds, self.file = labels, folder, bounds, file
        self.value, self.fill = value, fill

    def make(self, cursor, name):
        columns = ["d%d" % n for n in range(len(self.bounds))]
        relation = "source." + self.folder
        cursor.execute("select to_regclass(%s)", (relation,))
        if cursor.fetchone()[0] is None:
            cursor.execute("create table %s (%s, v float8)" % (relation, ", ".join(c + " int" for c in columns)))
            copy(cursor, relation, self.folder, self.file)
        store(cursor, "%s[%s]" % (name, self.labels), "select %s, %s from %s" % (", ".join(columns), self.value, relation),
              self.bounds, self.fill)


class Facts:
    """a table of facts, as users keep it: one column is its primary key, the others refer to dimensions"""

    def __init__(self, labels, bounds, query):
        self.labels, self.bounds, self.query = labels, bounds, query

    def make(self, cursor, name):
        columns = self.labels.lower().split(",")
        cursor.execute("create table %s (%s primary key, value float8 not null)" % (name, " int not null, ".join(columns[1:] + [columns[0] + " int"])))
        cursor.execute("insert into %s (%s, value) %s; analyze %s" % (name, ", ".join(columns), self.query, name))
        cursor.execute("select einsum_register(%s, %s, %s, 'value', %s::int[])", ("%s[%s]" % (name, self.labels), name, columns, self.bounds))


class Computed:
    """what a query gives, which may read the tables of other tensors"""

    def __init__(self, labels, bounds, query, reads="", fill=0):
        self.labels, self.bounds, self.query, self.reads, self.fill = labels, bounds, query, reads, fill

    def make(self, cursor, name):
        load(cursor, self.reads)
        store(cursor, "%s[%s]" % (name, self.labels), self.query, self.bounds, self.fill)


def store(cursor, notation, query, bounds, fill):
    cursor.execute("select einsum_store(%s, %s, %s::int[])", (notation, query, bounds))
    if fill:
        table = notation.split("[")[0]
        cursor.execute("select keys, value from einsum_tensors where tensor = %s", (table,))
        keys, value = cursor.fetchone()
        cursor.execute("select einsum_register(%s, %s, %s, %s, %s::int[], fill => %s, replace => true)",
                       (notation, table, keys, value, bounds, fill))


def copy(cursor, relation, folder, file):
    with gzip.open(os.path.join(FOLDER, folder, file + ".tsv.gz")) as rows:
        cursor.copy_expert("copy %s from stdin" % relation, rows)


def dense(labels, *bounds, fill=0):
    """numbers between 0 and 1, multiples of 1/64 that no plan's order of sums can tell apart"""
    coordinates = ["d%d" % n for n in range(len(bounds))]
    mixed = " + ".join("%s * %d" % pair for pair in zip(coordinates, (7919, 104729, 1299709, 15485863)))
    return Computed(labels, list(bounds), "select %s, (1 + (%s) %% 61) / 64.0 from %s" % (
        ", ".join(coordinates), mixed, ", ".join("generate_series(0, %d) %s" % (b - 1, c) for b, c in zip(bounds, coordinates))), fill=fill)


def label(name):
    """the vertices of a labelled graph that have one label"""
    graph, number = name.split("_l")
    folder, vertices = LABELLED[graph]

    class Label(Computed):
        def make(self, cursor, name):
            relation = "source.%s_vertex" % graph
            cursor.execute("create table if not exists %s (vertex int, label int)" % relation)
            cursor.execute("select count(*) from " + relation)
            if cursor.fetchone()[0] == 0:
                copy(cursor, relation, folder, "vertices")
            super().make(cursor, name)

    return Label("I", [vertices], "select vertex, 1.0 from source.%s_vertex where label = %s" % (graph, number))


LABELLED = {"yeast": ("subgraph_yeast", 3112), "hprd": ("subgraph_hprd", 9460)}

# the star: facts with three dimensions, of which each has its own of 139 features
FACTS, STORES, PARTS, CUSTOMERS = 60000, 100, 2000, 1500
FEATURES = (40, 50, 49)


def dimension(size, turn):
    first = sum(FEATURES[:turn])
    return Computed("D,k", [size, sum(FEATURES)], "select d, k, (1 + (d * 7919 + k * 104729) %% 61) / 64.0 "
                    "from generate_series(0, %d) d, generate_series(%d, %d) k" % (size - 1, first, first + FEATURES[turn] - 1))


TENSORS = {
    # graphs, with weights for their nodes
    "wiki": Graph("graph_wiki_vote", 7115), "wiki_x": dense("I,k", 7115, 16), "wiki_w": dense("I", 7115),
    "facebook": Graph("graph_facebook", 4039), "facebook_x": dense("I,k", 4039, 32), "facebook_w": dense("I", 4039),
    "twitter": Graph("graph_ego_twitter", 81306),
    "grqc": Graph("graph_ca_grqc", 5242), "grqc_w": dense("I", 5242),
    "email": Graph("graph_email_eu_core", 1005), "email_x": dense("i,k", 1005, 64),
    "gnutella": Graph("graph_p2p_gnutella31", 62586), "gnutella_w": dense("I", 62586), "gnutella_x": dense("I,k", 62586, 8),
    "roads": Graph("graph_usroads", 129164), "roads_w": dense("I", 129164),
    "length": Computed("I,J", [129164, 129164], "select i, j, 1 + (i * 7 + j * 7) % 13 from roads", "roads", "Infinity"),
    "reached": Computed("I", [129164], "select i, i % 7 from generate_series(0, 129163, 50) i", "", "Infinity"),
    "yeast": Graph("subgraph_yeast", 3112), "hprd": Graph("subgraph_hprd", 9460),
    "photo": Graph("amazon_photo", 7650),
    "photo_q": dense("I,k", 7650, 64), "photo_p": dense("I,k", 7650, 64), "photo_v": dense("I,k", 7650, 64),
    "photo_w": dense("k,m", 64, 32),
    "computers": Graph("amazon_computers", 13752), "computers_x": Entries("I,k", "amazon_computers", [13752, 767], "features"),
    "computers_y": dense("I", 13752), "computers_w": dense("k,m", 767, 256), "computers_v": dense("m,c", 256, 10),
    "photo_x": Entries("I,k", "amazon_photo", [7650, 745], "features"),
    "photo_m": dense("k,m", 745, 32),
    # matrices
    "stiff": Entries("I,J", "mtx_bcsstk25", [15439, 15439]),
    "stiff_y": dense("I,k", 15439, 8), "stiff_w": dense("I", 15439), "stiff_g": dense("K,L", 8, 8),
    "bayer": Entries("I,J", "mtx_bayer10", [13436, 13436], value="sign(v) * (1 + abs(v)::numeric % 61) / 64"),
    "bayer_y": dense("I,k", 13436, 32),
    "blocks": Entries("I:64,J:64", "mtx_bcsstk13", [2003, 2003], value="abs(v) / 1e12"),
    "blocks_y": dense("I:64,k", 2003, 16), "blocks_w": dense("I:64", 2003),
    "groebner": Entries("I,J", "mtx_groebner_id2003_aug", [4967, 2456], value="1 + v::numeric % 61"),
    "groebner_w": dense("I", 4967), "groebner_x": dense("I,k", 4967, 12),
    "tags": Entries("I,J", "mtx_tags_math_sx", [822059, 1629]), "tags_x": dense("K", 1629),
    "dense_a": dense("i,j", 400, 400), "dense_b": dense("j,k", 400, 300), "dense_rows": dense("I,j", 400, 400),
    "tall": dense("I,k", 20000, 48), "tall_w": dense("k,m", 48, 48), "tall_y": dense("I", 20000),
    "far": dense("i,j", 300, 300, fill="Infinity"), "far_rows": dense("I,j", 300, 300, fill="Infinity"), "far_blocks": dense("I:64,J:64", 300, 300, fill="Infinity"),
    # keys, queries and values of a thousand tokens, as one matrix and as a row for each
    "tokens_q": dense("i,k", 1000, 32), "tokens_k": dense("j,k", 1000, 32), "tokens_v": dense("j,m", 1000, 32),
    "words_q": dense("I,k", 1000, 32), "words_k": dense("J,k", 1000, 32), "words_v": dense("J,m", 1000, 32),
    "hidden": dense("k,h", 48, 64), "hidden_b": dense("h", 64), "out": dense("h,c", 64, 10), "out_b": dense("c", 10),
    # ratings, with factors of rank 10
    "r": Entries("U,I", "movielens_latest_small", [671, 9066], "ratings"),
    "u": dense("U,k", 671, 10), "v": dense("I,k", 9066, 10),
    "user_b": dense("U", 671), "item_b": dense("I", 9066),
    # tensors of higher rank, with factors of rank 16
    "enron": Entries("I,J,K", "tensor_enron184", [184, 184, 187]),
    "enron_a": dense("I,r", 184, 16), "enron_b": dense("J,r", 184, 16), "enron_c": dense("K,r", 187, 16),
    "kinship": Entries("H,R,T", "tensor_kinship", [104, 25, 104]),
    "kinship_a": dense("H,a", 104, 8), "kinship_b": dense("R,b", 25, 6), "kinship_c": dense("T,c", 104, 8),
    "mail": Entries("S,R,D", "tensor_email_eu_temporal", [986, 986, 804]),
    "mail_a": dense("S,r", 986, 16), "mail_b": dense("T,r", 986, 16), "mail_c": dense("D,r", 804, 16),
    "med": Entries("I,J,K", "tensor_splatt_med", [2425, 10816, 29567]),
    "med_a": dense("I,r", 2425, 16), "med_b": dense("J,r", 10816, 16), "med_c": dense("K,r", 29567, 16),
    "yago": Entries("S,R,O,T", "tensor_yago", [10623, 10, 10623, 189]),
    "yago_a": dense("S,r", 10623, 8), "yago_b": dense("P,r", 10, 8), "yago_t": dense("T,r", 189, 8),
    "cube": dense("i,j,k", 24, 24, 24), "cube_f": dense("i,l", 24, 24),
    # the star
    "facts": Facts("P,A,B,C", [FACTS, STORES, PARTS, CUSTOMERS],
                   "select p, p * 31 %% %d, p * 7 %% %d, (p * 13 + p / 7) %% %d, 1.0 from generate_series(0, %d) p" % (
                       STORES, PARTS, CUSTOMERS, FACTS - 1)),
    "store_x": dimension(STORES, 0), "part_x": dimension(PARTS, 1), "customer_x": dimension(CUSTOMERS, 2),
    "star_w": Computed("k", [sum(FEATURES)], "select k, ((k * 37) %% 61 - 30) / 64.0 from generate_series(0, %d) k" % (sum(FEATURES) - 1)),
    "star_y": Computed("P", [FACTS], "select p, p %% 2 from generate_series(0, %d) p where p %% 2 = 1" % (FACTS - 1)),
    # a hundred rows
    "small": Computed("I,J", [20, 20], "select k % 20, k * 7 / 20 % 20, 1 + k % 7 from generate_series(0, 99) k"), "small_w": dense("I", 20),
    # three numbers
    "s0": Computed("I", [3], "select i, i + 1 from generate_series(0, 2) i"),
    # gates of a circuit: Hadamard's, and the controlled negation
    "hadamard": Computed("a,b", [2, 2], "select a, b, (1 - 2 * a * b) / sqrt(2.0) from generate_series(0, 1) a, generate_series(0, 1) b"),
    "negation": Computed("a,b,c,d", [2, 2, 2, 2], "select a, a # b, a, b, 1.0 from generate_series(0, 1) a, generate_series(0, 1) b"),
}


def named(text):
    """the names of tensors in a text, in its order"""
    return [name for name in dict.fromkeys(re.findall(r"[a-z_0-9]+", text)) if name in TENSORS or re.fullmatch(r"(yeast|hprd)_l\d+", name)]


def load(cursor, text):
    for name in named(text):
        cursor.execute("select to_regclass(%s)", (name,))
        if cursor.fetchone()[0] is None:
            (TENSORS.get(name) or label(name)).make(cursor, name)
            cursor.execute("vacuum analyze " + name)
            cursor.execute("select einsum_analyze(%s)", (name,))
