"""The rule of the embedded judge: how much of a statement's wording stands close together in the context.

A sentence of a statement scores the mean of two recalls, of its words (by their first five letters) and of its four-letter
pieces, in the best window of three neighbouring context sentences; half a point less where a number or a name of it is nowhere
in the context, which no overlap makes up for. A statement scores what its weakest sentence scores. Citation marks are no part of what
it says; only where it is found better with them do they count, for the context may hold them too.

It is a rule about words: it sees no negation, and no two names that changed places.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from .words import names, numbers, sentences, spaced, without_citations, words

if TYPE_CHECKING:
    from collections.abc import Iterable

WINDOW = 3  # context sentences that are looked at together
STEM = 5  # letters of a word that count
GRAM = 4  # letters of a piece
MISSING = 0.5  # what a number or name costs that is nowhere in the context
LONGEST = 100  # words; a longer sentence is read as several, or a transcript without full stops would be one window that holds all
CANDIDATES = 6  # windows that are looked at closely
PLACES = 1_000  # places of words, the rarest first, that candidates are drawn from: the bound in a large context


class Index(NamedTuple):
    """A context, made ready once for any number of statements. A place is a position in ``texts``."""

    texts: list[str]
    sentence_at: list[int]  # the number of the sentence at a place
    places: dict[str, list[int]]  # where a word stands, by its first letters, ascending
    words: set[str]
    numbers: set[str]
    whole: dict[str, int]  # the number of a sentence, by all its words


class Support(NamedTuple):
    """What a context does for a statement.

    Args:
        score: between -0.5 and 1.
        evidence: the numbers of the context sentences that share words with the statement in the best windows, ascending.
        missing: the first number or name of the statement that is nowhere in the context, else empty.
    """

    score: float = 0.0
    evidence: tuple[int, ...] = ()
    missing: str = ""


def build_index(context: Iterable[tuple[int, str]]) -> Index:
    """The index of ``context``, pairs of a number and a sentence. Linear in its length."""
    index = Index([], [], {}, set(), set(), {})
    for number, sentence in context:
        found = words(sentence)
        if not found:
            continue
        index.words.update(found)
        index.numbers.update(numbers(sentence))
        index.whole.setdefault(spaced(found), number)
        for start in range(0, len(found), LONGEST):
            piece = found[start : start + LONGEST]
            for stem in _stems(piece):
                index.places.setdefault(stem, []).append(len(index.texts))
            index.texts.append(spaced(piece))
            index.sentence_at.append(number)
    return index


def support(statement: str, index: Index) -> Support:
    """What the context does for ``statement``: the score of its weakest sentence, the evidence of all. Without a word it scores 0."""
    plain = without_citations(statement)
    readings = [plain] if plain == statement else [plain, statement]
    return max(
        (_support_as_it_stands(reading, index) for reading in readings),
        key=lambda found: found.score,
    )


def _support_as_it_stands(statement: str, index: Index) -> Support:
    parts = [statement] if spaced(words(statement)) in index.whole else sentences(statement)
    found = [_support_of_sentence(part, index) for part in parts]
    weakest = min(found, key=lambda part: part.score, default=Support())
    return Support(
        weakest.score,
        tuple(sorted({number for part in found for number in part.evidence})),
        weakest.missing,
    )


def _support_of_sentence(sentence: str, index: Index) -> Support:
    found = words(sentence)
    missing = _missing(sentence, index)
    same = index.whole.get(spaced(found))
    score, evidence = (1.0, (same,)) if same is not None else _best_window(found, index)
    return Support(score - MISSING if missing else score, evidence, missing)


def _missing(sentence: str, index: Index) -> str:
    number = next((n for n in numbers(sentence) if n not in index.numbers), None)
    if number is not None:
        return f"the number {number}"
    name = next((n for n in names(sentence) if n.casefold() not in index.words), None)
    return f"the name {name}" if name else ""


def _best_window(found: list[str], index: Index) -> tuple[float, tuple[int, ...]]:
    """The best mean of word and piece recall, and the numbers of the sentences of that window that add a word.

    Words that no window has room for find none: that much is only supported word for word (and nothing here grows with it).
    """
    if len(found) > WINDOW * LONGEST:
        return 0.0, ()
    stems = _stems(found)
    places = [index.places[stem] for stem in stems if stem in index.places]
    grams = _grams(spaced(found))
    best, best_start = 0.0, 0
    for start in _candidates(places, len(index.texts)):
        word_recall = sum(_stands_in(where, start, start + WINDOW) for where in places) / len(stems)
        if (word_recall + 1) / 2 <= best:
            continue
        text = "".join(index.texts[start : start + WINDOW])
        score = (word_recall + sum(map(text.__contains__, grams)) / len(grams)) / 2
        if score > best:
            best, best_start = score, start
    return best, _useful(places, best_start, index) if best else ()


def _candidates(places: list[list[int]], size: int) -> list[int]:
    """The starts of the windows that hold most of the words, as far as their rarest places tell."""
    last = max(size - WINDOW, 0)
    hits: Counter[int] = Counter()
    left = PLACES
    for where in sorted(places, key=len):
        near = where[:left]
        left -= len(near)
        hits.update(
            {
                start
                for place in near
                for start in range(max(place - WINDOW + 1, 0), min(place, last) + 1)
            }
        )
    return sorted(hits, key=lambda start: (-hits[start], start))[:CANDIDATES]


def _stands_in(where: list[int], start: int, end: int) -> bool:
    first = bisect_left(where, start)
    return first < len(where) and where[first] < end


def _useful(places: list[list[int]], start: int, index: Index) -> tuple[int, ...]:
    """The sentences of a window that hold words of the statement: the one with most of them, then those that add some."""
    held = {
        at: {n for n, where in enumerate(places) if _stands_in(where, at, at + 1)}
        for at in range(start, start + WINDOW)
    }
    seen: set[int] = set()
    useful = set()
    for at in sorted(held, key=lambda at: (-len(held[at]), at)):
        if held[at] - seen:
            useful.add(index.sentence_at[at])
            seen |= held[at]
    return tuple(sorted(useful))


def _stems(found: list[str]) -> list[str]:
    return list(dict.fromkeys(word[:STEM] for word in found))


def _grams(text: str) -> set[str]:
    return {text[at : at + GRAM] for at in range(max(len(text) - GRAM + 1, 1))}
