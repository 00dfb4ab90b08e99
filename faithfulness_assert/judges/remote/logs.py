"""Keeps secrets out of the logs of the libraries that send requests, at every level.

They log addresses (httpx at INFO), and what a server answered (httpcore and the SDKs at DEBUG).
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    from .redaction import Secrets

LIBRARIES = (
    *("httpx", "httpx2", "httpcore", "httpcore2", "aiohttp", "asyncio", "urllib3", "botocore"),
    *("openai", "anthropic", "faithfulness_assert"),
)
_OWN_FIELDS = vars(logging.makeLogRecord({})).keys()


class _LogFilter(logging.Filter):
    """Takes the secrets of all judges out of each record. Lets every record pass."""

    def __init__(self) -> None:
        super().__init__()
        self._known: WeakSet[Secrets] = WeakSet()
        self._lock = threading.Lock()

    def add(self, secrets: Secrets) -> None:
        with self._lock:
            self._known.add(secrets)

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            said = record.getMessage()
        except Exception:  # noqa: BLE001 - logging itself reports what cannot be formatted
            said = repr(record.args)
        if (clean := self._clean(said)) != said:
            record.msg, record.args = clean, ()
        if record.exc_info or record.exc_text:
            text = record.exc_text or logging.Formatter().formatException(record.exc_info)  # type: ignore[arg-type]
            if (clean := self._clean(text)) != text:
                record.exc_info, record.exc_text = None, clean
        for name in vars(record).keys() - _OWN_FIELDS:
            value = str(getattr(record, name))
            if (clean := self._clean(value)) != value:
                setattr(record, name, clean)
        return True

    def _clean(self, text: str) -> str:
        with self._lock:
            known = list(self._known)
        for secrets in known:
            text = secrets.out_of_message(text)
        return text


_FILTER = _LogFilter()


def watch_logs(secrets: Secrets) -> None:
    """Keeps ``secrets`` out of these logs as long as they exist.

    A logger's filter does not see what loggers below it log, so each gets it. To be called again
    once all packages are imported.
    """
    _FILTER.add(secrets)
    names = [name for name in list(logging.root.manager.loggerDict) if _is_theirs(name)]
    for name in (*LIBRARIES, *names):
        logging.getLogger(name).addFilter(_FILTER)


def _is_theirs(name: str) -> bool:
    return name.partition(".")[0] in LIBRARIES
