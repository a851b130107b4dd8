"""numpy and scipy in memory, and with the export from and the import into
PostgreSQL by binary COPY."""

import os
import types

import copy_binary
import numpy as np
import threadpoolctl
import workloads

CHUNK = 65536


def checksum(result):
    return float((result[2] if isinstance(result, tuple) else result).sum())


def blas_libraries():
    """what numpy and scipy compute with, a text for each library"""
    return sorted({"%s %s, core %s" % (b["internal_api"], b["version"], b.get("architecture"))
                   for b in threadpoolctl.threadpool_info() if b["user_api"] == "blas"})


class InMemory:
    """the computation on prebuilt arrays"""

    process = os.getpid()

    def __init__(self, workload, memory):
        self.workload, self.memory = workload, memory

    def run(self):
        return checksum(list(self.workload.memory(self.memory).values())[-1])


class Exporting:
    """the same on what COPY brings from PostgreSQL, its result brought back; BLAS has the given threads"""

    process = None

    def __init__(self, workload, cursor, graph, threads):
        self.workload, self.cursor, self.graph, self.threads = workload, cursor, graph, threads
        self.libraries = threadpoolctl.ThreadpoolController()  # takes milliseconds to find them

    def run(self):
        with self.libraries.limit(limits=self.threads):
            return self.compute()

    def compute(self):
        arrays = types.SimpleNamespace(nodes=self.graph.nodes)
        for table in self.workload.tables:
            self.fetch(arrays, table)
        result = list(self.workload.memory(workloads.Memory(arrays)).values())[-1]
        self.cursor.execute("create temp table result (i int, val tensor)")
        copy_binary.copy_in(self.cursor, "result", self.workload.columns, [np.arange(len(result)), result])
        self.cursor.execute("drop table result")
        return checksum(result)

    def fetch(self, arrays, table):
        if table in ("edge", "link"):
            columns = copy_binary.copy_out(self.cursor, "select i, j, val from " + table, ["int", "int", "float"])
            for name, column in zip("i j value".split(), columns):
                setattr(arrays, name if table == "edge" else "link_" + name, column)
        elif table == "node":
            i, rows = copy_binary.copy_out(self.cursor, "select i, val from node", ["int", self.graph.x.shape[1:]])
            arrays.x = np.empty_like(rows)
            arrays.x[i] = rows
        else:
            setattr(arrays, table, copy_binary.copy_out(
                self.cursor, "select val from " + table, [getattr(self.graph, table).shape])[0][0])
