"""Packs JSON values into compressed blocks that a page inflates one at a time."""

from __future__ import annotations

import base64
import gzip
import json
import tempfile
from hashlib import blake2b
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

LEVEL = 9


class Chunks:
    """A list of JSON values, in blocks of about ``size`` characters, kept on disk.

    Attributes:
        starts: the place of the first value of each block.
        count: how many values there are.
    """

    def __init__(self, size: int) -> None:
        self.starts: list[int] = []
        self.count = 0
        self._size, self._waiting, self._length = size, list[str](), 0
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - see close

    def close(self) -> None:
        """Deletes the blocks."""
        self._file.close()

    def add(self, value: Any) -> None:
        """Appends a value."""
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        self._waiting.append(text)
        self._length += len(text)
        self.count += 1
        if self._length >= self._size:
            self._flush()

    def blocks(self) -> Iterator[str]:
        """The blocks, in order: JSON arrays, compressed with gzip, in base64."""
        self._flush()
        self._file.seek(0)
        for line in self._file:
            yield line[:-1].decode("ascii")

    def _flush(self) -> None:
        if self._waiting:
            self.starts.append(self.count - len(self._waiting))
            self._file.write(packed(f"[{','.join(self._waiting)}]").encode("ascii") + b"\n")
            self._waiting, self._length = [], 0


class Store:
    """Texts of which each is kept once. Retrieval gives the same passage to many cases."""

    def __init__(self, size: int) -> None:
        self.texts = Chunks(size)
        self._places: dict[bytes, int] = {}

    def close(self) -> None:
        """Deletes the texts."""
        self.texts.close()

    def place(self, text: str) -> int:
        """The place of a text among all."""
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        place = self._places.setdefault(key, self.texts.count)
        if place == self.texts.count:
            self.texts.add(text)
        return place


def packed(text: str) -> str:
    """A text as one block."""
    data = gzip.compress(text.encode("utf-8", "backslashreplace"), LEVEL, mtime=0)
    return base64.b64encode(data).decode("ascii")
