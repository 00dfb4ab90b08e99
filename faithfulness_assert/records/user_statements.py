"""What a user states, and not only asks, requests, or quotes from the assistant.

Question marks and particles tell in any language; questions without them are seen in English only.
Where it is not clear whether a user asks or states, it is taken as asked, so that less counts as
evidence.
"""

from __future__ import annotations

import re

# A sentence ends at a full stop before white space, or at a blank line.
_SENTENCE = re.compile(
    r"""(?s).+?(?: [.!?…]{1,20}["'”’»)\]]{0,5}(?=\s|$) | [。！？]{1,20} | \n[^\S\n]*\n | $ )""",
    re.VERBOSE,
)
_QUESTION_MARK = re.compile(
    r"""¿ | (?: [?？؟][.!?…？！]{0,20} | [吗嗎呢か까][.!…。！]{0,20} )["'”’»)\]]{0,5}\s*$""",
    re.VERBOSE,
)
_FULL_STOP = re.compile(r"""[.!…。！]["'”’»)\]]{0,5}\s*$""")
_NO_WORD = re.compile(r"^\W+")
_SUBJECT = r"(?:i|you|we|he|she|it|they|there|this|that|these|those|the|my|your|our|their|any|all)"
_AUXILIARY = rf"""
    (?: (?: am|is|are|was|were|do|does|did|can|could|will|would|shall|should|might|must
        | may(?!\s+\d) | wo(?=n) ) (?: n?['’]t | nt | not )?
    | (?:have|has|had)(?:n['’]?t)?(?=\s+{_SUBJECT}\b) )
"""
_OPENING = re.compile(  # "can you", "so does the museum", "how much is", "please confirm that"
    rf"""
    (?: (?:so|and|but|or|also|ok|okay|hi|hey|hello|there|well|then|now|please|thanks|sorry|oh|um
        |hmm|yes|no|yeah|just|actually|again|kindly|first)\b[\s,:;.!–—-]{{0,9}} ){{0,4}}
    (?: {_AUXILIARY}\s
    | (?:who|when|where|why|what|which|how|whose)(?:['’]s|\s+(?:{_AUXILIARY}|if|come|about))\b
    | (?:what|which|how|whose)(?:\s+\w+){{1,3}}?\s+(?:{_AUXILIARY})\b
    | (?:confirm|check|verify|say|write|repeat|explain|describe|assume|suppose|imagine|pretend
        |guess|clarify|double-check|tell|let\s+(?:me|us)\s+know|make\s+sure)\b(?!-) )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WITHIN = re.compile(  # "I wonder if", "tell me if", "it is old, is it", "… or not"
    rf"""
    \b(?: whether|wonder|wondering|curious|unsure|not\s+sure|doubt|no\s+idea )\b
    | \b(?:don['’]?t|do\s+not)\s+know\b
    | \b(?:me|us|know|see|check|ask|sure|confirm|verify|tell|say|out|clear)\s+if\b
    | ,\s*{_AUXILIARY}\s+{_SUBJECT}\b
    | \bor\s+not\b\W*$
    | ,\s*(?:right|correct|true|yes|no|huh|eh)\b\W*$
    """,
    re.VERBOSE | re.IGNORECASE,
)
_QUOTES = re.compile(  # "you said that": the assistant's own words, by way of the user
    r"\baccording\s+to\s+you\b|\byou(?:['’]ve|\s+have|\s+had|\s+just|\s+also|\s+earlier"
    r"|\s+already|\s+before){0,3}\s+(?:said|told|wrote|claimed|stated|mentioned|answered|replied"
    r"|explained|say|claim|write|state)\b",
    re.IGNORECASE,
)
_ABOUT_THE_SENTENCE_BEFORE = re.compile(  # "Right?", "Is that true?", "isn't it?"
    rf"""
    (?: (?:am\s+i|is|was|are|isn['’]?t|wasn['’]?t)\b[\w\s]{{0,30}}
        \b(?:right|correct|true|accurate|so|the\s+case|false|wrong|really)
    | right|correct|true|really|yes|no|or\s+not|huh|eh|agreed?|false|wrong
    | (?:is|are|was|were|do|does|did|has|have|can|will)n['’]?t\s+{_SUBJECT}
    )\W*$
    """,
    re.VERBOSE | re.IGNORECASE,
)
_OPENING_LENGTH = 120


def stated(text: str) -> str:
    """What a user's text states: it, without the sentences that ask, request or quote.

    A question such as "Is that true?" takes the sentence before it with it.
    """
    kept: list[str] = []
    before_is_kept = False
    for match in _SENTENCE.finditer(text):
        sentence = match[0]
        if asks := _asks(sentence):
            about_before = _ABOUT_THE_SENTENCE_BEFORE.match(_NO_WORD.sub("", sentence)[:200])
            if about_before and before_is_kept:
                kept.pop()
        before_is_kept = not asks and not _QUOTES.search(sentence)
        if before_is_kept:
            kept.append(sentence)
        elif sentence.endswith("\n"):
            kept.append("\n\n")
    return "".join(kept).strip()


def _asks(sentence: str) -> bool:
    if _QUESTION_MARK.search(sentence) or _WITHIN.search(sentence):
        return True
    # Chats are often written without full stops: then each line may begin a question.
    whole = _FULL_STOP.search(sentence)
    lines = [sentence] if whole else sentence.splitlines()
    return any(_OPENING.match(_NO_WORD.sub("", line)[:_OPENING_LENGTH]) for line in lines)
