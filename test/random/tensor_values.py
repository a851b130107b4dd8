"""Random calls of the functions of tensor values, compared with numpy.

    test/cluster test/python test/random/tensor_values.py [CALLS [SEED [FIRST]]]

Each call is made of its own random numbers: a failure names SEED and its number,
and "1 SEED NUMBER" as arguments repeats it alone. Operands and results travel as
npy files. Value, shape and element type must be numpy's, or both must refuse.
Elements are small integers, halves, and for real types now and then NaN,
infinities and -0, so that arithmetic and sums are compared exactly; functions,
quotients of complex numbers and linear algebra within a tolerance. An operand is made
sparse now and then, unless it has a -0, which a sparse value has not.

What the extension does otherwise on purpose, and is not generated: numpy 1.x
lets a number of rank 0 not count when it promotes types; numpy clips slices;
it orders complex numbers; and it solves systems that are singular to working
precision.
"""

import io
import sys
import warnings

import numpy as np
import psycopg2

CALLS = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
FIRST = int(sys.argv[3]) if len(sys.argv) > 3 else 0

TYPES = [np.float32, np.float64, np.complex64, np.complex128]
REAL = {np.dtype(np.float32): np.float32, np.dtype(np.float64): np.float64,
        np.dtype(np.complex64): np.float32, np.dtype(np.complex128): np.float64}


Refused = "an error"


class Call:
    """SQL with its parameters, what numpy says, and how near is near enough"""

    def __init__(self, sql, args, expected, tolerance=0.0):
        self.sql, self.args, self.expected, self.tolerance = sql, args, expected, tolerance


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return psycopg2.Binary(file.getvalue())


def from_npy(data):
    return np.load(io.BytesIO(bytes(data)), allow_pickle=False)


T = "tensor_from_npy(%s)"


def elements(rng, shape, dtype, special=True):
    values = rng.integers(-4, 5, size=shape) / 2.0
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.integers(-4, 5, size=shape) / 2.0
    elif special and rng.random() < 0.3:
        odd = rng.choice([np.nan, np.inf, -np.inf, -0.0], size=shape)
        values = np.where(rng.random(size=shape) < 0.2, odd, values)
    array = np.asarray(values).astype(dtype)
    # numpy writes Fortran order and the other byte order too
    kind = rng.random()
    if kind < 0.15:
        array = np.asfortranarray(array)
    elif kind < 0.3:
        array = array.astype(array.dtype.newbyteorder(">"))
    return array


def native(array):
    return np.asarray(array).astype(np.asarray(array).dtype.newbyteorder("="))


def a_type(rng):
    return TYPES[rng.choice(4, p=[0.25, 0.45, 0.1, 0.2])]


def a_shape(rng, rank=None, largest=5):
    rank = int(rng.integers(0, 5)) if rank is None else rank
    return tuple(int(x) for x in rng.choice([0] + list(range(1, largest + 1)), size=rank,
                                            p=[0.04] + [0.96 / largest] * largest))


def numpy_says(f):
    """numpy's answer, or that it refuses"""
    try:
        with np.errstate(all="ignore"):
            return f()
    except (ValueError, np.linalg.LinAlgError, IndexError):  # AxisError is both of these
        return Refused


def arithmetic(rng):
    shape = a_shape(rng)
    other = tuple(1 if rng.random() < 0.25 else n for n in shape)[int(rng.integers(0, len(shape) + 1)):]
    if rng.random() < 0.15:
        other = a_shape(rng)
    if rng.random() < 0.5:
        shape, other = other, shape
    name = rng.choice(["+", "-", "*", "/"])
    f = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[name]
    a, b = elements(rng, shape, a_type(rng)), elements(rng, other, a_type(rng))
    kind = rng.random()
    if kind < 0.15:
        b = float(rng.integers(-4, 5)) / 2
        sql, args = T + " %s %%s::float8" % name, [npy(a), b]
        b = np.asarray(b)
    elif kind < 0.3:
        a = float(rng.integers(-4, 5)) / 2
        sql, args = "%%s::float8 %s " % name + T, [a, npy(b)]
        a = np.asarray(a)
    else:
        sql, args = T + " %s " % name + T, [npy(a), npy(b)]
    dtype = np.promote_types(native(a).dtype, native(b).dtype)
    expected = numpy_says(lambda: f(native(a).astype(dtype), native(b).astype(dtype)))
    if dtype.kind == "c" and name == "/":
        # numpy and C differ in which of infinity and NaN n/0 is
        b = np.where(b == 0, 1, native(b)).astype(native(b).dtype)
        args[-1] = float(b) if kind < 0.15 else npy(b)
        expected = numpy_says(lambda: f(native(a).astype(dtype), native(b).astype(dtype)))
        return Call(sql, args, expected, 1e-6 if dtype == np.complex64 else 1e-14)
    return Call(sql, args, expected)


def reduction(rng):
    kind = rng.choice(["sum", "prod", "min", "max", "mean", "any", "all"])
    dtype = a_type(rng)
    if kind in ("min", "max"):
        dtype = REAL[np.dtype(dtype)]
    a = elements(rng, a_shape(rng), dtype)
    n = int(rng.integers(0, a.ndim + 1))
    axes = [int(x) for x in rng.permutation(a.ndim)[:n]]
    if rng.random() < 0.05:
        axes += [int(rng.integers(0, a.ndim + 2))]
    axis = tuple(axes)
    keep = bool(rng.random() < 0.3)
    if rng.random() < 0.3:
        axis, axes = None, None
    expected = numpy_says(lambda: getattr(np, kind)(native(a), axis=axis, keepdims=keep))
    if expected is not Refused:
        expected = np.asarray(expected).astype(REAL[native(a).dtype] if kind in ("any", "all") else native(a).dtype)
    exact = kind in ("min", "max", "any", "all", "sum")
    single = REAL[np.dtype(dtype)] == np.float32
    return Call("tensor_reduce(%s, " + T + ", %s::int[], %s)", [str(kind), npy(a), axes, keep],
                expected, 0.0 if exact else 1e-5 if single else 1e-13)


def slicing(rng):
    a = elements(rng, a_shape(rng), a_type(rng))
    lower = [int(rng.integers(0, n + 1)) for n in a.shape]
    upper = [int(rng.integers(l, n + 1)) for l, n in zip(lower, a.shape)]
    expected = native(a)[tuple(slice(l, u) for l, u in zip(lower, upper))]
    if rng.random() < 0.1 and a.ndim > 0:
        d = int(rng.integers(0, a.ndim))
        upper[d] = rng.choice([a.shape[d] + 1, lower[d] - 1])
        upper[d] = int(upper[d])
        expected = Refused
    return Call("tensor_slice(" + T + ", %s::int[], %s::int[])", [npy(a), lower, upper], expected)


def reshape(rng):
    a = elements(rng, a_shape(rng), a_type(rng))
    rest, shape = a.size, []
    while rest > 1:
        n = int(rng.choice([d for d in range(1, rest + 1) if rest % d == 0]))
        shape.append(n)
        rest //= n
    if a.size == 0:
        shape = list(a.shape)
    rng.shuffle(shape)
    if shape and rng.random() < 0.4:
        shape[int(rng.integers(0, len(shape)))] = -1
    if shape and rng.random() < 0.1:
        shape[0] += 1
    expected = numpy_says(lambda: native(a).reshape(shape))
    if len(shape) > 16:
        expected = Refused
    return Call("tensor_reshape(" + T + ", %s::int[])", [npy(a), shape], expected)


def permute(rng):
    a = elements(rng, a_shape(rng), a_type(rng))
    order = [int(x) for x in rng.permutation(a.ndim)]
    if order and rng.random() < 0.1:
        order[0] = int(rng.integers(0, a.ndim + 1))
    expected = numpy_says(lambda: np.transpose(native(a), order))
    return Call("tensor_permute(" + T + ", %s::int[])", [npy(a), order], expected)


def concat(rng):
    shape = a_shape(rng, int(rng.integers(1, 4)))
    axis = int(rng.integers(0, len(shape)))
    variadic = rng.random() < 0.5
    n = int(rng.integers(1, 5)) if variadic else 2
    if variadic:
        axis = 0
    parts = []
    for _ in range(n):
        own = list(shape)
        own[axis] = int(rng.integers(0, 4))
        if rng.random() < 0.05:
            own[int(rng.integers(0, len(own)))] += 1
        parts.append(elements(rng, own, a_type(rng)))
    if rng.random() < 0.05:
        axis = 0 if variadic else len(shape)
    dtype = np.result_type(*[native(p).dtype for p in parts])
    expected = numpy_says(lambda: np.concatenate([native(p).astype(dtype) for p in parts], axis))
    if variadic:
        return Call("tensor_concat(VARIADIC ARRAY[%s]::tensor[])" % ", ".join([T] * n), [npy(p) for p in parts], expected)
    return Call("tensor_concat(" + T + ", " + T + ", %s)", [npy(p) for p in parts] + [axis], expected)


def subscript(rng):
    a = elements(rng, a_shape(rng), a_type(rng))
    index = [int(rng.integers(0, n + (1 if rng.random() < 0.05 or n == 0 else 0))) for n in a.shape[:int(rng.integers(0, a.ndim + 1))]]
    if not index:
        index = [0]
    expected = numpy_says(lambda: native(a)[tuple(index)])
    return Call("(" + T + ")" + "".join("[%d]" % i for i in index), [npy(a)], expected)


def assignment(rng):
    a = elements(rng, a_shape(rng, int(rng.integers(1, 4))), a_type(rng))
    index = [int(rng.integers(0, max(n, 1))) for n in a.shape[:int(rng.integers(1, a.ndim + 1))]]
    rest = a.shape[len(index):]
    shape = tuple(1 if rng.random() < 0.25 else n for n in rest)[int(rng.integers(0, len(rest) + 1)):]
    if rng.random() < 0.1:
        shape = a_shape(rng, len(rest))
    dtype = a_type(rng) if native(a).dtype.kind == "c" else rng.choice(TYPES[:2])
    value = elements(rng, shape, dtype)

    def assign():
        result = native(a).copy()
        # "..." makes the target an array, of one element too, which newer numpy demands of one
        result[(*index, ...)] = native(value).astype(result.dtype)
        return result
    return Call("UPDATE", [npy(a), "".join("[%d]" % i for i in index), npy(value)], numpy_says(assign))


def function(rng):
    names = {"abs": np.abs, "sqrt": np.sqrt, "exp": np.exp, "ln": np.log, "sin": np.sin, "cos": np.cos, "tanh": np.tanh,
             "sign": np.sign, "floor": np.floor, "ceil": np.ceil, "round": np.round,
             "relu": lambda x: np.maximum(x, 0), "sigmoid": lambda x: 1 / (1 + np.exp(-x))}
    name = rng.choice(sorted(names))
    dtype = a_type(rng)
    if name in ("sign", "floor", "ceil", "round", "relu", "sigmoid"):
        dtype = REAL[np.dtype(dtype)]
    a = elements(rng, a_shape(rng), dtype)
    if name == "ln" and native(a).dtype.kind == "c":
        a = np.where(a == 0, 1, native(a)).astype(native(a).dtype)
    expected = np.asarray(numpy_says(lambda: names[name](native(a))))
    expected = expected.astype(REAL[native(a).dtype] if name == "abs" else native(a).dtype)
    return Call("tensor_%s(%s)" % (name, T), [npy(a)], expected, 1e-5 if REAL[native(a).dtype] == np.float32 else 1e-13)


def matrix(rng, m, n, dtype):
    a = rng.standard_normal((m, n))
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.standard_normal((m, n))
    return a.astype(dtype)


def linear_algebra(rng):
    """one number, which is to be 0: the largest difference, relative, of a result"""
    dtype = a_type(rng)
    real = REAL[np.dtype(dtype)]
    n, m, k = (int(x) for x in rng.integers(1, 13, size=3))
    tolerance = 2e-3 if real == np.float32 else 1e-10
    square = (matrix(rng, n, n, dtype) + (4 + n) * np.eye(n)).astype(dtype)
    wide = matrix(rng, m, n, dtype)
    hermitian = square + square.conj().T
    positive = (wide.conj().T @ wide + np.eye(n)).astype(dtype)
    positive = ((positive + positive.conj().T) / 2).astype(dtype)
    kind = rng.choice(["solve", "inverse", "det", "cholesky", "lstsq", "deficient", "qr", "svd", "eigh", "norm", "singular"])
    if kind == "solve":
        b = matrix(rng, n, k, a_type(rng))
        if rng.random() < 0.5:
            b = b[:, 0]
        return Call("mat_solve(" + T + ", " + T + ")", [npy(square), npy(b)], np.linalg.solve(square, b).astype(np.promote_types(dtype, b.dtype)), tolerance)
    if kind == "inverse":
        return Call("mat_inverse(" + T + ")", [npy(square)], np.linalg.inv(square), tolerance)
    if kind == "det":
        return Call("mat_det(" + T + ")", [npy(square)], np.linalg.det(square).astype(dtype), tolerance)
    if kind == "cholesky":
        return Call("mat_cholesky(" + T + ")", [npy(positive)], np.linalg.cholesky(positive), tolerance)
    if kind == "lstsq":
        m += n
        a, b = matrix(rng, m, n, dtype), matrix(rng, m, k, a_type(rng))
        both = np.promote_types(a.dtype, b.dtype)
        expected = np.linalg.lstsq(a.astype(both), b.astype(both), rcond=None)[0]
        return Call("mat_lstsq(" + T + ", " + T + ")", [npy(a), npy(b)], expected, tolerance * np.linalg.cond(a))
    if kind == "deficient":
        # of rank 1, so that the pseudo-inverse is known
        a = np.outer(np.arange(1, m + 1), np.arange(1, n + 1)).astype(dtype)
        b = matrix(rng, m, k, dtype)
        expected = (a.conj().T @ b / np.linalg.norm(a) ** 2).astype(dtype)
        return Call("mat_lstsq(" + T + ", " + T + ")", [npy(a), npy(b)], expected, tolerance)
    if kind == "qr":
        return Call("(SELECT ARRAY[q, r] FROM mat_qr(" + T + "))", [npy(wide)],
                    lambda r: [(r[0] @ r[1], wide), (r[0].conj().T @ r[0], np.eye(min(m, n))), (np.tril(r[1], -1), 0 * r[1])], tolerance)
    if kind == "svd":
        return Call("(SELECT ARRAY[u, s, vt] FROM mat_svd(" + T + "))", [npy(wide)],
                    lambda r: [(r[0] * r[1] @ r[2], wide), (r[1], np.linalg.svd(wide)[1]),
                               (r[0].conj().T @ r[0], np.eye(min(m, n))), (r[2] @ r[2].conj().T, np.eye(min(m, n)))], tolerance)
    if kind == "eigh":
        return Call("(SELECT ARRAY[eigenvalues, eigenvectors] FROM mat_eigh(" + T + "))", [npy(hermitian)],
                    lambda r: [(r[0], np.linalg.eigvalsh(hermitian)), (hermitian @ r[1], r[1] * r[0]),
                               (r[1].conj().T @ r[1], np.eye(n))], tolerance)
    if kind == "norm":
        name = str(rng.choice(["fro", "1", "inf", "2", "nuc", "max"]))
        expected = np.abs(wide).max() if name == "max" else np.linalg.norm(wide, {"1": 1, "inf": np.inf, "2": 2}.get(name, name))
        return Call("mat_norm(" + T + ", %s)::tensor", [npy(wide), name], np.float64(expected), tolerance)
    square[int(rng.integers(0, n))] = 0
    name = rng.choice(["mat_inverse(%s)" % T, "mat_solve(%s, tensor_eye(%d))" % (T, n)])
    return Call(str(name), [npy(square)], numpy_says(lambda: np.linalg.inv(square)))


KINDS = [arithmetic, arithmetic, reduction, reduction, slicing, reshape, permute, concat, subscript, assignment, function, linear_algebra]


def near(got, expected, tolerance):
    if tolerance == 0:
        return np.array_equal(got, expected, equal_nan=True)
    scale = np.abs(expected[np.isfinite(expected)]).max(initial=1.0)
    with np.errstate(all="ignore"):
        return np.allclose(got, expected, rtol=tolerance, atol=tolerance * scale, equal_nan=True)


def has_negative_zero(array):
    parts = [array.real, array.imag] if array.dtype.kind == "c" else [array]
    return any(bool(((part == 0) & np.signbit(part)).any()) for part in parts)


def with_sparse_operands(rng, call):
    parts = call.sql.split(T)
    sql = parts[0]
    for part in parts[1:]:
        array = from_npy(call.args[sql.count("%s")].adapted)
        sparse = rng.random() < 0.3 and not has_negative_zero(array)
        sql += (f"tensor_sparse({T}, {str(rng.choice(['0', '1', '-0.5', 'NaN']))!r})" if sparse else T) + part
    return Call(sql, call.args, call.expected, call.tolerance)


def ask(cursor, call):
    """the database's answer: an array, a list of arrays, or that it refuses"""
    try:
        if call.sql == "UPDATE":
            cursor.execute("UPDATE assigned SET t = " + T, call.args[:1])
            cursor.execute("UPDATE assigned SET t%s = %s RETURNING tensor_to_npy(t)" % (call.args[1], T), call.args[2:])
        elif callable(call.expected):
            cursor.execute("SELECT array_agg(tensor_to_npy(x) ORDER BY i) FROM unnest(%s) WITH ORDINALITY y(x, i)" % call.sql, call.args)
        else:
            cursor.execute("SELECT tensor_to_npy(%s)" % call.sql, call.args)
        answer = cursor.fetchone()[0]
        return [from_npy(x) for x in answer] if isinstance(answer, list) else from_npy(answer)
    except psycopg2.OperationalError:
        raise
    except psycopg2.Error as error:
        # an internal error is no refusal
        return Refused if error.pgcode is not None and error.pgcode[:2] in ("22", "54") else error


def complaint(got, call):
    """what is wrong with the answer, or nothing"""
    expected = call.expected
    if isinstance(got, Exception):
        return "error: %s" % got
    if expected is Refused or got is Refused:
        return None if expected is got else "got %s" % (got,)
    if callable(expected):
        wrong = [(g, e) for g, e in expected(got) if not near(g, np.asarray(e), call.tolerance)]
        return "got %s" % wrong if wrong else None
    expected = np.asarray(expected)
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return "got shape %s of %s, not %s of %s" % (got.shape, got.dtype, expected.shape, expected.dtype)
    return None if near(got, expected, call.tolerance) else "got %s" % got


def main():
    warnings.simplefilter("ignore")  # the mean of nothing
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION sparseeinsum")
    cursor.execute("CREATE TABLE assigned (t tensor)")
    cursor.execute("INSERT INTO assigned VALUES ('0')")
    passed = failed = refused = 0
    for number in range(FIRST, FIRST + CALLS):
        rng = np.random.default_rng([SEED, number])
        kind = KINDS[int(rng.integers(0, len(KINDS)))]
        with np.errstate(all="ignore"):
            call = kind(rng)
            if call.sql != "UPDATE":
                call = with_sparse_operands(rng, call)
            problem = complaint(ask(cursor, call), call)
        refused += call.expected is Refused
        if problem is None:
            passed += 1
        else:
            failed += 1
            operands = [from_npy(x.adapted) if isinstance(x, psycopg2.extensions.Binary) else x for x in call.args]
            print("FAILED: 1 %d %d: %s %s\n  operands %s\n  expected %s\n  %s" %
                  (SEED, number, kind.__name__, call.sql, operands, call.expected, problem))
    print("%d calls, of which %d are to be refused" % (CALLS, refused))
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


sys.exit(main())
