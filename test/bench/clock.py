"""Measuring: wall-clock and processor time of a call, and time limits."""

import mmap
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


def serial_time(process):
    """processor time of a process that has one thread, as a server process has, to the nanosecond"""
    with open("/proc/%d/schedstat" % process) as file:
        return int(file.read().split()[0]) * 1e-9


def claim(size):
    """Gets size bytes of memory and frees them. The host of a virtual machine may
    take back what has been free for 2 s, and getting it again takes 2 ms for a MB,
    twenty times as long: of a run that needs 100 MB in each of its processes, that
    would be a third of what is measured."""
    if size > 0:
        with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
            memory.madvise(mmap.MADV_HUGEPAGE)
            memory[::mmap.PAGESIZE] = bytes(size // mmap.PAGESIZE)


# what a run may need, in bytes
MEMORY = 512 << 20


def timed(run, process=None, memory=MEMORY):
    """the result of run(), its seconds, and those of the process's processor time;
    with so much memory at hand"""
    claim(memory)
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
