"""Grades the rows of a run on a Ray cluster.

Rows are handed out to actors, each with a grader of its own. If an actor or a node dies, Ray starts
the actor again, there or elsewhere, and its rows are graded again.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Generator, Iterator
from itertools import islice
from typing import Any

import ray
from ray import exceptions

from ..drive.asks import GivenUp
from ..grading import Grader
from ..records.errors import ConfigError
from .rows import Line, Row, gate_of, grade_rows

CHUNK = 64
"""Rows of a run that an actor gets at a time."""
MOST_DEATHS = 10
"""How often the actor that grades a chunk may die before the run stops: a row may be the cause."""
DEATHS = exceptions.RayActorError, exceptions.WorkerCrashedError, exceptions.OutOfMemoryError
Limits = tuple[float | None, float | None, float]
"""Requests and tokens per minute, and the patience."""


class _Rows:
    """An actor. ``limits``: as ``gate_of`` takes them. A gate is not pickled."""

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


def graded(
    rows: Iterator[Row],
    grader: Grader,
    concurrency: int | None,
    limits: Limits,
    actors: int | None,
) -> Generator[Line, None, None]:
    """The results of these rows, as they finish; see ``batch.run``. What is under way ends with it.

    The actors share the limits per minute, and each has the whole concurrency and patience.

    Raises:
        ConfigError: the cluster cannot be used, or an actor dies again and again.
        GivenUp: at the end; rows were not asked about.
    """
    _connect()
    requests, tokens, patience = limits
    actors = actors or int(ray.cluster_resources().get("CPU", 1))
    actors = max(1, min(actors, int(requests or actors)))  # each sends a request at once
    # Requests are whole ones: a gate rounds its share up, so it is rounded down here.
    requests = requests and (requests // actors or requests / actors)
    shares = requests, tokens and tokens / actors, patience
    # After a node is lost, those that are left must take all actors, so they need no core.
    actor = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=MOST_DEATHS)(_Rows)
    idle = [actor.remote(grader, concurrency, shares) for _ in range(actors)]
    under_way: dict[Any, Any] = {}
    given_up = ""
    try:
        while True:
            while idle and not given_up:
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
    try:
        if host and port.isdecimal():  # Ray itself would try for many minutes
            socket.create_connection((host.strip("[]"), int(port)), 10).close()
        board = None if host else False
        ray.init(include_dashboard=board, log_to_driver=False, logging_level="warning")
    except (OSError, OverflowError, RuntimeError, ValueError) as error:
        name = "RAY_ADDRESS" if where else "engine"
        raise ConfigError(f"{name}: no Ray cluster at {where or 'hand'}: {error}") from None
