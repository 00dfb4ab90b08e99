"""Runs over a provider's batch API, at half the price: submit, leave, and collect later.

The directory of the run has all that it needs to go on, but no key: on another machine the key
comes from the environment there.
"""

from __future__ import annotations

import json
import os
import uuid
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from ...grading import Grader, hide_key
from ...judges import JUDGES
from ...policy.files import SUFFIXES, read_data
from ...policy.presets import ALIASES, policies
from ...records.errors import ConfigError
from ..estimate import estimate_run
from ..run_description import changed_input, check_unchanged, describe_run, same_input
from .anthropic_batches import ANTHROPIC_FORM, AnthropicBatches
from .openai_batches import OPENAI_FORM, OpenAIBatches
from .round_writer import write_whole
from .rounds import Rounds, Standing
from .stored_rows import check_rows, read_rows, write_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ...judges.remote.remote_judge import RemoteJudge
    from ...options import GraderOptions
    from ..budget import Budget
    from ..data_sets import DataSet
    from ..estimate import Estimate
    from ..run_directory import RunDirectory
    from .service import Service

__all__ = ["FILES", "SERVICES", "Standing", "collect", "import_answers", "is_begun", "submit"]

FILES = "files"
"""Nobody is asked: the files are carried by hand."""
SERVICES: Mapping[str, Callable[[RemoteJudge], Service]] = {
    "openai-batch": OpenAIBatches,
    "anthropic-batch": AnthropicBatches,
}
"""The ways to a judge over a batch API."""
_SETTINGS = "settings.json"
_FORMS = {form.name: form for form in (OPENAI_FORM, ANTHROPIC_FORM)}


def submit(
    data_set: DataSet,
    directory: RunDirectory,
    via: str,
    *,
    judge: str,
    policy: str | Mapping[str, Any] = "default",
    threshold: float | None = None,
    retry_errors: bool = True,
    budget: Budget | None = None,
    **options: Any,
) -> Standing:
    """Begins a run or goes on with it: sends what there is to send, and does not wait.

    Args:
        data_set: what is graded. It is copied into the directory.
        directory: of the run.
        via: one of ``SERVICES``, or ``files`` to only write the files.
        judge: ``openai:MODEL`` or ``anthropic:MODEL``.
        policy, threshold, options: see ``Grader``.
        retry_errors: if the run was finished, cases that could not be graded are asked again,
            where that may succeed now.
        budget: nothing is sent if the estimate for the whole run is more. A batch is paid whole.

    Raises:
        ConfigError: an option that cannot be used, or the directory has another run.
        JudgeError: the provider could not be asked. The run can go on.
    """
    hide_key(cast("GraderOptions", options))
    settings = _settings(via, judge, policy, threshold, options)
    grader = _grader(settings, options)
    about = describe_run(grader, options, data_set)
    with directory.locked():
        settings = _begun(directory, settings, about, data_set)
        if retry_errors:
            settings = _retried(directory, settings)
        problem = budget.too_small_for(_estimate(directory, settings)) if budget else ""
        if problem != settings.get("stopped", "") and not _is_sent(directory):
            _store(directory, {**settings, "stopped": problem})  # so that collecting sends nothing
        if problem:
            return Standing(False, (), stopped=problem)
        with _rounds(directory, settings, grader) as rounds:
            return rounds.advance()


def _begun(
    directory: RunDirectory,
    settings: dict[str, Any],
    about: Mapping[str, Any],
    data_set: DataSet,
) -> dict[str, Any]:
    """The settings of the run in the directory, which is begun if there is none."""
    before = directory.about()
    same = same_input(before, about) if before else None
    if before is None:
        directory.write_about(about)
    else:
        check_unchanged(before, about)
        if not is_begun(directory) and next(directory.lines(), None):
            problem = "this run was begun without --via; keep to it"
            raise ConfigError(f"{directory.path}: {problem}")
    if same is False:
        raise changed_input("its fingerprint is another one")
    rows = directory.path / "rounds" / "rows.jsonl"
    if is_begun(directory):
        if not same:
            check_rows(rows, data_set.rows())
        stored = _stored(directory)
        if stored["via"] != settings["via"]:
            problem = f"this run was begun via {stored['via']}; keep to it"
            raise ConfigError(f"{directory.path}: {problem}")
        return stored
    rows.parent.mkdir(exist_ok=True)
    return _store(directory, {**settings, "rows": write_rows(rows, data_set.rows())})


def _estimate(directory: RunDirectory, settings: Mapping[str, Any]) -> Estimate:
    """What the whole run will use."""
    return estimate_run(
        (row for row, _ in read_rows(directory.path / "rounds" / "rows.jsonl")),
        judge=settings["judge"],
        policy=settings["policy"],
        threshold=settings["threshold"],
        over_batch_api=True,
        **settings["options"],
    )


def _retried(directory: RunDirectory, settings: dict[str, Any]) -> dict[str, Any]:
    """If the run was finished: cases that could not be graded are asked again, if that may help."""
    finished = directory.finished(retry=True)
    if finished.count + finished.again < settings["rows"] or not finished.again:
        return settings
    absorbed = sum(1 for _ in (directory.path / "rounds").glob("*/answers.jsonl"))
    settings = _store(directory, {**settings, "since": absorbed + 1})
    directory.clean(finished)
    return settings


def collect(directory: RunDirectory, **options: Any) -> Standing:
    """Fetches what is done, and sends what comes next. Any machine with the directory can do it.

    Args:
        directory: of a run that ``submit`` began.
        options: those that a directory does not keep: ``api_key``, and a ``base_url`` with a
            password; default: the environment's.

    Raises:
        ConfigError: the directory has no such run.
        JudgeError: the provider could not be asked. The run can go on.
    """
    if problem := _stored(directory).get("stopped"):
        return Standing(
            False, (), stopped=f"{problem}. Give the first command again, with another limit"
        )
    with _opened(directory, options) as rounds:
        return rounds.advance()


def import_answers(directory: RunDirectory, files: Sequence[str | Path]) -> Standing:
    """Reads the answers to the files of a round, in any order. What they lack is asked again.

    Raises:
        ConfigError: the directory has no such run, or a file cannot be read.
    """
    paths = [Path(file) for file in files]
    for path in paths:
        if not path.is_file():
            raise ConfigError(f"{path}: cannot be read: there is no such file")
    with _opened(directory, {}) as rounds:
        return rounds.take(paths)


@contextmanager
def _opened(directory: RunDirectory, options: Mapping[str, Any]) -> Iterator[Rounds]:
    """The rounds of a run that was begun, while its directory is locked."""
    settings = _stored(directory)
    grader = _grader(settings, options)
    before = directory.about() or {}
    unread = SimpleNamespace(name="", fingerprint=str)  # the directory has its own copy
    check_unchanged(before, describe_run(grader, settings["options"], cast("DataSet", unread)))
    with directory.locked(), _rounds(directory, settings, grader) as rounds:
        yield rounds


@contextmanager
def _rounds(
    directory: RunDirectory, settings: Mapping[str, Any], grader: Grader
) -> Iterator[Rounds]:
    form = _FORMS[_provider(settings["judge"])]
    make = SERVICES.get(settings["via"])
    with closing(make(cast("RemoteJudge", grader.judge))) if make else nullcontext() as service:
        since, count = settings.get("since", 0), settings["rows"]
        yield Rounds(directory, settings["run"], grader, form, service, since, count)


def is_begun(directory: RunDirectory) -> bool:
    """Whether the directory has a run over a batch API, or over files."""
    return (directory.path / "rounds" / _SETTINGS).exists()


def _is_sent(directory: RunDirectory) -> bool:
    """Whether the run has a round: asks that were sent, or are about to be."""
    return any(path.name.isdecimal() for path in (directory.path / "rounds").iterdir())


def _store(directory: RunDirectory, settings: dict[str, Any]) -> dict[str, Any]:
    file = directory.path / "rounds" / _SETTINGS
    write_whole(file, json.dumps(settings, indent=1).encode())
    return settings


def _stored(directory: RunDirectory) -> dict[str, Any]:
    file = directory.path / "rounds" / _SETTINGS
    try:
        stored: dict[str, Any] = json.loads(file.read_bytes())
    except FileNotFoundError:
        raise ConfigError(
            f"{directory.path}: has no run over a batch API. Begin one with: "
            "faithfulness-assert batch INPUT --run DIR --via openai-batch --judge openai:MODEL"
        ) from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file}: cannot be read: {error}") from None
    return stored


def _settings(
    via: str, judge: object, policy: object, threshold: float | None, options: Mapping[str, Any]
) -> dict[str, Any]:
    """What makes the same grader again on another machine, without keys.

    Raises:
        ConfigError: this way does not lead to this judge, or something cannot be stored.
    """
    provider = _provider(judge)
    if via not in (FILES, *SERVICES):
        raise ConfigError(f"via: must be one of {', '.join(SERVICES)}, got {via!r}")
    if provider not in _FORMS or via not in (FILES, f"{provider}-batch"):
        raise ConfigError(f"judge: {via!r} does not lead to {judge!r}; name a judge of that API")
    if options.get("cache") is not None:
        raise ConfigError("cache: a run over a batch API keeps its replies in its own directory")
    kept = {name: value for name, value in options.items() if not _is_secret(name, value)}
    settings = {
        "run": uuid.uuid4().hex,
        "via": via,
        "judge": judge,
        "policy": _stored_policy(policy),
        "threshold": threshold,
        "options": kept,
    }
    try:
        return dict(json.loads(json.dumps(settings)))
    except TypeError as error:
        raise ConfigError(f"policy and options must be plain data here: {error}") from None


def _provider(judge: object) -> str:
    return judge.partition(":")[0] if isinstance(judge, str) else ""


def _is_secret(name: str, value: object) -> bool:
    """Whether an option must not be stored: a key, or an address with a password or a query."""
    if name != "base_url":
        return name == "api_key"
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
    given = {**settings["options"], **options}
    key = f"{JUDGES[_provider(settings['judge'])].package.upper()}_API_KEY"
    if settings["via"] == FILES and not given.get("api_key") and not os.environ.get(key):
        given["api_key"] = "none"
    return Grader(settings["judge"], settings["policy"], settings["threshold"], **given)
