"""The stages that ask for verdicts: first for all statements, then for the unresolved ones, then where windows disagree."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .errors import InputError, JudgeError
from .model import Ask, Payload, Reply, Statement
from .prompting import make_ask
from .reading import read
from .reconcile import MISSING, Finding, align, allowed
from .state import WIDENED, Cell, Job, Outcome, State, failed, lines, room, spent, usable_text
from .windows import chunk, in_conflict, merge, window

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def fit(state: State, _jobs: tuple[Job, ...], _outcomes: tuple[Outcome, ...]) -> State:
    """The windows over the context that leave room for the largest group of statements."""
    tokens = room(state)
    try:
        chunk(state.statements, state.limits, tokens, state.count)
    except InputError as error:
        return replace(state, ending="invalid_input", problem=str(error))
    return replace(state, windows=window(state.sentences, None if tokens is None else tokens * 2 // 3, state.count))


def jobs(state: State) -> tuple[Job, ...]:
    """Asks for every statement in every window, under the statements' own numbers."""
    return _jobs_for(state, lambda cell: cell not in state.findings)


def reask_jobs(state: State) -> tuple[Job, ...]:
    """The same for what is unresolved and worth asking again."""
    return _jobs_for(state, lambda cell: state.findings[cell].label is None and cell not in state.closed)


def _jobs_for(state: State, wanted: Callable[[Cell], bool]) -> tuple[Job, ...]:
    asked = distinct(state.statements) if state.policy.dedupe else state.statements
    tokens, texts = room(state), {s.id: s.text for s in asked}
    found = []
    for place, numbers in enumerate(state.windows):
        groups = chunk([s for s in asked if wanted((place, s.id))], state.limits, tokens, state.count)
        shown = lines(state, numbers) if groups else ()
        for group in groups:
            payload = Payload(tuple((i, texts[i]) for i in group), shown, state.case.question)
            found.append(Job(make_ask("verdicts", state.policy, payload), place))
    return tuple(found)


def distinct(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The first statement of each text."""
    first: dict[str, Statement] = {}
    for statement in statements:
        first.setdefault(statement.text, statement)
    return tuple(first.values())


def absorb(state: State, jobs: tuple[Job, ...], outcomes: tuple[Outcome, ...]) -> State:
    """One finding for each statement that was asked for, in its window."""
    for job, outcome in zip(jobs, outcomes, strict=True):
        state = spent(state, job, outcome)
        try:
            state = _take(state, job, usable_text(outcome), ours=isinstance(outcome, Reply) and outcome.validated)
        except JudgeError as error:
            missing = {cell: MISSING for cell in ((job.window, n) for n in job.ask.ids) if cell not in state.findings}
            state = failed(replace(state, findings={**state.findings, **missing}), job, error)
    return state


def _take(state: State, job: Job, text: str, *, ours: bool) -> State:
    texts = dict(job.ask.payload.statements)
    reading = read(text, state.policy.labels)
    found, ignored = align(reading.verdicts, texts, positional_prefix=state.policy.positional_prefix)
    setting_aside = state.policy.allow_not_a_claim
    cells = {(job.window, n): allowed(texts[n], finding, setting_aside=setting_aside) for n, finding in found.items()}
    told = (f"{ignored} entries of the judge's reply are for no statement and were ignored",) if ignored else ()
    form = "schema" if reading.form == "json" and (ours or _conforms(text, job.ask)) else reading.form
    return replace(state, findings={**state.findings, **cells}, forms=(*state.forms, form), warnings=(*state.warnings, *told))


def _conforms(text: str, ask: Ask) -> bool:
    from .wire import conforms  # brings jsonschema, which a reply of our own making does not need

    return conforms(text, ask.form)


def _by_window(state: State, number: int) -> list[Finding]:
    cells = ((place, number) for place in range(len(state.windows)))
    return [state.findings[cell] for cell in cells if cell in state.findings]


def widen_jobs(state: State) -> tuple[Job, ...]:
    """One ask for the statements that one window supports and another contradicts, with the evidence of both."""
    if len(state.windows) < 2:
        return ()
    torn = [s for s in state.statements if in_conflict(_by_window(state, s.id))]
    named = {number for s in torn for finding in _by_window(state, s.id) for number in finding.evidence}
    shown = lines(state, sorted(number for number in named if 0 < number <= len(state.sentences)))
    if not torn or not shown:
        return ()
    payload = Payload(tuple((s.id, s.text) for s in torn), shown, state.case.question)
    return (Job(make_ask("verdicts", state.policy, payload), WIDENED),)


def absorb_widened(state: State, jobs: tuple[Job, ...], outcomes: tuple[Outcome, ...]) -> State:
    """As :func:`absorb`, and what was shown."""
    shown = tuple(number for job in jobs for number, _ in job.ask.payload.sentences)
    return absorb(replace(state, widened=shown), jobs, outcomes)


def finding(state: State, number: int) -> Finding:
    """The one finding for a statement: that of the widened ask where there was one, else of all windows merged."""
    return state.findings.get((WIDENED, number)) or merge(_by_window(state, number))
