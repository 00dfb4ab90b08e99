"""``policies`` lists the presets, or shows one policy in full."""

from __future__ import annotations

from typing import Annotated

import typer

from ..policy import presets
from ..policy.describe import HEAD, in_full, row
from ..policy.load import find_policy
from .terminal import show_line, show_table

NameArgument = Annotated[
    str | None,
    typer.Argument(
        help="A preset, or a policy file (.toml, .yaml, .json). Without it, all presets are listed."
    ),
]


def policies(name: NameArgument = None) -> None:
    """List the presets, or show one policy in full."""
    if name is None:
        show_table(HEAD, map(row, presets.policies.values()))
        show_line("To show one in full: faithfulness-assert policies NAME")
        return
    policy = find_policy(name, {}, {})
    show_line(policy.name, policy.summary, style="bold")
    for line in in_full(policy):
        show_line(f"  {line}")
