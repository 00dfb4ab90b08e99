"""The context as numbered sentences, and a verdict's references resolved to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .model import Evidence, is_blank
from .statements import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from .model import Case

MAX_EVIDENCE = 20


def number_sentences(case: Case, language: str = "en") -> tuple[Evidence, ...]:
    """The sentences of all passages, numbered once per case from 1. Blank ones are left out."""
    spans = ((passage, span) for passage in case.context for span in sentence_spans(passage.text, language))
    said = [(passage, start, end) for passage, (start, end) in spans if not is_blank(passage.text[start:end])]
    return tuple(Evidence(number, p.id, start, end, p.text[start:end]) for number, (p, start, end) in enumerate(said, 1))


def resolve(
    numbers: Iterable[int], quote: str, sentences: Sequence[Evidence], shown: Collection[int]
) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """The sentences that a verdict points at, and a flag for each way in which its evidence does not hold.

    ``shown`` are the numbers that the judge was shown; a reference to another one does not exist for it.
    """
    wanted = list(dict.fromkeys(numbers))
    found = tuple(sentences[n - 1] for n in wanted[:MAX_EVIDENCE] if n in shown)
    flags = ["no_such_evidence"] if any(n not in shown for n in wanted) else []
    if quote and not _quoted(quote, sentences, shown):
        flags.append("no_such_quote")
    return found, tuple(flags)


def _quoted(quote: str, sentences: Sequence[Evidence], shown: Collection[int]) -> bool:
    text = " ".join(" ".join(sentences[n - 1].text.split()) for n in sorted(shown))
    return " ".join(quote.split()).strip("\"'“”‘’«» ").casefold() in text.casefold()
