"""What came back for the asks of a case over a batch API, and what that gives.

An ask has an outcome as soon as a reply names it (see ``asking.schema``), or fails for good.
Otherwise it is asked again in a further batch, at most ``TRIES`` times in all. A reply that does
not name its ask is never read, under whichever id it came. A failure cannot name its ask, but it
cannot raise a score either.

Of several replies under one id that differ none is picked, and the ask is sent again.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import replace
from typing import Any, NamedTuple

from ...judges.http import Answer
from ...judges.remote.needs import Steps
from ...judges.remote.remote_judge import RemoteJudge
from ...judges.stored_replies import ask_key
from ...records.errors import JudgeError
from ...records.judge import Ask, Outcome, Reply
from ...records.usage import Usage
from ..store import Store
from .apis import EXPIRED, NOT_RUN, SEVERAL

TRIES = 3
"""How often an ask is sent in all, if it gets no answer that can be used."""
NEVER_READ = ("content_filter", "error")
"""How a reply ends that is never read for verdicts."""
PROBLEMS = {
    EXPIRED: "the batch expired before this ask had an answer",
    SEVERAL: "several answers came for one ask that are not the same",
}
UNNAMED = "the reply does not repeat the key of its ask, so it may belong to another one"


class Reading(NamedTuple):
    """What an answer says about its ask: nothing that counts as a try, or an outcome.

    ``final``: the ask is not sent again. ``spent``: what the answer cost.
    """

    outcome: Outcome | None
    final: bool = False
    spent: Usage = Usage()


class CaseAnswers:
    """What is known about the asks of one case. To be called with each ask of its plan, in order.

    After a replay, ``open`` has the asks without an outcome, with their keys, and ``steps`` the
    fallbacks that the server wants.

    Args:
        judge: reads answers.
        store: has what was sent for the ``row``, and what came back.
    """

    def __init__(self, judge: RemoteJudge, store: Store, row: int) -> None:
        self._judge = judge
        self._seen: Counter[str] = Counter()
        self.open: list[tuple[str, Ask]] = []
        self.steps = judge.needs.first
        # By the key of an ask, in the order of sending: the fallbacks with which it was sent, and
        # the answer: status and body, or the word of a problem.
        self._sent: dict[str, list[tuple[Steps, Any]]] = defaultdict(list)
        query = "SELECT key, steps, said FROM asks WHERE row = ? AND said NOTNULL ORDER BY rowid"
        for key, steps, answer in store.db.execute(query, (row,)):
            self._sent[key].append((self.steps | Steps(json.loads(steps)), json.loads(answer)))

    def __call__(self, ask: Ask) -> Outcome | None:
        """The outcome of an ask; None if it has none yet. The same ask may occur more than once."""
        content = ask_key(ask, {})[:24]
        self._seen[content] += 1
        key = f"{content}.{self._seen[content]}"
        spent, tries = Usage(), 0
        for steps, answer in self._sent.get(key, ()):
            outcome, final, used = self._reading(ask, answer, steps)
            spent += used
            tries += outcome is not None
            if outcome is None or not (final or tries >= TRIES):
                continue
            if isinstance(outcome, Reply):
                usage, requests = outcome.usage and spent, spent.num_requests
                reply = replace(outcome, usage=usage, requests=requests)
                return self._judge.needs.warned(reply, steps)
            outcome.usage = spent if spent.num_requests else None
            return outcome
        self.open.append((key, ask))
        return None

    def _reading(self, ask: Ask, answer: list[Any] | str, steps: Steps) -> Reading:
        """What one answer says. One that only names a parameter costs nothing."""
        if answer == NOT_RUN:  # nobody tried to answer it
            return Reading(None)
        if isinstance(answer, str):
            fix = "Give the command that began the run again."
            problem = PROBLEMS.get(answer, "the batch ended without an answer")
            return Reading(JudgeError(problem, "timeout", retryable=True, fix=fix))
        status, body = answer
        outcome = self._judge.read(Answer(status, {}, json.dumps(body).encode()))
        if unnamed := _unnamed(outcome, ask):
            return Reading(unnamed, spent=_spent(outcome))
        needs = self._judge.needs
        cap = needs.cap(ask, steps)
        outcome, wanted = needs.after(ask, outcome, steps, self._judge.request, cap)
        self.steps = self.steps | (wanted or steps)
        if wanted not in (None, steps):  # such as of a judge that needs more room to think
            return Reading(None, spent=_spent(outcome) if isinstance(outcome, Reply) else Usage())
        unnamed = _unnamed(outcome, ask)
        final = unnamed is None and (isinstance(outcome, Reply) or not outcome.retryable)
        return Reading(unnamed or outcome, final, _spent(outcome))


def _spent(outcome: Outcome) -> Usage:
    return outcome.usage or Usage(num_requests=1)


def _unnamed(outcome: Outcome, ask: Ask) -> Outcome | None:
    """What a reply is worth that does not name its ask; None if it does, or is cut off.

    A refusal often cannot name it. If nothing better comes, it is passed on without its text, so
    that nobody reads it.
    """
    if not isinstance(outcome, Reply) or outcome.finish_reason == "length":
        return None
    if ask.echo in outcome.text:
        return None
    if outcome.refusal or outcome.finish_reason in NEVER_READ:
        return replace(outcome, text="")
    return JudgeError(UNNAMED, "unreadable", retryable=True, usage=outcome.usage)
