"""The packages of other systems: without telemetry, and without a way out of this machine."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

os.environ.update(
    DEEPEVAL_TELEMETRY_OPT_OUT="1",
    RAGAS_DO_NOT_TRACK="true",
    MLFLOW_DISABLE_TELEMETRY="true",
    MLFLOW_SQLALCHEMYSTORE_POOL_SIZE="100",
    DO_NOT_TRACK="true",
    LANGSMITH_TRACING="false",
    INSPECT_DISPLAY="none",
)
LOCAL = ("127.0.0.1", "::1", "localhost")


@pytest.fixture(autouse=True)
def nothing_leaves_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test works in a folder of its own, and reaches nothing but the loopback device."""
    monkeypatch.chdir(tmp_path)
    outside: list[str] = []
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and address[0] not in LOCAL:
            outside.append(str(address))
            raise OSError(f"a test tried to reach {address}")
        connect(self, address)

    def guarded_look_up(host: Any, *args: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name not in (None, *LOCAL):
            outside.append(str(host))
            raise OSError(f"a test looked up {host}")
        return look_up(host, *args, **options)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
    yield
    assert outside == []
