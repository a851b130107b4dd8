"""Scalar SQL on PostgreSQL, with the settings, statistics, indexes and workers
that our views get."""

import copy_binary
from queries import Within, first

from . import sparseeinsum


class PostgreSQL:
    name = "PostgreSQL"

    # our tables, which have the same columns
    shared = {"edge", "link"}

    def __init__(self, threads):
        self.cursor = sparseeinsum.connect("bench")
        self.process = self.cursor.connection.info.backend_pid

    def configure(self, workload, threads):
        sparseeinsum.configure(self.cursor, workload.work_mem, workload.cache_size, threads - 1)

    def create(self, table, arrays):
        if table in self.shared:
            return
        self.cursor.execute("create table bench.%s (i int, j int, val float8 not null)" % table)
        copy_binary.copy_in(self.cursor, table, ["int", "int", "float"], arrays)
        self.cursor.execute("alter table %s add primary key (i, j); analyze %s" % (table, table))

    def drop(self, table):
        if table not in self.shared:
            self.cursor.execute("drop table " + table)

    def query(self, sql, seconds):
        with Within(self.cursor, seconds):
            return first(self.cursor, sql)

    def close(self):
        self.cursor.connection.close()
