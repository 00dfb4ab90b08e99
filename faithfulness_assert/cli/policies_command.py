"""``policies`` lists the presets, or shows one policy in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..policy import presets
from ..policy.describe import HEAD, in_full, row
from ..policy.load import find_policy
from .exit_codes import PASSED
from .terminal import show_line, show_table

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``policies``."""
    parser.add_argument(
        "name",
        metavar="NAME",
        nargs="?",
        help="a preset, or a policy file (.toml, .yaml, .json); without it, all presets are listed",
    )


def run(arguments: Namespace) -> int:
    """Lists the presets, or shows the policy that was named."""
    if arguments.name is None:
        show_table(HEAD, map(row, presets.policies.values()))
        show_line("To show one in full: faithfulness-assert policies NAME")
        return PASSED
    policy = find_policy(arguments.name, {}, {})
    show_line(policy.name, policy.summary, style="bold")
    for line in in_full(policy):
        show_line(f"  {line}")
    return PASSED
