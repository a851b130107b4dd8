"""What programs should have in them, so that nothing is only ever tested by chance.

A cell is an operator or function and what it is applied to: a stored tensor of
some fill in some kind of storage, or the result of another statement. Programs
of the suites fills and smooth each get two cells by their seeds, all in turn;
those that chance seldom makes come more often.
"""

import random

from _oracle import SMOOTH

FILLS = [0.0, 1.0, 2.0, float("inf"), float("-inf")]
KINDS = ["promoted", "mixed", "demoted", "blocked"]
RESULT = ("result", "result")
# any fill that is not a real number; infinite ones are of real tensors only, since what
# an infinity makes in a product of complex numbers (0 * infinity in one of its parts) is left to the plan
IMAGINARY = "i"

COMPARISONS = ["==", "<>", "!=", "<", "<=", ">", ">="]
BINARY = ["+", "-", "*", "/", "^"] + COMPARISONS
FUNCTIONS = ["abs", "ceil", "floor", "greatest", "if", "least", "negate", "pow", "relu", "round", "sign"]
COMPLEX = ["conj", "imag", "real"]


def cells(operators, blocks, fills=FILLS):
    kinds = KINDS if blocks else KINDS[:3]
    return [(o, f, k) for o in operators for f in fills for k in kinds] + [(o,) + RESULT for o in operators]


def weighted(cells, seed):
    """Cells in random order, those that products of sparse tensors make on their own once and others twice."""
    some = cells + [c for c in cells if c[1] not in (0.0, 1.0, "result") or c[0] not in ("+", "-", "*")]
    random.Random(seed).shuffle(some)
    return some


class Targets:
    def __init__(self, blocks):
        self.exact = weighted(cells(BINARY + FUNCTIONS, blocks), 1)
        self.smooth = weighted(cells(SMOOTH, blocks), 2)
        self.complex = cells(COMPLEX, blocks, FILLS + [IMAGINARY])
        random.Random(3).shuffle(self.complex)

    def of(self, suite, number):
        """The cells of the program of that number in its suite."""
        if suite == "fills":
            return [self.exact[n % len(self.exact)] for n in (2 * number, 2 * number + 1)]
        if suite == "smooth":
            return [self.smooth[number % len(self.smooth)], self.exact[-1 - number % len(self.exact)]]
        if suite == "complex":
            return [self.complex[n % len(self.complex)] for n in (2 * number, 2 * number + 1)]
        return []
