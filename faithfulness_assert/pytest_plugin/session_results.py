"""Collects what all tests of a session graded, from the reports of the tests.

Under pytest-xdist the tests run in workers, and only their reports arrive here: each result travels
as JSON text in the ``user_properties`` of its test. pytest imports this file at each start.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..batch.rows import Line
    from .plugin_settings import PluginSettings

NAME = "faithfulness-results"
"""Of the plugin in pytest's plugin manager."""
PROPERTY = "faithfulness"
"""Of a test: the JSON of a line of results."""
SPENT_FILE = "faithfulness_spent"
"""In the input of a worker: the file in which tokens are counted."""
CHECKS = pytest.StashKey["Any"]()
"""Of a test that runs: its ``Faithfulness``; None if it has not graded yet."""


class SessionResults:
    """What the tests of a session graded.

    A test that is run again counts with its last run only, but what each run has cost is counted.
    """

    def __init__(self, settings: PluginSettings, *, collecting: bool) -> None:
        self._settings = settings
        self._report = None if collecting else settings.report
        self._wrote = _check_report(self._report) if self._report else ""
        self._lines: dict[tuple[str, int], Line] = {}
        self._of_test: dict[tuple[str, str], list[tuple[str, int]]] = {}
        self.folder = Path(tempfile.mkdtemp()) if settings.max_tokens else None

    @property
    def spent_file(self) -> str:
        """The path of the file in which all processes count tokens; "" if there is no limit."""
        return str(self.folder / "spent") if self.folder else ""

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tells a worker of pytest-xdist where tokens are counted."""
        node.workerinput[SPENT_FILE] = self.spent_file

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
        lines = [line._replace(row=row) for row, line in enumerate(self._final(), 1)]
        try:
            _write(self._report, lines)
        except (OSError, ValueError) as error:
            self._wrote = f"--faithfulness-report: cannot be written: {error}"
            session.exitstatus = session.exitstatus or pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Says what was graded, if anything was."""
        if not self._lines and not self._report:
            return
        from ..text.strings import visible

        terminalreporter.section("faithfulness")
        for text in self._said():
            terminalreporter.line(visible(text))

    def pytest_unconfigure(self) -> None:
        """Deletes the file in which tokens were counted."""
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _final(self) -> Iterator[Line]:
        """The results of the last run of each test."""
        return (self._lines[key] for keys in self._of_test.values() for key in keys)

    def _said(self) -> Iterator[str]:
        from ..batch.summary import Summary

        summary, notes = Summary(), dict[str, None]()
        last = {key for keys in self._of_test.values() for key in keys}
        for key, line in self._lines.items():
            if key in last:
                summary.add(line)
                notes[str(line.result.metadata.get("judgeNote") or "")] = None
            else:
                summary.add_spent(line.result)
        yield from summary.brief().splitlines()
        if summary.tokens["num_requests"]:
            yield summary.spent()
        yield from (note for note in notes if note)
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
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        problem = "it is a folder" if path.is_dir() else "its folder is read-only"
        if not path.is_dir() and os.access(path.parent, os.W_OK):
            return f"report: {path}"
    except OSError as error:
        problem = error.strerror or str(error)
    raise pytest.UsageError(f"--faithfulness-report: {path}: {problem}")


def _write(path: Path, lines: Iterable[Line]) -> None:
    """Writes results to a file. Raises ``OSError`` or ``ConfigError`` if that cannot be done."""
    if path.suffix.lower() == ".html":
        from ..report import write_report

        write_report(lines, path)
        return
    from ..files import as_text, new_file

    with new_file(path) as file, as_text(file) as text:
        text.writelines(f"{line.to_json()}\n" for line in lines)
