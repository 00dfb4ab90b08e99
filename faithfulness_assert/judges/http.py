"""One POST of JSON over HTTP, whatever the server does: hang, send without end, disconnect.

A try ends in time and in bounded memory, as an ``Answer`` or a ``JudgeError`` without secrets. No
redirect is followed: it would send the prompt, and perhaps the key, to an address that the user did
not name. HTTP is written and read by h11. The way through a proxy is in ``remote/sdk.py``.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import re
import ssl
import sys
import zlib
from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote, urlsplit

import h11

from ..records.errors import JudgeError
from . import background
from .remote.redaction import Secrets, safe_text
from .remote.settings import Endpoint, is_here, login_of

MAX_BYTES = 8 << 20  # of a body, after decoding
MIN_PIECE = 1024  # bytes that a piece counts at least: reading one takes time, however small it is
MAX_HEAD = 100 * 1024  # bytes of the head of an answer
IDLE_SECONDS = 5.0  # for which a connection is kept open between asks
_TOO_LARGE = f"is larger than {MAX_BYTES >> 20} MB, or comes in too many pieces"
_GZIP_OR_ZLIB = 47  # zlib's wbits: the header of the data decides
AT_ONCE = 1.0
"""Seconds within which a connection that was idle turns out to be closed."""
_HASHED = re.compile(r"[0-9a-fA-F]{8}\.\d")  # the name of a certificate in a folder of them
_IN_ADDRESS = "/:@!$&'()*+,;=?%~-._"
Headers = Mapping[str, str]
NO_CACHE: Headers = {"cache-control": "no-cache"}
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
        self._asks = 0
        self._is_closed = False

    async def send(
        self, body: Mapping[str, Any], seconds: float, *, fresh: bool = False
    ) -> Answer | JudgeError:
        """The answer to one request, after at most ``seconds``; ``fresh``: from no cache."""
        self._asks += 1
        try:
            return await asyncio.wait_for(self._exchanged(body, seconds, fresh), seconds)
        except (asyncio.TimeoutError, TimeoutError):
            message = f"the judge sent no complete answer within {seconds:.3g} s"
            hint = "a faster judge helps, too"
            return JudgeError(f"{message}; {hint}", "timeout", retryable=True)
        except JudgeError as error:
            return error.with_traceback(None)  # its frames contain the request
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a client raises becomes a JudgeError
            if _is_out_of_files(error):
                fix = "Raise the limit of open files (ulimit -n), or lower concurrency."
                problem = "no connection to the judge: too many open files"
                return JudgeError(problem, "transport", retryable=True, fix=fix)
            problem_text = safe_text(str(error) or type(error).__name__, self.secrets)
            return JudgeError(
                f"no connection to the judge: {problem_text}", "transport", retryable=True
            )
        finally:
            self._asks -= 1
            if self._is_closed:
                await self.close()

    async def _exchanged(self, body: Mapping[str, Any], seconds: float, fresh: bool) -> Answer:
        async with background.process.sockets:
            return await self._exchange(body, seconds, NO_CACHE if fresh else {})

    async def close(self) -> None:
        """Closes what was opened for this connection, after the asks under way.

        What is closed while it connects may stay open.
        """
        self._is_closed = True
        if not self._asks:
            await self._close()

    async def _close(self) -> None:
        """Closes it now."""

    async def _exchange(self, body: Mapping[str, Any], seconds: float, more: Headers) -> Answer:
        raise NotImplementedError


class DirectConnection(Connection):
    """Posts to an address below an endpoint. Connections are kept open between asks.

    Args:
        endpoint: where the API is, and the way there.
        path: what is asked, below it.
        headers: those of the provider.
    """

    def __init__(self, endpoint: Endpoint, path: str, headers: Mapping[str, str]) -> None:
        super().__init__(endpoint.secrets)
        parts = urlsplit(endpoint.below(path))
        self._host = (parts.hostname or "").encode("idna").decode()
        target = quote(f"{parts.path}?{parts.query}" if parts.query else parts.path, _IN_ADDRESS)
        self._scheme, self._port, self._target = parts.scheme, parts.port, target.encode("ascii")
        named = f"[{self._host}]" if ":" in self._host else self._host
        given = {**_HEADERS, "host": named if parts.port is None else f"{named}:{parts.port}"}
        given |= headers
        if login := login_of(endpoint.url):
            encoded = b64encode(":".join(login).encode()).decode()
            given["authorization"] = f"Basic {encoded}"
        self._headers = [(name.encode("ascii"), text.encode()) for name, text in given.items()]
        self._tls = tls_context() if parts.scheme == "https" else None
        self._idle: list[_Line] = []

    async def _close(self) -> None:
        for line in self._idle:
            line.close()
        await asyncio.sleep(0)  # the loop closes sockets in its next round, and may be closed then

    async def _exchange(self, body: Mapping[str, Any], seconds: float, more: Headers) -> Answer:
        headers, content = self._encoded(body, more)
        self._idle = [line for line in self._idle if line.is_idle]
        idle = self._idle.pop() if self._idle else None  # the one that was used last
        line = idle or await self._open()
        begun = asyncio.get_running_loop().time()
        try:
            answer = await line.exchange(self._target, headers, content)
        except Exception:
            is_late = asyncio.get_running_loop().time() - begun > AT_ONCE
            if idle is None or idle.has_heard or is_late:  # the server may have read it
                raise
            for other in self._idle:  # as old as this one, which the server closed just then
                other.close()
            return await self._exchange(body, seconds, more)
        if line.is_idle:
            self._idle.append(line)
        return answer

    def _encoded(
        self, body: Mapping[str, Any], more: Headers
    ) -> tuple[list[tuple[bytes, bytes]], bytes]:
        """All headers of a request, and its content."""
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        content = text.encode("utf-8", "backslashreplace")  # as JSON escapes a lone surrogate
        added = {**more, "content-length": str(len(content))}
        return [*self._headers, *((n.encode(), t.encode()) for n, t in added.items())], content

    async def _open(self) -> _Line:
        port = self._port or (443 if self._tls else 80)
        loop = asyncio.get_running_loop()
        # Seconds after which the next address is tried too. If such a race is cancelled, Python
        # leaves its sockets to the garbage collector.
        delay = None if is_here(self._host) else 0.25
        _, line = await loop.create_connection(
            _Line, self._host, port, ssl=self._tls, happy_eyeballs_delay=delay
        )
        return line


class _Line(asyncio.Protocol):
    """An open connection, for one exchange after the other. What nobody asked for closes it."""

    def __init__(self) -> None:
        self._state = h11.Connection(h11.CLIENT, MAX_HEAD)
        self._arrived = asyncio.Event()
        self._lost: Exception | None = None
        self._ends: asyncio.TimerHandle | None = None
        self.is_idle = False
        self.has_heard = False  # anything since the last request

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See ``asyncio.Protocol``."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """See ``asyncio.Protocol``."""
        if self.is_idle:
            self.close()
        elif self._lost is None:
            self.has_heard |= bool(data)
            self._state.receive_data(data)
            self._arrived.set()

    def eof_received(self) -> None:
        """See ``asyncio.Protocol``."""
        self.data_received(b"")
        self._lost = self._lost or ConnectionError("the server closed the connection")

    def connection_lost(self, error: Exception | None) -> None:
        """See ``asyncio.Protocol``."""
        self._lost = self._lost or error or ConnectionError("the connection was closed")
        self.is_idle = False
        self._arrived.set()

    def close(self) -> None:
        """Closes it at once."""
        self.is_idle = False
        if self._ends:
            self._ends.cancel()
        self._transport.abort()

    async def exchange(
        self, target: bytes, headers: list[tuple[bytes, bytes]], content: bytes
    ) -> Answer:
        """The answer to a POST. If it does not come whole, the connection is closed."""
        state = self._state
        self.is_idle = self.has_heard = False
        if self._ends:
            self._ends.cancel()
        try:
            head = state.send(h11.Request(method="POST", target=target, headers=headers))
            rest = state.send(h11.Data(data=content)), state.send(h11.EndOfMessage())
            self._transport.write(b"".join((head, *rest)))
            while type(event := await self._next()) is h11.InformationalResponse:
                if event.status_code == 101:
                    break
            if type(event) is not h11.Response:
                raise self._lost or ConnectionError("the server sent no answer")
            answer = await read_answer(event.status_code, event.headers, self._piece)
            done = state.our_state is state.their_state is h11.DONE and not state.trailing_data[0]
            if done and self._lost is None:
                state.start_next_cycle()
                self.is_idle = True
                loop = asyncio.get_running_loop()
                self._ends = loop.call_later(IDLE_SECONDS, self.close)
            return answer
        finally:
            if not self.is_idle:
                self._transport.abort()

    async def _next(self) -> Any:
        """The next event of HTTP."""
        while (event := self._state.next_event()) is h11.NEED_DATA:
            if self._lost:
                raise self._lost
            self._arrived.clear()
            await self._arrived.wait()
        return event

    async def _piece(self) -> bytes | None:
        """The next piece of the body; None at its end."""
        event = await self._next()
        return bytes(event.data) if type(event) is h11.Data else None


def tls_context() -> ssl.SSLContext:
    """Trusts the certificates of SSL_CERT_FILE or SSL_CERT_DIR, else of the system."""
    named = [os.environ.get(name) or None for name in ("SSL_CERT_FILE", "SSL_CERT_DIR")]
    if any(named):
        return ssl.create_default_context(cafile=named[0], capath=named[1])
    paths = ssl.get_default_verify_paths()
    has_certificates = paths.cafile or (
        paths.capath and any(map(_HASHED.match, os.listdir(paths.capath)))
    )
    if has_certificates and sys.platform not in ("darwin", "win32"):
        return ssl.create_default_context()
    import truststore  # where Python does not find them itself

    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _is_out_of_files(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            return True
        error = error.__cause__ or error.__context__
    return False


async def read_answer(
    status: int,
    headers: Iterable[tuple[bytes, bytes]],
    read: Callable[[], Awaitable[bytes | None]],
) -> Answer:
    """The answer of which this is the head. ``read`` brings a piece of its body; None at its end.

    Raises:
        JudgeError: it is too large, or has an encoding that was not asked for.
    """
    received, size = [], 0
    while (piece := await read()) is not None:
        size += max(len(piece), MIN_PIECE)
        if size > MAX_BYTES:
            raise too_large(status)
        received.append(piece)
    named = {name.decode("latin-1").lower(): text.decode("latin-1") for name, text in headers}
    return Answer(status, named, _decoded(b"".join(received), status, named))


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
