"""One POST of JSON over HTTP, whatever the server does: hang, send without end, disconnect.

A try ends in time and in bounded memory, as an ``Answer`` or a ``JudgeError`` without secrets. No
redirect is followed: it would send the prompt, and perhaps the key, to an address that the user did
not name. All is sent by httpcore2, the engine of httpx2: a first ask need not wait for the rest.
"""

from __future__ import annotations

import asyncio
import errno
import json
import ssl
import zlib
from base64 import b64encode
from collections.abc import AsyncIterable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from ..records.errors import JudgeError, Remedy
from . import background
from .remote.redaction import Secrets, safe_text
from .remote.settings import Endpoint

MAX_BYTES = 8 << 20  # of a body, after decoding
MIN_CHUNK = 1024  # bytes that a chunk counts at least: reading one takes time, however small it is
ASKS_PER_POOL = 16
"""Asks under way with one pool of connections: for each ask it looks at all of them. With fifty, an
ask takes a quarter more CPU time."""
IDLE_SECONDS = 5.0  # for which a connection is kept open between asks
_TOO_LARGE = f"is larger than {MAX_BYTES >> 20} MB, or comes in too many pieces"
_GZIP_OR_ZLIB = 47  # zlib's wbits: the header of the data decides
_IN_ADDRESS = "/:@!$&'()*+,;=?%~-._"
_HEADERS = {
    "accept": "application/json",
    "accept-encoding": "identity",
    "content-type": "application/json",
    "user-agent": "faithfulness-assert",
}


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
            return await asyncio.wait_for(self._exchanged(body, seconds), seconds)
        except (asyncio.TimeoutError, TimeoutError):
            message = f"the judge sent no complete answer within {seconds:.3g} s"
            hint = "raise timeout, or use a faster judge"
            return JudgeError(f"{message}; {hint}", "timeout", retryable=True)
        except JudgeError as error:
            return error.with_traceback(None)  # its frames contain the request
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a client raises becomes a JudgeError
            if _is_out_of_files(error):
                fix = "Raise the limit of open files (ulimit -n), or lower concurrency."
                problem = "no connection to the judge: too many open files"
                return JudgeError(problem, "transport", retryable=True, fix=fix)
            said = safe_text(str(error) or type(error).__name__, self.secrets)
            return JudgeError(f"no connection to the judge: {said}", "transport", retryable=True)

    async def _exchanged(self, body: Mapping[str, Any], seconds: float) -> Answer:
        async with background.sockets():
            return await self._exchange(body, seconds)

    async def close(self) -> None:
        """Closes what was opened for this connection, after the asks under way."""

    async def _exchange(self, body: Mapping[str, Any], seconds: float) -> Answer:
        raise NotImplementedError


class DirectConnection(Connection):
    """Posts to an address below an endpoint. Connections are kept open between asks.

    To make it takes a while, for the package and the certificates of the system.

    Args:
        endpoint: where the API is, and the way there.
        path: what is asked, below it.
        headers: those of the provider.
    """

    def __init__(self, endpoint: Endpoint, path: str, headers: Mapping[str, str]) -> None:
        super().__init__(endpoint.secrets)
        http = _engine()
        parts = urlsplit(endpoint.below(path))
        host = (parts.hostname or "").encode("idna").decode()
        target = quote(f"{parts.path}?{parts.query}" if parts.query else parts.path, _IN_ADDRESS)
        self._url = http.URL(scheme=parts.scheme, host=host, port=parts.port, target=target)
        self._make_request, self._make_pool = http.Request, http.AsyncConnectionPool
        named = f"[{host}]" if ":" in host else host
        given = {**_HEADERS, "host": named if parts.port is None else f"{named}:{parts.port}"}
        login = endpoint.login
        given |= headers
        if login:
            given["authorization"] = _basic(*login)
        self._headers = [(name.encode("ascii"), text.encode()) for name, text in given.items()]
        # Those of SSL_CERT_FILE or SSL_CERT_DIR, else of the system.
        schemes = {parts.scheme, urlsplit(endpoint.proxy).scheme}
        self._tls = http.default_ssl_context() if "https" in schemes else None
        self._proxy = _proxy(http.Proxy, endpoint.proxy, self._tls) if endpoint.proxy else None
        self._pools: list[_Pool] = []
        self._is_closed = False

    async def close(self) -> None:
        """Closes all connections: what an ask uses, when that ask has ended.

        A pool that is closed while it connects would leave that connection open.
        """
        self._is_closed = True
        await self._close_unused()

    async def _close_unused(self) -> None:
        pools = self._pools
        self._pools = [pool for pool in pools if pool.asks]
        for pool in pools:
            if not pool.asks:
                await pool.http.aclose()

    async def _exchange(self, body: Mapping[str, Any], seconds: float) -> Answer:  # noqa: ARG002 - the caller keeps the time
        content = self._encoded(body)
        headers = [*self._headers, (b"content-length", str(len(content)).encode())]
        request = self._make_request("POST", self._url, headers=headers, content=content)
        pool = self._free_pool()
        pool.asks += 1
        try:
            response = await pool.http.handle_async_request(request)
            try:
                answered = {
                    name.decode("latin-1").lower(): text.decode("latin-1")
                    for name, text in response.headers
                }
                received = await bounded_body(response.status, answered, response.stream)
            finally:
                await response.aclose()
        finally:
            pool.asks -= 1
            if self._is_closed:
                await self._close_unused()
        return Answer(response.status, answered, received)

    def _encoded(self, body: Mapping[str, Any]) -> bytes:
        try:
            text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
            return text.encode()
        except ValueError as error:
            raise not_sent(error, self.secrets) from None

    def _free_pool(self) -> _Pool:
        """The first pool that has few asks under way, so that its connections are used again."""
        free = next((pool for pool in self._pools if pool.asks < ASKS_PER_POOL), None)
        if free is None:
            made = self._make_pool(
                ssl_context=self._tls,
                proxy=self._proxy,
                max_connections=None,
                max_keepalive_connections=ASKS_PER_POOL,
                keepalive_expiry=IDLE_SECONDS,
            )
            free = _Pool(made)
            self._pools.append(free)
        return free


@dataclass(slots=True)
class _Pool:
    """A pool of connections, and how many asks it has under way."""

    http: Any
    asks: int = 0


def _is_out_of_files(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            return True
        error = error.__cause__ or error.__context__
    return False


def _engine() -> Any:
    import httpcore2

    return httpcore2


def _basic(user: str, password: str) -> str:
    return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"


def _proxy(make: Callable[..., Any], address: str, tls: ssl.SSLContext | None) -> Any:
    parts = urlsplit(address)
    login = None
    if parts.username or parts.password:
        login = unquote(parts.username or ""), unquote(parts.password or "")
    url = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return make(url, auth=login, ssl_context=tls if parts.scheme == "https" else None)


def not_sent(error: Exception, secrets: Secrets, remedy: Remedy = "none") -> JudgeError:
    """The error if a request could not be made: this one, or, with a ``remedy``, any at all."""
    said = safe_text(str(error), secrets)
    message = f"the request could not be made: {type(error).__name__}: {said}"
    return JudgeError(message, "transport", remedy=remedy)


async def bounded_body(
    status: int, headers: Mapping[str, str], chunks: AsyncIterable[bytes]
) -> bytes:
    """The decoded body of an answer, which comes in these ``chunks``.

    Raises:
        JudgeError: it is too large, or has an encoding that was not asked for.
    """
    received, size = [], 0
    async for chunk in chunks:
        size += max(len(chunk), MIN_CHUNK)
        if size > MAX_BYTES:
            raise too_large(status)
        received.append(chunk)
    return _decoded(b"".join(received), status, headers)


def too_large(status: int) -> JudgeError:
    """The error of an answer whose body is larger than this package reads."""
    return _unusable(_TOO_LARGE, status)


def _decoded(body: bytes, status: int, headers: Mapping[str, str]) -> bytes:
    """The decoded body. Servers may encode unasked, and a small body may decode to gigabytes."""
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return body
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise _unusable(f"has the encoding {encoding[:40]!r}, which was not asked for", status)
    try:
        decoded = zlib.decompressobj(wbits=_GZIP_OR_ZLIB).decompress(body, MAX_BYTES + 1)
    except zlib.error:
        raise _unusable(f"is not {encoding}, although its header says so", status) from None
    if len(decoded) > MAX_BYTES:
        raise _unusable(f"{_TOO_LARGE} when decoded", status, retryable=True)
    return decoded


def _unusable(problem: str, status: int, *, retryable: bool = False) -> JudgeError:
    message = f"the judge's answer {problem}: is base_url right?"
    return JudgeError(message, "server", http_status=status, retryable=retryable)
