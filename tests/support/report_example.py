"""The example run that screenshots, the pages and the browser tests show: a railway's assistant, and a judge that gives reasons."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rows import rows

from faithfulness_assert import Ask, Reply, Usage
from faithfulness_assert.batch import run

EXAMPLE = rows("report_example")
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
        verdicts = [self._verdict(ask, *statement) for statement in ask.payload.items]
        text = json.dumps({"verdicts": verdicts})
        usage = Usage(prompt=420 + len(text) // 3, completion=len(text) // 4, num_requests=1)
        return Reply(text, usage=usage)

    def _verdict(self, ask: Ask, number: int, statement: str) -> dict[str, Any]:
        label, quote, reason = TRUTH.get(statement, ("supported", "", ""))
        shown = [n for n, sentence in ask.payload.sentences if quote and quote in sentence]
        verdict = {"id": number, "evidence": shown, "label": label}
        return verdict | ({"reason": reason} if ask.form.reasons == "all" else {})


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
    run(data, folder / name, judge=ExampleJudge(), reasons="all", progress=False)
    return folder / name
