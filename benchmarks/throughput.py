"""Many grades together, against the least time that the judge's latency allows; their sockets.

    python benchmarks/throughput.py [--cases 5000] [--concurrency 64] [--latency 200]

The judge is a server in a process of its own. It answers each ask after ``latency`` milliseconds,
truthfully. No two cases have the same text. The limit is cases x latency / concurrency. The cases
are graded with ``grade_many``, and 50 with 50 x ``agrade``; each score must be right. ``aask`` only
sends an ask, and reads no verdict. On a busy machine the wall times are too long, but the CPU
times, of the grading process, are not much larger.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import re
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).parent / "peers"))
from items import Item, items

from faithfulness_assert import Grader

AT_ONCE, ROUNDS = 50, 20
BLOCK = rb"<%s-\w+>\\n(.*?)\\n</%s-"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency", type=float, default=200.0, help="milliseconds")
    given = parser.parse_args()
    port, other = multiprocessing.Pipe()
    arguments = (given.latency / 1000, other)
    judge = multiprocessing.get_context("spawn").Process(target=serve, args=arguments, daemon=True)
    judge.start()
    url = f"http://127.0.0.1:{port.recv()}/v1"
    try:
        grader = Grader("openai:gpt-4o-mini", base_url=url, api_key="none")
        grader.gate = None  # as for a server elsewhere: one on this machine is asked carefully
        grade_all(grader, 10**6, given.concurrency, given.concurrency)  # connects
        limit = given.cases * given.latency / 1000 / given.concurrency
        many = partial(grade_all, grader, 0, given.cases, given.concurrency)
        show("grade_many", given.cases, limit, many)
        together = partial(asyncio.run, agrade_all(grader, 10**7))
        show("agrade", AT_ONCE, given.latency / 1000, together)
        asks: list[Any] = []
        grader.replay(as_case(items(1, 0)[0]), asks.append)  # it has no outcome yet
        sending = partial(asyncio.run, send(grader.judge, asks[0]))
        show("aask", AT_ONCE * ROUNDS, ROUNDS * given.latency / 1000, sending)
        with urlopen(url) as answer:
            print(answer.read().decode())
    finally:
        judge.kill()


def show(name: str, cases: int, limit: float, work: Callable[[], None]) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    done = f"{name}: {cases:,} cases in {wall:.1f} s = {wall / limit:.2f} x the limit"
    print(f"{done}; CPU {1000 * cpu / cases:.2f} ms a case")


def grade_all(grader: Grader, first: int, cases: int, concurrency: int) -> None:
    given = (items(1, number)[0] for number in range(first, first + cases))
    results = grader.grade_many(map(as_case, given), concurrency=concurrency)
    for number, result in enumerate(results, first):
        check(result, items(1, number)[0])


async def agrade_all(grader: Grader, first: int) -> None:
    given = items(AT_ONCE, first)
    results = await asyncio.gather(*(grader.agrade(**as_case(one)) for one in given))
    for result, one in zip(results, given, strict=True):
        check(result, one)


async def send(judge: Any, ask: Any) -> None:
    for _ in range(ROUNDS):
        await asyncio.gather(*(judge.aask(ask) for _ in range(AT_ONCE)))


def as_case(given: Item) -> dict[str, Any]:
    return {"answer": given.answer, "context": list(given.contexts), "question": given.question}


def check(result: Any, graded: Item) -> None:
    assert result.score == graded.score, result.reason
    assert not result.metadata.get("warnings"), result.metadata["warnings"]


# ---------------------------------------------------------------- the judge


def serve(latency: float, port: Any) -> None:
    """Sends the port at which the judge listens."""
    loop = asyncio.new_event_loop()
    listening = loop.create_server(lambda: Judge(latency), "127.0.0.1", 0, backlog=1024)
    port.send(loop.run_until_complete(listening).sockets[0].getsockname()[1])
    loop.run_forever()


class Judge(asyncio.Protocol):
    """Answers requests as a chat API, with little CPU time: the grader is measured beside it."""

    opened = closed = most = 0  # connections to all judges of this process; open ones at once

    def __init__(self, latency: float) -> None:
        self.latency, self.received = latency, b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        Judge.opened += 1
        Judge.most = max(Judge.most, Judge.opened - Judge.closed)

    def connection_lost(self, exc: Exception | None) -> None:
        Judge.closed += 1

    def data_received(self, data: bytes) -> None:
        self.received += data
        if self.received.startswith(b"GET "):
            said = f"{Judge.opened} sockets, {Judge.most} at once"
            self.transport.write(f"HTTP/1.0 200 OK\r\n\r\n{said}".encode())
            self.transport.close()
            return
        head, blank, body = self.received.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        if blank and length is not None and len(body) >= int(length[1]):
            self.received = b""
            loop = asyncio.get_running_loop()
            loop.call_later(self.latency, self.transport.write, answer_to(body))


def answer_to(body: bytes) -> bytes:
    """A completion: a statement is supported if the context has it, word for word."""
    context, lines = (
        found[1] if (found := re.search(BLOCK % (name, name), body)) else b""
        for name in (b"context", b"statements")
    )
    verdicts = []
    for number, _, text in (line.partition(b" ") for line in lines.split(b"\\n") if line):
        label = "supported" if text in context else "not_enough_info"
        verdicts.append({"id": int(number), "evidence": [1], "label": label})
    message = {"role": "assistant", "content": json.dumps({"verdicts": verdicts})}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 700, "completion_tokens": 120, "total_tokens": 820}
    said = json.dumps({"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage})
    head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: "
    return f"{head}{len(said)}\r\n\r\n{said}".encode()


if __name__ == "__main__":
    main()
