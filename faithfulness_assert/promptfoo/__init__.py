"""promptfoo's entry points: ``get_assert`` for a ``python`` assertion, ``worker`` for extensions.

promptfoo starts a new process for each call, so each function imports only what it needs.
``javascript.py`` is the entry point of a ``javascript`` assertion that has no worker.
"""

TYPE_CHECKING = False  # importing typing would take most of the time of an assertion with a worker
if TYPE_CHECKING:
    from typing import Any

__all__ = ["get_assert", "worker"]


def get_assert(output: "Any", context: "Any") -> "dict[str, Any]":
    """Grades ``output`` for a ``python`` assertion of promptfoo.

    The worker of this eval grades it, or this process if there is no worker. Arguments, result and
    errors are the same as for ``faithfulness_assert.promptfoo.hook.get_assert``.
    """
    reply = grade(output, context)
    if "raised" in reply:
        from .hook import NotPythonError

        _hide_tracebacks_from_promptfoo()
        raise NotPythonError(reply["raised"])
    result: dict[str, Any] = reply["result"]
    return result


def _hide_tracebacks_from_promptfoo() -> None:
    """promptfoo shows the whole traceback as the reason. Its wrapper then ends; others do not."""
    import os
    import sys

    main = getattr(sys.modules.get("__main__"), "__file__", None)
    if main and os.path.basename(main) == "wrapper.py":
        sys.tracebacklimit = 0


def grade(output: "Any", context: "Any") -> "dict[str, Any]":
    """The ``result`` of ``get_assert``, or ``raised`` with the message of its error."""
    from .worker_process.client import ask

    reply = ask(output, context)
    if reply is None:
        from ..promptfoo import hook

        try:
            return {"result": hook.get_assert(output, context)}
        except hook.NotPythonError as error:
            return {"raised": str(error)}
    return reply


def worker(first: "Any", second: "Any" = None) -> None:
    """A promptfoo extension: it starts this eval's worker before all tests and stops it after them.

    At the end it writes to standard error what was made up, and what could not be graded.

    If a worker cannot be started, assertions are graded in their own processes.

    Args:
        first: the name of promptfoo's hook. ``beforeAll`` starts the worker, ``afterAll`` stops it,
            others do nothing. It is the hook's context if the extension is named after a hook.
        second: the hook's context; or a mapping with the hook's name as ``hookName``.
    """
    hook = first if isinstance(first, str) else (second or {}).get("hookName")
    if hook in ("beforeAll", "afterAll"):
        from .worker_process import client

        (client.start if hook == "beforeAll" else client.stop)()
    if hook == "afterAll":
        from .eval_end import tell

        tell(first, second)
