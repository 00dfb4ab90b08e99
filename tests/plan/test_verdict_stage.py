"""The stages that ask for verdicts, step by step: what they ask in which window, and what an answer or a failure leaves."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from faithfulness_assert import JudgeError, Policy, Reply, policies
from faithfulness_assert.asking.windows import Budget
from faithfulness_assert.cases.case import Case
from faithfulness_assert.plan.state import Job, State, VerdictsKnown
from faithfulness_assert.plan.verdicts import absorb, finding_of, jobs, reask_jobs, widen_jobs
from faithfulness_assert.reading.reconcile import INVALID, MISSING, Finding
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
    return [(job.window, list(job.ids), [n for n, _ in job.ask.payload.sentences]) for job in asks]


Entry = tuple[int, Label, list[int]]
"""A statement, its label and its evidence."""


def entry(number: int, label: Label = "supported", *evidence: int) -> Entry:
    return number, label, list(evidence)


EVERY = [entry(n) for n in (1, 2, 3)]
ALL = {(w, n): found("supported", 2 * w + 1) for w in (0, 1) for n in (1, 2, 3)}


def reply(job: Job, entries: list[Entry]) -> Reply:
    """A reply with these entries, under the numbers of the ask."""
    numbers = {own: number for number, own in job.own.items()}
    said = [{"id": numbers[n], "evidence": lines, "label": label} for n, label, lines in entries]
    return Reply(json.dumps({"verdicts": said}))


def after(
    state: State, asks: tuple[Job, ...], *outcomes: list[Entry] | Reply | JudgeError
) -> State:
    """The state after these outcomes of the asks, in order."""
    replies = [
        reply(job, said) if isinstance(said, list) else said
        for job, said in zip(asks, outcomes, strict=True)
    ]
    return absorb(state, tuple(zip(asks, replies, strict=True)))


def answered(
    state: State, *outcomes: list[Entry] | Reply | JudgeError, again: bool = False
) -> VerdictsKnown:
    """What is known after these outcomes of the stage's asks."""
    return after(state, reask_jobs(state) if again else jobs(state), *outcomes).verdicts


# ---------------------------------------------------------------- what is asked


def test_every_statement_is_asked_about_in_every_window_with_its_own_sentences() -> None:
    asks = jobs(known())
    assert shape(asks) == [(0, [1, 2, 3], [1, 2]), (1, [1, 2, 3], [3, 4])]
    assert [job.ask.ids for job in asks] == [(1, 2, 3), (4, 5, 6)]
    assert asks[0].ask.payload.sentences == ((1, "Sentence 1 is here."), (2, "Sentence 2 is here."))


def test_what_is_known_is_not_asked_for_and_a_repeat_is_asked_about_once() -> None:
    cells = {(0, 1): found("supported"), (0, 2): MISSING, (0, 3): MISSING, (1, 2): MISSING}
    assert shape(jobs(known(cells))) == [(1, [1, 3], [3, 4])]
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
    assert widen_jobs(known({(0, 2): found("contradicted", 1)}, windows=1)) == ()


def test_evidence_that_one_ask_cannot_hold_is_shown_in_several_and_what_none_can_hold_in_none() -> (
    None
):
    # Each line has 4 words and 3 tokens of its own; the context has two thirds of the room.
    assert len(widen_jobs(known(TORN, room=32))) == 1
    assert widen_jobs(known(TORN, room=31)) == ()
    both = {**TORN, (0, 3): found("supported", 1, 2), (1, 3): found("contradicted", 3)}
    assert shape(widen_jobs(known(both))) == [(None, [2, 3], [1, 2, 3, 4])]
    assert shape(widen_jobs(known(both, room=32))) == [
        (None, [2], [1, 2, 4]),
        (None, [3], [1, 2, 3]),
    ]


def test_the_ask_that_settles_decides_and_others_keep_what_they_settled() -> None:
    state = known(TORN, widened={3: found("supported", 1)})
    settled = after(state, widen_jobs(state), [entry(2, "contradicted", 4)])
    assert settled.verdicts.widened == {2: found("contradicted", 4), 3: found("supported", 1)}
    assert settled.verdicts.by_window == TORN
    assert finding_of(settled, 2) == found("contradicted", 4)
    assert finding_of(state, 2) == Finding(unresolved="duplicate")
    assert finding_of(settled, 1) == found("supported", 1, 3)


# ---------------------------------------------------------------- what an answer leaves


def test_an_answer_and_its_evidence_are_for_its_own_window() -> None:
    first, second = [entry(1, "supported", 2, 3), entry(3, "contradicted", 1)], [entry(2)]
    left = answered(known(), first, second)
    assert left.by_window == {
        (0, 1): found("supported", 2)._replace(flags=("no_such_evidence",)),
        (0, 2): MISSING,
        (0, 3): found("contradicted", 1),
        (1, 1): MISSING,
        (1, 2): found("supported"),
        (1, 3): MISSING,
    }
    assert (left.failed, left.closed) == ({}, frozenset())


SERVER = JudgeError("it is down", "server", retryable=True)


def test_an_ask_that_failed_leaves_its_window_open_and_is_not_repeated() -> None:
    left = answered(known(), SERVER, EVERY)
    cells = {(0, n) for n in (1, 2, 3)}
    assert {cell for cell, finding in left.by_window.items() if finding == MISSING} == cells
    assert left.failed == dict.fromkeys(cells, SERVER)
    assert left.closed == cells
    later = answered(known(), EVERY, SERVER)
    assert [later.by_window[1, n] for n in (1, 2, 3)] == [MISSING] * 3


def test_an_ask_that_failed_takes_nothing_away_from_its_window_or_another() -> None:
    cells = {**ALL, (0, 2): MISSING, (1, 3): MISSING}
    left = answered(known(cells), SERVER, [entry(3, "supported", 3)], again=True)
    assert left.by_window == {**cells, (1, 3): found("supported", 3)}
    assert left.failed == {(0, 2): SERVER}
    assert left.closed == {(0, 2)}


def test_an_answer_clears_the_failure_of_its_own_cells_only() -> None:
    failed = {(w, n): SERVER for w in (None, 0, 1) for n in (1, 2, 3)}
    state = known({**ALL, (0, 2): MISSING}, failed=failed)
    left = answered(state, [entry(2)], again=True)
    assert left.failed == {cell: SERVER for cell in failed if cell != (0, 2)}


def test_silence_leaves_a_window_to_be_asked_again_and_undoes_no_objection() -> None:
    for said in (Reply("Well."), []):
        left = answered(known(windows=1), said)
        assert left.by_window == {(0, n): MISSING for n in (1, 2, 3)}
        assert (left.failed, left.closed) == ({}, frozenset())
    cells = {(0, 1): found("supported"), (0, 2): INVALID, (0, 3): MISSING}
    assert answered(known(cells, windows=1), [], again=True).by_window == cells


def test_a_cut_reply_is_repeated_only_where_statements_are_then_asked_about_alone() -> None:
    cut = Reply('{"verdicts":[', finish_reason="length")
    assert answered(known(windows=1), cut).closed == {(0, 1), (0, 2), (0, 3)}
    alone = known(windows=1, policy=replace(ASKED, reask_singly=True))
    assert answered(alone, cut).closed == frozenset()


def test_a_widened_ask_that_failed_closes_no_window() -> None:
    state = known(TORN)
    left = after(state, widen_jobs(state), SERVER).verdicts
    assert (left.by_window, left.closed) == (TORN, frozenset())
    assert (left.widened, left.failed) == ({2: MISSING}, {(None, 2): SERVER})


def test_a_contradiction_that_names_no_statement_stops_other_windows_too() -> None:
    loose = [{"label": "supported"}] * 3
    for label, left in (("contradicted", INVALID), ("not_enough_info", MISSING)):
        said = Reply(json.dumps({"verdicts": [*loose, {"label": label}]}))
        known_now = answered(known(), said, EVERY)
        assert {known_now.by_window[0, n] for n in (1, 2, 3)} == {left}
        merged = finding_of(known(known_now.by_window), 1)
        assert merged.label == (None if left == INVALID else "supported")


def test_each_window_may_be_answered_by_position_once() -> None:
    state = known(policy=policies["promptfoo-plan"])
    loose = Reply('{"verdicts":[{"label":"supported"},{"label":"supported"}]}')
    left = answered(state, loose, loose)
    assert {left.by_window[w, n].label for w in (0, 1) for n in (1, 2)} == {"supported"}
    assert left.by_window[0, 3] == left.by_window[1, 3] == MISSING
    two = {**left.by_window, (0, 2): MISSING}
    again = answered(known(two, policy=policies["promptfoo-plan"]), loose, loose, again=True)
    assert again.by_window[0, 2] == again.by_window[0, 3] == MISSING
