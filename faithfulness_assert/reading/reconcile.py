"""Match a reply's verdicts with the statements: each statement gets exactly one finding.

A finding is a label, or the reason why there is no label. Nothing is guessed. Verdicts are matched
by number; without numbers by the statement text that they repeat; without either by position, if
there are as many verdicts as statements.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..reading import RawVerdict, read
from ..records.errors import UnreadableReply
from ..records.model import Label, Unresolved
from ..text.strings import text_key

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

NEGATIVE: frozenset[str] = frozenset({"not_enough_info", "contradicted"})


@dataclass(frozen=True, slots=True)
class Finding:
    """What a reply says about one statement: a label, or why there is none."""

    label: Label | None = None
    unresolved: Unresolved | None = "missing"
    evidence: tuple[int, ...] = ()
    quote: str = ""
    reason: str = ""
    flags: tuple[str, ...] = ()

    @staticmethod
    def of(entry: RawVerdict | None) -> Finding:
        """The finding that one entry of a reply gives."""
        if entry is None:
            return MISSING
        return Finding(
            entry.label,
            None if entry.label else "invalid",
            entry.evidence,
            entry.quote,
            entry.reason,
        )


MISSING = Finding()


def read_verdicts(reply_text: str, n_statements: int) -> list[Label | None]:
    """The labels of ``n_statements`` statements, in order; None where one is missing or invalid.

    Raises:
        UnreadableReply: the reply contains no valid verdict, or its verdicts cannot be matched
            with the statements.
        ValueError: ``n_statements`` is not a positive integer.
    """
    if isinstance(n_statements, bool) or not isinstance(n_statements, int) or n_statements < 1:
        raise ValueError(f"n_statements: must be a positive integer, got {n_statements!r}")
    findings, _ = align(read(reply_text).verdicts, dict.fromkeys(range(1, n_statements + 1), ""))
    labels = [findings[number].label for number in range(1, n_statements + 1)]
    if not any(labels):
        raise UnreadableReply("the reply has entries, but none of them is a valid verdict")
    return labels


def align(
    raw: Sequence[RawVerdict],
    statements: Mapping[int, str],
    *,
    positional_prefix: bool = False,
    numbered_only: bool = False,
) -> tuple[dict[int, Finding], int]:
    """One finding for each number in ``statements``, and how many entries match no statement.

    Args:
        raw: the entries of a reply.
        statements: what was asked about, by number.
        positional_prefix: whether too few entries without numbers are those of the first
            statements.
        numbered_only: whether entries without numbers and known texts are not accepted at all.

    Raises:
        UnreadableReply: no entry has a number or a known text, and there are not as many entries
            as statements (or ``numbered_only``).
    """
    added = shift({entry.id for entry in raw if entry.id is not None}, statements)
    by_text = _numbers_by_text(statements)
    named = [entry for entry in raw if entry.id is not None or _echoed(entry, by_text) is not None]
    if raw and not named:
        return _by_position(raw, list(statements), positional_prefix, numbered_only), 0
    placed: dict[int, list[RawVerdict]] = {number: [] for number in statements}
    for entry in named:
        number = _number(entry, added, statements, by_text)
        if number in placed:
            placed[number].append(_unless_echo(entry, statements[number]))
    findings = {number: _finding(entries) for number, entries in placed.items()}
    return findings, len(raw) - sum(map(len, placed.values()))


def shift(numbers: Collection[int], asked: Collection[int]) -> int | None:
    """What to add to a reply's numbers; None where its numbers cannot be trusted.

    A reply is read on its own: it either uses the numbers that were asked for (0), or it has
    exactly the numbers from 0 to n - 1 where 1 to n were asked for (1). Numbers cannot be trusted
    if they look like another way of counting: a 0 among others, 1 to n where other numbers were
    asked for, or numbers that only fit after a shift.
    """
    given, wanted = set(numbers), set(asked)
    counting = set(range(1, len(wanted) + 1))
    if given == {number - 1 for number in counting} and wanted == counting:
        return 1
    if given == counting != wanted and len(counting) > 1:
        return None
    if given <= wanted or (given >= wanted and 0 not in given):
        return 0
    return None if 0 in given or _looks_shifted(given, wanted) else 0


def _looks_shifted(given: Collection[int], wanted: Collection[int]) -> bool:
    """Whether all numbers that were given would be wanted ones after adding the same number."""
    offsets = {number - min(given) for number in given}
    return any(all(start + offset in wanted for offset in offsets) for start in wanted)


def trusted_shift(numbers: Collection[int], asked: Collection[int]) -> int:
    """As :func:`shift`, for replies that are useless without numbers.

    Raises:
        UnreadableReply: the numbers cannot be trusted.
    """
    added = shift(numbers, asked)
    if added is None:
        raise UnreadableReply("the reply's numbers are not those that were asked for")
    return added


def _numbers_by_text(statements: Mapping[int, str]) -> dict[str, int]:
    """Statement text to number, for texts that occur once."""
    keys = {number: text_key(text) for number, text in statements.items() if text}
    times = Counter(keys.values())
    return {key: number for number, key in keys.items() if times[key] == 1}


def _echoed(entry: RawVerdict, by_text: Mapping[str, int]) -> int | None:
    """The number of the statement whose text the entry repeats, or None."""
    return by_text.get(text_key(entry.statement)) if entry.statement else None


def _number(
    entry: RawVerdict,
    added: int | None,
    statements: Mapping[int, str],
    by_text: Mapping[str, int],
) -> int | None:
    """The statement number of an entry that has a number or a known text.

    None where the number cannot be trusted, or where number and text are of two statements.
    """
    echoed = _echoed(entry, by_text)
    if entry.id is None:
        return echoed
    if added is None:
        return None
    number, key = entry.id + added, text_key(entry.statement)
    of_another = key and key != text_key(statements.get(number, ""))
    if of_another and any(text_key(text) == key for text in statements.values()):
        return None
    return number


def _unless_echo(entry: RawVerdict, statement: str) -> RawVerdict:
    """The entry, without its label if its line only repeats the statement."""
    if entry.line and text_key(entry.line) == text_key(statement):
        return replace(entry, label=None)
    return entry


def _by_position(
    entries: Sequence[RawVerdict], numbers: Sequence[int], prefix: bool, numbered_only: bool
) -> dict[int, Finding]:
    """Findings by position. ``prefix``: fewer entries than statements match the first ones."""
    surplus, too_few = len(entries) > len(numbers), len(entries) < len(numbers)
    # More verdicts than statements can only be read if it does not matter which is whose.
    all_denied = len({entry.label for entry in entries}) == 1 and entries[0].label in NEGATIVE
    if numbered_only or (surplus and not all_denied) or (too_few and not prefix):
        raise UnreadableReply(
            f"got {_count(len(entries), 'unnumbered verdict')} for "
            f"{_count(len(numbers), 'statement')}, so they cannot be matched"
        )
    matched = {number: _finding([entry]) for number, entry in zip(numbers, entries, strict=False)}
    return {number: matched.get(number, MISSING) for number in numbers}


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _finding(entries: Sequence[RawVerdict]) -> Finding:
    return agreed([Finding.of(entry) for entry in entries])


def agreed(findings: Sequence[Finding]) -> Finding:
    """Several findings of one statement as one: unresolved if their labels differ."""
    if len(findings) < 2:
        return findings[0] if findings else MISSING
    if len({finding.label for finding in findings}) > 1:
        return Finding(unresolved="duplicate")
    evidence = tuple(dict.fromkeys(number for finding in findings for number in finding.evidence))
    return replace(findings[0], evidence=evidence)
