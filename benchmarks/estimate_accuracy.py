"""What ``estimate`` says before a run, against what the run then uses.

    python benchmarks/estimate_accuracy.py [--cases 500]

The run goes to a loopback server that answers each ask truthfully, in compact JSON, and counts its
tokens. A model may write more: reasons in its own words, or its thinking. No two cases have the
same text. The last column comes from a sample
of a tenth of them.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.extend(str(Path(__file__).parents[1] / name) for name in ("tests", "tests/support"))
sys.path.insert(0, str(Path(__file__).parent / "peers"))
from items import items
from loopback import Answer, Loopback, Request
from true_server import answered

from faithfulness_assert import Grader
from faithfulness_assert.batch.estimate import estimate_run
from faithfulness_assert.batch.rows import Row
from faithfulness_assert.judges.token_counter import token_counter

MODEL = "openai:gpt-4o-mini"
COUNT = token_counter(MODEL)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=500)
    cases = parser.parse_args().cases
    rows = [
        Row(number, str(number), {"answer": item.answer, "context": list(item.contexts)})
        for number, item in enumerate(items(cases), 1)
    ]
    whole = estimate_run(rows, judge=MODEL)
    sample = estimate_run(rows, judge=MODEL, sample=max(cases // 10, 2))
    with Loopback(answer) as server:
        grader = Grader(MODEL, base_url=server.url)
        run = list(grader.grade_many([row.fields for row in rows], concurrency=16))
        asks = len(server.requests)
    print(f"{cases} cases; {'':12} run   estimate (ratio)   from a sample (ratio)")
    for name in ("asks", "prompt", "completion"):
        used = asks if name == "asks" else sum(getattr(r.tokens_used, name) for r in run)
        shown = (f"{getattr(e, name):12,} ({getattr(e, name) / used:.3f})" for e in (whole, sample))
        print(f"{name:12} {used:12,}", *shown)
    print(f"margin that the sample states: ± {sample.margin:.1%}")


def answer(request: Request) -> Answer:
    """The truthful reply, with its tokens counted."""
    reply = answered(request)
    message = reply.body["choices"][0]["message"]
    message["content"] = json.dumps(json.loads(message["content"]), separators=(",", ":"))
    prompt = sum(COUNT(message["content"]) for message in request.body["messages"])
    reply.body["usage"] = {"prompt_tokens": prompt, "completion_tokens": COUNT(message["content"])}
    return reply


if __name__ == "__main__":
    main()
