"""Every program of the tests, the documentation and the examples as PostgreSQL is installed, with JIT
where it is there, beside the same without.

    make bench-defaults    BENCH_RUNS (5), BENCH_SCRIPTS (names of files, default all)

Each file of SQL is run by psql in a database of its own, with jit as installed, and where
anything was compiled by turns with jit off. A statement is compared by its least processor time with each, in the server's log
(log_statement_stats), without its workers' time; where jit loses, the file is run again, up to
BENCH_RUNS times, for a busy machine only ever adds. It fails where a statement takes more than
1.3 times as long, and 10 ms more, than without. What calls nothing of the extension, or only by
functions of a test, PostgreSQL decides about alone: that is printed and fails nothing.
"""

import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, "test")
import docs  # noqa: E402

OURS = "a statement that computes with tensors is compiled"  # src/planner/jit.c says it as DEBUG1
MOST = 1.3
LEAST_MS = 10.0  # a difference below is the clock's


def scripts():
    """(name, directory, the text for psql) of each file"""
    found = [(path, open(path).read()) for path in sorted(glob.glob("test/sql/*.sql") + glob.glob("examples/*.sql"))]
    for path in ["README.md"] + sorted(glob.glob("docs/**/*.md", recursive=True)):
        blocks = docs.statements(open(path).read())
        if blocks:
            found.append((path, "\n".join(sql for _, sql, _ in blocks)))
    chosen = os.environ.get("BENCH_SCRIPTS", "").split()
    for path, text in found:
        if not chosen or any(re.search(name, path) for name in chosen):
            yield path, text


def reset(database):
    """A cluster as it was made, but for a database that is empty: files make databases and roles, too."""
    for database in query("SELECT datname FROM pg_database WHERE datname NOT IN ('postgres', 'template0', 'template1')") + [database]:
        subprocess.run(["dropdb", "--if-exists", database], check=True, stderr=subprocess.DEVNULL)
    for role in query("SELECT rolname FROM pg_roles WHERE rolname NOT LIKE 'pg\\_%' AND rolname <> current_user"):
        subprocess.run(["dropuser", role], check=True)
    subprocess.run(["createdb", database], check=True)


def query(sql):
    """the rows of one column"""
    return subprocess.run(["psql", "-XAtd", "postgres", "-c", sql], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def times(path, text, jit):
    """(milliseconds, is something compiled in it?, does that compute with the extension?, text) of each statement"""
    directory, database = os.path.dirname(path) or ".", "bench_jit"
    reset(database)
    settings = dict(os.environ, PGDATABASE=database,
                    PGOPTIONS="-c log_statement_stats=on -c log_min_messages=debug1" + ("" if jit else " -c jit=off"))
    if not path.endswith(".md") and not path.startswith("examples"):
        subprocess.run(["psql", "-Xqc", "create extension sparseeinsum"], check=True, env=dict(settings, PGOPTIONS=""))
    log = open(os.path.join(os.environ["SPARSEEINSUM_CLUSTER"], "server.log"), errors="replace")
    log.seek(0, os.SEEK_END)
    subprocess.run(["psql", "-X"], input=text, text=True, env=settings, cwd=directory,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found, compiles, ours, time = [], False, False, None
    for line in log:
        if "time to inline: " in line:  # JIT says it as DEBUG1
            compiles = True
        elif OURS in line:
            ours = True
        elif match := re.match(r"\s*!\s+([0-9.]+) s user, ([0-9.]+) s system, ", line):
            time = 1000 * sum(map(float, match.groups()))
        elif time is not None and (match := re.search(r" STATEMENT:  (.*)", line)):
            found.append((time, compiles, ours, match.group(1)))
            compiles, ours, time = False, False, None
    return found


def slower(with_jit, without):
    """(number of the statement, both times, is it ours?, text) where jit loses; it cannot where nothing is compiled"""
    return [(n, on, off, ours, sql) for n, ((on, compiles, ours, sql), (off, _, _, _)) in enumerate(zip(with_jit, without))
            if compiles and on > MOST * off and on > off + LEAST_MS]


def main():
    runs = int(os.environ.get("BENCH_RUNS", 5))
    version, available = query("SELECT current_setting('server_version') UNION ALL SELECT pg_jit_available()::text")
    print("PostgreSQL %s, JIT is %savailable; statements that are slower with it, least of up to %d runs, in ms" % (
        version, "" if available == "true" else "not ", runs))
    beyond, compiled, files, files_compiled = 0, 0, 0, 0
    worst = (1.0, "none")
    for path, text in scripts():
        least = None
        files += 1
        for _ in range(runs):
            both = [times(path, text, True)]
            if least is None and not any(compiles for _, compiles, _, _ in both[0]):
                break  # without jit it would be run in the same way
            both.append(times(path, text, False))
            if len(both[0]) != len(both[1]):
                print("%s: %d statements with jit, %d without  BEYOND" % (path, len(both[0]), len(both[1])), flush=True)
                beyond, least = beyond + 1, None
                break
            least = both if least is None else [[min(pair) for pair in zip(*lists)] for lists in zip(least, both)]
            if not any(ours for _, _, _, ours, _ in slower(*least)):
                break
        if least is None:
            continue
        files_compiled += 1
        for (on, compiles, ours, sql), (off, _, _, _) in zip(*least):
            compiled += compiles
            if compiles and ours and on > off + LEAST_MS:
                worst = max(worst, (on / off, path))
        for n, on, off, ours, sql in slower(*least):
            beyond += ours
            print("%-40s statement %4d: %9.1f with jit, %9.1f without, ratio %6.2f  %s  %s" % (
                path, n + 1, on, off, on / off, "BEYOND" if ours else "PostgreSQL's", sql[:100]), flush=True)
    print("%d files, %d with statements that were compiled: %d, the worst of ours has %.2f, of %s; %d beyond" % (
        files, files_compiled, compiled, worst[0], worst[1], beyond))
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
