"""Verdicts in JSON: an object with a label is a row, and what contains rows is a wrapper.

A row's known keys are its parts. Every other key with something in it is residue, of the row or of
the reply, so that nothing which a judge writes into its JSON is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ..records.checks import is_whole
from ..records.model import Label
from ..text.strings import clean_text, is_blank, lazy_pattern, sections
from .gate import is_flaw
from .rows import UNPLACED, Labels, Row, Said, has_rows, is_key, leading_label, parse_label
from .unwrapping import Pairs, leaves, split_json

_KEYS = {
    name: frozenset(words.split())
    for name, words in sections(__file__.removesuffix("json_form.py") + "words/keys.txt").items()
}
IDS, WRAPPERS = _KEYS["ids"], _KEYS["wrappers"]
_CLOSED = ("statements", "reasons", "evidence")  # there are no verdicts under these keys
_PARTS = {key: part for part in ("labels", "ids", *_CLOSED) for key in _KEYS[part]}
EVEN = 0.5  # a judge that is no surer of a label than this has a doubt
DEEPEST = 4  # levels of wrappers around rows, as in a tool call
_ID = lazy_pattern(
    r"(?i)(?:(?:statement|claim|sentence|verdict|no|s|c|v|#)(?:[\s_.#]{0,3}|-))?(\d{1,9})[.):]?"
)
_NUMBERS = lazy_pattern(r"[\[(]?\s*[CcSs]?\d{1,9}(?:\s?[,;]\s?[CcSs]?\d{1,9})*\s*[\])]?")
_SHARE = lazy_pattern(r"(-?\d{1,3}(?:\.\d{1,20})?)\s?(%?)", re.ASCII)
_WORD_OF_KEY = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")
_RATING = lazy_pattern(
    r"overall|final|label|verdict|score|rating|grade|level|value|support|faithful\w*|grounded\w*"
    r"|accura\w*|factual\w*|confiden\w*|certain\w*|probab\w*"
)
_NOTHING = {"false", "0", "0.0", "none", "no", "n/a", "null", "nothing"}
_MARKS = ("C", "D", "E", "F")  # of what is not good
_IDENTIFIER = lazy_pattern(r"[\w\-.]*[a-zA-Z][\w\-.]*")


@lru_cache(maxsize=256)
def key_of(name: str) -> str:
    """A key reduced to lower-case letters and digits: ``Is_Supported`` equals ``isSupported``."""
    return re.sub(r"[\W_]+", "", name[:200].casefold())


def read_id(value: object) -> int | None:
    """A statement's number: 3, "3", "S3", "statement_3". True is not a number."""
    if is_whole(value):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    match = _ID.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 40 else None
    return int(match[1]) if match else None


def read_json(text: str, labels: Labels = None) -> Said:
    """What a reply's JSON says, and the text around it."""
    values, around = split_json(text)
    said: Said = [*around]
    alone = len(values) == 1 and is_blank("".join(around))
    for value in values:
        # A bare list between prose may be a choice, ["yes", "no"].
        is_choice = not alone and isinstance(value, list) and not any(map(_is_nested, value))
        said += said_by("", value) if is_choice else _said_in("", value, labels, DEEPEST)
    return said


def _said_in(key: str, value: Any, labels: Labels, depth: int, number: int | None = None) -> Said:
    """What a key and its value say: rows, of those under this number, and texts.

    The items of a list have no keys.
    """
    name, own = key_of(key), read_id(key) if key else None
    number = number if own is None else own
    inner: Sequence[tuple[str, Any]] = ()
    said: Said = []
    is_row = False
    if depth < 0 or _PARTS.get(name) in _CLOSED:
        return [*said_by(key, value)]
    if isinstance(value, Pairs):
        is_row = any(_is_label(name, item) for name, item in value)
        lists = (item for _, item in value if isinstance(item, list))
        if not is_row or any(_is_nested(item) for items in lists for item in items):
            inner = value
    elif isinstance(value, list) and any(map(_is_nested, value)):
        inner = [("", item) for item in value]
    elif isinstance(value, list) and not any(type(item) is int for item in value):
        known = [parse_label(item, labels) for item in value]
        said = [Row(number, label) for label in known] if all(known) else []
    elif own is not None and (label := parse_label(value, labels)):
        return [Row(own, label)]
    elif isinstance(value, str) and own is None and value.lstrip()[:1] in ("{", "["):
        values, around = split_json(clean_text(value))  # as in a tool call
        said, inner = [*around], [("", item) for item in values]
    for inner_key, item in inner:
        said += _said_in(inner_key, item, labels, depth - 1, number)
    if not has_rows(said):
        if not is_row:
            return [*said_by(key, value)]
        said = [_row(value, labels, number)]
    return [key, *said] if key and own is None and name not in WRAPPERS else said


def _is_label(key: str, value: Any) -> bool:
    return _PARTS.get(key_of(key)) == "labels" and not _is_nested(_alone(value))


def _alone(value: Any) -> Any:
    """The word of a list that has one. A number may be that of a statement: "supported": [1]."""
    return value[0] if type(value) is list and [*map(type, value)] == [str] else value


def _row(value: Pairs, labels: Labels, number: int | None) -> Row:
    """The row that an object is. It has a label if all its label keys have the same one."""
    own: list[int | None] = [] if number is None else [number]
    said: set[Label | None] = set()
    numbers: list[int] = []
    texts: dict[str, list[str]] = {"statements": [], "quote": [], "reasons": [], "label": []}
    residue: list[str] = []
    for key, item in value:
        part = _PARTS.get(key_of(key), "")
        if part == "ids" and item is not None:
            own.append(read_id(item))
        elif _is_label(key, item):
            item = _alone(item)
            known, rest = parse_label(item, labels), ""
            if known is None and isinstance(item, str):  # "Yes, it does"
                known, rest = leading_label(item, labels)
            said.add(known)
            rest = rest.strip(" .,;:!'\"*_`-–—\ufe0f")
            texts["reasons" if known == "partially_supported" else "label"].append(rest)
            residue += [] if known else said_by(key, item)
        elif part in texts and isinstance(item, str):
            texts[part].append(clean_text(item))
        elif part == "evidence":
            for _, at in leaves(item):
                if is_whole(at) or (isinstance(at, str) and _NUMBERS.fullmatch(at.strip())):
                    numbers += map(int, re.findall(r"-?\d+", str(at)))
                elif isinstance(at, str) and at.strip():
                    texts["quote"].append(clean_text(" ".join(at.split())))
        else:
            low = _is_low(words := words_of_key(key), item)
            residue += said_by(key, item) if low is None else [f"{words}: {item}, low"] * low
    label = said.pop() if len(said) == 1 else None
    if len(set(own)) > 1 or None in own:  # two numbers, or one that cannot be read
        own = [UNPLACED]
    residue += [f"label: {rest}" for rest in texts["label"] if rest.strip("()")]
    statement, *more = texts["statements"] or [""]
    return Row(
        own[0] if own else None,
        label,
        tuple(numbers),
        statement,
        "\n".join(texts["quote"]),
        " ".join(filter(None, texts["reasons"])),
        (*residue, *more),
    )


def _is_low(words: str, value: Any) -> bool | None:
    """Whether a rating or a confidence is low, up to 1, with a percent sign, or from A to F.

    None if it is none: its key has other ``words``, as one that rates what is wrong, or its value
    is no number.
    """
    match = _SHARE.fullmatch(str(value).strip()) if type(value) is not bool else None
    if not (words and all(map(_RATING.fullmatch, words.split(" ")))):
        return None
    if match is None:
        return True if value in _MARKS else None
    return float(match[1]) <= EVEN * (100 if match[2] else 1)


def said_by(key: str, value: Any) -> list[str]:
    """What a key and its value say; [] if there is nothing in the value.

    A false or a zero says nothing under a key that denies: ``"contradictions": 0``.
    """
    if isinstance(value, Pairs):
        return [text for name, item in value for text in said_by(f"{key} {name}".lstrip(), item)]
    if value == [] and parse_label(key) == "supported":
        return [f"{key}: nothing"]
    if isinstance(value, list):
        return [text for item in value for text in said_by("" if len(key) > 40 else key, item)]
    if value in (None, "") or (key == "ask" and (type(value) is not str or is_key(value))):
        return []
    if str(value).lower() in _NOTHING and is_flaw(words_of_key(key)):
        return []
    shown = clean_text(str(value))
    return [shown if key_of(key) in WRAPPERS else f"{words_of_key(key)}: {shown}"]


def words_of_key(key: str) -> str:
    """A key as words: ``numUnsupported`` and ``num_unsupported`` are "num unsupported"."""
    plain = _IDENTIFIER.fullmatch(key[:200])
    return " ".join(_WORD_OF_KEY.findall(key[:200])).lower() if plain else key[:200]


def _is_nested(value: Any) -> bool:
    return isinstance(value, list | Pairs)
