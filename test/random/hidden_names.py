"""Random programs whose statements have the names of stored tensors, which they read.

    test/cluster test/python test/random/hidden_names.py [--seed S] [--count N]

A statement that has the name of a stored tensor reads what is stored; those behind it
read what it makes. The oracle knows tensors, not names, and is the one of run.py. Each
program is a value under several plans, its own text as einsum_plan writes it, rows at
some keys, views in another schema, and the round of a loop.
"""

import argparse
import json
import re
import sys
import traceback

import numpy as np
import psycopg2

from _session import Failure, NoPlan, Refused, Session, Slow
from _suites import Case
from _syntax import Ref, label_text, program_text, walk

LEAST = 0.3  # of all programs, with a statement that reads what it hides and is read itself


def read(statement):
    """The tensors that a statement reads."""
    return {node.tensor for node in walk(statement.expr) if isinstance(node, Ref)}


def hide(case):
    """Names results as stored tensors that no other statement reads; the number that are read, and read these."""
    telling = 0
    free = list(case.tensors)
    for n, statement in enumerate(case.program):
        elsewhere = set().union(*(read(s) for s in case.program if s is not statement))
        own = [t for t in free if t in read(statement) and t not in elsewhere]
        others = [t for t in free if t not in elsewhere]
        if case.rng.random() < 0.1 and others:
            own = others
        if not own:
            continue
        hidden = case.rng.choice(own)
        free.remove(hidden)
        for later in case.program[n + 1:]:
            later.algebra = later.algebra and re.sub(r"\b%s\b" % statement.target.name, hidden.name, later.algebra)
        statement.target.name = hidden.name
        telling += hidden in read(statement) and any(statement.target in read(s) for s in case.program[n + 1:])
    case.text = program_text(case.program)
    return telling


def check_rows(case, session):
    """The last result as rows, whole and at an index."""
    last = case.program[-1]
    # a number that is not float8 is a tensor of rank 0
    if not last.labels or any(t.element != "float8" for t in case.tensors):
        return
    expected = case.expected[-1]
    columns = ", ".join('"%s" bigint' % n for n in last.labels)
    for at in [None, case.rng.randrange(expected.v.shape[0])]:
        asked = ", at => '%s'" % json.dumps({last.labels[0]: at}) if at is not None else ""
        query = "SELECT * FROM einsum_rows($prog$%s$prog$%s) AS y(%s, value float8)" % (case.text, asked, columns)
        for *index, value in session.attempt(query, "einsum_rows"):
            right = expected.v[tuple(index)]
            if not expected.p[tuple(index)] and value != right and not np.isnan([value, right]).all():
                raise Failure("einsum_rows%s has %s at %s, not %s" % (asked, value, index, right))


def check_loop(case, session):
    """The sum of the last result, as the state of a loop after a round."""
    last = case.program[-1]
    names = ",".join(label_text(n, None) for n in last.labels)
    access = "%s[%s]" % (last.target.name, names)
    step = "%s; total[] = 0*total[] + %s" % (case.text, "(sum[%s] %s)" % (names, access) if names else access)
    expected = case.expected[-1]
    if expected.p.any() or not np.isfinite(expected.v).all():
        return
    found = session.attempt("SELECT einsum_iterate_value('total[] = 0', $prog$%s$prog$, max_rounds => 1)::text" % step, "loop")[0][0]
    if float(found) != expected.v.sum():
        raise Failure("the loop has %s, not %s\n%s" % (found, expected.v.sum(), step))


def run(session, seed):
    """Is some statement read that reads what it hides?"""
    case = Case(session, seed, ["values", "values", "fills"][seed % 3])
    case.first_keys = False
    telling = 0
    for _ in range(20):
        case.generate()
        telling = hide(case)
        if telling:
            break
    try:
        case.store(0.5)
        last = len(case.program) - 1
        for what, value in session.values(case.plans()):
            case.check(value, last, what)
        case.as_program(case.text)
        check_rows(case, session)
        check_loop(case, session)
        made = session.decompose(case.text, "einsum_decompose", schema="other schema", result="rows")
        for (view, notation), statement in [(m, s) for m in made for s in case.program if m[1].startswith(s.target.name + "[")]:
            value = session.read_view(statement, notation, view, {}, session.fill(view))
            case.check(value, case.program.index(statement), "view " + view)
    except Exception:
        print("program:\n%s\n%s\ndata:\n%s\n" % (case.text, "\n".join(case.notes), ";\n".join(case.setup)))
        raise
    finally:
        if not session.connection.closed:
            session.end()
    return telling > 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    arguments = parser.parse_args()
    session = Session()
    passed = failed = skipped = telling = 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        try:
            telling += run(session, seed)
            passed += 1
        except (Refused, Slow, NoPlan):
            skipped += 1
        except (Failure, psycopg2.Error):
            failed += 1
            print("FAILED: --seed %d --count 1\n%s" % (seed, traceback.format_exc(limit=1)), flush=True)
            session.reconnect()
        if failed >= 5:
            break
    if telling < LEAST * passed:
        print("too few programs read what they hide: %d of %d" % (telling, passed))
        failed += 1
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return failed > 0


sys.exit(main())
