"""What a plan knows, and what becomes of an ask's outcome. Stages are pure: they return a changed copy of the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..asking.controls import Control
from ..asking.prompt import make_ask
from ..asking.tokens import CountTokens
from ..asking.windows import chunk, context_share, window
from ..policy.policy import Policy
from ..reading.reconcile import Finding
from ..records.ask import Ask, Outcome, Payload, Reply
from ..records.case import Case
from ..records.errors import InputError, JudgeError, UnreadableReply
from ..records.judge import Limits
from ..records.model import CitationAudit, Evidence, Label, Skipped, Statement, Status
from ..records.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Cell = tuple[int, int]  # a window's place and a statement's number

CHARS_PER_TOKEN_AT_MOST = 8  # no tokenizer packs prose more tightly
MIN_ROOM = 300  # tokens for context and statements, without which nothing can be asked
WIDENED = -1  # the place of the ask that shows the evidence of windows that disagree


@dataclass(frozen=True, slots=True)
class State:
    """All that is known so far."""

    case: Case
    policy: Policy
    count: CountTokens
    limits: Limits
    language: str = "en"
    sentences: tuple[Evidence, ...] = ()  # of the context
    answer: tuple[Statement, ...] = ()  # the sentences of the answer
    statements: tuple[Statement, ...] = ()  # what is judged: those sentences, or claims
    skipped: tuple[Skipped, ...] = ()
    claims: Mapping[int, tuple[str, ...] | None] = field(
        default_factory=dict
    )  # by sentence, see claims.py
    truths: Mapping[int, tuple[str, ...]] = field(
        default_factory=dict
    )  # by piece of the context, see truths.py
    audit: CitationAudit | None = None
    ratings: Mapping[str, float] = field(
        default_factory=dict
    )  # by dimension, as the judge gave them
    suggestions: tuple[str, ...] = ()
    explanation: str = ""  # the judge's, of the score
    controls: tuple[
        tuple[Control, Label | None], ...
    ] = ()  # what was asked as a control, and what the judge said
    room: int | None = None  # tokens that one ask has for context and statements; None for no limit
    windows: tuple[range, ...] = ()
    findings: Mapping[Cell, Finding] = field(default_factory=dict)
    closed: frozenset[Cell] = (
        frozenset()
    )  # not to be asked again: refused, filtered, truncated, failed
    errors: tuple[JudgeError, ...] = ()
    usage: Usage = field(default_factory=Usage)
    forms: tuple[str, ...] = ()  # how each reply was read
    warnings: tuple[str, ...] = ()
    ending: Status | None = None  # set where the procedure ends before there are verdicts
    problem: str = ""  # why, where the status does not say it all


@dataclass(frozen=True, slots=True)
class Job:
    """An ask, the place of the window that it shows, and the controls among its statements, by number."""

    ask: Ask
    window: int = 0
    controls: Mapping[int, Control] = field(default_factory=dict)

    @property
    def ids(self) -> tuple[int, ...]:
        """What is asked about, without the controls."""
        return tuple(number for number in self.ask.ids if number not in self.controls)


@dataclass(frozen=True, slots=True)
class Stage:
    """One step: what to ask now, and what is known once the outcomes are in (or there was nothing to ask)."""

    jobs: Callable[[State], tuple[Job, ...]]
    absorb: Callable[[State, tuple[Job, ...], tuple[Outcome, ...]], State]


def no_jobs(_: State) -> tuple[Job, ...]:
    """For a stage that asks nothing."""
    return ()


def lines(state: State, numbers: Iterable[int]) -> tuple[tuple[int, str], ...]:
    """These context sentences as an ask shows them."""
    return tuple((number, state.sentences[number - 1].text) for number in numbers)


def ignored(count: int) -> tuple[str, ...]:
    """The warning that entries of a reply are for nothing that was asked."""
    return (
        (f"{count} entries of the judge's reply are for nothing that was asked and were ignored",)
        if count
        else ()
    )


def fit(state: State, _jobs: tuple[Job, ...], _outcomes: tuple[Outcome, ...]) -> State:
    """What fits one ask: the room, and the windows over the context. A case that cannot fit ends here."""
    tokens = _room(state)
    if tokens is not None and tokens < MIN_ROOM:
        return replace(
            state,
            ending="invalid_input",
            problem="question: it leaves no room in max_prompt_tokens for the context",
        )
    try:
        chunk(state.statements, state.limits, tokens, state.count)
    except InputError as error:
        return replace(state, ending="invalid_input", problem=str(error))
    return replace(
        state, room=tokens, windows=window(state.sentences, context_share(tokens), state.count)
    )


def _room(state: State) -> int | None:
    if state.limits.prompt_tokens is None:
        return None
    bare = make_ask("verdicts", state.policy, Payload((), question=state.case.question))
    return state.limits.prompt_tokens - _tokens(state, bare)


def _tokens(state: State, ask: Ask) -> int:
    return sum(state.count(message["content"]) for message in ask.messages)


def within(state: State, ask: Ask) -> bool:
    """Whether an ask keeps to what one may hold."""
    statements, tokens = state.limits.statements, state.limits.prompt_tokens
    return (statements is None or len(ask.ids) <= statements) and (
        tokens is None or _tokens(state, ask) <= tokens
    )


def read_as(form: str, job: Job, outcome: Outcome) -> str:
    """How a reply was read, for the result: ``schema`` where it is JSON that keeps to the schema that was sent."""
    if form != "json" or not isinstance(outcome, Reply):
        return form
    if outcome.validated:
        return "schema"
    from ..asking.schema import (
        conforms,  # brings jsonschema, which a reply of our own making does not need
    )

    return "schema" if conforms(outcome.text, job.ask.form) else form


def usable_text(outcome: Outcome) -> str:
    """The text of a reply. A refused, filtered or truncated reply is never read: it is raised as the error that it is."""
    if isinstance(outcome, JudgeError):
        raise outcome
    if outcome.refusal:
        raise JudgeError(f"the judge refused: {outcome.refusal[:200]}", "refusal")
    if outcome.finish_reason == "content_filter":
        raise JudgeError("the provider's content filter stopped the judge", "content_filter")
    if outcome.finish_reason == "error":
        raise JudgeError(
            "the provider broke the judge's reply off with an error", "server", retryable=True
        )
    if outcome.finish_reason == "length":
        raise JudgeError(
            "the judge's reply was cut off at its token limit; a truncated reply is never scored",
            "truncated",
        )
    return outcome.text


def spent(state: State, job: Job, outcome: Outcome) -> State:
    """The state with what an ask cost, whatever came of it. Where the judge did not say, it is estimated."""
    usage = outcome.usage
    if usage is None and isinstance(outcome, Reply):
        usage = Usage(
            _tokens(state, job.ask),
            state.count(outcome.text),
            num_requests=outcome.requests,
            estimated=True,
        )
    elif isinstance(outcome, Reply) and usage and not outcome.cached and _cut(job, usage):
        told = f"the server counted {usage.prompt} prompt tokens, far fewer than were sent: it may have cut the prompt"
        state = replace(state, warnings=(*state.warnings, told))
    warnings = outcome.warnings if isinstance(outcome, Reply) else ()
    return replace(
        state, usage=state.usage + (usage or Usage()), warnings=(*state.warnings, *warnings)
    )


def _cut(job: Job, usage: Usage) -> bool:
    """Whether a server took in so little of a long prompt that it must have left a part out."""
    sent = sum(len(message["content"]) for message in job.ask.messages)
    return 0 < usage.prompt < sent / CHARS_PER_TOKEN_AT_MOST


def failed(state: State, job: Job, error: JudgeError) -> State:
    """The state after an ask that gave nothing. Only a reply that could not be read is worth asking for again."""
    cells = [(job.window, number) for number in job.ids]
    again = isinstance(error, UnreadableReply) and error.kind == "unreadable"
    again = again or (
        error.kind == "truncated" and state.policy.reask_singly
    )  # each alone is shorter
    return replace(
        state,
        errors=(*state.errors, error),
        closed=state.closed if again else state.closed.union(cells),
    )


def absorb_each(
    state: State,
    jobs: Sequence[Job],
    outcomes: Sequence[Outcome],
    take: Callable[[State, Job, Outcome], State],
    lose: Callable[[State, Job, JudgeError], State] = failed,
) -> State:
    """The state after all outcomes: what ``take`` learns of each, or ``lose`` of one that gives nothing. Its cost counts either way."""
    for job, outcome in zip(jobs, outcomes, strict=True):
        state = spent(state, job, outcome)
        try:
            state = take(state, job, outcome)
        except JudgeError as error:
            state = lose(state, job, error)
    return state


_STATUS: dict[str, Status] = {
    "refusal": "judge_refused",
    "content_filter": "judge_refused",
    "truncated": "unreadable",
    "unreadable": "unreadable",
    "unreliable_judge": "unreadable",
}


def status_of(errors: Sequence[JudgeError]) -> Status:
    """The status of a case for which no verdict came: that of the first error, which is the root."""
    return _STATUS.get(errors[0].kind, "judge_failed") if errors else "unreadable"
