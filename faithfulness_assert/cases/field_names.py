"""Which keys of a record hold the answer, the context and the question: a rule, not a list.

A key is read as words: ``inputs.chatInput`` has ``inputs``, ``chat`` and ``input``. Its last word
says what it holds, the words before it say of whom. Of the keys that fit, those nearest to the top
of the record go first, then those that say that the application made or retrieved it, then those
with the plainer word. Keys of one rank with the same values are one. An expected answer is never
the answer.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ..conversations.events import ROLES
from ..records.errors import InputError
from ..text.strings import is_blank, key_words, lazy_pattern, sections
from .case import passages_of
from .plain_data import read_list
from .systems import names

MAX_KEYS = 500
"""Keys of a record that are looked at."""
MAX_DEPTH = 4
"""Objects inside each other in which keys are looked at."""
SHORT = 15
"""Characters of a text in a language without spaces that may be a name or a number."""
LONG, VARIED = 8, 5
"""Words of a text that is more than a title, and different ones in it: more than references."""

_PLAIN = lazy_pattern(r"\w+")
_LETTERS = lazy_pattern(r"[^\W\d_]{2,}")
_FILE = lazy_pattern(r"\.[a-zA-Z]{1,4}[0-9]?$|^\w+://")
_LINES = sections(__file__.removesuffix("py") + "txt")
_WORDS = {name: text.split() for name, text in _LINES.items()}
HELD = ("answer", "context", "question")
_HOLDS: Mapping[str, Mapping[str, int]] = {  # the last word of a key, and how plain it is
    field: {
        word: rank
        for rank, line in enumerate(_LINES[field].splitlines(), 1)
        for word in line.split()
    }
    for field in HELD
}
_MAY_BE_GOLD = {"answer", "context", "evidence"}
"""Our own names that may also be what is expected, where there is another."""
_A_TURN = "user_content"
"""The key of an eval case of the ADK with what was asked."""


class Candidates(NamedTuple):
    """The keys for a field.

    ``paths``: the best ones, with values that differ; more than one: which it is, is not known.
    ``same``: keys with the values of the first. ``others``: of a lower rank, best first.
    """

    paths: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def find_field(field: str, records: Sequence[Mapping[str, Any]]) -> Candidates:
    """The keys of these records that hold a field, by the rule above."""
    ranks: dict[str, tuple[int, ...]] = {}
    values: dict[str, list[Any]] = {}
    filled = Counter[str]()
    for number, record in enumerate(records):
        for keys, value in _leaves(record):
            if (rank := _rank(field, keys)) is not None:
                path = _path(keys)
                filled[path] += bool(value)
                if (text := _as_text(field, value, rank)) is not None:
                    ranks[path] = rank
                    values.setdefault(path, [None] * len(records))[number] = text
    usual = [p for p in ranks if 2 * sum(text is not None for text in values[p]) >= filled[p]]
    ordered = sorted(usual, key=ranks.__getitem__)  # the others are seldom what their name says
    same, best, others = list[str](), list[str](), list[str]()
    for path in ordered:
        pairs = zip(values[ordered[0]], values[path], strict=True)
        both = [(a, b) for a, b in pairs if a is not None and b is not None]
        if path != ordered[0] and both and all(a == b for a, b in both):
            same.append(path)
        else:
            (best if ranks[path] == ranks[ordered[0]] else others).append(path)
    return Candidates(tuple(best), tuple(same), tuple(others))


def find_chat(records: Iterable[Mapping[str, Any]]) -> str:
    """The key of a list of messages, one of them an assistant's; "" if there is none."""
    for keys, value in (leaf for record in records for leaf in _leaves(record)):
        if is_chat(value) and not is_expected(*keys):
            said = {ROLES.get(_speaker(one)) for one in value}
            if "assistant" in said or _A_TURN in value[0]:
                return _path(keys)
    return ""


def is_chat(value: Any) -> bool:
    """Whether a value is a list of messages, each of which says whose it is, and one is known."""
    items = value if isinstance(value, list) else []
    spoken = [_speaker(one) if isinstance(one, Mapping) else "" for one in items]
    return all(spoken) and any(one in (*ROLES, "function_call", _A_TURN) for one in spoken)


def _speaker(message: Mapping[str, Any]) -> str:
    """Who says a message, or that it is a turn of a question and an answer; "" if it is neither."""
    if "user_content" in message:
        return _A_TURN
    content = message.get("content")  # of an event of the ADK, whose author is an agent
    inner = content if isinstance(content, Mapping) and "role" in content else message
    said = next((inner[key] for key in ("role", "from", "author") if key in inner), "")
    return "assistant" if isinstance(said, Mapping) else str(said).strip().lower()


def similar_key(field: str, records: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """The key that may be meant, though the rule does not take it, and why it does not or ""."""
    for record in records:
        for keys, value in _leaves(record):
            last = key_words(keys[-1])[-1:]
            if isinstance(value, str | list) and not _HOLDS[field].keys().isdisjoint(last):
                path = _path(keys)
                note = f". {path!r} seems to be what is expected"
                return path, note if is_expected(*keys) else ""
    return "COLUMN", ""


def is_expected(*keys: str) -> bool:
    """Whether keys say that what is under them was expected."""
    return any(not set(_WORDS["expected"]).isdisjoint(key_words(key)) for key in keys)


def _leaves(record: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The first values of a record and of the objects in it, each with the keys that lead to it."""

    def walk(
        inner: Mapping[str, Any], above: tuple[str, ...]
    ) -> Iterator[tuple[tuple[str, ...], Any]]:
        for key, value in inner.items():
            keys = (*above, str(key))
            yield keys, value
            if isinstance(value, Mapping) and len(keys) < MAX_DEPTH:
                yield from walk(value, keys)

    return islice(walk(record, ()), MAX_KEYS)


def _path(keys: Sequence[str]) -> str:
    """The keys as a path for a mapping: JMESPath, where one is no plain word."""
    if len(keys) == 1:
        return keys[0]
    return ".".join(key if _PLAIN.fullmatch(key) else json.dumps(key) for key in keys)


def _rank(field: str, keys: Sequence[str]) -> tuple[int, ...] | None:
    """How well the keys fit a field; the lowest fits best. None: not at all."""
    words = [word for key in keys for word in key_words(key.partition("(")[0])]
    by_whom = set(_WORDS[f"{field} is made"])
    made = not by_whom.isdisjoint(words)
    last = key_words(keys[-1].partition("(")[0])
    if not last or by_whom.issuperset(last) or last[-1] == "model":
        return None  # ``generation.model`` and ``generation_model`` name one
    while len(words) > 1 and (words[-1] in by_whom.union(_WORDS["endings"]) or words[-1].isdigit()):
        words.pop()
    holds = _HOLDS[field].get(words[-1]) if words else None
    if holds is None or not {*_WORDS["about"], *_WORDS["expected"]}.isdisjoint(words):
        return None
    made |= len(keys) == 1 and keys[0] in names(field) and keys[0] not in _MAY_BE_GOLD
    return (len(keys), not made, 0 if field == "answer" and made else holds)


def texts_of(context: Any) -> tuple[str, ...]:
    """The texts of the passages of a context. Raises ``InputError`` if it is none."""
    return tuple(passage.text.strip() for passage in passages_of(context))


def _as_text(field: str, value: Any, rank: tuple[int, ...]) -> Any:
    """A value that can be one of the field, for comparing; None if it cannot be one."""
    if field != "context":
        return value.strip() if isinstance(value, str) and not is_blank(value) else None
    try:
        texts = texts_of(read_list(value) if isinstance(value, str) else value)
    except InputError:
        return None
    if rank[2] > 1 and 2 * sum(map(_is_prose, texts)) < len(texts):
        return None  # names of files, ids, addresses
    return texts or None


def _is_prose(text: str) -> bool:
    """Whether a text says something: it is no id, address, title, or name of a file."""
    start = text[:500].strip()
    words = len(start.split(None, LONG))
    if _FILE.search(start):
        return False
    if words > 2:
        is_long = words >= LONG and len(set(_LETTERS.findall(start))) >= VARIED
        return start[-1] in ".!?" or is_long
    return len(start) >= SHORT and not start.isascii()
