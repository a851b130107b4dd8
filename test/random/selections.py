"""The forms that are selected where groups are shared (src/optimizer/selection.h): on random groups the
cost is that of an integer program's optimum, the forms taken cost just that, and the greedy
selection costs more often enough that it matters; figure 10 of SPORES gives 6, not 9. With a small budget a selection is
still one, and costs no more than the greedy one.

    test/cluster test/python test/random/selections.py [--seed S] [--count N]

Ends with "N passed, N failed".
"""

import argparse
import os
import random
import subprocess
import sys

try:
    from scipy.optimize import Bounds, LinearConstraint, milp
except ImportError:  # the packages that only tests need are elsewhere
    python = subprocess.run(["test/python-packages"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()[-1]
    if sys.executable == python:
        raise
    os.execv(python, [python] + sys.argv)
import numpy
import psycopg2

# of 200 selections this number must be dearer if each group takes what is cheapest for it alone
GREEDY_WORSE = 40

# groups are lists of (cost, groups read), the last one the root
FIGURE_10 = [[(4, [])], [(4, [])], [(1, [0]), (2, [1])], [(0, [2, 1])]]


def random_groups(rng, shared):
    """at least 30, of which half are read by others than the next if they are shared"""
    groups = []
    for g in range(rng.randrange(30, 45)):
        forms = []
        for _ in range(rng.choice([1, 2, 2, 3, 4]) if g > 2 else 1):
            near = range(max(0, g - (8 if shared else 3)), g)
            inputs = rng.sample(near, min(len(near), rng.choice([0, 1, 2, 2, 3] if g < 8 else [1, 2, 2, 3])))
            forms.append((float(rng.choice([0, 1, 2, 3, 5, 8, 13, 21])) + rng.choice([0, 0.5]), sorted(inputs)))
        groups.append(forms)
    return groups


def optimum(groups):
    """by an integer program: a variable for each form, and for each group that is needed"""
    forms = [(g, cost, inputs) for g, some in enumerate(groups) for cost, inputs in some]
    n = len(forms) + len(groups)
    rows = []
    for f, (_, _, inputs) in enumerate(forms):
        for read in inputs:  # a form needs what it reads
            row = numpy.zeros(n)
            row[len(forms) + read] = 1
            row[f] = -1
            rows.append(row)
    for g in range(len(groups)):  # a group that is needed has a form
        row = numpy.zeros(n)
        row[[f for f, form in enumerate(forms) if form[0] == g]] = 1
        row[len(forms) + g] = -1
        rows.append(row)
    least = numpy.zeros(n)
    least[-1] = 1
    costs = numpy.array([cost for _, cost, _ in forms] + [0] * len(groups))
    solved = milp(costs, constraints=LinearConstraint(numpy.array(rows), 0, numpy.inf), integrality=numpy.ones(n), bounds=Bounds(least, 1))
    return solved.fun


def cost_of(groups, taken):
    """what the forms taken cost, if they are a selection"""
    cost, needed = 0, {len(groups) - 1}
    for g in reversed(range(len(groups))):
        if (g in needed) != (taken[g] >= 0):
            return None
        if g in needed:
            own, inputs = groups[g][taken[g]]
            cost += own
            needed |= set(inputs)
    return cost


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=80)
    arguments = parser.parse_args()
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE FUNCTION pg_temp.select_forms(groups int[], costs float8[], readers int[], inputs int[], budget int) "
                   "RETURNS float8[] LANGUAGE c AS '$libdir/sparseeinsum', 'einsum_select_forms'")
    passed = failed = 0

    def selected(groups, budget):
        forms = [(g, cost, inputs) for g, some in enumerate(groups) for cost, inputs in some]
        readings = [(f, read) for f, (_, _, inputs) in enumerate(forms) for read in inputs]
        cursor.execute("SELECT pg_temp.select_forms(%s, %s::float8[], %s::int[], %s::int[], %s)", (
            [g for g, _, _ in forms], [cost for _, cost, _ in forms], [f for f, _ in readings], [read for _, read in readings], budget))
        cost, greedy, exact, *taken = cursor.fetchone()[0]
        return cost, greedy, exact == 1, [int(form) for form in taken]

    def check(holds, *what):
        nonlocal passed, failed
        passed += bool(holds)
        failed += not holds
        if not holds:
            print("FAILED:", *what)

    cost, greedy, exact, taken = selected(FIGURE_10, 4096)
    check((cost, greedy, exact) == (6, 9, True), "figure 10 costs", cost, "and greedily", greedy)
    worse = heuristic = 0
    for n in range(arguments.count):
        groups = random_groups(random.Random(arguments.seed + n), n % 2 == 0)
        cost, greedy, exact, taken = selected(groups, 1 << 20)
        least = optimum(groups)
        check(abs(cost - least) < 1e-6 and exact, "seed", arguments.seed + n, "costs", cost, "least", least)
        check(cost_of(groups, taken) == cost, "seed", arguments.seed + n, "takes", taken, "for", cost)
        worse += greedy > least + 1e-6
        quick, _, exact, taken = selected(groups, 8)
        check(least - 1e-6 <= quick <= greedy and cost_of(groups, taken) == quick and (not exact or quick == cost),
              "seed", arguments.seed + n, "in eight steps", quick, "for", cost, "greedy", greedy)
        heuristic += quick > least + 1e-6
    check(worse * 200 >= GREEDY_WORSE * arguments.count, "the greedy selection is worse only", worse, "times")
    print("%d groupings: greedily %d cost more, in eight steps %d" % (arguments.count, worse, heuristic))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
