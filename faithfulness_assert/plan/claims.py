"""The stage that turns sentences of the answer into claims, by asking the judge; with ``joint``, into claims with verdicts at once.

Nothing of the answer may vanish here. ``State.claims`` holds what was said of each sentence: its claims, () where it was said to claim
nothing, None where the reply numbers nothing and its claims stand under ``ELSEWHERE``. A sentence that the judge left out is asked for
again, and then graded as it stands; so is one with a number or a name that is said to claim nothing, or that a plain list of claims does
not repeat. Any other sentence without a claim is reported as skipped.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..asking.prompt import make_ask
from ..asking.windows import chunk
from ..reading import read, read_claims
from ..reading.reconcile import Finding, agreed, trusted_shift
from ..records.ask import AskKind, Outcome, Payload
from ..records.errors import UnreadableReply
from ..records.model import Skipped, Statement
from ..text.names import has_number_or_name, numbers_and_names, words_of
from ..text.strings import is_blank, one_line
from .findings import allowed, shown_only
from .state import Cell, Job, State, absorb_each, ignored, lines, read_as, status_of, usable_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..reading import RawVerdict
    from ..records.model import Label

CLAIMS_PER_SENTENCE = 20
ELSEWHERE = 0  # stands for the sentence of a claim that names none


def jobs(state: State) -> tuple[Job, ...]:
    """One ask for each group of sentences that has no claims yet."""
    waiting = [
        s for s in state.answer if s.id not in state.claims and (0, s.id) not in state.closed
    ]
    texts = {s.id: s.text for s in waiting}
    groups = chunk(waiting, state.limits, state.room, state.count)
    kind, shown = _joint(state) if len(groups) == 1 else ("claims", ())
    payloads = [
        Payload(tuple((i, texts[i]) for i in group), shown, state.case.question) for group in groups
    ]
    return tuple(Job(make_ask(kind, state.policy, payload)) for payload in payloads)


def _joint(state: State) -> tuple[AskKind, tuple[tuple[int, str], ...]]:
    """The kind of ask, and the context it shows: both at once where the policy wants it and all fits one ask."""
    if not state.policy.joint or len(state.windows) > 1:
        return "claims", ()
    return "claims_and_verdicts", lines(state, state.windows[0])


def absorb(state: State, jobs: tuple[Job, ...], outcomes: tuple[Outcome, ...]) -> State:
    """Claims by sentence; for a joint ask, statements with their findings."""
    return absorb_each(state, jobs, outcomes, _learn)


def _learn(state: State, job: Job, outcome: Outcome) -> State:
    return (_take_joint if job.ask.kind == "claims_and_verdicts" else _take)(state, job, outcome)


def _take(state: State, job: Job, outcome: Outcome) -> State:
    ids = job.ask.ids
    found = numbered_texts(job, outcome)
    _check_count(len(found), ids)
    claims: dict[int, list[str]] = {number: [] for number, _ in found if number in ids}
    elsewhere = list(state.claims.get(ELSEWHERE) or ())
    for number, claim in found:
        if not is_blank(claim):
            claims.get(number or ELSEWHERE, elsewhere).append(claim)
    known: dict[int, tuple[str, ...] | None] = {
        number: tuple(texts) for number, texts in claims.items()
    }
    if not claims:  # a plain list: nobody can say which sentence it leaves out; an empty one says that none claims anything
        known = dict.fromkeys(ids, None if found else ())
    told = {**state.claims, **known, ELSEWHERE: tuple(elsewhere)}
    return replace(state, claims=told, forms=(*state.forms, "claims"))


def numbered_texts(job: Job, outcome: Outcome) -> list[tuple[int | None, str]]:
    """The claims (or truths) of a reply with the numbers that were asked for; None where the reply numbers nothing.

    Raises:
        JudgeError: there are none to be read, or their numbers cannot be trusted.
    """
    raw = read_claims(usable_text(outcome))
    added = trusted_shift({number for number, _ in raw if number is not None}, job.ask.ids)
    return [(None if number is None else number + added, text) for number, text in raw]


def _take_joint(state: State, job: Job, outcome: Outcome) -> State:
    """Each entry is a claim of the sentence that it numbers; a sentence without an entry stays a statement, unresolved."""
    reading = read(usable_text(outcome), state.policy.labels)
    shown = {number for number, _ in job.ask.payload.sentences}
    _check_count(len(reading.verdicts), job.ask.ids)
    added = trusted_shift(
        {entry.id for entry in reading.verdicts if entry.id is not None}, job.ask.ids
    )
    entries: dict[int, list[RawVerdict | None]] = {number: [] for number in job.ask.ids}
    for entry in reading.verdicts:
        if entry.id is not None and entry.id + added in entries:
            entries[entry.id + added].append(entry)
    pairs = [
        (sentence, entry) for sentence in state.answer for entry in entries[sentence.id] or [None]
    ]
    statements = tuple(
        _statement(i, entry.statement if entry else "", s) for i, (s, entry) in enumerate(pairs, 1)
    )
    labels = job.ask.form.labels
    found = [
        shown_only(_allowed(own, sentence, e, labels), shown)
        for own, (sentence, e) in zip(statements, pairs, strict=True)
    ]
    alike: dict[object, list[Finding]] = {}
    for statement, finding in zip(statements, found, strict=True):
        alike.setdefault(_same(state, statement), []).append(finding)
    findings: dict[Cell, Finding] = {(0, s.id): agreed(alike[_same(state, s)]) for s in statements}
    warnings = (
        *state.warnings,
        *ignored(len(reading.verdicts) - sum(entry is not None for _, entry in pairs)),
    )
    claims: dict[int, tuple[str, ...] | None] = dict.fromkeys(job.ask.ids, ())
    forms = (*state.forms, read_as(reading.form, job, outcome))
    return replace(
        state,
        statements=statements,
        findings=findings,
        claims=claims,
        forms=forms,
        warnings=warnings,
    )


def _check_count(found: int, ids: tuple[int, ...]) -> None:
    if found > CLAIMS_PER_SENTENCE * len(ids):
        raise UnreadableReply(f"{found} claims for {len(ids)} sentences are too many to be true")


def _allowed(
    own: Statement, sentence: Statement, entry: RawVerdict | None, labels: Collection[Label]
) -> Finding:
    """A claim may be set aside only where its sentence may be too: the claim is in the judge's words, the sentence in the answer's."""
    return allowed(sentence.text, allowed(own.text, Finding.of(entry), labels), labels)


def _same(state: State, statement: Statement) -> object:
    """What statements have in common that count once: their text, where the policy wants it so."""
    return one_line(statement.text) if state.policy.dedupe else statement.id


def _statement(number: int, claim: str, sentence: Statement) -> Statement:
    return Statement(
        number, sentence.text if is_blank(claim) else claim.strip(), sentence.start, sentence.end
    )


def settle(state: State, _jobs: tuple[Job, ...], _outcomes: tuple[Outcome, ...]) -> State:
    """The claims as statements, once all are in. Where no claims could be had at all, the case cannot be graded."""
    if state.findings:  # a joint ask has made them
        return state
    if not state.claims:
        return replace(state, statements=(), ending=status_of(state.errors))
    elsewhere = state.claims.get(ELSEWHERE) or ()
    said = words_of(" ".join(elsewhere))
    texts: list[tuple[str, Statement | None]] = []
    silent: list[Skipped] = []
    for sentence in state.answer:
        own = state.claims.get(sentence.id, (sentence.text,))
        if (own == () and has_number_or_name(sentence.text)) or (
            own is None and numbers_and_names(sentence.text) - said
        ):
            own = (sentence.text,)
        elif own == ():
            silent.append(
                Skipped(sentence.start or 0, sentence.end or 0, "the judge finds no claim in it")
            )
        texts += [(claim, sentence) for claim in own or ()]
    texts += [(claim, None) for claim in elsewhere]
    statements = tuple(
        Statement(i, text, s.start if s else None, s.end if s else None)
        for i, (text, s) in enumerate(texts, 1)
    )
    skipped = tuple(sorted((*state.skipped, *silent), key=lambda span: span.start))
    state = replace(state, statements=statements, skipped=skipped)
    return (
        state
        if statements
        else replace(
            state, ending="no_statements", problem="the judge finds no claim in the answer"
        )
    )
