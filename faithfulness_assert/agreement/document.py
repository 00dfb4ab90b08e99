"""What ``agreement`` and ``probe`` say, as a terminal shows it: lines and tables.

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


class Document(NamedTuple):
    """A title, and what stands below it: tables, and lines."""

    title: str
    parts: Sequence[Table | Sequence[str]]
