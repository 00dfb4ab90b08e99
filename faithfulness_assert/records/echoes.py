"""What a tool gives back unchanged of what the assistant passed to it: the assistant's words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .errors import InputError
from .tool_outputs import as_plain, readable

if TYPE_CHECKING:
    from collections.abc import Mapping

MIN_WORDS = 4
"""Fewer words that come back, such as the name of a town, are no claim."""

_PASSED = ("arguments", "args", "input", "code", "action", "operation", "queries")
_NAMED = re.compile(r"^\S{1,80}: ")  # a value of JSON data, see readable
_WORD = re.compile(r"\w+")


def passed_to(call: Mapping[str, Any]) -> str:
    """What an assistant passed to a tool, as words with single spaces. It is never evidence."""
    values = (as_plain(call.get(key)) for key in _PASSED)
    return "\n".join(_words(_text(value)) for value in values if value is not None)


def without_echoes(text: str, passed: str) -> str:
    """A tool's output, without the lines of which all words stand like this in ``passed``."""
    if not passed:
        return text
    lines = text.splitlines(keepends=True)
    new = [line for line in lines if not _is_echo(line, passed)]
    return text if len(new) == len(lines) else "".join(new).strip()


def _is_echo(line: str, passed: str) -> bool:
    value = _NAMED.sub("", line)
    return any(len(said.split()) >= MIN_WORDS and _words(said) in passed for said in (line, value))


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _text(value: Any) -> str:
    try:
        return readable(value)
    except InputError:  # too deep
        return ""
