"""What a project says once for all places: the judge, and how it grades.

It stands in the environment (``FAITHFULNESS_ASSERT_JUDGE``) and in the table
``[tool.faithfulness_assert]`` of the project's pyproject.toml. Python, pytest, the command line and
promptfoo grade with a ``Grader``, which takes from here what it was not given. So one order holds
everywhere: an argument, or an option of the place; the environment; pyproject.toml; the default.

A threshold goes with its policy, and an address with its judge: who names another policy or another
kind of judge does not get those of the project.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, NamedTuple

from .files import open_file
from .judges import REMOTE
from .policy.parsing import SUFFIXES, read_data
from .policy.policy import Policy
from .records.checks import as_mapping, as_share, is_fraction
from .records.errors import ConfigError, suggest
from .records.judge import Judge

AnyPolicy = str | Policy | Mapping[str, Any]

JUDGE_VARIABLE = "FAITHFULNESS_ASSERT_JUDGE"
FILE = "pyproject.toml"
TABLE = "faithfulness_assert"
OF_JUDGE = ("base_url", "max_tokens", "reasoning_effort", "extra_body", "extra_headers")
"""What goes with the judge of the project, and only with its kind."""
FIELDS = ("judge", "policy", "threshold", "cache", *OF_JUDGE)
SETTING = "setting"
"""In place of a judge: that of the settings."""
_SECRETS = ("key", "token", "secret", "password", "credential", "auth", "cookie")
_MOST_PARENTS = 64
_folder = ContextVar("folder", default="")


class Setting(NamedTuple):
    """A value, and where it comes from: the name of a variable, or the path of a file."""

    value: Any
    source: str


class Choice(NamedTuple):
    """What a ``Grader`` grades with.

    Args:
        judge, policy, threshold, options: as it takes them.
        sources: where each of ``FIELDS`` comes from that was not given.
    """

    judge: str | Judge
    policy: AnyPolicy
    threshold: float | None
    options: dict[str, Any]
    sources: Mapping[str, str]

    @contextmanager
    def naming_sources_in_errors(self) -> Iterator[None]:
        """Errors in here about a value that nobody gave say where it comes from."""
        try:
            yield
        except ConfigError as error:
            name = str(error).partition(":")[0]
            if name not in self.sources:
                raise
            raise type(error)(f"{error} ({name} is set in {self.sources[name]})") from None


def choose(
    judge: str | Judge,
    policy: AnyPolicy | None,
    threshold: float | None,
    options: Mapping[str, Any],
) -> Choice:
    """What was given, completed by the settings, and then by the defaults.

    A judge is not given if it is ``SETTING``. Of the rest, what is None is not given, but for
    ``cache`` and what goes with the judge: there it means none.

    Raises:
        ConfigError: pyproject.toml cannot be read, or has a field or a value that is none of ours;
            or the judge is None, such as a variable that is not set.
    """
    if judge is None:
        problem = "must name a judge, got None"
        raise ConfigError(f"judge: {problem}. Leave it out for that of the settings")
    settings, project = read_settings(), read_settings(environment=False)
    from_settings = isinstance(judge, str) and judge == SETTING
    if from_settings:
        judge = settings["judge"].value if "judge" in settings else "embedded"
    kind = judge.partition(":")[0] if isinstance(judge, str) else ""
    of_project = project.get("judge", settings.get("judge"))
    asks = kind in REMOTE  # others have no address, and cost nothing
    fits = asks and (of_project is None or kind == of_project.value.partition(":")[0])
    variable = f"{kind.upper()}_BASE_URL"
    address_given = variable in os.environ or not options.keys().isdisjoint(("base_url", "client"))
    used = {
        "judge": from_settings,
        "policy": policy is None,
        "threshold": threshold is None and policy is None,
        "cache": asks and "cache" not in options,
        **{name: fits and name not in options for name in OF_JUDGE},
        "base_url": fits and not address_given,
    }
    taken = {name: settings[name] for name in FIELDS if used[name] and name in settings}
    values = {name: setting.value for name, setting in taken.items()}
    return Choice(
        judge,
        values.get("policy", "default") if policy is None else policy,
        values.get("threshold") if threshold is None else threshold,
        {**options, **{name: values[name] for name in ("cache", *OF_JUDGE) if name in values}},
        {name: setting.source for name, setting in taken.items()},
    )


def judge_setting() -> Any:
    """The judge that the settings name; None if they name none."""
    setting = read_settings().get("judge")
    return None if setting is None else setting.value


# ---------------------------------------------------------------- reading


def read_settings(*, environment: bool = True) -> dict[str, Setting]:
    """The settings of the environment and of the project (or of that alone), with their sources."""
    settings: dict[str, Setting] = {}
    if folder := _folder.get():
        settings = dict(_of_folder(folder))
    with suppress(OSError):  # the working folder is gone
        settings = settings or dict(_of_folder(os.getcwd()))
    judge = os.environ.get(JUDGE_VARIABLE, "").strip()
    if judge and environment:
        settings["judge"] = Setting(judge, JUDGE_VARIABLE)
    return settings


@contextmanager
def in_project(folder: str) -> Iterator[None]:
    """In here the project is that of this folder, if it has settings.

    pytest has a configuration of its own, and its tests are of that project.
    """
    token = _folder.set(folder)
    try:
        yield
    finally:
        _folder.reset(token)


@lru_cache(maxsize=100)
def _of_folder(folder: str) -> Mapping[str, Setting]:
    """The settings for work in a folder. They are read once.

    A file without the head of our table is not parsed, and need not be valid.
    """
    path = project_file(folder)
    if path is None:
        return {}
    try:
        with open_file(path) as file:
            heads = [line for line in file if line.lstrip().startswith(b"[")]
    except OSError:
        return {}
    if not any(b"tool" in head and b"faithfulness" in head for head in heads):
        return {}
    try:
        return _of_file(path)
    except ConfigError as error:  # a traceback may show what is in the file
        raise error.with_traceback(None) from None


def project_file(folder: str) -> str | None:
    """The project's pyproject.toml: in the folder, or in the first one above it that has one.

    It is not looked for above the root of a repository. One that belongs to another user, or is in
    a folder above that does, is not read: it could say where texts and keys are sent. For root,
    which has the folders of all users in a container, this user is the owner of the folder.
    """
    place = folder
    try:
        own_folder = os.stat(folder).st_uid
        user = os.geteuid() or own_folder if hasattr(os, "geteuid") else own_folder
        for _ in range(_MOST_PARENTS):
            path = os.path.join(place, FILE)
            if os.path.isfile(path):
                owners = {os.stat(one).st_uid for one in (path, place)[: 1 + (place != folder)]}
                return path if owners == {user} else None
            if os.path.exists(os.path.join(place, ".git")) or place == os.path.dirname(place):
                return None
            place = os.path.dirname(place)
    except OSError:
        pass
    return None


def _of_file(path: str) -> dict[str, Setting]:
    tools = as_mapping(as_mapping(read_data(path, "settings")).get("tool"))
    alike = [name for name in tools if name.replace("-", "_").startswith("faithfulness_a")]
    for name in alike:
        if name != TABLE:
            raise ConfigError(f"{path}: call the table [tool.{TABLE}], not [tool.{name[:60]}]")
    table = tools.get(TABLE, {})
    if not isinstance(table, Mapping):
        raise ConfigError(f"{path}: tool.{TABLE} must be a table")
    return {
        name: Setting(_check_field(path, str(name), value), path) for name, value in table.items()
    }


def _check_field(path: str, name: str, value: object) -> Any:
    """The value of a field. A path in it begins at the folder of the file.

    Raises:
        ConfigError: it cannot be used. The message never shows what may be a secret.
    """
    where = f"{path}: tool.{TABLE}.{name[:60]}"
    text = value.strip() if isinstance(value, str) else ""
    is_key = text.startswith("sk-") or (name == "base_url" and "@" in text)
    is_key |= may_be_secret(name) and name not in FIELDS
    if name == "extra_headers":
        is_key = any(map(may_be_secret, map(str, as_mapping(value))))
    if is_key:
        raise ConfigError(
            f"{where}: no key belongs into this file, which others can read. Set it in the "
            "environment, as OPENAI_API_KEY or ANTHROPIC_API_KEY, or give it in the call"
        )
    if name not in FIELDS:
        hint = suggest(name[:60], FIELDS)
        raise ConfigError(f"{where}: unknown field. {hint} Other options go into the call")
    if name == "threshold":
        if not is_fraction(value := as_share(value)):
            raise ConfigError(f"{where}: must be a number from 0 to 1")
        return value
    if name == "max_tokens" or name.startswith("extra_"):
        return value  # it goes into requests; the judge checks it
    if not text:
        raise ConfigError(f"{where}: must be a text, got {type(value).__name__}")
    if name == "cache" or (name == "policy" and text.lower().endswith(SUFFIXES)):
        return os.path.join(os.path.dirname(path), text.removeprefix("file://"))
    return text


def may_be_secret(name: str) -> bool:
    return any(word in name.lower() for word in _SECRETS)
