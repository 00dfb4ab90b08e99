"""The files of requests of a round, as a provider takes them."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from io import BufferedWriter
    from pathlib import Path

    from .service import Form


class RequestFiles:
    """Writes requests into files with at most so many lines and bytes; a context manager.

    Args:
        folder: of the files. What is in it is removed: it belongs to no round yet.
        form: of the requests.
    """

    def __init__(self, folder: Path, form: Form) -> None:
        self._folder, self._form = folder, form
        shutil.rmtree(folder, ignore_errors=True)
        self._open = ExitStack()
        self._file: BufferedWriter | None = None
        self._bytes = 0
        self.files: list[dict[str, Any]] = []

    def __enter__(self) -> RequestFiles:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def add(self, name: str, body: Mapping[str, Any]) -> str:
        """Adds the request with this id. Returns the name of its file."""
        line = _line(self._form.request(name, body))
        file = self._file_for(len(line))
        file.write(line)
        self.files[-1]["lines"] += 1
        self._bytes += len(line)
        return str(self.files[-1]["name"])

    def _file_for(self, size: int) -> BufferedWriter:
        """The file that has room for a line of this size."""
        form = self._form
        if (
            self._file is None
            or self.files[-1]["lines"] >= form.max_lines
            or self._bytes + size > form.max_bytes
        ):
            self.finish()
            self._folder.mkdir(exist_ok=True)
            name = f"requests-{len(self.files) + 1:03}.jsonl"
            self._file = self._open.enter_context((self._folder / name).open("wb"))
            self._bytes = 0
            self.files.append({"name": name, "lines": 0})
        return self._file

    def finish(self) -> None:
        """Makes sure that what was written survives a crash of the machine."""
        if self._file is not None:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()


def _line(data: Mapping[str, Any]) -> bytes:
    """JSON in one line. Lone surrogates stay escaped; other text is not, which is shorter."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return f"{text}\n".encode()
    except UnicodeEncodeError:
        return json.dumps(data, separators=(",", ":")).encode() + b"\n"
