"""Random programs over tensors of every element type, compared with numpy.

    test/cluster test/python test/random/element_types.py [--seed S] [--count N]

Values are small integers and halves, complex ones too, so that every plan is
exact and results must be equal, and of the element type that numpy's promotion
gives. One program in eight is a sum of single precision that float4 could not add up: it is within
two units in the last place of numpy's in double precision. Each program runs under the chosen plan, alternatives, every search,
rewriting and form of result, and with random pins; its views are read by
another program. Ends with "N passed, N failed".
"""

import argparse
import random
import re
import sys

import numpy as np
import psycopg2

DTYPES = {"float4": np.float32, "float8": np.float64, "complex8": np.complex64, "complex16": np.complex128}
NAMES = {np.dtype(d): n for n, d in DTYPES.items()}
LABELS = "ijk"
# promoted, demoted, in blocks of 2, as the search likes
PINS = ["U", "*", "2", None]
# what float4 holds exactly, with room for halves and quarters
MOST = 2.0**20


class Unfit(Exception):
    """The expression is not defined, or its values are not exact."""


class Value:
    """Entries over all labels (extent 1 where a label does not occur) and what type they have.

    strong is the dtype, or None of numbers and truth values, which adapt, and then
    complex says whether they do to a complex type. arithmetic on these adapts
    too, as a whole. size bounds every intermediate result.
    """

    def __init__(self, array, strong, is_complex=False, size=None, arithmetic=False):
        self.a = np.asarray(array, dtype=np.complex128)
        self.strong = strong
        self.arithmetic = arithmetic
        self.complex = np.issubdtype(strong, np.complexfloating) if strong else is_complex
        self.size = max(size or 0.0, float(abs(self.a).max()) if self.a.size else 0.0)
        if not np.isfinite(self.a).all() or self.size > MOST:
            raise Unfit

    def settled(self):
        """As an operand of a function: arithmetic is computed by itself."""
        return Value(self.a, self.dtype(), size=self.size) if self.arithmetic else self

    def typed(self):
        return Value(self.a, self.dtype(), size=self.size)

    def dtype(self):
        return np.dtype(self.strong or (np.complex128 if self.complex else np.float64))


def real_dtype(dtype):
    return np.empty(0, dtype).real.dtype


def promote(values):
    """numpy's promotion, with numbers as Python's: (dtype or None, complex)."""
    strong = None
    for value in values:
        if value.strong is not None:
            strong = value.strong if strong is None else np.promote_types(strong, value.strong)
    is_complex = any(v.complex for v in values)
    if strong is not None and is_complex:
        strong = np.promote_types(strong, np.complex64)
    return strong, is_complex


def combine(values, array, real=False, arithmetic=False):
    strong, is_complex = promote(values)
    if real:
        strong, is_complex = (None if strong is None else real_dtype(strong)), False
    return Value(array, strong, is_complex, max(v.size for v in values), arithmetic)


# units in the last place by which sums of single precision may be off
ULPS = 2


class Generator:
    rounds = False  # are results rounded?

    def __init__(self, rng):
        self.rng = rng
        self.bounds = {label: rng.choice([1, 2, 2, 3]) for label in LABELS}
        self.tensors = {}  # name -> (labels of its dimensions' sorts, array, dtype name, fill)
        for n in range(rng.choice([2, 3, 3, 4])):
            self.stored("ab" "cd"[n])

    def shape(self, labels):
        return tuple(self.bounds[label] for label in labels)

    def stored(self, name):
        rng = self.rng
        labels = "".join(sorted(rng.sample(LABELS, rng.choice([0, 1, 1, 2, 2, 3]))))
        labels = "".join(rng.sample(labels, len(labels)))
        kind = rng.choice(["float4", "float4", "complex8", "complex16", "float8"])
        fill = rng.choice([0, 0, 0, 1, -1, 2])
        density = rng.choice([0, 0.3, 0.6, 1])
        array = np.full(self.shape(labels), fill, dtype=np.complex128)
        for index in np.ndindex(array.shape):
            if rng.random() < density:
                array[index] = rng.randrange(-3, 4)
                if "complex" in kind:
                    array[index] += 1j * rng.randrange(-2, 3)
        self.tensors[name] = (labels, array, kind, fill)

    def access(self, name):
        labels, array, kind, _ = self.tensors[name]
        order = [labels.index(label) for label in LABELS if label in labels]
        shape = [self.bounds[label] if label in labels else 1 for label in LABELS]
        return (
            "%s[%s]" % (name, ",".join(labels)),
            set(labels),
            Value(np.transpose(array, order).reshape(shape), np.dtype(DTYPES[kind])),
        )

    def literal(self):
        rng = self.rng
        number = rng.choice([0, 1, 2, 3, 0.5])
        if rng.random() < 0.4:
            return "%gi" % number, set(), Value(np.full((1, 1, 1), number * 1j), None, True)
        return "%g" % number, set(), Value(np.full((1, 1, 1), number), None)

    def expression(self, depth):
        while True:
            try:
                return self.try_expression(depth)
            except Unfit:
                depth = max(depth - 1, 0)

    def try_expression(self, depth):
        rng = self.rng
        if depth <= 0:
            return self.access(rng.choice(sorted(self.tensors)))
        kind = rng.choice(
            ["operator"] * 7 + ["negate", "divide", "power", "compare", "compare", "order", "if", "unary", "unary", "convert"] + ["aggregate"] * 4
        )
        text, labels, x = self.expression(depth - 1)
        if kind == "operator":
            other = self.literal() if rng.random() < 0.25 else self.expression(depth - 1)
            symbol = rng.choice("+-**")
            if rng.random() < 0.5:
                (text, labels, x), other = other, (text, labels, x)
            return self.binary(symbol, (text, labels, x), other)
        if kind == "negate":
            return "(-%s)" % text, labels, combine([x], -x.a, arithmetic=True)
        if kind == "divide":
            number, imaginary = rng.choice([2, 4]), rng.random() < 0.3
            divisor = Value(np.full((1, 1, 1), number * (1j if imaginary else 1)), None, imaginary)
            return "(%s / %d%s)" % (text, number, "i" if imaginary else ""), labels, combine([x, divisor], x.a / divisor.a, arithmetic=True)
        if kind == "aggregate":
            return self.aggregate(text, labels, x, None)
        x = x.settled()
        if kind == "power":
            x = x.typed()
            exponent = rng.choice([0, 1, 2, 3])
            power = np.ones_like(x.a)
            for _ in range(exponent):
                power = power * x.a
            return "(%s ^ %d)" % (text, exponent), labels, combine([x], power)
        if kind in ("compare", "order"):
            other = self.literal() if rng.random() < 0.5 else self.expression(depth - 1)
            y = other[2].settled()
            if kind == "compare":
                symbol = rng.choice(["==", "<>"])
                truth = (x.a == y.a) if symbol == "==" else (x.a != y.a)
            else:
                if x.complex or y.complex:
                    raise Unfit
                symbol = rng.choice(["<", "<=", ">", ">=", "greatest", "least"])
                left, right = np.broadcast_arrays(x.a.real, y.a.real)
                if symbol in ("greatest", "least"):
                    chosen = np.maximum(left, right) if symbol == "greatest" else np.minimum(left, right)
                    return "%s(%s, %s)" % (symbol, text, other[0]), labels | other[1], combine([x, y], chosen)
                truth = {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[symbol]
            return "(%s %s %s)" % (text, symbol, other[0]), labels | other[1], Value(truth, None)
        if kind == "if":
            one = self.literal() if rng.random() < 0.5 else self.expression(depth - 1)
            two = self.literal() if rng.random() < 0.5 else self.expression(depth - 1)
            y, z = one[2].settled(), two[2].settled()
            return "if(%s, %s, %s)" % (text, one[0], two[0]), labels | one[1] | two[1], combine([y, z], np.where(x.a != 0, y.a, z.a))
        if kind == "unary":
            x = x.typed()
            name = rng.choice(["conj", "real", "imag", "abs", "sign", "relu", "floor"])
            if name == "conj":
                return "conj(%s)" % text, labels, combine([x], np.conj(x.a))
            if name in ("real", "imag"):
                part = x.a.real if name == "real" else x.a.imag
                return "%s(%s)" % (name, text), labels, combine([x], part, True)
            if x.complex:
                raise Unfit
            function = {"abs": abs, "sign": np.sign, "relu": lambda v: np.maximum(v, 0), "floor": np.floor}[name]
            return "%s(%s)" % (name, text), labels, combine([x], function(x.a.real))
        name = rng.choice(sorted(DTYPES))
        if x.complex and "complex" not in name:
            raise Unfit
        return "%s(%s)" % (name, text), labels, Value(x.a, np.dtype(DTYPES[name]), size=x.size)

    def binary(self, symbol, one, two):
        x, y = one[2], two[2]
        with np.errstate(all="ignore"):
            array = {"+": x.a + y.a, "-": x.a - y.a, "*": x.a * y.a}[symbol]
        return "(%s %s %s)" % (one[0], symbol, two[0]), one[1] | two[1], combine([x, y], array, arithmetic=True)

    def aggregate(self, text, labels, x, over):
        rng = self.rng
        if not labels:
            raise Unfit
        if over is None:
            over = rng.sample(sorted(labels), rng.randrange(1, len(labels) + 1))
        axes = tuple(LABELS.index(label) for label in over)
        operators = ["sum"] * 4 + ["prod", "any", "all"] + ([] if x.complex else ["max", "min"])
        operator = rng.choice(operators)
        if operator != "sum":
            x = x.settled()
        size = x.size
        # a label that the value does not vary over is repeated
        full = np.broadcast_to(x.a, [self.bounds[l] if l in over else n for l, n in zip(LABELS, x.a.shape)])
        if operator == "sum":
            array = full.sum(axis=axes, keepdims=True)
            size = max(size, float(abs(full).sum(axis=axes).max()))
        elif operator == "prod":
            array = full.prod(axis=axes, keepdims=True)
            size = max(size, float(np.maximum(abs(full), 1).prod(axis=axes).max()))
        elif operator == "any":
            array = (full != 0).any(axis=axes, keepdims=True)
        elif operator == "all":
            array = (full != 0).all(axis=axes, keepdims=True)
        else:
            array = getattr(full.real, operator)(axis=axes, keepdims=True)
        strong, is_complex = x.strong, x.complex
        if operator in ("any", "all"):
            strong, is_complex = None, False
        text = "%s[%s] (%s)" % (operator, ",".join(over), text)
        return "(%s)" % text, labels - set(over), Value(array, strong, is_complex, size, operator == "sum")

    def statement(self, name, used):
        """A definition; its result can be read by later ones."""
        while True:
            text, labels, x = self.expression(self.rng.choice([1, 2, 2, 3]))
            keep = self.rng.sample(sorted(labels), self.rng.randrange(0, len(labels) + 1))
            over = sorted(labels - set(keep))
            try:
                if over:
                    text, labels, x = self.aggregate(text, labels, x, over)
            except Unfit:
                continue
            if x.a.size > 1 and (x.a == x.a.flat[0]).all() and self.rng.random() < 0.8:
                continue
            break
        kept = [label for label in LABELS if label in keep]
        array = np.broadcast_to(x.a, [self.bounds[label] if label in keep else 1 for label in LABELS])
        array = array.reshape(self.shape(kept)).transpose([kept.index(label) for label in keep])
        self.tensors[name] = ("".join(keep), array, NAMES[x.dtype()], None)
        return keep, text


class LargeSums(Generator):
    """A sum of numbers without a minus sign, of which most vanish beside one if they are added to it in float4."""

    rounds = True

    def __init__(self, rng):
        self.rng = rng
        self.bounds = {label: rng.choice([3, 4, 5, 7]) for label in LABELS}
        kind = rng.choice(["float4", "float4", "complex8"])
        labels = "".join(rng.sample(LABELS, rng.choice([1, 2, 3, 3])))
        array = np.array(rng.choices([0, 1, 1, 1, 3], k=int(np.prod(self.shape(labels)))), dtype=np.complex128)
        if kind == "complex8":
            array += 1j * np.array(rng.choices([0, 1, 1], k=array.size))
        array[rng.randrange(array.size)] = 2.0**24 * (1 + 1j * (kind == "complex8"))
        self.tensors = {"a": (labels, array.reshape(self.shape(labels)), kind, rng.choice([0, 0, 1]))}

    def statement(self, name, used):
        labels, array, kind, _ = self.tensors["a"]
        over = self.rng.sample(labels, self.rng.randrange(1, len(labels) + 1))
        keep = [label for label in labels if label not in over]
        factor, text = self.rng.choice([(1, "a[%s]"), (2, "2*a[%s]"), (0.25, "a[%s]/4"), (1, "abs(a[%s])")] if kind == "float4" else [(1, "a[%s]"), (2, "2*a[%s]")])
        self.tensors[name] = ("".join(keep), factor * array.sum(axis=tuple(labels.index(label) for label in over)), kind, None)
        return keep, "sum[%s] (%s)" % (",".join(over), text % ",".join(labels))


def element(value, kind):
    if "complex" in kind:
        return "%.9g%+.9gi" % (value.real, value.imag)
    return repr(float(value.real))


def nested(array, kind):
    if array.ndim == 0:
        return element(array[()], kind)
    return "[%s]" % ",".join(nested(part, kind) for part in array)


def literal(array, kind):
    shape = "(%s)" % ",".join(map(str, array.shape)) if array.size == 0 else ""
    return "'%s%s:%s'" % (kind, shape, nested(array, kind))


def storage_sql(rng, name, labels, array, kind, fill):
    """A table that holds a tensor in some decomposition, registered."""
    forms = [rng.choices(["key", "block", "inside"], [6, 1, 3])[0] for _ in labels]
    keys = [d for d in range(len(labels)) if forms[d] != "inside"]
    rank = len([f for f in forms if f != "key"])
    additive = bool(keys) and fill == 0 and rng.random() < 0.15
    plain = {"float4": ["real"], "float8": ["float8", "int", "numeric"]}.get(kind, [])
    types = ["tensor", "tensor(%s,%d)" % (kind, rank)] + (plain * 2 if rank == 0 else [])
    column = rng.choice(types)
    columns = ["%s int NOT NULL" % labels[d] for d in keys] + ["v %s" % column]
    if keys and not additive:
        columns.append("PRIMARY KEY (%s)" % ",".join(labels[d] for d in keys))
    sql = ["CREATE TABLE store_%s (%s)" % (name, ", ".join(columns))]
    counts = [array.shape[d] if forms[d] == "key" else -(-array.shape[d] // 2) for d in keys]
    for key in np.ndindex(tuple(counts)):
        where = [slice(None)] * len(labels)
        for d, k in zip(keys, key):
            where[d] = k if forms[d] == "key" else slice(2 * k, 2 * k + 2)
        part = array[tuple(where)]
        if (part == fill).all() and rng.random() < 0.7:
            continue
        parts = [part]
        if additive and rng.random() < 0.5:
            parts = [part - 1, np.ones_like(part)]
        for value in parts:
            text = element(value[()], kind) if column in plain and rank == 0 else literal(value, kind)
            sql.append("INSERT INTO store_%s VALUES (%s)" % (name, ",".join([str(k) for k in key] + [text])))
    written = {"key": str.upper, "block": "{}:2".format, "inside": str}
    notation = ",".join(written[form](label) for label, form in zip(labels, forms))
    # a table without rows, or a column without a type, does not tell it
    if column == "tensor" and not any("INSERT" in s for s in sql):
        sql[0] = sql[0].replace("v tensor", "v tensor(%s,%d)" % (kind, rank))
    sql.append(
        "SELECT einsum_register('%s[%s]', 'store_%s', keys => '{%s}', value => 'v', bounds => '{%s}', fill => %d, duplicates => '%s')"
        % (name, notation, name, ",".join(labels[d] for d in keys), ",".join(map(str, array.shape)), fill, "sum" if additive else "error")
    )
    return sql


def parse(text, shape, kind):
    body = re.sub(r"^[a-z0-9]+(\([0-9,]*\))?:", "", text)
    number = r"-?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|Infinity|NaN)"
    if "complex" in kind:
        numbers = [float(a) + 1j * float(b) for a, b in re.findall("(%s)([-+]%s)i" % (number, number.replace("-?", "")), body)]
    else:
        numbers = [float(a) for a in re.findall(number, body)]
    return np.array(numbers, dtype=np.complex128).reshape(shape)


class Failure(Exception):
    pass


class Case:
    def __init__(self, connection, seed):
        self.cursor = connection.cursor()
        self.rng = random.Random("types %d" % seed)
        self.generator = LargeSums(self.rng) if seed % 8 == 5 else Generator(self.rng)
        self.setup = []
        for name in sorted(self.generator.tensors):
            self.setup += storage_sql(self.rng, name, *self.generator.tensors[name])
        self.setup += ["SELECT einsum_analyze('%s')" % n for n in sorted(self.generator.tensors) if self.rng.random() < 0.3]
        self.statements = []
        for n in range(1 if self.generator.rounds else self.rng.choice([1, 1, 2, 3])):
            name = "t%d" % n
            self.statements.append((name,) + tuple(self.generator.statement(name, None)))

    def text(self, left=None, right=None):
        """The program; left and right give each statement's labels pins."""
        parts = []
        for n, (name, labels, body) in enumerate(self.statements):
            if right:
                body = re.sub(r"\[([ijk,]*)\]", lambda m: "[%s]" % ",".join(right(n, l) for l in m[1].split(",") if l), body)
            parts.append("%s[%s] = %s" % (name, ",".join(left(n, l) if left else l for l in labels), body))
        return "; ".join(parts)

    def rows(self, sql):
        self.cursor.execute("SAVEPOINT s")
        try:
            self.cursor.execute(sql)
            return self.cursor.fetchall() if self.cursor.description else []
        except psycopg2.Error as error:
            self.cursor.execute("ROLLBACK TO SAVEPOINT s")
            raise Failure("%s: %s\n%s" % (error.pgcode, error, sql))

    def compare(self, row, name, what):
        labels, array, kind, _ = self.generator.tensors[name]
        if row[0] != kind:
            raise Failure("%s: %s is of %s instead of %s" % (what, name, row[0], kind))
        value = parse(row[1], array.shape, kind)
        if self.generator.rounds:
            units = [abs(p - q) / np.spacing(np.maximum(q, 1).astype(np.float32)) for p, q in ((value.real, array.real), (value.imag, array.imag))]
            if np.max(units) > ULPS:
                raise Failure("%s: %s is %g units off" % (what, name, np.max(units)))
        elif not (value == array).all():
            raise Failure("%s: %s is\n  %s\n  should be\n  %s" % (what, name, value.tolist(), array.tolist()))

    def check(self, text, what, options=""):
        try:
            row = self.rows("SELECT tensor_type(v), v::text FROM einsum_value($p$%s$p$%s) AS v" % (text, options))[0]
        except Failure as failure:
            if "there is no plan" in str(failure):
                return
            raise Failure("%s\nof %s" % (failure, text))
        try:
            self.compare(row, self.statements[-1][0], what)
        except Failure as failure:
            raise Failure("%s\nof %s" % (failure, text))

    def pins(self, choose):
        chosen = {}

        def pin(n, label):
            form = chosen.setdefault((n, label), choose())
            return label.upper() if form == "U" else "%s:%s" % (label, form) if form else label

        return self.text(pin, pin)

    def run(self):
        rng = self.rng
        self.cursor.execute("BEGIN")
        for sql in self.setup:
            self.cursor.execute(sql)
        text = self.text()
        self.check(text, "chosen plan")
        for options in (
            ", alternative => 2", ", alternative => 3", ", search => 'greedy'", ", rewrite => 'none'",
            ", rewrite => 'reassociate'", ", result => 'rows'", ", result => 'dense'",
        ):  # fmt: skip
            self.check(text, options, options)
        self.check(self.pins(lambda: "U"), "all promoted")
        self.check(self.pins(lambda: "*"), "all demoted")
        for _ in range(2):
            self.check(self.pins(lambda: rng.choice(PINS)), "random pins")
        self.check(self.pins(lambda: rng.choice(PINS)), "as written", ", search => 'as_written'")
        printed = "\n".join(r[0] for r in self.rows("SELECT einsum_plan($p$%s$p$, format => 'program')" % text))
        self.check(printed, "the plan as a program", ", search => 'as_written'")
        self.rows("SELECT einsum_plan($p$%s$p$, actual => true)" % text)
        self.views(text if rng.random() < 0.5 else self.pins(lambda: rng.choice(PINS)))

    def views(self, text):
        """Views have their type, are registered with it, and another program can read them."""
        rng = self.rng
        option = rng.choice(["", ", result => 'rows'", ", result => 'dense'", ", materialize => 'always'", ", materialize => 'never'"])
        self.rows("SELECT einsum_decompose($p$%s$p$, 'types'%s)" % (text, option))
        for name, labels, _ in self.statements:
            kind = self.generator.tensors[name][2]
            registered = self.rows("SELECT type FROM einsum_tensors WHERE tensor = '%s'" % name)[0][0]
            if registered != kind:
                raise Failure("view %s is registered as %s instead of %s\nof %s" % (name, registered, kind, text))
            found = self.rows("SELECT DISTINCT pg_typeof(value)::text, tensor_type(value::tensor) FROM %s" % name)
            types = [r[1] for r in found]
            if types not in ([], [kind]) or (kind != "float8" and any(r[0] != "tensor" for r in found)):
                raise Failure("view %s has values of %s instead of %s\nof %s" % (name, found, kind, text))
            read = "r[%s] = %s[%s]" % (",".join(labels), name, ",".join(labels))
            for variant in (read, re.sub(r"[ijk]", lambda m: m[0].upper(), read), re.sub(r"([ijk])", r"\1:*", read)):
                row = self.rows("SELECT tensor_type(v), v::text FROM einsum_value('%s') AS v" % variant)[0]
                self.compare(row, name, "%s over views of %s %s" % (variant, text, option))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--stop", type=int, default=3, help="stop after this number of failures")
    arguments = parser.parse_args()
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION IF NOT EXISTS sparseeinsum")
    cursor.execute("SET client_min_messages = warning")
    passed = failed = 0
    kinds = {}
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        case = Case(connection, seed)
        try:
            case.run()
            passed += 1
            kind = case.generator.tensors[case.statements[-1][0]][2]
            kinds[kind] = kinds.get(kind, 0) + 1
        except (Failure, psycopg2.Error) as failure:
            failed += 1
            print("FAILED --seed %d --count 1: %s\nprogram:\n%s\ndata:\n%s\n" % (seed, failure, case.text(), ";\n".join(case.setup)), flush=True)
        if connection.closed:
            break
        cursor.execute("ROLLBACK")
        if failed >= arguments.stop:
            break
    print("results: " + ", ".join("%d %s" % (n, k) for k, n in sorted(kinds.items())))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
