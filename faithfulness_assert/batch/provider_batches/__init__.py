"""Runs over a provider's batch API, at half the price: submit, leave, and collect later.

The directory of the run has all that it needs to go on, but no key: on another machine the key
comes from the environment there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from os import PathLike
from typing import Any, cast
from urllib.parse import urlsplit

from ...cases.data_set import DataSet
from ...grading import Grader
from ...judges.remote.remote_judge import RemoteJudge
from ...options import UNSTORED, hide_key, names_taken_by
from ...records.errors import ConfigError, option
from ...settings import SETTING, choose
from ..estimate import estimate_run
from ..local_run import RunOutcome
from ..run_description import check_unchanged, describe_grader, policy_in, take_input
from ..store import BATCH_API, Store, is_run, reading, writing
from ..summary import Summary
from ..watching import Budget, BudgetError
from .apis import SERVICES, BatchAPI
from .batches import Batches

__all__ = ["SERVICES", "BudgetError", "collect", "is_begun", "submit"]


def submit(
    data_set: DataSet,
    directory: str | PathLike[str],
    via: str,
    *,
    judge: str = SETTING,
    retry_errors: bool | None = None,
    regrade_changed: bool = False,
    budget: Budget,
    **options: Any,
) -> RunOutcome:
    """Begins a run or goes on with it: sends what there is to send, and does not wait.

    Args:
        data_set, directory, judge, options, regrade_changed: as for ``batch.run``.
        via: one of ``SERVICES``.
        retry_errors: the same, if the run was finished.
        budget: of the estimate for the whole run. A batch is paid whole.

    Raises:
        BudgetError: the estimate is more.
        ConfigError: an option that cannot be used, or the directory has another run.
        JudgeError: the provider could not be asked. The run can go on.
    """
    hide_key(cast("Any", options))
    rest = {"cache": None, **options}  # a cache of the project is for other runs
    policy, threshold = rest.pop("policy", None), rest.pop("threshold", None)
    chosen = choose(judge, policy, threshold, rest)
    settings = _settings(via, chosen.judge, chosen.options)
    grader = Grader(chosen.judge, chosen.policy, chosen.threshold, **chosen.options)
    budget.check_prices(settings.get("prices"), grader.judge)
    with writing(directory) as store:
        with store.transaction():
            if store.about() and store.value(BATCH_API) is None:
                how = f"without {option('via')}"
                raise ConfigError(f"{store.path}: this run was begun {how}; keep to it")
            take_input(store, grader, data_set, regrade=regrade_changed)
            store.keep(BATCH_API, settings)  # a limit of tokens may be another one now
            if store.finished == store.size and store.retry_errors(retry_errors):
                store.db.execute("DELETE FROM asks WHERE row NOT IN (SELECT row FROM results)")
            given, used = (row.fields for row in store.rows()), Summary()
            estimate = estimate_run(given, policy=grader.policy, **settings)
            used.tokens.update(prompt=estimate.prompt, completion=estimate.completion)
            used.cost = estimate.cost
            if problem := budget.exceeded(used):
                raise BudgetError(problem)
        return _step(store, grader)


def collect(directory: str | PathLike[str]) -> RunOutcome:
    """Fetches what is done, and sends what comes next. Any machine with the directory can do it.

    Args:
        directory: of a run for which ``is_begun``.

    Raises:
        ConfigError: there is no such run, or it was made by another version.
        JudgeError: the provider could not be asked. The run can go on.
    """
    with writing(directory) as store:
        about = store.about()
        grader = Grader(policy=policy_in(about, store.path), **store.value(BATCH_API))
        check_unchanged(about, describe_grader(grader), store.path, grader)
        return _step(store, grader)


def _step(store: Store, grader: Grader) -> RunOutcome:
    """Goes on as far as possible."""
    grader.keep_secret(store.secret())
    with closing(BatchAPI(cast("RemoteJudge", grader.judge))) as api:
        return Batches(store, grader, api).advance()


def is_begun(directory: str | PathLike[str]) -> bool:
    """Whether the directory has a run over a batch API."""
    if not is_run(directory):
        return False
    with reading(directory) as store:
        return store.value(BATCH_API) is not None


def _settings(via: str, judge: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """What makes the same grader again on another machine, beside its policy, without keys."""
    if via not in SERVICES:
        raise ConfigError(f"via: must be one of {', '.join(SERVICES)}, got {via!r}")
    if not isinstance(judge, str) or judge.partition(":")[0] != SERVICES[via]:
        raise ConfigError(f"judge: {via!r} does not lead to {judge!r}; name a judge of that API")
    if stored := [name for name in UNSTORED if options.get(name)]:
        problem = "a run over a batch API keeps its replies in its own directory"
        raise ConfigError(f"{stored[0]}: {problem}")
    left_out = {*names_taken_by("policy"), "policy_options", "api_key", "extra_headers"}
    address = urlsplit(str(options.get("base_url") or ""))
    if "@" in address.netloc or address.query:  # it may be a secret
        left_out.add("base_url")
    safe = {name: value for name, value in options.items() if name not in left_out}
    try:
        return dict(json.loads(json.dumps({"judge": judge, **safe})))
    except TypeError as error:
        raise ConfigError(f"options must be plain data here: {error}") from None
