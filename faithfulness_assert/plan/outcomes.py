"""What the outcome of an ask means for the plan: its text, its cost, or why there is nothing.

If an ask was too long, the case is cut anew, into shorter asks. The judge says how long one may be.
It may be wrong, or lie: the limit gets smaller each time, and after ``MOST_CUTS`` times the asks
count as failed.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from ..asking.schema import schema_errors
from ..records.errors import JudgeError, PromptTooLong, UnreadableReply
from ..records.usage import Usage
from .jobs import prompt_tokens
from .samples import voted
from .state import NOTHING, Answers, Asking, Ended, Job, Log, State, noted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..policy.policy import Policy
    from ..records.ask import Outcome
    from ..records.model import Status

MOST_CUTS = 4
"""How often a case is cut anew."""

_STATUS: dict[str, Status] = {
    "refusal": "judge_refused",
    "content_filter": "judge_refused",
    "truncated": "unreadable",
    "unreadable": "unreadable",
    "unreliable_judge": "unreadable",
}


def absorb(state: State, stage: Asking, answers: Answers) -> State:
    """The state after all outcomes of a stage. The cost of an ask counts in any case."""
    judged = [job for job, _ in answers if job.ask.kind == "verdicts"]
    asked = {n: cell for job in judged for n, cell in zip(job.own, job.cells, strict=True)}
    state = state._replace(asked={**state.asked, **asked})
    each: list[State] = []
    for _, sample in groupby(answers, key=lambda answer: answer[0].ask.sample):
        log = each[-1].log if each else state.log
        each.append(_absorbed(state._replace(log=log), stage, sample))
    return voted(state, [job for job, _ in answers if job.ask.sample == 1], each)


def _absorbed(state: State, stage: Asking, answers: Iterable[tuple[Job, Outcome]]) -> State:
    """The state after the outcomes of one sample."""
    for job, outcome in answers:
        state = spent(state, job, outcome)
        try:
            state = stage.take(state, job, outcome)
        except JudgeError as error:
            errors = _schema_errors(job, outcome) if error.kind == "unreadable" else ()
            state = stage.lose(noted(state, Log(schema_errors=errors)), job, error)
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


def noted_reading(
    state: State, job: Job, outcome: Outcome, form: str, *, entries: int | None = None
) -> State:
    """The state with how a reply was read in its log.

    JSON that conforms to the schema of its ask is noted as ``schema``, any other with what breaks
    the schema. ``entries``: how many it has, if it should have one for each number of its ask.
    """
    expected = len(job.ask.ids)
    mismatches = ((expected, entries),) if entries not in (None, expected) else ()
    errors = _schema_errors(job, outcome) if form in ("json", "repaired") else ()
    form = "schema" if form == "json" and not errors else form
    return noted(state, Log(forms=(form,), schema_errors=errors, mismatches=mismatches))


def _schema_errors(job: Job, outcome: Outcome) -> tuple[str, ...]:
    """Where a reply breaks the schema of its ask."""
    if isinstance(outcome, JudgeError) or outcome.validated:
        return ()
    return schema_errors(outcome.text, job.ask.form)


def not_graded(errors: Sequence[JudgeError], detail: str = "") -> Ended:
    """The end of a case about which the judge said nothing that counts.

    The first error is the cause. But a reply that cannot be read is asked for again, so an ask that
    failed otherwise is the cause that remains.
    """
    failed = (error for error in errors if error.kind != "unreadable")
    cause = next(failed, errors[0] if errors else None)
    status = _STATUS.get(cause.kind, "judge_failed") if cause else "unreadable"
    return Ended(status, detail, error=cause)


def spent(state: State, job: Job, outcome: Outcome) -> State:
    """The state with the cost of an ask, estimated where the judge did not report it."""
    if isinstance(outcome, JudgeError):
        return noted(state, Log(outcome.usage or Usage()))
    usage = outcome.usage
    if usage is None:
        sent, received = prompt_tokens(state.budget, job.ask), state.budget.count(outcome.text)
        usage = Usage(sent, received, num_requests=outcome.requests, estimated=True)
    return noted(state, Log(usage, warnings=outcome.warnings))


def cut_shorter(state: State, stage: Asking, answers: Answers) -> State | None:
    """The state cut anew, so that the jobs of the stage can be asked again, all of them.

    None if no ask was too long, or if the case cannot be cut that short.
    """
    refused = [error for _, error in answers if isinstance(error, PromptTooLong)]
    if not refused or stage.refit is None:
        return None
    # The window that the judge names, or half of the known one if that is smaller already.
    window, known = min(error.window for error in refused), state.budget.limits.total_tokens
    total = window if known is None or window < known else known // 2
    if total <= 0:
        return None
    limits = replace(state.budget.limits, total_tokens=total)
    for job, outcome in answers:
        state = spent(state, job, outcome)
    warning = f"an ask was too long, so asks were cut to fit {limits.named}"
    state = noted(state, Log(warnings=(f"{warning}: {refused[0].message}",)))
    budget = state.budget._replace(limits=limits)
    state = stage.refit(state._replace(budget=budget, truths=NOTHING))
    return None if state.ended else state
