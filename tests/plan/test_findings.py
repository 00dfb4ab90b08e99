"""What may be set aside, and one finding from those of all windows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert.plan.findings import (
    in_conflict,
    may_be_set_aside,
    merged,
    shows_conflict,
)
from faithfulness_assert.reading.reconcile import Finding
from faithfulness_assert.records.model import LABELS, Label

# The label of one window beats those of others in this order.
STRENGTH = (
    "supported",
    "partially_supported",
    "contradicted",
    "not_enough_info",
    "not_a_claim",
)


def finding(label: Label | None, *evidence: int, unresolved: str | None = None) -> Finding:
    return Finding(label, unresolved, evidence, "a quote", "a reason", ("a_flag",))  # type: ignore[arg-type]


# ---------------------------------------------------------------- of one ask


def test_courtesies_and_declines_may_be_set_aside_unless_they_name_something() -> None:
    aside = [
        "Let me know if you have questions.",
        "I don't know.",
        "I'm sorry.",
        "Good luck!",
        "Feel free to ask.",
    ]
    assert [sentence for sentence in aside if not may_be_set_aside(sentence)] == []
    named = ["Good luck in Paris!", "Good luck with all 12!", "Paris is large."]
    named += ["Feel free to ask Anna.", "Feel free to ask at 12."]
    assert [sentence for sentence in named if may_be_set_aside(sentence)] == []


# ---------------------------------------------------------------- of several windows

FINDINGS = st.builds(
    lambda label, evidence: finding(label, *evidence, unresolved=None if label else "missing"),
    st.sampled_from([*LABELS, None]),
    st.lists(st.integers(1, 5), max_size=2, unique=True),
)
BACKING = {"supported", "partially_supported", "not_a_claim"}


@given(st.lists(FINDINGS, max_size=4))
def test_the_strongest_window_decides_unless_windows_are_in_conflict_or_one_is_missing(
    found: list[Finding],
) -> None:
    one, labels = merged(found), {each.label for each in found}
    conflict = "contradicted" in labels and not labels.isdisjoint(BACKING)
    assert in_conflict(found) is conflict
    if conflict:
        assert one == Finding(unresolved="duplicate")
    elif "supported" not in labels and (None in labels or not found):
        assert (one.label, one.unresolved) == (None, "missing")
    else:
        assert one.label == next(label for label in STRENGTH if label in labels)
        equals = [each for each in found if each.label == one.label]
        evidence = dict.fromkeys(n for each in equals for n in each.evidence)
        assert one == equals[0]._replace(evidence=tuple(evidence))


@pytest.mark.parametrize("reason", ["duplicate", "invalid"])
@pytest.mark.parametrize("label", LABELS)
def test_a_window_that_contradicts_itself_leaves_the_statement_unresolved(
    reason: str, label: Label
) -> None:
    torn = finding(None, unresolved=reason)
    pair = [finding(label, 1), torn]
    assert merged(pair) == merged(pair[::-1]) == Finding(unresolved="duplicate")
    assert merged([torn]) is torn


@pytest.mark.parametrize("label", LABELS)
def test_a_window_whose_samples_disagree_leaves_the_statement_unresolved_and_says_so(
    label: Label,
) -> None:
    split = Finding(unresolved="split", reason="1 of 2 samples said supported")
    pair = [finding(label, 1), split]
    assert merged(pair) == merged(pair[::-1]) == split


def test_only_windows_that_both_name_evidence_show_their_conflict() -> None:
    assert shows_conflict([finding("supported", 1), finding("contradicted", 9)])
    assert not shows_conflict([finding("supported", 1), finding("contradicted")])
    assert not shows_conflict([finding("supported"), finding("contradicted", 9)])
    assert not shows_conflict([finding("supported", 1), finding("not_enough_info", 9)])
