"""Reads ``@pytest.mark.faithfulness(trials=5, min_pass=4, judge=..., ...)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from ..judges import option_names
from ..options import GRADER_NAMES, taken_by
from ..policy.load import find_policy
from ..records.errors import ConfigError, suggest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_TRIALS = 1000
NAMES = GRADER_NAMES | {"judge", "policy", "threshold", "trials", "min_pass"}


class Marked(NamedTuple):
    """What the markers of a test say: how often to grade, and with which options."""

    trials: int
    min_pass: int
    options: Mapping[str, Any]


def read_markers(markers: Iterable[pytest.Mark]) -> Marked:
    """What these markers say together; the first one is that of the test itself.

    Raises:
        ConfigError: an unknown name, or a value that cannot be used.
    """
    given: dict[str, Any] = {}
    for marker in markers:
        if marker.args:
            raise ConfigError("takes names only, as faithfulness(trials=5, min_pass=4)")
        given = {**marker.kwargs, **given}
    for name in given.keys() - NAMES:
        raise ConfigError(f"{name}: unknown option. {suggest(name, NAMES)}")
    trials = _count("trials", given.pop("trials", 1), MAX_TRIALS)
    return Marked(trials, _count("min_pass", given.pop("min_pass", trials), trials), given)


def check_marker(metafunc: pytest.Metafunc) -> None:
    """Stops collecting a test if its marker cannot be used."""
    if problem := _problem(metafunc):
        pytest.fail(f"{metafunc.definition.nodeid}: marker faithfulness: {problem}", pytrace=False)


def _problem(metafunc: pytest.Metafunc) -> str:
    """Why the markers of a test cannot be used; "" if they can."""
    try:
        marked = read_markers(metafunc.definition.iter_markers("faithfulness"))
        _check_options(marked.options)
    except ConfigError as error:
        return str(error)
    used = "faithfulness" in metafunc.fixturenames
    return "" if used else "the test does not use the fixture `faithfulness`, which reads it"


def _check_options(options: Mapping[str, Any]) -> None:
    """Raises ``ConfigError`` for a judge, policy or threshold that cannot be used."""
    changes = taken_by("policy", options)
    if options.get("threshold") is not None:
        changes["threshold"] = options["threshold"]
    find_policy(options.get("policy", "default"), changes, options.get("policy_options") or {})
    option_names(options.get("judge", "embedded"))


def _count(name: str, value: object, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise ConfigError(f"{name}: must be a whole number from 1 to {most:,}, got {value!r:.40}")
    return value
