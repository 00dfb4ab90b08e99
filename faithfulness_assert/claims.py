"""The stage that turns sentences of the answer into claims, by asking the judge; with ``joint``, into claims with verdicts at once.

Nothing of the answer may vanish here: a sentence for which the judge gives no claim, though it has a number or a name, is graded
as it stands.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .errors import JudgeError, UnreadableReply
from .model import AskKind, Payload, Statement, is_blank
from .prompting import make_ask
from .reading import read, read_claims
from .reconcile import Finding, allowed, has_number_or_name
from .state import Cell, Job, Outcome, State, failed, lines, room, spent, status_of, usable_text
from .windows import chunk, window

if TYPE_CHECKING:
    from .reading import RawVerdict

CLAIMS_PER_SENTENCE = 20
ELSEWHERE = 0  # stands for the sentence of a claim that names none


def jobs(state: State) -> tuple[Job, ...]:
    """One ask for each group of sentences that has no claims yet."""
    waiting = [s for s in state.answer if s.id not in state.claims and (0, s.id) not in state.closed]
    texts = {s.id: s.text for s in waiting}
    groups = chunk(waiting, state.limits, room(state), state.count)
    kind, shown = _joint(state) if len(groups) == 1 else ("claims", ())
    payloads = [Payload(tuple((i, texts[i]) for i in group), shown, state.case.question) for group in groups]
    return tuple(Job(make_ask(kind, state.policy, payload)) for payload in payloads)


def _joint(state: State) -> tuple[AskKind, tuple[tuple[int, str], ...]]:
    """The kind of ask, and the context it shows: both at once where the policy wants it and all fits one ask."""
    windows = window(state.sentences, room(state), state.count)
    if not state.policy.joint or len(windows) > 1:
        return "claims", ()
    return "claims_and_verdicts", lines(state, windows[0])


def absorb(state: State, jobs: tuple[Job, ...], outcomes: tuple[Outcome, ...]) -> State:
    """Claims by sentence; for a joint ask, statements with their findings."""
    for job, outcome in zip(jobs, outcomes, strict=True):
        state = spent(state, job, outcome)
        try:
            state = (_take_joint if job.ask.kind == "claims_and_verdicts" else _take)(state, job, usable_text(outcome))
        except JudgeError as error:
            state = failed(state, job, error)
    return state


def _take(state: State, job: Job, text: str) -> State:
    claims = read_claims(text)
    if len(claims) > CLAIMS_PER_SENTENCE * len(job.ask.ids):
        raise UnreadableReply(f"{len(claims)} claims for {len(job.ask.ids)} sentences are too many to be true")
    known: dict[int, list[str]] = {number: [] for number in (*job.ask.ids, ELSEWHERE)}
    known[ELSEWHERE] += state.claims.get(ELSEWHERE, ())
    for number, claim in claims:
        known[number if number in known else ELSEWHERE] += [] if is_blank(claim) else [claim]
    return replace(state, claims={**state.claims, **{n: tuple(c) for n, c in known.items()}}, forms=(*state.forms, "claims"))


def _take_joint(state: State, job: Job, text: str) -> State:
    """Each entry is a claim of the sentence that it numbers; a sentence without an entry stays a statement, unresolved."""
    reading = read(text, state.policy.labels)
    entries: dict[int, list[RawVerdict | None]] = {number: [] for number in job.ask.ids}
    for entry in reading.verdicts:
        if entry.id in entries:
            entries[entry.id].append(entry)
    pairs = [(sentence, entry) for sentence in state.answer for entry in entries[sentence.id] or [None]]
    statements = tuple(_statement(i, entry.statement if entry else "", s) for i, (s, entry) in enumerate(pairs, 1))
    findings: dict[Cell, Finding] = {
        (0, own.id): allowed(own.text, Finding.of(entry), setting_aside=True) for own, (_, entry) in zip(statements, pairs, strict=True)
    }
    claims: dict[int, tuple[str, ...]] = dict.fromkeys(job.ask.ids, ())
    return replace(state, statements=statements, findings=findings, claims=claims, forms=(*state.forms, reading.form))


def _statement(number: int, claim: str, sentence: Statement) -> Statement:
    return Statement(number, sentence.text if is_blank(claim) else claim.strip(), sentence.start, sentence.end)


def settle(state: State, _jobs: tuple[Job, ...], _outcomes: tuple[Outcome, ...]) -> State:
    """The claims as statements, once all are in. Where a sentence's claims could not be had, the case cannot be graded."""
    if state.findings:  # a joint ask has made them
        return state
    if any(s.id not in state.claims for s in state.answer):
        return replace(state, statements=(), ending=status_of(state.errors))
    elsewhere = state.claims.get(ELSEWHERE, ())
    texts: list[tuple[str, Statement | None]] = []
    for sentence in state.answer:
        own = state.claims[sentence.id]
        lost = not own and not elsewhere and has_number_or_name(sentence.text)
        texts += [(claim, sentence) for claim in (own or ((sentence.text,) if lost else ()))]
    texts += [(claim, None) for claim in elsewhere]
    statements = tuple(Statement(i, text, s.start if s else None, s.end if s else None) for i, (text, s) in enumerate(texts, 1))
    return replace(state, statements=statements, ending=None if statements else "no_statements")
