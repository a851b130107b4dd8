"""The programs of `make bench-plans`: those of algebra_work.py, and more that people compute on graphs, features, ratings,
matrices, tensors and relations, with the forms in which someone who knows the trick writes them.

Tensors are those of datasets.py, and in cora programs those of test/data/planetoid_cora.py. A form by hand is a
program, run as it is written in `rewrite => 'none'`, or SQL.
"""

import gzip
import os
import sys
from collections import defaultdict

import datasets
from algebra_work import STAR, WORK, Work

sys.path.insert(0, "test/data")
import planetoid_cora as cora  # noqa: E402


def program(name, text, hand=None, in_cora=False):
    return Work(name, text, hand=hand, in_cora=in_cora)


# T_ are tokens
ALL_PAIRS = """e[i,j] = exp((sum[k] T_q[i,k] * T_k[j,k]) / 32); d[i] = sum[j] e[i,j]; y[i,m] = (sum[j] e[i,j] * T_v[j,m]) / d[i]"""


def rows(folder, file):
    with gzip.open(os.path.join(datasets.FOLDER, folder, file + ".tsv.gz"), "rt") as lines:
        return [line.split() for line in lines]


def query_graph(graph, name):
    """one product that counts the homomorphisms of a query graph into a labelled graph"""
    folder, _ = datasets.LABELLED[graph]
    number, = (row[0] for row in rows(folder, "queries") if row[1] == name)
    factors = ["%s[v%s,v%s]" % (graph, u, v) for query, u, v in rows(folder, "query_edges") if query == number]
    factors += ["%s_l%s[v%s]" % (graph, label, v) for query, v, label in rows(folder, "query_vertices") if query == number]
    return "s[] = " + " * ".join(factors)


def circuit(qubits, depth):
    """the probability of 0 after layers of gates, as one product over the wires: a gate is a factor, labels are wires"""
    wires, factors, used = [], [], defaultdict(int)

    def next_wire(q):
        used[q] += 1
        return "q%dn%d" % (q, used[q])

    wires = [next_wire(q) for q in range(qubits)]
    for layer in range(depth):
        for q in range(qubits):
            new = next_wire(q)
            factors.append("hadamard[%s,%s]" % (new, wires[q]))
            wires[q] = new
        for q in range(layer % 2, qubits - 1, 2):
            control, target = next_wire(q), next_wire(q + 1)
            factors.append("negation[%s,%s,%s,%s]" % (control, target, wires[q], wires[q + 1]))
            wires[q], wires[q + 1] = control, target
    return "s[] = " + " * ".join(factors)


def programs():
    return WORK + [
        # products and chains
        program("square of a sparse graph", "c[i,k] = grqc[i,j] * grqc[j,k]",
                "select a.i, b.j, count(*)::float8 as value from grqc a join grqc b on b.i = a.j group by a.i, b.j"),
        program("graph times vectors", "c[i,k] = wiki[i,j] * wiki_x[j,k]"),
        program("graph times one vector", "c[i] = gnutella[i,j] * gnutella_w[j]",
                "select g.i, sum(w.value) as value from gnutella g join gnutella_w w on w.i = g.j group by g.i"),
        program("graph times narrow vectors", "c[i,k] = gnutella[i,j] * gnutella_x[j,k]"),
        program("in both directions", "c[i,k] = (gnutella[i,j] + gnutella[j,i]) * gnutella_x[j,k]"),
        program("two hops of vectors", "c[i,k] = facebook[i,j] * facebook[j,l] * facebook_x[l,k]",
                "h[j,k] = facebook[j,l] * facebook_x[l,k]; c[i,k] = facebook[i,j] * h[j,k]"),
        program("trace of a product", "s = trace(stiff %*% stiff)", "s[] = sum[i,j] stiff[i,j] * stiff[j,i]"),
        program("quadratic form", "s = t(stiff_w) %*% stiff %*% stiff_w"),
        program("sparse chain, signed", "y = bayer %*% t(bayer) %*% bayer_y",
                "h[j,k] = bayer[l,j] * bayer_y[l,k]; y[i,k] = bayer[i,j] * h[j,k]"),
        program("rectangular chain", "y = groebner %*% (t(groebner) %*% groebner_x)"),
        program("normal equations", "g = t(groebner_x) %*% groebner_x + diag(colSums(groebner_x))"),
        program("blocks times vectors", "y = blocks %*% blocks_y"),
        program("square of blocks", "c = blocks %*% blocks"),
        program("sum of products of blocks", "s = sum(blocks * (blocks %*% blocks))"),
        program("dense product", "c = dense_a %*% dense_b"),
        program("dense rows times a matrix", "c = dense_rows %*% dense_a"),
        program("gram of rows", "g = t(tall) %*% tall"),
        program("rows times a matrix, relu", "c = relu(tall %*% tall_w)"),
        program("regression gradient", "h[k] = sum[m] tall_w[k,m]; e[i] = tall[i,k] * h[k] - tall_y[i]; g[k] = tall[i,k] * e[i]"),
        program("blocks times their transpose", "c = blocks %*% t(blocks)"),
        program("cube of blocks times vectors", "y = blocks %*% blocks %*% blocks %*% blocks_y"),
        program("rows of a product of blocks", "s = rowSums(blocks %*% blocks)"),
        program("perceptron", "h[i,m] = relu((sum[k] tall[i,k] * hidden[k,m]) + hidden_b[m]); y[i,c] = (sum[m] h[i,m] * out[m,c]) + out_b[c]"),
        program("perceptron, loss", """h[i,m] = relu((sum[k] tall[i,k] * hidden[k,m]) + hidden_b[m]);
                y[i,c] = sigmoid(sum[m] h[i,m] * out[m,c]); e[i] = (sum[c] y[i,c]) - tall_y[i]; s[] = sum[i] e[i]^2"""),
        # all pairs
        program("attention over all pairs", ALL_PAIRS.replace("T_", "tokens_")),
        program("attention over all pairs of rows", ALL_PAIRS.replace("T_", "words_")),
        program("squared distances of all pairs", "d[i,j] = sum[k] (words_q[i,k] - words_k[j,k])^2"),
        # patterns
        program("triangles of a small graph", "s[] = grqc[i,j] * grqc[j,k] * grqc[i,k]"),
        program("cyclic triangles", "s[] = email[i,j] * email[j,k] * email[k,i]"),
        program("triangles by node", "t[i] = grqc[i,j] * grqc[j,k] * grqc[k,i] / 2"),
        program("common neighbours of the linked", "c[i,j] = grqc[i,j] * (sum[k] grqc[i,k] * grqc[k,j])",
                "c[i,j] = grqc[i,j] * grqc[i,k] * grqc[k,j]"),
        program("wedges", "s[] = facebook[i,j] * facebook[j,k]",
                "c[j] = sum[i] facebook[i,j]; r[j] = sum[k] facebook[j,k]; s[] = sum[j] c[j] * r[j]"),
        program("paths of three edges", "s[] = facebook[i,j] * facebook[j,k] * facebook[k,l]",
                "c[j] = sum[i] facebook[i,j]; r[j] = sum[k] facebook[j,k]; s[] = sum[j,k] c[j] * facebook[j,k] * r[k]"),
        program("stars of three", "s[] = wiki[i,j] * wiki[i,k] * wiki[i,l]", "d[i] = sum[j] wiki[i,j]; s[] = sum[i] d[i] ^ 3"),
        program("cycles of four", "s[] = grqc[i,j] * grqc[j,k] * grqc[k,l] * grqc[l,i]",
                "c[i,k] = grqc[i,j] * grqc[j,k]; s[] = sum[i,k] c[i,k] * c[k,i]"),
        program("diamonds", "s[] = grqc[i,j] * grqc[j,k] * grqc[k,l] * grqc[l,i] * grqc[i,k]",
                "c[i,k] = grqc[i,j] * grqc[j,k]; s[] = sum[i,k] grqc[i,k] * c[i,k] * c[k,i]"),
        program("clustering coefficients",
                "d[i] = sum[j] grqc[i,j]; t[i] = grqc[i,j] * grqc[j,k] * grqc[k,i]; c[i] = t[i] / (d[i] * (d[i] - 1))"),
        program("query of four vertices", query_graph("yeast", "query_dense_4_9")),
        program("sparse query of eight", query_graph("yeast", "query_sparse_8_2")),
        program("dense query of eight", query_graph("yeast", "query_dense_8_4")),
        program("dense query of eight, large graph", query_graph("hprd", "query_dense_8_3")),
        # graph networks
        program("convolution", cora.CONVOLUTION, in_cora=True),
        program("sparse attention", cora.ATTENTION, in_cora=True),
        program("network", cora.NETWORK % (cora.N, cora.N), in_cora=True),
        program("features of two hops", "y[i,k] = b[i,j] * b[j,l] * x[l,k]",
                "h[j,k] = b[j,l] * x[l,k]; y[i,k] = b[i,j] * h[j,k]", in_cora=True),
        program("mean of neighbours", "d[i] = sum[j] facebook[i,j]; y[i,k] = (sum[j] facebook[i,j] * facebook_x[j,k]) / d[i]"),
        program("normalised twice",
                "d[i] = sum[j] facebook[i,j]; n[i,j] = facebook[i,j] / sqrt(d[i] * d[j]); y[i,k] = n[i,j] * n[j,l] * facebook_x[l,k]"),
        program("features times weights by graph", "y[i,m] = photo[i,j] * photo_x[j,k] * photo_m[k,m]",
                "h[j,m] = photo_x[j,k] * photo_m[k,m]; y[i,m] = photo[i,j] * h[j,m]"),
        # ratings
        program("predictions at ratings", "p[i,j] = r[i,j] * (sum[k] u[i,k] * v[j,k])"),
        program("quotients at ratings", "g[i,l] = (r[i,j] / (sum[k] u[i,k] * v[j,k])) * v[j,l]"),
        program("with biases", "e[i,j] = (r[i,j] <> 0) * (r[i,j] - user_b[i] - item_b[j]); s[] = sum[i,j] e[i,j]^2"),
        program("shares of a row", "p[i,j] = r[i,j] / (sum[j] r[i,j])"),
        program("softmax of ratings",
                "m[i] = max[j] r[i,j]; e[i,j] = (r[i,j] <> 0) * exp(r[i,j] - m[i]); p[i,j] = e[i,j] / (sum[j] e[i,j])"),
        program("similar items", "y[j,k] = r[i,j] * r[i,l] * v[l,k]", "h[i,k] = r[i,l] * v[l,k]; y[j,k] = r[i,j] * h[i,k]"),
        # tensors of higher rank
        program("MTTKRP", "y[i,r] = enron[i,j,k] * enron_b[j,r] * enron_c[k,r]"),
        program("MTTKRP, last mode", "y[k,r] = mail[i,j,k] * mail_a[i,r] * mail_b[j,r]"),
        program("MTTKRP, very sparse", "y[i,r] = med[i,j,k] * med_b[j,r] * med_c[k,r]"),
        program("MTTKRP of rank four", "y[o,k] = yago[s,p,o,t] * yago_a[s,k] * yago_b[p,k] * yago_t[t,k]"),
        program("TTM", "y[i,j,l] = enron[i,j,k] * enron_c[k,l]"),
        program("TTM, very sparse", "y[i,j,l] = med[i,j,k] * med_c[k,l]"),
        program("core of Tucker", "g[a,b,c] = kinship[h,r,t] * kinship_a[h,a] * kinship_b[r,b] * kinship_c[t,c]"),
        program("inner product with factors", "s[] = mail[i,j,k] * mail_a[i,l] * mail_b[j,l] * mail_c[k,l]"),
        program("loss of factors", "s[] = sum[i,j,k] (enron[i,j,k] - (sum[a] enron_a[i,a] * enron_b[j,a] * enron_c[k,a]))^2"),
        program("norms of slices", "n[k] = sqrt(sum[i,j] mail[i,j,k]^2)"),
        program("dense cube times a matrix", "y[l,j,k] = cube[i,j,k] * cube_f[i,l]"),
        # statistics
        program("variances of columns", "m[j] = (sum[i] groebner[i,j]) / 4967; v[j] = (sum[i] groebner[i,j]^2) / 4967 - m[j]^2"),
        program("covariance", "m = colMeans(tall); c = t(tall) %*% tall / 20000 - t(m) %*% m"),
        program("centred columns", "c = groebner_x - colMeans(groebner_x); s = t(c) %*% c"),
        program("star: predictions", STAR + "y[p] = sum[k] x[p,k] * star_w[k]"),
        program("star: regression", STAR + "e[p] = (sum[k] x[p,k] * star_w[k]) - star_y[p]; g[k] = x[p,k] * e[p]"),
        program("star: normal equations", STAR + "s[k,l] = x[p,k] * x[p,l]; b[k] = x[p,k] * star_y[p]"),
        program("star: covariances", STAR + "m[k] = (sum[p] x[p,k]) / 60000; s[k,l] = (sum[p] x[p,k] * x[p,l]) / 60000 - m[k] * m[l]"),
        program("star: mean of squares", STAR + "s[k] = sum[p] x[p,k]^2"),
        # other semirings
        program("widest", "y[i] = max[j] (wiki[i,j] * wiki_w[j])"),
        program("largest product of two steps", "y[i] = max[j,k] (grqc[i,j] * grqc[j,k] * grqc_w[k])",
                "h[j] = max[k] (grqc[j,k] * grqc_w[k]); y[i] = max[j] (grqc[i,j] * h[j])"),
        program("min-plus of matrices", "c[i,k] = min[j] (far[i,j] + far[j,k])"),
        program("min-plus of rows and a matrix", "c[i,k] = min[j] (far_rows[i,j] + far[j,k])"),
        program("min-plus of rows", "c[i,k] = min[j] (far_rows[i,j] + far_rows[j,k])"),
        program("min-plus of blocks", "c[i,k] = min[j] (far_blocks[i,j] + far_blocks[j,k])"),
        program("any in two steps", "y[i,k] = any[j] grqc[i,j] * grqc[j,k]",
                "select distinct a.i, b.j as k, 1.0::float8 as value from grqc a join grqc b on b.i = a.j"),
        # iterations
        program("three steps of PageRank",
                "d[j] = sum[i] gnutella[j,i]; p[i,j] = gnutella[j,i] / d[j]; "
                "r1[i] = 0.85 * (sum[j] p[i,j] * gnutella_w[j]) + 0.1 * gnutella_w[i]; "
                "r2[i] = 0.85 * (sum[j] p[i,j] * r1[j]) + 0.1 * gnutella_w[i]; "
                "r3[i] = 0.85 * (sum[j] p[i,j] * r2[j]) + 0.1 * gnutella_w[i]"),
        program("two steps on roads", "x[i] = roads[i,j] * roads_w[j]; y[i] = roads[i,j] * x[j]"),
        program("circuit of wires", circuit(4, 3)),
    ]
