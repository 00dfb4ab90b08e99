"""Replays faults, attacks and bad replies, and counts the outcomes.

    python benchmarks/trust.py [SHARED]

Every row runs through the package. ``right`` counts the rows that end as they should. ``inflated``
counts those that got more credit than they should (malformed JSON: any credit from a text without a
word for it). ``crashes`` counts exceptions of a grade. ``slow`` counts grades of more than 1 s of
CPU; it is empty for attacks, which are many grades each and have their own limits, and for faults.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

sys.path.extend(
    str(Path(__file__).parents[1] / f"tests{room}") for room in ("", "/support", "/judges")
)
import attacks
import broken_judges
import test_faults as faults
from fakes import ScriptedJudge
from reading import reply_rows as reading

from faithfulness_assert import GradingResult, grade, is_refusal
from faithfulness_assert.reading.labels import parse_label

SHARED = Path(__file__).parents[2] / "shared"
SLOW = 1.0  # seconds of CPU


@dataclass
class Tally:
    """The outcomes of the rows of one kind."""

    what: str
    rows: int = 0
    right: int = 0
    inflated: int = 0
    crashes: int = 0
    slow: int = 0
    timed: bool = True  # whether each row is one grade that runs alone

    def run(self, row: object, outcome: Callable[[Any], tuple[bool, bool]]) -> None:
        """Counts a row. ``outcome`` says whether the row is right, and whether it is inflated."""
        self.rows += 1
        begun = time.process_time()
        try:
            right, inflated = outcome(row)
            self.right, self.inflated = self.right + right, self.inflated + inflated
        except Exception as error:  # noqa: BLE001 - any exception counts
            self.crashes += 1
            print(f"{self.what}: {row!r:.80}: {error!r:.200}", file=sys.stderr)
        self.slow += time.process_time() - begun > SLOW

    def __str__(self) -> str:
        slow = self.slow if self.timed else ""
        counts = f"{self.rows:,} | {self.right:,} | {self.inflated} | {self.crashes} | {slow}"
        return f"| {self.what} | {counts} |"


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
    problems = attacks.problems(row)
    return not problems, any("supported" in problem for problem in problems)


def fault(api: str) -> Callable[[dict[str, Any]], tuple[bool, bool]]:
    def outcome(row: dict[str, Any]) -> tuple[bool, bool]:
        result, took, requests = faults.replayed(row, api)
        return not faults.wrong(row, result, took, requests), (result.score or 0) > 0.5

    return outcome


def graded_by(text: str, statements: int) -> GradingResult:
    answer = " ".join(f"Room {n} is painted blue." for n in range(1, statements + 1))
    return grade(answer, "All rooms are painted.", judge=ScriptedJudge([text]))


def verdicts(row: dict[str, Any]) -> tuple[bool, bool]:
    """A recorded output. Right: all verdicts are as expected; an error leaves one open."""
    result = graded_by(row["raw"], row["n_statements"])
    supported = [v.label and v.label == "supported" for v in result.verdicts]
    if row["expect"] == "error":
        right = None in supported or "acceptable" in row["note"]
        return right, bool(supported) and all(supported)
    pairs = zip(supported, row["expect"], strict=True)
    return supported == row["expect"], any(got and not expected for got, expected in pairs)


def malformed(row: dict[str, Any]) -> tuple[bool, bool]:
    """A reply without a verdict. Right: a complete result. Inflated: undeserved credit."""
    text = reading.malformed(row)
    result = graded_by(text, 1)
    granted = any(parse_label(word) == "supported" for word in re.findall(r"\w+", text))
    supported = any(v.label == "supported" for v in result.verdicts)
    return bool(result.model_dump_json()), supported and not granted


def refusal(row: dict[str, Any]) -> tuple[bool, bool]:
    return is_refusal(row["text"]) is row["is_refusal"], False


def tallies(shared: Path) -> Iterator[Tally]:
    corpora = shared / "corpora"
    own = [row for row in lines(attacks.FIXTURES / "attacks.jsonl") if row["id"].startswith("own-")]
    yield tally("attacks", [*lines(corpora / "attacks.jsonl"), *own], attack, timed=False)
    for api in ("openai", "anthropic"):
        rows = [row for row in faults.ROWS if api in row.get("apis", (api,))]
        done = Tally(f"faults replayed over HTTP, {api}", timed=False)
        faults.each(rows, partial(done.run, outcome=fault(api)))
        yield done
    yield tally(
        "broken judges",
        list(broken_judges.outcomes()),
        lambda one: (one.right, (one.score or 0) > broken_judges.TRUTH + 1e-9),
    )
    yield tally("recorded verdicts read", lines(corpora / "verdict_outputs.jsonl"), verdicts)
    yield tally("malformed replies read", lines(corpora / "malformed_json.jsonl"), malformed)
    refusals = [row for row in lines(corpora / "refusals.jsonl") if row["is_refusal"] != "partial"]
    yield tally("refusals and answers distinguished", refusals, refusal)


def main() -> None:
    shared = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED
    if not (shared / "corpora").is_dir():
        sys.exit(f"{shared}/corpora does not exist: pass the folder of the shared material")
    logging.disable()
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        os.environ.pop(name, None)
    os.environ["NO_PROXY"] = "127.0.0.1"
    print("| kind | rows | right | inflated | crashes | slow |\n|---|---|---|---|---|---|")
    bad = 0
    for done in tallies(shared):
        print(done, flush=True)
        bad += done.inflated + done.crashes
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
