"""Whether a sentence of an answer only says that the question is not answered: "I don't know."."""

from __future__ import annotations

import re
from functools import cache

from .decline_words import BESIDE, DECLINES, REGRET
from .phrases import compiled, pairs, plain

_LONGEST = 300  # characters
_ENDS = " ,.!:;。！，、،।"
_PICTURES = re.compile(r"[\s\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]+$")


@cache
def _regrets() -> tuple[str, ...]:
    return tuple(re.split(r" / |\n", REGRET.strip()))


def _after_regret(plain: str) -> str:
    """What follows up to four words of regret."""
    for _ in range(4):
        if not plain.startswith(_regrets()):
            break
        word = next((word for word in _regrets() if _begins_with(plain, word)), "")
        plain = plain[len(word) :].lstrip(_ENDS)
    return plain


def _begins_with(plain: str, word: str) -> bool:
    """Whether the word ends there. Scripts without spaces need no mark after a word."""
    if not plain.startswith(word):
        return False
    return word[-1] > "\u2e80" or not plain[len(word) :][:1].isalnum()


def _bare(statement: str) -> str:
    """A sentence after its words of regret, without the marks and pictures at its ends."""
    return _after_regret(_PICTURES.sub("", plain(statement).replace('"', "")).strip(_ENDS))


def declines(statement: str) -> bool:
    """Whether one sentence of an answer only declines ("I don't know."), so has nothing to check.

    Cautious: a claim that the context is silent, any thing, name or number, and every further
    clause make it False.
    """
    has_more = any(c.isdigit() or c in "?？؟" for c in statement)
    if len(statement) > _LONGEST or has_more:
        return False
    bare = _bare(statement)
    return any(word in bare and compiled(rule).fullmatch(bare) for word, rule in pairs(DECLINES))


def accompanies_decline(statement: str) -> bool:
    """Whether a sentence adds nothing beside one that declines: regret, an offer, thanks.

    The vocabulary is closed, in several languages: a digit, a name or a claim makes it False. A
    sentence that declines by itself is also False.
    """
    if len(statement) > _LONGEST or any(c.isdigit() for c in statement):
        return False
    if not plain(statement).strip(_ENDS):
        return False
    bare = _bare(statement).strip(_ENDS + "?？؟¿")
    return not bare or any(compiled(rule).fullmatch(bare) for _, rule in pairs(BESIDE))
