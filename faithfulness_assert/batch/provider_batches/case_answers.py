"""The outcomes of a case's asks, from what came back for them in all rounds so far.

An ask has an outcome as soon as a reply names it (see ``asking.schema``), or fails for good.
Otherwise it is asked again in the next round, at most ``TRIES`` times in all. A reply that does not
name its ask is never read, under whichever id it came. A failure cannot name its ask, but it cannot
raise a score either.

Of several replies under one id none is picked. They are read together, as one reply that says all
of it, so that a statement is open about which they differ; what came for one ask is paid for.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, TypeGuard

from ...judges.http import Answer
from ...judges.remote.provider import Steps, merge_steps
from ...judges.remote.remote_judge import RemoteJudge
from ...judges.stored_replies import ask_key
from ...records.errors import JudgeError, PromptTooLong
from ...records.judge import Ask, Outcome, Reply
from ...records.usage import Usage
from ..store import SERVER_ERRORS
from ..summary import DIFFERING
from .asks import MOST_ANSWERS, Try
from .service import EXPIRED, MISSING, NOT_RUN

TRIES = 3
"""How often an ask is sent in all, if it gets no answer that can be used."""
NEVER_READ = ("content_filter", "error", "length")
"""How a reply ends that is never read for verdicts."""
_PROBLEMS = {
    EXPIRED: "the batch expired before this ask had an answer",
    MISSING: "the batch ended without an answer to this ask",
}


class CaseAnswers:
    """What is known about the asks of one case. To be called with each ask of its plan, in order.

    After a replay, ``open`` has the asks without an outcome, with their keys, and ``steps`` the
    fallbacks that the server wants.

    Args:
        judge: reads answers.
        tries: what was sent for the case, in the order of the rounds.
        since: the round from which tries count. What failed before may be asked again.
    """

    def __init__(self, judge: RemoteJudge, tries: Iterable[Try], since: int = 0) -> None:
        self._judge, self._since = judge, since
        self._tries: dict[str, list[Try]] = defaultdict(list)
        for sent in tries:
            self._tries[sent.key].append(sent)
        self._seen: Counter[str] = Counter()
        self.open: list[tuple[str, Ask]] = []
        self.steps = judge.first_steps

    def __call__(self, ask: Ask) -> Outcome | None:
        """The outcome of an ask; None if it has none yet. The same ask may occur more than once."""
        content = ask_key(ask, {})[:24]
        self._seen[content] += 1
        key = f"{content}.{self._seen[content]}"
        outcome = self._outcome(ask, self._tries[key])
        if outcome is None:
            self.open.append((key, ask))
        return outcome

    def _outcome(self, ask: Ask, tries: Sequence[Try]) -> Outcome | None:
        spent, counted, differed = Usage(), 0, False
        for sent in tries:
            steps = {**self._judge.first_steps, **sent.steps}
            all_heard = [self._heard(ask, said, steps) for said in sent.answers]
            heard = _together(ask, all_heard)
            spent = sum((said.spent for said in all_heard), spent)
            if heard.outcome is None:
                continue
            differed |= heard.differs
            counted += sent.round >= self._since
            final = heard.final and (sent.round >= self._since or not _comes_again(heard.outcome))
            if final or counted >= TRIES:
                return self._last(heard.outcome, spent, steps, differed=differed)
        return None

    def _heard(self, ask: Ask, said: list[Any] | str, steps: Steps) -> Heard:
        """What one answer says."""
        if isinstance(said, str):
            return Heard(_no_answer(said))
        status, body = said
        answer = Answer(status, {}, json.dumps(body).encode())
        outcome = self._judge.read(answer)
        if _is_unnamed(outcome, ask):
            return Heard(_unnamed(outcome))
        outcome, wanted = self._judge.checked(ask, outcome, steps)
        self.steps = merge_steps(self.steps, wanted)
        if wanted != steps:
            return Heard(None, cut_off=outcome if isinstance(outcome, Reply) else None)
        if _is_unnamed(outcome, ask):
            return Heard(_unnamed(outcome))
        return Heard(outcome, final=isinstance(outcome, Reply) or not outcome.retryable)

    def _last(self, outcome: Outcome, spent: Usage, steps: Steps, *, differed: bool) -> Outcome:
        """The outcome after which the ask is not sent again, with the cost of all answers."""
        if isinstance(outcome, Reply):
            usage, warnings = outcome.usage and spent, (DIFFERING,) if differed else ()
            reply = replace(outcome, usage=usage, requests=spent.num_requests, warnings=warnings)
            return self._judge.warned(reply, steps)
        outcome.usage = spent if spent.num_requests else None
        return outcome


class Heard(NamedTuple):
    """What an answer says about its ask: nothing that counts as a try, or an outcome.

    ``final``: the outcome counts, and the ask is not sent again. ``differs``: it is that of several
    answers that do not say the same. ``cut_off``: a reply of a judge that needs more room to think.
    """

    outcome: Outcome | None
    final: bool = False
    differs: bool = False
    cut_off: Reply | None = None

    @property
    def spent(self) -> Usage:
        """What the answer cost. One that only names a parameter costs nothing."""
        paid = self.outcome or self.cut_off
        return (paid.usage or Usage(num_requests=1)) if paid else Usage()


def _is_unnamed(outcome: Outcome, ask: Ask) -> TypeGuard[Reply]:
    """Whether a whole reply does not name its ask."""
    if not isinstance(outcome, Reply) or outcome.finish_reason == "length":
        return False
    return ask.echo not in outcome.text


def _together(ask: Ask, heard: Sequence[Heard]) -> Heard:
    """What all that came for one ask says. A failure says nothing against a reply."""
    replies = [said.outcome for said in heard if said.final and isinstance(said.outcome, Reply)]
    if not replies:
        return max(heard, key=lambda said: (said.final, said.outcome is not None))
    first = replies[0]
    told = {(_plain(reply.text), reply.finish_reason, reply.refusal) for reply in replies}
    if len(told) == 1 and len(heard) <= MOST_ANSWERS:
        return Heard(first, final=True)
    if ask.kind == "verdicts" and len(heard) <= MOST_ANSWERS and all(map(_is_object, replies)):
        text = "\n".join(sorted(reply.text for reply in replies))
        usage = first.usage if all(reply.usage for reply in replies) else None
        return Heard(replace(first, text=text, usage=usage), final=True, differs=True)
    return Heard(JudgeError(DIFFERING, "unreadable", retryable=True), differs=True)


def _plain(text: str) -> str:
    """What a reply says, without how it is laid out."""
    with suppress(ValueError, RecursionError):
        text = json.dumps(json.loads(text), sort_keys=True)
    return text


def _is_object(reply: Reply) -> bool:
    """Whether a reply is complete, and nothing but a JSON object: such can be read in a row."""
    if reply.refusal or reply.finish_reason in NEVER_READ:
        return False
    try:
        return isinstance(json.loads(reply.text), dict)
    except (ValueError, RecursionError):
        return False


def _comes_again(outcome: Outcome) -> bool:
    """Whether a failure may have passed when the run goes on later."""
    if isinstance(outcome, Reply | PromptTooLong):
        return False
    return outcome.retryable or outcome.kind in SERVER_ERRORS


def _no_answer(word: str) -> JudgeError | None:
    """The error of an ask without an answer; None if nobody tried to answer it."""
    if word == NOT_RUN:
        return None
    message = _PROBLEMS.get(word, _PROBLEMS[MISSING])
    fix = "Give the command that began the run again: it asks once more."
    return JudgeError(message, "timeout", retryable=True, usage=Usage(), fix=fix)


def _unnamed(reply: Reply) -> Outcome:
    """What a reply is worth that does not name its ask.

    A refusal, and a reply that was cut off, often cannot name it. If nothing better comes, such a
    reply is passed on without its text, so that nobody reads it.
    """
    if reply.refusal or reply.finish_reason in NEVER_READ:
        return replace(reply, text="")
    return JudgeError(
        "the reply does not repeat the key of its ask, so it may belong to another one",
        "unreadable",
        retryable=True,
        usage=reply.usage,
    )
