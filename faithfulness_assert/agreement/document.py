"""What ``agreement`` and ``probe`` say, as a terminal and Markdown show it: lines, tables, entries.

Names and texts come from files and models. They are escaped where they are shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..batch.comparison_views import code

_PLAIN = re.compile(r"[\w .,;:%+()'=±-]*")


class Table(NamedTuple):
    """A title, names of columns, and rows."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


class Entries(NamedTuple):
    """A title, and items: each has a head and its texts."""

    title: str
    items: Sequence[tuple[str, Sequence[str]]]


Part = Table | Entries | Sequence[str]
"""A sequence of texts is that of lines."""


class Document(NamedTuple):
    """A title, and what stands below it."""

    title: str
    parts: Sequence[Part]


def as_markdown(document: Document) -> str:
    """The document as Markdown, in which no text of a model or a file is markup."""
    lines = [f"# {_harmless(document.title)}"]
    for part in document.parts:
        if isinstance(part, Table | Entries) and part.title:
            lines += ["", f"**{_harmless(part.title)}**"]
        lines.append("")
        if isinstance(part, Table):
            rows = [part.head, ["---"] * len(part.head), *part.rows]
            lines += [f"| {' | '.join(map(_harmless, row))} |" for row in rows]
        elif isinstance(part, Entries):
            for head, texts in part.items:
                lines += [f"- {code(head)}", *(f"  - {code(text)}" for text in texts)]
        else:
            lines += [f"- {_harmless(line)}" for line in part]
    return "\n".join(lines) + "\n"


def _harmless(text: str) -> str:
    """A text as it is if nothing in it can be markup or a mention, else as code."""
    return text if _PLAIN.fullmatch(text) else code(text)
