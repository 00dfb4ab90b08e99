"""Data sets of any size: read, graded in runs that can go on, compared.

Parts: ``data_sets/`` reads rows from files, frames and exports of other systems; ``store`` keeps
rows and results in one SQLite file; the engines (this machine, a provider's batch API, Ray) grade
the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from ..drive.breaker import patience_of
from ..grading import MAX_CONCURRENCY, Grader
from ..options import DEADLINE, hide_key
from ..records.checks import check_number
from ..records.errors import ConfigError, option, pip_install
from ..records.judge import Judge, judge_info
from ..settings import SETTING, AnyPolicy, choose
from .data_sets import DataSet, open_data_set
from .derived_runs import merge, rescore
from .local_run import RunOutcome, Work
from .rows import gate_of, grade_rows
from .run_description import take_input
from .stopping import Budget, SoftStop
from .store import BATCH_API, writing

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..options import GraderOptions
    from .ray import Cluster

__all__ = ["RunOutcome", "merge", "rescore", "run"]


def run(
    source: Any,
    directory: str | PathLike[str],
    *,
    judge: str | Judge = SETTING,
    policy: AnyPolicy | None = None,
    threshold: float | None = None,
    concurrency: int | None = None,
    engine: Literal["local", "ray"] = "local",
    actors: int | None = None,
    requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None,
    max_run_tokens: int | None = None,
    max_cost: float | None = None,
    max_errors: int | None = None,
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    retry_errors: bool = True,
    regrade_changed: bool = False,
    progress: bool = True,
    grace: float | None = None,
    **options: Unpack[GraderOptions],
) -> RunOutcome:
    """Grades a data set, or goes on where an earlier run in ``directory`` ended.

    Rows and results are in ``run.sqlite`` there, each result within a second. A run that ends
    early, for whatever reason, has lost at most that and what was under way; the same call goes on.

    Args:
        source: a file, a frame, a Hugging Face data set or an iterable, see ``open_data_set``.
        directory: where the run is kept. It is created if it does not exist.
        judge, policy, threshold, options: see ``faithfulness_assert.Grader``.
        concurrency: asks under way at once, 1 to 1000; 8 by default.
        engine: ``local`` grades on this machine, ``ray`` on the cluster that Ray finds, such as by
            ``RAY_ADDRESS``, else on one that it starts on this machine (extra ``ray``).
        actors: with ``ray``, how many grade; by default as many as the cluster has cores.
        requests_per_minute, tokens_per_minute: the run is never faster. Without them it slows down
            when the judge's server refuses asks, and speeds up again.
        max_run_tokens, max_cost, max_errors: the run stops when it has used, or found, more.
            Without ``max_errors`` it stops when 50 cases in a row could not be graded.
        mapping: columns for the fields of a case, such as ``{"answer": "reply"}``.
        encoding: that of a text file, such as ``"cp1252"``; by default UTF-8.
        retry_errors: whether cases that could not be graded before are graded again, where that
            may succeed now: the judge's server was at fault, or the error is ``retryable``.
        regrade_changed: whether rows that have a result and are not what they were are graded
            again; what they had, and what rows had that are gone, is kept in the table ``earlier``.
            Rows that were added are graded in any case.
        progress: show how the run goes, on standard error.
        grace: seconds, from 0, that what is under way gets after Ctrl-C or SIGTERM, if this is
            called in the main thread. What arrives is kept, and the outcome has the ``signal``.
            None: signals do what they do elsewhere, so Ctrl-C is a ``KeyboardInterrupt``.

    Raises:
        ConfigError: an option cannot be used; the run was begun with other settings, or goes over a
            batch API; rows changed or are gone, and ``regrade_changed`` is false; another process
            works on it; or its directory cannot be used.
    """
    hide_key(options)
    if concurrency is not None:
        check_number("concurrency", concurrency, 1, MAX_CONCURRENCY, whole=True)
    chosen = choose(judge, policy, threshold, options)
    grader = Grader(chosen.judge, chosen.policy, chosen.threshold, **chosen.options)
    patience = patience_of(chosen.options.get("deadline", DEADLINE))
    limits = requests_per_minute, tokens_per_minute, patience
    gate = gate_of(grader, *limits)
    cluster_of = _engine(engine, actors)
    budget = Budget(max_run_tokens, max_cost, max_errors)
    if max_cost is not None and not options.get("prices") and judge_info(grader.judge).remote:
        raise ConfigError(f"{option('max_cost')}: needs the option prices, or no cost is known")
    data_set = source
    if not isinstance(source, DataSet):
        data_set = open_data_set(source, mapping=mapping, encoding=encoding)
    if grace is not None:
        check_number("grace", grace, 0, 86_400)
    with writing(directory) as store, SoftStop(grace, tell=progress) as soft:
        try:
            with store.transaction():
                if store.value(BATCH_API):
                    how = f"faithfulness-assert batch --run {directory}"
                    raise ConfigError(f"{directory}: this run goes over a batch API; use: {how}")
                event = "begun" if store.about() is None else "gone on with"
                notes = take_input(store, grader, data_set, regrade=regrade_changed)
                if retry_errors and (again := store.retry_errors()):
                    notes.append(
                        f"{again:,} cases that could not be graded before were graded again"
                    )
                for note in (event, *notes):
                    store.note(note)
                grader.keep_secret(store.secret())
        except KeyboardInterrupt:
            if not soft.number:
                raise
            return RunOutcome(store.path, store.size, stopped=soft.reason, signal=soft.number)
        work = Work(store, budget, soft)
        if cluster_of:
            cluster = cluster_of(grader, concurrency, limits, actors)
            lines = cluster.graded(work.rows(), work.stopping)
        else:
            lines = grade_rows(work.rows(), grader, concurrency, gate, work.stopping)
        trouble = (lambda: gate.breaker.trouble) if gate else str
        return work.done(lines, trouble, (*notes, *data_set.notes), progress=progress)


def _engine(engine: str, actors: int | None) -> type[Cluster] | None:
    """Our way to grade on Ray, which is an extra; None to grade here."""
    if engine not in ("local", "ray"):
        raise ConfigError(f"engine: must be local or ray, got {engine!r}")
    if engine == "local":
        if actors is not None:
            raise ConfigError("actors: only for the engine ray; leave it out")
        return None
    check_number("actors", actors, 1, 10_000, whole=True, optional=True)
    try:
        from .ray import Cluster
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("ray", "pyarrow"):
            raise
        advice = pip_install(extra="ray")
        raise ConfigError(f"engine: {error.name} is not installed: {advice}") from None
    return Cluster
