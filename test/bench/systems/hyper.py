"""Scalar SQL on Hyper."""

import os
import tempfile

from clock import Limit
from tableauhyperapi import Connection, CreateMode, HyperProcess, Telemetry

from . import duck


class Hyper:
    name = "Hyper"

    def __init__(self, threads):
        threads, = threads
        self.folder = tempfile.TemporaryDirectory(prefix="sparseeinsum.hyper.")
        self.process = HyperProcess(Telemetry.DO_NOT_SEND_USAGE_DATA_TO_TABLEAU, parameters={
            "log_dir": self.folder.name,
            "hard_concurrent_query_thread_limit": str(threads), "soft_concurrent_query_thread_limit": str(threads)})
        self.connection = Connection(self.process.endpoint, os.path.join(self.folder.name, "bench.hyper"),
                                     CreateMode.CREATE_AND_REPLACE)

    def configure(self, workload, threads):
        pass

    def create(self, table, arrays):
        path = os.path.join(self.folder.name, table + ".parquet")
        duck.parquet(path, arrays)
        self.connection.execute_command("create table %s as select * from external('%s')" % (table, path))
        os.remove(path)

    def drop(self, table):
        self.connection.execute_command("drop table " + table)

    def query(self, sql, seconds):
        with Limit(seconds, self.connection.cancel):
            return self.connection.execute_scalar_query(sql)

    def close(self):
        self.connection.close()
        self.process.close()
        self.folder.cleanup()
