"""Random programs under random plans, compared with numpy.

    test/cluster test/python test/random/run.py [--seed S] [--count N] [--minutes M] [--suite NAME]
        [--coverage] [--jobs J] [--record FILE] [--no-blocks]

Cases are numbered from S, so that a run can be resumed anywhere and one case
be repeated with --seed S --count 1 --suite NAME. Without arguments a short run
of fixed seeds. With --record, parts that are done are kept in a file, and the
same command continues where it was interrupted. What fails is printed with its
program, data and plan. Ends with "N passed, N failed, N skipped": skipped are
programs that use what is documented as not supported, and programs a suite is
not about.
"""

import argparse
import multiprocessing
import sys
import time
import traceback

import psycopg2

from _session import Failure, Refused, Session, Slow
from _suites import SUITES, Case, Skipped
from _tally import Record, Tally
from _targets import Targets

# of every 20 cases
MIXTURE = ["values", "rewritten"] + ["tolerance"] * 2 + ["fills"] * 7 + ["smooth"] * 5 + ["complex", "open", "optimal", "every"]
# one in SELDOM cases is of the suite long, which takes several times as long as others, and one of divisors; they would be of "values" and "tolerance"
SELDOM = 2 * len(MIXTURE)
OTHERS = {0: "long", len(MIXTURE) + 2: "divisors"}
# one in LOOKED_AT cases has its plans looked at for the coverage, which takes as long as running them
LOOKED_AT = 4
# cases that one process runs in a row
PART = 250


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


def suite_of(seed):
    """The suite of a case, and how many of it there are before."""
    if seed % SELDOM in OTHERS:
        return OTHERS[seed % SELDOM], seed // SELDOM
    turn = seed % len(MIXTURE)
    suite = MIXTURE[turn]
    return suite, seed // len(MIXTURE) * MIXTURE.count(suite) + turn - MIXTURE.index(suite)


class Worker:
    """Runs parts on a connection of its own."""

    def __init__(self, arguments, deadline):
        self.arguments = arguments
        self.deadline = deadline
        self.targets = Targets(arguments.blocks)
        self.session = None

    def part(self, start):
        """The tally of a part, and whether it is all of it."""
        tally = Tally()
        arguments = self.arguments
        if self.session is None:
            self.session = Session(tally.coverage)
        self.session.coverage = tally.coverage
        started = time.monotonic()
        whole = True
        for seed in range(start, min(start + PART, arguments.seed + arguments.count)):
            if time.monotonic() > self.deadline:
                print("time is up before seed %d" % seed, flush=True)
                whole = False
                break
            self.case(seed, tally)
            if tally.failed >= arguments.stop:
                whole = False
                break
        # what is rolled back leaves dead rows in the catalogs
        self.session.rows("VACUUM (SKIP_LOCKED)")
        tally.seconds = time.monotonic() - started
        return start, tally, whole

    def case(self, seed, tally):
        arguments = self.arguments
        suite, number = suite_of(seed)
        if arguments.suite:
            suite, number = arguments.suite, seed
        case = Case(self.session, seed, suite, self.targets.of(suite, number), arguments.blocks)
        self.session.look = arguments.coverage and seed % LOOKED_AT == 0
        try:
            case.run()
            tally.passed[suite] += 1
            if case.dearer:
                tally.dearer.append(case.dearer)
            if suite not in ("optimal", "heuristic"):
                tally.coverage.case(case)
        except Skipped as reason:
            tally.skipped[str(reason)] += 1
        except Slow as reason:
            tally.slow += 1
            tally.skipped[str(reason)] += 1
            print("too slow: --suite %s --seed %d --count 1" % (suite, seed), flush=True)
        except Refused as reason:
            tally.refused += 1
            tally.skipped[str(reason)] += 1
            if arguments.count == 1:
                print(describe(case, reason))
        except Failure as failure:
            tally.failed += 1
            print("FAILED\n" + describe(case, failure) + "\n", flush=True)
        except Exception:
            tally.failed += 1
            print("FAILED\n" + describe(case, traceback.format_exc()) + "\n", flush=True)


worker = None


def run_part(start):
    return worker.part(start)


def main():
    global worker
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=110)
    parser.add_argument("--minutes", type=float, default=600)
    parser.add_argument("--suite", choices=SUITES)
    parser.add_argument("--stop", type=int, default=5, help="stop after this number of failures")
    parser.add_argument("--coverage", action="store_true", help="print what the cases had in them")
    parser.add_argument("--jobs", type=int, default=1, help="processes that run cases at the same time")
    parser.add_argument("--record", help="a file of the parts that are done")
    parser.add_argument("--blocks", action=argparse.BooleanOptionalAction, default=True, help="labels in blocks")
    arguments = parser.parse_args()

    record = Record(arguments.record)
    starts = range(arguments.seed, arguments.seed + arguments.count, PART)
    todo = [start for start in starts if start not in record.done]
    worker = Worker(arguments, time.monotonic() + arguments.minutes * 60)
    total = record.total()

    def done(start, tally, whole):
        """True if the run is to go on."""
        if whole:
            record.add(start, tally)
        total.add(tally)
        if arguments.count > PART:
            print("seeds %d to %d: %d passed, %d failures so far" % (
                start, min(start + PART, arguments.seed + arguments.count) - 1, sum(tally.passed.values()), total.failed), flush=True)
        return total.failed < arguments.stop and (whole or time.monotonic() < worker.deadline)

    if arguments.jobs == 1:
        for start in todo:
            if not done(*worker.part(start)):
                break
    else:
        # makes the extension, which only one can
        Session().connection.close()
        with multiprocessing.Pool(arguments.jobs) as pool:
            for result in pool.imap_unordered(run_part, todo):
                if not done(*result):
                    break
    return total.report(arguments.coverage) > 0


if __name__ == "__main__":
    sys.exit(main())
