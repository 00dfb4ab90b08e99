"""A proxy on the loopback device behind which any host is one of our own servers, also over TLS.

Commands and code of a page then run as they stand, with ``https://openrouter.ai/api/v1`` and all.
Only the environment is set: the proxy, and the certificates that are trusted.
"""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Mapping
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit

import pytest
import trustme
from loopback import Answer, Request

Server = Callable[[Request], Answer]


@cache
def authority() -> trustme.CA:
    """Signs the certificates of all hosts."""
    return trustme.CA()


@cache
def context_for(host: str) -> ssl.SSLContext:
    """What a server with this name needs to be trusted."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority().issue_cert(host).configure_cert(context)
    return context


class Internet:
    """The proxy, as a context manager. ``servers`` has a server for each ``host:port``."""

    def __init__(self, servers: Mapping[str, Server]) -> None:
        self.servers = servers
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Internet:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def reach(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        """Sends all that this process does over HTTP to here."""
        certificates = folder / "authority.pem"
        authority().cert_pem.write_to_path(str(certificates))
        monkeypatch.setenv("SSL_CERT_FILE", str(certificates))
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
            monkeypatch.delenv(name.lower(), raising=False)
        monkeypatch.setenv("HTTP_PROXY", self.url)
        monkeypatch.setenv("HTTPS_PROXY", self.url)


def _handler(internet: Internet) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        place = ""  # behind TLS, the requests no longer name it

        def log_message(self, *args: object) -> None:
            pass

        def handle_one_request(self) -> None:
            try:
                super().handle_one_request()
            except OSError:
                self.close_connection = True  # the client disconnected

        def do_CONNECT(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.place = self.path
            context = context_for(self.path.partition(":")[0])
            self.connection = context.wrap_socket(self.connection, server_side=True)
            self.rfile = self.connection.makefile("rb", -1)
            self.wfile = self.connection.makefile("wb", 0)  # type: ignore[assignment]
            self.close_connection = False

        def do_POST(self) -> None:
            asked = urlsplit(self.path)
            content = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(asked.path, headers, json.loads(content or b"{}"))
            self.wfile.write(internet.servers[self.place or asked.netloc](request).parts()[0])

        do_GET = do_POST  # noqa: N815

        def finish(self) -> None:
            super().finish()
            self.connection.close()  # of TLS; the server only knows what is below it

    return Handler
