"""How long einsum_plan takes for the programs of the SparseEinSum paper, with
statistics present."""

import statistics

import psycopg2
from clock import timed

# what the programs read beside the graph: notation, a query of coordinates and
# value, bounds. dhat is the diagonal matrix of 1 / sqrt(degree), u and v the
# paper's example of a batched product, gates the layers of a circuit of 11
# qubits (a Hadamard gate on one of them each)
STORED = [
    ("dhat[I,J]", "select i, i, 1 / sqrt(sum(val)) from link group by i", "{13752,13752}"),
    ("u[i,j,b]", "select i, j, b, (i + j + b) % 7 from generate_series(0, 9) i, generate_series(0, 99) j, "
     "generate_series(0, 19) b", "{10,100,20}"),
    ("v[J,B,k]", "select j, b, k, (k + j + b) % 7 from generate_series(0, 99) j, generate_series(0, 19) b, "
     "generate_series(0, 199) k", "{100,20,200}"),
    ("psi[I]", "select 0, 1.0", "{2048}")]
QUBITS, LAYERS = 11, 37
GATE = """select i, i # (1 << {bit}) * b, case when b = 0 and (i >> {bit}) & 1 = 1 then -1 else 1 end / sqrt(2.0)
from generate_series(0, {last}) i, generate_series(0, 1) b"""

LAYER = """
  {p}0[i,k] = dhat[i,j] * al[j,k];
  {p}1[i,l] = {p}0[i,k] * dhat[k,l];
  {p}2[i,m] = {p}1[i,l] * {x}[l,m];
  {p}3[i,n] = {p}2[i,m] * {w}[m,n];
  {h}[i,n]  = relu({p}3[i,n])"""


def circuit(layers):
    statements = ["s0[j] = gate0[j,i] * psi[i]"]
    statements += ["s%d[j] = gate%d[j,i] * s%d[i]" % (n, n % QUBITS, n - 1) for n in range(1, layers)]
    return "; ".join(statements)


PROGRAMS = [
    ("product", "c[i,k] = a[i,j] * x[j,k]"),
    ("chain of two products", "t[i,k] = a[i,j] * x[j,k]; c[i,m] = t[i,k] * w1[k,m]"),
    ("largest squared difference", "m[i] = max[k] (x[i,k] - y[i,k])^2"),
    ("batched product", "c[i,k] = u[i,j,b] * v[j,b,k]"),
    ("perceptron with softmax", """
        a1[n,i] = x[n,j] * w1[j,i]; b1[n,i] = relu(a1[n,i]); c1[n,i] = b1[n,j] * w2[j,i];
        d1[n] = sum[i] exp(c1[n,i]); e1[n,i] = exp(c1[n,i]) / d1[n]"""),
    ("convolution, one layer", LAYER.format(p="t", x="x", w="w1", h="h")),
    ("convolution, two layers", LAYER.format(p="t", x="x", w="w1", h="h") + ";"
     + LAYER.format(p="u", x="h", w="w2", h="z")),
    ("sparse attention", """
        t0[i,k] = x[i,m] * wq[m,k]; t1[j,k] = x[j,n] * wk[n,k]; t2[i,j,k] = t0[i,k] * a[i,j];
        t3[i,j] = t2[i,j,k] * t1[j,k]; attn[i,j] = t3[i,j] / 32"""),
    ("dense attention", """
        t0[i,k] = x[i,m] * wq[m,k]; t1[j,k] = x[j,n] * wk[n,k]; t2[i,j] = t0[i,k] * t1[j,k];
        attn[i,j] = t2[i,j] / 32"""),
    ("circuit of 12 layers", circuit(12)),
    ("circuit of %d layers" % LAYERS, circuit(LAYERS))]


def load(cursor):
    for notation, query, bounds in STORED + [
            ("gate%d[I,J]" % bit, GATE.format(bit=bit, last=2 ** QUBITS - 1), "{2048,2048}") for bit in range(QUBITS)]:
        cursor.execute("select einsum_store(%s, %s, %s)", (notation, query, bounds))
        name = notation.split("[")[0]
        cursor.execute("analyze " + name)
        cursor.execute("select einsum_analyze(%s)", (name,))
    # another matrix of features, for differences
    cursor.execute("create table other (i int primary key, val tensor not null)")
    cursor.execute("insert into other select * from node; analyze other")
    cursor.execute("select einsum_register('y[I,k]', 'other', keys => '{i}', value => 'val', bounds => '{13752,767}')")
    cursor.execute("select einsum_analyze('y')")


def measure(cursor, runs):
    """(program, seconds, the error's message if it cannot be planned) for each"""
    load(cursor)
    result = []
    for name, program in PROGRAMS:
        seconds, error = [], None
        for _ in range(runs + 1):
            try:
                _, wall, _ = timed(lambda: cursor.execute("select count(*) from einsum_plan(%s)", (program,)), memory=0)
            except psycopg2.Error as raised:
                error = raised.diag.message_primary
                break
            seconds.append(wall)
        result.append((name, statistics.median(seconds[1:]) if not error else None, error))
    return result
