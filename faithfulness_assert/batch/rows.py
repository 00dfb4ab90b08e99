"""What passes between the parts of a batch: a row of the data set, and a line of the results."""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any, NamedTuple

from ..records.result import GradingResult

NOTHING: Mapping[str, Any] = {}
OWN_FIELDS = ("case_id", "row", "input", "columns", "fields")
"""The fields of a line that are not fields of the result."""
MAX_ROW = 10**9
"""Of one run."""
PAGE = 64
"""Rows whose digests are kept together: memory goes by how many lines there are, not by numbers."""
SERVER_ERRORS = frozenset({"transport", "auth", "rate_limit", "timeout", "server", "not_stored"})

_HEAD = re.compile(
    rb'\{"case_id": ("[^"\\]*(?:\\.[^"\\]*)*"), "row": (\d+), "input": "([0-9a-f]{16})", '
    rb'"pass": (true|false), "score": ([.\de+-]+), "defined": true, "status": "graded", '
)


class Row(NamedTuple):
    """A row of a data set.

    Args:
        number: its place in the data set, from 1.
        case_id: unique in the data set; the user's, or the number where there is none.
        fields: the fields of its case under names that a ``Case`` knows; empty if there is a
            ``problem``.
        columns: what the data set has beside them. It is carried along into the result.
        problem: why the row cannot be read, with its place ("line 7: ..."); "" if it can.
    """

    number: int
    case_id: str
    fields: Mapping[str, Any] = NOTHING
    columns: Mapping[str, Any] = NOTHING
    problem: str = ""


class Line(NamedTuple):
    """A line of ``results.jsonl``: a result, and the row that it belongs to.

    ``input`` is the ``digest`` of the row, so that a changed data set is noticed, and ``fields``
    has one of each of its fields, so that it can be said what changed.
    """

    case_id: str
    row: int
    input: str
    columns: Mapping[str, Any]
    result: GradingResult
    fields: Mapping[str, str] = NOTHING

    def to_json(self) -> str:
        """The line, without its line break. ``case_id`` and ``row`` come first."""
        data = self.result.model_dump(mode="json", by_alias=True)
        own = {"case_id": self.case_id, "row": self.row, "input": self.input}
        more = {"columns": self.columns, "fields": self.fields}
        told = {name: value for name, value in more.items() if value}
        return json.dumps({**own, **data, **own, **told}, ensure_ascii=False, default=str)

    @classmethod
    def of_json(cls, text: str | bytes) -> Line:
        """The line in a text.

        Raises:
            ValueError: it is not a line of results.
        """
        data = json.loads(text)
        if not isinstance(data, dict) or not {"case_id", "row", "score"} <= data.keys():
            raise ValueError("it is not a line of results: it lacks case_id, row or score")
        fields = data.get("fields")
        result = {name: value for name, value in data.items() if name not in OWN_FIELDS[1:]}
        return cls(
            str(data["case_id"]),
            data["row"],
            str(data.get("input", "")),
            data.get("columns", NOTHING),
            GradingResult.model_validate(result),
            fields if isinstance(fields, dict) else NOTHING,
        )


Lines = Callable[[], Iterator[Line]]
"""Starts reading the lines of a run, from the first one on each time."""


class NotAsked(NamedTuple):
    """A row without a result, because its run stops: it is graded when the run goes on.

    ``why``: the run stops, in words.
    """

    row: int
    why: str


def digest(row: Row) -> str:
    """A short fingerprint of what is graded in a row; equal rows have equal ones."""
    return _digest([row.fields, row.problem], 8)


def field_digests(row: Row) -> dict[str, str]:
    """A short fingerprint of each field of a row, to say which one has changed."""
    return {name: _digest(value, 4) for name, value in row.fields.items()}


def _digest(value: Any, size: int) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


def read_lines(texts: Iterable[str | bytes]) -> Iterator[Line]:
    """The lines in these texts. Blank ones are passed over."""
    return (Line.of_json(text) for text in texts if text.strip())


def brief(line: Line) -> Line:
    """The line without what it says about single statements: enough to count it."""
    result = replace(line.result, verdicts=(), skipped=(), citations=None)
    return line._replace(columns=NOTHING, result=result)


# ---------------------------------------------------------------- which rows have a result


class Head(NamedTuple):
    """What is known of a line without reading all of it.

    Args:
        row: its number.
        input: the digest of the row, as a number.
        passed: whether the case passed.
        score: None if it is not defined.
        error: the error of a case that could not be graded, as JSON.
        id: the id of the case, as JSON text.
    """

    row: int
    input: int
    passed: bool
    score: float | None
    error: Any = None
    id: bytes = b'""'

    @property
    def case_id(self) -> str:
        """The id of the case."""
        return str(json.loads(self.id))


class FinishedRows:
    """The rows that have a result, with the digest of each.

    Attributes:
        count, passed, errors, scored: how many rows have a result, passed, could not be graded,
            and have a score.
        total: the sum of the scores.
        aside: the lines, counted from 0, that must be moved out of ``results.jsonl``: those that
            are damaged, those of a row that has a result before, and those that come again.
        damaged, again: how many of these are damaged, and how many come again.
        size: the bytes of all whole lines. What follows them is the rest of a write that was cut.
    """

    def __init__(self) -> None:
        self._digests: dict[int, array[int]] = {}
        self._ids = array("q")
        self._ids_sorted = True
        self.count = self.passed = self.errors = self.scored = 0
        self.damaged = self.again = self.size = 0
        self.total = 0.0
        self.aside = array("Q")

    @property
    def highest(self) -> int:
        """The highest number of a row that has a result; 0 if none has."""
        last = max(self._digests, default=0)
        rows = range(PAGE * (last + 1) - 1, 0, -1)
        return next((row for row in rows if self.digest(row)), 0) if self._digests else 0

    def digest(self, row: int) -> int:
        """The digest of a row as a number; 0 if the row has no result."""
        page = self._digests.get(row // PAGE)
        return page[row % PAGE] if page else 0

    def has_id(self, case_id: str) -> bool:
        """Whether a row with this id has a result."""
        if not self._ids_sorted:
            self._ids, self._ids_sorted = array("q", sorted(self._ids)), True
        told = hash(_as_json(case_id))
        place = bisect_left(self._ids, told)
        return place < len(self._ids) and self._ids[place] == told

    def read(self, lines: Iterable[bytes], *, retry: bool) -> None:
        """Reads the lines of ``results.jsonl``. ``retry``: grader errors may come again."""
        for number, line in enumerate(lines):
            if not line.endswith(b"\n"):
                return
            self.size += len(line)
            head = head_of(line)
            if head is None or self.digest(head.row):
                self.damaged += 1
                self.aside.append(number)
            elif retry and comes_again(head.error):
                self.again += 1
                self.aside.append(number)
            else:
                self._add(head)

    def _add(self, head: Head) -> None:
        page = self._digests.setdefault(head.row // PAGE, array("Q", bytes(8 * PAGE)))
        page[head.row % PAGE] = head.input
        self._ids.append(hash(head.id))  # 8 bytes for an id of any length
        self._ids_sorted = False
        self.count += 1
        self.passed += head.passed
        self.errors += head.error is not None
        self.scored += head.score is not None
        self.total += head.score or 0.0


def comes_again(error: Any) -> bool:
    """Whether a case with this error is graded again when the run goes on.

    That is so if the same ask may succeed later, or if the judge's server is at fault: a key, a
    credit or an address can be put right.
    """
    if not isinstance(error, dict):
        return False
    return error.get("retryable") is True or error.get("kind") in SERVER_ERRORS


def head_of(line: bytes) -> Head | None:
    """What a line of results begins with; None if it is damaged."""
    try:
        if found := _HEAD.match(line):
            row, told, passed = int(found[2]), int(found[3], 16), found[4] == b"true"
            head = Head(row, told, passed, float(found[5]), None, found[1])
            return _checked(head) if line.endswith((b"}\n", b"}\r\n")) else None
        data = json.loads(line)
        row, told = int(data["row"]), int(data["input"], 16)
        score = float(data["score"]) if data["defined"] else None
        id = _as_json(str(data["case_id"]))
        return _checked(Head(row, told, data["pass"] is True, score, data["error"], id))
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None


def _as_json(id: str) -> bytes:
    """An id as a line has it."""
    return json.dumps(id, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _checked(head: Head) -> Head | None:
    return head if 1 <= head.row <= MAX_ROW and 0 < head.input < 1 << 64 else None
