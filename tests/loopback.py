"""A tiny OpenAI-compatible server on the loopback device: real HTTP for tests, nothing of the SDK is replaced.

Give it one :class:`Answer`, a list of them (the last one repeats) or a function from :class:`Request` to :class:`Answer`.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType


@dataclass(frozen=True)
class Request:
    """What was asked: the path, the headers (lower-case names), the JSON body."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What to answer. A ``body`` that is no text or bytes is sent as JSON; ``delay`` and ``drip`` (after each
    byte of the body, or with ``drip_head`` of the head too) are seconds."""

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    delay: float = 0.0
    drip: float = 0.0
    drip_head: bool = False

    def encoded(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode("utf-8", "surrogatepass")


def completion(content: Any, *, usage: Any = None, finish_reason: Any = "stop", **message: Any) -> Answer:
    """A chat completion that says ``content``; ``message`` holds further fields of the message."""
    said = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "message": said, "finish_reason": finish_reason}
    return Answer({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage})


def refusal_to(status: int, message: str, headers: Mapping[str, str] | None = None, **fields: Any) -> Answer:
    """An error answer in OpenAI's shape; ``fields`` are ``code``, ``type``, ``param``."""
    return Answer({"error": {"message": message, **fields}}, status, {"content-type": "application/json", **(headers or {})})


class Loopback:
    """The server, as a context manager. ``requests`` holds all that was asked, ``url`` is the ``base_url`` to give to a judge."""

    def __init__(self, answers: Answer | Sequence[Answer] | Callable[[Request], Answer]) -> None:
        script = [answers] if isinstance(answers, Answer) else answers
        self._answers = script
        self._lock = threading.Lock()
        self.requests: list[Request] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Loopback:
        # It looks for the order to stop this often.
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: Request) -> Answer:
        with self._lock:
            self.requests.append(request)
            place = len(self.requests) - 1
        if callable(self._answers):
            return self._answers(request)
        return self._answers[min(place, len(self._answers) - 1)]


def _handler(loopback: Loopback) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any) -> None:
            pass

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = loopback.answer(Request(self.path, headers, json.loads(content)))
            try:
                self._send(answer)
            except OSError:
                self.close_connection = True  # the client went away

        def _send(self, answer: Answer) -> None:
            body = answer.encoded()
            fields = {**answer.headers, "content-length": str(len(body))}
            lines = [f"HTTP/1.1 {answer.status} Scripted", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
            head = "\r\n".join(lines).encode()
            time.sleep(answer.delay)
            whole, slow = (b"", head + body) if answer.drip_head else (head, body) if answer.drip else (head + body, b"")
            self.wfile.write(whole)
            self.wfile.flush()
            for byte in slow:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(answer.drip)

    return Handler
