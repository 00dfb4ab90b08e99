"""Whether claims stand for the sentence that they were listed under.

They do if each is nearest to that sentence, and if they say together all that it says for certain:
its numbers, names, conditions and quantifiers, and whether it denies something. Else the sentence
is graded as it stands, so a refusal, a remark, a claim of another sentence or half of a claim never
stands for it.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING
from unicodedata import normalize

from ..reading.gate import denies, qualifiers
from ..records.errors import UnreadableReply
from ..text.numbers_and_names import numbers_and_names
from ..text.shared_words import words_that_count
from ..text.strings import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..records.ask import Numbered

CLAIMS_PER_SENTENCE = 20
MANY = 64
"""A word that so many sentences have in common does not tell them apart."""

_MARKS = "\"'“”‘’«»„*_~`#()[]{}"
_STOPS = ".,;:!?…。！？，；："


def claim_key(text: str) -> str:
    """A key that is equal for claims that differ only in case, markup and punctuation.

    Marks inside a word stay: 3.5 is not 35, and -5 is not 5.
    """
    plain = normalize("NFKC", one_line(text)).casefold()
    words = (word.rstrip(_MARKS + _STOPS).lstrip(_MARKS) for word in plain.split())
    return " ".join(word for word in words if word)


def check_count(claims: int, sentences: int) -> None:
    """Raises ``UnreadableReply`` for more claims than so many sentences can make."""
    if claims > CLAIMS_PER_SENTENCE * sentences:
        raise UnreadableReply(f"{claims} claims for {sentences} sentences are too many")


def as_they_stand(count: int, sentences: int) -> tuple[str, ...]:
    """The warning that some sentences have no claims that stand for them."""
    if not count:
        return ()
    which = f"{count} of {sentences} sentences"
    return (f"{which} were graded as they stand: the judge's claims do not say all that they say",)


class Sentences:
    """The sentences of an answer, ready to be compared with claims."""

    def __init__(self, sentences: Numbered) -> None:
        self.texts = dict(sentences)
        self.keys = {number: claim_key(text) for number, text in sentences}
        self.words = {number: words_that_count(text) for number, text in sentences}
        self.places: dict[str, list[int]] = {}
        for number, words in self.words.items():
            for word in words:
                self.places.setdefault(word, []).append(number)

    def carried_by(self, number: int, claims: Sequence[str]) -> bool:
        """Whether claims stand for the sentence with this number."""
        if not claims:
            return False
        text, whole = self.texts[number], " ".join(claims)
        said = {part.casefold() for part in _PARTS.findall(whole)}
        certain = (
            part.casefold() for name in numbers_and_names(text) for part in _PARTS.findall(name)
        )
        if not said.issuperset(certain) or denies(text) != denies(whole):
            return False
        if qualifiers(text) != qualifiers(whole):
            return False
        return all(self._is_of(number, claim) for claim in claims)

    def _is_of(self, number: int, claim: str) -> bool:
        """Whether no other sentence shares more words with a claim."""
        key = claim_key(claim)
        if key == self.keys[number]:
            return True
        words = words_that_count(claim)
        places = (self.places.get(word, ()) for word in words)
        shared = Counter(n for found in places if len(found) <= MANY for n in found)
        own = len(words & self.words[number])
        if key in self.keys.values() or (self.words[number] and not own):
            return False
        return all(count <= own for other, count in shared.items() if other != number)


_PARTS = re.compile(r"\w+")
