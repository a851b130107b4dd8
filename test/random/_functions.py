"""Calls of functions of values that are no aggregates, and what numpy makes of each row.

Each drawer takes a Draw and returns a Function: the SQL types of its columns, a call over
the columns x0, x1, ..., a function that draws the operands of a row, and one that computes
its result. Rows differ in element type, shape and every other argument, within one query.
"""
import numpy as np
from einsum_values import NAMES, TYPES

SHAPE = "2202E"
UNDEFINED = "0A000"  # of complex numbers
REAL = {np.dtype(np.float32): np.float32, np.dtype(np.float64): np.float64, np.dtype(np.complex64): np.float32, np.dtype(np.complex128): np.float64}
DRAWERS = []


class Refusal(Exception):
    """An error, by its SQLSTATE."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class Function:
    """result: "tensor", "number", or "text", compared as str(...) of what numpy gives"""

    def __init__(self, call, types, row, of_row, result="tensor", strict=True, inexact=1.0):
        self.call, self.types, self.row, self.of_row, self.result, self.strict, self.inexact = call, types, row, of_row, result, strict, inexact


class Draw:
    """Random operands. kinds: the element types of the case."""

    def __init__(self, rng):
        self.rng = rng
        self.kinds = rng.choice([tuple(TYPES), tuple(TYPES), ("float4", "float8"), ("complex8", "float8"), ("float4", "complex16")])
        self.real = tuple(k for k in self.kinds if k.startswith("float"))

    def often(self, share):
        return self.rng.random() < share

    def array(self, shape, kinds=None):
        rng = self.rng
        dtype = TYPES[rng.choice(kinds or self.kinds)]
        numbers = [rng.randint(-3, 3) for _ in range(int(np.prod(shape, dtype=int)))]
        if np.issubdtype(dtype, np.complexfloating):
            numbers = [complex(x, rng.randint(-2, 2)) for x in numbers]
        return np.array(numbers, dtype=dtype).reshape(shape)

    def mostly_real(self):
        """An element type, mostly real, for functions that refuse complex numbers."""
        return self.kinds if self.often(0.03) else self.real

    def shape(self, least=0, most=3):
        return [0 if self.often(0.05) else self.rng.choice([1, 2, 2, 3, 4, 9]) for _ in range(self.rng.randint(least, most))]

    def broadcast(self):
        """Two shapes, which fit but now and then."""
        shape = self.shape()
        other = [1 if self.often(0.25) else n for n in shape][self.rng.randint(0, len(shape)):]
        if self.often(0.03):
            other = self.shape()
        return (shape, other) if self.often(0.5) else (other, shape)

    def matrix(self, n, kinds=None):
        """A square one that is well conditioned."""
        return self.array([n, n], kinds) + (8 * n + 1) * np.eye(n, dtype=np.float32)

    def hermitian(self, n):
        a = self.matrix(n)
        return a + a.conj().T


def drawer(function):
    DRAWERS.append(function)
    return function


def each(values):
    """A drawer for each of these values."""

    def made(function):
        for value in values:
            DRAWERS.append(lambda draw, value=value: function(draw, value))
        return function

    return made


def like(result, *operands):
    """The result in the type that the operands promote to."""
    return np.asarray(result).astype(np.result_type(*[x.dtype for x in operands]))


def as_real(result, operand):
    return np.asarray(result).astype(REAL[operand.dtype])


def real_only(*arrays):
    if any(np.iscomplexobj(a) for a in arrays):
        raise Refusal(UNDEFINED)


def fits(function, *arrays):
    try:
        with np.errstate(all="ignore"):
            return function(*arrays)
    except (ValueError, IndexError):
        raise Refusal(SHAPE) from None


def as_array(numbers):
    return "{%s}" % ",".join(str(n).lower() for n in numbers)


def as_text(array):
    """What a tensor is as text, but for floats that are no integers."""

    def number(x):
        if np.iscomplexobj(array):
            return "%d%s%di" % (x.real, "-" if x.imag < 0 else "+", abs(x.imag))
        return "%d" % x

    def nested(values):
        return "[%s]" % ",".join(nested(v) for v in values) if values.ndim else number(values.item())

    name = NAMES[array.dtype]
    if array.size == 0:
        return "%s(%s):[]" % (name, ",".join(str(n) for n in array.shape))
    return ("" if name == "float8" else name + ":") + nested(array)


# ---- functions of every element ----

EACH = {
    "abs": (np.abs, True), "sqrt": (np.sqrt, True), "exp": (np.exp, True), "sin": (np.sin, True), "cos": (np.cos, True), "tanh": (np.tanh, True),
    "conj": (np.conj, True), "real": (np.real, True), "imag": (np.imag, True), "negate": (lambda x: -x, True), "ln": (np.log, True), "sign": (np.sign, False),
    "floor": (np.floor, False), "ceil": (np.ceil, False), "round": (np.round, False), "relu": (lambda x: np.maximum(x, 0), False), "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), False)}


@each(EACH)
def of_each_element(draw, name):
    function, of_complex = EACH[name]

    def row():
        array = draw.array(draw.shape(), None if of_complex else draw.mostly_real())
        # which infinity the logarithm of a complex 0 is, numpy and C do not agree on
        return [np.where(array == 0, 1, array).astype(array.dtype) if name == "ln" else array * array.dtype.type(0.5)]

    def of_row(x):
        if not of_complex:
            real_only(x)
        with np.errstate(all="ignore"):
            result = np.asarray(function(x))
        return as_real(result, x) if name in ("abs", "real", "imag") else result.astype(x.dtype)

    return Function("tensor_%s(x0)" % name, ["tensor"], row, of_row)


@drawer
def power(draw):
    def of_row(x, exponent):
        real_only(x)
        return like(x.astype(np.result_type(x.dtype, np.float64)) ** exponent, x, np.empty(0))

    return Function("tensor_power(x0, x1)", ["tensor", "float8"], lambda: [draw.array(draw.shape(), draw.mostly_real()), draw.rng.choice([0, 1, 2, 3])], of_row)


# ---- arithmetic and comparisons ----

ARITHMETIC = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}
COMPARISONS = {"equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal}


def binary(draw, call, types, of_row, kinds=None, divisor=False):
    def row():
        shapes = draw.broadcast()
        found = []
        for n, (kind, shape) in enumerate(zip(types, shapes)):
            x = draw.array([] if kind == "float8" else shape, ("float8",) if kind == "float8" else kinds and kinds())
            found.append(np.where(x == 0, 2, x).astype(x.dtype) if divisor and n == 1 else x)
        return found

    return Function(call, types, row, of_row)


@each([(symbol, types) for symbol in ARITHMETIC for types in (("tensor", "tensor"), ("tensor", "float8"), ("float8", "tensor"))])
def arithmetic(draw, what):
    symbol, types = what

    def of_row(x, y):
        dtype = np.result_type(x.dtype, y.dtype)
        return fits(lambda: np.asarray(ARITHMETIC[symbol](x.astype(dtype), y.astype(dtype)), dtype=dtype))

    return binary(draw, "x0 %s x1" % symbol, list(types), of_row, divisor=symbol == "/")


@each([(name, kind) for name in COMPARISONS for kind in ("tensor", "float8")])
def comparison(draw, what):
    name, kind = what

    def of_row(x, y):
        if name not in ("equal", "not_equal"):
            real_only(x, y)
        return fits(lambda: np.asarray(COMPARISONS[name](x, y), dtype=REAL[np.result_type(x.dtype, y.dtype)]))

    return binary(draw, "tensor_%s(x0, x1)" % name, ["tensor", kind], of_row, None if name in ("equal", "not_equal") else draw.mostly_real)


# ---- as wholes ----

ORDER = {"=": lambda c: c == 0, "<>": lambda c: c != 0, "<": lambda c: c < 0, "<=": lambda c: c <= 0, ">": lambda c: c > 0, ">=": lambda c: c >= 0}


def compared(x, y):
    """-1, 0 or 1: rank, then shape, then elements; a complex one by its real part first"""

    def key(a):
        return (a.ndim, a.shape, [(float(v.real), float(v.imag)) for v in a.reshape(-1)])

    return (key(x) > key(y)) - (key(x) < key(y))


def two_alike(draw):
    """Two values that are often equal, mostly of different types."""
    a, b = draw.array(draw.shape()), draw.array(draw.shape())
    if draw.often(0.7):
        b = a.astype(TYPES[draw.rng.choice([k for k in draw.kinds if not np.iscomplexobj(a) or k.startswith("complex")])])
        if b.size and draw.often(0.5):
            b = b.copy()
            b.reshape(-1)[draw.rng.randrange(b.size)] += draw.rng.choice([-1, 1])
    return [a, b]


@each(ORDER)
def ordered(draw, symbol):
    return Function("(x0 %s x1)" % symbol, ["tensor", "tensor"], lambda: two_alike(draw), lambda x, y: str(bool(ORDER[symbol](compared(x, y)))).lower(), "text")


@drawer
def compare(draw):
    return Function("sign(tensor_cmp(x0, x1))", ["tensor", "tensor"], lambda: two_alike(draw), compared, "text")


@each(["tensor_hash(%s)", "tensor_hash_extended(%s, 5)"])
def hashed(draw, form):
    """Equal values have equal hashes, of whatever type and format; others mostly have not."""

    def of_row(x, y):
        return "true" if compared(x, y) == 0 else "false"

    return Function("(%s = %s)" % (form % "x0", form % "x1"), ["tensor", "tensor"], lambda: two_alike(draw), of_row, "text")


# ---- shape ----


@drawer
def reduce(draw):
    def row():
        kind = draw.rng.choice(["sum", "prod", "min", "max", "mean", "any", "all"])
        x = draw.array(draw.shape(), draw.mostly_real() if kind in ("min", "max") else None)
        axes = draw.rng.sample(range(x.ndim), draw.rng.randint(0, x.ndim))
        if draw.often(0.03):
            axes.append(x.ndim)
        return [kind, x, None if draw.often(0.3) else as_array(axes), draw.often(0.3)]

    def of_row(kind, x, axes, keep):
        if kind in ("min", "max"):
            real_only(x)
        axes = None if axes is None else tuple(int(n) for n in axes.strip("{}").split(",") if n)
        if axes and max(axes) >= x.ndim:
            raise Refusal(SHAPE)
        count = np.prod([x.shape[n] for n in (range(x.ndim) if axes is None else axes)], dtype=int)
        if count == 0 and kind in ("min", "max") and (x.size or np.prod([n for d, n in enumerate(x.shape) if axes is not None and d not in axes], dtype=int)):
            raise Refusal(SHAPE)
        with np.errstate(all="ignore"):
            result = getattr(np, kind)(x, axis=axes, keepdims=keep) if count or kind not in ("min", "max") else np.sum(x, axis=axes, keepdims=keep)
        return np.asarray(result).astype(REAL[x.dtype] if kind in ("any", "all") else x.dtype)

    return Function("tensor_reduce(x0, x1, x2::int[], x3)", ["text", "tensor", "text", "bool"], row, of_row, strict=False)


@drawer
def permute(draw):
    def row():
        x = draw.array(draw.shape())
        order = draw.rng.sample(range(x.ndim), x.ndim)
        if order and draw.often(0.03):
            order[0] = x.ndim
        return [x, as_array(order)]

    def of_row(x, order):
        return fits(lambda: np.transpose(x, [int(n) for n in order.strip("{}").split(",") if n]))

    return Function("tensor_permute(x0, x1::int[])", ["tensor", "text"], row, of_row)


@drawer
def slice_of(draw):
    def row():
        x = draw.array(draw.shape())
        lower = [draw.rng.randint(0, n) for n in x.shape]
        upper = [draw.rng.randint(low, n) for low, n in zip(lower, x.shape)]
        if upper and draw.often(0.03):
            upper[0] = x.shape[0] + 1
        return [x, as_array(lower), as_array(upper)]

    def of_row(x, lower, upper):
        low, up = ([int(n) for n in text.strip("{}").split(",") if n] for text in (lower, upper))
        if any(n > m for n, m in zip(up, x.shape)):
            raise Refusal(SHAPE)
        return x[tuple(slice(*pair) for pair in zip(low, up))]

    return Function("tensor_slice(x0, x1::int[], x2::int[])", ["tensor", "text", "text"], row, of_row)


@drawer
def reshape(draw):
    def row():
        x = draw.array(draw.shape())
        shape = draw.rng.sample(x.shape, x.ndim)
        if x.size and draw.often(0.5):
            shape = draw.rng.choice([[x.size], [-1], [1, -1], [x.size, 1]])
        if draw.often(0.03):
            shape = [x.size + 1]
        return [x, as_array(shape)]

    def of_row(x, shape):
        return fits(lambda: x.reshape([int(n) for n in shape.strip("{}").split(",") if n]))

    return Function("tensor_reshape(x0, x1::int[])", ["tensor", "text"], row, of_row)


@each([1, 2])
def concat(draw, form):
    def row():
        shape = draw.shape(1, 3)
        axis = 0 if form == 1 else draw.rng.randrange(len(shape))
        parts = []
        for _ in range(2):
            own = list(shape)
            own[axis] = draw.rng.randint(0, 3)
            if draw.often(0.02):
                own.append(1)
            parts.append(draw.array(own))
        return parts + ([] if form == 1 else [axis])

    def of_row(x, y, axis=0):
        return fits(lambda: np.concatenate([like(x, x, y), like(y, x, y)], axis))

    if form == 1:
        return Function("tensor_concat(VARIADIC ARRAY[x0, x1])", ["tensor", "tensor"], row, of_row)
    return Function("tensor_concat(x0, x1, x2)", ["tensor", "tensor", "int"], row, of_row)


@each([(name, form) for name in ("argmax", "argmin") for form in (1, 2)])
def places(draw, what):
    name, form = what

    def row():
        x = draw.array(draw.shape(1, 3), draw.mostly_real())
        return [x] if form == 1 else [x, draw.rng.randrange(x.ndim)]

    def of_row(x, axis=None):
        real_only(x)
        if (x.size if axis is None else x.shape[axis]) == 0:
            raise Refusal("22023")
        result = getattr(np, name)(x, axis=axis)
        return str(result) if form == 1 else np.asarray(result, dtype=np.float64)

    if form == 1:
        return Function("tensor_%s(x0)" % name, ["tensor"], row, of_row, "text")
    return Function("tensor_%s(x0, x1)" % name, ["tensor", "int"], row, of_row)


@drawer
def subscript(draw):
    def row():
        x = draw.array([draw.rng.randint(1, 3) for _ in range(draw.rng.randint(2, 3))])
        return [x, draw.rng.randrange(x.shape[0])]

    return Function("x0[x1]", ["tensor", "int"], row, lambda x, n: x[n])


# ---- what a value is ----

ABOUT = {
    "tensor_shape(x0)": lambda x: as_array(x.shape),
    "tensor_rank(x0)": lambda x: str(x.ndim),
    "tensor_type(x0)": lambda x: NAMES[x.dtype],
    "tensor_count_nonzero(x0)": lambda x: str(int(np.count_nonzero(x))),
    "tensor_format(tensor_dense(x0))": lambda x: "dense",
    "encode(tensor_send(tensor_dense(x0)), 'hex')": lambda x: (bytes([1, list(TYPES).index(NAMES[x.dtype]) + 1, x.ndim, 0]) + b"".join(n.to_bytes(4, "big") for n in x.shape)
                                                              + x.astype(x.dtype.newbyteorder(">")).tobytes()).hex(),
    # a value in either format has one text in each
    "tensor_out(tensor_dense(x0))": as_text,
    "tensor_to_jsonb(x0)": lambda x: json_of(x),
    "x0::jsonb": lambda x: json_of(x),
}


def json_of(x):
    if np.iscomplexobj(x):
        raise Refusal("42846")
    return str(x.astype(int).tolist())


@each(ABOUT)
def about(draw, call):
    return Function(call, ["tensor"], lambda: [draw.array(draw.shape(), draw.mostly_real() if "jsonb" in call else None)], ABOUT[call], "text")


@drawer
def npy(draw):
    return Function("tensor_from_npy(tensor_to_npy(x0))", ["tensor"], lambda: [draw.array(draw.shape())], lambda x: x)


@each(["tensor_dense(x0)", "einsum_once(x0)", "tensor_in(tensor_out(x0), 0, -1)"])
def unchanged(draw, call):
    return Function(call, ["tensor"], lambda: [draw.array(draw.shape())], lambda x: x)


@drawer
def sparse(draw):
    def of_row(x, fill):
        return x

    return Function("tensor_dense(tensor_sparse(x0, x1))", ["tensor", "float8"], lambda: [draw.array(draw.shape()), draw.rng.choice([0, 1, 2])], of_row)


@drawer
def entries(draw):
    def of_row(x):
        real_only(x)
        return " ".join("%s:%d" % (as_array(index), x[index]) for index in np.ndindex(*x.shape)) or "nothing"

    return Function("(SELECT coalesce(string_agg(index::text || ':' || value, ' '), CASE WHEN x0 IS NOT NULL THEN 'nothing' END) FROM tensor_entries(x0))", ["tensor"], lambda: [draw.array(draw.shape(1, 3), draw.mostly_real())], of_row, "text")


@each(["smallint", "integer", "bigint", "real", "float8", "numeric"])
def to_number(draw, name):
    def of_row(x):
        if np.iscomplexobj(x):
            raise Refusal("42846")
        if x.ndim:
            raise Refusal(SHAPE)
        return x.astype(np.float64)

    return Function("x0::%s" % name, ["tensor"], lambda: [draw.array([1] if draw.often(0.02) else [], draw.mostly_real())], of_row, "number")


@each(["smallint", "integer", "bigint", "real", "float8", "numeric"])
def to_array(draw, name):
    def of_row(x):
        if np.iscomplexobj(x):
            raise Refusal("42846")
        return str(x.astype(int).tolist()).replace("[", "{").replace("]", "}").replace(" ", "") if x.size else "{}"

    return Function("x0::%s[]" % name, ["tensor"], lambda: [draw.array(draw.shape(1, 3), draw.mostly_real())], of_row, "text")


@each(TYPES)
def to_type(draw, name):
    def of_row(x):
        if not name.startswith("complex") and x.imag.any():
            raise Refusal("22000")
        return (x if name.startswith("complex") else x.real).astype(TYPES[name])

    return Function("x0::tensor(%s)" % name, ["tensor"], lambda: [draw.array(draw.shape(), None if name.startswith("complex") else draw.mostly_real())], of_row)


# ---- products and distances ----


@drawer
def times_number(draw):
    return Function("vec_sca_mult(x0, x1)", ["tensor", "float8"], lambda: [draw.array(draw.shape()), draw.rng.randint(-3, 3)], lambda x, y: like(x * y, x, np.empty(0)))


@drawer
def times_number_value(draw):
    return Function("vec_sca_mult(x0, x1)", ["tensor", "tensor"], lambda: [draw.array(draw.shape()), draw.array([])], lambda x, y: like(x * y, x, y))


DISTANCES = {
    "tensor_l2_distance": lambda x, y: np.sqrt((abs(x - y) ** 2).sum()),
    "tensor_l1_distance": lambda x, y: abs(x - y).sum(),
    "tensor_negative_inner_product": lambda x, y: -(x * y).sum(),
    "tensor_cosine_distance": lambda x, y: 1 - (x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum())}


@each(DISTANCES)
def distance(draw, name):
    def row():
        shape = draw.shape(1, 2)
        kinds = draw.mostly_real()
        return [draw.array(shape, kinds), draw.array([3] if draw.often(0.03) else shape, kinds)]

    def of_row(x, y):
        real_only(x, y)
        if x.shape != y.shape:
            raise Refusal(SHAPE)
        with np.errstate(all="ignore"):
            return DISTANCES[name](x.astype(np.float64), y.astype(np.float64))

    return Function("%s(x0, x1)" % name, ["tensor", "tensor"], row, of_row, "number")


# ---- linear algebra ----


@drawer
def solve(draw):
    def row():
        n = draw.rng.randint(1, 5)
        return [draw.matrix(n), draw.array(draw.rng.choice([[n], [n, 1], [n, 3]]) if not draw.often(0.02) else [n + 1])]

    def of_row(a, b):
        if a.shape[0] != b.shape[0]:
            raise Refusal(SHAPE)
        return like(np.linalg.solve(a.astype(np.complex128), b.astype(np.complex128)), a, b) if np.iscomplexobj(a) or np.iscomplexobj(b) else like(np.linalg.solve(a.astype(float), b.astype(float)), a, b)

    return Function("mat_solve(x0, x1)", ["tensor", "tensor"], row, of_row, inexact=10)


@drawer
def least_squares(draw):
    def row():
        n = draw.rng.randint(1, 5)
        a = np.concatenate([draw.matrix(n), draw.array([draw.rng.randint(0, 3), n])])
        return [a, draw.array([len(a), draw.rng.randint(1, 3)])]

    def of_row(a, b):
        wide = np.result_type(a.dtype, b.dtype, np.float64)
        return like(np.linalg.lstsq(a.astype(wide), b.astype(wide), rcond=None)[0], a, b)

    return Function("mat_lstsq(x0, x1)", ["tensor", "tensor"], row, of_row, inexact=20)


def wide(x):
    return x.astype(np.result_type(x.dtype, np.float64))


SQUARE = {
    "mat_inverse(x0)": np.linalg.inv,
    "mat_det(x0)": np.linalg.det,
    "(SELECT einsum('ij,j,kj->ik', eigenvectors, eigenvalues, tensor_conj(eigenvectors)) FROM mat_eigh(x0))": lambda a: a,
    "(SELECT eigenvalues FROM mat_eigh(x0))": np.linalg.eigvalsh,
    "mat_cholesky(x0)": np.linalg.cholesky,
    "(SELECT einsum('ij,jk->ik', q, r) FROM mat_qr(x0))": lambda a: a,
    "(SELECT einsum('ji,jk->ik', tensor_conj(q), q) FROM mat_qr(x0))": lambda a: np.eye(min(a.shape)),
    "(SELECT einsum('ij,j,jk->ik', u, s, vt) FROM mat_svd(x0))": lambda a: a,
    "(SELECT s FROM mat_svd(x0))": lambda a: np.linalg.svd(a, compute_uv=False),
}


@each(SQUARE)
def of_square(draw, call):
    def row():
        n = draw.rng.randint(1, 5)
        if "qr" in call or "svd" in call:
            a = draw.array([n, draw.rng.randint(1, 5)])
        elif "eigh" in call or "cholesky" in call:
            a = draw.hermitian(n)
        else:
            a = draw.matrix(n)
        return [draw.array([2, 3, 1]) if draw.often(0.02) else a]

    def of_row(a):
        if a.ndim != 2:
            raise Refusal(SHAPE)
        result = np.asarray(SQUARE[call](wide(a)))
        return as_real(result, a) if not np.iscomplexobj(result) and ("eigenvalues F" in call or "SELECT s" in call) else result.astype(a.dtype)

    return Function(call, ["tensor"], row, of_row, inexact=10)


@drawer
def determinant_number(draw):
    def of_row(a):
        if np.iscomplexobj(a):
            raise Refusal("42804")
        return np.linalg.det(wide(a))

    return Function("mat_det_scalar(x0)", ["tensor"], lambda: [draw.matrix(draw.rng.randint(1, 4), draw.mostly_real())], of_row, "number", inexact=10)


@drawer
def norm(draw):
    def of_row(a, kind):
        if kind == "max":
            return abs(wide(a)).max()
        return np.linalg.norm(wide(a), {"1": 1, "inf": np.inf, "2": 2}.get(kind, kind))

    return Function("mat_norm(x0, x1)", ["tensor", "text"], lambda: [draw.array([draw.rng.randint(1, 5), draw.rng.randint(1, 5)]), draw.rng.choice(["fro", "max", "1", "inf", "2", "nuc"])], of_row, "number", inexact=10)


@each(["einsum_inverse", "einsum_cholesky"])
def of_matrices(draw, name):
    def row():
        n, count = draw.rng.randint(1, 4), draw.rng.randint(0, 3)
        one = draw.hermitian if name == "einsum_cholesky" else draw.matrix
        a = np.zeros((count, n, n), dtype=np.float32)
        for k in range(count):
            found = one(n)
            a = a.astype(np.result_type(a.dtype, found.dtype))
            a[k] = found
        if count and draw.often(0.2):
            a[0] = 0
        return [a]

    def of_row(a):
        function = np.linalg.inv if name == "einsum_inverse" else np.linalg.cholesky
        result = np.zeros(a.shape, dtype=a.dtype)
        for k in range(len(a)):
            if a[k].any():
                result[k] = function(wide(a[k]))
        return result

    return Function("%s('kl', 'ukl->ukl', x0)" % name, ["tensor"], row, of_row, inexact=10)


@drawer
def solve_matrices(draw):
    def row():
        n, count = draw.rng.randint(1, 4), draw.rng.randint(0, 3)
        kinds = [draw.rng.choice(draw.kinds)]
        a = np.stack([draw.matrix(n, kinds) for _ in range(count)]) if count else np.zeros((0, n, n), dtype=TYPES[kinds[0]])
        return [a, draw.array([count, n])]

    def of_row(a, b):
        return like(np.linalg.solve(wide(a).swapaxes(1, 2), wide(b)[..., None])[..., 0], a, b) if a.size else np.zeros(b.shape, dtype=np.result_type(a.dtype, b.dtype))

    # k numbers the unknowns
    return Function("einsum_solve('kl', 'ukl,ul->uk', x0, x1)", ["tensor", "tensor"], row, of_row, inexact=10)


# ---- what programs call ----


@drawer
def shift(draw):
    def row():
        x = draw.array(draw.shape())
        offsets = [draw.rng.choice([-2, -1, 0, 0, 1, 2, 99]) for _ in x.shape]
        constant = [draw.often(0.3) for _ in x.shape]
        return [x, as_array(offsets), as_array(constant), draw.array([], ("float4", "float8"))]

    def of_row(x, offsets, constant, fill):
        offsets = [int(n) for n in offsets.strip("{}").split(",") if n]
        constant = [n == "true" for n in constant.strip("{}").split(",") if n]
        result = np.full([n for n, c in zip(x.shape, constant) if not c], fill, dtype=x.dtype)
        for index in np.ndindex(*result.shape):
            rest = list(index)
            place = [offset if c else rest.pop(0) + offset for offset, c in zip(offsets, constant)]
            if all(0 <= p < n for p, n in zip(place, x.shape)):
                result[index] = x[tuple(place)]
        return result

    return Function("einsum_shift(x0, x1::bigint[], x2::bool[], x3)", ["tensor", "text", "text", "tensor"], row, of_row)


@drawer
def full_tensor(draw):
    return Function("einsum_full_tensor(x0::int[], x1)", ["text", "tensor"], lambda: [as_array(draw.shape()), draw.array([])],
                    lambda shape, x: np.full([int(n) for n in shape.strip("{}").split(",") if n], x, dtype=x.dtype))


@each([1, 2])
def has_shape(draw, form):
    def row():
        x = draw.array(draw.shape(), ("float8",) if form == 1 and not draw.often(0.02) else None)
        row = [x, as_array(x.shape if not draw.often(0.03) else x.shape + (2,))]
        return row if form == 1 else row + [NAMES[x.dtype]]

    def of_row(x, shape, kind="float8"):
        if as_array(x.shape) != shape:
            raise Refusal(SHAPE)
        if NAMES[x.dtype] != kind:
            raise Refusal("42804")
        return "true"

    return Function("einsum_value_has_shape(x0, x1::int[], 't'%s)" % ("" if form == 1 else ", x2"), ["tensor", "text"] + ["text"] * (form - 1), row, of_row, "text")


def positions(draw, count):
    return sorted(draw.rng.sample(range(2 * count + 1), count))


@drawer
def by_position(draw):
    def row():
        x = draw.array([draw.rng.randint(1, 4), draw.rng.randint(1, 3)])
        return [x, draw.array([], ("float4", "float8")), as_array(positions(draw, x.shape[0])), as_array(positions(draw, x.shape[1])) if draw.often(0.7) else None]

    def of_row(x, fill, first, second):
        rows = [int(n) for n in first.strip("{}").split(",")]
        columns = list(range(x.shape[1])) if second is None else [int(n) for n in second.strip("{}").split(",")]
        result = np.full((rows[-1] + 1, columns[-1] + 1), fill, dtype=x.dtype)
        result[np.ix_(rows, columns)] = x
        return result

    return Function("einsum_by_position(x0, x1, x2::bigint[], x3::bigint[])", ["tensor", "tensor", "text", "text"], row, of_row, strict=False)


@drawer
def by_place(draw):
    def row():
        count = draw.rng.randint(1, 4)
        places = positions(draw, count)
        fill = draw.array([], ("float4", "float8"))
        x = draw.array([draw.rng.randint(0, 2 * count + 1), draw.rng.randint(1, 3)])
        for n in range(len(x)):
            if n not in places and not draw.often(0.01):
                x[n] = fill
        return [x, fill, NAMES[x.dtype], as_array([0, x.shape[1]]), as_array(places)]

    def of_row(x, fill, kind, shape, places):
        places = [int(n) for n in places.strip("{}").split(",")]
        result = np.full((len(places), x.shape[1]), fill, dtype=x.dtype)
        for n, values in enumerate(x):
            if n in places:
                result[places.index(n)] = values
            elif (values != fill).any():
                raise Refusal("22003")
        return result

    return Function("einsum_by_place(x0, x1, 't', x2, x3::int[], x4::bigint[], NULL::bigint[])", ["tensor", "tensor", "text", "text", "text"], row, of_row, strict=False)


UNSTACKED = "(SELECT coalesce(string_agg(index || ' ' || tensor_shape(value)::text || ' ' || tensor_dense(value)::text, ';'), CASE WHEN %s IS NOT NULL THEN '' END) FROM %s)"


@each(["tensor_unstack(x0, x1)", "tensor_unstack(x0, x1, 2)", "einsum_unstack(x0, x1, x2)", "einsum_unstack_tensor(x0, x1, x2)", "einsum_unstack_blocks(x0, x1, 2, x2)", "einsum_unstack_blocks_tensor(x0, x1, 2, x2)"])
def unstack(draw, call):
    filled = "x2" in call
    block = 2 if ", 2" in call else None
    kind = ["tensor" if "_tensor" in call else "float8"] if filled else []

    def row():
        x = draw.array(draw.shape(1, 3))
        axis = draw.rng.randrange(x.ndim)
        fill = [draw.array([], ("float4", "float8"))] if "_tensor" in call else [draw.rng.randint(0, 1)] if filled else []
        return [x, axis] + fill

    def of_row(x, axis, fill=None):
        parts = [np.take(x, range(n, min(n + block, x.shape[axis])) if block else n, axis) for n in range(0, x.shape[axis], block or 1)]
        parts = [(n, part) for n, part in enumerate(parts) if not filled or (part != fill).any()]
        return ";".join("%d %s %s" % (n, as_array(part.shape), as_text(part)) for n, part in parts)

    return Function(UNSTACKED % (" IS NOT NULL AND ".join(["x0", "x1", "x2"][: 2 + filled]), call), ["tensor", "int"] + kind, row, of_row, "text")


@drawer
def unstack_numbers(draw):
    def of_row(x, fill):
        real_only(x)
        return ";".join("%d %d" % (n, v) for n, v in enumerate(x) if v != fill)

    return Function("(SELECT coalesce(string_agg(index || ' ' || value, ';'), CASE WHEN x0 IS NOT NULL AND x1 IS NOT NULL THEN '' END) FROM einsum_unstack_scalar(x0, x1))", ["tensor", "float8"],
                    lambda: [draw.array(draw.shape(1, 1), draw.mostly_real()), draw.rng.randint(0, 1)], of_row, "text")
