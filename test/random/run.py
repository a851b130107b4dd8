"""Random programs under random plans, compared with numpy.

    test/cluster test/python test/random/run.py [--seed S] [--count N] [--minutes M] [--suite NAME] [--coverage]

Cases are numbered from S, so that a run can be resumed anywhere and one case
be repeated with --seed S --count 1 --suite NAME. Without arguments a short run
of fixed seeds. What fails is printed with its program, data and plan. Ends with
"N passed, N failed, N skipped": skipped are programs that use what is documented as not
supported, and programs a suite is not about.
"""

import argparse
import collections
import sys
import time
import traceback

import psycopg2

from _coverage import Coverage
from _session import Failure, Refused, Session, Slow
from _suites import SUITES, Case, Skipped

# of every 20 cases
MIXTURE = ["values"] * 3 + ["tolerance"] * 2 + ["fills"] * 6 + ["smooth"] * 3 + ["open"] + ["optimal"] * 4 + ["every"]
# a generator of programs that are mostly refused would test nothing
MOST_REFUSED = 0.1
# a query of these sizes that takes a minute is a wrong join order, not a wrong result
MOST_SLOW = 0.002


def describe(case, error):
    lines = ["case: --suite %s --seed %d --count 1" % (case.suite, case.seed), str(error)]
    lines += ["program:", case.text] + case.notes
    lines += ["data:"] + [s + ";" for s in case.setup]
    try:
        case.session.reconnect()
        case.session.begin(case.setup)
        lines += ["plan:", case.session.plan(case.text, "plan")]
    except (Failure, Refused, psycopg2.Error) as failure:
        lines.append("no plan: %s" % failure)
    finally:
        try:
            case.session.reconnect()
        except psycopg2.Error:
            time.sleep(5)  # the server may be recovering from a crash
            case.session.reconnect()
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--suite", choices=SUITES)
    parser.add_argument("--stop", type=int, default=5, help="stop after so many failures")
    parser.add_argument("--coverage", action="store_true", help="print what the cases had in them")
    arguments = parser.parse_args()

    coverage = Coverage() if arguments.coverage else None
    session = Session(coverage)
    started = time.monotonic()
    passed = failed = 0
    skipped = collections.Counter()
    refused = slow = 0
    counts = collections.Counter()
    for number in range(arguments.count):
        seed = arguments.seed + number
        if time.monotonic() - started > arguments.minutes * 60:
            print("time is up before seed %d" % seed)
            break
        suite = arguments.suite or MIXTURE[seed % len(MIXTURE)]
        case = Case(session, seed, suite)
        try:
            case.run()
            passed += 1
            counts[suite] += 1
            if coverage:
                coverage.case(case)
        except Skipped as reason:
            skipped[str(reason)] += 1
        except Slow as reason:
            slow += 1
            skipped[str(reason)] += 1
            print("too slow: --suite %s --seed %d --count 1" % (suite, seed))
        except Refused as reason:
            refused += 1
            skipped[str(reason)] += 1
            if arguments.count == 1:
                print(describe(case, reason))
        except Failure as failure:
            failed += 1
            print("FAILED\n" + describe(case, failure) + "\n", flush=True)
        except Exception:
            failed += 1
            print("FAILED\n" + describe(case, traceback.format_exc()) + "\n", flush=True)
        if failed >= arguments.stop:
            break
        if number % 500 == 499:
            # what is rolled back leaves dead rows in the catalogs
            session.rows("VACUUM (SKIP_LOCKED)")
    for reason, count in sorted(skipped.items()):
        print("skipped %d: %s" % (count, reason))
    print("passed: " + ", ".join("%d %s" % (counts[s], s) for s in SUITES))
    if coverage:
        coverage.report()
    if refused > MOST_REFUSED * (passed + failed) + 2:
        print("too many programs are refused: %d" % refused)
        failed += 1
    if slow > MOST_SLOW * (passed + failed) + 1:
        print("too many programs are slow: %d" % slow)
        failed += 1
    print("%d passed, %d failed, %d skipped" % (passed, failed, sum(skipped.values())))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
