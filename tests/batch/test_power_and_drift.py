"""What ``compare`` can see is what it says; and a judge that is not the same is named."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from command import run as command
from compare_false_alarms import drawn

from faithfulness_assert import grade
from faithfulness_assert.batch import rescore, run
from faithfulness_assert.batch.comparison import compare
from faithfulness_assert.batch.comparison_views import as_markdown, as_text, power_line
from faithfulness_assert.batch.judge_drift import VOID
from faithfulness_assert.batch.paired_tests import Pair, PairCounts
from faithfulness_assert.batch.power import LOSSES, Power, power_for, powers
from faithfulness_assert.batch.rows import Line

GRADED = grade("It rains.", "It rains.")


def lines(
    supported: list[int], of: int = 5, *, texts: str = "same", **metadata: Any
) -> Callable[[], Iterator[Line]]:
    """A run whose cases have so many supported statements."""

    def result(count: int) -> Any:
        counts = {"supported": count, "not_enough_info": of - count, "not_a_claim": 2}
        score = count / of
        told = {"score": score, "pass_": score >= 0.8, "counts": counts}
        return replace(GRADED, **told, metadata=metadata)

    return lambda: (
        Line(str(n), n, texts, {}, result(count)) for n, count in enumerate(supported, 1)
    )


# ---------------------------------------------------------------- power


def test_a_loss_is_found_as_often_as_it_says() -> None:
    chance = random.Random(5)
    for cases, loss in ((100, 0.1), (300, 0.03)):
        told = [power_for(loss, drawn(cases, 0.1, chance).counts, 6) for _ in range(20)]
        for kind, end in (("answers", "least"), ("statements", "most")):
            given: dict[str, Any] = {kind: loss}
            found = [drawn(cases, 0.1, chance, **given).counts.tests().worse for _ in range(60)]
            foretold = sum(getattr(power, end) for power in told if power) / len(told)
            assert sum(found) / len(found) == pytest.approx(foretold, abs=0.25)


def test_more_cases_and_larger_losses_are_found_more_often() -> None:
    chance = random.Random(6)
    few, many = (drawn(cases, 0.1, chance).counts for cases in (50, 1000))
    for counts in (few, many):
        found = [power for loss in LOSSES if (power := power_for(loss, counts, 6))]
        for first, second in pairwise(found):
            assert first.least <= second.least + 1e-9
            assert first.most <= second.most + 1e-9
        assert all(0 <= power.least <= power.most <= 1 for power in found)
    least, most = power_for(0.05, few, 6), power_for(0.05, many, 6)
    assert least
    assert most
    assert least.least < most.least


def test_what_cannot_be_lost_or_found_is_not_told() -> None:
    assert powers(PairCounts([]), 0) == []
    assert powers(PairCounts([Pair(True, False, None, None)]), 0) == []
    assert powers(PairCounts([Pair(True, True, 1.0, 1.0)] * 7), 3) == []
    assert power_for(0.5, PairCounts([Pair(False, False, 0.2, 0.2)] * 50), 3) is None
    told = as_text(compare(lines([5] * 7), lines([5] * 7)))
    assert "7 cases: too few to find a loss for sure, however large" in told


def test_the_sentence_has_the_size_and_both_figures() -> None:
    compared = compare(lines([5] * 300), lines([5] * 300))
    sentence = (
        "300 cases: a loss of 1 point of the mean score is found in 1 to 91 % of runs, one of 5 "
        "points in 98 to 99 % (the lower figure if whole answers are lost, the other if single "
        "statements are)"
    )
    for told in (as_text(compared), as_markdown(compared)):
        assert sentence in told
    alike = power_line(20, [Power(0.5, 0.668, 0.672)])
    assert alike == "20 cases: a loss of 50 points of the mean score is found in 67 % of runs"


# ---------------------------------------------------------------- drift


def warnings(compared: Any) -> list[str]:
    return [told for note in compared.notes if VOID in (told := note.shown(str))]


def test_other_labels_of_the_same_answers_are_a_drift() -> None:
    chance = random.Random(2)
    before = [chance.randint(2, 5) for _ in range(300)]
    after = [max(0, count - (chance.random() < 0.1)) for count in before]
    (told,) = warnings(compare(lines(before), lines(after), names=("june", "july")))
    assert told.startswith("The judge drifted: in the 300 cases whose texts are the same in both, ")
    assert "of the statements are supported in june and" in told
    assert warnings(compare(lines(after), lines(before))), "a milder judge is one, too"
    assert not warnings(compare(lines(before), lines(before)))
    assert not warnings(compare(lines(before), lines(after, texts="other")))


def test_controls_that_fail_more_often_are_named() -> None:
    good = {"controls": {"asked": 2, "failed": 0, "unanswered": 0}}
    bad = {"controls": {"asked": 2, "failed": 1, "unanswered": 0}}
    (told,) = warnings(compare(lines([5] * 10, **good), lines([5] * 10, **bad)))
    assert "failed other shares of the control statements: 0 of 20 in A and 10 of 20 in B" in told
    (told,) = warnings(compare(lines([5] * 3000, **good), lines([5] * 3000, **bad)))
    assert "0 of 6,000 in A and 3,000 of 6,000 in B (p < 0.0001)" in told
    assert not warnings(compare(lines([5] * 3, **good), lines([5] * 3, **bad))), "chance is enough"
    assert not warnings(compare(lines([5] * 10, **bad), lines([5] * 10, **bad)))
    assert not warnings(compare(lines([5] * 10, **bad), lines([5] * 10)))


def test_other_judges_are_told_from_what_the_runs_say_of_themselves(tmp_path: Path) -> None:
    class Judge:
        def __init__(self, model: str) -> None:
            from faithfulness_assert.records.judge import JudgeInfo

            self.info = JudgeInfo(name="ours", identity={"model": model}, keeps_deadline=True)

        def ask(self, ask: Any, /, *, deadline: float | None = None) -> Any:
            from faithfulness_assert import Reply

            return Reply('{"verdicts": []}')

    case = {"answer": "It rains.", "context": "It rains."}
    for name, model in (("a", "m-1"), ("b", "m-2")):
        run([case], tmp_path / name, judge=Judge(model), progress=False)
    rescore(tmp_path / "a", tmp_path / "c", threshold=0.1)
    done = command("compare", str(tmp_path / "a"), str(tmp_path / "b"), "--min-graded", "0")
    assert 'The runs have other judges: judge.model: was "m-1", is "m-2".' in done.stdout
    same = command("compare", str(tmp_path / "a"), str(tmp_path / "c"), "--min-graded", "0")
    assert VOID not in same.stdout
