"""The options of the plugin, from the command line and from pytest's configuration.

pytest imports this file at each start: it imports nothing that is not loaded already.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ERRORS = ("fail", "skip", "xfail")
REPORTS = (".jsonl", ".html")


_SHOWN = {
    "judge": ("SPEC", "the judge, such as openai:MODEL (default: embedded, which compares words)"),
    "policy": ("NAME", "the policy: a preset or a file (default: default)"),
    "threshold": ("SCORE", "the score from 0 to 1 that passes (default: that of the policy)"),
    "errors": ("WHAT", "what a test does whose answer could not be graded: fail, skip or xfail"),
    "report": ("FILE", "write all results to this .jsonl or .html file"),
    "max_tokens": ("N", "grade no more when the session has spent this many tokens"),
    "cache": ("DIR", "store the replies of judges here and reuse them (empty: ask again)"),
}
"""What the help calls the value of each option, and its meaning."""
_TAKES: dict[str, tuple[Callable[[str], Any], Callable[[Any], bool], str]] = {
    "judge": (str.strip, bool, "a name"),
    "policy": (str.strip, bool, "a name"),
    "threshold": (float, lambda value: 0 <= value <= 1, "a number from 0 to 1"),
    "errors": (str, ERRORS.__contains__, "fail, skip or xfail"),
    "report": (
        Path,
        lambda path: path.suffix.lower() in REPORTS and "\0" not in str(path),
        "a file that ends in .jsonl or .html",
    ),
    "max_tokens": (int, lambda value: 1 <= value < 10**15, "a whole number from 1"),
    "cache": (str.strip, lambda folder: "\0" not in folder, "a folder"),
}
"""How each value is read, whether it can be used, and what it must be."""


class PluginSettings(NamedTuple):
    """What the command line and the configuration say; None where they say nothing.

    Args:
        judge, policy, threshold: as ``grade()`` takes them.
        errors: one of ``ERRORS``.
        report: where results are written; its ending is one of ``REPORTS``.
        max_tokens: after how many tokens nothing is graded any more.
        cache: the folder of stored replies; "" for none, also if the project has one.
        cache_only: whether only stored replies are used.
        options: further options, as NAME=VALUE.
    """

    judge: str | None
    policy: str | None
    threshold: float | None
    errors: str
    report: Path | None
    max_tokens: int | None
    cache: str | None
    cache_only: bool
    options: tuple[str, ...]


def add_options(parser: pytest.Parser) -> None:
    """The options, all of which begin with ``--faithfulness-`` or ``faithfulness_``."""
    # A [tool.pytest] table has numbers as numbers. Before 9.2, pytest wants them as texts there.
    numbers: Any = str | float | int if pytest.version_tuple >= (9, 2) else None
    group = parser.getgroup("faithfulness", "faithfulness (faithfulness-assert)")
    for name, (shown, meaning) in _SHOWN.items():
        dest, is_number = f"faithfulness_{name}", _TAKES[name][0] in (int, float)
        group.addoption(_typed(dest), dest=dest, metavar=shown, help=meaning)
        parser.addini(dest, meaning, type=numbers if is_number else None, default=None)
    group.addoption(
        "--faithfulness-cache-only",
        dest="faithfulness_cache_only",
        action="store_true",
        help="use only stored replies: this needs no key and no network",
    )
    meaning = "further options of grade(), one NAME=VALUE on each line; VALUE is JSON or text"
    parser.addini("faithfulness_options", meaning, type="linelist", default=[])


def read_settings(config: pytest.Config) -> PluginSettings:
    """The settings of this session.

    Raises:
        pytest.UsageError: a value that an option does not take.
    """
    values = {name: _given(config, name) for name in _TAKES}
    for name in ("report", "cache"):
        if values[name]:
            typed = config.getoption(f"faithfulness_{name}") is not None
            base = config.invocation_params.dir if typed else config.rootpath
            values[name] = type(values[name])(base / values[name])
    return PluginSettings(
        **{**values, "errors": values["errors"] or ERRORS[0]},
        cache_only=config.getoption("faithfulness_cache_only"),
        options=tuple(config.getini("faithfulness_options")),
    )


def _given(config: pytest.Config, name: str) -> Any:
    """The value on the command line, else in the configuration, else None."""
    dest = f"faithfulness_{name}"
    said, shown = config.getoption(dest), _typed(dest)
    if said is None:
        said, shown = config.getini(dest), dest
    if said is None:
        return None
    read, fits, wanted = _TAKES[name]
    try:
        if fits(value := read(str(said))):
            return value
    except ValueError:
        pass
    raise pytest.UsageError(f"{shown}: must be {wanted}, got {said!r:.80}")


def _typed(dest: str) -> str:
    return f"--{dest.replace('_', '-')}"
