"""Measuring: wall-clock and processor time of a call, and time limits."""

import os
import statistics
import threading
import time


class TooSlow(Exception):
    """a peer was stopped at its time limit"""


class Sample:
    """times in seconds of the runs of one system on one row: wall-clock, and of
    the processor where one process does the work (else None)"""

    def __init__(self):
        self.wall, self.cpu = [], []

    def add(self, wall, cpu):
        self.wall.append(wall)
        self.cpu.append(cpu)

    @property
    def median(self):
        return statistics.median(self.wall)

    @property
    def least(self):
        return min(self.wall)

    @property
    def processor(self):
        return None if None in self.cpu else statistics.median(self.cpu)


def processor_time(process):
    """user and system time of a process, None for one that is not known"""
    if process is None:
        return None
    with open("/proc/%d/stat" % process) as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def timed(run, process=None):
    """the result of run(), its seconds, and those of the process's processor time"""
    before, start = processor_time(process), time.perf_counter()
    result = run()
    wall = time.perf_counter() - start
    return result, wall, None if process is None else processor_time(process) - before


class Limit:
    """calls cancel() from another thread unless the block is left in time, and
    turns what the block then raises into TooSlow"""

    def __init__(self, seconds, cancel):
        self.timer = threading.Timer(seconds, self.expire)
        self.cancel, self.expired = cancel, False

    def expire(self):
        self.expired = True
        self.cancel()

    def __enter__(self):
        self.timer.start()

    def __exit__(self, kind, *_):
        self.timer.cancel()
        if self.expired and kind is not None:
            raise TooSlow()
