"""One queue before a model: what several cases ask at the same time is computed together.

Nobody waits for a batch to fill up. What arrives while the model computes goes into the next
batches, sorted by length. A score does not depend on its batch: it is rounded to four digits, which
are more than padding ever changes. A batch that fails is halved, so that what is wrong with an
input costs only the case that it is of, and what is too large for memory becomes small enough.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, Protocol

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
        """For each input its numbers: one for each label, or such a list for each token."""
        ...


class _Job:
    """The inputs that one case waits for, and their outputs so far."""

    def __init__(self, inputs: Sequence[Input]) -> None:
        self.inputs, self.future = inputs, Future[list[Any]]()
        self._outputs, self._left = [None] * len(inputs), len(inputs)

    def add(self, place: int, output: Any) -> None:
        """Takes an output in. The last one ends the job."""
        self._outputs[place], self._left = output, self._left - 1
        if not self._left and self.future.set_running_or_notify_cancel():
            self.future.set_result(self._outputs)

    def fail(self, error: BaseException) -> None:
        """Ends the job."""
        if self.future.set_running_or_notify_cancel():
            self.future.set_exception(_judge_error(error))


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
        job = _Job(inputs)
        if not inputs:
            job.future.set_result([])
            return job.future
        with self._lock:
            self._waiting.append(job)
            begins, self._is_at_work = not self._is_at_work, True
        if begins:
            background.process.threads.submit(self._work)
        return job.future

    def _work(self) -> None:
        while jobs := self._next():
            # The longest first, as batches are taken from the end.
            left = [(job, place) for job in jobs for place in range(len(job.inputs))]
            left.sort(key=_length, reverse=True)
            size = self.size
            while batch := _batch(left, size):
                try:
                    outputs = self.engine.outputs([job.inputs[place] for job, place in batch])
                    computed = list(zip(batch, outputs, strict=True))
                except BaseException as error:  # noqa: BLE001 - raised again where the outputs are needed
                    if len(batch) == 1:
                        batch[0][0].fail(error)
                    else:
                        left.extend(reversed(batch))
                        size = len(batch) // 2
                    continue
                for (job, place), output in computed:
                    job.add(place, output)

    def _next(self) -> list[_Job]:
        """The jobs that are next. At least one, if there are any."""
        jobs: list[_Job] = []
        with self._lock:
            while self._waiting and sum(len(job.inputs) for job in jobs) < self.size * AT_ONCE:
                jobs.append(self._waiting.pop(0))
            self._is_at_work = bool(jobs)
        return jobs


def _length(one: tuple[_Job, int]) -> int:
    job, place = one
    return len(job.inputs[place].ids)


def _batch(left: list[tuple[_Job, int]], size: int) -> list[tuple[_Job, int]]:
    """Takes the inputs from the end that, padded to the longest, make up one batch.

    Those of jobs that have ended, or that nobody waits for any more, are dropped.
    """
    batch: list[tuple[_Job, int]] = []
    while left and len(batch) < size:
        one = left.pop()
        if one[0].future.done():
            continue
        if batch and (len(batch) + 1) * _length(one) > BATCH_TOKENS:
            left.append(one)
            break
        batch.append(one)
    return batch


def is_out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out: PyTorch has an error for it on GPUs, and only words elsewhere."""
    words = ("out of memory", "not enough memory", "alloc")
    return isinstance(error, MemoryError) or any(word in str(error).lower() for word in words)


def _judge_error(error: BaseException) -> JudgeError:
    """The error of a judge for what a model raised at a single input."""
    problem = f"the model failed ({type(error).__name__})"
    fix = "Its files may not belong together: fetch them again; check family and label_order."
    if is_out_of_memory(error):
        problem = "the model ran out of memory with a single input"
        fix = "Use device='cpu', a smaller model, or a lower max_prompt_tokens."
    return JudgeError(problem, "server", fix=fix, remedy="none")
