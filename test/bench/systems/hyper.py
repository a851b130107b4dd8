"""Scalar SQL on Hyper."""

import os
import tempfile

from clock import Limit
from tableauhyperapi import Connection, CreateMode, HyperProcess, Telemetry

from . import duck


def child(name):
    """a process that this one has started"""
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % process) as file:
                command, _, fields = file.read().partition("(")[2].rpartition(")")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if command.startswith(name) and int(fields.split()[1]) == os.getpid():
            return int(process)
    return None


class Hyper:
    name = "Hyper"

    def __init__(self, threads):
        count = str(threads[0])
        self.folder = tempfile.TemporaryDirectory(prefix="sparseeinsum.hyper.")
        self.server = HyperProcess(Telemetry.DO_NOT_SEND_USAGE_DATA_TO_TABLEAU, parameters={
            "log_dir": self.folder.name,
            "hard_concurrent_query_thread_limit": count, "soft_concurrent_query_thread_limit": count})
        self.connection = Connection(self.server.endpoint, os.path.join(self.folder.name, "bench.hyper"),
                                     CreateMode.CREATE_AND_REPLACE)

        self.process = child("hyperd")

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
        self.server.close()
        self.folder.cleanup()
