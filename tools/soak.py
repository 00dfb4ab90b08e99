"""A long run with a server that fails on a random, seeded schedule.

Nothing is lost or counted twice, and memory does not grow.

    python tools/soak.py [GRADES] [SEED]

One answer in ten is a fault of ``fixtures/faults.json``, one in a thousand is a fault that only a
timeout ends, and sometimes the server is down for a while, so that the circuit opens. Each result
is compared with what the server knows: the truth (exactly half of the answer is supported), the
requests for this case, and the tokens reported in answers that can be read.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import random
import re
import resource
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.extend(str(Path(__file__).parents[1] / name) for name in ("tests", "tests/support"))
from loopback import Answer, Loopback, Request, fault, good_reply, refusal_to

from faithfulness_assert import Grader, GradingResult
from faithfulness_assert.drive import breaker
from faithfulness_assert.judges.openai import OpenAIJudge

ROOT = Path(__file__).parents[1]
KEY = "sk-soak-0123456789abcdefghijklmn"
TIMEOUT, DEADLINE, COOL_DOWN, CONCURRENCY = 3.0, 15.0, 0.05, 8
OUTAGE, BETWEEN_OUTAGES = 30, 1_000  # cases
WARM_UP = 0.2  # of the grades
MAX_GROWTH_MB = 25.0
MMAP_THRESHOLD = -3  # of glibc's mallopt


def rows() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The faults that end on their own, and those that only a timeout ends."""
    table = json.loads((ROOT / "fixtures" / "faults.json").read_text(encoding="utf-8"))
    ours = [
        row
        for row in table
        if "openai" in row.get("apis", ("openai",))
        and row.get("transport", {}).get("mode") != "nowhere"
    ]
    # Leave out encoded bodies and those after another head: their rows do not say whether the
    # tokens reach the grader.
    ours = [
        row
        for row in ours
        if "content-encoding" not in row.get("headers", {}) and "{{OK}}" not in json.dumps(row)
    ]
    quick, slow = ([row for row in ours if bool(row.get("soon")) == soon] for soon in (False, True))
    # Without endless raw answers, which would take the machine from all other cases.
    return quick, [row for row in slow if row["transport"]["mode"] != "raw"]


class Server:
    """Answers by the schedule and counts the requests and tokens of each case."""

    def __init__(self, seed: int) -> None:
        self.seed, self.lock = seed, threading.Lock()
        self.requests: Counter[int] = Counter()
        self.tokens: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0])
        self.quick, self.slow = rows()
        self.loopback = Loopback(self.answer)

    def answer(self, request: Request) -> Answer:
        self.loopback.requests.clear()  # they would grow the measured memory
        case = int(re.search(r"Hall (\d+) opens", request.body["messages"][-1]["content"])[1])  # type: ignore[index]
        with self.lock:
            self.requests[case] += 1
            chance = random.Random(f"{self.seed} {case} {self.requests[case]}")
        if case % BETWEEN_OUTAGES < OUTAGE and case > OUTAGE:
            return refusal_to(503, "down", {"retry-after-ms": "1"})
        kind = chance.random()
        if kind < 0.101:
            row = chance.choice(self.quick if kind < 0.1 else self.slow)
            if _is_readable(row):
                self._count(case, 100, 20)
            return fault(row, request, 0)
        prompt, completion = chance.randint(50, 5_000), chance.randint(1, 400)
        self._count(case, prompt, completion)
        return good_reply(request, usage={"prompt_tokens": prompt, "completion_tokens": completion})

    def _count(self, case: int, prompt: int, completion: int) -> None:
        with self.lock:
            self.tokens[case][0] += prompt
            self.tokens[case][1] += completion


def _is_readable(row: Mapping[str, Any]) -> bool:
    """Whether the answer of this row is a reply whose usage can be read."""
    body = row.get("body", {"$reply": {}})
    return (
        isinstance(body, dict)
        and "$reply" in body
        and not row.get("transport")
        and row.get("http_status", 200) < 300
    )


def problems(result: GradingResult, requests: int, tokens: tuple[int, int]) -> list[str]:
    """What is wrong with a result, given the requests and tokens that the server counted."""
    usage = result.tokens_used
    held = {
        f"score {result.score}": result.score == (0.5 if result.defined else None)
        and not result.pass_,
        f"status {result.status}": result.defined
        == (result.error is None)
        == (result.status == "graded"),
        # The server may close a kept connection before it reads a request: only we count that one.
        f"{usage.num_requests} requests, the server counted {requests}": usage.num_requests
        >= requests,
        f"{usage} tokens, the server counted {tokens}": usage.estimated
        or (usage.prompt, usage.completion) == tokens,
        f"{result.latency_ms:.0f} ms": math.isfinite(result.latency_ms)
        and result.latency_ms < (DEADLINE + 5) * 1000,
        "the result changes in JSON": GradingResult.model_validate_json(
            result.model_dump_json(by_alias=True)
        )
        == result,
        "the key is shown": KEY not in result.model_dump_json() + result.pretty(),
    }
    return [what for what, right in held.items() if not right]


def cases(grades: int) -> Iterator[dict[str, str]]:
    for number in range(grades):
        opens = f"Hall {number} opens at nine"
        yield {
            "id": str(number),
            "answer": f"{opens}. It closes at five.",
            "context": f"{opens} on weekdays.",
        }


def give_back_memory() -> None:
    """Makes glibc return freed memory at once. It keeps some per thread, like a leak."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(MMAP_THRESHOLD, 1 << 20)


def memory_mb() -> float:
    """The memory of this process now, or its maximum on systems that only report that."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
    try:
        return (
            int(Path("/proc/self/statm").read_text().split()[1])
            * os.sysconf("SC_PAGE_SIZE")
            / 2**20
        )
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Tally:
    """Checks each result and adds it up."""

    def __init__(self) -> None:
        self.ends: Counter[str] = Counter()
        self.tokens = self.estimated = self.unread = 0

    def add(self, number: int, result: GradingResult, server: Server) -> None:
        """Raises AssertionError if anything is wrong with the result of case ``number``."""
        with server.lock:
            requests = server.requests.pop(number, 0)
            prompt, completion = server.tokens.pop(number, (0, 0))
        wrong = problems(result, requests, (prompt, completion))
        assert not wrong, f"case {number}, {result.status}, {result.reason}: {wrong}"
        assert result.case_id == str(number)
        kind = result.error.kind if result.error else "graded"
        self.ends["circuit open" if "not asked: the last" in result.reason else kind] += 1
        self.tokens += result.tokens_used.total
        self.estimated += result.tokens_used.estimated
        self.unread += result.tokens_used.num_requests - requests


def soak(grades: int, seed: int = 1) -> str:
    """Grades this many cases and returns a line of figures. Raises AssertionError on a problem."""
    server, tally, memory = Server(seed), Tally(), list[float]()
    give_back_memory()
    begun = time.monotonic()
    with server.loopback as loopback:
        judge = OpenAIJudge("m", base_url=loopback.url, api_key=KEY, timeout=TIMEOUT, max_retries=1)
        # Without control statements: the server only knows the truth of the answer's statements.
        grader = Grader(judge, deadline=DEADLINE, controls="off")
        results = grader.grade_many(cases(grades), concurrency=CONCURRENCY)
        with patch.object(breaker, "COOL_DOWN", COOL_DOWN):
            for number, result in enumerate(results):
                tally.add(number, result, server)
                if number % max(grades // 100, 1) == 0:
                    memory.append(memory_mb())
    assert sum(tally.ends.values()) == grades
    assert tally.unread <= 1 + grades // 1000, f"{tally.unread} requests never reached the server"
    warm = memory[int(len(memory) * WARM_UP) :]
    growth = sum(warm[-10:]) / len(warm[-10:]) - sum(warm[:10]) / len(warm[:10])
    assert growth < MAX_GROWTH_MB, f"memory grew by {growth:.0f} MB: {memory}"
    ends = ", ".join(f"{count:,} {end}" for end, count in tally.ends.most_common())
    return (
        f"soak: {grades:,} grades in {time.monotonic() - begun:.0f} s, all valid ({ends}); "
        f"{tally.tokens:,} tokens, as the server counted for each case ({tally.estimated} "
        f"estimated, {tally.unread} requests that it never read); "
        f"memory {warm[-1]:.0f} MB, {growth:+.1f} MB since warm-up"
    )


if __name__ == "__main__":
    print(soak(*(int(argument) for argument in sys.argv[1:] or ["20000"])))
