"""Where the fields of a case are in the records of a data set.

What a user says goes first, then where an export of another system has them, then our names and
those of other systems together with keys whose words say what they hold: see ``field_names``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple

from ..conversations.conversation import read_conversation
from ..conversations.events import OPENTELEMETRY
from ..conversations.messages import is_conversation
from ..records.errors import InputError, option
from ..text.strings import clip, key_words, names_of
from .case import passages_of
from .field_names import HELD, Candidates, are_prompts, find_chat, find_field, similar_key, texts_of
from .paths import opened, value_at, without
from .plain_data import read_list, record_as_json
from .systems import COLUMN_FIELDS, FROM, SYSTEMS, Paths, System, names

MAX_SHOWN = 40
"""Keys that a message names."""
NOTHING: Mapping[str, Any] = MappingProxyType({})
_IDS = ("id", "case_id")
_ABSENT = object()
_REQUEST = ("messages", "contents", *OPENTELEMETRY)
"""What a mapping has that is a request of an API, or a span of OpenTelemetry."""
_OF_A_MESSAGE = ("role", "from", "type", "parts", "content", "messages")


class Fields(NamedTuple):
    """Where the fields of a case are in records of one kind.

    Args:
        paths: for each field its paths. Of those with a value that fits, the first counts.
        mapping: what the user said.
        system: the system that exported the records; None for plain records.
        there: the fields that at least one of the records has by which they were found.
        unclear: paths with different values, one of which must be the field.
        notes: what a person should know of how they were found.
        takes_mapping: whether the user can say where they are, as with files.
    """

    paths: Paths
    mapping: Mapping[str, str]
    system: System | None = None
    there: frozenset[str] = frozenset()
    unclear: Paths = NOTHING
    notes: tuple[str, ...] = ()
    takes_mapping: bool = True

    def used(self, record: Mapping[str, Any]) -> dict[str, str]:
        """The path of each field that a record has, opened."""
        chosen: dict[str, str] = {}
        for field, paths in self.paths.items():
            values = {path: value_at(record, path, _ABSENT) for path in paths}
            if field == "question" and not (self.system or field in self.mapping):
                values = {p: v for p, v in values.items() if not isinstance(v, list | dict)}
            fitting = [path for path, value in values.items() if _fits(field, value)]
            # One that does not fit is told, but in a log beside messages it means something else.
            own = (field,) if field == "messages" else names(field)  # turns may be other things
            usual = paths if field in self.mapping else own
            there = [p for p, v in values.items() if p in usual and v is not _ABSENT]
            if fitting or (there and "messages" not in chosen):
                chosen[field] = (fitting or there)[0]
        if self.system and "context" in chosen:
            chosen.pop("messages", None)  # only a system that keeps no context apart from them
        return chosen

    def opened(self, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """The record. In an export, cells of JSON text are what they contain."""
        if not self.system or not self.system.cells:
            return record
        read = {name: opened(v) if name in self.system.cells else v for name, v in record.items()}
        answers = self.paths["answer"]
        if not any(_fits("answer", value_at(read, path)) for path in answers):
            read |= {cell: record[cell] for cell in answers if cell in record}
        return read

    def split(self, record: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The fields of the case, by names that a ``Case`` knows, and the other columns."""
        record = self.opened(record)
        used = self.used(record)
        fields: dict[str, Any] = {}
        dropped = {*used.values(), *(self.system.repeated if self.system else ())}
        for field, path in used.items():
            if self.system or path not in names(field):
                value = value_at(record, path)
                fields[field] = _said(field, value) if self.system else value
            else:  # a case says where two names have different values
                same = {name: record[name] for name in self.paths[field] if name in record}
                fields |= same
                dropped |= same.keys()
        rest = {name: value for name, value in record.items() if name not in dropped}
        for path in dropped.difference(record):
            rest = without(rest, path)
        return fields, rest

    def lacking(self) -> str:
        """The first field without which no record can be graded; "" if there is none."""
        needed = () if "messages" in self.there else ("answer", "context")
        wanted = (*(field for field in self.mapping if field in COLUMN_FIELDS), *needed)
        return next((field for field in wanted if field not in self.there), "")

    def refusal(self, field: str, records: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
        """Why records without a field are not read, with their keys; and what would do."""
        keys = list(dict.fromkeys(key for record in records for key in record))
        shown = (repr(key) if "," in key else key for key in keys)  # seen as one name
        has = f"it has {names_of(shown, MAX_SHOWN)}"
        if field in self.mapping:
            mapped = option("mapping", {field: self.mapping[field]})
            return f"no column for {field}: {mapped} names nothing in it; {has}", ""
        if is_conversation(records):
            join = "join those of a conversation into one record, as a list under 'messages'"
            return f"each record is one message; {join}; {has}", ""
        if rivals := self.unclear.get(field):
            paths = [*rivals[:3], *([f"[{', '.join(rivals)}]"] if field == "context" else [])]
            uses = " or ".join(option("mapping", {field: path}) for path in paths)
            more = f" and {len(rivals) - 3} more" if rivals[3:] else ""
            differ = " and ".join(map(repr, rivals[:3])) + more
            return f"which is the {field}? {differ} differ", f". Use {uses}"
        near, why = similar_key(field, records)
        use, chat = option("mapping", {field: near}), option("mapping", {"messages": "COLUMN"})
        for key in names(field):
            values = [record.get(key) for record in records]
            if key in keys and all(value is None for value in values):
                nothing = " (where nothing was retrieved, it is an empty list)"
                return f"{key} is null in each record{nothing * (field == 'context')}; {has}", ""
            if inside := next((value for value in values if isinstance(value, Mapping)), None):
                wanted = "a text or a list of passages" if field == "context" else "a text"
                what = f"it is an object with the keys {names_of(inside, MAX_SHOWN)}"
                advice = f". Use {use}{why}" if self.takes_mapping else ""
                return f"{key} must be {wanted}; {what}", advice
        usual = self.paths.get(field, ()) if FROM in self.mapping else names(field)
        looked = f"no column for {field}. Looked for {', '.join(usual)}"
        return f"{looked}; {has}", f". Use {use}, or {chat} for chats{why}"


# ---------------------------------------------------------------- finding


def find_fields(
    records: Sequence[Mapping[str, Any]],
    mapping: Mapping[str, str] = NOTHING,
    *,
    takes_mapping: bool = True,
) -> Fields:
    """The fields by what the user said, by the system that exported the records, and by names; in
    these records of plain JSON also by all that their keys and values show.
    """
    named = mapping.get(FROM)
    system = SYSTEMS[named] if named else next(filter(None, map(_recognised, records)), None)
    ids = (key for record in records for key in record if str(key).casefold() in _IDS)
    usual = {field: names(field) for field in COLUMN_FIELDS}
    usual |= {
        "id": tuple(dict.fromkeys(("id", *ids))),
        "citation_audit": ("citation_audit", *SYSTEMS["masis"].paths["citation_audit"]),
    }
    own = {field: (path,) for field, path in mapping.items() if field in COLUMN_FIELDS}
    paths = {**({"id": ("id",), **system.paths} if system else usual), **own}
    # Messages go first: a log that has some may have other things under our names.
    paths = {field: paths[field] for field in sorted(paths, key=lambda name: name != "messages")}
    fields = Fields(paths, mapping, system, takes_mapping=takes_mapping)
    used: dict[str, set[str]] = {}
    for record in map(fields.opened, records):
        for field, path in fields.used(record).items():
            value = value_at(record, path)
            if _fits(field, value) or not isinstance(value, Mapping | None):
                used.setdefault(field, set())
            used.get(field, set()).add(path)
    there = set(used)
    return fields._replace(there=frozenset(there)) if named else _by_words(fields, records, used)


def _by_words(
    fields: Fields, records: Sequence[Mapping[str, Any]], used: Mapping[str, set[str]]
) -> Fields:
    """The fields, and those that keys name by their words. ``used``: paths of the usual ones."""
    there, notes, unclear = set(used), list[str](), dict[str, tuple[str, ...]]()
    paths, mapping = dict(fields.paths), fields.mapping
    candidates = {field: find_field(field, records) for field in HELD if field not in mapping}
    has_answer = "answer" in mapping or candidates["answer"].paths or there & {"messages", "answer"}
    has_context = "context" in mapping or candidates["context"].paths or "context" in there
    chat = not (has_answer and has_context) and not there & {"messages"}
    if chat and (key := find_chat(records, has_answer=bool(has_answer))):
        notes.append(f"the messages are read from {key!r}")
        paths["messages"] = (key,)
        there.add("messages")
        candidates["question"] = Candidates()  # it is in them
        if not has_answer:
            return fields._replace(paths=paths, there=frozenset(there), notes=tuple(notes))
    for field, one in _side_by_side(candidates, mapping).items():
        own = used.get(field, set())
        in_messages = "messages" in used and not own
        if in_messages and field == "answer":
            in_messages = not are_prompts(records, used["messages"])
        if (own and fields.system) or in_messages:
            continue
        if not one.paths or (own and own.isdisjoint((*one.paths, *one.same, *one.others))):
            continue  # our own name goes first, although it has no value
        first, *rivals = one.paths
        apart = [p for p in (*rivals, *one.others) if _never_beside(first, p, field, records)]
        rivals, same = [p for p in rivals if p not in apart], (*one.same, *apart)
        if rivals and field != "question":
            unclear[field] = one.paths
            there.discard(field)
            continue
        there.add(field)
        lower = [*rivals, *(path for path in one.others if path in own and path not in apart)]
        if own - {first, *same} or first not in own:
            paths[field] = (first, *same)
        plain = {"".join(key_words(name)) for name in names(field)}
        if lower or (first not in own and "".join(key_words(first)) not in plain):
            other = f", not {' or '.join(map(repr, lower))}" if lower else ""
            use = option("mapping", {field: lower[0] if lower else "KEY"})
            use = f"; for another, {use}" if fields.takes_mapping else ""
            notes.append(f"the {field} is read from {first!r}{other}{use}")
    return fields._replace(paths=paths, there=frozenset(there), unclear=unclear, notes=tuple(notes))


def _never_beside(first: str, other: str, field: str, records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether two names are one field of records from several sources: none has both."""
    both = [r for r in records if r.get(first) is not None and r.get(other) is not None]
    return not both and {first, other}.issubset(names(field))


def _side_by_side(
    candidates: Mapping[str, Candidates], mapping: Mapping[str, str]
) -> dict[str, Candidates]:
    """Of several answers or contexts the one in the same object as the only one of the other."""

    def parents(field: str) -> set[str]:
        one = candidates.get(field, Candidates((mapping.get(field, ""),)))
        return {path.rpartition(".")[0] for path in (*one.paths, *one.same)}

    nearer = dict(candidates)
    for field, other in (("answer", "context"), ("context", "answer")):
        if field in candidates and len(parents(field)) > 1 and len(parents(other)) == 1:
            near = [p for p in candidates[field].paths if p.rpartition(".")[0] in parents(other)]
            if len(near) == 1:
                nearer[field] = candidates[field]._replace(paths=tuple(near))
    return nearer


def _recognised(record: Mapping[str, Any]) -> System | None:
    """The first system whose marks a record has, also as columns such as ``inputs.question``."""

    def has(at: str) -> bool:
        start = f"{at}."
        return value_at(record, at) is not None or any(name.startswith(start) for name in record)

    for system in SYSTEMS.values():
        if any(all(map(has, way)) for way in system.marks):
            return None if any(name in record for name in system.unless) else system
    return None


def _fits(field: str, value: Any) -> bool:
    """Whether a value can be that of a field. A mapping is one only if it is of a known form."""
    if value is _ABSENT or value is None:
        return False
    if field == "messages":
        if isinstance(value, Mapping):
            return any(value.get(name) for name in _REQUEST)
        if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
            return value == "[]" or any(f'"{key}"' in value for key in _OF_A_MESSAGE)
        return is_conversation(value)
    if field == "context" and isinstance(value, Mapping):
        with suppress(InputError):
            return bool(passages_of(value))
        return False
    if field == "answer" and isinstance(value, list):  # messages, and not several answers
        known = (one.keys() & {"role", "type", "content"} for one in value if isinstance(one, dict))
        return any(known)
    is_document = isinstance(value, Mapping) and bool(value.keys() & {"content", "kwargs"})
    return is_document or not isinstance(value, Mapping) or field == "citation_audit"


# ---------------------------------------------------------------- reading


def read_record(
    record: Mapping[str, Any], where: Fields
) -> tuple[dict[str, Any], dict[str, Any], str]:
    """The fields of a case in a row of any library, the other columns, and what is wrong or ""."""
    values, problems = record_as_json(record)
    fields, columns = where.split(values)
    for name, problem in problems.items():
        if name not in columns:  # a field is graded, so it must be what it is
            return {}, {}, f"{name}: {problem}"
    for name in ("answer", "context"):
        if name in where.mapping and name not in fields and "messages" not in fields:
            use = option("mapping", {name: where.mapping[name]})
            return {}, {}, f"{name}: {use} names nothing in it; it has {names_of(values)}"
    if failed := application_error(values, fields):
        return {}, {}, f"answer: missing, because the application failed: {clip(failed)}"
    if problem := _under_another_name(values, fields, where):
        return {}, {}, problem
    contexts = [name for name in names("context") if name in fields]
    for name in contexts:
        if isinstance(value := fields[name], str):
            fields[name] = value = read_list(value)
        if isinstance(value, list):
            fields[name] = [
                read_list(item, of_one=True) if isinstance(item, str) else item for item in value
            ]
    for name in contexts[1:]:  # the same passages, once as texts and once as documents
        with suppress(InputError):
            if texts_of(fields[name]) == texts_of(fields[contexts[0]]):
                del fields[name]
    return fields, columns, ""


def _under_another_name(record: Mapping[str, Any], fields: Mapping[str, Any], where: Fields) -> str:
    """Which name of a missing field a record has that is not read in these records; else ""."""
    if "messages" in fields or FROM in where.mapping:
        return ""
    for name in ("answer", "context"):
        there = [one for one in names(name) if record.get(one) is not None]
        if there and fields.keys().isdisjoint(names(name)):
            read = where.paths[name][0]
            use = option("mapping", {name: f"{read} || {there[0]}"})
            use = f"; to read both, {use}" if where.takes_mapping else ""
            problem = f"{name}: missing; in these records it is read from {read!r}, and this one"
            return f"{problem} has {there[0]!r}{use}"
    return ""


def application_error(record: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """What a record without an answer says of the application that failed; else ""."""
    texts = (fields.get(name) for name in (*names("answer"), *names("messages")))
    if any(isinstance(value, str | list) for value in texts):
        return ""
    errors = (value_at(record, path) for path in ("error", "response.error"))
    return next((error for error in errors if isinstance(error, str) and error.strip()), "")


def _said(field: str, value: Any) -> Any:
    """A value in an export: of messages the text. An answer of no known form stays."""
    speaker = {"question": "user", "answer": "assistant"}.get(field)
    if not speaker or not isinstance(value, Mapping | list):
        return value
    messages = [value] if isinstance(value, Mapping) else value
    if isinstance(value, Mapping) and "content" in value:
        messages = [{"role": speaker, **value}]
    try:
        conversation = read_conversation(messages, (), has_answer=field == "question")
    except InputError:
        return value if field == "answer" else None
    return conversation.answer if field == "answer" else conversation.question or None
