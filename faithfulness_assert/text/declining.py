"""Whether a sentence only declines: it says that an answer is missing, or is not given.

Who does not say it is the writer or its source, not a witness; and what is missing is information.
So "The handbook does not mention pets." declines, and "Dogs cannot be found in the park." does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .headings import has_verb
from .strings import is_blank
from .talk import (
    LONGEST,
    VERB_LAST,
    Word,
    asks,
    claims_nothing,
    has,
    is_talk,
    parts_of,
    text_of,
    unknown,
)

_SMALL = ("small", "function")
_TOLD = ("knows", "says", "states", "infers", "sources")
_AND = frozenset("and und et y e и và 而且 并且".split())
_POSSIBLE = frozenset("possível posible possibile possible удалось".split())
_IN = frozenset("in im en nel nella na nas em в во trong dans 在".split())
_BUT = frozenset(
    "but however although though yet aber jedoch doch obwohl mais cependant pero aunque ma però "
    "mas porém embora но однако хотя nhưng".split()
)


def declines(sentence: str) -> bool:
    """Whether a sentence only says that it has no answer, or that its source is silent.

    Each of its parts says so, or only names what was asked, or is talk.
    """
    said = " ".join(sentence.split())
    if len(sentence) > LONGEST or asks(said):
        return False
    parts = parts_of(said.replace('"', "").replace("N/A", "unknown"))
    is_sourced = any(has(part, "sources") for part in parts)
    silent = [_is_silent(part, is_sourced=is_sourced) for part in parts]
    return any(silent) and all(
        silent[place] or _stands_beside(part, is_behind=any(silent[:place]))
        for place, part in enumerate(parts)
    )


def _stands_beside(part: Sequence[Word], *, is_behind: bool) -> bool:
    """Whether a part beside a decline only names what was asked, or is talk.

    ``is_behind``: it stands behind the part that declines.
    """
    if is_talk(part, is_offered=True):
        return True
    if part[0].text in _BUT or (part[0].text == "which" and is_behind):
        return False
    if part[0].is_any("asks"):
        return True
    has_number = any(char.isdigit() for word in part for char in word.text)
    is_topic = is_behind or ((len(part) <= 3 or part[0].is_any(*_SMALL)) and not has_number)
    return is_topic and not has_verb(text_of(part))


def _is_silent(part: Sequence[Word], *, is_sourced: bool = False) -> bool:
    """Whether a part says that an answer is missing, or is not given.

    ``is_sourced``: some part of the sentence names the source.
    """
    people = has(part, "writer", "writers")
    place = next((at for at, word in enumerate(part) if word.is_any("not")), None)
    if place is None:
        return people and has(part, "only") and has(part, "knows") and has(part, "nouns", "verbs")
    if len(part) == 1:
        return not part[0].is_any(*_SMALL, "greeting")
    people = people or part[place].is_any("knows")
    after = part[place + 1 :]
    if _says_more(after) or (people and _has_sentence(after)):
        return False
    others = [at for at, word in enumerate(part) if not word.classes]
    if others:
        denial = _Denial(part, place, others[0], people, is_sourced)
        return _denies_end(denial) if _has_verb_last(part) or not after else _denies(denial)
    is_told = has(part, "knows", "says", "infers", "owns", "rating") or len(part) < 3
    is_told = is_told and (people or place == 0 or has(part[:place], "nouns"))
    is_told = is_told or (people and len(part) <= 5)
    head = part[:place]
    is_said = part[-1].text in ("no", "non") or (
        has(head[1:], "that") and has(head, "says", "states")
    )
    return not is_said and (has(part, "sources", "states") or is_told)


class _Denial(NamedTuple):
    """A part that denies something, with words that are none of talk."""

    part: Sequence[Word]
    place: int  # of the word that denies
    other: int  # the place of the first word that is none of talk
    people: bool  # the writer is named
    is_sourced: bool  # the sentence names the source


def _has_verb_last(part: Sequence[Word]) -> bool:
    return VERB_LAST.search(text_of(part)) is not None


def _denies_end(denial: _Denial) -> bool:
    """Whether a part whose denial is at its end says so of the writer or its source."""
    part, head = denial.part, denial.part[: denial.other]
    if _has_verb_last(part):
        is_told = denial.people or has(part, "sources") or has(part[-2:-1], "knows")
        return is_told and all(word.classes for word in part[-2:])
    # "Das Dokument nennt den Preis nicht."
    return has(head, "sources", "writer") and has(head, "states", "says", "knows")


def _denies(denial: _Denial) -> bool:
    """Whether what a part denies is that the writer knows, or that its source says it."""
    part, place, _, people, is_sourced = denial
    after = list(part[place + 1 :])
    while after and not after[0].is_any(*_TOLD) and after[0].is_any(*_SMALL, "not", "copula"):
        if after[0].is_any("asks") and after[0].is_any("that"):  # "It is unclear who paid."
            break
        after.pop(0)
    first, second = after[:1], after[1:2]
    if has(first, "sources") and second and second[0].classes <= {"nouns"}:
        return False  # "no information desk"
    if part[0].text in _IN and has(
        first, "sources", "states"
    ):  # "In the lease there is no information"
        return True
    if denial.other < place:  # the subject is what was asked about: "The price is not stated."
        is_passive = all(word.classes for word in after)
        is_said = has(first, "says") and has(after, "sources")
        return is_passive and (is_said or has(first, "states"))
    if (has(after, "states") and (place or is_sourced)) or has(first, "infers"):
        return True
    if place == 0 and has(after, "knows") and has(after, "sources"):
        return True  # "Aucun produit trouvé dans les documents."
    if place == 0 and has(first, "knows"):  # "Could not find it", but not "No se encuentran …"
        before = {word.text for word in part[:4]}
        is_passive = has(part[:3], "copula") or bool(before & {"se", "si"})
        return not is_passive or bool(before & _POSSIBLE) or (is_sourced and has(after, "sources"))
    if people and (has(part[place : place + 4], "knows") or has(after[:3], "sources")):
        return True
    if people and has(part, "owns"):
        return has(part, "writer") or has(after[:3], "nouns", "sources")
    if has(first, "sources"):
        return not has(second, "copula")
    return is_sourced and has(first, "says", "knows", "asks")


def _has_sentence(after: Sequence[Word]) -> bool:
    """Whether a sentence follows that may be meant: "I cannot tell you that the plan is free."."""
    return any(
        word.is_any("that") and not word.is_any("asks") and has_verb(text_of(after[place + 1 :]))
        for place, word in enumerate(after)
    )


def _says_more(after: Sequence[Word]) -> bool:
    """Whether another sentence follows: "… and the shop closes at nine"."""
    return any(
        word.text in _AND
        and following.is_any("small")
        and not following.is_any("asks")
        and not has(after[place + 1 :], "not")
        and unknown(after[place + 1 :])
        and has_verb(text_of(after[place + 1 :]))
        for place, (word, following) in enumerate(pairwise(after))
    )


def accompanies(sentence: str) -> bool:
    """Whether a sentence adds nothing beside one that declines: regret, an offer, advice."""
    if len(sentence) > LONGEST or is_blank(sentence) or declines(sentence):
        return False
    has_number = any(char.isdigit() for char in sentence)
    is_advice = not has_number and all(map(_advises, parts_of(sentence)))
    return is_advice or claims_nothing(sentence)


def _advises(part: Sequence[Word]) -> bool:
    """Whether a part tells the reader whom to ask, or what to try."""
    head = part[: next(iter(unknown(part)), len(part))]
    if part[0].is_any("condition"):
        return True
    if has(part, "not") or has(head, "copula") or part[0].is_any("knows"):
        return False
    if is_talk(part, is_offered=True):
        return has(part, "courtesy", "greeting", "reader")
    is_addressed = has(head, "reader", "writer") or has(head[:1], "verbs", *_SMALL)
    return is_addressed and has(head, "verbs")
