"""Where the fields of a case are in the records of a data set.

What a user says goes first, then where an export of another system has them, then a rule on keys,
which are read as words: ``inputs.chatInput`` has ``inputs``, ``chat`` and ``input``. The last word
says what a key holds, the words before it say of whom. Of the keys that fit, those nearest to the
top of the record go first, then those that say that the application made or retrieved it, then
those with the plainer word. Keys with the same values are one, and those that never stand in one
record. An expected answer is never the answer. ``fields.txt`` has the words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice
from typing import Any, NamedTuple

from ..conversations.conversation import Conversation, read_conversation
from ..conversations.events import EVIDENCE_ROLES, LOOK, OPENTELEMETRY, is_conversation, key_at
from ..conversations.plain_data import opened
from ..records.checks import as_mapping, mappings_in
from ..records.errors import InputError, option
from ..text.strings import clip, is_blank, key_words, lazy_pattern, names_of, sections, words_in
from .case import TEXT_KEYS, is_file_name, passages_of
from .paths import problem_of, quoted, value_at, without
from .systems import CASE_ALIASES, COLUMN_FIELDS, FROM, NAMES_INSIDE, SYSTEMS, Paths, names
from .table_process import text_of
from .written_lists import read_list

MAX_SHOWN = 40
"""Keys that a message names."""
MOST_NAMED = 3
"""Paths of a field that a note names."""
MAX_KEYS, MAX_DEPTH = 500, 4
"""Keys of a record that are looked at, and objects inside each other."""
LONG = 8
"""Different words of a text that is more than a title, a name or references."""

NOTHING: Mapping[str, Any] = {}
HELD = ("answer", "context", "question")
_PLAIN = lazy_pattern(r"\w+")
_ROOTS = {"output": "response.output", "providerResponse": "response", "test": "testCase"}
"""What an assertion of promptfoo calls parts of a record."""
_ROOT = lazy_pattern(r"(?<![\w.\"'`])(?:output|providerResponse|test)\b(?! ?\()")
_ADDRESS = lazy_pattern(r"\bhttps?://\S*")
_LINES = sections(__file__.removesuffix("py") + "txt")
WORDS = {name: set(text.split()) for name, text in _LINES.items()}
_ABOUT = WORDS["about"] | WORDS["by a judge"] | WORDS["expected"]
_HOLDS: Mapping[str, Mapping[str, int]] = {  # the last word of a key, and how plain it is
    field: {
        word: rank
        for rank, line in enumerate(_LINES[field].splitlines(), 1)
        for word in key_words(line)
    }
    for field in HELD
}
VAGUE = 2
"""How plain the words are that hold an answer only if a sentence is under them."""
LISTED = 9
"""How plain the words are that hold a context only if a list of objects is under them."""
_WHOLE = {field: set(_LINES[field].splitlines()[-1].split()) for field in HELD}


class Fields(NamedTuple):
    """Where the fields of a case are in records of one kind.

    Args:
        paths: for each field its paths. Of those with a value that fits, the first counts.
        mapping: what the user said.
        system: where the system that exported the records has them; empty for plain records.
        there: the fields that at least one of the records has.
        unclear: paths with different values, one of which must be the field.
        notes: what a person should know of how they were found.
    """

    paths: Paths
    mapping: Mapping[str, str]
    system: Paths = NOTHING
    there: frozenset[str] = frozenset()
    unclear: Paths = NOTHING
    notes: tuple[str, ...] = ()

    def read(self, record: Mapping[str, Any]) -> dict[str, tuple[str, Any]]:
        """The path and the value of each field that a record has."""
        found: dict[str, tuple[str, Any]] = {}
        asserted = _asserted(record) if self.system is SYSTEMS["promptfoo"] else NOTHING
        for field, paths in self.paths.items():
            inside = self.answers_in(record)[:1] if field == "answer" else []
            if field in asserted and field not in self.mapping:
                inside, paths = [], (asserted[field],)
            tried = ((path, value_at(record, path)) for path in (*inside, *paths))
            given = [(path, value) for path, value in tried if value is not None]
            if self.system and field in HELD:  # JSON in a text goes first, which may be one itself
                given = [*((path, opened(value)) for path, value in given), *given]
            fits = [(path, _fitting(field, value)) for path, value in given]
            if field == "context" and self.system and fits[2:]:  # what says something goes first
                fits.sort(key=lambda one: not any(map(_is_prose, _texts_of(one[1]))))
            if "messages" not in found:  # beside them, it may be something else
                own = (field, self.mapping.get(field))
                fits += [one for one in given if one[0] in own and not isinstance(one[1], Mapping)]
            if best := next((one for one in fits if one[1] is not None), None):
                found[field] = best
        if self.holders and "answer" not in found:
            found.pop("messages", None)  # they went in, and do not have it
        return found

    def split(self, record: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The fields of the case, and the other columns."""
        read = self.read(record)
        fields = {field: value for field, (_, value) in read.items()}
        dropped = {*(path for path, _ in read.values()), *self.system.get("repeated", ())}
        # By such a name a case says that it is missing.
        for name in () if self.system or fields.get("question") else CASE_ALIASES["question"]:
            if name in record and record[name] in (None, ""):
                fields[name] = record[name]
                dropped.add(name)
        rest = {name: value for name, value in record.items() if name not in dropped}
        for path in dropped.difference(record):
            rest = without(rest, path)
        return fields, rest

    @property
    def holders(self) -> list[str]:
        """Where a system has what an application said: nothing else in its records is an answer."""
        own = () if {"answer", "messages"} & self.mapping.keys() else self.system.get("answer", ())
        return [path for path in own if f"{path}.answer" in own]

    def answers_in(self, record: Mapping[str, Any]) -> list[str]:
        """Paths in what an application gave, if an object: its answer, or texts that may be it."""
        said = {at: as_mapping(opened(value_at(record, at))) for at in self.holders}
        own = {at: texts_in(one) for at, one in said.items() if not is_conversation([one])}
        found = ([f"{at}.{quoted(key)}" for key in keys] for at, keys in own.items())
        return next(filter(None, found), [])

    def lacking(self) -> str:
        """The first field without which no record can be graded; "" if there is none."""
        needed = () if "messages" in self.there else ("answer", "context")
        wanted = (*(field for field in self.mapping if field in COLUMN_FIELDS), *needed)
        return next((field for field in wanted if field not in self.there), "")

    def refusal(self, field: str, records: Sequence[Mapping[str, Any]], advice: str) -> str:
        """Why records without a field are not read, with their keys, and what would do: this
        ``advice``, where nobody can map columns.
        """
        paths = self.unclear.get(field, ())[:MOST_NAMED] or ("COLUMN",)
        uses = [option("mapping", {field: path}) for path in paths]
        if field in self.unclear:
            which = " and ".join(map(repr, paths))
            problem = f"which is the {field}? {which} differ"
        elif path := self.mapping.get(field, ""):
            wrong = problem_of(path) or f"{option('mapping', {field: path})} names no text in it"
            return f"no column for {field}: {wrong}; it has {_keys_in(records)}"
        elif is_conversation(records):
            return "each record is one message; join them into one, as a list under 'messages'"
        else:
            looked = f"Looked for {', '.join(names(field))}"
            problem = f"no column for {field}. {looked}; it has {_keys_in(records)}"
            uses.append(f"{option('mapping', {'messages': 'COLUMN'})} for chats")
        return problem + (advice or f". Use {' or '.join(uses)}")


def _asserted(record: Mapping[str, Any]) -> dict[str, str]:
    """Where a record of promptfoo has the fields that its assertion took, by what that says."""
    found: dict[str, str] = {}
    for part in mappings_in(value_at(record, "gradingResult.componentResults")):
        config = as_mapping(as_mapping(part.get("assertion")).get("config"))
        told = {**as_mapping(part.get("metadata")), **config}
        for field in (*HELD, "messages"):
            path = told.get(f"{field}From", told.get(f"{field}_from"))
            if isinstance(path, str):
                found.setdefault(field, _ROOT.sub(lambda root: _ROOTS[root[0]], path))
    return found


def texts_in(said: Mapping[str, Any]) -> list[str]:
    """The keys of an object's answer: one of our names, else of all other texts that may be it."""
    texts = {key: value.strip() for key, value in said.items() if isinstance(value, str)}
    if sure := [name for name in names("answer") if name in texts]:
        return sure[:1]
    first, *more = [name for name in NAMES_INSIDE["answer"] if name in texts] or [""]
    ranks = {key: rank for key in texts if first and (rank := _rank("answer", (key,)))}
    more += [key for key in ranks if ranks[key][2] == 1]  # a plain word for answers
    phrases = [key for key in more if " " in texts[key] or not texts[key].isascii()]
    different = {texts[key]: key for key in [first, *phrases][::-1] if key}
    return list(different.values())[::-1]


def is_said(keys: Iterable[str], *whose: str) -> bool:
    """Whether keys say that what is under them was ``expected``, or is ``by a judge``."""
    words = {word for key in keys for word in key_words(key)}
    return any(not words.isdisjoint(WORDS[one]) for one in whose)


# ---------------------------------------------------------------- finding


def find_fields(
    records: Sequence[Mapping[str, Any]], mapping: Mapping[str, str] = NOTHING
) -> Fields:
    """The fields by what the user said, by the system that exported the records, and by names; in
    these records of plain JSON also by all that their keys and values show.
    """
    named = mapping.get(FROM)
    system = SYSTEMS[named] if named else next(filter(None, map(_recognised, records)), NOTHING)
    keys = {key.casefold(): key for record in records for key in record}
    ids = (keys[name] for name in _LINES["ids"].split() if name in keys)
    usual = {field: names(field) for field in COLUMN_FIELDS}
    usual |= {
        "id": (next(ids, "id"),),
        "citation_audit": ("citation_audit", *SYSTEMS["masis"]["citation_audit"]),
    }
    own = {field: (path,) for field, path in mapping.items()}
    paths = {"id": ("id",), **system, **own} if system else usual | own
    # Messages go first: a log that has some may have other things under our names.
    paths = {field: paths[field] for field in ("messages", *COLUMN_FIELDS) if field in paths}
    fields = Fields(paths, mapping, system)
    used: dict[str, set[str]] = {}
    for record in records:
        for field, (path, _) in fields.read(record).items():
            used.setdefault(field, set()).add(path)
    real = [path for path in paths.get("context", ()) if path not in WORDS["may be expected"]]
    if system and not used.get("context", set()).isdisjoint(real):  # others have an ideal one
        fields = fields._replace(paths={**paths, "context": tuple(real)})
    inside = (path for path in used.get("answer", ()) if path.rpartition(".")[0] in paths["answer"])
    notes = [f"the answer is read from {path!r}{_beside(path, records)}" for path in sorted(inside)]
    for path in sorted(used.get("context", ())) if system and "context" not in mapping else ():
        said = [text for record in records for text in _texts_of(value_at(record, path))]
        why = "which came out with the answer" if path.startswith(tuple(fields.holders)) else ""
        if said and not any(one.startswith("file:") or _is_prose(one) for one in said):
            why = f"which says only {clip(said[0])!r}"
        use = f"; {option('mapping', {'context': 'PATH'})} names another"
        notes += [f"the context is read from {path!r}, {why}{use}"] * bool(why)
    fields = fields._replace(there=frozenset(used), notes=tuple(notes))
    if rivals := next((some for record in records if (some := fields.answers_in(record))[1:]), ()):
        return fields._replace(there=fields.there - {"answer"}, unclear={"answer": tuple(rivals)})
    return fields if named else _by_words(fields, records, used)


def _beside(path: str, records: Sequence[Mapping[str, Any]]) -> str:
    """What stands beside an answer that is only a part of its object, and is not judged."""
    over, _, name = path.rpartition(".")
    objects = [as_mapping(opened(value_at(record, over))) for record in records if over]
    others = dict.fromkeys(key for one in objects for key in one if key != name)
    return f"; {names_of(others)} beside it is not judged" if others else ""


def _by_words(
    fields: Fields, records: Sequence[Mapping[str, Any]], used: Mapping[str, set[str]]
) -> Fields:
    """The fields, and those that keys name by their words. ``used``: paths of the usual ones."""
    there, notes, unclear = set(used), [*fields.notes], dict[str, tuple[str, ...]]()
    paths = dict(fields.paths)
    wanted = [field for field in HELD if field not in fields.mapping]
    found = {field: _candidates(field, records) for field in wanted}
    if inside := tuple(f"{path}." for path in fields.holders):
        found["answer"] = [one for one in found.get("answer", ()) if one.path.startswith(inside)]
    filled = (field for field, some in found.items() if any(one.is_filled for one in some))
    has = {*fields.mapping, *there, *filled}
    chat = "messages" not in there and not {"answer", "context"} <= has
    chat = chat and ("answer" in has or not inside)
    if chat and (key := _find_chat(records, has_answer="answer" in has)):
        notes.append(f"the messages are read from {key!r}")
        paths["messages"] = (key,)
        there.add("messages")
        wanted = ["answer"] if "answer" in has and "answer" in wanted else []
    elif "messages" in used:
        chats = chats_at(records, used["messages"])  # what they lack stands beside them
        lacks = [not any(c.is_answered for c in chats), not any(c.passages for c in chats)]
        beside = {field for field, is_lacking in zip(HELD, lacks, strict=False) if is_lacking}
        wanted = [field for field in wanted if field in beside.union(used)]
    for field in wanted:
        own, candidates = used.get(field, set()), found[field]
        if not candidates or (own and fields.system):
            continue
        first, *others = candidates
        apart = [one for one in others if first.differs(one)]
        vague = VAGUE if field == "answer" else 0  # which of them is expected, by whatever name?
        least = (*first.rank[:2], max(vague, first.rank[2]))
        rivals = [one.path for one in apart if one.rank <= least]
        if rivals and field != "question":
            unclear[field] = (first.path, *rivals)
            there.discard(field)
            continue
        there.add(field)
        same = [one.path for one in others if one not in apart]
        if first.path not in own or own - {first.path, *same}:
            paths[field] = (first.path, *same)
        left = [one.path for one in apart if one.path in own or one.rank[0] == first.rank[0]]
        is_plain = first.path in own or key_words(first.path) in map(key_words, names(field))
        if not is_plain or own.intersection(left):
            other = f", not {' or '.join(map(repr, left[:MOST_NAMED]))}" if left else ""
            other += _beside(first.path, records) if field == "answer" else ""
            other += ", which is empty" * (not first.is_filled)
            notes.append(f"the {field} is read from {first.path!r}{other}")
    return fields._replace(paths=paths, there=frozenset(there), unclear=unclear, notes=tuple(notes))


_Rank = tuple[int, int, int]


class _Candidate(NamedTuple):
    """A path that may hold a field, with its rank, and what it has in which records."""

    path: str
    rank: _Rank
    values: dict[int, Any]

    @property
    def is_filled(self) -> bool:
        """Whether it is more than lists without passages."""
        return any(self.values.values())

    def differs(self, other: _Candidate) -> bool:
        """Whether a record has something else under the other path."""
        both = [n for n in self.values if self.values[n] and other.values.get(n)]
        return any(_as_one(self.values[n]) != _as_one(other.values[n]) for n in both)


def _candidates(field: str, records: Sequence[Mapping[str, Any]]) -> list[_Candidate]:
    """The paths that may hold a field by the rule above, the best first; empty ones last."""
    found, others = dict[str, _Candidate](), set[str]()
    for number, record in enumerate(records):
        for keys, value in _leaves(record):
            if rank := _rank(field, keys):
                path = _path(keys)
                if (text := _as_text(field, value, rank)) is not None:
                    found.setdefault(path, _Candidate(path, rank, {})).values[number] = text
                elif value:
                    others.add(path)

    def order(one: _Candidate) -> Any:
        passages = max(map(len, one.values.values())) if field == "context" else 0
        return not one.is_filled, one.rank, -passages  # those in a list before the same, joined

    fit = (one for one in found.values() if one.is_filled or one.path not in others)
    return sorted(fit, key=order)


# ---------------------------------------------------------------- keys


def _leaves(
    record: Mapping[str, Any], *, in_lists: bool = False
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values of a record and of the objects in it, each with the keys that lead to it.

    ``in_lists``: also those of the objects in a list, under the key ``[]``.
    """

    def walk(value: Mapping[str, Any], above: tuple[str, ...], room: int) -> Iterator[Any]:
        for key, inner in value.items():
            keys = (*above, str(key))
            yield keys, inner
            each = [(keys, inner)] if isinstance(inner, Mapping) else []
            if in_lists:
                each += [((*keys, "[]"), one) for one in mappings_in(inner)[:MAX_SHOWN]]
            for at, one in each if room else ():
                yield from walk(one, at, room - 1)

    return islice(walk(record, (), MAX_DEPTH - 1), MAX_KEYS)


def _path(keys: Sequence[str]) -> str:
    """The keys as a path for a mapping: JMESPath, where one is no plain word."""
    if len(keys) == 1 and keys[0] == keys[0].strip() and keys[0].isprintable():
        return keys[0]  # as it can be typed
    if all(map(_PLAIN.fullmatch, keys)):
        return ".".join(keys)
    return "".join(key if key == "[]" else f".{quoted(key)}" for key in keys).removeprefix(".")


def _keys_in(records: Sequence[Mapping[str, Any]]) -> str:
    """The paths to texts in records, for a message, the outermost first."""
    leaves = (leaf for record in records for leaf in _leaves(record, in_lists=True))
    found = {
        k for k, v in leaves if not isinstance(v, int | float | Mapping) and not mappings_in(v)
    }
    return _shown(
        (path for _, path in sorted((len(keys), _path(keys)) for keys in found)), MAX_SHOWN
    )


def _shown(paths: Iterable[str], most: int) -> str:
    """The first paths for a message, each once."""
    unique = list(dict.fromkeys(clip(path) for path in paths))
    more = f" and {len(unique) - most} more" if len(unique) > most else ""
    return (", ".join(unique[:most]) or "none") + more


@lru_cache(4_096)  # all records have the same keys
def _rank(field: str, keys: tuple[str, ...]) -> _Rank | None:
    """How well the keys fit a field; the lowest fits best. None: not at all."""
    plain = [key_words(key.partition("(")[0]) for key in keys]  # without a remark in brackets
    words, last = [word for some in plain for word in some], plain[-1]
    if not last or last[-1] == "model":  # ``generation.model`` names one
        return None
    whose, others = WORDS[f"{field} is made"], list[str]()
    while len(words) > 1 and (words[-1] in whose | WORDS["endings"] or words[-1].isdigit()):
        others.append(words.pop())
    holds = _HOLDS[field].get(words[-1]) if words else None
    others += words[:-1]
    if holds is None and field == "context" and {*words, *others} & WORDS["context is listed"]:
        holds, others = LISTED, [*others, words[-1]]
    if holds is None or (last[1:] and last[-1] in _WHOLE[field]):
        return None
    of_what = {*last[:-1]} - whose - WORDS["endings"]  # a tool's output, a summary of sources
    is_other = field == "answer" and of_what and ("tool" in of_what or holds > VAGUE)
    if is_other or not _ABOUT.isdisjoint(others):
        return None
    own = {name.replace("_", "") for name in names(field) if name not in WORDS["may be expected"]}
    made = not whose.isdisjoint(others) or "".join(keys).replace("_", "").lower() in own
    return (len(keys), not made, 1 if field == "answer" and made else holds)


# ---------------------------------------------------------------- values


def _fitting(field: str, value: Any) -> Any:
    """A value as a case takes it; None where it cannot be that of the field."""
    if field == "messages":
        chat = opened(value)
        requests = (*WORDS["a request"], *OPENTELEMETRY)
        is_request = isinstance(chat, Mapping) and any(map(chat.get, requests))
        return value if is_request or is_conversation(chat) else None
    if field == "context":
        value = _of_tools(read_list(value))
        if isinstance(value, list):
            return [read_list(one, of_one=True) for one in value]
        return value if not isinstance(value, Mapping) or _texts_of(value) else None
    written = read_list(value) if str(value)[:1] == "{" else value
    value = written if is_conversation([written]) else value
    if field not in HELD or isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return text_of(value)  # as of a cell in Excel
    speaker = "assistant" if field == "answer" else "user"
    said = [{"role": speaker, **value}] if isinstance(value, Mapping) else value
    if mappings_in(said) and not is_conversation(said):
        said = [{"role": speaker, "content": said}]  # blocks of content
    chats = [{"chat": said}] if is_conversation(said) else []
    read = chats_at(chats, ["chat"], has_answer=field == "question")
    return next((one.answer if field == "answer" else one.question for one in read), None)


def _as_text(field: str, value: Any, rank: _Rank) -> Any:
    """A value that can be one of the field, for comparing; None if it cannot be one."""
    if field != "context":
        is_text = isinstance(value, str) and not is_blank(value)
        is_vague = (field, rank[2]) == ("answer", VAGUE)
        return value.strip() if is_text and (not is_vague or _is_prose(value)) else None
    value = read_list(value)
    first = value[:MAX_KEYS] if isinstance(value, list) else value
    inside = _of_tools(first)
    texts = _texts_of(inside)
    is_vague = inside is first and rank[2] > 1 and 2 * sum(map(_is_prose, texts)) < len(texts)
    if is_vague or (texts and all(map(is_file_name, texts))):
        return None  # names of files, ids, addresses
    if rank[2] == LISTED and not mappings_in(inside):
        return None
    return texts if texts or value == [] else None


def _of_tools(value: Any) -> Any:
    """Calls of tools with what was returned, as the message that has them; else the value."""
    items = opened(value)
    calls = [{key.removeprefix("tool_"): one[key] for key in one} for one in mappings_in(items)]
    named = [one for one in calls if isinstance(key_at(one, "name"), str)]
    returned = any(key_at(one, "inline") is not None for one in named)
    are_all = returned and len(named) == len(items) and TEXT_KEYS.isdisjoint(chain(*calls))
    return [{"role": "assistant", "content": "", "tools_called": calls}] if are_all else value


def _texts_of(context: Any) -> tuple[str, ...]:
    """The texts of the passages of a context; none if it is no context."""
    with suppress(InputError):
        return tuple(passage.text.strip() for passage in passages_of(read_list(context)))
    return ()


def _as_one(value: Any) -> str:
    """A text as it is; those of passages as one, without what may stand between them."""
    return value if isinstance(value, str) else "".join("".join(value).replace("|", " ").split())


def _is_prose(text: str) -> bool:
    """Whether a text says something: it is no id, title, name of a file, or list of addresses."""
    start = _ADDRESS.sub(" ", text[:500]).strip()
    words = list(filter(str.isalpha, words_in(start)))
    is_sentence = len(words) > 2 and start[-1] in ".!?。！？"
    return not is_file_name(text) and (is_sentence or len(set(words)) >= LONG)


# ---------------------------------------------------------------- messages


def _find_chat(records: Sequence[Mapping[str, Any]], *, has_answer: bool) -> str:
    """The key of a list of messages, or its JSON text; "" if there is none.

    It ends with an assistant's message, or has what a tool returned: beside an answer it must have
    that. Others are prompts.
    """
    for keys, value in (leaf for record in records for leaf in _leaves(record)):
        chat, path = opened(value), _path(keys)
        if not is_conversation(chat) or is_said(keys, "expected", "by a judge"):
            continue
        others = (opened(value_at(record, path)) for record in records)
        if all(is_conversation(one) for one in others if one and isinstance(one, list)):
            for one in chats_at([{"chat": chat[:LOOK]}], ["chat"]):
                if one.passages or (not has_answer and one.question and one.is_answered):
                    return path
    return ""


def chats_at(
    records: Iterable[Mapping[str, Any]], paths: Iterable[str], *, has_answer: bool = True
) -> list[Conversation]:
    """The conversations at these paths that can be read."""
    chats = list[Conversation]()
    for given in (opened(value_at(record, path)) for path in paths for record in records):
        with suppress(InputError):
            if given:
                chats.append(read_conversation(given, EVIDENCE_ROLES, has_answer=has_answer))
    return chats


# ---------------------------------------------------------------- systems


def _recognised(record: Mapping[str, Any]) -> Paths:
    """The first system whose marks a record has."""
    for system in SYSTEMS.values():
        for way in system.get("marks", ()):
            if all(value_at(record, at) is not None for at in way.split()):
                return system
    # the table that promptfoo writes has each output in a column ``[provider] prompt``
    outputs = [quoted(key) for key in record if key.startswith("[") and "Grader Reason" in record]
    inside = [f"{at}.{name}" for at in outputs for name in NAMES_INSIDE["answer"]]
    return {**NAMES_INSIDE, "answer": (*outputs, *inside)} if outputs else NOTHING


# ---------------------------------------------------------------- reading


def read_record(
    values: dict[str, Any], where: Fields
) -> tuple[dict[str, Any], dict[str, Any], str]:
    """The fields of a case in a row, the other columns, and what is wrong or "": then the fields
    are its id alone.
    """
    fields, columns = where.split(values)
    needed = () if "messages" in fields else ("answer", "context")
    lacks = [name for name in needed if name in where.there and name not in fields]
    if failed := application_error(values, fields):
        problem = f"answer: missing, because the application failed: {clip(failed)}"
    elif lacks:
        read, has = _shown(where.paths[lacks[0]], MOST_NAMED), _keys_in([values])
        problem = f"{lacks[0]}: missing or null; it is read from {read}; this record has {has}"
    else:
        return fields, columns, ""
    return {"id": fields["id"]} if "id" in fields else {}, columns, problem


def application_error(record: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """What a record without an answer says of the application that failed; else ""."""
    has_answer = any(isinstance(fields.get(name), str | list) for name in ("answer", "messages"))
    errors = (value_at(record, path) for path in ("error", "response.error") if not has_answer)
    return next((error for error in errors if isinstance(error, str) and error.strip()), "")
