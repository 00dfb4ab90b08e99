"""What ``agreement`` and ``probe`` say, as a terminal shows it: lines, tables, entries.

Names and texts come from files and models. They are escaped where they are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


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
