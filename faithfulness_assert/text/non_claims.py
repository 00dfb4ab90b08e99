"""Sentences that claim nothing: questions, greetings, thanks, offers, words to the reader.

The rule is strict, because a judge may try to set aside what it should judge: only wording that is
known to claim nothing counts, and a sentence that also states something does not.
"""

from __future__ import annotations

import re

MAX_CHARS = 200

_END = r"[\s!.…,;:)\]*_\"'”’»\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]*"

# Whole sentences.
_COURTESIES = (
    r"(?:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day))(?: there| all| everyone)?"
    r"|sure(?: thing)?|of course|certainly|absolutely|okay|ok|got it|understood|no problem"
    r"|you(?:'re| are) (?:very |most )?welcome|my pleasure|good luck|take care|cheers"
    r"|(?:best|kind|warm) regards|sincerely|have a (?:great|good|nice) (?:day|time|one)"
    r"|(?:that(?:'s| is) an? |what an? )?(?:great|good|excellent|interesting) question"
    r"|(?:many )?(?:thanks|thank you)(?: (?:so|very) much| a lot)?"
    r"(?: for (?:asking|your (?:question|interest|patience|time|message)|reaching out))?"
    r"|(?:i(?:'m| am|'d be| would be) )?(?:always )?(?:happy|glad) to (?:help|assist)(?: you)?"
    r"|i hope (?:this|that|it) (?:helps|is helpful|was helpful|answers your question)(?: you)?"
    r"|hope (?:this|that|it) helps(?: you)?|here you go|enjoy)",
    r"(?:gerne?|natürlich|hallo|guten (?:tag|morgen|abend)|vielen dank|danke|bitte sehr"
    r"|viel (?:glück|erfolg|spaß)|(?:ich hoffe,? )?das hilft(?: dir| ihnen)?(?: weiter)?)",
    r"(?:bonjour|bien sûr|merci(?: beaucoup)?|avec plaisir|de rien|bonne (?:journée|chance)"
    r"|j'espère que cela (?:vous )?aide)",
    r"(?:hola|claro(?: que sí)?|por supuesto|gracias|de nada|buena suerte"
    r"|espero que (?:esto )?(?:te |le )?ayude)",
    r"(?:ciao|certo|certamente|grazie|prego|buona fortuna|spero che (?:questo )?(?:ti )?aiuti)",
    r"(?:olá|claro|com certeza|obrigad[oa]|de nada|boa sorte|espero que (?:isso )?ajude)",
    r"(?:hallo|natuurlijk|dank je(?: wel)?|graag gedaan|succes|hopelijk helpt dit)",
)
# How a sentence begins that only speaks to its reader, and what makes it state something.
_TO_THE_READER = (
    r"(?:please|kindly|feel free|don't hesitate|do not hesitate|let me know|let us know|let's"
    r"|if you (?:have|need|want|would|'d)|should you (?:have|need)|would you like|shall i|i can also"
    r"|see|consult|contact|ask|call|check|visit|refer to|reach out|speak (?:to|with)|talk (?:to|with)"
    r"|seek|try|make sure|be sure|stay tuned|remember to|consider|follow|read|click|tell me"
    r"|share|provide|send|look|take a look|scroll|below (?:is|are)|here(?:'s| is| are)|to sum up"
    r"|in (?:summary|short|conclusion)|overall)",
    r"(?:bitte|zögern sie nicht|melden sie sich|sag(?:en sie)? mir|lass(?:en sie)? mich wissen"
    r"|falls sie|wenn sie|hier (?:ist|sind)|fragen sie|wenden sie sich)",
    r"(?:veuillez|n'hésitez pas|si vous (?:avez|voulez|souhaitez)|consultez|contactez|voici|demandez)",
    r"(?:por favor|no dude|si (?:tiene|necesita)|consulte|póngase en contacto|aquí (?:está|tiene))",
    r"(?:per favore|non esitare|se (?:hai|ha) (?:bisogno|domande)|consulta|consulti|ecco|contatta)",
    r"(?:por favor|não hesite|se (?:tiver|precisar)|consulte|entre em contato|aqui est(?:á|ão))",
    r"(?:alsjeblieft|alstublieft|aarzel niet|als u|als je|raadpleeg|neem contact op|hier (?:is|zijn))",
)
_STATES = re.compile(
    r"\b(?:because|since|as it|as they|which|who|that|whose|due to|so that|although|though|but|and"
    r"|is|are|was|were|has|have had|does|causes?|cures?|weil|denn|dass|der|die das|parce que|qui|que"
    r"|porque|perché|che|want|omdat|dat)\b"
)
_COURTESY_MARKS = (
    *("希望", "谢谢", "謝謝", "请", "請", "祝", "不客气", "您好", "你好"),
    *("ください", "ありがとう", "お手伝い", "どうぞ", "幸いです", "こんにちは"),
    *("감사", "안녕", "도움이", "주세요", "شكر", "مرحب", "آمل", "धन्यवाद", "नमस्ते", "कृपया"),
    *("ขอบคุณ", "สวัสดี", "תודה", "שלום"),
)
MAX_WORDS = 14
"""Longer sentences to the reader say something as well."""
MAX_DENSE_CHARS = 20
"""The same in scripts without spaces between words."""

_COURTESY = re.compile(rf"(?:{'|'.join(_COURTESIES)}){_END}")
_OPENING = re.compile(rf"(?:(?:{'|'.join(_COURTESIES)})[\s,!.–-]+)?(?:{'|'.join(_TO_THE_READER)})\b")


def is_non_claim(sentence: str) -> bool:
    """Whether a sentence claims nothing, as far as its wording shows beyond doubt."""
    if len(sentence) > MAX_CHARS:
        return False
    plain = " ".join(sentence.replace("’", "'").casefold().split()).lstrip("\"'“„«*_>#- ")
    if plain.rstrip("\"'”’»)*_ ").endswith(("?", "？", "؟")):
        return True
    if any(mark in plain for mark in _COURTESY_MARKS):
        return len(plain) <= MAX_DENSE_CHARS
    if _COURTESY.fullmatch(plain):
        return True
    opening = _OPENING.match(plain)
    if opening is None or len(plain.split()) > MAX_WORDS:
        return False
    return not _STATES.search(plain, opening.end())
