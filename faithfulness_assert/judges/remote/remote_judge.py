"""The base of all judges behind an API: options, client, what is sent, and what a failure means.

What differs between providers is in a subclass for each.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from ...records.checks import check_number, check_text
from ...records.errors import ConfigError, JudgeError
from ...records.judge import Ask, JudgeInfo, Limits, Outcome, Reply
from ...records.usage import Usage
from .. import background
from ..http import Answer, Direct, in_time
from ..secret import secret_of_key
from .answers import read_json_object
from .endpoint import Endpoint, check_body, check_headers, host_of, login_of
from .needs import Fallbacks, Needs, Steps, first_room
from .redaction import Secret
from .sdk import ByClient, Proxied, client_endpoint, load_sdk

SAMPLES_TEMPERATURE = 1.0
"""Draws from the model's own distribution, so that samples show how sure it is."""
LONGEST_PROMPT = 100_000
"""The most tokens of a prompt by default. A longer one may well take more than ``TIMEOUT``."""
KEY = "{} in the environment, or api_key from Python"
"""Where a key may stand: no config is a place for one."""
TIMEOUT = 60.0
"""Seconds for one try, where the user sets none."""
TOKENS_PER_SECOND = 100
"""How fast a model thinks at least, for which a try then has more time."""


class RemoteJudge:
    """A judge behind the API of a provider.

    It sends each ask once. When asks go, and go again, is decided above it: see ``drive/gate.py``.

    Args:
        model: its name at the provider.
        base_url: the API's address; default: the environment's, else the provider's own.
        api_key: default: the environment's. Only the provider's own API needs one.
        timeout: seconds for one try, from start to end. Default: 60, and more for a model that
            thinks.
        max_retries: tries after the first one, if the failure may be temporary.
        temperature: from 0, for all asks; None leaves it to the server. ``"auto"`` is 0, and
            ``SAMPLES_TEMPERATURE`` for the samples after the first.
        max_prompt_tokens: the longest prompt for one ask, in tokens; default: 100,000. A server
            that finds an ask too long is believed.
        max_statements: the most statements in one ask.
        max_tokens: the most tokens of each reply, thinking included. Default: what a reply needs,
            and for a model that thinks up to 16,384 more.
        reasoning_effort: how much the model should think, such as low, medium or high.
        extra_body: what is merged into each request, such as parameters of one server only.
        extra_headers: further headers of each request.
        client: a client of the provider's SDK that asks, in place of ``base_url`` and ``api_key``.

    Attributes:
        provider: its name in ``JUDGES``; also of its SDK, and in capitals the prefix of its
            environment variables ``_API_KEY`` and ``_BASE_URL``.
        home: the address of its own API, which needs a key.
        path: where the API is, under the address.
        max_temperature: the highest temperature that it allows.
        fallbacks: the parameters that servers may reject.
        own_hosts: how the hosts of its own servers end.
        own_steps: what these need from the start.
        headers: returns those of a request with a key, or with none.
        body: returns the parameters of an ask with these settings, after these steps. Settings have
            ``model``, ``temperature`` and what else was set; None is not sent.
        read_reply: returns the reply in the JSON of an answer, or the failure.

    Raises:
        ConfigError: a key is missing, or an option has an invalid value.
    """

    provider: ClassVar[str]
    home: ClassVar[str]
    path: ClassVar[str]
    max_temperature: ClassVar[float]
    fallbacks: ClassVar[Fallbacks]
    own_hosts: ClassVar[tuple[str, ...]] = ()
    own_steps: ClassVar[Mapping[str, int]] = {}
    headers: ClassVar[staticmethod[[str], dict[str, str]]]
    body: Callable[[Ask, Mapping[str, Any], Steps], dict[str, Any]]
    read_reply: ClassVar[staticmethod[[Mapping[str, Any], Answer], Outcome]]

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float | None = None,
        max_retries: int = 2,
        temperature: float | Literal["auto"] | None = "auto",
        max_prompt_tokens: int | None = None,
        max_statements: int = 40,
        max_tokens: int | None = None,
        reasoning_effort: str | None = None,
        extra_body: Mapping[str, Any] | None = None,
        extra_headers: Mapping[str, str] | None = None,
        client: Any = None,
    ) -> None:
        check_number("timeout", timeout, 0.001, 86_400, optional=True)
        check_number("max_retries", max_retries, 0, 100, whole=True)
        check_number("max_prompt_tokens", max_prompt_tokens, 1, 10**9, whole=True, optional=True)
        check_number("max_statements", max_statements, 1, 10**6, whole=True)
        check_number("max_tokens", max_tokens, 1, 10**7, whole=True, optional=True)
        self._is_auto = temperature == "auto"
        if temperature == "auto":
            temperature = 0.0
        check_number("temperature", temperature, 0, self.max_temperature, optional=True)
        model = check_text("model", model)
        self._settings: dict[str, Any] = {"model": model, "temperature": temperature}
        if reasoning_effort is not None:
            self._settings["reasoning_effort"] = check_text("reasoning_effort", reasoning_effort)
        if body := check_body(extra_body):
            self._settings["extra_body"] = body
        self._headers = check_headers(extra_headers)
        if self._headers:
            self._settings["extra_headers"] = sorted(self._headers)
        if client is None:
            self._endpoint = self._find_endpoint(base_url, api_key)
        elif base_url or api_key:
            name = "base_url" if base_url else "api_key"
            raise ConfigError(f"{name}: set it on the client that is given as client")
        else:
            self._endpoint = client_endpoint(client, self.provider, self._headers.values())
        self._client = client
        self.secrets = self._endpoint.secrets  # what must never be shown or stored
        self.key_secret = secret_of_key(self._endpoint.key)  # see ``judges/secret.py``
        self._name = f"{self.provider}:{model}"
        limits = Limits(max_prompt_tokens or LONGEST_PROMPT, max_statements)
        is_own = self._endpoint.host.endswith(self.own_hosts)
        first = {"room": first_room(model, reasoning_effort), **(self.own_steps if is_own else {})}
        self.needs = Needs(self.fallbacks, limits, first, max_tokens, self._endpoint.warnings)
        self.timeout, self.max_retries = timeout or TIMEOUT, max_retries
        self._seconds_a_token = 0.0 if timeout else 1 / TOKENS_PER_SECOND

    def _find_endpoint(self, base_url: object, api_key: str | None) -> Endpoint:
        """The endpoint that the options name, else the environment, else the provider's own."""
        variable = f"{self.provider.upper()}_API_KEY"
        named = base_url or os.environ.get(f"{self.provider.upper()}_BASE_URL") or self.home
        key = Secret(Secret(api_key or os.environ.get(variable) or "").strip())
        url = Secret(check_text("base_url", named))
        endpoint = Endpoint(url, key, self._headers.values())
        if endpoint.public_url.rstrip("/").lower().endswith(self.path):
            raise ConfigError(f"base_url: leave out {self.path} at its end, which is added")
        if not key and endpoint.host.endswith(host_of(self.home)):
            raise ConfigError(f"api_key: missing. Set {KEY.format(variable)}")
        return endpoint

    def worded(self, ask: Ask) -> Ask:
        """The ask with the messages that are sent: its own, unless the model knows only others."""
        return ask

    # ------------------------------------------------------------ what it is

    def keep_in(self, folder: Path) -> None:
        """Keeps in a folder what the server was seen to need, and begins with what is there."""
        self.needs.keep_in(folder, self._endpoint.public_url, self._name)

    @property
    def info(self) -> JudgeInfo:
        """What this judge is, with the limits that were learned so far."""
        url = self._endpoint.public_url
        return JudgeInfo(
            name=self._name,
            remote=True,
            keeps_deadline=True,
            any_loop=True,
            limits=self.needs.limits,
            deterministic=self._settings["temperature"] == 0 and not self._is_auto,
            identity={"judge": self.provider, "base_url": url, **self._settings},
        )

    @property
    def thinks(self) -> bool:
        """Whether the model is known to think before it answers."""
        return self.needs.room(self.needs.steps) > 0

    # ------------------------------------------------------------ from ask to reply

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
        return await background.on_loop(self._send(ask, deadline))

    async def _send(self, ask: Ask, deadline: float | None) -> Reply:
        """Sends an ask, and again without what the server rejects.

        That is learned once; each reply warns of it.
        """
        needs, spent, worded = self.needs, Usage(), self.worded(ask)
        more: Steps | None = needs.steps
        while more is not None:
            steps = more
            seconds = self.timeout + needs.room(steps) * self._seconds_a_token
            limit = f"within {seconds:.3g} s"
            if deadline is not None and (left := deadline - time.monotonic()) < seconds:
                seconds, limit = left, "before the deadline of this grade"
            if seconds <= 0:
                message, used = "no time was left to ask the judge", spent.num_requests
                raise JudgeError(message, "timeout", retryable=True, usage=spent if used else None)
            cap = needs.cap(worded, steps)
            posting = self._post(self.request(worded, steps), seconds)
            outcome = self.read(await in_time(posting, seconds, limit))
            outcome, more = needs.after(worded, outcome, steps, self.request, cap)
            spent += outcome.usage or Usage(num_requests=1)
        if isinstance(outcome, JudgeError):
            outcome.usage = spent
            raise outcome
        needs.learn(outcome, steps)
        usage = outcome.usage and spent
        return replace(needs.warned(outcome, steps), usage=usage, requests=spent.num_requests)

    async def _post(self, request: Mapping[str, Any], seconds: float) -> Answer:
        try:
            way = self._way
        except Exception as error:  # noqa: BLE001 - whatever an SDK raises
            problem = f"the request could not be made: {type(error).__name__}: {error}"
            raise JudgeError(problem, "transport", remedy="repair") from None
        async with background.process.sockets:
            return await way.post(request, seconds)

    @cached_property
    def _way(self) -> Direct | ByClient:
        """What posts. It is made where it is needed, as certificates take time to load."""
        endpoint, client = self._endpoint, self._client
        if client is not None:
            return ByClient(self.provider, self.path, client, self.secrets, self._headers)
        headers = self.headers("" if login_of(endpoint.url) else endpoint.key)
        made = Proxied if endpoint.proxy else Direct
        return made(endpoint, self.path, {**headers, **self._headers})

    # ------------------------------------------------------------ also for asks of a batch API

    def request(self, worded: Ask, steps: Steps) -> dict[str, Any]:
        """The body of the request for an ask, as it is worded, after these steps."""
        ask = replace(worded, max_tokens=self.needs.cap(worded, steps))
        settings = dict(self._settings)
        if ask.sample > 1 and self._is_auto:
            settings["temperature"] = SAMPLES_TEMPERATURE
        if ask.sample > 1 and settings.get("seed") is not None:
            settings["seed"] += ask.sample - 1
        body = self.body(ask, settings, steps)
        for name, value in settings.get("extra_body", {}).items():
            own: Any = body.get(name)
            both = isinstance(own, dict) and isinstance(value, dict)
            body[name] = {**own, **value} if both else value  # the fields of both
        return body

    def read(self, answer: Answer | JudgeError) -> Outcome:
        """The reply in an answer, or the failure, without secrets."""
        if isinstance(answer, JudgeError):
            return self.secrets.out_of_outcome(answer)
        data = read_json_object(answer)
        outcome = data if isinstance(data, JudgeError) else self.read_reply(data, answer)
        if isinstance(outcome, JudgeError) and outcome.kind == "auth":
            gave_one = self._client or self._endpoint.key or self._headers
            first = "Check the key" if gave_one else "No key was sent"
            outcome.fix = f"{first}: {KEY.format(f'{self.provider.upper()}_API_KEY')}."
        return self.secrets.out_of_outcome(outcome)

    def batch_client(self) -> Any:
        """A client of the provider's SDK for a batch API. Who gets it closes it.

        Raises:
            ConfigError: the SDK is not installed.
        """
        sdk, headers = load_sdk(self.provider), self._headers
        http = sdk.DefaultHttpxClient(follow_redirects=False)  # see ``http.py``
        key, url = str(self._endpoint.key) or "none", str(self._endpoint.url)
        return sdk.Client(api_key=key, base_url=url, http_client=http, default_headers=headers)
