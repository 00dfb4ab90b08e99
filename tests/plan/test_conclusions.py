"""From verdicts to a result: what strict evidence lowers, what controls stop, and what is reported."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faithfulness_assert import Ask, CitationAudit, GradingResult, JudgeError, Reply, grade
from faithfulness_assert.records.model import Verdict

SHOP, DOGS = "The shop is open daily.", "Dogs are welcome inside."
CONTEXT = "The shop is open daily. Dogs are welcome inside. Nothing else is known."


class Saying:
    """Gives the same entries to each ask."""

    def __init__(self, *entries: dict[str, Any]) -> None:
        self.entries = entries

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        wanted = [entry for entry in self.entries if entry["id"] in ask.ids]
        return Reply(json.dumps({"verdicts": wanted}))


def entry(number: int, label: str = "supported", *evidence: int, **more: str) -> dict[str, Any]:
    return {"id": number, "evidence": list(evidence), "label": label, **more}


def judged(
    *entries: dict[str, Any], answer: str = f"{SHOP} {DOGS}", **options: Any
) -> GradingResult:
    options = {"policy": "default", "controls": "off", "reasks": 0, **options}
    return grade(answer, CONTEXT, judge=Saying(*entries), **options)


@pytest.mark.parametrize(
    ("said", "flags"),
    [
        (entry(1, "supported"), ("lowered",)),
        (entry(1, "supported", 1, 97), ("no_such_evidence", "lowered")),
        (entry(1, "supported", 1, quote="It is open daily."), ("no_such_quote", "lowered")),
        (
            entry(1, "supported", 97, quote="It is open daily."),
            ("no_such_evidence", "no_such_quote", "lowered"),
        ),
    ],
)
def test_strict_evidence_lowers_what_is_supported_by_nothing_that_exists(
    said: dict[str, Any], flags: tuple[str, ...]
) -> None:
    result = judged(said, answer=SHOP, strict_evidence=True)
    assert (result.verdicts[0].label, result.verdicts[0].flags) == ("not_enough_info", flags)
    loose = judged(said, answer=SHOP)
    assert (loose.verdicts[0].label, loose.verdicts[0].flags) == ("supported", flags[:-1])


def test_strict_evidence_leaves_proven_and_other_labels_alone() -> None:
    result = judged(entry(1, "supported", 1), entry(2, "contradicted"), strict_evidence=True)
    assert [(v.label, v.flags) for v in result.verdicts] == [
        ("supported", ()),
        ("contradicted", ()),
    ]


def test_strict_evidence_never_helps_an_inverted_result() -> None:
    result = judged(entry(1), answer=SHOP, strict_evidence=True, inverse=True)
    assert (result.verdicts[0].label, result.pass_) == ("supported", False)


def test_one_quote_among_several_verdicts_is_resolved() -> None:
    result = judged(entry(1, "supported", 1), entry(2, "supported", quote="Dogs are"))
    assert [[e.sentence for e in v.evidence] for v in result.verdicts] == [[1], [2]]


def test_a_result_names_its_scores_its_coverage_and_the_places_of_its_verdicts() -> None:
    result = judged(entry(1, "supported", 1))
    assert result.named_scores == {"faithfulness": 0.5, "coverage": 0.5}
    assert (result.score, result.coverage) == (0.5, 0.5)
    assert [v.span for v in result.verdicts] == [(0, 23), (24, 48)]


def test_an_answer_of_which_all_is_set_aside_has_no_statements_unless_one_is_missing() -> None:
    answer = "Would you like to know more? Let me know if you need help."
    aside = judged(entry(1, "not_a_claim"), entry(2, "not_a_claim"), answer=answer)
    assert (aside.status, aside.defined, aside.pass_) == ("no_statements", False, False)
    assert aside.reason == "Nothing to check: the judge finds no claim in the answer."
    half = judged(entry(1, "not_a_claim"), answer=answer)
    assert (half.status, half.defined) == ("unreadable", False)
    silent = judged()
    assert (silent.status, silent.coverage, silent.defined) == ("unreadable", 0.0, False)


def test_a_missing_verdict_is_an_error_only_where_the_policy_says_so() -> None:
    result = judged(entry(1, "supported", 1), on_missing="error")
    assert (result.status, result.defined) == ("unreadable", False)
    assert "1 of 2 statements got no valid verdict" in str(result.reason)
    assert judged(entry(1, "supported", 1), entry(2), on_missing="error").status == "graded"


def test_a_failed_control_stops_a_grade_only_if_controls_are_enforced() -> None:
    class AllSupported:
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            return Reply(json.dumps({"verdicts": [entry(n, "supported", 1) for n in ask.ids]}))

    context = ["The shop in the harbour sells 25 loaves of bread.", SHOP]
    options: dict[str, Any] = {"judge": AllSupported(), "policy": "default"}
    enforced = grade(SHOP, context, controls="enforce", **options)
    assert (enforced.status, enforced.pass_) == ("unreadable", False)
    assert enforced.error is not None
    assert enforced.error.kind == "unreliable_judge"
    assert "control" in enforced.error.message
    reported = grade(SHOP, context, controls="report", **options)
    assert (reported.status, reported.score) == ("graded", 1.0)


# ---------------------------------------------------------------- what a result tells


def test_a_verdict_has_its_number_text_place_evidence_reason_and_flags() -> None:
    answer = f"{SHOP} {DOGS} {SHOP}"
    said = [entry(1, "supported", 1, reason="It says so."), entry(2, "contradicted", 2, 97)]
    first, second, third = judged(*said, answer=answer).verdicts
    shop = first.evidence[0]
    assert (shop.sentence, shop.text) == (1, SHOP)
    assert first == Verdict(1, SHOP, "supported", None, (shop,), "It says so.", (0, 23), None, ())
    assert (second.span, second.flags, second.repeat_of) == ((24, 48), ("no_such_evidence",), None)
    assert (third.id, third.repeat_of, third.span, third.label) == (3, 1, (49, 72), "supported")


def test_a_cap_is_told_with_the_score_before_it() -> None:
    said, audit = (entry(1, "supported", 1), entry(2, "supported", 2)), CitationAudit(("c9",))
    result = judged(*said, citations="enforce", citation_audit=audit)
    [cap] = result.metadata["scoreCaps"]
    assert (result.metadata["rawScore"], cap["ceiling"], result.score) == (1.0, result.score, 0.4)
    assert (cap["finding"], cap["atLeast"]) == ("invalid_citations", 1)
    free = judged(*said, citations="audit", citation_audit=audit)
    assert free.metadata.keys().isdisjoint({"scoreCaps", "rawScore", "truths"})
    assert free.metadata["calculation"] == "(2 × 1) / 2 = 1"


def test_the_reason_is_none_where_nobody_wants_one_and_says_what_failed_asks_left_open() -> None:
    assert judged(entry(1, "supported", 1), explain="none").reason is None

    class HalfFailing:
        asked = 0

        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            if self.asked:
                raise JudgeError("it is down", "server", retryable=True)
            self.asked += 1
            return Reply(json.dumps({"verdicts": [entry(1, "not_enough_info")]}))

    options: dict[str, Any] = {"policy": "default", "controls": "off"}
    result = grade(f"{SHOP} {DOGS}", CONTEXT, judge=HalfFailing(), **options, threshold=0.9)
    assert (result.status, result.pass_) == ("graded", False)
    open_one = "1 of 2 statements have no verdict because an ask failed (server: it is down)"
    assert f"{open_one}, but the outcome does not depend on that." in str(result.reason)
    options["on_failed"] = "unsupported"
    counted = grade(f"{SHOP} {DOGS}", CONTEXT, judge=HalfFailing(), **options)
    assert f"{open_one}; they count as unsupported." in str(counted.reason)


def test_the_judges_own_reason_comes_last_and_is_cut() -> None:
    class Explaining(Saying):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            if ask.kind == "reason":
                return Reply(json.dumps({"reason": "Because of it. " * 200}))
            return super().ask(ask)

    judge = Explaining(entry(1, "supported", 1), entry(2, "supported", 2))
    options: dict[str, Any] = {"policy": "default", "controls": "off", "explain": "judge"}
    result = grade(f"{SHOP} {DOGS}", CONTEXT, judge=judge, **options)
    plain = judged(*judge.entries).reason or ""
    assert (result.reason or "").startswith(f"{plain} Because of it.")
    assert 500 < len(result.reason or "") - len(plain) <= 601
