"""Two runs side by side: the cases with another result, with both results of each."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from ..batch.comparison import KINDS, compare
from ..batch.rows import NOTHING, Line
from ..records.model import GraderError, Verdict
from ..records.result import GradingResult
from .case_view import UNRESOLVED, Vocabulary, detail_view, outcome_of, row_view, score_of
from .joining import join
from .plain_fields import list_of, mapping_of, share_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ..batch.comparison import Change, Lines
    from .joining import Joined
    from .result_records import Results

MOST_CHANGES = 2000
"""Changed cases in a report, the most important ones. All are counted."""


class ChangeView(NamedTuple):
    """What the page shows of a changed case: see ``case_view`` for rows and details."""

    row: list[Any]
    details: list[Any]


class Compared:
    """Two runs and what changed between them.

    ``data``: the data sets of both, None for those that the runs name.

    Raises:
        ConfigError: no case could be graded in both.
    """

    def __init__(
        self, sources: tuple[Results, Results], data: tuple[Any, Any], mapping: Any
    ) -> None:
        self.sources, self._data, self._mapping = sources, data, mapping
        first, second = sources
        self.comparison = compare(_lines(first), _lines(second), shown=MOST_CHANGES)

    @property
    def notes(self) -> list[str]:
        """What a reader should know, of the comparison and of each run."""
        told = [f"{note.text} {note.quote or ''}".strip() for note in self.comparison.notes]
        for name, source in zip("AB", self.sources, strict=True):
            told += [f"{name}: {note}" for note in source.notes]
        return told

    def changes(self, names: Vocabulary, place: Callable[[str], int]) -> Iterator[ChangeView]:
        """The changed cases, the most important first. ``place``: see ``detail_view``."""
        changes = self.comparison.shown
        wanted = {change.case_id for change in changes}
        sides = [
            _views(join(source, data, self._mapping), wanted, names, place)
            for source, data in zip(self.sources, self._data, strict=True)
        ]
        for change in changes:
            views = [_unpacked(side.get(change.case_id)) for side in sides]
            yield ChangeView(
                [KINDS.index(change.kind), *(row for row, _ in views), _flips(change, names)],
                [details for _, details in views],
            )


def _lines(results: Results) -> Lines:
    return lambda: (plain_line(record) for _, record in results.records())


def plain_line(record: Mapping[str, Any]) -> Line:
    """A result as a line of results, whatever else is wrong with it."""
    row, score = record.get("row"), score_of(record)
    status: Any = text_of(record.get("status")) or "unknown"
    outcome = outcome_of(record)
    result = GradingResult(
        pass_=outcome == "passed",
        score=score or 0.0,
        defined=score is not None,
        status=status,
        reason=None,
        threshold=share_of(record.get("threshold")) or 0.0,
        policy=text_of(record.get("policy")),
        judge=text_of(record.get("judge")),
        error=GraderError("input", "") if outcome == "not_graded" else None,
        verdicts=tuple(_verdict(mapping_of(v)) for v in list_of(record.get("verdicts"))),
    )
    return Line(
        case_id(record), row if isinstance(row, int) else 0, _digest(record), NOTHING, result
    )


def case_id(record: Mapping[str, Any]) -> str:
    """The name of a case: its id, or its number."""
    return text_of(record.get("case_id")) or text_of(record.get("row"))


def _digest(record: Mapping[str, Any]) -> str:
    return text_of(record.get("input"))


def _verdict(verdict: Mapping[str, Any]) -> Verdict:
    label: Any = text_of(verdict.get("label")) or None
    return Verdict(0, text_of(verdict.get("statement")), label)


def _views(
    joined: Iterator[Joined], wanted: set[str], names: Vocabulary, place: Callable[[str], int]
) -> dict[str, bytes]:
    """The row and the details of each wanted case, compressed."""
    views: dict[str, bytes] = {}
    for record, texts in joined:
        id = case_id(record)
        if id in wanted:
            view = [row_view(record, texts, names), detail_view(record, texts, place)]
            views[id] = zlib.compress(json.dumps(view).encode(), 1)
    return views


def _unpacked(view: bytes | None) -> list[Any]:
    return json.loads(zlib.decompress(view)) if view else [None, {}]


def _flips(change: Change, names: Vocabulary) -> list[list[Any]]:
    place = names.labels.place
    return [
        [flip.statement, place(flip.before or UNRESOLVED), place(flip.after or UNRESOLVED)]
        for flip in change.flips
    ]
