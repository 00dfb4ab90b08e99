"""A sheet that was edited, or whose labels cannot be right, is refused with its row and what to do."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command import run as command
from labelled_runs import Known, changed, known_run, labelled, rows_of, write_rows

from faithfulness_assert import ConfigError
from faithfulness_assert.agreement import measure, unfaithful_rate, write_sheet
from faithfulness_assert.agreement.design import Stratum, sealed, unsealed
from faithfulness_assert.agreement.labels import read_labels

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    return known_run(tmp_path_factory.mktemp("known"), cases=300)


@pytest.fixture(scope="module", params=["answers.csv", "statements.csv", "statements.jsonl"])
def sheet(request: pytest.FixtureRequest, known: Known, tmp_path_factory: Any) -> Path:
    path = tmp_path_factory.mktemp("sheet") / request.param
    per_statement = "statements" in request.param
    write_sheet(known.path, path, n=100, data=known.data, per_statement=per_statement)
    return labelled(path, known)


def edited(sheet: Path, folder: Path, change: Callable[[Rows], object]) -> Path:
    rows = rows_of(sheet)
    made = change(rows)
    copy = folder / f"edited{sheet.suffix}"
    return write_rows(copy, made if isinstance(made, list) else rows)


def first_of(rows: Rows, where: Callable[[dict[str, Any]], bool]) -> int:
    return next(place for place, row in enumerate(rows) if where(row))


# ---------------------------------------------------------------- what may be done to a sheet


def test_rows_may_be_sorted_and_cells_written_as_a_spreadsheet_does(
    sheet: Path, known: Known, tmp_path: Path
) -> None:
    def saved(rows: Rows) -> Rows:
        random.Random(1).shuffle(rows)
        for row in rows:
            row["label"] = f" {row['label'].replace('_', ' ').title()} "
            row["context"] = "edited"
        return rows

    before, after = measure(sheet), measure(edited(sheet, tmp_path, saved))
    assert after.share == before.share
    assert after.judges[0].answers == before.judges[0].answers


def test_a_sheet_of_answers_may_be_saved_as_excel_or_with_semicolons(
    known: Known, tmp_path: Path
) -> None:
    sheet = write_sheet(known.path, tmp_path / "s.csv", n=100, data=known.data).path
    rows = rows_of(labelled(sheet, known))
    lines = [list(rows[0]), *([str(v) for v in row.values()] for row in rows)]
    text = "\r\n".join(";".join(f'"{c}"' for c in line) for line in lines)
    copy = tmp_path / "semicolons.csv"
    copy.write_text(text, encoding="cp1252", newline="")
    assert measure(copy, encoding="cp1252").share == measure(sheet).share


def test_whoever_stops_early_leaves_a_random_part(known: Known, tmp_path: Path) -> None:
    sheet = write_sheet(known.path, tmp_path / "s.csv", n=100, data=known.data).path
    labels = read_labels(labelled(sheet, known, rows=60))
    assert labels.notes == ("answers at the end without a label: 40, which does no harm",)
    found = measure(sheet, known.path)
    assert sum(found.labels) == 60
    assert any("few labels: 60" in warning for warning in found.warnings)


def test_answers_that_were_passed_over_are_told(known: Known, tmp_path: Path) -> None:
    sheet = write_sheet(known.path, tmp_path / "s.csv", n=100, data=known.data).path
    labelled(sheet, known)
    skipped = edited(sheet, tmp_path, lambda rows: rows[3].update(label=""))
    assert (
        "passed over, without a label (or with a statement without one): 1."
        in read_labels(skipped).notes[0]
    )


# ---------------------------------------------------------------- what may not


BROKEN: dict[str, tuple[Callable[[Rows], object], str]] = {
    "a label that is none": (
        lambda rows: rows[4].update(label="maybe"),
        r"edited\.\w+, lines? [\d to]+: label is 'maybe'; it must be one of (faithful|supported), ",
    ),
    "no column of labels": (
        lambda rows: [{k: v for k, v in row.items() if k != "label"} for row in rows],
        "has no column label; it has .*case_id",
    ),
    "no labels": (
        lambda rows: [row.update(label="") for row in rows] and rows,
        "no answer has its labels: the column 'label' is empty",
    ),
    "three labels": (
        lambda rows: [row.update(label="") for row in rows[9:]] and rows,
        r"\d labelled answers are too few for an interval that holds; label at least 30",
    ),
    "a row twice": (lambda rows: [*rows, rows[0]], r"lines? .* and lines? .* are both of 'case-"),
    "an annotator who disagrees with himself": (
        lambda rows: [*rows, {**rows[0], "label": _other(rows[0]["label"])}],
        r"with different labels \(\w+ and \w+\): decide, and keep one",
    ),
    "rows that are missing": (
        lambda rows: [row for row in rows if row["case_id"] != rows[0]["case_id"]],
        r"1 of the 100 answers that were drawn are missing \(numbers 1 of the sheet",
    ),
    "a column that was sorted alone": (
        lambda rows: _shifted(rows, "case_id"),
        "case_id is 'case-.*If the sheet was sorted, sort all of its columns together",
    ),
    "a design that was edited": (
        lambda rows: rows[2].update(design=rows[2]["design"].replace("a", "b", 1)),
        "the design was changed; take it from the sheet as it was written",
    ),
    "a design that was removed from a row": (
        lambda rows: rows[2].update(design=""),
        "the design was changed",
    ),
    "a design that says a trillion": (
        lambda rows: [{**row, "design": _of_a_trillion(row["design"])} for row in rows],
        r"999\d+ of the 1000\d+ answers that were drawn are missing",
    ),
    "the column of the design removed": (
        lambda rows: [{k: v for k, v in row.items() if k != "design"} for row in rows],
        "has no column design. Draw one with the command `label`, or",
    ),
}


def _other(label: str) -> str:
    return {"faithful": "unfaithful", "supported": "contradicted"}.get(label, "faithful")


def _of_a_trillion(cell: str) -> str:
    """The cell as somebody can make it who wants a list that fits into no memory."""
    design, place = unsealed(cell)
    return sealed(replace(design, flagged=Stratum(10**12, 10**12, 0)), place)


def _shifted(rows: Rows, column: str) -> Rows:
    values = [row[column] for row in rows]
    for row, value in zip(rows, [*values[1:], values[0]], strict=True):
        row[column] = value
    return rows


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_sheet_is_refused_with_its_row_and_what_to_do(
    what: str, sheet: Path, known: Known, tmp_path: Path
) -> None:
    change, says = BROKEN[what]
    with pytest.raises(ConfigError, match=says):
        measure(edited(sheet, tmp_path, change), known.path)


def test_rows_of_two_sheets_in_one_are_refused(known: Known, tmp_path: Path) -> None:
    one, two = (
        write_sheet(known.path, tmp_path / f"{seed}.csv", n=50, seed=seed, data=known.data).path
        for seed in (1, 2)
    )
    both = write_rows(tmp_path / "both.csv", rows_of(labelled(one, known)) + rows_of(two))
    with pytest.raises(ConfigError, match="was drawn with another sheet than"):
        measure(both, known.path)


def test_one_statement_in_one_answer_has_one_label(known: Known, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    write_sheet(known.path, path, n=100, data=known.data, per_statement=True)
    labelled(path, known)

    def same(rows: Rows) -> None:
        rows[1]["statement"] = rows[0]["statement"]
        rows[0]["label"], rows[1]["label"] = "supported", "contradicted"

    with pytest.raises(ConfigError, match=r"the same statement of the same answer, labelled"):
        measure(edited(path, tmp_path, same))


def test_a_statement_that_is_missing_is_named(known: Known, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    write_sheet(known.path, path, n=100, data=known.data, per_statement=True)
    labelled(path, known)
    with pytest.raises(ConfigError, match=r"statement 2 of 'case-.*' is missing. Put it back"):
        measure(edited(path, tmp_path, lambda rows: [*rows[:1], *rows[2:]]))


def test_labels_of_one_class_give_the_share_and_say_why_there_is_no_more(
    known: Known, tmp_path: Path
) -> None:
    sheet = write_sheet(known.path, tmp_path / "s.csv", n=100, data=known.data).path
    labelled(sheet, known)
    fine = edited(sheet, tmp_path, lambda rows: [r.update(label="faithful") for r in rows] and rows)
    found = measure(fine, known.path)
    assert found.judges == []
    assert found.share.low == 0
    assert "all 100 labelled answers are faithful" in found.problem
    done = command("agreement", str(fine))
    assert done.returncode == 3
    assert "label more answers, or a run that has such answers" in done.stderr
    assert "of answers are unfaithful, by 100 labels" in done.stdout


# ---------------------------------------------------------------- the run


def test_a_run_that_changed_since_is_refused(known: Known, tmp_path: Path) -> None:
    run = known_run(tmp_path / "run", cases=300)
    sheet = labelled(write_sheet(run.path, tmp_path / "s.csv", n=50, data=run.data).path, run)
    measure(sheet, run.path)
    text = (run.path / "results.jsonl").read_text("utf-8").splitlines(keepends=True)
    (run.path / "results.jsonl").write_text("".join(text[:-1]), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"changed since .* was drawn from it.*Leave the run out"):
        measure(sheet, run.path)


def test_a_run_over_other_texts_is_refused(known: Known, tmp_path: Path) -> None:
    sheet = labelled(write_sheet(known.path, tmp_path / "s.csv", n=50, data=known.data).path, known)
    other = known_run(tmp_path / "other", cases=300, text="Other. ")
    with pytest.raises(ConfigError, match="has other texts in run than when the sheet was drawn"):
        measure(sheet, other.path)


# ---------------------------------------------------------------- labels without a design


def table(known: Known, tmp_path: Path, size: int = 100) -> Path:
    ids = random.Random(3).sample(sorted(known.truth), size)
    rows = [{"id": id, "label": "faithful" if all(known.truth[id]) else "unfaithful"} for id in ids]
    return write_rows(tmp_path / "labels.csv", rows)


def test_labels_of_a_random_sample_count_by_the_judges_verdicts_all_the_same(
    known: Known, tmp_path: Path
) -> None:
    labels = table(known, tmp_path)
    found = measure(labels, known.path, random=True)
    told = read_labels(labels, random=True)
    wrong = [answer.unfaithful[0] is True for answer in told.answers]
    flags = measure(labels, known.path, random=True).judges[0].answers.counts
    assert sum(wrong) == flags[2] + flags[3]
    others, flagged = found.sizes
    by_hand = unfaithful_rate(
        [True] * flags[3] + [False] * flags[1] + [True] * flags[2] + [False] * flags[0],
        [True] * (flags[3] + flags[1]) + [False] * (flags[2] + flags[0]),
        n_flagged=flagged,
        n_unflagged=others,
    )
    assert found.share == by_hand


def test_a_designed_sheet_cannot_be_read_as_a_random_one(sheet: Path, known: Known) -> None:
    with pytest.raises(ConfigError, match="has a design, so it is not read as a random sample"):
        measure(sheet, known.path, random=True)


def test_even_without_its_design_a_sheet_counts_by_the_strata(known: Known, tmp_path: Path) -> None:
    sheet = write_sheet(known.path, tmp_path / "s.csv", n=100, data=known.data).path
    rows = [
        {"id": row["case_id"], "label": row["label"]} for row in rows_of(labelled(sheet, known))
    ]
    bare = write_rows(tmp_path / "bare.csv", rows)
    assert measure(bare, known.path, random=True).share == measure(sheet).share


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"id": "nobody", "label": "faithful"}, "the id 'nobody' is not in run, or was not graded"),
        ({"id": "", "label": "faithful"}, "has no id"),
    ],
)
def test_ids_that_the_run_does_not_have_are_named(
    known: Known, tmp_path: Path, row: dict[str, str], says: str
) -> None:
    rows = rows_of(table(known, tmp_path))
    with pytest.raises(ConfigError, match=rf"line 102: {says}"):
        measure(write_rows(tmp_path / "more.csv", [*rows, row]), known.path, random=True)


def test_labels_without_a_design_need_the_run(known: Known, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="name the run that was labelled"):
        measure(table(known, tmp_path), random=True)


def test_a_run_of_another_policy_is_another_judge(known: Known, tmp_path: Path) -> None:
    sheet = labelled(write_sheet(known.path, tmp_path / "s.csv", n=80, data=known.data).path, known)

    def lenient(number: int, data: dict[str, Any]) -> None:
        data["pass"], data["score"] = True, 1.0

    other = changed(known, lenient, tmp_path / "lenient")
    found = measure(sheet, other)
    assert found.judges[0].answers.figures["recall"].value == 0
    assert found.drawn_from == []
    assert found.share == measure(sheet).share
