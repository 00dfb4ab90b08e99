"""What the outcome of an ask means for the plan: its text, its cost, or why there is nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..records.ask import Reply
from ..records.errors import JudgeError, UnreadableReply
from ..records.usage import Usage
from .fit import prompt_tokens
from .state import noted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..policy.policy import Policy
    from ..records.ask import Outcome
    from ..records.model import Status
    from .state import Answers, Job, State

CHARS_PER_TOKEN_AT_MOST = 8
"""No tokenizer packs prose more tightly."""

_STATUS: dict[str, Status] = {
    "refusal": "judge_refused",
    "content_filter": "judge_refused",
    "truncated": "unreadable",
    "unreadable": "unreadable",
    "unreliable_judge": "unreadable",
}


def absorb_each(
    state: State,
    answers: Answers,
    take: Callable[[State, Job, Outcome], State],
    lose: Callable[[State, Job, JudgeError], State],
) -> State:
    """The state after all outcomes.

    ``take`` adds what an outcome says, ``lose`` what it means that it says nothing. The cost of an
    ask counts either way.
    """
    for job, outcome in answers:
        state = _spent(state, job, outcome)
        try:
            state = take(state, job, outcome)
        except JudgeError as error:
            state = lose(state, job, error)
    return state


def usable_text(outcome: Outcome) -> str:
    """The text of a reply.

    Raises:
        JudgeError: there is no reply, or it was refused, filtered, truncated or aborted. The text
            of such a reply is never read.
    """
    if isinstance(outcome, JudgeError):
        raise outcome
    if outcome.refusal:
        raise JudgeError(f"the judge refused: {outcome.refusal[:200]}", "refusal")
    if outcome.finish_reason == "content_filter":
        raise JudgeError("the provider's content filter stopped the judge", "content_filter")
    if outcome.finish_reason == "error":
        message = "the provider aborted the judge's reply with an error"
        raise JudgeError(message, "server", retryable=True)
    if outcome.finish_reason == "length":
        cut = "the judge's reply was cut off at its token limit"
        raise JudgeError(f"{cut}; a truncated reply is never scored", "truncated")
    return outcome.text


def worth_asking_again(policy: Policy, error: JudgeError) -> bool:
    """Whether another ask may bring what this one did not: only where the reply was unreadable."""
    if error.kind == "truncated":
        return policy.reask_singly  # each statement alone has a shorter reply
    return isinstance(error, UnreadableReply) and error.kind == "unreadable"


def ignored_entries(count: int) -> tuple[str, ...]:
    """The warning that a reply has entries for nothing that was asked."""
    if not count:
        return ()
    what = "entries of the judge's reply are for nothing that was asked"
    return (f"{count} {what} and were ignored",)


def form_of(form: str, job: Job, outcome: Outcome) -> str:
    """How a reply was read: ``schema`` if it is JSON that conforms to the schema of its ask."""
    if form != "json" or not isinstance(outcome, Reply):
        return form
    if outcome.validated:
        return "schema"
    from ..asking.schema import conforms  # loads jsonschema, which our own replies do not need

    return "schema" if conforms(outcome.text, job.ask.form) else form


def status_of(errors: Sequence[JudgeError]) -> Status:
    """The status of a case without any verdict: that of the first error, which is the cause."""
    return _STATUS.get(errors[0].kind, "judge_failed") if errors else "unreadable"


def _spent(state: State, job: Job, outcome: Outcome) -> State:
    """The state with the cost of an ask, estimated where the judge did not report it."""
    if isinstance(outcome, JudgeError):
        return noted(state, usage=outcome.usage)
    usage, warnings = outcome.usage, outcome.warnings
    if usage is None:
        sent, received = prompt_tokens(state.budget, job.ask), state.budget.count(outcome.text)
        usage = Usage(sent, received, num_requests=outcome.requests, estimated=True)
    elif not outcome.cached and _is_cut(job, usage):
        counted = f"the server counted {usage.prompt} prompt tokens, far fewer than were sent"
        warnings = (f"{counted}: it may have cut the prompt", *warnings)
    return noted(state, usage=usage, warnings=warnings)


def _is_cut(job: Job, usage: Usage) -> bool:
    """Whether a server read so little of a long prompt that it must have left a part out."""
    sent = sum(len(message["content"]) for message in job.ask.messages)
    return 0 < usage.prompt < sent / CHARS_PER_TOKEN_AT_MOST
