"""The context as numbered sentences, and the references and quotes of verdicts resolved to them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from ..records.model import Evidence
from .sentences import sentence_spans
from .strings import is_blank, one_line

if TYPE_CHECKING:
    from ..cases.case import Case

MAX_EVIDENCE = 20
MAX_QUOTES = 50
"""Quotes of one verdict that are looked up. Each is searched for in the whole context."""
_QUOTES = "\"'“”‘’«»「」„ .…"


def number_sentences(case: Case, language: str = "en") -> tuple[Evidence, ...]:
    """The sentences of all passages, numbered once per case from 1, without blank ones."""
    said = (
        (passage.id, start, end, text)
        for passage in case.context
        for start, end in sentence_spans(passage.text, language)
        if not is_blank(text := passage.text[start:end])
    )
    return tuple(Evidence(number, *sentence) for number, sentence in enumerate(said, 1))


class Quotable(NamedTuple):
    """The context on one line in lower case, made once per case, and where each sentence begins."""

    text: str
    starts: tuple[int, ...]

    @staticmethod
    def of(sentences: Sequence[Evidence]) -> Quotable:
        """The context that consists of these sentences."""
        lines = [one_line(sentence.text).casefold() for sentence in sentences]
        starts = accumulate((len(line) + 1 for line in lines[:-1]), initial=0)
        return Quotable(" ".join(lines), tuple(starts))

    def find(self, quote: str) -> tuple[int, ...]:
        """The numbers of the sentences that contain ``quote``; () if it is not in the context."""
        wanted = one_line(quote).strip(_QUOTES).casefold()
        place = self.text.find(wanted) if wanted else -1
        if place < 0:
            return ()
        first = bisect_right(self.starts, place)
        last = bisect_right(self.starts, place + len(wanted) - 1)
        return tuple(range(first, last + 1))


def resolve(
    numbers: Sequence[int], quote: str, sentences: Sequence[Evidence], quotable: Quotable | None
) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """The sentences that a verdict refers to or quotes, and flags.

    The flag ``no_such_quote`` means that a quote is not in the context, or one of too many.
    """
    lines = [line for line in quote.splitlines() if not is_blank(line)]
    quoted = [quotable.find(line) for line in lines[:MAX_QUOTES]] if quotable else []
    wanted = dict.fromkeys([*numbers, *(number for places in quoted for number in places)])
    unproven = () in quoted or len(lines) > MAX_QUOTES
    flags = ("no_such_quote",) if unproven else ()
    return tuple(sentences[number - 1] for number in list(wanted)[:MAX_EVIDENCE]), flags
