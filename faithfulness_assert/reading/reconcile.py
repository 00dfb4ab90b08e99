"""Match a reply's rows with the statements of its ask: each statement gets exactly one finding.

A finding is a label, or the reason why there is none. Nothing is guessed. Rows are matched by
number; without numbers by position, if there are as many rows as statements. A row counts only if
the gate lets it pass.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from operator import eq
from typing import NamedTuple

from ..records.checks import is_whole
from ..records.errors import ContradictoryReply, UnreadableReply
from ..records.model import SET_ASIDE, Label, Unresolved
from ..text.strings import is_same, plain_words, text_key
from .gate import (
    EARLIER,
    MOST_CHARS,
    OTHERS,
    Remark,
    calls_false,
    denies,
    denies_all,
    field_objects,
    numbers_named,
    objects,
    remarks,
    without_tally,
)
from .reader import read
from .rows import Reading, Row

CREDITED: frozenset[Label] = frozenset({"supported", "partially_supported", "not_a_claim"})
"""The labels that earn something, so that they must pass the gate."""


class Finding(NamedTuple):
    """What a reply says about one statement: a label, or why there is none."""

    label: Label | None = None
    unresolved: Unresolved | None = "missing"
    evidence: tuple[int, ...] = ()
    quote: str = ""
    reason: str = ""
    flags: tuple[str, ...] = ()
    remark: str = ""  # what else the reply says, because of which the label does not count
    confidence: float | None = None  # how probable the judge finds the label, if it says so
    wrong: tuple[str, ...] = ()  # the words of the statement that the judge marks, if it marks any
    asserts: bool = False  # the judge set aside what claims something
    opened: Label | None = None  # the label that does not count, if it is open because of a remark


MISSING = Finding()
INVALID = Finding(unresolved="invalid")
ASSERTS = Finding(unresolved="invalid", flags=(SET_ASIDE,), asserts=True)


class Settled(NamedTuple):
    """What a reply says, matched with its ask."""

    findings: dict[int, Finding]  # one for each statement of the ask
    denied: frozenset[int]  # numbers that the ask does not have and that the reply speaks against
    denies_earlier: bool  # it speaks against all earlier replies
    ignored: int  # how many rows have a number that the ask does not have


def settle(
    reading: Reading,
    statements: Mapping[int, str],
    *,
    context: Collection[str] = (),
    credited: Collection[Label] = CREDITED,
    by_position: bool = True,
    prefix: bool = False,
) -> Settled:
    """The findings of a reply about these statements, of which a text may be unknown ("").

    A row may quote the context; with one of the ``credited`` labels it must pass the gate. Rows
    without numbers are matched by their place under ``by_position``, with ``prefix`` also too few.

    Raises:
        UnreadableReply: there are only rows without numbers, and they cannot be matched.
    """
    placed, loose = _placed(reading.rows, statements, by_position, prefix)
    known = {None, *statements}
    strangers = [row for row in reading.rows if row.number not in known]
    # Where each of several numbers that were asked has its row, others are only too many. "Not
    # enough" is even right about a statement that is not there.
    covers, quiet = len(statements) > 1 and all(placed.values()), {*credited, "not_enough_info"}
    extra = covers and all(row.label in quiet for row in strangers)
    said = _around(reading, statements)
    # Nobody knows whether the other numbers of such a reply, or its places, are those of the ask.
    by_place = any(row.number is None for row in reading.rows) and len(statements) > 1
    headed = any(r.named and r.text.rstrip(" *_").endswith(":") for r in said)
    moved = by_place and any(r.named for r in said)
    doubtful = (strangers and not extra) or loose or headed or moved
    quotes = any(row.quote for row in reading.rows)
    shown = f" {' '.join(map(plain_words, context))} " if quotes else ""
    against: dict[str, set[int | None]] = {}  # statements that rows repeat and grant nothing
    for row in (row for row in reading.rows if row.statement and row.label not in credited):
        against.setdefault(plain_words(row.statement), set()).add(row.number)
    findings = {}
    for number, text in statements.items():
        finding = agreed([_finding_of(row, text, shown, credited) for row in placed[number]])
        elsewhere = against.get(plain_words(text), set()) - {number} if against and text else None
        if finding.label in credited and (doubtful or elsewhere):
            finding = INVALID
        elif said and finding.label in credited and (denial := _denial_of(number, text, said)):
            finding = opened(finding, denial)
        findings[number] = finding
    denied = {row.number for row in strangers if row.number and row.label not in credited}
    loud = [remark for remark in said if objects(remark.text)]
    denied |= {number for remark in loud for number in remark.named if number not in statements}
    earlier = any(remark.others and EARLIER.search(remark.text) for remark in loud)
    return Settled(findings, frozenset(denied), earlier, len(strangers))


def _around(reading: Reading, statements: Mapping[int, str]) -> list[Remark]:
    """What a reply says around its rows, and in a row about others, sentence by sentence."""
    own = [
        f"{'' if row.label in CREDITED else row.label} {text}"
        for row in reading.rows
        for text in (row.line or row.reason, row.quote, *row.residue)
        if text and (numbers_named(text) - {row.number} or OTHERS.search(text))
    ]
    if sum(map(len, reading.residue)) > MOST_CHARS:
        return [Remark(frozenset(), others=True, text=" ".join(reading.residue))]
    within = [remark._replace(others=True) for remark in remarks(own, statements)] if own else []
    if not reading.residue:
        return within
    granted = [row.label for row in reading.rows].count("supported")
    around = [without_tally(text, granted, len(statements)) for text in reading.residue]
    return remarks(around, statements) + within


def _placed(
    rows: Sequence[Row], statements: Mapping[int, str], by_position: bool, prefix: bool
) -> tuple[dict[int, list[Row]], list[Row]]:
    """The rows of each statement, and those without a number that have no place."""
    placed: dict[int, list[Row]] = {number: [] for number in statements}
    for row in rows:
        if row.number in placed:
            placed[row.number].append(row)
    loose = [row for row in rows if row.number is None]
    if len(statements) == 1:  # two verdicts for one statement may be about another ask
        return {number: placed[number] + loose for number in statements}, loose[1:]
    only = len(loose) == len(rows)
    fits = len(loose) == len(statements) or (only and prefix and len(loose) < len(statements))
    if loose and _repeats(rows):
        return placed, []
    if loose and by_position and fits:
        for number, row in zip(statements, loose, strict=False):
            # Beside rows with numbers, as a final list, they credit nothing: they only differ.
            placed[number] += [row] if only or placed[number] else []
        return placed, []
    if loose and any(row.label == "contradicted" for row in loose):
        raise ContradictoryReply("the judge contradicts a statement, and does not say which one")
    if loose and only:
        verdicts = "1 unnumbered verdict" if len(rows) == 1 else f"{len(rows)} unnumbered verdicts"
        asked = "1 statement" if len(statements) == 1 else f"{len(statements)} statements"
        raise UnreadableReply(f"got {verdicts} for {asked}, so they cannot be matched")
    return placed, loose


def _repeats(rows: Sequence[Row]) -> bool:
    """Whether rows of a label alone grant all, or say in order what those with numbers say."""
    said = [row.label for row in rows if row.number is not None]
    again = [row.label for row in rows if row.number is None]
    if not said or any(row != Row(None, row.label) for row in rows if row.number is None):
        return False
    is_list = len(again) > 1 or len(said) == 1
    repeats = is_list and all(map(eq, said, again)) and CREDITED.issuperset(again[len(said) :])
    return repeats or {"supported"}.issuperset(again)


def _finding_of(row: Row, statement: str, shown: str, credited: Collection[Label]) -> Finding:
    """What one row says about its statement, if what else it says is quiet.

    ``shown``: the words of the context, which a row may quote. Whether a statement is no claim, its
    own text decides (see ``plan/findings.py``).
    """
    if row.label is None or (statement and row.line and text_key(row.line) == text_key(statement)):
        return INVALID
    found = Finding(row.label, None, row.evidence, row.quote, row.reason)
    if row.label not in credited:
        return found
    about, reason, repeated = statement or row.statement, row.reason, row.statement
    if row.line and repeated and not is_same(repeated, statement):  # nobody asked for it
        about, reason, repeated = statement, f"{repeated}\n{reason}", ""
    if not reason or row.label == "not_a_claim":
        denied = False
    elif row.label == "supported":
        # What stands beside a label in plain text is a remark.
        denied = objects(reason, about) if row.line else denies(reason, about)
    elif row.label == "partially_supported":
        denied = denies_all(reason, about)
    else:
        denied = calls_false(reason)
    loud = [reason] if denied else []
    loud += [text for text in row.residue if field_objects(text, statement)]
    if repeated:
        is_other = statement and not is_same(repeated, statement)
        loud += [repeated] if is_other or objects(repeated, statement) else []
    # What a row cites is a text of the context, or at least says nothing against the statement.
    quotes = (quote for quote in row.quote.split("\n") if f" {plain_words(quote)} " not in shown)
    loud += [quote for quote in quotes if row.quote and denies(quote, statement)]
    return opened(found, loud[0]) if loud else found


def opened(finding: Finding, remark: str) -> Finding:
    """The statement, open because of a remark. Its reason is kept, if its label is confirmed."""
    return INVALID._replace(remark=remark, reason=finding.reason, opened=finding.label)


def _denial_of(number: int, statement: str, said: Sequence[Remark]) -> str:
    """The remark around the rows that may deny a statement; "" if there is none."""
    about = (remark for remark in said if number in remark.named or remark.others)
    own = ((r.text.strip(), statement if r.named == {number} else "") for r in about)
    return next((text for text, known in own if objects(text, known)), "")


def agreed(findings: Sequence[Finding]) -> Finding:
    """Several findings of one statement as one: unresolved if their labels differ."""
    if not findings:
        return MISSING
    if len({finding.label for finding in findings}) > 1:
        return Finding(unresolved="duplicate")
    evidence = dict.fromkeys(number for finding in findings for number in finding.evidence)
    return findings[0]._replace(evidence=tuple(evidence))


def read_verdicts(reply_text: str, n_statements: int) -> list[Label | None]:
    """The labels of ``n_statements`` statements, in order; None where one is missing or invalid.

    Raises:
        UnreadableReply: the reply contains no valid verdict, or its verdicts cannot be matched
            with the statements.
        ValueError: ``n_statements`` is not a positive integer.
    """
    if not is_whole(n_statements) or n_statements < 1:
        raise ValueError(f"n_statements: must be a positive integer, got {n_statements!r}")
    reading = read(reply_text, single=n_statements == 1)
    findings = settle(reading, dict.fromkeys(range(1, n_statements + 1), "")).findings
    labels = [findings[number].label for number in range(1, n_statements + 1)]
    if not any(labels):
        raise UnreadableReply("the reply has entries, but none of them is a valid verdict")
    return labels
