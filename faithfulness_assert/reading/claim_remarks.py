"""Tell a remark from a claim: "There are no claims." and "I cannot break this down." are no claims.

A remark that there are no claims counts only if it is unmistakable. Its vocabulary is closed:
"There are no claims against the company" is a claim.
"""

from __future__ import annotations

import re

from .refusal import declines, is_refusal, refuses_to_split

_CHARS = 150  # a longer text says more than that
_CLAIMS = r"""
    (?:(?:(?:further|other|additional|more|such|explicit|specific|actual|relevant|any)\s+){0,2}
    (?:(?:factual|verifiable|checkable|atomic|extractable|objective|concrete)\s+
      (?:claims?|facts?|statements?|propositions?|assertions?|information|content)
    |claims?|facts?|propositions?|assertions?|truths?))
    """
_PLACE = r"""
    (?:\s+(?:in|for|from|within|by)\s+(?:this|that|the|these|it)
      (?:\s+(?:given|provided|above|following))?
      (?:\s+(?:sentences?|answer|text|passages?|response|statement|paragraph|input|context))?)?
    """
_FOUND = r"""
    (?:\s+(?:(?:to|that\s+(?:can|could)\s+be|can\s+be|could\s+be|which\s+can\s+be)\s+
        (?:extract|check|verif|list|identif|found|find|break|broken|split)\w*(?:\s+down)?
      |(?:(?:were|was|are|is|have\s+been)\s+)?(?:found|present|identified|here|detected|contained)
      |made))?
    """
_SUBJECT = r"""
    (?:(?:this|that|the|it)(?:\s+(?:given|provided|above|following))?
    (?:\s+(?:sentences?|answer|text|passage|response|statement|paragraph|input))?)
    """
_NO_CLAIMS = re.compile(
    rf"""
    (?:(?:there\s+(?:are|is|were|was)\s+)?(?:no|not\s+any|zero)\s+{_CLAIMS}{_FOUND}{_PLACE}
    |{_SUBJECT}\s+(?:contains?|makes?|has|have|includes?|states?|expresses?)\s+(?:no|zero|not\s+any)
      \s+{_CLAIMS}{_FOUND}
    |{_SUBJECT}\s+(?:does\s+not|doesn't|do\s+not|don't)\s+(?:contain|make|have|include|state|express)
      \s+(?:any\s+)?{_CLAIMS}{_FOUND}
    |(?:es\s+gibt\s+)?keine\s+(?:überprüfbaren\s+)?(?:behauptungen|aussagen|fakten)
      (?:\s+(?:gefunden|vorhanden|enthalten))?
    |(?:il\s+n'y\s+a\s+)?(?:aucune?|pas\s+d')\s?(?:affirmations?|déclarations?|faits?)(?:\s+trouvée?s?)?
    |(?:no\s+hay|ninguna|sin)\s+(?:afirmaci(?:ón|ones)|declaraci(?:ón|ones))
    |(?:non\s+ci\s+sono|nessuna)\s+affermazion[ei]|(?:não\s+há|nenhuma|sem)\s+afirmaç(?:ão|ões)
    |geen\s+(?:beweringen|claims|feiten)|brak\s+(?:twierdzeń|stwierdzeń|faktów)
    |(?:нет\s+утверждений|утверждений\s+нет)|(?:没有|无|沒有)(?:任何)?(?:声明|陈述|主张|事实|聲明|陳述|主張)
    |主張(?:は)?(?:ありません|なし|ない)|주장(?:이|은)?\s?없(?:음|습니다))
    """,
    re.VERBOSE,
)
_DECLINING = re.compile(  # a word that every refusal has, or letters of another language
    r"not\b|n['’ʼ]t\b|unable|sorry|declin|refus|please|lack|\bno\b|insufficient|missing|against"
    r"|violat|regret|afraid|unfortunately|abstain|avoid|[^\x00-\x7f]",
    re.IGNORECASE,
)
_REGRET = re.compile(r"(?:i(?:'m| am) )?(?:\w{2,6} )?(?:sorry|unfortunately)\W{1,3}(?:but )?", re.I)
_STRING = re.compile(r'"([^"\\]{10,150})"')
_BARE = frozenset(("none", "n/a", "na", "not applicable", "nothing", "nil", "null", "no", "empty"))


def says_no_claims(text: str) -> bool:
    """Whether ``text`` is a sentence that says that there are no claims, and nothing else."""
    if len(text) > _CHARS:
        return False
    return _NO_CLAIMS.fullmatch(_plain(text)) is not None


def is_no_claim(text: str) -> bool:
    """The same for an item of a list, which may also be "None" or "N/A"."""
    return len(text) <= _CHARS and (says_no_claims(text) or _plain(text) in _BARE)


def is_refused_claim(text: str) -> bool:
    """Whether an item of a list only declines, instead of being a claim."""
    if not _DECLINING.search(text):
        return False
    if declines(text):
        return True
    bare = _REGRET.sub("", text)
    only_one = len(text) <= _CHARS and not re.search(r"[,;:]\s|\bbut\b|[.!?]\s+\S", bare)
    return only_one and (is_refusal(text) or refuses_to_split(text))


def contains_no_claims_remark(reply: str) -> bool:
    """Whether a string in a JSON reply says, in a sentence, that there are no claims."""
    return any(map(says_no_claims, _STRING.findall(reply)))


def mentions_no_claims(text: str) -> bool:
    """Whether a sentence of ``text`` says that there are no claims."""
    return any(map(says_no_claims, re.split(r"[.!?。！？\n]+", text[:1000])))


def _plain(text: str) -> str:
    said = text.casefold().replace("’", "'").replace("*", "").strip(" \t\r\n.!\"'`()[]-–—。！_")
    return " ".join(said.split())
