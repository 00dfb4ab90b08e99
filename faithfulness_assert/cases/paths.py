"""Values in a record by the paths that name them: names of columns, or JMESPath."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from math import prod
from typing import Any

from ..conversations.plain_data import opened
from ..records.errors import ConfigError
from ..text.strings import clip, lazy_pattern

MAX_CHOICES = 64
"""Values that a path may list (``[a, b]``); lists and functions in a row multiply."""
_PLAIN_PATH = lazy_pattern(r"[\w.-]+")
_IDENTIFIER = lazy_pattern(r"[A-Za-z_]\w*", re.ASCII)
_STEPS, _OF_LISTS = (
    {"field", "index", "slice"},
    {"projection", "value_projection", "filter_projection", "flatten"},
)
"""Parts of a path that look into a value, and those that look into what their first part finds."""


def value_at(record: Any, path: str) -> Any:
    """The value at a path; None if there is none. A column may have any name.

    What is neither a column of this record nor JMESPath may be a column of another one.
    """
    record = opened(record)
    if not isinstance(record, Mapping):
        return None
    if path in record:
        return record[path]
    if not _PLAIN_PATH.fullmatch(path):
        with suppress(ConfigError):
            return search(path, record)
        return None
    dots = (at for at, char in enumerate(path) if char == ".")
    start = next((at for at in dots if record.get(path[:at]) is not None), None)
    return None if start is None else value_at(record[path[:start]], path[start + 1 :])


def search(path: Any, record: Any) -> Any:
    """The value at a JMESPath expression; None if there is none. It leads into texts of JSON, too.

    Raises:
        ConfigError: the path is not valid, or lists too many values.
    """
    import jmespath.visitor  # only where a path needs it

    class Steps(jmespath.visitor.TreeInterpreter):
        def visit(self, node: Any, value: Any) -> Any:
            if node["type"] in _STEPS:
                value = opened(value)
            elif node["type"] in _OF_LISTS:
                first, *rest = node["children"]
                node = {**node, "children": [{"type": "opened", "children": [first]}, *rest]}
            return super().visit(node, value)

        def visit_opened(self, node: Any, value: Any) -> Any:
            return opened(self.visit(node["children"][0], value))

    def choices(node: Any) -> int:
        is_text = node["type"] == "function_expression"  # which escapes what is escaped
        own = len(node["children"]) if node["type"].startswith("multi_select") else 1 + is_text
        return own * prod(choices(one) for one in node["children"] if isinstance(one, dict))

    try:
        parsed = jmespath.compile(path).parsed
        if choices(parsed) > MAX_CHOICES:
            raise ValueError(f"it lists more than {MAX_CHOICES} values")
        return Steps().visit(parsed, record)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        form = 'such as vars.docs, docs[].text or "a name with a space"'
        is_deep = isinstance(error, RecursionError)
        problem = "too deeply nested" if is_deep else str(error).partition("\n")[0].rstrip(":")
        raise ConfigError(f"invalid JMESPath {clip(str(path))!r}, {form}: {problem}") from None


def problem_of(path: str) -> str:
    """What is wrong with a path; "" if it is valid JMESPath."""
    try:
        search(path, {})
    except ConfigError as error:
        return str(error)
    return ""


def quoted(key: str) -> str:
    """A key as a step of a JMESPath."""
    is_name = _IDENTIFIER.fullmatch(key)
    return key if is_name else json.dumps(key, ensure_ascii=not key.isprintable())


def leaves(value: Any) -> Iterator[Any]:
    """The texts and other values in JSON data, also as texts: they are no lists and no objects."""
    waiting = [value]  # a stack: nothing is nested too deeply
    while waiting:
        value = opened(waiting.pop())
        if isinstance(value, Mapping | list):
            waiting += [*(value.values() if isinstance(value, Mapping) else value)][::-1]
        else:
            yield value.strip() if isinstance(value, str) else value


def new_beside(data: Mapping[str, Any], key: str, known: str) -> list[str]:
    """The other keys of an object under which something new may be claimed: words, or a number."""

    def is_new(value: Any) -> bool:
        if isinstance(value, str):
            return value not in known and (" " in value or not value.isascii())
        return isinstance(value, int | float) and not isinstance(value, bool)

    return [name for name in data if name != key and any(map(is_new, leaves(data[name])))]


def without(record: dict[str, Any], path: str) -> dict[str, Any]:
    """A record without the value at a path in it, and without mappings that are empty then."""
    first, _, rest = path.partition(".")
    inner = record.get(first)
    if not rest or not isinstance(inner, dict):
        return {name: value for name, value in record.items() if name != path}
    left = without(inner, rest)
    return {n: left if n == first else v for n, v in record.items() if n != first or left}
