"""Remove a judge's thinking from its reply, so that only the answer is read.

Two forms are known: tags such as <think>...</think>, and the channels of some open models
("<|channel|>analysis<|message|>...<|end|>"). The work is linear in the length of the text.
"""

from __future__ import annotations

import re

_BRACKET = re.compile(r'\\.|["\[\]{}]', re.DOTALL)
_TAG = re.compile(  # [analysis] in square brackets may as well be a heading
    r"(?:[<\[◁](?=/?(?:think|thinking|reasoning)[>\]▷])|<)(?P<slash>/?)"
    r"(?:think|thinking|reasoning|thoughts?|reflection|scratch_?pad|analysis)[>\]▷]",
    re.IGNORECASE,
)
_TAG_OR_BRACKET = re.compile(f"{_TAG.pattern}|{_BRACKET.pattern}", re.IGNORECASE | re.DOTALL)
_CHANNEL = re.compile(r"<\|channel\|>\s{0,3}(\w{1,20})[^<]{0,80}<\|message\|>")
_CHANNEL_END = re.compile(r"<\|(?:end|return|start|call)\|>")


def without_thinking(text: str) -> str:
    """``text`` without the judge's thinking.

    Removed are closed blocks, everything before a closing tag that has no opening tag, and
    everything after an opening tag that is never closed. A tag inside brackets belongs to a JSON
    value (a statement may mention such tags) and stays. Of several channels the last final one is
    the reply.
    """
    text = _final_channel(text)
    if not _TAG.search(text):
        return text
    kept: list[str] = []
    start = depth = 0
    quoted = in_thinking = False
    for token in _TAG_OR_BRACKET.finditer(text):
        opens, closes = token["slash"] == "", token["slash"] == "/"
        if in_thinking:
            if closes:
                start, in_thinking = token.end(), False
        elif not opens and not closes:
            depth, quoted = _step(token[0], depth, quoted)
        elif depth == 0:
            if closes:
                kept.clear()
            else:
                kept.append(text[start : token.start()])
            start, in_thinking = token.end(), opens
    return "".join(kept) if in_thinking else "".join(kept) + text[start:]


def _final_channel(text: str) -> str:
    """The text of the last final channel; ``text`` itself if it has no channels."""
    marks = list(_CHANNEL.finditer(text))
    if not marks or _leaves_open(text[: marks[0].start()]):
        return text
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    finals = [
        text[mark.end() : end] for mark, end in zip(marks, ends, strict=True) if mark[1] == "final"
    ]
    # A channel mark inside a JSON value is only text of that value.
    if not finals or any(map(_leaves_open, finals[:-1])):
        return ""
    return _CHANNEL_END.split(finals[-1], maxsplit=1)[0]


def _leaves_open(text: str) -> bool:
    """Whether a bracket is still open at the end of ``text``."""
    depth, quoted = 0, False
    for token in _BRACKET.finditer(text):
        depth, quoted = _step(token[0], depth, quoted)
    return depth > 0


def _step(mark: str, depth: int, quoted: bool) -> tuple[int, bool]:
    """Depth of brackets after ``mark``, and whether a string is open. Quotes count in brackets."""
    if mark == '"':
        return depth, depth > 0 and not quoted
    if quoted or mark[0] == "\\":
        return depth, quoted
    return (depth + 1 if mark in "[{" else max(0, depth - 1)), False
