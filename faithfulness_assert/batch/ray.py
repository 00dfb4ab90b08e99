"""Grades on a Ray cluster: batches of a data set of Ray Data, or the rows of a run as one.

Rows are handed out to actors, each with a grader of its own. If an actor or a node dies, Ray starts
the actor again, there or elsewhere, and its rows are graded again.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Generator, Iterator, Mapping
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple

import pyarrow
import ray
from ray import exceptions

from ..drive.asks import GivenUp
from ..drive.breaker import NO_DEADLINE
from ..grading import Grader
from ..records.errors import ConfigError
from ..records.judge import Judge
from ..records.result import GradingResult
from ..settings import SETTING, AnyPolicy
from .data_sets import open_data_set
from .rows import Line, Row, gate_of, grade_rows

CHUNK = 64
"""Rows of a run that an actor gets at a time."""
MOST_DEATHS = 10
"""How often the actor that grades a chunk may die before the run stops: a row may be the cause."""
DEATHS = exceptions.RayActorError, exceptions.WorkerCrashedError, exceptions.OutOfMemoryError
PREFIX = "faithfulness_"
Limits = tuple[float | None, float | None, float]
"""Requests and tokens per minute, and the patience."""
_COLUMNS: Mapping[str, tuple[Any, Callable[[GradingResult], Any]]] = {
    "pass": (pyarrow.bool_(), attrgetter("pass_")),
    "score": (pyarrow.float64(), attrgetter("score")),
    "status": (pyarrow.string(), attrgetter("status")),
    "result": (pyarrow.string(), lambda result: result.model_dump_json()),
}


class GradedBatches:
    """For ``ray.data.Dataset.map_batches``: grades batches in ``batch_format="pyarrow"``.

    Each row gets the columns ``pass``, ``score``, ``status`` and ``result`` (JSON), all with
    ``PREFIX`` before their names, in place of those that it has.

    Args:
        judge, policy, threshold, options: see ``faithfulness_assert.Grader``. A key in the
            environment must be set on each node.
        mapping: columns for the fields of a case, such as ``{"answer": "reply"}``.
        concurrency: asks under way at once in each actor.
    """

    def __init__(
        self,
        judge: str | Judge = SETTING,
        policy: AnyPolicy | None = None,
        threshold: float | None = None,
        *,
        mapping: Mapping[str, str] | None = None,
        concurrency: int | None = None,
        **options: Any,
    ) -> None:
        self.grader, self.mapping = Grader(judge, policy, threshold, **options), mapping
        self.concurrency, self.gate = concurrency, gate_of(self.grader, None, None, NO_DEADLINE)

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        """The batch with its results."""
        records = batch.to_pylist()
        rows = open_data_set(records, mapping=self.mapping).rows() if records else ()
        graded = grade_rows(rows, self.grader, self.concurrency, self.gate)
        lines = sorted(graded, key=lambda line: line.row)
        ours = [PREFIX + name for name in _COLUMNS]
        batch = batch.select([name for name in batch.column_names if name not in ours])
        for name, (kind, value_of) in zip(ours, _COLUMNS.values(), strict=True):
            values = pyarrow.array([value_of(line.result) for line in lines], kind)
            batch = batch.append_column(name, values)
        return batch


class _Rows:
    """The same for rows of a run. ``limits``: as ``gate_of`` takes them. A gate is not pickled."""

    def __init__(self, grader: Grader, concurrency: int | None, limits: Limits) -> None:
        self._grader, self._concurrency = grader, concurrency
        self._gate = gate_of(grader, *limits)

    def graded(self, rows: list[Row]) -> tuple[list[Line], str]:
        """The results, and why some rows were not asked about; "" if all were."""
        lines: list[Line] = []
        try:
            lines += grade_rows(rows, self._grader, self._concurrency, self._gate)
        except GivenUp as error:
            return lines, str(error)
        return lines, ""


class Cluster(NamedTuple):
    """Where the rows of a run are graded, by so many ``actors``; see ``batch.run``.

    They share the ``limits`` per minute, and each has the whole concurrency and patience.
    """

    grader: Grader
    concurrency: int | None
    limits: Limits
    actors: int | None = None

    def graded(
        self, rows: Iterator[Row], stopping: Callable[[], str]
    ) -> Generator[Line, None, None]:
        """The results of these rows, as they finish. What is under way ends with this generator.

        Raises:
            ConfigError: the cluster cannot be used, or an actor dies again and again.
            GivenUp: at the end; rows were not asked about.
        """
        _connect()
        requests, tokens, patience = self.limits
        cores = int(ray.cluster_resources().get("CPU", 1))
        actors = self.actors or cores  # each sends a request at once
        actors = max(1, min(actors, int(requests or actors)))
        # Requests are whole ones: a gate rounds its share up, so it is rounded down here.
        requests = requests and (requests // actors or requests / actors)
        limits = requests, tokens and tokens / actors, patience
        # After a node is lost, those that are left must take all actors, so they need no core.
        actor = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=MOST_DEATHS)(_Rows)
        idle = [actor.remote(self.grader, self.concurrency, limits) for _ in range(actors)]
        under_way: dict[Any, Any] = {}
        given_up = ""
        try:
            while True:
                while idle and not given_up and not stopping():
                    if not (chunk := list(islice(rows, CHUNK))):
                        break
                    one = idle.pop()
                    under_way[one.graded.remote(chunk)] = one
                if not under_way:
                    break
                (done,), _ = ray.wait(list(under_way))
                idle.append(under_way.pop(done))
                lines, why = ray.get(done)
                given_up = given_up or why
                yield from lines
        except DEATHS as error:
            problem = "a process that grades died again and again; has it enough memory?"
            raise ConfigError(f"actors: {problem} Ray says: {error}") from None
        finally:
            for one in (*idle, *under_way.values()):
                ray.kill(one)
        if given_up:
            raise GivenUp(given_up)


def _connect() -> None:
    """Connects to a cluster, or starts one. Raises ``ConfigError`` if it cannot be reached."""
    if ray.is_initialized():
        return
    where = os.environ.get("RAY_ADDRESS", "")
    host, _, port = where.rpartition("://")[2].rpartition(":")
    board = None if host else False
    try:
        if host and port.isdecimal():  # Ray itself would try for many minutes
            socket.create_connection((host.strip("[]"), int(port)), 10).close()
        ray.init(include_dashboard=board, log_to_driver=False, logging_level="warning")
    except (OSError, OverflowError, RuntimeError, ValueError) as error:
        name = "RAY_ADDRESS" if where else "engine"
        raise ConfigError(f"{name}: no Ray cluster at {where or 'hand'}: {error}") from None
