"""Plans follow the data: the decompositions of the convolution and of attention on
planetoid_cora are in kind those of the SparseEinSum paper (Tables 8 and 7), and
flip with the adjacency's density and the limit on the size of a value.

All plans are with inputs => 'any': inputs may be stored anew at no cost, as the
paper assumes, without blocks and without the batched projection, which makes rows
times a matrix as fast as a product of matrices: the paper knows neither. Every test states
max_kernel_bytes, all other settings have their defaults. Sizes: the embeddings of all nodes are 31 MB in one value, the first
layer's weights 183 kB, attention's 734 kB.
"""

import json
import sys

from _data import cursor_for

sys.path.insert(0, "test/data")
import planetoid_cora as cora  # noqa: E402

# The paper's convolution, one statement per product. dhat is the diagonal matrix
# of 1 / sqrt(degree).
LAYER = """
  t0[i,k] = dhat[i,j] * a[j,k];
  t1[i,l] = t0[i,k] * dhat[k,l];
  t2[i,m] = t1[i,l] * e[l,m];
  t3[i,n] = t2[i,m] * w1[m,n];
  h[i,n]  = relu(t3[i,n])"""

# The paper's attention.
ATTENTION = """
  t0[i,k]   = x[i,m] * wq[m,k];
  t1[j,k]   = x[j,n] * wk[n,k];
  t2[i,j,k] = t0[i,k] * b[i,j];
  t3[i,j]   = t2[i,j,k] * t1[j,k];
  attn[i,j] = 0.125 * t3[i,j]"""


def decompositions(cursor, program, limit):
    """{stage: notation} and {stage: {tensor: decomposition it is needed in}}"""
    cursor.execute("set sparseeinsum.max_kernel_bytes = %s", (limit,))
    cursor.execute("set sparseeinsum.blocks = ''")
    cursor.execute("set sparseeinsum.enable_batching = off")
    cursor.execute("select einsum_plan(%s, format => 'json', inputs => 'any', result => 'auto')", (program,))
    plan, = json.loads("\n".join(line for line, in cursor.fetchall()))
    results, needed = {}, {}
    for stage in plan["stages"]:
        notation = stage["notation"].split(".")[-1]
        results[stage["name"]] = notation[notation.index("["):]
        needed[stage["name"]] = {operand["tensor"]: operand["needed"] for operand in stage["operands"]}
    return results, needed


def renamed(program, **names):
    """the program with other tensors"""
    for old, new in names.items():
        program = program.replace(" %s[" % old, " %s[" % new)
    return program


def main():
    cursor = cursor_for("planetoid_cora")
    cora.load(cursor)
    cursor.execute("""
        create table dhat (i int, j int, value float8, primary key (i, j));
        insert into dhat select i, i, 1 / sqrt(count(*)) from link group by i;
        create table embedding (id int primary key, value tensor not null);
        insert into embedding select i, tensor_random('{1433}', i) from generate_series(0, 2707) i;
        -- 64 nodes that are all linked
        create table link64 (i int, j int, primary key (i, j));
        insert into link64 select i, j from generate_series(0, 63) i, generate_series(0, 63) j;
        create table dhat64 (i int, j int, value float8, primary key (i, j));
        insert into dhat64 select i, i, 0.125 from generate_series(0, 63) i;
        create table embedding64 (id int primary key, value tensor not null);
        insert into embedding64 select * from embedding where id < 64;
        create table feature64 (node int, feature int, value float8, primary key (node, feature));
        insert into feature64 select * from feature where node < 64""")
    for n, suffix in (cora.N, ""), (64, "64"):
        cora.register(cursor, "dhat%s[I,J]" % suffix, "dhat" + suffix, "{i,j}", "value", [n, n])
        cora.register(cursor, "e%s[I,m]" % suffix, "embedding" + suffix, "{id}", "value", [n, cora.FEATURES])
    cora.register(cursor, "a64[I,J]", "link64", "{i,j}", None, [64, 64])
    cora.register(cursor, "x64[I,M]", "feature64", "{node,feature}", "value", [64, cora.FEATURES])
    for tensor in "dhat", "e", "dhat64", "e64", "a64", "x64":
        cursor.execute("select einsum_analyze(%s)", (tensor,))

    passed = failed = 0

    def check(name, program, limit, results=None, operands=None):
        """are the results' and operands' decompositions these?"""
        nonlocal passed, failed
        found_results, found_operands = decompositions(cursor, program, limit)
        wrong = ["%s is %s, not %s" % (stage, found_results.get(stage), notation)
                 for stage, notation in (results or {}).items() if found_results.get(stage) != notation]
        for stage, tensors in (operands or {}).items():
            wrong += ["%s reads %s as %s, not %s" % (stage, tensor, found_operands.get(stage, {}).get(tensor), notation)
                      for tensor, notation in tensors.items() if found_operands.get(stage, {}).get(tensor) != notation]
        name = "%s, max_kernel_bytes = %s" % (name, limit)
        if wrong:
            failed += 1
            print("FAILED  %s: %s" % (name, "; ".join(wrong)))
        else:
            passed += 1
            print("ok      " + name)

    # Table 8; features are multiplied by weights before the graph collects them, which is cheaper than the paper's order
    relational_graph = {"t0": {"dhat": "[I,J]", "a": "[J,K]"}, "t1": {"t0": "[I,K]", "dhat": "[K,L]"}}
    dense = {"t0": "[I,K]", "t1": "[I,L]", "h": "[I,n]"}
    check("layer over dense embeddings: graph relational, a vector per node, weights a matrix", LAYER, "1MB",
          dict(dense, h__1="[L,n]"), dict(relational_graph, h__1={"e": "[L,m]", "w1": "[m,n]"}, h={"h__1": "[L,n]", "a": "[J,K]", "dhat": "[I,J]"}))
    check("layer over dense embeddings: with a larger limit they are gathered into one matrix", LAYER, "64MB",
          dict(dense, h__1="[l,n]"), dict(relational_graph, h__1={"e": "[l,m]", "w1": "[m,n]"}, h={"h__1": "[L,n]", "a": "[J,K]", "dhat": "[I,J]"}))
    check("layer over dense embeddings: with a smaller limit the weights become vectors", LAYER, "64kB",
          dict(dense, h__1="[L,N]"), dict(relational_graph, h__1={"e": "[L,m]", "w1": "[m,N]"}, h={"h__1": "[L,n]", "a": "[J,K]", "dhat": "[I,J]"}))
    for limit in "64kB", "1MB", "64MB":
        check("layer over sparse features: graph and features relational, a vector per node, weights vectors", renamed(LAYER, e="x"), limit,
              {"h__1": "[L,n]", "h": "[I,n]"}, {"h__1": {"x": "[L,M]", "w1": "[M,n]"}, "h": {"h__1": "[L,n]", "dhat": "[I,J]", "a": "[J,K]"}})
    check("layer over a full graph of 64 nodes: everything demoted", renamed(LAYER, dhat="dhat64", a="a64", e="e64"), "1MB",
          {"t0": "[i,k]", "t1": "[i,l]", "h__1": "[l,n]", "h": "[i,n]"},
          {"t0": {"dhat64": "[i,j]", "a64": "[j,k]"}, "t1": {"dhat64": "[k,l]"}, "h__1": {"e64": "[l,m]", "w1": "[m,n]"}})

    # Table 7; t2 and t3 are absorbed: no tensor over i, j and k is stored
    check("attention over sparse features: features and graph relational, weights and keys vectors", ATTENTION, "16MB",
          {"t0": "[I,k]", "t1": "[J,k]", "attn": "[I,J]"},
          {"t0": {"x": "[I,M]", "wq": "[M,k]"}, "t1": {"x": "[J,N]", "wk": "[N,k]"},
           "attn": {"t0": "[I,k]", "b": "[I,J]", "t1": "[J,k]"}})
    check("attention over dense embeddings: weights a matrix", renamed(ATTENTION, x="e"), "1MB",
          {"t0": "[I,k]", "t1": "[J,k]", "attn": "[I,J]"},
          {"t0": {"e": "[I,m]", "wq": "[m,k]"}, "t1": {"e": "[J,n]", "wk": "[n,k]"},
           "attn": {"t0": "[I,k]", "b": "[I,J]", "t1": "[J,k]"}})
    check("attention over dense embeddings: with a larger limit they are gathered into one matrix",
          renamed(ATTENTION, x="e"), "64MB", {"attn": "[I,J]"},
          {"t0": {"e": "[i,m]", "wq": "[m,k]"}, "t1": {"e": "[j,n]", "wk": "[n,k]"}, "attn": {"b": "[I,J]"}})
    check("attention over dense embeddings: with a smaller limit the weights become vectors",
          renamed(ATTENTION, x="e"), "64kB", {"attn": "[I,J]"},
          {"t0": {"e": "[I,m]", "wq": "[m,K]"}, "t1": {"e": "[J,n]", "wk": "[n,K]"}, "attn": {"b": "[I,J]"}})
    check("attention over a full graph of 64 nodes: graph demoted", renamed(ATTENTION, x="e64", b="a64"), "1MB",
          {"t0": "[i,k]", "t1": "[j,k]", "attn": "[i,j]"}, {"t0": {"e64": "[i,m]", "wq": "[m,k]"}})
    check("attention over a full graph of 64 nodes with sparse features: graph demoted, features relational",
          renamed(ATTENTION, x="x64", b="a64"), "1MB",
          {"attn": "[i,j]"}, {"t0": {"x64": "[I,M]", "wq": "[M,k]"}, "attn": {"a64": "[i,j]"}})

    # the program whose results test/real/cora_programs.py compares
    check("convolution in two layers: graph and features relational, first weights vectors, then a matrix",
          cora.CONVOLUTION, "16MB", {"d": "[I]", "n": "[I,J]", "h": "[I,m]", "z__1": "[I,m]", "z": "[i,c]"},
          {"n": {"a": "[I,J]"}, "h__1": {"x": "[J,K]", "w1": "[K,m]"}, "z__1": {"h": "[J,m]"}, "z": {"w2": "[m,c]"}})
    check("convolution over a full graph of 64 nodes: everything demoted", renamed(cora.CONVOLUTION, a="a64", x="e64"),
          "1MB", {"d": "[i]", "n": "[i,j]", "h": "[i,m]", "z": "[i,c]"}, {"n": {"a64": "[i,j]"}, "h__1": {"e64": "[j,k]"}})
    print("%d passed, %d failed" % (passed, failed))
    return 0 if failed == 0 else 1


sys.exit(main())
