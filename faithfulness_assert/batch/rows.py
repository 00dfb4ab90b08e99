"""What passes between the parts of a batch: a row of the data set, and a line of the results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any, NamedTuple

from ..records.result import GradingResult

NOTHING: Mapping[str, Any] = {}
OWN_FIELDS = ("case_id", "row", "input", "columns", "fields")
"""The fields of a line that are not fields of the result."""


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
