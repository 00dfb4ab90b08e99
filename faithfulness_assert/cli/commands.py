"""The commands and their arguments, as ``commands.txt`` has them."""

from __future__ import annotations

from ..files import read_text

WIDTH = 80
"""Columns of a help text."""
TO_FILE = "Results get into a file with batch --output FILE, or with grade --json > FILE"

COMMANDS: dict[str, tuple[str, str]] = {}
"""The theme of each command, which names its module, and its summary."""
LINES: dict[str, list[str]] = {}
"""The lines below each name."""
for _section in read_text(__file__.removesuffix("py") + "txt").split("\n## ")[1:]:
    _head, *_lines = filter(None, _section.splitlines())
    _name, *_more = _head.split(" | ")
    LINES[_name] = _lines
    if _more:
        COMMANDS[_name] = _more[0], _more[1]
