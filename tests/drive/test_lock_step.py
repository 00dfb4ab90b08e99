"""A plan that is replayed as outcomes become known ends as a plan that is run at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from fakes import TruthfulJudge
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import Ask, Grader, Reply

ANSWER = "The shop is open. The shop is old. It has 12 rooms."
CONTEXT = ["The shop is open on Sundays.", "The house has 12 rooms."]
ONCE = {"answer": ANSWER, "context": CONTEXT, "question": "Is it open?", "id": "a"}


@given(
    policy=st.sampled_from(["default", "ragas", "deepeval", "masis", "promptfoo"]),
    at_once=st.integers(1, 3),
)
def test_a_plan_that_is_replayed_ends_as_one_that_is_run(policy: str, at_once: int) -> None:
    judge = TruthfulJudge(lambda text: "supported" if "open" in text else "not_enough_info")
    grader = Grader(judge, policy)
    known: dict[str, Reply] = {}
    result = None
    for _ in range(50):
        seen: Counter[str] = Counter()
        wanted: list[tuple[str, Ask]] = []

        def outcome(
            ask: Ask, seen: Counter[str] = seen, wanted: list[tuple[str, Ask]] = wanted
        ) -> Reply | None:
            text = repr(ask.messages)
            seen[text] += 1
            key = f"{seen[text]} {text}"
            if key not in known:
                wanted.append((key, ask))
            return known.get(key)

        result = grader.replay(ONCE, outcome)
        if result is not None:
            break
        assert wanted
        known.update({key: judge.ask(ask) for key, ask in wanted[:at_once]})
    assert result is not None
    assert replace(result, latency_ms=0.0) == replace(grader.grade(**ONCE), latency_ms=0.0)


@pytest.mark.parametrize(
    ("case", "status"),
    [
        ({"answer": "x", "context": []}, "no_context"),
        ({"context": ["x"], "id": "b"}, "invalid_input"),
    ],
)
def test_a_case_without_an_ask_has_its_result_at_once(case: dict[str, Any], status: str) -> None:
    def never(ask: Ask) -> None:
        raise AssertionError

    result = Grader().replay(case, never)
    assert result is not None
    assert result.status == status
    assert result.case_id == case.get("id", "")
