"""A sheet shows texts and hides verdicts; one that was edited is refused with its row and what to do."""

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import here as command
from hypothesis import given
from hypothesis import strategies as st
from labelled_runs import (
    Known,
    changed,
    known_run,
    labelled,
    line_of,
    not_graded,
    row_of,
    rows_of,
    write_rows,
    write_run,
)

from faithfulness_assert import ConfigError
from faithfulness_assert.agreement import measure, unfaithful_rate, write_sheet
from faithfulness_assert.agreement.drawing import draw, open_run, split
from faithfulness_assert.batch.store import lines_of, writing

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    return known_run(tmp_path_factory.mktemp("known"), cases=300, errors=7)


@pytest.fixture(scope="module", params=["sheet.csv", "sheet.jsonl"])
def sheet(request: pytest.FixtureRequest, known: Known, tmp_path_factory: Any) -> Path:
    return labelled(sheet_of(known, tmp_path_factory.mktemp("sheet"), request.param), known)


def sheet_of(run: Known, folder: Path, name: str = "sheet.csv", **options: Any) -> Path:
    return write_sheet(run.path, folder / name, **{"n": 100, **options}).path


def edited(sheet: Path, folder: Path, change: Callable[[Rows], object]) -> Path:
    rows = rows_of(sheet)
    made = change(rows)
    copy = folder / f"edited{sheet.suffix}"
    return write_rows(copy, made if isinstance(made, list) else rows)


# ---------------------------------------------------------------- the draw


@given(st.integers(30, 400), st.integers(0, 3000), st.integers(0, 3000))
def test_flagged_answers_are_drawn_at_two_and_a_quarter_times_the_rate_and_five_of_either_kind(
    n, flagged, others
):
    if flagged + others < 30:
        return
    one, two = split(n, flagged, others)
    assert one <= flagged
    assert two <= others
    assert one + two == min(n, flagged + others)
    assert one >= min(5, flagged)
    assert two >= min(5, others)
    if 5 < one < flagged and 5 < two < others:
        assert one / flagged == pytest.approx(2.25 * two / others, abs=2 / flagged + 3 / others)


def test_a_seed_draws_the_same_whatever_the_order_and_more_of_the_same(known, tmp_path):
    lines = [f"{line.to_json()}\n" for line in lines_of(known.path)]
    other = tmp_path / "shuffled.jsonl"
    other.write_text("".join(reversed(lines)), encoding="utf-8")
    drawn = draw(open_run(known.path), 100, seed=1)
    assert drawn == draw(open_run(other), 100, seed=1)
    assert sum(drawn.counts[:3]) == 307
    ids = {a.id for a in drawn.answers}
    assert len(ids) == 100
    assert ids <= {a.id for a in draw(open_run(other), 200, seed=1).answers}
    assert ids != {a.id for a in draw(open_run(other), 100, seed=2).answers}


# ---------------------------------------------------------------- what is shown


def test_no_word_tells_what_the_judge_said(sheet, known):
    flagged = {a.id: a.flagged for a in open_run(known.path).answers() if a}
    first, *rows = rows_of(sheet)
    assert "knows nothing but the context" in first["how_to_label"]
    shapes = {True: set(), False: set()}
    for row in rows:
        del row["label"]
        shapes[flagged[row["case_id"]]].add(re.sub(r"\d+", "#", json.dumps(row, sort_keys=True)))
    assert shapes[True] == shapes[False]  # equal but for the numbers in our texts


def test_texts_are_never_formulas_are_cut_for_excel_and_whole_in_json_lines(tmp_path):
    hostile = '=cmd|"/c calc"!A1 \x1b[31m\u202e -2+3 @SUM(1)\t=1;=2 ' + "long " * 8000
    run = known_run(tmp_path / "hostile", cases=30, statements=1, text=hostile)
    written = write_sheet(run.path, tmp_path / "s.csv", n=30)
    assert "60 cells longer than Excel takes" in written.notes[0]
    for row in rows_of(written.path):
        for cell in row.values():
            assert len(cell) < 32_767
            assert not re.match(r"[=+\-@\t]", cell)
            assert not re.search(r"[;\t\n]\s*[=@]", cell)
    whole = {r["case_id"]: r["answer"] for r in rows_of(sheet_of(run, tmp_path, "s.jsonl", n=30))}
    assert whole == {record["id"]: record["answer"] for record in run.records}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"n": 29}, "n: must be a whole number from 30 to 10,000, got 29"),
        ({"n": True}, "n: must be"),
        ({"seed": -1}, "seed: must be a whole number"),
        ({"name": "sheet.txt"}, "must end in .csv or .jsonl"),
        ({"name": "no/sheet.csv"}, "there is no folder"),
        ({"name": "kept.csv"}, "exists, and may have labels"),
    ],
)
def test_what_cannot_be_drawn_is_refused(known, tmp_path, options, says):
    (tmp_path / "kept.csv").write_text("labels")
    with pytest.raises(ConfigError, match=says):
        sheet_of(known, tmp_path, **options)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["labels"]


def test_a_run_with_too_few_graded_answers_is_refused(tmp_path):
    few = known_run(tmp_path / "few", cases=20, errors=200)
    with pytest.raises(ConfigError, match="20 graded answers are too few"):
        sheet_of(few, tmp_path)


# ---------------------------------------------------------------- what may be done to a sheet


def test_rows_may_be_sorted_and_cells_written_as_a_spreadsheet_does(sheet, known, tmp_path):
    def saved(rows: Rows) -> Rows:
        random.Random(1).shuffle(rows)
        for row in rows:
            row["case_id"] = row["case_id"].removeprefix("case-")
            row["label"] = f" {row['label'].title()} "
            row["context"] = "edited"
        return rows

    before = measure(sheet, known.path)
    after = measure(edited(sheet, tmp_path, saved), known.path)
    assert after.share == before.share
    assert after.judges[0].answers == before.judges[0].answers


def test_whoever_stops_early_leaves_a_random_part_and_whoever_passes_over_is_told(known, tmp_path):
    sheet = labelled(sheet_of(known, tmp_path), known, rows=60)
    found = measure(sheet, known.path)
    assert sum(found.labels) == 60
    assert any("few labels: 60" in warning for warning in found.warnings)

    def passed_over(rows: Rows) -> Rows:
        rows[3]["label"] = ""
        return random.Random(1).sample(rows, len(rows))

    told = measure(edited(sheet, tmp_path, passed_over), known.path).warnings
    assert "answers that were passed over, without a label: 1." in told[0]


# ---------------------------------------------------------------- what may not


def other(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "label": "faithful" if row["label"] == "unfaithful" else "unfaithful"}


BROKEN: dict[str, tuple[Callable[[Rows], object], str]] = {
    "a label that is none": (
        lambda rows: rows[4].update(label="maybe"),
        r"edited\.\w+, lines? [\d to]+: label is 'maybe'; it must be one of faithful, unfaithful",
    ),
    "no column of labels": (
        lambda rows: [{k: v for k, v in row.items() if k != "label"} for row in rows],
        "has no column label; it has .*case_id",
    ),
    "no labels": (
        lambda rows: [row.update(label="") for row in rows] and rows,
        "the column 'label' has no label",
    ),
    "three labels": (
        lambda rows: [row.update(label="") for row in rows[9:]] and rows,
        r"\d labelled answers are too few for an interval that holds; label at least 30",
    ),
    "an annotator who disagrees with himself": (
        lambda rows: [*rows, other(rows[0])],
        r"lines? .* and lines? .* are both of 'case-.*: decide for one",
    ),
    "a row that is missing": (
        lambda rows: rows[1:],
        "has 99 of the 100 answers that were drawn, and without all of them the rest is no random",
    ),
    "another answer": (
        lambda rows: rows[2].update(drawn=re.sub(r"\d+", "7", rows[2]["drawn"], count=1)),
        r"lines? [\d to]+: its answer is not in run. Name the run first",
    ),
    "another number of answers": (
        lambda rows: [{**row, "drawn": row["drawn"].replace(", 100", ", 99")} for row in rows],
        "has 100 of the 99 answers that were drawn",
    ),
    "what was drawn, changed": (
        lambda rows: rows[2].update(drawn=rows[2]["drawn"].replace(", 100", ", 99")),
        "was drawn with another sheet than line",
    ),
    "what was drawn, removed from a row": (
        lambda rows: rows[2].update(drawn=""),
        "drawn was changed; take it from the sheet as it was written",
    ),
    "what was drawn, removed": (
        lambda rows: [{k: v for k, v in row.items() if k != "drawn"} for row in rows],
        "has no column drawn. Draw one with the command `label`, or",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_sheet_is_refused_with_its_row_and_what_to_do(what, sheet, known, tmp_path):
    change, says = BROKEN[what]
    with pytest.raises(ConfigError, match=says):
        measure(edited(sheet, tmp_path, change), known.path)


def test_labels_of_one_class_give_the_share_and_say_why_there_is_no_more(known, tmp_path):
    sheet = labelled(sheet_of(known, tmp_path), known)
    fine = edited(sheet, tmp_path, lambda rows: [r.update(label="faithful") for r in rows] and rows)
    found = measure(fine, known.path)
    assert found.judges == []
    assert (found.share.value, found.share.low) == (0, 0)
    assert "all 100 labelled answers are faithful" in found.problem
    done = command("agreement", str(fine), str(known.path))
    assert done.returncode == 3
    assert "label more answers, or a run that has such answers" in done.stderr
    limit = f"{100 * (found.share.high or 0):.1f} %"
    assert f"at most {limit} of answers are unfaithful, by 100 labels" in done.stdout
    assert f"at least {100 - 100 * (found.share.high or 0):.1f} % are faithful" in done.stdout


# ---------------------------------------------------------------- the run


def test_a_run_that_is_not_the_one_that_was_labelled_is_refused(known, tmp_path):
    sheet = labelled(sheet_of(known, tmp_path), known)

    def lenient(number: int, data: dict[str, Any]) -> None:
        if data["error"] is None:
            data["pass"], data["score"] = True, 1.0

    others = changed(known, lenient, tmp_path / "lenient")
    texts = known_run(tmp_path / "texts", cases=300, text="Other. ").path
    said = {others: "the judge of lenient says other things", texts: "its answer is not in run"}
    for path, what in said.items():
        with pytest.raises(ConfigError, match=rf"{what}.* Name the run first from"):
            measure(sheet, path)
    with pytest.raises(ConfigError, match=r"has other texts in run \(2\) than in the run"):
        measure(sheet, known.path, texts)
    found = measure(sheet, known.path, others)
    assert found.judges[1].answers.figures["recall"].value == 0
    assert found.share == measure(sheet, known.path).share
    with pytest.raises(ConfigError, match="name the run from which it was drawn"):
        measure(sheet)


def test_labels_stay_usable_when_the_run_grows_and_speak_of_what_was_drawn_from(tmp_path):
    whole, path = known_run(tmp_path / "whole", cases=400), tmp_path / "run"
    lines = list(lines_of(whole.path))
    failed = line_of(3, whole.records[2], not_graded())
    first = [*lines[:2], failed, *lines[3:200]]
    write_run(path, first, rows=map(row_of, range(1, 401), whole.records))
    done = command("label", str(path), "-o", str(tmp_path / "sheet.csv"), "--n", "60")
    assert "the run is not finished: it has results for 200 of 400 cases" in done.stderr
    sheet = labelled(tmp_path / "sheet.csv", whole)
    before = measure(sheet, path)
    with writing(path) as store, store.transaction():
        store.retry_errors()
        for line in [lines[2], *lines[200:]]:
            store.add(line)
    after = measure(sheet, path)
    assert after == before
    assert (sum(after.run), after.left_out) == (199, 1)
    with pytest.raises(ConfigError, match=r"has 59 of the 60 .* Put them back"):
        measure(edited(sheet, tmp_path, lambda rows: rows[1:]), path)


def test_labels_of_a_random_sample_count_by_the_judges_verdicts_all_the_same(
    known, sheet, tmp_path
):
    ids = random.Random(3).sample(sorted(known.truth), 100)
    rows = [{"id": id, "label": "faithful" if all(known.truth[id]) else "unfaithful"} for id in ids]
    table = write_rows(tmp_path / "labels.csv", rows)
    found = measure(table, known.path, random=True)
    counts = found.judges[0].answers.counts
    others, flagged = found.run
    assert found.share == unfaithful_rate(
        [True] * counts[4] + [False] * counts[1] + [True] * counts[3] + [False] * counts[0],
        [True] * (counts[4] + counts[1]) + [False] * (counts[3] + counts[0]),
        n_flagged=flagged,
        n_unflagged=others,
    )
    for row, says in (
        ({"id": "nobody", "label": "faithful"}, "the id 'nobody' is not in run, or was not graded"),
        ({"id": "", "label": "faithful"}, "has no case_id or id; it has "),
    ):
        with pytest.raises(ConfigError, match=rf"line 102: {says}"):
            measure(write_rows(tmp_path / "more.csv", [*rows, row]), known.path, random=True)
    with pytest.raises(ConfigError, match="so it is not read as a random sample"):
        measure(sheet, known.path, random=True)
