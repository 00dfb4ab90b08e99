"""The arithmetic of docs/scale.md: tokens, money, hours, files and machines for many answers.

    python benchmarks/scale.py [--cpu-ms 3] [--prompt-price 0.15] [--completion-price 0.60]
                               [--write]

Tokens and bytes of a case are measured on the items of ``peers/compare.py`` under the policy
``default``, with the judge ``openai:gpt-4o-mini``. Nothing is sent. CPU time per case is given;
``throughput.py`` measures it. Prices are in dollars per million tokens, as an example; put in
yours. ``--write`` puts the table into the page.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent / "peers"))
from items import items
from pages import DOCS, put

from faithfulness_assert import Grader
from faithfulness_assert.batch.estimate import Rehearsal, estimate_run
from faithfulness_assert.batch.rows import Line, Row
from faithfulness_assert.judges.openai import OpenAIJudge

MODEL = "gpt-4o-mini"
SAMPLE = 50  # as many as peers/compare.py grades together
ANSWERS = (10**6, 10**8, 10**10)
LIMITS = {"small": (2_000, 4e6), "large": (30_000, 150e6)}
"""Requests and tokens per minute of two accounts, as examples."""
LATENCY = 1.0  # seconds
BATCH_LINES, BATCH_BYTES = 50_000, 200e6
SHARD = 10**6  # rows of a run directory


class PerCase(NamedTuple):
    """What a case needs, on average."""

    asks: float
    prompt: float
    completion: float
    request_bytes: float
    result_bytes: float


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cpu-ms", type=float, default=3.0)
    parser.add_argument("--prompt-price", type=float, default=0.15)
    parser.add_argument("--completion-price", type=float, default=0.60)
    parser.add_argument("--write", action="store_true", help="write it into docs/scale.md")
    given = parser.parse_args()
    text = "\n".join(lines(given, measured()))
    print(text)
    if given.write:
        put(DOCS / "scale.md", "scale.py", text)


def lines(given: argparse.Namespace, case: PerCase) -> Iterator[str]:
    """The case, and the table."""
    yield (
        f"A case: {case.asks:.0f} ask, about {round(case.prompt, -1):,.0f} prompt tokens and "
        f"{round(case.completion, -1):.0f} completion tokens; {case.request_bytes / 1000:.1f} kB "
        f"of a request, {case.result_bytes / 1000:.1f} kB of a result; {given.cpu_ms:g} ms of CPU\n"
    )
    yield " | ".join(("| answers", *(f"10^{len(str(n)) - 1}" for n in ANSWERS))) + " |"
    yield "|---|" + "---|" * len(ANSWERS)
    tokens = case.prompt + case.completion
    money = (case.prompt * given.prompt_price + case.completion * given.completion_price) / 1e6
    yield row("tokens, billions", lambda n: n * tokens / 1e9)
    yield row("cost", lambda n: n * money)
    yield row("cost over a batch API", lambda n: n * money / 2)
    for name, (requests, most_tokens) in LIMITS.items():
        per_minute = min(requests / case.asks, most_tokens / tokens)
        yield row(f"hours at the {name} account's limits", lambda n, rate=per_minute: n / rate / 60)
        yield f"| concurrency for that |{f' {per_minute * LATENCY / 60:,.0f} |' * len(ANSWERS)}"
    yield row("CPU hours of the client", lambda n: n * given.cpu_ms / 3.6e6)
    yield row("results, GB", lambda n: n * case.result_bytes / 1e9)
    yield row("run directories of a million rows", lambda n: n / SHARD)
    in_a_file = min(BATCH_LINES, BATCH_BYTES / case.request_bytes)
    yield row("files of a batch API", lambda n: n * case.asks / in_a_file)


def measured() -> PerCase:
    """The averages of the sample."""
    cases = [
        {"answer": i.answer, "context": list(i.contexts), "question": i.question}
        for i in items(SAMPLE)
    ]
    rows = [Row(number, str(number), case) for number, case in enumerate(cases, 1)]
    estimate = estimate_run(rows, judge=f"openai:{MODEL}", sample=SAMPLE)
    sent = Sent(OpenAIJudge(MODEL, api_key="none"))
    grader = Grader(sent)
    results = [grader.grade(**case) for case in cases]
    rows_of_run = [Line(str(n), n, "0" * 16, {}, result) for n, result in enumerate(results, 1)]
    return PerCase(
        estimate.asks / SAMPLE,
        estimate.prompt / SAMPLE,
        estimate.completion / SAMPLE,
        sent.bytes / SAMPLE,
        sum(len(line.to_json().encode()) + 1 for line in rows_of_run) / SAMPLE,
    )


class Sent(Rehearsal):
    """Adds up the bytes of the requests that a judge would send."""

    def __init__(self, judge: OpenAIJudge) -> None:
        super().__init__(judge.info)
        self.judge, self.bytes = judge, 0

    def ask(self, ask, /, *, deadline=None):  # type: ignore[no-untyped-def]
        steps = dict.fromkeys(self.judge.provider.fallbacks, 0)
        self.bytes += len(json.dumps(self.judge.request(ask, steps), ensure_ascii=False).encode())
        return super().ask(ask, deadline=deadline)


def row(name: str, value) -> str:  # type: ignore[no-untyped-def]
    """A row of the table."""
    return (
        " | ".join((f"| {name}", *(f"{value(n):,.{0 if value(n) >= 20 else 1}f}" for n in ANSWERS)))
        + " |"
    )


if __name__ == "__main__":
    main()
