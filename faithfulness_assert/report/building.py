"""Builds reports: of one run, or of two runs side by side."""

from __future__ import annotations

import base64
import gzip
import json
import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from .. import __version__
from ..batch.comparison import KINDS, Comparison
from ..batch.run_description import names_of
from ..records.checks import as_mapping
from ..records.views import FLAG_WORDS
from ..text.strings import clean_text, clip
from .case_view import ANSWER, UNRESOLVED, detail_view, row_view
from .overview import LABELS, Figures, comparison_overview, run_overview
from .page import check_report, write_page
from .results import NO_TEXTS, Results, open_results

ROWS_SIZE, DETAILS_SIZE, PASSAGES_SIZE = 1_000_000, 300_000, 600_000
"""Characters of a block. Blocks of rows are read when the page opens, others one at a time."""
COMPRESSION = 9
MOST_CHANGES = 2000
"""Changed cases in a report, the most important ones. All are counted."""


class Report(NamedTuple):
    """What was written.

    Args:
        path: the file.
        cases: how many cases it shows.
        notes: what its reader is told about the run and what of it is not known.
    """

    path: Path
    cases: int
    notes: tuple[str, ...]


def write_report(
    results: Any, path: str | os.PathLike[str] = "report.html", *, other: Any = None
) -> Report:
    """Writes an HTML report of results: one file, which works from disk without a network.

    The file is there only when it is complete; an older one stays until then. Of a run, memory has
    what becomes the page, compressed; of two, also the changed cases that are shown.

    Args:
        results: a run directory, a file of results (what ``grade --json`` prints, what ``batch
            --output`` writes), or an iterable of ``GradingResult``. A run, and the list that
            ``grade_many`` returns, have the answers and contexts; other results do not.
        path: the file to write, ``.html``.
        other: results of a second run over the same cases. The report then shows what changed.

    Raises:
        ConfigError: the results cannot be read, or the file cannot be written.
    """
    file, first, page = check_report(path), open_results(results), _Data()
    if other is None:
        mode, values = "run", _one(first, page)
    else:
        mode, values = "compare", _two((first, open_results(other)), page)
    write_page(file, f"{mode}.html.jinja", values, page.blocks(mode))
    return Report(file, page.rows.count, tuple(values["notes"]))


class _Data:
    """The data of a page."""

    def __init__(self) -> None:
        self.rows, self.details = Chunks(ROWS_SIZE), Chunks(DETAILS_SIZE)
        self.passages = Store(PASSAGES_SIZE)
        self.slices: list[list[Any]] = []
        self.runs: list[str] = []

    def blocks(self, mode: str) -> Iterator[tuple[str, str]]:
        """All blocks. How many there are is known when they are written."""
        chunks = {"rows": self.rows, "details": self.details, "passages": self.passages}
        for name, values in chunks.items():
            for number, block in enumerate(values.blocks()):
                yield f"{name}-{number}", block
        meta = {
            "mode": mode,
            "version": __version__,
            "words": {
                name: dict(zip(("sign", "words", "says"), title, strict=True))
                for name, title in LABELS.items()
            },
            "flagWords": list(FLAG_WORDS.items()),
            "cases": self.rows.count,
            "slices": self.slices,
            "runs": self.runs,
            **{name: values.starts for name, values in chunks.items()},
        }
        yield "meta", packed(json.dumps(meta))


def _one(results: Results, page: _Data) -> dict[str, Any]:
    """Takes the cases of a run. Returns what the overview says."""
    policy = as_mapping(results.about.get("policy"))
    figures = Figures(results.replaced, inverse=policy.get("inverse") is True)
    for record in results.records():
        badness = figures.add(record, page.rows.count)
        places = figures.slices.add(record.line.columns, record.outcome)
        page.rows.add([*row_view(record), badness, places])
        page.details.add(detail_view(record, page.passages.place))
    page.slices = [list(column[:3]) for column in figures.slices.columns()]
    return run_overview(results, figures)


def _two(runs: tuple[Results, Results], page: _Data) -> dict[str, Any]:
    """The same for the cases that changed between two runs, the most important first."""
    first, second = runs
    names = names_of(first.name, second.name)
    comparison = Comparison(first.lines, second.lines, shown=MOST_CHANGES, names=names)
    comparison.sizes = first.replaced.rows, second.replaced.rows
    page.runs = [clip(clean_text(name)) for name in comparison.names]
    shown = comparison.shown
    wanted = [change.before.case_id for change in shown], [change.case_id for change in shown]
    sides = [
        {
            record.line.case_id: (row_view(record), detail_view(record, page.passages.place))
            for record in run.records()
            if record.line.case_id in shown
        }
        for run, shown in zip(runs, map(set, wanted), strict=True)
    ]
    lacking = [
        f"{name}: {NO_TEXTS}"
        for name, side in zip("AB", sides, strict=True)
        if side and all(row[ANSWER] is None for row, _ in side.values())
    ]
    for change, old_id, id in zip(comparison.shown, *wanted, strict=True):
        found = sides[0].get(old_id, (None, None)), sides[1].get(id, (None, None))
        rows, details = zip(*found, strict=True)
        flips = [
            [flip.statement, flip.before or UNRESOLVED, flip.after or UNRESOLVED]
            for flip in change.flips
            if not flip.is_new
        ]
        page.rows.add([KINDS.index(change.kind), *rows, flips])
        page.details.add(details)
    return comparison_overview(comparison, runs, lacking)


# ---------------------------------------------------------------- compressed blocks


class Chunks:
    """A list of JSON values, in compressed blocks of about ``size`` characters.

    Attributes:
        starts: the place of the first value of each block.
        count: how many values there are.
    """

    def __init__(self, size: int) -> None:
        self.starts: list[int] = []
        self.count = 0
        self._blocks: list[str] = []
        self._size, self._waiting, self._length = size, list[str](), 0

    def add(self, value: Any) -> None:
        """Appends a value."""
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        self._waiting.append(text)
        self._length += len(text)
        self.count += 1
        if self._length >= self._size:
            self._pack()

    def blocks(self) -> list[str]:
        """The blocks, in order: JSON arrays, as ``packed`` makes them."""
        self._pack()
        return self._blocks

    def _pack(self) -> None:
        if self._waiting:
            self.starts.append(self.count - len(self._waiting))
            self._blocks.append(packed(f"[{','.join(self._waiting)}]"))
            self._waiting, self._length = [], 0


class Store(Chunks):
    """Texts of which each is kept once. Retrieval gives the same passage to many cases."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self._places: dict[bytes, int] = {}

    def place(self, text: str) -> int:
        """The place of a text among all."""
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        place = self._places.setdefault(key, self.count)
        if place == self.count:
            self.add(text)
        return place


def packed(text: str) -> str:
    """A text, compressed with gzip, in base64."""
    data = gzip.compress(text.encode("utf-8", "backslashreplace"), COMPRESSION, mtime=0)
    return base64.b64encode(data).decode("ascii")
