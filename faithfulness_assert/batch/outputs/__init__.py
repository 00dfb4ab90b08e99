"""Results out: JSON lines, CSV, Parquet, JUnit XML, and annotations for GitHub."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ...records.errors import ConfigError
from ..parquet_files import load_pyarrow, write_parquet
from .csv_writer import write_csv
from .flat_rows import OWN, flat_rows
from .github import github_annotations
from .input_order import in_input_order
from .junit import write_junit
from .whole_files import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..rows import Line

__all__ = ["SUFFIXES", "check_output", "github_annotations", "in_input_order", "write_results"]


def write_results(
    lines: Iterable[Line],
    path: str | os.PathLike[str],
    *,
    order: Literal["input", "finished"] = "input",
) -> None:
    """Writes results to a file, in a format by its suffix: one of ``SUFFIXES``.

    The file is there only when it is complete; an older one stays until then. Memory does not grow
    with the number of lines.

    Args:
        lines: the results, in any order.
        path: the file. JSON lines have the whole results; the others their main parts.
        order: that of the rows of the data set, or as the lines come.

    Raises:
        ConfigError: an unknown suffix or order; the file cannot be written; or pyarrow is missing.
    """
    if order not in ("input", "finished"):
        raise ConfigError(f"order: must be input or finished, got {order!r}")
    file = check_output(path)
    write = _WRITERS[file.suffix.lower()]
    with whole_file(file) as part:
        write(in_input_order(lines) if order == "input" else lines, part)


def check_output(path: str | os.PathLike[str]) -> Path:
    """The path, if results can be written there, as far as one can tell before a run.

    Raises:
        ConfigError: an unknown suffix, no such folder, a read-only folder, or pyarrow is missing.
    """
    file = Path(path)
    if file.suffix.lower() not in SUFFIXES:
        raise ConfigError(f"{file}: unknown kind of file. Known: {', '.join(SUFFIXES)}")
    if not file.parent.is_dir():
        raise ConfigError(f"{file}: cannot be written: there is no folder {file.parent}")
    if not os.access(file.parent, os.W_OK):
        raise ConfigError(f"{file}: cannot be written: the folder is read-only")
    if file.suffix.lower() == ".parquet":
        load_pyarrow()
    return file


def _write_lines(lines: Iterable[Line], file: Path) -> None:
    with file.open("w", encoding="utf-8", newline="\n") as text:
        text.writelines(f"{line.to_json()}\n" for line in lines)


def _write_parquet(lines: Iterable[Line], file: Path) -> None:
    names, rows = flat_rows(lines)
    write_parquet(rows, {**OWN, **dict.fromkeys(names, str)}, file)


_WRITERS: dict[str, Callable[[Iterable[Line], Path], None]] = {
    ".jsonl": _write_lines,
    ".csv": write_csv,
    ".parquet": _write_parquet,
    ".xml": write_junit,
}
SUFFIXES = tuple(_WRITERS)
