"""Who answers: an LLM behind an API, the embedded judge, stored replies. They are made by name.

To add one, add a file here and a row in ``JUDGES``. Two judges may be one: a checker gives the
verdicts, an LLM writes claims, truths and reasons.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from dataclasses import astuple, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from ..asking.windows import CountTokens, exact_counter
from ..records.errors import ConfigError, suggest
from ..records.judge import Ask, Judge, JudgeInfo, Limits, Reply, judge_info

if TYPE_CHECKING:
    from pathlib import Path

CLAIMS_JUDGE = "claims_judge"
"""The option that every judge takes."""

JUDGES = {
    "openai": ("OpenAIJudge", "openai:MODEL"),
    "anthropic": ("AnthropicJudge", "anthropic:MODEL"),
    "local": ("LocalJudge", "local:NAME_OR_PATH"),
    "embedded": ("EmbeddedJudge", "embedded"),
}
"""The class of each judge, in the module of its name, and how users name it."""
FORMS = [form for _, form in JUDGES.values()]
REMOTE = ("anthropic", "openai")
"""Those behind an API. The name in capitals, with ``_``, begins its environment variables."""
APIS = ("chat", "completion", "responses", "messages")
"""What promptfoo may write between a provider and its model."""


def make_judge(spec: object, options: Mapping[str, Any]) -> Judge:
    """The judge that ``spec`` names (one of ``FORMS``), or ``spec`` itself.

    With the option ``claims_judge`` it only gives verdicts, and that judge writes all else.

    Raises:
        ConfigError: there is no such judge, or it does not take one of the options.
    """
    check_judge_options(spec, options)
    own = dict(options)
    writer = own.pop(CLAIMS_JUDGE, None)
    judge = cast("Judge", spec)
    if isinstance(spec, str):
        kind, _, argument = spec.partition(":")
        judge = _class_of(kind)(*filter(None, [model_of(argument.strip())]), **own)
    return judge if writer is None else TwoJudges(judge, make_judge(writer, {}))


def model_of(name: str) -> str:
    """The model that ``chat:MODEL`` names, as ``MODEL`` alone does."""
    api, _, model = name.partition(":")
    return model if model and api in APIS else name


def check_judge_options(spec: object, options: Mapping[str, Any]) -> None:
    """Checks what can be checked without making the judge.

    Raises:
        ConfigError: there is no such judge, or it does not take one of the options.
    """
    names = option_names(spec)
    if isinstance(spec, str):
        kind, _, argument = spec.partition(":")
        form = JUDGES[kind][1]
        if bool(argument.strip()) != (":" in form):
            raise ConfigError(f"judge: {spec!r} should be written {form!r}")
    elif isinstance(spec, type) or not callable(getattr(spec, "ask", None)):
        forms, got = ", ".join(FORMS), getattr(spec, "__name__", type(spec).__name__)
        problem = f"must be one of {forms}, or an object (no class) with an 'ask' method"
        raise ConfigError(f"judge: {problem}; got {got}")
    for option in (name for name in options if name not in names):
        problem = f"the judge {spec!r} has no such option. {suggest(option, names)}"
        if not isinstance(spec, str):
            problem = "the judge is passed as an object; set this option on that object"
        raise ConfigError(f"{option}: {problem}")


def option_names(spec: object) -> list[str]:
    """The options of the judge that ``spec`` names; the one for all if ``spec`` is a judge.

    Raises:
        ConfigError: there is no judge of this name.
    """
    if not isinstance(spec, str):
        return [CLAIMS_JUDGE]
    kind = spec.partition(":")[0]
    if kind not in JUDGES:
        model = spec.replace("/", ":").rpartition(":")[2].strip() or "MODEL"
        forms = " or ".join(FORMS).replace("MODEL", model)
        raise ConfigError(
            f"judge: unknown judge {spec!r}. {suggest(kind.strip().lower(), JUDGES)} Write {forms}."
            " A model of another server that is compatible with OpenAI's is 'openai:MODEL', with "
            "base_url, and MODEL as that server calls it"
        )
    makers = [vars(c)["__init__"] for c in _class_of(kind).__mro__ if "__init__" in vars(c)]
    options = [option for make in makers for option in inspect.signature(make).parameters.values()]
    own = [option.name for option in options if option.kind is option.KEYWORD_ONLY]
    return list(dict.fromkeys([CLAIMS_JUDGE, *own]))


def _class_of(kind: str) -> Any:
    return getattr(import_module(f".{kind}", __package__), JUDGES[kind][0])


def exact_token_counter(judge_name: str) -> CountTokens | None:
    """A counter for the model in a judge's name, which is ``PROVIDER:MODEL``, or a model alone.

    None without ranks of tiktoken on this machine.
    """
    # Where tiktoken keeps what it downloads.
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    return exact_counter(judge_name.partition(":")[2] or judge_name, folder)


# ---------------------------------------------------------------- two judges as one


class TwoJudges:
    """A judge of two.

    Args:
        checker: gives all verdicts.
        writer: answers every other ask. How often its server may be asked again is its business.

    Raises:
        ConfigError: the writer cannot write claims.
    """

    def __init__(self, checker: Judge, writer: Judge) -> None:
        if "claims" not in judge_info(writer).asks:
            name = judge_info(writer).name
            raise ConfigError(f"claims_judge: {name!r} cannot write claims; name an LLM")
        self.checker, self.writer = checker, writer
        self.max_retries = getattr(writer, "max_retries", 0)
        self.timeout = getattr(writer, "timeout", 60.0)
        self.key_secret = getattr(writer, "key_secret", None)

    @property
    def info(self) -> JudgeInfo:
        """What both are together, with the limits that they have learned so far."""
        checks, writes = judge_info(self.checker), judge_info(self.writer)
        identity: dict[str, Any] | None = None
        if checks.identity and writes.identity:
            url = writes.identity.get("base_url", "")  # by which a server's asks are counted
            both = {"checker": checks.identity, "writer": writes.identity}
            identity = {"judge": "two", "base_url": url, **both}
        limits = zip(astuple(checks.limits), astuple(writes.limits), strict=True)
        lower = (min((x for x in pair if x is not None), default=None) for pair in limits)
        return replace(
            checks,
            name=f"{checks.name} with {writes.name}",
            remote=checks.remote or writes.remote,
            keeps_deadline=checks.keeps_deadline and writes.keeps_deadline,
            any_loop=checks.any_loop and writes.any_loop,
            limits=Limits(*lower),
            asks=writes.asks | checks.asks,
            identity=identity,
        )

    def keep_in(self, folder: Path) -> None:
        """Keeps in a folder what the servers of both were seen to need."""
        for judge in (self.checker, self.writer):
            if keep_in := getattr(judge, "keep_in", None):
                keep_in(folder)

    def _of(self, ask: Ask) -> Judge:
        return self.checker if ask.kind == "verdicts" else self.writer

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """The reply of the judge whose ask this is.

        Raises:
            JudgeError: that judge's own.
        """
        return self._of(ask).ask(ask, deadline=deadline)

    async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """The same as a coroutine.

        Raises:
            JudgeError: that judge's own.
        """
        from . import background  # it needs asyncio

        judge: Any = self._of(ask)
        if not hasattr(judge, "aask"):
            return await background.in_thread(judge.ask, ask, deadline=deadline)
        reply: Reply = await judge.aask(ask, deadline=deadline)
        return reply
