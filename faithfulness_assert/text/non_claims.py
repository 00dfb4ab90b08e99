"""Sentences that claim nothing: questions, greetings, thanks, offers, words to the reader.

The rule is strict, because a judge may try to set aside what it should judge: only wording that is
known to claim nothing counts, and a sentence that also states something does not.
"""

from __future__ import annotations

import re
from functools import cache

MAX_CHARS = 200
MAX_WORDS = 14
"""Longer sentences to the reader say something as well."""
MAX_DENSE_CHARS = 20
"""Longer questions in scripts without spaces between words say something as well."""

_END = r"[\s!.…。！～,;:)\]*_\"'”’»\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]*"

# Sentences that are a courtesy as a whole, one pattern a line; in the order of the languages
# English, German, French, Spanish, Italian, Portuguese, Dutch, Chinese, Japanese, Korean, Arabic,
# Hindi, Thai, Hebrew.
_COURTESIES = r"""
(hi|hello|hey|dear|good (morning|afternoon|evening|day))( there| all| everyone)?
sure( thing)?|of course|certainly|absolutely|okay|ok|got it|understood|no problem|my pleasure
you('re| are) (very |most )?welcome|good luck|take care|cheers|enjoy|here you go
(best|kind|warm) regards|sincerely|have a (great|good|nice) (day|time|one)
(that('s| is) an? |what an? )?(great|good|excellent|interesting) question
(many )?(thanks|thank you)( so much| very much| a lot)?( for (asking|reaching out))?
(many )?(thanks|thank you) for your (question|interest|patience|time|message)
(i('m| am|'d be| would be) )?(always )?(happy|glad) to (help|assist)( you)?
(i )?hope (this|that|it) (helps|is helpful|was helpful|answers your question)( you)?
gerne?|natürlich|hallo|guten (tag|morgen|abend)|vielen dank|danke|bitte sehr
viel (glück|erfolg|spaß)|(ich hoffe,? )?das hilft( dir| ihnen)?( weiter)?
bonjour|bien sûr|merci( beaucoup)?|avec plaisir|de rien|bonne (journée|chance)
hola|claro( que sí)?|por supuesto|gracias|de nada|buena suerte
ciao|certo|certamente|grazie|prego|buona fortuna
olá|claro|com certeza|obrigad[oa]|de nada|boa sorte
hallo|natuurlijk|dank je( wel)?|graag gedaan|succes|hopelijk helpt dit
希望(这|這)?(些(信息|内容))?(能|会|會)?(对|對)?(您|你)?(有所?)?(帮助|幫助|帮到|幫到)(您|你)?
(谢谢|謝謝|感谢|感謝)((您|你|大家)(的(提问|提問|耐心|理解|支持))?)?|不客气|不客氣|您好|你好|祝(您|你)(好运|好運|顺利|順利)
(请|請)(随时|隨時)?(告诉我|告訴我|(联系|聯繫)我(们|們)?|(提问|提問))
ありがとうございま(す|した)|(どうぞ)?よろしくお願い(いた)?します|こんにちは
감사합니다|안녕하세요|شكرا( لك| جزيلا)?|مرحبا|धन्यवाद|नमस्ते
(ขอบคุณ|สวัสดี)(มาก)?(ค่ะ|ครับ)?|תודה( רבה)?|שלום
"""
# How a sentence begins that only speaks to its reader, in the same order.
_TO_THE_READER = r"""
feel free to (ask|contact|reach|let|call|email|get in touch|share|message)
(please )?(don't|do not) hesitate to (ask|contact|reach|let|call)|please (ask|contact|reach out)
(just |please )?(let (me|us) know|tell me)( if (you|there)| how| what| whether| which|\W*$)
i can also (help|assist)
(if|should) you (have|need|want|would like) [^,]{0,60}, (just|please|let|feel|ask|don't|i'll)\b
let's (look|dive|go|start|begin|break)
(here('s| is| are)|below (is|are)) (?!why|that|how( \S+){4})((?! why| that)[^:]){0,60}:\W*$
(please )?(see|consult|contact|ask|call|visit|speak (to|with)|talk (to|with)|check with) <expert>
(please )?seek (medical|legal|professional|expert) (advice|help|attention)
(bitte )?zögern sie nicht, |lass(en sie)? (es )?mich wissen
(bitte )?(fragen|konsultieren) sie <expert>
(bitte )?wenden sie sich an <expert>
n'hésitez pas à|(veuillez )?(consultez|consulter|contactez|contacter) <expert>
no dude en|(por favor,? )?consulte (a|con) <expert>|non esitare a|(per favore,? )?consulti <expert>
não hesite em|(por favor,? )?consulte <expert>|aarzel niet om|raadpleeg <expert>
"""
_EXPERT = (
    r"(your|a|an|the|our|ihren|ihre|einen|eine|votre|un|une|su|il suo|o seu|uw) "
    r"([\w-]+ )?(doctor|physician|pharmacist|dentist|vet|professional|expert|specialist|lawyer"
    r"|attorney|adviser|advisor|provider|support|team|website|arzt|apotheker|anwalt|fachmann"
    r"|médecin|pharmacien|avocat|médico|abogado|medico|avvocato|advogado|arts|apotheker)\W*$"
)
# How a question begins that asks something. Others may state something and end like a question.
_ASKING = r"""
what|who|whom|whose|where|when|how|which
(do|does|did|can|could|would|will|shall|should|may|is|are|have) (you|i|we|this|that|it|there)\b
was|wer|wo|wann|wie|welche[rsmn]?|(haben|möchten|kann|können|soll) (sie|ich|du|wir)
qui|quoi|où|quand|comment|quel(le)?s?|est-ce|avez-vous|voulez-vous|puis-je
¿?(qué|quién|dónde|cuándo|cómo|cuál)|¿(tiene|necesita|quiere|puedo)
chi|cosa|dove|quando|come|quale|(ha|hai) (bisogno|domande)
o que|quem|onde|como|qual|wat|waar|wanneer|hoe|welke|(heeft|wilt) u|kan ik
"""
# Words with which a question or a sentence to the reader states something after all.
_STATING = r"""
because|since|as (it|they)|which|that the|who|whose|due to|so that|although|though|but|and
(do|did) you know|who knew|true|believe|imagine|realize|realise|notice
weil|denn|dass|parce que|porque|perché che|omdat|saviez|sabías|sapevi|wist|wussten|wusstest
"""
_ASKING_DENSE = "吗 嗎 呢 什么 什麼 怎么 怎麼 哪 谁 誰 ですか ますか ませんか 까 나요".split()
# What stands in a question that states something after all, in the same scripts.
_STATING_DENSE = re.compile("[，,、،]|难道|難道|不是|对吗|對嗎|是吗|是嗎|じゃない|지 않")


def is_non_claim(sentence: str) -> bool:
    """Whether a sentence claims nothing, as far as its wording shows beyond doubt."""
    if len(sentence) > MAX_CHARS:
        return False
    plain = " ".join(sentence.replace("’", "'").casefold().split()).lstrip("\"'“„«*_>#- ")
    if plain.rstrip("\"'”’»)*_ ").endswith(("?", "？")):
        return _asks(plain)
    if _courtesy().fullmatch(plain):
        return True
    opening = _opening().match(plain)
    if opening is None or len(plain.split()) > MAX_WORDS:
        return False
    return not _stating().search(plain, opening.end())


def _asks(plain: str) -> bool:
    """Whether a sentence that ends with a question mark states nothing."""
    if not re.search(r"[a-zà-ÿ]", plain):
        asks = any(word in plain for word in _ASKING_DENSE)
        return asks and len(plain) <= MAX_DENSE_CHARS and not _STATING_DENSE.search(plain)
    is_question = re.match(rf"{_any_of(_ASKING)}\b", plain) is not None
    return is_question and not _stating().search(plain) and "," not in plain


def _any_of(table: str) -> str:
    patterns = "|".join(table.strip().splitlines()).replace("<expert>", _EXPERT)
    return f"(?:{patterns})"


# Compiled on first use: few answers need them.


@cache
def _courtesy() -> re.Pattern[str]:
    courtesy = _any_of(_COURTESIES)
    return re.compile(rf"{courtesy}(?:[\s,!.–-]+{courtesy}){{0,3}}{_END}")


@cache
def _opening() -> re.Pattern[str]:
    courtesy = _any_of(_COURTESIES)
    return re.compile(rf"(?:{courtesy}[\s,!.–-]+)?{_any_of(_TO_THE_READER)}")


@cache
def _stating() -> re.Pattern[str]:
    return re.compile(rf"\b{_any_of(_STATING)}\b")
