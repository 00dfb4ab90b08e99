"""What the exit code of a command says."""

from __future__ import annotations

PASSED, FAILED, WRONG_USE, NOT_GRADED = 0, 1, 2, 3
WAITING = 4
"""A run over a batch API has sent all that it can send now. Collect the answers later."""
INTERRUPTED = 130
"""As shells have it: 128 and the number of the signal."""


def judged(code: int, mean: float | None, fail_under: float | None) -> int:
    """The code of a run whose cases ended in ``code``, if its mean score decides."""
    if fail_under is None or code not in (PASSED, FAILED):
        return code
    return PASSED if mean is not None and mean >= fail_under else FAILED
