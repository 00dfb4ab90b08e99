"""The stages that ask for verdicts: on all statements, and again on unresolved ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial

from ..asking.controls import Answered, Control, controls_from
from ..asking.prompt import IS_A_CLAIM, NO_ONE_LABEL, SAID_MORE, brackets
from ..asking.windows import chunk
from ..reading.reconcile import ASSERTS, INVALID, MISSING, Finding, read, settle
from ..reading.rows import Row
from ..records.errors import JudgeError
from ..records.judge import Ask, Numbered, Outcome
from ..records.model import Statement
from ..text.absent_numbers import absent_numbers, names_new_price
from ..text.lead_ins import with_colon
from ..text.learned import asks, is_topic
from ..text.strings import clip, lazy_pattern
from ..text.talk import STOPS, asks_whether, assents, is_shown_with, may_answer, may_be_set_aside
from .outcomes import schema_errors_of, usable_text, worth_asking_again
from .state import (
    Cell,
    Draft,
    Job,
    Log,
    State,
    context_lines,
    distinct_statements,
    is_within,
    make_job,
    note,
    note_error,
    number_jobs,
    without_heading,
)

_HEADING = lazy_pattern(r"(?m)^[ \t]*(?:#[# \t]*|(?=(?P<bold>\*\*|__)[^\n]*(?P=bold):?[ \t]*$))")
"""What stands before the text of a heading, or of a line in bold."""

BEHIND = 3
"""Statements of which one is shown with its heading: the first may only greet."""
SIGNED = 3
"""Lines, and words of each, that a letter is signed with."""
CONFIRMED = "confirmed when asked again"
"""Stands behind a reason that spoke against its label, where the next reply gives the same one."""

# ---------------------------------------------------------------- what is asked


def jobs(state: State, *, again: bool = False) -> tuple[Job, ...]:
    """Asks for every statement in every window, with controls where the policy wants them.

    In the first ask of each window that has room, there are controls, unless some were answered in
    that window before.

    Args:
        again: asks about what is unresolved and worth asking again, with what was wrong.
    """
    drafts = _drafts(state, again=again)
    if not drafts:
        return ()
    if state.policy.controls not in ("report", "enforce"):
        return number_jobs(state, drafts)
    texts = [s.text for s in state.statements]
    waiting: dict[int | None, tuple[Control, ...]] = {
        window: ()
        for window, answered in state.controls.items()
        if any(passed is not None for _, passed in answered)
    }
    tested: list[Job] = []
    for draft in drafts:
        if draft.window not in waiting:
            passages: dict[str, list[str]] = {}
            for number, text in draft.sentences:
                passages.setdefault(state.context[number - 1].passage, []).append(text)
            waiting[draft.window] = controls_from(passages.values(), texts, state.secret)
        job = make_job(state, draft, tested, waiting[draft.window])
        if job.controls and not is_within(state.budget, job.ask):
            job = make_job(state, draft, tested)
        if job.controls:
            waiting[draft.window] = ()
        tested.append(job)
    return tuple(tested)


reask_jobs = partial(jobs, again=True)


def _drafts(state: State, *, again: bool) -> list[Draft]:
    """What to ask about the statements of each window: those that were not asked, or are open."""
    findings, likely, budget = state.findings, state.likely, state.budget
    if state.policy.verify == "per_claim" or (again and state.policy.reask_singly):
        budget = budget._replace(limits=replace(budget.limits, statements=1))
    drafts: list[Draft] = []
    statements = distinct_statements(state)
    for window, numbers in enumerate(state.windows):
        # What was set aside wrongly is asked about without the label for that.
        kinds: dict[bool, list[tuple[int, str]]] = {}
        for s in statements:
            cell = window, s.id
            if likely is not None and s.id not in likely.readers[window]:
                continue
            before = findings.get(cell)
            if before is None:
                is_wanted = not again
            else:
                is_wanted = again and before.label is None and cell not in state.closed
            if is_wanted:
                asserts = before is not None and before.asserts
                kinds.setdefault(asserts, []).append((s.id, s.text))
        for _, items in sorted(kinds.items()):
            context = context_lines(state, numbers)
            for group in chunk(tuple(items), budget):
                remark = _what_was_wrong(state, window, group) if again else ""
                drafts.append(Draft("verdicts", group, context, window, remark))
    return drafts


def _what_was_wrong(state: State, window: int, group: Numbered) -> str:
    """What was wrong with the last reply about these statements, in a sentence."""
    findings = [state.findings[window, number] for number, _ in group]
    if any(finding.asserts for finding in findings):
        return IS_A_CLAIM
    if any(finding.remark for finding in findings):
        return SAID_MORE
    return NO_ONE_LABEL


# ---------------------------------------------------------------- what is answered


def _without(brackets: str, row: Row) -> Row:
    """The row without what is only shown before its statement: some judges repeat that."""
    statement, line = row.statement.removeprefix(brackets), row.line.removeprefix(brackets)
    return row._replace(statement=statement, line=line)


def absorb_reply(state: State, job: Job, outcome: Outcome) -> State:
    """What a reply says: it is read, matched with its ask, and checked against what that showed."""
    lines = dict(job.ask.payload.items)
    reply, single = usable_text(job.ask, outcome), len(lines) == 1
    reading = read(reply, state.policy.labels, job.ask.form, lines, single=single)
    payload = job.ask.payload
    if shown := brackets(payload.referents):
        only = job.ask.ids[0] if single else 0
        rows = tuple(_without(shown.get(row.number or only, ""), row) for row in reading.rows)
        reading = reading._replace(rows=rows)
    expected, actual = len(lines), len(reading.rows)
    errors = schema_errors_of(job, outcome) if reading.form == "json" else ()
    # JSON that conforms to the schema of its ask is noted as such.
    form = "schema" if reading.form == "json" and not errors else reading.form
    context: list[str] = []
    if any(row.quote for row in reading.rows):
        names = brackets(payload.passages)
        context = [names.get(n, "") + text for n, text in payload.sentences]
    mismatches = ((expected, actual),) if actual != expected else ()
    log = Log(forms=(form,), schema_errors=errors, mismatches=mismatches)
    try:
        settled = settle(
            reading,
            lines,
            context=context,
            credited=state.policy.credited,
            by_position=state.findings.keys().isdisjoint(job.cells.values()),
            prefix=state.policy.positional_prefix,
            reasons=job.ask.form.reasons,
        )
    except JudgeError as error:
        return absorb_error(note(state, log), job, error)
    confidence = dict(zip(job.ask.ids, getattr(outcome, "confidence", ()), strict=False))
    marked = dict(zip(job.ask.ids, getattr(outcome, "wrong", ()), strict=False))
    sentences = {number for number, _ in job.ask.payload.sentences}
    findings = {
        n: ASSERTS
        if f.label == "not_a_claim" and _asserts(state, lines[n], job.cells.get(n, (None, -1))[1])
        else _check(f, lines[n], job.ask, sentences, confidence.get(n), marked.get(n, ()))
        for n, f in settled.findings.items()
    }
    own = {cell: findings[n] for n, cell in job.cells.items()}
    strange = "verdicts under numbers that were not asked, which were ignored"
    warnings = [f"{strange}: {settled.ignored}"] if settled.ignored else []
    remarks = dict.fromkeys(f.remark for f in own.values() if f.remark)
    warnings += [f"the judge's words may deny its verdict: “{clip(words)}”" for words in remarks]
    denied = state.cell_of.keys() - set(lines) if settled.denies_earlier else settled.denied
    return note(state, log._replace(warnings=tuple(warnings)))._replace(
        findings=_add_findings(state, own, reading.form),
        controls=_grade_controls(state, job, findings),
        error_of={cell: error for cell, error in state.error_of.items() if cell not in own},
        denied_numbers=state.denied_numbers.union(denied),
    )


def _check(
    finding: Finding,
    text: str,
    ask: Ask,
    shown: set[int],
    confidence: float | None = None,
    marked: Collection[str] = (),
) -> Finding:
    """The finding for a statement with this text, as far as its ask showed and allowed it.

    Evidence that is not ``shown`` is left out, and a flag says so. A label must be one that was
    asked for. Words that the judge has ``marked`` speak against ``supported``.
    """
    if not shown.issuperset(finding.evidence):
        evidence = tuple(number for number in finding.evidence if number in shown)
        finding = finding._replace(evidence=evidence, flags=("no_such_evidence",))
    label = finding.label
    if label is None:
        return finding
    if label not in ask.form.labels or (marked and label == "supported"):
        return INVALID
    if confidence is None and not marked:
        return finding
    wrong = tuple(words for words in marked if words and words in text)
    return finding._replace(confidence=confidence, wrong=wrong)


def absorb_error(state: State, job: Job, error: JudgeError) -> State:
    """What it means that an ask brought nothing."""
    state = note_error(state, job, error)
    cells = tuple(job.cells.values())
    state = state._replace(
        findings=_add_findings(state, dict.fromkeys(cells, MISSING)),
        closed=state.closed.union(() if worth_asking_again(state.policy, error) else cells),
    )
    if error.kind == "unreadable":
        return state._replace(controls=_grade_controls(state, job, {}))
    return state._replace(error_of={**state.error_of, **dict.fromkeys(cells, error)})


def _asserts(state: State, text: str, number: int) -> bool:
    """Whether what a judge sets aside, or the sentence that it comes from, claims something.

    So does "As the hotel confirmed in 2019:" where nothing else has that number. What is shown
    before other statements is judged with them. A heading under which nothing stands may be set
    aside if it only names a topic.

    Args:
        text: as the ask showed it.
        number: of the statement; that of none for a control.
    """
    starts = {s.start for s in state.statements if s.id == number}
    own = [s for s in state.sentences if s.start in starts]
    is_over = own != [] and all(text == s.text and _is_over(state, s) for s in own)
    answer, places = state.case.answer, [s.start or 0 for s in own]
    begins = [answer.rfind("\n", 0, place) + 1 for place in places]
    found = [_HEADING.match(answer, begin) for begin in begins]
    are_headings = all(one and one.end() == at for one, at in zip(found, places, strict=True))
    if own and not is_over and are_headings:
        return not all(map(is_topic, (text, *(s.text for s in own))))
    if own and all(_signs(state, s) for s in own):
        return False
    is_over = is_over or is_shown_with(text, (s.text for s in state.sentences))
    announcing = (s for s in own if is_over or s.lead_in or s.text.endswith((":", "：")))
    said = {_alone(s): s.is_item for s in own}
    if all(text != s.text for s in own):
        said[text] = False  # a claim of the sentence, or a control
    may_be_aside = is_over or all(may_be_set_aside(one, is_item=said[one]) for one in said)
    return (
        not may_be_aside
        or any(absent_numbers(s.text, state.known, state.asked) for s in announcing)
        or any(names_new_price(s.text, state.known, state.asked) for s in own)
        or any(_answers(state, s) for s in own)
    )


def _alone(sentence: Statement) -> str:
    """A sentence without the heading and the lead-in that it is shown behind."""
    return without_heading(sentence).removeprefix(f"{sentence.lead_in} ")


def _signs(state: State, sentence: Statement) -> bool:
    """Whether a line is the name below "Kind regards," at the end of an answer."""
    before = state.sentences[max(sentence.id - 1 - SIGNED, 0) : sentence.id - 1]
    is_last = len(state.sentences) - sentence.id < SIGNED
    words = sentence.text.replace(".", "").split()
    is_name = len(words) <= SIGNED and all(w.isalpha() and w[0].isupper() for w in words)
    open_lines = (one.text for one in before if not one.text.endswith(STOPS))
    greets = any(map(may_be_set_aside, open_lines))
    return is_last and is_name and greets


def _answers(state: State, sentence: Statement) -> bool:
    """Whether a sentence answers what the one before it asks, or its heading; or with a yes or a
    no what the case does: "Of course!" says much behind "Can I smoke in the room?".
    """
    text = _alone(sentence)
    if asks(text) or not may_answer(text):
        return False
    before = state.sentences[sentence.id - 2] if sentence.id > 1 else None  # the first is 1
    heading = "" if before and before.heading == sentence.heading else sentence.heading
    if asks(heading) or (before and asks(before.text)):
        return True
    return assents(text) and asks_whether(state.case.question)


def _is_over(state: State, sentence: Statement) -> bool:
    """Whether a sentence is shown before those behind it, as a heading or lead-in."""
    own = f" {with_colon(without_heading(sentence))} "
    behind = state.sentences[sentence.id : sentence.id + BEHIND]
    return any(own in f" {s.heading} {s.lead_in} " for s in behind)


def _add_findings(
    state: State, new: Mapping[Cell, Finding], form: str = "text"
) -> Mapping[Cell, Finding]:
    """The findings with those of an ask. Silence does not undo what an earlier reply said.

    Where the judge gives a label again, its reason from before stays. In JSON, with a reason again,
    it does not confirm it if no reason is wanted there: that may deny it in any words.
    """
    findings = dict(state.findings)
    for cell, finding in new.items():
        before = findings.get(cell)
        if before is not None:
            if finding == MISSING:
                continue
            if finding.label is not None and finding.label == before.opened:
                if finding.reason and form != "text" and state.policy.reasons != "all":
                    continue
                reason = f"{finding.reason or before.reason} ({CONFIRMED})"
                finding = finding._replace(reason=reason)
        findings[cell] = finding
    return findings


def _grade_controls(
    state: State, job: Job, findings: Mapping[int, Finding]
) -> Mapping[int | None, Answered]:
    """The controls of all windows, with how the judge did in an ask with these findings."""
    if not job.controls:
        return state.controls
    labels = [(c, findings.get(number, MISSING).label) for number, c in job.controls.items()]
    answered = ((c, label and c.true == (label == "supported")) for c, label in labels)
    return {**state.controls, job.window: tuple(answered)}
