"""The rule of the embedded judge: are a statement's words close together in the context?

A sentence of a statement is compared with windows of three neighbouring context sentences. Its
score is the mean of two recalls in the best window: of its words (by their first five letters), and
of its pieces of four letters. It loses half a point if one of its numbers or names is nowhere in
the context, so no overlap can make up for that. A statement has the score of its weakest sentence.
Citation marks are ignored, unless the statement scores higher with them: the context may contain
them too.

The rule only sees words. It does not see negation, nor that two names are exchanged.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from .words import find_names, find_numbers, find_words, sentences, spaced, without_citations

if TYPE_CHECKING:
    from collections.abc import Iterable

WINDOW = 3  # context sentences that are compared together
STEM = 5  # letters of a word that count
GRAM = 4  # letters of a piece
MISSING = 0.5  # penalty for a number or name that is nowhere in the context
# Words of a piece of text. Longer sentences are cut: without this, a transcript without full stops
# would be one window that contains everything.
LONGEST = 100
CANDIDATES = 6  # windows that are compared in full
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
        numbers: all numbers.
        exact: the number of the sentence that consists of exactly these words.
    """

    texts: list[str]
    sentence_numbers: list[int]
    places: dict[str, list[int]]
    windows: dict[str, list[int]]
    words: set[str]
    numbers: set[str]
    exact: dict[str, int]


class Support(NamedTuple):
    """How well a context supports a statement.

    Args:
        score: between -0.5 and 1.
        evidence: the numbers of the context sentences in the best windows that share words with the
            statement, ascending.
        missing: the first number or name of the statement that is nowhere in the context, or empty.
    """

    score: float = 0.0
    evidence: tuple[int, ...] = ()
    missing: str = ""


def build_index(context: Iterable[tuple[int, str]]) -> Index:
    """The index of ``context``: pairs of a number and a sentence. Takes linear time."""
    index = Index([], [], {}, {}, set(), set(), {})
    for number, sentence in context:
        words = find_words(sentence)
        if not words:
            continue
        index.words.update(words)
        index.numbers.update(find_numbers(sentence))
        index.exact.setdefault(spaced(words), number)
        for start in range(0, len(words), LONGEST):
            piece = words[start : start + LONGEST]
            for stem in _stems(piece):
                index.places.setdefault(stem, []).append(len(index.texts))
            index.texts.append(spaced(piece))
            index.sentence_numbers.append(number)
    return index


def support(statement: str, index: Index) -> Support:
    """How well the context supports ``statement``. A statement without words has the score 0."""
    plain = without_citations(statement)
    readings = [plain] if plain == statement else [plain, statement]
    return max((_support(reading, index) for reading in readings), key=lambda one: one.score)


def _support(statement: str, index: Index) -> Support:
    is_exact = spaced(find_words(statement)) in index.exact
    parts = [statement] if is_exact else sentences(statement)
    supports = [_sentence_support(part, index) for part in parts]
    weakest = min(supports, key=lambda one: one.score, default=Support())
    evidence = {number for one in supports for number in one.evidence}
    return Support(weakest.score, tuple(sorted(evidence)), weakest.missing)


def _sentence_support(sentence: str, index: Index) -> Support:
    words = find_words(sentence)
    missing = _missing_detail(sentence, index)
    same = index.exact.get(spaced(words))
    score, evidence = (1.0, (same,)) if same is not None else _best_window(words, index)
    return Support(score - MISSING if missing else score, evidence, missing)


def _missing_detail(sentence: str, index: Index) -> str:
    number = next((n for n in find_numbers(sentence) if n not in index.numbers), None)
    if number is not None:
        return f"the number {number}"
    name = next((n for n in find_names(sentence) if n.casefold() not in index.words), None)
    return f"the name {name}" if name else ""


def _best_window(words: list[str], index: Index) -> tuple[float, tuple[int, ...]]:
    """The best mean of word recall and piece recall, and the useful sentences of that window.

    A sentence with more words than a window can contain scores 0: it is only supported if the
    context has the same sentence. This also limits the work.
    """
    if len(words) > WINDOW * LONGEST:
        return 0.0, ()
    stems = _stems(words)
    known = [stem for stem in stems if stem in index.places]
    places = [index.places[stem] for stem in known]
    grams = _grams(spaced(words))
    best, best_start = 0.0, 0
    for start in _candidates(known, index):
        end = start + WINDOW
        word_recall = sum(_occurs(where, start, end) for where in places) / len(stems)
        if (word_recall + 1) / 2 <= best:
            continue
        text = "".join(index.texts[start:end])
        score = (word_recall + sum(map(text.__contains__, grams)) / len(grams)) / 2
        if score > best:
            best, best_start = score, start
    return best, _useful_sentences(places, best_start, index) if best else ()


def _candidates(stems: list[str], index: Index) -> list[int]:
    """The starts of the windows that contain most of the words, judged by the rarest ones."""
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


def _useful_sentences(places: list[list[int]], start: int, index: Index) -> tuple[int, ...]:
    """The sentences of a window that have the most words of the statement, or add some."""
    held = {
        at: {word for word, where in enumerate(places) if _occurs(where, at, at + 1)}
        for at in range(start, start + WINDOW)
    }
    seen: set[int] = set()
    useful = set()
    for at in sorted(held, key=lambda at: (-len(held[at]), at)):
        if held[at] - seen:
            useful.add(index.sentence_numbers[at])
            seen |= held[at]
    return tuple(sorted(useful))


def _stems(words: list[str]) -> list[str]:
    return list(dict.fromkeys(word[:STEM] for word in words))


def _grams(text: str) -> set[str]:
    return {text[at : at + GRAM] for at in range(max(len(text) - GRAM + 1, 1))}
