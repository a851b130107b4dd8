"""Ten times the edges: the product of the adjacency with the features on a graph
of ten times the nodes with the same degrees, beside the original."""

import copy

import graph as graphs
from clock import Sample, timed
from systems import memory, sparseeinsum
from workloads import WORKLOADS, Memory

TIMES = 10
# the larger graph's vectors are 844 MB; with edges in random order, what the cache has
# no room for is fetched again for nearly every edge
CACHE_SIZE = "1GB"
# with as much again for states and results, and for what numpy keeps
MEMORY = 3 << 30


def measure(graph, runs, check):
    """{(system, times): Sample}"""
    workload = copy.copy(next(w for w in WORKLOADS if w.name == "product"))
    workload.cache_size = CACHE_SIZE
    large = graphs.enlarge(graph, TIMES)
    cursors = {1: sparseeinsum.connect("bench"), TIMES: sparseeinsum.connect("large")}
    sparseeinsum.load(cursors[TIMES], "large", large, ("edge", "node"), measure=False)
    systems = {}
    for times, of in ((1, graph), (TIMES, large)):
        systems["scipy", times] = memory.InMemory(workload, Memory(of))
        systems["sparseeinsum", times] = sparseeinsum.Views(cursors[times], workload, 0)
        systems["sparseeinsum", times].create("growth_%d" % times)
    samples = {key: Sample() for key in systems}
    for run in range(runs + 1):
        totals = {}
        for key, system in systems.items():
            if key[0] != "scipy":
                system.configure()
            totals[key], wall, cpu = timed(system.run, system.process, MEMORY)
            if run > 0:
                samples[key].add(wall, cpu)
        for (name, times), total in totals.items():
            check(total, totals["scipy", times], totals["scipy", times])
    return samples
