"""The batch APIs of OpenAI and of Anthropic.

vLLM's ``run-batch`` and Gemini's compatible route share OpenAI's files. There a file is uploaded, a
batch is created from it, and its answers come in two files: answers, and errors. Either may be
missing, also of a batch that is completed. Anthropic's requests are one body, its results lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from ...files import open_file
from ...judges.remote.redaction import safe_text
from ...judges.remote.remote_judge import RemoteJudge
from ...judges.remote.sdk import load_sdk
from .service import (
    EXPIRED,
    MISSING,
    NOT_FOUND,
    NOT_RUN,
    Entry,
    Look,
    Search,
    Service,
    count_of,
    id_in,
    read_line,
)

ROUTE = "/v1/chat/completions"
NAME_KEY = "faithfulness_assert"
ENDED = ("failed", "completed", "expired", "cancelled")
_OPENAI_PROBLEMS = {"batch_expired": EXPIRED, "batch_cancelled": NOT_RUN}
PATH = "/v1/messages/batches"
_ANTHROPIC_PROBLEMS = {"expired": EXPIRED, "canceled": NOT_RUN}


# ---------------------------------------------------------------- OpenAI


class OpenAIBatches(Service):
    """OpenAI's batch API. See ``Service``."""

    provider, max_lines, max_bytes = "openai", 50_000, 200_000_000

    @staticmethod
    def request(custom_id: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """See ``Service``."""
        return {"custom_id": custom_id, "method": "POST", "url": ROUTE, "body": body}

    @staticmethod
    def entry(line: Mapping[str, Any]) -> Entry | None:
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
            return Entry(custom_id, [response["status_code"], body])
        code = str(error.get("code")) if isinstance(error, dict) else ""
        return Entry(custom_id, _OPENAI_PROBLEMS.get(code, MISSING))

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

    def find(self, name: str, *_: object) -> Search:
        """See ``Service``. The name is in the metadata of a batch."""
        for batch in self._api.batches.list(limit=100):
            if (batch.metadata or {}).get(NAME_KEY) == name:
                return Search(str(batch.id))
        return Search()

    def look(self, batch: str) -> Look:
        """See ``Service``."""
        seen = self._api.batches.retrieve(batch)
        status, counts, progress = str(seen.status), seen.request_counts, ""
        if counts:
            done = count_of(counts.completed) + count_of(counts.failed)
            progress = f" ({done} of {count_of(counts.total)} done)"
        rejected = self._rejections(seen.errors) if status == "failed" else ()
        return Look(f"{status}{progress}", status in ENDED, status == "cancelled", rejected)

    def _rejections(self, errors: Any) -> list[tuple[int, Mapping[str, str]]]:
        """What the errors of a batch say; at least one, because the batch failed."""
        names, secrets = ("code", "message", "param"), self._judge.secrets
        nothing = {
            **dict.fromkeys(names, ""),
            "message": "the provider gave no reason",
        }
        rejections: list[tuple[int, Mapping[str, str]]] = [
            (
                count_of(error.line),
                {name: safe_text(str(getattr(error, name) or ""), secrets) for name in names},
            )
            for error in (errors.data if errors else None) or ()
        ]
        return rejections or [(0, nothing)]

    def fetch(self, batch: str) -> Iterator[bytes]:
        """See ``Service``."""
        seen = self._api.batches.retrieve(batch)
        for file in filter(None, (seen.output_file_id, seen.error_file_id)):
            with self._api.files.with_streaming_response.content(file) as response:
                yield from response.iter_bytes()
            yield b"\n"


# ---------------------------------------------------------------- Anthropic


class AnthropicBatches(Service):
    """Anthropic's batch API. See ``Service``.

    It takes 100,000 requests and 256 MB. Less of it is held in memory at once.
    """

    provider, max_lines, max_bytes = "anthropic", 10_000, 32_000_000

    def __init__(self, judge: RemoteJudge) -> None:
        super().__init__(judge)
        self._not_ours: set[str] = set()  # batches that were found not to be ours

    @staticmethod
    def request(custom_id: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """See ``Service``."""
        return {"custom_id": custom_id, "params": body}

    @staticmethod
    def entry(line: Mapping[str, Any]) -> Entry | None:
        """See ``Service``."""
        custom_id, result = line.get("custom_id"), line.get("result")
        if not isinstance(custom_id, str) or "result" not in line:
            return None
        result = result if isinstance(result, dict) else {}
        if result.get("type") == "succeeded":
            return Entry(custom_id, [200, result.get("message")])
        if result.get("type") == "errored":
            return Entry(custom_id, [200, _error(result.get("error"))])  # its type says the status
        return Entry(custom_id, _ANTHROPIC_PROBLEMS.get(str(result.get("type")), MISSING))

    def send(self, file: str, name: str, begin: Callable[[], None]) -> str:  # noqa: ARG002 - there is no place for the name
        """See ``Service``."""
        with open_file(file, follow=False) as opened:
            requests = [json.loads(line) for line in opened]
        begin()
        return id_in(self._once.messages.batches.create(requests=requests))

    def find(
        self,
        name: str,  # noqa: ARG002 - a batch has none here
        lines: int,
        others: Sequence[str],
        has: Callable[[str], bool],
    ) -> Search:
        """See ``Service``. When it has ended, the ids of its answers show whose a batch is."""
        undecided = []
        for batch in self._api.messages.batches.list(limit=100):
            total = _total(batch.request_counts) if batch.request_counts else 0
            is_not_ours = batch.id in (*others, *self._not_ours) or batch.archived_at is not None
            if is_not_ours or total not in (0, lines):
                continue
            if not self.look(batch.id).ended:
                undecided.append(batch.id)
            elif has(self._an_id_in(batch.id)):
                return Search(batch.id)
            else:
                self._not_ours.add(batch.id)
        return Search(undecided=tuple(undecided))

    def _an_id_in(self, batch: str) -> str:
        """The id of an ask of a batch that has ended; "" if it has no answers any more."""
        try:
            with self._results(batch) as stream:
                for line in stream.response.iter_lines():
                    entry = read_line(type(self), line.encode(), self._judge.secrets)
                    if entry is not None:
                        return entry.id
        except Exception as error:
            if getattr(error, "status_code", None) != NOT_FOUND:
                raise
        return ""

    def look(self, batch: str) -> Look:
        """See ``Service``."""
        seen = self._api.messages.batches.retrieve(batch)
        status, counts = str(seen.processing_status), seen.request_counts
        total = _total(counts) if counts else 0
        progress = f" ({total - count_of(counts.processing)} of {total} done)" if total else ""
        cancelled = seen.cancel_initiated_at is not None
        return Look(f"{status}{progress}", status == "ended", cancelled)

    def fetch(self, batch: str) -> Iterator[bytes]:
        """See ``Service``."""
        with self._results(batch) as stream:
            yield from stream.response.iter_bytes()

    def _results(self, batch: str) -> Any:
        """The SDK's stream of the results of a batch, of which nothing has been read.

        The SDK's own method sends the key to whichever address the server names for them.
        """
        path, stream = f"{PATH}/{quote(batch, safe='')}/results", load_sdk("anthropic").Stream
        return self._api.get(path, cast_to=object, stream=True, stream_cls=stream[object])


def _error(error: object) -> object:
    """The body of an error answer: an object with ``error``. Some are wrapped in another one."""
    if isinstance(error, dict) and isinstance(error.get("error"), dict):
        return error
    return {"error": error or {"message": "the provider gave no reason", "type": "api_error"}}


def _total(counts: Any) -> int:
    parts = (counts.succeeded, counts.errored, counts.canceled, counts.expired)
    return sum(map(count_of, (counts.processing, *parts)))
