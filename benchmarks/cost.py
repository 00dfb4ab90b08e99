"""What a fixed set of grades costs, and the table of it in the documentation.

    python benchmarks/cost.py [--page FILE]    counts anew: writes fixtures/cost.json and the table
    python benchmarks/cost.py --count          prints the counts as JSON, and writes nothing

Counts are exact and need no clock: the calls of our named functions, the asks, and the tokens of
their prompts (estimated). ``tests/grading/test_cost.py`` holds them to ``fixtures/cost.json``. The
CPU time in the table is a ratio to a bare reference in the same run: what any grader does with the
same texts, to split them with sentencex and to write and read them as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import CodeType, FrameType, MappingProxyType
from typing import Any, NamedTuple

import sentencex

from faithfulness_assert import Ask, Grader, Reply
from faithfulness_assert.asking.windows import estimate_tokens
from faithfulness_assert.records.judge import Limits

ROOT = Path(__file__).resolve().parents[1]
COUNTS = ROOT / "fixtures" / "cost.json"
PAGE = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- cost: begin -->", "<!-- cost: end -->"
OURS = f"{os.sep}faithfulness_assert{os.sep}"
ROUNDS, REPEATS = 7, 10

QUESTION = "What does the museum offer?"
PLAIN = (
    "The museum is near the station. Dogs are welcome in the garden. A ferry leaves for the island."
)
NUMBERS = (
    "The tower is 330 metres tall and was finished on 2 May 1931. Adults pay 14 euros. "
    "Guided tours take 45 minutes. About 2.3 million people came in 2019, 12 % more than before."
)
MARKDOWN = (
    "## Visiting the museum\n\nIt opens at nine [1]:\n\n- Adults pay 14 euros [1].\n- **Dogs** are "
    "welcome in the garden [2].\n\n| hall | shows |\n|---|---|\n| first | maps and letters |\n"
)
CONTEXT = [
    "The museum near the station opens at nine. Adults pay 12 euros. Guided tours take 45 minutes.",
    "Dogs are welcome in the garden but not in the halls. In 2019 it had 2,310,480 visitors.",
    "The tower is 330 metres tall and was finished in May 1931. A ferry leaves for an island.",
]
LONG = [
    f"Page {n} of the guide is about the garden of house {n}. {text}"
    for n in range(9)
    for text in CONTEXT
]


class Kind(NamedTuple):
    """A grade of the set: what is graded, and how."""

    answer: str
    context: list[str] = CONTEXT
    limits: Limits = Limits()
    options: Mapping[str, Any] = MappingProxyType({})


GRADES = {
    "three sentences": Kind(PLAIN),
    "numbers and dates": Kind(NUMBERS),
    "markdown with citations": Kind(MARKDOWN, options={"citations": "audit"}),
    "reasons": Kind(NUMBERS, options={"reasons": "all"}),
    "a long context": Kind(NUMBERS, LONG, Limits(prompt_tokens=1200)),
    "claims (promptfoo)": Kind(NUMBERS, options={"policy": "promptfoo"}),
    "truths (deepeval)": Kind(NUMBERS, options={"policy": "deepeval"}),
    "ratings (masis)": Kind(PLAIN, options={"policy": "masis"}),
    "embedded judge": Kind(NUMBERS, options={"judge": "embedded"}),
}
LABELS = ("supported", "supported", "not_enough_info")


class Instant:
    """Replies at once, from memory."""

    name, keeps_deadline = "instant", True

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.asked: list[Ask] = []

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.asked.append(ask)
        if ask.kind == "claims":
            said: Any = {
                "sentences": [{"id": n, "claims": [text]} for n, text in ask.payload.items]
            }
        elif ask.kind == "truths":
            said = {"truths": CONTEXT[0].split(". ")}
        elif ask.kind == "ratings":
            said = {**dict.fromkeys(ask.form.dimensions, 0.8), "suggestions": []}
        elif ask.kind == "verdicts":
            rows = zip(ask.ids, LABELS * len(ask.ids), strict=False)
            said = {"verdicts": [self._row(number, label, ask) for number, label in rows]}
        else:
            said = "Two of three statements are supported."
        return Reply(said if isinstance(said, str) else json.dumps({"ask": ask.echo, **said}))

    def _row(self, number: int, label: str, ask: Ask) -> dict[str, Any]:
        reason = {"reason": "The passage says so."} if "reason" in json.dumps(ask.schema) else {}
        return {"id": number, "evidence": [ask.payload.sentences[0][0]], **reason, "label": label}


# ---------------------------------------------------------------- counts


def counted() -> dict[str, dict[str, int]]:
    """What the second grade of each kind does: what is loaded or remembered once is left out."""
    return {name: _counted(kind) for name, kind in GRADES.items()}


def _counted(kind: Kind) -> dict[str, int]:
    grade, judge = _grader(kind)
    grade()
    judge.asked.clear()
    calls: Counter[CodeType] = Counter()

    def hook(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and OURS in code.co_filename and not code.co_name.startswith("<"):
            calls[code] += 1

    sys.setprofile(hook)  # of this thread alone: what others do beside it comes in any order
    try:
        grade()
    finally:
        sys.setprofile(None)
    prompts = [message["content"] for ask in judge.asked for message in ask.messages]
    return {
        "calls": calls.total(),
        "functions": len(calls),
        "asks": len(judge.asked),
        "prompt_tokens": sum(map(estimate_tokens, prompts)),
    }


def _grader(kind: Kind) -> tuple[Callable[[], object], Instant]:
    """A grade of this kind, and its judge. The seed makes each ask the same text everywhere."""
    judge = Instant(kind.limits)
    grader = Grader(**{"judge": judge, "seed": 1, **kind.options})
    return lambda: grader.grade(kind.answer, kind.context, question=QUESTION), judge


def counted_alone() -> dict[str, Any]:
    """The counts in a process of its own, in which nothing is remembered and sets keep an order."""
    command = [sys.executable, __file__, "--count"]
    env = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    counts: dict[str, Any] = json.loads(done.stdout)
    return counts


# ---------------------------------------------------------------- the table


def cpu_ratios() -> dict[str, float]:
    """CPU of a grade, as a multiple of that of the bare reference."""
    graders = {name: _grader(kind)[0] for name, kind in GRADES.items()}
    least = dict.fromkeys(GRADES, float("inf"))
    for _ in range(ROUNDS):
        for name, kind in GRADES.items():
            bare = _cpu(lambda kind=kind: reference(kind))  # type: ignore[misc]
            least[name] = min(least[name], _cpu(graders[name]) / bare)
    return least


def reference(kind: Kind) -> None:
    """What any grader does: it splits the texts, writes them as JSON, and reads a reply."""
    for text in (kind.answer, *kind.context):
        json.loads(json.dumps(list(sentencex.segment("en", text))))


def _cpu(run: Callable[[], object]) -> float:
    begun = time.process_time()
    for _ in range(REPEATS):
        run()
    return time.process_time() - begun


def table(counts: Mapping[str, Mapping[str, int]], ratios: Mapping[str, float], at: str) -> str:
    """The table in Markdown, made at this commit."""
    rows = [
        "| grade | asks | prompt tokens | calls of our functions | different ones | CPU |",
        "|---|---|---|---|---|---|",
    ]
    for name, one in counts.items():
        cells = [one["asks"], one["prompt_tokens"], one["calls"], one["functions"]]
        rows.append(f"| {name} | {' | '.join(f'{n:,}' for n in cells)} | {ratios[name]:.0f} |")
    version = ".".join(map(str, sys.version_info[:2]))
    return "\n".join([*rows, "", f"Made at commit {at} on Python {version}."])


def commit() -> str:
    """The commit of this checkout, and whether it has changes."""
    git = ["git", "-C", str(ROOT), "describe", "--always", "--abbrev=9", "--dirty= with changes"]
    return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()


def renewed(page: str, made: str) -> str:
    """The page with this table between the two markers."""
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    return f"{page[:begin]}\n\n{made}\n\n{page[end:]}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--count", action="store_true")
    options = parser.parse_args()
    if options.count:
        print(json.dumps({"python": list(sys.version_info[:2]), "grades": counted()}))
        return
    counts, at = counted_alone(), commit()  # which the files that it writes change
    COUNTS.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
    made = table(counts["grades"], cpu_ratios(), at)
    print(made)
    options.page.write_text(renewed(options.page.read_text("utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    main()
