"""The estimator chain never says less than there is.

    test/cluster test/python test/random/estimators.py [--seed S] [--count N]

Random programs over analyzed data: no stage of any plan under the estimator
chain has more entries than estimated; where all labels are promoted and no
zeros are stored, a stage's rows are what its support has, and the estimate
bounds them too. The other two estimators are capped by it: where they cut a
program into the same stages they never say more. Ends with "N passed, N
failed".
"""

import argparse
import collections
import itertools
import math
import random
import sys

import numpy as np

from _session import Failure, NoPlan, Refused, Session
from _storage import number
from _suites import Case

# of rounding, where an estimate is a quotient
SLACK = 1 + 1e-9


def promoted_storage(tensor):
    """A table with a row for every entry and no other."""
    dimensions = range(len(tensor.bounds))
    keys = ["k%d" % d for d in dimensions]
    table = "t_%s" % tensor.name
    columns = ["%s int NOT NULL" % k for k in keys] + ["v float8 NOT NULL"]
    if keys:
        columns.append("PRIMARY KEY (%s)" % ", ".join(keys))
    rows = [
        index + (number(float(tensor.data[index])),)
        for index in itertools.product(*(range(b) for b in tensor.bounds))
        if tensor.data[index] != 0
    ]
    sql = ["CREATE TABLE %s (%s)" % (table, ", ".join(columns))]
    if not keys and not rows:
        rows = [("0",)]
    if rows:
        values = ", ".join("(%s)" % ", ".join(map(str, row)) for row in rows)
        sql.append("INSERT INTO %s VALUES %s" % (table, values))
    sql.append(
        "SELECT einsum_register('%s[%s]', '%s', keys => '{%s}', value => 'v', bounds => '{%s}')"
        % (
            tensor.name, ",".join("X%d" % d for d in dimensions), table, ",".join(keys),
            ",".join(map(str, tensor.bounds)),
        )
    )  # fmt: skip
    sql.append("SELECT count(*) FROM einsum_analyze('%s')" % tensor.name)
    return sql


class Check(Case):
    def __init__(self, session, seed):
        super().__init__(session, seed, "estimators")
        self.factors = collections.Counter()

    def stages(self, text, what, estimator, **options):
        plan = self.session.plans(text, what, estimator=estimator, actual=True, **options)[0]
        return plan["stages"]

    def check_bounds(self, text, what, tuples=False, **options):
        """The stages under chain, by definition."""
        stages = self.stages(text, what, "chain", **options)
        for stage in stages:
            if "actual_entries" not in stage:
                continue
            wrong = stage["actual_entries"] > stage["entries"] * SLACK
            if tuples:
                wrong = wrong or stage["actual_tuples"] > stage["tuples"] * SLACK
            if wrong or not math.isfinite(stage["entries"]):
                raise Failure("%s: not a bound: %s\nprogram:\n%s" % (what, stage, text))
            if stage["actual_entries"]:
                factor = stage["entries"] / stage["actual_entries"]
                self.factors[min(int(math.log2(factor * SLACK)), 6)] += 1
        return {(s["name"], s["notation"], s["definition"]): s for s in stages}

    def check_capped(self, text, what, bounds, **options):
        for estimator in ("distinct", "uniform"):
            stages = self.stages(text, what, estimator, **options)
            if [(s["name"], s["notation"], s["definition"]) for s in stages] != list(bounds):
                continue
            for stage in stages:
                bound = bounds[stage["name"], stage["notation"], stage["definition"]]
                if not stage["entries"] <= bound["entries"] * SLACK:
                    raise Failure(
                        "%s: %s exceeds chain: %s\n%s\nprogram:\n%s"
                        % (what, estimator, stage, bound, text)
                    )

    def finite(self):
        """0 times an infinity may be NaN: an entry where no tensor has one."""
        return all(np.isfinite(x.v).all() and not x.p.any() for x in self.expected)

    def run(self):
        self.generate()
        while not self.finite():
            self.generate()
        promoted = self.rng.random() < 0.5
        try:
            if promoted:
                self.setup = [s for t in self.tensors for s in promoted_storage(t)]
                self.session.begin(self.setup)
                text = self.pinned(lambda name, bound: "U")
                bounds = self.check_bounds(text, "promoted", tuples=True, search="as_written")
                self.check_capped(text, "promoted", bounds, search="as_written")
            else:
                self.store(1.0)
                self.check_bounds(self.text, "chosen plan")
                try:
                    self.check_bounds(self.text, "alternative 3", alternative=3)
                except NoPlan:
                    pass
            self.check_bounds(self.randomly_pinned(), "random pins")
        finally:
            if not self.session.connection.closed:
                self.session.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=120)
    arguments = parser.parse_args()
    session = Session()
    passed = failed = refused = 0
    factors = collections.Counter()
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        check = Check(session, seed)
        try:
            check.run()
            passed += 1
        except Refused:
            refused += 1
        except Failure as failure:
            failed += 1
            print("FAILED: --seed %d --count 1\n%s\ndata:" % (seed, failure))
            print(";\n".join(check.setup) + ";\n", flush=True)
            session.reconnect()
        factors.update(check.factors)
        if failed >= 5:
            break
    names = {n: "%d to %d" % (2**n, 2 ** (n + 1)) for n in range(6)}
    names[6] = "more"
    print("estimated / actual entries: " + ", ".join("%s: %d" % (names[n], factors[n]) for n in sorted(factors)))
    if refused > 0.1 * arguments.count + 2:
        print("too many programs are refused: %d" % refused)
        failed += 1
    print("%d passed, %d failed, %d skipped" % (passed, failed, refused))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
