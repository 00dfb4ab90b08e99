"""The options of the plugin, and what all tests of a session graded, from the reports of the tests.

The options come from the command line and from pytest's configuration. Under pytest-xdist the tests
run in workers, and only their reports arrive here: each result travels as JSON text in the
``user_properties`` of its test. pytest imports this file at each start: it imports nothing at its
top that is not loaded already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ..batch.rows import Line

MOST_NOTES = 3
"""Warnings of cases that passed, which no failing test shows."""
ERRORS = ("fail", "skip", "xfail")
REPORTS = (".jsonl", ".html")
_SHOWN = {
    "judge": ("SPEC", "the judge, such as openai:MODEL (default: embedded, which compares words)"),
    "policy": ("NAME", "the policy: a preset or a file (default: default)"),
    "threshold": ("SCORE", "the score that passes, 0 to 1 or in percent (default: the policy's)"),
    "errors": ("WHAT", "what a test does whose answer could not be graded: fail, skip or xfail"),
    "report": ("FILE", "write all results to this .jsonl or .html file"),
    "max_tokens": ("N", "grade no more when the session has spent this many tokens"),
    "cache": ("DIR", "store the replies of judges here and reuse them (empty: ask again)"),
}
"""What the help calls the value of each option, and its meaning."""


def _share(text: str) -> float:
    """The number of ``80%`` or ``0.8``. Raises ``ValueError`` for another text."""
    from ..records.checks import as_share

    value: Any = as_share(text)
    return float(value)


_TAKES: dict[str, tuple[Callable[[str], Any], Callable[[Any], bool], str]] = {
    "judge": (str.strip, bool, "a name"),
    "policy": (str.strip, bool, "a name"),
    "threshold": (_share, lambda value: 0 <= value <= 1, "a number from 0 to 1"),
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


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, all of which begin with ``--faithfulness-`` or ``faithfulness_``."""
    # A [tool.pytest] table has numbers as numbers. Before 9.2, pytest wants them as texts there.
    numbers: Any = str | float | int if pytest.version_tuple >= (9, 2) else None
    group = parser.getgroup("faithfulness", "faithfulness (faithfulness-assert)")
    for name, (shown, meaning) in _SHOWN.items():
        dest, is_number = f"faithfulness_{name}", name in ("threshold", "max_tokens")
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


def read_settings(config: pytest.Config) -> dict[str, Any]:
    """What the command line and the configuration say, by name; None where they say nothing.

    A ``cache`` of "" is none, also if the project has one. ``options`` are further ones, as
    NAME=VALUE.

    Raises:
        pytest.UsageError: a value that an option does not take.
    """
    settings = {name: _given(config, name) for name in _TAKES}
    for name in ("report", "cache", "policy"):
        if settings[name] and (name != "policy" or Path(settings[name]).suffix):  # no preset
            typed = config.getoption(f"faithfulness_{name}") is not None
            base = config.invocation_params.dir if typed else config.rootpath
            settings[name] = type(settings[name])(base / settings[name])
    return {
        **settings,
        "errors": settings["errors"] or ERRORS[0],
        "cache_only": config.getoption("faithfulness_cache_only"),
        "options": config.getini("faithfulness_options"),
    }


def _given(config: pytest.Config, name: str) -> Any:
    """The value on the command line, else in the configuration, else None."""
    dest = f"faithfulness_{name}"
    given, shown = config.getoption(dest), _typed(dest)
    if given is None:
        given, shown = config.getini(dest), dest
    if given is None:
        return None
    read, fits, wanted = _TAKES[name]
    try:
        if fits(value := read(str(given))):
            return value
    except ValueError:
        pass
    raise pytest.UsageError(f"{shown}: must be {wanted}, got {given!r:.80}")


def _typed(dest: str) -> str:
    return f"--{dest.replace('_', '-')}"


# ---------------------------------------------------------------- what a session graded


NAME = "faithfulness-results"
"""Of the plugin in pytest's plugin manager."""
PROPERTY = "faithfulness"
"""Of a test: the JSON of a line of results."""
CHECKS = pytest.StashKey["Any"]()
"""Of a test that runs: its ``Faithfulness``; None if it has not graded yet."""


class SessionResults:
    """What the tests of a session graded.

    A test that is run again counts with its last run only, but what each run has cost is counted.
    """

    def __init__(self, report: Path | None) -> None:
        self._report = report
        self._wrote = _check_report(self._report) if self._report else ""
        self._lines: dict[tuple[str, int], Line] = {}
        self._of_test: dict[tuple[str, str], list[tuple[str, int]]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Takes the results of a test. What stays in its properties is short."""
        if not report.user_properties:
            return
        worker, others = str(getattr(report, "worker_id", "")), []
        of_test = []
        for name, value in report.user_properties:
            line = _line(value) if name == PROPERTY else None
            if line is not None:
                from ..batch.rows import brief

                of_test.append((worker, line.row))
                self._lines.setdefault(of_test[-1], line)
                value = brief(line).to_json()
            others.append((name, value))
        report.user_properties[:] = others
        self._of_test[worker, report.nodeid] = of_test

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Writes the file of ``--faithfulness-report``.

        If it cannot be written, the end of the session says so, and its exit status is not 0.
        """
        if self._report is None:
            return
        last = (key for keys in self._of_test.values() for key in keys)
        lines = [self._lines[key]._replace(row=row) for row, key in enumerate(last, 1)]
        try:
            _write(self._report, lines)
        except ValueError as error:
            self._wrote = f"--faithfulness-report: {error}"
            session.exitstatus = session.exitstatus or pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Says what was graded, if anything was."""
        if not self._lines and not self._report:
            return
        from ..text.strings import visible

        terminalreporter.section("faithfulness")
        for text in self._summary_lines():
            terminalreporter.line(visible(text))

    def _summary_lines(self) -> Iterator[str]:
        from ..batch.summary import Counted, Summary
        from .shown_case import lines_on_passed

        summary, notes = Summary(), Counter[str]()
        last = {key for keys in self._of_test.values() for key in keys}
        for key, line in self._lines.items():
            if key in last:
                summary.add(line.result)
                notes.update(set(line.result.warnings if line.result.pass_ else ()))
            else:
                summary.add_spent(Counted.of(line.result))
        yield from summary.brief().splitlines()
        yield from summary.error_lines()
        yield from lines_on_passed(notes, MOST_NOTES)
        if summary.tokens["num_requests"]:
            yield summary.spent()
        if self._wrote:
            yield self._wrote


def _line(value: object) -> Line | None:
    """The line of results in a property; None for a property of somebody else."""
    from ..batch.rows import Line

    try:
        return Line.of_json(value) if isinstance(value, str) else None
    except (ValueError, TypeError, RecursionError):
        return None


def _check_report(path: Path) -> str:
    """What the end of the session says of the report.

    Raises:
        pytest.UsageError: it cannot be written. That is known before any token is spent.
    """
    from ..batch.outputs import check_place
    from ..records.errors import ConfigError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        check_place(path)
    except (OSError, ConfigError) as error:
        raise pytest.UsageError(f"--faithfulness-report: {error}") from None
    return f"report: {path}"


def _write(path: Path, lines: Iterable[Line]) -> None:
    """Writes results to a file. Raises ``ConfigError`` if that cannot be done."""
    if path.suffix.lower() == ".html":
        from ..report import write_report

        write_report(lines, path)
    else:
        from ..batch.outputs import write_results

        write_results(lines, path)
