"""Findings of an ask, held against what it showed and allowed, and one finding from those of all windows."""

from __future__ import annotations

import pytest

from faithfulness_assert.plan.findings import (
    allowed,
    consistent,
    in_conflict,
    may_be_set_aside,
    merged,
    shown_only,
    shows_conflict,
)
from faithfulness_assert.reading.reconcile import INVALID, MISSING, Finding
from faithfulness_assert.records.model import LABELS, Label

CONFLICT = Finding(unresolved="duplicate")
SHOP, OFFER = "The shop is open daily.", "Let me know if you have questions."


def finding(label: Label | None, *evidence: int, unresolved: str | None = None) -> Finding:
    return Finding(label, unresolved, evidence, "a quote", "a reason", ("a_flag",))  # type: ignore[arg-type]


# ---------------------------------------------------------------- of one ask


def test_evidence_that_was_not_shown_is_left_out_and_flagged_once() -> None:
    found = finding("supported", 3, 97, 1, 98)
    expected = found._replace(evidence=(3, 1), flags=("a_flag", "no_such_evidence"))
    assert shown_only(found, {1, 2, 3}) == expected
    assert shown_only(found, set()).evidence == ()


def test_a_finding_whose_evidence_was_shown_stays_as_it_is() -> None:
    for found in (finding("supported", 3, 1), finding("contradicted"), MISSING):
        assert shown_only(found, {1, 2, 3}) is found


@pytest.mark.parametrize("label", LABELS)
def test_only_a_label_that_was_asked_for_counts(label: Label) -> None:
    found = finding(label, 1)
    assert allowed(OFFER, found, LABELS) is found
    assert allowed(OFFER, found, [one for one in LABELS if one != label]) == INVALID


def test_only_a_sentence_that_may_claim_nothing_is_set_aside() -> None:
    found = finding("not_a_claim")
    assert allowed(SHOP, found, LABELS) == INVALID
    assert allowed(OFFER, found, LABELS) is found
    for label in LABELS:
        if label != "not_a_claim":
            assert allowed(SHOP, finding(label), LABELS) == finding(label)


@pytest.mark.parametrize("reason", ["missing", "duplicate", "invalid"])
def test_why_there_is_no_label_stays(reason: str) -> None:
    found = finding(None, unresolved=reason)
    assert allowed(SHOP, found, ()) is found


@pytest.mark.parametrize(
    ("sentence", "aside"),
    [
        (OFFER, True),
        ("I don't know.", True),
        ("I'm sorry.", True),
        ("Good luck!", True),
        ("Good luck in Paris!", False),
        ("Good luck with all 12!", False),
        ("Feel free to ask.", True),
        ("Feel free to ask Anna.", False),
        ("Feel free to ask at 12.", False),
        ("Paris is large.", False),
    ],
)
def test_courtesies_and_declines_may_be_set_aside_unless_they_name_something(
    sentence: str, aside: bool
) -> None:
    assert may_be_set_aside(sentence) is aside


# ---------------------------------------------------------------- of several windows

DISPUTED = finding(None, 4, unresolved="duplicate")._replace(disputed=True)


def test_the_finding_of_one_window_stays_as_it_is() -> None:
    for found in (finding("supported", 1, 1), DISPUTED, INVALID, MISSING):
        assert merged([found]) is found
    assert merged([]) is MISSING


@pytest.mark.parametrize("reason", ["duplicate", "invalid"])
@pytest.mark.parametrize("label", LABELS)
def test_a_window_that_contradicts_itself_leaves_the_statement_unresolved(
    reason: str, label: Label
) -> None:
    pair = [finding(label, 1), finding(None, unresolved=reason)]
    assert merged(pair) == merged(pair[::-1]) == Finding(unresolved="duplicate")


def test_a_dispute_is_a_contradiction_beside_a_window_that_supports() -> None:
    assert in_conflict([finding("supported", 1), DISPUTED])
    assert shows_conflict([finding("supported", 1), DISPUTED])
    assert not in_conflict([finding("not_enough_info", 1), DISPUTED])
    assert not in_conflict([DISPUTED])
    assert not in_conflict([finding("supported", 1), finding("partially_supported", 2)])


def test_the_strongest_finding_keeps_its_words_and_gets_the_evidence_of_its_equals() -> None:
    first = finding("partially_supported", 5, 2)._replace(reason="first")
    second = finding("partially_supported", 2, 9)._replace(reason="second")
    found = merged([finding("not_enough_info", 1), first, second])
    assert found == first._replace(evidence=(5, 2, 9))


def test_a_missing_finding_counts_unless_a_window_supports_the_statement() -> None:
    missing = MISSING._replace(reason="not there")
    assert merged([finding("contradicted", 1), missing]) == missing
    assert merged([missing, finding("partially_supported", 1)]) == missing
    assert merged([missing, finding("supported", 1)]) == finding("supported", 1)
    assert merged([missing, MISSING]) == missing


# ---------------------------------------------------------------- of one text


TWICE = {1: SHOP, 2: OFFER, 3: "the shop is open  daily"}


@pytest.mark.parametrize("one", LABELS)
@pytest.mark.parametrize("other", LABELS)
def test_the_same_text_with_two_labels_credits_nothing(one: Label, other: Label) -> None:
    given = {1: finding(one, 1), 2: finding("supported", 2), 3: finding(other, 3)}
    found = consistent(given, TWICE)
    if one == other:
        assert found == given
    else:
        kept = [given[n] if given[n].label == "contradicted" else CONFLICT for n in (1, 3)]
        assert [found[1], found[3]] == kept
    assert found[2] == given[2]


def test_a_text_without_a_label_says_nothing_against_the_same_text_with_one() -> None:
    given = {1: finding("supported", 1), 3: MISSING}
    assert consistent(given, TWICE) == given
