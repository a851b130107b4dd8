"""The path of a product that is contracted label by label is the best one: an
enumeration of all orders in which its labels may be summed, by the measure that
src/algebra/README.md states, finds none that costs less. Where a small search_budget
ends the search early, how often and how far it misses the best is printed.

All entries are stored, so that every estimate is a product of bounds. Stages say which
labels they sum; the measure of that order is computed here.

    test/cluster test/python test/random/contraction.py [COUNT]
"""

import itertools
import math
import random
import re
import sys

import psycopg2

BOUNDS = [2, 3, 5, 8]
COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 60


def volume(labels, bounds):
    return math.prod(bounds[label] for label in labels)


def connected(summed, factors, start):
    """those of the summed labels that share factors with one of them"""
    found, grown = set(), {start}
    while grown - found:
        found |= grown
        for factor in factors:
            if factor & found:
                grown |= factor & summed
    return frozenset(found)


def join(members, bounds):
    """entries of the joins of members, sets of labels: from the smallest, always to what leaves least"""
    if len(members) == 1:
        return volume(members[0], bounds)
    rest = list(members)
    joined = min(rest, key=lambda labels: volume(labels, bounds))
    rest.remove(joined)
    cost = 0
    while rest:
        near = [labels for labels in rest if labels & joined] or rest
        least = min(near, key=lambda labels: volume(labels | joined, bounds))
        rest.remove(least)
        joined = joined | least
        cost += volume(joined, bounds)
    return cost


def kept(part, factors):
    return frozenset().union(*(factor for factor in factors if factor & part)) - part


def cost_of_order(order, factors, bounds):
    """of summing labels in this order; a part is known by the labels summed in it"""
    total, summed = 0, set()
    for label in order:
        before = frozenset(summed)
        summed.add(label)
        part = connected(summed, factors, label)
        members, rest = [], part - {label}
        while rest:
            inner = connected(rest, factors, min(rest))
            members.append(kept(inner, factors))
            rest -= inner
        members += [factor for factor in factors if label in factor and not factor & before]
        total += join(members, bounds) + volume(kept(part, factors), bounds)
    return total


def least_cost(labels, factors, bounds):
    """over all orders: of a part, whichever label is summed last"""
    known = {}

    def part_cost(part):
        if part not in known:
            best = math.inf
            for last in part:
                rest, inner, members = part - {last}, 0, []
                own = [factor for factor in factors if last in factor and not factor & rest]
                while rest:
                    below = connected(rest, factors, min(rest))
                    inner += part_cost(below)
                    members.append(kept(below, factors))
                    rest -= below
                best = min(best, inner + join(members + own, bounds))
            known[part] = best + volume(kept(part, factors), bounds)
        return known[part]

    total, rest = 0, frozenset(labels)
    while rest:
        part = connected(rest, factors, min(rest))
        total += part_cost(part)
        rest -= part
    return total


def merged(factors):
    """factors as they are once each has been joined with one that has all of its labels"""
    factors = list(factors)
    for f in range(len(factors) - 1, -1, -1):
        others = [g for i, g in enumerate(factors) if i != f and factors[f] <= g]
        if others and not (len(factors[f]) == 1 and len(others) > 1):
            del factors[f]
    return factors


def product(rng):
    """13 or more different references, none of which has all labels of another"""
    while True:
        labels = ["i%d" % n for n in range(rng.randint(6, 8))]
        bounds = {label: rng.choice(BOUNDS) for label in labels}
        pairs = list(itertools.combinations(labels, 2))
        factors = [frozenset(pair) for pair in rng.sample(pairs, min(len(pairs), rng.randint(13, 16)))]
        if rng.random() < 0.3:
            factors.append(frozenset(rng.sample(labels, 3)))
        if len(merged(factors)) > 12 and set().union(*factors) == set(labels):
            return labels, bounds, factors


def written(labels, bounds, factors):
    references = ["t%s[%s]" % ("_".join(str(bounds[n]) for n in sorted(f)), ",".join(sorted(f))) for f in factors]
    return "s[] = " + " * ".join(references)


def summed_by_stages(cursor, program):
    """the labels that each stage sums, in order; whether the plan is heuristic"""
    cursor.execute("select einsum_plan(%s)", (program,))
    lines = [line for line, in cursor.fetchall()]
    stages = []
    for line in lines[1:]:
        found = re.match(r"  \w+\[[^]]*\] = (?:sum\[([^]]*)\])?", line)
        if found and not line.startswith("   "):
            stages.append([n.split(":")[0].lower() for n in (found.group(1) or "").split(",") if n])
    return stages, "heuristic" in lines[0]


def main():
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("create extension sparseeinsum")
    for rank in (2, 3):
        for bounds in itertools.product(BOUNDS, repeat=rank):
            name = "t" + "_".join(map(str, bounds))
            keys = ["k%d" % k for k in range(rank)]
            ranges = ", ".join("generate_series(0, %d) k%d" % (b - 1, k) for k, b in enumerate(bounds))
            cursor.execute("create table %s as select %s, 2.0::float8 as val from %s" % (name, ", ".join(keys), ranges))
            cursor.execute("alter table %s add primary key (%s)" % (name, ", ".join(keys)))
            cursor.execute("select einsum_register(%s, %s, keys => %s, value => 'val', bounds => %s)", (
                "%s[%s]" % (name, ",".join("ABC"[:rank])), name, keys, [str(b) for b in bounds]))
    passed = failed = missed = 0
    worst = 1.0
    for seed in range(COUNT):
        rng = random.Random(seed)
        labels, bounds, factors = product(rng)
        program = written(labels, bounds, factors)
        best = least_cost(labels, merged(factors), bounds)
        for budget in (4096, 20):
            cursor.execute("set sparseeinsum.search_budget = %d" % budget)
            stages, _ = summed_by_stages(cursor, program)
            # what a stage sums at once may have been summed in any order
            orders = itertools.product(*(itertools.permutations(stage) for stage in stages))
            cost = min(cost_of_order(list(itertools.chain(*order)), merged(factors), bounds)
                       for order in itertools.islice(orders, 5000))
            if budget == 20:
                missed += cost > best
                worst = max(worst, cost / best)
            elif cost == best:
                passed += 1
            else:
                failed += 1
                print("seed %d: %s with %s sums %s at %d, the best is %d" % (
                    seed, program, bounds, stages, cost, best))
    print("with a search_budget of 20 the best was missed in %d of %d, by at most %.2f x" % (missed, COUNT, worst))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
