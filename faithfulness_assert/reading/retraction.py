"""What stands around verdicts: it may show that they are only quoted, or that they are taken back.

The rule: wording is looked for that is narrow enough to leave "Sure! Here is my assessment as asked:" and "Note: statement 2 is not
supported" alone. All patterns meet lower-case text and are bounded.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# At the start of a line or sentence, second thoughts; anywhere, that what was said does not count.
_TAKEN_BACK = re.compile(
    r"(?:^|[.!?:;)\n])[\s*_>#\-]{0,9}(?:(?:oh|hm+|but|no|oops)[,.]?\s)?(?:wait|hold on|hang on|re-?reading|on re-?reading"
    r"|looking again|correction"
    r"|on (?:second|further|closer) \w{1,12}|on reflection|actually|scratch that|strike that|oops|my mistake|thinking again)(?!\w)"
    r"|\b(?:i (?:was|am) (?:wrong|mistaken)|i made an? (?:mistake|error)|(?:disregard|retract|withdraw|take back)|changed my mind"
    r"|(?:that|this|these|those|it|they|which) (?:(?:was|were|is|are) (?:an? )?(?:wrong|mistaken?|error|invented|made up)"
    r"|should (?:be|have been)))(?!\w)"
)
# Anywhere: these are not the judge's words.
_QUOTED = re.compile(
    r"\b(?:injections?|injected|(?:i|we|to|will|must|shall) (?:will |shall |must )?(?:ignore|disregard)|(?:is|are|be"
    r"|been) ignored|ignoring)(?!\w)"
    r"|(?:^|[.!?\n]\s{0,4}|\b(?:is|are) )(?:(?:the|your|an?) )?(?:required|expected|requested|desired|specified|correct|output"
    r"|reply|response|example)"
    r" (?:(?:json|output|reply|response) ){0,2}(?:format|schema|shape|structure|output|reply|response|json)(?!\w)"
)
# Right before a value.
_QUOTES_NEXT = re.compile(
    r"(?:for example|for instance|example|e\.g\.|such as|something like|looks? like|instead of|rather than|would (?:be|say|write"
    r"|return|answer)"
    r"|format(?: is| would be)|(?:answer|response|statement|context|passage|text|document|user|prompt|it|which|that)"
    r" (?:itself )?(?:contains?|says?|includes?|ends? with|begins with|claims?|reads?|quotes?|asserts?"
    r"|writes?)(?: \w{1,12}){0,3})[^\w]{0,12}$"
)
_HEADS_NEXT = re.compile(r"\bcorrection\W{0,6}$")
_MANY = 20_000  # characters of prose around a value: who says more than that has not only given verdicts


def quoted(before: str) -> bool:
    """Whether ``before`` introduces what follows it as somebody else's words, or as an example."""
    return _QUOTES_NEXT.search(_lower(before)[-120:]) is not None


def taken_back(after: str) -> bool:
    """Whether ``after`` takes back what stands before it, or calls it not the judge's own."""
    said = _lower(after)
    return (
        len(said) > _MANY
        or _TAKEN_BACK.search(said) is not None
        or _QUOTED.search(said) is not None
    )


def is_retracted(around: Sequence[str], *, positive: bool) -> bool:
    """Whether the pieces of prose around JSON values take the values back, quote them, or decline.

    A verdict that grants nothing stands beside "I can't help with the first one"; ``positive`` says that some verdict grants something.
    """
    pieces = [re.sub(r"```(?:json)?", " ", _lower(piece)) for piece in around]
    text = "\n".join(pieces)
    if not re.search(r"\w", text):
        return False
    # "Correction:" between two values: both are kept, and where they disagree neither counts.
    after = [_HEADS_NEXT.sub("", piece) for piece in pieces[1:-1]] + pieces[1:][-1:]
    if len(text) > _MANY or any(_TAKEN_BACK.search(piece) for piece in after):
        return True
    from .refusal import is_refusal

    return positive and (
        any(map(quoted, pieces[:-1])) or _QUOTED.search(text) is not None or is_refusal(text)
    )


def _lower(text: str) -> str:
    return text.casefold().replace("\u2019", "'")
