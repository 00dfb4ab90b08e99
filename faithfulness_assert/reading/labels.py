"""One word of a judge becomes a label, or nothing: an unknown word is no verdict.

The rule is lopsided on purpose. A plain word must stand in the table. Prose may follow a negative word. After a positive one it must
begin like a reason ("it is stated", "the context says ...") and hold no negation, no hedge and no number but a sentence's, so that
neither "Yes, but not the date" nor "supported: 20%" is a verdict. Letters are compared exactly (look-alikes of another
script are no labels); only case, markup, quotes and punctuation are dress.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..records.model import Label

_WORDS: dict[Label, str] = {
    "supported": """supported supports support fully_supported is_supported completely_supported entirely_supported directly_supported
        supported_by_context supported_by_the_context entailed entails entailment faithful grounded fully_grounded attributable
        fully_attributable attributed verified consistent yes true oui ja si sí sim да так tak evet ναι 是 是的 支持 はい 예 네""",
    "partially_supported": """partially_supported partially partial partly partly_supported partial_support partially_entailed
        partially_faithful partially_grounded partially_attributable 部分支持""",
    "not_enough_info": """not_enough_info not_enough_information not_enough_evidence notenoughinfo nei insufficient_information
        insufficient_info insufficient_evidence insufficient_context no_evidence no_support no_information no_info not_supported
        unsupported not_supported_by_context not_supported_by_the_context is_not_supported neutral idk i_don't_know i_dont_know unknown
        unverifiable unverified not_verifiable not_verified cannot_be_verified can't_be_verified cannot_verify borderline not_mentioned
        not_stated not_found not_present not_provided not_in_context not_in_the_context not_addressed not_entailed not_grounded
        ungrounded not_attributable unattributable extrapolatory not_faithful unfaithful hallucinated hallucination fabricated
        inconsistent no false non nein não nao нет nie nee nej nei hayır όχι 否 不是 不支持 いいえ 아니오 아니요""",
    "contradicted": """contradicted contradictory contradicts contradict contradiction contradicting contradicted_by_context
        contradicted_by_the_context is_contradicted refuted refutes refute refutation conflicting disproved disproven 矛盾""",
    "not_a_claim": "not_a_claim notaclaim not_claim",
}
_TABLE: dict[str, Label] = {
    word: label for label, words in _WORDS.items() for word in words.split()
}
_DIGITS: dict[str, Label] = {"1": "supported", "0": "not_enough_info"}
_POSITIVE: frozenset[Label] = frozenset({"supported", "not_a_claim"})

# Dress. No minus and no tilde in front, no "?" behind: "-1", "~~yes~~" and "yes?" say something else than the bare word.
_LEFT = " \t\r\n\"'`“”„‘’«»「」*_#>([\ufeff\u200b"
_RIGHT = " \t\r\n\"'`“”‘’«»「」*_)]\ufeff\u200b.,;:!。．，！；：、…"
_LIGHT = " \t\r\n\"'`*_."
_GAPS = re.compile(r"[\s_\-]+")
_CUT = re.compile(r"[,.:;!(\n–—。．，：；、！（…]|-\s|\s-")

_CONTRARY = r"""
    contradict\w*|contrary|conflict\w*|refut\w*|hallucinat\w*|fabricat\w*|unsupported
    |not\s+(?:\w+\s+)?(?:supported|true|entailed|faithful|grounded)|no\s+(?:evidence|support)|false|矛盾|不支持
    """
_NEGATION = rf"""
    {_CONTRARY}|not?|nor|none|never|nothing|neither|nobody|nowhere|cannot|\w+n['’]t
    |(?:ca|wo|do|does|did|is|are|was|were|has|have|had)nt|without|lack\w*|missing|absent|omit\w*|fail\w*|wrong\w*|false\w*
    |un(?!it|iq|iv|io|if|ic|der|til)\w+|dis(?:agree|prov|confirm|put)\w*
    |in(?:correct|accura|sufficien|consisten|complete|valid|conclusive)\w*
    |mis(?:stat|tak|lead|match|quot|represent|attribut)\w*|neutral|nei|idk|borderline|zero|^\W*0(?:\.0+)?\W*$
    """
_HEDGE = r"""
    but|except\w*|however|although|though|yet|unless|if|while|whereas|despite|only|partial\w*|partly|mostly|mainly|largely
    |somewhat|almost|nearly|barely|hardly|weak\w*|limited|low|maybe|perhaps|possib\w*|might|may|could|would|should|seem\w*
    |appear\w*|likely|probabl\w*|unclear|doubt\w*|actually|correction|corrected|revis\w*|instead|rather|wait|ambigu\w*
    |assum\w*|pending|tbd|todo|nope|nay|half|halves|in\s+part|opposite|revers\w*|clash\w*|at\s+odds|invent\w*|made\s+up|extrinsic
    |(?:common|general|world|outside|external|prior|background)\s+knowledge|the\s+(?:answer|response|statement|claim)\s+(?:itself|alone|says|states|claims)
    |ignor\w*|inject\w*|declin\w*|refus\w*|reject\w*|overrul\w*|reconsider\w*|mistake\w*|error\w*
    """
_OTHER = r"""
    nicht|kein\w*|ohne|aber|nie|niemals|jedoch|teilweise|falsch|nein|non|ne|n['’]\w+|pas|sans|mais|jamais|aucun\w*|faux
    |partiellement|sin|pero|nunca|ning[uú]n\w*|jam[aá]s|tampoco|falso|falsa|parcial\w*|não|nao|sem|mas|por[eé]m|senza|ma
    |mai|però|solo|niet|geen|maar|zonder|ikke|inte|nie|nej|nei|nee|bez|не|нет|ні|но|без|ложь|частично
    """
_CJK = "不|没|沒|未|无|無|非|否|但|部分|矛盾|ない|ませ|いいえ|しかし|아니|않|없|못|지만|부분"
_CONTRARY_PROSE = rf"(?<!\w)(?:{_CONTRARY})(?!\w)|{_CJK}"
_DOUBT_PROSE = (
    rf"(?<!\w)(?:{_NEGATION}|{_HEDGE}|{_OTHER})(?!\w)|{_CJK}|[?？\u00ad\u200b-\u200f\u2060]"
)
# How the prose after a positive word may begin, and the only numbers in it.
_SOURCE = r"(?:(?:the|this|both)\s+)?(?:(?:provided|given|retrieved)\s+)?(?:context|passage|text|document|source|article|sentence|evidence)s?"
_BENIGN = rf"""
    (?:(?:it|this|that)\s+(?:does|is|was|follows|matches)|(?:they|these|both)\s+(?:do|are|were)|as|because|since|according\s+to|see|per
    |(?:(?:in|by|from)\s+)?{_SOURCE}|the\s+(?:statement|claim)s?\s+(?:is|are|was|were)|explicitly|directly|clearly|fully|verbatim|literally
    |stated|mentioned|said|given|confirmed|found|described|listed|supported|entailed|i\s+hope|hope\s+this|let\s+me\s+know)(?!\w)
    """
_LIST = (
    r"s?\d{1,4}(?:\s?(?:,|and|&|to|-)\s?s?\d{1,4}){0,20}(?!\w|[.,]\d|\s?[%/]|\s+(?:of|out)(?!\w))"
)
_REFERENCE = rf"(?<!\w)(?:(?:sentence|passage|paragraph|line|source|document)s?\s{{1,3}}[\[(]?{_LIST}|\[{_LIST}\])"
_prose = cache(
    partial(re.compile, flags=re.VERBOSE)
)  # compiled on first use: few replies explain themselves
_PROSE_CAP = 4_000  # characters
_REPEATED = 200  # characters that may say "yes" again


def parse_label(value: object, labels: Mapping[str, Label] | None = None) -> Label | None:
    """The label that ``value`` names, or None.

    Args:
        value: a JSON scalar: true, false, the numbers 1 and 0, or a string. Anything else is no label.
        labels: a policy's own words, normalised (lower case, words joined by one underscore), which override the standard ones.
    """
    if isinstance(value, bool):
        return _look_up(str(value).lower(), labels)
    if isinstance(value, int | float):
        return _look_up(str(int(value)), labels) if value in (0, 1) else None
    if not isinstance(value, str):
        return None
    return exact_label(value, labels) or _leading_label(value, labels)


def exact_label(text: str, labels: Mapping[str, Label] | None = None) -> Label | None:
    """The label that ``text`` is, apart from case and dress. Nothing may follow the word."""
    if len(text) > 200:
        return None
    word = normalise(text)
    if word in _DIGITS and text.strip(_LIGHT) != word:
        return None  # "[1]" is a citation, and no yes
    return _look_up(word, labels)


def normalise(word: str) -> str:
    """``word`` in lower case, undressed, its parts joined by one underscore: the form of the keys of a policy's ``labels``."""
    bare = unicodedata.normalize("NFC", word).casefold().lstrip(_LEFT).rstrip(_RIGHT)
    return _GAPS.sub("_", bare).strip("_").replace("’", "'") if not bare.startswith("-") else bare


def doubtful(prose: str) -> bool:
    """Whether ``prose`` holds a negation, a hedge or a contrary word, in the languages that we know some of."""
    return _found(_DOUBT_PROSE, prose)


def contrary(prose: str) -> bool:
    """The same for a negation or a contrary word alone."""
    return _found(
        rf"(?<!\w)(?:{_NEGATION}|invent\w*|made\s+up|opposite|revers\w*)(?!\w)|{_CJK}", prose
    )


def split_head(text: str) -> tuple[str, str]:
    """``text`` at its first delimiter: the word or phrase in front, and the rest ("" where there is no delimiter)."""
    bare = text.lstrip(_LEFT)
    cut = _CUT.search(bare)
    return (bare[: cut.start()], bare[cut.end() :]) if cut else (bare, "")


def _leading_label(text: str, labels: Mapping[str, Label] | None) -> Label | None:
    head, rest = split_head(text)
    if head.strip(_LIGHT) in _DIGITS:
        return None
    label = exact_label(head, labels)
    if label in _POSITIVE:
        return (
            label
            if not doubtful(rest) and (label != "supported" or _benign(rest, labels))
            else None
        )
    if label == "partially_supported":
        return None if _found(_CONTRARY_PROSE, rest) else label
    return label


def _benign(rest: str, labels: Mapping[str, Label] | None) -> bool:
    """Whether what follows "supported" says so again, or begins like a reason and has no number but a sentence's."""
    said = rest.casefold().replace("_", " ").lstrip(_LEFT + "-–—,.:;").rstrip(_LEFT + _RIGHT)
    if not said:
        return True
    head, more = split_head(said)
    if exact_label(head, labels) == "supported":
        return _benign(more, labels) if len(said) < _REPEATED else False
    if not _prose(_BENIGN).match(said):
        return False
    return not re.search(
        r"[\d\u00bc-\u00be\u2150-\u218b\u2460-\u24ff\u2600-\u27bf\U0001f000-\U0001faff]",
        _prose(_REFERENCE).sub(" ", said),
    )


def _found(pattern: str, prose: str) -> bool:
    # Nobody explains one word at such length: what was not looked at counts as doubtful.
    return (
        len(prose) > _PROSE_CAP
        or _prose(pattern).search(unicodedata.normalize("NFC", prose).casefold().replace("_", " "))
        is not None
    )


def _look_up(word: str, labels: Mapping[str, Label] | None) -> Label | None:
    if labels and word in labels:
        return labels[word]
    return _TABLE.get(word) or _DIGITS.get(word)
