"""The embedded judge: no key, no download, no network. A smoke test that compares words only.

It never answers ``contradicted``. It labels a sentence with two names exchanged
as supported, and one that is true in quite other words as ``not_enough_info``.
``benchmarks/embedded_judge.py`` measures how often it is right. Use it to test that everything is
connected, and an LLM judge to grade answers.
"""

from __future__ import annotations

import json
import time
from typing import Any, ClassVar

from ...records.errors import JudgeError
from ...records.judge import Ask, JudgeInfo, Reply, ReplyForm
from ...records.usage import Usage
from .rule import Support, support
from .words import Index, may_be_set_aside

THRESHOLD = 0.6


class EmbeddedJudge:
    """Labels a statement ``supported`` if the context knows enough of its words.

    Of all other statements, those that claim nothing are ``not_a_claim`` where the ask allows it,
    and the rest are ``not_enough_info``. The same ask always gets the same reply. The question is
    never evidence.
    """

    info: ClassVar[JudgeInfo] = JudgeInfo(
        name="embedded",
        keeps_deadline=True,
        caveat="embedded smoke-test judge: compares words only; name an LLM judge for real grading",
        never_contradicts=True,
        deterministic=True,
        asks=frozenset({"verdicts"}),
        identity={"judge": "embedded", "version": 7},
    )

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """A verdict for each statement of ``ask``.

        Raises:
            JudgeError: the ask is not for verdicts, which needs an LLM; or ``deadline``, an instant
                of ``time.monotonic()``, has passed.
        """
        if ask.kind != "verdicts":
            raise JudgeError(
                "the embedded judge cannot write claims: use a policy that splits into sentences "
                "(split='sentences'), or an LLM judge",
                "unreadable",
            )
        index = Index(ask.payload.sentences)
        verdicts = []
        for number, statement in ask.payload.statements:
            if deadline is not None and time.monotonic() > deadline:
                raise JudgeError(
                    "the embedded judge ran out of time; pass fewer statements or a later deadline",
                    "timeout",
                )
            own = {"id": number} if ask.form.numbered else {}
            verdict = _verdict(support(statement, index), ask.form)
            if verdict["label"] == "not_enough_info" and _is_aside(statement, ask):
                verdict["label"] = "not_a_claim"
            verdicts.append(own | verdict)
        text = json.dumps({"verdicts": verdicts}, separators=(",", ":"))
        return Reply(text, usage=Usage(), validated=True)


def _is_aside(statement: str, ask: Ask) -> bool:
    """Whether a statement may be set aside, and the ask has the label for that."""
    texts = (text for _, text in ask.payload.items)
    asked = bool(ask.payload.question)
    return "not_a_claim" in ask.form.labels and may_be_set_aside(statement, texts, is_asked=asked)


def _verdict(support: Support, form: ReplyForm) -> dict[str, Any]:
    supported = support.score >= THRESHOLD
    return {
        "evidence": list(support.evidence) if supported else [],
        **({"reason": _reason(support)} if form.reasons == "all" else {}),
        "label": "supported" if supported else "not_enough_info",
    }


def _reason(support: Support) -> str:
    if support.against and support.score < THRESHOLD:
        return support.against
    if not support.evidence:
        return "no overlap with the context; smoke-test judge"
    where = f"in context sentences {', '.join(map(str, support.evidence[:5]))}"
    if support.score >= THRESHOLD:
        return f"its words are {where}; this is the smoke-test judge"
    share = f"{support.score:.0%} of its words are {where}"
    return f"{share}, and {THRESHOLD:.0%} are needed; smoke-test judge"
