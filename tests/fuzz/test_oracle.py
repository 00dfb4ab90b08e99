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
from fuzz.scenario import Scenario, Sentence, fact
from hypothesis import Phase, given
from hypothesis import strategies as st
from own_policy import likely_parts_from
from strategies import examples

GRADES_PER_EXAMPLE = 30
MUSEUM = "The house also has a small museum."


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


def test_a_claim_that_is_listed_under_another_sentence_too_is_credited_once():
    museum = Sentence("It also has a small museum.", ("museum",), (MUSEUM,), ("supported",))
    brandt = "The harbour was built by Otto Brandt."
    harbour = Sentence(brandt, ("harbour",), (brandt,), ("not_enough_info",))
    scenario = Scenario("hallucination", (museum, harbour), fillers=4, seed=829)
    problem = broken(replace(scenario, claim_faults=("moved",), verdict_faults=("echoed",) * 3))
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


def relabelled(place: int, policy: str = "default", **changes: Any) -> Grade:
    """A grade with another verdict than it has, and a score that fits it."""
    held = graded(policy)
    verdicts = list(held.result.verdicts)
    verdicts[place] = replace(verdicts[place], **changes)
    return tampered(held, verdicts=tuple(verdicts))


def replied(*entries: tuple[int | None, str], denied: str = "", **more: Any) -> Grade:
    """A grade whose result does not follow from its last reply, which has these entries."""
    held = graded()
    said = Content(tuple(Entry(number, word, denied=denied) for number, word in entries), **more)
    return replace(held, turns=(*held.turns[:-1], replace(held.turns[-1], content=said)))


TRUE = ((1, "supported"), (2, "contradicted"), (3, "not_enough_info"))
SEEN: dict[str, tuple[str, Callable[[], Grade]]] = {
    "a score that does not follow": ("formula", lambda: tampered(graded(), score=0.5)),
    "counts that do not agree": ("complete", lambda: tampered(graded(), counts={"supported": 3})),
    "no verdict": ("conserved", lambda: tampered(graded(), verdicts=graded().result.verdicts[:2])),
    "a label that no reply gives": ("credit", lambda: relabelled(2, label="supported")),
    "a contradiction that vanishes": ("silence", lambda: relabelled(1, label="supported")),
    "a fact that is set aside": ("conserved", lambda: relabelled(2, label="not_a_claim")),
    "another's claim": ("conserved", lambda: relabelled(1, "ragas", statement=THREE[0].text)),
    "a statement from nowhere": ("foreign", lambda: relabelled(2, statement="Well.")),
    "a label that is not true": ("clean", lambda: relabelled(2, label="contradicted")),
    "a label that is taken back": ("credit", lambda: replied(TRUE[0], accused=(1,))),
    "an entry that says no": ("credit", lambda: replied(TRUE[0], denied='"result":"fail"')),
    "a denial of the whole": ("credit", lambda: replied(TRUE[0], overall='"faithful":false')),
    "two labels for one": ("credit", lambda: replied(*TRUE, (1, "contradicted"))),
    "shifted numbers": (
        "credit",
        lambda: replied((0, "contradicted"), (1, "supported"), (2, "no")),
    ),
    "too few without numbers": ("credit", lambda: replied((None, "supported"))),
    "a truncated reply": ("credit", lambda: replied(*TRUE, finish="length")),
}
"""Grades that may not be, and the law that each breaks."""


@pytest.mark.parametrize("name", SEEN)
def test_the_oracle_sees(name):
    law, held = SEEN[name]
    assert list(LAWS[law](held()))
