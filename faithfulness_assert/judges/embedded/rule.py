"""The rule of the embedded judge: are a statement's words in the context, and close together?

A sentence of a statement has two scores. *Far*: the share of its words' pieces of four letters that
words anywhere in the context have, and ``CREDIT``, because a summary says in words of its own what
stands in many places. *Near*: its best window of three neighbouring context sentences, by the mean
of two shares, of its words (by their first five letters) and of its pieces. The more different
words a context has, the more of any sentence it contains by chance: its score goes from far to near
in proportion, and from ``MANY`` words on it is near alone. It is at most ``APART`` above near.

It loses half a point if one of its numbers or names is nowhere in the context, or if it has a
negation and the sentences of its best window have none, so no overlap can make up for that. A
statement has the score of its weakest sentence. Citation marks are ignored, unless the statement
scores higher with them: the context may contain them too.

The rule only sees words. It does not see that a negation was taken away or is about something else,
nor that two names are exchanged.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from .words import (
    as_digits,
    find_names,
    find_numbers,
    find_words,
    negates,
    sentences,
    spaced,
    without_citations,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

WINDOW = 3  # context sentences that are compared together
STEM = 5  # letters of a word that count
GRAM = 4  # letters of a piece
MISSING = 0.5  # penalty for a number, name or negation that is not there
CREDIT = 0.05  # for what a sentence says in words of its own
APART = 0.35  # a score is at most so much above near: words from all over say nothing
MANY = 2_000  # different words of a context that contains the pieces of most sentences by chance
# Words of a piece of text. Longer sentences are cut: without this, a transcript without full stops
# would be one window that contains everything.
LONGEST = 100
CANDIDATES = 4  # windows that are compared in full
NEGATION = "the negation"
PLACES = 1_000  # occurrences of words, the rarest first, that candidates come from: limits the work


class Index(NamedTuple):
    """A context, prepared once for any number of statements.

    Args:
        texts: its sentences; long ones are cut into several texts.
        sentence_numbers: the number of the sentence that each text belongs to.
        places: the positions in ``texts`` where each word stem occurs, ascending.
        windows: the starts of the windows that have a word stem in them, ascending; of stems that
            statements have had.
        words: all words.
        numbers: all numbers, also those that are words.
        exact: the number of the sentence that consists of exactly these words.
        pieces: the pieces of all words; none in a context of ``MANY`` words.
    """

    texts: list[str]
    sentence_numbers: list[int]
    places: dict[str, list[int]]
    windows: dict[str, list[int]]
    words: set[str]
    numbers: set[str]
    exact: dict[str, int]
    pieces: set[str]


class Support(NamedTuple):
    """How well a context supports a statement.

    Args:
        score: between -0.5 and 1.
        evidence: the numbers of the context sentences in the best windows that share words with the
            statement, ascending.
        missing: what the statement has and the context lacks, in words, or empty: a number or a
            name, or a negation.
    """

    score: float = 0.0
    evidence: tuple[int, ...] = ()
    missing: str = ""


def build_index(context: Iterable[tuple[int, str]]) -> Index:
    """The index of ``context``: pairs of a number and a sentence. Takes linear time."""
    index = Index([], [], {}, {}, set(), set(), {}, set())
    for number, sentence in context:
        words = find_words(sentence)
        if not words:
            continue
        index.words.update(words)
        index.numbers.update(find_numbers(sentence))
        whole = spaced(words)
        index.exact.setdefault(whole, number)
        for start in range(0, len(words), LONGEST):
            piece = words[start : start + LONGEST]
            for stem in _stems(piece):
                index.places.setdefault(stem, []).append(len(index.texts))
            index.texts.append(whole if len(piece) == len(words) else spaced(piece))
            index.sentence_numbers.append(number)
    index.numbers.update(as_digits(index.words))
    if len(index.words) < MANY:
        index.pieces.update(*map(_word_pieces, index.words))
    return index


def support(statement: str, index: Index) -> Support:
    """How well the context supports ``statement``. A statement without words has the score 0."""
    plain = without_citations(statement)
    readings = [plain] if plain == statement else [plain, statement]
    return max((_support(reading, index) for reading in readings), key=lambda one: one.score)


def _support(statement: str, index: Index) -> Support:
    words = find_words(statement)
    same = index.exact.get(spaced(words))
    parts = sentences(statement) if same is None else [statement]
    if len(parts) == 1:
        return _sentence_support(statement, words, index)
    supports = [_sentence_support(part, find_words(part), index) for part in parts]
    weakest = min(supports, key=lambda one: one.score, default=Support())
    evidence = {number for one in supports for number in one.evidence}
    return Support(weakest.score, tuple(sorted(evidence)), weakest.missing)


def _sentence_support(sentence: str, words: list[str], index: Index) -> Support:
    missing = _missing_detail(sentence, index)
    text = spaced(words)
    same = index.exact.get(text)
    if same is not None:
        return Support(1.0 - MISSING if missing else 1.0, (same,), missing)
    score, useful = _scores(words, text, index)
    if not missing and negates(words):
        denied = any(negates(index.texts[at].split()) for at in useful)
        missing = "" if denied else NEGATION
    evidence = sorted({index.sentence_numbers[at] for at in useful})
    return Support(score - MISSING if missing else score, tuple(evidence), missing)


def _missing_detail(sentence: str, index: Index) -> str:
    number = next((n for n in find_numbers(sentence) if n not in index.numbers), None)
    if number is not None:
        return f"the number {number}"
    name = next((n for n in find_names(sentence) if n.casefold() not in index.words), None)
    return f"the name {name}" if name else ""


def _scores(words: list[str], text: str, index: Index) -> tuple[float, tuple[int, ...]]:
    """The score of a sentence, and the useful texts of its best window.

    A sentence with more words than a window can contain scores 0: it is only supported if the
    context has the same sentence. This also limits the work.
    """
    if len(words) > WINDOW * LONGEST:
        return 0.0, ()
    stems = _stems(words)
    known = [stem for stem in stems if stem in index.places]
    places = [index.places[stem] for stem in known]
    near, start = _best_window(_grams(text), len(stems), known, index)
    by_chance = min(len(index.words) / MANY, 1.0)
    far = _far(words, index) if near and index.pieces else 0.0
    score = min(by_chance * near + (1.0 - by_chance) * far, near + APART)
    return score, _useful(places, start) if near else ()


def _far(words: list[str], index: Index) -> float:
    """The share of the words' pieces that words anywhere in the context have, and the credit."""
    pieces = set[str]().union(*map(_word_pieces, words))
    return min(len(pieces & index.pieces) / len(pieces) + CREDIT, 1.0)


def _best_window(grams: set[str], stems: int, known: list[str], index: Index) -> tuple[float, int]:
    """The best mean of word recall and piece recall, and where that window starts."""
    places = [index.places[stem] for stem in known]
    best, best_start = 0.0, 0
    for start in _candidates(known, index):
        end = start + WINDOW
        word_recall = sum(_occurs(where, start, end) for where in places) / stems
        if (word_recall + 1) / 2 <= best:
            continue
        text = "".join(index.texts[start:end])
        score = (word_recall + sum(map(text.__contains__, grams)) / len(grams)) / 2
        if score > best:
            best, best_start = score, start
    return best, best_start


def _candidates(stems: list[str], index: Index) -> list[int]:
    """The starts of the windows that contain most of the words, judged by the rarest ones."""
    if len(index.texts) <= WINDOW:
        return [0]
    hits: Counter[int] = Counter()
    left = PLACES
    for stem in sorted(stems, key=lambda stem: len(index.places[stem])):
        if left <= 0:
            break
        where, starts = index.places[stem], _window_starts(stem, index)
        if len(where) > left:
            starts = starts[: bisect_right(starts, where[left - 1])]
        left -= len(where)
        hits.update(starts)
    enough = sorted(hits.values(), reverse=True)[:CANDIDATES][-1:]
    best = [start for start, number in hits.items() if number >= enough[0]]
    return sorted(best, key=lambda start: (-hits[start], start))[:CANDIDATES]


def _window_starts(stem: str, index: Index) -> list[int]:
    """The starts of the windows that have this stem in them, ascending."""
    if stem not in index.windows:
        last = max(len(index.texts) - WINDOW, 0)
        near = (range(max(at - WINDOW + 1, 0), min(at, last) + 1) for at in index.places[stem])
        index.windows[stem] = sorted({start for starts in near for start in starts})
    return index.windows[stem]


def _occurs(where: list[int], start: int, end: int) -> bool:
    first = bisect_left(where, start)
    return first < len(where) and where[first] < end


def _useful(places: list[list[int]], start: int) -> tuple[int, ...]:
    """The texts of a window that have the most words of the statement, or add some."""
    held = {
        at: {word for word, where in enumerate(places) if _occurs(where, at, at + 1)}
        for at in range(start, start + WINDOW)
    }
    seen: set[int] = set()
    useful = []
    for at in sorted(held, key=lambda at: (-len(held[at]), at)):
        if held[at] - seen:
            useful.append(at)
            seen |= held[at]
    return tuple(useful)


def _stems(words: list[str]) -> list[str]:
    return list(dict.fromkeys(word[:STEM] for word in words))


@lru_cache(maxsize=8192)  # the same words come again and again
def _word_pieces(word: str) -> frozenset[str]:
    return frozenset(_grams(f" {word} "))


def _grams(text: str) -> set[str]:
    return {text[at : at + GRAM] for at in range(max(len(text) - GRAM + 1, 1))}
