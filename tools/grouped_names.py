"""An extension of Griffe, which reads our docstrings for the site: parameters that share a line.

    judge, policy, options: as for ``Grader``.

Griffe takes the whole for one name, which no signature has: it loses types and defaults, and calls
them all required. ``zensical.toml`` loads this file.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

SHARED = re.compile(r"^( +)(\w+(?:, \w+)+):((?: .*)?\n(?:\1 +.*\n|\n(?=\1 ))*)", re.MULTILINE)


class GroupedNames(griffe.Extension):
    """Writes one entry for each name."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Changes the docstring before it is parsed."""
        if obj.docstring is not None:
            obj.docstring.value = split_names(obj.docstring.value)


def split_names(docstring: str) -> str:
    """The docstring with an entry for each name of those that share one, all with its text."""

    def entries(found: re.Match[str]) -> str:
        indent, names, text = found.groups()
        return "".join(f"{indent}{name}:{text}" for name in names.split(", "))

    before, args, rest = docstring.partition("Args:\n")
    inside, end, after = rest.partition("\n\n")
    return before + args + SHARED.sub(entries, inside + "\n")[:-1] + end + after
