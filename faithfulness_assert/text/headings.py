"""Does a heading, a bold line or a cell of a table's header claim something, or only name a topic?

It is a topic if it is a question, or a few words without a number, a verb or the punctuation of a
sentence. In doubt it is a claim. There is no grammar here: lists of verbs, endings of verbs, and
for scripts without spaces the length.
"""

from __future__ import annotations

import re

from .languages import find_language
from .strings import DENSE, lazy_pattern, word_lists

MAX_TOPIC = 200
"""Characters. Anything longer is a claim."""

_STEP = lazy_pattern(
    r"\W*(?:(?:step|part|section|chapter|phase|stage|question|appendix|schritt|teil|abschnitt|"
    r"kapitel|étape|partie|chapitre|paso|parte|capítulo)\s+\d{1,3}(?:[.):]|\s[–—-])?(?:\s+|$)|"
    r"(?:\d{1,3}(?:\.\d{1,3}){0,5}[.):]|\d{1,3}(?:\.\d{1,3}){1,5}|[^\W\d_][.)])\s+|[一二三四五六七八九十]{1,3}[、.]\s*|第[一二三四五六七八九十\d]{1,3}[章节部分步]\s*)",
    re.IGNORECASE,
)
_PUNCTUATION = lazy_pattern(
    r"[.!。！｡][\"'”’)\]]*$|[:：;；=≠<>→⇒](?=.*\w)|[–—](?=.*\w)|\s-{1,2}\s|[,，、](?=.*[,，、])"
)
_SHORT_ANSWER = lazy_pattern(
    r"\W*(?:yes|no|true|false|none|correct|incorrect|ja|nein|oui|non|sí|si|não|sim|是|否|[^\W\d_])\W*",
    re.IGNORECASE,
)
_QUESTION = lazy_pattern(
    r"(?:how|what|when|where|which|who) (?:is|are|does|do|can|should|to|it|this|you|we|they)\b|"
    r"why (?:it|this|we|you)\b",
    re.IGNORECASE,
)
_HOW_TO = lazy_pattern(r"how to\b", re.IGNORECASE)

# ---- words of languages in Latin script

_WORDS = word_lists("headings")
_JOINING, _NOUNS = (frozenset(_WORDS[name].split()) for name in ("joining", "nouns"))
_VERBS, _PREPOSITIONS, _ARTICLES, _VIETNAMESE_VERBS = (
    "|".join(_WORDS[name].split("\n")).strip("|")
    for name in ("verbs", "prepositions", "articles", "vietnamese verbs")
)
_LINKING = frozenset(_PREPOSITIONS.split("|"))
_VERB = lazy_pattern(rf"\b(?:{_VERBS})\b", re.IGNORECASE)
_PREDICATE = lazy_pattern(
    r"\S\s+(?:safe|guilty|true|false|fake|legal|illegal|free|deadly|dangerous|toxic|harmless|harmful|"
    r"banned|effective|useless|wrong|right)(?:\s+(?:for|to|in|by|with|of)\b|\W*$)",
    re.IGNORECASE,
)
_BEFORE_ARTICLE = lazy_pattern(
    rf"\w\s+(?!(?:{_PREPOSITIONS})\s)[^\W\d_]+(?<!ing)\s+(?:{_ARTICLES})\s", re.IGNORECASE
)
_BEFORE_A = lazy_pattern(
    rf"\w\s+(?!(?:{_PREPOSITIONS})\s)[^\W\d_]+(?<!ing)\s+a\s", re.IGNORECASE
)  # in English, where it is an article
_GERMAN_VERB = lazy_pattern(r"\w\s+[a-zäöüß]{2,}t\s+(?:[a-zäöüß]+\s+)?[A-ZÄÖÜ]")
_VERB_ENDING = lazy_pattern(r"[^\W\d_]{2,}(?<!s)(?<!u)(?<!i)s|[^\W\d_]{2,}ed", re.IGNORECASE)
_ROMANCE_VERB = lazy_pattern(
    r"\w\s+\w{2,}(?:aron|ieron|aban|aient|èrent|avano|evano|arono|irono|aram|eram|iram|avam|ó|ò|arà|erà|irà|ará|erá|irá|ará|rão)\b",
    re.IGNORECASE,
)
_SIGNS_OF_A_CLAIM = (_VERB, _PREDICATE, _BEFORE_ARTICLE, _GERMAN_VERB, _ROMANCE_VERB)

# ---- other scripts

_LATIN = lazy_pattern("[A-Za-z\u00aa-\u024f\u1e00-\u1eff]")
_UNSPACED = lazy_pattern(f"[{DENSE}]")
_UNSPACED_VERB = lazy_pattern(
    "[是有会會能可为為在了不没沒无無非被把让讓使令致治死杀殺增减減升降达達超赢贏输輸很最已将將应應必由成对對于於导導]|"
    "[るただすい]$|ます|です|だった"
)
_UNSPACED_TOPIC = 6
_HANGUL = lazy_pattern("[\uac00-\ud7a3]")
_HANGUL_VERB = lazy_pattern(r"[다요음임함됨]\W*$")
_VIETNAMESE = lazy_pattern("[ăđơưạ-ỹ]", re.IGNORECASE)
_VIETNAMESE_VERB = lazy_pattern(rf"\b(?:{_VIETNAMESE_VERBS})\b", re.IGNORECASE)
_CYRILLIC = lazy_pattern("[\u0400-\u04ff]")
_KNOWN = lazy_pattern(f"[A-Za-z\u00aa-\u024f\u1e00-\u1eff{DENSE}\uac00-\ud7a3\u0400-\u04ff]")
_CYRILLIC_VERB = lazy_pattern(
    r"\s\w*(?:[еиёую]т|[аяуиы]л|ла|ло|ли|с[яь]|ть|ен|н[аоы])(?!\w)|\bне\b", re.IGNORECASE
)


def without_step(heading: str) -> str:
    """A heading without the number of its step or chapter: ``Step 2 – Set up``, ``1.3 Scope``."""
    step = _STEP.match(heading)
    return heading[step.end() :] if step else heading


def is_short_answer(heading: str) -> bool:
    """Whether ``heading`` is a complete answer, such as ``No`` or ``B``."""
    return len(heading) <= MAX_TOPIC and _SHORT_ANSWER.fullmatch(heading) is not None


def makes_claim(heading: str, max_words: int = 4) -> bool:
    """Whether ``heading`` seems to say something that can be checked.

    ``max_words`` is how many words a topic may have, articles and joining words not counted.
    """
    if heading.endswith(("?", "？", "؟")):
        return False
    if len(heading) > MAX_TOPIC:
        return True
    topic = without_step(heading).rstrip(" :：")
    if not topic:
        return False
    if _PUNCTUATION.search(topic) or any(char.isdigit() for char in topic):
        return True
    words = topic.casefold().split()
    if _UNSPACED.search(topic):
        is_long = len(topic) > _UNSPACED_TOPIC
    elif _HANGUL.search(topic):
        is_long = len(words) > 2
    elif _CYRILLIC.search(topic):
        is_long = len(words) > max_words - 1
    elif all(_LATIN.match(char) for char in topic if char.isalpha()):
        is_named = (word.replace("’", "'") not in _JOINING for word in words)
        is_long = len(words) > max_words + 2 or sum(is_named) > max_words
    else:
        return len(words) > 1
    is_question = _HOW_TO.match(topic) or (_QUESTION.match(topic) and len(words) < 5)
    return is_long or (not is_question and has_verb(topic))


def _has_verb_ending(words: list[str]) -> bool:
    """Whether a word after the first ends like a verb: ``CEO arrested``, ``aspirin cures colds``.

    ``Terms of use`` has no such word.
    """
    for before, word, after in zip(words, words[1:], [*words[2:], ""], strict=False):
        if (
            word in _NOUNS
            or word in _LINKING
            or before.endswith("ly")
            or not _VERB_ENDING.fullmatch(word)
        ):
            continue
        if word.endswith("ed"):
            return True
        if after and not {after} & (_JOINING | _NOUNS | _LINKING):
            return True
    return False


def has_verb(text: str) -> bool:
    """Whether words, without the punctuation of a sentence, seem to have a finite verb.

    In scripts of which no verbs are known, they do.
    """
    text = text.replace("’", "'")
    if not (text.isascii() or all(_KNOWN.match(char) for char in text if char.isalpha())):
        return True
    if _VIETNAMESE.search(text) and _VIETNAMESE_VERB.search(text):
        return True
    if not _VIETNAMESE.search(text) and _LATIN.search(text):
        signs = any(sign.search(text) for sign in _SIGNS_OF_A_CLAIM)
        if signs or (
            find_language(text) == "en"
            and (_BEFORE_A.search(text) or _has_verb_ending(text.casefold().split()))
        ):
            return True
    others = (
        (_UNSPACED, _UNSPACED_VERB),
        (_HANGUL, _HANGUL_VERB),
        (_CYRILLIC, _CYRILLIC_VERB),
    )
    return any(script.search(text) and verb.search(text) for script, verb in others)
