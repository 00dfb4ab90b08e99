"""What a checker reads of an ask: each statement with each chunk of the context.

A chunk is whole sentences, as many as the family's authors take, or as the model reads beside the
statement. Only a sentence that is too long by itself is cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...records.ask import Numbered, Payload
    from .families import Family
    from .tokenizing import Input, Tokens

LEAST_ROOM = 16
"""Tokens of the context that must fit beside a statement, or nothing can be said of it."""


class Chunk(NamedTuple):
    """A part of the context with a statement: the numbers of its sentences, and the input."""

    numbers: tuple[int, ...]
    input: Input


class _Size(NamedTuple):
    words: int
    tokens: int


class Reader:
    """Makes the inputs of a checker.

    Args:
        family: how it reads.
        tokens: its tokenizer.
        most: the most tokens of an input.
    """

    def __init__(self, family: Family, tokens: Tokens, most: int) -> None:
        self._family, self._tokens, self._most = family, tokens, most

    def chunks(self, payload: Payload) -> dict[int, list[Chunk]]:
        """The chunks of each statement, by its number; none for one that is too long."""
        plain = self._tokens.plain
        question = plain(payload.question)
        sentences = tuple((number, plain(text).strip()) for number, text in payload.sentences)
        sizes = [_Size(len(text.split()), self._tokens.count(text)) for _, text in sentences]
        found = {}
        for number, text in payload.statements:
            statement = plain(text)
            room = self._most - len(self._input("", statement, question).ids)
            groups = self._groups(sentences, sizes, room) if room >= LEAST_ROOM else ()
            chunks = [c for group in groups for c in self._fitting(group, statement, question)]
            found[number] = chunks
        return found

    def _input(self, document: str, statement: str, question: str) -> Input:
        return self._tokens.encode(
            *self._family.texts(document, statement, question, self._tokens.end)
        )

    def _groups(self, sentences: Numbered, sizes: Sequence[_Size], room: int) -> list[Numbered]:
        """The sentences in groups, each filled until the next sentence does not fit."""
        most, in_words = self._family.chunk, self._family.counts_words
        groups: list[list[tuple[int, str]]] = []
        words = tokens = 0
        for sentence, size in zip(sentences, sizes, strict=True):
            words, tokens = words + size.words, tokens + size.tokens
            full = most is not None and (words if in_words else tokens) > most
            if not groups or full or tokens > room:
                groups.append([])
                words, tokens = size
            groups[-1].append(sentence)
        return [tuple(group) for group in groups]

    def _fitting(self, group: Numbered, statement: str, question: str) -> Iterator[Chunk]:
        """A group as one chunk, or in halves until each fits: joined texts may have more tokens."""
        document = " ".join(text for _, text in group)
        made = self._input(document, statement, question)
        if len(made.ids) <= self._most:
            yield Chunk(tuple(dict.fromkeys(number for number, _ in group)), made)
            return
        middle = len(group) // 2
        if not middle:
            number, text = group[0]
            cut = text.rfind(" ", len(text) // 4, len(text) // 2) + 1 or len(text) // 2
            group, middle = ((number, text[:cut]), (number, text[cut:])), 1
        yield from self._fitting(group[:middle], statement, question)
        yield from self._fitting(group[middle:], statement, question)
