"""Verdicts in XML-like tags: <verdict id="1">supported</verdict>.

Elements become JSON objects, with tags and attributes as keys, so that the rules for JSON apply to
them. Tags that are not closed, or closed in the wrong order, make the reply unreadable.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..json_replies import json_keys as keys
from ..json_values import MAX_DEPTH, MAX_VALUES, ReplyParts, key_of
from ..labels import exact_label

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...records.model import Label

    Labels = Mapping[str, Label] | None

_VALUE = r"(?:\"[^\"<>]{0,300}\"|'[^'<>]{0,300}'|[^\s<>\"'/=]{1,60})"
_ATTRIBUTE = re.compile(rf"\s([\w:.-]{{1,40}})\s{{0,3}}=\s{{0,3}}({_VALUE})")
_TAG = re.compile(
    rf"<(/?)([A-Za-z][\w.-]{{0,40}})((?:\s{{1,5}}[\w:.-]{{1,40}}\s{{0,3}}=\s{{0,3}}{_VALUE}){{0,8}})"
    r"\s{0,5}(/?)>"
)
_FORMATTING = re.compile(
    r"</?(?:b|i|u|s|em|strong|br|p|code|pre|span|div|hr|sub|sup|small|mark|tt|ul|ol|li)\s{0,3}/?>",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"\s*<([A-Za-z][\w-]{0,40})>([^<>]*)</\1>\s*")


@dataclass
class Element:
    """One tag with what is in it."""

    name: str
    fields: list[tuple[str, Any]] = field(default_factory=list)
    text: str = ""


def tagged_parts(text: str, labels: Labels = None) -> ReplyParts | None:
    """The elements of ``text`` as one JSON object, and the prose around them; None without any."""
    if "<" not in text:
        return None
    text = _FORMATTING.sub(" ", text)
    root = Element("")
    path = [root]
    end = count = 0
    for tag in _TAG.finditer(text):
        count += 1
        path[-1].text += text[end : tag.start()] + "\n"
        end = tag.end()
        if not tag[1]:
            path.append(Element(tag[2], _attributes(tag[3])))
        if tag[1] or tag[4]:
            if path[-1].name.casefold() != tag[2].casefold() or len(path) == 1:
                return None
            element = path.pop()
            path[-1].fields.append((key_of(element.name), _value(element, labels)))
        if len(path) > MAX_DEPTH or count > MAX_VALUES:
            return None
    if not count or len(path) > 1:
        return None
    return ReplyParts((_merged(root.fields),), (root.text, text[end:]), ())


def unwrapped(text: str) -> str:
    """``text`` without the one tag around all of it: <answer>1. Yes</answer>."""
    whole = _WHOLE.fullmatch(text)
    return whole[2].strip() if whole else text


def _attributes(text: str) -> list[tuple[str, Any]]:
    return [(key_of(name), value.strip("\"'")) for name, value in _ATTRIBUTE.findall(text)]


def _value(element: Element, labels: Labels) -> Any:
    """An element as a JSON value: its text, or an object with its attributes and elements."""
    text = element.text.strip()
    if not element.fields:
        return text
    if not text:
        return _merged(element.fields)
    name = key_of(element.name)
    if name not in keys.LABEL_KEYS and exact_label(text, labels):
        name = "label"
    return _merged([*element.fields, (name, text)])


def _merged(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields as an object. A name that occurs several times has a list of its values."""
    values: dict[str, list[Any]] = {}
    for name, value in fields:
        values.setdefault(name, []).append(value)
    return {name: many if len(many) > 1 else many[0] for name, many in values.items()}
