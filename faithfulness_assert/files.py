"""The only place where files are opened. Every other file of the package reads and writes with it.

- Only regular files are read, and nothing waits for a pipe to be opened.
- A new file takes its name when it is complete; a link of that name is replaced, never followed.
- A file that grows, or a folder that we make, is no link.
- What holds texts of users may be opened by this user only, unless it exists and says otherwise.
- Every promptfoo assertion imports this file: it uses only modules that are loaded at that point.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from contextlib import contextmanager, suppress
from functools import partial

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from typing import IO, BinaryIO, TextIO

    from _typeshed import StrPath

_LINK = "it is a link to another file"
_NOT_REGULAR = "it is not a regular file, but a folder, a pipe or a device"
_FLAGS = sum(getattr(os, f"O_{name}", 0) for name in ("NONBLOCK", "CLOEXEC", "NOCTTY", "BINARY"))


def open_file(path: StrPath) -> BinaryIO:
    """A regular file, for reading, also through a link, which a user has named."""
    return open(path, "rb", opener=_regular)


def open_text(
    path: StrPath, encoding: str = "utf-8", errors: str = "strict", newline: str | None = None
) -> TextIO:
    """The same as text."""
    return open(path, encoding=encoding, errors=errors, newline=newline, opener=_regular)


def read_text(path: StrPath, encoding: str = "utf-8", *, most: int | None = None) -> str:
    """The text of a file. ``OSError`` if it has more than ``most`` bytes, of whole MB."""
    with open_text(path, encoding) as file:
        if most is not None and os.fstat(file.fileno()).st_size > most:
            raise OSError(errno.EFBIG, f"it is larger than {most >> 20} MB", path)
        return file.read()


def append_file(path: StrPath) -> BinaryIO:
    """A file that grows at its end; a new one is for this user only. ``OSError`` for a link."""
    return open(path, "ab", opener=_no_link)


def _regular(path: str, flags: int, more: int = 0) -> int:
    """Opens a regular file, without waiting for anything."""
    try:
        handle = os.open(path, flags | more | _FLAGS, 0o600)
    except OSError as error:
        clear = {errno.ELOOP: _LINK, errno.ENXIO: _NOT_REGULAR}
        raise OSError(error.errno, clear.get(error.errno or 0, error.strerror), path) from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, _NOT_REGULAR, path)
    return handle


_no_link = partial(_regular, more=getattr(os, "O_NOFOLLOW", 0))


@contextmanager
def new_file(path: StrPath, *, private: bool = False) -> Iterator[BinaryIO]:
    """A file that takes the place of ``path`` when the block ends without an error.

    It keeps the permissions of a file that was there; else a ``private`` one is for this user only.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, _NOT_REGULAR, path)
    replaced = os.path.isfile(path) and not os.path.islink(path)
    part = os.path.join(os.path.dirname(path), f".{os.urandom(12).hex()}.part")
    flags, mode = os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private or replaced else 0o666
    try:
        with open(os.open(part, flags | _FLAGS, mode), "wb") as file:
            if replaced:
                os.chmod(part, stat.S_IMODE(os.stat(path).st_mode))
            yield file
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise


def first_file(path: StrPath, content: bytes) -> None:
    """Writes a private file, unless it exists: of several processes, the first one writes it."""
    part = f"{os.fspath(path)}.{os.urandom(8).hex()}"
    with new_file(part, private=True) as file:
        file.write(content)
    try:
        with suppress(FileExistsError):
            os.link(part, path)
        os.unlink(part)
    except OSError:  # the file system has no links
        os.replace(part, path)


@contextmanager
def as_text(
    file: IO[bytes], *, encoding: str = "utf-8", errors: str = "strict", newline: str = "\n"
) -> Iterator[TextIO]:
    """A file as text, which is written to it when the block ends."""
    text = io.TextIOWrapper(file, encoding, errors, newline)
    try:
        yield text
    finally:
        text.detach()  # which flushes


def private_folder(path: StrPath) -> None:
    """Makes a folder for this user only, unless it exists. ``OSError`` for a link or a file."""
    if os.path.islink(path):
        raise NotADirectoryError(errno.ENOTDIR, "it is a link to another folder", path)
    os.makedirs(path, 0o700, exist_ok=True)


def open_database(path: StrPath, *, writes: bool, timeout: float = 30.0) -> sqlite3.Connection:
    """A SQLite database, made for this user only if there is none and it may be written.

    None of its files is a link, or anything but a regular file. Nothing that its schema contains
    may do more than compute. ``timeout``: seconds that it waits for other processes.

    Raises:
        OSError: it is no such file, or cannot be made.
        sqlite3.Error: it is no database.
    """
    import sqlite3
    from pathlib import Path  # a promptfoo assertion needs neither

    for end in ("", "-journal", "-wal", "-shm"):
        part = f"{os.fspath(path)}{end}"
        with suppress(FileNotFoundError):
            if os.path.islink(part):
                raise OSError(errno.ELOOP, _LINK, part)
            if not stat.S_ISREG(os.stat(part).st_mode):
                raise OSError(errno.EINVAL, _NOT_REGULAR, part)
    if writes and not os.path.exists(path):
        with suppress(FileExistsError):  # another process was first
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600))
    uri = f"{Path(path).absolute().as_uri()}?mode={'rw' if writes else 'ro'}"
    db = sqlite3.connect(
        uri,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=False,
        uri=True,
        cached_statements=64,
    )
    if sys.version_info >= (3, 12):
        db.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
    for setting in ("trusted_schema=OFF", "cell_size_check=ON", f"query_only={not writes:d}"):
        db.execute(f"PRAGMA {setting}")
    return db


def lines_of_script(script: StrPath, *arguments: StrPath) -> Iterator[bytes]:
    """The lines that a script of ours prints, in a process that a hostile file may end.

    Raises:
        ChildProcessError: it did not succeed; ``errno`` is its exit code.
    """
    import subprocess  # a promptfoo assertion needs none

    more = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "RUST_BACKTRACE": "0"}
    env = {**os.environ, **more, "ARROW_DEFAULT_MEMORY_POOL": "system"}  # it reserves no memory
    nowhere, pipe = subprocess.DEVNULL, subprocess.PIPE
    with subprocess.Popen(  # noqa: S603 - a script of our own
        [sys.executable, script, *arguments], stdin=nowhere, stdout=pipe, stderr=nowhere, env=env
    ) as process:
        try:
            yield from process.stdout or ()
            failed = process.wait()
        finally:
            process.kill()
    if failed:
        raise ChildProcessError(failed, "it did not succeed", script)


def to_nowhere(stream: IO[str]) -> None:
    """Drops all that a standard stream still has to write, and all that comes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
