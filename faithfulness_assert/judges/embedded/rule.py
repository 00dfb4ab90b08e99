"""The rule of the embedded judge: are the words of a statement in the context, above all the last?

Common words such as "the" say nothing and are left out, and a sentence tends to begin with what is
known and to end with what is new. So a sentence of a statement has the share of its words that the
context knows, where the first word weighs 1, the second 2, and so on. A word is known if a word of
the context has the same stem; a number is one word in all its forms (``words.py``). The best window
is the three neighbouring sentences of the context with most of the words. Outside of it a word
counts less, and all such words together at most ``APART``.

What speaks against a sentence lowers its score. Half a point: one of its numbers or names is
nowhere in the context; it has a negation and its evidence has none; or its evidence has one and
else no word that the sentence lacks. Up to half a point, less for a long sentence: one or two of
its words are unknown, and the closest sentence of the context has no more words that it lacks. For
who writes in words of his own changes many; a copy with one word changed says something else.

A statement has the score of its weakest sentence. Citation marks are ignored, unless the statement
scores higher with them: the context may contain them too.

The rule only sees words. It does not see that two names are exchanged, nor that a word which is
elsewhere in the context has taken the place of another.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from .words import (
    LONGEST,
    Index,
    content_words,
    find_names,
    find_words,
    negates,
    sentences,
    spaced,
    stem_of,
    with_known_numbers,
    without_marks,
)

WINDOW = 3  # context sentences that are compared together
ELSEWHERE = 0.8  # what a word counts that is in the context, but not in the window
APART = 0.35  # what all words outside the window count at most
AGAINST = 0.5  # what a missing number or name takes from the score, so that it cannot be enough
CHANGES = 2  # unknown words of a sentence that may be a changed copy
CHANGE = 2.5  # what they take from the score, divided by the number of words
PLACES = (
    1_000  # occurrences of words, the rarest first, that the window comes from: limits the work
)


class Support(NamedTuple):
    """How well a context supports a statement.

    Args:
        score: between -0.5 and 1.
        evidence: the numbers of the context sentences in the best windows that share words with the
            statement, ascending.
        against: what lowered the score, in words, or empty.
    """

    score: float = 0.0
    evidence: tuple[int, ...] = ()
    against: str = ""


def support(statement: str, index: Index) -> Support:
    """How well the context supports ``statement``. A statement without words has the score 0."""
    ways = dict.fromkeys((without_marks(statement), statement))
    return max((_support(way, index) for way in ways), key=lambda one: one.score)


def _support(statement: str, index: Index) -> Support:
    is_there = spaced(find_words(statement)) in index.exact
    parts = [statement] if is_there else sentences(statement) or [statement]
    supports = [_sentence_support(part, index) for part in parts]
    evidence = sorted({number for one in supports for number in one.evidence})
    return min(supports, key=lambda one: one.score)._replace(evidence=tuple(evidence))


def _sentence_support(sentence: str, index: Index) -> Support:
    """A sentence with more words than a window can contain needs the same one in the context.

    This also limits the work.
    """
    words = find_words(sentence)
    same = index.exact.get(spaced(words))
    sentence, words, number = with_known_numbers(sentence, words, index)
    missing = f"the number {number[:60]} is nowhere in the context" if number else ""
    if not missing:
        names = (n for n in find_names(sentence) if stem_of(n.casefold()) not in index.places)
        name = next(names, "")  # another form of it will do
        missing = f"the name {name} is nowhere in the context" if name else ""
    penalty = AGAINST if missing else 0.0
    if same is not None:
        return Support(1.0 - penalty, (same,), missing)
    said = list(dict.fromkeys(map(stem_of, content_words(words))))
    stems = [stem for stem in said if stem in index.places]
    if not stems or len(words) > WINDOW * LONGEST:
        return Support(-penalty, (), missing)
    start = _best_window(stems, index)
    useful = _useful([index.places[stem] for stem in stems], start)
    if not missing:
        missing, penalty = _difference(words, said, useful, index)
    evidence = sorted({index.sentence_numbers[at] for at in useful})
    return Support(_share(said, start, index) - penalty, tuple(evidence), missing)


def _difference(
    words: list[str], said: list[str], useful: tuple[int, ...], index: Index
) -> tuple[str, float]:
    """How a sentence differs from its evidence, and its penalty, if it may be a changed copy."""
    denies, closest = negates(words), index.texts[useful[0]].split()
    if denies and not any(negates(index.texts[at].split()) for at in useful):
        return "the negation is nowhere near the evidence", AGAINST
    new = sum(stem not in index.places for stem in said)
    left = len({*map(stem_of, content_words(closest))}.difference(said))
    if negates(closest) and not (denies or new or left):
        return "the evidence has a negation", AGAINST
    if 0 < new <= CHANGES and left <= new:
        return "it is a sentence of the context with a word changed", min(
            AGAINST, CHANGE / len(said)
        )
    return "", 0.0


def _share(said: list[str], start: int, index: Index) -> float:
    """The share of words that the context knows; each word weighs one more than the one before."""
    near = far = 0
    for weight, stem in enumerate(said, 1):
        if where := index.places.get(stem):
            is_near = _occurs(where, start, start + WINDOW)
            near, far = near + weight * is_near, far + weight * (not is_near)
    weights = len(said) * (len(said) + 1) / 2
    return near / weights + min(ELSEWHERE * far / weights, APART)


def _best_window(stems: list[str], index: Index) -> int:
    """The start of the window that contains most of these words, judged by the rarest ones."""
    last, left = max(len(index.texts) - WINDOW, 0), PLACES
    held: dict[int, set[str]] = {}
    for stem in sorted(stems, key=lambda stem: len(index.places[stem])):
        for at in index.places[stem][: max(left, 0)]:
            for start in range(max(at - WINDOW + 1, 0), min(at, last) + 1):
                held.setdefault(start, set()).add(stem)
        left -= len(index.places[stem])
    return min(held, key=lambda start: (-len(held[start]), start))


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
