"""Programs of any size whose statements and expressions share their parts: chains, ladders and nested formulas.

SHAPES has for each name a function of the size, and the tensors that its gradient is taken of. They read a[i,j] and x[i].
"""

import re


def statements(first, pattern, n, begin=1):
    """pattern for each number: # is it, @ the one before, $ the one before that"""
    return "; ".join(first + [pattern.replace("#", str(k)).replace("@", str(k - 1)).replace("$", str(k - 2)) for k in range(begin, n + 1)])


def chain(n):
    return statements(["t0[i] = x[i]"], "t#[i] = tanh(t@[i]) * (sum[j] a[i,j]*t@[j])", n)


def ladder(n):
    return statements(["t0[i] = x[i]", "t1[i] = sum[j] a[i,j]*x[j]"], "t#[i] = tanh(t@[i])*t$[i] + t@[i]*sigmoid(t$[i])", n, 2)


def ladder_of_sums(n):
    return statements(["t0[i] = x[i]", "t1[i] = sum[j] a[i,j]*x[j]"], "t#[i] = (sum[j] a[i,j]*t@[j]*t$[j]) + tanh(t@[i])*t$[i]", n, 2)


def ladder_of_products(n):
    return statements(["t0[i,j] = a[i,j]", "t1[i,j] = a[j,i]"], "t#[i,k] = sum[j] t@[i,j]*t$[j,k]*t@[k,i]*t$[i,k]", n, 2)


def squares(n):
    return statements(["t0[i] = x[i]"], "t#[i] = t@[i]*t@[i] + t@[i]", n)


def softmax_chain(n):
    return statements(["t0[i,j] = a[i,j]"], "t#[i,j] = softmax[j](t@[i,j])", n)


def nested_softmax(n):
    return "t[i,j] = " + "softmax[j](" * n + "a[i,j]" + ")" * n


def nested_logsumexp(n):
    return "t[i] = " + "x[i] * (logsumexp[i](" * n + "x[i]" + "))" * n


def nested_sums(n):
    labels = "ij"
    expr = "x[i]"
    for k in range(n):
        expr = "tanh(sum[%s] a[%s,%s] * %s)" % (labels[k % 2], labels[1 - k % 2], labels[k % 2], expr)
    return "t[%s] = %s" % (labels[n % 2], expr)


def nested_functions(n):
    return "t[i] = " + "tanh(x[i] + " * n + "x[i]" + ")" * n


def nested_choices(n):
    return "t[i] = " + "".join("if(x[i] > %d, x[i] * %d, " % (k, k) for k in range(n)) + "x[i]" + ")" * n


def nested_greatest(n):
    return "t[i] = " + "".join("greatest(x[i] * %d, 1 + " % (k + 1) for k in range(n)) + "x[i]" + ")" * n


SHAPES = {shape.__name__: shape for shape in (
    chain, ladder, ladder_of_sums, ladder_of_products, squares, softmax_chain, nested_softmax, nested_logsumexp, nested_sums,
    nested_functions, nested_choices, nested_greatest)}

# each level renames all that is below: the graph itself has n^2 nodes, which each level may visit, and beyond 31 levels
# there are too many sums for one join
CUBIC = {"nested_softmax": 28}

LOAD = """
    create table a (i int, j int, v float8 not null, primary key (i, j));
    insert into a select n % 10, n / 10, n / 100.0 from generate_series(0, 99, 3) n;
    create table x (i int primary key, v float8 not null);
    insert into x select n, n / 10.0 from generate_series(0, 9) n;
    select einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{10,10}'), einsum_register('x[I]', 'x', '{i}', 'v', '{10}')"""

FORMATS = ("text", "json", "program", "sql", "svg", "dot", "forms")


def commands(program):
    """{name: (query, arguments)}: what plans a program, or makes another of it; each returns one row"""
    target, labels = program.rsplit("; ", 1)[-1].split("] = ", 1)[0].split("[")
    first = labels.split(",")[0]
    loss = "%s; loss[] = sum[%s] %s[%s]" % (program, labels, target, labels)
    state = "%s; s[%s] = s[%s] + %s[%s]" % (program, labels, labels, target, labels)
    begin = "s[%s] = %s[%s]" % (labels, "a" if "," in labels else "x", labels)
    wanted = ("select sum(length(plan)) from einsum_plan(%s, format => %s) plan")
    result = {"plan as " + form: (wanted, (program, form)) for form in FORMATS}
    result["sql"] = ("select length(einsum_sql(%s))", (program,))
    result["sql at keys"] = ("select length(einsum_sql(%s, at => %s::text[]))", (program, "{%s}" % first))
    result["plan at keys"] = ("select sum(length(plan)) from einsum_plan(%s, at => %s::text[]) plan", (program, "{%s}" % first))
    result["gradient"] = ("select length(einsum_gradient(%s, 'loss', %s::text[]))", (loss, "{x}" if re.search(r"\bx\[", program) else "{a}"))
    result["loop"] = ("select sum(length(plan)) from einsum_plan(%s, iterate => true, init => %s) plan", (state, begin))
    return result
