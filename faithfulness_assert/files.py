"""The only place where files are opened. Every other file of the package reads and writes with it.

Whoever gives us a folder chooses what its names lead to: a link to another file of the user, a pipe
that never answers, a device. So

- only regular files are read, and nothing waits for a file to be opened;
- a new file is written under a name that nobody can foresee, and takes its own name when it is
  complete: a link of that name is replaced, never followed;
- a file that grows is refused if its name is a link, or if it has other names;
- what holds texts of users may be opened by this user only, unless it exists and says otherwise.

This file imports nothing of the package. Every promptfoo assertion imports it: it uses only modules
that are loaded at that point.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from typing import IO, BinaryIO, TextIO, TypeAlias

    AnyPath: TypeAlias = str | os.PathLike[str]

PRIVATE = 0o600
READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)
"""Errors of a file, a folder or a disk that may be read, and not written."""
_BY_UMASK = 0o666
# Windows has no pipes, terminals or links that these flags would matter for, and no such flags.
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FLAGS = sum(getattr(os, f"O_{name}", 0) for name in ("NONBLOCK", "CLOEXEC", "NOCTTY", "BINARY"))
_FOREIGN_SIDE_FILES = ("-wal", "-shm")  # of SQLite databases of another kind than ours
_NAMES_ANOTHER = bytes.fromhex("d9d505f920a163d7")
"""With it ends a journal of SQLite that names one of several databases."""


# ---------------------------------------------------------------- reading


def open_file(path: AnyPath, *, follow: bool = True) -> BinaryIO:
    """A regular file, for reading.

    ``follow``: a link is followed. It is not in folders that somebody else may have filled.

    Raises:
        OSError: it cannot be read, or is no regular file.
    """
    return open(path, "rb", opener=_followed if follow else _unfollowed)


def open_text(
    path: AnyPath, encoding: str = "utf-8", errors: str = "strict", newline: str | None = None
) -> TextIO:
    """The same as text."""
    return open(path, encoding=encoding, errors=errors, newline=newline, opener=_followed)


def read_text(path: AnyPath, encoding: str = "utf-8", *, most: int | None = None) -> str:
    """The text of a file.

    Raises:
        OSError: as ``open_file`` does, or the file has more than ``most`` bytes, of whole MB.
        UnicodeDecodeError: it has another encoding.
    """
    if most is None:
        with open_text(path, encoding) as file:
            return file.read()
    with open_file(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most >> 20} MB", path)
    return content.decode(encoding)


def _followed(path: str, flags: int) -> int:
    return _regular(path, flags)


def _unfollowed(path: str, flags: int) -> int:
    return _regular(path, flags | _NOFOLLOW)


def _regular(path: str, flags: int, mode: int = PRIVATE) -> int:
    """Opens a regular file, without waiting for anything."""
    try:
        handle = os.open(path, flags | _FLAGS, mode)
    except OSError as error:
        raise _clear(error, path) from None
    try:
        _check_kind(os.fstat(handle), path)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _clear(error: OSError, path: str) -> OSError:
    """The error in words, where the system's own say nothing of a link, or of a pipe."""
    if error.errno in (errno.ELOOP, errno.EMLINK) and os.path.islink(path):
        return OSError(error.errno, "it is a link to another file", path)
    if error.errno == errno.ENXIO:
        return _not_regular(path)
    return error


def _check_kind(found: os.stat_result, path: AnyPath) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(found.st_mode):
        raise _not_regular(path)


def _not_regular(path: AnyPath) -> OSError:
    return OSError(errno.EINVAL, "it is not a regular file, but a pipe or a device", path)


# ---------------------------------------------------------------- writing


@contextmanager
def new_file(path: AnyPath, *, private: bool = False) -> Iterator[BinaryIO]:
    """A file that takes the place of ``path`` when the block ends without an error.

    Until then what was there stays. It keeps the permissions of a regular file that was there; else
    a ``private`` one is for this user only, and another one as the umask says.

    Raises:
        OSError: the file cannot be written, or ``path`` is a folder, a pipe or a device.
    """
    kept = _permissions(path)
    part, handle = _beside(path, PRIVATE if private or kept is not None else _BY_UMASK)
    try:
        with open(handle, "wb") as file:
            if kept is not None:  # by its handle: its name may be a link by now
                os.chmod(file.fileno() if os.chmod in os.supports_fd else part, kept)
            yield file
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise


def first_file(path: AnyPath, content: bytes) -> None:
    """Writes a private file, unless it exists: of several processes, the first one writes it.

    Raises:
        OSError: it cannot be written.
    """
    part = f"{os.fspath(path)}.{os.urandom(8).hex()}"
    with new_file(part, private=True) as file:
        file.write(content)
    try:
        os.link(part, path)
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        if not os.path.lexists(path):
            os.replace(part, path)
    finally:
        with suppress(OSError):
            os.unlink(part)


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


def check_new_file(path: AnyPath) -> None:
    """Raises ``OSError`` if ``new_file`` could not write there. Leaves nothing behind."""
    _permissions(path)
    part, handle = _beside(path, PRIVATE)
    os.close(handle)
    os.unlink(part)


def append_file(path: AnyPath, *, buffered: bool = True) -> BinaryIO:
    """A file that grows at its end; a new one is for this user only.

    Raises:
        OSError: it cannot be written, is a link or no regular file, or has other names.
    """
    return open(path, "ab", -1 if buffered else 0, opener=_only_here)


def to_disk(file: IO[bytes]) -> None:
    """Makes sure that what was written survives a crash of the machine."""
    file.flush()
    os.fsync(file.fileno())


def _only_here(path: str, flags: int) -> int:
    handle = _regular(path, flags | _NOFOLLOW)
    if os.fstat(handle).st_nlink > 1:
        os.close(handle)
        raise OSError(errno.EMLINK, "it has other names (hard links); copy it", path)
    return handle


def _permissions(path: AnyPath) -> int | None:
    """Those of a regular file that is there; None for a link, or if there is nothing."""
    with suppress(FileNotFoundError):
        _check_kind(os.stat(path), path)
    try:
        found = os.lstat(path).st_mode
    except FileNotFoundError:
        return None
    return found & 0o777 if stat.S_ISREG(found) else None


def _beside(path: AnyPath, mode: int) -> tuple[str, int]:
    """A new file in the folder of ``path``: its path and its handle."""
    part = os.path.join(os.path.dirname(path), f".{os.urandom(12).hex()}.part")
    return part, os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _FLAGS, mode)


# ---------------------------------------------------------------- folders, databases, streams


def private_folder(path: AnyPath) -> None:
    """Makes a folder for this user only, unless it exists.

    Raises:
        OSError: it cannot be made, or is a link or no folder.
    """
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)
    if not stat.S_ISDIR(os.lstat(path).st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "it is not a folder, or a link to one", path)


def open_database(path: AnyPath) -> sqlite3.Connection:
    """A SQLite database, made for this user only. SQLite gives its journal the same permissions.

    One that cannot be written is opened for reading.

    What SQLite does with the files beside it is up to their contents: a journal may name another
    file, which is deleted. So only a journal as ours are is left to it, and nothing else.

    Raises:
        OSError: it, or a file that SQLite has beside it, is a link or no regular file, or is not
            one that a database of ours has.
        sqlite3.Error: SQLite cannot open it.
    """
    import sqlite3

    read_only = False
    try:
        append_file(path).close()
    except OSError as error:
        if error.errno not in READ_ONLY:
            raise
        open_file(path, follow=False).close()
        read_only = True
    _check_side_files(os.fspath(path))
    own = name = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    if read_only:
        from urllib.parse import quote

        name = f"file:{quote(own)}?mode=ro"
    db = sqlite3.connect(name, isolation_level=None, uri=read_only)
    db.text_factory = bytes  # a name may have any bytes
    opened = os.fsdecode(db.execute("PRAGMA database_list").fetchone()[2])
    if _NOFOLLOW and opened != own:  # it became a link after it was looked at
        db.close()
        raise OSError(errno.ELOOP, "it is a link to another file", path)
    db.text_factory = str
    db.execute("PRAGMA trusted_schema = OFF")
    return db


def _check_side_files(path: str) -> None:
    """Raises ``OSError`` if SQLite would use a file beside its database that is not as ours are."""
    for side in _FOREIGN_SIDE_FILES:
        if os.path.lexists(f"{path}{side}"):
            raise OSError(errno.EINVAL, "no run of ours has this file", f"{path}{side}")
    with suppress(FileNotFoundError), open_file(f"{path}-journal", follow=False) as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - len(_NAMES_ANOTHER)))
        if file.read() == _NAMES_ANOTHER:
            raise OSError(errno.EINVAL, "it names another file", f"{path}-journal")


def to_nowhere(stream: IO[str]) -> None:
    """Drops all that a standard stream still has to write, and all that comes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
