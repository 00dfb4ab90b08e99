"""Which sentence of the answer a claim comes from: by number, else by the words that they share."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from unicodedata import normalize

from ..text.shared_words import words_that_count
from ..text.strings import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..records.ask import Numbered

MANY = 64
"""A word that so many sentences have in common does not tell them apart."""
ENOUGH = 2
"""A claim must share a word with a sentence that has so many. Shorter ones may be all pronouns."""

Claims = dict[int, tuple[str, ...]]
"""Claims by the number of the sentence that they come from."""


_MARKS = "\"'“”‘’«»„*_~`#()[]{}"
_STOPS = ".,;:!?…。！？，；："


def claim_key(text: str) -> str:
    """A key that is equal for claims that differ only in case, markup and punctuation.

    Marks inside a word stay: 3.5 is not 35, and -5 is not 5.
    """
    plain = normalize("NFKC", one_line(text)).casefold()
    words = (word.rstrip(_MARKS + _STOPS).lstrip(_MARKS) for word in plain.split())
    return " ".join(word for word in words if word)


class _Sentences:
    """The sentences of an answer, ready to be searched for words."""

    def __init__(self, sentences: Numbered) -> None:
        self.words = {number: words_that_count(text) for number, text in sentences}
        self.keys = {number: claim_key(text) for number, text in sentences}
        self.places: dict[str, list[int]] = {}
        for number, words in self.words.items():
            for word in words:
                self.places.setdefault(word, []).append(number)

    def sharing(self, words: frozenset[str]) -> Counter[int]:
        """How many of the words each sentence contains; words of many sentences do not count."""
        places = (self.places.get(word, ()) for word in words)
        return Counter(number for found in places if len(found) <= MANY for number in found)

    def shared(self, number: int, claim: str) -> int:
        """How many words a claim and a sentence share."""
        return len(words_that_count(claim) & self.words[number])


def by_words(claims: Sequence[str], sentences: Numbered) -> Claims:
    """Each claim with the sentence that shares the most words with it; the first of several.

    A claim that shares no word with any sentence is left out.
    """
    known = _Sentences(sentences)
    sources: dict[int, list[str]] = {}
    placed: set[tuple[int, str]] = set()
    for claim in claims:
        sharing = known.sharing(words_that_count(claim))
        if sharing:
            # A sentence that stands twice in an answer has its claim twice.
            repeats = {number for number in sharing if (number, claim) in placed}
            source = min(sharing, key=lambda n: (-sharing[n], n in repeats, n))
            sources.setdefault(source, []).append(claim)
            placed.add((source, claim))
    return {number: tuple(texts) for number, texts in sources.items()}


def without_strays(claims: Claims, sentences: Numbered) -> Claims:
    """The claims without those that belong to another sentence than the one that they name.

    A judge that repeats a claim, or gives it the wrong number, must not let one sentence stand for
    another. A claim is a stray if it is not its own sentence word for word, and
    - it is another sentence word for word, or
    - it is also a claim of another sentence, which shares more words with it, or
    - another sentence has all words that it shares with its own one, and more, or
    - it shares no word with its own one.
    """
    known = _Sentences(sentences)
    whole = set(known.keys.values())
    most_shared: dict[str, int] = {}
    for number, texts in claims.items():
        for claim in texts:
            key = claim_key(claim)
            most_shared[key] = max(most_shared.get(key, 0), known.shared(number, claim))

    def is_stray(number: int, claim: str) -> bool:
        key = claim_key(claim)
        if not key or key == known.keys[number]:
            return False
        shared = known.shared(number, claim)
        if key in whole or shared < most_shared[key]:
            return True
        if not shared and len(known.words[number]) >= ENOUGH:
            return True
        return _is_of_another(known, number, words_that_count(claim))

    return {
        number: tuple(claim for claim in texts if not is_stray(number, claim))
        for number, texts in claims.items()
    }


def _is_of_another(known: _Sentences, number: int, words: frozenset[str]) -> bool:
    """Whether another sentence has all words that a claim shares with its own one, and more.

    It must have half of the claim's words. A sentence of pronouns has no words to share.
    """
    if not known.words[number]:
        return False
    shared = words & known.words[number]
    for other, count in known.sharing(words).items():
        if count > len(shared) and 2 * count >= len(words) and shared <= known.words[other]:
            return True
    return False
