"""The stage that has the whole answer rated on the policy's dimensions, in one ask. No statement is judged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..asking.prompt import make_ask
from ..reading import read_ratings
from ..records.ask import Outcome, Payload
from ..records.errors import UnreadableReply
from ..text.strings import clip
from .state import Job, State, absorb_each, lines, read_as, usable_text

if TYPE_CHECKING:
    from ..records.model import CitationAudit

ANSWER = 1  # the number of the one thing that is rated
MAX_FOUND = 20  # invalid citations that an ask names


def fits(state: State, _jobs: tuple[Job, ...], _outcomes: tuple[Outcome, ...]) -> State:
    """Ends a case that does not fit one ask: ratings of parts do not add up to one of the whole."""
    long = state.room is not None and state.count(state.case.answer) > state.room // 3
    if not long and len(state.windows) == 1:
        return state
    what = "answer" if long else "context"
    problem = f"{what}: too long for the one ask of the policy {state.policy.name!r}; raise max_prompt_tokens, or use another policy"
    return replace(state, ending="invalid_input", problem=problem)


def jobs(state: State) -> tuple[Job, ...]:
    """One ask for all ratings, until they are there."""
    if state.ratings or (0, ANSWER) in state.closed:
        return ()
    shown = lines(state, state.windows[0])
    payload = Payload(
        ((ANSWER, state.case.answer),), shown, state.case.question, _findings(state.audit)
    )
    return (Job(make_ask("ratings", state.policy, payload)),)


def _findings(audit: CitationAudit | None) -> str:
    """The audit in words; "" where it found nothing."""
    if audit is None or not (
        audit.invalid_citations or audit.uncited_claim_count or audit.hallucination_detected
    ):
        return ""
    told = [
        f"cited but not there: {', '.join(map(clip, audit.invalid_citations[:MAX_FOUND]))}"
        if audit.invalid_citations
        else "",
        f"sentences without a citation: {audit.uncited_claim_count}"
        if audit.uncited_claim_count
        else "",
        "something was made up" if audit.hallucination_detected else "",
    ]
    return "\n".join(line for line in told if line)


def absorb(state: State, jobs: tuple[Job, ...], outcomes: tuple[Outcome, ...]) -> State:
    """The ratings, if all of them came."""
    return absorb_each(state, jobs, outcomes, _take)


def _take(state: State, job: Job, outcome: Outcome) -> State:
    names = tuple(state.policy.dimensions)
    ratings, suggestions = read_ratings(usable_text(outcome), names)
    if absent := [name for name in names if name not in ratings]:
        raise UnreadableReply(f"the judge's reply has no usable rating of {', '.join(absent)}")
    return replace(
        state,
        ratings=ratings,
        suggestions=suggestions,
        forms=(*state.forms, read_as("json", job, outcome)),
    )
