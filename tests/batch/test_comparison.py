"""Two runs: what changed, whether the second one is worse, and nothing hostile in a comment."""

import json
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
from faithfulness_assert.batch import run
from faithfulness_assert.batch.comparison import Comparison
from faithfulness_assert.batch.comparison_views import as_markdown, as_text, code
from faithfulness_assert.batch.rows import Line, same_cases
from faithfulness_assert.records.model import GraderError
from faithfulness_assert.report import write_report

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


# ---------------------------------------------------------------- what changed


def test_every_case_counts_once_by_how_it_changed():
    before = dict.fromkeys("same worse lower lost gone".split(), result(1.0))
    before |= {"better": result(0.0), "silent": result(0.0)}
    silent = replace(result(0.0), status="abstained", defined=False)
    after = {**before, "worse": result(0.5), "better": result(1.0), "lower": result(0.9)}
    after |= {"silent": silent, "lost": failed(), "new": result(1.0), "new and false": result(0.0)}
    del after["gone"]
    compared = Comparison(run_of(before), run_of(after))
    assert compared.kinds == {"regressed": 1, "new": 1, "improved": 1, "status": 2, "score": 1}
    assert compared.pairs.cases == 5
    assert [run.passed for run in compared.summaries] == [5, 4]
    assert [run.not_graded for run in compared.summaries] == [0, 1]
    assert compared.only == (1, 2)
    assert [change.case_id for change in compared.shown][:2] == ["worse", "new and false"]
    told = as_text(compared)
    assert not compared.comparable  # one of 8 could not be graded
    assert "1 case that A graded could not be graded in B" in told
    assert "1 case of A missing in B, or asked otherwise there: gone" in told


def test_a_case_that_is_not_there_is_not_told_of_as_one_that_could_not_be_graded():
    before = partly(4, 0)
    for after in (partly(3, 0), {**partly(3, 0), "renamed": result(1.0)}):
        told = as_text(Comparison(run_of(before), run_of(after)))
        assert "cases have a grade in B, at least 95% are needed" in told
        assert "1 case of A missing in B, or asked otherwise there: 3" in told


def test_a_run_may_be_compared_while_it_is_graded():
    grows = (run_of(dict.fromkeys(ids, result(0.5))) for ids in ("a", "ab", "abc"))
    compared = Comparison(run_of({"a": result(1.0)}), lambda: next(grows)())
    assert compared.summaries[1].cases == 1
    assert [change.case_id for change in compared.shown] == ["a"]


def test_rows_without_ids_are_matched_by_what_is_graded(tmp_path):
    texts = ["It rains.", "It snows.", "It hails.", "It rains.", "The sun shines."]
    cases = [{"answer": a, "context": "It rains and it hails."} for a in texts]
    fresh = {"answer": "It rains.", "context": "It rains, it snows and it hails."}
    changed = {**cases[1], "answer": "It is cold."}
    data = {"a": cases, "b": [fresh, *cases], "c": [cases[0], changed, *cases[2:]]}
    for name, rows in data.items():
        run(rows, tmp_path / name, judge="embedded", progress=False)

    def told(name: str) -> str:
        return here("compare", str(tmp_path / "a"), str(tmp_path / name), "--max-regressed", "0")

    moved = told("b")
    assert moved.returncode == 0
    assert "0 regressed, 0 improved, 0 with another status, 0 with another score" in moved.stdout
    assert "place" not in moved.stdout
    assert "1 case matched by place alone" in told("c").stdout
    report = write_report(tmp_path / "a", tmp_path / "r.html", other=tmp_path / "b")
    assert report.cases == 0
    keys = [[(str(n), n, t) for n, t in enumerate(texts, 1)] for texts in ("xxyz", "nxxwz")]
    assert same_cases(*keys) == ({"1": "", "2": "1", "3": "2", "4": "", "5": "4"}, 0)
    named = same_cases([("q", 1, "x-a"), ("r", 2, "y-b")], [("q", 1, "y-b"), ("r", 2, "z-b")])
    assert named == ({"q": "", "r": "r"}, 0)


@pytest.mark.parametrize("is_promptfoo", [False, True])
def test_a_case_with_another_question_in_the_same_place_is_another_case(tmp_path, is_promptfoo):
    texts = {"Parking?": "It costs 18 euros.", "Spa?": "The spa costs 9 euros.", "Bar?": "At 5."}
    for name, answers in (
        ("a", {"Parking?": "It is free.", "Spa?": texts["Spa?"]}),
        ("b", {"Spa?": "It is free.", "Bar?": texts["Bar?"]}),
    ):
        rows = [{"question": q, "answer": a, "context": texts[q]} for q, a in answers.items()]
        for place, row in enumerate(rows if is_promptfoo else ()):
            output = {"output": row.pop("answer")}
            rows[place] = {"vars": row, "response": output, "testIdx": place, "promptIdx": 0}
        run(rows, tmp_path / name, judge="embedded", progress=False)
    strict = ("--max-regressed", "0", "--min-graded", "0")
    told = here("compare", tmp_path / "a", tmp_path / "b", *strict)
    assert "b is worse than a: 1 regressed, 1 lost, 0 improved" in told.stdout
    assert "cases only here                       1              1" in told.stdout


@pytest.mark.parametrize("loss", ["answer", "context", "row"])
def test_a_case_that_was_graded_and_is_not_is_lost(tmp_path, loss):
    cases = [{"id": f"q{n}", "answer": "It rains.", "context": "It rains."} for n in range(40)]
    run(cases, tmp_path / "a", judge="embedded", progress=False)
    changed = [] if loss == "row" else [{**cases[0], loss: None}]
    run([*changed, *cases[1:]], tmp_path / "b", judge="embedded", progress=False)
    told = here("compare", tmp_path / "a", tmp_path / "b", "--max-regressed", "0")
    assert told.returncode == 1
    assert "b is worse than a: 0 regressed, 1 lost, 0 improved (--max-reg" in told.stdout


def test_results_without_texts_are_matched_by_number_and_it_is_said(tmp_path):
    for name in ("a", "b"):
        data = {"answer": "It rains.", "context": "It rains."}
        (tmp_path / "cases.json").write_text(json.dumps([data] * 3))
        shown = here("grade", str(tmp_path / "cases.json"), "--json").stdout
        (tmp_path / f"{name}.jsonl").write_text(shown)
    told = here("compare", str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")).stdout
    assert "3 cases matched by place alone" in told


def test_a_run_that_passes_less_or_scores_less_is_worse():
    assert Comparison(scored([1.0] * 8), scored([0.5] * 8)).worse
    assert "p < 0.0001 for passes" in as_text(Comparison(scored([1.0] * 500), scored([0.0] * 500)))
    assert Comparison(scored([1.0] * 30), scored([0.9] * 30)).worse  # every case still passes
    assert not Comparison(scored([1.0] * 30), scored([1.0] * 29 + [0.0])).worse
    assert not Comparison(scored([0.5] * 30), scored([1.0] * 30)).worse
    silent = replace(result(0.0), status="abstained", defined=False)  # it says nothing any more
    assert Comparison(scored([1.0] * 20), run_of({str(n): silent for n in range(20)})).worse


def test_the_statements_whose_label_changed_are_shown():
    def of(*labels: Any) -> GradingResult:
        verdicts = tuple(Verdict(n, f"Statement {n}.", label) for n, label in enumerate(labels))
        return result(1.0 if labels[0] == "supported" else 0.0, verdicts=verdicts)

    before = {"a": of("supported", "supported", None), "b": of("supported")}
    last = of("contradicted", "supported", "supported", "supported", "not_enough_info")
    after = {"a": last, "b": of("supported")}
    change = Comparison(run_of(before), run_of(after)).shown[0]
    assert [flip[:3] for flip in change.flips] == [
        ("Statement 0.", "supported", "contradicted"),
        ("Statement 2.", None, "supported"),
        ("Statement 4.", None, "not_enough_info"),
    ]
    told = as_text(Comparison(run_of(before), run_of(after)))
    assert "supported -> contradicted: Statement 0." in told
    assert "new -> not enough info: Statement 4." in told


def test_what_was_made_up_comes_before_what_only_declines_with_what_the_context_says():
    verdict = Verdict(1, "It snows.", "contradicted", says="rains")
    made_up = result(0.5, verdicts=(verdict,))
    declined = replace(failed(), status="abstained", error=None, score=None)
    same = {"same": result(1.0)}
    told = Comparison(run_of(same), run_of({**same, "a": declined, "b": made_up}))
    assert [change.case_id for change in told.shown] == ["b", "a"]
    assert "new -> contradicted: It snows. (the context says: rains)" in as_text(told)


def test_a_comparison_says_in_what_the_policies_of_two_runs_differ(tmp_path):
    cases = [{"id": f"q{n}", "answer": "It rains.", "context": "It rains."} for n in (10, 2, 1)]
    for name, endings in (("a", {}), ("b", {"abstained": "pass"})):
        run(cases, tmp_path / name, judge="embedded", progress=False, endings=endings)
    told = here("compare", str(tmp_path / "a"), str(tmp_path / "b")).stdout
    assert 'policy.endings.abstained: was "fail", is "pass"' in told
    assert "it was graded in another way" in told
    assert "another way" not in here("compare", str(tmp_path / "a"), str(tmp_path / "a")).stdout


def test_a_run_whose_judge_failed_its_controls_is_told_of():
    controls = {"asked": 6, "passed": 3, "failed": 3, "unanswered": 0}
    failing = {"a": result(1.0, metadata={"controls": controls})}
    told = as_text(Comparison(run_of({"a": result(1.0)}), run_of(failing)))
    assert "B is not worse than A; in B the judge failed 3 of 6 controls: do not trust" in told


def test_runs_that_were_graded_differently_say_so_and_other_cases_are_refused():
    before, after = run_of({"a": result(1.0)}), run_of({"a": result(1.0, threshold=0.5)})
    assert "not graded in the same way" in as_text(Comparison(before, after))
    assert "not graded" not in as_text(Comparison(before, before)).replace("be graded", "")
    head = "B is not comparable with A: it was graded"
    for other in (after, run_of({"a": result(1.0, judge="other")})):
        assert as_text(Comparison(before, other)).startswith(f"{head} in another way\n")
    refused = replace(failed(), judge="none")  # says nothing about how the others were graded
    both = run_of({"a": result(1.0), "b": refused})
    assert Comparison(before, both, min_graded=0.0).comparable
    lower = run_of({str(n): result(0.0, judge="other") for n in range(9)})
    found = Comparison(run_of({str(n): result(1.0) for n in range(9)}), lower, max_regressed=0)
    assert (found.comparable, found.worse) == (False, False)
    with pytest.raises(ConfigError, match="no case with the same id and question"):
        Comparison(before, run_of({"b": result(1.0)}))


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
def test_a_run_that_was_hardly_graded_is_not_comparable(before, after, min_graded, comparable):
    found = Comparison(run_of(before), run_of(after), min_graded=min_graded)
    assert found.comparable is comparable
    assert found.worse is False
    for told in (as_text(found), as_markdown(found)):
        assert ("is not comparable with" in told) is not comparable
        assert ("is not worse than" in told) is (comparable and not found.ungraded)
        assert (f"{found.ungraded:,} lost, 0 improved" in told) is (found.ungraded > 0)
        assert ("p = 1 for passes" in told) is comparable
        assert told.count("graded could not be graded in") <= 1


def test_what_could_not_be_graded_differs_in_no_way_of_grading_and_in_no_statement():
    asked = replace(GRADED.verdicts[0], label=None, unresolved="missing")
    down = run_of({"0": replace(failed(), judge="other", verdicts=(asked,))})
    told = as_markdown(Comparison(scored([1.0]), down))
    assert "- <code>B</code>: <code>not graded&#58; 1 x server&#58; down" in told
    assert [said for said in ("same way", "recheck", "unresolved") if said in told] == []


# ---------------------------------------------------------------- Markdown


MARKDOWN = MarkdownIt("gfm-like", {"linkify": False})


@examples(150)
@given(st.text(max_size=60) | st.just(HOSTILE))
def test_no_text_can_be_markup_in_markdown(text):
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


def test_a_comment_shows_hostile_texts_as_text_and_fits_into_github():
    told = as_markdown(Comparison(*hostile_runs(300), shown=300))
    assert len(told.encode()) < 65_536
    assert "more changed cases" in told
    compared = Comparison(*hostile_runs(9), names=(HOSTILE, f"{HOSTILE}2"))
    told += as_markdown(compared)
    for sign in ("<img", "@team", " #12", "](", "![", "~~", "\x1b", "\u202e"):
        assert sign not in told
    head = "### Faithfulness: <code>B</code> is not comparable with <code>A</code>: it was graded"
    assert told.startswith(head)


# ---------------------------------------------------------------- the command


def write(path: Path, lines: Callable[[], Iterator[Line]]) -> str:
    path.write_text("".join(f"{line.to_json()}\n" for line in lines()), encoding="utf-8")
    return str(path)


def test_a_run_is_not_worse_than_itself_and_other_judges_are_not_comparable(tmp_path):
    cases = {str(n): result(1.0) for n in range(9)}
    own = write(tmp_path / "a.jsonl", run_of(cases))
    other = {id: replace(one, judge="other") for id, one in cases.items()}
    for second, exit_code, said in (
        (own, 0, "a.jsonl is not worse than "),
        (write(tmp_path / "e.jsonl", run_of({**cases, "x": result(0.0)})), 1, "e is worse than a"),
        (write(tmp_path / "c.jsonl", run_of(other)), 3, "graded in another way"),
    ):
        compared = here("compare", own, second, "--max-regressed", "0")
        assert (compared.returncode, said in compared.stdout) == (exit_code, True), compared.stdout


def test_what_is_no_run_is_wrong_use(tmp_path):
    good = write(tmp_path / "a.jsonl", scored([1.0]))
    cut = Path(write(tmp_path / "cut.jsonl", scored([1.0, 0.5])))
    cut.write_bytes(cut.read_bytes()[:-9])
    (tmp_path / "good.jsonl").write_text('{"vars": {}, "response": {"output": "It rains."}}')
    (tmp_path / "empty").mkdir()
    for other, said in (
        ("missing.jsonl", "cannot be read"),
        ("cut.jsonl", "line 2: not results of a run; name its directory, or its results as .jsonl"),
        ("good.jsonl", "what is not graded yet goes through batch first"),
        ("empty", "it has no run.sqlite"),
    ):
        done = here("compare", good, tmp_path / other)
        assert done.returncode == 2
        assert other in done.stderr
        assert said in " ".join(done.stderr.split())


def test_a_loss_that_may_be_chance_is_not_called_no_loss_and_none_may_regress_where_one_says_so(
    tmp_path,
):
    good = write(tmp_path / "a.jsonl", scored([1.0] * 8))
    bad = write(tmp_path / "b.jsonl", scored([0.0] * 7 + [1.0]))
    told = here("compare", good, bad)
    assert told.returncode == 0
    assert "found reliably" not in as_text(Comparison(scored([1.0] * 9), scored([0.0] * 9)))
    head = "b against a: 7 regressed, 0 improved; a loss of this size may be chance\n"
    assert told.stdout.startswith(head)
    assert here("compare", bad, good).stdout.startswith("a is not worse than b\n")
    assert here("compare", good, bad, "--max-regressed", "7").returncode == 0
    strict = here("compare", good, bad, "--max-regressed", "6")
    assert strict.returncode == 1
    head = "b is worse than a: 7 regressed, 0 improved (--max-regressed 6)\n"
    assert strict.stdout.startswith(head)
    assert here("compare", good, bad, "--max-regressed", "-1").returncode == 2


def test_a_run_that_has_graded_a_part_of_its_cases_is_not_comparable():
    comparison = Comparison(scored([1.0] * 8), scored([1.0] * 8))
    assert comparison.comparable
    comparison.sizes = (100, 8)
    assert not comparison.comparable
    assert "only 8 of 100 cases have a grade in A, at least 95%" in as_text(comparison)


def test_a_case_that_is_new_and_fails_is_shown_and_counts_as_one_that_regressed(tmp_path):
    before = write(tmp_path / "a.jsonl", scored([1.0] * 8))
    after = write(tmp_path / "b.jsonl", scored([1.0] * 8 + [0.0]))
    compared = here("compare", before, after, "--max-regressed", "0")
    assert compared.returncode == 1
    head = "b is worse than a: 0 regressed, 1 new and failed, 0 improved (--max-regressed 0)\n"
    assert compared.stdout.startswith(head)
    assert "\n  new and failed: " in compared.stdout
    assert here("compare", before, after).returncode == 0
    page = tmp_path / "page.html"
    assert here("report", before, after, "-o", page).returncode == 0
    assert "new and failed" in page.read_text("utf-8")
