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

from ...files import new_file, open_file
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
    decoder = _decoder(encoding)
    utf8: codecs.IncrementalDecoder | None = codecs.getincrementaldecoder("utf-8")()
    copy, ascii_only = temporary_path(path.suffix), True
    with open_file(path) as file, new_file(copy, private=True) as whole:
        try:
            while part := file.read(PART):
                ascii_only = ascii_only and part.isascii()
                utf8 = _still(utf8, part)
                whole.write(decoder.decode(part).encode())
            whole.write(decoder.decode(b"", True).encode())
        except UnicodeError as error:
            problem = getattr(error, "reason", error)
            raise ConfigError(f"{name}: is not {encoding} text: {problem}") from None
    if utf8 is None or ascii_only or not _still(utf8, b"", final=True):
        return copy, ""
    leave_out = f"leave out {option('encoding', encoding)}"
    return copy, f"{name} reads as UTF-8 text too; if that is what it is, {leave_out}"


def _decoder(encoding: object) -> codecs.IncrementalDecoder:
    try:
        found = codecs.lookup(encoding)  # type: ignore[arg-type]
        io.TextIOWrapper(io.BytesIO(), found.name)  # refuses what is not of text, such as base64
        return codecs.getincrementaldecoder(found.name)()
    except (LookupError, TypeError, ValueError):
        known = "such as utf-8, cp1252 or utf-16"
        raise ConfigError(f"{option('encoding')}: unknown {encoding!r}; {known}") from None


def _still(
    utf8: codecs.IncrementalDecoder | None, part: bytes, *, final: bool = False
) -> codecs.IncrementalDecoder | None:
    """The decoder, if what it has read is UTF-8 so far."""
    try:
        if utf8 is not None:
            utf8.decode(part, final)
    except UnicodeDecodeError:
        return None
    return utf8


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
