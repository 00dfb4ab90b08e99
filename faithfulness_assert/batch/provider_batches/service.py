"""What differs between the batch APIs of providers: their files, and how these are sent."""

from __future__ import annotations

import json
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, NamedTuple

from ...files import append_file, private_folder, to_disk
from ...judges.http import Answer
from ...judges.remote.answers import read_failure
from ...judges.remote.redaction import Secrets
from ...judges.remote.remote_judge import RemoteJudge
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


class Entry(NamedTuple):
    """What a line of an output file says about the ask with this id.

    ``answer``: status and body of an HTTP answer, or why there is none.
    """

    id: str
    answer: list[Any] | str


class Look(NamedTuple):
    """How a batch stands.

    Args:
        status: the provider's own word, and how much of it is done.
        ended: nothing more will come.
        cancelled: somebody stopped it. What was done before has answers.
        rejected: why the provider did not accept the file: lines of it, or 0, each with the
            ``code``, the ``message`` and the ``param`` of an error.
    """

    status: str
    ended: bool = False
    cancelled: bool = False
    rejected: Sequence[tuple[int, Mapping[str, str]]] = ()


class Search(NamedTuple):
    """What ``find`` came to: the id of the batch, or "" and the ids of those that may be it."""

    batch: str = ""
    undecided: tuple[str, ...] = ()


class Service(ABC):
    """A provider's batch API, with the address and the key of a judge.

    Its class alone knows the form of the files, also where somebody else carries them. Methods
    raise whatever the provider's SDK raises; see ``service_errors``.

    Attributes:
        provider: its name in ``JUDGES``.
        max_lines, max_bytes: what one batch may have. They are within the provider's own limits.
    """

    provider: ClassVar[str]
    max_lines: ClassVar[int]
    max_bytes: ClassVar[int]

    @staticmethod
    @abstractmethod
    def request(custom_id: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The line that asks for an answer to this body under this id."""

    @staticmethod
    @abstractmethod
    def entry(line: Mapping[str, Any]) -> Entry | None:
        """What a line of an output says; None if it is no such line."""

    def __init__(self, judge: RemoteJudge) -> None:
        self._judge = judge
        self._api = judge.batch_client()
        self._once = self._api.with_options(max_retries=0)  # a second batch would be paid for too

    def close(self) -> None:
        """Closes the connections."""
        if self._judge.own_client is None:
            self._api.close()

    @abstractmethod
    def send(self, file: str, name: str, begin: Callable[[], None]) -> str:
        """Sends a file of requests; returns the id of its batch. ``name`` is for ``find``.

        ``begin`` is called just before the request for which somebody pays.
        """

    @abstractmethod
    def find(
        self, name: str, lines: int, others: Sequence[str], has: Callable[[str], bool]
    ) -> Search:
        """Looks for a batch that may have been sent without our taking note of it.

        Args:
            name: the name under which it was sent.
            lines: how many requests it has.
            others: the ids of other batches.
            has: whether an ask with this id is in it.
        """

    @abstractmethod
    def look(self, batch: str) -> Look:
        """How a batch stands."""

    @abstractmethod
    def fetch(self, batch: str) -> Iterator[bytes]:
        """The output of a batch that has ended, in pieces. A blank line is between its files."""


class RequestFiles(ExitStack):
    """Writes requests into files, each with what a batch may have at most.

    Args:
        folder: of the files. What is in it is removed: it belongs to no round yet.
        form: of the requests.
    """

    def __init__(self, folder: Path, form: type[Service]) -> None:
        super().__init__()
        self._folder, self._form = folder, form
        self._file: BinaryIO | None = None
        self.files: list[dict[str, Any]] = []
        shutil.rmtree(folder, ignore_errors=True)

    def add(self, id: str, body: Mapping[str, Any]) -> str:
        """Adds the request with this id. Returns the name of its file."""
        data = self._form.request(id, body)
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        line = text.encode("utf-8", "backslashreplace") + b"\n"  # as JSON escapes a lone surrogate
        if (
            self._file is None
            or self.files[-1]["lines"] >= self._form.max_lines
            or self._file.tell() + len(line) > self._form.max_bytes
        ):
            self.finish()
            private_folder(self._folder)
            name = f"requests-{len(self.files) + 1:03}.jsonl"
            self._file = self.enter_context(append_file(self._folder / name))
            self.files.append({"name": name, "lines": 0})
        self._file.write(line)
        self.files[-1]["lines"] += 1
        return str(self.files[-1]["name"])

    def finish(self) -> None:
        """Makes sure that what was written survives a crash of the machine."""
        if self._file is not None:
            to_disk(self._file)
            self._file.close()


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


def read_line(form: type[Service], line: bytes, secrets: Secrets) -> Entry | None:
    """What a line of an output says, without secrets; None if it is no such line."""
    try:
        data = json.loads(secrets.out_of(line.decode("utf-8-sig")))
    except (ValueError, RecursionError):
        return None
    return form.entry(data) if isinstance(data, dict) else None


def id_in(answer: Any) -> str:
    """The id that a service gave to what it was sent. Raises ``ValueError`` if there is none."""
    if not isinstance(answer.id, str) or not answer.id:
        raise ValueError("it has no id")
    return answer.id


def count_of(number: object) -> int:
    """A count of a service; 0 if it gives none."""
    return number if isinstance(number, int) else 0
