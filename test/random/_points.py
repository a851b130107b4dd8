"""Results at some keys, einsum_sql(program, at => labels), beside the whole."""

import itertools

import numpy as np

from _session import Failure, NoPlan, options_text, parse_tensor


def comparable(row):
    """a row with numbers in place of text"""
    value = row[-1]
    value = parse_tensor(value) if isinstance(value, str) else np.array(value, float)
    return tuple(row[:-1]), value


def same(case, columns, rows, expected):
    """The same keys, and the same values within what another order of sums may change."""
    if [key for key, _ in rows] != [key for key, _ in expected]:
        return False
    statement = case.program[-1]
    oracle = case.expected[-1]
    for (key, value), (_, other) in zip(rows, expected):
        if value.shape != other.shape:
            return False
        good = (value == other) | (np.isnan(value) & np.isnan(other))
        loose = oracle.p if oracle.s is None else oracle.p | oracle.s
        if not case.exact or loose.any():
            at = dict(zip(columns, key))
            if any(not isinstance(k, int) for k in key) or case.blocks and value.ndim:
                # no index of the oracle's
                e, p = np.max(oracle.e, initial=0), loose.any()
            else:
                where = tuple(at.get(name, slice(None)) for name in statement.labels)
                e, p = oracle.e[where], loose[where]
            with np.errstate(all="ignore"):
                good = good | p | (abs(value - other) <= 64 * e) | ~np.isfinite(e)
        if not good.all():
            return False
    return True


def ask(case, text, options, most_keys):
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
    try:
        query = session.attempt("SELECT einsum_sql($prog$%s$prog$, at => %s%s)" % (
            text, labels, options_text(options)), "einsum_sql at %s" % at)[0][0]
    except NoPlan:
        return 0  # a label in blocks is no key of entries
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
    asked = rng.sample(keys, min(most_keys, len(keys)))
    for key in asked:
        wanted = sorted((r for r in rows if tuple(r[0][p] for p in positions) == key), key=lambda r: str(r[0]))
        got = session.attempt("EXECUTE point(%s)" % ", ".join(
            str(k) if isinstance(k, int) else "'%s'" % str(k).replace("'", "''") for k in key), "at %s = %s" % (at, key))
        got = sorted((comparable(r) for r in got), key=lambda r: str(r[0]))
        if not same(case, columns, got, wanted):
            raise Failure("at %s = %s:\n  is:     %s\n  should: %s" % (at, key, got, wanted))
    session.rows("DEALLOCATE point")
    if session.coverage:
        session.coverage.asked("at some keys", {})
    return len(asked)
