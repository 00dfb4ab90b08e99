"""A policy is checked when it is made, and its score is a finite number in [0, 1] whatever it weighs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import CitationAudit, ConfigError, Policy, Verdict, policies
from faithfulness_assert.model import LABELS
from faithfulness_assert.policy import SCORED, Clamp, Example
from faithfulness_assert.policy_data import find_policy
from faithfulness_assert.scoring import passes, score

verdict_lists = st.lists(st.none() | st.sampled_from(LABELS), max_size=30).map(
    lambda found: [Verdict(i, f"s{i}", label, None if label else "missing") for i, label in enumerate(found, 1)]
)
weights = st.fixed_dictionaries({label: st.floats(-1000, 1000) for label in SCORED})


@given(verdict_lists, weights, st.booleans(), st.booleans())
def test_a_score_is_finite_and_in_range_or_there_is_none(verdicts: list[Verdict], weights: Any, dedupe: bool, inverse: bool) -> None:
    outcome = score(Policy(weights=weights, dedupe=dedupe, inverse=inverse), verdicts)
    assert (outcome is None) == all(v.label == "not_a_claim" for v in verdicts)
    if outcome is not None:
        assert math.isfinite(outcome.value)
        assert 0 <= outcome.value <= 1


@given(verdict_lists)
def test_an_unresolved_statement_never_raises_a_score(verdicts: list[Verdict]) -> None:
    for policy in policies.values():
        known = [v for v in verdicts if v.label in (None, "not_a_claim", *policy.judged)]
        with_it = score(policy, [*known, Verdict(99, "x", None, "missing")])
        without = score(policy, known)
        assert with_it is not None
        assert with_it.value <= (without.value if without else 0.0)


@given(verdict_lists)
def test_under_inverse_an_unresolved_statement_never_raises_a_score_either(verdicts: list[Verdict]) -> None:
    policy = Policy(inverse=True)
    with_it, without = score(policy, [*verdicts, Verdict(99, "x", None, "missing")]), score(policy, verdicts)
    assert with_it is not None
    assert with_it.value <= (without.value if without else 0.0)


def test_weights_are_averaged_over_the_distinct_statements() -> None:
    verdicts = [Verdict(1, "a", "supported"), Verdict(2, "b", "partially_supported"), Verdict(3, "a", "supported", repeat_of=1)]
    once = score(Policy(), verdicts)
    each = score(Policy(dedupe=False), verdicts)
    assert (once and once.value, each and each.value) == (0.75, pytest.approx(2.5 / 3))


def test_a_clamp_lowers_and_never_raises() -> None:
    enforce = Policy(citations="enforce")
    audit = CitationAudit(uncited_claim_count=10, hallucination_detected=True)
    high = score(enforce, [Verdict(1, "a", "supported")], audit)
    low = score(enforce, [Verdict(1, "a", "not_enough_info")], audit)
    assert high is not None
    assert low is not None
    assert (high.value, high.raw, low.value, low.clamps) == (0.3, 1.0, 0.0, ())
    assert score(replace(enforce, citations="audit"), [Verdict(1, "a", "supported")], audit).value == 1.0


def test_a_contradiction_fails_whatever_the_score() -> None:
    verdicts = [Verdict(i, str(i), "supported") for i in range(9)] + [Verdict(9, "9", "contradicted")]
    assert not passes(Policy(), 0.9, verdicts)
    assert passes(Policy(fail_on=()), 0.9, verdicts)


def test_the_threshold_is_met_within_the_tolerance() -> None:
    assert passes(Policy(threshold=0.7), 0.7 - 1e-12, ())
    assert not passes(Policy(threshold=0.7), 0.7 - 1e-6, ())


WRONG: list[tuple[str, Any]] = [
    ("threshold", math.nan),
    ("threshold", 2),
    ("threshold", True),
    ("threshold", "0.5"),
    ("weights", {"contradicted": 1}),
    ("weights", {"supported": 1}),  # a contradiction fails, but has no weight
    ("verify", "twice"),
    ("truths_limit", 0),
    ("truths_limit", 1.5),
    ("dimensions", {"faithfulness": 1.0}),
    ("on_unreadable", -1),
    ("on_unreadable", "fail"),
    ("explain", "loudly"),
    ("headline", "none"),
    ("all_or_nothing", 1),
    ("weights", dict.fromkeys(SCORED, math.nan)),
    ("weights", dict.fromkeys(SCORED, math.inf)),
    ("weights", {**dict.fromkeys(SCORED, 1.0), "maybe": 1}),
    ("split", "words"),
    ("fail_on", ("contradictd",)),
    ("fail_on", "contradicted"),
    ("labels", {"no": "nope"}),
    ("on_abstained", "shrug"),
    ("on_no_context", 1.5),
    ("on_missing", "ignore"),
    ("dedupe", "yes"),
    ("joint", True),
    ("reasks", -1),
    ("reasks", 9),
    ("clamps", (0.4,)),
    ("clamps", (Clamp("uncited", 2.0),)),
    ("citations", "maybe"),
    ("guidance", 5),
    ("examples", (Example("c", "s", "nope"),)),
]


@pytest.mark.parametrize(("name", "value"), WRONG, ids=[f"{n}={v!r}"[:40] for n, v in WRONG])
def test_a_wrong_field_is_named(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=name if value != {"supported": 1} else "fail_on: 'contradicted' has no weight"):
        Policy(**{name: value})


def test_options_change_fields_and_plain_data_is_taken() -> None:
    policy = find_policy(
        "default",
        {"weights": {"partially_supported": 0.25}, "fail_on": [], "examples": [{"context": "c", "statement": "s", "label": "supported"}]},
        {},
    )
    assert policy.weights["partially_supported"] == 0.25
    assert policy.weights["supported"] == 1.0
    assert policy.fail_on == ()
    assert policy.examples == (Example("c", "s", "supported"),)


def test_unknown_names_come_with_a_suggestion() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'promptfoo'"):
        find_policy("promtfoo", {}, {})
    with pytest.raises(ConfigError, match="Did you mean 'inverse'"):
        find_policy("promptfoo", {}, {"invers": True})
    with pytest.raises(ConfigError, match="each takes context, statement, label"):
        find_policy("default", {"examples": [{"text": "x"}]}, {})


def test_a_policy_cannot_be_changed_in_place() -> None:
    with pytest.raises(TypeError):
        policies["default"].weights["supported"] = 2.0
    with pytest.raises(TypeError):
        policies["mine"] = Policy()


@pytest.mark.parametrize(("supported", "threshold"), [(2, 0.7), (2, 0.5), (1, 0.2), (1, 0.5), (4, 1.0), (0, 0.0)])
def test_inverse_passes_exactly_what_would_fail(supported: int, threshold: float) -> None:
    verdicts = [Verdict(i, str(i), "supported" if i < supported else "not_enough_info") for i in range(4)]
    plain, turned = Policy(threshold=threshold), Policy(threshold=threshold, inverse=True)
    one, other = score(plain, verdicts), score(turned, verdicts)
    assert one is not None
    assert other is not None
    assert other.value == 1 - one.value
    assert passes(turned, other.value, verdicts) != passes(plain, one.value, verdicts)
