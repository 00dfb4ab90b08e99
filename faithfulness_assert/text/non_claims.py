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
"""The same in scripts without spaces between words."""

_END = r"[\s!.…,;:)\]*_\"'”’»\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]*"

# Sentences that are a courtesy as a whole, one pattern a line; in the order of the languages
# English, German, French, Spanish, Italian, Portuguese, Dutch.
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
"""
# How a sentence begins that only speaks to its reader.
_TO_THE_READER = r"""
please|kindly|feel free|don't hesitate|do not hesitate|let me know|let us know|let's|tell me
if you (have|need|want|would|'d)|should you (have|need)|would you like|shall i|i can also
see|consult|contact|ask|call|check|visit|refer to|reach out|speak (to|with)|talk (to|with)|seek
try|make sure|be sure|stay tuned|remember to|follow|read|click|share|provide|send|look|take a look
scroll|below (is|are)|here('s| is| are)|to sum up|in (summary|short|conclusion)|overall
bitte|zögern sie nicht|melden sie sich|sag(en sie)? mir|lass(en sie)? mich wissen
falls sie|wenn sie|hier (ist|sind)|fragen sie|wenden sie sich
veuillez|n'hésitez pas|si vous (avez|voulez|souhaitez)|consultez|contactez|voici|demandez
por favor|no dude|si (tiene|necesita)|consulte|póngase en contacto|aquí (está|tiene)
per favore|non esitare|se (hai|ha) (bisogno|domande)|consulta|consulti|ecco|contatta
não hesite|se (tiver|precisar)|entre em contato|aqui est(á|ão)
alsjeblieft|alstublieft|aarzel niet|als (u|je)|raadpleeg|neem contact op|hier (is|zijn)
"""
# Words with which a sentence to the reader states something after all.
_STATING = r"""
because|since|as (it|they)|which|who|that|whose|due to|so that|although|though|but|and
is|are|was|were|has|had|does|causes?|cures?
weil|denn|dass|der|die|das|parce que|qui|que|porque|perché|che|want|omdat|dat
"""
_COURTESY_PHRASES = (
    *"希望 谢谢 謝謝 请 請 祝 不客气 您好 你好".split(),
    *"ください ありがとう お手伝い どうぞ 幸いです こんにちは".split(),
    *"감사 안녕 도움이 주세요 شكر مرحب آمل धन्यवाद नमस्ते कृपया".split(),
    *"ขอบคุณ สวัสดี תודה שלום".split(),
)


def is_non_claim(sentence: str) -> bool:
    """Whether a sentence claims nothing, as far as its wording shows beyond doubt."""
    if len(sentence) > MAX_CHARS:
        return False
    plain = " ".join(sentence.replace("’", "'").casefold().split()).lstrip("\"'“„«*_>#- ")
    if plain.rstrip("\"'”’»)*_ ").endswith(("?", "？", "؟")):
        return True
    if any(phrase in plain for phrase in _COURTESY_PHRASES):
        return len(plain) <= MAX_DENSE_CHARS
    if _courtesy().fullmatch(plain):
        return True
    opening = _opening().match(plain)
    if opening is None or len(plain.split()) > MAX_WORDS:
        return False
    return not _stating().search(plain, opening.end())


def _any_of(table: str) -> str:
    return f"(?:{'|'.join(table.split(chr(10))[1:-1])})"


# Compiled on first use: few answers need them.


@cache
def _courtesy() -> re.Pattern[str]:
    courtesy = _any_of(_COURTESIES)
    return re.compile(rf"{courtesy}(?:[\s,!.–-]+{courtesy}){{0,3}}{_END}")


@cache
def _opening() -> re.Pattern[str]:
    return re.compile(rf"(?:{_any_of(_COURTESIES)}[\s,!.–-]+)?{_any_of(_TO_THE_READER)}\b")


@cache
def _stating() -> re.Pattern[str]:
    return re.compile(rf"\b{_any_of(_STATING)}\b")
