"""What fits into one ask: groups of the statements, and windows over the context."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..records.errors import InputError
from ..records.judge import Limits, Numbered
from ..records.model import Evidence
from .tokens import estimate_tokens

OVERLAP = 2
"""Sentences that two neighbouring windows share, so that evidence across a border is not lost."""
MIN_ROOM = 300
"""Tokens for context and statements without which nothing can be asked."""
LINE_TOKENS = 3
"""Tokens of a line's number and its end."""


class Budget(NamedTuple):
    """How much one ask may hold.

    Args:
        limits: the judge's limits.
        room: tokens for context and statements together; None for no limit.
        reply_tokens: what the reply to each statement takes of the room.
    """

    limits: Limits
    room: int | None = None
    reply_tokens: int = 0

    @property
    def context_room(self) -> int | None:
        """Tokens for the context: two thirds of the room. The rest is for statements."""
        return None if self.room is None else self.room * 2 // 3

    @property
    def statements_room(self) -> int | None:
        """Tokens for the statements: one third of the room."""
        return None if self.room is None else self.room // 3

    def statement_tokens(self, text: str) -> int:
        """The tokens that a statement takes of the room."""
        return line_tokens(text) + self.reply_tokens


def line_tokens(text: str) -> int:
    """The tokens of a text on a numbered line, by the estimate: the same on every machine."""
    return estimate_tokens(text) + LINE_TOKENS


def chunk(items: Numbered, budget: Budget) -> tuple[Numbered, ...]:
    """The items in groups that fit one ask each.

    Raises:
        InputError: one item alone is too long.
    """
    texts, room = dict(items), budget.statements_room
    if items and room is None and budget.limits.statements is None:
        return (tuple(items),)
    for number, text in items:
        if room is not None and (tokens := budget.statement_tokens(text)) > room:
            problem = f"statement {number} has about {tokens:,} tokens, too many for"
            raise InputError(f"answer: {problem} {budget.limits.named}")
    alone = ((number, ()) for number in texts)  # without a line of the context
    groups = packed(alone, texts, lambda _: 0, budget._replace(room=room))
    return tuple(tuple((n, texts[n]) for n in sorted(numbers)) for numbers, _ in groups)


def packed(
    wanted: Iterable[tuple[int, Collection[int]]],
    statements: Mapping[int, str],
    size: Callable[[int], int],
    budget: Budget,
) -> Iterator[tuple[set[int], tuple[int, ...]]]:
    """Statements with the lines of the context that they are shown together, ask by ask.

    An ask is filled until the next one does not fit.

    Args:
        wanted: numbers of statements, each with the lines that it is to be shown with.
        statements: their texts.
        size: the tokens of a line of the context.
        budget: how much one ask may hold.
    """
    room, most = budget.room, budget.limits.statements
    numbers: set[int] = set()
    lines: set[int] = set()
    used = 0
    for number, own in wanted:
        tokens = sum(map(size, set(own) - lines))
        tokens += 0 if number in numbers else budget.statement_tokens(statements[number])
        full = most is not None and number not in numbers and len(numbers) >= most
        if numbers and (full or (room is not None and used + tokens > room)):
            yield numbers, tuple(sorted(lines))
            numbers, lines, used = set(), set(), 0
            tokens = budget.statement_tokens(statements[number]) + sum(map(size, own))
        numbers.add(number)
        lines.update(own)
        used += tokens
    if numbers:
        yield numbers, tuple(sorted(lines))


def cut_to_fit(
    sentences: Sequence[Evidence], most: int, into: int | None = None
) -> tuple[Evidence, ...]:
    """The sentences, numbered anew, with those that are too long cut into parts.

    Args:
        sentences: the context.
        most: the most tokens of a sentence.
        into: the most tokens of a part; by default as ``most``.
    """
    parts = [
        part
        for sentence in sentences
        for part in (
            [sentence] if line_tokens(sentence.text) <= most else _parts(sentence, into or most)
        )
    ]
    if len(parts) == len(sentences):
        return tuple(sentences)
    return tuple(replace(part, sentence=number) for number, part in enumerate(parts, 1))


def _parts(sentence: Evidence, room: int) -> list[Evidence]:
    """A sentence in halves, cut at white space where there is some, until each part fits."""
    text = sentence.text
    if line_tokens(text) <= room:
        return [sentence]
    middle = text.rfind(" ", len(text) // 4, len(text) // 2) + 1 or len(text) // 2
    place = sentence.start + middle
    first = replace(sentence, text=text[:middle], end=place)
    second = replace(sentence, text=text[middle:], start=place)
    return [*_parts(first, room), *_parts(second, room)]


def window(sentences: Sequence[Evidence], budget: Budget) -> tuple[range, ...]:
    """Ranges of sentence numbers that each fit one ask; one range where everything fits."""
    if budget.context_room is None:
        return (range(1, len(sentences) + 1),)
    return overlapping([line_tokens(s.text) for s in sentences], budget.context_room)


def overlapping(sizes: Sequence[int], room: int) -> tuple[range, ...]:
    """Ranges of numbers from 1, each with as many sizes as the room takes, at least one."""
    windows: list[range] = []
    start = 0
    while start < len(sizes):
        end, used = start + 1, sizes[start]
        while end < len(sizes) and used + sizes[end] <= room:
            used += sizes[end]
            end += 1
        windows.append(range(start + 1, end + 1))
        start = end if end == len(sizes) else max(end - OVERLAP, start + 1)
    return tuple(windows)
