"""Two runs: what changed, whether the second one is worse, and nothing hostile in a comment."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from command import here
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from strategies import examples

from faithfulness_assert import ConfigError, GradingResult, Verdict, grade
from faithfulness_assert.batch.comparison import compare
from faithfulness_assert.batch.comparison_views import as_markdown, as_text, code, rows_of
from faithfulness_assert.batch.paired_tests import (
    FALSE_ALARMS,
    Pair,
    PairCounts,
    PairedTests,
    mcnemar,
    p_value,
)
from faithfulness_assert.batch.rows import Line
from faithfulness_assert.batch.run_description import names_of
from faithfulness_assert.batch.summary import Summary
from faithfulness_assert.records.model import GraderError

GRADED = grade("It rains.", "It rains.")
HOSTILE = (
    "<img src=x onerror=alert(1)> @team #12 | `a` [x](javascript:1) ![p](//t) \u202e ~~ \x1b[31m"
)


def result(score: float, **changes: Any) -> GradingResult:
    return replace(GRADED, score=score, pass_=score >= 0.8, **changes)


def failed() -> GradingResult:
    error = GraderError("server", "down")
    nothing = {"pass_": False, "defined": False, "status": "judge_failed", "error": error}
    return replace(GRADED, score=0.0, **nothing)


def run_of(results: dict[str, GradingResult]) -> Callable[[], Iterator[Line]]:
    return lambda: (
        Line(id, number, "same", {}, result)
        for number, (id, result) in enumerate(results.items(), 1)
    )


def scored(scores: list[float]) -> Callable[[], Iterator[Line]]:
    return run_of({str(number): result(score) for number, score in enumerate(scores)})


# ---------------------------------------------------------------- the tests


def test_mcnemar_is_the_binomial_test_of_the_changed_cases() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(8, 0) == 2**-8
    assert mcnemar(3, 1) == (4 + 1) / 16
    assert mcnemar(1100, 1000) == pytest.approx(0.0153, abs=0.0005)  # scipy's binomtest: 0.01532
    assert mcnemar(1049, 950) == pytest.approx(mcnemar(1050, 951), rel=0.02)


@examples(30)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9))
def test_the_sign_flips_agree_with_counting_all_of_them(tenths: list[int]) -> None:
    sums = [0]
    for size in tenths:
        sums = [total + sign * size for total in sums for sign in (1, -1)]
    exact = sum(total <= sum(tenths) for total in sums) / len(sums)
    pairs = [Pair(True, True, 0.5, 0.5 + size / 10) for size in tenths]
    p = PairCounts(pairs).tests().scores
    assert p == pytest.approx(exact, abs=max(0.02, 0.35 * exact)) or sum(tenths) >= 0
    assert (p == 1.0) == (sum(tenths) >= 0)


@examples(50)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40),
    st.randoms(use_true_random=False),
)
def test_the_order_of_the_cases_does_not_matter_and_no_better_run_is_worse(
    scores: list[tuple[float, float]], chance: random.Random
) -> None:
    pairs = [Pair(a >= 0.8, b >= 0.8, a, b) for a, b in scores]
    tests = PairCounts(pairs).tests()
    chance.shuffle(pairs)
    assert PairCounts(pairs).tests() == tests
    better = [Pair(a >= 0.8, max(a, b) >= 0.8, a, max(a, b)) for a, b in scores]
    assert PairCounts(better).tests().worse is False


def test_a_repetition_is_called_worse_in_at_most_1_of_100_comparisons() -> None:
    chance, alarms = random.Random(3), 0
    for _ in range(400):
        pairs = []
        for _ in range(60):
            a, b = (chance.choice([0.6, 0.8, 1.0]) for _ in range(2))
            pairs.append(Pair(a >= 0.8, b >= 0.8, a, b))
        alarms += PairCounts(pairs).tests().worse
    assert alarms / 400 <= FALSE_ALARMS + 0.01


def test_what_a_comparison_says_it_finds_for_sure_is_found() -> None:
    """Whether whole answers get lost, or single statements."""
    chance = random.Random(4)

    def compared(cases: int, whole: float = 0.0, single: float = 0.0) -> PairCounts:
        def pair() -> Pair:
            a, b = (
                sum(chance.random() < share for _ in range(5)) / 5 for share in (0.9, 0.9 - single)
            )
            b *= chance.random() >= whole / 0.9
            return Pair(a >= 0.8, b >= 0.8, a, b)

        return PairCounts(pair() for _ in range(cases))

    for cases, most in ((60, 0.3), (400, 0.1)):
        loss = compared(cases).sure_loss()
        assert loss is not None
        assert loss <= most
        for kind in ({"whole": loss}, {"single": loss}):
            found = sum(compared(cases, **kind).tests().worse for _ in range(60))
            assert found >= 0.8 * 60
    assert PairCounts([Pair(True, True, 1.0, 1.0)] * 7).sure_loss() is None
    assert PairCounts([Pair(True, False, None, None)]).sure_loss() is None


def test_either_test_at_half_the_level_decides() -> None:
    assert not PairedTests(0.006, 0.006).worse
    assert PairedTests(0.004, 1.0).worse
    assert PairedTests(1.0, 0.004).worse


# ---------------------------------------------------------------- what changed


def test_every_case_counts_once_by_how_it_changed() -> None:
    before = {
        "same": result(1.0),
        "worse": result(1.0),
        "better": result(0.0),
        "lower": result(1.0),
        "silent": result(0.0),
        "lost": result(1.0),
        "gone": result(1.0),
    }
    silent = replace(result(0.0), status="abstained", defined=False)
    after = {
        **before,
        "worse": result(0.5),
        "better": result(1.0),
        "lower": result(0.9),
        "silent": silent,
        "lost": failed(),
        "new": result(1.0),
    }
    del after["gone"]
    compared = compare(run_of(before), run_of(after))
    assert compared.kinds == {"regressed": 1, "improved": 1, "status": 2, "score": 1}
    assert compared.compared == 5
    assert [run.passed for run in compared.summaries] == [5, 4]
    assert [run.not_graded for run in compared.summaries] == [0, 1]
    assert compared.only == [1, 1]
    assert [change.case_id for change in compared.shown][:2] == ["worse", "better"]
    told = as_text(compared)
    assert not compared.comparable  # one of 8 could not be graded
    assert "1 cases that A graded could not be graded in B" in told
    assert "1 cases of A are missing in B" in told


def test_a_run_that_passes_less_or_scores_less_is_worse() -> None:
    assert compare(scored([1.0] * 8), scored([0.5] * 8)).worse
    assert compare(scored([1.0] * 30), scored([0.9] * 30)).worse  # every case still passes
    assert not compare(scored([1.0] * 30), scored([1.0] * 29 + [0.0])).worse
    assert not compare(scored([0.5] * 30), scored([1.0] * 30)).worse
    silent = replace(result(0.0), status="abstained", defined=False)  # it says nothing any more
    assert compare(scored([1.0] * 20), run_of({str(n): silent for n in range(20)})).worse


def test_the_statements_whose_label_changed_are_shown() -> None:
    def of(*labels: Any) -> GradingResult:
        verdicts = tuple(Verdict(n, f"Statement {n}.", label) for n, label in enumerate(labels))
        return result(1.0 if labels[0] == "supported" else 0.0, verdicts=verdicts)

    before = {"a": of("supported", "supported", None), "b": of("supported")}
    after = {"a": of("contradicted", "supported", "supported"), "b": of("supported")}
    change = compare(run_of(before), run_of(after)).shown[0]
    assert [tuple(flip) for flip in change.flips] == [
        ("Statement 0.", "supported", "contradicted"),
        ("Statement 2.", None, "supported"),
    ]
    told = as_text(compare(run_of(before), run_of(after)))
    assert "supported -> contradicted: Statement 0." in told


def test_runs_that_were_graded_differently_say_so_and_other_cases_are_refused() -> None:
    before, after = run_of({"a": result(1.0)}), run_of({"a": result(1.0, threshold=0.5)})
    assert "not graded in the same way" in as_text(compare(before, after))
    assert "not graded" not in as_text(compare(before, before)).replace("be graded", "")
    with pytest.raises(ConfigError, match="no case with the same id"):
        compare(before, run_of({"b": result(1.0)}))


# ---------------------------------------------------------------- runs that were hardly graded


def partly(graded: int, errors: int, score: float = 1.0) -> dict[str, GradingResult]:
    """So many graded cases, and behind them cases that could not be graded."""
    results = [result(score)] * graded + [failed()] * errors
    return {str(number): one for number, one in enumerate(results)}


@pytest.mark.parametrize(
    ("before", "after", "min_graded", "comparable"),
    [
        (partly(60, 0), partly(5, 55), 0.95, False),
        (partly(60, 0), partly(0, 60), 0.0, False),  # without any, nothing can be said
        (partly(60, 0), {}, 0.95, False),
        (partly(60, 0), partly(30, 0), 0.95, False),  # it stopped early
        (partly(60, 0), partly(30, 0), 0.5, True),  # and was meant to
        (partly(5, 55), partly(60, 0), 0.95, False),  # nothing to hold it against
        (partly(100, 0), partly(94, 6), 0.95, False),
        (partly(100, 0), partly(94, 6), 0.9, True),
        (partly(1000, 0), partly(993, 7), 0.95, True),
        (partly(1000, 0), partly(992, 8), 0.95, False),  # more than chance explains
        (partly(980, 20), partly(975, 25), 0.95, True),
        (partly(10, 0), partly(600, 0), 0.95, True),  # the data set has grown
        (partly(10, 0), partly(500, 100), 0.95, False),
    ],
)
def test_a_run_that_was_hardly_graded_is_not_comparable(
    before: dict[str, GradingResult],
    after: dict[str, GradingResult],
    min_graded: float,
    comparable: bool,
) -> None:
    found = compare(run_of(before), run_of(after), min_graded=min_graded)
    assert found.comparable is comparable
    assert found.worse is False
    for told in (as_text(found), as_markdown(found)):
        assert ("is not comparable with" in told) is not comparable
        assert ("is not worse than" in told) is comparable
        assert ("p = 1 for passes" in told) is comparable


def test_a_comparison_shows_the_numbers_of_each_run_as_batch_does() -> None:
    silent = replace(result(0.0), status="abstained", defined=False)
    before = {**partly(20, 0), "a": silent, "b": result(0.5)}
    after = {**partly(20, 0), "a": silent, "b": silent}
    found = compare(run_of(before), run_of(after), names=("june", "july"))
    rows = {name: values for name, *values in rows_of(found)}
    for place, results in enumerate((before, after)):
        summary = Summary()
        for one in results.values():
            summary.add(one)
        assert rows["mean score"][place] == f"{summary.mean:.3f}"
        assert rows["passed"][place] == str(summary.passed)
    assert rows["mean score"] == ["0.976", "1.000"]
    assert found.worse is False
    assert as_text(found).splitlines()[2].split() == ["june", "july"]


def test_the_chance_of_a_loss_is_never_said_to_be_none() -> None:
    told = [p_value(p) for p in (0.0, 1e-30, 0.00009, 0.0001, 0.0312, 0.5, 1.0)]
    small, *larger = ["p < 0.0001"], "p = 0.0001", "p = 0.0312", "p = 0.5", "p = 1"
    assert told == [*small * 3, *larger]
    lost = as_text(compare(scored([1.0] * 500), scored([0.0] * 500)))
    assert "p < 0.0001 for passes" in lost
    assert "0.0000" not in lost


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ("runs/june", "runs/july/", ("june", "july")),
        ("baseline.jsonl", "new", ("baseline", "new")),
        ("a/results.jsonl", "b/results.jsonl", ("a/results.jsonl", "b/results.jsonl")),
        ("runs/v1.2", "runs/v1.3", ("v1.2", "v1.3")),
        ("june", "june.jsonl", ("june", "june.jsonl")),
        ("june", "june", ("A", "B")),
    ],
)
def test_runs_are_called_by_their_names(before: str, after: str, names: tuple[str, str]) -> None:
    assert names_of(before, after) == names


# ---------------------------------------------------------------- Markdown


MARKDOWN = MarkdownIt("gfm-like", {"linkify": False})


@examples(150)
@given(st.text(max_size=60) | st.just(HOSTILE))
def test_no_text_can_be_markup_in_markdown(text: str) -> None:
    shown = code(text)
    assert all(sign.isalnum() or sign in " &#;" for sign in shown[6:-7])
    page = MARKDOWN.render(f"- a: {shown}\n\n| x |\n|---|\n| {shown} |\n")
    inner = page.split("<code>")[1].split("</code>")[0]
    assert "<" not in inner
    assert page.count("<code>") == page.count("</code>") == 2
    assert "\x1b" not in unescape(shown)


def hostile_runs(cases: int) -> tuple[Callable[[], Iterator[Line]], ...]:
    def of(label: Any, score: float) -> dict[str, GradingResult]:
        verdicts = tuple(Verdict(n, f"{n} {HOSTILE}", label) for n in range(8))
        named = {"judge": HOSTILE, "policy": f"{HOSTILE}{score}", "verdicts": verdicts}
        return {f"{HOSTILE}{n}": result(score, **named) for n in range(cases)}

    return run_of(of("supported", 1.0)), run_of(of("contradicted", 0.0))


def test_a_comment_shows_hostile_texts_as_text_and_fits_into_github() -> None:
    told = as_markdown(compare(*hostile_runs(300), shown=300))
    assert len(told.encode()) < 65_536
    assert "more changed cases" in told
    compared = compare(*hostile_runs(9), names=(HOSTILE, f"{HOSTILE}2"))
    told += as_markdown(compared)
    for sign in ("<img", "@team", " #12", "](", "![", "~~", "\x1b", "\u202e"):
        assert sign not in told
    assert told.startswith("### Faithfulness: <code>B</code> is worse than <code>A</code>\n")


# ---------------------------------------------------------------- the command


def write(path: Path, lines: Callable[[], Iterator[Line]]) -> str:
    path.write_text("".join(f"{line.to_json()}\n" for line in lines()), encoding="utf-8")
    return str(path)


def test_the_exit_code_says_whether_b_is_worse(tmp_path: Path) -> None:
    good = write(tmp_path / "a.jsonl", scored([1.0] * 9))
    bad = write(tmp_path / "b.jsonl", scored([0.0] * 9))
    worse = here("compare", good, bad)
    assert (worse.returncode, "b is worse than a\n" in worse.stdout) == (1, True), worse.stderr
    assert here("compare", bad, good).returncode == 0
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "results.jsonl").write_bytes((tmp_path / "b.jsonl").read_bytes())
    told = here("compare", good, tmp_path / "run", "--markdown")
    assert told.returncode == 1
    assert told.stdout.startswith("### Faithfulness: <code>run</code> is worse than <code>a</code>")


def test_what_is_no_run_is_wrong_use(tmp_path: Path) -> None:
    good = write(tmp_path / "a.jsonl", scored([1.0]))
    cut = Path(write(tmp_path / "cut.jsonl", scored([1.0, 0.5])))
    cut.write_bytes(cut.read_bytes()[:-9])
    (tmp_path / "empty").mkdir()
    for other, said in (
        ("missing.jsonl", "cannot be read"),
        ("cut.jsonl", "line 2: not results of a run; name its directory"),
        ("empty", "it has no results.jsonl"),
    ):
        done = here("compare", good, tmp_path / other)
        assert done.returncode == 2
        assert other in done.stderr
        assert said in " ".join(done.stderr.split())
