"""Why cases could not be graded: errors in groups, with how many each has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ..records.model import GraderError
from ..text.strings import clip, visible

MOST = 100
"""Groups of one kind. More differ in what they quote, and become one group."""
SHOWN = 3
MAX_KIND = 60
LENGTH = 200
_NUMBER = re.compile(r"\d+")
_STATUS = re.compile(r"\bHTTP \d{3}\b")


class ErrorGroup(NamedTuple):
    """Errors that say the same but for numbers.

    Args:
        kind: of all of them.
        cases: how many there are.
        message: of one of them; "" for many that say different things.
    """

    kind: str
    cases: int
    message: str


class ErrorGroups:
    """Groups of errors: the same in every order, and few however many errors there are.

    ``last``: the error that was added last.
    """

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = {}
        self._messages: dict[tuple[str, str], str] = {}
        self.last: GraderError | None = None

    def add(self, error: GraderError) -> None:
        """Adds an error."""
        self.last = error
        kind = error.kind[:MAX_KIND] or "unknown error"  # a file of results may say anything
        message = clip(error.message, LENGTH)
        counts = self._counts.setdefault(kind, Counter())
        key = "" if "" in counts else _alike(message)
        counts[key] += 1
        if key:
            first = self._messages.get((kind, key), message)
            self._messages[kind, key] = min(first, message)
        if len(counts) > MOST:
            self._counts[kind] = Counter({"": sum(counts.values())})
            for known in counts:
                self._messages.pop((kind, known), None)

    def groups(self) -> list[ErrorGroup]:
        """All groups, the largest first."""
        found = (
            ErrorGroup(kind, count, self._messages.get((kind, key), ""))
            for kind, counts in self._counts.items()
            for key, count in counts.items()
        )
        return sorted(found, key=lambda group: (-group.cases, group.kind, group.message))

    def lines(self) -> Iterator[str]:
        """The largest groups, for people."""
        groups = self.groups()
        for group in groups[:SHOWN]:
            message = f": {group.message}" if group.message else ", with different messages"
            yield visible(f"not graded: {group.cases:,} x {group.kind}{message}")
        if len(groups) > SHOWN:
            more = sum(group.cases for group in groups[SHOWN:])
            yield f"not graded: {more:,} more for other reasons"


def _alike(message: str) -> str:
    """A message without its numbers, but for an HTTP status."""
    statuses = iter(_STATUS.findall(message))
    return _NUMBER.sub("#", _STATUS.sub("HTTP @", message)) + "".join(statuses)
