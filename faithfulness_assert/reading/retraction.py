"""The prose around verdicts: it may show that they are only quoted, or take them back.

The patterns are narrow enough to leave "Sure! Here is my assessment as asked:" and "Note: statement
2 is not supported" alone. They match lower-case text, and every repetition is bounded.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

# At the start of a line or sentence, second thoughts; anywhere, that a verdict does not count.
_TAKEN_BACK = lazy_pattern(
    r"(?:^|[.!?:;)\n])[\s*_>#\-]{0,9}(?:(?:oh|hm+|but|no|oops)[,.]?\s)?(?:wait|hold on|hang on"
    r"|re-?reading|on re-?reading|looking again|correction"
    r"|on (?:second|further|closer) \w{1,12}|on reflection|actually|scratch that|strike that|oops"
    r"|my mistake|thinking again)(?!\w)"
    r"|\b(?:i (?:was|am) (?:wrong|mistaken)|i made an? (?:mistake|error)"
    r"|(?:disregard|retract|withdraw|take back)|changed my mind"
    r"|(?:that|this|these|those|it|they|which) (?:"
    r"(?:was|were|is|are) (?:an? )?(?:wrong|mistaken?|error|invented|made up)"
    r"|should (?:be|have been)))(?!\w)"
)
# Anywhere: the verdicts are not the judge's words.
_QUOTED = lazy_pattern(
    r"\b(?:injections?|injected"
    r"|(?:i|we|to|will|must|shall) (?:will |shall |must )?(?:ignore|disregard)"
    r"|(?:is|are|be|been) ignored|ignoring)(?!\w)"
    r"|(?:^|[.!?\n]\s{0,4}|\b(?:is|are) )(?:(?:the|your|an?) )?"
    r"(?:required|expected|requested|desired|specified|correct|output|reply|response|example)"
    r" (?:(?:json|output|reply|response) ){0,2}"
    r"(?:format|schema|shape|structure|output|reply|response|json)(?!\w)"
)
# Right before a value: the value is an example, or someone else's words.
_QUOTES_NEXT = lazy_pattern(
    r"(?:for example|for instance|example|e\.g\.|such as|something like|looks? like|instead of"
    r"|rather than|would (?:be|say|write|return|answer)|format(?: is| would be)"
    r"|(?:answer|response|statement|context|passage|text|document|user|prompt|it|which|that)"
    r" (?:itself )?(?:contains?|says?|includes?|ends? with|begins with|claims?|reads?|quotes?"
    r"|asserts?|writes?)(?: \w{1,12}){0,3}(?![.!?]))[^\w]{0,12}$"
)
# The same before a colon: others speak ("A student wrote:"), it is supposed, or it is denied.
_NOT_MINE = lazy_pattern(
    r"\b(?:(?:answer|response|statement|claim|context|passage|text|document|author|writer|student"
    r"|attacker|teacher|colleague|friend|model|assistant|bot)s?"
    r"|someone|somebody|anyone|they|he|she)"
    r" (?:\w{1,12} ){0,2}(?:says?|said|writes?|wrote|written|asks?|asked|tells?|told|wants?|wanted"
    r"|instructs?|instructed|demands?|demanded|ordered|claimed|asserts?|asserted|repl(?:y|ies|ied)"
    r"|answered|suggests?|suggested|insists?|insisted|pretends?)\b[^:.!?\n]{0,80}:\W{0,12}$"
    r"|(?:^|[.!?\n]\W{0,6})(?:if|suppose|supposing|imagine|assum(?:e|ing)|pretend|had|unless"
    r"|hypothetically)\b[^:;.!?\n]{0,100}:\W{0,12}$"
    r"|(?:\b(?:not|never|false|untrue|wrong|incorrect|deny|denied|disagree|refuse|cannot)\b|n't\b)"
    r"[^:.!?\n]{0,60}:\W{0,12}$"
)
_IN_BRACKETS = lazy_pattern(r"\([^()\n]{0,120}\)")
# A line that is nothing but a no, beside verdicts that are all positive.
_ONLY_NO = lazy_pattern(
    r"^\W*(?:no|none|nope|nay|false|untrue|wrong|incorrect|not (?:true|really|supported|verified))"
    r"\W*$",
    re.MULTILINE,
)
# After them: they are not meant, or not verified.
_NOT_MEANT = lazy_pattern(
    r"\b(?:this|that|these|those|they|it|(?:the )?(?:verdict|label|judge?ment|answer|statement)s?)"
    r" (?:(?:is|are|was|were|has been|have been)(?: not|n't)|(?:do|does|did)(?: not|n't)"
    r" (?:reflect|count|represent)|(?:has|have)(?: not|n't) been)"
    r" (?:yet )?(?:my|mine|meant|intended|real|final|serious|true|correct|right|valid|accurate"
    r"|verified|checked|confirmed|certain|sure|reviewed|what i)\b"
    r"|\b(?:i|we)(?: have| had| did|'ve)?(?: not|n't) (?:actually |really )?"
    r"(?:verif(?:y|ied)|check(?:ed)?|read|review(?:ed)?|look(?:ed)?|see|seen|mean|meant)\b"
)
_QUOTES_NEXT_CHARS = 200
_MAX_INTRODUCTIONS = 200
# Neither: "No injection was found." and "Here is the requested JSON:".
_NO_INJECTION = lazy_pattern(
    r"\b(?:no|without(?: any| an)?|free of(?: any)?|(?:not|n't) (?:find|found|see|detect|detected"
    r"|contain|notice) (?:any|an)) (?:\w{1,12} ){0,2}inject(?:ions?|ed)\b"
)
_INTRODUCTION = lazy_pattern(
    r"(?:^|[.!?\n])[^\w\n]{0,8}(?:(?:sure|ok|okay|certainly|of course)\W{1,3})?"
    r"(?:(?:here|below) (?:is|are) |here's )?(?:the |your |my )?"
    r"(?:(?:requested|required|desired|final|complete|resulting|output|reply|response) ){0,2}"
    r"(?:json )?(?:json|output|reply|response|object|array|answer|result|verdict|evaluation)s?"
    r"(?: (?:json|object|array|output|reply|response))?\W{0,12}$"
)
_CORRECTION_NEXT = lazy_pattern(r"\bcorrection\W{0,6}$")
_FENCE = lazy_pattern(r"```(?:json)?")
_MAX_PROSE = 20_000  # characters: a reply with more prose around its verdicts is not only verdicts


def quoted(before: str) -> bool:
    """Whether ``before`` introduces what follows it as an example or as someone else's words."""
    end = _lower(before)[-_QUOTES_NEXT_CHARS:]
    if _QUOTES_NEXT.search(end):
        return True
    return _NOT_MINE.search(_IN_BRACKETS.sub("", end)) is not None


def is_quoted_list(reply: str) -> bool:
    """Whether a line of a plain-text reply introduces its verdicts as someone else's words.

    A comment (<!-- ... -->) is not the judge's word either.
    """
    introductions = [
        line for line in reply.splitlines() if line.rstrip(" *_").endswith((":", "："))
    ]
    return "<!--" in reply or any(map(quoted, introductions[:_MAX_INTRODUCTIONS]))


def taken_back(after: str) -> bool:
    """Whether ``after`` takes back what is before it, or says that the judge only quoted it."""
    said = _lower(after)
    if len(said) > _MAX_PROSE:
        return True
    return _TAKEN_BACK.search(said) is not None or _is_quoted(said)


def is_retracted(around: Sequence[str], *, positive: bool, all_positive: bool = False) -> bool:
    """Whether the prose around JSON values takes them back, quotes them or refuses to answer.

    Args:
        around: the pieces of prose before, between and after the values.
        positive: some verdict grants something. Only then do quotes and refusals matter: a negative
            verdict may follow "I can't help with the first one".
        all_positive: none denies anything, so that a bare "No." is not a summary of one that does.
    """
    pieces = [_FENCE.sub(" ", _lower(piece)) for piece in around]
    text = "\n".join(pieces)
    if not re.search(r"\w|<!--|\?", text):
        return False
    # "Correction:" between two values: both are kept, and where they disagree neither counts.
    between = [_CORRECTION_NEXT.sub("", piece) for piece in pieces[1:-1]]
    if len(text) > _MAX_PROSE or any(map(_TAKEN_BACK.search, [*between, *pieces[1:][-1:]])):
        return True
    from .refusal import is_refusal

    if not positive:
        return False
    if any("<!--" in piece for piece in pieces) or (all_positive and _denied(pieces)):
        return True
    introduced = [_INTRODUCTION.sub("", piece) for piece in pieces[:-1]]
    is_quoted = any(map(quoted, pieces[:-1])) or _is_quoted("\n".join([*introduced, pieces[-1]]))
    return is_quoted or is_refusal(text)


def _denied(pieces: Sequence[str]) -> bool:
    """Whether the prose around positive values denies all of them."""
    after = pieces[-1]
    if after.lstrip(" \n\t*_").startswith("?") or _NOT_MEANT.search(after):
        return True
    return any(map(_ONLY_NO.search, pieces))


def _is_quoted(text: str) -> bool:
    """Whether ``text`` says anywhere that verdicts are an example, or an injection."""
    return _QUOTED.search(_NO_INJECTION.sub(" ", text)) is not None


def _lower(text: str) -> str:
    return text.casefold().replace("\u2019", "'")
