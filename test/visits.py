"""How the work of planning grows with the size of a program (test/data/shapes.py), counted in the nodes that recursive
functions visit: four times the size may take eight times the visits (of what is cubic 64 times). What visits shared parts along each way to them
takes exponentially many, and is stopped by a limit.

Run under test/cluster; ends with "N passed, N failed".
"""

import sys

import psycopg2

sys.path.insert(0, "test/data")
import shapes  # noqa: E402

SMALL, LARGE, MOST_GROWTH = 25, 100, 8
# such programs take a second at most; what is exponential would not end
TIMEOUT = "600s"
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
    cursor.execute("show sparseeinsum.visits")
    before = int(cursor.fetchone()[0])
    cursor.execute(query, arguments)
    cursor.fetchall()
    cursor.execute("show sparseeinsum.visits")
    return int(cursor.fetchone()[0]) - before


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
            if command not in ALWAYS and name not in WHOLE:
                continue
            try:
                many = visits(cursor, query, arguments)
                few = visits(cursor, *shapes.commands(shape(small))[command])
            except psycopg2.Error as error:
                check("%s, %s" % (name, command), False, str(error)[:200])
                continue
            check("%s, %s" % (name, command), 0 < many <= most * few, "%d visits for %d, %d for %d" % (few, small, many, large))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
