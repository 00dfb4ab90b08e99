"""Judges for tests. They answer asks from a script or from the truth, and remember what they were asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from faithfulness_assert import Ask, JudgeError, Reply, Usage
from faithfulness_assert.records.judge import Limits

USAGE = Usage(prompt=100, completion=20, num_requests=1)


def verdicts_json(labels: dict[int, str | None], evidence: Sequence[int] = (1,)) -> str:
    """A reply in the form that is asked for; a label of None leaves the entry out."""
    entries = [
        {"id": n, "evidence": list(evidence), "label": label}
        for n, label in labels.items()
        if label
    ]
    return json.dumps({"verdicts": entries})


@dataclass
class ScriptedJudge:
    """Gives the scripted replies in turn, then the last one again. An exception in the script is raised."""

    script: Sequence[str | Reply | Exception]
    limits: Limits = field(default_factory=Limits)
    asked: list[Ask] = field(default_factory=list)
    name: str = "scripted"

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        said = self.script[min(len(self.asked), len(self.script) - 1)]
        self.asked.append(ask)
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, Reply) else Reply(said, usage=USAGE)


@dataclass
class TruthfulJudge:
    """Answers every ask in full: each sentence is one claim, and ``label`` says what each statement is."""

    label: Callable[[str], str] = lambda _: "supported"
    limits: Limits = field(default_factory=Limits)
    asked: list[Ask] = field(default_factory=list)
    name: str = "truthful"

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.asked.append(ask)
        statements = ask.payload.statements
        if ask.kind == "claims":
            return Reply(
                json.dumps({"sentences": [{"id": n, "claims": [text]} for n, text in statements]}),
                usage=USAGE,
            )
        if ask.kind == "truths":
            return Reply(
                json.dumps({"passages": [{"id": n, "truths": [text]} for n, text in statements]}),
                usage=USAGE,
            )
        if ask.kind == "ratings":
            return Reply(
                json.dumps(
                    {**dict.fromkeys(ask.form.dimensions, 0.9), "suggestions": ["Say less."]}
                ),
                usage=USAGE,
            )
        if ask.kind == "reason":
            return Reply(json.dumps({"reason": "The judge says why."}), usage=USAGE)
        shown = [n for n, _ in ask.payload.sentences][:1]
        claim = {"claim": "x"} if ask.kind == "claims_and_verdicts" else {}
        entries = [
            {"id": n, **({"claim": t} if claim else {}), "evidence": shown, "label": self.label(t)}
            for n, t in statements
        ]
        return Reply(json.dumps({"verdicts": entries}), usage=USAGE)


def failing(kind: str, **details: object) -> JudgeError:
    return JudgeError(f"it failed ({kind})", kind, **details)
