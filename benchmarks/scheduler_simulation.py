"""How long a run takes under rate limits, simulated, against the arithmetic of it.

    python benchmarks/scheduler_simulation.py [--cases 1000000] [--plan "not given"]

The scheduling is the package's own gate, ``drive/gate.py``, as in a run. The clock is virtual:
the event loop jumps to the next timer, so that hours pass in minutes. The server answers after a
random time (half of the answers within ``LATENCY``) and refuses what is beyond its limits with 429
and ``retry-after``, as a bucket that refills all the time; or it refuses some asks by chance. In
the last, short plans it is down for a while (from ``DOWN_AT`` on), or its latency jumps
from 50 ms to 2 s after half of the cases.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from math import exp
from pathlib import Path
from typing import NamedTuple

sys.path.extend(str(Path(__file__).parents[1] / name) for name in ("tests", "tests/support"))
from virtual_time import run_virtually

from faithfulness_assert import JudgeError, Reply, Usage
from faithfulness_assert.drive.asks import TimeLeft
from faithfulness_assert.drive.gate import Gate, PerMinute
from faithfulness_assert.records.judge import Ask, Outcome, Payload, ReplyForm

LATENCY, SPREAD = 1.0, 0.4
MEAN_LATENCY = LATENCY * exp(SPREAD**2 / 2)
PROMPT, COMPLETION = 700, 120
REFUSED_IN, RETRY_AFTER = 0.05, 1.0
RETRIES, DEADLINE = 2, 300.0
DOWN_AT = 20.0
QUICK, SLOW, SENT = 0.05, 2.0, Usage(num_requests=1)
SHORT = 5_000  # cases


def ask_of(tokens: int) -> Ask:
    message = {"role": "user", "content": "word" * tokens}
    return Ask((message,), ReplyForm("reason"), (), 100, Payload(()))


ASK = ask_of(PROMPT)


class Plan(NamedTuple):
    """A run: what it may do, and what the server allows; None for no limit."""

    name: str
    concurrency: int
    requests: float | None = None
    tokens: float | None = None
    server_requests: float | None = None
    server_tokens: float | None = None
    burst: float = 1.0  # seconds of the server's limit that it takes at once
    refuses: float = 0.0  # the share of asks that it refuses by chance
    down: float = 0.0  # the seconds for which it answers 503 in between
    jumps: bool = False  # whether its latency does
    varies: float = 0.0  # how much asks differ in size, as the deviation of its logarithm

    def hours(self, cases: int) -> float:
        """The arithmetic: what is scarcest decides."""
        used = PROMPT + COMPLETION
        latency = MEAN_LATENCY * ((QUICK + SLOW) / 2 / LATENCY if self.jumps else 1)
        latency += self.refuses / (1 - self.refuses) * REFUSED_IN
        rates = [
            60 * self.concurrency / latency,
            *(limit for limit in (self.requests, self.server_requests) if limit),
            *(limit / used for limit in (self.tokens, self.server_tokens) if limit),
        ]
        return cases / min(rates) / 60 + self.down / 3600


SHARES = (0.001, 0.01, 0.03, 0.1, 0.2)
PLANS = (
    Plan("concurrency alone", 64),
    Plan("requests per minute, given", 64, requests=2000, server_requests=2000),
    Plan("tokens per minute, given", 64, tokens=1e6, server_tokens=1e6, burst=60),
    Plan("requests, not given", 64, server_requests=2000),
    Plan("requests, not given, by the minute", 64, server_requests=2000, burst=60),
    Plan("tokens, not given", 256, server_tokens=4e6),
    Plan("tokens that vary, not given", 256, server_tokens=4e6, varies=1.0),
    *(Plan(f"{share:.1%} refused by chance", 64, refuses=share) for share in SHARES),
    *(Plan(f"limit, {s:.0%} refused", 64, server_requests=2000, refuses=s) for s in SHARES[2:4]),
    *(Plan(f"down for {down:.0f} s", 64, down=down) for down in (20.0, 60.0, 240.0)),
    Plan("latency jumps", 64, jumps=True),
    Plan("latency jumps, requests not given", 64, jumps=True, server_requests=1500),
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--plan", default="", help="only plans with this in their name")
    given = parser.parse_args()
    print(f"{given.cases:,} cases; hours: simulated, arithmetic, ratio; refused tries; failed asks")
    for plan in (plan for plan in PLANS if given.plan in plan.name):
        began = time.process_time()
        cases = min(given.cases, SHORT) if plan.down or plan.jumps else given.cases
        run = Run(plan, cases)
        hours = run_virtually(run.whole()) / 3600
        print(
            f"{plan.name:36} {hours:8.2f} {plan.hours(cases):8.2f} {hours / plan.hours(cases):6.3f}"
            f" {run.refused / cases:8.2%} {run.failed:6} (CPU {time.process_time() - began:.0f} s)",
            flush=True,
        )


class Judge:
    """What the gate knows of the judge."""

    max_retries = RETRIES


@dataclass
class Bucket:
    """A server's limit: it refills all the time, and holds what ``burst`` seconds bring."""

    per_minute: float
    burst: float
    level: float = 0.0
    at: float = 0.0

    def wait(self, amount: float, now: float) -> float:
        """The seconds until the bucket takes ``amount``; 0 if it does now."""
        rate = self.per_minute / 60
        self.level, self.at = max(self.level - (now - self.at) * rate, 0.0), now
        return max(self.level + amount - max(rate * self.burst, amount), 0.0) / rate


@dataclass
class Run:
    """A run under way."""

    plan: Plan
    cases: int
    refused: int = 0
    failed: int = 0
    chance: random.Random = field(default_factory=lambda: random.Random(5))

    async def whole(self) -> float:
        """Grades all cases. Returns the seconds that it took."""
        plan = self.plan
        given = PerMinute(plan.requests, plan.tokens)
        self.gate = Gate(Judge(), given, DEADLINE)  # type: ignore[arg-type]
        limits = ((plan.server_requests, False), (plan.server_tokens, True))
        self.buckets = [(Bucket(limit, plan.burst), of) for limit, of in limits if limit]
        left = iter(range(self.cases))
        await asyncio.gather(*(self.grade(left) for _ in range(plan.concurrency)))
        return asyncio.get_running_loop().time()

    async def grade(self, left: Iterator[int]) -> None:
        """One place of the batch: grades one case after the other."""
        clock = asyncio.get_running_loop().time
        for number in left:
            self.slow = self.plan.jumps and number >= self.cases / 2
            time_left, ask, deviation = TimeLeft(DEADLINE, now=clock), ASK, self.plan.varies
            if deviation:
                ask = ask_of(int(PROMPT * exp(self.chance.gauss(0, deviation) - deviation**2 / 2)))
            tokens = len(ask.messages[0]["content"]) // 4 + COMPLETION
            outcome = await self.gate.ask(ask, partial(self.send, tokens), time_left)
            self.failed += isinstance(outcome, JudgeError)

    async def send(self, tokens: int) -> Outcome:
        """A try, as the server sees it."""
        now = asyncio.get_running_loop().time()
        is_down = DOWN_AT <= now < DOWN_AT + self.plan.down
        amounts = [(bucket, tokens if of else 1) for bucket, of in self.buckets]
        wait = max((bucket.wait(amount, now) for bucket, amount in amounts), default=0.0)
        wait = wait or RETRY_AFTER * (self.chance.random() < self.plan.refuses)
        if is_down or wait:
            await asyncio.sleep(REFUSED_IN)
            self.refused += 1
            after, kind = (None, "server") if is_down else (wait, "rate_limit")
            what = "no: tokens per minute" if self.plan.server_tokens else "no"
            return JudgeError(what, kind, retryable=True, usage=SENT, retry_after=after)  # type: ignore[arg-type]
        for bucket, amount in amounts:
            bucket.level += amount
        latency = (SLOW if self.slow else QUICK) if self.plan.jumps else LATENCY
        await asyncio.sleep(latency * exp(self.chance.gauss(0, SPREAD)))
        return Reply("{}", Usage(PROMPT, COMPLETION, num_requests=1))


if __name__ == "__main__":
    main()
