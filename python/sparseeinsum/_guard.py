"""Ends a server whose process has ended without ending it.

    python _guard.py PROCESS CLUSTER [TEMPORARY DIRECTORY]    (with a pipe from that process for its input)

A process that is killed, or ends by a signal, runs nothing at its end. The pipe ends with it, and with all that it has
forked. A byte from it says that the process has ended the server itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path

PATIENCE = 10.0  # seconds for sessions to end, then for the server without them


def main(process: int, cluster: Path, temporary: Path | None) -> None:
    # what ends the process, as Ctrl-C or a hangup, is not for this one
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    if sys.stdin.buffer.read(1):
        return
    if not _others(cluster, process):
        _stop(cluster)
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def _others(cluster: Path, own: int) -> list[int]:
    """The processes that use the cluster, as pgserver lists them, and are there."""
    try:
        listed = json.loads((cluster / ".handle_pids.json").read_text())
    except (OSError, ValueError):
        return []
    return [process for process in listed if process != own and _exists(process)]


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _stop(cluster: Path) -> None:
    """A fast shutdown of the server, then an immediate one."""
    file = cluster / "postmaster.pid"  # as long as the server runs, though its process may stay as a zombie
    for how in (signal.SIGINT, signal.SIGQUIT):
        try:
            server = int(file.read_text().split("\n", 1)[0])
        except (OSError, ValueError):
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(server, how)
        deadline = time.monotonic() + PATIENCE
        while file.exists() and _exists(server) and time.monotonic() < deadline:
            time.sleep(0.05)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
