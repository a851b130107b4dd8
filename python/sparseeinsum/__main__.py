"""python -m sparseeinsum demo | psql: the extension in a private PostgreSQL server."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys

from . import server


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m sparseeinsum", description="The extension in a private PostgreSQL server, which runs as long as the command."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("demo", help="Zachary's karate club: PageRank and a graph convolution")
    psql = commands.add_parser("psql", help="psql on a database with the extension; further arguments are psql's")
    psql.add_argument("--data", metavar="DIRECTORY", help="keep the cluster there; without, it is gone at the end")
    options, further = parser.parse_known_args(arguments)
    if further and options.command != "psql":
        parser.error(f"unrecognized arguments: {' '.join(further)}")
    # what is meant for other servers: a port, options
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]
    try:
        with server.start(options.data if options.command == "psql" else None) as uri:
            if options.command == "demo":
                further = ["-Xq", "-P", "footer=off", "-P", "pager=off", "-f", str(server.examples() / "karate.sql")]
            # psql cancels what it runs; this process waits for it
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            return subprocess.run(
                [server.psql() if options.command == "demo" else shutil.which("psql") or server.psql(), "-d", uri, *further], check=False
            ).returncode
    except ImportError as missing:
        print(missing, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
