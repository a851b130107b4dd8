"""The regression tests (test/sql) on another PostgreSQL than the one that expected/ was written on.

    test/results.py DIFFERENCES TEST ...      (on a cluster: PGHOST and so on are set)

Runs them as pg_regress does, and compares what they print with expected/: results as they are, plans by the names
of their nodes, and the text of views without the qualifications that PostgreSQL 16 leaves out. What differs
all the same has to be what the file DIFFERENCES has, which says why. What was found is in build/differences.
Tests that need XML or ICU are skipped where the server has none, and those that the file skips, "=== NAME skipped". Ends with "N passed, N failed, N skipped".
"""

import difflib
import os
import re
import subprocess
import sys
import time

DATABASE = "regression_results"


def node_name(line):
    """of a line of a plan, None if it is another"""
    head = re.match(r"^( ?| +-> +)((?:Custom|Parallel|Partial|Finalize|[A-Z])[A-Za-z ]*(?:\([A-Za-z]+\))?[A-Za-z ]*)", line)
    if not head or re.match(r"^ *[A-Z][A-Za-z0-9 -]*:", line):
        return None
    return re.sub(r" (on|using) .*", "", head.group(2)).strip()


def normalised(text):
    lines, plan, view = [], False, False
    for line in text.split("\n"):
        line = line.rstrip()
        if re.match(r"^ *QUERY PLAN *$", line):
            plan = True
            lines.append("QUERY PLAN")
        elif plan:
            if re.match(r"^\(\d+ rows?\)$", line):
                plan = False
            elif node_name(line):
                lines.append("  " + node_name(line))
        else:
            view = view or line.startswith("CREATE VIEW")
            lines.append(re.sub(r"(?<![\w.'])[a-z]\w*\.(?=[a-z])(?!\w*\()", "", line) if view else line)
            view = view and not line.endswith(";")
    return lines


def psql(database, *arguments, **more):
    return subprocess.run(["psql", "-Xq", "-d", database, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def main(listed, tests):
    os.environ.update(PGTZ="PST8PDT", PGDATESTYLE="Postgres, MDY", PGOPTIONS="-c intervalstyle=postgres_verbose", LC_MESSAGES="C")
    psql("postgres", "-c", "CREATE DATABASE %s TEMPLATE template0" % DATABASE)
    for name, value in ("lc_messages", "C"), ("lc_monetary", "C"), ("lc_numeric", "C"), ("lc_time", "C"):
        psql("postgres", "-c", "ALTER DATABASE %s SET %s = '%s'" % (DATABASE, name, value))
    print(psql(DATABASE, "-c", "CREATE EXTENSION sparseeinsum").stdout, end="")
    has_xml = "t" in psql(DATABASE, "-Atc", "SELECT xml '<a/>' IS NOT NULL").stdout.split("\n")
    has_icu = psql(DATABASE, "-Atc", "SELECT count(*) > 0 FROM pg_collation WHERE collname = 'und-x-icu'").stdout.strip() == "t"
    why, without = {}, set()
    if os.path.exists(listed):
        for line in open(listed).read().split("\n"):
            test = line[4:] if line.startswith("=== ") else None
            if test and test.endswith(" skipped"):
                without.add(test[: -len(" skipped")])
                found = []
            elif test:
                why[test] = found = []
            elif line and not line.startswith("#"):
                found.append(line)
    # where tests write files
    os.makedirs("results", exist_ok=True)
    os.makedirs("build", exist_ok=True)
    passed = failed = skipped = 0
    differences = []
    for test in tests:
        script = open("test/sql/%s.sql" % test).read()
        xml = re.search(r"\b(query_to_xml|xpath|xmlparse|xmltable)\b|::xml\b|\bxml\b '", script)
        icu = re.search(r"^CREATE COLLATION .*icu", script, re.M)
        if test in without or xml and not has_xml or icu and not has_icu:
            skipped += 1
            continue
        start = time.time()
        got = psql(DATABASE, "-a", "-v", "HIDE_TABLEAM=on", "-v", "HIDE_TOAST_COMPRESSION=on", input=script).stdout
        expected = open("expected/%s.out" % test).read()
        difference = [
            line.rstrip()
            for line in difflib.unified_diff(normalised(expected), normalised(got), n=0, lineterm="")
            if not line.startswith(("---", "+++", "@@"))
        ]
        if difference:
            differences += ["=== " + test] + difference
        if difference == why.get(test, []):
            passed += 1
        else:
            failed += 1
            print("\n".join(["test %s differs from expected/%s.out, and from what is listed in %s:" % (test, test, listed)] + difference[:40]))
        if os.environ.get("TIMES"):
            print("%6.1f s %s" % (time.time() - start, test), flush=True)
    with open("build/differences", "w") as file:
        file.write("".join(line + "\n" for line in differences))
    print("%d passed, %d failed%s" % (passed, failed, ", %d skipped" % skipped if skipped else ""))
    return failed != 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
