"""Makes the pictures of plans in docs/reference/programs.md, of planetoid_cora and qasmbench, as einsum_plan draws them.

    test/cluster test/python test/pictures.py
"""

import os
import sys

import psycopg2

sys.path[:0] = ["test/data", "examples"]
import circuits  # noqa: E402
import gcn  # noqa: E402

CONVOLUTION = """d[i] = sum[j] a[i,j];
  n[i,j] = a[i,j] / sqrt(d[i]*d[j]);
  h[i,m] = relu(sum[j] n[i,j] * (sum[k] x[j,k] * w1[k,m]));
  z[i,c] = sum[j] n[i,j] * (sum[m] h[j,m] * w2[m,c]);
  """
LOSS = """p[i,c] = softmax[c] z[i,c];
  loss[] = -(sum[i,c] y[i,c] * ln(p[i,c]))"""
ATTENTION = """q[i,m] = sum[k] x[i,k] * w1[k,m];
  s[i,j] = a[i,j] * exp((sum[m] q[i,m] * q[j,m]) / 4);
  w[i,j] = s[i,j] / (sum[j] s[i,j]);
  z[I,c] = sum[j] w[i,j] * (sum[m] q[j,m] * w2[m,c])"""


def write(name, lines):
    with open("docs/%s.svg" % name, "w") as file:
        file.write("\n".join(lines) + "\n")


def main():
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("create extension sparseeinsum")
    graph = gcn.Graph("planetoid_cora")
    gcn.load(cursor, graph)
    for name, labels, array in zip(("w1", "w2"), ("k,m", "m,c"), graph.start(0)):
        gcn.tensor(cursor, name, labels, array)
    cursor.execute("analyze")
    cursor.execute("select einsum_gradient(%s, 'loss', '{w1,w2}')", (CONVOLUTION + LOSS,))
    gradient = cursor.fetchone()[0] + "w1[k,m] = w1[k,m] - 0.1 * d_w1[k,m]; w2[m,c] = w2[m,c] - 0.1 * d_w2[m,c]"
    for name, program, options in ("convolution", CONVOLUTION.rstrip("; \n"), ""), ("attention", ATTENTION, ""), ("gradient", gradient, ", iterate => true"):
        cursor.execute("select einsum_plan(%%s, format => 'svg'%s)" % options, (program,))
        write(name, [line for line, in cursor.fetchall()])
    file = os.path.join(gcn.directory("qasmbench"), "seca_n11.qasm")
    write("circuit", [circuits.Simulation(cursor, circuits.read(file), "layers").plan(format="svg")])


main()
