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
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

from ..conversations.conversation import end_with_assistant, read_conversation
from ..conversations.events import EVIDENCE_ROLES, ROLES
from ..conversations.messages import LOOK, is_conversation
from ..records.errors import InputError
from ..text.strings import is_blank, key_words, lazy_pattern, sections
from .case import passages_of
from .paths import opened, value_at
from .plain_data import read_list
from .systems import names

MAX_KEYS = 500
"""Keys of a record that are looked at."""
MAX_DEPTH = 4
"""Objects inside each other in which keys are looked at."""
MAX_CHAT = 1_000_000
"""Characters of a JSON text that may be a list of messages."""
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
_ASSISTANTS = [word for word, role in ROLES.items() if role == "assistant"]
_INSIDE = 9
"""How plain the key is of a list of texts somewhere in an object that is called the context."""
_JUDGE = {*_WORDS["by a judge"]}
_ABOUT = {*_WORDS["about"], *_JUDGE}
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
    said = set[tuple[str, ...]]()
    for number, record in enumerate(records):
        for keys, value in _leaves(record):
            is_said = field == "answer" and keys[:-1] in said and keys[-1] == "content"
            if isinstance(value, Mapping) and str(value.get("role")).lower() in _ASSISTANTS:
                said.add(keys)
            if (rank := (len(keys), 0, 0) if is_said else _rank(field, keys)) is not None:
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


def find_chat(records: Iterable[Mapping[str, Any]], *, has_answer: bool) -> str:
    """The key of a list of messages, or its JSON text; "" if there is none.

    It ends with an assistant's message, or has what a tool returned: beside an answer it must have
    that. Others are prompts.
    """
    for keys, value in (leaf for record in records for leaf in _leaves(record)):
        is_long = isinstance(value, str) and len(value) > MAX_CHAT
        chat = value if is_long else opened(value)
        by_a_judge = any(not _JUDGE.isdisjoint(key_words(key)) for key in keys)
        if is_conversation(chat) and not (by_a_judge or is_expected(*keys)):
            with suppress(InputError):
                found = read_conversation(chat[:LOOK], EVIDENCE_ROLES, has_answer=has_answer)
                is_whole = not has_answer and found.question and end_with_assistant(chat[-1:])
                if found.passages or is_whole:
                    return _path(keys)
    return ""


def has_evidence(records: Iterable[Mapping[str, Any]], paths: Iterable[str]) -> bool:
    """Whether messages at one of these paths have what a tool returned, or documents."""
    for chat in _chats(records, paths):
        with suppress(InputError):
            if read_conversation(chat, EVIDENCE_ROLES, has_answer=True).passages:
                return True
    return False


def are_prompts(records: Iterable[Mapping[str, Any]], paths: Iterable[str]) -> bool:
    """Whether messages at these paths end with what a user said: the answer is elsewhere."""
    with suppress(InputError):
        return not any(end_with_assistant(chat) for chat in _chats(records, paths))
    return False


def _chats(records: Iterable[Mapping[str, Any]], paths: Iterable[str]) -> Iterator[Any]:
    found = (opened(value_at(record, path)) for path in paths for record in records)
    yield from (chat for chat in found if chat)


def similar_key(field: str, records: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """The path that may be meant, though the rule does not take it, and why it does not or ""."""
    best: list[tuple[Any, ...]] = []
    for record in records:
        for keys, value in _leaves(record, in_lists=True):
            words = {word for key in keys for word in key_words(key)}
            ends = not _HOLDS[field].keys().isdisjoint(key_words(keys[-1])[-1:])
            expected = is_expected(*keys)
            says = isinstance(value, str) and (field == "answer" or _is_prose(value))
            likely = says and not (expected or words & {*_ABOUT, "title", "url"})
            is_text = likely and (ends or field == "context" or len(value.split()) > 2)
            if is_text and not words.isdisjoint(_HOLDS[field]):
                best.append((0, not ends, len(keys), len(best), keys))
            elif ends and isinstance(value, str | list):
                best.append((1, not says, len(keys), len(best), keys))
            elif field == "context" and isinstance(value, list) and not words & _ABOUT:
                if not _as_text(field, value, (0, 0, _INSIDE)):
                    continue
                says_so = len(words.intersection(_WORDS["expected"]))
                best.append((2, says_so, len(keys), len(best), keys))
    if not best:
        return "COLUMN", ""
    keys = min(best)[-1]
    path = _path(keys).replace("[]", "[]" if field == "context" else "[0]")
    return path, f". {path!r} seems to be what is expected" if is_expected(*keys) else ""


def is_expected(*keys: str) -> bool:
    """Whether keys say that what is under them was expected."""
    return any(not set(_WORDS["expected"]).isdisjoint(key_words(key)) for key in keys)


def _leaves(
    record: Mapping[str, Any], *, in_lists: bool = False
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The first values of a record and of the objects in it, each with the keys that lead to it.

    ``in_lists``: also those of the first object in a list, under the key ``[]``.
    """

    def walk(
        inner: Mapping[str, Any], above: tuple[str, ...]
    ) -> Iterator[tuple[tuple[str, ...], Any]]:
        for key, value in inner.items():
            keys = (*above, str(key))
            yield keys, value
            if in_lists and isinstance(value, list) and value:
                keys, value = (*keys, "[]"), value[0]
            if isinstance(value, Mapping) and len(keys) < MAX_DEPTH + in_lists:
                yield from walk(value, keys)

    return islice(walk(record, ()), MAX_KEYS)


def _path(keys: Sequence[str]) -> str:
    """The keys as a path for a mapping: JMESPath, where one is no plain word."""
    if len(keys) == 1:
        return keys[0]
    steps = (k if _PLAIN.fullmatch(k) or k == "[]" else json.dumps(k) for k in keys)
    return ".".join(steps).replace(".[]", "[]")


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
    if not holds and field == "context" and words and words[-1] in _WORDS["inside a context"]:
        holds = _INSIDE if any(key in ("context", "contexts") for key in keys[:-1]) else None
    if holds is None or not {*_ABOUT, *_WORDS["expected"]}.isdisjoint(words):
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
    if rank[2] == _INSIDE and not isinstance(value, list):
        return None
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
    if sum(char > "\u3040" for char in start) >= SHORT:
        return True
    if words > 2:
        is_long = words >= LONG and len(set(_LETTERS.findall(start))) >= VARIED
        return start[-1] in ".!?" or is_long
    return len(start) >= SHORT and not start.isascii()
