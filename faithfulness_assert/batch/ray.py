"""Grades on a Ray cluster: a data set of Ray Data, or the rows of a run as one.

Ray Data hands out the rows to actors, each with a grader of its own. If an actor or a node dies,
Ray starts the actor again, there or elsewhere, and its rows are graded again.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow
import pyarrow.compute
import ray
import ray.data
import ray.exceptions
from ray import cloudpickle

from ..grading import Grader
from ..judges.secret import process_secret
from ..options import hide_key
from ..records.checks import check_number
from ..records.errors import ConfigError
from ..records.judge import Judge, judge_info
from .data_sets import open_data_set
from .row_grading import GraderSettings, Share
from .rows import NotAsked, Row, Told, brief, told

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

    from typing_extensions import Unpack

    from ..grading import AnyPolicy
    from ..options import GraderOptions
    from ..records.result import GradingResult

CHUNK = 64
"""Rows that an actor gets at a time."""
AT_ONCE = 1_500
"""Chunks of a run that Ray gets at a time. It keeps them in its object store, also on disk."""
CONNECT_SECONDS = 10.0
MOST_DEATHS = 10
"""How often the actor that grades a chunk may die before the run stops: a row may be the cause."""
DEATHS = (
    ray.exceptions.RayActorError,
    ray.exceptions.WorkerCrashedError,
    ray.exceptions.OutOfMemoryError,
)
REMOTE_CPUS = 0.25
"""Cores that Ray sets aside for an actor whose judge is behind an API: it mostly waits."""
PREFIX = "faithfulness_"
_VALUES: Mapping[str, tuple[Any, Callable[[GradingResult], Any]]] = {
    "pass": (pyarrow.bool_(), attrgetter("pass_")),
    "score": (pyarrow.float64(), attrgetter("score")),
    "defined": (pyarrow.bool_(), attrgetter("defined")),
    "status": (pyarrow.string(), attrgetter("status")),
    "reason": (pyarrow.string(), attrgetter("reason")),
    "tokens": (pyarrow.int64(), attrgetter("tokens_used.total")),
    "result": (pyarrow.string(), lambda result: result.model_dump_json(by_alias=True)),
}
RESULT_COLUMNS = pyarrow.schema({name: kind for name, (kind, _) in _VALUES.items()})
"""What ``grade_dataset`` adds, each under its name with the prefix. ``result`` is JSON."""


class RecordGrader:
    """Grades batches of a data set of Ray Data, in a process of the cluster."""

    def __init__(
        self, settings: GraderSettings, share: Share, mapping: Mapping[str, str] | None = None
    ) -> None:
        self.grader = self._grader(settings, share)
        self.share, self.mapping = share, mapping

    def _grader(self, settings: GraderSettings, share: Share) -> Grader:
        return share.ready(settings.grader())

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        """The batch with its results, in place of those that it has."""
        records = batch.to_pylist()
        rows = open_data_set(records, mapping=self.mapping).rows() if records else ()
        lines = sorted(self.share.graded(rows, self.grader), key=lambda line: line.row)
        ours = [PREFIX + name for name in _VALUES]
        batch = batch.select([name for name in batch.column_names if name not in ours])
        for name, (kind, value_of) in zip(ours, _VALUES.values(), strict=True):
            values = pyarrow.array([value_of(line.result) for line in lines], kind)
            batch = batch.append_column(name, values)
        return batch


class RowGrader(RecordGrader):
    """Grades rows of a run, which come pickled, because a table would change their values."""

    def _grader(self, settings: GraderSettings, share: Share) -> Grader:
        return settings.run_grader(share)

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        """The results, pickled too, as ``told`` has them; at the end the rows that have none."""
        lines = self.share.graded_or_left(_unpickled(batch), self.grader)
        asked_first = sorted(lines, key=lambda line: isinstance(line, NotAsked))
        return _pickled([told(line, brief) for line in asked_first])


def _pickled(values: list[Any]) -> pyarrow.Table:
    pickles = pyarrow.array([cloudpickle.dumps(value) for value in values], pyarrow.large_binary())
    return pyarrow.table({"pickle": pickles})


def _unpickled(table: pyarrow.Table) -> Iterator[Any]:
    return (cloudpickle.loads(value.as_py()) for value in table["pickle"])


def grade_dataset(
    ds: ray.data.Dataset,
    *,
    judge: str | Judge | None = None,
    policy: AnyPolicy | None = None,
    threshold: float | None = None,
    mapping: Mapping[str, str] | None = None,
    actors: int | None = None,
    batch_size: int = CHUNK,
    concurrency: int | None = None,
    requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None,
    **options: Unpack[GraderOptions],
) -> ray.data.Dataset:
    """The data set with a result for each row, in the columns of ``RESULT_COLUMNS``.

    Results that it has already, of an earlier grading, are replaced.

    It is graded when it is read or written, in any order unless Ray is told to keep it. To go on
    with what was interrupted, grade ``remaining`` rows, or use Ray's own checkpoint.

    Args:
        ds: rows with the fields of a case under any name that ``Case`` knows.
        judge, policy, threshold, options: see ``faithfulness_assert.Grader``. A judge that is
            an object is pickled. A key in the environment must be set on each node.
        mapping: columns for the fields of a case, such as ``{"answer": "reply"}``.
        actors: how many; by default as many as the cluster has cores, less one, which reads, and
            less one more if Ray has a checkpoint.
        batch_size: rows that an actor gets at a time. Their asks overlap.
        concurrency: asks under way at once in each actor; 8, or 1 if the judge computes there.
        requests_per_minute, tokens_per_minute: of all actors together, shared out evenly.

    Raises:
        ConfigError: an option cannot be used.
    """
    hide_key(options)
    settings = GraderSettings.of(judge, policy, threshold, options, process_secret())
    context = ray.data.DataContext.get_current()
    # One core reads; Ray's own checkpoint, if there is one, needs a core for an actor of its own.
    spare = 1 if getattr(context, "checkpoint_config", None) is None else 2
    share = Share(concurrency, requests_per_minute, tokens_per_minute)
    number = share.most_graders(_number_of(actors, spare))
    remote = judge_info(settings.grader().judge).remote
    # An actor sets cores aside, but those that tasks read and write with must stay free.
    cpus = REMOTE_CPUS if remote else float(number + spare <= _cores())
    return _mapped(
        ds, RecordGrader, (settings, share.of(number), mapping), number, cpus, batch_size
    )


def _mapped(
    ds: ray.data.Dataset,
    grader: type[RecordGrader],
    given: tuple[Any, ...],
    actors: int,
    cpus: float,
    batch_size: int = CHUNK,
) -> ray.data.Dataset:
    """The data set with what so many graders, made of what is given, make of its batches."""
    return ds.map_batches(
        grader,
        fn_constructor_args=given,
        batch_format="pyarrow",
        batch_size=batch_size,
        num_cpus=cpus,
        compute=ray.data.ActorPoolStrategy(size=actors),
        max_task_retries=MOST_DEATHS,
    )


def remaining(
    ds: ray.data.Dataset, finished: ray.data.Dataset, *, on: str = "id"
) -> ray.data.Dataset:
    """The rows of ``ds`` whose value in the column ``on`` no row of ``finished`` has.

    Rows without a value there always remain: nobody can tell whether they are finished.

    ``finished`` is what was written before, such as
    ``ray.data.read_parquet("graded/").select_columns(["id"])``. Its values must fit into the memory
    of each node.
    """
    batches = finished.iter_batches(batch_format="pyarrow", batch_size=None)
    columns = [batch[on] for batch in batches if batch.num_rows]
    chunks = [chunk for column in columns if not _is_empty(column) for chunk in column.chunks]
    if not chunks:
        return ds
    ids = ray.put(pyarrow.chunked_array(chunks))
    return ds.map_batches(_without, fn_args=(on, ids), batch_format="pyarrow")


def _without(batch: pyarrow.Table, on: str, ids: Any) -> pyarrow.Table:
    if _is_empty(batch[on]):
        return batch
    known = pyarrow.compute.is_in(batch[on], ray.get(ids), skip_nulls=True)
    return batch.filter(pyarrow.compute.invert(known))


def _is_empty(values: pyarrow.ChunkedArray) -> bool:
    """Whether no row has a value; such a column may have no type either."""
    return bool(values.null_count == len(values))


@dataclass(frozen=True, slots=True)
class RayEngine:
    """Grades the rows of a run on a cluster; see ``LocalEngine``, and ``batch.run``."""

    settings: GraderSettings
    grader: Grader
    share: Share
    address: str | None = None
    actors: int | None = None
    ends_what_it_began: ClassVar[bool] = False

    def trouble(self) -> str:
        """Only the actors know it; see ``LocalEngine``."""
        return ""

    def graded(
        self,
        rows: Iterator[Row],
        stopping: Callable[[], str] = str,  # noqa: ARG002 - actors do not hear it
    ) -> Generator[Told, None, None]:
        """The results of these rows, as text and as a brief line, as they finish.

        Ray stops when this generator is closed.

        Raises:
            ConfigError: the cluster cannot be used, or an actor dies again and again.
        """
        _connect(self.address)
        number = self.share.most_graders(_number_of(self.actors))
        given = self.settings, self.share.of(number)
        chunks = iter(lambda: list(islice(rows, CHUNK)), [])
        while some := [ray.put(_pickled(chunk)) for chunk in islice(chunks, AT_ONCE)]:
            ds = ray.data.from_arrow_refs(some)
            ds.context.enable_progress_bars = ds.context.print_on_execution_start = False
            # No core is set aside: after a node is lost, those that are left must take all actors.
            graded = _mapped(ds, RowGrader, given, number, cpus=0)
            try:
                for batch in graded.iter_batches(batch_size=None, batch_format="pyarrow"):
                    yield from _unpickled(batch)
            except DEATHS as error:
                problem = "a process that grades died again and again on the same rows"
                raise ConfigError(
                    f"actors: {problem}; does it have enough memory? Ray says: {error}"
                ) from None


def _connect(address: str | None) -> None:
    """Connects to a cluster, or starts one. Raises ``ConfigError`` if it cannot be reached."""
    if ray.is_initialized():
        return
    found = os.environ.get("RAY_ADDRESS", "")
    name = "address" if address else "RAY_ADDRESS" if found else "engine"
    host, _, port = (address or found).rpartition("://")[2].rpartition(":")
    try:
        if host and port.isdecimal():  # Ray itself would try for many minutes
            socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ConfigError(
            f"{name}: no Ray cluster answers at {address or found}: {error}"
        ) from None
    board = None if address else False
    try:
        ray.init(address, include_dashboard=board, log_to_driver=False, logging_level="warning")
    except (OSError, RuntimeError, ValueError) as error:
        raise ConfigError(f"{name}: no Ray cluster can be used: {error}") from None


def _number_of(actors: int | None, spare: int = 0) -> int:
    if actors is None:
        return max(_cores() - spare, 1)
    check_number("actors", actors, 1, 10_000, whole=True)
    return actors


def _cores() -> int:
    _connect(None)
    return int(ray.cluster_resources().get("CPU", 1))
