"""The stages that ask for verdicts: on all statements, on unresolved ones, and across windows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..asking.controls import make_controls
from ..asking.prompt import LEFT_OUT, NO_ONE_LABEL, SAID_MORE
from ..asking.windows import chunk, packed
from ..reading import read
from ..reading.reconcile import INVALID, MISSING, Finding, settle
from ..records.errors import ContradictoryReply, JudgeError
from ..text.strings import clip
from .findings import checked, may_be_set_aside, merged, shows_conflict
from .jobs import Draft, is_within, make_job, number_jobs
from .outcomes import absorb_each, noted_reading, usable_text, worth_asking_again
from .state import Job, context_lines, noted, numbered_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..asking.controls import Answered, Control
    from ..policy.policy import Policy
    from ..records.ask import Numbered, Outcome
    from ..records.model import Label, Statement
    from .state import Answers, Cell, State, VerdictsKnown


# ---------------------------------------------------------------- what is asked


def jobs(state: State) -> tuple[Job, ...]:
    """Asks for every statement in every window, with controls where the policy wants them."""
    known = state.verdicts.by_window
    singly = state.policy.verify == "per_claim"
    return _with_controls(state, _drafts(state, lambda cell: cell not in known, singly=singly))


def reask_jobs(state: State) -> tuple[Job, ...]:
    """The same for what is unresolved and worth asking again, with what was wrong."""
    known, closed = state.verdicts.by_window, state.verdicts.closed
    singly = state.policy.reask_singly or state.policy.verify == "per_claim"

    def is_open(cell: Cell) -> bool:
        return known[cell].label is None and cell not in closed

    return _with_controls(state, _drafts(state, is_open, singly=singly, again=True))


def close(state: State) -> State:
    """The state in which nothing that was asked is asked again."""
    closed = state.verdicts.closed.union(state.verdicts.by_window)
    return state._replace(verdicts=state.verdicts._replace(closed=closed))


def _drafts(
    state: State, wanted: Callable[[Cell], bool], *, singly: bool, again: bool = False
) -> list[Draft]:
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
        for group in groups:
            remark = _what_was_wrong(state, window, group) if again else ""
            drafts.append(Draft("verdicts", group, context, window, remark))
    return drafts


def _what_was_wrong(state: State, window: int, group: Numbered) -> str:
    """What was wrong with the last reply about these statements, in a sentence."""
    findings = [state.verdicts.by_window[window, number] for number, _ in group]
    if any(finding.remark for finding in findings):
        return SAID_MORE
    return LEFT_OUT if MISSING in findings else NO_ONE_LABEL


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
        return number_jobs(state, drafts)
    statements = [s.text for s in state.verdicts.statements]
    waiting: dict[int | None, tuple[Control, ...]] = {
        window: ()
        for window, answered in state.verdicts.controls.items()
        if any(label for _, label in answered)
    }
    tested: list[Job] = []
    for draft in drafts:
        if draft.window not in waiting:
            sentences = [text for _, text in draft.sentences]
            waiting[draft.window] = make_controls(sentences, statements)
        job = make_job(state, draft, tested, waiting[draft.window])
        if job.controls and not is_within(state.budget, job.ask):
            job = make_job(state, draft, tested)
        if job.controls:
            waiting[draft.window] = ()
        tested.append(job)
    return tuple(tested)


def widen_jobs(state: State) -> tuple[Job, ...]:
    """Asks about the statements on which windows disagree, with the evidence of both."""
    if len(state.windows) < 2:
        return ()
    torn = [s for s in distinct(state) if shows_conflict(findings_by_window(state, s.id))]
    texts, room = {s.id: s.text for s in torn}, state.budget.context_room
    wanted = ((s.id, _evidence_of(state, s.id)) for s in torn)

    def size(line: int) -> int:
        return state.budget.line_tokens(state.context[line - 1].text)

    drafts = []
    for numbers, lines in packed(wanted, texts, size, state.budget._replace(room=room)):
        if room is None or sum(map(size, lines)) <= room:  # else the statement stays unresolved
            group = tuple((number, texts[number]) for number in sorted(numbers))
            drafts.append(Draft("verdicts", group, context_lines(state, lines), None))
    return number_jobs(state, drafts)


def _evidence_of(state: State, number: int) -> set[int]:
    """The sentences that the windows name as evidence for a statement."""
    return {line for f in findings_by_window(state, number) for line in f.evidence}


# ---------------------------------------------------------------- what is answered


def absorb(state: State, answers: Answers) -> State:
    """One finding for each statement that was asked about, in its window."""
    asked = {n: (job.window, own) for job, _ in answers for n, own in job.own.items()}
    known = state.verdicts._replace(asked={**state.verdicts.asked, **asked})
    return _taken_back(absorb_each(state._replace(verdicts=known), answers, _take, _lose))


def _take(state: State, job: Job, outcome: Outcome) -> State:
    """What a reply says: it is read, matched with its ask, and checked against what that showed."""
    lines = dict(job.ask.payload.items)
    reading = read(usable_text(outcome), state.policy.labels, job.ask.form, single=len(lines) == 1)
    state = noted_reading(state, job, outcome, reading.form, entries=len(reading.rows))
    first = not any((job.window, n) in state.verdicts.by_window for n in job.ids)
    try:
        settled = settle(
            reading,
            lines,
            context=[text for _, text in job.ask.payload.sentences],
            earning=_earning(state.policy),
            by_position=first,
            prefix=state.policy.positional_prefix,
        )
    except JudgeError as error:
        return _lose(state, job, error)
    found = {n: checked(f, lines[n], job.ask) for n, f in settled.findings.items()}
    own = {job.own[n]: finding for n, finding in found.items() if n in job.own}
    own = {n: _unless_asserted(state, n, finding) for n, finding in own.items()}
    state = _with_findings(state, job, own)
    answered = tuple((control, found[n].label) for n, control in job.controls.items())
    known = _with_answered(state.verdicts, job, answered)
    failed = {at: error for at, error in known.failed.items() if at not in _places(job)}
    earlier = known.asked.keys() - set(lines) if settled.denies_all else settled.denied
    known = known._replace(failed=failed, denied=known.denied.union(earlier))
    state = state._replace(verdicts=known)
    return noted(state, warnings=_warnings(own, settled.ignored))


def _lose(state: State, job: Job, error: JudgeError) -> State:
    """What it means that an ask brought nothing."""
    state = noted(state, error=error)
    # A contradiction of nobody objects to all: what another window says of them cannot stand.
    lost_here = INVALID if isinstance(error, ContradictoryReply) else MISSING
    known = _with_findings(state, job, dict.fromkeys(job.ids, lost_here)).verdicts
    if error.kind == "unreadable":
        unanswered = tuple((control, None) for control in job.controls.values())
        known = _with_answered(known, job, unanswered)
    else:
        known = known._replace(failed={**known.failed, **dict.fromkeys(_places(job), error)})
    if job.window is not None and not worth_asking_again(state.policy, error):
        cells = [(job.window, number) for number in job.ids]
        known = known._replace(closed=known.closed.union(cells))
    return state._replace(verdicts=known)


def _places(job: Job) -> list[tuple[int | None, int]]:
    """The window and the number of each statement of an ask."""
    return [(job.window, number) for number in job.ids]


def _earning(policy: Policy) -> frozenset[Label]:
    """The labels that raise a score, and the one that is not scored. ``inverse`` turns it round."""
    weights = policy.weights.values()
    least = max(weights, default=0.0) if policy.inverse else min(weights, default=0.0)
    raising = (label for label, weight in policy.weights.items() if weight != least)
    return frozenset(raising) | {"not_a_claim"}


def _taken_back(state: State) -> State:
    """The state without what was granted under numbers that another reply has now denied."""
    known = state.verdicts
    if not known.denied:
        return state
    places = {known.asked[number] for number in known.denied if number in known.asked}
    earning = _earning(state.policy)

    def after(place: tuple[int | None, int], finding: Finding) -> Finding:
        denies = place in places and finding.label in earning
        return Finding(unresolved="duplicate") if denies else finding

    by_window = {cell: after(cell, finding) for cell, finding in known.by_window.items()}
    widened = {n: after((None, n), finding) for n, finding in known.widened.items()}
    known = known._replace(by_window=by_window, widened=widened, denied=frozenset())
    return state._replace(verdicts=known)


def _warnings(findings: Mapping[int, Finding], ignored: int) -> Iterator[str]:
    """The warnings that a reply said more than its verdicts, or has numbers that were not asked."""
    if ignored:
        yield f"verdicts under numbers that were not asked, which were ignored: {ignored}"
    for remark in dict.fromkeys(f.remark for f in findings.values() if f.remark):
        numbers = ", ".join(str(n) for n, f in findings.items() if f.remark == remark)
        yield f"the judge said more than its verdict on statement {numbers}: “{clip(remark)}”"


def _unless_asserted(state: State, number: int, finding: Finding) -> Finding:
    """The finding. Whether a claim may be set aside, the sentence that it comes from decides."""
    if finding.label != "not_a_claim":
        return finding
    starts = {s.start for s in state.verdicts.statements if s.id == number}
    possible = all(may_be_set_aside(s.text) for s in state.answer if s.start in starts)
    return finding if possible else INVALID


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
