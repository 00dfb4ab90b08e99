"""Runs that are made from others, which stay as they are: without an ask, whole or not at all."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..files import new_file, to_disk
from ..records.errors import ConfigError
from .provider_batches import KeptRows, is_begun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from .run_directory import RunDirectory


def rows_of(run: RunDirectory, about: Mapping[str, Any]) -> int | None:
    """How many rows the data of a run has; None if it never came to their end."""
    if is_begun(run):  # a run over a batch API copies its data first
        return sum(1 for _ in KeptRows(run).rows())
    rows = about.get("rows")
    return rows if isinstance(rows, int) else None


@contextmanager
def derived(directory: RunDirectory, about: Mapping[str, Any]) -> Iterator[Callable[[bytes], Any]]:
    """Gives a function that writes a line, with its line break, into a run that begins.

    Results are there before what is about them: half a run is never taken for one without results.

    Raises:
        ConfigError: the directory has a run, or cannot be written.
    """
    with directory.locked():
        if directory.about() is not None:
            raise ConfigError(f"{directory.path}: has a run already; use another directory")
        try:
            with new_file(directory.results, private=True) as file:
                yield file.write
                to_disk(file)
        except OSError as error:
            said = error.strerror or error
            raise ConfigError(f"{directory.path}: cannot be written: {said}") from None
        directory.write_about(about)
        directory.secret()
