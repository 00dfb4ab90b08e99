"""Finds the Node of this machine, which only promptfoo needs."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass

NEEDED = "promptfoo needs Node 22.22 or newer"
COMMAND_TIMEOUT = 30.0  # seconds


@dataclass(frozen=True, slots=True)
class Node:
    """An installed Node: its path, and its version, such as ``22.22.0`` (None if it fails)."""

    path: str
    version: str | None


def find_node() -> Node | None:
    """The Node on PATH."""
    path = shutil.which("node")
    if path is None:
        return None
    said = output_of(path, "--version")
    return Node(path, said and said.removeprefix("v"))


def runs_promptfoo(node: Node | None) -> bool:
    """Whether the newest promptfoo runs on this Node."""
    numbers = re.match(r"(\d+)\.(\d+)", (node and node.version) or "")
    return numbers is not None and (int(numbers[1]), int(numbers[2])) >= (22, 22)


def output_of(*command: str) -> str | None:
    """What a command prints; None if it cannot be run or fails."""
    try:
        done = subprocess.run(  # noqa: S603 - a program that the user chose, with fixed arguments
            command, capture_output=True, text=True, timeout=COMMAND_TIMEOUT, check=True
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
