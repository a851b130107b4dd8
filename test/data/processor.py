"""Processor time of a server process. Other load on the machine changes it little, unlike what the clock says."""

import contextlib
import os
import threading


def processor(connection):
    """Seconds of processor time that the server process of a connection has taken."""
    with open("/proc/%d/stat" % connection.info.backend_pid) as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def at_most(connection, seconds):
    """Cancels what the connection runs inside of the block once its server process has taken these seconds more."""
    end = processor(connection) + seconds
    done = threading.Event()

    def watch():
        while not done.wait(0.1):
            if processor(connection) > end:
                connection.cancel()
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
