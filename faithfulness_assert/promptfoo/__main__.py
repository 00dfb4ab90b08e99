"""Grades all assertions of an eval for ``faithfulness.cjs``, which starts this process.

Each line of the standard input is a number and the JSON of what is asked: ``[1, "{…}"]``. It is
answered by a line with this number, ``[1, {…}]``, as soon as the answer is there. Many asks may be
under way at once. When the input is closed, promptfoo has ended and nobody waits any more.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from ..grading import Grader

MAX_GRADERS = 64  # kept; the least recently used one is dropped first
_making, _writing = threading.Lock(), threading.Lock()


def own_streams() -> tuple[BinaryIO, BinaryIO]:
    """The input and the output. What a library prints from now on goes to standard error."""
    asks, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing, end = os.pipe()
    os.close(end)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return asks, answers


def serve(asks: BinaryIO, answers: BinaryIO) -> None:
    """Answers each line in a thread of its own, until there are no more."""
    from . import eval_end, hook  # noqa: F401 - loaded once, before threads need them

    for line in asks:
        number, asked = json.loads(line)
        threading.Thread(target=_answer, args=(number, asked, answers), daemon=True).start()


def _answer(number: int, asked: str, answers: BinaryIO) -> None:
    try:
        line = json.dumps([number, reply(json.loads(asked))])
    except BaseException as error:  # noqa: BLE001 - the assertion waits for an answer
        from .hook import defect_of_ours  # see `reply`

        defect = defect_of_ours(error).error
        line = json.dumps([number, {"lost": defect and defect.message}])
    with _writing, suppress(OSError):  # promptfoo has ended
        answers.write(f"\n{line}\n".encode())  # what was printed before ends with a line break
        answers.flush()


def reply(asked: dict[str, Any]) -> dict[str, Any]:
    """The ``result`` of an assertion, or what it ``raised``; what is ``told`` of an eval."""
    from . import eval_end, hook  # after `own_streams`: a library may print when it is imported

    if "ended" in asked:
        return {"told": eval_end.lines_of(asked["ended"])}
    output, context = asked["grade"]
    try:
        return {"result": hook.grade(output, context, grader_of_eval)}
    except hook.NotPythonError as error:
        return {"raised": str(error)}


def grader_of_eval(*args: Any, **options: Any) -> Grader:
    """One grader for each configuration of the eval. Raises as ``Grader`` does."""
    with _making:
        return _made(json.dumps([args, options], sort_keys=True))


@lru_cache(MAX_GRADERS)
def _made(config: str) -> Grader:
    from ..grading import Grader

    args, options = json.loads(config)
    return Grader(*args, **options)


if __name__ == "__main__":
    streams = own_streams()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for promptfoo, which then ends
    try:
        serve(*streams)
    finally:
        os._exit(0)  # waits for no ask that is under way
