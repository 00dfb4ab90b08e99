"""The words that ``labels.py`` looks for, as data: labels, and what may or may not follow a label.

The patterns are for verbose mode: white space in them means nothing. They are matched against
lower-case text in which underscores are spaces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..records.model import Label

# Each word is in the form that ``labels.normalise`` gives it.
LABEL_WORDS: dict[Label, str] = {
    "supported": """
        supported supports support fully_supported is_supported completely_supported
        entirely_supported directly_supported supported_by_context supported_by_the_context entailed
        entails entailment faithful grounded fully_grounded attributable fully_attributable
        attributed verified consistent yes true oui ja si sí sim да так tak evet ναι 是 是的 支持
        はい 예 네""",
    "partially_supported": """
        partially_supported partially partial partly partly_supported partial_support
        partially_entailed partially_faithful partially_grounded partially_attributable 部分支持""",
    "not_enough_info": """
        not_enough_info not_enough_information not_enough_evidence notenoughinfo nei
        insufficient_information insufficient_info insufficient_evidence insufficient_context
        no_evidence no_support no_information no_info not_supported unsupported
        not_supported_by_context not_supported_by_the_context is_not_supported neutral idk
        i_don't_know i_dont_know unknown unverifiable unverified not_verifiable not_verified
        cannot_be_verified can't_be_verified cannot_verify borderline not_mentioned not_stated
        not_found not_present not_provided not_in_context not_in_the_context not_addressed
        not_entailed not_grounded ungrounded not_attributable unattributable extrapolatory
        not_faithful unfaithful hallucinated hallucination fabricated inconsistent no false non nein
        não nao нет nie nee nej nei hayır όχι 否 不是 不支持 いいえ 아니오 아니요""",
    "contradicted": """
        contradicted contradictory contradicts contradict contradiction contradicting
        contradicted_by_context contradicted_by_the_context is_contradicted refuted refutes refute
        refutation conflicting disproved disproven 矛盾""",
    "not_a_claim": "not_a_claim notaclaim not_claim",
}

CONTRARY = r"""
    contradict\w*|contrary|conflict\w*|refut\w*|hallucinat\w*|fabricat\w*|unsupported
    |not\s+(?:\w+\s+)?(?:supported|true|entailed|faithful|grounded)|no\s+(?:evidence|support)|false
    |矛盾|不支持
    """
NEGATION = rf"""
    {CONTRARY}|not?|nor|none|never|nothing|neither|nobody|nowhere|cannot|\w+n['’]t
    |(?:ca|wo|do|does|did|is|are|was|were|has|have|had)nt|without|lack\w*|missing|absent|omit\w*
    |fail\w*|wrong\w*|false\w*|un(?!it|iq|iv|io|if|ic|der|til)\w+|dis(?:agree|prov|confirm|put)\w*
    |in(?:correct|accura|sufficien|consisten|complete|valid|conclusive)\w*
    |mis(?:stat|tak|lead|match|quot|represent|attribut)\w*|neutral|nei|idk|borderline|zero
    |^\W*0(?:\.0+)?\W*$
    """
HEDGE = r"""
    but|except\w*|however|although|though|yet|unless|if|while|whereas|despite|only|partial\w*|partly
    |mostly|mainly|largely|somewhat|almost|nearly|barely|hardly|weak\w*|limited|low|maybe|perhaps
    |possib\w*|might|may|could|would|should|seem\w*|appear\w*|likely|probabl\w*|unclear|doubt\w*
    |actually|correction|corrected|revis\w*|instead|rather|wait|ambigu\w*|assum\w*|pending|tbd|todo
    |nope|nay|half|halves|in\s+part|opposite|revers\w*|clash\w*|at\s+odds|invent\w*|made\s+up
    |extrinsic|(?:common|general|world|outside|external|prior|background)\s+knowledge
    |the\s+(?:answer|response|statement|claim)\s+(?:itself|alone|says|states|claims)
    |ignor\w*|inject\w*|declin\w*|refus\w*|reject\w*|overrul\w*|reconsider\w*|mistake\w*|error\w*
    """
OTHER_LANGUAGES = r"""
    nicht|kein\w*|ohne|aber|nie|niemals|jedoch|teilweise|falsch|nein|non|ne|n['’]\w+|pas|sans|mais
    |jamais|aucun\w*|faux|partiellement|sin|pero|nunca|ning[uú]n\w*|jam[aá]s|tampoco|falso|falsa
    |parcial\w*|não|nao|sem|mas|por[eé]m|senza|ma|mai|però|solo|niet|geen|maar|zonder|ikke|inte|nie
    |nej|nei|nee|bez|не|нет|ні|но|без|ложь|частично
    """
NO_SPACES = (  # languages that are written without spaces
    "不|没|沒|未|无|無|非|否|但|部分|矛盾|ない|ませ|いいえ|しかし|아니|않|없|못|지만|부분"
)

DENIES_OR_OPPOSES = (
    rf"(?<!\w)(?:{NEGATION}|invent\w*|made\s+up|opposite|revers\w*)(?!\w)|{NO_SPACES}"
)
OPPOSES = rf"(?<!\w)(?:{CONTRARY})(?!\w)|{NO_SPACES}"
DOUBTS = (
    rf"(?<!\w)(?:{NEGATION}|{HEDGE}|{OTHER_LANGUAGES})(?!\w)|{NO_SPACES}"
    r"|[?？\u00ad\u200b-\u200f\u2060]"
)

# How the prose after a positive word may begin.
_SOURCE = r"""
    (?:(?:the|this|both)\s+)?(?:(?:provided|given|retrieved)\s+)?
    (?:context|passage|text|document|source|article|sentence|evidence)s?
    """
BEGINS_REASON = rf"""
    (?:(?:it|this|that)\s+(?:does|is|was|follows|matches)|(?:they|these|both)\s+(?:do|are|were)
    |as|because|since|according\s+to|see|per|(?:(?:in|by|from)\s+)?{_SOURCE}
    |the\s+(?:statement|claim)s?\s+(?:is|are|was|were)|explicitly|directly|clearly|fully|verbatim
    |literally|stated|mentioned|said|given|confirmed|found|described|listed|supported|entailed
    |i\s+hope|hope\s+this|let\s+me\s+know)(?!\w)
    """

# The only numbers that may be in it.
_NUMBERS = r"""
    s?\d{1,4}(?:\s?(?:,|and|&|to|-)\s?s?\d{1,4}){0,20}
    (?!\w|[.,]\d|\s?[%/]|\s+(?:of|out)(?!\w))
    """
REFERENCE = rf"""
    (?<!\w)(?:(?:sentence|passage|paragraph|line|source|document)s?\s{{1,3}}[\[(]?{_NUMBERS}
    |\[{_NUMBERS}\])
    """
OTHER_NUMBER = r"[\d\u00bc-\u00be\u2150-\u218b\u2460-\u24ff\u2600-\u27bf\U0001f000-\U0001faff]"
