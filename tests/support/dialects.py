"""Imitations of servers with OpenAI's API. Each does what its row in ``fixtures/dialects.json`` says.

Behind each is the same truthful model. A row has: where the server is (``base_url``), its ``model``,
what it writes beside the reply (``headers``, fields of ``reply``, ``choice``, ``message``, ``usage``,
``before_text``), the parameters that it ``rejects`` or ``ignores``, the form in which it ``keeps`` a
schema ("" where it ignores one), and its ``errors``. What is rejected is a parameter, or with
``when`` what has this text in it. ``ways``: how else such servers answer, as changes of the row with
``place`` (where the reply is), ``thinks`` (so many tokens first, in the field ``thought`` of the
message), ``unless`` (a parameter without which the reply is in its usual place), ``told`` (words of
the warnings) and ``options`` of the judge.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest
from loopback import Answer, Loopback, Request
from rows import rows
from true_server import said, text_of

Row = dict[str, Any]
ROWS: dict[str, Row] = {row["id"]: row for row in rows("dialects")}
KEY, FORBIDDEN = "sk-imitated-0123456789", "the forbidden word"


@dataclass(frozen=True)
class Imitation:
    """A server in the dialect of a row.

    Args:
        window: the tokens that a prompt and its reply may have together; a token has 4 characters.
        always: the error of the row that every request gets.
    """

    row: Row
    window: int = 100_000
    always: str = ""

    def __call__(self, request: Request) -> Answer:
        base = urlsplit(self.row["base_url"]).path
        if problem := self._problem(request):
            return self._error(problem, request)
        if urlsplit(request.path).path != f"{base}/chat/completions":
            return self._answer({"error": {"message": "not found"}}, 404)
        known = {n: v for n, v in request.body.items() if n not in self.row.get("ignores", ())}
        for name, error in self.row.get("rejects", {}).items():
            if error["when"] in json.dumps(known) if "when" in error else name in known:
                return self._answer(error["body"], error["status"])
        return self._answer(self._completion(request))

    def _problem(self, request: Request) -> str:
        """The error of the row that a request gets, or ""."""
        errors = self.row["errors"]
        if self.always:
            return self.always
        sent = request.headers.get("authorization", "").removeprefix("Bearer ")
        if "wrong_key" in errors and sent != KEY:
            return "wrong_key"
        if request.body.get("model") != self.row["model"] and "unknown_model" in errors:
            return "unknown_model"
        if FORBIDDEN in text_of(request) and "filtered" in errors:
            return "filtered"
        total = tokens(request) + cap_of(request)
        too_long = total > self.window and isinstance(errors["too_long"], dict)
        return "too_long" if too_long else ""

    def _error(self, problem: str, request: Request) -> Answer:
        error = self.row["errors"][problem]
        size, cap = tokens(request), cap_of(request)
        values = {"window": self.window, "tokens": size, "cap": cap, "total": size + cap}
        text = json.dumps(error["body"])
        for name, value in values.items():
            text = text.replace(f'"{{{name}}}"', str(value)).replace(f"{{{name}}}", str(value))
        return self._answer(json.loads(text), error["status"])

    def _answer(self, body: Any, status: int = 200) -> Answer:
        headers = {"content-type": "application/json", **self.row.get("headers", {})}
        return Answer(body, status, headers)

    def _completion(self, request: Request) -> Row:
        row, text = self.row, text_of(request)
        if row["errors"]["too_long"] == "cut":  # in silence, as if the rest were not there
            text = text[-4 * self.window :]
        form = request.body.get("response_format", {})
        schema = form.get("json_schema", {}).get("schema") or form.get("schema")
        kept = schema if form.get("type") == row["keeps"] else None
        content = row.get("before_text", "") + json.dumps(in_schema(said(text), kept))
        placed = self._placed(content, request)
        message = {"role": "assistant", **placed, **row.get("message", {})}
        choice = {"index": 0, "finish_reason": "stop", "message": message, **row.get("choice", {})}
        usage = {"prompt_tokens": len(text) // 4, "completion_tokens": len(content) // 4}
        if thinks := row.get("thinks", 0):
            cut = cap_of(request) < thinks + usage["completion_tokens"]
            thought = "Let me see. " * (thinks // 4)
            field = row["thought"]
            if field == "content":
                message["content"] = f"<think>{thought}" + ("" if cut else f"</think>{content}")
            elif cut:
                message.pop("content") if not field else message.update(content="")
            if field not in ("", "content"):
                message[field] = thought
            used = cap_of(request) if cut else thinks + usage["completion_tokens"]
            usage["completion_tokens"] = used
            choice["finish_reason"] = "length" if cut else "stop"
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1760000000,
            "model": row["model"],
            "choices": [choice],
            "usage": {**usage, **row.get("usage", {})},
            **row.get("reply", {}),
        }

    def _placed(self, content: str, request: Request) -> Row:
        """The fields of the message that has the reply."""
        place, unless = self.row.get("place"), self.row.get("unless")
        function = {"name": "json_tool_call", "arguments": content}
        places: dict[str | None, Row] = {
            "nowhere": {"content": None},
            "reasoning_content": {"content": None, "reasoning_content": content},
            "tool_calls": {
                "content": None,
                "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
            },
            "function_call": {"content": None, "function_call": function},
            "parsed": {
                "content": None,
                "parsed": json.loads(content) if place == "parsed" else None,
            },
            "object": {"content": json.loads(content) if place == "object" else None},
            "parts": {
                "content": [*self.row.get("thought_parts", ()), {"type": "text", "text": content}]
            },
        }
        usual = place is None or (unless is not None and unless not in request.body)
        return {"content": content} if usual else places[place]


@contextmanager
def reached(
    imitation: Imitation,
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[[Request], Answer] | None = None,
) -> Iterator[str]:
    """The imitation (or what answers in its place) at its own address, which it gives: behind a proxy, where every host is this one.

    A proxy takes no TLS, so the address has none. On this machine it has another port.
    """
    for name in ("HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with Loopback(answer or imitation) as server:
        parts = urlsplit(str(imitation.row["base_url"]))
        monkeypatch.setenv("HTTP_PROXY", server.root)
        if parts.hostname in ("localhost", "127.0.0.1"):
            parts = parts._replace(netloc=urlsplit(server.root).netloc)
        yield parts._replace(scheme="http").geturl()


def tokens(request: Request) -> int:
    """What the server counts of a prompt."""
    return len(text_of(request)) // 4 if request.body else 0


def cap_of(request: Request) -> int:
    """The most tokens that the reply may have."""
    names = ("max_tokens", "max_completion_tokens")
    return sum(request.body.get(name, 0) for name in names)


def in_schema(reply: Mapping[str, Any], schema: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The reply as a server lets a model write it that keeps to a schema: with labels of its own."""
    if not schema or reply.keys() == schema["properties"].keys():
        return reply
    labels = schema["properties"]["verdicts"]["items"]["properties"]["label"]["enum"]
    return {"verdicts": [{"id": 1, "evidence": [], "label": labels[0]}]}
