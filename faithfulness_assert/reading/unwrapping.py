"""Take a reply apart: thinking before the answer, the answer, and the JSON values in it.

Thinking is a block that begins with a name of thought, in whatever marks a server leaves around it:
``<think>``, ``<seed:think>``, ``[THINK]``, ``<|channel|>analysis``, ``thought`` alone in a line. It
ends with its closing mark; where that is missing, before the last JSON of our form, if the reply
ends with it. What comes after the answer began is not thinking: it is a part of the answer.

Of the JSON between prose and fences nothing is lost. A value that is cut off is no value: it stays
a piece of text. Nearly valid JSON is mended if that only changes quotes, commas and colons, or adds
brackets that a small model leaves out, and no word. The work is linear in the length of the text.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from ..records.errors import UnreadableReply
from ..text.strings import clean_text, lazy_pattern

_BOX = lazy_pattern(r"\\boxed\{\s{0,9}(?=[\[{])")
_NAME = r"(?:\w{1,12}:)?(?:think|thinking|thoughts?|reasoning|reflection|scratch_?pad|analysis)"
# [analysis] in square brackets may as well be a heading, and so may Analysis. Without its special
# tokens a channel is "analysisThe user ... assistantfinal{".
_OPENING = lazy_pattern(
    rf"\s*(?:```\w{{0,9}}\s*)?(?:<[|｜]?(?:begin_of_)?{_NAME}[|｜]?>|[\[◁]think(?:ing)?[\]▷]"
    rf"|<\|?channel\|?>\s{{0,3}}(?!final){_NAME}"
    r"|(?-i:(?:analysis|commentary|thought|thinking)(?=[A-Z\n])))",
    re.IGNORECASE,
)
_CLOSING = lazy_pattern(
    rf"</{_NAME}>|<[|｜](?:end_of_|/){_NAME}[|｜]>|[\[◁]/think(?:ing)?[\]▷]|<channel\|>"
    r"|(?-i:assistant\s{0,3}final)(?=\s{0,9}[\[{`])",
    re.IGNORECASE,
)
_CHANNEL = lazy_pattern(r"<\|channel\|>\s{0,3}\w{1,20}[^<]{0,80}<\|message\|>")
_FINAL = lazy_pattern(r"<\|channel\|>\s{0,3}final[^<]{0,80}<\|message\|>")
_ENTRIES = lazy_pattern(r'\{\s{0,9}"(?:ask|verdicts)"\s{0,9}:|\[\s{0,9}\{\s{0,9}"id"\s{0,9}:')
_KEYED = lazy_pattern(r'\{\s{0,9}"ask"')
_TRIES = 5
_CONTROL = r"(?:<[|｜][^<>]{1,40}[|｜]>|</?s>|<end_of_turn>|\s)"
_CONTROLS = lazy_pattern(rf"{_CONTROL}+")


def answer_in(text: str) -> str:
    """The judge's answer, without its thinking, but with what may be either if it contains JSON."""
    unopened, answer = parted(text)
    return f"{unopened}\n{answer}" if unopened and split_json(unopened)[0] else answer


def thought_and_answer(text: str) -> tuple[bool, str]:
    """Whether a reply begins with thinking, and what it has beside that. It may be cut off."""
    text = _unwrapped(clean_text(text))
    begun = _OPENING.match(text) or _CHANNEL.match(text) or _CLOSING.search(text)
    return begun is not None, parted(text)[1]


def is_complete(text: str) -> bool:
    """Whether a reply that was cut off is complete all the same: JSON, at most after thinking."""
    text = _unwrapped(clean_text(text))
    if _OPENING.match(text) and not _CLOSING.search(text):
        return False  # JSON in thinking that never ended is a draft
    answer = parted(text)[1]
    if answer.startswith("```"):
        answer = answer.partition("\n")[2].removesuffix("```")
    return _is_json(answer)


def _is_json(text: str) -> bool:
    """Whether all of a text is one valid JSON object or list."""
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def parted(text: str) -> tuple[str, str]:
    """What stands before the judge's answer and may be either, and the answer without its thinking.

    Removed are blanks, JSON strings and a box around the reply, control tokens at its ends, closed
    blocks of thinking, a block that is never closed up to the JSON with which the reply ends, and
    everything before a closing tag that has no opening tag. A tag inside brackets belongs to a JSON
    value (a statement may mention such tags) and stays. Of channels, only the final one and what
    follows is the answer. What is removed before a tag or channel that nothing opens may be the
    answer, and the rest a quote.

    Raises:
        TypeError: ``text`` is not a string.
    """
    if not isinstance(text, str):
        raise TypeError(f"a reply must be a string, got {type(text).__name__}")
    text = _unwrapped(clean_text(text))
    final, channel, unopened = _FINAL.search(text), _CHANNEL.search(text), ""
    if channel and not _leaves_open(text[: channel.start()]):
        unopened = text[: channel.start()]
        text = text[final.end() :] if final else _entries_at_end(text[channel.end() :])
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
    return unopened.strip(), _without_controls(text)


def _unwrapped(text: str) -> str:
    r"""``text`` without blanks, JSON strings and a ``\boxed{...}`` that it is wrapped in."""
    text = text.strip("\ufeff\u200b\u2060 \t\r\n")
    if (box := _BOX.search(text)) and text.endswith("}"):
        text = text[: box.start()] + text[box.end() : -1]
    for _ in range(3):
        inner = loads(text) if text.startswith('"') and text.endswith('"') else None
        if not isinstance(inner, str):
            break
        text = clean_text(inner).strip()
    return text


def _without_controls(text: str) -> str:
    start = found.end() if (found := _CONTROLS.match(text)) else 0
    last = deque(_CONTROLS.finditer(text, start), maxlen=1)  # a search with \Z is quadratic
    end = last[0].start() if last and last[0].end() == len(text) else len(text)
    return text[start:end].strip()


def _entries_at_end(text: str) -> str:
    """The JSON of our form with which a text ends; "" if it ends otherwise."""
    text = _without_controls(text).removesuffix("```").rstrip()
    for start in deque(_ENTRIES.finditer(text), maxlen=_TRIES):
        if _is_json(text[start.start() :]):
            return text[start.start() :]
    return ""


def _leaves_open(text: str) -> bool:
    """Whether a bracket is still open at the end of ``text``."""
    return any(deepest > MAX_DEPTH for _, _, deepest in _brackets(text))


# ---------------------------------------------------------------- JSON values

MAX_DEPTH = 32  # nested brackets; the functions that walk over values are recursive
MAX_VALUES = 10_000  # pieces of JSON in one reply
_MAX_DIGITS = 20

_BEGINS = lazy_pattern(r"\\.|[\[{]", re.DOTALL)
_INSIDE = lazy_pattern(r'"[^"\\]*(?:\\.[^"\\]*)*"|\\.|[\[\]{}"]', re.DOTALL)
REPAIR_CHARS = 4_000  # json_repair is quadratic: 1 second at this size, 15 at five times it

_COMMENT = lazy_pattern(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|#[^\n]*|/\*.*?\*/', re.DOTALL)
_UNCLOSED_LIST = lazy_pattern(
    r'(\[(?:\s{0,9}\d{1,9}\s{0,9},)*\s{0,9}\d{1,9})\s{0,9},(?=\s{0,9}"\w{1,30}"\s{0,9}:)'
)
# Some models put a backslash before underscores: "no\_info".
_UNDERSCORE = lazy_pattern(r"(?<!\\)\\_")
_QUOTED_KEY = lazy_pattern(r"""(\\{0,9}["'])[\w -]{1,40}\1\s*:""")
_WORD = lazy_pattern(r"\w+|[^\s\w\"'`“”‘’,:;.\\]")
_BEGINS_JSON = lazy_pattern(r"""\A\s*(?:\{|\[(?!\d{1,4}\]))|[\[{]\s*(?:["'{\[“”\\]|\w{1,40}\s?:)""")


class Pairs(tuple[tuple[str, Any], ...]):
    """A JSON object as its keys and values, in order. A key may occur twice."""


def loads(text: str) -> Any:
    """The JSON value of ``text``; None if it is invalid. Objects are ``Pairs``.

    What is no number (NaN, infinities, integers of more than 20 digits) stays a text.
    """
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


# One decoder for all: json.loads would build a new one for each of many small pieces.
_DECODER = json.JSONDecoder(
    strict=False,
    object_pairs_hook=Pairs,
    parse_constant=str,
    parse_float=lambda digits: float(digits) if abs(float(digits)) < 1e300 else digits,
    parse_int=lambda digits: int(digits) if len(digits) <= _MAX_DIGITS else digits,
)


def split_json(text: str) -> tuple[list[Any], list[str], bool]:
    """The JSON values of ``text``, the texts around them, and whether something was mended.

    Nearly valid JSON is mended if that changes nothing but quotes, commas, colons and brackets at
    the end of lists. What cannot be mended is a text.

    Raises:
        UnreadableReply: there are more than ``MAX_VALUES``.
    """
    plain = _UNDERSCORE.sub("_", text)
    is_short = len(text) < 50 * REPAIR_CHARS  # to close brackets takes several scans
    for mended in chain((plain,), closed(plain) if is_short and looks_like_json(text) else ()):
        values, around = _split(mended)
        if values:
            return values, around, mended != text
    spans = _spans(plain) if looks_like_json(text) else []
    pieces, comments = repaired([plain[start:end] for start, end in spans])
    return [loads(piece) for piece in pieces], [*between(plain, spans), *comments], bool(pieces)


def _split(text: str) -> tuple[list[Any], list[str]]:
    spans, values = [], []
    for start, end in _spans(text):
        value = loads(text[start:end])
        if value is not None:
            values.append(value)
            spans.append((start, end))
        if len(values) > MAX_VALUES:
            raise UnreadableReply(f"the judge's reply has more than {MAX_VALUES:,} pieces of JSON")
    return values, between(text, spans)


def between(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """The text before, between and after the spans."""
    starts = [0, *(end for _, end in spans)]
    ends = [*(start for start, _ in spans), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _spans(text: str) -> list[tuple[int, int]]:
    """Outermost balanced brackets of limited depth. A bracket that stays open hides the rest."""
    return [
        (start, end)
        for start, end, deepest in _brackets(text)
        if deepest <= MAX_DEPTH and text[start] + text[end - 1] in ("[]", "{}")
    ]


def _brackets(text: str) -> Iterator[tuple[int, int, int]]:
    """Outermost brackets: where they begin and end, and how deep others are nested in them."""
    end = 0
    while opening := _BEGINS.search(text, end):
        start, end = opening.span()
        if opening[0][0] != "\\":
            end, deepest = _balanced(text, start)
            yield start, end, deepest


def _balanced(text: str, start: int) -> tuple[int, int]:
    """Where the bracket at ``start`` is closed, and how deep brackets are nested in it.

    If it is never closed: the end of the text, and a depth that is too large.
    """
    depth = deepest = 0
    for token in _INSIDE.finditer(text, start):
        mark = token[0]
        if mark in "[{":
            depth += 1
            if depth > deepest:  # calling max() for each of a million brackets is slow
                deepest = depth
        elif mark in "]}":
            depth -= 1
            if not depth:
                return token.end(), deepest
        elif mark == '"':
            break  # a string that is never closed
    return len(text), MAX_DEPTH + 1


def looks_like_json(text: str) -> bool:
    """Whether ``text`` begins JSON somewhere. Words inside JSON must not be read as prose."""
    return _BEGINS_JSON.search(text) is not None


# ---------------------------------------------------------------- nearly valid JSON


def closed(text: str) -> Iterator[str]:
    """``text`` with the brackets that are left out.

    A list of numbers ends where a key begins (``"evidence":[1,"label":``), and a list of entries
    at the end of the text, if the last entry is whole.
    """
    text = _UNCLOSED_LIST.sub(r"\1],", text)
    yield text
    whole = text.rstrip().removesuffix("```").rstrip()
    if whole.endswith("}"):
        yield whole + "]"
        yield whole + "]}"


def repaired(broken: Sequence[str]) -> tuple[list[str], list[str]]:
    """The pieces as valid JSON, and the comments in them; nothing unless all can be mended."""
    if sum(map(len, broken)) > REPAIR_CHARS:
        return [], []
    pieces, comments = [], []
    for piece in broken:
        pieces.append(_repaired(_COMMENT.sub(lambda m: m[0] if m[0][0] == '"' else " ", piece)))
        comments += [m[0] for m in _COMMENT.finditer(piece) if m[0][0] != '"']
    return (pieces, comments) if all(pieces) else ([], [])


def _repaired(piece: str) -> str:
    """The piece as valid JSON; "" if that takes more than other quotes, commas and colons."""
    import json_repair  # loaded here, because only a broken reply needs it

    # Keys in several kinds of quotes: some are inside a string, where json_repair would find them.
    if len({key[1] for key in _QUOTED_KEY.finditer(piece)}) > 1:
        return ""
    try:
        text = json.dumps(json_repair.loads(piece), ensure_ascii=False)
    except Exception:  # noqa: BLE001 - a third party's parser on hostile text: any error means unreadable
        return ""
    return text if _words(text) == _words(piece) else ""


def _words(text: str) -> list[str]:
    """Words and brackets: they show what was dropped, doubled, moved, completed or nested."""
    return ["null" if word == "none" else word for word in _WORD.findall(text.casefold())]
