"""Writes the requests of a round into files that a provider takes."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from ...asking.echo import token_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from io import BufferedWriter
    from pathlib import Path

    from .service import Form


class RoundWriter:
    """Writes the requests of a round; a context manager. Only ``finish`` gives it its place.

    Args:
        folder: the folder that the round gets when it is complete.
        form: of its requests.
        run_id: see ``Round``.
    """

    def __init__(self, folder: Path, form: Form, run_id: str) -> None:
        self._folder, self._form, self._run_id = folder, form, run_id
        self._tmp = folder.with_name(f"{folder.name}.tmp")
        shutil.rmtree(self._tmp, ignore_errors=True)
        self._tmp.mkdir(parents=True)
        self._open = ExitStack()
        self._asks = self._open.enter_context((self._tmp / "asks.jsonl").open("wb"))
        self._requests: BufferedWriter | None = None
        self._bytes = 0
        self._files: list[dict[str, Any]] = []
        self.asks = 0

    def __enter__(self) -> RoundWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def token(self) -> str:
        """The token of the next ask."""
        return token_of(self._run_id, int(self._folder.name), self.asks)

    def add(self, row: int, key: str, steps: Mapping[str, int], body: Mapping[str, Any]) -> None:
        """Adds an ask. Its body has the ``token`` that the reply must repeat."""
        name = custom_id(self._run_id, int(self._folder.name), self.asks)
        line = _line(self._form.request(name, body))
        file = self._file_for(len(line))
        file.write(line)
        self._files[-1]["lines"] += 1
        self._bytes += len(line)
        taken = {name: count for name, count in steps.items() if count}
        self._asks.write(_line({"row": row, "key": key, **({"steps": taken} if taken else {})}))
        self.asks += 1

    def _file_for(self, size: int) -> BufferedWriter:
        """The file that has room for a line of this size."""
        form = self._form
        if (
            self._requests is None
            or self._files[-1]["lines"] >= form.max_lines
            or self._bytes + size > form.max_bytes
        ):
            self._end_file()
            name = f"requests-{len(self._files) + 1:03}.jsonl"
            self._requests = self._open.enter_context((self._tmp / name).open("wb"))
            self._bytes = 0
            self._files.append({"name": name, "first": self.asks, "lines": 0})
        return self._requests

    def _end_file(self) -> None:
        if self._requests is not None:
            to_disk(self._requests)
            self._requests.close()

    def finish(self, steps: Mapping[str, int]) -> None:
        """Puts the round into its place, if it has asks."""
        self._end_file()
        to_disk(self._asks)
        self._open.close()
        if not self.asks:
            shutil.rmtree(self._tmp)
            return
        state = {"asks": self.asks, "steps": dict(steps), "files": self._files}
        write_whole(self._tmp / "round.json", json.dumps(state, indent=1).encode())
        self._tmp.rename(self._folder)


def custom_id(run_id: str, number: int, place: int) -> str:
    """The id of the ask at this place of a round: ``[a-zA-Z0-9_-]``, at most 64 characters."""
    return f"{number}-{place}-{token_of(run_id, number, place)}"


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file, whole or not at all."""
    target = path.with_name(f"{path.name}.tmp")
    with target.open("wb") as file:
        file.write(content)
        to_disk(file)
    target.replace(path)


def _line(data: Mapping[str, Any]) -> bytes:
    """JSON in one line. Lone surrogates stay escaped; other text is not, which is shorter."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return f"{text}\n".encode()
    except UnicodeEncodeError:
        return json.dumps(data, separators=(",", ":")).encode() + b"\n"


def to_disk(file: BufferedWriter) -> None:
    """Makes sure that what was written survives a crash of the machine."""
    file.flush()
    os.fsync(file.fileno())
