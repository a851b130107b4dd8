"""Scalar SQL on DuckDB, in memory."""

import os

import duckdb
from clock import Limit
from scalar_sql import COORDINATES


class DuckDB:
    name = "DuckDB"

    def __init__(self, threads):
        self.connection = duckdb.connect()
        self.process = os.getpid()

    def configure(self, workload, threads):
        self.connection.execute("set threads = %d" % threads)

    def create(self, table, arrays):
        columns = [*COORDINATES[:len(arrays) - 1], "val"]
        source = dict(zip(columns, arrays))  # noqa: F841, read by name
        self.connection.execute("create table %s as select %s from source" % (table, ", ".join(columns)))

    def drop(self, table):
        self.connection.execute("drop table " + table)

    def within(self, seconds):
        return Limit(seconds, self.connection.interrupt)

    def first(self, sql):
        return self.connection.execute(sql).fetchone()[0]

    def query(self, sql, seconds):
        with self.within(seconds):
            return self.first(sql)

    def close(self):
        self.connection.close()


def parquet(path, arrays):
    """writes a table for others to read"""
    source = dict(zip("i j val".split(), arrays))  # noqa: F841, read by name
    connection = duckdb.connect()
    connection.execute("copy (select i, j, val from source) to '%s' (format parquet)" % path)
    connection.close()
