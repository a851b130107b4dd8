from __future__ import annotations

import math
from typing import Any

import numpy as np
import psycopg
import pytest
import scipy.sparse

import sparseeinsum.sparse
from sparseeinsum import SparseTensor, from_binary, from_text, to_binary, to_text
from sparseeinsum.psycopg import register_tensor
from sparseeinsum.tensor import Array, element_type

VALUES: list[Any] = [
    3.5,
    [1, 2, 3],
    [[1.5, -2], [0.1, 1e-300]],
    np.zeros((0, 3)),
    np.zeros(0, np.float32),
    np.zeros((2, 0, 3), np.complex64),
    np.array([math.nan, math.inf, -math.inf, -0.0]),
    np.array([0.1, 1 / 3, 3.4e38], np.float32),
    np.array([[1 + 2j, complex(math.nan, math.inf)], [complex(-0.0, -0.0), 1e-7 - 1e300j]]),
    np.array(2 - 3j, np.complex64),
    np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1),
    np.arange(10, dtype=np.float32)[::3],
    np.ones((1,) * 16),
    np.array([True, False]),
    np.array([2**53, -(2**53)], np.int64),
    np.array([1, 2], ">i2"),
    np.array([1.5], np.float16),
]


def same(a: Array, b: Array) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def expected(value: Any) -> Array:
    array = np.asarray(value)
    types = {"float4": np.float32, "float8": np.float64, "complex8": np.complex64, "complex16": np.complex128}
    return np.ascontiguousarray(array, types[element_type(array.dtype)]).reshape(array.shape)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_forms_are_the_servers(conn: psycopg.Connection[Any], value: Any) -> None:
    """Text and binary form, each written here and read there and back, are the same value bit by bit."""
    array = expected(value)
    binary, text = conn.execute(
        "SELECT sparseeinsum_internal.tensor_send(%s::tensor), sparseeinsum_internal.tensor_out(%s::tensor)::text",
        (to_text(value), to_text(value)),
    ).fetchone() or (b"", "")
    assert same(from_binary(binary), array)
    assert bytes(to_binary(value)) == binary
    assert same(from_text(text), array)
    assert same(from_text(to_text(value)), array)


SPARSE = [
    ("float8(5):{1:1,3:0.5}", [0, 1, 0, 0.5, 0]),
    ("float8(5):{1:2,3:2}", [0, 2, 0, 2, 0]),
    ("float8(2,3):{}", [[0, 0, 0], [0, 0, 0]]),
    ("float4(2,2):{(0,1):-1.5,*:Infinity}", np.array([[np.inf, -1.5], [np.inf, np.inf]], np.float32)),
    ("complex16(2):{1:1-2i}", np.array([0, 1 - 2j])),
    ("float8():{():3}", 3.0),
    ("float8(0,3):{}", np.zeros((0, 3))),
    ("float4(2,1,3):{(0,0,2):1,(1,0,0):0.5}", np.array([[[0, 0, 1]], [[0.5, 0, 0]]], np.float32)),
    ("float8(3):{0:0,*:NaN}", [0, math.nan, math.nan]),
]


def is_sparse_as(value: Any, array: Array, fill: Any) -> bool:
    """Is the value sparse, of the class that its rank and fill say, and with these elements?"""
    scipys = array.ndim in (1, 2) and fill == 0
    return isinstance(value, scipy.sparse.coo_array if scipys else SparseTensor) and (
        value.dtype == array.dtype and value.shape == array.shape and np.array_equal(value.toarray(), array, equal_nan=True)
    )


@pytest.mark.parametrize(("text", "value"), SPARSE)
def test_sparse_values(conn: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch, text: str, value: Any) -> None:
    """The server's forms of a sparse value are read as sparse arrays, and written again; what is cut off is no form."""
    binary, written = conn.execute(
        "SELECT sparseeinsum_internal.tensor_send(%s::tensor), sparseeinsum_internal.tensor_out(%s::tensor)::text", (text, text)
    ).fetchone() or (b"", "")
    assert written == text
    fill = {"*:I": math.inf, "*:N": math.nan}.get(text[text.find("*") :][:3], 0)
    for read in (from_binary(binary), from_text(text)):
        assert is_sparse_as(read, expected(value), fill)
        assert bytes(to_binary(read)) == binary
        assert from_binary(to_binary(from_text(to_text(read)))).nnz == read.nnz == len(np.atleast_1d(read.data))
    with monkeypatch.context() as without:
        without.setattr(sparseeinsum.sparse, "scipy_sparse", lambda: None)
        read = from_binary(binary)
        assert isinstance(read, SparseTensor) and np.array_equal(np.asarray(read), expected(value), equal_nan=True)
        assert bytes(to_binary(read)) == binary
    for length in range(len(binary)):
        with pytest.raises(ValueError, match=r"binary form|bytes|entries"):
            from_binary(binary[:length])
    with pytest.raises(ValueError, match="text form"):
        from_text(text[:-1])


SCIPY: list[Any] = [
    scipy.sparse.coo_array(np.array([0, 1.5, 0, -2.0])),
    scipy.sparse.csr_array(np.array([[0, 2.0, 0], [2.0, 0, 2.0]])),
    scipy.sparse.csc_matrix(np.array([[0, 2, 0], [1, 0, 3]], np.float32)),
    scipy.sparse.dok_array((3, 4), dtype=np.complex128),
    scipy.sparse.csr_array(np.array([[1 + 2j, 0], [complex(0, -0.0), -1j]], np.complex64)),
    scipy.sparse.coo_array(([1.0, 2.0, -2.0, -0.0, 5.0], ([1, 1, 0, 2, 0], [1, 1, 0, 2, 3])), shape=(3, 4)),
    scipy.sparse.coo_array(([1.0, 0.1], ([2**31 - 2, 70000], [0, 2**31 - 2])), shape=(2**31 - 1, 2**31 - 1)),
    scipy.sparse.csr_array((0, 3)),
    scipy.sparse.coo_array(np.copysign([np.nan, 0, np.nan], [1, 1, -1])),
    scipy.sparse.csr_array(np.array([[0, 7]])),
]


@pytest.mark.parametrize("matrix", SCIPY, ids=lambda matrix: type(matrix).__name__)
@pytest.mark.parametrize("binary", [True, False])
def test_sparse_arrays_of_scipy(conn: psycopg.Connection[Any], matrix: Any, binary: bool) -> None:
    """They are sparse values, by all ways in: the same as their entries put into the other form."""
    register_tensor(conn)
    mark = "%b" if binary else "%t"
    form, text, sent = conn.execute(
        f"SELECT tensor_format({mark}::tensor), {mark}::tensor::text, sparseeinsum_internal.tensor_send({mark}::tensor)", (matrix,) * 3
    ).fetchone() or ("", "", b"")
    assert form == "sparse"
    assert bytes(to_binary(matrix)) == sent
    (again,) = conn.execute("SELECT %s::text::tensor::text", (to_text(matrix),)).fetchone() or ("",)
    assert again == text
    if np.prod(matrix.shape, dtype=float) < 1e6:
        assert is_sparse_as(from_binary(sent), expected(matrix.toarray()), 0)


def test_random_sparse_values(conn: psycopg.Connection[Any]) -> None:
    """Entries in any order, of any rank and fill, beside the server's tensor_sparse of the array."""
    random = np.random.default_rng(3)
    for _ in range(300):
        shape = tuple(random.integers(0, 5, random.integers(0, 5)))
        dtype = (np.float32, np.float64, np.complex64, np.complex128)[random.integers(4)]
        fill = dtype(random.choice([0, 0, 1.5, math.inf, math.nan]))
        array = np.full(shape, fill, dtype)
        chosen = random.permutation(array.size)[: random.integers(0, array.size + 1)]
        array.flat[chosen] = random.choice([0, -0.0, 1, 2, math.nan, 1.5], len(chosen))
        tensor = SparseTensor(
            shape, np.unravel_index(chosen, shape) if shape and len(chosen) else [chosen] * len(shape), array.flat[chosen], fill
        )
        (sent,) = conn.execute(
            "SELECT sparseeinsum_internal.tensor_send(tensor_sparse(%s::tensor, %s::float8))", (to_text(array), float(fill.real))
        ).fetchone() or (b"",)
        assert bytes(to_binary(tensor)) == sent
        assert bytes(to_binary(from_text(to_text(tensor)))) == sent
        assert is_sparse_as(from_binary(sent), np.where(array == 0, dtype(0), array), fill)


@pytest.mark.parametrize(
    ("shape", "coordinates", "data", "fill", "error"),
    [
        ((2, 2), ([0, 0], [1, 1]), [1.0, 2.0], 0, ValueError),  # twice
        ((2, 2), ([0], [2]), [1.0], 0, ValueError),
        ((2, 2), ([-1], [0]), [1.0], 0, ValueError),
        ((2, 2), ([0.5], [0]), [1.0], 0, ValueError),
        ((2, 2), ([0],), [1.0], 0, ValueError),
        ((2, 2), ([0], [0]), [1.0, 2.0], 0, ValueError),
        ((2,), ([0],), [1.0], 1j, TypeError),
        ((2,), ([0],), ["a"], 0, TypeError),
        ((2,), ([0],), np.ones(1, np.float32), 1e39, ValueError),
    ],
)
def test_what_is_no_sparse_tensor(shape: Any, coordinates: Any, data: Any, fill: complex, error: type[Exception]) -> None:
    with pytest.raises(error):
        to_binary(SparseTensor(shape, coordinates, data, fill))


def test_sparse_forms_that_lie() -> None:
    form = bytes(to_binary(SparseTensor((4, 2), ([1, 3], [0, 1]), [1.0, 2.0])))
    positions = len(form) - 2 * 8 - 2 * 4
    for lie in ((7, 2), (2, 2), (2, 8)):
        with pytest.raises(ValueError, match="ascend"):
            from_binary(form[:positions] + np.array(lie, ">u4").tobytes() + form[positions + 8 :])
    for text in ("float8(4):{9:1}", "float8(4):{(0,1):1}", "float8(4):{*:1,*:2}", "float8(2,2):{1:1}"):
        with pytest.raises(ValueError):
            from_text(text)


def test_sparse_classes_are_accepted_by_their_types() -> None:
    """For mypy: to_binary and to_text take what scipy and this package have."""
    matrix = scipy.sparse.csr_array(np.eye(2))
    assert to_binary(matrix) == to_binary(scipy.sparse.coo_array(matrix)) == to_binary(scipy.sparse.csc_matrix(matrix))
    assert to_text(matrix) == to_text(SparseTensor((2, 2), ([0, 1], [0, 1]), [1.0, 1.0]))


def test_sparse_arrays_of_scipy_that_are_too_large() -> None:
    for shape in ((2**31, 1), (2**31 - 1, 2**31 - 1, 4)):
        large: Any = scipy.sparse.coo_array(shape)
        with pytest.raises(ValueError, match="2\\*\\*31"):
            to_binary(large)


def test_random_values(conn: psycopg.Connection[Any]) -> None:
    random = np.random.default_rng(1)
    for _ in range(200):
        shape = tuple(random.integers(0, 4, random.integers(0, 6)))
        bits = random.integers(0, 256, 16 * int(np.prod(shape)), np.uint8).tobytes()
        for dtype in (np.float32, np.float64, np.complex64, np.complex128):
            array = np.frombuffer(bits, dtype, int(np.prod(shape))).reshape(shape)
            # which NaN it is only the binary form keeps
            array = np.where(np.isnan(array), dtype(1), array).astype(dtype)
            text, binary = conn.execute(
                "SELECT %s::tensor::text, sparseeinsum_internal.tensor_send(%s::tensor)", (to_text(array), to_text(array))
            ).fetchone() or ("", b"")
            assert same(from_text(text), array)
            assert same(from_binary(binary), array)
            assert bytes(to_binary(array)) == binary


def test_arrays_are_writable_and_native() -> None:
    array = from_binary(to_binary([1.0, 2.0]))
    array[0] = 3
    assert array.dtype.isnative


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (["a"], TypeError),
        (np.array([1], np.longdouble), TypeError),
        (np.array([2**53 + 1]), ValueError),
        (np.array([2**64 - 1], np.uint64), ValueError),
        (np.ones((1,) * 17), ValueError),
        (np.array([None]), TypeError),
        (np.array(["2020-01-01"], "M8[D]"), TypeError),
    ],
)
def test_what_is_no_tensor(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        to_binary(value)
    with pytest.raises(error):
        to_text(value)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\1\2\1",
        b"\2\2\0\0" + bytes(8),  # another format
        b"\1\5\0\0" + bytes(8),  # another element type
        b"\1\2\0\1" + bytes(8),  # flags
        b"\1\2\x11\0" + bytes(4 * 17 + 8),  # rank 17
        b"\1\2\2\0\0\0\0\1",  # a bound is missing
        b"\1\2\1\0\xff\xff\xff\xff",  # a bound of -1
        b"\1\2\1\0\0\0\0\2" + bytes(8),  # one element of two
        b"\1\2\1\0\0\0\0\1" + bytes(16),  # two of one
    ],
)
def test_what_is_no_binary_form(data: bytes) -> None:
    with pytest.raises(ValueError):
        from_binary(data)


@pytest.mark.parametrize(
    "text", ["", "[", "[1,2", "[1,[2]]", "[[1,2],[3]]", "x", "float9:[1]", "[1;2]", "complex16:[1]", "float8(2,2):[1]"]
)
def test_what_is_no_text_form(text: str) -> None:
    with pytest.raises(ValueError):
        from_text(text)
