"""The stages that ask for verdicts: on all statements, on unresolved ones, and across windows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..asking.controls import make_controls, mixed
from ..asking.prompt import make_ask
from ..asking.windows import chunk, packed
from ..reading import read
from ..reading.reconcile import INVALID, MISSING, align
from ..records.ask import Payload
from ..records.errors import ContradictoryReply, JudgeError
from .findings import checked, may_be_set_aside, merged, shows_conflict
from .fit import is_within
from .objections import unless_objected, with_objections, without_others
from .outcomes import (
    absorb_each,
    ignored_entries,
    noted_reading,
    usable_text,
    worth_asking_again,
)
from .state import Job, context_lines, noted, numbered_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..asking.controls import Answered, Control
    from ..reading import RawVerdict
    from ..reading.reconcile import Finding
    from ..records.ask import Outcome
    from ..records.model import Statement
    from .state import Answers, Cell, State, VerdictsKnown

    Draft = tuple[Payload, int]  # what to ask, and in which window


# ---------------------------------------------------------------- what is asked


def jobs(state: State) -> tuple[Job, ...]:
    """Asks for every statement in every window, with controls where the policy wants them."""
    known = state.verdicts.by_window
    singly = state.policy.verify == "per_claim"
    return _with_controls(state, _drafts(state, lambda cell: cell not in known, singly=singly))


def reask_jobs(state: State) -> tuple[Job, ...]:
    """The same for what is unresolved and worth asking again."""
    known, closed = state.verdicts.by_window, state.verdicts.closed
    singly = state.policy.reask_singly or state.policy.verify == "per_claim"

    def is_open(cell: Cell) -> bool:
        return known[cell].label is None and cell not in closed

    return _with_controls(state, _drafts(state, is_open, singly=singly))


def close(state: State) -> State:
    """The state in which nothing that was asked is asked again."""
    closed = state.verdicts.closed.union(state.verdicts.by_window)
    return state._replace(verdicts=state.verdicts._replace(closed=closed))


def _drafts(state: State, wanted: Callable[[Cell], bool], *, singly: bool) -> list[Draft]:
    """What to ask about the wanted statements of each window."""
    limits = replace(state.budget.limits, statements=1) if singly else state.budget.limits
    budget = state.budget._replace(limits=limits)
    statements = distinct(state)
    drafts: list[Draft] = []
    for window, numbers in enumerate(state.windows):
        readers = [s for s in statements if is_shown_to(state, window, s.id)]
        waiting = [s for s in readers if wanted((window, s.id))]
        groups = chunk(numbered_texts(waiting), budget)
        context = context_lines(state, numbers) if groups else ()
        question = state.case.question
        drafts += [(Payload(group, context, question), window) for group in groups]
    return drafts


def is_shown_to(state: State, window: int, number: int) -> bool:
    """Whether a statement is judged in a window."""
    return state.likely is None or number in state.likely.readers[window]


def distinct(state: State) -> list[Statement]:
    """The statements without those that repeat an earlier one, where repeats count once."""
    first_like = state.verdicts.first_like
    return [s for s in state.verdicts.statements if first_like[s.id] == s.id]


def _with_controls(state: State, drafts: Sequence[Draft]) -> tuple[Job, ...]:
    """The jobs of these drafts: with controls in the first ask of each window that has room.

    There are none in a window in which some were answered before.
    """
    if state.policy.controls not in ("report", "enforce"):
        return tuple(_job(state, payload, window) for payload, window in drafts)
    statements = [s.text for s in state.verdicts.statements]
    waiting: dict[int | None, tuple[Control, ...]] = {
        window: ()
        for window, answered in state.verdicts.controls.items()
        if any(label for _, label in answered)
    }
    tested = []
    for payload, window in drafts:
        if window not in waiting:
            sentences = [text for _, text in payload.sentences]
            waiting[window] = make_controls(sentences, statements)
        job = _job(state, payload, window, waiting[window])
        if job.controls:
            waiting[window] = ()
        tested.append(job)
    return tuple(tested)


def _job(
    state: State, payload: Payload, window: int | None, controls: tuple[Control, ...] = ()
) -> Job:
    """The job with these controls, if there is room for them."""
    if controls:
        lines, by_number, own = mixed(payload.items, controls)
        ask = make_ask("verdicts", state.policy, replace(payload, items=lines))
        if is_within(state.budget, ask):
            return Job(ask, window, by_number, own)
    return Job(make_ask("verdicts", state.policy, payload), window)


def widen_jobs(state: State) -> tuple[Job, ...]:
    """Asks about the statements on which windows disagree, with the evidence of both."""
    if len(state.windows) < 2:
        return ()
    torn = [s for s in distinct(state) if shows_conflict(findings_by_window(state, s.id))]
    texts, room = {s.id: s.text for s in torn}, state.budget.context_room
    wanted = ((s.id, _evidence_of(state, s.id)) for s in torn)

    def size(line: int) -> int:
        return state.budget.line_tokens(state.context[line - 1].text)

    asks = []
    for numbers, lines in packed(wanted, texts, size, state.budget._replace(room=room)):
        if room is None or sum(map(size, lines)) <= room:  # else the statement stays unresolved
            group = tuple((number, texts[number]) for number in sorted(numbers))
            payload = Payload(group, context_lines(state, lines), state.case.question)
            asks.append(_job(state, payload, None))
    return tuple(asks)


def _evidence_of(state: State, number: int) -> set[int]:
    """The sentences that the windows name as evidence for a statement."""
    return {line for f in findings_by_window(state, number) for line in f.evidence}


# ---------------------------------------------------------------- what is answered


def absorb(state: State, answers: Answers) -> State:
    """One finding for each statement that was asked about, in its window."""
    return absorb_each(state, _alone_from_one(state, answers), _take, _lose)


def _lose(state: State, job: Job, error: JudgeError) -> State:
    state = noted(state, error=error)
    if isinstance(error, ContradictoryReply):
        # It objects to some of them: what another window says of them cannot stand either.
        lost_here = dict.fromkeys(job.ids, INVALID)
    else:
        lost_here = dict.fromkeys(job.ids, MISSING)
    known = _with_findings(state, job, lost_here).verdicts
    if error.kind == "unreadable":
        unanswered = tuple((control, None) for control in job.controls.values())
        known = _with_answered(known, job, unanswered)
    else:
        lost = {(job.window, number): error for number in job.ids}
        known = known._replace(failed={**known.failed, **lost})
    if job.window is not None and not worth_asking_again(state.policy, error):
        cells = [(job.window, number) for number in job.ids]
        known = known._replace(closed=known.closed.union(cells))
    return state._replace(verdicts=known)


def _take(state: State, job: Job, outcome: Outcome) -> State:
    reading = read(usable_text(outcome), state.policy.labels, job.ask.form)
    entries = _in_the_ask_s_numbers(reading.verdicts, job)
    texts = dict(job.ask.payload.items)
    cells = {(job.window or 0, number) for number in job.ids}
    again = job.window is None or not cells.isdisjoint(state.verdicts.by_window)
    state = noted_reading(state, job, outcome, reading.form, entries=len(entries))
    state = with_objections(state, job, entries)
    entries = without_others(state, job, entries)
    try:
        findings, unknown = align(
            entries,
            texts,
            positional_prefix=state.policy.positional_prefix and not again,
            numbered_only=again and not cells.isdisjoint(state.verdicts.by_position),
        )
    except JudgeError as error:
        objects = any(entry.label == "contradicted" for entry in entries)
        return _lose(state, job, ContradictoryReply(error.message) if objects else error)
    findings = unless_objected(entries, findings) if len(state.windows) > 1 else findings
    found = {n: checked(finding, texts[n], job.ask) for n, finding in findings.items()}
    answered = tuple((control, found.pop(n).label) for n, control in job.controls.items())
    own = {job.own.get(n, n): finding for n, finding in found.items()}
    state = _with_findings(
        state, job, {n: _unless_asserted(state, n, finding) for n, finding in own.items()}
    )
    unnumbered = all(entry.id is None for entry in entries)
    left_out = cells if len(entries) < len(texts) and unnumbered else set()
    known = _with_answered(state.verdicts, job, answered)._replace(
        failed={
            cell: error
            for cell, error in state.verdicts.failed.items()
            if cell[0] != job.window or cell[1] not in job.ids
        },
        by_position=state.verdicts.by_position.union(left_out),
        without_numbers=state.verdicts.without_numbers or job.counts_from_one or unnumbered,
    )
    return noted(state._replace(verdicts=known), warnings=ignored_entries(unknown))


def _unless_asserted(state: State, number: int, finding: Finding) -> Finding:
    """The finding. Whether a claim may be set aside, the sentence that it comes from decides."""
    if finding.label != "not_a_claim":
        return finding
    starts = {s.start for s in state.verdicts.statements if s.id == number}
    possible = all(may_be_set_aside(s.text) for s in state.answer if s.start in starts)
    return finding if possible else INVALID


def _alone_from_one(state: State, answers: Answers) -> Answers:
    """The answers; a judge may give the number 1 to each statement that it is asked about alone.

    All statements must be asked about alone, for the first time, and the judge must do so in all
    its replies: else a 1 may be the answer to another ask.
    """
    known = state.verdicts.by_window
    first_and_single = all(
        len(job.ids) == 1 and (job.window or 0, job.ids[0]) not in known for job, _ in answers
    )
    alone = [(job, outcome) for job, outcome in answers if len(job.ask.ids) == 1]
    if (
        not first_and_single
        or all(job.ids == (1,) for job, _ in alone)
        or any(_numbers(state, outcome) - {1} for _, outcome in alone)
    ):
        return answers
    return tuple(
        (job._replace(counts_from_one=len(job.ask.ids) == 1), outcome) for job, outcome in answers
    )


def _numbers(state: State, outcome: Outcome) -> set[int]:
    """The numbers that a reply uses; none if it cannot be read."""
    try:
        reading = read(usable_text(outcome), state.policy.labels)
    except JudgeError:
        return set()
    return {entry.id for entry in reading.verdicts if entry.id is not None}


def _in_the_ask_s_numbers(entries: Sequence[RawVerdict], job: Job) -> Sequence[RawVerdict]:
    """The entries with the number of the one statement, where the judge counts from 1."""
    if not job.counts_from_one or len(entries) != 1 or entries[0].id != 1:
        return entries
    return [entries[0]._replace(id=job.ask.ids[0])]


def _with_findings(state: State, job: Job, findings: Mapping[int, Finding]) -> State:
    """The state with these findings. Silence does not undo what an earlier reply said."""
    known = state.verdicts
    if job.window is None:
        said = {n: f for n, f in findings.items() if f != MISSING or n not in known.widened}
        return state._replace(verdicts=known._replace(widened={**known.widened, **said}))
    cells = {(job.window, number): finding for number, finding in findings.items()}
    heard = {c: f for c, f in cells.items() if f != MISSING or c not in known.by_window}
    return state._replace(verdicts=known._replace(by_window={**known.by_window, **heard}))


def _with_answered(known: VerdictsKnown, job: Job, answered: Answered) -> VerdictsKnown:
    """What is known with the labels that the controls of an ask got."""
    return known._replace(controls={**known.controls, job.window: answered}) if answered else known


def findings_by_window(state: State, number: int) -> list[Finding]:
    """The findings of all windows for one statement."""
    cells = ((window, number) for window in range(len(state.windows)))
    known = state.verdicts.by_window
    return [known[cell] for cell in cells if cell in known]


def finding_of(state: State, number: int) -> Finding:
    """The one finding for a statement: that of the widened ask, else of all windows merged."""
    widened = state.verdicts.widened.get(number)
    return widened or merged(findings_by_window(state, number))
