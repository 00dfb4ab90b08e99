"""What a tool gives back of what the assistant passed to it: the assistant's words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..records.errors import InputError
from .tool_data import as_lines, as_plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Runs = frozenset[tuple[str, ...]]

MIN_WORDS = 4
"""Fewer words that come back, such as the name of a town, are no claim."""
MAX_PREFIX = 6
"""Words of the tool's own before what it gives back, such as ``OK, NOTE STORED:``."""

_PASSED = ("arguments", "args", "input", "code", "action", "operation", "queries")
_NAMED = re.compile(r"^\S{1,80}: ")  # a value of JSON data, see as_lines
# Languages that write no spaces have a word for each character.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s*(?=\S)")


def passed_to(call: Mapping[str, Any]) -> str:
    """What an assistant passed to a tool, as words with single spaces. It is never evidence."""
    values = (as_plain(call.get(key)) for key in _PASSED)
    return "\n".join(" ".join(_words(_text(value))) for value in values if value is not None)


def runs_in(passed: str) -> Runs:
    """All runs of ``MIN_WORDS`` words in what was passed."""
    values = (value.split() for value in passed.split("\n"))
    return frozenset(run for words in values for run in _runs(words))


def without_echoes(text: str, *passed: Runs) -> str:
    """A tool's output, without the lines and sentences that only give back what was ``passed``.

    These are the ones of which each run of words was passed, apart from a short prefix without a
    number.
    """
    if not any(passed):
        return text

    def is_echo(said: str) -> bool:
        words = _words(said)
        runs = list(_runs(words))
        at = len(runs)
        while at and any(runs[at - 1] in some for some in passed):  # most texts end here
            at -= 1
        own = words[:at]  # what is before the runs that were passed
        has_number = any(char.isdigit() for word in own for char in word)
        return at < len(runs) and at <= MAX_PREFIX and not has_number

    def new(line: str) -> str:
        if is_echo(line) or is_echo(_NAMED.sub("", line)):
            return ""
        sentences = _SENTENCE_END.split(line)
        own = [sentence for sentence in sentences if not is_echo(sentence)]
        return line if len(own) == len(sentences) else " ".join(own)

    lines = text.splitlines(keepends=True)
    left = [new(line) for line in lines]
    return text if left == lines else "".join(left).strip()


def _runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[at : at + MIN_WORDS]) for at in range(len(words) - MIN_WORDS + 1))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _text(value: Any) -> str:
    try:
        return as_lines(value)
    except InputError:  # too deep
        return ""
