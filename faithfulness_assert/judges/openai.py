"""The OpenAI judge: any chat-completions API that is compatible with OpenAI's.

The rule: this file only says what is OpenAI's own, its parameters and the shape of its completions; the rest is shared with other
judges. What a server does not take is learned once in the life of a judge, and told in the warnings of each reply.
"""

from __future__ import annotations

import os
import threading
import weakref
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from ..errors import ConfigError, JudgeError
from ..model import Limits, Reply, clean_text
from .dialect import NO_STEPS, Steps, chat_request, lowest, notes, step_down
from .http import Secret, Trouble, check_number, persist, read_object, trouble, usage_of
from .transport import Answer, fetch, http_client

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..model import Ask, Usage

OPENAI = "https://api.openai.com/v1"


class OpenAIJudge:
    """A judge behind an OpenAI-compatible chat API.

    Args:
        model: its name there.
        base_url: where the API is; default: the environment's OPENAI_BASE_URL, else OpenAI.
        api_key: default: the environment's OPENAI_API_KEY. Only OpenAI itself cannot do without.
        timeout: seconds for one try, all of it.
        max_retries: tries after the first, where the failure may pass.
        temperature: 0 to 2; None leaves it to the server.
        seed: for servers that promise the same reply to the same seed.
        max_prompt_tokens: the longest prompt for one ask, in tokens.
        max_statements: the most statements in one ask.

    Raises:
        ConfigError: a missing key, or an option that cannot be.
    """

    never_contradicts = False
    keeps_deadline = True

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 2,
        temperature: float | None = 0.0,
        seed: int | None = None,
        max_prompt_tokens: int = 100_000,
        max_statements: int = 40,
    ) -> None:
        self.model = _text_option("model", model)
        check_number("timeout", timeout, 0.001, 86_400)
        check_number("max_retries", max_retries, 0, 100, whole=True)
        check_number("max_prompt_tokens", max_prompt_tokens, 1, 10**9, whole=True)
        check_number("max_statements", max_statements, 1, 10**6, whole=True)
        if temperature is not None:
            check_number("temperature", temperature, 0, 2)
        if seed is not None:
            check_number("seed", seed, -(2**63), 2**63 - 1, whole=True)
        self._base_url = Secret(_text_option("base_url", base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI))
        url = _split_url(self._base_url)
        self._key = _key(api_key, url)
        self._secrets = tuple(Secret(s) for s in (self._key, url.password, url.query) if s)
        self._timeout, self._max_retries = timeout, max_retries
        self._settings = {"model": self.model, "temperature": temperature, "seed": seed}
        self._steps = NO_STEPS
        self._lock = threading.Lock()
        self._client: Any = None
        self.name = f"openai:{self.model}"
        self.limits = Limits(prompt_tokens=max_prompt_tokens, statements=max_statements)
        where = f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"
        self.identity = {"judge": "openai", "base_url": where, **self._settings}

    def __repr__(self) -> str:
        return f"OpenAIJudge({self.model!r}, base_url={self.identity['base_url']!r})"

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """Asks the model. ``deadline`` is an instant of ``time.monotonic()``; it ends tries and waits alike.

        Raises:
            JudgeError: no reply came; the message holds no secret.
        """
        import openai  # takes the better part of a second: only where there is something to ask

        steps = self._steps

        def attempt(seconds: float) -> Reply | Trouble:
            nonlocal steps
            asked = steps
            answer = fetch(openai, lambda: self._create(ask, asked, seconds), seconds, self._secrets)
            outcome = read_completion(answer, self._secrets) if isinstance(answer, Answer) else Trouble(answer)
            if isinstance(outcome, Reply) or not outcome.complaint:
                return outcome
            steps = step_down(ask, self._settings, asked, outcome.complaint)
            return replace(outcome, adapted=steps != asked)

        reply = persist(attempt, timeout=self._timeout, max_retries=self._max_retries, deadline=deadline)
        with self._lock:  # only what led to a reply is kept, beside what other threads have learned meanwhile
            self._steps = lowest(self._steps, steps)
        return replace(reply, warnings=(*reply.warnings, *notes(steps)))

    def close(self) -> None:
        """Closes the connections; the next ask opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _create(self, ask: Ask, steps: Steps, seconds: float) -> Any:
        request = chat_request(ask, self._settings, steps)
        return self._connected().chat.completions.with_raw_response.create(**request, timeout=seconds)

    def _connected(self) -> Any:
        import openai

        with self._lock:
            if self._client is None:
                http = http_client(openai)
                weakref.finalize(self, http.close)
                key, url = str(self._key) or "none", str(self._base_url)
                self._client = openai.OpenAI(api_key=key, base_url=url, max_retries=0, http_client=http)
            return self._client


# ---------------------------------------------------------------- the answer


def read_completion(answer: Answer, secrets: Sequence[str]) -> Reply | Trouble:
    """The reply in a chat completion, or the trouble with it."""
    data = read_object(answer, secrets)
    if isinstance(data, Trouble):
        return data
    usage = _usage(data.get("usage"))
    choice = _first_choice(data.get("choices"))
    if choice.get("error"):
        return trouble(answer, choice, secrets)
    message = choice.get("message")
    if not isinstance(message, dict):
        what = "the judge's answer holds no message: is base_url a chat API?"
        return Trouble(JudgeError(what, "server", retryable=True, usage=usage, http_status=answer.status))
    text, refusal = _said(message)
    thought = not text.strip() and not refusal and bool(message.get("reasoning") or message.get("reasoning_content"))
    warnings = ("the judge spent its tokens on reasoning and said nothing; ask for less reasoning, or another model",) if thought else ()
    ended = choice.get("finish_reason")
    return Reply(text, usage, ended if isinstance(ended, str) else "stop", refusal or None, warnings=warnings)


def _first_choice(choices: object) -> Mapping[str, Any]:
    found = [c for c in choices if isinstance(c, dict)] if isinstance(choices, list) else []
    return next((c for c in found if c.get("index") == 0), found[0] if found else {})


def _said(message: Mapping[str, Any]) -> tuple[str, str]:
    """The text of a message and its refusal. The content is a string or a list of parts."""
    content, refusal = message.get("content"), message.get("refusal")
    parts = [p for p in content if isinstance(p, dict)] if isinstance(content, list) else []
    text = content if isinstance(content, str) else "".join(p["text"] for p in parts if isinstance(p.get("text"), str))
    refusals = [refusal, *(p.get("refusal") for p in parts)]
    return text, clean_text(" ".join(r for r in refusals if isinstance(r, str)).strip())


def _usage(data: object) -> Usage | None:
    if not isinstance(data, dict):
        return None
    prompt, completion = (d if isinstance(d := data.get(f"{part}_tokens_details"), dict) else {} for part in ("prompt", "completion"))
    cached, reasoning = prompt.get("cached_tokens"), completion.get("reasoning_tokens")
    return usage_of(data.get("prompt_tokens"), data.get("completion_tokens"), cached, reasoning)


# ---------------------------------------------------------------- options


def _text_option(name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{name}: must be a string that is not blank, got {type(value).__name__}")
    return value.strip()


def _split_url(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 0) >= 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigError("base_url: must be an address such as https://host/v1")
    return parts


def _key(given: object, url: SplitResult) -> Secret:
    """The key, or an empty one where the server is not OpenAI's own and may need none."""
    if given is not None and not isinstance(given, str):
        raise ConfigError(f"api_key: must be a string, got {type(given).__name__}")
    key = Secret((given or os.environ.get("OPENAI_API_KEY") or "").strip())
    if not key and (url.hostname or "").endswith("api.openai.com"):
        raise ConfigError("api_key: none was given; set OPENAI_API_KEY in the environment or pass api_key")
    if any(not "!" <= c <= "~" for c in key):
        raise ConfigError("api_key: holds a character that no key has (a blank, a line break, a letter beyond ASCII)")
    return key
