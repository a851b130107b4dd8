"""Runs the SQL of the documentation.

    test/docs.py FILE ...      (on a cluster: PGHOST and so on are set)

Every ```sql block of a file runs, in order, in a database of the file's own. A
statement that is followed by lines "-- => TEXT" must give these rows (columns
separated by " | "); "-- => ERROR: TEXT" must be its error. A statement without
them must not fail. Blocks in other languages are left alone.
"""

import re
import subprocess
import sys


def statements(text):
    """(line number, SQL, expected lines) of each statement of a file"""
    inside, sql, start, found = False, [], 0, []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip().startswith("```"):
            inside = line.strip() == "```sql"
            if sql:
                found.append((start, "\n".join(sql), []))
            sql = []
        elif inside:
            code, _, expected = line.partition("-- =>")
            if code.strip():
                start = start if sql else number
                sql.append(code.rstrip())
                quotes = "\n".join(sql).count("$$")
                if re.sub(r"--[^']*$", "", code).rstrip().endswith(";") and quotes % 2 == 0:
                    found.append((start, "\n".join(sql), []))
                    sql = []
            if _:
                found[-1][2].append(expected.strip())
    return found


def run(database, found):
    """the output of each statement, as a list of lines"""
    script = ["set client_min_messages = warning;"]
    for i, (_, sql, _) in enumerate(found):
        script += ["\\echo @@%d" % i, sql]
    process = subprocess.run(
        ["psql", "-XAtq", "-F", " | ", "-d", database],
        input="\n".join(script) + "\n", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = [[] for _ in found]
    current = []
    for line in process.stdout.split("\n"):
        if re.match(r"@@\d+$", line):
            current = output[int(line[2:])]
        else:
            current.append(line.rstrip())
    return output


def main(files):
    passed = failed = 0
    for k, file in enumerate(files):
        found = statements(open(file).read())
        database = "docs_%d" % k
        subprocess.run(["createdb", database], check=True)
        for (line, sql, expected), output in zip(found, run(database, found)):
            output = [x for x in output if x]
            errors = [re.sub(r"^(psql:\S+ )?ERROR: +", "ERROR: ", x) for x in output if "ERROR:" in x]
            if expected and expected[0].startswith("ERROR:"):
                right = errors[:1] == expected[:1]
            elif expected:
                right = output == expected
            else:
                right = not errors
            if right:
                passed += 1
            else:
                failed += 1
                print("%s:%d: %s" % (file, line, sql))
                print("  expected: %s" % "\n            ".join(expected or ["no error"]))
                print("  got:      %s" % "\n            ".join(output))
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
