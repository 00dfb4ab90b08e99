"""A run stops when its tokens, its money, or its patience with errors are used up, and says why."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import ConfigError, GradingResult, Usage, grade
from faithfulness_assert.batch.budget import Budget
from faithfulness_assert.batch.rows import Line
from faithfulness_assert.records.model import GraderError

GRADED = grade("It rains.", "It rains.")


def line(tokens: int = 0, cost: float | None = 0.0, *, error: bool = False) -> Line:
    result: GradingResult = replace(GRADED, tokens_used=Usage(tokens), cost=cost)
    if error:
        problem = GraderError("transport", "it failed")
        result = replace(result, pass_=False, score=0.0, defined=False, error=problem)
    return Line("a", 1, "", {}, result)


@given(st.lists(st.integers(0, 50), max_size=20), st.integers(1, 300))
def test_a_run_stops_at_the_first_line_that_uses_up_its_tokens(spent: list[int], most: int) -> None:
    budget, stopped = Budget(max_tokens=most), []
    for tokens in spent:
        budget.add(line(tokens))
        stopped.append(bool(budget.exceeded()))
    assert stopped == [total >= most for total in accumulate(spent)]


UNPRICED, ERROR = line(10, None), line(error=True)


@pytest.mark.parametrize(
    ("limits", "lines", "said"),
    [
        ({"max_cost": 0.5}, [line(10, 0.25)], ""),
        ({"max_cost": 0.5}, [line(10, 0.25)] * 2, "it has cost 0.5, and max_cost is 0.5"),
        ({"max_cost": 5}, [line(0, None)], ""),
        ({"max_cost": 5}, [line(0, None), UNPRICED], "graded without the option prices have an"),
        ({"max_errors": 0}, [line()], ""),
        ({"max_errors": 0}, [ERROR], "1 case could not be graded, and max_errors is 0"),
        ({"max_errors": 2}, [ERROR, line(), ERROR], ""),
        ({"max_errors": 2}, [ERROR] * 3, "3 cases could not be graded, and max_errors is 2"),
        ({}, [line(10**9, None, error=True)], ""),
    ],
)
def test_a_run_stops_when_a_limit_is_reached_and_says_which(
    limits: dict[str, Any], lines: list[Line], said: str
) -> None:
    budget = Budget(**limits)
    for each in lines:
        budget.add(each)
    assert said in budget.exceeded()
    assert bool(said) == bool(budget.exceeded())


@pytest.mark.parametrize(
    "limit", [{"max_tokens": -1}, {"max_tokens": 1.5}, {"max_cost": "5"}, {"max_errors": True}]
)
def test_a_limit_that_is_no_number_from_0_is_the_callers_mistake(limit: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"{next(iter(limit))}: must be"):
        Budget(**limit)
