"""Judges beside people, from the run to the page: figures, several runs, and what is shown."""

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from command import here as command
from labelled_runs import Known, changed, known_run, labelled

from faithfulness_assert.agreement import measure, write_sheet

HOSTILE = '<img src=x onerror="alert(1)"></script>{{ 7*7 }}\x1b[31m@team '


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    return known_run(tmp_path_factory.mktemp("known"), cases=500, errors=3)


@pytest.fixture(scope="module")
def sheet(known: Known) -> Path:
    path = known.folder / "sheet.csv"
    return labelled(write_sheet(known.path, path, n=150).path, known, second=True)


def blind(number: int, data: dict[str, Any]) -> None:
    """A judge that finds every second fault of the first one."""
    if number % 2 and data["error"] is None:
        data["pass"], data["score"] = True, 1.0


def test_the_figures_of_a_known_run_are_shares_of_it_and_contain_the_truth(known, sheet):
    found = measure(sheet, known.path)
    assert found == measure(sheet, known.path)
    assert found.share.low <= known.unfaithful() <= found.share.high
    assert found.left_out == 3
    level = found.judges[0].answers
    assert level.figures["recall"].low <= 0.8 <= level.figures["recall"].high
    assert level.figures["specificity"].low <= 0.95 <= level.figures["specificity"].high
    passed, flagged = found.run
    assert level.shares[0] + level.shares[3] == pytest.approx(passed / (passed + flagged))
    assert sum(level.counts[1::3]) / sum(level.counts) > 1.5 * flagged / (passed + flagged)


def test_what_was_missed_comes_first_with_its_texts(known, sheet):
    items = measure(sheet, known.path).judges[0].disagreements
    missed = [item.passes for item in items]
    assert set(missed) == {True, False}
    assert missed == sorted(missed, reverse=True)
    assert all(item.texts["answer"].startswith("Statement 0 of") for item in items)


def test_a_second_person_is_the_ceiling(known, sheet):
    found = measure(sheet, known.path)
    assert found.annotators == ("label", "label_2")
    assert found.ceiling.counts[0] + found.ceiling.counts[4] == 135  # one in ten differs


def test_what_the_policy_decides_alone_is_told_apart_and_is_no_error_of_the_judge(known, tmp_path):
    def silent(number: int, data: dict[str, Any]) -> None:
        if number % 5 == 0 and data["error"] is None:
            data["pass"], data["score"], data["defined"] = False, None, False
            data["status"], data["verdicts"] = "abstained", []

    run = changed(known, silent, tmp_path / "silent")
    written = write_sheet(run, tmp_path / "sheet.jsonl", n=200)
    sheet, page = labelled(written.path, known), tmp_path / "page.html"
    found = measure(sheet, run)
    level, ids = found.judges[0].answers, {item.id for item in found.decided}
    assert found.by_policy == (0, 100)
    assert {item.status for item in found.decided} == {"abstained"}
    assert 200 - sum(level.counts) == len(ids) > 50
    assert not ids & {item.id for item in found.judges[0].disagreements}
    assert (level.figures["specificity"].low or 0) > 0.85  # without them: 0.95 in truth
    misses, hits = level.shares[3:5]
    assert hits / (misses + hits) == pytest.approx(level.figures["recall"].value)
    told = command("agreement", str(sheet), str(run), "--report", str(page)).stdout
    assert "100 answers were decided by the policy, not by the judge: 100 fail and 0 pass" in told
    for text in (told, page.read_text("utf-8")):
        assert "Decided by the policy, not by a judge" in text
        assert "abstained" in text


def test_of_several_judges_the_one_that_finds_more_is_better(known, sheet, tmp_path):
    runs = [changed(known, blind, tmp_path / name) for name in ("one", "two")]
    (pair,) = measure(sheet, known.path, runs[0]).pairs
    assert (pair.first, pair.second, pair.better) == ("run", "one", "run")
    assert pair.balanced_accuracy.high < 0
    assert pair.p == pair.adjusted < 0.05
    found = measure(sheet, known.path, *runs)
    names = [(pair.first, pair.second) for pair in found.pairs]
    assert names == [("run", "one"), ("run", "two"), ("one", "two")]
    assert found.pairs[0].adjusted == pytest.approx(min(1.0, 3 * pair.p))
    assert found.pairs[2].p == 1
    assert found.share == measure(sheet, known.path).share  # it is about answers, not a judge


def test_each_form_has_the_figures_and_no_markup_of_others(tmp_path):
    run = known_run(tmp_path / "hostile", cases=200, wrong=0.3, text=HOSTILE)
    sheet = labelled(write_sheet(run.path, tmp_path / "s.jsonl", n=80).path, run)
    page = tmp_path / "page.html"
    asked = ("agreement", str(sheet), str(run.path))
    told = json.loads(command(*asked, "--json").stdout)
    share, figures = told["share"], told["judges"][0]["answers"]["figures"]
    assert set(figures) >= {"kappa", "ac1", "recall", "precision"}
    plain = command(*asked, "--report", str(page)).stdout
    written = page.read_text("utf-8")
    for text in (plain, written):
        assert f"{100 * share['value']:.1f} % ({100 * share['low']:.1f} to" in text
        for name in ("recall", "precision"):
            assert f"{figures[name]['low']:.1%} to {figures[name]['high']:.1%}" in text
        assert "\x1b" not in text
    assert "<img" not in written
    assert html.escape("<img src=x", quote=False) in written
    assert "{{ 7*7 }}" in written
    assert "script-src &#39;none&#39;" in written
    assert not re.search(r"<script|<link|<iframe| on\w+=\"|(?:src|href)=\"(?!#)", written)
