"""How judges number statements in plain text, as patterns.

Every repetition is bounded, so that searching takes linear time.
"""

from __future__ import annotations

import re

from ..label_words import NO_MARKS, YES_MARKS

_STATEMENT = (
    "statement|claim|sentence|aussage|behauptung|satz|déclaration|affirmation|énoncé|phrase"
    "|afirmación|declaración|enunciado|affermazione|dichiarazione|afirmação|declaração|stelling"
    "|bewering|uitspraak|stwierdzenie|zdanie|утверждение|陈述|陳述|语句|主张|主張|文|진술|주장|문장"
)
# "1.", "(2)", "**3)**", "Statement 4:", "claim_5 -", "6 ->"; neither "1.5" nor a time
NUMBER = (
    rf"[(\[]?(?:(?:{_STATEMENT}|s|c)[ \t_#]{{0,3}})?#?(\d{{1,6}})"
    r"(?:[ \t]?[.):\]：．、）]{1,3}[*_]{0,3}(?!\d)|[ \t]{1,2}(?:->|[-–—=→])(?=\s))[ \t*_]{0,4}"
)
AT_LINE_START = re.compile(rf"^[ \t>*_#•\-]{{0,6}}{NUMBER}", re.IGNORECASE | re.MULTILINE)
AFTER_SENTENCE = re.compile(rf"(?<=[.!;。])[\s*_]{{1,4}}{NUMBER}", re.IGNORECASE)
ANYWHERE = re.compile(rf"(?:^|(?<=[\s.,;!。，；、*]))[*_]{{0,3}}{NUMBER}", re.IGNORECASE)
# "### Statement 2", "- id: 3", "Claim 4" on a line of its own
HEADING = re.compile(
    r"^[ \t>*_#•\-]{0,6}(?:"
    r"(?:statement|claim|sentence)?[ \t_]?(?:id|number|no)[ \t*_]{0,3}[:=][ \t*_]{0,3}[\"']?"
    r"|(?:statement|claim|sentence)[ \t_#]{1,3})(\d{1,6})[\"']?[ \t*_.,]{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)


# "✅ Statement 1", "Statement 1 ✅", "1 ✅"
_MARKED_BEFORE = re.compile(
    rf"^([ \t>*\-•]{{0,6}})([{YES_MARKS}{NO_MARKS}]\ufe0f?)[ \t]{{0,3}}"
    rf"(?:(?:{_STATEMENT})[ \t_#]{{0,3}}#?|#)?(\d{{1,6}})(?![\d%])[.):]?[ \t]{{0,3}}",
    re.IGNORECASE | re.MULTILINE,
)
_MARKED_AFTER = re.compile(
    rf"^([ \t>*\-•]{{0,6}})(?:(?:{_STATEMENT})[ \t_#]{{0,3}}#?)?(\d{{1,6}})[ \t]{{1,3}}"
    rf"(?=[{YES_MARKS}{NO_MARKS}])",
    re.IGNORECASE | re.MULTILINE,
)


def marks_after_numbers(text: str) -> str:
    """``text`` with each line's number before its mark: "✅ Statement 1" becomes "1. ✅"."""
    return _MARKED_AFTER.sub(r"\1\2. ", _MARKED_BEFORE.sub(r"\1\3. \2 ", text))


def is_numbered(text: str) -> bool:
    """Whether every line of ``text`` begins with a number."""
    lines = [line for line in text.split("\n") if line.strip()]
    return text != "" and all(AT_LINE_START.match(line) for line in lines)
