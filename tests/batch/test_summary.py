"""What a run found, in numbers: the same in every order, and honest about few scores."""

import random
from dataclasses import replace
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import Grader, GradingResult, Usage
from faithfulness_assert.batch.summary import Summary
from faithfulness_assert.records.model import GraderError

GRADED = Grader().grade("The shop is open.", "The shop is open.")
FAILED = replace(GRADED, pass_=False)
ERROR = Grader().grade("The shop is open.")
ENDED = Grader().grade("", "The shop is open.")
KINDS = st.sampled_from([GRADED, FAILED, ERROR, ENDED])


def scored(*scores: float) -> list[GradingResult]:
    return [replace(GRADED, score=score) for score in scores]


def summary(results: list[GradingResult]) -> Summary:
    found = Summary()
    for result in results:
        found.add(result)
    return found


@given(st.lists(KINDS), st.lists(st.floats(0, 1), max_size=30), st.randoms())
def test_a_summary_is_the_same_in_every_order(kinds, scores, order):
    results = [*kinds, *scored(*scores)]
    first = summary(results)
    order.shuffle(results)
    again = summary(results)
    for name in ("statuses", "tokens", "mean", "interval"):
        assert getattr(again, name) == getattr(first, name)
    assert (again.brief(), again.errors()) == (first.brief(), first.errors())
    assert first.passed + first.failed + first.not_graded == first.cases == len(results)
    assert sum(first.statuses.values()) == first.cases


@given(st.lists(st.floats(0, 1), min_size=10, max_size=60))
def test_an_interval_contains_the_mean_and_stays_in_its_limits(scores):
    found = summary([*scored(*scores), ERROR, ENDED])
    assert (found.defined, found.mean) == (len(scores), pytest.approx(fmean(scores), abs=1e-11))
    low, high = found.interval
    assert 0 <= low <= fmean(scores) + 1e-9
    assert fmean(scores) - 1e-9 <= high <= 1


def test_few_scores_have_no_interval():
    assert summary(scored(*[1.0] * 9)).interval is None
    assert summary([ERROR]).mean is None
    assert "no case has a score" in summary([ERROR]).text()


def test_the_interval_is_that_which_the_means_of_samples_approach():
    draws = random.Random(1)
    scores = [draws.choice([0.0, 0.5, 0.8, 1.0]) for _ in range(400)]
    found = summary(scored(*scores)).interval
    means = sorted(fmean(draws.choices(scores, k=len(scores))) for _ in range(1000))
    assert found == pytest.approx((means[25], means[-26]), abs=0.006)


def test_tokens_and_costs_are_summed_of_all_results():
    spent = replace(GRADED, tokens_used=Usage(7, 3, 2, 0, 1), cost=0.25)
    found = summary([spent, spent, replace(ERROR, tokens_used=Usage(1, 0, 0, 0, 2, True))])
    used = {"prompt": 15, "completion": 6, "cached": 4, "reasoning": 0, "num_requests": 4}
    assert (found.tokens, found.estimated) == (used, True)
    assert found.cost == 0.5
    assert "4 requests, about 15 prompt and 6 completion tokens, cost at least 0.5" in found.text()
    assert summary([spent]).spent().endswith(", cost 0.25")
    assert repr(found) == found.text()


def test_the_text_tells_statuses():
    lines = summary([GRADED, ENDED, ERROR]).text().splitlines()
    assert lines[0] == "3 cases: 1 passed, 1 failed, 1 not graded; mean score 1.00 (1 with a score)"
    assert lines[1].startswith("embedded smoke-test judge: ")
    assert "statuses: graded 1" in lines[2]


def test_errors_are_told_in_groups_that_do_not_depend_on_their_order():
    def failed(kind: Any, message: str) -> GradingResult:
        return replace(ERROR, error=GraderError(kind, message))

    results = [failed("server", f"the judge answered HTTP 500: id {n}") for n in range(9)]
    results.append(failed("auth", "no key"))
    groups = summary(results).errors()
    assert groups == summary(results[::-1]).errors()
    assert [group[:2] for group in groups] == [("server", 9), ("auth", 1)]
    text = summary(results).text()
    assert "not graded: 9 x server, such as: the judge answered HTTP 500: id 0" in text
    assert "not graded: 1 x auth: no key" in text
