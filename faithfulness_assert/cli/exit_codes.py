"""What the exit code of a command says."""

from __future__ import annotations

TYPE_CHECKING = False  # help and version need no typing
if TYPE_CHECKING:
    from ..batch.summary import Summary

PASSED, FAILED, WRONG_USE, NOT_GRADED = 0, 1, 2, 3
WAITING = 4
"""A run over a batch API has sent all that it can send now. Collect the answers later."""
INTERRUPTED = 130
"""As shells have it: 128 and the number of the signal."""


def exit_code(summary: Summary) -> int:
    """The code of a run: whether all cases were graded, and passed."""
    if summary.not_graded:
        return NOT_GRADED
    return PASSED if summary.passed == summary.cases else FAILED


def judged(code: int, mean: float | None, fail_under: float | None) -> int:
    """The code of a run whose cases ended in ``code``, if its mean score decides."""
    if fail_under is None or code not in (PASSED, FAILED):
        return code
    return PASSED if mean is not None and mean >= fail_under else FAILED
