"""The batch APIs of OpenAI and of Anthropic: the form of their files, and how these are sent.

vLLM's ``run-batch`` and Gemini's compatible route share OpenAI's files. There a file is uploaded, a
batch is created from it, and its answers come in two files: answers, and errors. Either may be
missing, also of a batch that is completed. Anthropic's requests are one body, its results lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import quote

from ...files import open_file
from ...judges.http import Answer
from ...judges.remote.answers import read_failure
from ...judges.remote.redaction import Secrets, safe_text
from ...judges.remote.remote_judge import RemoteJudge
from ...judges.remote.sdk import load_sdk
from ...records.errors import JudgeError

EXPIRED, MISSING, NOT_RUN = "expired", "missing", "not run"
"""Why an ask has no answer. Only the first two count as tries: the provider had the ask."""
NOT_FOUND = 404
NO_CONNECTION = {"ConnectError", "ConnectTimeout", "PoolTimeout"}
"""Classes of errors of HTTP clients before anything was sent."""
UNDECIDED = (408, 409)
"""Statuses of a refusal after which something may have come of the request all the same."""
CONNECTIONS_FAIL = {"APIConnectionError", "TransportError"}
"""Classes of the SDKs' errors, and of those of their HTTP client."""
ROUTE = "/v1/chat/completions"
NAME_KEY = "faithfulness_assert"
ENDED = ("failed", "completed", "expired", "cancelled")
PATH = "/v1/messages/batches"
NO_REASON = "the provider gave no reason"
_PROBLEMS = {
    "batch_expired": EXPIRED,
    "batch_cancelled": NOT_RUN,
    "expired": EXPIRED,
    "canceled": NOT_RUN,
}
"""By the words of both."""


class Entry(NamedTuple):
    """What a line of an output file says about the ask with this id.

    ``answer``: status and body of an HTTP answer, or why there is none.
    """

    id: str
    answer: list[Any] | str


class Rejected(NamedTuple):
    """Why a provider did not accept a file, in its own words. ``line``: of the file, or 0."""

    line: int = 0
    code: str = ""
    message: str = NO_REASON
    param: str = ""


class Look(NamedTuple):
    """How a batch stands.

    Args:
        status: the provider's own word, and how much of it is done.
        ended: nothing more will come.
        cancelled: somebody stopped it. What was done before has answers.
        rejected: why the provider did not accept the file.
    """

    status: str
    ended: bool = False
    cancelled: bool = False
    rejected: Sequence[Rejected] = ()


class BatchAPI:
    """OpenAI's batch API, with the address and the key of a judge.

    The class alone knows the form of the files, also where somebody else carries them. Methods
    raise whatever the provider's SDK raises; see ``service_errors``.

    Attributes:
        provider: its name in ``JUDGES``.
        max_lines, max_bytes: what one batch may have. They are within the provider's own limits.
    """

    provider, max_lines, max_bytes = "openai", 50_000, 200_000_000

    def __init__(self, judge: RemoteJudge) -> None:
        self._judge = judge
        self._api = judge.batch_client()
        self._once = self._api.with_options(max_retries=0)  # a second batch would be paid for too

    def close(self) -> None:
        """Closes the connections."""
        if self._judge.own_client is None:
            self._api.close()

    @staticmethod
    def request(custom_id: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The line that asks for an answer to this body under this id."""
        return {"custom_id": custom_id, "method": "POST", "url": ROUTE, "body": body}

    @staticmethod
    def answer_in(line: Mapping[str, Any]) -> list[Any] | str | None:
        """What a line of an output says about its ask; None if it is no such line.

        A line with an HTTP status has an answer or an error in its body; its ``error`` is null.
        vLLM has the error of such a line under ``error``, and no body.
        """
        response, error = line.get("response"), line.get("error")
        if not ("response" in line or "error" in line):
            return None
        if isinstance(response, dict) and isinstance(response.get("status_code"), int):
            body = response.get("body")
            if body is None and isinstance(error, dict):
                body = error if "error" in error else {"error": error}
            return [response["status_code"], body]
        code = str(error.get("code")) if isinstance(error, dict) else ""
        return _PROBLEMS.get(code, MISSING)

    def send(self, file: str, name: str, begin: Callable[[], None]) -> str:
        """Sends a file of requests; returns the id of its batch. ``name`` is for ``find``.

        ``begin`` is called just before the request for which somebody pays.
        """
        with open_file(file, follow=False) as opened:
            upload = self._api.files.create(file=opened, purpose="batch")
        begin()
        batch = self._once.batches.create(
            input_file_id=_id_in(upload),
            endpoint=ROUTE,
            completion_window="24h",
            metadata={NAME_KEY: name},
        )
        return _id_in(batch)

    def find(
        self,
        name: str,
        lines: int,  # noqa: ARG002 - the name is in the metadata of a batch
        others: Sequence[str],  # noqa: ARG002
        has: Callable[[str], bool],  # noqa: ARG002
    ) -> tuple[str, Sequence[str]]:
        """Looks for a batch that may have been sent without our taking note of it.

        Args:
            name: the name under which it was sent.
            lines: how many requests it has.
            others: the ids of other batches.
            has: whether an ask with this id is in it.

        Returns:
            Its id, or "" and the ids of those that may be it.
        """
        for batch in self._api.batches.list(limit=100):
            if (batch.metadata or {}).get(NAME_KEY) == name:
                return str(batch.id), ()
        return "", ()

    def look(self, batch: str) -> Look:
        """How a batch stands."""
        seen = self._api.batches.retrieve(batch)
        status, counts, progress = str(seen.status), seen.request_counts, ""
        if counts:
            done = _count_of(counts.completed) + _count_of(counts.failed)
            progress = f" ({done} of {_count_of(counts.total)} done)"
        rejected: list[Rejected] = []
        if status == "failed":
            errors, secrets = (seen.errors.data if seen.errors else None) or (), self._judge.secrets
            for e in errors:
                words = (
                    safe_text(str(word or ""), secrets) for word in (e.code, e.message, e.param)
                )
                rejected.append(Rejected(_count_of(e.line), *words))
            rejected = rejected or [Rejected()]
        return Look(f"{status}{progress}", status in ENDED, status == "cancelled", rejected)

    def fetch(self, batch: str) -> Iterator[bytes]:
        """The output of a batch that has ended, in pieces. A blank line is between its files."""
        seen = self._api.batches.retrieve(batch)
        for file in filter(None, (seen.output_file_id, seen.error_file_id)):
            with self._api.files.with_streaming_response.content(file) as response:
                yield from response.iter_bytes()
            yield b"\n"

    @classmethod
    def entry(cls, line: bytes, secrets: Secrets) -> Entry | None:
        """What a line of an output says, without secrets; None if it is no such line."""
        try:
            data = json.loads(secrets.out_of(line.decode("utf-8-sig")))
        except (ValueError, RecursionError):
            return None
        custom_id = data.get("custom_id") if isinstance(data, dict) else None
        answer = cls.answer_in(data) if isinstance(custom_id, str) else None
        return None if answer is None else Entry(str(custom_id), answer)


class AnthropicBatchAPI(BatchAPI):
    """Anthropic's. It takes 100,000 requests and 256 MB; less of it is held in memory at once."""

    provider, max_lines, max_bytes = "anthropic", 10_000, 32_000_000

    @staticmethod
    def request(custom_id: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """See ``BatchAPI``."""
        return {"custom_id": custom_id, "params": body}

    @staticmethod
    def answer_in(line: Mapping[str, Any]) -> list[Any] | str | None:
        """See ``BatchAPI``. Some errors are wrapped in another one."""
        if "result" not in line:
            return None
        result = line["result"] if isinstance(line["result"], dict) else {}
        if result.get("type") == "succeeded":
            return [200, result.get("message")]
        if result.get("type") != "errored":
            return _PROBLEMS.get(str(result.get("type")), MISSING)
        error = result.get("error")
        if not (isinstance(error, dict) and isinstance(error.get("error"), dict)):
            error = {"error": error or {"message": NO_REASON, "type": "api_error"}}
        return [200, error]  # its type says the status

    def send(self, file: str, name: str, begin: Callable[[], None]) -> str:  # noqa: ARG002 - there is no place for the name
        """See ``BatchAPI``."""
        with open_file(file, follow=False) as opened:
            requests = [json.loads(line) for line in opened]
        begin()
        return _id_in(self._once.messages.batches.create(requests=requests))

    def find(
        self,
        name: str,  # noqa: ARG002 - a batch has none here
        lines: int,
        others: Sequence[str],
        has: Callable[[str], bool],
    ) -> tuple[str, Sequence[str]]:
        """See ``BatchAPI``. When it has ended, the ids of its answers show whose a batch is."""
        undecided = []
        for batch in self._api.messages.batches.list(limit=100):
            total = _total(batch.request_counts) if batch.request_counts else 0
            if batch.id in others or batch.archived_at is not None or total not in (0, lines):
                continue
            if not self.look(batch.id).ended:
                undecided.append(batch.id)
            elif has(self._an_id_in(batch.id)):
                return batch.id, ()
        return "", undecided

    def _an_id_in(self, batch: str) -> str:
        """The id of an ask of a batch that has ended; "" if it has no answers any more."""
        try:
            with self._results(batch) as stream:
                for line in stream.response.iter_lines():
                    if entry := self.entry(line.encode(), self._judge.secrets):
                        return entry.id
        except Exception as error:
            if getattr(error, "status_code", None) != NOT_FOUND:
                raise
        return ""

    def look(self, batch: str) -> Look:
        """See ``BatchAPI``."""
        seen = self._api.messages.batches.retrieve(batch)
        status, counts = str(seen.processing_status), seen.request_counts
        total = _total(counts) if counts else 0
        progress = f" ({total - _count_of(counts.processing)} of {total} done)" if total else ""
        cancelled = seen.cancel_initiated_at is not None
        return Look(f"{status}{progress}", status == "ended", cancelled)

    def fetch(self, batch: str) -> Iterator[bytes]:
        """See ``BatchAPI``."""
        with self._results(batch) as stream:
            yield from stream.response.iter_bytes()

    def _results(self, batch: str) -> Any:
        """The SDK's stream of the results of a batch, of which nothing has been read.

        The SDK's own method sends the key to whichever address the server names for them.
        """
        path, stream = f"{PATH}/{quote(batch, safe='')}/results", load_sdk("anthropic").Stream
        return self._api.get(path, cast_to=object, stream=True, stream_cls=stream[object])


def _total(counts: Any) -> int:
    parts = (counts.succeeded, counts.errored, counts.canceled, counts.expired)
    return sum(map(_count_of, (counts.processing, *parts)))


def _count_of(number: object) -> int:
    """A count of a service; 0 if it gives none."""
    return number if isinstance(number, int) else 0


def _id_in(answer: Any) -> str:
    """The id that a service gave to what it was sent. Raises ``ValueError`` if there is none."""
    if not isinstance(answer.id, str) or not answer.id:
        raise ValueError("it has no id")
    return answer.id


# ---------------------------------------------------------------- errors


@contextmanager
def service_errors(secrets: Secrets) -> Iterator[None]:
    """Put around calls of an SDK: whatever it raises becomes a ``JudgeError`` without secrets."""
    try:
        yield
    except JudgeError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever an SDK raises
        status, response = getattr(error, "status_code", None), getattr(error, "response", None)
        text = str(error) or type(error).__name__
        classes = {kind.__name__ for kind in type(error).__mro__}
        if isinstance(status, int) and response is not None:
            body = getattr(error, "body", None)
            data = body if isinstance(body, dict) else {"message": str(error)}
            failure: JudgeError = read_failure(Answer(status, response.headers, b""), data)
        elif classes & CONNECTIONS_FAIL or isinstance(error, OSError):
            problem = f"no connection to the provider: {text.rstrip('.')}"
            failure = JudgeError(problem, "transport", retryable=True)
        else:
            problem = f"the batch API's answer cannot be read ({type(error).__name__}: {text})"
            failure = JudgeError(problem, "transport", fix="Check base_url.")
        raise secrets.out_of_outcome(failure) from None


def is_refused(error: BaseException | None) -> bool:
    """Whether an error of an SDK means that nothing came of a request."""
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return 400 <= status < 500 and status not in UNDECIDED
    while error is not None:
        if type(error).__name__ in NO_CONNECTION:
            return True
        error = error.__cause__ or error.__context__
    return False
