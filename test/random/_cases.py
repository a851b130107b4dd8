"""Cases of consecutive seeds, one after the other, as some of the tests run theirs."""

import argparse
import time
import traceback

import psycopg2

from _session import Failure, Refused, Session, Slow


def run_cases(make, note, count, minutes):
    """Runs make(session, seed), whose run() raises what failed, and notes those that pass; how many passed, failed and were skipped."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--minutes", type=float, default=minutes)
    arguments = parser.parse_args()
    session = Session()
    started = time.monotonic()
    passed = failed = skipped = 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        if time.monotonic() - started > arguments.minutes * 60:
            print("time is up before seed %d" % seed)
            break
        case = make(session, seed)
        try:
            case.run()
            passed += 1
            note(case)
        except (Refused, Slow):
            skipped += 1
        except (Failure, psycopg2.Error):
            failed += 1
            print("FAILED: --seed %d --count 1\n%s\nprogram:\n%s\ndata:\n%s\n" % (seed, traceback.format_exc(limit=1), case.text, ";\n".join(case.setup)), flush=True)
            session.reconnect()
        if failed >= 5:
            break
    return passed, failed, skipped
