"""The search against the exhaustive enumeration: on 60 random programs the
three least costs are equal, and 8 further programs are run under every plan
they have; where a small search_budget makes the search heuristic, how often and
how far 30 programs miss the optimum is printed. Runs the suites of run.py under
fixed seeds; a factor multiplies their number.

    test/cluster test/python test/random/optimality.py [FACTOR]
"""

import re
import subprocess
import sys

# suite, first seed, programs: the enumeration for every plan of the first program takes two minutes
RUNS = [("optimal", 1, 40), ("every", 2, 6), ("heuristic", 1, 20)]
FACTOR = int(sys.argv[1]) if len(sys.argv) > 1 else 1

passed = failed = skipped = 0
for suite, seed, count in RUNS:
    run = subprocess.run(
        [sys.executable, "test/random/run.py", "--suite", suite, "--seed", str(seed), "--count", str(count * FACTOR)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(run.stdout, end="")
    summary = re.findall(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", run.stdout, re.M)
    if not summary:
        failed += 1
        continue
    passed += int(summary[-1][0])
    failed += int(summary[-1][1])
    skipped += int(summary[-1][2] or 0)
    if run.returncode != 0 and int(summary[-1][1]) == 0:
        failed += 1
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed else 0)
