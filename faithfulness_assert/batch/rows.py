"""What passes between the parts of a batch: a row of the data set, and its result."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any, NamedTuple

from ..records.checks import is_whole
from ..records.result import GradingResult

FORMAT = 1
"""Of results as lines of JSON. It grows when an older version could no longer read them."""
NOTHING: Mapping[str, Any] = {}
_ENCODED = json.JSONEncoder(ensure_ascii=False, default=str).encode
_SORTED = json.JSONEncoder(sort_keys=True, ensure_ascii=False, default=str).encode
OWN_FIELDS = ("row", "input", "format", "columns")
"""The fields of a line that are not fields of the result."""


class Row(NamedTuple):
    """A row of a data set.

    Args:
        number: its place in the data set, from 1.
        case_id: unique in the data set; the user's, or the number where there is none.
        fields: the fields of its case under names that a ``Case`` knows; empty if there is a
            ``problem``. As JSON has them.
        columns: what the data set has beside them. It is carried along into the result.
        problem: why the row cannot be read, with its place ("line 7: ..."); "" if it can.
    """

    number: int
    case_id: str
    fields: Mapping[str, Any] = NOTHING
    columns: Mapping[str, Any] = NOTHING
    problem: str = ""


class Line(NamedTuple):
    """A result, and the row that it belongs to, of which ``input`` is the ``digest``."""

    case_id: str
    row: int
    input: str
    columns: Mapping[str, Any]
    result: GradingResult

    def to_json(self) -> str:
        """It as a line of JSON, without the line break."""
        own = {"case_id": self.case_id, "row": self.row, "input": self.input, "format": FORMAT}
        data = self.result.model_dump(mode="json", by_alias=True)
        told = {"columns": self.columns} if self.columns else {}
        return as_text({**own, **data, **own, **told})

    @classmethod
    def of_json(cls, text: str | bytes, number: int = 0) -> Line:
        """The line in a text, or the result in it, of which ``number`` is then the row.

        Raises:
            ValueError: it is not a result, or one of a newer version.
        """
        data = json.loads(text)
        if not isinstance(data, dict) or not {"case_id", "score"} <= data.keys():
            raise ValueError("it is not a line of results: it lacks case_id or score")
        row, columns = data.get("row", number), data.get("columns", NOTHING)
        if not is_whole(row) or not isinstance(columns, Mapping):
            raise ValueError("its row is no whole number, or its columns are no object")
        if (found := data.get("format", FORMAT)) != FORMAT:
            known = f"this version knows {FORMAT}"
            raise ValueError(f"it has the format {found} of a newer version, and {known}")
        result = {name: value for name, value in data.items() if name not in OWN_FIELDS}
        return cls(
            str(data["case_id"] or row),
            row,
            str(data.get("input", "")),
            columns,
            GradingResult.model_validate(result),
        )


Lines = Callable[[], Iterator[Line]]
"""Starts reading the results of a run, from the first one on each time."""


class NotAsked(NamedTuple):
    """A row without a result, because its run stops: it is graded when the run goes on.

    ``why``: the run stops, in words.
    """

    row: int
    why: str


def digest(row: Row) -> str:
    """A short fingerprint of what is graded in a row; equal rows have equal ones."""
    text = _SORTED([row.fields, row.problem])
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def as_text(value: Any) -> str:
    """A value as JSON that any file and database can have: a lone surrogate is an escape."""
    text = _ENCODED(value)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def brief(line: Line) -> Line:
    """The line without what it says about single statements: enough to count it."""
    result = replace(line.result, verdicts=(), skipped=(), citations=None)
    return line._replace(columns=NOTHING, result=result)
