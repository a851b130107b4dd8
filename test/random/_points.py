"""Results at some keys, einsum_sql(program, at => labels), beside the whole."""

import itertools
import json

import numpy as np

from _session import Failure, NoPlan, options_text, parse_tensor
from _syntax import index_of, key_at


def complaint(case, where, value, expected):
    """What is wrong with the entries at some indices, beside those of the whole result."""
    oracle = case.expected[-1]
    with np.errstate(all="ignore"):
        good = (value == expected) | (np.isnan(value) & np.isnan(expected))
        loose = oracle.p if oracle.s is None else oracle.p | oracle.s
        good = good | loose[where] | ~np.isfinite(oracle.e[where])
        if not case.exact or loose.any():
            # another order of sums, and what comes of entries that depend on plans
            good = good | (abs(value - expected) <= 64 * oracle.e[where])
    return None if good.all() else "%s\n  should: %s" % (value, expected)


def literal(value):
    return "'%s'" % str(value).replace("'", "''") if not isinstance(value, int) else str(value)


class Result:
    """What a program's result is, and how its rows are to be read."""

    def __init__(self, case, text, options):
        self.case = case
        self.statement = case.program[-1]
        session = case.session
        session.attempt("SAVEPOINT whole", "savepoint")
        stages = dict(session.attempt("SELECT view, notation FROM einsum_decompose($prog$%s$prog$, 'whole'%s)" % (
            text, options_text(options)), "einsum_decompose"))
        view, notation = next(s for s in stages.items() if s[0].split(".")[-1] == self.statement.target.name)
        self.fill = session.fill(view)
        self.rows = session.attempt("SELECT * FROM %s" % view, "the whole result")
        self.columns = [c.name for c in session.cursor.description]
        self.whole = self.dense(notation, self.columns, self.rows)
        session.rows("ROLLBACK TO SAVEPOINT whole")

    def dense(self, notation, columns, rows):
        return self.case.session.dense(self.statement, notation, columns, rows, self.case.open, self.fill)

    def where(self, labels, key):
        """The indices of the result that have a key."""
        at = dict(zip(labels, key))
        bounds = self.statement.target.bounds
        sorts = self.statement.target.sorts
        target = self.statement.target
        return tuple(index_of(self.case.session.closed(at[name], self.case.open.get(sorts[d]), bounds[d]), target.first(d))
                     if name in at else slice(None) for d, name in enumerate(self.statement.labels))


def ask(case, text, options, most_keys):
    """Compares one variant; the number of keys asked for."""
    session = case.session
    rng = case.rng
    case.notes = ["asked: %s %s" % (text, options)]
    result = Result(case, text, options)
    columns = result.columns[:-1]
    labels = list(result.statement.labels)
    # a label that the whole result has in its value may be a key of a point query
    free = [name for name in labels if name in columns or rng.random() < 0.5]
    if not free:
        return 0
    at = rng.sample(free, rng.randint(1, len(free)))
    names = "ARRAY[%s]::name[]" % ", ".join("'%s'" % c.replace("'", "''") for c in at)
    given = "$prog$%s$prog$, at => %s%s" % (text, names, options_text(options))
    try:
        query = session.attempt("SELECT einsum_sql(%s)" % given, "einsum_sql at %s" % at)[0][0]
    except NoPlan:
        return 0  # a label that the left side demotes or has in blocks is no key
    plan = json.loads(session.attempt("SELECT einsum_plan(%s, format => 'json')" % given, "einsum_plan at %s" % at)[0][0])
    notation = next(s["notation"] for s in plan[0]["stages"] if s["name"] == result.statement.target.name)
    case.notes.append(query)
    session.attempt("PREPARE point AS " + query, "PREPARE")
    target = result.statement.target
    keys_of = {name: [key_at(target.first(d), i) for i in range(bound + 1)] for d, (name, bound) in enumerate(zip(labels, target.bounds))}
    is_open = {name: bool(case.open.get(sort)) for name, sort in zip(labels, result.statement.target.sorts)}
    # also where there is nothing, and beyond all bounds
    choices = [sorted({row[columns.index(c)] for row in result.rows}, key=str) if is_open[c] else keys_of[c] for c in at]
    keys = list(itertools.islice(itertools.product(*choices), 200))
    asked = rng.sample(keys, min(most_keys, len(keys)))
    for number, key in enumerate(asked):
        what = "at %s = %s" % (at, key)
        rows = session.attempt("EXECUTE point(%s)" % ", ".join(literal(k) for k in key), what)
        got = [c.name for c in session.cursor.description]
        types = [c.type_code for c in session.cursor.description]
        for row in rows:
            if any(row[got.index(c)] != k for c, k in zip(at, key)):
                raise Failure("%s has the row %s" % (what, row))
        inside = all(is_open[c] or k != keys_of[c][-1] for c, k in zip(at, key))
        if not inside:
            if rows:
                raise Failure("%s has %d rows" % (what, len(rows)))
            continue
        where = result.where(at, key)
        wrong = complaint(case, where, result.dense(notation, got, rows)[where], result.whole[where])
        if wrong:
            raise Failure("%s:\n  is:     %s" % (what, wrong))
        if number == 0:
            in_one_call(session, text, options, dict(zip(at, key)), got, types, rows)
    session.rows("DEALLOCATE point")
    if session.coverage:
        session.coverage.asked("at some keys", {})
    return len(asked)


def in_one_call(session, text, options, given, columns, types, rows):
    """einsum_rows has the same rows."""
    names = [session.rows("SELECT format_type(%d, NULL)" % t)[0][0] for t in types]
    quoted = ['"%s"' % c.replace('"', '""') for c in columns]
    got = session.attempt("SELECT * FROM einsum_rows($prog$%s$prog$, at => %s%s) AS y(%s)" % (
        text, literal(json.dumps(given, default=str)), options_text(options),
        ", ".join("%s %s" % c for c in zip(quoted, names))), "einsum_rows at %s" % given)
    if sorted(map(str, got)) != sorted(map(str, rows)):
        raise Failure("einsum_rows at %s:\n  is:     %s\n  should: %s" % (given, got, rows))
