"""Writes the sheet in which people label answers: CSV for a spreadsheet, or JSON lines.

It shows the texts and the statements, and no word of what the judge said: no verdict, no score, no
reason, and not the sentences that the judge points at, which it has for what it supports. The
evidence is what anybody finds by words alone. The rows are in random order, so that a part of them,
from the first one on, is a random part. ``drawn`` says how many were drawn, by which seed, and from
how many answers of which kind.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..asking.ranking import nearest_sentences
from ..batch.outputs import check_place, safe_cell, whole_file
from ..batch.store import Store, not_finished, reading
from ..cases.case import Case
from ..files import as_text, read_text
from ..records.errors import ConfigError, InputError, option
from ..records.model import Verdict
from ..text.strings import clean_text, counted
from .drawing import MANY_LABELS, MIN_LABELS, MOST, Counts, Drawn, Judged, draw, open_run

SUFFIXES = (".csv", ".jsonl")
SEED = 1
CELL = 32_000
"""Characters. Excel cuts what is longer than 32,767."""
LABELS = ("faithful", "unfaithful")
HOW = " ".join(read_text(Path(__file__).with_name("how_to_label.txt")).split())
"""What stands in the first row for whoever labels."""
_DRAWN = re.compile(
    r"(\d{1,5}) answers by seed (\d{1,16})"
    r"(?:, of (\d{1,12})-(\d{1,12})-(\d{1,12})-(\d{1,12})-(\d{1,12}) \((\w{12})\))?"
)


class Draw(NamedTuple):
    """What a sheet says of how it was drawn.

    Args:
        n, seed: how many answers were drawn, and by which seed.
        counts: of the run as it was then; None in a sheet of an older version.
        check: see ``Drawn.check``.
    """

    n: int
    seed: int
    counts: Counts | None
    check: str


class Written(NamedTuple):
    """A sheet that was written. ``notes``: what a person should know of it."""

    path: Path
    drawn: Drawn
    notes: tuple[str, ...]


def write_sheet(
    run: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    n: int = MANY_LABELS,
    seed: int = SEED,
) -> Written:
    """Draws answers of a run and writes the sheet in which people label them.

    Args:
        run: the directory of the run, which has the texts that it graded.
        path: the sheet, ``.csv`` or ``.jsonl``. It must not exist: it might have labels.
        n: how many answers are drawn, 30 to 10,000; all, if the run has fewer.
        seed: of the draw, from 0. A larger sheet with the same seed has the answers of a smaller.

    Raises:
        ConfigError: an argument cannot be used, or the run has too few graded answers.
    """
    file = _checked(path, n, seed)
    drawn = draw(open_run(run), n, seed=seed)
    with reading(run) as store:
        left = not_finished(store.finished, store.size)
        cases, language = _cases(drawn, store)
    cut: list[str] = []
    with whole_file(file) as part:
        rows = _rows(drawn, cases, language, seed)
        if file.suffix.lower() == ".csv":
            _write_csv(rows, part, cut)
        else:
            with as_text(part, errors="replace") as text:
                text.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    notes = (
        [f"{counted(len(cut), 'cell')} longer than Excel takes, and cut: use .jsonl"] if cut else []
    )
    if left:
        advice = "to speak of all, finish the run, and draw another sheet then"
        notes.append(f"{left}. The labels will speak of these alone; {advice}")
    return Written(file, drawn, tuple(notes))


def _checked(path: str | os.PathLike[str], n: object, seed: object) -> Path:
    file = Path(path)
    if type(n) is not int or not MIN_LABELS <= n <= MOST:
        raise ConfigError(f"{option('n')}: must be from {MIN_LABELS} to {MOST:,}, got {n!r}")
    if type(seed) is not int or not 0 <= seed < 2**53:
        raise ConfigError(f"{option('seed')}: must be a whole number from 0, got {seed!r}")
    if file.suffix.lower() not in SUFFIXES:
        raise ConfigError(f"{file}: the name of a sheet must end in {' or '.join(SUFFIXES)}")
    if os.path.lexists(file):
        raise ConfigError(f"{file}: exists, and may have labels; choose another name")
    check_place(file)
    return file


def _cases(drawn: Drawn, store: Store) -> tuple[dict[str, Case], str]:
    """The cases of the drawn answers by their ids, and the language of the run."""
    options = (store.about() or {}).get("options") or {}
    roles = {name: options[name] for name in ("evidence_roles",) if name in options}
    wanted, cases = {answer.id for answer in drawn.answers}, {}
    for row in store.rows():
        if row.case_id in wanted:
            try:
                cases[row.case_id] = Case(**row.fields, **roles)
            except (InputError, ConfigError):  # it was graded, so this is of another version
                cases[row.case_id] = Case(answer=str(row.fields.get("answer", "")), context=[])
    return cases, str(options.get("language", "en"))


def _rows(
    drawn: Drawn, cases: Mapping[str, Case], language: str, seed: int
) -> Iterator[dict[str, Any]]:
    """The rows, with the same names for both kinds of file."""
    others, flagged, left_out, by_policy = drawn.counts
    counts = "-".join(map(str, (others, flagged, left_out, *by_policy)))
    for place, answer in enumerate(drawn.answers):
        case = cases[answer.id]
        yield {
            "case_id": answer.id,
            "question": case.question,
            "context": [passage.text for passage in case.context],
            "answer": case.answer,
            "statements": list(answer.statements),
            "evidence": _evidence(case, answer, language),
            "label": "",
            "comment": "",
            "how_to_label": "" if place else HOW,
            "drawn": f"{len(drawn.answers)} answers by seed {seed}, of {counts} ({drawn.check})",
        }


def drawn_by(cell: str) -> Draw:
    """What a cell of ``drawn`` says.

    Raises:
        ConfigError: it does not say so.
    """
    match = _DRAWN.fullmatch(cell.strip())
    if not match:
        raise ConfigError("drawn was changed; take it from the sheet as it was written")
    n, seed, *sizes = (int(number) for number in match.groups()[:-1] if number)
    counts = Counts(sizes[0], sizes[1], sizes[2], (sizes[3], sizes[4])) if sizes else None
    return Draw(n, seed, counts, match[8] or "")


def _evidence(case: Case, answer: Judged, language: str) -> list[str]:
    """For each statement the sentence of the context that shares most words with it, or ""."""
    verdicts = [Verdict(n, text, None) for n, text in enumerate(answer.statements, 1)]
    nearest = nearest_sentences(case, verdicts, verdicts, language)
    return [nearest[v.id].text if v.id in nearest else "" for v in verdicts]


def _write_csv(rows: Iterator[dict[str, Any]], file: IO[bytes], cut: list[str]) -> None:
    """In UTF-8 with a byte order mark, without which Excel takes it for another encoding."""
    with as_text(file, encoding="utf-8-sig", errors="replace", newline="") as text:
        writer = None
        for row in rows:
            cells = {name: safe_cell(_cell(value, cut)) for name, value in row.items()}
            if writer is None:
                writer = csv.DictWriter(text, list(cells))
                writer.writeheader()
            writer.writerow(cells)


def _cell(value: Any, cut: list[str]) -> Any:
    if isinstance(value, list):
        lines = (f"[{number}] {clean_text(str(item))}" for number, item in enumerate(value, 1))
        value = "\n\n".join(lines)
    if isinstance(value, str) and len(value) > CELL:
        cut.append(value[:20])
        return value[:CELL] + " … (cut)"
    return value
