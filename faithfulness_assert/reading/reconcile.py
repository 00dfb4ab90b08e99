"""Read a judge's reply, and match its rows with the statements of its ask: one finding for each.

A finding is a label, or the reason why there is none. Nothing is guessed. Rows are matched by
number; without numbers by position, if there are as many rows as statements. A row counts only if
the gate lets it pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from ..records.checks import is_whole
from ..records.errors import UnreadableReply
from ..records.judge import Reasons, ReplyForm
from ..records.model import SET_ASIDE, Label, Unresolved
from ..text.strings import clip, counted, is_same, plain_words, text_key
from . import gate
from .rows import Labels, Reading, Row, exact_rows

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


def read(
    text: str,
    labels: Labels = None,
    form: ReplyForm | None = None,
    statements: Mapping[int, str] = MappingProxyType({}),
    *,
    single: bool = False,
) -> Reading:
    """The rows and the residue of a judge's reply.

    Args:
        labels: a policy's own words (see ``parse_label``).
        form: what was asked for. It changes no verdict: a reply that conforms is read faster.
        statements: those of its ask, by number: a line may repeat its own, which may have a label.
        single: the reply is about one statement, so a plain sentence may be its verdict.

    Raises:
        UnreadableReply: no verdict can be read (kind ``unreadable``), or the judge refused (kind
            ``refusal``).
        TypeError: ``text`` is not a string.
    """
    if form and isinstance(text, str) and (exact := exact_rows(text, form, labels)):
        return Reading(exact, form="schema")
    from .forms import read_any  # most replies are exact

    return read_any(text, labels, statements, single=single)


def settle(
    reading: Reading,
    statements: Mapping[int, str],
    *,
    context: Collection[str] = (),
    credited: Collection[Label] = CREDITED,
    by_position: bool = True,
    prefix: bool = False,
    reasons: Reasons = "all",
) -> Settled:
    """The findings of a reply about these statements, of which a text may be unknown ("").

    A row may quote the context; with one of the ``credited`` labels it must pass the gate. Rows
    without numbers are matched by their place under ``by_position``, with ``prefix`` also too few.
    ``reasons``: for which rows they were asked for.

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
    odd = (r for r in said if r.named and (by_place or r.text.rstrip(" *_").endswith(":")))
    doubtful = (strangers and not extra) or loose or any(odd)
    shown = f" {' '.join(map(plain_words, context))} "
    # A reason that only some supported rows have, though nobody asked for it, may say in any words
    # why the label is wrong: "The context says 12." Who gives one to each has that habit.
    granted = (row for row in reading.rows if row.label == "supported" and not row.line)
    odd_reasons = reasons != "all" and not all(row.reason for row in granted)
    # What a row repeats and grants nothing to earns nothing under another number.
    denied_rows = (row for row in reading.rows if row.statement and row.label not in credited)
    against = {plain_words(row.statement) for row in denied_rows}
    findings = {}
    for number, text in statements.items():
        finding = agreed(
            [_finding_of(r, text, shown, credited, odd_reasons) for r in placed[number]]
        )
        if loose and len(loose) == len(reading.rows):
            finding = INVALID
        if finding.label in credited and (doubtful or (against and plain_words(text) in against)):
            finding = INVALID
        elif finding.label in credited and said:
            # The remark names this statement, alone or with others, or speaks about all.
            heard = (r for r in said if number in r.named or r.others)
            about = ((r.text.strip(), text if r.named == {number} else "") for r in heard)
            denial = next((remark for remark, own in about if gate.objects(remark, own)), "")
            finding = _opened(finding, denial) if denial else finding
        findings[number] = finding
    denied = {row.number for row in strangers if row.number and row.label not in credited}
    loud = [remark for remark in said if gate.objects(remark.text)]
    denied |= {number for remark in loud for number in remark.named if number not in statements}
    earlier = any(remark.others and gate.EARLIER.search(remark.text) for remark in loud)
    return Settled(findings, frozenset(denied), earlier, len(strangers))


def _around(reading: Reading, statements: Mapping[int, str]) -> list[gate.Remark]:
    """What a reply says around its rows, and in a row about others, sentence by sentence."""
    if sum(map(len, reading.residue)) > gate.MOST_CHARS:
        return [gate.Remark(frozenset(), others=True, text=" ".join(reading.residue))]
    own = [
        f"{'' if row.label in CREDITED else row.label} {text}"
        for row in reading.rows
        for text in (row.line or row.reason, row.quote, *row.residue)
        if text and (gate.numbers_named(text) - {row.number} or gate.OTHERS.search(text))
    ]
    if not own and not reading.residue:
        return []
    counts = Counter(row.label for row in reading.rows if row.label)
    around = [gate.without_tally(text, counts, len(statements)) for text in reading.residue]
    return gate.remarks([*around, *own], statements)


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
    # A final list says again what the rows with numbers say, or that all are supported.
    numbered = [Row(None, row.label) for row in rows if row.number is not None]
    count, more = len(numbered), loose
    if len(loose) >= min(2, count) and loose[:count] == numbered[: len(loose)]:
        more = loose[count:]
    if not only and all(row == Row(None, "supported") for row in more):
        return placed, []
    if loose and by_position and fits:
        for number, row in zip(statements, loose, strict=False):
            # Beside rows with numbers, as a final list, they credit nothing: they only differ.
            placed[number] += [row] if only or placed[number] else []
        return placed, []
    if only and loose and all(row.label != "contradicted" for row in loose):
        got, asked = counted(len(rows), "unnumbered verdict"), counted(len(statements), "statement")
        raise UnreadableReply(f"got {got} for {asked}, so they cannot be matched")
    return placed, loose


def _finding_of(
    row: Row, statement: str, shown: str, credited: Collection[Label], odd_reasons: bool
) -> Finding:
    """What one row says about its statement, if what else it says is quiet.

    ``shown``: the words of the context, which a row may quote.
    """
    if row.label is None or (statement and row.line and text_key(row.line) == text_key(statement)):
        return INVALID
    found = Finding(row.label, None, row.evidence, row.quote, row.reason)
    if row.label not in credited or not (row.reason or row.quote or row.statement or row.residue):
        return found
    about, reason, repeated = statement or row.statement, row.reason, row.statement
    loud = []
    if reason and row.label != "not_a_claim":
        # What stands beside a label in plain text is a remark.
        spoken = gate.objects if row.line else gate.denies
        hears = {"supported": spoken, "partially_supported": gate.denies_all}.get(row.label)
        loud += [reason] * (hears(reason, about) if hears else gate.calls_false(reason))
        loud += [reason] * (odd_reasons and row.label == "supported" and not row.line)
    loud += [text for text in row.residue if gate.field_objects(text, statement)]
    if repeated:
        is_other = statement and not is_same(repeated, statement)
        loud += [repeated] if is_other or gate.objects(repeated, statement) else []
    # What a row cites is a text of the context, or at least says nothing against the statement.
    quotes = (quote for quote in row.quote.split("\n") if f" {plain_words(quote)} " not in shown)
    loud += [quote for quote in quotes if row.quote and gate.denies(quote, statement)]
    return _opened(found, loud[0]) if loud else found


def _opened(finding: Finding, remark: str) -> Finding:
    """The statement, open because of a remark. The reason is kept, if its label is confirmed."""
    reason = finding.reason or clip(remark)
    return INVALID._replace(remark=remark, reason=reason, opened=finding.label)


def agreed(findings: Sequence[Finding]) -> Finding:
    """Several findings of one statement as one: unresolved if their labels differ."""
    if not findings:
        return MISSING
    first = findings[0]
    if len(findings) > 1 and any(finding.label != first.label for finding in findings):
        return Finding(unresolved="duplicate")
    evidence = tuple(dict.fromkeys(chain.from_iterable([one.evidence for one in findings])))
    return first if evidence == first.evidence else first._replace(evidence=evidence)


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
