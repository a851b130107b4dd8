"""OpenQASM 2 by U and CX alone, on an array of numpy: what examples/circuits.py is compared with, of which it shares nothing.

Every gate of qelib1.inc is expanded as it is defined there. A measurement or reset splits the state into one branch for each outcome.
"""

import math
import re

import numpy as np

QELIB1 = """
gate u3(t,p,l) q { U(t,p,l) q; }  gate u2(p,l) q { U(pi/2,p,l) q; }  gate u1(l) q { U(0,0,l) q; }  gate cx c,t { CX c,t; }
gate id a { U(0,0,0) a; }  gate u0(g) q { U(0,0,0) q; }  gate u(t,p,l) q { U(t,p,l) q; }  gate p(l) q { U(0,0,l) q; }
gate x a { u3(pi,0,pi) a; }  gate y a { u3(pi,pi/2,pi/2) a; }  gate z a { u1(pi) a; }  gate h a { u2(0,pi) a; }
gate s a { u1(pi/2) a; }  gate sdg a { u1(-pi/2) a; }  gate t a { u1(pi/4) a; }  gate tdg a { u1(-pi/4) a; }
gate rx(t) a { u3(t,-pi/2,pi/2) a; }  gate ry(t) a { u3(t,0,0) a; }  gate rz(p) a { u1(p) a; }
gate sx a { sdg a; h a; sdg a; }  gate sxdg a { s a; h a; s a; }
gate cz a,b { h b; cx a,b; h b; }  gate cy a,b { sdg b; cx a,b; s b; }  gate swap a,b { cx a,b; cx b,a; cx a,b; }
gate ch a,b { h b; sdg b; cx a,b; h b; t b; cx a,b; t b; h b; s b; x b; s a; }
gate ccx a,b,c { h c; cx b,c; tdg c; cx a,c; t c; cx b,c; tdg c; cx a,c; t b; t c; h c; cx a,b; t a; tdg b; cx a,b; }
gate cswap a,b,c { cx c,b; ccx a,b,c; cx c,b; }
gate crx(l) a,b { u1(pi/2) b; cx a,b; u3(-l/2,0,0) b; cx a,b; u3(l/2,-pi/2,0) b; }
gate cry(l) a,b { ry(l/2) b; cx a,b; ry(-l/2) b; cx a,b; }  gate crz(l) a,b { rz(l/2) b; cx a,b; rz(-l/2) b; cx a,b; }
gate cu1(l) a,b { u1(l/2) a; cx a,b; u1(-l/2) b; cx a,b; u1(l/2) b; }  gate cp(l) a,b { cu1(l) a,b; }
gate cu3(t,p,l) c,x { u1((l+p)/2) c; u1((l-p)/2) x; cx c,x; u3(-t/2,0,-(p+l)/2) x; cx c,x; u3(t/2,p,0) x; }
gate csx a,b { h b; cu1(pi/2) a,b; h b; }  gate cu(t,p,l,g) c,x { p(g) c; cu3(t,p,l) c,x; }
gate rxx(t) a,b { u3(pi/2,t,0) a; h b; cx a,b; u1(-t) b; cx a,b; h b; u2(-pi,pi-t) a; }  gate rzz(t) a,b { cx a,b; u1(t) b; cx a,b; }
gate rccx a,b,c { u2(0,pi) c; u1(pi/4) c; cx b,c; u1(-pi/4) c; cx a,c; u1(pi/4) c; cx b,c; u1(-pi/4) c; u2(0,pi) c; }
gate rc3x a,b,c,d { u2(0,pi) d; u1(pi/4) d; cx c,d; u1(-pi/4) d; u2(0,pi) d; cx a,d; u1(pi/4) d; cx b,d; u1(-pi/4) d;
  cx a,d; u1(pi/4) d; cx b,d; u1(-pi/4) d; u2(0,pi) d; u1(pi/4) d; cx c,d; u1(-pi/4) d; u2(0,pi) d; }
gate c3x a,b,c,d { h d; p(pi/8) a; p(pi/8) b; p(pi/8) c; p(pi/8) d; cx a,b; p(-pi/8) b; cx a,b; cx b,c; p(-pi/8) c; cx a,c; p(pi/8) c;
  cx b,c; p(-pi/8) c; cx a,c; cx c,d; p(-pi/8) d; cx b,d; p(pi/8) d; cx c,d; p(-pi/8) d; cx a,d; p(pi/8) d; cx c,d; p(-pi/8) d;
  cx b,d; p(pi/8) d; cx c,d; p(-pi/8) d; cx a,d; h d; }
gate c3sqrtx a,b,c,d { h d; cu1(pi/8) a,d; h d; cx a,b; h d; cu1(-pi/8) b,d; h d; cx a,b; h d; cu1(pi/8) b,d; h d; cx b,c; h d;
  cu1(-pi/8) c,d; h d; cx a,c; h d; cu1(pi/8) c,d; h d; cx b,c; h d; cu1(-pi/8) c,d; h d; cx a,c; h d; cu1(pi/8) c,d; h d; }
gate c4x a,b,c,d,e { h e; cu1(pi/2) d,e; h e; c3x a,b,c,d; h e; cu1(-pi/2) d,e; h e; c3x a,b,c,d; c3sqrtx a,b,c,e; }
"""


def arguments(text):
    """what commas outside of parentheses separate"""
    parts, depth = [""], 0
    for sign in text or "":
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def evaluate(expression, values):
    names = {name: getattr(math, name) for name in ("sin", "cos", "tan", "exp", "sqrt", "pi")}
    return eval(expression.replace("^", "**"), {"__builtins__": {}}, {**names, "ln": math.log, **values})


def call(statement):
    """name, angles, and operands of an application"""
    found = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*([\w\[\],\s]*)", statement, re.S)
    return found[1], arguments(found[2]), arguments(found[3])


class Branches:
    """outcomes, values of the classical bits, and the state (not normalised), an axis for each qubit"""

    def __init__(self, text):
        self.gates, self.qubits, self.bits, sizes = {}, {}, {}, 0
        text = re.sub(r"//[^\n]*", "", text)
        text = re.sub(r'include\s*"qelib1.inc"\s*;', QELIB1, text)
        for name, angles, operands, body in re.findall(r"gate\s+(\w+)\s*(?:\(([^)]*)\))?\s*([\w\s,]+)\{([^}]*)\}", text):
            self.gates[name] = arguments(angles), arguments(operands), [s for s in body.split(";") if s.strip()]
        statements = [s.strip() for s in re.sub(r"gate\s[^{]*\{[^}]*\}", "", text).split(";") if s.strip()]
        for register, size in re.findall(r"qreg\s+(\w+)\s*\[(\d+)\]", text):
            self.qubits[register] = [sizes + n for n in range(int(size))]
            sizes += int(size)
        for register, size in re.findall(r"creg\s+(\w+)\s*\[(\d+)\]", text):
            self.bits[register] = [(register, n) for n in range(int(size))]
        start = np.zeros((2,) * sizes, dtype=complex)
        start[(0,) * sizes] = 1
        self.branches = [((), {}, start)]
        for statement in statements:
            if not re.match(r"(OPENQASM|qreg|creg|barrier)\b", statement):
                self.run(statement)

    def many(self, operand, registers):
        found = re.fullmatch(r"(\w+)\s*(?:\[(\d+)\])?", operand)
        elements = registers[found[1]]
        return elements if found[2] is None else [elements[int(found[2])]]

    def run(self, statement):
        condition = re.match(r"if\s*\(\s*(\w+)\s*==\s*(\d+)\s*\)", statement)
        if condition:
            name, value = condition[1], int(condition[2])
            statement = statement[condition.end():]
        if statement.startswith("measure"):
            source, target = statement[len("measure"):].split("->")
            for qubit, bit in zip(self.many(source.strip(), self.qubits), self.many(target.strip(), self.bits)):
                self.split(qubit, bit)
            return
        if re.match(r"reset\b", statement):
            for qubit in self.many(statement[len("reset"):].strip(), self.qubits):
                self.split(qubit, None)
            return
        gate, angles, operands = call(statement)
        angles = [evaluate(angle, {}) for angle in angles]
        operands = [self.many(operand, self.qubits) for operand in operands]
        for n in range(max(map(len, operands))):
            qubits = [operand[n if len(operand) > 1 else 0] for operand in operands]
            for b, (outcomes, bits, state) in enumerate(self.branches):
                if not condition or sum(bits.get(bit, 0) << bit[1] for bit in self.bits[name]) == value:
                    self.branches[b] = outcomes, bits, self.apply(state, gate, angles, qubits)

    def apply(self, state, gate, angles, qubits):
        if gate in self.gates:
            names, operands, body = self.gates[gate]
            values, places = dict(zip(names, angles)), dict(zip(operands, qubits))
            for statement in body:
                inner, expressions, its = call(statement)
                if inner != "barrier":
                    state = self.apply(state, inner, [evaluate(e, values) for e in expressions], [places[q] for q in its])
            return state
        if gate == "CX":
            state = state.copy()
            ones = np.moveaxis(state, qubits, (0, 1))[1]
            ones[:] = ones[::-1].copy()
            return state
        assert gate == "U", gate
        t, p, l = angles
        u = np.array([[math.cos(t / 2), -np.exp(1j * l) * math.sin(t / 2)],
                      [np.exp(1j * p) * math.sin(t / 2), np.exp(1j * (p + l)) * math.cos(t / 2)]])
        return np.moveaxis(np.tensordot(u, state, (1, qubits[0])), 0, qubits[0])

    def split(self, qubit, bit):
        """by the outcome of a qubit; it becomes 0 if there is no bit to write to"""
        found = []
        for outcomes, bits, state in self.branches:
            for value in 0, 1:
                part = np.zeros_like(state)
                np.moveaxis(part, qubit, 0)[value if bit else 0] = np.moveaxis(state, qubit, 0)[value]
                if np.abs(part).max() > 1e-14:
                    found.append((outcomes + (value,), {**bits, bit: value} if bit else bits, part))
        self.branches = found
