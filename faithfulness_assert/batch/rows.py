"""What passes between the parts of a batch: a row of the data set, and its result.

Rows are graded in one way by both engines, here and on a cluster.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import Any, NamedTuple

from ..drive.asks import GivenUp
from ..drive.breaker import patience_of
from ..drive.grades import ASKS_AT_ONCE, Slots, run_many
from ..grading import Grader
from ..options import DEADLINE
from ..records.checks import is_whole
from ..records.judge import judge_info
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
        columns = {"columns": self.columns} if self.columns else {}
        return as_text({**own, **data, **own, **columns})

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
        if (version := data.get("format", FORMAT)) != FORMAT:
            ours = f"this version knows {FORMAT}"
            raise ValueError(f"it has the format {version} of a newer version, and {ours}")
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


# ---------------------------------------------------------------- how rows are graded


class GraderSettings(NamedTuple):
    """What makes a grader, here or in another process, and what it may use.

    Args:
        judge, policy, threshold, options: as ``settings.choose`` completes them on this machine:
            others may have no settings.
        concurrency: asks under way at once; None: 8, or 1 for a judge that computes here.
        requests_per_minute, tokens_per_minute: None for no limit.
        secret: from which asks follow; None for the grader's own.
    """

    judge: Any
    policy: Any
    threshold: float | None
    options: Mapping[str, Any]
    concurrency: int | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    secret: bytes | None = None

    def for_one_of(self, graders: int) -> GraderSettings:
        """Those of one of so many graders, which share the limits. Each has the whole concurrency.

        Requests are whole ones: each grader rounds its share up, so it is rounded down here.
        """
        requests, tokens = self.requests_per_minute, self.tokens_per_minute
        if requests:
            requests = requests // graders or requests / graders
        return self._replace(
            requests_per_minute=requests, tokens_per_minute=tokens and tokens / graders
        )

    def grader(self, *, stops: bool = True) -> Grader:
        """A new grader within these limits, which waits for a server that is down for a while.

        ``stops``: after some time without any answer rows have no result; else it waits on.
        """
        grader = Grader(self.judge, self.policy, self.threshold, **self.options)
        limits = (self.requests_per_minute, self.tokens_per_minute)
        if limits != (None, None) or not computes_here(grader):
            deadline = self.options.get("deadline", DEADLINE) if stops else None
            grader.keep_limits(*limits, patience_of(deadline))
        return grader if self.secret is None else grader.keep_secret(self.secret)

    def asks_at_once(self, grader: Grader) -> int:
        """How many asks of this grader are under way at once."""
        return self.concurrency or (1 if computes_here(grader) else ASKS_AT_ONCE)


def grade_rows(
    rows: Iterable[Row], grader: Grader, *, concurrency: int = 8, in_order: bool = False
) -> Iterator[Line]:
    """The results of these rows, each as soon as it is there. Rows are read as they are needed.

    A row that cannot be read has the status ``invalid_input``.

    Args:
        concurrency: asks under way at once. With 1, a judge that works in this process grades one
            row after the other in this thread, which costs the least time.
        in_order: each result waits for those of the rows before.
    """
    lines = graded_or_left(rows, grader, concurrency, in_order=in_order)
    return (line for line in lines if isinstance(line, Line))


def graded_or_left(
    rows: Iterable[Row],
    grader: Grader,
    concurrency: int,
    stopping: Callable[[], str] = str,
    *,
    in_order: bool = False,
) -> Generator[Line | NotAsked, None, None]:
    """The same in a run. Rows have no result if the patience of the grader has ended.

    Nor do those that have asked nothing yet while it is ``stopping``, which says why.
    """
    if concurrency == 1 and computes_here(grader):
        return (
            line_of(row, grader.invalid(row.problem) if row.problem else grader.grade(**row.fields))
            for row in rows
        )

    async def line(row: Row, slots: Slots) -> Line | NotAsked:
        if row.problem:
            return line_of(row, grader.invalid(row.problem))
        try:
            return line_of(row, await grader.agrade_case(row.fields, slots))
        except GivenUp as stop:
            return NotAsked(row.number, str(stop))

    lines = (partial(line, row) for row in rows)
    return run_many(lines, concurrency, in_order=in_order, stopping=stopping)


def computes_here(grader: Grader) -> bool:
    """Whether the judge uses one core all the time, and does not wait for a server.

    One that computes for several cases at once is asked by one process.
    """
    info = judge_info(grader.judge)
    return info.keeps_deadline and not info.remote and not info.any_loop


def line_of(row: Row, result: GradingResult) -> Line:
    """The line of a row with this result."""
    result = replace(result, case_id=row.case_id)
    return Line(row.case_id, row.number, digest(row), row.columns, result)
