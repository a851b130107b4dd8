"""Derivatives by einsum_gradient, compared with differences.

    test/cluster test/python test/random/gradients.py [--seed S] [--count N] [--list]

Chosen programs, of every function and aggregate of the language: each entry of each tensor
is moved in its table, and the result's central difference compared with the derivative.
Random programs of up to three statements: numpy computes them here, by code of this file
alone, and their central differences; a second derivative in a random direction too. Where
there is a kink the derivative is between the differences to both sides. Ends with "N
passed, N failed, N skipped"; skipped are random programs too rough for differences.
"""

import argparse
import math
import random
import re
import sys
from dataclasses import dataclass

import numpy as np
import psycopg2

BOUNDS = {"i": 3, "j": 4, "k": 2}
# name: labels, fill, share of the entries that are stored
TENSORS = {
    "x": ("ij", 0.0, 0.8), "a": ("ii", 0.0, 0.6), "w": ("jk", 0.0, 1.0), "f": ("ij", 1.0, 0.4),
    "y": ("j", 0.0, 0.7), "z": ("i", 0.0, 1.0), "s": ("", 0.0, 1.0)}
STEP = 1e-6
TOLERANCE = 1e-6
# differences of differences
STEP2, TOLERANCE2 = 3e-4, 1e-4

# result, tensors, program; the tensors are those above, c and e complex, g of float4, and m a mask
CHOSEN = [
    ("add, subtract, negate", "xf", "l[] = sum[i,j] (-(x[i,j] + f[i,j]) - 2*x[i,j]) * f[i,j]"),
    ("a matrix product", "xw", "p[i,k] = x[i,j]*w[j,k]; l[] = sum[i,k] p[i,k]^2"),
    ("three factors", "xwz", "l[] = x[i,j]*w[j,k]*z[i]"),
    ("a factor twice", "x", "l[] = x[i,j]*x[i,j]*x[i,k2]"),
    ("a diagonal", "a", "l[] = sum[i] a[i,i]^2*3"),
    ("a diagonal beside its matrix", "a", "l[] = a[i,j]*a[j,i]*a[i,i]"),
    ("a quotient", "xz", "l[] = sum[i,j] x[i,j]/(2 + z[i]^2)"),
    ("a quotient of sums", "x", "r[i] = sum[j] x[i,j]; l[] = sum[i,j] (x[i,j]/r[i])^2"),
    ("numbers to powers", "xz", "l[] = sum[i,j] (x[i,j]^3 + x[i,j]^2 + (1 + z[i]^2)^0.5 + (2 + z[i]^2)^-1.5)"),
    ("powers of tensors", "xy", "l[] = sum[i,j] (1.5 + x[i,j]^2)^y[j]"),
    ("a power of 0 and 1", "x", "l[] = sum[i,j] (x[i,j]^1 + x[i,j]^0)"),
    ("relu", "xw", "l[] = sum[i,k] relu(sum[j] x[i,j]*w[j,k])"),
    ("sigmoid", "xw", "l[] = sum[i,k] sigmoid(sum[j] x[i,j]*w[j,k])"),
    ("tanh", "xw", "l[] = sum[i,k] tanh(sum[j] x[i,j]*w[j,k])"),
    ("exp", "xw", "l[] = sum[i,k] exp(sum[j] x[i,j]*w[j,k])"),
    ("ln", "xz", "l[] = sum[i] ln(1 + z[i]^2 + (sum[j] x[i,j]^2))"),
    ("sqrt", "xz", "l[] = sum[i] sqrt(1 + z[i]^2 + (sum[j] x[i,j]^2))"),
    ("abs", "x", "l[] = sum[i] abs(sum[j] x[i,j])"),
    ("sin and cos", "xz", "l[] = sum[i,j] sin(x[i,j])*cos(z[i])"),
    ("sign, floor, ceil, round", "x", "l[] = sum[i,j] (sign(x[i,j]) + floor(x[i,j]) + ceil(x[i,j]) + round(x[i,j]))*x[i,j]"),
    ("if", "xf", "l[] = sum[i,j] if(x[i,j] > 0.1, x[i,j]^2, f[i,j]*3)"),
    ("comparisons", "xf", "l[] = sum[i,j] ((x[i,j] > f[i,j]) + (x[i,j] <= 0.3) + (x[i,j] <> 7) - (f[i,j] == 1))*x[i,j]"),
    ("greatest and least", "xf", "l[] = sum[i,j] (greatest(x[i,j], f[i,j]) - least(x[i,j], 0.2)*x[i,j])"),
    ("sum of sums", "xz", "l[] = sum[i] (z[i] + (sum[j] x[i,j]*(sum[k] w[j,k])))^2"),
    ("prod", "f", "l[] = sum[i] prod[j] f[i,j]"),
    ("prod with zeros", "x", "l[] = sum[i] (1 + (prod[j] x[i,j]))^2"),
    ("prod over two labels", "fz", "l[] = prod[i,j] (f[i,j] + 0.1*z[i])"),
    ("max", "xz", "l[] = sum[i] z[i]*(max[j] x[i,j])"),
    ("min", "xz", "l[] = sum[i] z[i]*(min[j] (x[i,j] + 0.1*z[i]))"),
    ("max of everything", "xw", "l[] = max[i,k] (sum[j] x[i,j]*w[j,k])"),
    ("any and all", "x", "l[] = sum[i] ((any[j] x[i,j]) + (all[j] (x[i,j] + 1)))*(sum[j] x[i,j])"),
    ("softmax", "xw", "h[i,k] = sum[j] x[i,j]*w[j,k]; m[i] = max[k] h[i,k]; e[i,k] = exp(h[i,k] - m[i]); p[i,k] = e[i,k]/(sum[k] e[i,k]); l[] = -(sum[i,k] ln(p[i,k])*(k0[k] + 0.1))"),
    ("avg, count and norm", "xw", "l[] = (sum[i] (avg[j] x[i,j])^2) + (sum[i] (norm[j] x[i,j])*(count[j] x[i,j])) + (norm[j,k] w[j,k])"),
    ("logsumexp and softmax by name", "xw", "h[i,k] = sum[j] x[i,j]*w[j,k]; p[i,k] = softmax[k] h[i,k]; l[] = (sum[i,k] p[i,k]*h[i,k]^2) + (sum[i] logsumexp[k] 2*h[i,k])"),
    ("softmax over two labels, and of a sum", "xw", "l[] = sum[i,k] (softmax[i,k] sum[j] x[i,j]*w[j,k])^2*k0[k]"),
    ("nested sums", "xwz", "l[] = sum[i] z[i]*tanh(sum[j] x[i,j]*sigmoid(sum[k] w[j,k]))"),
    ("a statement that two read", "xw", "h[i,k] = tanh(sum[j] x[i,j]*w[j,k]); q[i] = sum[k] h[i,k]^2; l[] = (sum[i] q[i]^2) + (sum[i,k] h[i,k])"),
    ("a statement that nothing needs", "x", "h[i] = sum[j] x[i,j]; n[i] = exp(h[i]); l[] = sum[i] h[i]^2"),
    ("a tensor that is not reached", "xz", "l[] = sum[i,j] x[i,j]^2 + 0*(sum[i] z[i] > 0)"),
    ("a result of its own", "s", "l[] = s[]^3 + sin(s[])"),
    ("a number for all", "xs", "l[] = sum[i,j] (x[i,j] - s[])^2"),
    ("labels that a term lacks", "xyz", "l[] = sum[i,j] (x[i,j] + y[j] + z[i])^2"),
    ("a vector for all rows", "xy", "h[i,j] = relu(x[i,j] + y[j]); l[] = sum[i,j] h[i,j]*y[j]"),
    ("a derivative that is one number", "x", "l[] = sum[i,j] x[i,j]"),
    ("fills", "f", "l[] = sum[i,j] ln(f[i,j]^2 + 1)"),
    ("a shared part", "xw", "l[] = sum[i,k] (sum[j] x[i,j]*w[j,k])*exp(-((sum[j] x[i,j]*w[j,k])^2))"),
    ("layers", "xwa", "h[i,k] = relu(sum[j] x[i,j]*w[j,k]); g[i,k] = sum[j] a[i,j]*h[j,k]; l[] = sum[i,k] (g[i,k] - 1)^2"),
    ("eye", "a", "l[] = sum[i,j] (a[i,j] + 2*eye[i,j])^2*(1 + eye[i,j])"),
    ("pins", "xw", "h[I,k] = tanh(sum[j] x[I,j]*w[j,k]); l[] = sum[i,k] h[i,k]^2"),
    ("linear algebra: a squared loss", "xw", "l = sum((x %*% w - 1)^2)"),
    ("linear algebra: statements", "xwy", "h = sigmoid(x %*% w); r = colSums(h); q = t(y) %*% w; l = sum((h - r)^2) + sum(q * r)"),
    ("linear algebra: trace and diag", "az", "l = trace(a %*% t(a)) + sum(diag(a) * z) + sum(diag(z) %*% a)"),
    ("linear algebra: means and extremes", "x", "l = mean(x) + sum(rowMaxs(x) * rowMeans(x)) + min(x)"),
    ("float4", "g", "l[] = float8(sum[i,j] g[i,j]^2)*(sum[i,j] x[i,j])"),
    ("float4 to float8 and back", "gx", "h[i,j] = float4(x[i,j])*g[i,j]; l[] = float8(sum[i,j] h[i,j]^2)"),
    ("complex: squared absolute value", "ce", "p[i] = c[i,j]*e[j]; l[] = sum[i] real(p[i]*conj(p[i]))"),
    ("complex: abs", "ce", "l[] = sum[i] abs(sum[j] c[i,j]*e[j])"),
    ("complex: functions", "e", "l[] = sum[j] (real(exp(e[j])) + imag(sin(e[j])*cos(e[j])) + real(tanh(e[j])) + abs(ln(2 + e[j])) + real(sqrt(3 + e[j])))"),
    ("complex: powers and quotients", "ce", "l[] = sum[i,j] (real((2 + c[i,j])^2/(3 + e[j])) + imag((2 + e[j])^(1 + 1i)))"),
    ("complex: meets real", "xe", "l[] = sum[i] abs(sum[j] x[i,j]*e[j])^2 + real(1i*(sum[j] e[j]))*0.5"),
    ("complex: prod", "e", "l[] = real(prod[j] (1 + e[j]))"),
    ("by what a statement defines", "h", "h[i,k] = x[i,j]*w[j,k]; l[] = sum[i,k] h[i,k]^2"),
    ("a factorization", "wz", "l[] = sum[i,j] (x[i,j] <> 0)*(x[i,j] - z[i]*(sum[k] w[j,k]))^2"),
    ("logistic regression", "w", "p[i] = sigmoid(sum[j] x[i,j]*(sum[k] w[j,k])); l[] = -(sum[i] (z[i]*ln(p[i]) + (1 - z[i])*ln(1 - p[i])))"),
    ("solve", "az", "w[i2] = solve(a[i,i2] + 4*eye[i,i2], z[i]); l[] = sum[i2] w[i2]^2"),
    ("solve in an expression", "az", "l[] = sum[i2] z[i2]*tanh(2*solve[i2,i](a[i,i2] + 4*eye[i,i2], z[i]))"),
    ("solve for each unknown alike", "az", "l[] = sum[i2] solve[i2,i](a[i,i2] + 4*eye[i,i2], z[i])"),
    ("solve with columns", "axw", "w2[i2,j] = solve(a[i,i2] + 4*eye[i,i2], x[i,j]); l[] = sum[i2,k] (sum[j] w2[i2,j]*w[j,k])^2"),
    ("solve for each key", "xy", "g[j,i,i2] = x[i,j]*x[i2,j] + eye[i,i2]*(1 + y[j]^2); w2[j,i2] = solve(g[j,i,i2], x[i,j]*2); l[] = sum[j,i2] w2[j,i2]^3"),
    ("solve with a matrix for all keys", "ax", "w2[j,i2] = solve(a[i,i2] + 4*eye[i,i2], x[i,j]); l[] = sum[j,i2] w2[j,i2]^3"),
    ("solve with a right side for all keys", "xz", "g[j,i,i2] = x[i,j]*x[i2,j]*1 + eye[i,i2]*(x[i,j]^2 + 1); w2[j,i2] = solve[i2,i](g[j,i,i2], z[i]); l[] = sum[j,i2] w2[j,i2]^3"),
    ("inverse", "az", "h[i,i2] = inverse(a[i,i2] + 4*eye[i,i2]); l[] = sum[i,i2] h[i,i2]^2*z[i]"),
    ("inverse, the other way round", "az", "h[i2,i] = inverse(a[i,i2] + 4*eye[i,i2]); l[] = sum[i,i2] h[i2,i]^3*z[i]"),
    ("cholesky", "az", "g[i,i2] = a[i,j]*a[i2,j] + eye[i,i2]*(z[i]^2 + 2); h[i,i2] = cholesky(g[i,i2]); l[] = sum[i,i2] (h[i,i2]^3*z[i] + h[i,i2]*z[i2])"),
    ("cholesky, the other way round", "az", "g[i,i2] = a[i,j]*a[i2,j] + eye[i,i2]*3; h[i2,i] = cholesky(g[i,i2]); l[] = (sum[i,i2] h[i2,i]^2*z[i]) + 2*(sum[i,i2] cholesky[i,i2](g[i,i2]))"),
    ("cholesky for each key", "xy", "g[j,i,i2] = x[i,j]*x[i2,j] + eye[i,i2]*(1 + y[j]^2); h[j,i,i2] = cholesky(g[j,i,i2]); l[] = sum[j,i,i2] h[j,i,i2]^3"),
    ("a determinant by cholesky", "az", "h = cholesky(a %*% t(a) + diag(z^2 + 3)); l = sum(ln(diag(h)) * z)"),
    ("complex: cholesky", "c", "g[i,i2] = c[i,j]*conj(c[i2,j]) + 3*eye[i,i2]; h[i,i2] = cholesky(g[i,i2]); l[] = (sum[i,i2] real(h[i,i2]*conj(h[i,i2]*h[i,i2]))) + (sum[i,i2] imag(h[i,i2]^3))"),
    ("a diagonal of an inverse", "az", "l = sum(diag(inverse(a + diag(z*z + 5))) * z)"),
    ("linear algebra: solve and inverse", "az", "l = sum(solve(a %*% t(a) + diag(z^2 + 3), z)^2) + trace(inverse(a + diag(z*z + 5)))"),
    ("complex: solve", "ce", "g[i,i2] = c[i,j]*conj(c[i2,j])*(1 + 0.5i) + 3*eye[i,i2]; w2[i2] = solve(g[i,i2], c[i,j]*e[j]); l[] = sum[i2] real(w2[i2]*conj(w2[i2]))"),
    ("complex: inverse", "c", "h[i,i2] = inverse((sum[j] c[i,j]*conj(c[i2,j]))*(1 + 0.5i) + 3*eye[i,i2]); l[] = sum[i,i2] real(h[i,i2]*conj(h[i,i2]))"),
    ("attention", "xa", "t[i,j] = a[i,j]*exp(sum[k] x[i,k]*x[j,k]); l[] = sum[i] (sum[j] t[i,j])^2"),
]
MORE = {"c": ("ij", "complex16"), "e": ("j", "complex16"), "g": ("ij", "float4"), "k0": ("k", "float8")}


def shape(labels):
    return tuple(BOUNDS[l] for l in labels)


def keys(labels):
    return ["abcd"[n] for n in range(len(labels))]


class Database:
    def __init__(self):
        connection = psycopg2.connect("")
        connection.autocommit = True
        self.cursor = connection.cursor()
        self.cursor.execute("set client_min_messages = warning")
        self.cursor.execute("create extension if not exists sparseeinsum")
        # tensors of other tests are found in theirs
        self.cursor.execute("drop schema if exists gradients cascade; create schema gradients; set search_path = gradients, public")

    def value(self, program, labels=""):
        """what a program's last statement defines"""
        self.cursor.execute("select t::text from einsum_value(%s) t", (program,))
        text = self.cursor.fetchone()[0]
        kind, _, numbers = text.rpartition(":")
        numbers = numbers.replace("[", "").replace("]", "")
        numbers = [n for n in numbers.split(",") if n]
        if kind.startswith("complex"):
            return np.array([complex(n.replace("i", "j")) for n in numbers]).reshape(shape(labels))
        return np.array([float(n) for n in numbers]).reshape(shape(labels))

    def gradient(self, program, result, by, **options):
        names = ", ".join("%s => %%s" % name for name in options)
        self.cursor.execute("select einsum_gradient(%s, %s, %s" + (", " + names if names else "") + ")", [program, result, by] + list(options.values()))
        return self.cursor.fetchone()[0]

    def store(self, name, array, fill=0.0, stored=None, kind="float8"):
        """a table that has what differs from the fill, or what stored says"""
        labels = keys(array.shape)
        column = "tensor(%s,0)" % kind if kind.startswith("complex") else {"float4": "real"}.get(kind, "float8")
        columns = ["%s int" % k for k in labels] + ["v %s not null" % column]
        if labels:
            columns.append("primary key (%s)" % ", ".join(labels))
        self.cursor.execute("drop table if exists %s cascade; create table %s (%s)" % (name, name, ", ".join(columns)))
        self.cursor.execute("select einsum_unregister(tensor) from einsum_tensors where tensor = %s and schema = current_schema()", (name,))
        self.fill(name, array, fill, stored, kind)
        self.cursor.execute("select einsum_register(%s, %s, keys => %s, value => 'v', bounds => %s, fill => %s)", (
            "%s[%s]" % (name, ",".join(k.upper() for k in labels)), name, labels, [str(n) for n in array.shape], fill))

    def fill(self, name, array, fill=0.0, stored=None, kind="float8"):
        rows = []
        for index in np.ndindex(array.shape):
            number = array[index]
            if array.shape and number == fill and not (stored is not None and stored[index]):
                continue
            text = repr(float(number)) if not np.iscomplexobj(array) else "'%s:%r%s%ri'" % (kind, float(number.real), "+" if number.imag >= 0 else "-", abs(float(number.imag)))
            rows.append("(%s)" % ", ".join([str(i) for i in index] + [text]))
        self.cursor.execute("truncate %s" % name)
        if rows:
            self.cursor.execute("insert into %s values %s" % (name, ", ".join(rows)))


def random_data(rng, full=False):
    """numbers that are no multiples of anything, so that nothing ties but what is not stored"""
    data = {}
    for name, (labels, fill, share) in TENSORS.items():
        share = 1.0 if full else share
        array = rng.uniform(0.1, 1.2, shape(labels)) * rng.choice([-1, 1], shape(labels))
        data[name] = np.where(rng.uniform(size=shape(labels)) < share, array, fill)
    return data


def compare(got, low, high, tolerance):
    """is it between the two, or nearly so?"""
    slack = tolerance * (1 + np.maximum(abs(low), abs(high)))
    return (got >= np.minimum(low, high) - slack) & (got <= np.maximum(low, high) + slack)


# Random programs


@dataclass(frozen=True)
class Expr:
    kind: str  # number, access, a function, operator or aggregate
    args: tuple = ()
    labels: tuple = ()  # of an access, or bound
    value: object = None  # of a number, or a tensor's name


UNARY = {
    "relu": lambda v: np.maximum(v, 0), "tanh": np.tanh, "sin": np.sin, "cos": np.cos, "abs": abs, "negate": np.negative,
    "sigmoid": lambda v: 1 / (1 + np.exp(-v)), "sign": np.sign, "square": lambda v: v**2, "cube": lambda v: v**3,
    "exp": lambda v: np.exp(np.tanh(v)), "ln": lambda v: np.log(0.5 + v**2), "sqrt": lambda v: np.sqrt(0.5 + v**2), "half": lambda v: (0.5 + v**2) ** -0.5}
BINARY = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": lambda a, b: a / (0.5 + b**2), "greatest": np.maximum, "least": np.minimum,
    ">": lambda a, b: (a > b) * 1.0, "<=": lambda a, b: (a <= b) * 1.0, "pow": lambda a, b: (0.5 + a**2) ** b}
AGGREGATES = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}
WRITTEN = {
    "square": "(%s)^2", "cube": "(%s)^3", "exp": "exp(tanh(%s))", "ln": "ln(0.5 + (%s)^2)", "sqrt": "sqrt(0.5 + (%s)^2)", "half": "(0.5 + (%s)^2)^-0.5",
    "negate": "(-(%s))", "/": "(%s)/(0.5 + (%s)^2)", "greatest": "greatest(%s, %s)", "least": "least(%s, %s)", "pow": "(0.5 + (%s)^2)^(%s)"}


def free(e):
    if e.kind == "access":
        return frozenset(e.labels)
    below = frozenset().union(*(free(a) for a in e.args)) if e.args else frozenset()
    return below - frozenset(e.labels)


def text(e):
    if e.kind == "number":
        return "%s" % e.value
    if e.kind == "access":
        return "%s[%s]" % (e.value, ",".join(e.labels))
    args = tuple(text(a) for a in e.args)
    if e.kind in AGGREGATES:
        return "(%s[%s] %s)" % (e.kind, ",".join(e.labels), args[0])
    if e.kind == "if":
        return "if(%s, %s, %s)" % args
    if e.kind in WRITTEN:
        return "(%s)" % (WRITTEN[e.kind] % args)
    return "%s(%s)" % (e.kind, args[0]) if len(args) == 1 else "(%s %s %s)" % (args[0], e.kind, args[1])


def value(e, data):
    """(array, its labels in order)"""
    if e.kind == "number":
        return np.array(float(e.value)), ()
    if e.kind == "access":
        labels = tuple(sorted(set(e.labels)))
        return np.einsum(data[e.value], [labels.index(l) for l in e.labels], list(range(len(labels)))), labels
    values = [value(a, data) for a in e.args]
    labels = tuple(sorted(set().union(*(l for _, l in values))))
    arrays = [v.reshape([BOUNDS[l[0]] if l in own else 1 for l in labels]) for v, own in values]
    if e.kind in AGGREGATES:
        axes = tuple(n for n, l in enumerate(labels) if l in e.labels)
        return AGGREGATES[e.kind](arrays[0], axis=axes), tuple(l for l in labels if l not in e.labels)
    if e.kind == "if":
        result = np.where(arrays[0] != 0, arrays[1], arrays[2])
    else:
        result = UNARY[e.kind](arrays[0]) if len(arrays) == 1 else BINARY[e.kind](*arrays)
    return np.broadcast_to(result * 1.0, [BOUNDS[l[0]] for l in labels]), labels


# what shares among those that tie, which single moves do not show
EXTREMES = ["max", "min", "greatest", "least"]


class Maker:
    """Labels begin with the letter that says their bound."""

    def __init__(self, seed, extremes):
        self.random = random.Random(seed)
        self.kinds = ["+", "*", "*", "*", "sum", "sum", "sum", "sum"] + list(AGGREGATES) + list(UNARY) + list(BINARY) + ["if"]
        if not extremes:
            self.kinds = [kind for kind in self.kinds if kind not in EXTREMES]
        self.nlabels = 0
        self.defined = {}

    def new_label(self):
        self.nlabels += 1
        return "%s%d" % (self.random.choice("iijjk"), self.nlabels)

    def access(self, scope):
        known = {name: labels for name, (labels, _, _) in TENSORS.items()}
        known.update(self.defined)
        fitting = [n for n, labels in known.items() if all(any(l[0] == k for l in scope) for k in labels)]
        newest = [n for n in fitting if n in self.defined]
        name = self.random.choice(newest if newest and self.random.random() < 0.5 else fitting)
        return Expr("access", (), tuple(self.random.choice([l for l in scope if l[0] == k]) for k in known[name]), name)

    def expr(self, scope, depth):
        r = self.random
        if depth == 0 or r.random() < 0.1:
            return Expr("number", value=r.choice([2, 0.5, -1.5, 3])) if r.random() < 0.1 else self.access(scope)
        kind = r.choice(self.kinds)
        if kind in AGGREGATES:
            for _ in range(20):
                bound = tuple(self.new_label() for _ in range(r.choice([1, 1, 2])))
                body = self.expr(scope + bound, depth - 1)
                if set(bound) <= free(body):
                    return Expr(kind, (body,), bound)
            return self.access(scope)
        if kind == "if":
            return Expr(kind, (Expr(">", (self.expr(scope, 0), self.expr(scope, 0))), self.expr(scope, depth - 1), self.expr(scope, depth - 1)))
        return Expr(kind, tuple(self.expr(scope, depth - 1) for _ in range(1 if kind in UNARY else 2)))

    def statement(self, name, output):
        """an expression that has each label of the output"""
        e = self.expr(output, self.random.choice([2, 3, 3, 4]))
        for label in output:
            if label not in free(e):
                partner = self.access((label,)) if label[0] != "k" else None
                whole = Expr("access", (), (label,), {"i": "z", "j": "y"}.get(label[0], "k0")) if partner is None or label not in free(partner) else partner
                e = Expr("*", (e, whole))
        self.defined[name] = tuple(l[0] for l in output)
        return e

    def program(self):
        """[(name, labels, expression)], the last of a number"""
        statements = []
        for number in range(self.random.choice([0, 0, 1, 1, 2])):
            output = tuple(dict.fromkeys(self.new_label() for _ in range(self.random.choice([0, 1, 1, 2, 2]))))
            statements.append(("h%d" % number, output, self.statement("h%d" % number, output)))
        body = self.statement("l", ())
        statements.append(("l", (), body))
        return statements


def written(statements):
    return ";\n".join("%s[%s] = %s" % (name, ",".join(output), text(e)) for name, output, e in statements)


def result_of(statements, data):
    data = dict(data)
    for name, output, e in statements:
        array, labels = value(e, data)
        data[name] = np.transpose(array, [labels.index(l) for l in output]) if output else array
    return float(data["l"])


def moved(data, name, change):
    return dict(data, **{name: data[name] + change})


def units(array):
    for index in np.ndindex(array.shape):
        unit = np.zeros(array.shape)
        unit[index] = 1.0
        yield index, unit


def differences(statements, data, name):
    """of the entries: to the left, to the right, central"""
    here = result_of(statements, data)
    sides = np.zeros((3,) + data[name].shape)
    for index, unit in units(data[name]):
        left, right = (result_of(statements, moved(data, name, s * STEP * unit)) for s in (-1, 1))
        sides[(slice(None),) + index] = (here - left) / STEP, (right - here) / STEP, (right - left) / (2 * STEP)
    return sides


def is_rough(sides):
    """is what differences say no derivative, nor one of a kink?"""
    return not np.isfinite(sides).all() or abs(sides).max(initial=0) > 1e4


class Tests:
    def __init__(self, database, listing):
        self.database = database
        self.listing = listing
        self.passed = self.failed = self.skipped = 0

    def report(self, name, ok, detail):
        if ok:
            self.passed += 1
            if self.listing:
                print("ok      " + name)
        else:
            self.failed += 1
            print("FAILED  %s\n%s" % (name, detail), flush=True)

    # Chosen programs

    def chosen(self):
        rng = np.random.default_rng(7)
        data = random_data(rng)
        for name, (labels, fill, _) in TENSORS.items():
            self.database.store(name, data[name], fill)
        for name, (labels, kind) in MORE.items():
            array = rng.uniform(-1, 1, shape(labels))
            if kind == "complex16":
                array = array + 1j * rng.uniform(-1, 1, shape(labels))
            if kind == "float4":
                array = array.astype(np.float32).astype(float)
            data[name] = array
            self.database.store(name, array, 0.0, None, kind)
        for name, tensors, program in CHOSEN:
            for tensor in tensors:
                title = "%s, by %s" % (name, tensor)
                try:
                    self.chosen_program(title, program, tensor, data)
                except psycopg2.Error as error:
                    self.report(title, False, "%s\n%s" % (program, error))

    def chosen_program(self, name, program, tensor, data):
        if tensor == "h":
            got = self.database.value(self.database.gradient(program, "l", ["h"]), "ik")
            want = 2 * self.database.value(program.split(";")[0], "ik")
            self.report(name, np.allclose(got, want, 1e-12), "%s is not %s" % (got, want))
            return
        labels = (TENSORS.get(tensor) or MORE[tensor])[0]
        kind = MORE[tensor][1] if tensor in MORE else "float8"
        fill = TENSORS[tensor][1] if tensor in TENSORS else 0.0
        # numbers of float4 move by what they can hold, and results have no more digits
        step, tolerance = (2.0**-7, 1e-3) if "float4" in program or kind == "float4" else (STEP, TOLERANCE)
        gradient = self.database.gradient(program, "l", [tensor])
        got = self.database.value(gradient, labels)
        here = self.database.value(program)
        directions = [1, 1j] if kind.startswith("complex") else [1]
        want = np.zeros((len(directions), 2) + shape(labels))
        for d, direction in enumerate(directions):
            for index, unit in units(data[tensor]):
                for side, sign in enumerate((-1, 1)):
                    self.database.fill(tensor, data[tensor] + sign * step * direction * unit, fill, None, kind)
                    want[(d, side) + index] = sign * (self.database.value(program) - here) / step
        self.database.fill(tensor, data[tensor], fill, None, kind)
        ok = True
        for d, part in enumerate([got.real, got.imag][:len(directions)]):
            central = want[d].mean(axis=0)
            kink = abs(want[d][1] - want[d][0]) > 1e-2 * (1 + abs(central))
            low, high = np.where(kink, want[d][0], central), np.where(kink, want[d][1], central)
            ok = ok and compare(part, low, high, tolerance).all()
        self.report(name, ok, "%s\n%s\ngives\n%s\ndifferences\n%s" % (program, gradient, got, want))

    # What is not by differences

    def stored(self):
        """stored => restricts the derivative to what differs from the fill"""
        program = "l[] = sum[i,k] (sum[j] x[i,j]*w[j,k])^2"
        whole = self.database.value(self.database.gradient(program, "l", ["x"]), "ij")
        part = self.database.value(self.database.gradient(program, "l", ["x"], stored=["x"]), "ij")
        x = self.database.value("r[i,j] = 1*x[i,j]", "ij")
        self.report("stored", (whole != 0).all() and (part == np.where(x == 0, 0, whole)).all(), "%s of %s" % (part, whole))

    # Random programs

    def random_program(self, seed):
        full = seed % 2 == 0
        statements = Maker(seed, full).program()
        program = written(statements)
        data = random_data(np.random.default_rng(seed), full)
        data["k0"] = np.array([0.7, -0.4])
        with np.errstate(all="ignore"):
            rough = not math.isfinite(result_of(statements, data)) or abs(result_of(statements, data)) > 1e4
        if rough:
            self.skipped += 1
            return
        for name, (_, fill, _) in TENSORS.items():
            self.database.store(name, data[name], fill)
        self.database.store("k0", data["k0"])
        r = random.Random(seed)
        names = [n for n in TENSORS if re.search(r"\b%s\[" % n, program)]
        for name in names:
            with np.errstate(all="ignore"):
                sides = differences(statements, data, name)
            if is_rough(sides):
                self.skipped += 1
                continue
            gradient = None
            try:
                gradient = self.database.gradient(program, "l", [name] + r.sample(names, r.randrange(len(names) + 1)))
                last = "%s;\nr[%s] = 1*d_%s[%s]" % (gradient.rstrip(";\n"), ",".join(keys(data[name].shape)), name, ",".join(keys(data[name].shape)))
                got = self.database.value(last, TENSORS[name][0])
            except psycopg2.Error as error:
                if error.pgcode == "54000":
                    self.skipped += 1
                    continue
                self.report("seed %d, by %s" % (seed, name), False, "%s\n%s\n%s" % (program, error, gradient))
                continue
            left, right, central = sides
            kink = abs(left - right) > 1e-2 * (1 + abs(central))
            fine = compare(got, np.where(kink, left, central), np.where(kink, right, central), 1e-5).all()
            self.report("seed %d, by %s" % (seed, name), fine, "%s\n%s\ngives\n%s\ndifferences\n%s" % (program, gradient, got, sides))
            if fine and not kink.any() and seed % 3 == 0:
                self.second(seed, statements, data, name)

    def second(self, seed, statements, data, name):
        """the derivative of the derivative's product with a direction"""
        labels = TENSORS[name][0]
        direction = np.random.default_rng(seed + 1).uniform(-1, 1, shape(labels))
        self.database.store("v", direction)
        index = ",".join(keys(direction.shape))
        program = written(statements)
        first = self.database.gradient(program, "l", [name]).rstrip(";\n")
        if not re.search(r"\b%s\[" % name, first):
            return
        product = "%s;\nproduct[] = %sd_%s[%s]*v[%s]" % (first, "sum[%s] " % index if index else "", name, index, index)
        want = np.zeros(shape(labels))
        rougher = np.zeros(shape(labels))
        with np.errstate(all="ignore"):
            for entry, unit in units(data[name]):
                for step, into in ((STEP2, want), (3 * STEP2, rougher)):
                    at = lambda a, b: result_of(statements, moved(data, name, step * (a * direction + b * unit)))
                    into[entry] = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * step**2)
        # near a kink, or too curved for these steps
        if not np.isfinite(want).all() or (abs(want - rougher) > 10 * TOLERANCE2 * (1 + abs(want))).any():
            self.skipped += 1
            return
        gradient = None
        try:
            gradient = self.database.gradient(product, "product", [name], prefix="h_")
            got = self.database.value(gradient, labels)
        except psycopg2.Error as error:
            if error.pgcode == "54000":
                self.skipped += 1
                return
            self.report("seed %d, by %s, second" % (seed, name), False, "%s\n%s\n%s" % (program, error, gradient))
            return
        fine = compare(got, want, want, 10 * TOLERANCE2).all()
        self.report("seed %d, by %s, second" % (seed, name), fine, "%s\n%s\ngives\n%s\ndifferences\n%s" % (program, gradient, got, want))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    tests = Tests(Database(), arguments.list)
    tests.chosen()
    tests.stored()
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        tests.random_program(seed)
    print("%d passed, %d failed, %d skipped" % (tests.passed, tests.failed, tests.skipped))
    return 0 if tests.failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
