"""Runs our command as a user does, and two cases to give to it."""

from __future__ import annotations

import os
import subprocess
import sys

GOOD = {
    "answer": "The tower is 330 metres tall.",
    "context": "The tower is 330 metres tall.",
    "id": "good",
}
BAD = {
    "answer": "The tower is 530 metres tall.",
    "context": ["The tower is 330 metres tall."],
    "id": "bad",
}
COMMAND = [sys.executable, "-m", "faithfulness_assert"]


def run(
    *arguments: str, stdin: str = "", **environment: str | None
) -> subprocess.CompletedProcess[str]:
    """The command with these variables beside those that there are, or without one that is None."""
    given = {**os.environ, **environment}
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        input=stdin,
        timeout=60,
        check=False,
        encoding="utf-8",
        env={name: value for name, value in given.items() if value is not None},
    )
