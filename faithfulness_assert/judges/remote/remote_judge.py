"""The base of all judges behind an API: options, client, tries, fallbacks, circuit breaker.

What differs between providers is in their :class:`Provider`, in one file for each provider.
"""

from __future__ import annotations

import importlib.util
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...records.ask import Ask, Reply
from ...records.errors import ConfigError
from ...records.judge import JudgeInfo, Limits
from .. import JUDGES
from .answers import Failure
from .circuit_breaker import CircuitBreaker
from .connection import Answer, http_client, send_once
from .context_window import ContextWindow, default_limits
from .fallbacks import Fallbacks, Steps, merge_steps, next_steps, step_warnings
from .retries import ask_with_retries
from .settings import check_number, check_text, find_endpoint

Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Provider:
    """What differs between providers.

    Args:
        name: its name in ``JUDGES``; also of its package, and in capitals the prefix of its
            environment variables ``_API_KEY`` and ``_BASE_URL``.
        home: the address of its own API, which needs a key.
        max_temperature: the highest temperature that it allows.
        fallbacks: the parameters that some of its servers reject.
        request: returns the parameters of an ask with these settings, after these steps.
        read: returns the reply in an answer, or the failure. The strings are secrets.
        sdk: imports the package. That takes up to a second, so it is only done for an ask.
        client: the name of its client class.
        send: sends parameters through a client, with a timeout in seconds, and returns what the
            SDK's ``with_raw_response`` returns.
    """

    name: str
    home: str
    max_temperature: float
    fallbacks: Fallbacks
    request: Callable[[Ask, Settings, Steps], dict[str, Any]]
    read: Callable[[Answer, Sequence[str]], Reply | Failure]
    sdk: Callable[[], Any]
    client: str
    send: Callable[[Any, dict[str, Any], float], Any]


class RemoteJudge:
    """A judge behind the API of ``provider``.

    If several asks in a row find the server down, asks fail at once for a while: see
    :mod:`.circuit_breaker`.

    Args:
        model: its name at the provider.
        base_url: the API's address; default: the environment's, else the provider's own.
        api_key: default: the environment's. Only the provider's own API needs one.
        timeout: seconds for one try, from start to end.
        max_retries: tries after the first one, if the failure may be temporary.
        temperature: from 0; None leaves it to the server.
        max_prompt_tokens: the longest prompt for one ask, in tokens. Default: the model's context
            window if it is known, else 100,000; a server that finds an ask too long is believed.
        max_statements: the most statements in one ask.

    Raises:
        ConfigError: a package or key is missing, or an option has an invalid value.
    """

    provider: Provider

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 2,
        temperature: float | None = 0.0,
        max_prompt_tokens: int | None = None,
        max_statements: int = 40,
    ) -> None:
        provider = self.provider
        _check_installed(provider.name)
        check_number("timeout", timeout, 0.001, 86_400)
        check_number("max_retries", max_retries, 0, 100, whole=True)
        if max_prompt_tokens is not None:
            check_number("max_prompt_tokens", max_prompt_tokens, 1, 10**9, whole=True)
        check_number("max_statements", max_statements, 1, 10**6, whole=True)
        if temperature is not None:
            check_number("temperature", temperature, 0, provider.max_temperature)
        model = check_text("model", model)
        self._settings: dict[str, Any] = {"model": model, "temperature": temperature}
        self._endpoint = find_endpoint(provider.name, provider.home, base_url, api_key)
        self._name = f"{provider.name}:{model}"
        limits = Limits(max_prompt_tokens, max_statements)
        if max_prompt_tokens is None:
            limits = default_limits(self._name, max_statements)
        self._window = ContextWindow(self._name, limits)
        self._timeout, self._max_retries = timeout, max_retries
        self._steps: Steps = dict.fromkeys(provider.fallbacks, 0)
        self._circuit = CircuitBreaker()
        self._lock = threading.Lock()
        self._client: Any = None

    @property
    def info(self) -> JudgeInfo:
        """What this judge is, with the limits that were learned so far."""
        name, url = self.provider.name, self._endpoint.public_url
        return JudgeInfo(
            name=self._name,
            remote=True,
            keeps_deadline=True,
            limits=self._window.limits,
            identity={"judge": name, "base_url": url, **self._settings},
        )

    def __repr__(self) -> str:
        url = self._endpoint.public_url
        return f"{type(self).__name__}({self._settings['model']!r}, base_url={url!r})"

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """Asks the model. ``deadline``, an instant of ``time.monotonic()``, limits tries and waits.

        Raises:
            JudgeError: there was no reply; the message contains no secrets.
        """
        return self._circuit.run(lambda: self._ask_adapting(ask, deadline))

    def close(self) -> None:
        """Closes the connections; the next ask opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _ask_adapting(self, ask: Ask, deadline: float | None) -> Reply:
        """All tries of an ask. What a server rejects is learned once; each reply warns of it."""
        fallbacks, steps = self.provider.fallbacks, self._steps

        def request(steps: Steps) -> dict[str, Any]:
            return self.provider.request(ask, self._settings, steps)

        def send(seconds: float) -> Reply | Failure:
            nonlocal steps
            sent = steps
            outcome = self._window.checked(ask, self._try(request(sent), seconds))
            if isinstance(outcome, Reply) or not outcome.server_error:
                return outcome
            steps = next_steps(fallbacks, sent, outcome.server_error, request)
            return replace(outcome, adapted=steps != sent)

        reply = ask_with_retries(
            send, timeout=self._timeout, max_retries=self._max_retries, deadline=deadline
        )
        with self._lock:  # only steps that led to a reply are kept; other threads add theirs
            self._steps = merge_steps(self._steps, steps)
        return replace(reply, warnings=(*reply.warnings, *step_warnings(fallbacks, steps)))

    def _try(self, request: dict[str, Any], seconds: float) -> Reply | Failure:
        provider, secrets = self.provider, self._endpoint.secrets
        sdk = provider.sdk()

        def call() -> Any:
            return provider.send(self._connected(sdk), request, seconds)

        answer = send_once(sdk, call, seconds, secrets)
        if isinstance(answer, Answer):
            return provider.read(answer, secrets)
        return Failure(answer)

    def _connected(self, sdk: Any) -> Any:
        with self._lock:
            if self._client is None:
                http = http_client(sdk)
                weakref.finalize(self, http.close)
                self._client = getattr(sdk, self.provider.client)(
                    api_key=str(self._endpoint.key) or "none",
                    base_url=str(self._endpoint.url),
                    max_retries=0,
                    http_client=http,
                )
            return self._client


def _check_installed(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        install = JUDGES[package].install
        raise ConfigError(f"judge: {package} needs a package that is not installed. Run: {install}")
