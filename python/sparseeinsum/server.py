"""A private PostgreSQL server with the extension, of the package sparseeinsum-server.

It needs no root. As pgserver does, a process of root makes a system user "pgserver", which the
server then runs as.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def start(data: str | Path | None = None) -> Iterator[str]:
    """Runs a server for the time of a block, and gives the URI that drivers and psql connect to.

    data is the directory of its cluster, made if it is not there, and kept. Without, the cluster is in a
    temporary directory, and gone at the end. The database postgres has the extension. work_mem is 64 MB, unless the
    cluster has another. The server ends with this process, also if that is killed.
    """
    pgserver = _pgserver()
    with contextlib.ExitStack() as stack:
        temporary = None
        if data is None:
            temporary = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sparseeinsum-")))
            directory = temporary / "data"
        else:
            directory = Path(data).absolute()
        stack.enter_context(_guard(directory, temporary))
        server = stack.enter_context(pgserver.get_server(directory))
        _set_work_mem(server)
        server.psql("SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS sparseeinsum")
        yield server.get_uri()


@contextlib.contextmanager
def _guard(directory: Path, temporary: Path | None) -> Iterator[None]:
    """A process that stops the server if this one ends within the block."""
    arguments = [str(path) for path in (Path(__file__).parent / "_guard.py", os.getpid(), directory.resolve(), temporary) if path]
    # in a session of its own, which no signal of the terminal's reaches
    with subprocess.Popen([sys.executable, "-I", *arguments], stdin=subprocess.PIPE, start_new_session=True) as guard:
        assert guard.stdin is not None
        try:
            yield
        finally:
            with contextlib.suppress(BrokenPipeError):
                guard.stdin.write(b".")
                guard.stdin.flush()


def _set_work_mem(server: Any) -> None:
    """PostgreSQL's 4 MB are too little for hash tables of a few 100,000 rows."""
    if (
        server.psql("\\pset tuples_only\n\\pset format unaligned\nSELECT source FROM pg_settings WHERE name = 'work_mem'").split()[-1]
        != "default"
    ):
        return
    server.psql("ALTER SYSTEM SET work_mem = '64MB';\nSELECT pg_reload_conf()")
    # the server reads it soon, and new sessions have it then
    deadline = time.monotonic() + 10
    while "64MB" not in server.psql("SHOW work_mem") and time.monotonic() < deadline:
        time.sleep(0.05)


def psql() -> Path:
    """The psql that belongs to the server."""
    return Path(_pgserver().__file__).parent / "pginstall" / "bin" / "psql"


def examples() -> Path:
    """The directory of the examples that come with the server."""
    import sparseeinsum_server

    return Path(sparseeinsum_server.__file__).parent / "examples"


def _pgserver() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
            import pgserver
        import sparseeinsum_server  # noqa: F401
    except ImportError as missing:
        raise ImportError(f"{missing.name} is not installed; install it with: pip install 'sparseeinsum[server]'") from None
    return pgserver
