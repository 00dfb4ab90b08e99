"""Asks through the SDKs of the providers, and through proxies, by the engine of both SDKs' httpx2.

A client of the user's own (for Azure, gateways, tokens of an identity) sends by the SDK's own call,
whatever that does with address, headers and tokens. Tries and time are the judge's.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from ...records.errors import ConfigError, pip_install
from .. import background
from ..http import Answer, Direct, Headers, tls_context
from .endpoint import Endpoint, credentials, host_of, login_of
from .redaction import Secrets


def load_sdk(name: str) -> Any:
    """The SDK of a provider. To load it takes up to a second.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        if name == "anthropic":
            import anthropic as sdk
        else:
            import openai as sdk  # type: ignore[no-redef]
    except ImportError:
        problem = f"{name}: its package is not installed, which a client of it needs"
        install = pip_install(name, extra="anthropic" if name == "anthropic" else "")
        raise ConfigError(f"{problem}. Run: {install}") from None
    return sdk


def client_endpoint(client: Any, provider: str, more_secrets: Iterable[str]) -> Endpoint:
    """Where a client asks, and what must not be shown of it.

    Args:
        client: what the user gave as ``client``.
        provider: whose SDK it should be of.
        more_secrets: what else must not be shown.

    Raises:
        ConfigError: it is no client of that SDK, or an asynchronous one.
    """
    owners = {kind.__module__.partition(".")[0] for kind in type(client).__mro__}
    if provider not in owners or not hasattr(client, "post"):
        got = type(client).__name__
        raise ConfigError(f"client: must be a client of the package {provider}, got {got}")
    if inspect.iscoroutinefunction(client.post):
        plain = type(client).__name__.removeprefix("Async")
        raise ConfigError(f"client: must not be asynchronous: make it with {plain}")
    places = ("__dict__", "default_headers", "default_query")
    given = [secret for place in places for secret in credentials(getattr(client, place, {}))]
    address = urlsplit(str(client.base_url))
    address = address._replace(path=address.path.rstrip("/"))  # the SDK adds a slash
    return Endpoint(address.geturl(), "", [*given, *more_secrets])


class ByClient:
    """Asks through a client of the user's own, which is not closed.

    Args:
        provider: whose SDK it is of.
        path: what is asked, below the client's address.
        client: the client.
        secrets: what must never be shown. Tokens that the client sends are added.
        headers: further headers.
    """

    def __init__(
        self, provider: str, path: str, client: Any, secrets: Secrets, headers: Headers
    ) -> None:
        self._sdk, self._client, self._secrets = load_sdk(provider), client, secrets
        self._path, self._headers = path, {**headers, "accept-encoding": "identity"}

    async def post(self, body: Mapping[str, Any], seconds: float) -> Answer:
        """See ``Direct``. The client is asked in a thread."""
        return await background.in_thread(self._posted, body, seconds)

    def _posted(self, body: Mapping[str, Any], seconds: float) -> Answer:
        ends, kind = time.monotonic() + seconds, self._sdk.Stream[object]
        options: dict[str, Any] = {"headers": self._headers, "timeout": seconds}
        options |= {"max_retries": 0, "follow_redirects": False}
        given = {"body": body, "options": options, "cast_to": object, "stream_cls": kind}
        try:
            with closing(self._client.post(self._path, stream=True, **given).response) as response:
                answer = self._begin(response)
                for piece in response.iter_raw():
                    answer.add(piece)
                    if time.monotonic() > ends:  # nobody waits any more
                        raise TimeoutError
                return answer.end()
        except self._sdk.APITimeoutError:
            raise TimeoutError from None
        except self._sdk.APIStatusError as error:  # the SDK has read and decoded it
            error.response.headers.pop("content-encoding", None)
            answer = self._begin(error.response)
            answer.add(error.response.content)
            return answer.end()

    def _begin(self, response: Any) -> Answer:
        """An answer to come. A token that the client fetched must not be shown either."""
        self._secrets.learn(credentials(response.request.headers))
        return Answer.begin(response.status_code, response.headers.raw)


class Proxied(Direct):
    """Posts through the proxy of an endpoint, each request by a connection of its own."""

    def __init__(self, endpoint: Endpoint, path: str, headers: Headers) -> None:
        import httpcore2  # it takes longer to load than a grade takes

        super().__init__(endpoint, path, headers)
        self._url = httpcore2.URL(
            scheme=self.scheme, host=self.host, port=self.port, target=self.target
        )
        parts = urlsplit(endpoint.proxy)
        proxy = httpcore2.Proxy(
            parts._replace(netloc=host_of(endpoint.proxy)).geturl(),
            auth=login_of(endpoint.proxy),
            ssl_context=(self.tls or tls_context()) if parts.scheme == "https" else None,
        )
        self._pool = partial(httpcore2.AsyncConnectionPool, ssl_context=self.tls, proxy=proxy)

    async def post(self, body: Mapping[str, Any], seconds: float) -> Answer:  # noqa: ARG002 - the caller keeps the time
        """See ``Direct``."""
        headers, content = self.encoded(body)
        async with (
            self._pool() as pool,
            pool.stream("POST", self._url, headers=headers, content=content) as response,
        ):
            answer = Answer.begin(response.status, response.headers)
            async for piece in response.stream:
                answer.add(piece)
            return answer.end()
