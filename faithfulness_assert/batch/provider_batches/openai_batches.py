"""OpenAI's batch API, and the files that vLLM's ``run-batch`` and Gemini's compatible route share.

A file is uploaded, a batch is created from it, and its answers come in two files: answers, and
errors. Either may be missing, also of a batch that is completed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...files import open_file
from ...judges.remote.redaction import Secrets, safe_text
from .service import (
    EXPIRED,
    MISSING,
    NOT_RUN,
    Found,
    Look,
    Rejection,
    Said,
    Service,
    Sought,
    count_of,
    id_in,
)

ROUTE = "/v1/chat/completions"
NAME_KEY = "faithfulness_assert"
ENDED = ("failed", "completed", "expired", "cancelled")
_PROBLEMS = {"batch_expired": EXPIRED, "batch_cancelled": NOT_RUN}


class OpenAIBatches(Service):
    """OpenAI's batch API. See ``Service``."""

    provider, max_lines, max_bytes = "openai", 50_000, 200_000_000

    @staticmethod
    def request(custom_id: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """See ``Service``."""
        return {"custom_id": custom_id, "method": "POST", "url": ROUTE, "body": body}

    @staticmethod
    def said(line: Mapping[str, Any]) -> Said | None:
        """A line with an HTTP status has an answer or an error in its body; its ``error`` is null.

        vLLM has the error of such a line under ``error``, and no body.
        """
        custom_id, response, error = line.get("custom_id"), line.get("response"), line.get("error")
        if not isinstance(custom_id, str) or not ("response" in line or "error" in line):
            return None
        if isinstance(response, dict) and isinstance(response.get("status_code"), int):
            body = response.get("body")
            if body is None and isinstance(error, dict):
                body = error if "error" in error else {"error": error}
            return Said(custom_id, response["status_code"], body)
        code = str(error.get("code")) if isinstance(error, dict) else ""
        return Said(custom_id, problem=_PROBLEMS.get(code, MISSING))

    def send(self, file: str, name: str, begin: Callable[[], None]) -> str:
        """See ``Service``."""
        with open_file(file, follow=False) as opened:
            upload = self._api.files.create(file=opened, purpose="batch")
        begin()
        batch = self._once.batches.create(
            input_file_id=id_in(upload),
            endpoint=ROUTE,
            completion_window="24h",
            metadata={NAME_KEY: name},
        )
        return id_in(batch)

    def find(self, sought: Sought) -> Found:
        """See ``Service``. The name is in the metadata of a batch."""
        batches = self._api.batches.list(limit=100)
        for batch in sought.among(batches, lambda batch: batch.created_at):
            if (batch.metadata or {}).get(NAME_KEY) == sought.name:
                return Found(str(batch.id))
        return Found()

    def look(self, batch: str) -> Look:
        """See ``Service``."""
        seen = self._api.batches.retrieve(batch)
        status, counts, told = str(seen.status), seen.request_counts, ""
        if counts:
            done = count_of(counts.completed) + count_of(counts.failed)
            told = f"{done} of {count_of(counts.total)} done"
        rejected = _rejections(seen.errors, self._judge.secrets) if status == "failed" else ()
        return Look(status, status in ENDED, status == "cancelled", rejected, told)

    def fetch(self, batch: str) -> Iterator[bytes]:
        """See ``Service``."""
        seen = self._api.batches.retrieve(batch)
        for file in filter(None, (seen.output_file_id, seen.error_file_id)):
            with self._api.files.with_streaming_response.content(file) as response:
                yield from response.iter_bytes()
            yield b"\n"


def _rejections(errors: Any, secrets: Secrets) -> tuple[Rejection, ...]:
    """What the errors of a batch say; at least one, because the batch failed."""
    data = (errors.data if errors else None) or []
    found = tuple(
        Rejection(
            count_of(error.line),
            *(safe_text(str(t or ""), secrets) for t in (error.code, error.message, error.param)),
        )
        for error in data
    )
    return found or (Rejection(0, "", "the provider gave no reason"),)
