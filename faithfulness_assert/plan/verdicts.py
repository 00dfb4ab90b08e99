"""The stages that ask for verdicts: first for all statements, then for the unresolved ones, then where windows disagree."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..asking.controls import make_controls, mixed
from ..asking.prompt import make_ask
from ..asking.windows import LINE_TOKENS, chunk, context_share, in_conflict, merge
from ..reading import read
from ..reading.reconcile import MISSING, Finding, align
from ..records.ask import Outcome, Payload
from ..text.strings import one_line
from .findings import allowed, shown_only
from .state import (
    WIDENED,
    Cell,
    Job,
    State,
    absorb_each,
    failed,
    ignored,
    lines,
    read_as,
    usable_text,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..asking.controls import Control
    from ..records.errors import JudgeError
    from ..records.model import Statement


def jobs(state: State) -> tuple[Job, ...]:
    """Asks for every statement in every window, under the statements' own numbers, with controls where the policy wants them."""
    return _controlled(
        state,
        _jobs_for(
            state,
            lambda cell: cell not in state.findings,
            singly=state.policy.verify == "per_claim",
        ),
    )


def _controlled(state: State, found: tuple[Job, ...]) -> tuple[Job, ...]:
    """The jobs with controls in the first of each window that has room for them, unless some were answered before."""
    if state.policy.controls not in ("report", "enforce") or state.controls:
        return found
    statements = [s.text for s in state.statements]
    shown = {job.window: [text for _, text in job.ask.payload.sentences] for job in found}
    waiting = {place: make_controls(sentences, statements) for place, sentences in shown.items()}
    done = []
    for job in found:
        tested = _with_controls(state, job, waiting[job.window])
        if tested.controls:
            waiting[job.window] = ()
        done.append(tested)
    return tuple(done)


def _with_controls(state: State, job: Job, controls: tuple[Control, ...]) -> Job:
    if not controls:
        return job
    lines, numbered = mixed(job.ask.payload.statements, controls)
    ask = make_ask("verdicts", state.policy, replace(job.ask.payload, statements=lines))
    return Job(ask, job.window, numbered) if within(state, ask) else job


def reask_jobs(state: State) -> tuple[Job, ...]:
    """The same for what is unresolved and worth asking again."""
    singly = state.policy.reask_singly or state.policy.verify == "per_claim"
    return _controlled(
        state,
        _jobs_for(
            state,
            lambda cell: state.findings[cell].label is None and cell not in state.closed,
            singly=singly,
        ),
    )


def _jobs_for(state: State, wanted: Callable[[Cell], bool], *, singly: bool) -> tuple[Job, ...]:
    limits = replace(state.limits, statements=1) if singly else state.limits
    asked = distinct(state.statements) if state.policy.dedupe else state.statements
    texts = {s.id: s.text for s in asked}
    found = []
    for place, numbers in enumerate(state.windows):
        groups = chunk([s for s in asked if wanted((place, s.id))], limits, state.room, state.count)
        shown = lines(state, numbers) if groups else ()
        for group in groups:
            payload = Payload(tuple((i, texts[i]) for i in group), shown, state.case.question)
            found.append(Job(make_ask("verdicts", state.policy, payload), place))
    return tuple(found)


def distinct(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements without those that repeat one before them."""
    first = first_like(statements)
    return tuple(statement for statement in statements if first[statement.id] == statement.id)


def first_like(statements: Sequence[Statement]) -> dict[int, int]:
    """For each statement the number of the first one that reads the same."""
    firsts: dict[str, int] = {}
    return {
        statement.id: firsts.setdefault(one_line(statement.text), statement.id)
        for statement in statements
    }


def absorb(state: State, jobs: tuple[Job, ...], outcomes: tuple[Outcome, ...]) -> State:
    """One finding for each statement that was asked for, in its window."""
    return absorb_each(state, jobs, outcomes, _take, _lose)


def _lose(state: State, job: Job, error: JudgeError) -> State:
    missing = {
        cell: MISSING for cell in ((job.window, n) for n in job.ids) if cell not in state.findings
    }
    return failed(replace(state, findings={**state.findings, **missing}), job, error)


def _take(state: State, job: Job, outcome: Outcome) -> State:
    texts, shown = (
        dict(job.ask.payload.statements),
        {number for number, _ in job.ask.payload.sentences},
    )
    reading = read(usable_text(outcome), state.policy.labels)
    found, unknown = align(
        reading.verdicts, texts, positional_prefix=state.policy.positional_prefix
    )
    checked = {
        n: allowed(texts[n], shown_only(f, shown), job.ask.form.labels) for n, f in found.items()
    }
    controls = tuple(
        (control, checked.pop(number).label) for number, control in job.controls.items()
    )
    cells = {(job.window, number): finding for number, finding in checked.items()}
    forms = (*state.forms, read_as(reading.form, job, outcome))
    return replace(
        state,
        findings={**state.findings, **cells},
        controls=(*state.controls, *controls),
        forms=forms,
        warnings=(*state.warnings, *ignored(unknown)),
    )


def _by_window(state: State, number: int) -> list[Finding]:
    cells = ((place, number) for place in range(len(state.windows)))
    return [state.findings[cell] for cell in cells if cell in state.findings]


def widen_jobs(state: State) -> tuple[Job, ...]:
    """Asks for the statements that one window supports and another contradicts, with the evidence of both."""
    if len(state.windows) < 2:
        return ()
    torn = [s for s in state.statements if in_conflict(_by_window(state, s.id))]
    texts, most = {s.id: s.text for s in torn}, context_share(state.room)
    found = []
    for group in chunk(torn, state.limits, state.room, state.count):
        named = {
            number for i in group for finding in _by_window(state, i) for number in finding.evidence
        }
        shown = lines(state, sorted(named))
        # Without evidence there is nothing to show, and with too much the statements stay unresolved.
        if shown and (
            most is None or sum(state.count(text) + LINE_TOKENS for _, text in shown) <= most
        ):
            payload = Payload(tuple((i, texts[i]) for i in group), shown, state.case.question)
            found.append(Job(make_ask("verdicts", state.policy, payload), WIDENED))
    return tuple(found)


def finding(state: State, number: int) -> Finding:
    """The one finding for a statement: that of the widened ask where there was one, else of all windows merged."""
    return state.findings.get((WIDENED, number)) or merge(_by_window(state, number))
