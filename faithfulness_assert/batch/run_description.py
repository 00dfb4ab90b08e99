"""What shapes the results of a run, as ``run.json`` has it, and what of it has changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..files import open_file
from ..records.errors import ConfigError
from ..records.judge import judge_info
from .rows import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..grading import Grader
    from .data_sets import DataSet
    from .finished_rows import FinishedRows
    from .rows import Row
    from .run_directory import RunDirectory

SHAPING = ("language", "max_prompt_tokens", "max_statements", "evidence_roles")
"""The options that shape results and are neither in the judge's identity nor in the policy."""


def describe_run(grader: Grader, options: Mapping[str, Any], data_set: DataSet) -> dict[str, Any]:
    """What the results of a run depend on. It contains no key and no password.

    Options that only decide how fast or at what price results come (``timeout``, ``max_retries``,
    ``deadline``, ``cache``, ``prices``) are left out: they may change while a run goes on.
    """
    info = judge_info(grader.judge)
    told = {
        "version": __version__,
        "prompts": _prompts(),
        "judge": {"name": info.name, **(info.identity or {})},
        "policy": {f.name: getattr(grader.policy, f.name) for f in fields(grader.policy)},
        "options": {name: options[name] for name in SHAPING if name in options},
        "input": {"name": data_set.name, "fingerprint": data_set.fingerprint()},
    }
    plain: dict[str, Any] = json.loads(json.dumps(told, default=_plain))
    return plain


def begun(
    directory: RunDirectory, grader: Grader, options: Mapping[str, Any], data_set: DataSet
) -> tuple[dict[str, Any], bool | None]:
    """What shapes a run, and whether its input is what it was; None if that is not known.

    A run that begins keeps what shapes it; one that goes on is graded as it began, or refused.
    """
    about = describe_run(grader, options, data_set)
    before = directory.about()
    if before is None:
        directory.write_about(about)
        return about, None
    check_unchanged(before, about)
    old, new = (told.get("input", {}).get("fingerprint") for told in (before, about))
    return {**about, "rows": before.get("rows")}, old == new if old and new else None


def check_unchanged(before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raises ``ConfigError`` if a run would go on in another way. The input is not compared."""
    old, new = (dict(_flat(about, "")) for about in (before, now))
    changed = [
        f"{name}: was {_shown(old, name)}, is {_shown(new, name)}"
        for name in {**old, **new}
        if not name.startswith(("input.", "format", "rows")) and old.get(name) != new.get(name)
    ]
    if changed:
        raise ConfigError(
            "the run was begun with other settings, and results of both would not compare. "
            f"Changed: {'; '.join(changed)}. Use these settings as they were, or another directory"
        )


def refuse_changed_input(rows: Iterable[Row], finished: FinishedRows) -> None:
    """Raises ``ConfigError`` that says which row is not what it was when the run began."""
    for _ in unfinished(rows, finished, compare=True):
        pass
    raise changed_input(
        "rows that have no result yet were changed or added, or ids, columns or --map are others"
    )


def unfinished(rows: Iterable[Row], finished: FinishedRows, *, compare: bool) -> Iterator[Row]:
    """The rows that have no result.

    ``compare``: raises ``ConfigError`` if a row that has one has changed, or is missing.
    """
    number, highest = 0, finished.highest if compare else 0
    for row in rows:
        number = row.number
        graded = finished.digest(number)
        if not graded:
            yield row
        elif compare and graded != int(digest(row), 16):
            raise changed_input(f"row {number} ({row.case_id}) is not what it was")
    if number < highest:
        raise changed_input(f"it has {number} rows, and row {highest} has a result")


def changed_input(problem: str) -> ConfigError:
    """The error that says how the input changed while the run was not finished."""
    return ConfigError(
        f"the input has changed since the run began: {problem}. The results are as they were. "
        "Use the input as it was, or another directory"
    )


def _prompts() -> str:
    """A fingerprint of all that judges are told."""
    folder = Path(__file__).parents[1] / "asking" / "prompts"
    found = sha256()
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        with open_file(path) as file:
            found.update(path.name.encode() + b"\0" + file.read() + b"\0")
    return found.hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return sorted(map(str, value)) if isinstance(value, set | frozenset) else str(value)


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
    text = json.dumps(values[name], ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
