"""Writes results as JUnit XML, which CI systems show as tests."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from ...text.strings import visible
from ..summary import Summary

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ...records.result import GradingResult
    from ..rows import Line

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
SUITE_WIDTH = 200


def write_junit(lines: Iterable[Line], file: Path) -> None:
    """Writes a test case for each result. A case that does not pass is a failure; a grader error,
    which says nothing about the answer, is an error.
    """
    summary = Summary()
    seconds = 0.0
    with file.open("w", encoding="utf-8", newline="\n") as text:
        text.write(HEAD)
        start = text.tell()
        _write_suite(text, summary, seconds)
        for line in lines:
            summary.add(line)
            seconds += line.result.latency_ms / 1000
            text.write(_test_case(line.case_id, line.result))
        text.write("</testsuite>\n</testsuites>\n")
        text.seek(start)  # the counts stand before the cases, but are known only now
        _write_suite(text, summary, seconds)


def _write_suite(text: IO[str], summary: Summary, seconds: float) -> None:
    """The tag of the suite, filled up with spaces to the same length whatever the counts are."""
    counts = (
        f'tests="{summary.cases}" failures="{summary.failed}" '
        f'errors="{summary.not_graded}" time="{seconds:.3f}"'
    )
    text.write(f'<testsuite name="faithfulness" {counts}'.ljust(SUITE_WIDTH) + ">\n")


def _test_case(case_id: str, result: GradingResult) -> str:
    name, seconds = _attribute(case_id), result.latency_ms / 1000
    start = f'<testcase classname="faithfulness" name={name} time="{seconds:.3f}"'
    if result.pass_:
        return f"{start}/>\n"
    tag = "failure" if result.error is None else "error"
    kind = result.status if result.error is None else result.error.kind
    reason = _attribute(result.short_reason)
    text = escape(visible(result.pretty()))
    return (
        f"{start}>\n<{tag} type={_attribute(kind)} message={reason}>{text}</{tag}>\n</testcase>\n"
    )


def _attribute(text: str) -> str:
    """A text in quotes. XML cannot express control characters, so they are written as escapes."""
    return quoteattr(visible(text))
