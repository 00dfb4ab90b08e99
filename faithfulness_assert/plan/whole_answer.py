"""The stages that ask about the whole answer in one ask: its ratings, or why it has its score."""

from __future__ import annotations

from dataclasses import replace

from ..asking.prompt import make_ask
from ..reading.lists_and_ratings import read_ratings, read_reason
from ..records.errors import JudgeError, UnreadableReply
from ..records.judge import Outcome, Payload
from ..records.model import CitationAudit
from ..records.views import in_words
from ..text.strings import clip
from .conclude import conclude
from .outcomes import usable_text, worth_asking_again
from .state import (
    Job,
    Log,
    Ratings,
    State,
    context_lines,
    end,
    fit,
    fitting_ask,
    is_too_long,
    is_within,
    note,
    shown_passages,
)

MAX_PROBLEMS = 20
"""Statements that lost points which the judge is shown."""
ANSWER = 1
"""The number of the answer in the ask."""
MAX_CITATIONS = 20
"""Invalid citations that an ask names."""


# ---------------------------------------------------------------- ratings


def fit_whole(state: State) -> State:
    """Ends a case that does not fit one ask: ratings of parts do not add up to one of the whole."""
    state = fit(state)
    if state.end:
        return state
    too_long = is_too_long(state.budget, state.case.answer)
    if not too_long and len(state.windows) == 1:
        return state
    what = "answer" if too_long else "context"
    problem = f"{what}: too long for the one ask of the policy {state.policy.name!r}"
    fix = f"it must fit {state.budget.limits.named}; raise that, or use another policy"
    return end(state, "invalid_input", f"{problem}: {fix}")


def rating_jobs(state: State) -> tuple[Job, ...]:
    """One ask for all ratings, until they are there."""
    if state.ratings or any(not worth_asking_again(state.policy, e) for e in state.log.errors):
        return ()
    context = context_lines(state, state.windows[0])
    items = ((ANSWER, state.case.answer),)
    payload = Payload(items, context, state.case.question, _notes(state.audit))
    payload = replace(payload, passages=shown_passages(state, context))
    return (Job(fitting_ask(state, "ratings", payload)),)


def _notes(audit: CitationAudit | None) -> str:
    """The findings of the audit in words; "" if there are none."""
    if audit is None:
        return ""
    lines = []
    if audit.invalid_citations:
        named = ", ".join(map(clip, audit.invalid_citations[:MAX_CITATIONS]))
        lines.append(f"cited but not there: {named}")
    if audit.uncited_claim_count:
        lines.append(f"sentences without a citation: {audit.uncited_claim_count}")
    if audit.hallucination_detected:
        lines.append("something was made up")
    return "\n".join(lines)


def absorb_ratings(state: State, job: Job, outcome: Outcome) -> State:
    """The ratings, if all of them came."""
    names = tuple(state.policy.dimensions)
    ratings, suggestions = read_ratings(usable_text(job.ask, outcome), names)
    if absent := [name for name in names if name not in ratings]:
        problem = f"the judge's reply has no usable rating of {', '.join(absent)}"
        raise UnreadableReply(problem)
    return note(state._replace(ratings=Ratings(ratings, suggestions)), Log(forms=("ratings",)))


# ---------------------------------------------------------------- the judge's own reason

# The score is final by then.


def explanation_jobs(state: State) -> tuple[Job, ...]:
    """One ask with the score and the statements that are not supported, if the case is graded."""
    result = conclude(state)
    if result.status != "graded" or result.score is None:
        return ()
    problems = tuple(
        (v.id, f"[{in_words(v)}] {clip(v.statement)} {clip(v.reason)}".rstrip())
        for v in result.problems()[:MAX_PROBLEMS]
    )
    payload = Payload(problems, notes=f"{result.score:.2f}")
    ask = make_ask("reason", state.policy, payload, secret=state.secret)
    return (Job(ask),) if is_within(state.budget, ask) else ()


def absorb_explanation(state: State, job: Job, outcome: Outcome) -> State:
    """The judge's reason."""
    return state._replace(explanation=read_reason(usable_text(job.ask, outcome)))


def do_without_explanation(state: State, _job: Job, error: JudgeError) -> State:
    """The result has our own reason, and a warning."""
    return note(state, Log(warnings=(f"the judge gave no reason ({error.kind}): {error}",)))
