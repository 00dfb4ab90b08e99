"""What a plan knows. Stages are pure: they return a changed copy of the state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import add
from typing import Any, NamedTuple

from ..asking.controls import Answered, Control
from ..asking.tokens import CountTokens, estimate_tokens
from ..asking.windows import Budget
from ..cases.case import Case
from ..policy.policy import Policy
from ..reading.reconcile import Finding
from ..records.errors import JudgeError
from ..records.judge import Ask, Numbered, Outcome
from ..records.model import CitationAudit, Evidence, Skipped, Statement, Status
from ..records.usage import Usage
from ..text.strings import one_line

# Records of a plan are named tuples: an assertion in promptfoo is a fresh process, and to define a
# dataclass takes ten times as long. No default is ever changed in place.
NOTHING: Mapping[Any, Any] = {}

Cell = tuple["int | None", int]
"""The number of a window (from 0; None: the evidence of several windows) and of a statement."""


class Log(NamedTuple):
    """What the asks cost, and how they went."""

    usage: Usage = Usage()
    errors: tuple[JudgeError, ...] = ()
    forms: tuple[str, ...] = ()  # how each reply was read
    warnings: tuple[str, ...] = ()
    schema_errors: tuple[str, ...] = ()  # where replies break the schema that was sent
    # How many verdicts a reply should have and how many it has, where they differ.
    mismatches: tuple[tuple[int, int], ...] = ()


class Likely(NamedTuple):
    """What is known where statements are shown only the likeliest parts of the context."""

    parts: tuple[range, ...]  # numbers of context sentences
    sizes: tuple[int, ...]  # the tokens of each sentence of the context
    # For each statement its likeliest parts, best first: those that are shown with it in any case,
    # and those that are shown while it is not supported.
    ranked: Mapping[int, tuple[tuple[int, ...], tuple[int, ...]]]
    everything: int  # how many asks it would take to show everything
    readers: tuple[frozenset[int], ...] = ()  # for each window the statements that it is shown to


class Rated(NamedTuple):
    """The ratings by dimension, as the judge gave them, and its suggestions."""

    ratings: Mapping[str, float]
    suggestions: tuple[str, ...]


class Ended(NamedTuple):
    """The case is not graded: why, and more about it where needed."""

    status: Status
    detail: str = ""
    blank: bool = False  # the answer contains no letter and no digit
    error: JudgeError | None = None  # the cause; None: the asks' errors tell it


class State(NamedTuple):
    """All that is known so far."""

    case: Case
    policy: Policy
    budget: Budget  # how much one ask may hold
    language: str = "en"
    secret: bytes = b""  # from which controls, their places, tags and keys of asks follow
    count: CountTokens = estimate_tokens  # counts the tokens that a judge does not report
    audit: CitationAudit | None = None
    ended: Ended | None = None  # set if the procedure is over before there are verdicts
    log: Log = Log()
    used: int = 0  # the last number that an ask of the grade had
    answer: tuple[Statement, ...] = ()  # its sentences
    skipped: tuple[Skipped, ...] = ()  # spans of the answer that are not judged, with reasons
    context: tuple[Evidence, ...] = ()  # its numbered sentences, or its truths
    windows: tuple[Sequence[int], ...] = ()  # numbers of context sentences that fit one ask each
    likely: Likely | None = None  # set if not every statement is shown every window
    claims: Mapping[int, tuple[str, ...]] = NOTHING  # of each sentence; () if the judge lists none
    closed_sentences: frozenset[int] = frozenset()  # their claims are not asked for again
    truths: Mapping[int, tuple[str, ...]] = NOTHING  # of each piece of the context
    statements: tuple[Statement, ...] = ()  # what is judged: sentences of the answer, or claims
    first_like: Mapping[int, int] = NOTHING  # the first of its text, if repeats count once
    findings: Mapping[Cell, Finding] = NOTHING
    closed: frozenset[Cell] = frozenset()  # not asked again: refused, filtered, truncated, failed
    failed: Mapping[Cell, JudgeError] = NOTHING  # of which the ask failed
    controls: Mapping[int | None, Answered] = NOTHING  # of each window, with how the judge did
    asked: Mapping[int, Cell] = NOTHING  # what each number stood for in its ask for verdicts
    bare: frozenset[int | None] = frozenset()  # windows with verdicts that could have no controls
    denied: frozenset[int] = frozenset()  # numbers of other asks that replies speak against
    rated: Rated | None = None
    explanation: str = ""  # the judge's, of the score

    @property
    def answered_controls(self) -> Answered:
        """The controls of all windows, with how the judge did."""
        return tuple(answered for window in self.controls.values() for answered in window)

    @property
    def untested(self) -> int:
        """How many windows have verdicts, and had no controls in any ask."""
        return len(self.bare - self.controls.keys())


class Job(NamedTuple):
    """An ask, and what its numbers mean."""

    ask: Ask
    window: int | None = 0  # the one that it shows; None if it shows the evidence of several
    controls: Mapping[int, Control] = NOTHING  # those among its statements, by number in the ask
    own: Mapping[int, int] = NOTHING  # the own numbers of the others, by number in the ask
    bare: bool = False  # there should be controls for its window, but no ask has any

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The window with each statement that is asked about."""
        return tuple((self.window, number) for number in self.own.values())


Answers = tuple[tuple[Job, Outcome], ...]
"""The jobs of a stage with their outcomes."""


def noted(state: State, more: Log) -> State:
    """The state with these entries added to its log."""
    return state._replace(log=Log(*map(add, state.log, more)))


def note_error(state: State, _job: Job, error: JudgeError) -> State:
    """The state with an error in its log."""
    return noted(state, Log(errors=(error,)))


Jobs = Callable[[State], tuple[Job, ...]]
Refit = Callable[[State], State]


class Asking(NamedTuple):
    """A stage that asks: what to ask now, and what is known once an outcome is there."""

    jobs: Jobs
    # Adds what an outcome says, or raises JudgeError.
    absorb_reply: Callable[[State, Job, Outcome], State]
    # What it means if it says nothing.
    absorb_error: Callable[[State, Job, JudgeError], State] = note_error
    # Cuts the case anew if the judge takes less than was thought; None if it is too late for that.
    refit: Refit | None = None


Stage = Asking | Callable[[State], State]
"""A stage either asks, or changes the state without asking."""


def with_statements(state: State, statements: Sequence[Statement]) -> State:
    """The state with these statements to judge."""
    first_like: dict[int, int] = {}
    firsts: dict[str, int] = {}
    for statement in statements:
        key = one_line(statement.text) if state.policy.dedupe else str(statement.id)
        first_like[statement.id] = firsts.setdefault(key, statement.id)
    return state._replace(statements=tuple(statements), first_like=first_like)


def with_used(state: State, jobs: Iterable[Job]) -> State:
    """The state that knows which numbers these asks have."""
    numbers = (number for job in jobs if job.own for number in job.ask.ids)
    return state._replace(used=max(numbers, default=state.used))


def ended(state: State, status: Status, detail: str = "") -> State:
    """The state of a plan that is over."""
    return state._replace(ended=Ended(status, detail))


def context_lines(state: State, numbers: Iterable[int]) -> Numbered:
    """These sentences of the context, as an ask shows them."""
    return tuple((number, state.context[number - 1].text) for number in numbers)


def numbered_texts(statements: Iterable[Statement]) -> Numbered:
    """The statements as an ask shows them."""
    return tuple((statement.id, statement.text) for statement in statements)
