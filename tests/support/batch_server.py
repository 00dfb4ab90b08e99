"""An HTTP server on the loopback device that plays the batch APIs of OpenAI and Anthropic.

It takes files and batches as they do, answers each ask as the online API beside it would, and has
their faults: see :class:`Faults`. It notes what a customer would pay for.
"""

import json
import random
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from typing import Any
from urllib.parse import parse_qs, urlsplit

import true_server
from loopback import Answer, Loopback, Request, good_reply
from true_server import text_of

CHAT, MESSAGES = "/v1/chat/completions", "/v1/messages"
KINDS = ("expired", "missing", "doubled", "miskeyed", "limited")
Body = dict[str, Any]
Model = Callable[[str, Body], tuple[int, Body]]
"""What answers: from a path and a body to a status and a body."""


def truthful(path: str, body: Body) -> tuple[int, Body]:
    """The reply of a model that is right about what it is shown (see ``true_server.said``)."""
    text = text_of(Request(path, {}, body))
    reply = json.dumps(true_server.said(text))
    names = ("input", "output") if path == MESSAGES else ("prompt", "completion")
    usage = {f"{names[0]}_tokens": len(text) // 4, f"{names[1]}_tokens": len(reply) // 4}
    answer = good_reply(Request(path, {}, body), reply, usage=usage)
    return answer.status, answer.body


@dataclass
class Faults:
    """Which lines of an output are not as they should be.

    Args:
        share: of the lines, from 0 to 1.
        kinds: which faults there are, in equal parts.
        seed: the same one gives the same faults.
        until: the round in which the last fault happens; later ones have none.
    """

    share: float = 0.0
    kinds: Sequence[str] = KINDS
    seed: int = 0
    until: int = 2
    happened: Counter[str] = field(default_factory=Counter)

    def of(self, custom_id: str) -> str:
        """The fault of a line; "" for none."""
        rng = random.Random(f"{self.seed} {custom_id.rpartition('-')[0]}")  # its token is random
        if int(custom_id.partition("-")[0]) > self.until or rng.random() >= self.share:
            return ""
        kind = rng.choice(list(self.kinds))
        self.happened[kind] += 1
        return kind


@dataclass
class Batch:
    """A batch that was created: its requests, and how it stands."""

    id: str
    asks: list[tuple[str, Body]]
    fields: Body
    looks: int = 0
    lists: int = 0
    cancelled: bool = False
    files: dict[str, str | None] = field(default_factory=dict)


class BatchServer:
    """The server, as a context manager. ``url`` is the ``base_url`` of OpenAI's API, ``root`` of Anthropic's.

    Args:
        model: answers each ask, online and in batches.
        faults: of the lines of outputs.
        looks: how often a batch is looked at before it has ended.
        refuse: says why a file is not accepted, as OpenAI's ``errors.data``; () if it is.
        clock: seconds by which it is ahead of this machine.
        lag: how many lists are shown without a new batch.
    """

    def __init__(
        self,
        model: Model = truthful,
        faults: Faults | None = None,
        looks: int = 1,
        refuse: Callable[[Sequence[Body]], Sequence[Body]] = lambda _: (),
        *,
        clock: float = 0.0,
        lag: int = 0,
    ) -> None:
        self.clock, self.lag = clock, lag
        self.model, self.faults, self.looks, self.refuse = model, faults or Faults(), looks, refuse
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Batch] = {}
        self.requests: list[tuple[str, str]] = []
        self.billed: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.break_at: tuple[int, str] | None = None
        """At which request the connection breaks: ``before`` or ``after`` it is served, or ``within`` its answer."""
        self.lock = threading.RLock()
        self._loopback = Loopback(self._reply, models=self._reply)
        self.root, self.url = self._loopback.root, self._loopback.url

    def __enter__(self) -> "BatchServer":
        self._loopback.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._loopback.__exit__(*error)

    # ------------------------------------------------------------ answers

    def ask(self, path: str, body: Body) -> tuple[int, Body]:
        """The answer to an ask, which is paid for if it is one."""
        status, answer = self.model(path, body)
        usage = answer.get("usage") or {}
        for name, tokens in usage.items():
            self.billed[{"input_tokens": "prompt_tokens"}.get(name, name)] += tokens
        self.billed["asks"] += 1
        return status, answer

    def outputs(self, batch: Batch, path: str) -> tuple[list[Body], list[Body]]:
        """The lines of the output file and of the error file of OpenAI's API."""
        said: list[tuple[str, str, int, Body]] = []
        for custom_id, body in batch.asks:
            kind = "cancelled" if batch.cancelled else self.faults.of(custom_id)
            if kind in ("expired", "missing", "cancelled"):
                said.append((custom_id, kind, 0, {}))
            elif kind == "limited":
                error = {"message": "Rate limit reached", "type": "rate_limit_error", "code": None}
                said.append((custom_id, kind, 429, {"error": error}))
            else:
                self.answered[custom_id] += 1
                said.append((custom_id, kind, *self.ask(path, body)))
        lines = [line for entry in _miskeyed(said) for line in _lines(*entry)]
        random.Random(len(lines)).shuffle(lines)
        good: list[Body] = []
        bad: list[Body] = []
        for line in lines:
            answered = (line["response"] or {}).get("status_code") == 200
            (good if answered else bad).append(line)
        return good, bad

    # ------------------------------------------------------------ OpenAI's routes

    def upload(self, content: bytes) -> Body:
        name = f"file-{len(self.files) + 1}"
        self.files[name] = content
        return {"id": name, "object": "file", "bytes": len(content), "created_at": 1}

    def create(self, body: Body) -> Body:
        assert body["completion_window"] == "24h"
        lines = [json.loads(line) for line in self.files[body["input_file_id"]].splitlines()]
        assert {line["url"] for line in lines} == {body["endpoint"]}
        errors = list(self.refuse(lines))
        fields = {**body, "errors": errors, "created_at": int(self._now().timestamp())}
        return self._openai(
            self._add([(line["custom_id"], line["body"]) for line in lines], fields)
        )

    def retrieve(self, batch: Batch) -> Body:
        batch.looks += 1
        if batch.looks > self.looks and not batch.files and not batch.fields["errors"]:
            for name, lines in zip(("output", "error"), self.outputs(batch, CHAT), strict=True):
                text = "".join(f"{json.dumps(line)}\n" for line in lines)
                batch.files[name] = self.upload(text.encode())["id"] if lines else None
            batch.asks = [(custom_id, {}) for custom_id, _ in batch.asks]
        return self._openai(batch)

    def _openai(self, batch: Batch) -> Body:
        status = "validating" if batch.looks == 0 else "in_progress"
        if batch.files:
            late = any(self.faults.of(custom_id) == "expired" for custom_id, _ in batch.asks)
            status = "cancelled" if batch.cancelled else "expired" if late else "completed"
        errors = batch.fields["errors"]
        status = "failed" if errors else status
        return {
            "id": batch.id,
            "object": "batch",
            "status": status,
            "errors": {"object": "list", "data": errors} if errors else None,
            "output_file_id": batch.files.get("output"),
            "error_file_id": batch.files.get("error"),
            "request_counts": {
                "total": len(batch.asks),
                "completed": len(batch.asks) if batch.files else 0,
                "failed": 0,
            },
            **{k: batch.fields.get(k) for k in ("endpoint", "input_file_id", "completion_window")},
            **{k: batch.fields.get(k) for k in ("metadata", "created_at")},
        }

    # ------------------------------------------------------------ Anthropic's routes

    def create_messages(self, body: Body) -> Body:
        asks = [(entry["custom_id"], entry["params"]) for entry in body["requests"]]
        assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", custom_id) for custom_id, _ in asks)
        return self._anthropic(self._add(asks, {"created_at": self._now().isoformat()}))

    def retrieve_messages(self, batch: Batch) -> Body:
        batch.looks += 1
        if batch.looks > self.looks and not batch.files:
            good, bad = self.outputs(batch, MESSAGES)
            results = [_anthropic_line(line) for line in (*good, *bad)]
            text = "".join(f"{json.dumps(line)}\n" for line in results)
            batch.files["output"] = self.upload(text.encode())["id"]
        return self._anthropic(batch)

    def _anthropic(self, batch: Batch) -> Body:
        done = bool(batch.files)
        names = ("processing", "succeeded", "errored", "canceled", "expired")
        counts = {**dict.fromkeys(names, 0), names[done]: len(batch.asks)}
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": "ended" if done else "in_progress",
            "request_counts": counts,
            "results_url": f"{self.root}{MESSAGES}/batches/{batch.id}/results" if done else None,
            "created_at": batch.fields["created_at"],
            "expires_at": batch.fields["created_at"],
            "cancel_initiated_at": batch.fields["created_at"] if batch.cancelled else None,
            **dict.fromkeys(("ended_at", "archived_at")),
        }

    def _add(self, asks: list[tuple[str, Body]], fields: Body) -> Batch:
        assert len({custom_id for custom_id, _ in asks}) == len(asks)
        batch = Batch(f"batch_{len(self.batches) + 1}", asks, fields)
        self.batches[batch.id] = batch
        return batch

    def _now(self) -> datetime:
        return datetime.now(timezone.utc) + timedelta(seconds=self.clock)

    # ------------------------------------------------------------ requests

    def _reply(self, request: Request) -> Answer:
        """The answer to a request, or as much of it as comes before the connection breaks."""
        with self.lock:
            self.requests.append((request.method, request.path))
            at, when = self.break_at or (0, "")
            breaks = len(self.requests) == at
            if breaks and when == "before":
                return Answer(raw=b"", end="close")
            status, body = self.serve(request.method, request.path, request.content)
        answer = Answer(body, status)
        if not breaks:
            return answer
        sent = b"".join(answer.parts())[: -len(body) // 2] if when == "within" else b""
        return replace(answer, raw=sent, end="close")

    def serve(self, method: str, url: str, content: bytes) -> tuple[int, bytes]:
        """The answer to an HTTP request."""
        path = urlsplit(url).path
        parts = path.strip("/").split("/")[1:]
        if method == "POST":
            if parts == ["files"]:
                return _json(self.upload(_file_in(content)))
            status, answer = 200, json.loads(content)
            if path in (CHAT, MESSAGES):
                status, answer = self.ask(path, answer)
            elif parts == ["batches"]:
                answer = self.create(answer)
            else:
                answer = self.create_messages(answer)
            return _json(answer, status)
        if parts[0] == "files":
            return 200, self.files[parts[1]]
        anthropic = parts[0] == "messages"
        named = parts[2:] if anthropic else parts[1:]
        if not named:
            return _json(self._page(anthropic, parse_qs(urlsplit(url).query)))
        batch = self.batches[named[0]]
        if named[1:] == ["results"]:
            return 200, self.files[str(batch.files["output"])]
        return _json(self.retrieve_messages(batch) if anthropic else self.retrieve(batch))

    def _page(self, anthropic: bool, query: Mapping[str, Sequence[str]]) -> Body:
        """A page of two batches, the newest first."""
        show = self._anthropic if anthropic else self._openai
        for batch in self.batches.values():
            batch.lists += 1
        data = [show(batch) for batch in reversed(self.batches.values()) if batch.lists > self.lag]
        last = query.get("after_id" if anthropic else "after", [""])[0]
        rest = data[[batch["id"] for batch in data].index(last) + 1 :] if last else data
        shown = {"data": rest[:2], "has_more": len(rest) > 2, "object": "list"}
        return {**shown, "last_id": rest[:2][-1]["id"] if rest else None}


def _json(data: Body, status: int = 200) -> tuple[int, bytes]:
    return status, json.dumps(data).encode()


def _file_in(content: bytes) -> bytes:
    """The file in a multipart form; its part has a file name."""
    boundary = content[: content.index(b"\r\n")]
    part = next(part for part in content.split(boundary) if b"filename=" in part[:300])
    assert b'name="purpose"\r\n\r\nbatch\r\n' in content
    return part[part.index(b"\r\n\r\n") + 4 : -2]


def _miskeyed(said: Sequence[tuple[str, str, int, Body]]) -> list[tuple[str, str, int, Body]]:
    """The entries; those whose fault it is have each other's answers."""
    places = [place for place, entry in enumerate(said) if entry[1] == "miskeyed"]
    if len(places) == 1 and len(said) > 1:
        places.append((places[0] + 1) % len(said))
    turned = list(said)
    for place, other in zip(places, [*places[1:], *places[:1]], strict=True):
        turned[place] = (*said[place][:2], *said[other][2:])
    return turned


def _lines(custom_id: str, kind: str, status: int, body: Body) -> list[Body]:
    """The lines of an entry in OpenAI's form."""
    if kind == "missing":
        return []
    line: Body = {"id": f"r-{custom_id}", "custom_id": custom_id, "response": None, "error": None}
    if status:
        line["response"] = {"status_code": status, "request_id": "r", "body": body}
    else:
        line["error"] = {"code": f"batch_{kind}", "message": f"It is {kind}."}
    return [line, line] if kind == "doubled" else [line]


def _anthropic_line(line: Body) -> Body:
    """The same line in Anthropic's form."""
    response, error = line["response"], line["error"]
    if error:
        result: Body = {"type": {"batch_cancelled": "canceled"}.get(error["code"], "expired")}
    elif response["status_code"] == 200:
        result = {"type": "succeeded", "message": response["body"]}
    else:
        inner = {"type": "rate_limit_error", **response["body"]["error"]}
        result = {"type": "errored", "error": {"type": "error", "error": inner}}
    return {"custom_id": line["custom_id"], "result": result}
