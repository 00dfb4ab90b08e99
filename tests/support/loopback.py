"""A small HTTP server on the loopback device that plays a judge's API. No part of an SDK is mocked.

It takes one :class:`Answer`, a list of them (the last one repeats), or a function from
:class:`Request` to :class:`Answer`.
"""

import base64
import gzip
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import quote

from faithfulness_assert.drive import gate

GOOD = (
    '{"verdicts":[{"id":1,"evidence":[1],"label":"supported"},'
    '{"id":2,"evidence":[],"label":"not_enough_info"}]}'
)


@dataclass(frozen=True)
class Request:
    """A request: the path, the headers (with lower-case names), the JSON body, if it has one.

    ``number`` says as which it came, from 1. Others may have come before it is answered.
    """

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    number: int = 0
    method: str = "POST"
    content: bytes = b""


@dataclass(frozen=True)
class Answer:
    """What to answer.

    Args:
        body: text or bytes; anything else is sent as JSON.
        delay: seconds before the answer.
        drip: seconds after each byte of the body; with ``drip_head``, of the head too.
        raw: bytes to send instead of head and body.
        repeat: bytes to send after that, until the client disconnects.
        end: what happens to the connection after the answer.
    """

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    delay: float = 0.0
    drip: float = 0.0
    drip_head: bool = False
    raw: bytes | None = None
    repeat: bytes = b""
    end: Literal["keep", "close", "reset"] = "keep"

    def parts(self) -> tuple[bytes, bytes]:
        """What is sent at once, and what is sent slowly."""
        if self.raw is not None:
            return (b"", self.raw) if self.drip else (self.raw, b"")
        body = self.encoded()
        fields = {**self.headers, "content-length": str(len(body))}
        lines = [
            f"HTTP/1.1 {self.status} Scripted",
            *(f"{name}: {value}" for name, value in fields.items()),
            "",
            "",
        ]
        head = "\r\n".join(lines).encode()
        if self.drip_head:
            return b"", head + body
        return (head, body) if self.drip else (head + body, b"")

    def encoded(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode(
            "utf-8", "surrogatepass"
        )


def completion(
    content: Any, *, usage: Any = None, finish_reason: Any = "stop", **message: Any
) -> Answer:
    """A chat completion with this content; ``message`` adds fields to its message."""
    said = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "message": said, "finish_reason": finish_reason}
    return Answer(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [choice],
            "usage": usage,
        }
    )


def claude_message(
    content: Any, *, usage: Any = None, stop_reason: Any = "end_turn", **fields: Any
) -> Answer:
    """A message of the Messages API; ``content`` is a text or a list of blocks."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": blocks,
        "stop_reason": stop_reason,
    }
    return Answer({**body, "stop_sequence": None, "usage": usage, **fields})


def refusal_to(
    status: int, message: str, headers: Mapping[str, str] | None = None, **fields: Any
) -> Answer:
    """An error answer in OpenAI's shape; ``fields`` are ``code``, ``type``, ``param``."""
    return Answer(
        {"error": {"message": message, **fields}},
        status,
        {"content-type": "application/json", **(headers or {})},
    )


BOTH_SUPPORTED = completion(
    json.dumps({"verdicts": [{"id": n, "evidence": [1], "label": "supported"} for n in (1, 2)]})
)


def no_schema(request: Request) -> Answer:
    """Two supported statements, of a judge that rejects ``response_format``: asks must learn that."""
    if "response_format" in request.body:
        return refusal_to(
            400,
            "'response_format' is not supported",
            code="unsupported_parameter",
            param="response_format",
        )
    return BOTH_SUPPORTED


def fault(row: Mapping[str, Any], request: Request, place: int) -> Answer:
    """The answer of a row of a fault table to its request number ``place``, from 0.

    Fields that a row does not have are those of a good answer. In a body, ``$reply`` is a good reply
    with these fields, ``$b64`` is bytes, ``$repeat`` is a text and how often to repeat it, ``$gzip``
    and ``$utf16`` encode another body. ``{{KEY}}`` is the key that was sent, ``{{KEY url}}`` and so on
    are other ways to write it, ``{{OK}}`` (in ``send``) is a whole good answer, ``{{BLANKS}}`` (in
    ``repeat``) is 16,384 blanks. ``then`` is the row for all requests after the first.
    """
    if place and row.get("then") is not None:
        return fault({**row["then"], "then": None}, request, place)
    how, key = row.get("transport", {}), _keys(request)
    headers = {
        name: _filled(value, key)
        for name, value in row.get("headers", {"content-type": "application/json"}).items()
    }
    answer = Answer(
        _body(row.get("body", {"$reply": {}}), request, key), row.get("http_status", 200), headers
    )
    modes: dict[str | None, dict[str, Any]] = {
        None: {},
        "hang": {"delay": 600.0},
        "drip": {"drip": 0.2, "drip_head": how.get("head", False)},
        "reset": {"raw": b"", "end": "reset"},
        "cut": {
            "raw": b"".join(answer.parts())[: -how.get("bytes", 1)],
            "end": how.get("end", "close"),
        },
        "raw": {
            "raw": _wire(how.get("send", ""), request, key),
            "repeat": _times(how.get("repeat", ("", 0))),
            "end": "close",
        },
        "nowhere": {},
    }
    return replace(answer, **modes[how.get("mode")])


def good_reply(request: Request, text: str = GOOD, **fields: Any) -> Answer:
    """A good reply in the shape of the API that was asked."""
    if request.path.endswith("/messages"):
        return claude_message(
            fields.pop("content", text),
            **{"usage": {"input_tokens": 100, "output_tokens": 20}, **fields},
        )
    return completion(
        fields.pop("content", text),
        **{"usage": {"prompt_tokens": 100, "completion_tokens": 20}, **fields},
    )


def _keys(request: Request) -> dict[str, str]:
    key = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix(
        "Bearer "
    )
    return {
        "KEY": key,
        "KEY url": quote(key, safe=""),
        "KEY upper": key.upper(),
        "KEY split": "\r\n  ".join(key[i : i + 9] for i in range(0, len(key), 9)),
        "KEY spaced": " ".join(key),
        "KEY escaped": "".join(f"\\u{ord(c):04x}" for c in key),
    }


def _filled(text: str, keys: Mapping[str, str]) -> str:
    for name, form in keys.items():
        text = text.replace(f"{{{{{name}}}}}", form)
    return formatdate(time.time() + 1, usegmt=True) if text == "HTTP_DATE+1" else text


def _body(body: Any, request: Request, keys: Mapping[str, str]) -> bytes:
    special = next(iter(body), None) if isinstance(body, dict) and len(body) == 1 else None
    if special == "$reply":
        return _body(good_reply(request, **body["$reply"]).body, request, keys)
    if special == "$b64":
        return base64.b64decode(body["$b64"])
    if special == "$repeat":
        return _times(body["$repeat"])
    if special == "$gzip":
        return gzip.compress(_body(body["$gzip"], request, keys))
    if special == "$utf16":
        return _body(body["$utf16"], request, keys).decode().encode("utf-16")
    if isinstance(body, str):
        return _filled(body, keys).encode()
    in_json = {
        name: json.dumps(form)[1:-1] if name != "KEY escaped" else form
        for name, form in keys.items()
    }
    return _filled(json.dumps(body), in_json).encode()


def _times(repeat: Sequence[Any]) -> bytes:
    text, times = repeat
    return (text.replace("{{BLANKS}}", " " * 0x4000) * times).encode("latin-1")


def _wire(text: str, request: Request, keys: Mapping[str, str]) -> bytes:
    good = b"".join(good_reply(request).parts())
    return _filled(text, keys).encode("latin-1").replace(b"{{OK}}", good)


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # clients that may connect at once; with less, some wait for seconds


class Loopback:
    """The server, as a context manager.

    ``requests`` has all requests. ``url`` is the ``base_url`` for an OpenAI-compatible judge, ``root``
    for an Anthropic-compatible one. ``models`` answers a GET, such as for its list of models.
    """

    def __init__(
        self,
        answers: Answer | Sequence[Answer] | Callable[[Request], Answer],
        port: int = 0,
        models: Answer | Callable[[Request], Answer] | None = None,
    ) -> None:
        self.models = models or Answer("nothing here", 404)
        script = [answers] if isinstance(answers, Answer) else answers
        self._answers = script
        self._lock = threading.Lock()
        self.requests: list[Request] = []
        self.connections = 0
        self.closed = threading.Event()
        self._server = _Server(
            ("127.0.0.1", port), type("Handler", (_Handler,), {"loopback": self})
        )
        self._server.daemon_threads = True
        address = f"127.0.0.1:{self._server.server_address[1]}"
        gate._LOCAL.clear()  # an earlier server may have had this port, and another speed
        self.root = f"http://{address}"
        self.url = f"{self.root}/v1"

    def __enter__(self) -> "Loopback":
        # It checks this often whether to stop.
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closed.set()  # delayed bytes are sent at once, so that no thread outlives its test
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: Request) -> Answer:
        with self._lock:
            request = replace(request, number=len(self.requests) + 1)
            self.requests.append(request)
        if callable(self._answers):
            return self._answers(request)
        return self._answers[min(request.number, len(self._answers)) - 1]


class _Handler(BaseHTTPRequestHandler):
    loopback: Loopback
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: Any) -> None:
        pass

    def setup(self) -> None:
        with self.loopback._lock:
            self.loopback.connections += 1
        super().setup()

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True  # the client disconnected

    def do_POST(self) -> None:
        self._send(self.loopback.answer(self._request()))

    def do_GET(self) -> None:
        models = self.loopback.models
        self._send(models(self._request()) if callable(models) else models)

    def do_HEAD(self) -> None:
        self.do_GET()

    def _request(self) -> Request:
        length = int(self.headers.get("content-length") or 0)
        if len(content := self.rfile.read(length)) < length:
            raise ConnectionError("the client disconnected")
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = json.loads(content) if content[:1] == b"{" else {}
        return Request(self.path, headers, body, 0, self.command, content)

    def _send(self, answer: Answer) -> None:
        self.loopback.closed.wait(answer.delay)
        whole, slow = answer.parts()
        if self.command == "HEAD":
            whole = whole.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
        self.wfile.write(whole)
        for byte in slow:
            self.wfile.write(bytes([byte]))
            self.loopback.closed.wait(answer.drip)
        while answer.repeat and not self.loopback.closed.is_set():
            self.wfile.write(answer.repeat)
        if answer.end == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        self.close_connection = answer.end != "keep"
