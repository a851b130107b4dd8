#!/usr/bin/env python3
"""Quantum circuits: reads OpenQASM 2 and has the database compute the amplitudes of all states.

    examples/circuits.py FILE.qasm [--form gates|layers] [--alternative N] [--show program|plan|svg]

The connection is libpq's (PGHOST, PGDATABASE, ...); the extension is installed there. The program has one statement for
each gate (gates), on a state with one label for each qubit, or one for each layer of gates that act on different qubits
(layers), each a sparse matrix over all states. A state is an element of complex16. Without --show, the likeliest
values of the classical bits are printed.

A measurement in the middle stays a sum over all outcomes: where later gates may change a measured qubit, the outcome is copied to
a wire of its own, which no later gate changes. So reset (which leaves the outcome behind) and `if` (a gate controlled by outcomes) are
gates too, and |amplitude|^2 is the probability of these outcomes together with the final state.
"""

import argparse
import cmath
import io
import itertools
import math
import os
import re
import sys
import time

PI = math.pi
# the operations that a word stands for in expressions
FUNCTIONS = {"sin": math.sin, "cos": math.cos, "tan": math.tan, "exp": math.exp, "ln": math.log, "sqrt": math.sqrt}
TOKEN = re.compile(r"""(?P<blank>\s+|//[^\n]*)|(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|"(?P<string>[^"]*)"
    |(?P<word>[A-Za-z_]\w*)|(?P<sign>->|==|\*\*|[-+*/^(){}\[\],;])""", re.X)


class Error(Exception):
    """what a file says that cannot be read, with its line"""


# Gates, as matrices: rows are what comes out, columns what goes in, the first qubit is the most significant bit. Phases
# are those of the definitions in qelib1.inc.

def rotation(theta, phi, lam):
    """U of OpenQASM"""
    c, s = math.cos(theta / 2), math.sin(theta / 2)
    return [[c, -cmath.exp(1j * lam) * s], [cmath.exp(1j * phi) * s, cmath.exp(1j * (phi + lam)) * c]]


def phase(lam):
    return [[1, 0], [0, cmath.exp(1j * lam)]]


def controlled(matrix, controls=1):
    """the gate where all controls are 1, which come before its own qubits"""
    size = len(matrix)
    full = size << controls
    first = full - size
    return [[matrix[i - first][j - first] if min(i, j) >= first else int(i == j) for j in range(full)] for i in range(full)]


def permutation(*images):
    """sends state k to state images[k]"""
    return [[int(images[j] == i) for j in range(len(images))] for i in range(len(images))]


def turned(angle, matrix):
    """times a phase"""
    return [[cmath.exp(1j * angle) * e if e else 0 for e in row] for row in matrix]


def crossed(theta):
    """rxx"""
    c, s = math.cos(theta / 2), -1j * math.sin(theta / 2)
    return turned(-theta / 2, [[c, 0, 0, s], [0, c, s, 0], [0, s, c, 0], [s, 0, 0, c]])


HALF = math.sqrt(0.5)
X = permutation(1, 0)
Y = [[0, -1j], [1j, 0]]
H = [[HALF, HALF], [HALF, -HALF]]
SWAP = permutation(0, 2, 1, 3)
# the square root of X that controlled gates have; sx itself is this one times exp(-i pi / 4)
ROOT = [[(1 + 1j) / 2, (1 - 1j) / 2], [(1 - 1j) / 2, (1 + 1j) / 2]]

# name: the number of parameters, and the matrix or what makes it
STANDARD = {
    "U": (3, rotation), "CX": (0, controlled(X)),
    "u3": (3, rotation), "u": (3, rotation), "u2": (2, lambda phi, lam: rotation(PI / 2, phi, lam)),
    "u1": (1, phase), "p": (1, phase), "u0": (1, lambda _: phase(0)), "id": (0, phase(0)),
    "x": (0, X), "y": (0, Y), "z": (0, [[1, 0], [0, -1]]), "h": (0, H),
    "s": (0, [[1, 0], [0, 1j]]), "sdg": (0, [[1, 0], [0, -1j]]), "t": (0, phase(PI / 4)), "tdg": (0, phase(-PI / 4)),
    "rx": (1, lambda theta: rotation(theta, -PI / 2, PI / 2)), "ry": (1, lambda theta: rotation(theta, 0, 0)), "rz": (1, phase),
    "sx": (0, [[HALF, -1j * HALF], [-1j * HALF, HALF]]), "sxdg": (0, [[HALF, 1j * HALF], [1j * HALF, HALF]]),
    "cx": (0, controlled(X)), "cy": (0, controlled(Y)), "cz": (0, controlled([[1, 0], [0, -1]])), "ch": (0, turned(PI / 4, controlled(H))),
    "swap": (0, SWAP), "cswap": (0, controlled(SWAP)),
    "ccx": (0, controlled(X, 2)), "c3x": (0, controlled(X, 3)), "c4x": (0, controlled(X, 4)),
    "csx": (0, controlled(ROOT)), "c3sqrtx": (0, controlled(ROOT, 3)),
    "crx": (1, lambda theta: controlled(rotation(theta, -PI / 2, PI / 2))), "cry": (1, lambda theta: controlled(rotation(theta, 0, 0))),
    "crz": (1, lambda lam: controlled(turned(-lam / 2, phase(lam)))),
    "cu1": (1, lambda lam: controlled(phase(lam))), "cp": (1, lambda lam: controlled(phase(lam))),
    "cu3": (3, lambda *angles: controlled(rotation(*angles))),
    "cu": (4, lambda theta, phi, lam, gamma: controlled(turned(gamma, rotation(theta, phi, lam)))),
    "rzz": (1, lambda theta: [[e if i == j else 0 for j in range(4)] for i, e in enumerate((1, cmath.exp(1j * theta), cmath.exp(1j * theta), 1))]),
    "rxx": (1, crossed),
}
# those that are no control of a smaller one are sequences
SEQUENCES = """
gate rccx a,b,c { u2(0,pi) c; u1(pi/4) c; cx b,c; u1(-pi/4) c; cx a,c; u1(pi/4) c; cx b,c; u1(-pi/4) c; u2(0,pi) c; }
gate rc3x a,b,c,d { u2(0,pi) d; u1(pi/4) d; cx c,d; u1(-pi/4) d; u2(0,pi) d; cx a,d; u1(pi/4) d; cx b,d; u1(-pi/4) d; cx a,d; u1(pi/4) d;
    cx b,d; u1(-pi/4) d; u2(0,pi) d; u1(pi/4) d; cx c,d; u1(-pi/4) d; u2(0,pi) d; }
"""


class Gate:
    """name, its matrix, and the wires that it acts on"""

    def __init__(self, name, matrix, wires):
        self.name, self.matrix, self.wires = name, matrix, wires

    def keeps(self, wire):
        """does it leave the value of a wire as it is, as a control does?"""
        if wire not in self.wires:
            return True
        bit = 1 << (len(self.wires) - 1 - self.wires.index(wire))
        return not any(e and (i ^ j) & bit for i, row in enumerate(self.matrix) for j, e in enumerate(row))


class Reader:
    """statements of OpenQASM 2 as operations: ("gate", Gate, condition), ("measure", qubit, (register, bit)), ("reset", qubit), and
    ("barrier", qubits). A condition is None or (register, value)"""

    def __init__(self, text, folder="."):
        self.folder, self.qubits, self.registers, self.bits = folder, 0, {}, {}
        self.definitions, self.operations, self.included = {}, [], False
        self.read(text)

    def read(self, text):
        outer = getattr(self, "tokens", None), getattr(self, "at", None)
        self.tokens, self.at = self.scan(text), 0
        while self.tokens[self.at][0] != "end":
            self.statement()
        self.tokens, self.at = outer

    def scan(self, text):
        tokens, at = [], 0
        while at < len(text):
            found = TOKEN.match(text, at)
            if not found:
                raise Error("line %d: cannot read %r" % (text.count("\n", 0, at) + 1, text[at:at + 20]))
            if found.lastgroup != "blank":
                tokens.append((found.lastgroup, found[found.lastgroup], text.count("\n", 0, at) + 1))
            at = found.end()
        return tokens + [("end", "the end", text.count("\n") + 1)]

    def fail(self, message):
        raise Error("line %d: %s" % (self.tokens[self.at][2], message))

    def next(self, *expected):
        """the next token, which is one of these texts, or of this kind if it is called so in brackets, as <word>"""
        kind, value, _ = self.tokens[self.at]
        if expected and value not in expected and "<%s>" % kind not in expected:
            self.fail("%s instead of %s" % (value, " or ".join(expected)))
        self.at += 1
        return value

    def ahead(self, *texts):
        return self.tokens[self.at][0] != "string" and self.tokens[self.at][1] in texts

    def listed(self, item, end):
        """item, item, ... up to a token, which is read"""
        found = []
        if not self.ahead(end):
            found.append(item())
            while self.ahead(","):
                self.next()
                found.append(item())
        self.next(end)
        return found

    def word(self):
        return self.next("<word>")

    def statement(self):
        word = self.next("<word>")
        if word == "OPENQASM":
            if not self.next("<number>").startswith("2"):
                self.fail("this is not OpenQASM 2")
            self.next(";")
        elif word == "include":
            self.include(self.next("<string>"))
        elif word in ("qreg", "creg"):
            name = self.word()
            self.next("[")
            size = int(self.next("<number>"))
            self.next("]")
            self.next(";")
            if name in self.registers or name in self.bits:
                self.fail("%s is there already" % name)
            if word == "qreg":
                self.registers[name] = range(self.qubits, self.qubits + size)
                self.qubits += size
            else:
                self.bits[name] = size
        elif word == "gate":
            self.definition()
        elif word == "opaque":
            while self.next() != ";":
                pass
        elif word == "barrier":
            self.operations.append(("barrier", sorted(set(itertools.chain(*self.listed(self.argument, ";"))))))
        else:
            condition = None
            if word == "if":
                self.next("(")
                name = self.word()
                if name not in self.bits:
                    self.fail("no register of bits %s" % name)
                self.next("==")
                condition = name, int(self.next("<number>"))
                self.next(")")
                word = self.word()
            self.operation(word, condition)

    def include(self, file):
        self.next(";")
        if file == "qelib1.inc":
            self.included = True
            self.read(SEQUENCES)
        else:
            with open(os.path.join(self.folder, file)) as text:
                self.read(text.read())

    def argument(self):
        """the qubits that a register or an element of it is"""
        name = self.word()
        if name not in self.registers:
            self.fail("no register of qubits %s" % name)
        return self.element(self.registers[name])

    def element(self, register):
        if not self.ahead("["):
            return list(register)
        self.next("[")
        index = int(self.next("<number>"))
        self.next("]")
        if index >= len(register):
            self.fail("there is no element %d" % index)
        return [register[index]]

    def bit_argument(self):
        name = self.word()
        if name not in self.bits:
            self.fail("no register of bits %s" % name)
        return self.element([(name, bit) for bit in range(self.bits[name])])

    def definition(self):
        name, parameters = self.word(), []
        if self.ahead("("):
            self.next()
            parameters = self.listed(self.word, ")")
        qubits, body = self.listed(self.word, "{"), []
        while not self.ahead("}"):
            inner, angles = self.word(), []
            if inner == "barrier":
                self.listed(self.word, ";")
                continue
            if self.ahead("("):
                self.next()
                angles = self.listed(self.expression, ")")
            body.append((inner, angles, self.listed(self.word, ";")))
        self.next("}")
        self.definitions[name] = parameters, qubits, body

    def operation(self, word, condition):
        if word == "measure":
            qubits = self.argument()
            self.next("->")
            bits = self.bit_argument()
            self.next(";")
            if len(qubits) != len(bits):
                self.fail("%d qubits are measured to %d bits" % (len(qubits), len(bits)))
            found = [("measure", qubit, bit) for qubit, bit in zip(qubits, bits)]
        elif word == "reset":
            found = [("reset", qubit) for qubit in self.argument()]
            self.next(";")
        else:
            angles = []
            if self.ahead("("):
                self.next()
                angles = [angle({}) for angle in self.listed(self.expression, ")")]
            registers = self.listed(self.argument, ";")
            count = max(map(len, registers), default=0)
            if any(len(register) not in (1, count) for register in registers):
                self.fail("registers of different lengths")
            found = []
            for n in range(count):
                wires = [register[n % len(register)] for register in registers]
                if len(set(wires)) < len(wires):
                    self.fail("%s acts on one qubit twice" % word)
                found += [("gate", gate, condition) for gate in self.gates(word, angles, wires)]
        if condition and word in ("measure", "reset"):
            self.fail("%s under a condition" % word)
        self.operations += found

    def gates(self, name, angles, wires):
        """the gates that a name stands for"""
        if name in self.definitions:
            parameters, qubits, body = self.definitions[name]
            if (len(parameters), len(qubits)) != (len(angles), len(wires)):
                self.fail("%s has %d parameters and %d qubits" % (name, len(parameters), len(qubits)))
            values, places = dict(zip(parameters, angles)), dict(zip(qubits, wires))
            return [gate for inner, expressions, arguments in body for gate in self.gates(
                inner, [expression(values) for expression in expressions], [places[argument] for argument in arguments])]
        if name not in STANDARD or not (self.included or name in ("U", "CX")):
            self.fail("there is no gate %s" % name)
        count, matrix = STANDARD[name]
        if count != len(angles):
            self.fail("%s has %d parameters" % (name, count))
        if count:
            matrix = matrix(*angles)
        if len(matrix) != 1 << len(wires):
            self.fail("%s has %d qubits" % (name, len(matrix).bit_length() - 1))
        return [Gate(name + "".join("_%.17g" % angle for angle in angles), matrix, wires)]

    # expressions, as functions of the values of parameters

    def expression(self):
        left = self.term()
        while self.ahead("+", "-"):
            sign, right = self.next(), self.term()
            left = (lambda a, b, sign: lambda v: a(v) + b(v) if sign == "+" else a(v) - b(v))(left, right, sign)
        return left

    def term(self):
        left = self.signed()
        while self.ahead("*", "/"):
            sign, right = self.next(), self.signed()
            left = (lambda a, b, sign: lambda v: a(v) * b(v) if sign == "*" else a(v) / b(v))(left, right, sign)
        return left

    def signed(self):
        if self.ahead("-", "+"):
            sign, inner = self.next(), self.signed()
            return (lambda v: -inner(v)) if sign == "-" else inner
        base = self.atom()
        if self.ahead("^", "**"):
            self.next()
            power = self.signed()
            return lambda v: base(v) ** power(v)
        return base

    def atom(self):
        kind, value, _ = self.tokens[self.at]
        if kind == "number":
            self.next()
            return lambda v: float(value)
        if self.ahead("("):
            self.next()
            inner = self.expression()
            self.next(")")
            return inner
        word = self.word()
        if word == "pi":
            return lambda v: PI
        if word in FUNCTIONS:
            self.next("(")
            inner = self.expression()
            self.next(")")
            return lambda v: FUNCTIONS[word](inner(v))
        return lambda v: v[word]


class Circuit:
    """gates on wires, of which the first `qubits` are qubits and the others outcomes; steps: gates, and None at a barrier;
    events: the wire that has the outcome of each measurement and reset, in their order; bits: of classical ones"""

    def __init__(self, reader):
        self.qubits = self.wires = reader.qubits
        self.steps, self.events, self.bits = [], [], {}
        operations = reader.operations
        for n, (kind, *what) in enumerate(operations):
            if kind == "gate":
                gate, condition = what
                gate = self.conditional(gate, condition, reader.bits) if condition else gate
                self.steps += [gate] if gate else []
            elif kind == "barrier":
                self.steps.append(None)
            elif kind == "reset":
                self.steps.append(Gate("swap", SWAP, [what[0], self.wires]))
                self.outcome(self.wires)
            elif any(self.changes(later, what[0]) for later in operations[n + 1:]):
                self.steps.append(Gate("cx", controlled(X), [what[0], self.wires]))
                self.bits[what[1]] = self.wires
                self.outcome(self.wires)
            else:
                self.bits[what[1]] = what[0]
                self.outcome(what[0])

    def outcome(self, wire):
        self.events.append(wire)
        self.wires = max(self.wires, wire + 1)

    @staticmethod
    def changes(operation, qubit):
        return operation == ("reset", qubit) or operation[0] == "gate" and not operation[1].keeps(qubit)

    def conditional(self, gate, condition, sizes):
        """the gate where a register has a value; None if it never has. Bits not measured are 0"""
        register, value = condition
        if value >> sizes[register]:
            return None
        needed = {}
        for bit in range(sizes[register]):
            wire = self.bits.get((register, bit))
            if wire is None and value >> bit & 1 or needed.setdefault(wire, value >> bit & 1) != value >> bit & 1:
                return None
        needed.pop(None, None)
        wires = sorted(set(needed) - set(gate.wires)) + gate.wires
        if len(wires) > 10:
            raise Error("a condition on %d bits" % len(needed))
        size, own = 1 << len(wires), len(gate.matrix)

        def holds(state):
            return all(state >> (len(wires) - 1 - wires.index(wire)) & 1 == bit for wire, bit in needed.items())
        matrix = [[int(i == j) if not holds(j) else gate.matrix[i % own][j % own] if i // own == j // own else 0
                for j in range(size)] for i in range(size)]
        return Gate("%s_if_%s" % (gate.name, "_".join("%d" % (needed[w] if w in needed else 2) for w in wires)), matrix, wires)

    def layers(self):
        """gates as early as they can be, none before a barrier that it comes after"""
        free, found = [0] * self.wires, []
        for gate in self.steps:
            if gate is None:
                free = [len(found)] * self.wires
                continue
            layer = max(free[wire] for wire in gate.wires)
            if layer == len(found):
                found.append([])
            found[layer].append(gate)
            for wire in gate.wires:
                free[wire] = layer + 1
        return found


def number(value):
    value = complex(value)
    return "%r%s%ri" % (value.real, "-" if math.copysign(1, value.imag) < 0 else "+", abs(value.imag))


class Simulation:
    """a circuit in the database: tables of its gates, in a schema of their own, and a program that computes its state"""

    def __init__(self, cursor, circuit, form, schema="circuit"):
        self.cursor, self.circuit, self.schema, self.stored = cursor, circuit, schema, {}
        cursor.execute("select set_config('search_path', quote_ident(%s) || ', ' || current_setting('search_path'), false)", (schema,))
        cursor.execute("drop schema if exists {0} cascade; create schema {0}".format(schema))
        self.program = ";\n".join(self.by_gates() if form == "gates" else self.by_layers())

    def table(self, name, labels, keys, bounds, rows, shape=""):
        """a registered table of rows of keys and one value, as a text"""
        self.cursor.execute("create table %s (%sv tensor(complex16%s) not null%s)" % (
            name, "".join(key + " int not null, " for key in keys), shape, ", primary key (%s)" % ", ".join(keys) if keys else ""))
        self.copy(name, rows)
        self.cursor.execute("analyze %s" % name)
        self.cursor.execute("select einsum_register(%s, %s, %s, 'v', %s::int[])", ("%s[%s]" % (name, labels), name, keys, bounds))

    def copy(self, name, rows):
        self.cursor.copy_expert("copy %s from stdin" % name, io.StringIO("".join("\t".join(map(str, row)) + "\n" for row in rows)))

    def by_gates(self):
        """a gate has one label for a wire that it keeps, and two, after and before, for any other"""
        wires = range(self.circuit.wires)
        state = "s0[%s]" % ",".join("q%d" % wire for wire in wires)
        keys = ["k%d" % wire for wire in wires]
        self.table("s0", ",".join(key.upper() for key in keys), keys, [2] * len(keys), [[0] * len(keys) + ["complex16:1+0i"]], ",0")
        if not any(self.circuit.steps):
            yield "psi[%s] = %s" % (",".join("q%d" % wire for wire in wires), state)
        gates = [gate for gate in self.circuit.steps if gate]
        for n, gate in enumerate(gates, 1):
            name = "s%d" % n if n < len(gates) else "psi"
            tensor, moved = self.gate(gate)
            labels = ["q%d" % wire for wire in gate.wires] + ["p%d" % wire for wire in moved]
            before = ",".join("%s%d" % ("p" if wire in moved else "q", wire) for wire in wires)
            yield "%s[%s] = %s[%s]*%s[%s]" % (
                name, ",".join("q%d" % wire for wire in wires), tensor, ",".join(labels), state.split("[")[0], before)
            state = name

    def gate(self, gate):
        """its table, and the wires that it changes"""
        moved = [wire for wire in gate.wires if not gate.keeps(wire)]
        if gate.name not in self.stored:
            name = self.stored[gate.name] = "g%d_%s" % (len(self.stored), re.split("[^a-zA-Z0-9]", gate.name)[0].lower())
            count = len(gate.wires)
            places = [gate.wires.index(wire) for wire in moved]

            def block(after, bits):
                if len(after) < count:
                    return "[%s]" % ",".join(block(after + [b], bits) for b in (0, 1))
                if len(bits) < len(places):
                    return "[%s]" % ",".join(block(after, bits + [b]) for b in (0, 1))
                before = list(after)
                for place, b in zip(places, bits):
                    before[place] = b
                return number(gate.matrix[int("".join(map(str, after)), 2)][int("".join(map(str, before)), 2)])
            rank = count + len(moved)
            self.table(name, ",".join("i%d" % n for n in range(rank)), [], [2] * rank, [["complex16:" + block([], [])]], ",%d" % rank)
            self.cursor.execute("comment on table %s is %%s" % name, (gate.name,))
        return self.stored[gate.name], moved

    def by_layers(self):
        """psi = u_n ... u_2 u_1 s0, each matrix the tensor product of the gates of a layer"""
        size = 1 << self.circuit.wires
        self.table("s0", "I", ["i"], [size], [[0, "complex16:1+0i"]], ",0")
        layers, state = self.circuit.layers(), "s0"
        if not layers:
            yield "psi[i] = s0[i]"
        for n, layer in enumerate(layers, 1):
            self.table("u%d" % n, "I,J", ["i", "j"], [size, size], self.product(layer), ",0")
            after = "s%d" % n if n < len(layers) else "psi"
            yield "%s[i] = u%d[i,j]*%s[j]" % (after, n, state)
            state = after

    def product(self, layer):
        """rows of the entries that are not 0 of the tensor product of gates, and of nothing on other wires"""
        top = self.circuit.wires - 1
        entries = [(0, 0, 1)]
        for gate in layer:
            def spread(state):
                return sum((state >> (len(gate.wires) - 1 - n) & 1) << (top - wire) for n, wire in enumerate(gate.wires))
            own = [(spread(i), spread(j), e) for i, row in enumerate(gate.matrix) for j, e in enumerate(row) if e]
            entries = [(i + k, j + l, e * f) for i, j, e in entries for k, l, f in own]
        idle = [0]
        for wire in set(range(self.circuit.wires)).difference(*(gate.wires for gate in layer)):
            idle += [state + (1 << (top - wire)) for state in idle]
        for i, j, e in entries:
            text = "complex16:" + number(e)
            for state in idle:
                yield i + state, j + state, text

    def plan(self, **options):
        arguments = "".join(", %s => %%(%s)s" % (option, option) for option in options)
        self.cursor.execute("select einsum_plan(%(program)s" + arguments + ")", dict(options, program=self.program))
        return "\n".join(line for line, in self.cursor.fetchall())

    def amplitudes(self, **options):
        """a list of complex numbers; the first wire is the most significant bit of an index"""
        arguments = "".join(", %s => %%(%s)s" % (option, option) for option in options)
        self.cursor.execute("select einsum_value(%(program)s" + arguments + ")", dict(options, program=self.program))
        text, = self.cursor.fetchone()
        return [complex(e.replace("i", "j")) for e in re.sub(r"^complex16:|[\[\]]", "", text).split(",")]

    def outcomes(self, amplitudes):
        """{values of the classical bits, as text: probability}; without classical bits those of the qubits"""
        wires = [self.circuit.bits[bit] for bit in sorted(self.circuit.bits)] or range(self.circuit.qubits)
        found = {}
        for state, amplitude in enumerate(amplitudes):
            if amplitude:
                key = "".join("%d" % (state >> (self.circuit.wires - 1 - wire) & 1) for wire in wires)
                found[key] = found.get(key, 0) + abs(amplitude) ** 2
        return found


def read(file):
    with open(file) as text:
        return Circuit(Reader(text.read(), os.path.dirname(file)))


def main():
    import psycopg2

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--form", choices=("gates", "layers"), default="gates")
    parser.add_argument("--alternative", type=int, default=1, help="the plan that is run: 1 is the cheapest")
    parser.add_argument("--show", choices=("program", "plan", "svg"))
    arguments = parser.parse_args()
    try:
        circuit = read(arguments.file)
    except Error as problem:
        sys.exit("%s: %s" % (arguments.file, problem))
    connection = psycopg2.connect("")
    connection.autocommit = True
    simulation = Simulation(connection.cursor(), circuit, arguments.form)
    if arguments.show:
        print(simulation.program if arguments.show == "program" else
            simulation.plan(format="text" if arguments.show == "plan" else "svg", alternative=arguments.alternative))
        return
    start = time.monotonic()
    amplitudes = simulation.amplitudes(alternative=arguments.alternative)
    print("%d qubits, %d wires, %d gates in %d layers: %.3f s" % (
        circuit.qubits, circuit.wires, sum(map(bool, circuit.steps)), len(circuit.layers()), time.monotonic() - start))
    names = ["%s[%d]" % bit for bit in sorted(circuit.bits)]
    print("  ".join(["probability"] + names))
    for key, probability in sorted(simulation.outcomes(amplitudes).items(), key=lambda item: -item[1])[:16]:
        print("  ".join(["%-11.6f" % probability] + [value.ljust(len(name)) for value, name in zip(key, names or key)]))


if __name__ == "__main__":
    main()
