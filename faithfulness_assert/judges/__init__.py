"""The judges by name. Adding one is a file here and a row in ``JUDGES``; each is imported when it is first named."""

from __future__ import annotations

import inspect
import os
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from ..records.errors import ConfigError, suggest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..records.judge import Judge

JUDGES: dict[str, tuple[str, str]] = {
    "anthropic": (".anthropic", "AnthropicJudge"),
    "embedded": (".embedded", "EmbeddedJudge"),
    "openai": (".openai", "OpenAIJudge"),
    "tape": (".tape", "TapeJudge"),
}


def make_judge(spec: object, options: Mapping[str, Any]) -> Judge:
    """The judge that ``spec`` names: ``embedded``, ``openai:MODEL``, ``anthropic:MODEL``, ``tape:DIR``, or a judge itself.

    Raises:
        ConfigError: no such judge, or an option that this judge does not take.
    """
    if not isinstance(spec, str):
        return _given_judge(spec, options)
    factory, argument = _named(spec)
    parameters = inspect.signature(factory).parameters
    positional = [p.name for p in parameters.values() if p.kind is not p.KEYWORD_ONLY]
    if bool(argument) != bool(positional):
        raise ConfigError(f"judge: {spec!r} should read {_form(spec.partition(':')[0])!r}")
    known = option_names(spec)
    for option in options:
        if option not in known:
            raise ConfigError(
                f"{option}: the judge {spec!r} takes no such option. {suggest(option, known) if known else ''}".strip()
            )
    return cast("Judge", factory(*([argument] if positional else []), **options))


def preload() -> None:
    """Loads the package of each judge behind an API whose key is in the environment: the first ask would wait a second for it."""
    for module, name in JUDGES.values():
        provider = getattr(getattr(import_module(module, __name__), name), "provider", None)
        if provider is not None and f"{provider.name.upper()}_API_KEY" in os.environ:
            with suppress(ImportError):  # whoever names this judge is told
                provider.sdk()


def option_names(spec: object) -> list[str]:
    """The options that the judge which ``spec`` names takes; none for a judge that is passed as an object."""
    if not isinstance(spec, str):
        return []
    return [
        p.name
        for p in inspect.signature(_named(spec)[0]).parameters.values()
        if p.kind is p.KEYWORD_ONLY
    ]


def _named(spec: str) -> tuple[Callable[..., object], str]:
    kind, _, argument = spec.partition(":")
    if kind not in JUDGES:
        raise ConfigError(
            f"judge: there is no judge {spec!r}. {suggest(kind, _forms())} Or pass an object with an 'ask' method."
        )
    module, name = JUDGES[kind]
    return getattr(import_module(module, __name__), name), argument.strip()


def _given_judge(judge: object, options: Mapping[str, Any]) -> Judge:
    if not callable(getattr(judge, "ask", None)):
        forms = ", ".join(_forms())
        raise ConfigError(
            f"judge: must be one of {forms}, or an object with an 'ask' method; got {type(judge).__name__}"
        )
    if options:
        raise ConfigError(
            f"{next(iter(options))}: not an option of a judge that is passed as an object; set it on the object"
        )
    return cast("Judge", judge)


def _forms() -> list[str]:
    return [_form(kind) for kind in JUDGES]


def _form(kind: str) -> str:
    return {"anthropic": "anthropic:MODEL", "openai": "openai:MODEL", "tape": "tape:DIR"}.get(
        kind, kind
    )
