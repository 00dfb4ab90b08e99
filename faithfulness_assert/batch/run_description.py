"""What shapes the results of a run, as it says about itself; and runs that are only read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from .. import __version__
from ..asking.prompt import prompts_fingerprint
from ..files import open_file
from ..grading import Grader
from ..policy.policy import TAKES, Policy, plain, policy_as_json
from ..records.errors import ConfigError
from ..records.judge import described
from ..text.strings import clip
from .data_sets import DataSet
from .rows import Line, Lines
from .store import Store, lines_of_run, reading

MAY_CHANGE = ("input.", "judge.base_url")
"""What may change while a run goes on. A server that was started again has another address."""
NAME = "judge.name"


def describe_grader(grader: Grader) -> dict[str, Any]:
    """What results depend on beside the data set. It contains no key and no password.

    Options that only decide how fast or at what price results come (``timeout``, ``max_retries``,
    ``deadline``, ``cache``, ``prices``) are left out: they may change while a run goes on.
    """
    told = {
        "version": __version__,
        "prompts": prompts_fingerprint(),
        "judge": described(grader.judge),
        "policy": policy_as_json(grader.policy),
        "options": grader.shaping,
    }
    as_json: dict[str, Any] = json.loads(json.dumps(told, default=plain))
    return as_json


def describe_run(grader: Grader, data_set: DataSet) -> dict[str, Any]:
    """What the results of a run depend on."""
    told = {"name": data_set.name, "fingerprint": data_set.fingerprint()}
    return {**describe_grader(grader), "input": told}


def policy_in(about: Mapping[str, Any], path: Path) -> Policy:
    """The policy with which the run at ``path`` was graded, from what the run says about itself.

    Raises:
        ConfigError: it has other fields than here, or values that no policy has.
    """
    data = about.get("policy")
    names = {field.name for field in fields(Policy)}
    if not isinstance(data, dict) or data.keys() != names:
        made = f"it was made by version {about.get('version')}"
        raise ConfigError(f"{path}: its policy has other fields than here; {made}: use that")
    try:
        return Policy(**{name: TAKES[name].from_data(value, {}) for name, value in data.items()})
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What is graded in another way, in words; nothing of ``MAY_CHANGE``.

    The name of another judge says enough of it.
    """
    old, new = (dict(_flat(about, "")) for about in (before, now))
    names = {name for name in {**old, **new} if old.get(name) != new.get(name)}
    if NAME in names:
        names = {name for name in names if name == NAME or not name.startswith("judge.")}
    return [
        f"{name}: was {_shown(old, name)}, is {_shown(new, name)}"
        for name in {**old, **new}
        if name in names and not name.startswith(MAY_CHANGE)
    ]


def check_unchanged(before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raises ``ConfigError`` if a run would go on in another way, but for ``MAY_CHANGE``."""
    if changed := changes(before, now):
        raise ConfigError(
            "the run was begun with other settings, and results of both would not compare. "
            f"Changed: {'; '.join(changed)}. Use these settings as they were, or another directory"
        )


def _flat(value: object, name: str) -> Iterator[tuple[str, object]]:
    """The values inside mappings, with names such as ``policy.weights.supported``."""
    if not isinstance(value, Mapping):
        yield name, value
        return
    for key, inner in value.items():
        yield from _flat(inner, f"{name}.{key}" if name else str(key))


def _shown(values: Mapping[str, object], name: str) -> str:
    if name not in values:
        return "not given"
    return clip(json.dumps(values[name], ensure_ascii=False), 60)


# ---------------------------------------------------------------- a run that is only read


def how_graded(store: Store) -> dict[str, Any]:
    """What a run says about itself.

    Raises:
        ConfigError: it does not say how it was graded.
    """
    about = store.about() or {}
    if not all(isinstance(about.get(name), dict) for name in ("judge", "policy")):
        problem = "must be the directory of a run that says how it was graded"
        raise ConfigError(f"{store.path}: {problem}")
    return about


def names_of(before: str | PathLike[str], after: str | PathLike[str]) -> tuple[str, str]:
    """What two runs are called: a directory or a file by its name, else as they were given."""
    first, second = (Path(path).resolve().name.removesuffix(".jsonl") for path in (before, after))
    return (first, second) if first != second else (str(before), str(after))


def about_of(path: str | PathLike[str]) -> dict[str, Any]:
    """What a run says about itself; {} for a file of results."""
    if not Path(path).is_dir():
        return {}
    with reading(path) as store:
        return store.about() or {}


def lines_of(path: str | PathLike[str]) -> Lines:
    """The results of a run directory, or of a file of results (JSON lines)."""
    return partial(lines_of_run if Path(path).is_dir() else _lines_of_file, path)


def _lines_of_file(path: str | PathLike[str]) -> Iterator[Line]:
    number = 0
    try:
        with open_file(path) as texts:
            for text in texts:
                number += 1
                if text.strip():
                    yield Line.of_json(text, number)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        problem = str(error).partition("\n")[0]
        said = "not results of a run; name its directory, or its results as .jsonl"
        raise ConfigError(f"{path}, line {number}: {said}: {problem}") from None
