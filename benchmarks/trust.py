"""How much of what can go wrong was tried, and what came of it: faults replayed, attacks tried, bad replies read.

    python benchmarks/trust.py [SHARED]

Every row goes through the package. ``right`` is what ends as its row says. ``inflated`` got more than its row grants (for malformed JSON,
any support from a text that has no word for it). A ``crash`` is any exception of a grade. ``slow`` took over 1 s of CPU, where a row is one
grade; an attack is many, and has its own bounds.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import attacks
import broken_judges
import test_faults as faults
import test_reading as reading
from fakes import ScriptedJudge

from faithfulness_assert import GradingResult, grade, is_refusal
from faithfulness_assert.reading.labels import parse_label

SHARED = Path(__file__).parents[2] / "shared"
SLOW = 1.0  # seconds of CPU


@dataclass
class Tally:
    """What came of the rows of one kind."""

    what: str
    rows: int = 0
    right: int = 0
    inflated: int = 0
    crashes: int = 0
    slow: int = 0
    timed: bool = True  # whether its rows are one grade each, with the clock for itself

    def run(self, row: object, outcome: Callable[[Any], tuple[bool, bool]]) -> None:
        """Counts a row by its outcome: whether it is right, and whether it is inflated."""
        self.rows += 1
        begun = time.process_time()
        try:
            right, inflated = outcome(row)
            self.right, self.inflated = self.right + right, self.inflated + inflated
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
            self.crashes += 1
            print(f"{self.what}: {row!r:.80}: {error!r:.200}", file=sys.stderr)
        self.slow += time.process_time() - begun > SLOW

    def __str__(self) -> str:
        return f"| {self.what} | {self.rows:,} | {self.right:,} | {self.inflated} | {self.crashes} | {self.slow if self.timed else ''} |"


def tally(
    what: str,
    rows: Iterable[object],
    outcome: Callable[[Any], tuple[bool, bool]],
    *,
    timed: bool = True,
) -> Tally:
    done = Tally(what, timed=timed)
    for row in rows:
        done.run(row, outcome)
    return done


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def attack(row: dict[str, Any]) -> tuple[bool, bool]:
    found = attacks.problems(row)
    return not found, any("supported" in problem for problem in found)


def fault(api: str) -> Callable[[dict[str, Any]], tuple[bool, bool]]:
    def outcome(row: dict[str, Any]) -> tuple[bool, bool]:
        result, took, requests = faults.replayed(row, api)
        return not faults.wrong(row, result, took, requests), result.score > 0.5

    return outcome


def graded_by(text: str, statements: int) -> GradingResult:
    answer = " ".join(f"Room {n} is painted blue." for n in range(1, statements + 1))
    return grade(answer, "All rooms are painted.", judge=ScriptedJudge([text]))


def verdicts(row: dict[str, Any]) -> tuple[bool, bool]:
    """A recorded output: right where each statement gets its verdict, or is left open where the row wants an error."""
    found = [
        v.label and v.label == "supported"
        for v in graded_by(row["raw"], row["n_statements"]).verdicts
    ]
    if row["expect"] == "error":
        return None in found or "acceptable" in row["note"], bool(found) and all(found)
    return found == row["expect"], any(
        got and not wanted for got, wanted in zip(found, row["expect"], strict=True)
    )


def malformed(row: dict[str, Any]) -> tuple[bool, bool]:
    """A reply that is no verdict: right where it ends in a complete result, inflated where it supports without a word that does."""
    text = reading.malformed(row)
    result = graded_by(text, 1)
    granted = any(parse_label(word) == "supported" for word in re.findall(r"\w+", text))
    return bool(result.model_dump_json()), not granted and any(
        v.label == "supported" for v in result.verdicts
    )


def refusal(row: dict[str, Any]) -> tuple[bool, bool]:
    return is_refusal(row["text"]) is row["is_refusal"], False


def tallies(shared: Path) -> Iterator[Tally]:
    corpora = shared / "corpora"
    yield tally("attacks tried", lines(corpora / "attacks.jsonl"), attack, timed=False)
    for api in ("openai", "anthropic"):
        rows = [row for row in faults.ROWS if api in row.get("apis", (api,))]
        done = Tally(f"faults replayed over HTTP, {api}", timed=False)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda row, done=done, api=api: done.run(row, fault(api)), rows))
        yield done
    fake = broken_judges.load(shared / "peers" / "fake_judge.py")
    outcomes = list(broken_judges.outcomes(fake))
    yield tally(
        "judges that break",
        outcomes,
        lambda one: (one.right, one.score > broken_judges.TRUTH + 1e-9),
    )
    yield tally("recorded verdicts read", lines(corpora / "verdict_outputs.jsonl"), verdicts)
    yield tally("malformed replies read", lines(corpora / "malformed_json.jsonl"), malformed)
    refusals = [row for row in lines(corpora / "refusals.jsonl") if row["is_refusal"] != "partial"]
    yield tally("refusals and answers told apart", refusals, refusal)


def main() -> None:
    shared = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED
    if not (shared / "corpora").is_dir():
        sys.exit(f"{shared} is not there: pass the folder of the shared material")
    logging.disable()
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        os.environ.pop(name, None)
    os.environ["NO_PROXY"] = "127.0.0.1"
    print("| what | rows | right | inflated | crashes | slow |\n|---|---|---|---|---|---|")
    bad = 0
    for done in tallies(shared):
        print(done, flush=True)
        bad += done.inflated + done.crashes
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
