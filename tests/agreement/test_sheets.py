"""A sheet shows texts and hides verdicts, is drawn as it says, and can be saved by any spreadsheet."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from command import run as command
from hypothesis import given
from hypothesis import strategies as st
from labelled_runs import Known, known_run, rows_of

from faithfulness_assert import ConfigError
from faithfulness_assert.agreement import write_sheet
from faithfulness_assert.agreement.design import unsealed
from faithfulness_assert.agreement.drawing import count, draw, split, widths
from faithfulness_assert.agreement.judged import open_run


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    return known_run(tmp_path_factory.mktemp("known"), cases=600, errors=7)


def sheet_of(run: Known, folder: Path, name: str = "sheet.csv", **options: Any) -> Path:
    options = {"n": 100, "data": run.data, **options}
    return write_sheet(run.path, folder / name, **options).path


# ---------------------------------------------------------------- the draw


@given(st.integers(30, 400), st.integers(0, 3000), st.integers(0, 3000))
def test_flagged_answers_are_drawn_at_two_and_a_quarter_times_the_rate_and_at_least_five(
    n: int, flagged: int, others: int
) -> None:
    if flagged + others < 30:
        return
    one, two = split(n, flagged, others)
    assert one <= flagged
    assert two <= others
    assert one + two == min(n, flagged + others)
    assert one >= min(5, flagged)
    if 5 < one < flagged and 0 < two < others:
        assert one / flagged == pytest.approx(2.25 * two / others, abs=2 / flagged + 3 / others)


def test_the_sheet_has_its_design_and_each_answer_once(known: Known, tmp_path: Path) -> None:
    rows = rows_of(sheet_of(known, tmp_path))
    told = [unsealed(row["design"]) for row in rows]
    (design,) = {design for design, _ in told}
    assert [place.place for _, place in told] == list(range(1, 101))
    flagged = Counter(place.answer.flagged for _, place in told)
    assert (flagged[False], flagged[True]) == (design.others.drawn, design.flagged.drawn)
    assert design.others.answers + design.flagged.answers == 600
    assert (design.left_out, design.judge, design.policy, design.seed) == (7, "fake", "default", 1)
    assert len({row["case_id"] for row in rows}) == 100


def test_the_same_seed_draws_the_same_whatever_the_order_of_the_results(
    known: Known, tmp_path: Path
) -> None:
    results = known.path / "results.jsonl"
    lines = results.read_text("utf-8").splitlines(keepends=True)
    other = tmp_path / "shuffled.jsonl"
    other.write_text("".join(reversed(lines)), encoding="utf-8")
    one, two = (draw(open_run(path), 100, seed=1) for path in (results, other))
    assert [a.id for a in one.answers] == [a.id for a in two.answers]
    assert one.design.run == two.design.run
    another = draw(open_run(results), 100, seed=2)
    assert {a.id for a in another.answers} != {a.id for a in one.answers}
    larger = {a.id for a in draw(open_run(results), 200, seed=1).answers}
    assert {a.id for a in one.answers} <= larger


def test_each_answer_of_a_stratum_is_drawn_as_often_as_another(known: Known) -> None:
    times: Counter[str] = Counter()
    run = open_run(known.path)
    answers = [answer for answer in run.answers() if answer]
    run = run._replace(answers=lambda: iter(answers))
    for seed in range(120):
        times.update(a.id for a in draw(run, 100, seed=seed).answers if not a.flagged)
    others = [a.id for a in answers if not a.flagged]
    rate = sum(times.values()) / len(others) / 120
    expected = 120 * rate * (1 - rate)
    spread = sum((times[id] - 120 * rate) ** 2 for id in others) / len(others)
    assert 0.75 * expected < spread < 1.3 * expected


def test_without_a_number_it_says_what_each_buys_and_writes_nothing(
    known: Known, tmp_path: Path
) -> None:
    done = command("label", str(known.path), "-o", str(tmp_path / "s.csv"))
    assert done.returncode == 0
    assert re.search(r"^100 +\d+ +\d+ +± \d\.\d +± \d\.\d", done.stdout, re.MULTILINE)
    assert "Nothing was written" in done.stdout
    assert not (tmp_path / "s.csv").exists()
    bought = list(widths(count(open_run(known.path))))
    assert [w.labels for w in bought] == [30, 50, 100, 200, 400, 600]
    assert [w.poor for w in bought] == sorted((w.poor for w in bought), reverse=True)


# ---------------------------------------------------------------- what is shown


@pytest.mark.parametrize("name", ["sheet.csv", "sheet.jsonl"])
@pytest.mark.parametrize("per_statement", [False, True])
def test_no_word_tells_what_the_judge_said(
    known: Known, tmp_path: Path, name: str, per_statement: bool
) -> None:
    rows = rows_of(sheet_of(known, tmp_path, name, per_statement=per_statement))
    flagged, passed = [], []
    for row in rows:
        place = unsealed(row.pop("design"))[1]
        assert row.pop("label") == ""
        row.pop("how_to_label")
        shape = re.sub(r"\d+", "#", json.dumps(row, sort_keys=True))
        (flagged if place.answer.flagged else passed).append(shape)
    assert set(flagged) == set(passed)  # equal but for the numbers in our texts


def test_the_sheet_says_what_supported_means_and_what_labels_there_are(
    known: Known, tmp_path: Path
) -> None:
    first, *others = rows_of(sheet_of(known, tmp_path, "s.jsonl", per_statement=True))
    told = first["how_to_label"]
    assert "knows nothing but the context" in told
    for label in ("supported", "partially_supported", "not_enough_info", "contradicted"):
        assert label in told
    assert all(row["how_to_label"] == "" for row in others)


def test_texts_are_never_formulas_and_are_whole_in_json_lines(tmp_path: Path) -> None:
    hostile = '=cmd|"/c calc"!A1 \x1b[31m\u202e -2+3 @SUM(1)\t=1;=2 '
    run = known_run(tmp_path / "hostile", cases=40, text=hostile)
    csv_rows = rows_of(sheet_of(run, tmp_path, n=40))
    for row in csv_rows:
        for cell in row.values():
            assert not re.match(r"[=+\-@\t]", cell)
            assert not re.search(r"[;\t\n]\s*[=@]", cell)
    (answer,) = [r["answer"] for r in run.records if r["id"] == csv_rows[0]["case_id"]]
    whole = {r["case_id"]: r["answer"] for r in rows_of(sheet_of(run, tmp_path, "s.jsonl", n=40))}
    assert whole[csv_rows[0]["case_id"]] == answer


def test_a_text_that_no_cell_can_hold_is_cut_and_said(tmp_path: Path) -> None:
    run = known_run(tmp_path / "long", cases=30, text="long " * 8000)
    written = write_sheet(run.path, tmp_path / "s.csv", n=30, data=run.data)
    assert "60 cells are longer than Excel takes" in written.notes[0]
    assert all(len(cell) < 32_767 for row in rows_of(written.path) for cell in row.values())


# ---------------------------------------------------------------- bad input


def test_the_design_is_sealed(known: Known, tmp_path: Path) -> None:
    cell = rows_of(sheet_of(known, tmp_path))[0]["design"]
    data = base64.urlsafe_b64decode(cell)
    edited = base64.urlsafe_b64encode(data.replace(b'"fails":false', b'"fails":true ')).decode()
    for wrong in (edited, cell[:-1], cell + "A", "", "é", "e" * 3_000_000, cell[4:]):
        with pytest.raises(ConfigError, match="was changed; take it from the sheet"):
            unsealed(wrong)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"n": 29}, "n: must be from 30 to 10,000, got 29"),
        ({"n": True}, "n: must be"),
        ({"seed": -1}, "seed: must be a whole number"),
        ({"data": None}, "results have no answers and contexts.*data='FILE'"),
        ({"name": "sheet.txt"}, "must end in .csv or .jsonl"),
        ({"name": "no/sheet.csv"}, "there is no folder"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    known: Known, tmp_path: Path, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        sheet_of(known, tmp_path, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_sheet_that_may_have_labels_is_never_overwritten(known: Known, tmp_path: Path) -> None:
    sheet = sheet_of(known, tmp_path)
    before = sheet.read_bytes()
    with pytest.raises(ConfigError, match="exists, and may have labels"):
        sheet_of(known, tmp_path)
    assert sheet.read_bytes() == before


def test_other_data_than_were_graded_are_refused(known: Known, tmp_path: Path) -> None:
    other = known_run(tmp_path / "other", cases=600, text="Other. ")
    with pytest.raises(ConfigError, match="lacks 100 answers with the texts that were graded"):
        sheet_of(known, tmp_path, data=other.data)


def test_a_run_with_too_few_graded_answers_is_refused(tmp_path: Path) -> None:
    few = known_run(tmp_path / "few", cases=20, errors=200)
    with pytest.raises(ConfigError, match="20 graded answers are too few"):
        sheet_of(few, tmp_path)
