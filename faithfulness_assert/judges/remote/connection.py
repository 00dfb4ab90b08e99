"""One try of an HTTP judge, whatever the server does: hang, drip, flood, lie about an encoding, break off.

The rule: a try ends in time and in bounded memory, as an :class:`Answer` or a ``JudgeError`` without secrets; nothing is raised.

``sdk`` is a Python SDK of the family of openai and anthropic, which are made alike.
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
from .redaction import shown, without_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_BYTES = 8 << 20  # of a body, after decoding


@dataclass(frozen=True, slots=True)
class Answer:
    """What came over the wire: an HTTP status, headers (by lower-case names), the decoded body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def http_client(sdk: Any) -> Any:
    """An HTTP client for ``sdk`` that reads under :data:`MAX_BYTES`, asks for plain bytes and follows no redirect.

    A redirect would carry the prompt, and perhaps the key, to an address that the user did not name.
    """
    hooks = {"response": [_read_bounded]}
    return sdk.DefaultHttpxClient(
        follow_redirects=False, headers={"Accept-Encoding": "identity"}, event_hooks=hooks
    )


def fetch(
    sdk: Any, call: Callable[[], Any], seconds: float, secrets: Sequence[str]
) -> Answer | JudgeError:
    """Runs ``call``, an SDK method ``with_raw_response``, and waits ``seconds`` for it at most.

    The SDK's timeouts are for each connect, write and read, so that their sum has no limit; a thread that we stop waiting for has.
    It is left to end by itself, which the same timeouts and :func:`_read_bounded` bring about, but for a head that never ends.
    """
    box: SimpleQueue[Answer | Exception] = SimpleQueue()
    found: Answer | Exception
    try:
        threading.Thread(target=lambda: box.put(_outcome(sdk, call)), daemon=True).start()
        found = box.get(timeout=seconds)
    except Empty:
        found = _too_slow(seconds)
    except RuntimeError as error:  # no thread can be started
        found = error
    if isinstance(found, Exception):
        return _broken(sdk, found, secrets)
    return replace(found, body=without_keys(found.body, secrets))


def _outcome(sdk: Any, call: Callable[[], Any]) -> Answer | Exception:
    try:
        response = call().http_response
    except sdk.APIStatusError as error:
        response = error.response
    except Exception as error:  # noqa: BLE001 - SDKs let out what their parts raise; all of it becomes a JudgeError
        return error
    return Answer(response.status_code, response.headers, response.content)


def _broken(sdk: Any, error: Exception, secrets: Sequence[str]) -> JudgeError:
    cause = error.__cause__ or error
    if isinstance(cause, JudgeError):
        return cause.with_traceback(None)  # its frames hold the request
    said = shown(str(cause) or type(cause).__name__, secrets)
    if isinstance(error, sdk.APITimeoutError):
        return JudgeError(f"the judge did not answer in time ({said})", "timeout", retryable=True)
    if isinstance(error, sdk.APIConnectionError):
        return JudgeError(f"no connection to the judge: {said}", "transport", retryable=True)
    return JudgeError(f"the request could not be made: {type(cause).__name__}: {said}", "transport")


def _too_slow(seconds: float) -> JudgeError:
    return JudgeError(
        f"the judge gave no full answer within {seconds:.3g} s; raise timeout, or ask a faster judge",
        "timeout",
        retryable=True,
    )


def _read_bounded(response: Any) -> None:
    """A response hook of httpx: reads the whole body, errors' too, before the SDK does so without bounds."""
    seconds = response.request.extensions["timeout"]["read"]
    end = time.monotonic() + seconds
    chunks, size = [], 0
    for chunk in response.stream:
        size += len(chunk)
        if size > MAX_BYTES:
            raise _unfit(f"is larger than {MAX_BYTES >> 20} MB", response)
        if time.monotonic() > end:
            raise _too_slow(seconds)
        chunks.append(chunk)
    response.stream.close()
    body = _decoded(
        b"".join(chunks), response.headers.pop("content-encoding", "identity"), response
    )
    http = importlib.import_module(
        type(response).__module__.partition(".")[0]
    )  # httpx, or httpx2 in newer SDKs
    response.stream = http.ByteStream(body)


def _decoded(body: bytes, encoding: str, response: Any) -> bytes:
    """Servers may encode although they were asked not to; a small body can then decode to gigabytes."""
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return body
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise _unfit(f"has the encoding {encoding[:40]!r}, which was not asked for", response)
    try:
        decoded = zlib.decompressobj(wbits=47).decompress(
            body, MAX_BYTES + 1
        )  # 47: gzip or zlib, by their headers
    except zlib.error:
        raise _unfit(f"is not {encoding}, though its header says so", response) from None
    if len(decoded) > MAX_BYTES:
        raise _unfit(f"is larger than {MAX_BYTES >> 20} MB when decoded", response)
    return decoded


def _unfit(what: str, response: Any) -> JudgeError:
    return JudgeError(
        f"the judge's answer {what}: is base_url right?", "server", http_status=response.status_code
    )
