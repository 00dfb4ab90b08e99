"""The embedded judge: no key, no download, no network. A smoke test that compares words, not a reader.

It says ``supported`` or ``not_enough_info`` and nothing else. It takes a negated sentence, or one with two names exchanged, for
supported: on statements that were altered on purpose it is little better than chance, on natural ones it is right about seven
times in ten (``benchmarks/embedded_judge.py`` measures both). Use it to see that the pipes are connected, and an LLM judge to
see whether the answers are faithful.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, ClassVar

from ...records.ask import Reply
from ...records.errors import JudgeError
from ...records.judge import Limits
from ...records.usage import Usage
from .rule import Support, build_index, support

if TYPE_CHECKING:
    from ...records.ask import Ask, AskKind

__all__ = ["THRESHOLD", "EmbeddedJudge"]

THRESHOLD = 0.6


class EmbeddedJudge:
    """Finds a statement ``supported`` where enough of its wording stands close together in the context, else ``not_enough_info``.

    The same ask has the same reply, always. The question is not read: it is never evidence.
    """

    name: ClassVar[str] = "embedded"
    limits: ClassVar[Limits] = Limits()
    identity: ClassVar[dict[str, Any]] = {"judge": "embedded", "version": 2}
    never_contradicts: ClassVar[bool] = True
    asks: ClassVar[frozenset[AskKind]] = frozenset({"verdicts"})
    keeps_deadline: ClassVar[bool] = True
    caveat: ClassVar[str] = (
        "embedded smoke-test judge: compares words only; name an LLM judge for real grading"
    )

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """A verdict for each statement of ``ask``.

        Raises:
            JudgeError: the ask wants claims, which takes an LLM; or ``deadline``, an instant of ``time.monotonic()``, is past.
        """
        if ask.kind != "verdicts":
            raise JudgeError(
                "the embedded judge cannot write claims: use a policy that splits into sentences (split='sentences'), or an LLM judge",
                "unreadable",
            )
        index = build_index(ask.payload.sentences)
        verdicts = []
        for number, statement in ask.payload.statements:
            if deadline is not None and time.monotonic() > deadline:
                raise JudgeError(
                    "the embedded judge ran out of time; pass fewer statements or a later deadline",
                    "timeout",
                )
            verdicts.append(_verdict(number, support(statement, index), ask.form.reasons))
        return Reply(
            json.dumps({"verdicts": verdicts}, separators=(",", ":")), usage=Usage(), validated=True
        )


def _verdict(number: int, found: Support, reasons: bool) -> dict[str, Any]:
    supported = found.score >= THRESHOLD
    reason = {"reason": _reason(found)} if reasons else {}
    label = "supported" if supported else "not_enough_info"
    return {
        "id": number,
        "evidence": list(found.evidence) if supported else [],
        **reason,
        "label": label,
    }


def _reason(found: Support) -> str:
    if found.missing:
        return f"{found.missing[:60]} is nowhere in the context"
    if not found.evidence:
        return "no overlap with the context; smoke-test judge"
    where = ", ".join(map(str, found.evidence[:5]))
    relation = "at least" if found.score >= THRESHOLD else "under"
    return f"word overlap {found.score:.2f} with context sentences {where}, {relation} {THRESHOLD:.2f}; smoke-test judge"
