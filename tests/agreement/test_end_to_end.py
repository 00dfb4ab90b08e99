"""From a run over HTTP to a share that one may quote: the judge's errors are known, people are right."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any
from zlib import crc32

from command import run
from labelled_runs import rows_of, write_rows
from loopback import Answer, Loopback, Request, completion
from true_server import said, text_of

CASES, WRONG, MISSED, ALARMS = 300, 0.15, 0.3, 0.05


def truth_of(number: int) -> bool:
    return random.Random(number).random() >= WRONG


def cases() -> list[dict[str, Any]]:
    made = []
    for number in range(CASES):
        context = f"Tower {number} has {number + 3} floors. It stands in town {number}."
        floors = number + 3 if truth_of(number) else number + 900
        answer = f"Tower {number} has {floors} floors."
        made.append({"id": f"t{number}", "answer": answer, "context": [context]})
    return made


def errs(number: int, share: float) -> bool:
    """Whether the judge is wrong about a case: always the same ones, whatever the ask looks like."""
    return crc32(f"judge {number}".encode()) * 7919 % 1000 / 1000 < share


def erring(request: Request) -> Answer:
    """A judge that misses a part of what is wrong, and flags a part of what is right."""
    text = text_of(request)
    told = said(text)
    for verdict in told["verdicts"]:
        fine = verdict["label"] == "supported"
        if errs(int(re.search(r"Tower (\d+)", text)[1]), ALARMS if fine else MISSED):
            verdict["label"] = "contradicted" if fine else "supported"
            verdict["evidence"] = [1]
    return completion(json.dumps(told), usage={"prompt_tokens": 9, "completion_tokens": 9})


def test_a_run_is_labelled_and_its_share_contains_the_truth(tmp_path: Path) -> None:
    data, kept, sheet = (str(tmp_path / name) for name in ("data.jsonl", "run", "sheet.csv"))
    Path(data).write_text("".join(json.dumps(case) + "\n" for case in cases()), encoding="utf-8")
    with Loopback(erring) as server:
        judge = ["--judge", "openai:m", "-o", f"base_url={server.url}", "-o", "controls=off"]
        batch = ["batch", data, "--run", kept, "--quiet", *judge]
        done = run(*batch, OPENAI_API_KEY="sk-simulated")
        assert done.returncode == 1, done.stderr
    drawn = run("label", kept, "-o", sheet, "--n", "120", "--data", data)
    assert drawn.returncode == 0, drawn.stderr
    assert "Fill the column label, then: faithfulness-assert agreement" in drawn.stderr
    rows = rows_of(Path(sheet))
    for row in rows:
        row["label"] = "faithful" if truth_of(int(row["case_id"][1:])) else "unfaithful"
    write_rows(Path(sheet), rows)
    page = tmp_path / "page.html"
    found = run("agreement", sheet, kept, "--report", str(page))
    assert found.returncode == 0, found.stderr
    line = found.stdout.splitlines()[0]
    assert line.endswith("of answers are unfaithful, by 120 labels")
    told = json.loads(run("agreement", sheet, kept, "--json").stdout)
    share = told["share"]
    true = sum(not truth_of(number) for number in range(CASES)) / CASES
    assert share["low"] <= true <= share["high"]
    assert share["high"] - share["low"] < 0.2
    recall = told["judges"][0]["answers"]["figures"]["recall"]
    assert recall["low"] <= 1 - MISSED <= recall["high"]

    assert page.stat().st_size > 10_000
