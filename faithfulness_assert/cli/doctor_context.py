"""``doctor --context``: what is found in the context of a promptfoo assertion, or in cases.

It says which keys are there, which ones are looked for, and how much text was found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import PurePath
from typing import Any

from ..batch.data_sets import open_data_set
from ..batch.data_sets.sources import SUFFIXES
from ..cases.case import Case
from ..cases.systems import SYSTEMS, names
from ..files import read_text
from ..promptfoo.hook import PATHS, find_texts, read_config
from ..records.errors import ConfigError, FaithfulnessError
from ..text.evidence import number_sentences
from ..text.strings import clip, names_of

ASSERTION = {"vars", "test", "providerResponse", "config"}
"""Keys that the context of an assertion has, and ``OTHERS`` those that it never has."""
OTHERS = {"response", "results"}
LOOKED_FOR = ("answer", "context", "question", "messages")


def context_report(file: str) -> list[str]:
    """What is found in a file.

    Raises:
        ConfigError: the file cannot be read, or is neither JSON nor a file of cases.
    """
    suffix = PurePath(file).suffix.lower()
    data = _json(file) if suffix == ".json" or suffix not in SUFFIXES else None
    keys = data.keys() if isinstance(data, Mapping) else set()
    if data is not None and keys & ASSERTION and not keys & OTHERS:
        return list(_of_assertion(data))
    return list(_of_cases(file))


def _json(file: str) -> Any:
    try:
        return json.loads(read_text(file, "utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{file}: cannot be read: it is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{file}: invalid JSON: {error}") from None


# ---------------------------------------------------------------- of promptfoo


def _of_assertion(context: Mapping[str, Any]) -> Iterator[str]:
    yield "The context contains:"
    inner = {name: value for name, value in context.items() if isinstance(value, Mapping) and value}
    yield from (f"  {name}: {', '.join(map(str, value))}" for name, value in inner.items())
    if not inner:
        yield "  no vars, metadata or config"
    yield "The assertion looks for:"
    try:
        config = read_config(context)
    except FaithfulnessError as error:
        yield f"  nothing: {error}"
        return
    paths = {name: config.get(key) for name, key in PATHS.items()}
    for name in LOOKED_FOR:
        yield f"  {name}: {_places(name, paths[name])}"
    yield "It takes:"
    try:
        texts = find_texts(context.get("output", ""), context, paths)
    except FaithfulnessError as error:
        yield f"  nothing: {error}"
        return
    yield from _taken({name: getattr(texts, name) for name in LOOKED_FOR})


def _places(name: str, path: object) -> str:
    if path is not None:
        return f"{clip(str(path), 100)}, which config.{name}From names"
    if name == "answer":
        return "the output"
    known = [place.removeprefix("vars.") for place in SYSTEMS["promptfoo"].paths[name]]
    inside = [place for place in known if "." not in place]
    return f"{', '.join(inside)}; in vars, providerResponse.metadata or metadata"


# ---------------------------------------------------------------- of cases


def _of_cases(file: str) -> Iterator[str]:
    row = next(iter(islice(open_data_set(file).rows(), 1)))
    if row.problem:
        yield f"The first case cannot be read: {row.problem}"
        return
    keys = names_of([*row.fields, *row.columns])
    yield f"The first case ({clip(row.case_id, 40)}) has: {keys}"
    yield "A case looks for:"
    yield from (f"  {name}: {', '.join(names(name))}" for name in LOOKED_FOR)
    yield "It takes:"
    ours = {alias: name for name in LOOKED_FOR for alias in names(name)}
    found = {ours[name]: value for name, value in row.fields.items() if name in ours}
    yield from _taken({name: found.get(name) for name in LOOKED_FOR})


# ---------------------------------------------------------------- what was found


def _taken(texts: Mapping[str, Any]) -> Iterator[str]:
    """Each text, and how much of it a grade would see."""
    for name, text in texts.items():
        if text in (None, "", []):
            yield f"  {name}: nothing found"
        elif name == "context":
            yield f"  {name}: {_size(text)}{clip(_start(text), 100)}"
        else:
            yield f"  {name}: {clip(_start(text), 100)}"


def _size(context: object) -> str:
    try:
        case = Case("-", context)
    except FaithfulnessError as error:
        return f"cannot be used: {error}; "
    passages, sentences = len(case.context), len(number_sentences(case))
    return f"{_counted(passages, 'passage')}, {_counted(sentences, 'sentence')}: "


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _start(text: object) -> str:
    return text if isinstance(text, str) else json.dumps(text, ensure_ascii=False, default=str)
