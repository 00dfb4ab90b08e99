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


def test_a_run_stops_when_it_has_cost_as_much_as_it_may() -> None:
    budget = Budget(max_cost=0.5)
    budget.add(line(10, 0.25))
    assert budget.exceeded() == ""
    budget.add(line(10, 0.25))
    assert budget.exceeded() == "it has cost 0.5, and max_cost is 0.5"


def test_a_limit_on_a_cost_that_nobody_knows_stops_the_run() -> None:
    budget = Budget(max_cost=5)
    budget.add(line(0, None))
    assert budget.exceeded() == ""
    budget.add(line(10, None))
    assert "graded without the option prices have an unknown cost" in budget.exceeded()


@pytest.mark.parametrize(("most", "errors"), [(0, 1), (2, 3)])
def test_a_run_stops_when_more_cases_than_allowed_could_not_be_graded(
    most: int, errors: int
) -> None:
    budget = Budget(max_errors=most)
    for _ in range(errors):
        assert budget.exceeded() == ""
        budget.add(line(error=True))
        budget.add(line())
    cases = "1 case" if errors == 1 else f"{errors} cases"
    assert budget.exceeded() == f"{cases} could not be graded, and max_errors is {most}"


def test_without_limits_a_run_never_stops() -> None:
    budget = Budget()
    budget.add(line(10**9, None, error=True))
    assert budget.exceeded() == ""


@pytest.mark.parametrize(
    "limit", [{"max_tokens": -1}, {"max_tokens": 1.5}, {"max_cost": "5"}, {"max_errors": True}]
)
def test_a_limit_that_is_no_number_from_0_is_the_callers_mistake(limit: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"{next(iter(limit))}: must be"):
        Budget(**limit)
