"""Which server answers a judge: what is known of servers with OpenAI's API, and how they show it.

A server is known by its address, else by the headers of its answers, else by fields of its replies
and of its list of models. What it writes is never shown, only which of our signs it has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .remote.connection import Answer

UNKNOWN = "an OpenAI-compatible server of an unknown kind"
MODELS_PATH = "/models"
MOST_MODELS = 2_000
"""Entries of a list of models that are looked at."""
_MOST_TOKENS = 10**9
_WINDOWS = ("max_model_len", "context_length", "context_window", "max_context_length")
"""Fields in which servers say how long prompt and reply may be together."""


_NEVER = re.compile(r"\Zx")  # nothing stands behind the end


@dataclass(frozen=True, slots=True)
class Dialect:
    """A kind of server.

    Args:
        name: what people call it.
        host: what its host has, where it has one of its own.
        header: how a header of its answers begins, as ``name: value``.
        fields: fields with a value that only it writes: of a reply, or of each entry in the list
            of models. A field without a value may have any.
    """

    name: str
    host: re.Pattern[str] = _NEVER
    header: re.Pattern[str] = _NEVER
    fields: Mapping[str, str | None] | None = None


DIALECTS = (  # gateways before what may be behind them
    Dialect("OpenAI", re.compile(r"(?:^|\.)api\.openai\.com$", re.I)),
    Dialect("LiteLLM", header=re.compile("x-litellm-", re.I)),
    Dialect(
        "OpenRouter",
        re.compile(r"^openrouter\.ai$", re.I),
        fields={"native_finish_reason": None},
    ),
    Dialect("GitHub Models", re.compile(r"^models\.github\.ai$", re.I)),
    Dialect(
        "Azure OpenAI",
        re.compile(r"\.azure\.com$", re.I),
        re.compile("(?:apim-request-id|x-ms-region|azureml-model-session):", re.I),
        {"prompt_filter_results": None},
    ),
    Dialect(
        "Gemini",
        re.compile(r"^generativelanguage\.googleapis\.com$", re.I),
        re.compile("x-gemini-service-tier:", re.I),
        {"owned_by": "google"},
    ),
    Dialect(
        "Amazon Bedrock",
        re.compile(r"^bedrock-(?:runtime|mantle)\.", re.I),
        re.compile("x-amzn-(?:requestid|bedrock)", re.I),
        {"amazon-bedrock-guardrailAction": None},
    ),
    Dialect(
        "llama.cpp",
        header=re.compile(r"server: llama\.cpp", re.I),
        fields={"owned_by": "llamacpp"},
    ),
    Dialect("vLLM", fields={"owned_by": "vllm"}),
    Dialect("Ollama", fields={"system_fingerprint": "fp_ollama", "owned_by": "library"}),
)


class Recognised(NamedTuple):
    """The name of a dialect, and the sign by which it was recognised."""

    name: str
    sign: str


def recognise(
    host: str, answers: Sequence[Answer], models: Sequence[Mapping[str, Any]]
) -> Recognised:
    """The dialect of a server; ``UNKNOWN`` if it shows no sign of one that is known.

    Args:
        host: where it is.
        answers: what it answered, errors included.
        models: the entries of its list of models.
    """
    headers = [f"{n.lower()}: {v}" for answer in answers for n, v in answer.headers.items()]
    replies = [data for answer in answers if isinstance(data := parsed(answer), Mapping)]
    replies += [choice for reply in replies for choice in _choices(reply)]
    signs: dict[str, Callable[[Dialect], str]] = {
        "its address {}": lambda dialect: host if dialect.host.search(host) else "",
        "its header {}": lambda dialect: _header(dialect, headers),
        "{} in its replies": lambda dialect: _field(dialect, replies),
        "{} in its list of models": lambda dialect: _field(dialect, models),
    }
    for place, sign_of in signs.items():
        for dialect in DIALECTS:
            if sign := sign_of(dialect):
                return Recognised(dialect.name, place.format(sign))
    return Recognised(UNKNOWN, "")


def _header(dialect: Dialect, headers: Iterable[str]) -> str:
    """The sign in a header: no more of it than we know."""
    found = (dialect.header.match(header) for header in headers)
    return next((match[0].rstrip(": ") for match in found if match), "")


def _field(dialect: Dialect, objects: Sequence[Mapping[str, Any]]) -> str:
    for name, value in (dialect.fields or {}).items():
        if any(name in one and value in (None, one[name]) for one in objects):
            return name if value is None else f"{name} {value}"
    return ""


def _choices(reply: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    choices = reply.get("choices")
    return [c for c in choices if isinstance(c, Mapping)] if isinstance(choices, list) else []


def parsed(answer: Answer) -> Any:
    """The JSON value in an answer; None if there is none."""
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError):
        return None


# ---------------------------------------------------------------- lists of models


def models_in(answer: Answer) -> list[Mapping[str, Any]]:
    """The entries of a list of models."""
    data = parsed(answer)
    entries = data.get("data") if isinstance(data, Mapping) else data
    found = entries[:MOST_MODELS] if isinstance(entries, list) else []
    return [entry for entry in found if isinstance(entry, Mapping)]


def entry_of(model: str, models: Iterable[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The entry of a model, under its id. Ollama's ids end in a tag, Gemini's begin with a kind."""
    ids = {model, f"{model}:latest", f"models/{model}"}
    return next((entry for entry in models if entry.get("id") in ids), None)


def stated_window(entry: Mapping[str, Any]) -> tuple[int, str] | None:
    """The tokens of prompt and reply that an entry states, and the field that does."""
    meta = entry.get("meta")
    places = [(entry, _WINDOWS), (meta if isinstance(meta, Mapping) else {}, ("n_ctx",))]
    for place, names in places:
        for name in names:
            if type(size := place.get(name)) is int and 0 < size < _MOST_TOKENS:
                return size, name
    return None


def names_of_models(models: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The ids in a list of models."""
    return (entry["id"] for entry in models if isinstance(entry.get("id"), str))
