"""Keeps secrets out of the logs of the libraries that send requests, at every level.

They log addresses (httpx at INFO), and what a server answered (httpcore and the SDKs at DEBUG).
"""

from __future__ import annotations

import logging
from functools import cache
from typing import Any

from .known import message_without_known

LIBRARIES = frozenset(
    (
        *("httpx", "httpx2", "httpcore", "httpcore2", "httpx_aiohttp", "aiohttp", "asyncio"),
        *("h11", "h2", "hpack", "urllib3", "botocore", "boto3", "azure", "google"),
        *("openai", "anthropic", "faithfulness_assert"),
    )
)
_OWN_FIELDS = vars(logging.makeLogRecord({})).keys()


class _LogFilter(logging.Filter):
    """Takes the secrets of all judges out of each record. Lets every record pass."""

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            said = record.getMessage()
        except Exception:  # noqa: BLE001 - logging itself reports what cannot be formatted
            said = repr(record.args)
        if (clean := message_without_known(said)) != said:
            record.msg, record.args = clean, ()
        if record.exc_info or record.exc_text:
            text = record.exc_text or logging.Formatter().formatException(record.exc_info)  # type: ignore[arg-type]
            if (clean := message_without_known(text)) != text:
                record.exc_info, record.exc_text = None, clean
        for name in vars(record).keys() - _OWN_FIELDS:
            value = str(getattr(record, name))
            if (clean := message_without_known(value)) != value:
                setattr(record, name, clean)
        return True


_FILTER = _LogFilter()


@cache
def watch_logs() -> None:
    """Keeps the secrets of all judges out of these logs, for the rest of the process.

    A logger's filter does not see what loggers below it log. So each logger gets it when it makes
    its first record, which it filters next: also one that somebody makes later.
    """
    for name in LIBRARIES:
        logging.getLogger(name).addFilter(_FILTER)
    make_before = logging.getLogRecordFactory()

    def make(name: str, *given: Any, **more: Any) -> logging.LogRecord:
        _watch(name)
        return make_before(name, *given, **more)

    logging.setLogRecordFactory(make)


def _watch(name: str) -> None:
    if isinstance(name, str) and name.partition(".")[0] in LIBRARIES:
        logging.getLogger(name).addFilter(_FILTER)
