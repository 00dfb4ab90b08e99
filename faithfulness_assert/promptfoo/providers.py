"""promptfoo's ids of providers, as judges: those that we have, and servers with OpenAI's API."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..judges import JUDGES

REMOTE = "|".join(name for name, entry in JUDGES.items() if entry.package)
# `chat`, `responses` and `messages` name APIs of a provider.
OURS = re.compile(rf"({REMOTE}):(?:(?:chat|responses|messages):)?([\w./:@-]+)")
THEIRS = re.compile(r"([a-z]+):(?:(?:chat|completion|responses):)?([\w./:@-]+)")
HOST = re.compile(r"(?:https?://)?([\w.-]+\.[a-z]+)/?", re.IGNORECASE)

LOCAL = "This server needs no key: OPENAI_API_KEY may be any word."
SERVERS = {
    "ollama": ("http://localhost:11434/v1", LOCAL),
    "llama": ("http://localhost:8080/v1", LOCAL),
    "localai": ("http://localhost:8080/v1", LOCAL),
    "litellm": ("http://localhost:4000/v1", "Set OPENAI_API_KEY to a key of the LiteLLM proxy."),
    "openrouter": ("https://openrouter.ai/api/v1", "Set OPENAI_API_KEY to the OpenRouter key."),
    "github": ("https://models.github.ai/inference", "Set OPENAI_API_KEY to a GitHub token."),
    "google": (
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "Set OPENAI_API_KEY to the Gemini API key.",
    ),
}
"""Where a provider of promptfoo has OpenAI's API, and what it needs."""
AZURE = ("azure", "azureopenai")
# Claude, Nova and Llama have other APIs there, and a region may stand before the model's name.
ON_BEDROCK = re.compile(r"(?:[a-z]+\.)?openai\.")
REGION = re.compile(r"[a-z]+(?:-[a-z]+)+-\d")


class KnownJudge(NamedTuple):
    """A judge for a provider: its name, its server, and what it needs."""

    judge: str
    base_url: str = ""
    note: str = ""


def judge_for(id: object, config: Mapping[str, Any]) -> KnownJudge | None:
    """The judge that asks the same model as a provider; None if there is none."""
    if not isinstance(id, str):
        return None
    if ours := OURS.fullmatch(id):
        return KnownJudge(f"{ours[1]}:{ours[2]}")
    theirs = THEIRS.fullmatch(id)
    if theirs is None:
        return None
    name, model = theirs[1], theirs[2]
    if name in AZURE:
        return _on_azure(model, config.get("apiHost"))
    if name == "bedrock" and ON_BEDROCK.match(model):
        return _on_bedrock(model, config.get("region"))
    if name not in SERVERS:
        return None
    url, note = SERVERS[name]
    return KnownJudge(f"openai:{model}", url, note)


def _on_azure(deployment: str, host: object) -> KnownJudge:
    found = HOST.fullmatch(host) if isinstance(host, str) else None
    key = "Set OPENAI_API_KEY to the key of the Azure resource."
    if found:
        return KnownJudge(f"openai:{deployment}", f"https://{found[1]}/openai/v1", key)
    where = "https://RESOURCE.openai.azure.com/openai/v1"
    return KnownJudge(f"openai:{deployment}", where, f"Put your RESOURCE into baseUrl. {key}")


def _on_bedrock(model: str, region: object) -> KnownJudge:
    known = isinstance(region, str) and REGION.fullmatch(region)
    where = f"https://bedrock-runtime.{region if known else 'us-east-1'}.amazonaws.com/openai/v1"
    note = "Set OPENAI_API_KEY to an API key of Amazon Bedrock."
    advice = "" if known else "Put the region of your key into baseUrl. "
    return KnownJudge(f"openai:{model}", where, advice + note)
