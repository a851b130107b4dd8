"""Programs at the limits of what is planned at once, and the tensors that they read: for `make bench-planning` and
test/plan_limits.py."""


def numbered(pattern, count, separator, first=1):
    """the pattern for each number, # and for that before, @"""
    return separator.join(pattern.replace("#", str(n)).replace("@", str(n - 1)) for n in range(first, first + count))


def two_earlier(count):
    """statements that each read two earlier ones"""
    return "t0[i] = x[i]; t1[i] = x[i] * 2; " + "; ".join(
        "t%d[i] = t%d[i] + t%d[i]" % (n, (n * 7 + 3) % n, (n * 13 + 5) % (n - 1) if n > 1 else 0) for n in range(2, count))


def cascade(count):
    """statements without labels that each read the two before"""
    return "t0[] = sum[i] x[i]; t1[] = sum[i] y[i]; " + "; ".join("t%d[] = t%d[] + t%d[]" % (n, n - 1, n - 2) for n in range(2, count))


def nested(depth):
    body = "a[i,j]"
    for _ in range(depth):
        body = "(%s + 1)^2" % body
    return "y[i,j] = " + body


LIMITS = [
    ("a product of 40 factors, a chain", "s[] = " + " * ".join("a[l%d,l%d]" % (n, n + 1) for n in range(40))),
    ("a product of 40 factors, a star", "s[] = " + " * ".join("a[l0,l%d]" % (n + 1) for n in range(40))),
    ("a product of 40 factors, a grid", "s[] = " + " * ".join(
        ["a[l%d,l%d]" % (5 * r + c, 5 * r + c + 1) for r in range(5) for c in range(4)] +
        ["a[l%d,l%d]" % (5 * r + c, 5 * r + c + 5) for r in range(4) for c in range(5)])),
    ("a square of 12 terms", "s[] = sum[i] (%s)^2" % " + ".join("x[i] * %d * y[i]^%d" % (n, n) for n in range(1, 13))),
    ("a square of 12 products", "s[] = sum[i,j] (%s)^2" % " + ".join("(sum[k] u[i,k]^%d * v[j,k])" % n for n in range(1, 13))),
    ("a sum of 2,000 like terms", "y[i,j] = " + " + ".join(["a[i,j]"] * 2000)),
    ("a sum of 2,000 terms", "y[i,j] = " + numbered("# * a[i,j]^#", 2000, " + ")),
    ("a sum of 2,000 products", "y[i] = " + numbered("x[i] * #", 1000, " + ") + " + " + numbered("y[i] / (x[i] + #)", 1000, " + ")),
    ("200 statements that read two each", two_earlier(200)),
    ("200 scalars that read two each", cascade(200)),
    ("a product of ten sums of three", "y[i] = " + " * ".join("(x[i] + y[i] * %d + z[i])" % n for n in range(1, 11))),
    ("a product of ten sums of sums", "s[] = sum[i] " + " * ".join("(x[i] + y[i] + (sum[j] a[i,j] * x[j] * %d))" % n for n in range(1, 11))),
    ("squares eight deep", nested(8)),
    ("squares eight deep, summed", nested(8).replace("y[i,j] = ", "s[] = sum[i,j] ")),
    ("a chain of 12 self joins", numbered("c#[i,j] = c@[i,k] * c@[j,k]", 12, "; ").replace("c0[", "u[")),
    ("powers by squaring, 12 times", numbered("c#[i,k] = c@[i,j] * c@[j,k]", 12, "; ").replace("c0[", "a[")),
    ("three steps of any", "y[i] = any[j,k,l] a[i,j] * a[j,k] * a[k,l]"),
    ("softmax attention", """e[i,j] = a[i,j] * exp((sum[k] u[i,k] * v[j,k]) / 8); d[i] = sum[j] e[i,j];
     z[i,k] = (sum[j] e[i,j] * v[j,k]) / d[i]"""),
    ("dense softmax attention", """q[i,k] = u[i,l] * w[l,k]; r[j,k] = v[j,l] * w[l,k]; e[i,j] = exp((sum[k] q[i,k] * r[j,k]) / 8);
     d[i] = sum[j] e[i,j]; z[i,k] = (sum[j] e[i,j] * v[j,k]) / d[i]"""),
    ("a chain of 12 products", "c[i0,i12] = " + " * ".join("a[i%d,i%d]" % (n, n + 1) for n in range(12))),
]
TABLES = [("a[I,J]", "{1000,1000}", "select (n * 7919) % 1000, (n * 104729 + n / 1000) % 1000, 1 + n % 7 from generate_series(1, 5000) n group by 1, 2, 3"),
          ("x[I]", "{1000}", "select n, 1 + n % 5 from generate_series(0, 999) n"),
          ("y[I]", "{1000}", "select n, 1 + n % 3 from generate_series(0, 999, 2) n"),
          ("z[I]", "{1000}", "select n, 1 + n % 4 from generate_series(0, 999, 3) n"),
          ("u[I,k]", "{1000,16}", "select n, k, n % 7 + k from generate_series(0, 999) n, generate_series(0, 15) k"),
          ("v[I,k]", "{1000,16}", "select n, k, n % 5 + k from generate_series(0, 999) n, generate_series(0, 15) k"),
          ("w[k,l]", "{16,16}", "select k, l, k + l from generate_series(0, 15) k, generate_series(0, 15) l")]


def load(cursor):
    for notation, bounds, query in TABLES:
        cursor.execute("select einsum_store(%s, %s, %s)", (notation, query, bounds))
        cursor.execute("vacuum analyze " + notation[0])
        cursor.execute("select einsum_analyze(%s)", (notation[0],))
