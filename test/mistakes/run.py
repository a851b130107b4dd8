"""Mistakes and what they are told: mistakes.tsv against a server.

    test/cluster test/python test/mistakes/run.py [TABLE ...]

A line of a table is, between tabs: the SQLSTATE; where the position points, the beginning of the text
there, or nothing where no position is due; the words that have to occur in message, detail and hint
together, regular expressions with " & " between them; and the statement. `plan: TEXT` is einsum_plan(TEXT).
With the SQLSTATE 00000 the statement is right, and the words are of its last rows and notices. Each is run in a
transaction of its own, after setup.sql, and undone. With --record the first two fields are written anew, to be
read before they are kept. Ends with "N passed, N failed".
"""

import re
import sys
from pathlib import Path

import psycopg2

HERE = Path(__file__).parent


def ask(cursor, statement):
    """SQLSTATE, text at the position, and all that is said."""
    connection = cursor.connection
    del connection.notices[:]
    cursor.execute("BEGIN")
    try:
        if statement.startswith("plan: "):
            cursor.execute("SELECT * FROM einsum_plan(%s)", (statement[6:],))
        else:
            cursor.execute(statement)
        answer = "00000", "", "\n".join([str(row) for row in cursor.fetchall()] + connection.notices)
    except psycopg2.Error as error:
        said = error.diag
        at = said.internal_query[int(said.internal_position) - 1 :] if said.internal_position else ""
        words = [said.message_primary, said.message_detail, said.message_hint]
        answer = said.sqlstate, at, "\n".join(word for word in words if word)
    cursor.execute("ROLLBACK")
    return answer


def main():
    record = "--record" in sys.argv
    tables = [Path(name) for name in sys.argv[1:] if not name.startswith("--")] or [HERE / "mistakes.tsv"]
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION IF NOT EXISTS sparseeinsum")
    cursor.execute((HERE / "setup.sql").read_text())
    passed = failed = 0
    for table in tables:
        lines = []
        for line in table.read_text().splitlines():
            state, at, words, statement = line.split("\t")
            got_state, got_at, said = ask(cursor, statement)
            missing = [word for word in words.split(" & ") if not re.search(word, said)]
            if record:
                # the end of the text has no character
                state, at = got_state, got_at[:12]
            lines.append("\t".join((state, at, words, statement)))
            wrong_place = not got_at.startswith(at) or (at == "" and got_at != "")
            if state == got_state and not missing and not wrong_place:
                passed += 1
                continue
            failed += 1
            print(f"FAILED: {statement}\n  {got_state} at {got_at[:12]!r}: {said}")
            if missing:
                print(f"  missing: {missing}")
        if record:
            table.write_text("\n".join(lines) + "\n")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
