"""Point queries of random programs: einsum_sql(program, at => labels), executed
for keys, gives the entries that the whole result has at these keys, and so does
einsum_rows.

    test/cluster test/python test/random/point_queries.py [--seed S] [--count N] [--minutes M]

Every program is asked under several decompositions, and for random labels of
its result. Integers are equal, since only the order of sums differs.
"""

import argparse
import sys
import time
import traceback

import psycopg2

from _points import ask
from _session import Failure, NoPlan, Refused, Session, Slow
from _suites import Case

MOST_KEYS = 12

def run(case):
    """The number of keys asked for."""
    case.generate()
    try:
        case.store(0.7)
        names = [case.open_names(s) for s in case.program]
        variants = [(case.text, {"result": "rows"}), (case.text, {"result": "rows", "alternative": 2}),
                    (case.text, {}), (case.text, {"search": "greedy", "rewrite": "reassociate"}),
                    (case.text, {"estimator": "chain", "materialize": "never"}),
                    (case.text, {"estimator": "uniform", "rewrite": "none", "materialize": "always"}),
                    (case.pinned(lambda name, bound: "U"), {}), (case.pinned(lambda name, bound: "U"), {"rewrite": "none"})]
        for _ in range(3):
            variants.append((case.randomly_pinned(names), {}))
            variants.append((case.randomly_pinned(names), {"search": "as_written"}))
        asked = 0
        for text, options in variants:
            try:
                asked += ask(case, text, options, MOST_KEYS)
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=101)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=60)
    arguments = parser.parse_args()
    session = Session()
    started = time.monotonic()
    passed = failed = skipped = asked = 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        if time.monotonic() - started > arguments.minutes * 60:
            print("time is up before seed %d" % seed)
            break
        suite = "open" if seed % 5 == 0 else "fills" if seed % 5 == 1 else "values"
        case = Case(session, seed, suite)
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
