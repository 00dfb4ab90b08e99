"""What passes between the parts of a batch: a row of the data set, and its result.

Rows are graded in one way by both engines, here and on a cluster.
"""

from __future__ import annotations

import json
from asyncio import Semaphore
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import Any, NamedTuple

from ..cases.data_set import Row as Row
from ..cases.fields import NOTHING
from ..drive.gate import Gate, PerMinute
from ..drive.grades import ASKS_AT_ONCE, run_many
from ..grading import Grader
from ..records.checks import is_whole
from ..records.judge import judge_info
from ..records.model import Verdict
from ..records.result import GradingResult
from ..text.strings import clip, lazy_pattern, text_key

FORMAT = 1
"""Of results as lines of JSON. It grows when an older version could no longer read them."""
_ENCODED = json.JSONEncoder(ensure_ascii=False, default=str).encode
_SORTED = json.JSONEncoder(sort_keys=True, ensure_ascii=False, default=str).encode
_PLACE = lazy_pattern(r"\d+-\d+")
OWN_FIELDS = ("row", "input", "format", "columns")
"""The fields of a line that are not fields of the result."""


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
            raise ValueError("it lacks case_id or score")
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


def digest(row: Row) -> str:
    """A short fingerprint of what is graded in a row; equal rows have equal ones. Behind a hyphen
    it has that of the question, if there is one.
    """
    asked = row.fields.get("question") or ""
    parts = _SORTED([row.fields, row.problem]), text_key(asked) if isinstance(asked, str) else ""
    texts = (part.encode("utf-8", "surrogatepass") for part in parts if part)
    return "-".join(blake2b(text, digest_size=8).hexdigest() for text in texts)


Key = tuple[str, int, str]
"""The id of a row, its number and its ``digest`` ("" where that is not known)."""


def same_cases(before: Iterable[Key], after: Iterable[Key]) -> tuple[dict[str, str], int]:
    """For the id of each row of B the id of the same case in A, or "" if A has none; and how many
    were taken for the same by their place alone.

    Cases have the same id. Where all ids are places (row numbers, or those of a test and a prompt),
    a row that is inserted moves all that follow: then equal rows belong together, then those with
    the same question. Rows with different questions are never the same case.
    """
    left, right = ({key[0]: key for key in side} for side in (before, after))
    ids, by_place = dict[str, str](), 0
    keys = (*left.values(), *right.values())
    places = all(id == str(number) or _PLACE.fullmatch(id) for id, number, _ in keys)
    for name in (str, _asked) if places else ():
        old, new = (_named(name, side.values()) for side in (left, right))
        for key in old.keys() & new.keys():
            ids[new[key]] = old[key]
            del left[old[key]], right[new[key]]
            by_place += name is _asked and key[-1] != 1  # one of several with the question
    for id, _, graded in right.values():
        questions = {_asked(graded), _asked(left[id][2]) if id in left else ""} - {""}
        ids[id] = id if id in left and len(questions) < 2 else ""
        by_place += places and ids[id] != ""
    return ids, by_place


def _named(name: Callable[[str], str], keys: Iterable[Key]) -> dict[tuple[str, str, int], str]:
    """The ids of rows that have a name, each by it, its prompt, and its place among those."""
    ids, places = {}, Counter[tuple[str, str]]()
    for id, _, graded in keys:
        kind = called, prompt = name(graded), id.partition("-")[2]
        places[kind] += 1
        if called:
            ids[called, prompt, places[kind]] = id
    return ids


def _asked(graded: str) -> str:
    return graded.partition("-")[2]


def as_text(value: Any) -> str:
    """A value as JSON that any file and database can have: a lone surrogate is an escape."""
    text = _ENCODED(value)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def brief(line: Line) -> Line:
    """The line with the verdicts that a summary counts or names, and without other texts."""
    kept = tuple(
        Verdict(v.id, clip(v.statement), v.label, v.unresolved, flags=v.flags)
        for v in line.result.verdicts
        if v.flags or (line.result.pass_ and not (v.is_fine or v.repeat_of))
    )
    result = replace(line.result, verdicts=kept, skipped=(), citations=None)
    return line._replace(columns=NOTHING, result=result)


# ---------------------------------------------------------------- how rows are graded


def grade_rows(
    rows: Iterable[Row],
    grader: Grader,
    concurrency: int | None = None,
    gate: Gate | None = None,
    *,
    in_order: bool = False,
) -> Generator[Line, None, None]:
    """The results of these rows, each as soon as it is there. Rows are read as they are needed.

    A row that cannot be read has the status ``invalid_input``.

    Args:
        rows, grader: what is graded, and by whom.
        concurrency: asks under way at once; None: 8, or 1 for a judge that computes here. With 1,
            such a judge grades one row after the other in this thread, which costs the least time.
        gate: of a run; see ``gate_of``. None: that of the grader.
        in_order: each result waits for those of the rows before.

    Raises:
        GivenUp: after the results of all other rows: some asked nothing, and why.
    """
    here = computes_here(grader) and gate is None
    concurrency = concurrency or (1 if computes_here(grader) else ASKS_AT_ONCE)
    if concurrency == 1 and here:
        return (
            line_of(row, grader.invalid(row.problem) if row.problem else grader.grade(**row.fields))
            for row in rows
        )

    async def line(row: Row, slots: Semaphore) -> Line:
        if row.problem:
            return line_of(row, grader.invalid(row.problem))
        return line_of(row, await grader.agrade_case(row.fields, slots, gate))

    lines = (partial(line, row) for row in rows)
    return run_many(lines, concurrency, in_order=in_order)


def gate_of(
    grader: Grader, requests: float | None, tokens: float | None, patience: float
) -> Gate | None:
    """The gate for a run with these limits per minute; None where nothing is to be waited for.

    ``patience``: seconds without any answer after which the run stops; see ``Breaker``.

    Raises:
        ConfigError: a limit is not a number over 0.
    """
    if (requests, tokens) != (None, None):
        return Gate(grader.judge, PerMinute(requests, tokens), patience)
    return None if computes_here(grader) else Gate(grader.judge, None, patience)


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
