"""Judges for tests. They answer from a script or correctly, and record the asks that they got."""

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from faithfulness_assert import Ask, JudgeError, Reply, Usage, policies
from faithfulness_assert.records.judge import Limits

SCORED = tuple(policies["default"].weights)
LABELS = (*SCORED, "not_a_claim")
USAGE = Usage(prompt=100, completion=20, num_requests=1)


def verdicts_json(labels: dict[int, str | None], evidence: Sequence[int] = (1,)) -> str:
    """A reply in the requested form, without the statements whose label is None."""
    entries = [
        {"id": n, "evidence": list(evidence), "label": label}
        for n, label in labels.items()
        if label
    ]
    return json.dumps({"verdicts": entries})


def labelled(*labels: str | None, evidence: Sequence[int] = (1,)) -> Callable[[Ask], Reply]:
    """A reply with these labels for what its ask is about, in order; None for what it leaves out."""

    def reply(ask: Ask) -> Reply:
        said = dict(zip(ask.ids, labels, strict=False))
        return Reply(verdicts_json(said, evidence), usage=USAGE)

    return reply


def tokens(text: str) -> int:
    """What a text has by the documented estimate: four ASCII characters to one, else one each."""
    others = sum(not char.isascii() for char in text)
    return -(-(len(text) - others) // 4) + others


@dataclass
class ScriptedJudge:
    """Gives the scripted replies in turn, then the last one again. Exceptions are raised.

    A reply may be made for its ask. Asks that are sent at once may come in any order: script them
    only if their replies are equal.
    """

    script: Sequence[str | Reply | Exception | Callable[[Ask], Reply]]
    limits: Limits = field(default_factory=Limits)
    asked: list[Ask] = field(default_factory=list)
    name: str = "scripted"
    _lock: Any = field(default_factory=threading.Lock, repr=False, compare=False)

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        with self._lock:
            reply = self.script[min(len(self.asked), len(self.script) - 1)]
            self.asked.append(ask)
        if isinstance(reply, Exception):
            raise reply
        if callable(reply):
            return reply(ask)
        return reply if isinstance(reply, Reply) else Reply(reply, usage=USAGE)


@dataclass
class TruthfulJudge:
    """Answers every ask: each sentence is one claim; ``label`` labels each statement, or leaves it out."""

    label: Callable[[str], str | None] = lambda _: "supported"
    limits: Limits = field(default_factory=Limits)
    asked: list[Ask] = field(default_factory=list)
    name: str = "truthful"

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.asked.append(ask)
        return Reply(json.dumps(self._answer(ask)), usage=USAGE)

    def _answer(self, ask: Ask) -> dict[str, Any]:
        statements = ask.payload.items
        if ask.kind == "claims":
            return {"sentences": [{"id": n, "claims": [text]} for n, text in statements]}
        if ask.kind == "truths":
            return {"passages": [{"id": n, "truths": [text]} for n, text in statements]}
        if ask.kind == "ratings":
            return {**dict.fromkeys(ask.form.dimensions, 0.9), "suggestions": ["Say less."]}
        if ask.kind == "reason":
            return {"reason": "The judge says why."}
        shown = [n for n, _ in ask.payload.sentences][:1]
        labels = ((n, self.label(text)) for n, text in statements)
        rows = [{"id": n, "evidence": shown, "label": label} for n, label in labels if label]
        return {"verdicts": rows}


def failing(kind: str, **details: object) -> JudgeError:
    return JudgeError(f"it failed ({kind})", kind, **details)
