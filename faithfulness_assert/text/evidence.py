"""The context as numbered sentences, and a verdict's references and quotes resolved to them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from ..records.model import Evidence
from .sentences import sentence_spans
from .strings import is_blank, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..records.case import Case

MAX_EVIDENCE = 20
_QUOTES = "\"'“”‘’«»「」„ .…"


def number_sentences(case: Case, language: str = "en") -> tuple[Evidence, ...]:
    """The sentences of all passages, numbered once per case from 1. Blank ones are left out."""
    spans = (
        (passage, span)
        for passage in case.context
        for span in sentence_spans(passage.text, language)
    )
    said = [
        (passage, start, end)
        for passage, (start, end) in spans
        if not is_blank(passage.text[start:end])
    ]
    return tuple(
        Evidence(number, p.id, start, end, p.text[start:end])
        for number, (p, start, end) in enumerate(said, 1)
    )


@dataclass(frozen=True, slots=True)
class Quotable:
    """The context as one line in lower case, made once for a case, and where in it each sentence begins."""

    text: str
    starts: tuple[int, ...]

    @staticmethod
    def of(sentences: Sequence[Evidence]) -> Quotable:
        """The context that these sentences are."""
        lines = [one_line(sentence.text).casefold() for sentence in sentences]
        return Quotable(
            " ".join(lines), tuple(accumulate((len(line) + 1 for line in lines[:-1]), initial=0))
        )

    def find(self, quote: str) -> tuple[int, ...]:
        """The numbers of the sentences that hold ``quote``; () where it is not in the context."""
        wanted = one_line(quote).strip(_QUOTES).casefold()
        place = self.text.find(wanted) if wanted else -1
        if place < 0:
            return ()
        first, last = (
            bisect_right(self.starts, place),
            bisect_right(self.starts, place + len(wanted) - 1),
        )
        return tuple(range(first, last + 1))


def resolve(
    numbers: Sequence[int], quote: str, sentences: Sequence[Evidence], quotable: Quotable | None
) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """The sentences that a verdict points at or quotes, and a flag for a quote that is not in the context."""
    quotes = (
        [quotable.find(line) for line in quote.splitlines() if not is_blank(line)]
        if quotable
        else []
    )
    found = dict.fromkeys([*numbers, *(number for places in quotes for number in places)])
    flags = ("no_such_quote",) if () in quotes else ()
    return tuple(sentences[number - 1] for number in list(found)[:MAX_EVIDENCE]), flags
