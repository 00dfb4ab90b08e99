"""Where the fields of a case are in the records of a data set.

What a user says goes first, then where an export of another system has them, then our names and
those of other systems together with keys whose words say what they hold: see ``field_names``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple

from ..conversations.events import OPENTELEMETRY
from ..records.errors import ConfigError, InputError, option
from ..text.strings import clip, key_words, lazy_pattern, names_of, parse_json
from .case import passages_of
from .field_names import HELD, Candidates, find_chat, find_field, is_chat, similar_key, texts_of
from .plain_data import as_json, read_list, record_as_json
from .systems import COLUMN_FIELDS, FROM, SYSTEMS, Paths, System, names

MAX_SHOWN = 40
"""Keys that a message names."""
MAX_STEPS = 2_000_000
"""Steps of a path, and values that it finds."""
_PLAIN_PATH = lazy_pattern(r"[\w.-]+")
_STEPS, _OF_LISTS = (
    {"field", "index", "slice"},
    {"projection", "value_projection", "filter_projection", "flatten"},
)
"""Parts of a path that look into a value, and those that look into what their first part finds."""
_IDS = ("id", "case_id")
_ABSENT = object()
_REQUEST = ("messages", "contents", *OPENTELEMETRY)
"""What a mapping has that is a request of an API, or a span of OpenTelemetry."""
_OF_A_MESSAGE = ("role", "from", "type", "parts", "content", "messages")
_SPEAKERS = {"question": "user", "answer": "assistant"}


class Fields(NamedTuple):
    """Where the fields of a case are in records of one kind.

    Args:
        paths: for each field its paths. Of those with a value that fits, the first counts.
        mapping: what the user said.
        system: the system that exported the records; None for plain records.
        there: the fields that at least one of the records has by which they were found.
        unclear: paths with different values, one of which must be the field.
        notes: what a person should know of how they were found.
    """

    paths: Paths
    mapping: Mapping[str, str]
    system: System | None = None
    there: frozenset[str] = frozenset()
    unclear: Paths = MappingProxyType({})
    notes: tuple[str, ...] = ()

    def opened(self, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """The record. In an export, cells of JSON text are what they contain."""
        if not self.system or not self.system.cells:
            return record
        read = {**record, **_read_cells(record, self.system.cells)}
        answers = self.paths["answer"]
        if not any(_fits("answer", value_at(read, path)) for path in answers):
            read |= {cell: record[cell] for cell in answers if cell in record}
        return read

    def used(self, opened: Mapping[str, Any]) -> dict[str, str]:
        """The path of each field that a record has."""
        chosen: dict[str, str] = {}
        for field, paths in self.paths.items():
            values = {path: value_at(opened, path, _ABSENT) for path in paths}
            own = (field,) if field == "messages" else names(field)  # turns may be other things
            usual = paths if field in self.mapping else own
            if field == "question" and not (self.system or field in self.mapping):
                values = {p: v for p, v in values.items() if not isinstance(v, list | dict)}
            fitting = [path for path, value in values.items() if _fits(field, value)]
            # One that does not fit is told, but in a log beside messages it means something else.
            there = [p for p, v in values.items() if p in usual and v is not _ABSENT]
            if fitting or (there and "messages" not in chosen):
                chosen[field] = (fitting or there)[0]
        if self.system and "context" in chosen:
            chosen.pop("messages", None)  # only a system that keeps no context apart from them
        return chosen

    def split(self, record: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The fields of the case, by names that a ``Case`` knows, and the other columns."""
        opened = self.opened(record)
        used = self.used(opened)
        fields: dict[str, Any] = {}
        dropped = {*used.values(), *(self.system.repeated if self.system else ())}
        for field, path in used.items():
            if self.system or path not in names(field):
                value = value_at(opened, path)
                fields[field] = _interpreted(field, value) if self.system else value
            else:  # a case says where two names have different values
                same = {name: opened[name] for name in self.paths[field] if name in opened}
                fields |= same
                dropped |= same.keys()
        rest = {name: value for name, value in opened.items() if name not in dropped}
        for path in dropped.difference(opened):
            rest = _without(rest, path)
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
        if rivals := self.unclear.get(field):
            paths = [*rivals[:3], *([f"[{', '.join(rivals)}]"] if field == "context" else [])]
            uses = " or ".join(option("mapping", {field: path}) for path in paths)
            return (
                f"which is the {field}? {' and '.join(map(repr, rivals))} differ",
                f". Use {uses}",
            )
        empty = [key for key in keys if all(record.get(key) is None for record in records)]
        if there := next((key for key in names(field) if key in empty), None):
            nothing = " (where nothing was retrieved, it is an empty list)"
            return f"{there} is null in each record{nothing * (field == 'context')}; {has}", ""
        values = ((key, record.get(key)) for key in names(field) for record in records)
        for key, value in values:
            if isinstance(value, Mapping):
                wanted = "a text or a list of passages" if field == "context" else "a text"
                inside = names_of(value, MAX_SHOWN)
                return f"{key} must be {wanted}; it is an object with the keys {inside}", ""
        near, what = similar_key(field, records)
        use, chat = option("mapping", {field: near}), option("mapping", {"messages": "COLUMN"})
        usual = self.paths.get(field, ()) if FROM in self.mapping else names(field)
        looked = f"no column for {field}. Looked for {', '.join(usual)}"
        return f"{looked}; {has}", f". Use {use}, or {chat} for chats{what}"


# ---------------------------------------------------------------- finding


def usual_fields(
    records: Sequence[Mapping[str, Any]], mapping: Mapping[str, str] | None = None
) -> Fields:
    """The fields by what the user said, by the system that exported the records, and by names."""
    mapping = mapping or {}
    named = mapping.get(FROM)
    system = SYSTEMS[named] if named else next(filter(None, map(_recognised, records)), None)
    ids = (key for record in records for key in record if str(key).casefold() in _IDS)
    audit = SYSTEMS["masis"].paths["citation_audit"]
    usual = {field: names(field) for field in COLUMN_FIELDS}
    usual |= {
        "id": tuple(dict.fromkeys(("id", *ids))),
        "citation_audit": ("citation_audit", *audit),
    }
    own = {field: (path,) for field, path in mapping.items() if field in COLUMN_FIELDS}
    paths = {**({"id": ("id",), **system.paths} if system else usual), **own}
    # Messages go first: a log that has some may have other things under our names.
    order = sorted(paths, key=lambda field: field != "messages")
    fields = Fields({field: paths[field] for field in order}, mapping, system)
    opened = [fields.opened(record) for record in records]
    there = {
        field
        for record in opened
        for field, path in fields.used(record).items()
        if _fits(field, value := value_at(record, path)) or not isinstance(value, Mapping | None)
    }
    return fields._replace(there=frozenset(there))


def find_fields(records: Sequence[Mapping[str, Any]], mapping: Mapping[str, str]) -> Fields:
    """The fields by all that these records of plain JSON show."""
    fields = usual_fields(records, mapping)
    if FROM in mapping:
        return fields
    there, notes, unclear = set(fields.there), list[str](), dict[str, tuple[str, ...]]()
    paths = dict(fields.paths)
    candidates = {field: find_field(field, records) for field in HELD if field not in mapping}
    chat = "" if there & {"messages", "answer"} else find_chat(records)
    if chat and "answer" not in mapping and not candidates["answer"].paths:
        note = f"the messages are read from {chat!r}"
        paths["messages"] = (chat,)
        return fields._replace(paths=paths, there=frozenset({*there, "messages"}), notes=(note,))
    used = [fields.used(fields.opened(record)) for record in records]
    for field, one in _side_by_side(candidates, mapping).items():
        own = {record[field] for record in used if field in record} if field in there else set()
        if (own and fields.system) or ("messages" in there and not own):
            continue
        if not one.paths or (own and own.isdisjoint((*one.paths, *one.same, *one.others))):
            continue  # our own name goes first, although it has no value
        first, *rivals = one.paths
        if rivals and field != "question":
            unclear[field] = one.paths
            there.discard(field)
            continue
        there.add(field)
        lower = [*rivals, *(path for path in one.others if path in own)]
        if own - {first, *one.same} or first not in own:
            paths[field] = (first, *one.same)
        plain = {"".join(key_words(name)) for name in names(field)}
        if lower or (first not in own and "".join(key_words(first)) not in plain):
            other = f", not {' or '.join(map(repr, lower))}" if lower else ""
            use = option("mapping", {field: lower[0] if lower else "KEY"})
            notes.append(f"the {field} is read from {first!r}{other}; for another, {use}")
    return fields._replace(paths=paths, there=frozenset(there), unclear=unclear, notes=tuple(notes))


def _side_by_side(
    candidates: Mapping[str, Candidates], mapping: Mapping[str, str]
) -> dict[str, Candidates]:
    """Of several answers or contexts the one in the same object as the only one of the other."""
    only: dict[str, tuple[str, ...]] = {field: (path,) for field, path in mapping.items()}
    alone = {field: {*map(_parent, (*one.paths, *one.same))} for field, one in candidates.items()}
    only |= {field: one.paths for field, one in candidates.items() if len(alone[field]) == 1}
    nearer = dict(candidates)
    for field, other in (("answer", "context"), ("context", "answer")):
        if field in candidates and field not in only and other in only:
            parent = _parent(only[other][0])
            beside = [path for path in candidates[field].paths if _parent(path) == parent]
            if len(beside) == 1:
                nearer[field] = candidates[field]._replace(paths=tuple(beside))
    return nearer


def _parent(path: str) -> str:
    return path.rpartition(".")[0]


def _recognised(record: Mapping[str, Any]) -> System | None:
    """The first system whose marks a record has."""
    for system in SYSTEMS.values():
        if any(all(_has(record, mark) for mark in way) for way in system.marks):
            return None if any(name in record for name in system.unless) else system
    return None


def _has(record: Mapping[str, Any], at: str) -> bool:
    """Whether there is something at a path, also as columns such as ``inputs.question``."""
    start = f"{at}."
    return value_at(record, at) is not None or any(name.startswith(start) for name in record)


def _fits(field: str, value: Any) -> bool:
    """Whether a value can be that of a field. A mapping is one only if it is of a known form."""
    if value is _ABSENT or value is None:
        return False
    if field == "messages":
        if isinstance(value, Mapping):
            return any(value.get(name) for name in _REQUEST)
        if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
            return value == "[]" or any(f'"{key}"' in value for key in _OF_A_MESSAGE)
        return is_chat(value)
    if field == "context" and isinstance(value, Mapping):
        try:
            return bool(passages_of(value))
        except InputError:
            return False
    return (
        not isinstance(value, Mapping)
        or field == "citation_audit"
        or bool(value.keys() & {"content", "kwargs"})
    )


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


def application_error(record: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """What a record without an answer says of the application that failed; else ""."""
    texts = (fields.get(name) for name in (*names("answer"), *names("messages")))
    if any(isinstance(value, str | list) for value in texts):
        return ""
    errors = (value_at(record, path) for path in ("error", "response.error"))
    return next((error for error in errors if isinstance(error, str) and error.strip()), "")


def value_at(record: Any, path: str, default: Any = None) -> Any:
    """The value at a path, or ``default``. A column may have dots in its name.

    Raises:
        ConfigError: the path is not valid JMESPath.
    """
    record = opened(record)
    if not isinstance(record, Mapping):
        return default
    if path in record:
        return record[path]
    if not _PLAIN_PATH.fullmatch(path):
        return default if (value := search(path, record)) is None else value
    first, _, rest = path.partition(".")
    inner = record.get(first) if rest else None
    return default if inner is None else value_at(inner, rest, default)


def search(path: Any, record: Any) -> Any:
    """The value at a JMESPath expression; None if there is none. It leads into texts of JSON, too.

    Raises:
        ConfigError: the path is not valid, or takes too long: each step may have many results.
    """
    import jmespath.visitor  # only where a path needs it

    class Steps(jmespath.visitor.TreeInterpreter):
        left = MAX_STEPS

        def visit(self, node: Any, value: Any) -> Any:
            if node["type"] in _STEPS:
                value = self._opened(value)
            elif node["type"] in _OF_LISTS:
                first, *rest = node["children"]
                node = {**node, "children": [{"type": "opened", "children": [first]}, *rest]}
            value = super().visit(node, value)
            whole = node["type"].startswith("multi_select")  # what is in it may be in it many times
            self.left -= 1 + _size(value, whole=whole)
            if self.left < 0:
                raise ValueError("it takes too many steps")
            return value

        def visit_opened(self, node: Any, value: Any) -> Any:
            return self._opened(self.visit(node["children"][0], value))

        def _opened(self, value: Any) -> Any:
            inner = opened(value)
            self.left -= 0 if inner is value else _size(inner, whole=True)
            return inner

    try:
        return Steps().visit(jmespath.compile(path).parsed, record)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        is_deep = isinstance(error, RecursionError)
        problem = "too deeply nested" if is_deep else str(error).splitlines()[0]
        raise ConfigError(f"invalid JMESPath {clip(str(path))!r}: {problem}") from None


def _size(value: Any, *, whole: bool) -> int:
    """How many values a value has, to ``MAX_STEPS``; a text counts by its length."""
    size, waiting = 0, [value]
    while waiting and size <= MAX_STEPS:
        item = waiting.pop()
        if isinstance(item, list | dict):
            size += len(item)
            if whole:
                waiting += item.values() if isinstance(item, dict) else item
        elif isinstance(item, str):
            size += len(item) // 100
    return size


def _read_cells(record: Mapping[str, Any], cells: Iterable[str]) -> dict[str, Any]:
    """The columns whose text is a JSON object or list, as CSV exports write them."""
    values = {cell: opened(record.get(cell)) for cell in cells}
    return {cell: value for cell, value in values.items() if value is not record.get(cell)}


def opened(value: Any) -> Any:
    """What a text that is a JSON object or list contains; any other value as it is."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        with suppress(ValueError, RecursionError):  # also of as_json
            return as_json(parse_json(value))
    return value


def _without(record: dict[str, Any], path: str) -> dict[str, Any]:
    """A record without the value at a path in it, and without mappings that are empty then."""
    first, _, rest = path.partition(".")
    inner = record.get(first)
    if not rest or not isinstance(inner, dict):
        return {name: value for name, value in record.items() if name != path}
    left = _without(inner, rest)
    return {n: left if n == first else v for n, v in record.items() if n != first or left}


def _interpreted(field: str, value: Any) -> Any:
    """The value of a field in an export: of messages the text. An answer of no known form stays."""
    if field not in _SPEAKERS or not isinstance(value, Mapping | list):
        return value
    from ..conversations.conversation import read_conversation  # most cases have none

    messages = [value] if isinstance(value, Mapping) else value
    if isinstance(value, Mapping) and "content" in value:
        messages = [{"role": _SPEAKERS[field], **value}]
    try:
        conversation = read_conversation(messages, (), has_answer=field == "question")
    except InputError:
        return value if field == "answer" else None
    return conversation.answer if field == "answer" else conversation.question or None
