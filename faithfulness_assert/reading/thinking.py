"""Remove a judge's thinking from before its answer.

Thinking is a block that begins with a name of thought, in whatever marks a server leaves around it:
``<think>``, ``<seed:think>``, ``[THINK]``, ``<|channel|>analysis``, ``thought`` alone in a line. It
ends with its closing mark; where that is missing, before the last JSON of our form, if the reply
ends with it. What comes after the answer began is not thinking: it is a part of the answer. The
work is linear in the length of the text.
"""

from __future__ import annotations

import json
import re
from collections import deque
from typing import NamedTuple

_NAME = r"(?:\w{1,12}:)?(?:think|thinking|thoughts?|reasoning|reflection|scratch_?pad|analysis)"
# [analysis] in square brackets may as well be a heading, and so may Analysis.
_OPENING = re.compile(
    rf"\s*(?:```\w{{0,9}}\s*)?(?:<[|｜]?(?:begin_of_)?{_NAME}[|｜]?>|[\[◁]think(?:ing)?[\]▷]"
    rf"|<\|?channel\|?>\s{{0,3}}(?!final){_NAME}|(?-i:thought|thinking|analysis)(?=\n))",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    rf"</{_NAME}>|<[|｜](?:end_of_|/){_NAME}[|｜]>|[\[◁]/think(?:ing)?[\]▷]|<channel\|>"
    r"|(?-i:assistant\s{0,3}final)(?=\s{0,9}[\[{`])",
    re.IGNORECASE,
)
_FINAL = re.compile(r"<\|channel\|>\s{0,3}final[^<]{0,80}<\|message\|>")
_CHANNEL = re.compile(r"<\|channel\|>\s{0,3}\w{1,20}[^<]{0,80}<\|message\|>")
# The same with its special tokens taken out: "analysisThe user ... assistantfinal{".
_BARE = re.compile(r"\s*(?:analysis|commentary|thought)(?=[A-Z\n])")
_BARE_END = re.compile(r"assistant\s{0,3}final(?=\s{0,9}[\[{`])")
_ENTRIES = re.compile(r'\{\s{0,9}"(?:ask|verdicts)"\s{0,9}:|\[\s{0,9}\{\s{0,9}"id"\s{0,9}:')
_KEYED = re.compile(r'\{\s{0,9}"ask"')
_TRIES = 5
_BRACKET = re.compile(r'\\.|["\[\]{}]', re.DOTALL)
_CONTROL = r"(?:<[|｜][^<>]{1,40}[|｜]>|</?s>|<end_of_turn>|\s)"
_CONTROLS = re.compile(rf"{_CONTROL}+")


class Parted(NamedTuple):
    """A reply as its answer, and what stands before it that nothing opens as thinking."""

    unopened: str
    answer: str


def without_thinking(text: str) -> Parted:
    """``text`` without the thinking before its answer, and without control tokens at its ends.

    Removed are closed blocks, a block that is never closed up to the JSON with which the reply
    ends, and everything before a closing tag that has no opening tag. A tag inside brackets belongs
    to a JSON value (a statement may mention such tags) and stays. Of channels, only the final one
    and what follows is the answer. What is removed before a tag or channel that nothing opens may
    be the answer, and the rest a quote.
    """
    final, channel = _FINAL.search(text), _CHANNEL.search(text)
    unopened = ""
    if channel and not _leaves_open(text[: channel.start()]):
        unopened = text[: channel.start()]
        text = text[final.end() :] if final else _entries_at_end(text[channel.end() :])
    elif _BARE.match(text) and (bare := _BARE_END.search(text)):
        text = text[bare.end() :]
    while opening := _OPENING.match(text):
        closing = _CLOSING.search(text, opening.end())
        text = text[closing.end() :] if closing else _entries_at_end(text[opening.end() :])
    closing = _CLOSING.search(text)
    whole = closing and _entries_at_end(text[closing.end() :])
    if closing and (whole or not _leaves_open(text[: closing.start()])):
        # A block that begins after some text may begin after the answer.
        begins = closing[0].replace("/", "").lower() in text[: closing.start()].lower()
        if whole and _KEYED.match(whole):  # the key of its ask: no text of others has it
            text = whole
        elif not begins:
            unopened, text = unopened + text[: closing.start()], text[closing.end() :]
    return Parted(unopened.strip(), _without_controls(text))


def _without_controls(text: str) -> str:
    start = found.end() if (found := _CONTROLS.match(text)) else 0
    last = deque(_CONTROLS.finditer(text, start), maxlen=1)  # a search with \Z is quadratic
    end = last[0].start() if last and last[0].end() == len(text) else len(text)
    return text[start:end].strip()


def _entries_at_end(text: str) -> str:
    """The JSON of our form with which a text ends; "" if it ends otherwise."""
    text = _without_controls(text).removesuffix("```").rstrip()
    for start in deque(_ENTRIES.finditer(text), maxlen=_TRIES):
        try:
            json.loads(text[start.start() :])
        except (ValueError, RecursionError):
            continue
        return text[start.start() :]
    return ""


def _leaves_open(text: str) -> bool:
    """Whether a bracket is still open at the end of ``text``. Quotes count in brackets."""
    depth, quoted = 0, False
    for token in _BRACKET.finditer(text):
        mark = token[0]
        if mark == '"':
            quoted = depth > 0 and not quoted
        elif not quoted and mark[0] != "\\":
            depth = depth + 1 if mark in "[{" else max(0, depth - 1)
    return depth > 0
