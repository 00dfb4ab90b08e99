"""The words of prose that says "not supported", as data for ``remark_readers.py``.

The patterns are for verbose mode. They match one sentence in lower case, with straight quotes, no
markup, and spaces for underscores. Every repetition is bounded.
"""

from __future__ import annotations

_ADVERBS = r"""
    (?:(?:actually|really|clearly|in\s+fact|also|however|therefore|thus|at\s+all|even|still|itself
    |indeed|now|only|fully|completely|entirely|sufficiently|adequately|strictly)\s+){0,2}
    """
_BE = r"""
    (?:\b(?:is|are|was|were|be|been|remains?|seems?|appears?)|(?<=\w)'s|(?<=\w)'re)\s+
    (?:to\s+be\s+|considered\s+|deemed\s+|rated\s+|labell?ed\s+(?:as\s+)?|marked\s+(?:as\s+)?)?
    """
_NOT_BE = r"""
    \b(?:isn't|aren't|wasn't|weren't|cannot\s+be|can't\s+be|could\s+not\s+be|couldn't\s+be)\s+
    """
# Words that are used of statements only, and words that are also used of things.
_GOOD = r"""
    (?:supported|entailed|faithful|grounded|attributable|verifiable|substantiated|corroborated
    |backed(?:\s+up)?)(?!\w)
    """
_GOOD_TOO = r"(?:verified|confirmed|consistent|true|correct|accurate|factual|right|valid)(?!\w)"
_BAD = r"""
    (?:unsupported|contradicted|contradictory|contradicting|unfaithful|ungrounded|unverified
    |unverifiable|unsubstantiated|hallucinated|refuted|partially\s+supported|partly\s+supported
    |only\s+partially|only\s+partly|not\s+enough\s+info\w*|a\s+hallucination|a\s+contradiction)(?!\w)
    """
_BAD_TOO = r"""
    (?:false|untrue|incorrect|inaccurate|wrong|invented|fabricated|made\s+up|a\s+fabrication
    |in\s+conflict|inconsistent|invalid|mistaken)(?!\w)
    """
_SOURCE = r"""
    (?:(?:the|this|its|given|provided|any|retrieved|what)\s+){0,3}
    (?:context|passages?|text|documents?|sources?|evidence|sentences?\s+\d{1,6})(?!\w)
    """
_NOT = r"(?:\b(?:does|do|did|has|have)\s+not|\b(?:doesn't|don't|didn't|hasn't|haven't))\s+"


def _denied(good: str, bad: str) -> str:
    return rf"""
        (?:{_BE}{_ADVERBS}not\s+|{_NOT_BE}){_ADVERBS}{good}|{_BE}{_ADVERBS}{bad}
        """


# A predicate that denies support, whatever its subject is.
DENIED = rf"""
    {_denied(_GOOD, _BAD)}
    |\b(?:contradicts?|conflicts?\s+with|refutes?|misrepresents?)\s+{_SOURCE}
    |{_NOT}(?:have\s+|find\s+)?(?:any\s+)?(?:support|evidence|basis|grounding)\b
    |\b(?:lacks?|has\s+no|have\s+no)\s+(?:any\s+)?(?:support|evidence|basis|grounding)\b
    |{_SOURCE}\s+(?:{_NOT}(?:support|back|confirm|entail)|contradicts?|refutes?
      |(?:says?|states?)\s+the\s+opposite)\b
    |\b(?:contains?|has|have|are|is|found|find|includes?|detected|a|an|one|two|three|\d{{1,4}}|some
      |several|the)\s+(?:(?!no\b|any\b|zero\b|not\b)\w+\s+){{0,2}}(?:contradictions?|hallucinations?
      |fabrications?|unsupported\s+\w+|unfaithful\s+\w+|hallucinated\s+\w+|contradicted\s+\w+)\b
    |\bnot\s+all\b[^.;]{{0,40}}?{_BE}{_GOOD}
    |^\W*(?:(?:actually|however|but|so|in\s+fact|no),?\s+){{0,2}}(?:not\s+{_ADVERBS}{_GOOD}|{_BAD})
    """
# The same, for the subjects "statement 2", "the second claim", "the answer".
DENIED_OF_SUBJECT = rf"""
    {_denied(_GOOD_TOO, _BAD_TOO)}
    |(?:{_BE}{_ADVERBS}not\s+|{_NOT_BE}){_ADVERBS}
      (?:mentioned|stated|found|present|contained|addressed|discussed|in\s+{_SOURCE})
      (?!\s+(?:explicitly|directly|verbatim|literally|word))
    |{_NOT}(?:match|follow|agree|align|hold|appear|occur|pass)\b|\bfail(?:s|ed)?\b
    |{_BE}not\s*(?=[,;)]|$)|{_NOT_BE[:-3]}\s*(?=[,;)]|$)|\bgoes?\s+(?:beyond|against)\b
    |\b(?:should|must)\s+(?:not\s+be\s+{_GOOD}|be\s+{_BAD})
    |\b(?:not\s+{_GOOD}|{_BAD})\s*(?=[,;)]|$)
    """
# No statement is supported.
NONE_SUPPORTED = rf"""
    \b(?:none|neither|nothing|no\s+(?:statement|claim|sentence|verdict|part)s?)\b
      [^.;]{{0,60}}?(?:{_BE}{_ADVERBS}{_GOOD}|\b(?:holds?|appears?|finds?\s+support)\b)
    |\b(?:both|all|each|every|everything)\b(?!\s+of\s+them\s+not)[^.;]{{0,60}}?
      (?:{_BE}{_ADVERBS}(?:not\s+(?:{_GOOD}|{_GOOD_TOO})|{_BAD}|{_BAD_TOO})
      |{_NOT_BE}{_ADVERBS}(?:{_GOOD}|{_GOOD_TOO}))
    """
# "1 of 2 statements is supported"
SHARE = rf"""
    \b(\d{{1,6}})\s?(?:of|out\s+of|/)\s?(?:the\s+)?(\d{{1,6}})\s+(?:\w+\s+){{0,3}}?{_BE}{_ADVERBS}{_GOOD}
    |\bonly\s+(?:statement|claim|the\s+first|the\s+second|the\s+last|one)\b[^.;]{{0,30}}?{_BE}{_GOOD}
    """

# Before a denial: what makes it a condition, a rule, or a denial of a denial.
CONDITION = r"\b(?:if|whether|unless|when(?:ever)?|in\s+case|any|each|every)\s+(?:\w+\s+){0,4}$"
RULE = r"\b(?:statements?|claims?|those|ones|anything|entries|items)\s+(?:that|which)\b"
EXISTENCE = r"\b(?:there|contains?|has|have|had|found|find|some|several|includes?|one|two|\d)\b"
NEGATED = (
    r"\b(?:no|not|none|nothing|neither|never|without|free\s+of)\b[^.;,]{0,60}$|n't\s[^.;,]{0,40}$"
)
HAS_NOT = r"\bnot\b|n't\b|\bno\b|\bcannot\b"

# The same in other languages.
FOREIGN = r"""
    (?:wird|werden|ist|sind)\b[^.]{0,40}\bnicht\s+(?:\w+\s+){0,3}(?:unterstützt|gestützt|belegt|treu)
    |nicht\s+(?:belegt|gestützt|unterstützt)|widersprochen|widerspricht|widerlegt
    |n'est\s+pas\s+(?:\w+\s+){0,2}(?:soutenu|étayé|appuyé|fidèle)|ne\s+sont\s+pas\s+(?:soutenu|étayé)
    |non\s+(?:soutenu|étayé|fidèle)|contredit
    |no\s+(?:está|es|están|son)\s+(?:\w+\s+){0,2}(?:respaldad|apoyad|sustentad|fiel)
    |contradich|contradice
    |não\s+(?:é|está|são|estão)\s+(?:\w+\s+){0,2}(?:suportad|apoiad|sustentad|fiel)
    |contradit[ao]|contradiz
    |non\s+(?:è|sono)\s+(?:\w+\s+){0,2}(?:supportat|sostenut|fedel)|contraddett|contraddice
    |(?:is|wordt|zijn|worden)\s+niet\s+(?:\w+\s+){0,2}(?:ondersteund|getrouw|onderbouwd)
    |tegengesproken|weersproken|weerlegd
    |nie\s+(?:jest|są)\s+(?:\w+\s+){0,2}(?:popart|zgodn)|sprzeczn|zaprzecz
    |не\s+(?:подтвержд|поддерж)|противореч|опроверг
    |不支持|不被支持|没有得到支持|未得到支持|未被支持|矛盾|不忠实|不忠實|相反
    |支持されてい?ない|支持されてい?ません|裏付けられてい?ない|裏付けられてい?ません|忠実ではない
    |지지되지\s?않|뒷받침되지\s?않|모순|반박|충실하지\s?않
    """
FOREIGN_NEGATED = r"""
    \b(?:kein\w*|nicht|nie|ohne)\s+(?:\w+\s+){0,2}(?:widerspr|widerleg)|pas\s+contredit
    |\bno\s+(?:\w+\s+){0,2}contradi|\bnão\s+(?:\w+\s+){0,2}contradi|\bnon\s+(?:\w+\s+){0,2}contradd
    |\bniet\s+(?:\w+\s+){0,2}(?:tegengespr|weerspr)|\bnie\s+(?:\w+\s+){0,2}(?:sprzecz|zaprzecz)
    |\bне\s+противореч|没有矛盾|無矛盾|无矛盾|不矛盾|矛盾(?:は|し)(?:ない|ません|てい(?:ない|ません))
    |모순(?:이|되지)?\s?(?:없|않)|\b(?:wenn|falls|si|se|als|jeśli|если)\b
    """

# ---------------------------------------------------------------- what a sentence is about

STATEMENT = r"""
    (?:statement|claim|item|entry|aussage|behauptung|satz|déclaration|affirmation|énoncé|afirmación
    |declaración|enunciado|affermazione|dichiarazione|afirmação|declaração|stelling|bewering
    |uitspraak|stwierdzeni[ea]|zdanie|утверждени[ея]|陈述|陳述|语句|主张|主張|声明|文|진술|주장|문장)
    """
_JOIN = r"\s?(?:,|and|&|und|et|y|e|en|i|и|、|和)\s?"
NUMBERED = rf"""
    {STATEMENT}(?:s|n|en|es)?\s{{0,2}}[\#(\[]?(s?\d{{1,6}}(?:(?:{_JOIN}){{1,2}}s?\d{{1,6}}){{0,20}})(?![\d%])
    |\#(\d{{1,6}})|第\s?(\d{{1,6}})
    """
ORDINAL = rf"\b(\w{{3,12}})\s+(?:and\s+last\s+)?(?:{STATEMENT}|one\b)"
ORDINALS = {
    word: number
    for number, words in enumerate(
        (
            "first 1st erste ersten première primera prima primeira eerste pierwsze первое",
            "second 2nd zweite zweiten deuxième segunda seconda tweede drugie второе",
            "third 3rd dritte dritten troisième tercera terza terceira derde trzecie третье",
            "fourth 4th vierte vierten quatrième cuarta quarta vierde czwarte четвертое",
            "fifth 5th fünfte fünften cinquième quinta vijfde piąte пятое",
        ),
        1,
    )
    for word in words.split()
}
# The whole answer, or one statement without its number.
SUBJECT = r"""
    \b(?:overall|in\s+(?:summary|conclusion|total|short)|altogether|to\s+sum\s+up|on\s+the\s+whole
    |(?:the|this|that|its|his)\s+(?:\w+\s+)?(?:answer|response|reply|output|summary|statement|claim
      |assertion)
    |(?:last|final|other|former|latter|former|one|some|several)\s+(?:of\s+)?(?:the\s+)?
      (?:statements?|claims?|one))\b
    """
