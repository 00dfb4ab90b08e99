"""One try over HTTP, whatever the server does: hang, send slowly or without end, or disconnect.

A try ends in time and in bounded memory, as an ``Answer`` or a ``JudgeError`` without secrets.
``sdk`` is the Python SDK of OpenAI or Anthropic; both have the same structure. Its own call takes
five times the CPU time of what it sends. So the SDK builds one request, which is not sent, and
all asks take over its address and headers. Its HTTP client sends them, with the SDK's settings
for proxies and certificates.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ...records.errors import JudgeError
from .redaction import safe_text, without_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_BYTES = 8 << 20  # of a body, after decoding
MIN_CHUNK = 256  # bytes that a chunk counts at least: reading one takes time, however small it is
_TOO_LARGE = f"is larger than {MAX_BYTES >> 20} MB, or comes in too many pieces"
ASKS_PER_CLIENT = 16
"""Asks under way with one HTTP client: for each ask it looks at all its connections, which takes
as much time as the ask itself where there are fifty."""
_GZIP_OR_ZLIB = 47  # zlib's wbits: the header of the data decides


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer: status, headers (with lower-case names) and decoded body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Connection:
    """Connections to one API, kept open between asks. To be used on one event loop.

    Args:
        sdk: the SDK.
        call: makes the SDK's call of the API with an HTTP client of the SDK.
        secrets: what must never be shown.

    Raises:
        Exception: whatever the SDK raises if it cannot build a request.
    """

    def __init__(
        self, sdk: Any, call: Callable[[Any], object], secrets: Sequence[str] = ()
    ) -> None:
        model = _built_request(sdk, call)
        headers = model.headers.copy()
        headers.pop("content-length", None)
        request: Any = type(model)
        self._request = partial(request, "POST", model.url, headers=headers)
        self._secrets = secrets
        # A redirect would send the prompt, and perhaps the key, to an address that the user did
        # not name.
        made, httpx = sdk.DefaultAsyncHttpxClient, _httpx_of(sdk)
        certificates = httpx.create_ssl_context()  # loading them takes longer than a grade
        self._client = partial(made, follow_redirects=False, timeout=None, verify=certificates)
        self._clients = [_Client(self._client())]
        self._broken = _errors_of_connections(httpx)

    async def close(self) -> None:
        """Closes all connections."""
        for client in self._clients:
            await client.http.aclose()

    async def send(self, body: Mapping[str, Any], seconds: float) -> Answer | JudgeError:
        """The answer to one request, after at most ``seconds``."""
        try:
            answer = await asyncio.wait_for(self._exchange(body), seconds)
        except (asyncio.TimeoutError, TimeoutError):
            return _too_slow(seconds)
        except JudgeError as error:
            return error.with_traceback(None)  # its frames contain the request
        except self._broken as error:
            said = safe_text(str(error) or type(error).__name__, self._secrets)
            return JudgeError(f"no connection to the judge: {said}", "transport", retryable=True)
        except Exception as error:  # noqa: BLE001 - whatever a client raises becomes a JudgeError
            return not_sent(error, self._secrets)
        return Answer(answer.status, answer.headers, without_keys(answer.body, self._secrets))

    async def _exchange(self, body: Mapping[str, Any]) -> Answer:
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        client = self._free_client()
        client.asks += 1
        try:
            response = await client.http.send(self._request(content=content.encode()), stream=True)
            try:
                received = await _bounded_body(response)
            finally:
                await response.aclose()
        finally:
            client.asks -= 1
        return Answer(response.status_code, response.headers, _decoded(received, response))

    def _free_client(self) -> _Client:
        """The first client that has few asks under way, so that its connections are used again."""
        free = next((one for one in self._clients if one.asks < ASKS_PER_CLIENT), None)
        if free is None:
            free = _Client(self._client())
            self._clients.append(free)
        return free


@dataclass(slots=True)
class _Client:
    """An HTTP client of the SDK, and how many asks it has under way."""

    http: Any
    asks: int = 0


def not_sent(error: Exception, secrets: Sequence[str]) -> JudgeError:
    """The error if a request could not be made."""
    said = safe_text(str(error), secrets)
    name = type(error).__name__
    return JudgeError(f"the request could not be made: {name}: {said}", "transport")


def _httpx_of(sdk: Any) -> Any:
    """The package of the SDK's HTTP client: httpx, or httpx2 in newer SDKs."""
    bases = sdk.DefaultAsyncHttpxClient.__mro__
    client = next(base for base in bases if base.__name__ == "AsyncClient")
    return sys.modules[client.__module__.partition(".")[0]]


def _errors_of_connections(httpx: Any) -> tuple[type[Exception], ...]:
    """What a client of this package raises if a connection fails."""
    anyio = sys.modules["anyio"]  # on which it works; some of its errors pass through
    streams = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError)
    return (httpx.RequestError, ssl.SSLError, OSError, *streams)


def _built_request(sdk: Any, call: Callable[[Any], object]) -> Any:
    """The request that the SDK would send."""
    built: list[Any] = []

    def stop(request: Any) -> None:
        built.append(request)
        raise ConnectionAbortedError

    http = sdk.DefaultHttpxClient(
        verify=False,  # it sends nothing, and loading certificates takes time
        trust_env=False,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"request": [stop]},
    )
    with http, suppress(ConnectionAbortedError, sdk.APIConnectionError):
        call(http)
    if not built:
        raise RuntimeError("the SDK built no request")
    return built[0]


def _too_slow(seconds: float) -> JudgeError:
    return JudgeError(
        f"the judge sent no complete answer within {seconds:.3g} s; "
        "raise timeout, or use a faster judge",
        "timeout",
        retryable=True,
    )


async def _bounded_body(response: Any) -> bytes:
    chunks, size = [], 0
    async for chunk in response.aiter_raw():
        size += max(len(chunk), MIN_CHUNK)
        if size > MAX_BYTES:
            raise _unusable(_TOO_LARGE, response)
        chunks.append(chunk)
    return b"".join(chunks)


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
        raise _unusable(f"{_TOO_LARGE} when decoded", response)
    return decoded


def _unusable(problem: str, response: Any) -> JudgeError:
    message = f"the judge's answer {problem}: is base_url right?"
    return JudgeError(message, "server", http_status=response.status_code)
