"""promptfoo's entry points: ``get_assert`` for a ``python`` assertion, ``afterAll`` for its end.

promptfoo starts a new process for each call, so each function imports only what it needs. For
``faithfulness.cjs``, ``__main__.py`` is one process for a whole eval.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["afterAll", "get_assert"]


def get_assert(output: "Any", context: "Any") -> "dict[str, Any]":
    """Grades ``output`` for a ``python`` assertion of promptfoo.

    Arguments, result and errors are those of ``faithfulness_assert.promptfoo.hook.grade``.
    """
    import os
    import sys

    from . import hook

    try:
        return hook.grade(output, context)
    except hook.NotPythonError:
        # promptfoo shows the whole traceback as the reason. Its wrapper then ends; others do not.
        main = getattr(sys.modules.get("__main__"), "__file__", None)
        if main and os.path.basename(main) == "wrapper.py":
            sys.tracebacklimit = 0
        raise


def afterAll(*given: "Any") -> None:  # noqa: N802 - promptfoo calls other names around each test, too
    """A promptfoo extension: writes to standard error what was made up, and what was not graded.

    It never fails an eval.

    Args:
        *given: what promptfoo gives; one is the hook's context, with the results of the eval.
    """
    import sys

    from .eval_end import lines_of

    for line in lines_of(given):
        sys.stderr.write(line.encode("utf-8", "replace").decode() + "\n")
