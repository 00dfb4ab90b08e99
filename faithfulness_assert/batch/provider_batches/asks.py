"""What came back for the asks of a case over a batch API, and what that gives.

Asks and answers are in the database of the run. The requests that wait for answers are in files
beside it, because somebody may have to carry them.

An ask has an outcome as soon as a reply names it (see ``asking.schema``), or fails for good.
Otherwise it is asked again in a further batch, at most ``TRIES`` times in all. A reply that does
not name its ask is never read, under whichever id it came. A failure cannot name its ask, but it
cannot raise a score either.

Of several replies under one id that differ none is picked, and the ask is sent again. What came for
one ask is paid for.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeGuard

from ...judges.http import Answer
from ...judges.remote.needs import Steps, merge_steps
from ...judges.remote.remote_judge import RemoteJudge
from ...judges.stored_replies import ask_key
from ...records.errors import JudgeError
from ...records.judge import Ask, Outcome, Reply
from ...records.usage import Usage
from ..store import Store
from .apis import EXPIRED, MISSING, NOT_RUN

TRIES = 3
"""How often an ask is sent in all, if it gets no answer that can be used."""
NEVER_READ = ("content_filter", "error", "length")
"""How a reply ends that is never read for verdicts."""
_PROBLEMS = {
    EXPIRED: "the batch expired before this ask had an answer",
    MISSING: "the batch ended without an answer to this ask",
}
MOST_ANSWERS = 8
"""To one ask, that differ. If there are more, none of them is believed."""


class Try(NamedTuple):
    """An ask that was sent, and what came back.

    Args:
        steps: the fallbacks with which it was sent; those without steps are left out.
        answers: status and body, or the word of a problem; all that differ, if several came.
    """

    steps: Mapping[str, int]
    answers: list[list[Any] | str]


Tries = Mapping[str, Mapping[str, Try]]
"""By the key of an ask in its plan what was sent for it, in the order of sending, by its ids."""


def tries_of(store: Store, row: int) -> Tries:
    """What was sent for a row, and what came back."""
    tries: dict[str, dict[str, Try]] = defaultdict(dict)
    for id, key, steps, answer in store.db.execute(
        "SELECT id, key, steps, said FROM asks JOIN answers USING (id) WHERE row = ? "
        "GROUP BY id, said ORDER BY asks.rowid, min(answers.rowid)",
        (row,),
    ):
        answers = tries[key].setdefault(id, Try(json.loads(steps), [])).answers
        if len(answers) <= MOST_ANSWERS:
            answers.append(json.loads(answer))
    return tries


class CaseAnswers:
    """What is known about the asks of one case. To be called with each ask of its plan, in order.

    After a replay, ``open`` has the asks without an outcome, with their keys, and ``steps`` the
    fallbacks that the server wants.

    Args:
        judge: reads answers.
        tries: what was sent for the case.
    """

    def __init__(self, judge: RemoteJudge, tries: Tries) -> None:
        self._judge, self._tries = judge, tries
        self._seen: Counter[str] = Counter()
        self.open: list[tuple[str, Ask]] = []
        self.steps = judge.needs.first

    def __call__(self, ask: Ask) -> Outcome | None:
        """The outcome of an ask; None if it has none yet. The same ask may occur more than once."""
        content = ask_key(ask, {})[:24]
        self._seen[content] += 1
        key = f"{content}.{self._seen[content]}"
        spent, counts = Usage(), 0
        for sent in self._tries.get(key, {}).values():
            steps = {**self._judge.needs.first, **sent.steps}
            each = [self._reading(ask, answer, steps) for answer in sent.answers]
            spent = sum((reading.spent for reading in each), spent)
            reading = _together(each)
            counts += reading.outcome is not None
            if reading.outcome is not None and (reading.final or counts >= TRIES):
                return self._with_cost(reading.outcome, spent, steps)
        self.open.append((key, ask))
        return None

    def _reading(self, ask: Ask, answer: list[Any] | str, steps: Steps) -> Reading:
        """What one answer says."""
        if isinstance(answer, str):
            return Reading(_no_answer(answer))
        status, body = answer
        outcome = self._judge.read(Answer(status, {}, json.dumps(body).encode()))
        if _is_unnamed(outcome, ask):
            return Reading(_unnamed(outcome))
        outcome, wanted = self._judge.needs.after(ask, outcome, steps, self._judge.request)
        self.steps = merge_steps(self.steps, wanted or steps)
        if wanted not in (None, steps):
            return Reading(None, cut_off=outcome if isinstance(outcome, Reply) else None)
        if _is_unnamed(outcome, ask):
            return Reading(_unnamed(outcome))
        return Reading(outcome, final=isinstance(outcome, Reply) or not outcome.retryable)

    def _with_cost(self, outcome: Outcome, spent: Usage, steps: Steps) -> Outcome:
        """The outcome after which the ask is not sent again, with the cost of all answers."""
        if isinstance(outcome, Reply):
            usage = outcome.usage and spent
            reply = replace(outcome, usage=usage, requests=spent.num_requests)
            return self._judge.needs.warned(reply, steps)
        outcome.usage = spent if spent.num_requests else None
        return outcome


class Reading(NamedTuple):
    """What an answer says about its ask: nothing that counts as a try, or an outcome.

    ``final``: the ask is not sent again. ``cut_off``: a reply of a judge that needs more room to
    think.
    """

    outcome: Outcome | None
    final: bool = False
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


def _together(each: Sequence[Reading]) -> Reading:
    """What all that came for one ask says. A failure says nothing against a reply."""
    replies = [one.outcome for one in each if one.final and isinstance(one.outcome, Reply)]
    if not replies:
        return max(each, key=lambda one: (one.final, one.outcome is not None))
    texts = {(reply.text, reply.finish_reason, reply.refusal) for reply in replies}
    if len(texts) == 1 and len(each) <= MOST_ANSWERS:
        return Reading(replies[0], final=True)
    problem = "several answers came for one ask that do not say the same"
    return Reading(JudgeError(problem, "unreadable", retryable=True))


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
