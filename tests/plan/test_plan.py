"""The procedure, tested with next and send: what is asked, what becomes of it, and that it always ends in a result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fakes import USAGE, labelled, verdicts_json

from faithfulness_assert import Ask, Case, GradingResult, Policy, Reply, policies
from faithfulness_assert.plan.plan import grade_plan
from faithfulness_assert.records.judge import Limits, Outcome

CONTEXT = ["The museum opens at nine. It is closed on Mondays.", "Adults pay 14 euros."]
OPENS, PAY = "The museum opens at nine.", "Adults pay 14 euros."
TWO = Case(f"{OPENS} {PAY}", CONTEXT)
DEFAULT, RAGAS = policies["default"], policies["ragas"]
GOOD = labelled("supported", "supported")


def drive(
    case: Case, policy: Policy, *outcomes: Outcome | Callable[[Ask], Outcome], **options: Any
) -> tuple[GradingResult, list[Ask]]:
    """Sends each outcome in turn (the last one again and again) and returns the result and all asks."""
    plan = grade_plan(case, policy, **options)
    asked: list[Ask] = []
    try:
        asks = next(plan)
        while True:
            answers: list[Outcome] = []
            for ask in asks:
                outcome = outcomes[min(len(asked), len(outcomes) - 1)]
                asked.append(ask)
                answers.append(outcome(ask) if callable(outcome) else outcome)
            asks = plan.send(tuple(answers))
    except StopIteration as stop:
        return stop.value, asked


def said(text: str, **details: Any) -> Reply:
    return Reply(text, usage=USAGE, **details)


# ---------------------------------------------------------------- asking


def test_one_ask_covers_all_statements_and_numbers_the_context_once() -> None:
    result, asked = drive(TWO, DEFAULT, GOOD)
    assert (result.status, result.score, result.pass_, len(asked)) == ("graded", 1.0, True, 1)
    assert asked[0].payload.items == ((1, OPENS), (2, PAY))
    assert asked[0].payload.sentences == ((1, OPENS), (2, "It is closed on Mondays."), (3, PAY))
    assert asked[0].ids == (1, 2)
    assert asked[0].max_tokens == 256 + 96 * 2


def test_an_unresolved_statement_is_asked_about_once_again_alone_and_under_a_new_number() -> None:
    half = labelled("supported", None)
    result, asked = drive(TWO, DEFAULT, half, labelled("contradicted"))
    assert [ask.payload.items for ask in asked] == [((1, OPENS), (2, PAY)), ((3, PAY),)]
    assert [v.label for v in result.verdicts] == ["supported", "contradicted"]
    assert (result.score, result.pass_) == (0.5, False)
    assert len(drive(TWO, replace(DEFAULT, reasks=0), half)[1]) == 1


def test_a_repeat_that_was_judged_alone_is_no_repeat() -> None:
    case, policy = Case(f"{PAY} {PAY}", CONTEXT), replace(DEFAULT, dedupe=False)
    result, _ = drive(case, policy, labelled("supported", "contradicted"))
    assert [v.repeat_of for v in result.verdicts] == [None, None]
    assert [v.label for v in result.problems()] == ["contradicted"]


# ---------------------------------------------------------------- limits

FILLER = "The river runs past the old mill and on to the sea. " * 120
NARROW = Limits(prompt_tokens=1500)


def sizes(asked: list[Ask]) -> list[float]:
    return [sum(len(m["content"]) for m in ask.messages) / 4 for ask in asked]


def test_a_context_that_is_too_long_is_shown_in_windows_and_one_support_is_enough() -> None:
    def judge(ask: Ask) -> Reply:
        shown = [number for number, text in ask.payload.sentences if text == OPENS]
        label = "supported" if shown else "not_enough_info"
        return said(verdicts_json(dict.fromkeys(ask.ids, label), evidence=shown))

    result, asked = drive(Case(OPENS, [FILLER, OPENS, FILLER]), DEFAULT, judge, limits=NARROW)
    assert len(asked) > 2
    assert (result.score, result.metadata["windows"]) == (1.0, len(asked))
    shown = {number for ask in asked for number, _ in ask.payload.sentences}
    assert shown == set(range(1, 242))
    assert max(sizes(asked)) <= 1500
