"""Sentences that claim nothing: questions, greetings, offers, and those that only decline.

The rules are strict, because a judge may try to set aside what it should judge: only wording that
is known to claim nothing counts, and a sentence that also states something does not.
"""

from __future__ import annotations

import re
from functools import cache

from .phrases import compiled, pairs, plain
from .strings import word_lists

MAX_CHARS = 200
MAX_WORDS = 14
"""Longer sentences to the reader say something as well."""
MAX_DENSE_CHARS = 20
"""Longer questions in scripts without spaces between words say something as well."""

_END = r"[\s!.…。！～,;:)\]*_\"'”’»\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]*"

# What stands in a question that states something after all, in the same scripts.
_STATING_DENSE = re.compile("[，,、،]|难道|難道|不是|对吗|對嗎|是吗|是嗎|じゃない|지 않")


def is_non_claim(sentence: str) -> bool:
    """Whether a sentence claims nothing, as far as its wording shows beyond doubt."""
    if len(sentence) > MAX_CHARS:
        return False
    bare = " ".join(sentence.replace("’", "'").casefold().split()).lstrip("\"'“„«*_>#- ")
    if bare.rstrip("\"'”’»)*_ ").endswith(("?", "？")):
        return _asks(bare)
    if _courtesy().fullmatch(bare):
        return True
    opening = _opening().match(bare)
    if opening is None or len(bare.split()) > MAX_WORDS:
        return False
    return not _stating().search(bare, opening.end())


def _asks(bare: str) -> bool:
    """Whether a sentence that ends with a question mark states nothing."""
    if not re.search(r"[a-zà-ÿ]", bare):
        asks = any(word in bare for word in _section("asking, in scripts without spaces").split())
        return asks and len(bare) <= MAX_DENSE_CHARS and not _STATING_DENSE.search(bare)
    is_question = re.match(_any_of("asking") + r"\b", bare)
    return is_question is not None and not _stating().search(bare) and "," not in bare


def _section(name: str) -> str:
    return word_lists("non_claims")[name].strip()


def _any_of(name: str) -> str:
    expert = _section("expert").replace("\n", "")
    return f"(?:{'|'.join(_section(name).splitlines())})".replace("<expert>", expert)


# Compiled on first use: few answers need them.


@cache
def _courtesy() -> re.Pattern[str]:
    courtesy = _any_of("courtesies")
    return re.compile(rf"{courtesy}(?:[\s,!.–-]+{courtesy}){{0,3}}{_END}")


@cache
def _opening() -> re.Pattern[str]:
    courtesy, opening = _any_of("courtesies"), _any_of("to the reader")
    return re.compile(rf"(?:{courtesy}[\s,!.–-]+)?{opening}")


@cache
def _stating() -> re.Pattern[str]:
    return re.compile(r"\b" + _any_of("stating") + r"\b")


# ---------------------------------------------------------------- sentences that decline

_LONGEST = 300  # characters
_ENDS = " ,.!:;。！，、،।"
_PICTURES = re.compile(r"[\s\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]+$")


@cache
def _regrets() -> tuple[str, ...]:
    return tuple(re.split(r" / |\n", word_lists("declines")["regret"].strip()))


def _bare(statement: str) -> str:
    """A sentence after up to four words of regret, without marks and pictures at its ends."""
    bare = _PICTURES.sub("", plain(statement).replace('"', "")).strip(_ENDS)
    for _ in range(4):
        if not bare.startswith(_regrets()):
            break
        # A word must end there, which scripts without spaces do not show.
        begun = (word for word in _regrets() if bare.startswith(word))
        whole = (w for w in begun if w[-1] > "\u2e80" or not bare[len(w) :][:1].isalnum())
        bare = bare[len(next(whole, "")) :].lstrip(_ENDS)
    return bare


def declines(statement: str) -> bool:
    """Whether one sentence of an answer only declines ("I don't know."), so has nothing to check.

    Cautious: a claim that the context is silent, any thing, name or number, and every further
    clause make it False.
    """
    has_more = any(c.isdigit() or c in "?？؟" for c in statement)
    if len(statement) > _LONGEST or has_more:
        return False
    bare = _bare(statement)
    return any(
        word in bare and compiled(rule).fullmatch(bare)
        for word, rule in pairs(word_lists("declines")["declines"])
    )


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
    return not bare or any(
        compiled(rule).fullmatch(bare) for _, rule in pairs(word_lists("declines")["beside"])
    )
