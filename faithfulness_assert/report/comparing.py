"""Two runs side by side: the cases with another result, with both results of each."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from ..batch.comparison import KINDS, Change, compare
from ..batch.rows import Lines
from ..batch.run_description import names_of
from .case_view import UNRESOLVED, Vocabulary, detail_view, row_view
from .joining import Joined, join
from .record import Record
from .result_records import Results

MOST_CHANGES = 2000
"""Changed cases in a report, the most important ones. All are counted."""


class Compared:
    """Two runs and what changed between them.

    ``data``: the data sets of both, None where they are not given.

    Raises:
        ConfigError: they have no case in common.
    """

    def __init__(
        self, sources: tuple[Results, Results], data: tuple[Any, Any], opened: Any
    ) -> None:
        self.sources, self._data, self._opened = sources, data, opened
        first, second = sources
        names = names_of(first.name, second.name)
        self.comparison = compare(_lines(first), _lines(second), shown=MOST_CHANGES, names=names)

    @property
    def notes(self) -> list[str]:
        """What a reader should know, of the comparison and of each run."""
        told = [note.shown(str) for note in self.comparison.notes]
        for name, source in zip("AB", self.sources, strict=True):
            told += [f"{name}: {note}" for note in source.notes]
        return told

    def changes(
        self, names: Vocabulary, place: Callable[[str], int]
    ) -> Iterator[tuple[list[Any], list[Any]]]:
        """The rows and details of the changed cases, the most important first: see ``case_view``.

        ``place``: see ``detail_view``.
        """
        changes = self.comparison.shown
        wanted = {change.case_id for change in changes}
        sides = [
            _views(join(source, data, self._opened), wanted, names, place)
            for source, data in zip(self.sources, self._data, strict=True)
        ]
        for change in changes:
            views = [_unpacked(side.get(change.case_id)) for side in sides]
            rows, details = map(list, zip(*views, strict=True))
            yield [KINDS.index(change.kind), *rows, _flips(change, names)], details


def _lines(results: Results) -> Lines:
    return lambda: (Record(data).outline() for _, data in results.records())


def _views(
    joined: Iterator[Joined], wanted: set[str], names: Vocabulary, place: Callable[[str], int]
) -> dict[str, bytes]:
    """The row and the details of each wanted case, compressed."""
    views: dict[str, bytes] = {}
    for record, texts in joined:
        if record.case_id in wanted:
            view = [row_view(record, texts, names), detail_view(record, texts, place)]
            views[record.case_id] = zlib.compress(json.dumps(view).encode(), 1)
    return views


def _unpacked(view: bytes | None) -> list[Any]:
    return json.loads(zlib.decompress(view)) if view else [None, {}]


def _flips(change: Change, names: Vocabulary) -> list[list[Any]]:
    place = names.labels.place
    return [
        [flip.statement, place(flip.before or UNRESOLVED), place(flip.after or UNRESOLVED)]
        for flip in change.flips
    ]
