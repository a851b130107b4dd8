"""Our plans as work_mem grows, serial and with one worker, on the graph of `make
bench`:

    make bench-memory      BENCH_ROWS (product convolution layer attention outer
                           rows) and BENCH_RUNS (3) as for make bench

For each row and setting the least time, also as a multiple of that of 64 MB
without a worker, what PostgreSQL wrote to temporary files, in how many batches
it aggregated and joined, and how many workers ran. A plan falls off a cliff
where a time jumps and the temporary files with it.
"""

import json
import os
import sys

import graph
from clock import Sample, timed
from systems import sparseeinsum

MEMORY = ["4MB", "64MB", "1GB"]

# tables, program, and the labels of a result's value
PROGRAMS = {
    "product": ("edge node", "r[i,k] = a[i,j] * x[j,k]", "a"),
    "convolution": ("link node w1 w2", """
        d[i] = sum[j] al[i,j];
        n[i,j] = al[i,j] / sqrt(d[i] * d[j]);
        h[i,m] = relu(sum[j,k] n[i,j] * x[j,k] * w1[k,m]);
        r[i,c] = n[i,j] * h[j,m] * w2[m,c]""", "a"),
    "layer": ("edge node w1", "r[i,m] = relu(sum[j,k] a[i,j] * x[j,k] * w1[k,m])", "a"),
    "attention": ("edge node wq wk", """
        q[i,k] = x[i,m] * wq[m,k]; p[j,k] = x[j,m] * wk[m,k];
        r[i,j] = a[i,j] * (sum[k] q[i,k] * p[j,k])""", ""),
    "outer": ("node hidden", "r[k,m] = x[i,k] * hid[i,m]", "ab"),
    "rows": ("node w1", "r[i,m] = x[i,k] * w1[k,m]", "a")}


def walk(node):
    yield node
    for child in node.get("Plans", []):
        yield from walk(child)


def describe(plan):
    """temporary files in MB, most batches, workers, and the result's aggregation"""
    nodes = list(walk(plan))
    # buffers count what is below a node
    written = plan.get("Temp Written Blocks", 0) / 128
    batches = max((n.get("HashAgg Batches", n.get("Hash Batches", 1)) or 1 for n in nodes), default=1)
    workers = max((n.get("Workers Launched", 0) for n in nodes), default=0)
    top = next((n for n in nodes if n["Node Type"] == "Aggregate" and n.get("Group Key")), None)
    return written, batches, workers, top["Strategy"].lower() if top else "-"


def main():
    rows = os.environ.get("BENCH_ROWS", "").split() or list(PROGRAMS)
    runs = int(os.environ.get("BENCH_RUNS", 3))
    unknown = set(rows) - set(PROGRAMS)
    if unknown:
        sys.exit("BENCH_ROWS has %s, not one of %s" % (" ".join(unknown), " ".join(PROGRAMS)))
    data, name = graph.load()
    cursor = sparseeinsum.connect("memory")
    cursor.execute("create extension sparseeinsum")
    sparseeinsum.load(cursor, "memory", data, {table for row in rows for table in PROGRAMS[row][0].split()})
    print("%s; the least of %d runs" % (name, runs))
    print("%-12s %-8s %7s %9s %8s %10s %8s %7s  %s"
          % ("row", "work_mem", "workers", "seconds", "/ 64MB", "temp files", "batches", "ran", "groups"))
    for row in rows:
        _, program, letters = PROGRAMS[row]
        cursor.execute("select count(*) from einsum_decompose(%s, %s, schema => 'memory')", (program, row))
        query = ("select einsum_sum_scalar('%s->', value) from r" % letters) if letters else "select tensor_sum(value) from r"
        settings = [(memory, workers) for memory in MEMORY for workers in (0, 1)]
        samples, results = {s: Sample() for s in settings}, set()

        def run():
            cursor.execute(query)
            return cursor.fetchone()[0]

        def configure(memory, workers):
            cursor.execute("set work_mem = '%s'; set max_parallel_workers_per_gather = %d" % (memory, workers))

        for _ in range(runs):
            # settings take turns, so that other load meets all of them
            for setting in settings:
                configure(*setting)
                result, wall, cpu = timed(run)
                samples[setting].add(wall, cpu)
                results.add(result)
        low, high = min(results), max(results)
        if high - low > 1e-9 * max(abs(low), abs(high)):
            sys.exit("%s: the settings do not agree: %r to %r" % (row, low, high))
        for memory, workers in settings:
            configure(memory, workers)
            cursor.execute("explain (analyze, buffers, timing off, format json) " + query)
            written, batches, ran, groups = describe(cursor.fetchone()[0][0]["Plan"])
            seconds = samples[memory, workers].least
            print("%-12s %-8s %7d %9.3f %8.2f %7.0f MB %8d %7d  %s"
                  % (row, memory, workers, seconds, seconds / samples["64MB", 0].least, written, batches, ran, groups), flush=True)
        cursor.execute("select einsum_drop(%s, 'memory')", (row,))


if __name__ == "__main__":
    main()
