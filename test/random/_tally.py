"""What came of the cases of a run; parts add up and survive an interruption."""

import collections
import hashlib
import os
import pathlib
import pickle

from _coverage import Coverage
from _suites import SUITES

# a generator of programs that are mostly refused would test nothing
MOST_REFUSED = 0.1
# a query of these sizes that takes a minute is a wrong join order, not a wrong result
MOST_SLOW = 0.002


class Tally:
    def __init__(self):
        self.failed = self.refused = self.slow = 0
        self.seconds = 0.0
        self.skipped = collections.Counter()
        self.passed = collections.Counter()  # by suite
        self.dearer = []  # costs of heuristic plans, by the least
        self.coverage = Coverage()

    def add(self, other):
        self.failed += other.failed
        self.refused += other.refused
        self.slow += other.slow
        self.seconds += other.seconds
        self.skipped.update(other.skipped)
        self.passed.update(other.passed)
        self.dearer += other.dearer
        self.coverage.add(other.coverage)

    def report(self, coverage):
        """Prints it all; the number of failures."""
        passed = sum(self.passed.values())
        for reason, count in sorted(self.skipped.items()):
            print("skipped %d: %s" % (count, reason))
        print("passed: " + ", ".join("%d %s" % (self.passed[s], s) for s in SUITES))
        if self.dearer:
            missed = sorted(factor for factor in self.dearer if factor > 1 + 1e-9)
            print("heuristic plans: %d, of them %d (%.1f %%) not the cheapest" % (
                len(self.dearer), len(missed), 100 * len(missed) / len(self.dearer)))
            if missed:
                print("dearer by a factor of %.3f (median), %.3f (nine of ten at most), %.3f (most)" % (
                    missed[len(missed) // 2], missed[len(missed) * 9 // 10], missed[-1]))
        if coverage:
            self.coverage.report()
            print("%.2f seconds a program" % (self.seconds / max(passed + self.failed, 1)))
        failed = self.failed
        if self.refused > MOST_REFUSED * (passed + failed) + 2:
            print("too many programs are refused: %d" % self.refused)
            failed += 1
        if self.slow > MOST_SLOW * (passed + failed) + 1:
            print("too many programs are slow: %d" % self.slow)
            failed += 1
        print("%d passed, %d failed, %d skipped" % (passed, failed, sum(self.skipped.values())))
        return failed


def digest():
    """Of what is tested and of the tests: results of others do not add up with theirs."""
    result = hashlib.sha256()
    for path in sorted(pathlib.Path("test/random").glob("*.py")) + [pathlib.Path("sparseeinsum.so")]:
        if path.exists():
            result.update(path.read_bytes())
    return result.hexdigest()


class Record:
    """The parts of a run that are done, in a file; None keeps nothing."""

    def __init__(self, path):
        self.path = path
        self.done = {}
        if path and os.path.exists(path):
            with open(path, "rb") as file:
                made, done = pickle.load(file)
            if made == digest():
                self.done = done
                print("%d parts are done already, see %s" % (len(done), path), flush=True)

    def add(self, part, tally):
        self.done[part] = tally
        if self.path:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            with open(self.path + ".new", "wb") as file:
                pickle.dump((digest(), self.done), file)
            os.replace(self.path + ".new", self.path)

    def total(self):
        total = Tally()
        for tally in self.done.values():
            total.add(tally)
        return total
