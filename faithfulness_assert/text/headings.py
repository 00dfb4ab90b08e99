"""Does a heading, a cell of a table's header or a bold line only name what follows, or does it claim something?

It is a name where it has the shape of one: a question, or a few words without a number, a verb or a sign of a sentence.
In doubt it claims. No grammar is asked: words that are verbs, endings that verbs have, and for scripts without spaces the length.
"""

from __future__ import annotations

import re

__all__ = ["claims", "replies"]

_STEP = re.compile(
    r"\W*(?:(?:step|part|section|chapter|phase|stage|question|appendix|schritt|teil|abschnitt|kapitel|étape|partie|chapitre|paso|parte|"
    r"capítulo)\s+\d{1,3}(?:[.):]|\s[–—-])?(?:\s+|$)|(?:\d{1,3}(?:\.\d{1,3}){0,5}[.):]|\d{1,3}(?:\.\d{1,3}){1,5}|[A-Za-z][.)])\s+)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"[.!。！｡][\"'”’)\]]*$|[:：;；=≠<>→⇒](?=.*\w)|[–—](?=.*\w)|\s-{1,2}\s|[,，、](?=.*[,，、])"
)
_REPLY = re.compile(
    r"\W*(?:yes|no|true|false|none|correct|incorrect|ja|nein|oui|non|sí|si|não|sim|是|否|[^\W\d_])\W*",
    re.IGNORECASE,
)
MAX_NAME = 200
"""Characters. What is longer names nothing."""

_ASKS = re.compile(
    r"(?:how|what|when|where|which|who) (?:is|are|does|do|can|should|to|it|this|you|we|they)\b|why (?:it|this|we|you)\b",
    re.IGNORECASE,
)
_HOW_TO = re.compile(r"how to\b", re.IGNORECASE)

# ---- words

_JOINING = frozenset(
    "a an the of and or & to vs und oder der die das des et ou le la les de du y o el los las e il lo i en".split()
)
_NOUNS = frozenset(
    "actions alternatives benefits challenges considerations costs details effects examples exercises facts features figures findings "
    "goals guidelines highlights ideas instructions issues items lessons limitations materials methods metrics news notes numbers options "
    "points practices prices products pros questions reasons recommendations references requirements resources results risks rules sales "
    "services settings sources steps strategies systems takeaways terms tips tools topics trends types uses warnings "
    # what closes a name: no verb stands before it
    "analysis comparison example guide list overview plan policy report section summary table "
    "based compared explained involved learned needed related required started used asked".split()
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|did|do|cannot|can|could|will|won|would|shall|should|must|may|might|not|never|always|"
    r"isn't|aren't|wasn't|weren't|doesn't|didn't|don't|can't|won't|no longer|than|because|that|"
    r"beats?|became|becomes?|began|begins|bought|broke|built|came|caught|causes?|chose|contains|cures?|cured|dead|dies|died|drew|fails|fell|"
    r"fought|founded|gave|gets|gives|goes|got|grew|grows|heals|helps|hid|hurts|includes|increased|increases|invented|joined|joins|kept|"
    r"kills?|knew|leads|led|left|lies|lost|made|makes|means|met|moved|needs|owns|paid|pays|prevents|proves|ran|requires|rises|rose|runs|"
    r"said|sank|saves|saw|says|sells|signed|sold|spent|starts|stole|stops|struck|takes|told|took|treats|went|wins|works|worked|wrote|"
    r"ist|sind|war|waren|hat|haben|wird|werden|kann|muss|nicht|kein|est|sont|était|ont|peut|doit|pas|es|son|era|fue|está|están|tiene|"
    r"tienen|puede|è|sono|ha|hanno|può|é|são|foi|tem|pode|não|não|zijn|heeft|wordt|kan|niet)\b",
    re.IGNORECASE,
)
_PREDICATE = re.compile(
    r"\S\s+(?:safe|guilty|true|false|fake|legal|illegal|free|deadly|dangerous|toxic|harmless|harmful|banned|effective|useless|wrong|right)"
    r"(?:\s+(?:for|to|in|by|with|of)\b|\W*$)",
    re.IGNORECASE,
)
_PREPOSITIONS = (
    "in|of|for|on|at|to|from|by|with|and|or|about|around|behind|under|over|into|through|within|during|across|between|after|before|as|vs|per|de|"
    "del|en|con|por|para|y|o|e|ou|et|à|dans|sur|pour|avec|par|sans|und|oder|für|von|mit|zu|zum|auf|aus|bei|nach|über|di|da|su|tra|a|van|"
    "voor|met|op|em|no|na|all|both|what|who|how"
)
_BEFORE_ARTICLE = re.compile(
    rf"\w\s+(?!(?:{_PREPOSITIONS})\s)[^\W\d_]+\s+(?:the|a|an|el|la|le|les|los|las|il|lo|der|die|das|den|ein|eine|o|os|as|um|uma|de)\s(?<!\sde\s)",
    re.IGNORECASE,
)
_GERMAN = re.compile(r"\w\s+[a-zäöüß]{2,}t\s+(?:[a-zäöüß]+\s+)?[A-ZÄÖÜ]")
_VERB_ENDING = re.compile(r"[^\W\d_]{2,}(?<!s)(?<!u)(?<!i)s|[^\W\d_]{2,}ed", re.IGNORECASE)

# ---- scripts

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_UNSPACED_VERB = re.compile(
    "[是有会會能可为為在了不没沒无無非被把让讓使令致治死杀殺增减減升降达達超赢贏输輸很最已将將应應必由成对對于於导導]|[るただすい]$|ます|です|だった"
)
_UNSPACED_NAME = 6
_HANGUL = re.compile("[\uac00-\ud7a3]")
_HANGUL_VERB = re.compile(r"[다요음임함됨]\W*$")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_CYRILLIC_VERB = re.compile(
    r"\s\w*(?:[еиёую]т|[аяуиы]л|ла|ло|ли|с[яь]|ть|ен|н[аоы])(?!\w)|\bне\b", re.IGNORECASE
)
_LATIN = re.compile("[A-Za-z\u00aa-\u024f\u1e00-\u1eff]")


def replies(heading: str) -> bool:
    """Whether ``heading`` is an answer in itself, such as ``No`` or ``B``."""
    return len(heading) <= MAX_NAME and _REPLY.fullmatch(heading) is not None


def claims(heading: str, words: int = 4) -> bool:
    """Whether ``heading`` says something that can be checked, for all that can be seen; ``words`` is how many a heading may have."""
    if heading.endswith(("?", "？", "؟")):
        return False
    if len(heading) > MAX_NAME:
        return True
    step = _STEP.match(heading)
    rest = (heading[step.end() :] if step else heading).rstrip(" :：")
    if step and not rest:
        return False
    if _SENTENCE.search(rest) or any(char.isdigit() for char in rest):
        return True
    if all(_LATIN.match(char) for char in rest if char.isalpha()):
        return _latin(rest, words)
    if _UNSPACED.search(rest):
        return len(rest) > _UNSPACED_NAME or _UNSPACED_VERB.search(rest) is not None
    if _HANGUL.search(rest):
        return len(rest.split()) > 2 or _HANGUL_VERB.search(rest) is not None
    if _CYRILLIC.search(rest):
        return len(rest.split()) > words - 1 or _CYRILLIC_VERB.search(rest) is not None
    return len(rest.split()) > 1


def _latin(rest: str, limit: int) -> bool:
    words = rest.replace("’", "'").casefold().split()
    if len(words) > limit + 2 or sum(word not in _JOINING for word in words) > limit:
        return True
    if _HOW_TO.match(rest) or (_ASKS.match(rest) and len(words) < 5):
        return False
    signs = (_VERB, _PREDICATE, _BEFORE_ARTICLE, _GERMAN)
    return any(sign.search(rest.replace("’", "'")) for sign in signs) or _has_verb_ending(words)


def _has_verb_ending(words: list[str]) -> bool:
    """``CEO arrested``, ``aspirin cures colds``: an ending of verbs, after a word that may be the subject; ``Terms of use`` has none."""
    for place, word in enumerate(words[1:], 1):
        before, after = words[place - 1], words[place + 1] if place + 1 < len(words) else ""
        if word in _NOUNS or before.endswith("ly") or not _VERB_ENDING.fullmatch(word):
            continue
        if word.endswith("ed") or (after and after not in _JOINING and after not in _NOUNS):
            return True
    return False
