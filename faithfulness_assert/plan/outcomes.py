"""What the outcome of an ask means for the plan: its text, its cost, or why there is nothing.

If an ask was too long, the case is cut anew, into shorter asks. The judge says how long one may be.
It may be wrong, or lie: the limit gets smaller each time, and after ``MOST_CUTS`` times the asks
count as failed.

With samples, an ask for verdicts is put several times, and the majority of all samples decides.
Each sample has numbers of its own, as every ask has, and is read by itself, as if it were the only
one. So a statement has a label only if more than half of the samples gave it that label; else it is
open, and asked about again like any other. A sample that failed, or left a statement open, has no
vote on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from ..asking.fences import names_another
from ..asking.schema import schema_errors
from ..asking.windows import estimate_tokens
from ..policy.policy import Policy
from ..reading.reconcile import MISSING, Finding
from ..records.errors import JudgeError, OtherReply, PromptTooLong, UnreadableReply
from ..records.judge import Ask, Outcome
from ..records.model import Status
from ..records.usage import Usage
from .state import NOTHING, Answers, Asking, End, Job, Jobs, Log, Refit, State, note, use_numbers

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
    cell_of = dict(state.cell_of)
    for job, _ in answers:
        if job.ask.kind == "verdicts":
            cell_of.update(job.cells)
    state = state._replace(cell_of=cell_of)
    each: list[State] = []
    for _, sample in groupby(answers, key=lambda answer: answer[0].ask.sample):
        after = state._replace(log=each[-1].log) if each else state
        for job, outcome in sample:
            after = add_cost(after, job, outcome)
            try:
                after = stage.absorb_reply(after, job, outcome)
            except JudgeError as error:
                errors = schema_errors_of(job, outcome) if error.kind == "unreadable" else ()
                after = stage.absorb_error(note(after, Log(schema_errors=errors)), job, error)
        each.append(after)
    after = each[-1]
    if len(each) > 1:
        after = vote_on([job for job, _ in answers if job.ask.sample == 1], each)
    return _withdraw_denied(after) if after.denied_numbers else after


def _withdraw_denied(state: State) -> State:
    """The state without what was granted under numbers that another reply has now denied."""
    cells = {state.cell_of[number] for number in state.denied_numbers if number in state.cell_of}
    denied = [cell for cell in cells if state.findings[cell].label in state.policy.credited]
    findings = {**state.findings, **dict.fromkeys(denied, Finding(unresolved="duplicate"))}
    return state._replace(findings=findings, denied_numbers=frozenset())


def usable_text(ask: Ask, outcome: Outcome) -> str:
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
    if names_another(ask.echo, outcome.text):
        raise OtherReply("a reply repeats the key of another ask: a cache or server mixes them up")
    return outcome.text


def worth_asking_again(policy: Policy, error: JudgeError) -> bool:
    """Whether another ask may bring what this one did not: only where the reply was unreadable."""
    if error.kind == "truncated":
        return policy.reask_singly  # each statement alone has a shorter reply
    return isinstance(error, UnreadableReply) and error.kind == "unreadable"


def schema_errors_of(job: Job, outcome: Outcome) -> tuple[str, ...]:
    """Where a reply breaks the schema of its ask."""
    if isinstance(outcome, JudgeError) or outcome.validated:
        return ()
    return schema_errors(outcome.text, job.ask.form)


def not_graded(cause: JudgeError | None, detail: str = "") -> End:
    """The end of a case about which the judge said nothing that counts."""
    status = _STATUS.get(cause.kind, "judge_failed") if cause else "unreadable"
    return End(status, detail, error=cause)


def add_cost(state: State, job: Job, outcome: Outcome) -> State:
    """The state with the cost of an ask, estimated where the judge did not report it."""
    if isinstance(outcome, JudgeError):
        return note(state, Log(outcome.usage or Usage()))
    usage = outcome.usage
    if usage is None:
        sent, received = job.ask.size(estimate_tokens), estimate_tokens(outcome.text)
        usage = Usage(sent, received, num_requests=outcome.requests, estimated=True)
    return note(state, Log(usage, warnings=outcome.warnings))


def cut_shorter(state: State, refit: Refit, answers: Answers) -> State | None:
    """The state cut anew, so that the jobs of a stage, of which some were too long, can be asked
    again, all of them. None if the case cannot be cut that short.
    """
    refused = [error for _, error in answers if isinstance(error, PromptTooLong)]
    # The window that the judge names, or half of the known one if that is smaller already.
    window, before = min(error.window for error in refused), state.budget.limits.total_tokens
    total = window if before is None or window < before else before // 2
    if total <= 0:
        return None
    limits = replace(state.budget.limits, total_tokens=total)
    for job, outcome in answers:
        state = add_cost(state, job, outcome)
    warning = f"an ask was too long, so asks were cut to fit {limits.named}"
    state = note(state, Log(warnings=(f"{warning}: {refused[0].message}",)))
    budget = state.budget._replace(limits=limits)
    state = refit(state._replace(budget=budget, truths=NOTHING))
    return None if state.end else state


# ---------------------------------------------------------------- samples


def with_samples(state: State, jobs: Jobs, first: tuple[Job, ...]) -> tuple[Job, ...]:
    """The first jobs of a stage that asks for verdicts, and those of its further samples."""
    made = first
    for sample in range(2, state.policy.samples + 1):
        again = jobs(use_numbers(state, made))
        made += tuple(job._replace(ask=replace(job.ask, sample=sample)) for job in again)
    return made


def vote_on(asked: Sequence[Job], each: Sequence[State]) -> State:
    """The state after a stage, from what is known after each of its samples alone.

    ``asked``: the jobs of one sample. The last state of ``each`` has the log of all. Controls are
    those of the first sample.
    """
    cells = [cell for job in asked for cell in job.cells.values()]
    findings = {cell: _vote([state.findings[cell] for state in each]) for cell in cells}
    # What the other samples have decided has not failed.
    error_of = {
        cell: error
        for state in each
        for cell, error in state.error_of.items()
        if findings.get(cell, MISSING).label is None
    }
    return each[-1]._replace(
        findings={**each[-1].findings, **findings},
        controls=each[0].controls,
        closed=frozenset.intersection(*(state.closed for state in each)),
        error_of=error_of,
        denied_numbers=frozenset().union(*(state.denied_numbers for state in each)),
    )


def _vote(votes: Sequence[Finding]) -> Finding:
    """The finding of a majority. It is as sure as the share of samples that agree.

    Of those that agree, it is one that names evidence only if more than half of all samples do:
    what needs evidence needs that of a majority, too.
    """
    counts = Counter(vote.label for vote in votes)
    if counts[None] == len(votes):
        return next((vote for vote in votes if vote != MISSING), MISSING)
    label, times = counts.most_common(1)[0]
    if label and times * 2 > len(votes):
        agree = [vote for vote in votes if vote.label == label]
        named = [bool(vote.evidence or vote.quote) and not vote.flags for vote in agree]
        mostly = sum(named) * 2 > len(votes)
        finding = agree[named.index(mostly)] if mostly in named else agree[0]
        return finding._replace(confidence=round(times / len(votes), 4))
    said = [
        f"{n} {(word or 'nothing that counts').replace('_', ' ')}" for word, n in counts.items()
    ]
    return Finding(unresolved="split", reason=f"{len(votes)} samples said: {', '.join(said)}")
