"""One try over HTTP, whatever the server does: hang, send slowly or without end, or disconnect.

A try ends in time and in bounded memory, as an ``Answer`` or a ``JudgeError`` without secrets.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import AsyncIterable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ...records.errors import JudgeError, Remedy
from .redaction import Secrets, safe_text

if TYPE_CHECKING:
    import ssl

MAX_BYTES = 8 << 20  # of a body, after decoding
MIN_CHUNK = 1024  # bytes that a chunk counts at least: reading one takes time, however small it is
_TOO_LARGE = f"is larger than {MAX_BYTES >> 20} MB, or comes in too many pieces"
ASKS_PER_CLIENT = 16
"""Asks under way with one HTTP client: for each ask it looks at all its connections. With fifty,
an ask takes a quarter more CPU time."""
_GZIP_OR_ZLIB = 47  # zlib's wbits: the header of the data decides


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer: status, headers (with lower-case names) and decoded body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Connection:
    """A way to one API. To be used on one event loop.

    Args:
        secrets: what must never be shown.
    """

    def __init__(self, secrets: Secrets) -> None:
        self.secrets = secrets

    async def send(self, body: Mapping[str, Any], seconds: float) -> Answer | JudgeError:
        """The answer to one request, after at most ``seconds``."""
        try:
            return await asyncio.wait_for(self._exchange(body, seconds), seconds)
        except (asyncio.TimeoutError, TimeoutError):
            message = f"the judge sent no complete answer within {seconds:.3g} s"
            hint = "raise timeout, or use a faster judge"
            return JudgeError(f"{message}; {hint}", "timeout", retryable=True)
        except JudgeError as error:
            return error.with_traceback(None)  # its frames contain the request
        except Exception as error:  # noqa: BLE001 - whatever a client raises becomes a JudgeError
            said = safe_text(str(error) or type(error).__name__, self.secrets)
            return JudgeError(f"no connection to the judge: {said}", "transport", retryable=True)

    async def close(self) -> None:
        """Closes what was opened for this connection, after the asks under way."""

    async def _exchange(self, body: Mapping[str, Any], seconds: float) -> Answer:
        raise NotImplementedError


class DirectConnection(Connection):
    """What a client of the SDK would send, by the SDK's HTTP client: less work than its own call.

    Connections are kept open between asks.

    Args:
        sdk: the SDK of OpenAI or Anthropic; both have the same structure.
        make_client: makes an asynchronous client of it with an HTTP client.
        url: where the API is.
        login: user and password for it, sent in place of a key.
        secrets: what must never be shown.

    Raises:
        Exception: whatever the SDK raises if it cannot make a client.
    """

    def __init__(
        self,
        sdk: Any,
        make_client: Callable[..., Any],
        url: str,
        login: tuple[str, str] | None,
        secrets: Secrets,
    ) -> None:
        super().__init__(secrets)
        # A redirect would send the prompt, and perhaps the key, to an address that the user did
        # not name.
        self._http_client = partial(
            sdk.DefaultAsyncHttpxClient,
            follow_redirects=False,
            timeout=None,
            auth=login,
            verify=_certificates(),
        )
        first = _HttpClient(self._http_client())
        self._http_clients, self._is_closed = [first], False
        client = make_client(http_client=first.http)
        headers = {**client.auth_headers, **client.default_headers, "accept-encoding": "identity"}
        given = {name.lower(): value for name, value in headers.items() if isinstance(value, str)}
        # To merge the client's headers anew for each ask would take as long as all else about it.
        made: Any = first.http.build_request("POST", url, headers=given)
        made.headers.pop("content-length", None)
        parts = {"headers": made.headers, "extensions": made.extensions}
        self._request = partial(made.__class__, "POST", made.url, **parts)

    async def close(self) -> None:
        """Closes all connections: what an ask uses, when that ask has ended.

        An HTTP client that is closed while it connects would leave that connection open.
        """
        self._is_closed = True
        await self._close_unused()

    async def _close_unused(self) -> None:
        clients = self._http_clients
        self._http_clients = [client for client in clients if client.asks]
        for client in clients:
            if not client.asks:
                await client.http.aclose()

    async def _exchange(self, body: Mapping[str, Any], seconds: float) -> Answer:  # noqa: ARG002 - the caller keeps the time
        content = self._encoded(body)
        client = self._free_client()
        client.asks += 1
        try:
            response = await client.http.send(self._request(content=content), stream=True)
            try:
                received = await bounded_body(response, response.aiter_raw())
            finally:
                await response.aclose()
        finally:
            client.asks -= 1
            if self._is_closed:
                await self._close_unused()
        return Answer(response.status_code, response.headers, received)

    def _encoded(self, body: Mapping[str, Any]) -> bytes:
        if not body:
            return b""
        try:
            text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
            return text.encode()
        except ValueError as error:
            raise not_sent(error, self.secrets) from None

    def _free_client(self) -> _HttpClient:
        """The first client that has few asks under way, so that its connections are used again."""
        free = next((one for one in self._http_clients if one.asks < ASKS_PER_CLIENT), None)
        if free is None:
            free = _HttpClient(self._http_client())
            self._http_clients.append(free)
        return free


@dataclass(slots=True)
class _HttpClient:
    """An HTTP client of the SDK, and how many asks it has under way."""

    http: Any
    asks: int = 0


def _certificates() -> ssl.SSLContext:
    """Those of the SDK's HTTP package. To load them takes longer than a grade: once is enough."""
    httpx = import_module("httpx2" if find_spec("httpx2") else "httpx")
    certificates: ssl.SSLContext = httpx.create_ssl_context()
    return certificates


def not_sent(error: Exception, secrets: Secrets, remedy: Remedy = "none") -> JudgeError:
    """The error if a request could not be made: this one, or, with a ``remedy``, any at all."""
    said = safe_text(str(error), secrets)
    message = f"the request could not be made: {type(error).__name__}: {said}"
    return JudgeError(message, "transport", remedy=remedy)


async def bounded_body(response: Any, chunks: AsyncIterable[bytes]) -> bytes:
    """The decoded body of ``response``, which comes in these ``chunks``.

    Raises:
        JudgeError: it is too large, or has an encoding that was not asked for.
    """
    received, size = [], 0
    async for chunk in chunks:
        size += max(len(chunk), MIN_CHUNK)
        if size > MAX_BYTES:
            raise too_large(response)
        received.append(chunk)
    return _decoded(b"".join(received), response)


def too_large(response: Any) -> JudgeError:
    """The error of an answer whose body is larger than this package reads."""
    return _unusable(_TOO_LARGE, response)


def _decoded(body: bytes, response: Any) -> bytes:
    """The decoded body. Servers may encode unasked, and a small body may decode to gigabytes."""
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return body
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise _unusable(f"has the encoding {encoding[:40]!r}, which was not asked for", response)
    try:
        decoded = zlib.decompressobj(wbits=_GZIP_OR_ZLIB).decompress(body, MAX_BYTES + 1)
    except zlib.error:
        raise _unusable(f"is not {encoding}, although its header says so", response) from None
    if len(decoded) > MAX_BYTES:
        raise _unusable(f"{_TOO_LARGE} when decoded", response, retryable=True)
    return decoded


def _unusable(problem: str, response: Any, *, retryable: bool = False) -> JudgeError:
    message = f"the judge's answer {problem}: is base_url right?"
    status = response.status_code
    return JudgeError(message, "server", http_status=status, retryable=retryable)
