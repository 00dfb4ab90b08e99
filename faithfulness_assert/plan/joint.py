"""A reply that brings claims and their verdicts at once."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from ..reading import read
from ..reading.reconcile import MISSING, Finding, agreed, trusted_shift
from ..records.model import Statement
from ..text.strings import is_blank
from .claim_sources import claim_key, without_strays
from .findings import allowed, checked
from .fit import is_too_long
from .numbered_replies import check_count
from .outcomes import ignored_entries, noted_reading, usable_text
from .state import Claimed, noted, with_statements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..reading import RawVerdict
    from ..records.ask import Outcome
    from .state import Cell, Job, State


def take(state: State, job: Job, outcome: Outcome) -> State:
    """The state with the claims of a joint reply as statements, and their findings.

    A sentence without an entry of its own is a statement without a verdict.

    Raises:
        JudgeError: the reply cannot be used or read, or its numbers cannot be trusted.
    """
    reading = read(usable_text(outcome), state.policy.labels)
    check_count(len(reading.verdicts), len(job.ask.ids))
    short = [e for e in reading.verdicts if not is_too_long(state.budget, e.statement)]
    entries, strays = _entries_by_sentence(short, job)
    pairs = [(s, entry) for s in state.answer for entry in _once(entries.get(s.id, ()))]
    statements = [_statement(i, sentence, entry) for i, (sentence, entry) in enumerate(pairs, 1)]
    state = with_statements(state, statements)
    used = {id(entry) for _, entry in pairs if entry}
    own = chain.from_iterable(entries.values())
    others = [entry for entry in (*own, *strays) if id(entry) not in used]
    known = dict.fromkeys(job.ask.ids, Claimed(()))
    state = state._replace(
        claims=state.claims._replace(by_sentence=known),
        verdicts=state.verdicts._replace(by_window=_findings(state, job, pairs, others)),
    )
    unused = len(reading.verdicts) - sum(map(len, entries.values()))
    state = noted(state, warnings=ignored_entries(unused))
    return noted_reading(state, job, outcome, reading.form)


def _entries_by_sentence(
    verdicts: Sequence[RawVerdict], job: Job
) -> tuple[dict[int, list[RawVerdict]], list[RawVerdict]]:
    """The entries under the sentences that they name, and those whose claim is of another one.

    An entry that names no sentence of the ask is among the others.
    """
    shift = trusted_shift({entry.id for entry in verdicts if entry.id is not None}, job.ask.ids)
    named: dict[int, list[RawVerdict]] = {number: [] for number in job.ask.ids}
    strays: list[RawVerdict] = []
    sentences = dict(job.ask.payload.items)
    for entry in verdicts:
        number = None if entry.id is None else entry.id + shift
        if number not in named:
            strays.append(entry)
        elif is_blank(entry.statement):  # without a claim, an entry is about its sentence
            named[number].append(entry._replace(statement=sentences[number]))
        else:
            named[number].append(entry)
    claims = {number: tuple(e.statement for e in entries) for number, entries in named.items()}
    kept = without_strays(claims, job.ask.payload.items)
    own: dict[int, list[RawVerdict]] = {number: [] for number in named}
    for number, entries in named.items():
        texts = set(kept[number])
        for entry in entries:
            (own[number] if entry.statement in texts else strays).append(entry)
    return own, strays


def _once(entries: Sequence[RawVerdict]) -> list[RawVerdict | None]:
    """The first entry of each claim; None for a sentence without any entry."""
    firsts = {claim_key(entry.statement): entry for entry in reversed(entries)}
    return list(reversed(firsts.values())) or [None]


def _statement(number: int, sentence: Statement, entry: RawVerdict | None) -> Statement:
    """The claim of an entry as a statement; the sentence itself if the entry has no claim."""
    claim = entry.statement.strip() if entry else ""
    text = sentence.text if is_blank(claim) else claim
    return Statement(number, text, sentence.start, sentence.end)


def _findings(
    state: State,
    job: Job,
    pairs: Sequence[tuple[Statement, RawVerdict | None]],
    others: Sequence[RawVerdict],
) -> dict[Cell, Finding]:
    """The finding of each statement. A label counts only if all entries with its claim agree."""
    alike: dict[str, list[Finding]] = {}
    for other in others:
        finding = checked(Finding.of(other), other.statement, job.ask)
        alike.setdefault(claim_key(other.statement), []).append(finding)
    own: dict[Cell, Finding] = {}
    keys: dict[Cell, str] = {}
    for statement, (sentence, entry) in zip(state.verdicts.statements, pairs, strict=True):
        finding = checked(Finding.of(entry) if entry else MISSING, statement.text, job.ask)
        # The claim is in the judge's words. Whether it may be set aside, the sentence decides.
        finding = allowed(sentence.text, finding, job.ask.form.labels)
        cell, key = (0, statement.id), claim_key(statement.text)
        own[cell], keys[cell] = finding, key
        alike.setdefault(key, []).append(finding)
    return {
        cell: agreed([finding, *alike[keys[cell]]]) if finding.label else finding
        for cell, finding in own.items()
    }
