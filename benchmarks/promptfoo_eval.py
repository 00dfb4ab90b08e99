"""An eval of a real promptfoo: its own assertion, ours as a ``.py`` file, ours as a ``.cjs`` file.

    python benchmarks/promptfoo_eval.py [ROUNDS]

Each eval has 60 tests with one assertion each; all answers are faithful. The judge is a server in
this process that says the truth after 500 ms. Wall and CPU time are those of promptfoo with all
that it starts, with bytecode; the ratios are to its own assertion ``context-faithfulness``.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

sys.path.extend(str(Path(__file__).parents[1] / name) for name in ("tests", "tests/support"))
from e2e.judge import reply
from e2e.promptfoo import Promptfoo, init, provide
from loopback import Answer, Loopback, Request, completion
from startup import ANSWER, CONTEXT

TESTS, LATENCY = 60, 0.5
PROVIDER = "module.exports = class { id() { return 'a'; } async callApi() { return %s; } };\n"


def answered(request: Request) -> Answer:
    """A true reply, with its usage: without it, we would count tokens."""
    usage = {"prompt_tokens": len(str(request.body)) // 4, "completion_tokens": 9}
    return replace(completion(reply(request), usage=usage), delay=LATENCY)


def assertions(url: str) -> dict[str, dict[str, object]]:
    own = {"id": "openai:chat:gpt-4o-mini", "config": {"apiBaseUrl": url}}
    ours = {"config": {"judge": "openai:gpt-4o-mini", "base_url": url}}
    return {
        "built-in": {"type": "context-faithfulness", "threshold": 0.5, "provider": own},
        ".py": {"type": "python", "value": "file://faithfulness.py", **ours},
        ".cjs": {"type": "javascript", "value": "file://faithfulness.cjs", **ours},
    }


def spent(promptfoo: Promptfoo, assertion: dict[str, object]) -> tuple[float, float]:
    """Seconds of an eval: wall time, and CPU time."""
    asked = {"context": CONTEXT, "query": "What does the ferry cost?"}
    tests = [{"description": str(n), "vars": asked, "assert": [assertion]} for n in range(TESTS)]
    config = {"prompts": ["{{query}}"], "providers": ["file://answer.cjs"], "tests": tests}
    with tempfile.TemporaryDirectory() as name:
        init(folder := Path(name))
        (folder / "answer.cjs").write_text(PROVIDER % json.dumps({"output": ANSWER}))
        (folder / "e.json").write_text(json.dumps(config))
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = promptfoo.eval(folder / "e.json", OPENAI_API_KEY="none", PYTHONDONTWRITEBYTECODE="")
        wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert [row["score"] for row in done.results.values()] == [1] * TESTS, done.console
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    promptfoo, rounds = provide(), int(sys.argv[1]) if len(sys.argv) > 1 else 2
    with Loopback(answered) as server:
        given = assertions(server.url)
        each = [{kind: spent(promptfoo, given[kind]) for kind in given} for _ in range(rounds)]
    least = {
        kind: [min(side) for side in zip(*(e[kind] for e in each), strict=True)] for kind in given
    }
    for kind, (wall, cpu) in least.items():
        ratios = wall / least["built-in"][0], cpu / least["built-in"][1]
        print(f"{kind:9} wall {wall:5.1f} s {ratios[0]:.2f} x   CPU {cpu:5.1f} s {ratios[1]:.2f} x")


if __name__ == "__main__":
    main()
