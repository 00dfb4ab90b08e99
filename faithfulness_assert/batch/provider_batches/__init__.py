"""Runs over a provider's batch API, at half the price: submit, leave, and collect later.

The directory of the run has all that it needs to go on, but no key: on another machine the key
comes from the environment there.
"""

from __future__ import annotations

import json
import os
import uuid
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from os import PathLike
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from ...grading import Grader
from ...judges import JUDGES
from ...judges.remote.remote_judge import RemoteJudge
from ...options import UNSTORED, hide_key
from ...policy.files import SUFFIXES, read_data
from ...policy.presets import ALIASES, policies
from ...records.errors import ConfigError
from ...records.option_names import option
from ...settings import SETTING, choose
from ..changed_rows import fit
from ..data_sets import DataSet
from ..data_sets.data_set import Source
from ..estimate import estimate_run
from ..run_description import begun, check_unchanged, describe_run
from ..stops import Budget
from ..store import Store, is_run, reading, writing
from .asks import Asks
from .providers import AnthropicBatches, OpenAIBatches
from .rounds import Rounds, Standing
from .service import Service

__all__ = ["SERVICES", "Standing", "collect", "import_answers", "is_begun", "submit"]

FILES = "files"
"""Nobody is asked: the files are carried by hand."""
SETTINGS = "batch"
"""Under which name a run keeps what makes its grader again."""
SERVICES: Mapping[str, type[Service]] = {
    f"{service.provider}-batch": service for service in (OpenAIBatches, AnthropicBatches)
}
"""The ways to a judge over a batch API."""


def submit(
    data_set: DataSet,
    directory: str | PathLike[str],
    via: str,
    *,
    judge: str = SETTING,
    retry_errors: bool = True,
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
        retry_errors: if the run was finished, cases that could not be graded are asked again,
            where that may succeed now.
        regrade_changed: so are rows that have changed.
        budget: nothing is sent if the estimate for the whole run is more. A batch is paid whole.

    Raises:
        ConfigError: an option that cannot be used, or the directory has another run.
        JudgeError: the provider could not be asked. The run can go on.
    """
    hide_key(cast("Any", options))
    rest = {"cache": None, **options}  # a cache of the project is for other runs
    policy, threshold = rest.pop("policy", None), rest.pop("threshold", None)
    chosen = choose(judge, policy, threshold, rest)
    options = {**chosen.options, "policy": chosen.policy, "threshold": chosen.threshold}
    settings = _settings(via, {"judge": chosen.judge, **options})
    grader = _grader(settings, options)
    with writing(directory) as store:
        settings = _begun(store, settings, grader, data_set, regrade_changed, retry_errors)
        grader.keep_secret(store.secret())
        problem = ""
        if budget:
            told = estimate_run(store.rows(), **settings["grader"])
            problem = budget.too_small_for(told)
        if problem != settings.get("stopped", "") and Asks(store).last_round() is None:
            store.keep(SETTINGS, {**settings, "stopped": problem})  # so collecting sends nothing
        if problem:
            return Standing(False, (), stopped=problem)
        return _step(store, settings, grader)


def _begun(
    store: Store,
    settings: dict[str, Any],
    grader: Grader,
    data_set: DataSet,
    regrade: bool,
    retry_errors: bool,
) -> dict[str, Any]:
    """The settings of the run, which is begun if there is none, or fitted to its data set."""
    with store.transaction():
        about, input_is = begun(store, grader, data_set)
        kept = store.kept(SETTINGS)
        if kept is None and input_is != "new":
            problem = f"this run was begun without {option('via')}; keep to it"
            raise ConfigError(f"{store.path}: {problem}")
        if kept and kept["via"] != settings["via"]:
            problem = f"this run was begun via {kept['via']}; keep to it"
            raise ConfigError(f"{store.path}: {problem}")
        settings = kept or settings
        if input_is == "new":
            for row in data_set.rows():
                store.add_row(row)
        elif input_is != "same":
            deque(fit(store, data_set.rows(), regrade=regrade), maxlen=0)
        if retry_errors and store.finished == store.size and store.retry_errors():
            last = Asks(store).last_round()  # what failed until then may be asked again
            settings = {**settings, "since": last.number + 1 if last else 0}
        store.keep("about", {**about, "rows": store.size})
        store.keep(SETTINGS, settings)
        store.secret()
    return settings


def collect(
    directory: str | PathLike[str], outputs: Sequence[Path] | None = None, **options: Any
) -> Standing:
    """Fetches what is done, and sends what comes next. Any machine with the directory can do it.

    Args:
        directory: of a run that ``submit`` began.
        outputs: files with answers that somebody brought; see ``import_answers``.
        options: those that a directory does not keep: ``api_key``, and a ``base_url`` with a
            password; default: the environment's.

    Raises:
        ConfigError: the directory has no such run.
        JudgeError: the provider could not be asked. The run can go on.
    """
    if not is_begun(directory):
        raise ConfigError(
            f"{directory}: has no run over a batch API. Begin one with: "
            "faithfulness-assert batch INPUT --run DIR --via openai-batch --judge openai:MODEL"
        )
    with writing(directory) as store:
        settings = store.kept(SETTINGS)
        if problem := settings.get("stopped"):
            advice = "Give the first command again, with another limit"
            return Standing(False, (), stopped=f"{problem}. {advice}")
        grader = _grader(settings, options)
        unread = DataSet(Source("", lambda: iter(())), {})  # the run has its own copy
        check_unchanged(store.about() or {}, describe_run(grader, unread))
        grader.keep_secret(store.secret())
        return _step(store, settings, grader, outputs)


def import_answers(directory: str | PathLike[str], files: Sequence[str | Path]) -> Standing:
    """Reads the answers to the files of a round, in any order. What they lack is asked again.

    Raises:
        ConfigError: the directory has no such run, or a file cannot be read.
    """
    paths = [Path(file) for file in files]
    for path in paths:
        if not path.is_file():
            raise ConfigError(f"{path}: cannot be read: there is no such file")
    return collect(directory, paths)


def _step(
    store: Store,
    settings: Mapping[str, Any],
    grader: Grader,
    outputs: Sequence[Path] | None = None,
) -> Standing:
    """Goes on as far as possible, with the outputs that somebody brought or without."""
    form, judge = _form(settings["grader"]["judge"]), cast("RemoteJudge", grader.judge)
    here = nullcontext() if settings["via"] == FILES else closing(form(judge))
    with here as service:
        since = settings.get("since", 0)
        rounds = Rounds(store, settings["run"], grader, form, service, since)
        return rounds.advance() if outputs is None else rounds.take(outputs)


def is_begun(directory: str | PathLike[str]) -> bool:
    """Whether the directory has a run over a batch API, or over files."""
    if not is_run(directory):
        return False
    with reading(directory) as store:
        return store.kept(SETTINGS) is not None


def _settings(via: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What makes the same grader again on another machine, without keys."""
    judge = options["judge"]
    if via not in (FILES, *SERVICES):
        raise ConfigError(f"via: must be one of {', '.join((*SERVICES, FILES))}, got {via!r}")
    provider = judge.partition(":")[0] if isinstance(judge, str) else ""
    if f"{provider}-batch" not in SERVICES or via not in (FILES, f"{provider}-batch"):
        raise ConfigError(f"judge: {via!r} does not lead to {judge!r}; name a judge of that API")
    if stored := [name for name in UNSTORED if options.get(name)]:
        problem = "a run over a batch API keeps its replies in its own directory"
        raise ConfigError(f"{stored[0]}: {problem}")
    kept = {name: value for name, value in options.items() if not _is_secret(name, value)}
    policy = _stored_policy(options.get("policy", "default"))
    settings = {"run": uuid.uuid4().hex, "via": via, "grader": {**kept, "policy": policy}}
    try:
        return dict(json.loads(json.dumps(settings)))
    except TypeError as error:
        raise ConfigError(f"policy and options must be plain data here: {error}") from None


def _form(judge: str) -> type[Service]:
    """The batch API of a judge."""
    return SERVICES[f"{judge.partition(':')[0]}-batch"]


def _is_secret(name: str, value: object) -> bool:
    """Whether an option must not be stored: a key, headers, an address with password or query."""
    if name != "base_url":
        return name in ("api_key", "extra_headers")
    parts = urlsplit(str(value or ""))
    return "@" in parts.netloc or bool(parts.query)


def _stored_policy(policy: object) -> object:
    """The policy as data: another machine may not have its file."""
    if not isinstance(policy, str) or ALIASES.get(policy, policy) in policies:
        return policy
    path = policy.removeprefix("file://")
    if not path.lower().endswith(SUFFIXES):
        return policy  # Grader says what is wrong with it
    data = read_data(path, "policy")
    return {"name": Path(path).stem, **data} if isinstance(data, dict) else data


def _grader(settings: Mapping[str, Any], options: Mapping[str, Any]) -> Grader:
    """The grader of a run. Files can be written without a key."""
    given = {**settings["grader"], **options, "policy": settings["grader"]["policy"]}
    key = f"{JUDGES[_form(given['judge']).provider].package.upper()}_API_KEY"
    if settings["via"] == FILES and not given.get("api_key") and not os.environ.get(key):
        given["api_key"] = "none"
    return Grader(**given)
