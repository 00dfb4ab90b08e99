"""The stages that ask for verdicts, step by step: what they ask in which window, and what an answer or a failure leaves."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from faithfulness_assert import JudgeError, Policy, Reply, policies
from faithfulness_assert.asking.controls import Control
from faithfulness_assert.asking.prompt import make_ask
from faithfulness_assert.asking.windows import Budget
from faithfulness_assert.plan.state import Job, State, VerdictsKnown
from faithfulness_assert.plan.verdicts import absorb, finding_of, jobs, reask_jobs, widen_jobs
from faithfulness_assert.reading.reconcile import INVALID, MISSING, Finding
from faithfulness_assert.records.ask import Outcome
from faithfulness_assert.records.case import Case
from faithfulness_assert.records.judge import Limits
from faithfulness_assert.records.model import Evidence, Label, Statement

TEXTS = ("The shop is open daily.", "Dogs are welcome inside.", "The roof is green.")
ASKED = policies["default"]
SINGLY = policies["ragaliq"]


def found(label: Label, *evidence: int) -> Finding:
    return Finding(label, None, evidence)


def known(
    cells: dict[tuple[int, int], Finding] | None = None,
    *,
    policy: Policy = ASKED,
    windows: int = 2,
    room: int | None = None,
    **verdicts: Any,
) -> State:
    """Three statements; two sentences of the context in each window, which share none."""
    context = tuple(
        Evidence(n, "p", 0, 0, f"Sentence {n} is here.") for n in range(1, 2 * windows + 1)
    )
    statements = tuple(Statement(n, text, n, n) for n, text in enumerate(TEXTS, 1))
    return State(
        Case(" ".join(TEXTS), "x"),
        policy,
        Budget(lambda text: len(text.split()), Limits(), room),
        answer=statements,
        context=context,
        windows=tuple(range(2 * w + 1, 2 * w + 3) for w in range(windows)),
        verdicts=VerdictsKnown(statements, {1: 1, 2: 2, 3: 3}, cells or {}, **verdicts),
    )


def shape(asks: tuple[Job, ...]) -> list[tuple[int | None, list[int], list[int]]]:
    """The window, the statements and the sentences of each ask."""
    return [
        (job.window, list(job.ask.ids), [n for n, _ in job.ask.payload.sentences]) for job in asks
    ]


def said(*entries: dict[str, Any]) -> Reply:
    return Reply(json.dumps({"verdicts": list(entries)}))


def entry(number: int | None, label: str = "supported", *evidence: int) -> dict[str, Any]:
    named = {} if number is None else {"id": number}
    return {**named, "evidence": list(evidence), "label": label}


ALL = {(w, n): found("supported", 2 * w + 1) for w in (0, 1) for n in (1, 2, 3)}


# ---------------------------------------------------------------- what is asked


def test_every_statement_is_asked_about_in_every_window_with_its_own_sentences() -> None:
    asks = jobs(known())
    assert shape(asks) == [(0, [1, 2, 3], [1, 2]), (1, [1, 2, 3], [3, 4])]
    assert asks[0].ask.payload.sentences == ((1, "Sentence 1 is here."), (2, "Sentence 2 is here."))


def test_what_is_known_is_not_asked_for() -> None:
    cells = {(0, 1): found("supported"), (0, 2): MISSING, (0, 3): MISSING, (1, 2): MISSING}
    assert shape(jobs(known(cells))) == [(1, [1, 3], [3, 4])]


def test_a_repeat_is_asked_about_once() -> None:
    state = known(windows=1)
    state = state._replace(verdicts=state.verdicts._replace(first_like={1: 1, 2: 2, 3: 1}))
    assert shape(jobs(state)) == [(0, [1, 2], [1, 2])]


def test_a_policy_may_ask_about_each_statement_alone() -> None:
    assert [ids for _, ids, _ in shape(jobs(known(windows=1, policy=SINGLY)))] == [[1], [2], [3]]
    missing = {(0, n): MISSING for n in (1, 2, 3)}
    assert len(reask_jobs(known(missing, windows=1, policy=SINGLY))) == 3
    assert len(reask_jobs(known(missing, windows=1, policy=replace(ASKED, reask_singly=True)))) == 3
    assert len(reask_jobs(known(missing, windows=1))) == 1


def test_only_what_is_unresolved_and_not_closed_is_asked_again() -> None:
    cells = {**ALL, (0, 2): MISSING, (1, 1): INVALID, (1, 3): Finding(unresolved="duplicate")}
    assert shape(reask_jobs(known(cells))) == [(0, [2], [1, 2]), (1, [1, 3], [3, 4])]
    closed = known(cells, closed=frozenset({(0, 2), (1, 3)}))
    assert shape(reask_jobs(closed)) == [(1, [1], [3, 4])]
    assert reask_jobs(known(ALL)) == ()


# ---------------------------------------------------------------- windows that disagree

TORN = {**ALL, (0, 2): found("supported", 2, 1), (1, 2): found("contradicted", 4)}


def test_windows_that_disagree_are_settled_by_an_ask_with_the_evidence_of_all() -> None:
    assert shape(widen_jobs(known(TORN))) == [(None, [2], [1, 2, 4])]
    assert widen_jobs(known(ALL)) == ()
    both = {**TORN, (1, 3): found("contradicted", 3)}
    assert shape(widen_jobs(known(both))) == [(None, [2, 3], [1, 2, 3, 4])]


def test_one_window_has_nothing_to_settle() -> None:
    assert widen_jobs(known({(0, 2): found("contradicted", 1)}, windows=1)) == ()


def test_evidence_that_no_ask_can_hold_settles_nothing() -> None:
    # Each line has 4 words and 3 tokens of its own; the context has two thirds of the room.
    assert len(widen_jobs(known(TORN, room=32))) == 1
    assert widen_jobs(known(TORN, room=31)) == ()


def test_evidence_that_one_ask_cannot_hold_is_shown_in_several() -> None:
    both = {**TORN, (0, 3): found("supported", 1, 2), (1, 3): found("contradicted", 3)}
    assert shape(widen_jobs(known(both))) == [(None, [2, 3], [1, 2, 3, 4])]
    assert shape(widen_jobs(known(both, room=32))) == [
        (None, [2], [1, 2, 4]),
        (None, [3], [1, 2, 3]),
    ]


def test_the_ask_that_settles_decides_and_others_keep_what_they_settled() -> None:
    state = known(TORN, widened={3: found("supported", 1)})
    [job] = widen_jobs(state)
    after = absorb(state, ((job, said(entry(2, "contradicted", 4))),))
    assert after.verdicts.widened == {2: found("contradicted", 4), 3: found("supported", 1)}
    assert after.verdicts.by_window == TORN
    assert finding_of(after, 2) == found("contradicted", 4)
    assert finding_of(state, 2) == Finding(unresolved="duplicate")
    assert finding_of(after, 1) == found("supported", 1, 3)


# ---------------------------------------------------------------- what an answer leaves


def answered(state: State, *outcomes: Outcome, again: bool = False) -> VerdictsKnown:
    """What is known after these outcomes of the stage's asks, in order."""
    asks = reask_jobs(state) if again else jobs(state)
    return absorb(state, tuple(zip(asks, outcomes, strict=True))).verdicts


def test_an_answer_is_for_its_own_window() -> None:
    first, second = said(entry(1, "supported", 2), entry(3, "contradicted", 1)), said(entry(2))
    after = answered(known(), first, second)
    assert after.by_window == {
        (0, 1): found("supported", 2),
        (0, 2): MISSING,
        (0, 3): found("contradicted", 1),
        (1, 1): MISSING,
        (1, 2): found("supported"),
        (1, 3): MISSING,
    }
    assert (after.failed, after.closed, after.by_position) == ({}, frozenset(), frozenset())


def test_evidence_of_another_window_is_no_evidence() -> None:
    after = answered(known(), said(entry(1, "supported", 3)), said(entry(1, "supported", 3)))
    assert after.by_window[0, 1].flags == ("no_such_evidence",)
    assert after.by_window[1, 1] == found("supported", 3)


SERVER = JudgeError("it is down", "server", retryable=True)


def test_an_ask_that_failed_leaves_its_window_open_and_is_not_repeated() -> None:
    after = answered(known(), SERVER, said(*(entry(n) for n in (1, 2, 3))))
    assert {cell for cell, finding in after.by_window.items() if finding == MISSING} == {
        (0, 1),
        (0, 2),
        (0, 3),
    }
    assert after.failed == {(0, n): SERVER for n in (1, 2, 3)}
    assert after.closed == {(0, 1), (0, 2), (0, 3)}
    later = answered(known(), said(*(entry(n) for n in (1, 2, 3))), SERVER)
    assert [later.by_window[1, n] for n in (1, 2, 3)] == [MISSING] * 3


def test_an_ask_that_failed_takes_nothing_away_from_its_window_or_another() -> None:
    cells = {**ALL, (0, 2): MISSING, (1, 3): MISSING}
    after = answered(known(cells), SERVER, said(entry(3, "supported", 3)), again=True)
    assert after.by_window == {**cells, (1, 3): found("supported", 3)}
    assert after.failed == {(0, 2): SERVER}
    assert after.closed == {(0, 2)}


def test_an_answer_clears_the_failure_of_its_own_cells_only() -> None:
    failed = {(w, n): SERVER for w in (None, 0, 1) for n in (1, 2, 3)}
    state = known({**ALL, (0, 2): MISSING}, failed=failed)
    after = answered(state, said(entry(2)), again=True)
    assert after.failed == {cell: SERVER for cell in failed if cell != (0, 2)}


def test_an_unreadable_reply_leaves_its_window_to_be_asked_again() -> None:
    after = answered(known(windows=1), Reply("Well."))
    assert after.by_window == {(0, n): MISSING for n in (1, 2, 3)}
    assert (after.failed, after.closed) == ({}, frozenset())


def test_a_cut_reply_is_repeated_only_where_statements_are_then_asked_about_alone() -> None:
    cut = Reply('{"verdicts":[', finish_reason="length")
    assert answered(known(windows=1), cut).closed == {(0, 1), (0, 2), (0, 3)}
    alone = known(windows=1, policy=replace(ASKED, reask_singly=True))
    assert answered(alone, cut).closed == frozenset()


def test_a_widened_ask_that_failed_closes_no_window() -> None:
    state = known(TORN)
    after = absorb(state, ((widen_jobs(state)[0], SERVER),)).verdicts
    assert (after.by_window, after.closed) == (TORN, frozenset())
    assert (after.widened, after.failed) == ({2: MISSING}, {(None, 2): SERVER})


def test_a_reply_without_numbers_that_leaves_some_out_is_not_matched_by_position_again() -> None:
    state = known(windows=1, policy=policies["promptfoo-plan"])
    after = answered(state, said(entry(None), entry(None)))
    assert after.by_position == {(0, 1), (0, 2), (0, 3)}
    assert after.by_window[0, 2] == found("supported")
    again = answered(state._replace(verdicts=after), said(entry(None)), again=True)
    assert again.by_window[0, 3] == MISSING
    assert answered(state, said(*[entry(None)] * 3)).by_position == frozenset()
    assert answered(state, said(entry(2))).by_position == frozenset()


def test_a_contradiction_in_a_reply_that_cannot_be_matched_stops_other_windows_too() -> None:
    whole, three = said(*(entry(n) for n in (1, 2, 3))), [entry(None)] * 3
    after = answered(known(), said(*three, entry(None, "contradicted")), whole)
    assert {after.by_window[0, n] for n in (1, 2, 3)} == {INVALID}
    after = answered(known(), said(*three, entry(None, "not_enough_info")), whole)
    assert {after.by_window[0, n] for n in (1, 2, 3)} == {MISSING}
    assert finding_of(known(after.by_window), 1) == found("supported")


def test_a_contradiction_of_no_statement_stops_other_windows_too() -> None:
    astray = [entry(2), entry(3, "contradicted"), entry(4)]
    after = answered(known(), said(*astray), said(*(entry(n) for n in (1, 2, 3))))
    assert {after.by_window[0, n] for n in (1, 2, 3)} == {INVALID}


def test_each_window_may_be_answered_by_position_once() -> None:
    state = known(policy=policies["promptfoo-plan"])
    after = answered(state, said(entry(None), entry(None)), said(entry(None, "contradicted")))
    assert (after.by_window[0, 2], after.by_window[1, 1].label) == (
        found("supported"),
        "contradicted",
    )


def test_a_judge_that_counts_single_statements_from_one_may_see_controls_beside_the_first() -> None:
    state = known(windows=1, policy=SINGLY)
    first, second, third = jobs(state)
    controls = {4: Control("It is so.", true=True), 5: Control("It is not so.", true=False)}
    items = ((1, TEXTS[0]), *((n, control.text) for n, control in controls.items()))
    with_controls = first._replace(
        ask=make_ask("verdicts", SINGLY, replace(first.ask.payload, items=items)),
        controls=controls,
    )
    replies = said(entry(1), entry(4), entry(5, "not_enough_info")), said(entry(1)), said(entry(1))
    after = absorb(state, tuple(zip((with_controls, second, third), replies, strict=True)))
    assert after.verdicts.by_window == {(0, n): found("supported") for n in (1, 2, 3)}
    assert [label for _, label in after.verdicts.answered_controls] == [
        "supported",
        "not_enough_info",
    ]


def test_the_counts_of_asked_and_answered_are_noted_where_they_differ() -> None:
    state = known(windows=1)
    after = absorb(state, ((jobs(state)[0], said(entry(1), entry(2))),))
    assert after.log.mismatches == ((3, 2),)
    assert after.log.forms == ("schema",)
    whole = absorb(state, ((jobs(state)[0], said(*(entry(n) for n in (1, 2, 3)))),))
    assert whole.log.mismatches == ()


OFFER = "Let me know if you have questions."


@pytest.mark.parametrize(
    ("sentence", "expected"), [(OFFER, found("not_a_claim")), (TEXTS[0], INVALID)]
)
def test_the_sentence_decides_whether_its_claim_may_be_set_aside(
    sentence: str, expected: Finding
) -> None:
    state = known(windows=1)
    claims = (Statement(1, OFFER, 1, 1), Statement(2, TEXTS[1], 2, 2))
    own = (Statement(1, sentence, 1, 1), Statement(2, TEXTS[1], 2, 2))
    state = state._replace(answer=own, verdicts=VerdictsKnown(claims, {1: 1, 2: 2}))
    after = answered(state, said(entry(1, "not_a_claim"), entry(2)))
    assert after.by_window == {(0, 1): expected, (0, 2): found("supported")}
