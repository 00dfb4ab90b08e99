"""From verdicts to a result: what strict evidence lowers, what controls stop, and what is reported."""

from __future__ import annotations

import json
from typing import Any

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


def test_a_result_names_its_scores_its_coverage_and_the_places_of_its_verdicts() -> None:
    result = judged(entry(1, "supported", 1))
    assert result.named_scores == {"faithfulness": 0.5, "coverage": 0.5}
    assert (result.score, result.coverage) == (0.5, 0.5)
    assert [v.span for v in result.verdicts] == [(0, 23), (24, 48)]


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
