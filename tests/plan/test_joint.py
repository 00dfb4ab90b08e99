"""A reply with claims and verdicts at once: each claim earns once, and only for its own sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes import ScriptedJudge, verdicts_json

from faithfulness_assert import GradingResult, grade

SHOP, DOGS = "The shop is open daily.", "Dogs are welcome inside."
BOTH = f"{SHOP} {DOGS}"
CONTEXT = "The shop is open daily. Nothing else is known."


def entry(
    number: int | None, claim: str, label: str = "supported", *evidence: int
) -> dict[str, Any]:
    return {"id": number, "claim": claim, "evidence": list(evidence), "label": label}


def judged(*entries: dict[str, Any], answer: str = BOTH, **more: Any) -> GradingResult:
    judge = ScriptedJudge([json.dumps({"verdicts": list(entries), **more})])
    options = {"policy": "default", "split": "claims", "joint": True, "reasks": 0}
    return grade(answer, CONTEXT, judge=judge, controls="off", **options)


def said(result: GradingResult) -> list[tuple[str, object]]:
    return [(v.statement, v.label or v.unresolved) for v in result.verdicts]


def test_the_claims_of_a_sentence_keep_their_order_and_its_place_in_the_answer() -> None:
    result = judged(
        entry(1, "The shop is open."),
        entry(1, "The shop opens daily.", "not_enough_info"),
        entry(2, DOGS, "contradicted"),
    )
    assert said(result) == [
        ("The shop is open.", "supported"),
        ("The shop opens daily.", "not_enough_info"),
        (DOGS, "contradicted"),
    ]
    assert [v.id for v in result.verdicts] == [1, 2, 3]
    assert [v.span for v in result.verdicts] == [(0, 23), (0, 23), (24, 48)]
    assert result.score == pytest.approx(1 / 3)


def test_a_claim_with_two_labels_is_unresolved_in_either_order() -> None:
    for labels in (("supported", "contradicted"), ("not_enough_info", "supported")):
        result = judged(entry(1, SHOP, labels[0]), entry(1, SHOP, labels[1]), entry(2, DOGS))
        assert said(result) == [(SHOP, "duplicate"), (DOGS, "supported")]


def test_a_claim_of_another_sentence_does_not_stand_for_the_one_that_it_names() -> None:
    for label in ("supported", "contradicted"):
        result = judged(entry(1, SHOP), entry(2, SHOP, label))
        assert said(result) == [(SHOP, "supported"), (DOGS, "missing")]
        result = judged(entry(1, SHOP), entry(2, SHOP, label), entry(2, DOGS))
        assert said(result) == [(SHOP, "supported"), (DOGS, "missing")]


def test_an_entry_without_a_claim_is_about_the_sentence_itself() -> None:
    result = judged(entry(1, " "), entry(2, "", "not_enough_info"))
    assert said(result) == [(SHOP, "supported"), (DOGS, "not_enough_info")]


def test_a_claim_is_set_aside_only_if_its_sentence_may_be() -> None:
    offer = "Would you like to know more?"
    result = judged(entry(1, SHOP), entry(2, offer, "not_a_claim"), answer=f"{SHOP} {offer}")
    assert said(result)[1] == (offer, "not_a_claim")
    result = judged(entry(1, SHOP), entry(2, "Are dogs welcome inside?", "not_a_claim"))
    assert said(result)[1][1] == "invalid"


def test_what_else_a_reply_says_makes_what_it_speaks_of_open() -> None:
    entries = [entry(1, SHOP), entry(2, DOGS)]
    for note, open_ones in (
        ("Statement 2 may be wrong.", {DOGS}),
        ("All of it is guesswork.", {SHOP, DOGS}),
    ):
        result = judged(*entries, note=note)
        assert {v.statement for v in result.verdicts if v.unresolved == "invalid"} >= open_ones
    quiet = judged(*entries, note="All statements are supported by the context.")
    assert [v.label for v in quiet.verdicts] == ["supported", "supported"]


@pytest.mark.parametrize("wrong", [97, 0, -1])
def test_evidence_that_was_not_shown_is_left_out_and_that_of_repeated_entries_is_joined(
    wrong: int,
) -> None:
    first, again = entry(1, SHOP, "supported", 2), entry(1, SHOP.upper(), "supported", 1)
    shop, dogs = judged(first, again, entry(2, DOGS, "supported", 1, wrong)).verdicts
    assert [e.sentence for e in shop.evidence] == [2, 1]
    assert [e.sentence for e in dogs.evidence] == [1]
    assert (shop.flags, dogs.flags) == ((), ("no_such_evidence",))


def test_a_sentence_without_an_entry_is_asked_about_again_alone() -> None:
    joint = json.dumps({"verdicts": [entry(1, SHOP)]})
    judge = ScriptedJudge([joint, verdicts_json({3: "contradicted"})])
    result = grade(BOTH, CONTEXT, judge=judge, policy="ragas", joint=True, controls="off")
    assert said(result) == [(SHOP, "supported"), (DOGS, "contradicted")]
    assert [(ask.kind, ask.payload.items) for ask in judge.asked] == [
        ("claims_and_verdicts", ((1, SHOP), (2, DOGS))),
        ("verdicts", ((3, DOGS),)),
    ]
