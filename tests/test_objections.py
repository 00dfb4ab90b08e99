"""A later reply that denies what an earlier one supported takes it back; it never earns anything."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faithfulness_assert import Ask, GradingResult, JudgeError, Policy, Reply, grade, policies
from faithfulness_assert.asking.prompt import make_ask
from faithfulness_assert.asking.windows import Budget
from faithfulness_assert.plan.objections import unless_objected, with_objections
from faithfulness_assert.plan.state import Job, State, VerdictsKnown
from faithfulness_assert.reading import read
from faithfulness_assert.reading.reconcile import INVALID, MISSING, Finding
from faithfulness_assert.records.ask import Payload
from faithfulness_assert.records.case import Case
from faithfulness_assert.records.judge import Limits
from faithfulness_assert.records.model import Label, Statement

SHOP, DOGS = "The shop is open daily.", "Dogs are welcome inside."
CONTEXT = "The shop is open daily. Nothing else is known."


class Saying:
    """Gives the replies in turn, then empty ones."""

    def __init__(self, *replies: Any, limits: Limits | None = None) -> None:
        self.replies, self.limits = list(replies), limits or Limits()
        self.asked: list[Ask] = []

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.asked.append(ask)
        said = self.replies.pop(0) if self.replies else []
        if isinstance(said, Exception):
            raise said
        if isinstance(said, Reply):
            return said
        return Reply(said if isinstance(said, str) else json.dumps({"verdicts": said}))


def entry(number: int | None = None, label: str = "supported", text: str = "") -> dict[str, Any]:
    named = {} if number is None else {"id": number}
    return {**named, **({"statement": text} if text else {}), "evidence": [1], "label": label}


def judged(*replies: Any, answer: str = f"{SHOP} {DOGS}", **options: Any) -> GradingResult:
    options = {"policy": "promptfoo-plan", "controls": "off", **options}
    return grade(answer, CONTEXT, judge=Saying(*replies), **options)


def said(result: GradingResult) -> list[object]:
    return [v.label or v.unresolved for v in result.verdicts]


# ---------------------------------------------------------------- a re-ask speaks of what it is not about


@pytest.mark.parametrize("label", ["contradicted", "not_enough_info", "partially_supported"])
def test_a_re_ask_that_denies_another_statement_takes_its_credit_back(label: str) -> None:
    result = judged([entry(1)], [entry(1, label), entry(2, "not_enough_info")], policy="default")
    assert said(result) == ["duplicate", "not_enough_info"]


def test_a_re_ask_that_says_the_same_or_better_of_another_statement_changes_nothing() -> None:
    assert said(judged([entry(1)], [entry(1), entry(2)])) == ["supported", "supported"]
    result = judged([entry(1, "not_enough_info")], [entry(1), entry(2)])
    assert said(result) == ["not_enough_info", "supported"]


def test_a_re_ask_names_another_statement_by_its_text_too() -> None:
    again = [entry(None, "contradicted", SHOP.upper()), entry(2)]
    assert said(judged([entry(1)], again)) == ["duplicate", "supported"]
    again = [entry(9, "contradicted", SHOP), entry(2)]
    assert said(judged([entry(1)], again)) == ["duplicate", "supported"]


def test_the_text_of_the_statement_that_is_asked_about_denies_no_other() -> None:
    again = [entry(2, "not_enough_info", DOGS)]
    assert said(judged([entry(1)], again)) == ["supported", "not_enough_info"]


def test_an_unknown_number_or_text_denies_nothing() -> None:
    again = [entry(7, "contradicted"), entry(None, "contradicted", "Cats too."), entry(2)]
    assert said(judged([entry(1)], again)) == ["supported", "supported"]


def test_the_lowest_of_several_denials_counts_in_either_order() -> None:
    for labels in (("supported", "contradicted"), ("contradicted", "supported")):
        again = [*(entry(1, label) for label in labels), entry(2)]
        assert said(judged([entry(1)], again)) == ["duplicate", "supported"], labels


def test_a_label_that_fails_a_case_denies_one_of_the_same_weight_that_does_not() -> None:
    again = [entry(1, "contradicted"), entry(2)]
    options = {"policy": "default", "fail_on": ("contradicted",)}
    assert said(judged([entry(1, "not_enough_info")], again, **options))[0] == "duplicate"
    assert said(judged([entry(1, "not_enough_info")], again, fail_on=()))[0] == "not_enough_info"


def test_under_inverse_a_denial_is_a_label_that_weighs_more() -> None:
    again = [entry(1), entry(2, "not_enough_info")]
    first = [entry(1, "not_enough_info")]
    assert said(judged(first, again, inverse=True)) == ["duplicate", "not_enough_info"]
    assert said(judged([entry(1)], [entry(1, "contradicted"), entry(2)], inverse=True)) == [
        "supported",
        "supported",
    ]


# ---------------------------------------------------------------- asks about single statements


def singly(*replies: Any, policy: str = "axion", **options: Any) -> GradingResult:
    """Each statement is asked about alone, from the first ask on."""
    options = {"verify": "per_claim", "split": "sentences", "controls": "off", **options}
    return grade(f"{SHOP} {DOGS}", CONTEXT, judge=OneByOne(*replies), policy=policy, **options)


class OneByOne(Saying):
    """Gives the reply for the number that is asked about; afterwards empty ones."""

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.asked.append(ask)
        (number,) = ask.ids
        said, self.replies[number - 1] = self.replies[number - 1], []
        return Reply(json.dumps({"verdicts": said}))


def test_a_judge_may_call_each_single_statement_1_if_it_always_does() -> None:
    assert said(singly([entry(1)], [entry(1, "not_enough_info")])) == [
        "supported",
        "not_enough_info",
    ]


def test_a_1_is_not_another_number_where_the_judge_also_uses_the_real_ones() -> None:
    assert said(singly([entry(2)], [entry(1)], reasks=0))[1] == "missing"
    result = singly([entry(1)], [entry(1), entry(2, "not_enough_info")], reasks=0)
    assert said(result) == ["supported", "not_enough_info"]


def test_two_entries_for_one_single_statement_are_not_both_about_it() -> None:
    result = singly([entry(1)], [entry(1), entry(1, "contradicted")], reasks=0)
    assert said(result)[1] != "supported"


def test_a_re_ask_about_one_statement_does_not_take_a_1_for_it() -> None:
    same = [entry(1)]
    assert said(judged(same, same)) == ["supported", "missing"]
    result = judged(same, same, same, reask_singly=True)
    assert said(result) == ["supported", "missing"]


# ---------------------------------------------------------------- replies without numbers


def test_a_prefix_is_filled_by_the_first_ask_only() -> None:
    prefix = "Final verdict for each statement in order: Yes."
    assert said(judged(prefix, prefix)) == ["supported", "missing"]
    assert said(judged(prefix, "Final verdict for each statement in order: Yes. Yes.")) == [
        "supported",
        "missing",
    ]
    assert said(judged(prefix, [entry(2)])) == ["supported", "supported"]


def test_a_re_ask_of_what_a_numbered_reply_left_out_may_be_answered_by_position() -> None:
    assert said(judged([entry(1)], "Yes.")) == ["supported", "supported"]


def test_a_policy_without_prefixes_matches_by_position_only_if_the_counts_agree() -> None:
    prefix = "Final verdict for each statement in order: Yes."
    assert said(judged(f"{prefix} No.", policy="default")) == ["supported", "not_enough_info"]
    result = judged(prefix, policy="default", reasks=0)
    assert (result.status, result.score) == ("unreadable", 0.0)


# ---------------------------------------------------------------- what failed asks leave


def test_a_re_ask_that_fails_leaves_the_first_findings_as_they_are() -> None:
    failed = JudgeError("it failed.", "server", retryable=True)
    result = judged([entry(1)], failed, threshold=0.5)
    assert (said(result), result.score) == (["supported", "missing"], 0.5)


class CutOffAtFirst(OneByOne):
    """The reply about both statements is cut off. Then each is answered alone."""

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        if len(ask.ids) == 2:
            return Reply("{", finish_reason="length")
        if isinstance(self.replies[ask.ids[0] - 1], Exception):
            raise self.replies[ask.ids[0] - 1]
        return super().ask(ask, deadline=deadline)


def test_what_was_answered_at_last_is_no_longer_counted_as_failed() -> None:
    options: dict[str, Any] = {
        "policy": "promptfoo-plan",
        "controls": "off",
        "threshold": 0.8,
        "reask_singly": True,
    }
    judge = CutOffAtFirst([entry(1)], [entry(2)])
    result = grade(f"{SHOP} {DOGS}", CONTEXT, judge=judge, **options)
    assert (said(result), result.status) == (["supported", "supported"], "graded")
    judge = CutOffAtFirst([entry(1)], JudgeError("it failed.", "server"))
    result = grade(f"{SHOP} {DOGS}", CONTEXT, judge=judge, **options)
    assert (said(result), result.status) == (["supported", "missing"], "judge_failed")
    assert "1 of 2 statements" in str(result.reason)


def test_a_refused_ask_is_not_asked_again_and_an_unreadable_one_is() -> None:
    for first, asks in (
        ("I am.", 2),
        (JudgeError("no", "refusal"), 1),
        (JudgeError("x", "server"), 1),
    ):
        judge = Saying(first, [entry(1), entry(2)])
        grade(f"{SHOP} {DOGS}", CONTEXT, judge=judge, policy="promptfoo-plan", controls="off")
        assert len(judge.asked) == asks, first


def test_entries_for_nothing_that_was_asked_are_ignored_with_a_warning() -> None:
    result = judged([entry(1), entry(2), entry(8), entry(9)])
    assert said(result) == ["supported", "supported"]
    assert any(warning.startswith("2 ") for warning in result.metadata["warnings"])


# ---------------------------------------------------------------- what may be set aside


def test_each_sentence_decides_for_itself_whether_it_may_be_set_aside() -> None:
    entries = [entry(1, "not_a_claim"), entry(2, "not_a_claim")]
    result = judged(
        entries, answer=f"Would you like to know more? {SHOP}", policy="default", reasks=0
    )
    assert said(result) == ["not_a_claim", "invalid"]


def test_a_claim_that_is_worded_as_a_question_is_set_aside_only_if_its_sentence_may_be() -> None:
    claims = json.dumps(
        {
            "sentences": [
                {"id": 1, "claims": [SHOP]},
                {"id": 2, "claims": ["Are dogs welcome inside?"]},
            ]
        }
    )
    judge = Saying(claims, [entry(1), entry(2, "not_a_claim")])
    options: dict[str, Any] = {
        "policy": "default",
        "split": "claims",
        "controls": "off",
        "reasks": 0,
    }
    result = grade(f"{SHOP} {DOGS}", CONTEXT, judge=judge, **options)
    assert said(result) == ["supported", "invalid"]


# ---------------------------------------------------------------- windows

DUPLICATE = Finding(unresolved="duplicate")


def supported(label: Label = "supported") -> Finding:
    return Finding(label, None, (1,))


def after_objections(
    *entries: dict[str, Any],
    window: int | None,
    asked: tuple[tuple[int, str], ...] = ((2, DOGS),),
    policy: Policy = policies["default"],
) -> VerdictsKnown:
    """What is known of two statements in two windows and a widened ask, all supported before."""
    cells = {(w, n): supported() for w in (0, 1) for n in (1, 2)}
    statements = (Statement(1, SHOP), Statement(2, DOGS))
    known = VerdictsKnown(statements, {1: 1, 2: 2}, cells, {1: supported()})
    state = State(Case(SHOP, [SHOP]), policy, Budget(len, Limits()), verdicts=known)
    job = Job(make_ask("verdicts", policy, Payload(asked)), window)
    said = read(json.dumps({"verdicts": list(entries)}), policy.labels).verdicts
    return with_objections(state, job, said).verdicts


def taken_back(known: VerdictsKnown) -> list[object]:
    cells = [cell for cell, found in known.by_window.items() if found == DUPLICATE]
    return cells + [n for n, found in known.widened.items() if found == DUPLICATE]


def test_a_contradiction_takes_back_the_findings_of_all_windows() -> None:
    for window in (0, 1, None):
        known = after_objections(entry(1, "contradicted"), window=window)
        assert taken_back(known) == [(0, 1), (1, 1), 1]


def test_any_other_denial_takes_back_those_of_its_own_window_and_of_asks_over_windows() -> None:
    for label in ("not_enough_info", "partially_supported"):
        assert taken_back(after_objections(entry(1, label), window=0)) == [(0, 1), 1]
        assert taken_back(after_objections(entry(1, label), window=1)) == [(1, 1), 1]
        assert taken_back(after_objections(entry(1, label), window=None)) == [(0, 1), (1, 1), 1]


def test_what_an_ask_is_about_is_no_objection_in_other_windows_by_number_or_text() -> None:
    for own in (
        entry(2, "contradicted"),
        entry(None, "contradicted", DOGS),
        entry(2, "contradicted", DOGS),
    ):
        assert taken_back(after_objections(own, window=0)) == []
    one_of_two = (entry(None, "contradicted", DOGS), entry(None, "contradicted", SHOP))
    assert taken_back(after_objections(*one_of_two, window=0)) == [(0, 1), (1, 1), 1]


def test_a_finding_without_a_label_has_nothing_to_take_back() -> None:
    known = after_objections(entry(1, "contradicted"), window=0)
    assert known.by_window[0, 2] == supported()
    again = after_objections(entry(1, "not_a_claim"), entry(9, "contradicted"), window=0)
    assert taken_back(again) == []


def test_what_is_asked_about_an_answer_that_says_a_thing_twice_objects_to_both() -> None:
    cells = {(0, n): supported() for n in (1, 3)}
    statements = (Statement(1, SHOP), Statement(2, DOGS), Statement(3, SHOP))
    known = VerdictsKnown(statements, {1: 1, 2: 2, 3: 3}, cells)
    policy = policies["default"]
    state = State(Case(SHOP, [SHOP]), policy, Budget(len, Limits()), verdicts=known)
    job = Job(make_ask("verdicts", policy, Payload(((2, DOGS),))), 0)
    said = read(json.dumps([entry(None, "contradicted", SHOP)]), policy.labels).verdicts
    assert taken_back(with_objections(state, job, said).verdicts) == [(0, 1), (0, 3)]


def test_a_contradiction_of_no_statement_objects_to_all_that_the_window_leaves_open() -> None:
    def left(*findings: Finding) -> list[Finding]:
        reply = json.dumps([entry(9, "contradicted"), entry(8)])
        entries = read(reply, policies["default"].labels).verdicts
        return list(unless_objected(entries, dict(enumerate(findings, 1))).values())

    disputed = Finding(unresolved="duplicate", disputed=True)
    against = supported("contradicted")
    assert left(supported(), MISSING, DUPLICATE) == [supported(), INVALID, DUPLICATE]
    assert left(against, MISSING) == [against, MISSING]
    assert left(disputed, MISSING) == [disputed, MISSING]
