"""A run on disk. Whatever stops a run, its directory has all results that were finished.

- ``run.json``: what is graded with what, so that a changed run is noticed.
- ``results.jsonl``: a result on each line, as they finished. No row has two.
- ``retried.jsonl``: results that were moved out of it, because their cases are graded again.
- ``summary.json``: what the run found so far.
- ``secret``: from which controls and tags of asks follow, where no stored replies have their own.
- ``lock``: held by the process that works on the run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from ..files import READ_ONLY, append_file, new_file, open_file, to_disk
from ..judges.secret import kept_secret
from ..records.errors import ConfigError
from .rows import FinishedRows, Line

FORMAT = 1
"""Of the files. It grows when an older version could no longer read them."""


class RunDirectory:
    """The files of a run. Any process may read them; only one at a time may change them.

    Args:
        path: the directory. It is created by ``locked``.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.results = self.path / "results.jsonl"
        self.retried = self.path / "retried.jsonl"
        self._about = self.path / "run.json"
        self._summary = self.path / "summary.json"
        self._read_only: OSError | None = None

    def __repr__(self) -> str:
        return f"RunDirectory({str(self.path)!r})"

    @property
    def read_only(self) -> bool:
        """Whether it was found that the run may be read only. A finished one can be shown."""
        return self._read_only is not None

    @property
    def size(self) -> int:
        """The bytes of the results."""
        return self.results.stat().st_size if self.results.exists() else 0

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Creates the directory, and keeps other processes from changing it.

        A run that cannot be locked because it may only be read is ``read_only`` then, and whatever
        would change it raises ``ConfigError``.

        Raises:
            ConfigError: another process works on it, or it cannot be written and has no run.
        """
        from filelock import FileLock, Timeout

        lock = FileLock(self.path / "lock", timeout=0, mode=0o600)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            append_file(lock.lock_file).close()  # a link of this name would lead elsewhere
            lock.acquire()
        except Timeout:
            problem = "another process works on this run; wait for it, or use another directory"
            raise ConfigError(f"{self.path}: {problem}") from None
        except FileExistsError:
            problem = "cannot be written: it is not a folder; use another name"
            raise ConfigError(f"{self.path}: {problem}") from None
        except OSError as error:
            if error.errno not in READ_ONLY or not self._about.exists():
                raise self._unwritable(error) from None
            self._read_only = error
        try:
            yield
        finally:
            lock.release()
            self._read_only = None

    def about(self) -> dict[str, Any] | None:
        """What ``run.json`` says about the run; None in a directory without a run.

        Raises:
            ConfigError: it cannot be read, or was written by a newer version.
        """
        try:
            with open_file(self._about, follow=False) as file:
                about = json.load(file)
        except FileNotFoundError:
            if self.results.exists():
                problem = "has results.jsonl, but no run.json; use another directory"
                raise ConfigError(f"{self.path}: {problem}") from None
            return None
        except (OSError, ValueError) as error:
            said = getattr(error, "strerror", None) or f"it is damaged ({error})"
            raise ConfigError(f"{self._about}: cannot be read: {said}") from None
        if not isinstance(about, dict) or not isinstance(about.get("format"), int):
            raise ConfigError(f"{self._about}: is not the run.json of a run")
        if about["format"] > FORMAT:
            raise ConfigError(
                f"{self.path}: made by a newer version of faithfulness-assert (format "
                f"{about['format']}, this version knows {FORMAT}): install that version, or newer"
            )
        return about

    def secret(self) -> bytes:
        """The secret of the run, made when it begins. To be called while it is locked.

        Raises:
            ConfigError: it cannot be written, or is damaged.
        """
        return kept_secret(self.path)

    def write_about(self, about: Mapping[str, Any]) -> None:
        """Writes ``run.json``, whole or not at all.

        Raises:
            ConfigError: it cannot be written.
        """
        self._write(self._about, {"format": FORMAT, **about})

    def _write(self, path: Path, data: Mapping[str, Any]) -> None:
        text = json.dumps(data, indent=2, ensure_ascii=False)
        self._check_writable()
        try:
            with new_file(path, private=True) as file:
                file.write(text.encode("utf-8", "backslashreplace") + b"\n")
                to_disk(file)
        except OSError as error:
            raise self._unwritable(error) from None

    def keep_summary(self, summary: Mapping[str, Any]) -> None:
        """Writes ``summary.json``, if that can be written."""
        with suppress(ConfigError):
            self._write(self._summary, summary)

    def kept_summary(self) -> dict[str, Any]:
        """What ``keep_summary`` has written; empty if there is nothing that can be read."""
        try:
            with open_file(self._summary, follow=False) as file:
                summary = json.load(file)
        except (OSError, ValueError):
            return {}
        return summary if isinstance(summary, dict) else {}

    def lines(self) -> Iterator[Line]:
        """The results, in the order in which they finished. A line that was cut off is left out.

        Raises:
            ConfigError: a line is damaged.
        """
        for number, text in enumerate(self.raw_lines(), 1):
            try:
                line = Line.of_json(text)
            except (ValueError, RecursionError) as error:
                problem = str(error).partition("\n")[0]
                raise ConfigError(
                    f"{self.results}, line {number}: cannot be read: {problem}; remove the line, "
                    "and its case is graded again"
                ) from None
            yield line

    def raw_lines(self, *, retried: bool = False) -> Iterator[bytes]:
        """The same as bytes, whatever they are. ``retried``: those that were moved aside."""
        path = self.retried if retried else self.results
        if path.exists():
            with self.opened(path) as file:
                yield from (line for line in file if line.endswith(b"\n"))

    def finished(self, *, retry: bool = False) -> FinishedRows:
        """Which rows have a result.

        ``retry``: grader errors that may not come again are not results; see ``clean``.
        """
        rows = FinishedRows()
        if self.results.exists():
            with self.opened(self.results) as file:
                rows.read(file, retry=retry)
        return rows

    def clean(self, rows: FinishedRows) -> None:
        """Removes a last line that was cut off, and moves lines aside into ``retried.jsonl``.

        Raises:
            ConfigError: the directory cannot be written. No result is lost.
        """
        if self.size > rows.size:
            self._check_writable()
        try:
            self._cut(self.results, rows.size)
        except OSError as error:
            raise self._unwritable(error) from None
        if aside := set(rows.aside):
            self.rewrite(lambda number, line: None if number in aside else line)

    def rewrite(self, kept: Callable[[int, bytes], bytes | None]) -> None:
        """Writes the results anew, whole or not at all.

        ``kept``: what becomes of a line, with its number from 0; None moves it aside.

        Raises:
            ConfigError: the directory cannot be written. No result is lost.
        """
        self._check_writable()
        whole = sum(map(len, self.raw_lines(retried=True)))
        try:
            self._cut(self.retried, whole)
            with new_file(self.results, private=True) as new:
                with self.opened(self.results) as lines, append_file(self.retried) as moved:
                    for number, line in enumerate(lines):
                        now = kept(number, line)
                        (moved if now is None else new).write(line if now is None else now)
                    to_disk(moved)
                to_disk(new)
        except OSError as error:
            with suppress(OSError):  # what was moved is still among the results
                self._cut(self.retried, whole)
            raise self._unwritable(error) from None

    @staticmethod
    def _cut(path: Path, size: int) -> None:
        """Removes what a file has behind so many bytes."""
        if path.exists() and path.stat().st_size > size:
            with append_file(path) as file:
                file.truncate(size)

    @contextmanager
    def appending(self) -> Iterator[Callable[[str], None]]:
        """Gives a function that appends a line.

        The function raises ``OSError``, with the file as it was before, if the disk is full.

        Raises:
            ConfigError: the file cannot be written.
        """
        self._check_writable()
        try:
            file = append_file(self.results, buffered=False)
        except OSError as error:
            raise self._unwritable(error) from None
        size = os.fstat(file.fileno()).st_size

        def append(text: str) -> None:
            """One write for the whole line: a kill leaves it or, at worst, a cut last one."""
            nonlocal size
            line = text.encode("utf-8", "backslashreplace") + b"\n"  # as JSON escapes a surrogate
            left = line
            try:
                while left:
                    left = left[os.write(file.fileno(), left) :]
            except OSError:
                file.truncate(size)
                raise
            size += len(line)

        try:
            yield append
        finally:
            file.close()

    def _check_writable(self) -> None:
        if self._read_only is not None:
            raise self._unwritable(self._read_only)

    def _unwritable(self, error: OSError) -> ConfigError:
        return ConfigError(f"{self.path}: cannot be written: {error.strerror or error}")

    def opened(self, path: Path) -> BinaryIO:
        """A file of the run. A link is none: it may lead to what has nothing to do with the run."""
        try:
            return open_file(path, follow=False)
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None
