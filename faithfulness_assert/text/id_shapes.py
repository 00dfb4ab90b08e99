"""The shapes of ids: with them, an id that does not exist is still recognised as an id.

``doc_1_chunk_0`` has the shape word, number, word, number, so ``doc_1_chunk_9`` may be an id too.
An id without a digit has no shape: every word would look like it.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_SHAPES = 50
"""With more, the most frequent ones are used."""
MAX_ID = 100
"""Characters. A longer id has no shape."""

_DIGIT = re.compile(r"\d")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]{6,}", re.IGNORECASE)
_RUN = re.compile(r"[^\W_]+")
_PART = re.compile(r"\d+|[^\W\d_]+")
_WORD = r"[^\W\d_]{1,30}"


class IdShapes:
    """The shapes of some ids.

    Args:
        ids: the ids that exist.
        own_words: only ids with the same words have the shape: ``doc_9``, but not ``note_9``.
    """

    def __init__(self, ids: Iterable[str], *, own_words: bool) -> None:
        shapes = Counter(_shape(name, own_words=own_words) for name in ids)
        del shapes[""]
        patterns = [shape for shape, _ in shapes.most_common(MAX_SHAPES)]
        self._pattern = re.compile("|".join(patterns) or r"(?!)", re.IGNORECASE)

    def fit(self, text: str) -> bool:
        """Whether ``text`` has one of the shapes. A year such as 1969 has none."""
        return self._pattern.fullmatch(text) is not None and not _is_year(text)


def _is_year(text: str) -> bool:
    return len(text) == 4 and text[:2] in ("19", "20") and text.isdecimal()


def _shape(name: str, *, own_words: bool) -> str:
    """A pattern for ids that look like ``name``; "" if it has no shape."""
    if len(name) > MAX_ID or not _DIGIT.search(name):
        return ""
    if _UUID.fullmatch(name):
        return _UUID.pattern
    if name.isdecimal():
        return rf"\d{{{len(name)}}}" if len(name) > 3 else ""
    own_words = own_words or " " in name
    pattern, done = "", 0
    for run in _RUN.finditer(name):
        pattern += re.escape(name[done : run.start()]) + _run_shape(run[0], own_words=own_words)
        done = run.end()
    return pattern + re.escape(name[done:])


def _run_shape(run: str, *, own_words: bool) -> str:
    """The shape of letters and digits without a separator."""
    parts = _PART.findall(run)
    if len(parts) > 1 and _HEX.fullmatch(run):
        return rf"[0-9a-f]{{{len(run)}}}"
    if len(parts) > 2 and len(run) > 7 and min(map(len, parts)) == 1:  # it looks random
        return rf"[^\W_]{{{len(run)}}}"
    return "".join(_part_shape(part, own_words=own_words) for part in parts)


def _part_shape(part: str, *, own_words: bool) -> str:
    if _DIGIT.match(part):
        return rf"\d{{1,{max(6, len(part))}}}"
    return re.escape(part) if own_words else _WORD
