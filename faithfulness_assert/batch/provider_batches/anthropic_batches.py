"""Anthropic's batch API: the requests of a batch are one body, its results come as lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ...files import open_file
from .service import EXPIRED, MISSING, NOT_RUN, Look, Said, Service, count_of, id_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_PROBLEMS = {"expired": EXPIRED, "canceled": NOT_RUN}


class AnthropicBatches(Service):
    """Anthropic's batch API. See ``Service``.

    It takes 100,000 requests and 256 MB. Less of it is held in memory at once.
    """

    provider, max_lines, max_bytes = "anthropic", 10_000, 32_000_000

    @staticmethod
    def request(custom_id: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """See ``Service``."""
        return {"custom_id": custom_id, "params": body}

    @staticmethod
    def said(line: Mapping[str, Any]) -> Said | None:
        """See ``Service``."""
        custom_id, result = line.get("custom_id"), line.get("result")
        if not isinstance(custom_id, str) or "result" not in line:
            return None
        result = result if isinstance(result, dict) else {}
        if result.get("type") == "succeeded":
            return Said(custom_id, 200, result.get("message"))
        if result.get("type") == "errored":
            return Said(custom_id, 200, _error(result.get("error")))  # its type says the status
        return Said(custom_id, problem=_PROBLEMS.get(str(result.get("type")), MISSING))

    def send(self, file: str, name: str) -> str:  # noqa: ARG002 - there is no place for the name
        """See ``Service``."""
        with open_file(file, follow=False) as opened:
            requests = [json.loads(line) for line in opened]
        return id_in(self._once.messages.batches.create(requests=requests))

    def find(self, name: str, lines: int, since: float, known: Sequence[str]) -> str:  # noqa: ARG002
        """See ``Service``. It is recognized by its time and its size.

        A wrong one does no harm: none of its lines has an id of ours, and the asks are sent again.
        """
        for batch in self._api.messages.batches.list(limit=100):
            if batch.created_at.timestamp() < since:
                break
            if batch.id not in known and _total(batch.request_counts) == lines:
                return str(batch.id)
        return ""

    def look(self, batch: str) -> Look:
        """See ``Service``."""
        seen = self._api.messages.batches.retrieve(batch)
        status, counts = str(seen.processing_status), seen.request_counts
        total = _total(counts) if counts else 0
        told = f"{total - count_of(counts.processing)} of {total} done" if total else ""
        return Look(status, status == "ended", seen.cancel_initiated_at is not None, told=told)

    def fetch(self, batch: str) -> Iterator[bytes]:
        """See ``Service``."""
        results = self._api.messages.batches.with_streaming_response.results(batch)
        with results as response:
            yield from response.iter_bytes()


def _error(error: object) -> object:
    """The body of an error answer: an object with ``error``. Some are wrapped in another one."""
    if isinstance(error, dict) and isinstance(error.get("error"), dict):
        return error
    return {"error": error or {"message": "the provider gave no reason", "type": "api_error"}}


def _total(counts: Any) -> int:
    parts = (counts.succeeded, counts.errored, counts.canceled, counts.expired)
    return sum(map(count_of, (counts.processing, *parts)))
