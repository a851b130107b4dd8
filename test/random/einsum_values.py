#!/usr/bin/env python3
"""einsum on values against numpy.einsum.

Makes random calls, valid and invalid: up to six operands of the four element
types, dense and sparse (numbers of SQL types among them), repeated labels, upper and lower case,
ellipsis in operands and output, implicit outputs, spaces, bounds of 0 and 1,
broadcasting, and mistakes of every kind. Both must give the same element type,
shape and values, or both must refuse. Elements are small integers, so that
every order of summation is exact and the values are compared for equality.

    test/cluster test/python test/random/einsum_values.py [--count N] [--seed S]

The type of the result is numpy's for arrays of those types; a number is an
array of rank 0 with a type of its own, as in numpy 2.
"""
import argparse
import random
import re
import string

import numpy as np
import psycopg2

TYPES = {"float4": np.float32, "float8": np.float64, "complex8": np.complex64, "complex16": np.complex128}
NAMES = {np.dtype(t): name for name, t in TYPES.items()}
MOST_TERMS = 200_000  # values of all labels together: what numpy does in little time


def number(x):
    if isinstance(x, complex):
        return f"{x.real:g}{x.imag:+g}i"
    return f"{x:g}"


def nested(values):
    if isinstance(values, list):
        return "[" + ",".join(nested(v) for v in values) + "]"
    return number(values)


def literal(array):
    """The text form of a tensor, its element type and shape written out."""
    name = NAMES[array.dtype]
    if array.size == 0:
        return f"{name}({','.join(str(n) for n in array.shape)}):[]"
    return f"{name}:{nested(array.tolist())}"


def parse_number(text):
    return complex(re.sub("i$", "j", text)) if text.endswith("i") else float(text)


def parse(type_name, shape, text):
    """A tensor from its text form, type and shape."""
    body = text.split(":", 1)[-1]
    elements = [parse_number(x) for x in re.findall(r"[^\[\],]+", body)]
    return np.array(elements, dtype=TYPES[type_name]).reshape(shape)


class Call:
    """A random equation with operands for it."""

    def __init__(self, rng):
        self.rng = rng
        count = rng.choice([1, 1, 2, 2, 2, 3, 3, 4, 5, 6])
        letters = rng.sample(string.ascii_letters, rng.randint(1, 7))
        extents = {letter: rng.choice([1, 2, 2, 3, 3, 4, 5]) for letter in letters}
        if rng.random() < 0.06:
            extents[rng.choice(letters)] = 0
        if rng.random() < 0.1:
            extents[rng.choice(letters)] = rng.randint(6, 40)
        ellipsis = [rng.choice([1, 2, 3]) for _ in range(rng.choice([0, 1, 2, 3]))] if rng.random() < 0.5 else None
        terms = [self.term(letters, ellipsis is not None and rng.random() < 0.7) for _ in range(count)]
        self.shapes = [self.shape(term, extents, ellipsis or []) for term in terms]
        self.equation = ",".join("".join(term) for term in terms)
        used = sorted({x for term in terms for x in term if x != "..."})
        dotted = any("..." in term for term in terms)
        if rng.random() < 0.7:
            output = rng.sample(used, rng.randint(0, len(used)))
            if rng.random() < (0.95 if dotted else 0.05):
                output.insert(rng.randint(0, len(output)), "...")
            self.equation += "->" + "".join(output)
        if rng.random() < 0.2:
            self.break_something()
        if rng.random() < 0.15:
            # numpy knows no other space; one inside "->" or "..." is an error to both
            at = rng.randint(0, len(self.equation))
            self.equation = self.equation[:at] + " " * rng.randint(1, 2) + self.equation[at:]
        self.operands = [self.values(shape) for shape in self.shapes]

    def term(self, letters, dotted):
        rng = self.rng
        term = [rng.choice(letters) for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4]))]
        if rng.random() < 0.6:  # mostly without repetitions
            term = list(dict.fromkeys(term))
        if dotted:
            term.insert(rng.randint(0, len(term)), "...")
        return term

    def shape(self, term, extents, ellipsis):
        rng = self.rng
        narrow = {x for x in term if rng.random() < 0.08}
        shape = []
        for x in term:
            if x == "...":
                kept = ellipsis[len(ellipsis) - rng.randint(0, len(ellipsis)):] if ellipsis else []
                shape += [1 if rng.random() < 0.15 else n for n in kept]
            else:
                shape.append(1 if x in narrow else extents[x])
        return shape

    def break_something(self):
        rng = self.rng
        kind = rng.randint(0, 7)
        shape = rng.choice(self.shapes)
        if kind == 0 and shape:
            shape[rng.randrange(len(shape))] += rng.choice([1, 1, 2])
        elif kind == 1 and shape:
            del shape[rng.randrange(len(shape))]
        elif kind == 2:
            shape.insert(rng.randint(0, len(shape)), rng.choice([1, 2, 3]))
        elif kind == 3:
            self.shapes.append([2])
        elif kind == 4 and len(self.shapes) > 1:
            self.shapes.pop()
        else:
            at = rng.randint(0, len(self.equation))
            junk = rng.choice([".", "..", "...", "1", "-", ">", "->", ",", "_", "*", rng.choice(string.ascii_letters)])
            drop = rng.randint(0, 1)
            self.equation = self.equation[:at] + junk + self.equation[at + drop:]

    def values(self, shape):
        rng = self.rng
        name = rng.choice(["float8", "float8", "float8", "float4", "complex8", "complex16"])
        numbers = [rng.randint(-2, 2) for _ in range(int(np.prod(shape, dtype=int)))]
        if "complex" in name:
            numbers = [complex(x, rng.randint(-1, 1)) for x in numbers]
        return np.array(numbers, dtype=TYPES[name]).reshape(shape)

    def numpy(self):
        dtype = np.result_type(*[operand.dtype for operand in self.operands])
        return np.asarray(np.einsum(self.equation, *self.operands, dtype=dtype), dtype=dtype)

    def sql(self):
        rng = self.rng
        arguments = [self.equation]
        placeholders = ["%s"]
        for operand in self.operands:
            if operand.ndim == 0 and not np.iscomplexobj(operand) and rng.random() < 0.5:
                kinds = ["real"] if operand.dtype == np.float32 else ["float8", "integer", "smallint", "bigint", "numeric"]
                placeholders.append("%s::" + rng.choice(kinds))
                arguments.append(number(operand.item()))
            else:
                placeholders.append("tensor_sparse(%s::tensor, " + rng.choice(["0", "1"]) + ")" if rng.random() < 0.25 else "%s::tensor")
                arguments.append(literal(operand))
        return f"SELECT einsum({', '.join(placeholders)})", arguments


def loops(call):
    """Values of all labels together; None if the equation or the shapes are wrong."""
    extents = {}
    terms = call.equation.replace(" ", "").split("->")[0].split(",")
    for term, operand in zip(terms, call.operands):
        head, dots, tail = term.partition("...")
        middle = operand.ndim - len(head) - len(tail)
        if middle < 0:
            return None
        names = list(head) + [f"...{middle - i}" for i in range(middle)] + list(tail)
        for name, n in zip(names, operand.shape):
            extents[name] = max(extents.get(name, 1), n)
    return float(np.prod([float(n) for n in extents.values()]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION IF NOT EXISTS sparseeinsum")
    passed = failed = refused = ellipses = 0
    case = 0
    while passed + failed < arguments.count:
        case += 1
        rng = random.Random(arguments.seed * 1_000_003 + case)
        call = Call(rng)
        terms = loops(call)
        if terms is not None and terms > MOST_TERMS:
            continue
        # the largest sum there can be, against what float4 holds exactly
        largest = (terms or 1) * np.prod([3.0 if np.iscomplexobj(x) else 2.0 for x in call.operands])
        if largest >= (2**24 if any(x.dtype in (np.float32, np.complex64) for x in call.operands) else 2**53):
            continue
        try:
            expected = call.numpy()
            reason = None
        except (ValueError, IndexError, TypeError) as error:
            expected = None
            reason = str(error)
        query, values = call.sql()
        try:
            cursor.execute(f"SELECT tensor_type(t), tensor_shape(t), t::text FROM ({query} AS t) x", values)
            found = parse(*cursor.fetchone())
            answer = None
        except psycopg2.Error as error:
            found = None
            answer = f"{error.pgcode} {error.diag.message_primary}"
            if error.pgcode is None or error.pgcode.startswith("XX"):
                expected, found = True, None  # a refusal for no reason that users can see
        if expected is None or found is None:
            same = expected is None and found is None
            refused += same
        else:
            same = expected.dtype == found.dtype and expected.shape == found.shape and np.array_equal(expected, found)
        ellipses += "..." in call.equation
        if same:
            passed += 1
            continue
        failed += 1
        if failed <= 20:
            print(f"case {case}: {cursor.mogrify(query, values).decode()}")
            print(f"  numpy: {reason or repr(expected)}")
            print(f"  einsum: {answer or repr(found)}")
    print(f"einsum_values: {refused} calls refused by both, {ellipses} with an ellipsis")
    print(f"{passed} passed, {failed} failed")
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
