"""Annotations that GitHub shows beside a workflow's run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...text.strings import clip, visible
from ..rows import Line

MOST = 10
"""Annotations of a kind that GitHub shows for a step; the last one tells how many cases it is."""


def github_annotations(lines: Iterable[Line]) -> Iterator[str]:
    """Workflow commands, one a line, for standard output.

    An error for a case that does not pass, a warning for a grader error, which says nothing about
    the answer; of each kind the first nine, and then how many there are.
    """
    counts = {"error": 0, "warning": 0}
    for line in lines:
        result = line.result
        if result.pass_:
            continue
        kind = "error" if result.error is None else "warning"
        counts[kind] += 1
        if counts[kind] < MOST:
            what: str = "failed" if result.status == "graded" else result.status
            yield _command(kind, f"{what}: {clip(line.case_id)}", result.short_reason)
    for kind, what in (("error", "do not pass"), ("warning", "could not be graded")):
        if counts[kind] >= MOST:
            yield _command(kind, "faithfulness", f"{counts[kind]} cases {what}")


def _command(kind: str, title: str, message: str) -> str:
    title = _data(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={title}::{_data(message)}"


def _data(text: str) -> str:
    """A text as the runner reads it: it takes ``%``, and ends a command at a line break."""
    return visible(text).replace("%", "%25").replace("\n", "%0A")
