"""One POST of JSON over HTTP, whatever the server does: hang, send without end, disconnect.

A try ends in time and in bounded memory, as an ``Answer`` or a ``JudgeError``. No redirect is
followed: it would send the prompt, and perhaps the key, to an address that the user did not name.
HTTP is written and read by h11. The ways through a proxy and an SDK are in ``remote/sdk.py``.
"""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import sys
import zlib
from base64 import b64encode
from collections.abc import Coroutine, Iterable, Mapping
from typing import Any, cast
from urllib.parse import quote, urlsplit

import h11

from ..records.errors import JudgeError
from .remote.endpoint import Endpoint, is_here, login_of

MAX_BYTES = 8 << 20  # of a body, after decoding
MIN_PIECE = 1024  # bytes that a piece counts at least: reading one takes time, however small it is
MAX_HEAD = 100 * 1024  # bytes of the head of an answer
IDLE_SECONDS = 4.0
"""For which a connection is kept open between asks: many servers close theirs after 5."""
_TOO_LARGE = f"is larger than {MAX_BYTES >> 20} MB, or comes in too many pieces"
_GZIP_OR_ZLIB = 47  # zlib's wbits: the header of the data decides
_IN_ADDRESS = "/:@!$&'()*+,;=?%~-._"
Headers = Mapping[str, str]
_HEADERS = {
    "accept": "application/json",
    "accept-encoding": "identity",
    "content-type": "application/json",
    "user-agent": "faithfulness-assert",
}


class Answer:
    """An HTTP answer: status, headers (with lower-case names) and decoded body.

    ``add`` and ``end`` raise a ``JudgeError`` if it is too large, or has an encoding that was not
    asked for.
    """

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes = b"") -> None:
        self.status, self.headers, self.body = status, headers, body
        self._pieces, self._size = list[bytes](), 0

    @classmethod
    def begin(cls, status: int, headers: Iterable[tuple[bytes, bytes]]) -> Answer:
        """One of which the head is there."""
        return cls(status, {n.decode("latin-1").lower(): v.decode("latin-1") for n, v in headers})

    def add(self, piece: bytes) -> None:
        """Takes the next piece of the body."""
        self._size += max(len(piece), MIN_PIECE)
        if self._size > MAX_BYTES:
            raise self._unusable(_TOO_LARGE)
        self._pieces.append(piece)

    def end(self) -> Answer:
        """It, whole and decoded. Servers may encode unasked, and a small body may be gigabytes."""
        self.body, self._pieces = b"".join(self._pieces), []
        encoding = self.headers.get("content-encoding", "").strip().lower()
        if encoding not in ("", "identity"):
            try:
                unpack = zlib.decompressobj(wbits=_GZIP_OR_ZLIB).decompress
                self.body = unpack(self.body, MAX_BYTES + 1)
            except zlib.error:
                problem = f"cannot be decoded: it has the encoding {encoding[:40]!r}"
                raise self._unusable(problem) from None
            if len(self.body) > MAX_BYTES:
                raise self._unusable(f"{_TOO_LARGE} when decoded")
        return self

    def _unusable(self, problem: str) -> JudgeError:
        message, status = f"the judge's answer {problem}", self.status
        return JudgeError(message, "server", http_status=status, fix="Check base_url.")


async def in_time(
    posting: Coroutine[Any, Any, Answer], seconds: float, limit: str
) -> Answer | JudgeError:
    """The answer to one request, after at most ``seconds``; ``limit`` is what these are called.

    The message of a failure may contain secrets.
    """
    try:
        return await asyncio.wait_for(posting, seconds)
    except (asyncio.TimeoutError, TimeoutError):
        message = f"the judge sent no complete answer {limit}"
        option = "deadline" if "deadline" in limit else "timeout"
        fix = f"Raise the option {option}, or use a faster judge."
        return JudgeError(message, "timeout", retryable=True, fix=fix)
    except JudgeError as error:
        return error.with_traceback(None)  # its frames contain the request
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a client raises becomes a JudgeError
        message = f"no connection to the judge: {str(error) or type(error).__name__}"
        return JudgeError(message, "transport", retryable=True)


class Direct:
    """Posts to an address below an endpoint. Connections are kept open between asks.

    Args:
        endpoint: where the API is, and the way there.
        path: what is asked, below it.
        headers: those of the provider.
    """

    def __init__(self, endpoint: Endpoint, path: str, headers: Headers) -> None:
        parts = urlsplit(endpoint.url)
        self.host = endpoint.host.encode("idna").decode()
        path = f"{parts.path.rstrip('/')}{path}"
        target = quote(f"{path}?{parts.query}" if parts.query else path, _IN_ADDRESS)
        self.scheme, self.port, self.target = parts.scheme, parts.port, target.encode("ascii")
        named = f"[{self.host}]" if ":" in self.host else self.host
        given = {**_HEADERS, "host": named if parts.port is None else f"{named}:{parts.port}"}
        given |= headers
        if login := login_of(endpoint.url):
            encoded = b64encode(":".join(login).encode()).decode()
            given["authorization"] = f"Basic {encoded}"
        self._headers = given
        self.tls = tls_context() if parts.scheme == "https" else None
        self._idle: list[_Line] = []

    def encoded(self, body: Mapping[str, Any]) -> tuple[list[Any], bytes]:
        """All headers of a request, and its content."""
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        content = text.encode("utf-8", "backslashreplace")  # as JSON escapes a lone surrogate
        headers = {**self._headers, "content-length": str(len(content))}
        return list(headers.items()), content

    async def post(self, body: Mapping[str, Any], seconds: float) -> Answer:  # noqa: ARG002 - the caller keeps the time
        """The answer to one request. The caller ends it in time."""
        headers, content = self.encoded(body)
        request = h11.Request(method="POST", target=self.target, headers=headers)
        loop = asyncio.get_running_loop()
        self._idle = [line for line in self._idle if line.is_idle and line.loop is loop]
        line = self._idle.pop() if self._idle else await self._open()  # the one that was used last
        answer = await line.exchange(request, content)
        if line.is_idle:
            self._idle.append(line)
        return answer

    async def _open(self) -> _Line:
        port = self.port or (443 if self.tls else 80)
        # Seconds after which the next address is tried too. If such a race is cancelled, Python
        # leaves its sockets to the garbage collector.
        delay = None if is_here(self.host) else 0.25
        _, line = await asyncio.get_running_loop().create_connection(
            _Line, self.host, port, ssl=self.tls, happy_eyeballs_delay=delay
        )
        return line


class _Line(asyncio.Protocol):
    """An open connection, for one exchange after the other. What nobody asked for closes it.

    Its methods but for ``exchange`` and ``close`` are those of ``asyncio.Protocol``.
    """

    def __init__(self) -> None:
        self._state = h11.Connection(h11.CLIENT, MAX_HEAD)
        self._came = asyncio.Queue[bytes | Exception]()
        self._ends: asyncio.TimerHandle | None = None
        self.loop = asyncio.get_running_loop()  # on which alone it is to be used
        self.is_idle = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        if self.is_idle:
            self.close()
        self._came.put_nowait(data)

    def connection_lost(self, error: Exception | None) -> None:
        self.is_idle = False
        self._came.put_nowait(error or b"")

    def close(self) -> None:
        """Closes it at once."""
        self.is_idle = False
        self._transport.abort()

    async def exchange(self, request: h11.Request, content: bytes) -> Answer:
        """The answer to a POST. If it does not come whole, the connection is closed."""
        state, answer = self._state, Answer(0, {})
        self.is_idle = False
        if self._ends:
            self._ends.cancel()
        try:
            events = request, h11.Data(data=content), h11.EndOfMessage()
            self._transport.write(b"".join(state.send(event) or b"" for event in events))
            while not isinstance(event := state.next_event(), h11.EndOfMessage):
                if event is h11.NEED_DATA:
                    piece = await self._came.get()
                    if isinstance(piece, Exception):
                        raise piece
                    if not piece and state.their_state is h11.SEND_RESPONSE:
                        raise ConnectionError("the server closed the connection")
                    state.receive_data(piece)
                elif isinstance(event, h11.Response):
                    answer = Answer.begin(event.status_code, event.headers)
                elif isinstance(event, h11.Data):
                    answer.add(bytes(event.data))
                elif not isinstance(event, h11.InformationalResponse) or event.status_code == 101:
                    raise ConnectionError("the server sent no answer")
            answer.end()
            done = state.our_state is state.their_state is h11.DONE
            if done and not state.trailing_data[0] and self._came.empty():
                state.start_next_cycle()
                self.is_idle = True
                self._ends = self.loop.call_later(IDLE_SECONDS, self.close)
            return answer
        finally:
            if not self.is_idle:
                self._transport.abort()


def tls_context() -> ssl.SSLContext:
    """Trusts the certificates of SSL_CERT_FILE or SSL_CERT_DIR, else of the system."""
    named = [os.environ.get(name) or None for name in ("SSL_CERT_FILE", "SSL_CERT_DIR")]
    if any(named) or sys.platform not in ("darwin", "win32"):
        context = ssl.create_default_context(cafile=named[0], capath=named[1])
        if any(named) or context.cert_store_stats()["x509_ca"]:
            return context
    import truststore  # where Python does not find them itself

    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
