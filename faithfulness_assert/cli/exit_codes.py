"""What the exit code of a command says."""

from __future__ import annotations

PASSED, FAILED, WRONG_USE, NOT_GRADED = 0, 1, 2, 3
WAITING = 4
"""A run over a batch API has sent all that it can send now. Collect the answers later."""
INTERRUPTED = 130
"""As shells have it: 128 and the number of the signal."""


def judged(
    cases: int,
    passed: int,
    not_graded: int,
    *,
    mean: float | None = None,
    fail_under: float | None = None,
    min_graded: float = 1.0,
) -> int:
    """The code of a run with these numbers of cases.

    Args:
        mean: the mean score. With ``fail_under`` it decides, whatever single cases have.
        min_graded: the share of cases that must have been graded. Without any, nothing is green.
    """
    graded = cases - not_graded
    if graded < min_graded * cases or (not_graded and not graded):
        return NOT_GRADED
    if fail_under is None:
        return PASSED if passed == graded else FAILED
    return PASSED if mean is not None and mean >= fail_under else FAILED
