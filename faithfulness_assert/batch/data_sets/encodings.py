"""Text files in other encodings than UTF-8. All that reads text files reads UTF-8."""

from __future__ import annotations

import atexit
import codecs
import io
import shutil
import sys
import tempfile
from pathlib import Path
from typing import IO

from ...files import new_file, open_text
from ...records.errors import ConfigError
from ...records.option_names import option

PART = 1 << 20


def hint() -> str:
    """What to do about a file that is not UTF-8 text."""
    named = option("encoding", "cp1252")
    return f"Save the file as UTF-8, or name its encoding: {named} is that of Excel in the West"


def as_utf8(path: Path, name: str, encoding: str) -> tuple[Path, str]:
    """A copy of a text file as UTF-8, which is deleted at exit, and what to know of it or "".

    Raises:
        ConfigError: the encoding is unknown, or the file is not in it.
    """
    try:
        known = codecs.lookup(encoding).name
        io.TextIOWrapper(io.BytesIO(), known)  # refuses what is not of text, such as base64
    except (LookupError, TypeError, ValueError):
        known = "such as utf-8, cp1252 or utf-16"
        raise ConfigError(f"{option('encoding')}: unknown {encoding!r}; {known}") from None
    copy = temporary_path(path.suffix)
    try:
        with open_text(path, known, newline="") as file, new_file(copy, private=True) as whole:
            while part := file.read(PART):
                whole.write(part.encode())
    except UnicodeError as error:
        problem = getattr(error, "reason", error)
        raise ConfigError(f"{name}: is not {encoding} text: {problem}") from None
    if not _reads_as_utf8(path):
        return copy, ""
    leave_out = f"leave out {option('encoding', encoding)}"
    return copy, f"{name} reads as UTF-8 text too; if that is what it is, {leave_out}"


def _reads_as_utf8(path: Path) -> bool:
    """Whether a file is UTF-8 text, and not only ASCII."""
    only_ascii = True
    try:
        with open_text(path, "utf-8", newline="") as file:
            while part := file.read(PART):
                only_ascii = only_ascii and part.isascii()
    except UnicodeError:
        return False
    return not only_ascii


def standard_input() -> Path:
    """Standard input as a file, because a data set is read more than once."""
    path = temporary_path(".json")
    with new_file(path, private=True) as file:
        source: IO[bytes] = sys.stdin.buffer
        shutil.copyfileobj(source, file)
    return path


def temporary_path(suffix: str) -> Path:
    """The path for a file in a folder of its own, which is deleted at exit."""
    folder = tempfile.TemporaryDirectory(prefix="faithfulness-assert-")
    atexit.register(folder.cleanup)
    return Path(folder.name) / f"input{suffix}"
