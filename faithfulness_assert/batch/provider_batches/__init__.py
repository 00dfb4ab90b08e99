"""Runs over a provider's batch API, at half the price: submit, leave, and collect later.

The directory of the run has all that it needs to go on, but no key: on another machine the key
comes from the environment there.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing, nullcontext
from functools import partial
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
from ..data_sets import DataSet
from ..data_sets.data_set import Source
from ..estimate import estimate_run
from ..rows import head_of
from ..run_description import begun, check_unchanged, describe_run
from ..run_directory import RunDirectory
from ..stops import Budget
from .providers import AnthropicBatches, OpenAIBatches
from .rounds import Rounds, Standing
from .service import Service
from .store import KeptRows, Store, opened, path_of

__all__ = ["SERVICES", "KeptRows", "Standing", "collect", "import_answers", "is_begun", "submit"]

FILES = "files"
"""Nobody is asked: the files are carried by hand."""
SERVICES: Mapping[str, type[Service]] = {
    f"{service.provider}-batch": service for service in (OpenAIBatches, AnthropicBatches)
}
"""The ways to a judge over a batch API."""


def submit(
    data_set: DataSet,
    directory: RunDirectory,
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
    with directory.locked():
        about, input_is = begun(directory, grader, data_set)
        grader.keep_secret(directory.secret())
        with opened(directory) as store:
            stored = _begun(directory, store, settings, data_set)
            if stored is not settings and input_is != "same":
                aside = partial(_move_aside, directory)
                store.take_rows(data_set.rows(), aside, regrade=regrade_changed)
                directory.write_about(about)
            settings = stored
            if retry_errors and not directory.read_only:
                settings = _retried(directory, store, settings)
            problem = ""
            if budget:
                told = estimate_run(store.rows(), **settings["grader"])
                problem = budget.too_small_for(told)
            if problem != settings.get("stopped", "") and store.last_round() is None:
                store.keep_settings({**settings, "stopped": problem})  # so collecting sends nothing
            if problem:
                return Standing(False, (), stopped=problem)
            return _step(directory, store, settings, grader)


def _begun(
    directory: RunDirectory,
    store: Store,
    settings: dict[str, Any],
    data_set: DataSet,
) -> dict[str, Any]:
    """The settings of the run in the directory, which is begun if there is none."""
    stored = store.settings()
    if stored is None:
        if next(directory.lines(), None):
            problem = f"this run was begun without {option('via')}; keep to it"
            raise ConfigError(f"{directory.path}: {problem}")
        store.begin(settings, data_set.rows())
        return settings
    if stored["via"] != settings["via"]:
        problem = f"this run was begun via {stored['via']}; keep to it"
        raise ConfigError(f"{directory.path}: {problem}")
    return stored


def _move_aside(directory: RunDirectory, rows: Collection[int]) -> None:
    """Moves the results of these rows into ``retried.jsonl``."""
    if rows and directory.size:
        directory.clean(directory.finished())

        def kept(_: int, line: bytes) -> bytes | None:
            head = head_of(line)
            return None if head is None or head.row in rows else line

        directory.rewrite(kept)


def _retried(directory: RunDirectory, store: Store, settings: dict[str, Any]) -> dict[str, Any]:
    """If the run was finished: cases that could not be graded are asked again, if that may help."""
    finished = directory.finished(retry=True)
    if finished.count + finished.again < sum(1 for _ in store.rows()) or not finished.again:
        return settings
    last = store.last_round()
    settings = {**settings, "since": last.number + 1 if last else 0}
    store.keep_settings(settings)
    directory.clean(finished)
    return settings


def collect(
    directory: RunDirectory, outputs: Sequence[Path] | None = None, **options: Any
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
            f"{directory.path}: has no run over a batch API. Begin one with: "
            "faithfulness-assert batch INPUT --run DIR --via openai-batch --judge openai:MODEL"
        )
    with directory.locked(), opened(directory) as store:
        settings = store.settings() or {}
        if problem := settings.get("stopped"):
            advice = "Give the first command again, with another limit"
            return Standing(False, (), stopped=f"{problem}. {advice}")
        grader = _grader(settings, options)
        unread = DataSet(Source("", lambda _: iter(())), {})  # the directory has its own copy
        check_unchanged(directory.about() or {}, describe_run(grader, unread))
        grader.keep_secret(directory.secret())
        return _step(directory, store, settings, grader, outputs)


def import_answers(directory: RunDirectory, files: Sequence[str | Path]) -> Standing:
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
    directory: RunDirectory,
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
        rounds = Rounds(directory, store, settings["run"], grader, form, service, since)
        return rounds.advance() if outputs is None else rounds.take(outputs)


def is_begun(directory: RunDirectory) -> bool:
    """Whether the directory has a run over a batch API, or over files."""
    if not path_of(directory).exists():
        return False
    with opened(directory) as store:
        return store.settings() is not None


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
