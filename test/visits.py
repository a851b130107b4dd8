"""How the work of planning grows with the size of a program (test/data/shapes.py), counted in the nodes that recursive
functions visit: four times the size may take eight times the visits (of what is cubic 64 times), and give a text eight
times as long, but for the SQL of several statements, each of which may have a view with all that it reads, and for pictures,
whose stages have the text of their statement. What visits shared parts along each way to them
takes exponentially many, and is stopped by a limit. The first that is stopped is the last: others would take as long.

Run under test/cluster; ends with "N passed, N failed".
"""

import sys

import psycopg2

sys.path.insert(0, "test/data")
import shapes  # noqa: E402

SMALL, LARGE, MOST_GROWTH = 25, 100, 8
# such programs take a second at most; what is exponential would not end. Less than a planted defect has (mutants/run)
TIMEOUT = "60s"
# plans are found in the same way whatever is written of them: not of every shape
WHOLE = ("chain", "ladder", "nested_sums")
ALWAYS = ("plan as text", "sql at keys", "gradient", "loop")

passed, failed = 0, 0


def check(name, holds, found):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print("FAILED: %s: %s" % (name, found), flush=True)


def visits(cursor, query, arguments):
    """of a call, and the length of its result"""
    cursor.execute("show sparseeinsum.visits")
    before = int(cursor.fetchone()[0])
    cursor.execute(query, arguments)
    length = int(cursor.fetchone()[0])
    cursor.execute("show sparseeinsum.visits")
    return int(cursor.fetchone()[0]) - before, length


def report():
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


def main():
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("create extension if not exists sparseeinsum; create schema visits; set search_path = visits, public")
    cursor.execute(shapes.LOAD)
    cursor.execute("set statement_timeout = '%s'" % TIMEOUT)
    for name, shape in shapes.SHAPES.items():
        large = shapes.CUBIC.get(name, LARGE)
        small = large * SMALL // LARGE
        most = MOST_GROWTH ** 2 if name in shapes.CUBIC else MOST_GROWTH
        for command, (query, arguments) in shapes.commands(shape(large)).items():
            statements = shape(large).count(";") + 1
            if command not in ALWAYS and name not in WHOLE and (command != "plan as sql" or statements > 1):
                continue
            try:
                many, long = visits(cursor, query, arguments)
                few, short = visits(cursor, *shapes.commands(shape(small))[command])
            except psycopg2.errors.QueryCanceled:
                check("%s, %s" % (name, command), False, "not finished after %s" % TIMEOUT)
                return report()
            except psycopg2.Error as error:
                check("%s, %s" % (name, command), False, str(error)[:200])
                continue
            check("%s, %s" % (name, command), 0 < many <= most * few, "%d visits for %d, %d for %d" % (few, small, many, large))
            if command != "plan as svg" and (command != "plan as sql" or statements == 1):
                check("%s, text of %s" % (name, command), 0 < long <= most * short, "%d characters for %d, %d for %d" % (short, small, long, large))
    return report()


if __name__ == "__main__":
    sys.exit(main())
