"""YAML as promptfoo reads it (by js-yaml: YAML 1.2), and where in the text each mapping is.

PyYAML reads YAML 1.1: there ``{query: price?}`` is an error, ``yes`` is true and ``22:00`` is 1320.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import Any

import yaml

from ..policy.files import parsed


class Placed(dict[Any, Any]):
    """A mapping, with the place where its text starts and ends."""

    start = end = 0


class PromptfooLoader(yaml.SafeLoader):
    """Reads YAML 1.2 of the core schema, with dates as texts."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - as PyYAML has it
    _plain = False

    def scan_plain(self) -> Any:
        """A text without quotes. In YAML 1.2 it may contain ``?``, also in braces."""
        self._plain = True
        try:
            return super().scan_plain()
        finally:
            self._plain = False

    def peek(self, index: int = 0) -> str:
        """The character at ``index``. A text is cut out by its length, so any letter will do."""
        char: str = super().peek(index)
        return "x" if char == "?" and self._plain else char


def _placed(loader: PromptfooLoader, node: yaml.MappingNode) -> Any:
    made = Placed()
    made.start, made.end = node.start_mark.index, node.end_mark.index
    yield made
    made.update(loader.construct_mapping(node))


_INT = r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
_FLOAT = r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
for tag, pattern, first in (
    ("bool", "true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", "~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", _INT, "-+0123456789"),
    ("float", _FLOAT, "-+.0123456789"),
    ("merge", "<<", "<"),
):
    whole = re.compile(f"(?:{pattern})$")
    PromptfooLoader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", whole, list(first))
PromptfooLoader.add_constructor("tag:yaml.org,2002:map", _placed)


def read_yaml(text: str, where: str = "init") -> Any:
    """The data of a text. Raises ``ConfigError`` as ``parsed`` does."""
    return parsed(".yaml", text, where, PromptfooLoader)


class Text:
    """The text of a config, with what is where in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = [
            (token.start_mark.index, token.end_mark.index, isinstance(token, _SHARED))
            for token in yaml.scan(text, PromptfooLoader)
            if token.end_mark.index > token.start_mark.index
        ]
        self._starts = [start for start, _, _ in self._tokens]
        self._lines = [0, *(end.end() for end in _LINE_END.finditer(text))]

    def column(self, place: int) -> int:
        """How many characters of its line are before a place."""
        return place - self._lines[bisect_right(self._lines, place) - 1]

    def span(self, mapping: Placed) -> tuple[int, int] | None:
        """Where a mapping begins and ends; None if anchors, aliases or tags are part of it."""
        first, low, high = self._within(mapping.start, mapping.end)
        if any(shared for _, _, shared in self._tokens[max(low - 1, 0) : high]):
            return None
        last = max(end for _, end, _ in self._tokens[low:high])
        return first, first + len(self.text[first:last].rstrip())

    def comments(self, first: int, last: int) -> list[str]:
        """The comments in a part of the text."""
        _, low, high = self._within(first, last)
        gaps, at = [], first
        for begin, end, _ in self._tokens[low:high]:
            gaps.append(self.text[at:begin])
            at = max(at, end)
        next_line = bisect_right(self._lines, last)
        gaps.append(self.text[at : (*self._lines[next_line : next_line + 1], None)[0]])
        lines = [line.strip() for gap in gaps for line in gap.splitlines()]
        return [line for line in lines if line.startswith("#")]

    def _within(self, first: int, last: int) -> tuple[int, int, int]:
        return first, bisect_left(self._starts, first), bisect_left(self._starts, last)


_LINE_END = re.compile(r"\r\n?|\n")
_SHARED = (yaml.AnchorToken, yaml.AliasToken, yaml.TagToken)
