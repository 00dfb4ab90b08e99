"""A policy is checked when it is made; its score is a finite number in [0, 1]; and it is described."""

import copy
import json
import math
import pickle
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import rows

from faithfulness_assert import CitationAudit, ConfigError, Policy, Verdict, policies
from faithfulness_assert.policy.describe import asks, in_full, nothing_to_check
from faithfulness_assert.policy.load import find_policy
from faithfulness_assert.policy.policy import TAKES
from faithfulness_assert.policy.scoring import overall, passes, score
from faithfulness_assert.policy.values import (
    MAX_GUIDANCE_CHARS,
    SCORED,
    TOLERANCE,
    Example,
    ScoreCap,
)
from faithfulness_assert.records.model import LABELS

verdict_lists = st.lists(st.none() | st.sampled_from(LABELS), max_size=30).map(
    lambda found: [
        Verdict(i, f"s{i}", label, None if label else "missing") for i, label in enumerate(found, 1)
    ]
)
weights = st.fixed_dictionaries({label: st.floats(-1000, 1000) for label in SCORED})


@given(verdict_lists, weights, st.booleans(), st.booleans())
def test_a_score_is_finite_and_in_range_or_none(verdicts, weights, dedupe, inverse):
    outcome = score(Policy(weights=weights, dedupe=dedupe, inverse=inverse), verdicts)
    assert (outcome is None) == all(v.label == "not_a_claim" for v in verdicts)
    if outcome is not None:
        assert math.isfinite(outcome.value)
        assert 0 <= outcome.value <= 1


@given(verdict_lists)
def test_an_unresolved_statement_never_raises_a_score(verdicts):
    for policy in (*policies.values(), Policy(inverse=True)):
        known = [v for v in verdicts if v.label in (None, "not_a_claim", *policy.judged)]
        with_it = score(policy, [*known, Verdict(99, "x", None, "missing")])
        without = score(policy, known)
        assert with_it.value <= (without.value if without else 0.0)


def test_a_score_cap_lowers_and_never_raises_and_is_reported_only_if_it_lowers():
    enforce = Policy(citations="enforce")
    audit = CitationAudit(uncited_claim_count=10, hallucination_detected=True)
    high = score(enforce, [Verdict(1, "a", "supported")], audit)
    low = score(enforce, [Verdict(1, "a", "not_enough_info")], audit)
    assert (high.value, high.raw, high.score_caps[-1]) == (0.3, 1.0, ScoreCap("uncited", 0.3, 10))
    assert (low.value, low.score_caps) == (0.0, ())
    for policy, found in ((replace(enforce, citations="audit"), audit), (enforce, None)):
        assert score(policy, [Verdict(1, "a", "supported")], found).value == 1.0
    partly = [Verdict(1, "a", "partially_supported")]
    equal = score(enforce, partly, CitationAudit(uncited_claim_count=5))
    assert (equal.value, equal.score_caps) == (0.5, ())


def test_at_the_tolerance_itself_a_score_passes_and_is_whole():
    assert passes(Policy(threshold=0.5), 0.5 - TOLERANCE, ())
    assert not passes(Policy(threshold=0.5), 0.5 - 2 * TOLERANCE, ())
    assert not passes(Policy(threshold=0.5, inverse=True), 1.0 - (0.5 - TOLERANCE / 2), ())
    assert passes(Policy(threshold=0.5, inverse=True), 1.0 - (0.5 - 2 * TOLERANCE), ())
    one = [Verdict(1, "a", "supported")]
    almost, less = (
        score(Policy(all_or_nothing=True, weights={"supported": weight}, fail_on=()), one)
        for weight in (1.0 - TOLERANCE, 1.0 - 2 * TOLERANCE)
    )
    assert [s and s.value for s in (almost, less)] == [1.0 - TOLERANCE, 0.0]


def test_a_nan_never_becomes_a_score():
    ratings = dict.fromkeys(policies["masis"].dimensions, math.nan)
    with pytest.raises(ValueError, match=r"^a score must be finite$"):
        overall(policies["masis"], ratings)


@pytest.mark.parametrize(
    "policy", [*policies.values(), Policy(name="mine", labels={"ok": "supported"})]
)
def test_a_policy_is_the_same_after_copying_and_pickling_and_cannot_be_changed(policy):
    with pytest.raises(TypeError):
        policies[policy.name] = policy
    for twin in (policy, copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
        assert (twin, hash(twin)) == (policy, hash(policy))
        with pytest.raises(TypeError):
            twin.weights["supported"] = 2.0


MISTAKES = [row for row in rows("policy_mistakes") if "fields" in row]


@pytest.mark.parametrize("row", MISTAKES, ids=[row["message"][:50] for row in MISTAKES])
def test_the_message_names_the_field_and_says_what_is_wrong(row):
    fields = row["fields"]
    with pytest.raises(ConfigError) as caught:
        Policy(**{name: TAKES[name].from_data(value, {}) for name, value in fields.items()})
    named = f"policy {fields.get('name', 'default')!r}: "
    assert str(caught.value).removeprefix(named) == row["message"]


def test_a_guidance_that_is_too_long_and_an_example_that_is_not_a_text_are_named():
    with pytest.raises(ConfigError, match="guidance: must be a text of at most 20,000 characters"):
        Policy(guidance="x" * (MAX_GUIDANCE_CHARS + 1))
    with pytest.raises(ConfigError, match=r"^examples: statement must be a string, got int$"):
        Example("c", 5, "supported")


@pytest.mark.parametrize("name", sorted(policies))
def test_a_policy_in_full_shows_its_threshold_and_its_deviations_in_words(name):
    policy = policies[name]
    lines = list(in_full(policy))
    assert lines[0] == f"asks: {asks(policy)}"
    assert f"nothing to check: {nothing_to_check(policy)}" in lines
    assert f"threshold: {policy.threshold}" in lines
    assert policy.dimensions or any(line.startswith("fail_on: ") for line in lines)
    assert [
        line.removeprefix("differs: ") for line in lines if line.startswith("differs: ")
    ] == list(policy.deviations)


def test_fields_of_your_own_are_shown_as_a_policy_file_has_them():
    policy = Policy(
        weights={
            "supported": 1,
            "partially_supported": 0.25,
            "not_enough_info": 0,
            "contradicted": 0,
        },
        hedges=("perhaps",),
        labels={"nope": "contradicted", "nah": "contradicted", "aye": "supported"},
        score_caps=(ScoreCap("uncited", 0.25, 3),),
        citations="enforce",
        examples=(Example("The rate is 2 %.", "The rate is low.", "not_enough_info"),),
        reasons="all",
        fail_on=(),
    )
    lines = list(in_full(policy))
    assert 'labels: {"nope": "contradicted", "nah": "contradicted", "aye": "supported"}' in lines
    assert 'score_caps: [{"finding": "uncited", "ceiling": 0.25, "at_least": 3}]' in lines
    assert {'reasons: "all"', "fail_on: []"} <= set(lines)
    names = {line.partition(":")[0] for line in lines}
    own = {line.partition(":")[0]: json.loads(line.partition(": ")[2]) for line in lines[1:-1]}
    assert find_policy({**own, "name": "default", "summary": ""}, {}, {}) == policy
    assert names == {*own, "asks", "nothing to check"}
