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
from typing import Any, BinaryIO

_graders: dict[str, Any] = {}  # one for each configuration of the eval
_making, _writing = threading.Lock(), threading.Lock()


def own_streams() -> tuple[BinaryIO, BinaryIO]:
    """The input and the output. What a library reads or prints from now on is standard error."""
    asks, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 0)  # which is the null device, as `faithfulness.cjs` starts this process
    os.dup2(2, 1)
    return asks, answers


def serve(asks: BinaryIO, answers: BinaryIO) -> None:
    """Answers each line in a thread of its own, until there are no more.

    An answer is the ``result`` of an assertion or what it ``raised``, or what is ``told`` of an
    eval; ``lost`` says why there is none.
    """
    from . import eval_end, hook  # after `own_streams`: a library may print when it is imported

    def answer(number: int, asked: str) -> None:
        try:
            given = json.loads(asked)
            if "ended" in given:
                line = json.dumps([number, {"told": eval_end.lines_of(given["ended"])}])
            else:
                result = hook.grade(**given["grade"], make_grader=grader_of_eval)
                line = json.dumps([number, {"result": result}])
        except hook.NotPythonError as error:
            line = json.dumps([number, {"raised": str(error)}])
        except BaseException as error:  # noqa: BLE001 - the assertion waits for an answer
            defect = hook.defect_of_ours(error).error
            line = json.dumps([number, {"lost": defect and defect.message}])
        with _writing, suppress(OSError):  # promptfoo has ended
            answers.write(f"\n{line}\n".encode())  # what was printed before ends with a line break
            answers.flush()

    for line in asks:
        threading.Thread(target=answer, args=json.loads(line), daemon=True).start()


def grader_of_eval(*args: Any, **options: Any) -> Any:
    """One ``Grader`` for each configuration of the eval. Raises as ``Grader`` does."""
    from ..grading import Grader

    config = json.dumps([args, options], sort_keys=True)
    with _making:
        return _graders.get(config) or _graders.setdefault(config, Grader(*args, **options))


if __name__ == "__main__":
    streams = own_streams()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for promptfoo, which then ends
    try:
        serve(*streams)
    finally:
        os._exit(0)  # waits for no ask that is under way
