"""Runs over a provider's batch API, at half the price: submit, leave, and collect later.

The directory of the run has all that it needs to go on, but no key: on another machine the key
comes from the environment there.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from os import PathLike
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from ...cases.data_set import DataSet
from ...grading import Grader
from ...judges import key_in_environment
from ...judges.remote.remote_judge import RemoteJudge
from ...options import UNSTORED, hide_key, names_taken_by
from ...records.errors import ConfigError, option
from ...settings import SETTING, choose
from ..estimate import estimate_run
from ..run_description import check_unchanged, describe_grader, policy_in, take_input
from ..stopping import Budget, BudgetError
from ..store import BATCH_API, Store, is_run, reading, writing
from .apis import FORMS, BatchAPI
from .batches import Batches, Standing, forget

__all__ = ["SERVICES", "BudgetError", "Standing", "collect", "is_begun", "submit"]

FILES = "files"
"""Nobody is asked: the files are carried by hand."""
SERVICES: Mapping[str, str] = {f"{provider}-batch": provider for provider in FORMS}
"""The ways to a judge over a batch API, and its provider."""


def submit(
    data_set: DataSet,
    directory: str | PathLike[str],
    via: str,
    *,
    judge: str = SETTING,
    retry_errors: bool | None = None,
    regrade_changed: bool = False,
    budget: Budget | None = None,
    **options: Any,
) -> Standing:
    """Begins a run or goes on with it: sends what there is to send, and does not wait.

    Args:
        data_set: what is graded. It is copied into the directory.
        directory: of the run.
        via: one of ``SERVICES``, or ``files`` to only write the files.
        judge: ``openai:MODEL`` or ``anthropic:MODEL``.
        options: also ``policy`` and ``threshold``; see ``Grader``.
        retry_errors: if the run was finished, cases that could not be graded are graded again,
            as ``batch.run`` does.
        regrade_changed: so are rows that have changed.
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
    new = _settings(via, chosen.judge, chosen.options)
    grader = _grader(new, chosen.policy, chosen.threshold, chosen.options)
    with writing(directory) as store:
        with store.transaction():
            settings = new if store.about() is None else store.value(BATCH_API)
            if settings is None or settings["via"] != via:
                how = f"via {settings['via']}" if settings else f"without {option('via')}"
                raise ConfigError(f"{store.path}: this run was begun {how}; keep to it")
            take_input(store, grader, data_set, regrade=regrade_changed)
            settings = {**new, "run": settings["run"]}  # a limit of tokens may be another one now
            store.keep(BATCH_API, settings)
            if store.finished == store.size and store.retry_errors(retry_errors):
                forget(store, "row NOT IN (SELECT row FROM results)")
            if budget:
                planned = {"judge": settings["judge"], **settings["options"]}
                estimate = estimate_run(store.rows(), policy=grader.policy, **planned)
                if problem := budget.too_small_for(estimate):
                    raise BudgetError(problem)
        return _step(store, settings, grader)


def collect(directory: str | PathLike[str], replies: Sequence[str | Path] = ()) -> Standing:
    """Fetches what is done, and sends what comes next. Any machine with the directory can do it.

    Args:
        directory: of a run that ``submit`` began; see ``is_begun``.
        replies: files with the answers to files that wait, in any order, if somebody brought them.
            What they lack is asked again.

    Raises:
        ConfigError: there is no such run, a file cannot be read, or the run was made by another
            version.
        JudgeError: the provider could not be asked. The run can go on.
    """
    if not is_begun(directory):
        raise ConfigError(f"{directory}: has no run over a batch API or files; begin one")
    if missing := next((file for file in replies if not Path(file).is_file()), None):
        raise ConfigError(f"{missing}: cannot be read: there is no such file")
    with writing(directory) as store:
        settings, about = store.value(BATCH_API), store.about() or {}
        grader = _grader(settings, policy_in(about, store.path), None, settings["options"])
        now = describe_grader(grader)
        check_unchanged(about, now, store.path)
        begun, here = (description["judge"].get("base_url") for description in (about, now))
        if begun != here and settings["via"] != FILES:  # such as one with a password
            problem = f"was begun at {begun}, and would go on at {here}"
            name = f"{_provider(settings['judge']).upper()}_BASE_URL"
            raise ConfigError(f"{directory}: {problem}. Set {name} as it was")
        return _step(store, settings, grader, replies)


def _step(
    store: Store, settings: Mapping[str, Any], grader: Grader, replies: Sequence[str | Path] = ()
) -> Standing:
    """Goes on as far as possible, with the replies that somebody brought or without."""
    grader.keep_secret(store.secret())
    provider, judge = _provider(settings["judge"]), cast("RemoteJudge", grader.judge)
    with nullcontext() if settings["via"] == FILES else closing(BatchAPI(judge, provider)) as api:
        batches = Batches(store, settings["run"], grader, FORMS[provider], api)
        if replies:
            batches.take(replies)
        return batches.advance()


def is_begun(directory: str | PathLike[str]) -> bool:
    """Whether the directory has a run over a batch API, or over files."""
    if not is_run(directory):
        return False
    with reading(directory) as store:
        return store.value(BATCH_API) is not None


def _settings(via: str, judge: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """What makes the same grader again on another machine, with its policy, without keys."""
    if via not in (FILES, *SERVICES):
        raise ConfigError(f"via: must be one of {', '.join((*SERVICES, FILES))}, got {via!r}")
    way = f"{_provider(judge)}-batch" if isinstance(judge, str) else ""
    if way not in SERVICES or via not in (FILES, way):
        raise ConfigError(f"judge: {via!r} does not lead to {judge!r}; name a judge of that API")
    if stored := [name for name in UNSTORED if options.get(name)]:
        problem = "a run over a batch API keeps its replies in its own directory"
        raise ConfigError(f"{stored[0]}: {problem}")
    left_out = {*names_taken_by("policy"), "policy_options", "api_key", "extra_headers"}
    address = urlsplit(str(options.get("base_url") or ""))
    if "@" in address.netloc or address.query:  # it may be a secret
        left_out.add("base_url")
    safe = {name: value for name, value in options.items() if name not in left_out}
    settings = {"run": uuid.uuid4().hex, "via": via, "judge": judge, "options": safe}
    try:
        return dict(json.loads(json.dumps(settings)))
    except TypeError as error:
        raise ConfigError(f"options must be plain data here: {error}") from None


def _provider(judge: str) -> str:
    return judge.partition(":")[0]


def _grader(
    settings: Mapping[str, Any], policy: Any, threshold: float | None, options: Mapping[str, Any]
) -> Grader:
    """The grader of a run. Files can be written without a key."""
    judge, options = settings["judge"], dict(options)
    if settings["via"] == FILES and not (options.get("api_key") or key_in_environment(judge)):
        options["api_key"] = "none"
    return Grader(judge, policy, threshold, **options)
