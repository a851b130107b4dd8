"""Amplitudes of examples/circuits.py equal those of a simulation in numpy (test/data/qasm.py) to 1e-10, gate by gate and in
layers: circuits written here, with every gate of qelib1.inc, and all files of qasmbench."""

import os
import sys
import time

import numpy as np
from _data import available, directory, open_cursor

sys.path[:0] = ["test/data", "examples"]
import circuits  # noqa: E402
import qasm  # noqa: E402

LIMIT = 1e-10
# a state of complex16 with more qubits than this has more than max_kernel_bytes, and a tensor has at most 16 dimensions
MOST_WIRES = 16

HEAD = 'OPENQASM 2.0;\ninclude "qelib1.inc";\n'
# a state in which no two amplitudes are alike
MIXED = HEAD + "qreg q[5];\n" + "".join("u3(0.%d,1.%d,0.%d) q[%d];\n" % (3 + n, n, 7 - n, n) for n in range(5)) + \
    "cx q[0],q[1]; cx q[2],q[3]; cx q[3],q[4]; cx q[1],q[2]; ry(0.9) q[2]; rx(1.3) q[4]; ry(0.4) q[0];\n"
CIRCUITS = {
    "nothing": HEAD + "qreg q[2];",
    "registers": HEAD + """qreg a[2]; qreg b[2]; creg c[2]; creg d[2];
        // a register of qubits at once, one qubit with all of a register
        h a; cx a[0],b; cx a,b; ry(pi/3) b; barrier a,b[0]; u2(0.1,-0.2) a; measure a -> c; measure b -> d;""",
    "expressions": HEAD + """qreg q[1];
        rx(-pi*0.25) q[0]; ry(2^3/10 - 1e-1) q[0]; u3(sin(0.3)+cos(0.1),tan(0.2)*sqrt(2),-(ln(2)-exp(0.5))/2) q[0]; rz(--.5) q[0];""",
    "definitions": HEAD + """qreg q[3];
        gate half(a,b) x,y { ry(a/2) x; cx x,y; barrier x; u3(b,-a,a*b^2) y; }
        gate twice(a) x,y,z { half(a,a+1) z,x; half(-a,0.5) y,z; half(a,2) x,y; }
        twice(pi/7) q[2],q[0],q[1]; half(1,2) q[1],q[2];""",
    "without qelib1": "OPENQASM 2.0; qreg q[2]; gate h a { U(pi/2,0,pi) a; } h q[0]; CX q[0],q[1]; U(0.1,0.2,0.3) q[1];",
    "measured in the middle": HEAD + """qreg q[3]; creg c[3];
        ry(0.7) q[0]; ry(1.1) q[1]; cx q[0],q[1]; measure q[0] -> c[0]; h q[0]; cx q[0],q[2]; measure q[0] -> c[1]; ry(0.3) q[0];
        measure q[1] -> c[2]; cz q[1],q[0];""",
    "conditions": HEAD + """qreg q[3]; creg c[2]; creg d[1];
        ry(0.7) q; measure q[0] -> c[0]; measure q[1] -> c[1]; if (c==2) x q[2]; if(c==1) u3(0.1,0.2,0.3) q[0]; if (c==3) cx q[2],q[0];
        if (d==1) x q[0]; if (d==0) t q[2]; if (c==7) h q[1]; measure q[2] -> c[0]; if (c==1) h q[1];""",
    "reset": HEAD + """qreg q[2]; creg c[2]; ry(0.7) q[0]; cx q[0],q[1]; reset q[0]; ry(0.2) q[0]; measure q[1] -> c[0]; reset q;
        if (c==1) x q[0];""",
}
# every gate once, and once more with its qubits the other way round
ANGLES = ["0.3", "-1.1", "0.8", "2.3"]
for name, (count, matrix) in circuits.STANDARD.items():
    size = len(matrix(*map(float, ANGLES[:count])) if count else matrix).bit_length() - 1
    angles = "(%s)" % ",".join(ANGLES[:count]) if count else ""
    CIRCUITS["gate " + name] = MIXED + "".join("%s%s %s;\n" % (name, angles, ",".join("q[%d]" % q for q in order)) for order in (
        range(size), range(4, 4 - size, -1)))
for name, size in ("rccx", 3), ("rc3x", 4):
    CIRCUITS["gate " + name] = MIXED + "%s %s;" % (name, ",".join("q[%d]" % q for q in range(size)))
WRONG = {
    "no gate": (HEAD + "qreg q[1]; nonsense q[0];", "line 3: there is no gate nonsense"),
    "no element": (HEAD + "qreg q[1];\nx q[1];", "line 4: there is no element 1"),
    "no register": (HEAD + "x q[1];", "line 3: no register of qubits q"),
    "parameters": (HEAD + "qreg q[1]; rx q[0];", "line 3: rx has 1 parameters"),
    "qubits": (HEAD + "qreg q[2]; cx q[0];", "line 3: cx has 2 qubits"),
    "one qubit twice": (HEAD + "qreg q[2]; cx q[0],q[0];", "line 3: cx acts on one qubit twice"),
    "version": ("OPENQASM 3.0;", "line 1: this is not OpenQASM 2"),
    "text": (HEAD + "qreg q[2] §", "line 3: cannot read"),
    "included gates": ("OPENQASM 2.0; qreg q[1]; h q[0];", "line 1: there is no gate h"),
}


def difference(circuit, amplitudes, branches):
    """the largest, of the amplitudes of every branch; infinite where one is too many"""
    state = np.array(amplitudes).reshape((2,) * circuit.wires)
    largest, total = 0.0, 0.0
    for outcomes, _, want in branches:
        part = state
        for wire, outcome in zip(circuit.events, outcomes):
            mask = np.arange(2) == outcome
            part = part * mask.reshape((2,) + (1,) * (circuit.wires - 1 - wire))
        # what is left of the wires of outcomes
        got = part.sum(axis=tuple(range(circuit.qubits, circuit.wires)))
        largest = max(largest, np.abs(got - want).max())
        total += (np.abs(want) ** 2).sum()
    return largest if abs((np.abs(state) ** 2).sum() - total) <= LIMIT else np.inf


def main():
    cursor = open_cursor()
    cursor.execute("create extension if not exists sparseeinsum")
    passed = failed = skipped = 0

    def check(name, ok, detail=""):
        nonlocal passed, failed
        passed += bool(ok)
        failed += not ok
        print("%s %s %s" % ("ok     " if ok else "FAILED ", name, detail), flush=True)

    for name, (text, message) in WRONG.items():
        try:
            circuits.Circuit(circuits.Reader(text))
            problem = "no error"
        except circuits.Error as error:
            problem = str(error)
        check("error: " + name, problem.startswith(message), problem)
    texts = dict(CIRCUITS)
    if available("qasmbench"):
        for file in sorted(os.listdir(directory("qasmbench"))):
            if file.endswith(".qasm"):
                with open(os.path.join(directory("qasmbench"), file)) as text:
                    texts[file] = text.read()
    else:
        skipped = 1
    for name, text in texts.items():
        circuit = circuits.Circuit(circuits.Reader(text))
        if circuit.wires > MOST_WIRES:
            print("skipped %s: %d qubits and outcomes" % (name, circuit.wires))
            skipped += 1
            continue
        branches = qasm.Branches(text).branches
        for form in "gates", "layers":
            simulation = circuits.Simulation(cursor, circuit, form)
            for alternative in (1, 2, 3) if name.endswith(".qasm") else (1,):
                start = time.monotonic()
                amplitudes = simulation.amplitudes(alternative=alternative)
                seconds = time.monotonic() - start
                wrong = difference(circuit, amplitudes, branches)
                check("%s, %s, plan %d" % (name, form, alternative), wrong <= LIMIT,
                      "differs by %.1e, %.2f s" % (wrong, seconds))
    cursor.execute("drop schema circuit cascade")
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return failed


sys.exit(1 if main() else 0)
