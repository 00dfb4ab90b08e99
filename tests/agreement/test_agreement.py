"""Judges beside people, from the run to the page: figures, several runs, and what is kept."""

from __future__ import annotations

import html
import json
import re
import stat
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from command import run as command
from labelled_runs import Known, changed, known_run, labelled, rows_of, write_rows

from faithfulness_assert import ConfigError
from faithfulness_assert.agreement import measure, write_sheet
from faithfulness_assert.agreement.kept import keep, kept, line_of
from faithfulness_assert.report.agreement_page import write_agreement_page

HOSTILE = '<img src=x onerror="alert(1)"></script>{{ 7*7 }}\x1b[31m@team '


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    return known_run(tmp_path_factory.mktemp("known"), cases=500, errors=3)


@pytest.fixture(scope="module")
def sheet(known: Known) -> Path:
    path = known.folder / "sheet.csv"
    return labelled(write_sheet(known.path, path, n=150, data=known.data).path, known, second=True)


@pytest.fixture(scope="module")
def statements(known: Known) -> Path:
    path = known.folder / "statements.jsonl"
    written = write_sheet(known.path, path, n=150, data=known.data, per_statement=True)
    return labelled(written.path, known)


def blind(number: int, data: dict[str, Any]) -> None:
    """A judge that finds every second fault of the first one."""
    if number % 2 and data["error"] is None:
        data["pass"], data["score"] = True, 1.0
        for verdict in data["verdicts"]:
            verdict["label"] = "supported"


# ---------------------------------------------------------------- figures


def test_the_intervals_of_a_known_run_contain_its_true_figures(
    known: Known, sheet: Path, statements: Path
) -> None:
    found = measure(sheet, known.path)
    assert found.share.low <= known.unfaithful() <= found.share.high
    figures = found.judges[0].answers.figures
    assert figures["recall"].low <= 0.8 <= figures["recall"].high
    assert figures["specificity"].low <= 0.95 <= figures["specificity"].high
    told = measure(statements, known.path)
    assert told.statements is not None
    assert told.statements.low <= known.wrong_statements() <= told.statements.high
    assert told.share == found.share  # the same answers, as all of their statements are labelled


def test_shares_are_those_of_the_run_and_not_of_the_sheet(known: Known, sheet: Path) -> None:
    level = measure(sheet, known.path).judges[0].answers
    passed, flagged = measure(sheet).sizes
    assert level.shares[0] + level.shares[2] == pytest.approx(passed / (passed + flagged))
    assert sum(level.counts[1::2]) / sum(level.counts) > 1.5 * flagged / (passed + flagged)


def test_the_sheet_alone_knows_what_its_judge_said(known: Known, sheet: Path) -> None:
    alone, with_run = measure(sheet), measure(sheet, known.path)
    assert alone.judges[0].answers == with_run.judges[0].answers
    assert [item.id for item in alone.judges[0].disagreements] == [
        item.id for item in with_run.judges[0].disagreements
    ]
    assert measure(sheet) == alone


def test_what_was_missed_comes_first_with_its_texts(known: Known, sheet: Path) -> None:
    items = measure(sheet).judges[0].disagreements
    missed = [item.missed for item in items]
    assert True in missed
    assert False in missed
    assert missed == sorted(missed, reverse=True)
    assert all(item.texts["answer"].startswith("Statement 0 of") for item in items)


def test_a_second_person_is_the_ceiling(sheet: Path) -> None:
    found = measure(sheet)
    assert found.annotators == ("label", "label_2")
    assert found.ceiling is not None
    assert found.ceiling.counts[0] + found.ceiling.counts[3] == 135  # one in ten differs


def test_statements_have_figures_of_each_label_of_the_judge(known: Known, statements: Path) -> None:
    level = measure(statements, known.path).judges[0].statements
    assert level is not None
    told = {part.label: part for part in level.by_label}
    assert set(told) == {"supported", "contradicted"}
    assert sum(part.labelled for part in told.values()) == level.labelled == 450
    assert told["supported"].right.value == pytest.approx(
        level.shares[0] / (level.shares[0] + level.shares[2])
    )


def test_what_a_judge_could_not_say_never_counts_as_supported(
    known: Known, statements: Path, tmp_path: Path
) -> None:
    def silent(number: int, data: dict[str, Any]) -> None:
        for verdict in data["verdicts"]:
            verdict["label"], verdict["unresolved"] = None, "missing"
        data["pass"], data["score"] = False, 0.0

    level = measure(statements, changed(known, silent, tmp_path / "silent")).judges[0].statements
    assert level is not None
    assert level.counts[0] == level.counts[2] == 0  # nothing passes


# ---------------------------------------------------------------- several runs


def test_of_two_judges_the_one_that_finds_more_is_better(
    known: Known, sheet: Path, tmp_path: Path
) -> None:
    worse = changed(known, blind, tmp_path / "blind")
    found = measure(sheet, known.path, worse)
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.better) == ("run", "blind", "run")
    assert pair.balanced_accuracy.high < 0
    assert pair.p == pair.adjusted < 0.05
    assert found.share == measure(sheet).share  # it is about the answers, not about a judge


def test_several_policies_are_corrected_for_each_other(
    known: Known, sheet: Path, tmp_path: Path
) -> None:
    runs = [changed(known, blind, tmp_path / name) for name in ("one", "two")]
    pairs = measure(sheet, known.path, *runs).pairs
    assert [(pair.first, pair.second) for pair in pairs] == [
        ("run", "one"),
        ("run", "two"),
        ("one", "two"),
    ]
    assert pairs[0].adjusted == pytest.approx(min(1.0, 3 * pairs[0].p))
    assert (pairs[2].p, pairs[2].better) == (1.0, "")


def test_answers_that_a_judge_could_not_grade_are_told(
    known: Known, sheet: Path, tmp_path: Path
) -> None:
    def down(number: int, data: dict[str, Any]) -> None:
        if number % 5 == 0:
            data["pass"], data["score"], data["defined"] = False, None, False
            data["status"], data["error"] = "judge_failed", {"kind": "server", "message": "down"}

    found = measure(sheet, changed(known, down, tmp_path / "down"))
    assert 10 < found.judges[0].left_out < 50
    assert any("could not grade" in warning for warning in found.warnings)


# ---------------------------------------------------------------- what is kept


def test_what_labels_say_is_kept_beside_the_run_and_shown_with_it(
    known: Known, sheet: Path, tmp_path: Path
) -> None:
    done = command("agreement", str(sheet), str(known.path))
    assert done.returncode == 0, done.stderr
    file = known.path / "labels.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "Statement" not in file.read_text("utf-8")
    line = measure(sheet).judges and line_of(known.path)
    assert re.fullmatch(
        r"\d+\.\d % \(\d+\.\d to \d+\.\d\) of answers are unfaithful, by 150 labels", line
    )
    assert done.stdout.startswith(line)
    other = changed(known, blind, tmp_path / "other")
    assert line in command("compare", str(known.path), str(other)).stdout
    command("report", str(known.path), "-o", str(tmp_path / "r.html"))
    assert line in (tmp_path / "r.html").read_text("utf-8")
    command("report", str(known.path), str(other), "-o", str(tmp_path / "two.html"))
    assert line in (tmp_path / "two.html").read_text("utf-8")


def test_labels_of_statements_are_kept_too(known: Known, statements: Path, tmp_path: Path) -> None:
    found = measure(statements, known.path)
    keep(found, known.path)
    told, why = kept(known.path)
    assert why == ""
    assert told is not None
    assert (told.share, told.statements) == (found.share, found.statements)


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"answers": [[0, 10**9, 5], [0, 5, 5]]},
        {"answers": [[0, 20, 100], [0, 5, 100]]},
        {"answers": [[True, 50, 100], [0, 50, 100]]},
        {"answers": [[-1, 50, 100], [0, 50, 100]]},
        {"answers": "many"},
        {"statements": [[100, 10, [[9, 3]]], [1, 1, []]]},
        {"statements": [[1e999, 10, []], [1, 1, []]]},
        {"run": None},
    ],
)
def test_a_damaged_or_foreign_file_is_told_and_not_used(
    known: Known, sheet: Path, tmp_path: Path, change: dict[str, Any]
) -> None:
    keep(measure(sheet, known.path), known.path)
    file = known.path / "labels.json"
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **change}))
    found, why = kept(known.path)
    assert found is None
    assert why.startswith("labels.json is ")


def test_nonsense_a_link_and_other_results_are_not_used(
    known: Known, sheet: Path, tmp_path: Path
) -> None:
    run = known_run(tmp_path / "run", cases=300)
    file = run.path / "labels.json"
    assert kept(run.path) == (None, "")
    for text in ("", "[" * 100_000, "[]", "\x00", '{"format": 1}', "9" * 10_000_001):
        file.write_text(text)
        assert "damaged" in kept(run.path)[1]
    file.unlink()
    file.symlink_to(known.path / "labels.json")
    assert "cannot be read" in kept(run.path)[1]
    file.unlink()
    keep(measure(sheet, known.path), run.path)
    assert "is of other results than these" in kept(run.path)[1]


def test_a_run_that_may_only_be_read_has_its_figures_all_the_same(
    known: Known, sheet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match="is not the directory of a run"):
        keep(measure(sheet, known.path), known.path / "results.jsonl")


# ---------------------------------------------------------------- shown


def test_json_has_all_figures_and_markdown_has_no_markup_of_others(
    tmp_path: Path,
) -> None:
    run = known_run(tmp_path / "hostile", cases=200, wrong=0.3, text=HOSTILE)
    sheet = labelled(write_sheet(run.path, tmp_path / "s.jsonl", n=80, data=run.data).path, run)
    done = command("agreement", str(sheet), "--json")
    assert done.stdout.isprintable() or done.stdout.endswith("\n")
    told = json.loads(done.stdout)
    assert set(told["judges"][0]["answers"]["figures"]) >= {"kappa", "ac1", "recall", "precision"}
    assert told["unfaithful_answers"]["low"] <= told["unfaithful_answers"]["value"]
    for form in ([], ["--markdown"]):
        shown = command("agreement", str(sheet), *form).stdout
        assert "\x1b" not in shown
        if form:
            assert "<img" not in shown
            assert "@team" not in shown


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str | None]]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, attrs))


def test_the_page_has_plots_and_texts_and_runs_nothing(tmp_path: Path) -> None:
    run = known_run(tmp_path / "hostile", cases=200, wrong=0.3, text=HOSTILE)
    sheet = tmp_path / "s.jsonl"
    write_sheet(run.path, sheet, n=80, data=run.data, per_statement=True)
    found = measure(labelled(sheet, run), run.path)
    page = write_agreement_page(found, tmp_path / "page.html").read_text("utf-8")
    parser = Tags()
    parser.feed(page)
    names = [tag for tag, _ in parser.found]
    assert names.count("svg") == 4  # answers, statements, reliability, thresholds
    assert not {"script", "img", "link", "iframe"} & set(names)
    assert not [name for _, attrs in parser.found for name, _ in attrs if name.startswith("on")]
    assert "script-src &#39;none&#39;" in page
    assert html.escape("<img src=x", quote=False) in page
    assert "{{ 7*7 }}" in page
    assert not re.search(r"(?:src|href)=\"(?!#)", page)


def test_all_figures_on_the_page_and_in_the_terminal_are_the_same(
    known: Known, sheet: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    done = command("agreement", str(sheet), "--report", str(page))
    assert done.returncode == 0
    text = page.read_text("utf-8")
    for figure in measure(sheet).judges[0].answers.figures.values():
        assert figure.value is not None
    for shown in re.findall(r"\d+\.\d% to \d+\.\d%", done.stdout):
        assert shown in text


def test_labels_and_results_of_many_answers_take_time_in_proportion(tmp_path: Path) -> None:
    import time

    run = known_run(tmp_path / "many", cases=3000)
    start = time.process_time()
    sheet = write_sheet(run.path, tmp_path / "s.csv", n=1000, data=run.data).path
    rows = rows_of(labelled(sheet, run))
    write_rows(sheet, rows)
    measure(sheet, run.path)
    assert time.process_time() - start < 60
