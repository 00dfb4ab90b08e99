"""Asks through the SDKs of the providers, and through proxies, by the engine of both SDKs' httpx2.

A client of the user's own (for Azure, gateways, tokens of an identity) sends by the SDK's own call,
whatever that does with address, headers and tokens. Tries and time are the judge's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from ...records.errors import ConfigError
from .. import JUDGES, background
from ..http import (
    IDLE_SECONDS,
    MAX_BYTES,
    Answer,
    Connection,
    DirectConnection,
    Headers,
    read_answer,
    tls_context,
    too_large,
)
from .redaction import Secret, Secrets
from .settings import Endpoint, credentials, endpoint_at, host_of, login_of

_APIS = {"openai": "chat", "anthropic": "messages"}
"""The attribute of a client that has the API."""


def load_sdk(name: str) -> Any:
    """The SDK of a provider. To load it takes up to a second.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        if name == "anthropic":
            import anthropic

            return anthropic
        import openai
    except ImportError:
        problem = f"{name}: its package is not installed, which a client of it needs"
        raise ConfigError(f"{problem}. Run: {JUDGES[name].install}") from None
    return openai


def client_endpoint(client: Any, provider: str) -> Endpoint:
    """Where a client asks, and what must not be shown of it.

    Args:
        client: what the user gave as ``client``.
        provider: whose SDK it should be of.

    Raises:
        ConfigError: it is no client of that SDK.
    """
    usable = callable(getattr(client, "post", None)) and hasattr(client, "base_url")
    if not usable or not hasattr(client, _APIS[provider]):
        got = type(client).__name__
        raise ConfigError(f"client: must be a client of the package {provider}, got {got}")
    places = ("__dict__", "default_headers", "default_query")
    given = [secret for place in places for secret in credentials(getattr(client, place, {}))]
    address = urlsplit(str(client.base_url))
    address = address._replace(path=address.path.rstrip("/"))  # the SDK adds a slash
    return endpoint_at(address.geturl(), Secret(""), given)


class ClientConnection(Connection):
    """Asks through a client of the user's own, which is not closed.

    Args:
        provider: whose SDK it is of.
        path: what is asked, below the client's address.
        client: the client. If it is asynchronous, it must not be used on another event loop.
        secrets: what must never be shown. Tokens that the client sends are added.
        headers: further headers.
    """

    def __init__(
        self,
        provider: str,
        path: str,
        client: Any,
        secrets: Secrets,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__(secrets)
        self._sdk, self._client = load_sdk(provider), client
        self._path, self._headers = path, {**headers, "accept-encoding": "identity"}
        self._is_async = inspect.iscoroutinefunction(client.post)

    async def _exchange(self, body: Mapping[str, Any], seconds: float, more: Headers) -> Answer:
        try:
            response = (await self._call(body, seconds, more)).response
        except self._sdk.APITimeoutError:
            raise TimeoutError from None
        except self._sdk.APIStatusError as error:
            response = error.response
        # A token that the client fetched for this request must not be shown either.
        self.secrets.learn(credentials(response.request.headers))
        status = response.status_code
        if response.is_closed:  # the SDK has read and decoded it
            if len(response.content) > MAX_BYTES:
                raise too_large(status)
            return Answer(status, response.headers, response.content)
        pieces = response.aiter_raw() if self._is_async else response.iter_raw()
        read = partial(self._done, anext if self._is_async else next, pieces, None)
        try:
            return await read_answer(status, response.headers.raw, read)
        finally:
            await self._done(response.aclose if self._is_async else response.close)

    async def _call(self, body: Mapping[str, Any], seconds: float, more: Headers) -> Any:
        """The SDK's stream of an answer, of which nothing has been read."""
        stream = self._sdk.AsyncStream if self._is_async else self._sdk.Stream
        options = {
            "headers": {**self._headers, **more},
            "timeout": seconds,
            "max_retries": 0,
            "follow_redirects": False,
        }
        return await self._done(
            self._client.post,
            self._path,
            cast_to=object,
            body=body,
            stream=True,
            stream_cls=stream[object],
            options=options,
        )

    async def _done(self, call: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
        """What a call of the client returns. It runs in a thread if the client blocks."""
        if self._is_async:
            return await call(*arguments, **named)
        return await background.in_thread(call, *arguments, **named)


# ---------------------------------------------------------------- through a proxy


class ProxiedConnection(DirectConnection):
    """Posts through the proxy of an endpoint."""

    def __init__(self, endpoint: Endpoint, path: str, headers: Mapping[str, str]) -> None:
        import httpcore2  # it takes longer to load than a grade takes

        super().__init__(endpoint, path, headers)
        self._url = httpcore2.URL(
            scheme=self._scheme, host=self._host, port=self._port, target=self._target
        )
        parts, login = urlsplit(endpoint.proxy), login_of(endpoint.proxy)
        proxy = httpcore2.Proxy(
            parts._replace(netloc=host_of(endpoint.proxy)).geturl(),
            auth=login,
            ssl_context=(self._tls or tls_context()) if parts.scheme == "https" else None,
        )
        self._pool: Any = httpcore2.AsyncConnectionPool(
            ssl_context=self._tls, proxy=proxy, max_connections=None, keepalive_expiry=IDLE_SECONDS
        )

    async def _close(self) -> None:
        await self._pool.aclose()

    async def _exchange(self, body: Mapping[str, Any], seconds: float, more: Headers) -> Answer:  # noqa: ARG002 - the caller keeps the time
        headers, content = self._encoded(body, more)
        stream = self._pool.stream("POST", self._url, headers=headers, content=content)
        async with stream as response:
            read = partial(anext, aiter(response.stream), None)
            return await read_answer(response.status, response.headers, read)
