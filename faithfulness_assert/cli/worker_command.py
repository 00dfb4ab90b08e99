"""``worker`` runs a worker in the foreground, for all promptfoo evals of a shell."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from ..promptfoo.worker_process.protocol import IDLE

PidOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Serve this process and all processes that it starts, and end with it. "
        "By default, the shell that runs this command.",
    ),
]
IdleOption = Annotated[
    float,
    typer.Option(min=0.1, max=86_400, help="End after this many seconds without an assertion."),
]


def worker(pid: PidOption = None, idle: IdleOption = IDLE) -> None:
    """Grade the promptfoo assertions of this shell in one process.

    You rarely need it: the extension in `faithfulness.py` starts a worker for each eval.
    """
    from ..promptfoo.worker_process.server import serve  # slow to load

    owner = os.getppid() if pid is None else pid
    typer.echo(f"serving the promptfoo evals that process {owner} starts; stop with Ctrl+C")
    typer.echo(f"assertions graded: {serve(owner, idle)}")
