"""Writes a file whole or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ...records.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def whole_file(file: Path) -> Iterator[Path]:
    """A path to write to, beside ``file``. At the end it takes the place of ``file``.

    If anything is raised meanwhile, ``file`` stays as it was, and nothing is left beside it.

    Raises:
        ConfigError: the file cannot be written.
    """
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        try:
            yield part
            part.replace(file)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written: {error.strerror or error}") from None
