"""Verdicts in the small part of YAML that judges write: lists and maps of words, by indentation.

    verdicts:
      - id: 1
        evidence: [1, 2]
        label: supported

The lines become JSON objects, so that the rules for JSON apply to them.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ..json_replies import json_keys as keys
from ..json_values import MAX_DEPTH, ReplyParts, key_of
from ..statement_ids import read_id

_KEY = re.compile(r"[\"']?([^\W_][\w .\-]{0,40}?)[\"']?[ \t]{0,3}:(?:[ \t]+(.*))?", re.DOTALL)
_LIST = re.compile(r"\[([^\[\]{}]{0,2000})\]")
_BLOCK_MARKS = ("|", ">", "|-", ">-", "|+", ">+")


class Line(NamedTuple):
    """One line: its indentation, its text without it, and whether a line like this ends a block."""

    indent: int
    text: str


def yaml_parts(text: str) -> ReplyParts | None:
    """The first block of YAML with verdicts in ``text``, and the prose around it; else None."""
    if ":" not in text:
        return None
    raw = [line.replace("\t", "  ").rstrip() for line in text.split("\n")]
    start = next((number for number, line in enumerate(raw) if _begins(line)), None)
    if start is None:
        return None
    while start and _leads_to_verdict(raw[start - 1]):
        start -= 1
    kept = [number for number in range(start, len(raw)) if not _is_blank(raw[number])]
    lines = [Line(_indent(raw[number]), raw[number].lstrip()) for number in kept]
    reader = _Reader(lines)
    value = reader.block(lines[0].indent, 0)
    rest = raw[kept[reader.at] :] if reader.at < len(lines) else []
    if not isinstance(value, dict | list) or not reader.is_clear or any(map(_begins, rest)):
        return None
    return ReplyParts((value,), ("\n".join(raw[:start]), "\n".join(rest)), ())


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_blank(line: str) -> bool:
    return not line.strip() or line.strip() in ("---", "...") or line.lstrip().startswith("#")


def _begins(line: str) -> bool:
    """Whether a line begins a verdict: "- label: supported", "id: 1", "statement_1:"."""
    bare = line.strip()
    pair = _KEY.fullmatch(bare.removeprefix("- ").lstrip())
    if pair is None or bare.endswith((",", "{", "[")):
        return False
    if pair[2] is None:
        return read_id(pair[1]) is not None
    if key_of(pair[1]) in keys.ID_KEYS:
        return read_id(pair[2].strip("\"' ")) is not None
    return bare.startswith("- ") and key_of(pair[1]) in keys.WORD_KEYS


def _leads_to_verdict(line: str) -> bool:
    """Whether a line before a verdict belongs to it, or to what wraps it: "verdicts:"."""
    pair = _KEY.fullmatch(line.strip().removeprefix("- ").lstrip())
    return pair is not None and (not pair[2] or line[:1] in ("-", " "))


class _Reader:
    """Reads lines from ``at`` on. A line that fits nowhere ends the outermost block."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.at = 0
        self.is_clear = True  # no key occurs twice in one map

    def _here(self, indent: int) -> Line | None:
        """The next line, if it has this indentation."""
        line = self.lines[self.at] if self.at < len(self.lines) else None
        return line if line and line.indent == indent else None

    def block(self, indent: int, depth: int) -> Any:
        """The list or map of lines with this indentation."""
        line = self._here(indent)
        if line is None or depth > MAX_DEPTH:
            return None
        if line.text.startswith("- ") or line.text == "-":
            return self._list(indent, depth)
        return self._map(indent, depth) if _KEY.fullmatch(line.text) else None

    def _list(self, indent: int, depth: int) -> list[Any]:
        items = []
        while (line := self._here(indent)) and line.text.startswith("-"):
            inner = line.text[1:].lstrip()
            if _KEY.fullmatch(inner):
                # The item's first key is on the line of its dash.
                width = len(line.text) - len(inner)
                self.lines[self.at] = Line(indent + width, inner)
                items.append(self._map(indent + width, depth + 1))
            else:
                self.at += 1
                items.append(_scalar(inner))
        return items

    def _map(self, indent: int, depth: int) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        while (line := self._here(indent)) and (pair := _KEY.fullmatch(line.text)):
            self.at += 1
            value = self._value(pair[2] or "", indent, depth)
            name = key_of(pair[1])
            self.is_clear &= name not in fields
            fields[name] = value
        return fields

    def _value(self, text: str, indent: int, depth: int) -> Any:
        """What follows a key: a word, a text that goes on below, or a block below it."""
        following = self.lines[self.at] if self.at < len(self.lines) else None
        if not text and following:
            deeper = following.indent > indent
            if deeper or (following.indent == indent and following.text.startswith("- ")):
                return self.block(following.indent, depth + 1)
        pieces = [] if text in _BLOCK_MARKS else [text]
        while self.at < len(self.lines) and self.lines[self.at].indent > indent:
            pieces.append(self.lines[self.at].text)
            self.at += 1
        return _scalar(" ".join(pieces))


def _scalar(text: str) -> Any:
    """A word or a list of words, without quotes."""
    if listed := _LIST.fullmatch(text):
        return [item.strip("\"' ") for item in listed[1].split(",") if item.strip()]
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text
