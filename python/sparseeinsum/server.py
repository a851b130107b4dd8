"""A private PostgreSQL server with the extension, of the package sparseeinsum-server.

It needs no root. As pgserver does, a process of root makes a system user "pgserver", which the
server then runs as.
"""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def start(data: str | Path | None = None) -> Iterator[str]:
    """Runs a server for the time of a block, and gives the URI that drivers and psql connect to.

    data is the directory of its cluster, made if it is not there, and kept. Without, the cluster is in a
    temporary directory, and gone at the end. The database postgres has the extension.
    """
    with contextlib.ExitStack() as stack:
        if data is None:
            directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sparseeinsum-"))) / "data"
        else:
            directory = Path(data).absolute()
        server = stack.enter_context(_pgserver().get_server(directory))
        server.psql("SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS sparseeinsum")
        yield server.get_uri()


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
