"""How long it takes to score a run again, and how large its lines are.

    python benchmarks/rescored_run.py [--cases 100000] [--statements 4]

A judge that draws its verdicts at random grades 200 cases; the run repeats their lines under other
ids. It is scored again with another threshold, other weights and a cap, without an ask. Beside the
time stands what scoring again found, held against grading those cases under that policy.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from faithfulness_assert import Ask, Reply, Usage
from faithfulness_assert.batch import RunDirectory, RunOutcome, rescore, run
from faithfulness_assert.records.judge import JudgeInfo

DRAWN = 200
LABELS = ("supported", "supported", "supported", "partially_supported", "not_enough_info")
OTHER = {
    "threshold": 0.6,
    "weights": {"partially_supported": 0.25},
    "fail_on": (),
    "strict_evidence": True,
}


class Judge:
    """Gives each statement the same label in every run."""

    info = JudgeInfo(name="drawn", keeps_deadline=True)

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        said = [
            {"id": number, "evidence": [1] * chance.randint(0, 1), "label": chance.choice(LABELS)}
            for number, text in ask.payload.statements
            for chance in [random.Random(text)]
        ]
        return Reply(json.dumps({"verdicts": said}), usage=Usage(100, 20, num_requests=1))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--statements", type=int, default=4)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        drawn = graded(folder / "drawn", given.statements)
        repeat(drawn.directory, folder / "many", given.cases)
        size = RunDirectory(folder / "many").size
        print(f"{given.cases:,} cases of {given.statements} statements, {size / 1e6:,.0f} MB")
        began = time.perf_counter()
        again = rescore(folder / "many", folder / "again", **OTHER)
        seconds = time.perf_counter() - began
        print(f"scored again in {seconds:.1f} s, {given.cases / seconds:,.0f} a second")
        wanted = graded(folder / "wanted", given.statements, **OTHER)
        of_case = dict(outcomes(wanted))
        wrong = sum(of_case[tower] != told for tower, told in outcomes(again))
        print(f"other results than grading gives: {wrong} of {given.cases:,}")


def graded(folder: Path, statements: int, **options: object) -> RunOutcome:
    cases = [
        {
            "answer": " ".join(f"The tower {n} has {k} floors." for k in range(1, statements + 1)),
            "context": f"The tower {n} is tall. It has many floors.",
        }
        for n in range(DRAWN)
    ]
    return run(cases, folder, judge=Judge(), progress=False, **options)  # type: ignore[arg-type]


def repeat(drawn: RunDirectory, folder: Path, cases: int) -> None:
    folder.mkdir()
    about = drawn.about() or {}
    lines = list(drawn.lines())
    with (folder / "results.jsonl").open("w") as file:
        for row in range(1, cases + 1):
            line = lines[(row - 1) % DRAWN]
            id = str(row)
            again = line._replace(case_id=id, row=row, result=replace(line.result, case_id=id))
            file.write(again.to_json() + "\n")
    RunDirectory(folder).write_about({**about, "rows": cases})


def outcomes(outcome: RunOutcome) -> Iterator[tuple[str, tuple[object, ...]]]:
    """The first statement of each case, and what the case got."""
    for line in outcome.directory.lines():
        result = line.result
        yield result.verdicts[0].statement, (result.pass_, result.score, result.reason)


if __name__ == "__main__":
    main()
