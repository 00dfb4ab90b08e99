"""Writes the sheet in which people label answers: CSV for a spreadsheet, or JSON lines.

It shows the texts and the statements, and no word of what the judge said: no verdict, no score, no
reason, and not the sentences that the judge points at, which it has for what it supports. The
evidence is what anybody finds by words alone. The rows are in random order, so that a part of them,
from the first one on, is a random part. ``drawn`` has the number of the answer, and says how many
were drawn, by which seed, and from how many answers of which kind.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..asking.ranking import nearest_sentences
from ..batch.outputs import check_place, safe_cell, whole_file
from ..batch.store import Store, not_finished, reading
from ..cases.case import Case
from ..files import as_text, read_text
from ..records.checks import check_number
from ..records.errors import ConfigError, option
from ..records.model import Verdict
from ..text.strings import clean_text, counted
from .drawing import MANY_LABELS, MIN_LABELS, MOST, Drawn, draw, open_run

SUFFIXES = (".csv", ".jsonl")
SEED = 1
CELL = 32_000
"""Characters. Excel cuts what is longer than 32,767."""
LABELS = ("faithful", "unfaithful")
HOW = " ".join(read_text(Path(__file__).with_name("how_to_label.txt")).split())
"""What stands in the first row for whoever labels."""


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
    file = Path(path)
    check_number(option("n"), n, MIN_LABELS, MOST, whole=True)
    check_number(option("seed"), seed, 0, 2**53 - 1, whole=True)
    if file.suffix.lower() not in SUFFIXES:
        raise ConfigError(f"{file}: the name of a sheet must end in {' or '.join(SUFFIXES)}")
    if os.path.lexists(file):
        raise ConfigError(f"{file}: exists, and may have labels; choose another name")
    check_place(file)
    drawn = draw(open_run(run), n, seed=seed)
    with reading(run) as store:
        left = not_finished(store.finished, store.size)
        rows = _rows(drawn, store, seed)
    cut = 0
    with whole_file(file) as part:
        if file.suffix.lower() == ".csv":
            cut = _write_csv(rows, part)
        else:
            with as_text(part, errors="replace") as text:
                text.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    notes = [f"{counted(cut, 'cell')} longer than Excel takes, and cut: use .jsonl"] if cut else []
    if left:
        advice = "to speak of all, finish the run, and draw another sheet then"
        notes.append(f"{left}. The labels will speak of these alone; {advice}")
    return Written(file, drawn, tuple(notes))


def _rows(drawn: Drawn, store: Store, seed: int) -> list[dict[str, Any]]:
    """The rows, with the same names for both kinds of file.

    ``evidence`` is of each statement the sentence of the context that shares most words with it.
    """
    options = store.about().get("options") or {}
    language = str(options.get("language", "en"))
    roles = {name: options[name] for name in ("evidence_roles",) if name in options}
    ids = {answer.id for answer in drawn.answers}
    fields = {row.case_id: row.fields for row in store.rows() if row.case_id in ids}
    how = drawn.how(seed)
    rows: list[dict[str, Any]] = []
    for answer in drawn.answers:
        case = Case(**fields[answer.id], **roles)
        verdicts = [Verdict(n, text, None) for n, text in enumerate(answer.statements, 1)]
        nearest = nearest_sentences(case, verdicts, verdicts, language)
        rows.append(
            {
                "case_id": answer.id,
                "question": case.question,
                "context": [passage.text for passage in case.context],
                "answer": case.answer,
                "statements": list(answer.statements),
                "evidence": [nearest[v.id].text if v.id in nearest else "" for v in verdicts],
                "label": "",
                "comment": "",
                "how_to_label": "" if rows else HOW,
                "drawn": f"answer {answer.number(seed)}, {how}",
            }
        )
    return rows


def _write_csv(rows: Sequence[Mapping[str, Any]], file: IO[bytes]) -> int:
    """Writes the rows, and says how many cells were cut.

    In UTF-8 with a byte order mark, without which Excel takes it for another encoding.
    """
    cut = 0
    with as_text(file, encoding="utf-8-sig", errors="replace", newline="") as text:
        writer = csv.writer(text)
        writer.writerow(rows[0])
        for row in rows:
            cells = [_cell(value) for value in row.values()]
            cut += sum(len(cell) > CELL for cell in cells)
            writer.writerow(
                safe_cell(c if len(c) <= CELL else f"{c[:CELL]} … (cut)") for c in cells
            )
    return cut


def _cell(value: str | list[str]) -> str:
    if isinstance(value, str):
        return value
    return "\n\n".join(f"[{n}] {clean_text(item)}" for n, item in enumerate(value, 1))
