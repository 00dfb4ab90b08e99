"""A reply that brings claims and their verdicts at once."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from ..reading import read
from ..reading.reconcile import MISSING, Finding, agreed, trusted_shift
from ..records.model import Statement
from ..text.strings import is_blank, text_key
from .claim_sources import without_strays
from .findings import allowed, checked
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
    entries, strays = _entries_by_sentence(reading.verdicts, job)
    pairs = [(s, entry) for s in state.answer for entry in _once(entries.get(s.id, ()))]
    statements = [_statement(i, sentence, entry) for i, (sentence, entry) in enumerate(pairs, 1)]
    state = with_statements(state, statements)
    used = [entry for _, entry in pairs if entry]
    others = [e for e in (*chain.from_iterable(entries.values()), *strays) if e not in used]
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
    """The entries under the sentences that they name, and those whose claim is of another one."""
    shift = trusted_shift({entry.id for entry in verdicts if entry.id is not None}, job.ask.ids)
    named: dict[int, list[RawVerdict]] = {number: [] for number in job.ask.ids}
    for entry in verdicts:
        if entry.id is not None and entry.id + shift in named:
            named[entry.id + shift].append(entry)
    claims = {number: tuple(e.statement for e in entries) for number, entries in named.items()}
    kept = without_strays(claims, job.ask.payload.items)
    own: dict[int, list[RawVerdict]] = {}
    strays: list[RawVerdict] = []
    for number, entries in named.items():
        own[number] = [e for e in entries if e.statement in kept[number]]
        strays += [e for e in entries if e.statement not in kept[number]]
    return own, strays


def _once(entries: Sequence[RawVerdict]) -> list[RawVerdict | None]:
    """The first entry of each claim; None for a sentence without any entry."""
    firsts = {text_key(entry.statement): entry for entry in reversed(entries)}
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
    """The finding of each statement. All entries with the same claim must agree."""
    alike: dict[str, list[Finding]] = {}
    for other in others:
        alike.setdefault(text_key(other.statement), []).append(Finding.of(other))
    statements = state.verdicts.statements
    for statement, (sentence, entry) in zip(statements, pairs, strict=True):
        finding = checked(Finding.of(entry) if entry else MISSING, statement.text, job.ask)
        # The claim is in the judge's words. Whether it may be set aside, the sentence decides.
        finding = allowed(sentence.text, finding, job.ask.form.labels)
        alike.setdefault(text_key(statement.text), []).append(finding)
    return {(0, s.id): agreed(alike[text_key(s.text)]) for s in statements}
