"""Writes results as CSV."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any

from .flat_rows import OWN, flat_rows

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ..rows import Line

_FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?[\d.,]+(?:[eE][+-]?\d+)?%?")


def write_csv(lines: Iterable[Line], file: Path) -> None:
    """Writes the main parts of each result. Missing values are empty cells."""
    names, rows = flat_rows(lines)
    with file.open("w", encoding="utf-8", newline="") as text:
        columns = [*OWN, *names]
        csv.writer(text).writerow(map(_cell, columns))
        writer = csv.DictWriter(text, columns)
        writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)


def _cell(value: Any) -> Any:
    """A cell that no spreadsheet runs as a formula: texts of others may begin with ``=``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        value = value.replace("\0", "\ufffd")
        harmless = not _FORMULA.match(value) or _NUMBER.fullmatch(value)
        return value if harmless else f"'{value}"
    return value
