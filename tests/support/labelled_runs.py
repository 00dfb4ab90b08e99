"""Runs whose truth is known, made without a judge, and people who label their sheets."""

import csv
import io
import json
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from faithfulness_assert import GradingResult, Verdict
from faithfulness_assert.batch.rows import Line, Row, digest
from faithfulness_assert.batch.store import lines_of, writing
from faithfulness_assert.records.errors import JudgeErrorKind
from faithfulness_assert.records.model import GraderError

ABOUT = {"version": "1", "judge": {"name": "fake"}, "policy": {"name": "default"}, "rows": 1}


@dataclass
class Known:
    """A run on disk and its truth: for each case, whether each of its statements is supported."""

    folder: Path
    truth: dict[str, list[bool]] = field(default_factory=dict)
    records: list[dict[str, Any]] = field(default_factory=list)

    @property
    def path(self) -> Path:
        return self.folder / "run"

    def unfaithful(self) -> float:
        return sum(not all(said) for said in self.truth.values()) / len(self.truth)


def known_run(
    folder: Path,
    *,
    cases: int = 400,
    statements: int = 3,
    wrong: float = 0.1,
    sensitivity: float = 0.8,
    specificity: float = 0.95,
    errors: int = 0,
    seed: int = 1,
    text: str = "",
) -> Known:
    """A run of answers of which a share is ``wrong``: there one statement is not supported.

    The judge finds it with ``sensitivity``, and takes another answer's first statement for wrong
    with 1 - ``specificity``. ``errors``: so many cases more could not be graded. ``text`` stands in
    each answer.
    """
    folder.mkdir(parents=True, exist_ok=True)
    chance, known = random.Random(seed), Known(folder)
    lines = []
    for number in range(1, cases + errors + 1):
        id = f"case-{number}"
        said = [f"{text}Statement {n} of {number}." for n in range(statements)]
        record = {"id": id, "answer": " ".join(said), "context": [f"Context of {number}."]}
        known.records.append(record)
        truth = [True] * statements
        truth[-1] = chance.random() >= wrong
        flagged = chance.random() < (1 - specificity if truth[-1] else sensitivity)
        if number <= cases:
            known.truth[id] = truth
        result = graded(said, flagged, 0 if truth[-1] else statements - 1)
        lines.append(line_of(number, record, result if number <= cases else not_graded()))
    write_run(known.path, lines, rows=map(row_of, range(1, len(lines) + 1), known.records))
    return known


def graded(statements: list[str], flagged: bool, place: int, threshold: float = 0.8) -> Any:
    """A result in which the statement at ``place`` is contradicted if it is flagged."""
    labels: list[Any] = ["supported"] * len(statements)
    if flagged:
        labels[place] = "contradicted"
    score = labels.count("supported") / len(labels)
    verdicts = tuple(Verdict(n, text, labels[n - 1]) for n, text in enumerate(statements, 1))
    passed = score >= threshold and not flagged  # a contradiction fails at any score
    return GradingResult(
        passed, score, True, "graded", "", threshold, "default", "fake", None, verdicts
    )


def not_graded(kind: JudgeErrorKind = "server") -> GradingResult:
    error = GraderError(kind, "down")
    return GradingResult(False, None, False, "judge_failed", "", 0.8, "default", "fake", error)


def line_of(number: int, record: Mapping[str, Any], result: GradingResult) -> Line:
    row = row_of(number, record)
    return Line(row.case_id, number, digest(row), {}, result)


def row_of(number: int, record: Mapping[str, Any]) -> Row:
    fields = {name: record[name] for name in ("answer", "context")}
    return Row(number, str(record["id"]), fields)


def write_run(
    path: Path, lines: list[Line], about: Mapping[str, Any] = ABOUT, rows: Iterable[Row] = ()
) -> None:
    """A run with these results, and with the texts of its ``rows`` where they are given."""
    with writing(path) as store, store.transaction():
        store.keep("about", {**about, "options": {}})
        for line in lines:
            store.db.execute(
                "INSERT INTO rows (row, case_id, input) VALUES (?, ?, ?)",
                (line.row, line.case_id, line.input),
            )
            store.add(line)
        for row in rows:
            store.add_rows([row])


def changed(run: Known, change: Callable[[int, dict[str, Any]], None], path: Path) -> Path:
    """A run over the same cases whose results are changed."""
    lines = []
    for number, line in enumerate(lines_of(run.path)):
        data = json.loads(line.to_json())
        change(number, data)
        lines.append(Line.of_json(json.dumps(data)))
    rows = map(row_of, range(1, len(lines) + 1), run.records)
    write_run(path, lines, {**ABOUT, "judge": {"name": "other"}}, rows)
    return path


# ---------------------------------------------------------------- sheets


def rows_of(sheet: Path) -> list[dict[str, Any]]:
    text = sheet.read_text("utf-8-sig")
    if sheet.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    return list(csv.DictReader(io.StringIO(text, newline="")))


def write_rows(sheet: Path, rows: list[dict[str, Any]]) -> Path:
    if sheet.suffix == ".jsonl":
        sheet.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return sheet
    with sheet.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return sheet


def labelled(sheet: Path, run: Known, *, rows: int | None = None, second: bool = False) -> Path:
    """A person who is always right labels the first rows of a sheet; a second one mostly is."""
    found = rows_of(sheet)
    for place, row in enumerate(found):
        fine = all(run.truth[row["case_id"]])
        labels = "faithful", "unfaithful"
        row["label"] = labels[not fine] if rows is None or place < rows else ""
        if second:
            row["label_2"] = labels[(not fine) ^ (place % 10 == 0)]
    return write_rows(sheet, found)
