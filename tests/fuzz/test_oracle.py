"""Whatever goes wrong with the judge, a grade keeps the laws of credit and of conservation."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from fuzz.judge_faults import Content, Entry
from fuzz.oracle import LAWS, Grade, run, violations
from fuzz.oracle_systems import SYSTEMS
from fuzz.random_scenarios import reproduction, scenario_of, without_faults
from fuzz.scenario import Scenario, fact
from hypothesis import Phase, given
from hypothesis import strategies as st
from own_policy import likely_parts_from
from strategies import examples

GRADES_PER_EXAMPLE = 30


def broken(scenario: Scenario) -> str:
    """What a scenario breaks; "" where it breaks nothing."""
    problems = violations(scenario)
    return "\n".join([*problems, reproduction(scenario)]) if problems else ""


# Seeds cannot be made smaller.
@examples(30, phases=[Phase.explicit, Phase.generate])
@given(st.integers(0, 2**48))
def test_no_credit_from_nowhere_and_no_sentence_lost(seed):
    rng = random.Random(seed)
    for _ in range(GRADES_PER_EXAMPLE):
        problem = broken(scenario_of(rng))
        assert not problem, problem


@pytest.mark.parametrize("policy", sorted(SYSTEMS))
def test_a_judge_without_faults_gives_the_score_of_the_system(policy):
    rng = random.Random(policy)
    drawn = (scenario_of(rng) for _ in range(120))
    for scenario in [s for s in drawn if s.policy == policy]:
        problem = broken(without_faults(scenario))
        assert not problem, problem


def test_likely_windows_credit_nothing_from_nowhere_either():
    rng = random.Random(11)
    drawn = (scenario_of(rng) for _ in range(400))
    long = [s for s in drawn if s.limits.prompt_tokens]
    in_part = 0
    for scenario in long[:40]:
        with likely_parts_from(0):
            problem = broken(scenario)
            in_part += any(v.shown < 1 for v in run(scenario).result.verdicts)
        assert not problem, problem
    assert in_part >= 10


# ---------------------------------------------------------------- the oracle itself

LABELS = ("supported", "contradicted", "not_enough_info")
THREE = tuple(fact("fact", 2 * i, (label,)) for i, label in enumerate(LABELS))


def graded(policy: str = "default", **changes: Any) -> Grade:
    """The grade of three facts by a judge that says what :data:`LABELS` says."""
    return run(Scenario(policy, THREE, **changes))


def tampered(held: Grade, **changes: Any) -> Grade:
    """The same grade with another result."""
    return replace(held, result=replace(held.result, **changes))


def relabelled(held: Grade, place: int, **changes: Any) -> Grade:
    """The same grade with another verdict, and a score that fits it."""
    verdicts = list(held.result.verdicts)
    verdicts[place] = replace(verdicts[place], **changes)
    return tampered(held, verdicts=tuple(verdicts))


def replied(held: Grade, content: Content, turn: int = -1) -> Grade:
    """The same result after another reply."""
    turns = list(held.turns)
    turns[turn] = replace(turns[turn], content=content)
    return replace(held, turns=tuple(turns))


def said(*entries: tuple[int | None, str], **more: Any) -> Content:
    return Content(tuple(Entry(number, word) for number, word in entries), **more)


TRUE = ((1, "supported"), (2, "contradicted"), (3, "not_enough_info"))
# Replies that do not give the credit that the grade then has.
UNFOUNDED = {
    "it takes a label back": said(TRUE[0], accused=(1,)),
    "an entry says no": Content((Entry(1, "supported", denied='"result":"fail"'),)),
    "it denies the whole": said(TRUE[0], overall='"faithful":false'),
    "two labels for one statement": said(*TRUE, (1, "contradicted")),
    "shifted numbers": said((0, "contradicted"), (1, "supported"), (2, "contradicted")),
    "too few verdicts without numbers": said((None, "supported")),
    "it is truncated": said(*TRUE, finish="length"),
}
# Verdicts that a grade may not have: the law that they break, the policy, the place, and what they say.
CHANGED: dict[str, tuple[str, str, int, dict[str, Any]]] = {
    "a label that no reply gives": ("credit", "default", 2, {"label": "supported"}),
    "a contradiction that vanishes": ("silence", "default", 1, {"label": "supported"}),
    "a fact that is set aside": ("conserved", "default", 2, {"label": "not_a_claim"}),
    "a claim of another sentence": ("conserved", "ragas", 1, {"statement": THREE[0].text}),
    "a statement from nowhere": ("foreign", "default", 2, {"statement": "Well."}),
    "a label that is not true": ("clean", "default", 2, {"label": "contradicted"}),
}
BREAKS: dict[str, tuple[str, Callable[[Grade], Grade]]] = {
    "a score that does not follow": ("formula", lambda held: tampered(held, score=0.5)),
    "counts that do not agree": ("complete", lambda held: tampered(held, counts={"supported": 3})),
    "a sentence without a verdict": (
        "conserved",
        lambda held: tampered(held, verdicts=held.result.verdicts[:-1]),
    ),
}


def breaks(held: Grade, law: str) -> bool:
    return bool(list(LAWS[law](held)))


@pytest.mark.parametrize("name", BREAKS)
def test_the_oracle_sees(name):
    law, change = BREAKS[name]
    assert breaks(change(graded()), law)


@pytest.mark.parametrize("name", UNFOUNDED)
def test_the_oracle_sees_credit_that_no_reply_gives(name):
    assert breaks(replied(graded(), UNFOUNDED[name]), "credit")


@pytest.mark.parametrize("name", CHANGED)
def test_the_oracle_sees_a_verdict_that_may_not_be(name):
    law, policy, place, changes = CHANGED[name]
    assert breaks(relabelled(graded(policy), place, **changes), law)
