"""Raw verdicts meet statements: afterwards each statement has exactly one finding, a label or the reason why there is none.

Nothing is guessed. By number; without numbers by echoed statement text; without either by position, where the counts agree.
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
NO_STATEMENT = -1


@dataclass(frozen=True, slots=True)
class Finding:
    """What a reply says of one statement: a label with its evidence and reason, or why there is none."""

    label: Label | None = None
    unresolved: Unresolved | None = "missing"
    evidence: tuple[int, ...] = ()
    quote: str = ""
    reason: str = ""
    flags: tuple[str, ...] = ()

    @staticmethod
    def of(entry: RawVerdict | None) -> Finding:
        """What one entry of a reply says."""
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
    """The labels that a judge's reply gives to ``n_statements`` statements, in order; None where one is missing or invalid.

    Raises:
        UnreadableReply: nothing in the reply is a verdict, or the verdicts cannot be aligned with the statements.
        ValueError: ``n_statements`` is not a positive whole number.
    """
    if isinstance(n_statements, bool) or not isinstance(n_statements, int) or n_statements < 1:
        raise ValueError(f"n_statements: must be a positive whole number, got {n_statements!r}")
    findings, _ = align(read(reply_text).verdicts, dict.fromkeys(range(1, n_statements + 1), ""))
    labels = [findings[number].label for number in range(1, n_statements + 1)]
    if not any(labels):
        raise UnreadableReply("the reply has entries, but none of them is a valid verdict")
    return labels


def align(
    raw: Sequence[RawVerdict], statements: Mapping[int, str], *, positional_prefix: bool = False
) -> tuple[dict[int, Finding], int]:
    """One finding for each number in ``statements``, and how many entries of the reply fit no statement.

    Raises:
        UnreadableReply: entries without numbers and known texts, whose count is not that of the statements.
    """
    added = shift({entry.id for entry in raw if entry.id is not None}, statements)
    by_text = _numbers_by_text(statements)
    placed: dict[int, list[RawVerdict]] = {number: [] for number in statements}
    loose: list[RawVerdict] = []
    unknown = 0
    for said in raw:
        number = _number(said, added, by_text)
        entry = _unless_echo(said, statements.get(number or NO_STATEMENT, ""))
        if number is None:
            loose.append(entry)
        elif number in placed:
            placed[number].append(entry)
        else:
            unknown += 1
    if loose and len(loose) == len(raw):
        return _by_position(loose, list(statements), positional_prefix), 0
    return {number: _finding(entries) for number, entries in placed.items()}, unknown + len(loose)


def shift(numbers: Collection[int], asked: Collection[int]) -> int | None:
    """What to add to a reply's numbers: 1 where it counts from 0 beyond doubt (it has every number from 0 to n - 1 and no other), else 0.

    None where no number can be trusted: the reply has a 0 but not all of the others, or it counts 1, 2, 3 though other numbers were
    asked for.
    """
    counting = set(range(1, len(asked) + 1))
    if set(asked) != counting:
        return None if set(numbers) == counting and len(counting) > 1 else 0
    if 0 not in numbers:
        return 0
    return 1 if set(numbers) == {n - 1 for n in counting} else None


def trusted_shift(numbers: Collection[int], asked: Collection[int]) -> int:
    """As :func:`shift`, for replies in which everything hangs on the numbers. Raises ``UnreadableReply``."""
    found = shift(numbers, asked)
    if found is None:
        raise UnreadableReply("the reply's numbers are not those that were asked for")
    return found


def _numbers_by_text(statements: Mapping[int, str]) -> dict[str, int]:
    """Statement text to number, for texts that stand once."""
    keys = {number: text_key(text) for number, text in statements.items() if text}
    times = Counter(keys.values())
    return {key: number for number, key in keys.items() if times[key] == 1}


def _number(entry: RawVerdict, added: int | None, by_text: Mapping[str, int]) -> int | None:
    """The statement number of an entry; None where it has neither a number nor a known text."""
    echoed = by_text.get(text_key(entry.statement)) if entry.statement else None
    if entry.id is None:
        return echoed
    if added is None or (echoed is not None and echoed != entry.id + added):
        return NO_STATEMENT  # its number cannot be trusted, or its number and its text are of two statements
    return entry.id + added


def _unless_echo(entry: RawVerdict, statement: str) -> RawVerdict:
    """The entry, without its label where its line only repeats the statement, which happens to end like a verdict."""
    return (
        replace(entry, label=None)
        if entry.line and text_key(entry.line) == text_key(statement)
        else entry
    )


def _by_position(
    entries: Sequence[RawVerdict], numbers: Sequence[int], prefix: bool
) -> dict[int, Finding]:
    surplus_but_negative = len(entries) > len(numbers) and all(
        entry.label in NEGATIVE for entry in entries
    )
    if (
        len(entries) != len(numbers)
        and not surplus_but_negative
        and not (prefix and len(entries) < len(numbers))
    ):
        raise UnreadableReply(
            f"{len(entries)} verdicts without numbers for {len(numbers)} statements: they cannot be aligned"
        )
    found = {number: _finding([entry]) for number, entry in zip(numbers, entries, strict=False)}
    return {number: found.get(number, MISSING) for number in numbers}


def _finding(entries: Sequence[RawVerdict]) -> Finding:
    return agreed([Finding.of(entry) for entry in entries])


def agreed(findings: Sequence[Finding]) -> Finding:
    """What several findings of one statement say together: nothing where they differ, with the evidence of all where they agree."""
    if len(findings) < 2:
        return findings[0] if findings else MISSING
    if len({finding.label for finding in findings}) > 1:
        return Finding(unresolved="duplicate")
    evidence = tuple(dict.fromkeys(number for finding in findings for number in finding.evidence))
    return replace(findings[0], evidence=evidence)
