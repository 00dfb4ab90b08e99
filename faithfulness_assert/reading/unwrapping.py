"""Take a reply apart: thinking before the answer, the answer, and the JSON values in it.

Thinking is a block that begins with a name of thought, in whatever marks a server leaves around it:
``<think>``, ``<seed:think>``, ``[THINK]``, ``<|channel|>analysis``, ``thought`` alone in a line. It
ends with its closing mark; where that is missing, before the last JSON of our form, if the reply
ends with it. What comes after the answer began is not thinking: it is a part of the answer.

Of the JSON between prose and fences nothing is lost. Where an object or a list is broken, those
inside it are values, and what is left of it is text. Nearly valid JSON is mended if that only
changes quotes, commas and brackets, and no word. The work is linear in the length of the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ..text.strings import clean_text, lazy_pattern

_NAME = r"(?:\w{1,12}:)?(?:think|thinking|thoughts?|reasoning|reflection|scratch_?pad|analysis)"
_CONTROL = r"(?:<[|｜][^<>]{1,40}[|｜]>|</?s>|<end_of_turn>|\s)"
# [analysis] in square brackets may as well be a heading, and so may Analysis. Without its special
# tokens a channel is "analysisThe user ... assistantfinal{".
_OPENING = lazy_pattern(
    rf"\s*(?:```\w{{0,9}}\s*)?(?:<[|｜]?(?:begin_of_)?{_NAME}[|｜]?>|[\[◁]think(?:ing)?[\]▷]"
    rf"|(?:<\|start\|>assistant)?<\|?channel\|?>\s{{0,3}}{_NAME}"
    r"|(?-i:(?:analysis|commentary|thought|thinking)(?=[A-Z\n])))",
    re.IGNORECASE,
)
_CLOSING = lazy_pattern(
    rf"</{_NAME}>|<[|｜](?:end_of_|/){_NAME}[|｜]>|[\[◁]/think(?:ing)?[\]▷]|<channel\|>"
    r"|<\|channel\|>\s{0,3}final[^<]{0,80}<\|message\|>"
    r"|(?-i:assistant\s{0,3}final)(?=\s{0,9}[\[{`])",
    re.IGNORECASE,
)
_OURS = lazy_pattern(r'\{\s{0,9}"(?:ask|verdicts)"\s{0,9}:|\[\s{0,9}\{\s{0,9}"id"\s{0,9}:')
_KEYED = lazy_pattern(r'\{\s{0,9}"ask"')
# A line of one or two words, or with a number among the first three.
_IS_ROW = lazy_pattern(
    r"^[^\w\n]{0,20}(?:(?:\w{1,30}[^\w\n]{1,5}){0,2}\d"
    r"|(?:\w{1,30}[^\w\n]{1,5})?\w{1,30}[^\w\n]{0,20}$)",
    re.MULTILINE,
)
_CONTROLS = lazy_pattern(rf"{_CONTROL}+")


def thought_and_answer(text: str) -> tuple[bool, str]:
    """Whether a reply begins with thinking, and what it has beside that. It may be cut off."""
    text = _unwrapped(text)
    begun = _OPENING.match(text) or _CLOSING.search(text)
    return begun is not None, answer_in(text)


def is_complete(text: str) -> bool:
    """Whether a reply that was cut off is complete all the same: JSON, at most after thinking."""
    text = _unwrapped(text)
    if _OPENING.match(text) and not _CLOSING.search(text):
        return False  # JSON in thinking that never ended is a draft
    answer = answer_in(text)
    if answer.startswith("```"):
        answer = answer.partition("\n")[2].removesuffix("```")
    return isinstance(loads(answer), list | Pairs)


def answer_in(text: str) -> str:
    """The judge's answer, without its thinking.

    Removed are blanks, a string of JSON around the reply, control tokens at its ends, closed blocks
    of thinking, and a block that is never closed up to the JSON with which the reply ends. What
    stands before a closing mark that has no opening mark may be the answer, and the rest a quote:
    it is thinking if the reply ends with JSON that has the key of an ask, or if it has nothing that
    looks like a verdict.

    Raises:
        TypeError: ``text`` is not a string.
    """
    text = _unwrapped(text)
    while opening := _OPENING.match(text):
        closing = _CLOSING.search(text, opening.end())
        text = text[closing.end() :] if closing else _json_at_end(text[opening.end() :])
    if closing := _CLOSING.search(text):
        before, after = text[: closing.start()], text[closing.end() :]
        if _KEYED.match(ours := _json_at_end(after)):
            text = ours
        elif not _IS_ROW.search(before) and not looks_like_json(before):
            text = after
    return _without_controls(text)


def _unwrapped(text: str) -> str:
    """``text`` without blanks, and without the string of JSON that it may be."""
    if not isinstance(text, str):
        raise TypeError(f"a reply must be a string, got {type(text).__name__}")
    text = clean_text(text).strip("\ufeff\u200b\u2060 \t\r\n")
    inner = loads(text) if text.startswith('"') else None
    return clean_text(inner).strip() if isinstance(inner, str) else text


def _without_controls(text: str) -> str:
    start = found.end() if (found := _CONTROLS.match(text)) else 0
    ends = [match.start() for match in _CONTROLS.finditer(text, start) if match.end() == len(text)]
    return text[start : ends[0] if ends else len(text)].strip()


def _json_at_end(text: str) -> str:
    """The JSON of our form with which a text ends; "" if it ends otherwise."""
    text = _without_controls(text).removesuffix("```").rstrip()
    last = [start for start, end, _ in _values(text) if end == len(text)]
    return text[last[0] :] if last and _OURS.match(text, last[0]) else ""


# ---------------------------------------------------------------- JSON values

MAX_DEPTH = 32  # nested lists and objects; the functions that walk over values are recursive
_MAX_DIGITS = 20
_MOST_SCANS = 20  # of each character, while brackets that are never closed are passed
_MOST_TRIES = 50  # that cost as much as one scan, because an error counts the lines before it

_BEGINS = lazy_pattern(r"\{|\[(?!\s*-?\d+\s*[\],])")  # [1] may be a footnote, and [1, 2] evidence
REPAIR_CHARS = 4_000  # json_repair is quadratic: 1 second at this size, 15 at five times it

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

    A text that ends inside an entry was cut off and has no values.
    """
    plain = _UNCLOSED_LIST.sub(r"\1],", _UNDERSCORE.sub("_", text))
    is_open = any(plain.count(mark) > plain.count(end) for mark, end in ("{}", "[]"))
    is_cut = is_open and not plain.rstrip("` \n").endswith("}")
    found = [] if is_cut else list(_values(plain))
    around = between(plain, [(start, end) for start, end, _ in found])
    if any(mark in said for said in around for mark in "{}") and looks_like_json(plain):
        start = min(place for place in map(plain.find, "[{") if place >= 0)
        end = max(map(plain.rfind, "]}")) + 1
        if value := _repaired(plain[start:end]):
            return [value], between(plain, [(start, end)]), True
    return [value for _, _, value in found], around, plain != text


def _values(text: str) -> Iterator[tuple[int, int, Any]]:
    """The outermost valid objects and lists of a text, with where they begin and end.

    Inside those that are invalid, or too deep, others are found.
    """
    end, scans = 0, _MOST_SCANS * len(text)
    while scans >= 0 and (opening := _BEGINS.search(text, end)):
        start = opening.start()
        try:
            value, end = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as error:
            open_ended = error.msg.startswith("Unterminated")  # its place is where it begins
            scans -= (len(text) if open_ended else error.pos) - start + len(text) // _MOST_TRIES
            end = start + 1
        except (ValueError, RecursionError):
            return
        else:
            if _is_deep(value):
                return
            yield start, end, value


def _is_deep(value: Any) -> bool:
    layer, depth = [value], 0
    while layer and depth <= MAX_DEPTH:
        items = (item for one in layer for item in one)
        inner = (item[1] if type(item) is tuple else item for item in items)
        layer, depth = [item for item in inner if isinstance(item, list | Pairs)], depth + 1
    return depth > MAX_DEPTH


def between(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """The text before, between and after the spans."""
    starts = [0, *(end for _, end in spans)]
    ends = [*(start for start, _ in spans), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def looks_like_json(text: str) -> bool:
    """Whether ``text`` begins JSON somewhere. Words inside JSON must not be read as prose."""
    return _BEGINS_JSON.search(text) is not None


def _repaired(broken: str) -> Any:
    """The value of nearly valid JSON; None if that takes more than other quotes and commas."""
    import json_repair  # loaded here, because only a broken reply needs it

    # Keys in several kinds of quotes: some are inside a string, where json_repair would find them.
    quotes = {key[1] for key in _QUOTED_KEY.finditer(broken)}
    if len(broken) > REPAIR_CHARS or len(quotes) > 1:
        return None
    try:
        text = json.dumps(json_repair.loads(broken), ensure_ascii=False)
    except Exception:  # noqa: BLE001 - a third party's parser on hostile text: any error means unreadable
        return None
    return loads(text) if _words(text) == _words(broken) else None


def _words(text: str) -> list[str]:
    """Words and brackets: they show what was dropped, doubled, moved, completed or nested."""
    return ["null" if word == "none" else word for word in _WORD.findall(text.casefold())]
