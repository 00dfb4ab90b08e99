"""A judge for estimates: it replies to every ask as a model would in form and length, at no cost.

Nothing is sent. Verdicts come from the embedded judge. In other replies, each sentence is a claim
or a truth.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..asking.echo import echoing, token_of
from ..judges.embedded import EmbeddedJudge
from ..judges.token_counter import token_counter
from ..records.ask import Ask, Reply, ReplyForm
from ..records.usage import Usage
from ..text.sentences import sentence_spans

if TYPE_CHECKING:
    from ..asking.tokens import CountTokens
    from ..records.judge import JudgeInfo

RATING = 0.85
SUGGESTION = "Cite a passage for each claim, and leave out what no passage says."
REASON = (
    "The score is lowered because some statements of the answer are not supported by the context: "
    "they name details that it does not contain."
)


class Rehearsal:
    """Takes the place of the judge with this ``info``; asks are planned as for that judge.

    Args:
        info: of that judge.
        echoed: whether each reply repeats a token of its ask, as over a batch API.
    """

    def __init__(self, info: JudgeInfo, *, echoed: bool = False) -> None:
        self._count = token_counter(info.name) if echoed else None
        self.info = replace(info, keeps_deadline=True, any_loop=False, caveat="", identity=None)
        self._judge = EmbeddedJudge()

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:  # noqa: ARG002 - it is quick
        """A reply. If it has no usage, the grader counts the tokens."""
        text = json.dumps(self._reply(ask), separators=(",", ":"), ensure_ascii=False)
        return Reply(text, self._count and _echoed_usage(ask, text, self._count))

    def _reply(self, ask: Ask) -> dict[str, Any]:
        items = ask.payload.items
        if ask.kind == "claims":
            return {"sentences": [{"id": n, "claims": [text]} for n, text in items]}
        if ask.kind == "truths":
            return {"passages": [{"id": n, "truths": _sentences(text)} for n, text in items]}
        if ask.kind == "ratings":
            return {**dict.fromkeys(ask.form.dimensions, RATING), "suggestions": [SUGGESTION]}
        if ask.kind == "reason":
            return {"reason": REASON}
        return {"verdicts": self._verdicts(ask, dict(items))}

    def _verdicts(self, ask: Ask, items: dict[int, str]) -> list[dict[str, Any]]:
        """The embedded judge's, with the claims that an ask for claims wants too."""
        form = ReplyForm("verdicts", ask.form.labels, ask.form.reasons)
        verdicts = json.loads(self._judge.ask(replace(ask, form=form)).text)["verdicts"]
        if ask.kind == "verdicts":
            return list(verdicts)
        return [{"id": v["id"], "claim": items[v["id"]], **v} for v in verdicts]


def _echoed_usage(ask: Ask, text: str, count: CountTokens) -> Usage:
    """What the ask and its reply use with the token in both."""
    token = token_of(ask.ids)
    prompt = sum(count(message["content"]) for message in echoing(ask, token).messages)
    completion = count(f'{{"ask":"{token}",{text[1:]}')
    return Usage(prompt, completion, num_requests=1)


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]
