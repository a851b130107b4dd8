"""Scalar SQL on SQLite, with a unique index and statistics.

Queries run in a process of their own: while SQLite sorts it cannot be
interrupted, only killed.
"""

import multiprocessing
import os
import sqlite3
import tempfile

from clock import TooSlow


def serve(path, pipe):
    connection = sqlite3.connect(path)
    # all of the tables, and what is sorted, in memory
    connection.execute("pragma mmap_size = 4000000000")
    connection.execute("pragma cache_size = -1000000")
    connection.execute("pragma temp_store = memory")
    while True:
        pipe.send(connection.execute(pipe.recv()).fetchone()[0])


class SQLite:
    name = "SQLite"

    def __init__(self, threads):
        self.folder = tempfile.TemporaryDirectory(prefix="sparseeinsum.sqlite.")
        self.path = os.path.join(self.folder.name, "bench.db")
        self.connection = sqlite3.connect(self.path)
        self.connection.execute("pragma synchronous = off")
        self.connection.execute("pragma journal_mode = off")
        self.process = self.worker = None

    def configure(self, workload, threads):
        pass

    def create(self, table, arrays):
        self.stop()
        self.connection.execute("create table %s (i integer, j integer, val real not null)" % table)
        self.connection.executemany("insert into %s values (?, ?, ?)" % table, zip(*(a.tolist() for a in arrays)))
        self.connection.execute("create unique index %s_key on %s (i, j)" % (table, table))
        self.connection.execute("analyze " + table)
        self.connection.commit()

    def drop(self, table):
        self.stop()
        self.connection.execute("drop table " + table)
        self.connection.commit()

    def query(self, sql, seconds):
        if self.worker is None:
            self.pipe, other = multiprocessing.Pipe()
            self.worker = multiprocessing.get_context("spawn").Process(target=serve, args=(self.path, other), daemon=True)
            self.worker.start()
            other.close()
            # its start is not measured
            self.pipe.send("select 1")
            self.pipe.recv()
        self.pipe.send(sql)
        if not self.pipe.poll(seconds):
            self.stop()
            raise TooSlow()
        return self.pipe.recv()

    def stop(self):
        if self.worker is not None:
            self.worker.kill()
            self.worker.join()
            self.pipe.close()
            self.worker = None

    def close(self):
        self.stop()
        self.connection.close()
        self.folder.cleanup()
