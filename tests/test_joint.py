"""A reply with claims and verdicts at once: each claim earns once, and only for its own sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faithfulness_assert import Ask, GradingResult, Reply, grade

SHOP, DOGS = "The shop is open daily.", "Dogs are welcome inside."
BOTH = f"{SHOP} {DOGS}"
CONTEXT = "The shop is open daily. Nothing else is known."


class Saying:
    """Gives the replies in turn, then empty ones."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.asked: list[Ask] = []

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.asked.append(ask)
        said = self.replies.pop(0) if self.replies else {"verdicts": []}
        return Reply(json.dumps(said))


def entry(
    number: int | None, claim: str, label: str = "supported", *evidence: int
) -> dict[str, Any]:
    return {"id": number, "claim": claim, "evidence": list(evidence), "label": label}


def judged(*entries: dict[str, Any], answer: str = BOTH, **options: Any) -> GradingResult:
    options = {"policy": "ragas", "joint": True, "controls": "off", "reasks": 0, **options}
    return grade(answer, CONTEXT, judge=Saying({"verdicts": list(entries)}), **options)


def said(result: GradingResult) -> list[tuple[str, object]]:
    return [(v.statement, v.label or v.unresolved) for v in result.verdicts]


def test_the_claims_of_a_sentence_keep_their_order_and_its_place_in_the_answer() -> None:
    result = judged(
        entry(1, "The shop is open."),
        entry(1, "It opens daily.", "not_enough_info"),
        entry(2, DOGS, "contradicted"),
    )
    assert said(result) == [
        ("The shop is open.", "supported"),
        ("It opens daily.", "not_enough_info"),
        (DOGS, "contradicted"),
    ]
    assert [v.id for v in result.verdicts] == [1, 2, 3]
    assert [v.span for v in result.verdicts] == [(0, 23), (0, 23), (24, 48)]
    assert result.score == pytest.approx(1 / 3)


def test_a_claim_that_a_reply_repeats_counts_once() -> None:
    result = judged(entry(1, SHOP), entry(1, SHOP.upper()), entry(2, DOGS, "not_enough_info"))
    assert said(result) == [(SHOP, "supported"), (DOGS, "not_enough_info")]
    assert result.score == 0.5


def test_a_claim_with_two_labels_is_unresolved_in_either_order() -> None:
    for labels in (("supported", "contradicted"), ("not_enough_info", "supported")):
        result = judged(entry(1, SHOP, labels[0]), entry(1, SHOP, labels[1]), entry(2, DOGS))
        assert said(result) == [(SHOP, "duplicate"), (DOGS, "supported")]


def test_an_entry_for_a_sentence_that_was_not_asked_speaks_against_the_same_claim() -> None:
    result = judged(entry(1, SHOP), entry(2, DOGS), entry(3, DOGS, "contradicted"))
    assert said(result) == [(SHOP, "supported"), (DOGS, "duplicate")]
    assert any(
        "1 entries" in warning or "1 entry" in warning for warning in result.metadata["warnings"]
    )


def test_an_entry_for_a_sentence_that_was_not_asked_earns_nothing() -> None:
    result = judged(entry(1, SHOP), entry(2, DOGS, "not_enough_info"), entry(9, "All is well."))
    assert (len(result.verdicts), result.score) == (2, 0.5)


def test_a_claim_of_another_sentence_does_not_stand_for_the_one_that_it_names() -> None:
    result = judged(entry(1, SHOP), entry(2, SHOP))
    assert said(result) == [(SHOP, "supported"), (DOGS, "missing")]
    result = judged(entry(1, SHOP), entry(2, SHOP, "contradicted"), entry(2, DOGS))
    assert said(result) == [(SHOP, "duplicate"), (DOGS, "supported")]


def test_an_entry_without_a_claim_is_about_the_sentence_itself() -> None:
    result = judged(entry(1, " "), entry(2, "", "not_enough_info"))
    assert said(result) == [(SHOP, "supported"), (DOGS, "not_enough_info")]


def test_a_claim_in_the_judges_words_is_set_aside_only_if_its_sentence_may_be() -> None:
    result = judged(
        entry(1, SHOP),
        entry(2, "Are dogs welcome inside?", "not_a_claim"),
        policy="default",
        split="claims",
    )
    assert said(result)[1][1] == "invalid"


def test_evidence_that_was_not_shown_is_flagged() -> None:
    result = judged(entry(1, SHOP, "supported", 1, 97), entry(2, DOGS, "not_enough_info"))
    assert [e.sentence for e in result.verdicts[0].evidence] == [1]
    assert "no_such_evidence" in result.verdicts[0].flags


@pytest.mark.parametrize("wrong", [97, 0, -1])
def test_evidence_of_a_repeated_entry_that_was_not_shown_is_left_out(wrong: int) -> None:
    result = judged(
        entry(1, SHOP, "supported", 1),
        entry(1, SHOP, "supported", wrong),
        entry(2, DOGS, "not_enough_info"),
    )
    assert [e.sentence for e in result.verdicts[0].evidence] == [1]


def test_entries_that_agree_name_the_evidence_of_all() -> None:
    result = judged(entry(1, SHOP, "supported", 2), entry(1, SHOP, "supported", 1), entry(2, DOGS))
    assert [e.sentence for e in result.verdicts[0].evidence] == [2, 1]


def test_a_sentence_without_an_entry_is_asked_about_again_alone() -> None:
    judge = Saying(
        {"verdicts": [entry(1, SHOP)]},
        {"verdicts": [{"id": 2, "evidence": [], "label": "contradicted"}]},
    )
    result = grade(BOTH, CONTEXT, judge=judge, policy="ragas", joint=True, controls="off")
    assert said(result) == [(SHOP, "supported"), (DOGS, "contradicted")]
    assert [(ask.kind, ask.ids) for ask in judge.asked] == [
        ("claims_and_verdicts", (1, 2)),
        ("verdicts", (2,)),
    ]


def test_entries_without_numbers_earn_nothing_and_speak_against_what_they_repeat() -> None:
    result = judged(entry(1, SHOP), entry(2, DOGS), {"claim": SHOP, "label": "contradicted"})
    assert said(result)[0] == (SHOP, "duplicate")
