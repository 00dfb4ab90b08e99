"""One queue before a model: what several cases ask at the same time is computed together.

Nobody waits for a batch to fill up. What arrives while the model computes goes into the next
batches, sorted by length. A score does not depend on its batch: it is rounded to four digits, which
are more than padding ever changes. A batch that fails is halved, so that what is wrong with an
input costs only the case that it is of, and what is too large for memory becomes small enough.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any, Protocol

from ...records.errors import JudgeError
from .. import background
from .inputs import Input

BATCH_TOKENS = 16_384
"""Tokens of one batch, padding included: a few long inputs, or many short ones."""
SIZE = 32
"""Inputs of one batch at most."""
TOGETHER = 1_024
"""Inputs that the queue sorts together."""
WRONG_FILES = "Its files may not belong together: fetch them again; check family and label_order."
LARGE = "Use device='cpu', a smaller model, or a lower max_prompt_tokens."


class Engine(Protocol):
    """What computes the outputs of a model."""

    def outputs(self, batch: Sequence[Input]) -> list[Any]:
        """For each input its numbers: one for each label, or such a list for each token."""
        ...


_Job = tuple[Input, Future[Any]]


class Batcher:
    """Computes the outputs of inputs, together with those that others wait for.

    Args:
        engine: what computes.
        size: the most inputs of one batch.
    """

    def __init__(self, engine: Engine, size: int = SIZE) -> None:
        self.engine, self.size = engine, size
        self._lock = threading.Lock()
        self._waiting: list[_Job] = []
        self._is_at_work = False

    def submit(self, inputs: Sequence[Input]) -> list[Future[Any]]:
        """The outputs to come of these inputs. Those that are cancelled in time are not computed.

        The error of one is a ``JudgeError``.
        """
        jobs: list[_Job] = [(one, Future()) for one in inputs]
        with self._lock:
            self._waiting += jobs
            begins, self._is_at_work = not self._is_at_work, True
        if begins:
            background.process.threads.submit(self._work)
        return [future for _, future in jobs]

    def _work(self) -> None:
        while jobs := self._next():
            batch: list[_Job] = []
            for job in sorted(jobs, key=lambda job: len(job[0].ids)):
                is_full = (len(batch) + 1) * len(job[0].ids) > BATCH_TOKENS
                if len(batch) == self.size or is_full:
                    self._compute(batch)
                    batch = []
                batch.append(job)
            self._compute(batch)

    def _next(self) -> list[_Job]:
        """The inputs that are next. At least one, if there are any."""
        with self._lock:
            jobs, self._waiting = self._waiting[:TOGETHER], self._waiting[TOGETHER:]
            self._is_at_work = bool(jobs)
        return jobs

    def _compute(self, batch: Sequence[_Job]) -> None:
        """Computes a batch, in halves if it fails; but for what nobody waits for any more."""
        batch = [job for job in batch if not job[1].cancelled()]
        if not batch:
            return
        try:
            outputs = self.engine.outputs([one for one, _ in batch])
            computed = list(zip(batch, outputs, strict=True))
        except BaseException as error:  # noqa: BLE001 - raised again where the outputs are needed
            if len(batch) > 1:
                self._compute(batch[: len(batch) // 2])
                self._compute(batch[len(batch) // 2 :])
                return
            problem, fix = f"the model failed ({type(error).__name__})", WRONG_FILES
            if is_out_of_memory(error):
                problem, fix = "the model ran out of memory with a single input", LARGE
            with suppress(InvalidStateError):
                batch[0][1].set_exception(JudgeError(problem, "server", fix=fix, remedy="none"))
            return
        for (_, future), output in computed:
            with suppress(InvalidStateError):  # cancelled meanwhile
                future.set_result(output)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out: PyTorch has an error for it on GPUs, and only words elsewhere."""
    words = ("out of memory", "not enough memory", "alloc")
    return isinstance(error, MemoryError) or any(word in str(error).lower() for word in words)
