"""Detect a reply that refuses its task.

The rule: one sentence near the beginning names **who** speaks (the first person, the assistant, the
task in the passive), **that** they do not do it, and **what** they do not do (help, answer, judge).
A third party's refusal, quoted speech, a condition ("if I cannot help") and praise ("I can't
recommend it enough") have at most two of the three.

The words are tables (see ``text/phrases.py``), in ``words/refusals.txt``. The length of the text
that they are matched with is limited.
"""

from __future__ import annotations

import re

from ..records.errors import UnreadableReply
from ..text.phrases import plain, rules, straight
from ..text.strings import clip, sections
from .unwrapping import looks_like_json

BEGINNING = 60  # characters of a reply that an error shows
_WORDS = sections(__file__.removesuffix("refusal.py") + "words/refusals.txt")
_HEAD_CHARS, _HEAD_SENTENCES = 1_500, 4  # which are searched, because a refusal comes early


def _sentences(text: str) -> list[str]:
    """The first sentences in plain form, without thinking, tags, numbers and quotations.

    A text that is one quotation is kept. Of a JSON object these are the values. JSON with a list in
    it has entries, which do not speak for the whole reply.
    """
    head = re.sub(r"\A[\s*_#>]+", "", text.rpartition("</think>")[2])[:_HEAD_CHARS]
    head = re.sub(r"</?[a-zA-Z][\w-]{0,20}>|\n\s{0,4}\n|```(json)?", ". ", head)
    head = plain(head).strip(" .")
    outside = re.sub(r'"[^"]{0,400}"', " ", head)
    if re.match(r'\{|\[ ?["{]', head):
        has_entries = re.search(r"\[ ?[^\] ]", head)
        head = "" if has_entries else re.sub(r"""["']\w{1,30}["'] ?:|\"""", ". ", head)
    else:
        head = outside if re.search(r"[^\W\d_]", outside) else head.replace('"', "")
    parts = re.split(r"[.!?。！？।]+(?=\W|$)", head)
    bare = [re.sub(r"^[\W\d]+", "", part).rstrip() for part in parts]
    return [part for part in bare if part][:_HEAD_SENTENCES]


def is_refusal(text: str) -> bool:
    """Whether ``text`` as a whole declines its task, in any of about thirty languages.

    A text with verdicts ("Verdict: No.", ``{"id": 1, "verdict": "no"}``) is not a refusal.

    Raises:
        TypeError: ``text`` is not a string.
    """
    if not isinstance(text, str):
        raise TypeError(f"is_refusal: text must be a string, got {type(text).__name__}")
    return _says(text, "english", "others")


def unreadable(reply: str, wanted: str) -> UnreadableReply:
    """The error for a reply in which nothing that was wanted is found: why that may be.

    "Cannot determine.", "No verdicts." and "Please provide the statements." are refusals of a
    judge, but not of an assistant that answers a question.
    """
    if _says(reply, "english", "others", "judge"):
        refused = "the judge refused to answer, or says that it was given nothing to judge"
        return UnreadableReply(refused, "refusal", retryable=False)
    if not reply:
        return UnreadableReply("the judge's reply is empty, or contains only its thinking")
    begins = f"It begins with “{clip(reply, BEGINNING)}”"
    if looks_like_json(reply):
        said = f"the judge's reply is JSON without a {wanted}, or it is broken or cut off. {begins}"
        return UnreadableReply(said)
    fix = "Try a judge model that follows JSON instructions."
    return UnreadableReply(f"the judge's reply contains no {wanted}. {begins}", fix=fix)


def _says(text: str, *tables: str) -> bool:
    """Whether a text without a verdict has a sentence of these tables near its beginning.

    The words around it may excuse it: a condition, someone else's words, or help.
    """
    found = [
        (sentence[: said.start()], sentence[said.end() :])
        for sentence in _sentences(text)
        for table in tables
        for said in _found(table, sentence)
    ]
    said = any(not _found("before", b) and not _found("after", a) for b, a in found)
    return said and not _found("verdicts", straight(text).strip())


def _found(table: str, text: str) -> list[re.Match[str]]:
    """Where the rules of a table match."""
    return [match for rule in rules(_WORDS[table]) if (match := rule.search(text))]
