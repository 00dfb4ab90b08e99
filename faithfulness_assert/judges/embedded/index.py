"""A context as the embedded judge looks it up: where is a word, and where is a number?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .words import STEM, by_beginning, find_words, spaced

if TYPE_CHECKING:
    from collections.abc import Iterable

# Words of a piece of text. Longer sentences are cut: without this, a transcript without full stops
# would be one window that contains everything.
LONGEST = 100


class Index(NamedTuple):
    """A context, prepared once for any number of statements.

    Args:
        texts: its sentences; long ones are cut into several texts.
        sentence_numbers: the number of the sentence that each text belongs to.
        places: the positions in ``texts`` where each word stem occurs, ascending.
        known: for each shorter beginning of a word, a word of the context that begins so.
        windows: the starts of the windows that have a word stem in them, ascending; of stems that
            statements have had.
        words: all words.
        unread: the sentences whose numbers are not in ``places`` yet, each with the position of its
            first text: they are read once a statement has needed them.
        exact: the number of the sentence that consists of exactly these words.
        pieces: the pieces of all words, once a statement has needed them.
    """

    texts: list[str]
    sentence_numbers: list[int]
    places: dict[str, list[int]]
    known: dict[str, str]
    windows: dict[str, list[int]]
    words: set[str]
    unread: list[tuple[int, str]]
    exact: dict[str, int]
    pieces: set[str]


def build_index(context: Iterable[tuple[int, str]]) -> Index:
    """The index of ``context``: pairs of a number and a sentence. Takes linear time."""
    index = Index([], [], {}, {}, {}, set(), [], {}, set())
    for number, sentence in context:
        words = find_words(sentence)
        if not words:
            continue
        index.words.update(words)
        index.unread.append((len(index.texts), sentence))
        whole = spaced(words)
        index.exact.setdefault(whole, number)
        for start in range(0, len(words), LONGEST):
            piece = words[start : start + LONGEST]
            for stem in {word[:STEM] for word in piece}:
                index.places.setdefault(stem, []).append(len(index.texts))
            index.texts.append(whole if len(piece) == len(words) else spaced(piece))
            index.sentence_numbers.append(number)
    index.known.update(by_beginning(index.words))
    return index
