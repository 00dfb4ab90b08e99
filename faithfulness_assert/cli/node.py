"""Finds the Node of this machine, and the promptfoo that runs on it. Only promptfoo needs Node."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass

FOR_NODE_22 = "promptfoo@latest"
FOR_NODE_20 = "promptfoo@0.121.20"  # the last one for Node 20
NEEDED = f"{FOR_NODE_22} needs Node 22.22 or newer. On Node 20 (20.20 or newer), use {FOR_NODE_20}"
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


def promptfoo_for(node: Node | None) -> str | None:
    """The promptfoo that runs on this Node, as npx takes it; None if none of ours does."""
    numbers = re.match(r"(\d+)\.(\d+)", (node and node.version) or "")
    if numbers is None:
        return None
    major, minor = map(int, numbers.groups())
    if (major, minor) >= (22, 22):
        return FOR_NODE_22
    return FOR_NODE_20 if major == 20 and minor >= 20 else None


def output_of(*command: str) -> str | None:
    """What a command prints; None if it cannot be run or fails."""
    try:
        done = subprocess.run(  # noqa: S603 - a program that the user chose, with fixed arguments
            command, capture_output=True, text=True, timeout=COMMAND_TIMEOUT, check=True
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
