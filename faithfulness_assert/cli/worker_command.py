"""``worker`` runs a worker in the foreground, for all promptfoo evals of a shell."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..promptfoo.worker_process.protocol import IDLE
from ..records.errors import ConfigError
from .exit_codes import PASSED

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

MAX_IDLE = 86_400.0  # seconds


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``worker``."""
    parser.epilog = (
        "You rarely need it: the extension in `faithfulness.py` starts a worker for each eval."
    )
    parser.add_argument(
        "--pid",
        type=int,
        help="serve this process and all processes that it starts, and end with it (default: the "
        "shell that runs this command)",
    )
    parser.add_argument(
        "--idle",
        type=float,
        default=IDLE,
        help=f"end after this many seconds without an assertion (default: {IDLE:g})",
    )


def run(arguments: Namespace) -> int:
    """Serves until it is stopped, nothing is asked for a while, or the owner is gone."""
    if arguments.pid is not None and arguments.pid < 1:
        raise ConfigError(f"--pid: must be a number from 1, got {arguments.pid}")
    if not 0.1 <= arguments.idle <= MAX_IDLE:
        raise ConfigError(f"--idle: must be from 0.1 to {MAX_IDLE:g}, got {arguments.idle:g}")
    from ..promptfoo.worker_process.server import serve  # slow to load

    owner = os.getppid() if arguments.pid is None else arguments.pid
    print(f"serving the promptfoo evals that process {owner} starts; stop with Ctrl+C", flush=True)
    print(f"assertions graded: {serve(owner, arguments.idle)}")
    return PASSED
