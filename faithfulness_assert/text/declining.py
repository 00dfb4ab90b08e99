"""Whether a sentence only declines: it says that an answer is missing, or is not given.

Who does not say it is the writer or its source, not a witness; and what is missing is information.
So "The handbook does not mention pets." declines, and "Dogs cannot be found in the park." does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .headings import has_verb, is_short_answer
from .strings import is_blank
from .talk import LONGEST, asks, claims_nothing, is_talk
from .talk_words import VERB_LAST, Word, has, has_number, parts_of, text_of, unknown

_SMALL = ("small", "function")
_TOLD = ("knows", "says", "states", "infers", "sources")
_AND = frozenset("and und et y e и và 而且 并且".split())
_POSSIBLE = frozenset("possível posible possibile possible удалось".split())


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
    if part[0].is_any("but") or (part[0].text == "which" and is_behind):
        return False
    if part[0].is_any("asks"):
        return True
    is_topic = is_behind or ((len(part) <= 3 or part[0].is_any(*_SMALL)) and not has_number(part))
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
        is_answer = part[0].is_any("nothing") or is_short_answer(part[0].text)
        return not (is_answer or part[0].is_any(*_SMALL, "greeting"))
    people = people or part[place].is_any("knows")
    head, after = part[:place], part[place + 1 :]
    if _says_more(after) or (people and _has_sentence(after)):
        return False
    others = [at for at, word in enumerate(part) if not word.classes]
    if VERB_LAST.search(text_of(part)):
        return _ends_silent(part, people=people, has_others=bool(others))
    if others and not after:  # "Das Dokument nennt den Preis nicht.", "Информации о X нет."
        lead = head[: others[0]]
        is_said = has(lead, "sources", "writer") and has(lead, "states", "says", "knows")
        return is_said or has(head[:1], "info")
    denied = _denied(part, place)
    if not others:
        return _denies_known(part, place, denied, people=people)
    is_reader = has(part[:1], "reader") and not has(part, "writer", "sources")
    if is_reader or part[0].is_any("persons"):
        return False  # "He could not answer."
    if _is_missing(head, denied):
        return True
    if has(head, "writer") and has(head, "sources", "info") and has(denied[:3], "knows"):
        return True  # "Auf Grundlage der Auszüge kann ich die Frage nicht beantworten."
    if others[0] < place:  # the subject is what was asked about: "The price is not stated."
        is_said = has(denied[:1], "says") and has(denied, "sources")
        return all(word.classes for word in denied) and (is_said or has(denied[:1], "states"))
    if people and _is_unknown(part, place, denied):
        return True
    return _is_untold(part, place, denied, is_sourced=is_sourced)


def _is_missing(head: Sequence[Word], denied: Sequence[Word]) -> bool:
    """Whether information is denied, or to be anywhere: "In the lease there is no information"."""
    if has(head[:1], "in") and has(denied[:1], "sources", "states", "info"):
        return True
    ends = (*head[:1], *head[-1:])  # "Информация о ценах не найдена"
    return has(ends, "info", "sources") and has(denied[:1], "states", "knows")


def _is_unknown(part: Sequence[Word], place: int, denied: Sequence[Word]) -> bool:
    """Whether the writer says that it does not know, find or have what was asked."""
    if has(part[place : place + 4], "knows") or has(denied[:3], "sources", "info"):
        return True
    return has(part, "owns") and (has(part, "writer") or has(denied[:3], "nouns", "sources"))


def _is_untold(
    part: Sequence[Word], place: int, denied: Sequence[Word], *, is_sourced: bool
) -> bool:
    """Whether a source, or nobody who is named, says, holds or finds what was asked."""
    first, second = denied[:1], denied[1:2]
    is_info = has(first, "info", "sources")
    is_other = has(second, "not") or any(
        w.classes <= {"nouns"} and w.text.isascii() for w in second
    )
    if is_info and is_other and not has(first, "knows"):
        return False  # "no information desk"
    if (has(denied, "states") and (place or is_sourced)) or has(first, "infers"):
        return True
    if place == 0 and has(denied, "knows") and has(denied, "sources"):
        return True  # "Aucun produit trouvé dans les documents."
    if place == 0 and has(first, "knows"):  # "Could not find it", not "No se encuentran …"
        before = {word.text for word in part[:4]}
        is_passive = has(part[:3], "copula") or bool(before & {"se", "si", "không", "chưa"})
        return not is_passive or bool(before & _POSSIBLE) or (is_sourced and has(denied, "sources"))
    if is_info or (has(second, "info") and not first[0].classes):  # "нет точного ответа"
        return not has(second, "copula")
    if part[place].is_any("nothing") and has(part[place + 1 : place + 2], "topical"):
        return is_sourced  # "Im Handbuch steht nichts über …"
    if has(part, "things") and not has(part, "given"):  # "The file does not contain viruses."
        is_sourced = has(denied, "info", "states") or not unknown(denied)
    return is_sourced and has(first, "says", "knows", "asks")


def _denied(part: Sequence[Word], place: int) -> list[Word]:
    """What a part denies: its words behind the one that denies, without small ones at the start."""
    after = list(part[place + 1 :])
    if has(after[:1], "owns") and has(after[1:2], "info", "sources"):
        after.pop(0)
    while after and not after[0].is_any(*_TOLD) and after[0].is_any(*_SMALL, "not", "copula"):
        if after[0].is_any("asks") and after[0].is_any("that"):  # "It is unclear who paid."
            break
        after.pop(0)
    return after


def _ends_silent(part: Sequence[Word], *, people: bool, has_others: bool) -> bool:
    """Whether a Korean or Japanese part, whose denial is at its end, says so of a source."""
    is_told = people or has(part, "sources", "info") or has(part[-2:-1], "knows")
    if not has_others:
        return is_told or has(part, "states")
    if not is_told or (not part[0].classes and part[0].text[-1] in "은는이가"):
        return False
    said = [word for word in part[:-1] if not word.is_any(*_SMALL)]
    told = part[-1:] if part[-1].is_any("knows") else said[-1:]
    return part[-1].is_any("not") and has(told, *_TOLD, "info")


def _denies_known(
    part: Sequence[Word], place: int, denied: Sequence[Word], *, people: bool
) -> bool:
    """Whether a part all of whose words are of talk says that an answer is missing."""
    is_told = has(part, "knows", "says", "infers", "owns", "rating") or len(part) < 3
    is_told = is_told and (people or place == 0 or has(part[:place], "nouns"))
    if place == 0 and part[1].is_any("modals") and not has(part, "info", "sources"):
        return False  # "Nothing can help."
    is_told = is_told or (people and len(part) <= 5)
    head = part[:place]
    is_said = part[-1].text in ("no", "non") or (
        has(head[1:], "that") and has(head, "says", "states")
    )
    is_thing = has(head[:2], "things") and has(head, "copula") and not has(denied, "sources")
    return not is_said and not is_thing and (has(part, "sources", "states") or is_told)


def _has_sentence(after: Sequence[Word]) -> bool:
    """Whether a sentence follows that may be meant: "I cannot tell you that the plan is free."."""
    return any(
        word.is_any("that")
        and not word.is_any("asks")
        and not has(after[place + 1 : place + 2], "topical", "in", "info", "nouns")
        and not has(after[max(place - 1, 0) : place], "info")
        and has_verb(text_of(after[place + 1 :]))
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
    if len(sentence) > LONGEST or is_blank(sentence):
        return False
    parts = parts_of(" ".join(sentence.split()))
    is_advice = not any(map(has_number, parts)) and all(map(_advises, parts))
    return (is_advice or claims_nothing(sentence)) and not declines(sentence)


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
