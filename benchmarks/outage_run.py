"""A batch run whose server is down for a while in the middle: how many cases that costs.

    python benchmarks/outage_run.py [--cases 3000] [--seconds 60] [--concurrency 16]

A third of the way, the server starts to break connections, and after 20 seconds of that to answer
503, until the time is up. The judge has its own defaults.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.extend(str(Path(__file__).parents[1] / name) for name in ("tests", "tests/support"))
from loopback import Answer, Loopback, Request, completion, refusal_to

from faithfulness_assert.batch import run

REPLY = json.dumps({"verdicts": [{"id": 1, "evidence": [1], "label": "supported"}]})
USAGE = {"prompt_tokens": 100, "completion_tokens": 20}
BROKEN_SECONDS = 20


class Server:
    """Answers, is down for some seconds from the request number ``at`` on, and answers again."""

    def __init__(self, at: int, seconds: float) -> None:
        self.at, self.seconds = at, seconds
        self.requests, self.refused, self.since = 0, 0, 0.0

    def __call__(self, request: Request) -> Answer:
        self.requests += 1
        if self.requests == self.at:
            self.since = time.monotonic()
        down = time.monotonic() - self.since if self.since else self.seconds
        if down >= self.seconds:
            return completion(REPLY, usage=USAGE)
        self.refused += 1
        return Answer(raw=b"", end="reset") if down < BROKEN_SECONDS else refusal_to(503, "down")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=3000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--concurrency", type=int, default=16)
    given = parser.parse_args()
    text = "The shop at {} Main Street opens at nine."
    cases = [{"answer": text.format(n), "context": text.format(n)} for n in range(given.cases)]
    server, started = Server(given.cases // 3, given.seconds), time.monotonic()
    with Loopback(server) as loopback, tempfile.TemporaryDirectory() as folder:
        options = {"base_url": loopback.url, "api_key": "none", "controls": "off"}
        outcome = run(
            cases,
            Path(folder) / "run",
            judge="openai:m",
            concurrency=given.concurrency,
            progress=False,
            **options,  # type: ignore[arg-type]
        )
    print(
        f"{given.cases:,} cases, server down for {given.seconds:g} s: {outcome.counts.errors} not "
        f"graded; {server.refused:,} of {server.requests:,} requests came while it was down; "
        f"{time.monotonic() - started:.0f} s"
    )


if __name__ == "__main__":
    main()
