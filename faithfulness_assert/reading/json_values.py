"""JSON values out of a reply's text: past thinking, prose and fences, and mended where it is nearly JSON.

Nothing is guessed: a value that is cut off is no value, and mending may change quotes, commas and colons only.
Every pass is linear in the text, except the mending, which sees at most ``REPAIR_CHARS``.
"""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..records.errors import UnreadableReply
from ..text.strings import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator

REPAIR_CHARS = 4_000  # json_repair is quadratic: a second at this size, 15 at five times it
MAX_DEPTH = 32  # nested brackets; the walks over values are recursive
MAX_VALUES = 10_000  # pieces of JSON in one reply
_MAX_DIGITS = 20

_BRACKET = re.compile(r'\\.|["\[\]{}]', re.DOTALL)
_OPENING = re.compile(r"\\.|[\[{]", re.DOTALL)
_INSIDE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|\\.|[\[\]{}"]', re.DOTALL)
_TAG = re.compile(  # [analysis] in square brackets may as well be a heading
    r"(?:[<\[◁](?=/?(?:think|thinking|reasoning)[>\]▷])|<)"
    r"(?P<slash>/?)(?:think|thinking|reasoning|thoughts?|reflection|scratch_?pad|analysis)[>\]▷]",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|channel\|>\s{0,3}(\w{1,20})[^<]{0,80}<\|message\|>")
_TAG_OR_BRACKET = re.compile(f"{_TAG.pattern}|{_BRACKET.pattern}", re.IGNORECASE | re.DOTALL)
_KEY_DRESS = re.compile(r"[\W_]+")
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|#[^\n]*|/\*.*?\*/', re.DOTALL)
_UNCLOSED = re.compile(
    r'(\[(?:\s{0,9}\d{1,9}\s{0,9},)*\s{0,9}\d{1,9})\s{0,9},(?=\s{0,9}"\w{1,30}"\s{0,9}:)'
)
_TORN_KEY = re.compile(r"""([\w -]{1,40})\\?(["'])\s{0,9}:\s{0,9}$""")
_QUOTED_KEY = re.compile(r"""(\\{0,9}["'])[\w -]{1,40}\1\s*:""")
_WORD = re.compile(r"\w+|[^\s\w\"'`“”‘’,:;.\\]")
_LIKE_JSON = re.compile(r"""\A\s*(?:\{|\[(?!\d{1,4}\]))|[\[{]\s*(?:["'{\[“”\\]|\w{1,40}\s?:)""")


class Found(NamedTuple):
    """The JSON values of a text, the pieces of text around them, in order, and the pieces that are balanced but no JSON."""

    values: tuple[Any, ...]
    around: tuple[str, ...]
    broken: tuple[str, ...]


class Conflict:
    """Stands for two different values of one key: neither is believed."""


def without_thinking(text: str) -> str:
    """``text`` without what the judge thought: closed blocks, all before a lone closing tag, all after an unclosed opening tag.

    A tag inside brackets is a part of a JSON value (a statement may speak of such tags) and stays. Of channels ("<|channel|>analysis
    <|message|>...<|end|>") the last final one counts.
    """
    text = _final_channel(text)
    if not _TAG.search(text):
        return text
    kept: list[str] = []
    start = depth = 0
    quoted = inside = False
    for token in _TAG_OR_BRACKET.finditer(text):
        opens, closes = token["slash"] == "", token["slash"] == "/"
        if inside:
            if closes:
                start, inside = token.end(), False
        elif not opens and not closes:
            depth, quoted = _step(token[0], depth, quoted)
        elif depth == 0:
            if closes:
                kept.clear()
            else:
                kept.append(text[start : token.start()])
            start, inside = token.end(), opens
    return "".join(kept) if inside else "".join(kept) + text[start:]


def _final_channel(text: str) -> str:
    """What stands in the last final channel; ``text`` itself where it has no channels outside of brackets."""
    marks = list(_CHANNEL.finditer(text))
    if not marks or _open(text[: marks[0].start()]):
        return text
    finals = [
        text[mark.end() : end]
        for mark, end in zip(marks, [*(m.start() for m in marks[1:]), len(text)], strict=True)
        if mark[1] == "final"
    ]
    # A value of the reply that is torn by a channel only speaks of one.
    if not finals or any(map(_open, finals[:-1])):
        return ""
    return re.split(r"<\|(?:end|return|start|call)\|>", finals[-1], maxsplit=1)[0]


def _open(text: str) -> bool:
    """Whether a bracket or a string is open at the end of ``text``."""
    depth, quoted = 0, False
    for token in _BRACKET.finditer(text):
        depth, quoted = _step(token[0], depth, quoted)
    return depth > 0


def _step(mark: str, depth: int, quoted: bool) -> tuple[int, bool]:
    """How deep in brackets, and whether in a string, after ``mark``. Quotes count inside brackets only."""
    if mark == '"':
        return depth, depth > 0 and not quoted
    if quoted or mark[0] == "\\":
        return depth, quoted
    return (depth + 1 if mark in "[{" else max(0, depth - 1)), False


def loads(text: str) -> Any:
    """The JSON value of ``text``, with keys reduced to lower-case letters and digits; None where it is no JSON.

    NaN, infinities, numbers out of range and integers of more than 20 digits are read as null. A key that comes twice with different
    values holds a :class:`Conflict`, or the list of both where they are lists or objects.
    """
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def key_of(name: str) -> str:
    """A key reduced to its letters and digits in lower case: ``Is_Supported`` and ``isSupported`` are one."""
    return _known_key(name) if len(name) < 40 else _reduced(name)


def _reduced(name: str) -> str:
    return _KEY_DRESS.sub("", name.casefold())


_known_key = lru_cache(maxsize=256)(_reduced)  # a reply repeats the same few keys


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in pairs:
        key = key_of(name)
        result[key] = _both(result[key], value) if key in result else value
    return result


def _both(first: Any, second: Any) -> Any:
    if first == second:
        return first
    nested = isinstance(first, dict | list) and isinstance(second, dict | list)
    return [first, second] if nested else Conflict()


def _float(digits: str) -> float | None:
    value = float(digits)
    return value if math.isfinite(value) else None


# One decoder for all: json.loads would build one for each of many small pieces.
_DECODER = json.JSONDecoder(
    strict=False,
    object_pairs_hook=_object,
    parse_constant=lambda _: None,
    parse_float=_float,
    parse_int=lambda digits: int(digits) if len(digits) <= _MAX_DIGITS else None,
)


def unwrap(text: str) -> str:
    """``text`` without the blanks around it, and without the JSON string that it may be wrapped in."""
    text = text.strip("\ufeff\u200b\u2060 \t\r\n")
    for _ in range(3):
        inner = loads(text) if text.startswith('"') and text.endswith('"') else None
        if not isinstance(inner, str):
            break
        text = clean_text(inner).strip()
    return text


def find_values(text: str) -> Found:
    """Every outermost JSON object and list of ``text``, in its order. One that was torn from its object keeps its key.

    Raises:
        UnreadableReply: there are more than ``MAX_VALUES``.
    """
    values: list[Any] = []
    around: list[str] = []
    broken: list[str] = []
    at = 0
    for start, end in _spans(text):
        if len(around) == MAX_VALUES:
            raise UnreadableReply(
                f"the judge's reply holds more than {MAX_VALUES:,} pieces of JSON"
            )
        around.append(text[at:start])
        key = _TORN_KEY.search(around[-1][-60:])
        piece = f"{{{key[2]}{key[1]}{key[2]}:{text[start:end]}}}" if key else text[start:end]
        value = loads(piece)
        if value is None:
            broken.append(piece)
        else:
            values.append(value)
        at = end
    around.append(text[at:])
    return Found(tuple(values), tuple(around), tuple(broken))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Outermost balanced brackets, not too deep. A bracket that is never closed hides all that follows it."""
    end = 0
    while opening := _OPENING.search(text, end):
        start, end = opening.span()
        if opening[0][0] != "\\":
            end, deepest = _balanced(text, start)
            if deepest <= MAX_DEPTH and text[start] + text[end - 1] in ("[]", "{}"):
                yield start, end


def _balanced(text: str, start: int) -> tuple[int, int]:
    """Where the bracket at ``start`` is closed, and how deep it goes; the end of the text and no sensible depth where it is not."""
    depth = deepest = 0
    for token in _INSIDE.finditer(text, start):
        mark = token[0]
        if mark in "[{":
            depth += 1
            if depth > deepest:  # a call of max() for each of a million brackets is felt
                deepest = depth
        elif mark in "]}":
            depth -= 1
            if not depth:
                return token.end(), deepest
        elif mark == '"':
            break  # a string that is never closed
    return len(text), MAX_DEPTH + 1


def close_lists(text: str) -> str:
    """``text`` with the bracket that small models leave out of ``"evidence":[1,2,"label":``: a list of numbers ends where a key begins."""
    return _UNCLOSED.sub(r"\1],", text)


def looks_like_json(text: str) -> bool:
    """Whether JSON was begun in ``text``: what a reader of prose would find inside it was not said as prose."""
    return _LIKE_JSON.search(text) is not None


def repair(broken: tuple[str, ...]) -> tuple[Any, ...]:
    """The values of small balanced pieces that are nearly JSON; () unless every one of them can be mended without changing a word."""
    if not broken or sum(map(len, broken)) > REPAIR_CHARS:
        return ()
    values = [_mended(piece) for piece in broken]
    return () if any(value is None for value in values) else tuple(values)


def _mended(piece: str) -> Any:
    import json_repair  # a dependency that only a broken reply needs

    if len({key[1] for key in _QUOTED_KEY.finditer(piece)}) > 1:
        return None  # keys in several kinds of quotes: some stand inside a string, where the mending would find them too
    try:
        text = json.dumps(json_repair.loads(piece), ensure_ascii=False)
    except Exception:  # noqa: BLE001 - a third party's parser on hostile text: whatever it raises, the piece is unreadable
        return None
    bare = _COMMENT.sub(lambda m: m[0] if m[0].startswith('"') else " ", piece)
    return loads(text) if _words(text) in (_words(piece), _words(bare)) else None


def _words(text: str) -> list[str]:
    # Words and brackets: what was dropped, doubled, moved, completed or nested shows here; quotes and commas do not.
    return ["null" if word == "none" else word for word in _WORD.findall(text.casefold())]
