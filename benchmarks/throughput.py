"""How long many grades take together, against the least time that the judge's latency allows.

    python benchmarks/throughput.py [--cases 5000] [--concurrency 64] [--latency 200] [--rounds 5]

The judge is a loopback server in a process of its own. It answers each ask after ``latency``
milliseconds, truthfully. No two cases have the same text. The limit is cases x mean latency
/ concurrency. Three comparisons:

- all cases with ``Grader.grade_many``, in one process, and half of them in each of two processes;
- the same with one ask in a hundred that takes 25 times as long;
- 50 cases at once with ``grade_many`` and with 50 x ``agrade``, in turns.

CPU time is user and system time of the grading processes. On a busy machine the wall times are too
long, but the CPU times are not much larger.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "peers"))
from items import Item, items

from faithfulness_assert import Grader

AT_ONCE = 50
SLOW_EVERY, SLOW_TIMES = 100, 25
STATEMENTS = re.compile(rb"<statements-\w+>\\n(.*?)\\n</statements")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency", type=float, default=200.0, help="milliseconds")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--part", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve(given.latency / 1000))
    elif given.part:
        port, first = given.part
        print(json.dumps(grade_part(int(port), int(first), given.cases, given.concurrency)))
    else:
        compare(given)


def compare(given: argparse.Namespace) -> None:
    judge = subprocess.Popen(
        [sys.executable, __file__, "--serve", "--latency", str(given.latency)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert judge.stdout is not None
    port = int(judge.stdout.readline())
    slow_port = int(judge.stdout.readline())
    try:
        compare_at_once(port, given.rounds)
        compare_batches(port, slow_port, given)
    finally:
        judge.kill()
        judge.wait()


# ---------------------------------------------------------------- large batches


def compare_batches(port: int, slow_port: int, given: argparse.Namespace) -> None:
    cases, concurrency = given.cases, given.concurrency
    even = cases * given.latency / 1000 / concurrency
    slow = even * (1 + (SLOW_TIMES - 1) / SLOW_EVERY)
    print(f"{cases:,} cases, {given.latency:g} ms, concurrency {concurrency}")
    for meaning, parts, to, limit in (
        ("one process", 1, port, even),
        ("two processes", 2, port, even),
        ("one process, 1 % slow", 1, slow_port, slow),
    ):
        done = in_parts(to, parts, cases, concurrency)
        wall = max(part["wall"] for part in done)
        cpu = sum(part["cpu"] for part in done)
        print(
            f"{meaning:22s} {wall:6.1f} s = {wall / limit:.2f} x the limit of {limit:.1f} s; CPU "
            f"{cpu / cases * 1000:.2f} ms a case = {cpu / parts / limit:.2f} x the limit"
        )


def in_parts(port: int, parts: int, cases: int, concurrency: int) -> list[dict[str, float]]:
    """The figures of each of several processes that share the cases."""
    size = cases // parts
    running = [
        subprocess.Popen(
            [
                *(sys.executable, __file__, "--part", str(port), str(part * size)),
                *("--cases", str(size), "--concurrency", str(concurrency // parts)),
            ],
            stdout=subprocess.PIPE,
        )
        for part in range(parts)
    ]
    return [json.loads(process.communicate()[0]) for process in running]


def grade_part(port: int, first: int, cases: int, concurrency: int) -> dict[str, float]:
    grader = make_grader(port)
    grade_all(grader, 10**6, concurrency, concurrency)  # connects
    wall, cpu = time.perf_counter(), time.process_time()
    grade_all(grader, first, cases, concurrency)
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def grade_all(grader: Grader, first: int, cases: int, concurrency: int) -> None:
    given = (item(number) for number in range(first, first + cases))
    results = grader.grade_many(map(as_case, given), concurrency=concurrency)
    for number, result in enumerate(results, first):
        check(result, item(number))


def check(result: Any, graded: Item) -> None:
    assert result.score == graded.score, result.reason
    assert not result.metadata.get("warnings"), result.metadata["warnings"]


# ---------------------------------------------------------------- at once


def compare_at_once(port: int, rounds: int) -> None:
    grader, numbers = make_grader(port), iter(range(2 * 10**6, 10**7, AT_ONCE))

    def many() -> None:
        grade_all(grader, next(numbers), AT_ONCE, AT_ONCE)

    def each() -> None:
        asyncio.run(agrade_all(grader, next(numbers)))

    many()  # connects
    ways: dict[str, Callable[[], None]] = {"grade_many": many, "agrade": each}
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, grade in ways.items():
            wall, cpu = time.perf_counter(), time.process_time()
            grade()
            spent[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    for name, times in spent.items():
        walls, cpus = zip(*times, strict=True)
        print(
            f"{AT_ONCE} cases at once, {name:10s} best {min(walls):.3f} s, median "
            f"{median(walls):.3f} s, CPU {min(cpus) / AT_ONCE * 1000:.2f} ms a case"
        )
    ratios = [
        figure(walls for walls, _ in spent["agrade"])
        / figure(walls for walls, _ in spent["grade_many"])
        for figure in (min, median)
    ]
    print(f"agrade / grade_many: best {ratios[0]:.2f}, median {ratios[1]:.2f}")


async def agrade_all(grader: Grader, start: int) -> None:
    given = [item(number) for number in range(start, start + AT_ONCE)]
    results = await asyncio.gather(*(grader.agrade(**as_case(one)) for one in given))
    for result, one in zip(results, given, strict=True):
        check(result, one)


# ---------------------------------------------------------------- cases and judge


def make_grader(port: int) -> Grader:
    return Grader("openai:gpt-4o-mini", base_url=f"http://127.0.0.1:{port}/v1", api_key="none")


def item(number: int) -> Item:
    """Five statements over three passages of about 100 words."""
    return items(1, number)[0]


def as_case(given: Item) -> dict[str, Any]:
    return {"answer": given.answer, "context": list(given.contexts), "question": given.question}


async def serve(latency: float) -> None:
    """Two servers, the second with a slow answer now and then. Prints their ports."""
    loop, servers = asyncio.get_running_loop(), []
    for slow_every in (0, SLOW_EVERY):
        delays = endless_delays(latency, slow_every)
        server = await loop.create_server(
            lambda delays=delays: JudgeProtocol(delays), "127.0.0.1", 0, backlog=1024
        )
        servers.append(server)
        print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.gather(*(server.serve_forever() for server in servers))


def endless_delays(latency: float, slow_every: int) -> Iterator[float]:
    number = 0
    while True:
        number += 1
        yield latency * (SLOW_TIMES if slow_every and number % slow_every == 0 else 1)


class JudgeProtocol(asyncio.Protocol):
    """Answers requests as a chat API, with little CPU time: the grader is measured beside it."""

    def __init__(self, delays: Iterator[float]) -> None:
        self.delays, self.received = delays, b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, blank, body = self.received.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        if not blank or length is None or len(body) < int(length[1]):
            return
        self.received = b""
        answer = answer_to(body)
        asyncio.get_running_loop().call_later(next(self.delays), self.transport.write, answer)


def answer_to(body: bytes) -> bytes:
    """A completion: a statement is supported if the context has it, word for word."""
    found = STATEMENTS.search(body)
    lines = found[1].split(b"\\n") if found else []
    verdicts = []
    for number, _, text in (line.partition(b" ") for line in lines):
        label = "supported" if body.count(text) > 1 else "not_enough_info"
        verdicts.append({"id": int(number), "evidence": [1], "label": label})
    message = {"role": "assistant", "content": json.dumps({"verdicts": verdicts})}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 700, "completion_tokens": 120, "total_tokens": 820}
    said = json.dumps({"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage})
    head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: "
    return f"{head}{len(said)}\r\n\r\n{said}".encode()


if __name__ == "__main__":
    main()
