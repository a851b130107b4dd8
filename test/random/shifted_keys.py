#!/usr/bin/env python3
"""Open keys of integer types, shifted, at and near the ends of the types.

Tables of smallint, integer and bigint keys, read at the index, and at indices that are shifted and constant, of
what is stored, of what a program computes, whole and at one key, and of the states of loops. What a program means is
computed here on dictionaries, whose keys have no ends but those of bigint.

    test/cluster test/python test/random/shifted_keys.py [--count N] [--seed S]
"""
import argparse
import json
import random

import psycopg2

TYPES = {"smallint": 15, "integer": 31, "bigint": 63}
OFFSETS = [-2147483647, -3, -2, -1, -1, 0, 1, 1, 2, 3, 2147483647]


def within(entries):
    return {k: v for k, v in entries.items() if -(2**63) <= k < 2**63}


def moved(entries, offset):
    """x[t + offset] as a dictionary of t."""
    return within({k - offset: v for k, v in entries.items()})


def index(offset):
    return "t%+d" % offset if offset else "t"


def table(rng, kind):
    """Entries with keys at both ends of the type, around 0, and where smaller types end."""
    ends = [2**n for n in TYPES.values() if n <= TYPES[kind]]
    keys = {0, 1, -1} | {e - 1 for e in ends} | {-e for e in ends} | {e - 2 for e in ends} | {1 - e for e in ends}
    keys |= {e + d for e in ends for d in (0, 1) if e + d < 2 ** TYPES[kind]}
    return {k: rng.randint(-3, 3) or 4 for k in keys if rng.random() < 0.7}


def combine(symbol, one, two):
    """The entries of two tensors, combined."""
    keys = set(one) & set(two) if symbol == "*" else set(one) | set(two)
    function = {"*": lambda a, b: a * b, "+": lambda a, b: a + b, "-": lambda a, b: a - b}[symbol]
    return {k: function(one.get(k, 0), two.get(k, 0)) for k in keys}


def loop(rng, tables):
    """The init and the step of a loop, a number of rounds, and the entries of its states after these."""
    names = rng.sample(sorted(tables), 2)
    begin = rng.choice([0, 0, -1, 1])
    states = {"u": moved(tables[names[0]], begin), "w": tables[names[1]]}
    init = "u[t] = %s[%s]; w[t] = %s[t]" % (names[0], index(begin), names[1])
    terms = {}
    for state in sorted(states):
        read = rng.choice([("u", "w"), (state, rng.choice(sorted(tables)))])
        terms[state] = [(name, rng.choice(OFFSETS[1:-1])) for name in read] + [rng.choice("+-*")]
    step = "; ".join("%s[t] = %s[%s] %s %s[%s]" % (state, one, index(i), symbol, two, index(j)) for state, ((one, i), (two, j), symbol) in terms.items())
    rounds = rng.choice([1, 2, 3])
    for _ in range(rounds):
        known = dict(tables, **states)
        states = {state: combine(symbol, moved(known[one], i), moved(known[two], j)) for state, ((one, i), (two, j), symbol) in terms.items()}
    return init, step, rounds, {k: v for k, v in states["u"].items() if v}


def program(rng, tables):
    """A program y[T], and its entries."""
    names = rng.sample(sorted(tables), rng.choice([1, 2, 2, 3]))
    text, terms = "", []
    for n, name in enumerate(names + rng.sample(names, rng.choice([0, 1]))):
        entries, access = tables[name], name
        if rng.random() < 0.4:
            access = "h%d" % n
            offset = rng.choice([0, 0, -1, 1])
            text += "%s[t] = 2*%s[%s]; " % (access, name, index(offset))
            entries = {k: 2 * v for k, v in moved(entries, offset).items()}
        offset = rng.choice(OFFSETS)
        terms.append(("%s[%s]" % (access, index(offset)), moved(entries, offset)))
    written, result = terms[0]
    for access, entries in terms[1:]:
        symbol = rng.choice("**+-")
        written = "(%s) %s %s" % (written, symbol, access)
        result = combine(symbol, result, entries)
    return text + "y[T] = " + written, {k: v for k, v in result.items() if v}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION IF NOT EXISTS sparseeinsum")
    tables = {}
    for kind in TYPES:
        for n in "ab":
            name = kind[0] + n
            entries = table(rng, kind)
            cursor.execute("CREATE TABLE %s (k %s PRIMARY KEY, v float8 NOT NULL)" % (name, kind))
            cursor.execute("INSERT INTO %s VALUES %s" % (name, ", ".join("('%d', %d)" % e for e in entries.items())))
            cursor.execute("SELECT einsum_register('%s[K]', '%s', keys => '{k}', value => 'v', bounds => '{*}')" % (name, name))
            tables[name] = entries
    failed = 0
    for case in range(arguments.count):
        text, expected = program(rng, tables)
        at = rng.choice(sorted(expected)) if expected and rng.random() < 0.5 else rng.choice([2**63 - 1, -(2**63), 2**15 - 1, -(2**31)])
        asked = [
            ("rows", "einsum_rows(%s)", [text], expected),
            ("at", "einsum_rows(%s, at => %s)", [text, json.dumps({"t": at})], {k: v for k, v in expected.items() if k == at})]
        if case % 3 == 0:
            init, step, rounds, states = loop(rng, tables)
            asked.append(("loop", "einsum_iterate_rows(%s, %s, 'r[t] = u[t]', max_rounds => %s)", [init, step, rounds], states))
        for what, call, values, wanted in asked:
            try:
                cursor.execute("SELECT k, v FROM %s AS y(k bigint, v float8) WHERE v <> 0" % call, values)
                found = dict(cursor.fetchall())
            except psycopg2.Error as error:
                # a type that the value's column has, of a point that a smaller type does not hold
                found = "%s %s" % (error.pgcode, error.diag.message_primary)
                if what == "at" and error.pgcode == "22003" and not wanted:
                    continue
            if found != wanted:
                failed += 1
                print("%s: %s %s\n  expected %s\n  found    %s" % (what, values, at, wanted, found))
                break
    print("%d passed, %d failed" % (arguments.count - failed, failed))
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
