"""Match a reply's verdicts with the statements: each statement gets exactly one finding.

A finding is a label, or the reason why there is no label. Nothing is guessed. Verdicts are matched
by number; without numbers by the statement text that they repeat; without either by position, if
there are as many verdicts as statements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..reading import RawVerdict, read
from ..records.errors import UnreadableReply
from ..text.shared_words import words_that_count
from ..text.strings import text_key

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ..records.model import Label, Unresolved

NEGATIVE: frozenset[str] = frozenset({"not_enough_info", "contradicted"})


class Finding(NamedTuple):
    """What a reply says about one statement: a label, or why there is none.

    ``disputed``: there is no label because one entry says "contradicted" and another does not.
    """

    label: Label | None = None
    unresolved: Unresolved | None = "missing"
    evidence: tuple[int, ...] = ()
    quote: str = ""
    reason: str = ""
    flags: tuple[str, ...] = ()
    disputed: bool = False

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
INVALID = Finding(unresolved="invalid")


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
    named = [entry for entry in raw if entry.id is not None or _echoed(entry, by_text)]
    if raw and not named:
        return _by_position(raw, statements, positional_prefix, numbered_only), 0
    placed: dict[int, list[RawVerdict]] = {number: [] for number in statements}
    compared = statements if any(entry.statement for entry in named) else {}
    words = {number: words_that_count(text) for number, text in compared.items()}
    known = frozenset[str]().union(*words.values())
    doubtful: list[RawVerdict] = []
    for entry in named:
        number = _number(entry, added, by_text)
        if number in placed and not _is_of_another(entry, words.get(number), known):
            placed[number].append(_unless_echo(entry, statements[number]))
        else:
            doubtful.append(entry)
    findings = {number: _finding(entries) for number, entries in placed.items()}
    for entry in doubtful:
        _object(entry, added, by_text, findings)
    return findings, len(raw) - sum(map(len, placed.values()))


def _object(
    entry: RawVerdict,
    added: int | None,
    by_text: Mapping[str, Sequence[int]],
    findings: dict[int, Finding],
) -> None:
    """Takes back what an entry denies that belongs to no statement for certain.

    Its number, its text or both name statements. It earns nothing for any of them.
    """
    by_number = [] if entry.id is None or added is None else [entry.id + added]
    for number in (*by_number, *_echoed(entry, by_text)):
        finding = findings.get(number)
        if finding and finding.label and entry.label:
            findings[number] = agreed([finding, Finding.of(entry)])


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
    """As ``shift``, for replies that are useless without numbers.

    Raises:
        UnreadableReply: the numbers cannot be trusted.
    """
    added = shift(numbers, asked)
    if added is None:
        raise UnreadableReply("the reply's numbers are not those that were asked for")
    return added


def _numbers_by_text(statements: Mapping[int, str]) -> dict[str, list[int]]:
    """The numbers of the statements with each text."""
    numbers: dict[str, list[int]] = {}
    for number, text in statements.items():
        if text:
            numbers.setdefault(text_key(text), []).append(number)
    return numbers


def _echoed(entry: RawVerdict, by_text: Mapping[str, Sequence[int]]) -> Sequence[int]:
    """The numbers of the statements whose text the entry repeats."""
    return by_text.get(text_key(entry.statement), ()) if entry.statement else ()


def _number(
    entry: RawVerdict, added: int | None, by_text: Mapping[str, Sequence[int]]
) -> int | None:
    """The statement number of an entry that has a number or a known text.

    The text decides where numbers cannot be trusted, if it is that of one statement only. None
    where neither does, or where number and text are of two statements.
    """
    echoed = _echoed(entry, by_text)
    if entry.id is None or added is None:
        return echoed[0] if len(echoed) == 1 else None
    number = entry.id + added
    return None if echoed and number not in echoed else number


def _is_of_another(entry: RawVerdict, own: frozenset[str] | None, known: frozenset[str]) -> bool:
    """Whether an entry's text has no word of its own statement, but words of others."""
    if entry.id is None or not own or not entry.statement:
        return False
    words = words_that_count(entry.statement)
    return words.isdisjoint(own) and not words.isdisjoint(known)


def _unless_echo(entry: RawVerdict, statement: str) -> RawVerdict:
    """The entry, without its label if its line only repeats the statement."""
    if entry.line and text_key(entry.line) == text_key(statement):
        return entry._replace(label=None)
    return entry


def _by_position(
    entries: Sequence[RawVerdict],
    statements: Mapping[int, str],
    prefix: bool,
    numbered_only: bool,
) -> dict[int, Finding]:
    """Findings by position. ``prefix``: fewer entries than statements match the first ones."""
    surplus, too_few = len(entries) > len(statements), len(entries) < len(statements)
    # More verdicts than statements can only be read if it does not matter which is whose.
    all_denied = len({entry.label for entry in entries}) == 1 and entries[0].label in NEGATIVE
    if numbered_only or (surplus and not all_denied) or (too_few and not prefix):
        raise UnreadableReply(
            f"got {_count(len(entries), 'unnumbered verdict')} for "
            f"{_count(len(statements), 'statement')}, so they cannot be matched"
        )
    if _are_in_another_order(entries, statements):
        raise UnreadableReply("the texts beside the verdicts are not of the statements in order")
    matched = zip(statements.items(), entries, strict=False)
    findings = {n: _finding([_if_about(text, entry)]) for (n, text), entry in matched}
    return {number: findings.get(number, MISSING) for number in statements}


def _are_in_another_order(entries: Sequence[RawVerdict], statements: Mapping[int, str]) -> bool:
    """Whether an entry's text shares words with other statements only, and not with its own."""
    if not any(entry.statement for entry in entries):
        return False
    words = [words_that_count(text) for text in statements.values()]
    known = frozenset[str]().union(*words)
    said = [words_that_count(entry.statement) for entry in entries]
    return any(text & known and not text & own for own, text in zip(words, said, strict=False))


def _if_about(statement: str, entry: RawVerdict) -> RawVerdict:
    """The entry, without its label if its own text shares no word with the statement."""
    wanted, own = words_that_count(statement), words_that_count(entry.statement)
    return entry._replace(label=None) if wanted and own and not wanted & own else entry


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _finding(entries: Sequence[RawVerdict]) -> Finding:
    return agreed([Finding.of(entry) for entry in entries])


def agreed(findings: Sequence[Finding]) -> Finding:
    """Several findings of one statement as one: unresolved if their labels differ."""
    if len(findings) < 2:
        return findings[0] if findings else MISSING
    evidence = tuple(dict.fromkeys(number for finding in findings for number in finding.evidence))
    labels = {finding.label for finding in findings}
    if len(labels) == 1:
        return findings[0]._replace(evidence=evidence)
    if "contradicted" in labels or any(finding.disputed for finding in findings):
        return Finding(unresolved="duplicate", evidence=evidence, disputed=True)
    return Finding(unresolved="duplicate")
