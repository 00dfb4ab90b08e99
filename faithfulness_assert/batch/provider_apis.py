"""The batch APIs of OpenAI and of Anthropic: the form of their files, and how these are sent.

Gemini's compatible route shares OpenAI's files. There a file is uploaded, a
batch is created from it, and its answers come in two files: answers, and errors. Either may be
missing, also of a batch that is completed. Anthropic's requests are one body, its results lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import IO, Any, NamedTuple
from urllib.parse import quote

from ..judges.http import Answer
from ..judges.remote.answers import read_failure
from ..judges.remote.redaction import Secrets, safe_text
from ..judges.remote.remote_judge import RemoteJudge
from ..judges.remote.sdk import load_sdk
from ..records.errors import JudgeError

MISSING, NOT_RUN = "missing", "not run"
"""Why an ask has no answer: it expired or is lost, or several differ; or nobody tried to answer."""
NOT_FOUND = 404
REFUSED = {*range(400, 500)} - {408, 409}
"""Statuses after which nothing has come of a request. After the two, something may have."""
CONNECTIONS_FAIL = {"APIConnectionError", "TransportError"}
"""Classes of the SDKs' errors, and of those of their HTTP client."""
ROUTE = "/v1/chat/completions"
NAME_KEY = "faithfulness_assert"
ENDED = ("failed", "completed", "expired", "cancelled", "ended")
MOST_PROBLEMS = 5


class Form(NamedTuple):
    """What differs between the batch APIs.

    Args:
        max_lines, max_bytes: what one batch may have, within the provider's own limits. (Of what
            Anthropic takes, less is held in memory at once.)
        batches: the part of a client of the SDK that asks about them.
        is_file: requests are a file, which is uploaded; the batch keeps the name that we give it.
    """

    max_lines: int
    max_bytes: int
    batches: Callable[[Any], Any]
    is_file: bool

    def line(self, custom_id: str, body: Mapping[str, Any]) -> bytes:
        """The line that asks for an answer to this body under this id."""
        request: dict[str, Any] = {"custom_id": custom_id, "params": body}
        if self.is_file:
            request = {"custom_id": custom_id, "method": "POST", "url": ROUTE, "body": body}
        text = json.dumps(request, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-8", "backslashreplace") + b"\n"  # as JSON escapes a lone surrogate


FORMS = {
    "openai": Form(50_000, 200_000_000, attrgetter("batches"), is_file=True),
    "anthropic": Form(10_000, 32_000_000, attrgetter("messages.batches"), is_file=False),
}
"""By the provider's name in ``JUDGES``."""
SERVICES = {f"{provider}-batch": provider for provider in FORMS}
"""The ways to a judge over a batch API, and its provider."""


# ---------------------------------------------------------------- what comes back


def read_line(line: bytes, secrets: Secrets) -> tuple[str, list[Any] | str]:
    """What a line of an output says, without secrets: the id of its ask ("" if it is no such line),
    and status and body of an HTTP answer, or why there is none.

    The type of an error of Anthropic is its status; some are wrapped in another one.
    """
    try:
        data = json.loads(secrets.out_of(line.decode("utf-8-sig")))
    except (ValueError, RecursionError):
        data = None
    match data:
        case {"custom_id": str(id), "response": {"status_code": int(status), **rest}}:
            return id, [status, rest.get("body")]
        case {"custom_id": str(id), "result": {"type": "succeeded", "message": message}}:
            return id, [200, message]
        case {"custom_id": str(id), "result": {"type": "errored", "error": {"error": dict()} as e}}:
            return id, [200, e]
        case {"custom_id": str(id), "result": {"type": "errored", "error": error}}:
            return id, [200, {"error": error}]
        case {"custom_id": str(id), "result": {"type": "canceled"}} | {
            "custom_id": str(id),
            "error": {"code": "batch_cancelled"},
        }:
            return id, NOT_RUN
        case {"custom_id": str(id)}:
            return id, MISSING
    return "", MISSING


class Look(NamedTuple):
    """How a batch stands.

    Args:
        status: the provider's own word, how much of it is done, and why it was refused.
        ended: nothing more will come.
        left_out: somebody stopped it, and what was done before has answers; or it was refused.
        outputs: the paths of what came of it.
    """

    status: str
    ended: bool
    left_out: bool
    outputs: Sequence[str]


# ---------------------------------------------------------------- asked by the SDK of the provider


class BatchAPI:
    """A provider's batch API, with the address and the key of a judge. ``form``: of its requests.

    Methods raise whatever the provider's SDK raises; see ``service_errors``.
    """

    def __init__(self, judge: RemoteJudge) -> None:
        self._secrets, self._sdk = judge.secrets, load_sdk(judge.provider)
        self.form = FORMS[judge.provider]
        self._api = judge.batch_client()
        self._batches = self.form.batches(self._api)

    def close(self) -> None:
        """Closes the connections."""
        self._api.close()

    def send(self, file: IO[bytes], name: str) -> str:
        """Creates the batch of requests, a line each, for which somebody pays. Returns its id.

        ``name``: for ``find``.
        """
        file.seek(0)
        if self.form.is_file:
            upload = self._api.files.create(file=("requests.jsonl", file), purpose="batch")
            given = {
                "input_file_id": self._id_in({"id": upload.id}),
                "endpoint": ROUTE,
                "completion_window": "24h",
                "metadata": {NAME_KEY: name},
            }
        else:
            given = {"requests": [json.loads(line) for line in file]}
        once = self.form.batches(self._api.with_options(max_retries=0))
        return self._id_in(once.create(**given).to_dict())

    def find(
        self, name: str, lines: int, others: Sequence[str], has: Callable[[str], bool]
    ) -> tuple[str, Sequence[str]]:
        """Looks for a batch that may have been sent without our taking note of it.

        Where batches have no names, the ids of the answers of one that has ended show whose it is.

        It was sent under this ``name``, with so many ``lines``; ``others`` are the ids of other
        batches, and ``has`` tells whether an ask with an id is in it.

        Returns:
            Its id, or "" and the ids of those that may be it.
        """
        undecided = []
        for each in self._batches.list(limit=100):
            batch = each.to_dict()
            id = self._id_in(batch)
            if self.form.is_file:
                if (batch.get("metadata") or {}).get(NAME_KEY) == name:
                    return id, ()
            elif id not in others and _done(batch)[1] in (0, lines):
                look = self.look(id)
                if not look.ended:
                    undecided.append(id)
                elif has(self._an_id_in(look)):
                    return id, ()
        return "", undecided

    def _id_in(self, answer: Any) -> str:
        """The id that the service gave to what it was sent.

        Raises:
            ValueError: there is none, or the key is in it.
        """
        id = answer["id"]
        if not isinstance(id, str) or not id or self._secrets.out_of(id) != id:
            raise ValueError("it has no id, or one with the key in it")
        return id

    def _an_id_in(self, look: Look) -> str:
        """The id of an ask of a batch that has ended; "" if it has no answers any more."""
        try:
            with self._stream(look.outputs[0]) as stream:
                ids = (read_line(text.encode(), self._secrets)[0] for text in stream.iter_lines())
                return next(filter(None, ids), "")
        except self._sdk.NotFoundError:
            return ""

    def look(self, batch: str) -> Look:
        """How a batch stands."""
        seen = self._batches.retrieve(batch).to_dict()
        status, (done, total) = str(seen.get("status") or seen["processing_status"]), _done(seen)
        outputs = [f"/v1/messages/batches/{quote(batch, safe='')}/results"]
        if self.form.is_file:
            files = filter(None, (seen.get("output_file_id"), seen.get("error_file_id")))
            outputs = [f"/files/{quote(str(file), safe='')}/content" for file in files]
        cancelled = status == "cancelled" or seen.get("cancel_initiated_at") is not None
        told = f"{status} ({done} of {total} done)" if total else status
        if status == "failed":
            errors = (seen.get("errors") or {}).get("data") or []
            told += f"; refused: {safe_text(json.dumps(errors[:MOST_PROBLEMS]), self._secrets)}"
        ended = status in ENDED
        return Look(told, ended, ended and (cancelled or status == "failed"), outputs)

    def fetch(self, look: Look) -> Iterator[bytes]:
        """The output of a batch that has ended, in pieces. A blank line is between its files."""
        for path in look.outputs:
            with self._stream(path) as response:
                yield from response.iter_bytes()
            yield b"\n"

    @contextmanager
    def _stream(self, path: str) -> Iterator[Any]:
        """The response with what is at a path, of which nothing has been read.

        Anthropic's own method sends the key to whichever address the server names for results.
        """
        kind = self._sdk.Stream[object]
        with self._api.get(path, cast_to=object, stream=True, stream_cls=kind) as stream:
            yield stream.response


def _done(batch: Mapping[str, Any]) -> tuple[int, int]:
    """How many requests of a batch are done, and how many it has; 0 if that is not told."""
    told = batch.get("request_counts") or {}
    counts = {name: number for name, number in told.items() if isinstance(number, int)}
    waiting, total = counts.pop("processing", 0), counts.pop("total", 0)
    done = sum(counts.values())
    return done, total or done + waiting


# ---------------------------------------------------------------- errors


@contextmanager
def service_errors(secrets: Secrets) -> Iterator[None]:
    """Put around calls of an SDK: whatever it raises becomes a ``JudgeError`` without secrets."""
    try:
        yield
    except JudgeError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever an SDK raises
        response: Any = getattr(error, "response", None)
        text, classes = str(error), {kind.__name__ for kind in type(error).__mro__}
        if "APIStatusError" in classes:
            body = getattr(error, "body", None)
            data = body if isinstance(body, dict) else {"message": text}
            failure: JudgeError = read_failure(Answer(response.status_code, response.headers), data)
        elif classes & CONNECTIONS_FAIL or isinstance(error, OSError):
            problem = f"no connection to the provider: {text.rstrip('.')}"
            failure = JudgeError(problem, "transport", retryable=True)
        else:
            problem = f"the batch API's answer cannot be read ({type(error).__name__}: {text})"
            failure = JudgeError(problem, "transport", fix="Check base_url.")
        raise secrets.out_of_outcome(failure) from None
