"""A reply that brings claims and their verdicts at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..reading import read
from ..reading.reconcile import MISSING, agreed, around, finding_of, unless_denied, words_to_quote
from ..records.errors import UnreadableReply
from ..records.model import Statement
from .carrying import Sentences, as_they_stand, check_count, claim_key
from .findings import allowed, checked
from .fit import is_too_long
from .outcomes import noted_reading, usable_text
from .state import noted, with_statements

if TYPE_CHECKING:
    from ..reading import Row
    from ..reading.reconcile import Finding
    from ..records.ask import Outcome
    from .state import Cell, Job, State


def take(state: State, job: Job, outcome: Outcome) -> State:
    """The state with the claims of a joint reply as statements, and their findings.

    A sentence that its claims do not stand for is a statement without a verdict: it is asked about.

    Raises:
        JudgeError: the reply cannot be used or read, or has numbers that its ask does not have.
    """
    reading = read(usable_text(outcome), state.policy.labels, job.ask.form)
    rows = _by_sentence(state, job, reading.rows)
    check_count(len(reading.rows), len(rows))
    sentences = Sentences(job.ask.payload.items)
    shown = words_to_quote(reading.rows, [text for _, text in job.ask.payload.sentences])
    said = around(reading, rows)
    statements: list[Statement] = []
    findings: dict[Cell, Finding] = {}
    bare = 0
    for number, sentence in zip(rows, state.answer, strict=True):
        claims = _claims(rows[number], sentence.text)
        if not sentences.carried_by(number, [row.statement for row in rows[number]]):
            claims, bare = {"": []}, bare + 1
        for alike in claims.values():
            text = alike[0].statement if alike else sentence.text
            statement = Statement(len(statements) + 1, text, sentence.start, sentence.end)
            finding = agreed(
                [checked(finding_of(row, text, shown), text, job.ask) for row in alike]
            )
            finding = unless_denied(finding, number, text, said) if alike else MISSING
            # The claim is in the judge's words. Whether it may be set aside, the sentence decides.
            findings[0, statement.id] = allowed(sentence.text, finding, job.ask.form.labels)
            statements.append(statement)
    state = with_statements(state, statements)
    state = state._replace(
        claims=state.claims._replace(by_sentence=dict.fromkeys(job.ids, ())),
        verdicts=state.verdicts._replace(by_window=findings),
    )
    state = noted(state, warnings=as_they_stand(bare, len(rows)))
    return noted_reading(state, job, outcome, reading.form)


def _by_sentence(state: State, job: Job, rows: tuple[Row, ...]) -> dict[int, list[Row]]:
    """The rows under the number of their sentence. One without a claim is about its sentence."""
    texts = dict(job.ask.payload.items)
    named: dict[int, list[Row]] = {number: [] for number in texts}
    only = next(iter(texts)) if len(texts) == 1 else None
    for row in rows:
        number = only if row.number is None else row.number
        if number not in named:
            raise UnreadableReply("the reply's numbers are not those that were asked for")
        if not is_too_long(state.budget, row.statement):
            claim = row.statement.strip() or texts[number]
            named[number].append(row._replace(statement=claim))
    return named


def _claims(rows: list[Row], sentence: str) -> dict[str, list[Row]]:
    """The rows of each claim of a sentence; one empty list for a sentence without any."""
    claims: dict[str, list[Row]] = {}
    for row in rows:
        claims.setdefault(claim_key(row.statement), []).append(row)
    return claims or {claim_key(sentence): []}
