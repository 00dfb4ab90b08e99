"""What the exit code of a command says."""

PASSED, FAILED, WRONG_USE, NOT_GRADED = 0, 1, 2, 3
INTERRUPTED = 130
"""As shells have it: 128 and the number of the signal."""
