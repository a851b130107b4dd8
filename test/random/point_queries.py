"""Point queries of random programs: einsum_sql(program, at => labels), executed
for keys, gives the rows that the whole result has at these keys.

    test/cluster test/python test/random/point_queries.py [--seed S] [--count N] [--minutes M]

Every program is asked under several decompositions, and for random labels of
its result. Integers are equal, since only the order of sums differs.
"""

import argparse
import itertools
import sys
import time
import traceback

import numpy as np
import psycopg2

from _session import Failure, NoPlan, Refused, Session, Slow, options_text, parse_tensor
from _suites import Case

MOST_KEYS = 12


def comparable(row):
    """a row with numbers in place of text"""
    value = row[-1]
    value = parse_tensor(value) if isinstance(value, str) else np.array(value, float)
    return tuple(row[:-1]), value


def same(rows, expected):
    return len(rows) == len(expected) and all(
        a[0] == b[0] and a[1].shape == b[1].shape and np.array_equal(a[1], b[1], equal_nan=True)
        for a, b in zip(rows, expected))


def ask(case, text, options):
    """Compares one variant; the number of keys asked for."""
    session = case.session
    rng = case.rng
    case.notes = ["asked: %s %s" % (text, options)]
    full = session.sql(text, "einsum_sql", **options)
    rows = [comparable(row) for row in session.attempt(full, "the whole result")]
    columns = [c.name for c in session.cursor.description][:-1]
    if not columns:
        return 0
    at = rng.sample(columns, rng.randint(1, len(columns)))
    positions = [columns.index(c) for c in at]
    labels = "ARRAY[%s]::name[]" % ", ".join("'%s'" % c.replace("'", "''") for c in at)
    query = session.attempt("SELECT einsum_sql($prog$%s$prog$, at => %s%s)" % (
        text, labels, options_text(options)), "einsum_sql at %s" % at)[0][0]
    case.notes.append(query)
    session.attempt("PREPARE point AS " + query, "PREPARE")
    statement = case.program[-1]
    bounds = {c: b for c, b in zip(statement.labels, statement.target.bounds)}
    seen = {tuple(key[p] for p in positions) for key, _ in rows}
    numbers = all(isinstance(k, int) for key in seen for k in key)
    keys = set(seen)
    if numbers and not case.open:
        # also where there is nothing
        keys |= set(itertools.islice(itertools.product(*(range(bounds[c] + 1) for c in at)), 40))
    keys = sorted(keys, key=str)
    for key in rng.sample(keys, min(MOST_KEYS, len(keys))):
        wanted = sorted((r for r in rows if tuple(r[0][p] for p in positions) == key), key=lambda r: str(r[0]))
        got = session.attempt("EXECUTE point(%s)" % ", ".join(
            str(k) if isinstance(k, int) else "'%s'" % str(k).replace("'", "''") for k in key), "at %s = %s" % (at, key))
        got = sorted((comparable(r) for r in got), key=lambda r: str(r[0]))
        if not same(got, wanted):
            raise Failure("at %s = %s:\n  is:     %s\n  should: %s" % (at, key, got, wanted))
    session.rows("DEALLOCATE point")
    return min(MOST_KEYS, len(keys))


def run(case):
    """The number of keys asked for."""
    case.generate()
    try:
        case.store(0.7)
        names = [case.open_names(s) for s in case.program]
        variants = [(case.text, {"result": "rows"}), (case.text, {"result": "rows", "alternative": 2}),
                    (case.pinned(lambda name: "U"), {}), (case.pinned(lambda name: "U"), {"rewrite": "none"})]
        for _ in range(3):
            variants.append((case.randomly_pinned(names), {}))
            variants.append((case.randomly_pinned(names), {"search": "as_written"}))
        asked = 0
        for text, options in variants:
            try:
                asked += ask(case, text, options)
            except NoPlan:
                pass
        return asked
    except Failure as failure:
        # an extension to an open label is an error
        if case.suite == "open" and ": 2202E: " in str(failure):
            return 0
        raise
    finally:
        if not case.session.connection.closed:
            case.session.end()
            case.session.rows("DEALLOCATE ALL")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=101)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--minutes", type=float, default=1)
    arguments = parser.parse_args()
    session = Session()
    started = time.monotonic()
    passed = failed = skipped = asked = 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        if time.monotonic() - started > arguments.minutes * 60:
            print("time is up before seed %d" % seed)
            break
        case = Case(session, seed, "open" if seed % 5 == 0 else "values")
        try:
            asked += run(case)
            passed += 1
        except (Refused, Slow):
            skipped += 1
        except (Failure, psycopg2.Error):
            failed += 1
            print("FAILED: --seed %d --count 1\n%s\nprogram:\n%s\n%s\ndata:\n%s\n" % (
                seed, traceback.format_exc(limit=1), case.text, "\n".join(case.notes), ";\n".join(case.setup)), flush=True)
            session.reconnect()
        if failed >= 5:
            break
    if asked < 10 * passed:
        print("too few keys are asked for: %d" % asked)
        failed += 1
    print("%d keys asked for" % asked)
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return failed > 0


sys.exit(main())
