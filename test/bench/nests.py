"""Is no program slower with the loop nest than without?

    make bench-nests       NESTS='name ...' (words of names; all), NESTS_LIMIT (5), NESTS_RUNS (3), NESTS_USES (off on);
                           SPARSEEINSUM_DATASETS is the directory of data sets

The programs are those of plan_programs.py, those below, and a network on the karate club. The plan that is chosen of each
runs with sparseeinsum.enable_aggregate_join as NESTS_USES has it, which take turns, from SQL text to the sum of all elements of the
result; the sums have to agree. The least processor time of each counts. What takes less than 50 ms runs ten times as
often: there planning counts. The ratio is that to the first use; more than 1.1 is marked.
"""

import os
import sys

import datasets
from algebra_work import Work
from plan_programs import cora, programs
from queries import agree, call, way

sys.path.insert(0, "test/data")
import karate  # noqa: E402

LIMIT = float(os.environ.get("NESTS_LIMIT", 5))
RUNS = int(os.environ.get("NESTS_RUNS", 3))
USES = os.environ.get("NESTS_USES", "off on").split()
ASKED = os.environ.get("NESTS", "").split()
MEMORY = 64 << 20
SHORT = 0.05
SLOWER = 1.1

MORE = [
    Work("square, all promoted", "c[I,K] = sum[J] wiki[I,J] * wiki[J,K]"),
    Work("triangles, all promoted", "s[] = sum[I,J,K] wiki[I,J] * wiki[J,K] * wiki[I,K]"),
    Work("adjacency times features", "y[I,k] = computers[i,j] * computers_x[j,k]"),
    Work("wide scores along edges", "e[I,J] = computers[i,j] * (sum[k] computers_x[i,k] * computers_x[j,k])"),
    Work("two layers", "h[i,m] = relu(sum[j,k] computers[i,j] * computers_x[j,k] * computers_w[k,m]); "
         "z[I,c] = computers[i,j] * h[j,m] * computers_v[m,c]"),
    Work("sum of quadratic forms", "q[J] = 2 * tags[i,j] * tags[i,k] * tags_x[k]"),
    Work("rows of a small table", "y[I] = sum[j] small[i,j]"),
    Work("small tables", "y[I] = small[i,j] * small_w[j]"),
]


def uses(cursor, query):
    """a way for each use of the node, which is set before the clock starts"""
    found = []
    for use in USES:
        one = way(cursor, use, query)

        def within(seconds, inner=one.within, use=use):
            cursor.execute("set sparseeinsum.enable_aggregate_join = " + use)
            return inner(seconds)

        one.within = within
        found.append(one)
    return found


def has_node(cursor, query, use):
    cursor.execute("set sparseeinsum.enable_aggregate_join = %s" % use)
    cursor.execute("explain " + query)
    return sum("(AggregateJoin)" in line for line, in cursor.fetchall())


def measure(cursor, name, query):
    ways = uses(cursor, query)
    for turn in range(RUNS):
        for one in ways:
            one.run(LIMIT, MEMORY)
    if min(one.seconds for one in ways) < SHORT:
        for _ in range(10 * RUNS):
            for one in ways:
                one.run(LIMIT, 0)
    ratios = [one.seconds / ways[0].seconds for one in ways[1:]]
    same = agree([one.result for one in ways if one.result is not None])
    print("%-38s" % name + "".join(" %9.1f%s" % (one.seconds * 1e3, "+" if one.stopped else " ") for one in ways)
          + "".join(" %7.2f%s" % (ratio, "*" if ratio > SLOWER else " ") for ratio in ratios)
          + "".join(" %3d" % has_node(cursor, query, use) for use in USES[1:])
          + ("" if same else "  RESULTS DIFFER: " + ", ".join("%s %r" % (one.name, one.result) for one in ways)), flush=True)
    return ratios, same


def main():
    if not datasets.available():
        sys.exit("bench-nests needs SPARSEEINSUM_DATASETS, the directory of the data sets")
    cursor = datasets.connect()
    karate.load(cursor)
    cursor.execute("set search_path = public")
    asked = [p for p in MORE + programs() if not ASKED or any(word in p.name for word in ASKED)]
    if any(p.in_cora for p in asked):
        cora.load(cursor)
    print("processor time in ms, ratios to the first, and nodes")
    print("%-38s" % "program" + "".join(" %9s " % use for use in USES) + "".join(" %7s " % use for use in USES[1:]), flush=True)
    same = True
    ratios = []
    karate_club = [Work("karate club", cora.NETWORK % (karate.N, karate.N), in_cora=True)]
    for program in [p for p in karate_club if not ASKED or any(word in p.name for word in ASKED)] + asked:
        schema = "karate" if program.name == "karate club" else "cora" if program.in_cora else "public"
        cursor.execute("set search_path = %s, public; set sparseeinsum.enable_aggregate_join = off" % schema)
        if not program.in_cora:
            datasets.load(cursor, program.program)
        found, agreed = measure(cursor, program.name, call(cursor, "einsum_sql", program.program))
        ratios.append((program.name, found))
        same = same and agreed
    for n, use in enumerate(USES[1:]):
        over = sorted(((found[n], name) for name, found in ratios if found[n] > SLOWER), reverse=True)
        print("%s: %d of %d take more than %g x: %s" % (use, len(over), len(ratios), SLOWER, ", ".join("%s (%.2f)" % (name, r) for r, name in over)))
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
