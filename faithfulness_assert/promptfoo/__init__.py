"""promptfoo's way in: ``get_assert`` for a ``python`` assertion, ``worker`` for its extensions.

promptfoo starts a fresh process for each call, so neither imports more than it turns out to need.
"""

TYPE_CHECKING = False  # importing typing would be most of what an assertion with a worker costs
if TYPE_CHECKING:
    from typing import Any

__all__ = ["get_assert", "worker"]


def get_assert(output: "Any", context: "Any") -> "dict[str, Any]":
    """Grades ``output`` as promptfoo's ``python`` assertions want it: by the worker of this eval, in this process where there is none.

    Args, result and errors are those of :func:`faithfulness_assert.promptfoo.hook.get_assert`, whoever grades.
    """
    from .worker_process.client import ask

    reply = ask(output, context)
    if reply is None:
        from ..promptfoo import hook

        try:
            return hook.get_assert(output, context)
        except hook.NotPythonError as error:
            reply = {"raised": str(error)}
    if "raised" in reply:
        import sys

        from .hook import NotPythonError

        sys.tracebacklimit = 0  # promptfoo puts the whole traceback into the reason, paths and all; the message says everything
        raise NotPythonError(reply["raised"])
    result: dict[str, Any] = reply["result"]
    return result


def worker(first: "Any", second: "Any" = None) -> None:
    """A promptfoo extension: starts this eval's worker on ``beforeAll`` and stops it on ``afterAll``; other hooks do nothing.

    Args:
        first: the hook's name; or its context, where promptfoo calls an extension that is named after a hook.
        second: its context; or the mapping with its name as ``hookName``.

    A worker that cannot be started is no error: assertions then grade in their own processes.
    """
    hook = first if isinstance(first, str) else (second or {}).get("hookName")
    if hook in ("beforeAll", "afterAll"):
        from .worker_process import extension

        (extension.start if hook == "beforeAll" else extension.stop)()
