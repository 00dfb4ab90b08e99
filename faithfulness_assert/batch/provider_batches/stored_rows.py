"""The rows of a run as the directory keeps them, so that any machine can go on with it."""

from __future__ import annotations

import json
from dataclasses import asdict, is_dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from ...records.errors import ConfigError
from ..rows import Row, digest
from ..run_description import changed_input

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def write_rows(path: Path, rows: Iterable[Row]) -> int:
    """Writes the rows into a file, whole or not at all. Returns how many there are."""
    count = 0
    target = path.with_name(f"{path.name}.tmp")
    with target.open("w", encoding="ascii") as file:
        for row in rows:
            data = {**row._asdict(), "input": digest(row)}
            file.write(f"{json.dumps(data, default=_plain)}\n")
            count += 1
    target.replace(path)
    return count


def read_rows(path: Path, count: int | None = None) -> Iterator[tuple[Row, str]]:
    """The rows in such a file, each with its digest.

    Args:
        path: of the file.
        count: how many it has; None if nobody knows.

    Raises:
        ConfigError: it is not what was written.
    """
    number = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                data = json.loads(line)
                known = data.pop("input")
                row = Row(**data)
            except (ValueError, LookupError, TypeError, AttributeError):
                raise _damaged(path, f"line {number} cannot be read") from None
            yield row, known
    if count is not None and number != count:
        raise _damaged(path, f"it has {number:,} rows of {count:,}")


def check_rows(path: Path, rows: Iterable[Row]) -> None:
    """Raises ``ConfigError`` if these are not the rows in such a file."""
    for kept, row in zip_longest(read_rows(path), rows):
        if kept is None or row is None:
            raise changed_input(f"it has {'more' if kept is None else 'fewer'} rows than then")
        if kept[1] != digest(row):
            raise changed_input(f"row {row.number} ({row.case_id}) is not what it was")


def _damaged(path: Path, problem: str) -> ConfigError:
    return ConfigError(f"{path}: {problem}: copy the directory of the run once more, as a whole")


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return str(value)
