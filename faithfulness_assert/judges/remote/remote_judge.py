"""The base of all judges behind an API: options, client, what is sent, and what a failure means.

What differs between providers is in their ``Provider``, in one file for each provider.
"""

from __future__ import annotations

import asyncio
import time
import weakref
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from ...records.checks import check_number, check_text
from ...records.errors import ConfigError, JudgeError
from ...records.judge import Ask, JudgeInfo, Limits, Outcome, Reply
from ...records.usage import Usage
from .. import background
from ..http import Answer, Connection, DirectConnection, not_sent
from .answers import ServerError
from .context_window import ContextWindow, default_limits
from .provider import Provider, Settings, Steps, merge_steps, next_steps, step_warnings
from .redaction import Secrets
from .sdk import ClientConnection, batch_client, client_endpoint
from .settings import find_endpoint, hide_key, host_of

SAMPLES_TEMPERATURE = 1.0
"""Draws from the model's own distribution, so that samples show how sure it is."""
LONG_BODY = 200_000
"""Bytes of a body that takes so long to read that it would hold up other asks."""


class RemoteJudge:
    """A judge behind the API of ``provider``.

    It sends each ask once. When asks go, and go again, is decided above it: see
    ``drive/gate.py``.

    Args:
        model: its name at the provider.
        base_url: the API's address; default: the environment's, else the provider's own.
        api_key: default: the environment's. Only the provider's own API needs one.
        timeout: seconds for one try, from start to end.
        max_retries: tries after the first one, if the failure may be temporary.
        temperature: from 0, for all asks; None leaves it to the server. ``"auto"`` is 0, and
            ``SAMPLES_TEMPERATURE`` for the samples after the first.
        max_prompt_tokens: the longest prompt for one ask, in tokens. Default: the model's context
            window if it is known, else 100,000; a server that finds an ask too long is believed.
        max_statements: the most statements in one ask.
        client: a client of the provider's SDK that asks, in place of ``base_url`` and ``api_key``.

    Raises:
        ConfigError: a key is missing, or an option has an invalid value.
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
        temperature: float | Literal["auto"] | None = "auto",
        max_prompt_tokens: int | None = None,
        max_statements: int = 40,
        client: Any = None,
    ) -> None:
        given = {"api_key": api_key}
        del api_key
        hide_key(given)
        api_key, provider = given.get("api_key"), self.provider
        check_number("timeout", timeout, 0.001, 86_400)
        check_number("max_retries", max_retries, 0, 100, whole=True)
        check_number("max_prompt_tokens", max_prompt_tokens, 1, 10**9, whole=True, optional=True)
        check_number("max_statements", max_statements, 1, 10**6, whole=True)
        self._is_auto = temperature == "auto"
        if temperature == "auto":
            temperature = 0.0
        check_number("temperature", temperature, 0, provider.max_temperature, optional=True)
        model = check_text("model", model)
        self._settings: dict[str, Any] = {"model": model, "temperature": temperature}
        if client is None:
            self._endpoint = find_endpoint(
                provider.name, provider.home, provider.path, base_url, api_key
            )
        elif base_url or api_key:
            name = "base_url" if base_url else "api_key"
            raise ConfigError(f"{name}: set it on the client that is given as client")
        else:
            self._endpoint = client_endpoint(client, provider)
        self.own_client = client
        self._name = f"{provider.name}:{model}"
        limits = Limits(max_prompt_tokens, max_statements)
        if max_prompt_tokens is None:
            limits = default_limits(self._name, max_statements)
        self._window = ContextWindow(self._name, limits)
        self.timeout, self.max_retries = timeout, max_retries
        self._steps: Steps = dict.fromkeys(provider.fallbacks, 0)
        self._connecting: asyncio.Future[Connection] | None = None

    @property
    def info(self) -> JudgeInfo:
        """What this judge is, with the limits that were learned so far."""
        name, url = self.provider.name, self._endpoint.public_url
        return JudgeInfo(
            name=self._name,
            remote=True,
            keeps_deadline=True,
            any_loop=True,
            limits=self._window.limits,
            deterministic=self._settings["temperature"] == 0 and not self._is_auto,
            identity={"judge": name, "base_url": url, **self._settings},
        )

    def __repr__(self) -> str:
        if not hasattr(self, "_endpoint"):  # a traceback shows the one that could not be made
            return f"{type(self).__name__}(...)"
        url = self._endpoint.public_url
        return f"{type(self).__name__}({self._settings['model']!r}, base_url={url!r})"

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """Asks the model once. ``deadline`` is an instant of ``time.monotonic()``.

        Raises:
            JudgeError: there was no reply; the message contains no secrets.
        """
        return background.wait(self._send(ask, deadline))

    async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """The same as a coroutine, for any event loop. If it is cancelled, the connection closes.

        Raises:
            JudgeError: see ``ask``.
        """
        return await background.on(background.loop(), self._send(ask, deadline))

    # ------------------------------------------------------------ for asks that are sent otherwise

    def request(self, ask: Ask, steps: Steps) -> dict[str, Any]:
        """The body of the request for an ask after these steps."""
        return self.provider.request(self.worded(ask), self._settings_for(ask), steps)

    def worded(self, ask: Ask) -> Ask:
        """The ask with the messages that are sent: its own, unless the model knows only others."""
        return ask

    def _settings_for(self, ask: Ask) -> Settings:
        """Those of this judge, varied for the samples after the first."""
        if ask.sample == 1:
            return self._settings
        seed = self._settings.get("seed")
        changes = {"temperature": SAMPLES_TEMPERATURE} if self._is_auto else {}
        more = {} if seed is None else {"seed": seed + ask.sample - 1}
        return {**self._settings, **changes, **more}

    def read(self, answer: Answer) -> Outcome:
        """The reply in an answer, or the failure, without secrets."""
        return self.secrets.out_of_outcome(self.provider.read(answer, self.secrets))

    def checked(self, ask: Ask, outcome: Outcome, sent: Steps) -> tuple[Outcome, Steps]:
        """The outcome of a try after the steps ``sent``, and the steps for the next try.

        If the steps differ, the next try needs no wait and is not a retry.
        """
        outcome = self._window.checked(self.worded(ask), outcome)
        if not isinstance(outcome, ServerError):
            return outcome, sent
        request = partial(self.request, ask)
        return outcome, next_steps(self.provider.fallbacks, sent, outcome, request)

    def warned(self, reply: Reply, steps: Steps) -> Reply:
        """The reply, with a warning for each of these steps, and for the way that it came."""
        warnings = (*self._endpoint.warnings, *step_warnings(self.provider.fallbacks, steps))
        return replace(reply, warnings=(*reply.warnings, *warnings))

    def batch_client(self, **options: Any) -> Any:
        """A client of the provider's SDK for a batch API; see ``sdk.py``. Who gets it closes it,
        unless it is ``own_client``.
        """
        return batch_client(self.provider, self._endpoint, self.own_client, **options)

    @property
    def proxy(self) -> str:
        """Host and port of the proxy on the way to the server; empty if there is none."""
        return host_of(self._endpoint.proxy)

    @property
    def secrets(self) -> Secrets:
        """What must never be shown or stored."""
        return self._endpoint.secrets

    # ------------------------------------------------------------ connections

    def close(self) -> None:
        """Closes the connections, after the asks under way; the next ask opens new ones."""
        connecting, self._connecting = self._connecting, None
        if connecting is not None:
            background.soon(partial(_close, connecting), connecting.get_loop())

    async def _send(self, ask: Ask, deadline: float | None) -> Reply:
        """Sends an ask, and again without what the server rejects.

        That is learned once; each reply warns of it.
        """
        steps, spent = self._steps, Usage()
        while True:
            seconds = self.timeout
            if deadline is not None and (seconds := min(seconds, deadline - time.monotonic())) <= 0:
                message, used = "no time was left to ask the judge", spent.num_requests
                raise JudgeError(message, "timeout", retryable=True, usage=spent if used else None)
            sent = steps
            answered = await self._try(self.request(ask, sent), seconds)
            outcome, steps = self.checked(ask, answered, sent)
            if isinstance(outcome, Reply):
                break
            spent += outcome.usage or Usage(num_requests=1)
            if steps == sent:
                outcome.usage = spent
                raise outcome
        # Only steps that led to a reply are kept. Other asks may have added theirs.
        self._steps = merge_steps(self._steps, steps)
        usage, requests = outcome.usage and spent + outcome.usage, spent.num_requests + 1
        return self.warned(replace(outcome, usage=usage, requests=requests), steps)

    async def _try(self, request: dict[str, Any], seconds: float) -> Outcome:
        try:
            connection = await self._connected()
        except Exception as error:  # noqa: BLE001 - whatever an SDK raises becomes a JudgeError
            return not_sent(error, self.secrets, "repair")
        answer = await connection.send(request, seconds)
        if not isinstance(answer, Answer):
            return self.secrets.out_of_outcome(answer)
        read = partial(self.read, answer)
        return read() if len(answer.body) <= LONG_BODY else await background.in_thread(read)

    async def _connected(self) -> Connection:
        """The connection, which belongs to the running loop.

        It is made in a thread, because loading the SDK and certificates would block the loop.
        """
        connecting, loop = self._connecting, asyncio.get_running_loop()
        if connecting is None or connecting.get_loop() is not loop:
            connecting = self._connecting = background.in_thread(self._connect)
        try:
            return await asyncio.shield(connecting)
        except Exception:
            self._connecting = None
            raise

    def _connect(self) -> Connection:
        provider, endpoint = self.provider, self._endpoint
        connection: Connection
        if self.own_client is None:
            headers = provider.headers("" if endpoint.login else endpoint.key)
            connection = DirectConnection(endpoint, provider.path, headers)
        else:
            connection = ClientConnection(provider, self.own_client, self.secrets)
        weakref.finalize(self, background.soon, connection.close, background.loop())
        return connection


async def _close(connecting: asyncio.Future[Connection]) -> None:
    await (await connecting).close()
