"""The example run that screenshots, the pages and the browser tests show: a railway's assistant, and a judge that gives reasons."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conftest import ROOT

from faithfulness_assert import Ask, Grader, Reply, Usage
from faithfulness_assert.asking.fingerprint import prompts_fingerprint
from faithfulness_assert.batch import run
from faithfulness_assert.batch.certifying import Certified
from faithfulness_assert.judges.certificate import Certificate, Rule
from faithfulness_assert.judges.several import Cascade
from faithfulness_assert.policy.as_json import policy_as_json, without_controls

EXAMPLE = json.loads((ROOT / "fixtures" / "report_example.json").read_text(encoding="utf-8"))
TRUTH = {
    statement: (label, evidence, reason)
    for case in EXAMPLE["cases"]
    for statement, label, evidence, reason in case["statements"]
}


@dataclass
class ExampleJudge:
    """Gives the verdicts of the example. What it does not know, it calls supported."""

    name: str = "example-judge"

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        verdicts = [self._verdict(ask, *statement) for statement in ask.payload.statements]
        text = json.dumps({"verdicts": verdicts})
        usage = Usage(prompt=420 + len(text) // 3, completion=len(text) // 4, num_requests=1)
        return Reply(text, usage=usage)

    def _verdict(self, ask: Ask, number: int, statement: str) -> dict[str, Any]:
        label, quote, reason = TRUTH.get(statement, ("supported", "", ""))
        shown = [n for n, sentence in ask.payload.sentences if quote and quote in sentence]
        verdict = {"id": number, "evidence": shown, "label": label}
        return verdict | ({"reason": reason} if ask.form.reasons else {})


def example_records() -> list[dict[str, Any]]:
    """The data set."""
    return [
        {
            "id": case["id"],
            "question": case["question"],
            "answer": " ".join(statement for statement, *_ in case["statements"]),
            "context": [
                {"id": name, "text": EXAMPLE["passages"][name]} for name in case["context"]
            ],
        }
        for case in EXAMPLE["cases"]
    ]


def example_run(folder: Path, *, improved: bool = False) -> Path:
    """The directory of a run over the example. ``improved``: over better answers to two questions."""
    records = example_records()
    if improved:
        for record in records:
            if record["id"] == "bike-rush-hour":
                record["answer"] = "Your bicycle needs a ticket of its own for 3.50 euros."
            if record["id"] == "day-ticket":
                record["answer"] += " There is also a family ticket for 24 euros."
    name = "assistant-v2" if improved else "assistant-v1"
    data = folder / f"{name}.jsonl"
    data.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    run(data, folder / name, judge=ExampleJudge(), reasons=True, progress=False)
    return folder / name


def cascade_run(folder: Path) -> Path:
    """A run over the example by a cascade, whose first judge answers alone where a case fails."""
    judges = (ExampleJudge("quick-judge"), ExampleJudge())
    found = certified()
    told = {
        "judges": [{"name": judge.name} for judge in judges],
        "policy": without_controls(policy_as_json(Grader(judges[0], reasons=True).policy)),
        "prompts": prompts_fingerprint(),
        "options": Grader().shaping,
    }
    cascade = Cascade(*judges, certificate=replace(found.certificate, **told))
    run(example_records(), folder / "cascade", judge=cascade, reasons=True, progress=False)
    return folder / "cascade"


def certified() -> Certified:
    """What two runs of many cases might show."""
    curve = (
        Rule({"fails": 0.8}, 128, 0, 0.9768),
        Rule({"fails": 0.4, "passes": 0.2}, 260, 14, 0.9171),
        Rule({"fails": 0.0, "passes": 0.0}, 437, 37, 0.8904),
    )
    certificate = Certificate(
        *(({}, {}), {}, "", {}),
        0.9,
        curve[1].limits,
        cases=463,
        accepted=260,
        differing=14,
        curve=curve,
    )
    return Certified(("quick-judge", "example-judge"), 0.9, certificate, curve, 463, 463, 2)
