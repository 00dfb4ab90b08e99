"""Asks through a proxy of the environment, by httpcore2, the engine of httpx2 in both SDKs.

It takes longer to load than a grade takes, so an ask without a proxy does not need it.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from .http import IDLE_SECONDS, Answer, DirectConnection, Headers, bounded_body, tls_context
from .remote.settings import Endpoint


class ProxiedConnection(DirectConnection):
    """Posts through the proxy of an endpoint."""

    def __init__(self, endpoint: Endpoint, path: str, headers: Mapping[str, str]) -> None:
        super().__init__(endpoint, path, headers)
        http = _engine()
        self._url = http.URL(
            scheme=self._scheme, host=self._host, port=self._port, target=self._target
        )
        self._make_request = http.Request
        secure = urlsplit(endpoint.proxy).scheme == "https"
        proxy = _proxy(http.Proxy, endpoint.proxy, (self._tls or tls_context()) if secure else None)
        self._pool = http.AsyncConnectionPool(
            ssl_context=self._tls, proxy=proxy, max_connections=None, keepalive_expiry=IDLE_SECONDS
        )
        self._asks = 0

    async def close(self) -> None:
        """See ``DirectConnection``. A pool closed while it connects leaves that connection open."""
        self._is_closed = True
        if not self._asks:
            await self._pool.aclose()

    async def _exchange(self, body: Mapping[str, Any], seconds: float, more: Headers) -> Answer:  # noqa: ARG002 - the caller keeps the time
        headers, content = self._encoded(body, more)
        request = self._make_request("POST", self._url, headers=headers, content=content)
        self._asks += 1
        try:
            response = await self._pool.handle_async_request(request)
            try:
                answered = {
                    name.decode("latin-1").lower(): text.decode("latin-1")
                    for name, text in response.headers
                }
                received = await bounded_body(response.status, answered, response.stream)
            finally:
                await response.aclose()
        finally:
            self._asks -= 1
            if self._is_closed:
                await self.close()
        return Answer(response.status, answered, received)


def _proxy(make: Callable[..., Any], address: str, tls: ssl.SSLContext | None) -> Any:
    parts = urlsplit(address)
    login = None
    if parts.username or parts.password:
        login = unquote(parts.username or ""), unquote(parts.password or "")
    url = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return make(url, auth=login, ssl_context=tls if parts.scheme == "https" else None)


def _engine() -> Any:
    import httpcore2

    return httpcore2
