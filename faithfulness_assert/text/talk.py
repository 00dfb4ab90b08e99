"""Whether a sentence claims nothing, and whether it only declines.

A judge may set aside what claims nothing, but it may also try to set aside what it should judge. So
what is learned (``learned.py``) decides, and no part of a sentence may claim something by itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from .citations import is_reference
from .learned import CLAIM, LONGEST, MARKS, Word, asks, parts_of, scores
from .strings import is_blank, lazy_pattern, word_set

TALK = 155
"""The score from which on a sentence claims nothing: 1 in 50 of the claims that look so."""
OPEN = 20
"""The same for what ends as a question or in a colon: few claims do."""
SET_ASIDE = 30
"""The same for a sentence that a judge sets aside: of those in real answers, 1 in 100 is a claim
between this score and ``TALK``."""
SILENCE = 135
"""The score from which on a sentence only says that an answer is missing, or stands beside that."""

COLON, STOPS = (":", "："), tuple(".!?。！？")
ENDS = (*COLON, *STOPS)
_CUT = lazy_pattern(r"(?<=[,;:!?…。！？；，、—–])|(?<=\.)(?=\s)|\s-\s")


def claims_nothing(sentence: str, *, is_item: bool = False, least: int = TALK) -> bool:
    """Whether a sentence claims nothing. In doubt it does claim something.

    Args:
        is_item: it is an item of a list or a row of a table, where a name alone says something.
        least: the score from which on it claims nothing, if it does not end as a question.
    """
    if len(sentence) > LONGEST or is_blank(sentence):
        return False
    if is_reference(" ".join(sentence.split()).strip(MARKS), may_link=True):
        return True
    own = scores(sentence, is_item=True) if is_item else scores(sentence)  # remembered by its call
    is_open = sentence.rstrip(MARKS).endswith(COLON)
    least = OPEN if is_open or asks(sentence) else least
    is_talk = own.talk >= least or (is_open and _only_introduces(sentence))
    return is_talk and not _hides_claim(sentence)


def _only_introduces(line: str) -> bool:
    """Whether a line says nothing before what follows its colon: "The patrol boats are:"."""
    words = _words(line)
    copulas = sum(word.is_any("copula") for word in words)  # of two, the first may claim
    return copulas <= 1 and any(w.is_any("copula", "includes", "pointing") for w in words[-1:])


def is_shown_with(text: str, texts: Iterable[str]) -> bool:
    """Whether a lead-in is judged with each of the texts under it, which repeats it."""
    return text.endswith(COLON) and any(f"{text} " in said for said in texts)


def may_be_set_aside(text: str, *, is_item: bool = False) -> bool:
    """Whether a judge may say of a statement that it claims nothing."""
    label, colon, rest = text.replace("：", ":").partition(":")
    if colon and label.strip().casefold() in word_set("names", "subjects"):  # of an e-mail
        return not any(map(str.isdigit, rest))
    is_sentence = text.endswith(STOPS) and not is_item
    return claims_nothing(text, is_item=is_item, least=SET_ASIDE if is_sentence else TALK)


def declines(sentence: str) -> bool:
    """Whether a sentence only says that it has no answer, or that its source is silent.

    It has a word that denies, and does not ask: an offer alone, or regret, declines nothing.
    """
    is_denial = _is_silent(sentence) and not asks(sentence) and _denies(sentence)
    return is_denial and not assents(sentence)


def _denies(text: str) -> bool:
    return any(word.is_any("not") for word in _words(text[:LONGEST]))


def _words(text: str) -> list[Word]:
    return [word for part in parts_of(text) for word in part]


_LITTLE = frozenset(("function", "small", "not"))
_TALK = "greeting courtesy thanks please reader writer offers rating sources".split()
_REMARKS = "greeting courtesy thanks please writer".split()
"""Classes of words that say little, and those of a talk between a writer and a reader."""


def assents(sentence: str) -> bool:
    """Whether a sentence is only a yes or a no, with words that say little: "Sure, no problem!"."""
    words, own = _words(sentence[:LONGEST]), word_set("names", "assents")
    rest = [word.classes for word in words if word.text not in own]
    says_little = all(classes & _LITTLE and "info" not in classes for classes in rest)
    return len(rest) < len(words) and says_little


def may_answer(sentence: str) -> bool:
    """Whether a sentence may answer a question before it: with a yes first, or what is no talk."""
    words = _words(sentence[:LONGEST])
    is_talk = any(word.is_any(*_TALK) for word in words) and claims_nothing(sentence)
    return not is_talk or assents(sentence) or words[0].text in word_set("names", "assents")


def is_remark(sentence: str) -> bool:
    """Whether a sentence is said to the reader, and not of what its heading names.

    "Phone support" is none: it belongs to the plan above it.
    """
    words = (word for word in _words(sentence[:LONGEST]) if "teams" not in word.classes)
    speaks = sentence.endswith(("!", "！")) or any(word.is_any(*_REMARKS) for word in words)
    return sentence.endswith(STOPS) and speaks and claims_nothing(sentence)


def asks_whether(question: str) -> bool:
    """Whether a question can be answered by a yes or a no, and asks for no more than that."""
    return asks(question) and "what" not in _classes(question) and not offers(question)


def offers(question: str) -> bool:
    """Whether a question is one to the reader: "Would you like to know more?"."""
    return _classes(question).issuperset(("reader", "verbs"))


def _classes(question: str) -> frozenset[str]:
    return frozenset[str]().union(*(word.classes for word in _words(question[-LONGEST:])))


def beside_denial(sentence: str) -> str:
    """What a sentence says beside its parts with a word that denies."""
    return " ".join(part for part in _CUT.split(sentence) if not _denies(part))


def accompanies(sentence: str) -> bool:
    """Whether a sentence adds nothing beside one that declines: regret, an offer, advice."""
    return _is_silent(sentence) or claims_nothing(sentence)


def _is_silent(sentence: str) -> bool:
    if len(sentence) > LONGEST or is_blank(sentence):
        return False
    return scores(sentence).silence >= SILENCE and not _hides_claim(sentence)


def _hides_claim(sentence: str) -> bool:
    """Whether a part of a sentence claims something by itself: "Sure, dogs are welcome"."""
    parts = clauses(sentence)
    return len(parts) > 1 and any(max(scores(part)) <= CLAIM for part in parts)


def clauses(sentence: str) -> list[str]:
    """The parts of a sentence that could claim something by themselves."""
    return [part for part in _CUT.split(sentence) if sum(map(str.isalnum, part)) > 2]
