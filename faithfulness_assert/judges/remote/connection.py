"""One try over HTTP, whatever the server does: hang, send slowly or without end, or disconnect.

A try ends in time and in bounded memory, as an :class:`Answer` or a ``JudgeError`` without secrets.
``sdk`` is the Python SDK of OpenAI or Anthropic; both have the same structure.
"""

from __future__ import annotations

import importlib
import threading
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from ...records.errors import JudgeError
from .redaction import safe_text, without_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_BYTES = 8 << 20  # of a body, after decoding
_TOO_LARGE = f"is larger than {MAX_BYTES >> 20} MB"
_GZIP_OR_ZLIB = 47  # zlib's wbits: the header of the data decides


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer: status, headers (with lower-case names) and decoded body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def http_client(sdk: Any) -> Any:
    """An HTTP client for ``sdk`` that limits bodies to :data:`MAX_BYTES` and follows no redirects.

    A redirect would send the prompt, and perhaps the key, to an address that the user did not name.
    """
    return sdk.DefaultHttpxClient(
        follow_redirects=False,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_read_bounded]},
    )


def send_once(
    sdk: Any, call: Callable[[], Any], seconds: float, secrets: Sequence[str]
) -> Answer | JudgeError:
    """Runs ``call``, an SDK method of ``with_raw_response``, and waits at most ``seconds`` for it.

    The SDK's timeouts limit each connect, write and read, but not their sum. So the call runs in a
    thread, which is abandoned when the time is up. Those timeouts and :func:`_read_bounded` end it
    later, unless the server never stops sending headers.
    """
    box: SimpleQueue[Answer | Exception] = SimpleQueue()
    outcome: Answer | Exception
    try:
        threading.Thread(target=lambda: box.put(_call(sdk, call)), daemon=True).start()
        outcome = box.get(timeout=seconds)
    except Empty:
        outcome = _too_slow(seconds)
    except RuntimeError as error:  # the system cannot start another thread
        outcome = error
    if isinstance(outcome, Exception):
        return _judge_error(sdk, outcome, secrets)
    return replace(outcome, body=without_keys(outcome.body, secrets))


def _call(sdk: Any, call: Callable[[], Any]) -> Answer | Exception:
    try:
        response = call().http_response
    except sdk.APIStatusError as error:
        response = error.response
    except Exception as error:  # noqa: BLE001 - whatever an SDK raises becomes a JudgeError
        return error
    return Answer(response.status_code, response.headers, response.content)


def _judge_error(sdk: Any, error: Exception, secrets: Sequence[str]) -> JudgeError:
    cause = error.__cause__ or error
    if isinstance(cause, JudgeError):
        return cause.with_traceback(None)  # its frames contain the request
    name = type(cause).__name__
    said = safe_text(str(cause) or name, secrets)
    if isinstance(error, sdk.APITimeoutError):
        return JudgeError(f"the judge did not answer in time ({said})", "timeout", retryable=True)
    if isinstance(error, sdk.APIConnectionError):
        return JudgeError(f"no connection to the judge: {said}", "transport", retryable=True)
    return JudgeError(f"the request could not be made: {name}: {said}", "transport")


def _too_slow(seconds: float) -> JudgeError:
    return JudgeError(
        f"the judge sent no complete answer within {seconds:.3g} s; "
        "raise timeout, or use a faster judge",
        "timeout",
        retryable=True,
    )


def _read_bounded(response: Any) -> None:
    """A response hook of httpx: reads the body with limits before the SDK reads it without any."""
    seconds = response.request.extensions["timeout"]["read"]
    end = time.monotonic() + seconds
    chunks, size = [], 0
    for chunk in response.stream:
        size += len(chunk)
        if size > MAX_BYTES:
            raise _unusable(_TOO_LARGE, response)
        if time.monotonic() > end:
            raise _too_slow(seconds)
        chunks.append(chunk)
    response.stream.close()
    encoding = response.headers.pop("content-encoding", "identity")
    body = _decoded(b"".join(chunks), encoding, response)
    package = type(response).__module__.partition(".")[0]  # httpx, or httpx2 in newer SDKs
    response.stream = importlib.import_module(package).ByteStream(body)


def _decoded(body: bytes, encoding: str, response: Any) -> bytes:
    """The decoded body. Servers may encode unasked, and a small body may decode to gigabytes."""
    encoding = encoding.strip().lower()
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
