"""What all judges behind an API are made of: options, one client, tries, what was learned, the circuit.

The rule: what is one provider's own stands in its :class:`Provider`, in a file of its own; nothing here knows a provider.
"""

from __future__ import annotations

import importlib.util
import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ...records.ask import Ask, Reply
from ...records.errors import ConfigError
from ...records.judge import Limits
from .answers import Failure
from .circuit_breaker import Circuit
from .connection import Answer, fetch, http_client
from .fallbacks import Fallbacks, Steps, lowest, notes, step_down
from .retries import persist
from .settings import Secret, check_number, check_text, read_key, split_url

Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Provider:
    """What is one provider's own.

    Args:
        name: in ``name:MODEL``, of its package, and of the environment's NAME_API_KEY and NAME_BASE_URL.
        install: what to run where the package is missing.
        home: the address of its own API, which takes nobody without a key.
        max_temperature: the highest temperature that it takes.
        fallbacks: the parameters that some of its servers do not take.
        request: the parameters of an ask with these settings, after these steps.
        read: the reply in an answer, or the trouble with it; the strings are secrets, for ``server_error.shown``.
        sdk: imports the package, which takes the better part of a second: only where there is something to ask.
        client: the name of its client's class.
        send: sends parameters through a client, to be answered within seconds; returns what its ``with_raw_response`` does.
    """

    name: str
    install: str
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

    After several asks in a row that found the server down, asks fail at once for a while: see :mod:`.circuit`.

    Args:
        model: its name there.
        base_url: where the API is; default: the environment's, else the provider's own.
        api_key: default: the environment's. Only the provider's own API cannot do without.
        timeout: seconds for one try, all of it.
        max_retries: tries after the first, where the failure may pass.
        temperature: from 0; None leaves it to the server.
        max_prompt_tokens: the longest prompt for one ask, in tokens.
        max_statements: the most statements in one ask.

    Raises:
        ConfigError: a missing package or key, or an option that cannot be.
    """

    provider: ClassVar[Provider]
    never_contradicts = False
    keeps_deadline = True
    remote = True

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 2,
        temperature: float | None = 0.0,
        max_prompt_tokens: int = 100_000,
        max_statements: int = 40,
    ) -> None:
        provider = self.provider
        self.model = check_text("model", model)
        check_number("timeout", timeout, 0.001, 86_400)
        check_number("max_retries", max_retries, 0, 100, whole=True)
        check_number("max_prompt_tokens", max_prompt_tokens, 1, 10**9, whole=True)
        check_number("max_statements", max_statements, 1, 10**6, whole=True)
        if temperature is not None:
            check_number("temperature", temperature, 0, provider.max_temperature)
        if importlib.util.find_spec(provider.name) is None:
            raise ConfigError(
                f"judge: {provider.name} needs a package that is not installed. Run: {provider.install}"
            )
        variable = provider.name.upper()
        self._base_url = Secret(
            check_text(
                "base_url", base_url or os.environ.get(f"{variable}_BASE_URL") or provider.home
            )
        )
        url, home = split_url(self._base_url), split_url(provider.home).hostname or ""
        self._key = read_key(
            api_key, f"{variable}_API_KEY", needed=(url.hostname or "").endswith(home)
        )
        self._secrets = tuple(Secret(s) for s in (self._key, url.password, url.query) if s)
        self._where = f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"
        self._settings: dict[str, Any] = {"model": self.model, "temperature": temperature}
        self._timeout, self._max_retries = timeout, max_retries
        self._steps: Steps = dict.fromkeys(provider.fallbacks, 0)
        self._circuit = Circuit()
        self._lock = threading.Lock()
        self._client: Any = None
        self.name = f"{provider.name}:{self.model}"
        self.limits = Limits(prompt_tokens=max_prompt_tokens, statements=max_statements)

    @property
    def identity(self) -> dict[str, Any]:
        """All settings that shape its replies."""
        return {"judge": self.provider.name, "base_url": self._where, **self._settings}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r}, base_url={self._where!r})"

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """Asks the model. ``deadline`` is an instant of ``time.monotonic()``; it ends tries and waits alike.

        Raises:
            JudgeError: no reply came; the message holds no secret.
        """
        return self._circuit.run(lambda: self._persist(ask, deadline))

    def close(self) -> None:
        """Closes the connections; the next ask opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _persist(self, ask: Ask, deadline: float | None) -> Reply:
        """All tries of an ask. What the server does not take is learned once in the life of a judge, and told with each reply."""
        fallbacks, steps = self.provider.fallbacks, self._steps

        def attempt(seconds: float) -> Reply | Failure:
            nonlocal steps
            asked = steps
            outcome = self._try(self._request(ask, asked), seconds)
            if isinstance(outcome, Reply) or not outcome.server_error:
                return outcome
            steps = step_down(
                fallbacks, asked, outcome.server_error, lambda lower: self._request(ask, lower)
            )
            return replace(outcome, adapted=steps != asked)

        reply = persist(
            attempt, timeout=self._timeout, max_retries=self._max_retries, deadline=deadline
        )
        with (
            self._lock
        ):  # only what led to a reply is kept, beside what other threads have learned meanwhile
            self._steps = lowest(self._steps, steps)
        return replace(reply, warnings=(*reply.warnings, *notes(fallbacks, steps)))

    def _request(self, ask: Ask, steps: Steps) -> dict[str, Any]:
        return self.provider.request(ask, self._settings, steps)

    def _try(self, request: dict[str, Any], seconds: float) -> Reply | Failure:
        sdk = self.provider.sdk()
        answer = fetch(
            sdk,
            lambda: self.provider.send(self._connected(sdk), request, seconds),
            seconds,
            self._secrets,
        )
        return (
            self.provider.read(answer, self._secrets)
            if isinstance(answer, Answer)
            else Failure(answer)
        )

    def _connected(self, sdk: Any) -> Any:
        with self._lock:
            if self._client is None:
                http = http_client(sdk)
                weakref.finalize(self, http.close)
                key, url = str(self._key) or "none", str(self._base_url)
                self._client = getattr(sdk, self.provider.client)(
                    api_key=key, base_url=url, max_retries=0, http_client=http
                )
            return self._client
