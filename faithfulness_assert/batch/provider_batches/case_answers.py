"""The outcomes of a case's asks, from what came back for them in all rounds so far.

An ask has an outcome as soon as a reply names it (see ``asking.echo``), or fails for good.
Otherwise it is asked again in the next round, at most ``TRIES`` times in all. A reply that does not
name its ask is never read, under whichever id it came. A failure cannot name its ask, but it cannot
raise a score either.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ...asking.echo import echoing, without_echo
from ...judges.remote.connection import Answer
from ...judges.remote.fallbacks import merge_steps
from ...judges.tape import ask_key
from ...records.ask import Reply
from ...records.errors import JudgeError, PromptTooLong
from ...records.usage import Usage
from ..finished_rows import SERVER_ERRORS
from .service import EXPIRED, MISSING, NOT_RUN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...judges.remote.fallbacks import Steps
    from ...judges.remote.remote_judge import RemoteJudge
    from ...records.ask import Ask, Outcome
    from .store import Try

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
        self.steps = no_steps(judge)

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
        spent, counted = Usage(), 0
        for sent in tries:
            steps = {**no_steps(self._judge), **sent.steps}
            named = echoing(ask, sent.token)
            heard = max((self._heard(named, said, steps) for said in sent.answers), key=_rank)
            if heard.outcome is None:
                continue
            counted += sent.round >= self._since
            final = heard.final and (sent.round >= self._since or not _comes_again(heard.outcome))
            if final or counted >= TRIES:
                return self._last(heard, spent, steps)
            spent += _cost(heard.outcome)
        return None

    def _heard(self, ask: Ask, said: list[Any] | str, steps: Steps) -> Heard:
        """What one answer says."""
        if isinstance(said, str):
            return Heard(_no_answer(said))
        status, body = said
        answer = Answer(status, {}, json.dumps(body).encode())
        outcome = self._judge.read(answer)
        if isinstance(outcome, Reply) and ask.echo not in outcome.text:
            return Heard(_unnamed(outcome))
        outcome, wanted = self._judge.checked(ask, outcome, steps)
        if isinstance(outcome, Reply):
            text = without_echo(outcome.text, ask.echo)
            return Heard(replace(outcome, text=text), final=True)
        self.steps = merge_steps(self.steps, wanted)
        if wanted != steps:
            return Heard(None)
        return Heard(outcome, final=not outcome.retryable)

    def _last(self, heard: Heard, spent: Usage, steps: Steps) -> Outcome:
        """The outcome after which the ask is not sent again, with the cost of all tries."""
        outcome = heard.outcome
        if isinstance(outcome, Reply):
            usage = outcome.usage and spent + outcome.usage
            reply = replace(outcome, usage=usage, requests=spent.num_requests + 1)
            return self._judge.warned(reply, steps)
        assert outcome is not None  # noqa: S101 - such a try does not count
        spent += _cost(outcome)
        outcome.usage = spent if spent.num_requests else None
        return outcome


class Heard(NamedTuple):
    """What an answer says about its ask: nothing that counts as a try, or an outcome.

    ``final``: the outcome counts, and the ask is not sent again.
    """

    outcome: Outcome | None
    final: bool = False


def no_steps(judge: RemoteJudge) -> Steps:
    """The steps of a judge whose server takes all parameters."""
    return dict.fromkeys(judge.provider.fallbacks, 0)


def _rank(heard: Heard) -> tuple[bool, bool, bool]:
    """Which of several answers to the same ask counts: the highest."""
    reply = isinstance(heard.outcome, Reply)
    return heard.final and reply, heard.final, heard.outcome is not None


def _comes_again(outcome: Outcome) -> bool:
    """Whether a failure may have passed when the run goes on later."""
    if isinstance(outcome, Reply | PromptTooLong):
        return False
    return outcome.retryable or outcome.kind in SERVER_ERRORS


def _cost(outcome: Outcome) -> Usage:
    return outcome.usage or Usage(num_requests=1)


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
        "the reply does not repeat the token of its ask, so it may belong to another one",
        "unreadable",
        retryable=True,
        usage=reply.usage,
    )
