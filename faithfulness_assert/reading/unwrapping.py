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
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from ..text.strings import clean_text, lazy_pattern

_NAME = r"(?:\w{1,12}:)?(?:think|thinking|thoughts?|reasoning|reflection|scratch_?pad|analysis)"
_CHANNEL = r"<\|?channel\|?>\s{0,3}"
# [analysis] in square brackets may as well be a heading, and so may Analysis. Without its special
# tokens a channel is "analysisThe user ... assistantfinal{".
_OPENING = lazy_pattern(
    rf"(?i)\s*(?:```\w{{0,9}}\s*)?(?:<[|｜]?(?:begin_of_)?{_NAME}[|｜]?>|[\[◁]think(?:ing)?[\]▷]"
    rf"|(?:(?:<\|start\|>)?assistant)?{_CHANNEL}(?!final)\w{{1,20}}"
    r"|(?-i:(?:analysis|commentary|thought|thinking)(?=[A-Z\n])))"
)
_CLOSING = lazy_pattern(
    rf"(?i)</{_NAME}>|<[|｜](?:end_of_|/){_NAME}[|｜]>|[\[◁]/think(?:ing)?[\]▷]|<channel\|>"
    rf"|{_CHANNEL}final[^<]{{0,80}}<\|message\|>"
    r"|(?-i:assistant\s{0,3}final)(?=\s{0,9}[\[{`])"
)
_ENTRIES = lazy_pattern(r'\{\s{0,9}"(?:ask|verdicts)"\s{0,9}:|\[\s{0,9}\{\s{0,9}"id"\s{0,9}:')
_KEYED = lazy_pattern(r'\{\s{0,9}"ask"')


def answer_in(text: str, names: Iterable[str] = ()) -> str:
    """The judge's answer, without its thinking, but with what may be either.

    That is what nothing opens as thinking, and what has JSON or one of these names.
    """
    unopened, answer = parted(text)
    named = any(name.casefold() in unopened.casefold() for name in names)
    return f"{unopened}\n{answer}" if named or split_json(unopened)[0] else answer


def thought_and_answer(text: str) -> tuple[bool, str]:
    """Whether a reply begins with thinking, and what it has beside that. It may be cut off."""
    if text.startswith("{"):  # as most
        return False, text
    whole = _unwrapped(text)
    return bool(_OPENING.match(whole) or _CLOSING.search(whole)), parted(text)[1]


def is_complete(text: str) -> bool:
    """Whether a reply that was cut off is complete all the same: JSON, at most after thinking."""
    whole = _unwrapped(text)
    is_draft = _OPENING.match(whole) and not _CLOSING.search(whole)  # JSON in endless thinking
    return not is_draft and isinstance(loads(_unfenced(parted(text)[1])), Pairs | list)


def parted(text: str) -> tuple[str, str]:
    """What stands before the judge's answer and may be either, and the answer without its thinking.

    Removed are blanks and a JSON string around the reply, closed blocks of thinking, a block that
    is never closed up to the JSON with which the reply ends, and all that is before a closing mark
    which nothing opens. That may be the answer, and the rest a quote: so it is given, too, unless
    the rest has the key of an ask, as no text of others has. A mark inside brackets belongs to a
    JSON value (a statement may mention such marks) and stays.

    Raises:
        TypeError: ``text`` is not a string.
    """
    text, unopened = _unwrapped(text), ""
    while opening := _OPENING.match(text):
        closing = _CLOSING.search(text, opening.end())
        text = text[closing.end() :] if closing else _entries_at_end(text[opening.end() :])
    if closing := _CLOSING.search(text):
        before, after = text[: closing.start()], text[closing.end() :]
        # A block that begins after some text may begin after the answer.
        mark = "|channel" if "channel" in closing[0] else closing[0].replace("/", "")
        begins = mark.lower() in before.lower()
        if not begins and split_json(after)[0]:
            text, unopened = after, "" if _KEYED.search(after) else before
    return unopened.strip(), text.strip()


def _unwrapped(text: str) -> str:
    """``text`` without blanks and the JSON string that it may be."""
    if not isinstance(text, str):
        raise TypeError(f"a reply must be a string, got {type(text).__name__}")
    text = clean_text(text).strip("\ufeff\u200b\u2060 \t\r\n")
    inner = loads(text) if text.startswith('"') and text.endswith('"') else None
    return clean_text(inner).strip() if isinstance(inner, str) else text


def _unfenced(text: str) -> str:
    """``text`` without the marks of a code block around it."""
    return re.sub(r"\A```\w{0,9}", "", text).rstrip().removesuffix("```").rstrip()


def _entries_at_end(text: str) -> str:
    """The JSON of our form with which a text ends; "" if it ends otherwise."""
    text = _unfenced(text)
    begins = (match.start() for match in deque(_ENTRIES.finditer(text), maxlen=5))
    return next((text[start:] for start in begins if loads(text[start:]) is not None), "")


MAX_DEPTH = 32  # nested brackets; the functions that walk over values are recursive
_MAX_DIGITS = 20
_BEGINS = lazy_pattern(r"\\.|[\[{]", re.DOTALL)
_INSIDE = lazy_pattern(r'"[^"\\]*(?:\\.[^"\\]*)*"|\\.|[\[\]{}"]', re.DOTALL)
REPAIR_CHARS = 4_000  # json_repair is quadratic: 1 second at this size, 15 at five times it
_COMMENT = lazy_pattern(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|#[^\n]*|/\*.*?\*/', re.DOTALL)
_UNCLOSED_LIST = lazy_pattern(
    r'(\[(?:\s{0,9}\d{1,9}\s{0,9},)*\s{0,9}\d{1,9})\s{0,9},(?=\s{0,9}"\w{1,30}"\s{0,9}:)'
)
# Some models put a backslash before underscores, "no\_info", and a box around JSON.
_ESCAPES = lazy_pattern(r"(?<!\\)\\(?:(?=_)|boxed\{(?=\s{0,9}[\[{]))")
_QUOTED_KEY = lazy_pattern(r"""(\\{0,9}["'])[\w -]{1,40}\1\s*:""")
_WORD = lazy_pattern(r"\w+|[^\s\w\"'`“”‘’,:;.\\]")
_BEGINS_JSON = lazy_pattern(r"""\A\s*(?:\{|\[(?!\d{1,4}\]))|[\[{]\s*(?:["'{\[“”\\]|\w{1,40}\s?:)""")


class Pairs(tuple[tuple[str, Any], ...]):
    """A JSON object as its keys and values, in order. A key may occur twice."""


def leaves(value: Any, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """What is no list and no object in a value, each with the keys above it; "" for a list."""
    if not isinstance(value, Pairs | list):
        yield keys, value
        return
    for key, item in value if isinstance(value, Pairs) else (("", item) for item in value):
        yield from leaves(item, (*keys, key))


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


def split_json(text: str) -> tuple[list[Any], list[str]]:
    """The JSON values of ``text``, and the texts around them.

    Nearly valid JSON is mended if that changes nothing but quotes, commas, colons and brackets that
    end lists: of numbers where a key begins (``"evidence":[1,"label":``), and of entries at the end
    of the text, if the last one is whole. What cannot be mended is a text.
    """
    plain = _UNCLOSED_LIST.sub(r"\1],", _ESCAPES.sub("", text))
    whole = plain.rstrip().removesuffix("```").rstrip()
    begins = looks_like_json(plain)
    # To close brackets takes several scans.
    is_open = begins and whole.endswith("}") and len(text) < 50 * REPAIR_CHARS
    for mended in (plain, whole + "]", whole + "]}") if is_open else (plain,):
        found = [(loads(mended[start:end]), (start, end)) for start, end in _spans(mended)]
        if spans := [span for value, span in found if value is not None]:
            return [value for value, _ in found if value is not None], _between(mended, spans)
    spans = _spans(plain) if begins else []
    broken = [plain[start:end] for start, end in spans]
    comments = [c[0] for piece in broken for c in _COMMENT.finditer(piece) if c[0][0] != '"']
    broken = [_COMMENT.sub(lambda c: c[0] if c[0][0] == '"' else " ", piece) for piece in broken]
    pieces = list(map(_repaired, broken)) if sum(map(len, broken)) <= REPAIR_CHARS else []
    if not pieces or not all(pieces):
        return [], [plain]
    return list(map(loads, pieces)), [*_between(plain, spans), *comments]


def _between(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """The text before, between and after the spans."""
    ends = [0, *chain.from_iterable(spans), len(text)]
    return [text[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True)]


def _spans(text: str) -> list[tuple[int, int]]:
    """Where the outermost balanced brackets begin and end.

    One that is never closed hides the rest of the text; one with too many inside is left out.
    """
    spans: list[tuple[int, int]] = []
    end = 0
    while opening := _BEGINS.search(text, end):
        start, end = opening.span()
        depth = deepest = 0
        for token in _INSIDE.finditer(text, start) if opening[0][0] != "\\" else ():
            mark = token[0]
            if mark in "[{":
                depth += 1
                if depth > deepest:  # calling max() for each of a million brackets is slow
                    deepest = depth
            elif mark in "]}":
                depth -= 1
                if not depth:
                    end = token.end()
                    break
            elif mark == '"':
                break  # a string that is never closed
        if depth:
            return spans
        spans += [(start, end)] if 0 < deepest <= MAX_DEPTH else []
    return spans


def looks_like_json(text: str) -> bool:
    """Whether ``text`` begins JSON somewhere. Words inside JSON must not be read as prose."""
    return _BEGINS_JSON.search(text) is not None


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
    # Words and brackets show what was dropped, doubled, moved, completed or nested.
    before, after = (_WORD.findall(t.casefold().replace("null", "none")) for t in (piece, text))
    return text if before == after else ""
