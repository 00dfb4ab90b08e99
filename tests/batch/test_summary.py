"""What a run found, in numbers: the same in every order, and honest about few scores."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from statistics import NormalDist, fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import Grader, GradingResult, Usage
from faithfulness_assert.batch.rows import Line
from faithfulness_assert.batch.summary import Summary, bootstrap_interval, duration

GRADED = Grader().grade("The shop is open.", "The shop is open.")
FAILED = replace(GRADED, pass_=False)
ERROR = Grader().grade("The shop is open.")
ENDED = Grader().grade("", "The shop is open.")
KINDS = st.sampled_from([GRADED, FAILED, ERROR, ENDED])


def scored(*scores: float) -> list[GradingResult]:
    return [replace(GRADED, score=score) for score in scores]


def summary(results: list[GradingResult]) -> Summary:
    found = Summary()
    for number, result in enumerate(results, 1):
        found.add(Line(str(number), number, "", {}, result) if number % 2 else result)
    return found


@given(st.lists(KINDS), st.lists(st.floats(0, 1), max_size=30), st.randoms())
def test_a_summary_is_the_same_in_every_order(
    kinds: list[GradingResult], scores: list[float], order: random.Random
) -> None:
    results = [*kinds, *scored(*scores)]
    first = summary(results)
    order.shuffle(results)
    again = summary(results)
    assert again.to_json() == first.to_json()
    assert json.loads(json.dumps(first.to_json(), allow_nan=False)) == first.to_json()
    assert first.passed + first.failed + first.not_graded == first.cases == len(results)
    assert sum(first.statuses.values()) == first.cases


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_the_mean_is_that_of_the_scores_that_mean_something(scores: list[float]) -> None:
    found = summary([*scored(*scores), ERROR, ENDED])
    assert found.defined == len(scores)
    assert found.mean == pytest.approx(fmean(scores), abs=1e-11)


@given(st.lists(st.floats(0, 1), min_size=10, max_size=60))
def test_an_interval_contains_the_mean_and_stays_in_its_limits(scores: list[float]) -> None:
    found = summary(scored(*scores))
    assert found.interval is not None
    low, high, method = found.interval
    assert method == "bootstrap"
    assert min(scores) - 1e-9 <= low <= fmean(scores) + 1e-9
    assert fmean(scores) - 1e-9 <= high <= max(scores) + 1e-9


def test_few_scores_have_no_interval() -> None:
    assert summary(scored(*[1.0] * 9)).interval is None
    assert summary([ERROR]).mean is None
    assert "no case has a score" in summary([ERROR]).text()


def test_of_many_scores_the_interval_is_that_which_the_bootstrap_approaches() -> None:
    draws = random.Random(1)
    scores = [draws.choice([0.0, 0.5, 0.8, 1.0]) for _ in range(1001)]
    normal = summary(scored(*scores)).interval
    assert normal is not None
    assert normal.method == "normal"
    reach = NormalDist().inv_cdf(0.975) * pstdev(scores) / len(scores) ** 0.5
    assert normal.low == pytest.approx(fmean(scores) - reach)
    assert normal.high == pytest.approx(fmean(scores) + reach)
    resampled = bootstrap_interval(scores)
    assert (normal.low, normal.high) == pytest.approx((resampled.low, resampled.high), abs=0.003)


def test_tokens_and_costs_are_summed_of_all_results() -> None:
    spent = replace(GRADED, tokens_used=Usage(7, 3, 2, 0, 1), cost=0.25)
    found = summary([spent, spent, replace(ERROR, tokens_used=Usage(1, 0, 0, 0, 2, True))])
    used = {"prompt": 15, "completion": 6, "cached": 4, "reasoning": 0, "num_requests": 4}
    assert found.to_json()["tokens_used"] == {**used, "estimated": True}
    assert found.cost == 0.5
    assert "4 requests, about 15 prompt and 6 completion tokens, cost 0.5" in found.text()


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(4.24, "4.2 s"), (59.96, "1 min 00 s"), (187, "3 min 07 s"), (7500, "2 h 05 min")],
)
def test_a_duration_is_shown_with_two_units(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


def test_the_text_tells_statuses_and_time() -> None:
    found = summary([GRADED, ENDED, ERROR])
    found.seconds = 6.0
    lines = found.text().splitlines()
    assert lines[0] == "3 cases: 1 passed, 1 failed, 1 not graded; mean score 1.00 (1 with a score)"
    assert "statuses: graded 1" in lines[1]
    assert lines[-1] == "time: 6.0 s, 0.5 cases/s"
