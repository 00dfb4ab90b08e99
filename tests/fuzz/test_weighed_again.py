"""A stored result that another policy weighs is the result of grading under that policy."""

import random
from dataclasses import fields, replace
from typing import Any

from fakes import TruthfulJudge
from fuzz.random_scenarios import scenario_of
from fuzz.scenario import Scenario
from fuzz.simulated_judge import SimulatedJudge
from hypothesis import Phase, given
from hypothesis import strategies as st
from own_policy import with_own_policy
from strategies import examples

from faithfulness_assert import Ask, Case, Grader, GradingResult, Policy
from faithfulness_assert.drive.asks import outcome_of
from faithfulness_assert.plan.weighing import weigh_again
from faithfulness_assert.policy.policy import DESCRIPTIVE, asking_otherwise
from faithfulness_assert.policy.values import ALL_FAIL, ScoreCap
from faithfulness_assert.records.judge import Outcome

ENDINGS = ("fail", "pass", "error", 0.0, 0.4, 1.0)
WEIGHS: dict[str, tuple[Any, ...]] = {
    "threshold": (0.0, 0.3, 0.5, 0.75, 0.9, 1.0),
    "all_or_nothing": (True, False),
    "fail_on": ((), ("contradicted",), ("not_enough_info", "contradicted"), ("supported",)),
    "fail_on_flags": ((), ("number_not_found",), ("no_such_evidence", "number_not_found")),
    "endings": tuple({name: ending} for name in ALL_FAIL for ending in ENDINGS),
    "on_missing": ("unsupported", "error"),
    "on_failed": ("unsupported", "error"),
    "on_unreadable": (0.0, 0.5, 1.0),
    "score_caps": ((), (ScoreCap("uncited", 0.2),), (ScoreCap("invalid_citations", 0.4, 1),)),
    "strict_evidence": (True, False),
    "headline": ("supported", "made_up"),
    "explain": ("ours", "none"),
    "citations": ("audit", "enforce"),
}
"""Values of the fields that weigh, beside weights and dimensions."""
ANSWERS = ("", "Hello!", "I cannot answer that.", "The museum is open [1]. Dogs may come in [9].")


def other_policy(rng: random.Random, policy: Policy) -> Policy:
    """The policy with other values for some fields, such that it asks the same."""
    changes: dict[str, Any] = {}
    for name in rng.sample(sorted(WEIGHS), rng.randint(0, 6)):
        changes[name] = rng.choice(WEIGHS[name])
    if rng.random() < 0.5:
        changes["weights"] = {
            label: rng.choice((weight, weight, 0.1, 0.25, 1.0, -1.0, 0.0))
            for label, weight in policy.weights.items()
        }
    if policy.dimensions and rng.random() < 0.5:
        shares = [rng.random() + 0.01 for _ in policy.dimensions]
        whole = dict(zip(policy.dimensions, shares, strict=True))
        changes["dimensions"] = {name: share / sum(shares) for name, share in whole.items()}
    labels = {*policy.weights, "not_a_claim"}
    changes["fail_on"] = tuple(x for x in changes.get("fail_on", policy.fail_on) if x in labels)
    for name in [*changes]:
        if asking_otherwise(policy, replace(policy, **{name: changes[name]})):
            del changes[name]
    return replace(policy, **changes)


def graded(scenario: Scenario, policy: Policy, answer: str | None = None) -> GradingResult:
    """The result, with one ask at a time: what the judge repeats depends on their order."""
    judge = TruthfulJudge() if policy.dimensions else SimulatedJudge(scenario)

    def outcome(ask: Ask) -> Outcome:
        try:
            return judge.ask(ask)
        except Exception as error:  # noqa: BLE001 - the judge may crash
            return outcome_of(ask, error)

    said = scenario.answer if answer is None else answer
    case = Case(said, scenario.context)
    result = Grader(judge, policy, seed=7).replay(case, outcome)
    return replace(result, latency_ms=0.0)


def stored(result: GradingResult) -> GradingResult:
    """The result as a file gives it back."""
    return GradingResult.model_validate_json(result.model_dump_json(by_alias=True))


def started(rng: random.Random) -> tuple[Scenario, Policy]:
    """A scenario, and its policy: in which the judge gives no reason of its own, and more weighs."""
    scenario = scenario_of(rng)
    if rng.random() < 0.1:
        scenario = replace(scenario, policy="masis", options={})
    options = with_own_policy({"policy": scenario.policy, **scenario.options})
    policy = Grader(TruthfulJudge(), **options).policy
    policy = replace(policy, explain="ours", citations=rng.choice(("off", "audit", "enforce")))
    return scenario, other_policy(rng, policy)


@examples(15, phases=[Phase.explicit, Phase.generate])
@given(st.integers(0, 2**48))
def test_another_policy_gives_what_grading_gives(seed):
    rng = random.Random(seed)
    for _ in range(20):
        scenario, old = started(rng)
        new = other_policy(rng, old)
        answer = rng.choice(ANSWERS) if rng.random() < 0.15 else None
        before = stored(graded(scenario, old, answer))
        wanted = stored(graded(scenario, new, answer))
        assert weigh_again(before, old, new) == wanted, (scenario, old, new)
        assert weigh_again(wanted, new, old) == before


def test_every_field_that_weighs_is_tried():
    weighing = {f.name for f in fields(Policy) if f.metadata["keeps_prompts"]}
    assert weighing == {*WEIGHS, "weights", "dimensions", *DESCRIPTIVE}
