"""A run that is only read, as a command or a call names it: its directory, or a file of results."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from ..files import open_file
from ..records.errors import ConfigError
from .rows import Line, Lines, read_lines
from .run_directory import RunDirectory


def run_at(path: str | PathLike[str]) -> RunDirectory:
    """The run in a directory.

    Raises:
        ConfigError: there is none with results.
    """
    run = RunDirectory(path)
    if not run.results.exists():
        raise ConfigError(f"{path}: must be the directory of a run; it has no results.jsonl")
    return run


def described_run(path: str | PathLike[str]) -> tuple[RunDirectory, dict[str, Any]]:
    """The run in a directory, and what it says about itself.

    Raises:
        ConfigError: there is none with results, or it does not say how it was graded.
    """
    run = run_at(path)
    about = run.about() or {}
    if not all(isinstance(about.get(name), dict) for name in ("judge", "policy")):
        raise ConfigError(f"{path}: must be the directory of a run that says how it was graded")
    return run, about


def names_of(before: str | PathLike[str], after: str | PathLike[str]) -> tuple[str, str]:
    """What two runs are called: a directory or a file by its name, else as they were given."""
    names = [Path(path).resolve().name for path in (before, after)]
    for first, second in ([name.removesuffix(".jsonl") for name in names], names):
        if first != second:
            return first, second
    return (str(before), str(after)) if str(before) != str(after) else ("A", "B")


def about_of(path: str | PathLike[str]) -> dict[str, Any]:
    """What a run says about itself; {} for a file of results, or where it cannot be read."""
    try:
        return (RunDirectory(path).about() or {}) if Path(path).is_dir() else {}
    except ConfigError:
        return {}


def lines_of(path: str | PathLike[str]) -> Lines:
    """The lines of a run directory, or of a results file (JSON lines)."""
    place = Path(path)
    if place.is_dir():
        return run_at(place).lines

    def lines() -> Iterator[Line]:
        number = 0
        try:
            with open_file(place) as texts:
                for text in texts:
                    number += 1
                    yield from read_lines([text])
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError) as error:
            problem = str(error).partition("\n")[0]
            said = "not results of a run; name its directory, or its results as .jsonl"
            raise ConfigError(f"{path}, line {number}: {said}: {problem}") from None

    return lines
