"""Remove a judge's thinking from before its answer.

Two forms are known: tags such as <think>...</think>, and the channels of some open models
("<|channel|>analysis<|message|>...<|end|>"). What comes after the answer began is not thinking: it
is a part of the answer. The work is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple

_NAMES = r"(?:think|thinking|reasoning|thoughts?|reflection|scratch_?pad|analysis)"
# [analysis] in square brackets may as well be a heading
_OPENING = re.compile(
    rf"\s*(?:```\w{{0,9}}\s*)?(?:<{_NAMES}>|[\[◁]think(?:ing)?[\]▷])", re.IGNORECASE
)
_CLOSING = re.compile(rf"</{_NAMES}>|[\[◁]/think(?:ing)?[\]▷]", re.IGNORECASE)
_FINAL = re.compile(r"<\|channel\|>\s{0,3}final[^<]{0,80}<\|message\|>")
_CHANNEL = re.compile(r"<\|channel\|>\s{0,3}\w{1,20}[^<]{0,80}<\|message\|>")
_BRACKET = re.compile(r'\\.|["\[\]{}]', re.DOTALL)
_CONTROL = r"(?:<[|｜][^<>]{1,40}[|｜]>|</?s>|<end_of_turn>|\s)"
_CONTROLS = re.compile(rf"{_CONTROL}+")


class Parted(NamedTuple):
    """A reply as its answer, and what stands before it that nothing opens as thinking."""

    unopened: str
    answer: str


def without_thinking(text: str) -> Parted:
    """``text`` without the thinking before its answer, and without control tokens at its ends.

    Removed are closed blocks, a block that is never closed, and everything before a closing tag
    that has no opening tag. A tag inside brackets belongs to a JSON value (a statement may mention
    such tags) and stays. Of channels, only the final one and what follows is the answer. What is
    removed before a tag or channel that nothing opens may be the answer, and the rest a quote.
    """
    final, channel = _FINAL.search(text), _CHANNEL.search(text)
    unopened = ""
    if channel and not _leaves_open(text[: channel.start()]):
        unopened = text[: channel.start()]
        text = text[final.end() :] if final else ""
    while opening := _OPENING.match(text):
        closing = _CLOSING.search(text, opening.end())
        text = text[closing.end() :] if closing else ""
    closing = _CLOSING.search(text)
    if closing and not _leaves_open(text[: closing.start()]):
        # A block that begins after some text may begin after the answer.
        begins = closing[0].replace("/", "").lower() in text[: closing.start()].lower()
        if not begins:
            unopened, text = unopened + text[: closing.start()], text[closing.end() :]
    start = found.end() if (found := _CONTROLS.match(text)) else 0
    last = deque(_CONTROLS.finditer(text, start), maxlen=1)  # a search with \Z is quadratic
    end = last[0].start() if last and last[0].end() == len(text) else len(text)
    return Parted(unopened.strip(), text[start:end].strip())


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
