"""One queue before a model: what several cases ask at the same time is computed together.

Nobody waits for a batch to fill up. What arrives while the model computes goes into the next
batches, sorted by length. A score does not depend on its batch: it is rounded to four digits, which
are more than padding ever changes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple, Protocol

from ...records.errors import JudgeError
from .. import background
from .inputs import Input

BATCH_TOKENS = 16_384
"""Tokens of one batch, padding included: a few long inputs, or many short ones."""
SIZE = 32
"""Inputs of one batch at most."""
AT_ONCE = 32
"""Batches of which the queue sorts the inputs together."""


class Engine(Protocol):
    """What computes the outputs of a model."""

    def outputs(self, batch: Sequence[Input]) -> list[Any]:
        """For each input its numbers: one for each label, or such a list for each token.

        Raises:
            OutOfMemory: the batch is too large.
        """
        ...


class OutOfMemory(Exception):  # noqa: N818 - no error of its own: a smaller batch follows
    """A batch does not fit into memory."""


class _Job(NamedTuple):
    inputs: Sequence[Input]
    future: Future[list[Any]]


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

    def submit(self, inputs: Sequence[Input]) -> Future[list[Any]]:
        """The outputs of these inputs, in their order, when they are there.

        Once it is cancelled, no further batch of them is computed.
        """
        job = _Job(inputs, Future())
        with self._lock:
            self._waiting.append(job)
            begins, self._is_at_work = not self._is_at_work, True
        if begins:
            background.process.threads.submit(self._work)
        return job.future

    def _work(self) -> None:
        while jobs := self._next():
            self._compute(jobs)

    def _compute(self, jobs: Sequence[_Job]) -> None:
        """Computes jobs together; if that fails each alone, so that it costs only one of them."""
        inputs = [one for job in jobs for one in job.inputs]
        owners = [job.future for job in jobs for _ in job.inputs]
        try:
            outputs = iter(self.computed(inputs, lambda place: not owners[place].cancelled()))
        except Exception as error:  # noqa: BLE001 - raised again where the outputs are needed
            if len(jobs) == 1:
                if jobs[0].future.set_running_or_notify_cancel():
                    jobs[0].future.set_exception(_judge_error(error))
                return
            for job in jobs:
                self._compute([job])
            return
        for job in jobs:
            own = [next(outputs) for _ in job.inputs]
            if job.future.set_running_or_notify_cancel():
                job.future.set_result(own)

    def _next(self) -> list[_Job]:
        """The jobs that are next; those of nobody are dropped. At least one, if there are any."""
        jobs: list[_Job] = []
        with self._lock:
            while self._waiting and sum(len(job.inputs) for job in jobs) < self.size * AT_ONCE:
                job = self._waiting.pop(0)
                if not job.future.cancelled():
                    jobs.append(job)
            self._is_at_work = bool(jobs)
        return jobs

    def computed(
        self, inputs: Sequence[Input], is_wanted: Callable[[int], bool] = lambda _: True
    ) -> list[Any]:
        """The outputs of these inputs, in their order; None for those that nobody wants any more.

        Raises:
            JudgeError: not even one input fits into memory.
        """
        outputs: list[Any] = [None] * len(inputs)
        order = sorted(range(len(inputs)), key=lambda place: len(inputs[place].ids), reverse=True)
        size = self.size
        while order:
            if not is_wanted(order[-1]):
                order.pop()
                continue
            places = self._batch(inputs, order[: -size - 1 : -1])
            try:
                values = self.engine.outputs([inputs[place] for place in places])
            except OutOfMemory:
                if len(places) == 1:
                    raise JudgeError(
                        "the model ran out of memory with a single input",
                        "server",
                        fix="Use device='cpu', a smaller model, or a lower max_prompt_tokens.",
                        remedy="none",
                    ) from None
                size = len(places) // 2
                continue
            for place, output in zip(places, values, strict=True):
                outputs[place] = output
            del order[-len(places) :]
        return outputs

    def _batch(self, inputs: Sequence[Input], order: Sequence[int]) -> Sequence[int]:
        """The first of these places whose inputs, padded to the longest, make up one batch."""
        count = 1
        for place in order[1:]:  # each is at least as long as those before it
            if (count + 1) * len(inputs[place].ids) > BATCH_TOKENS:
                break
            count += 1
        return order[:count]


def _judge_error(error: Exception) -> JudgeError:
    """The error of a judge for what a model raised."""
    if isinstance(error, JudgeError):
        return error
    return JudgeError(
        f"the model failed ({type(error).__name__})",
        "server",
        fix="Its files may not belong together: fetch them again; check family and label_order.",
        remedy="none",
    )
