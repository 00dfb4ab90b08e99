"""What a plan knows. Stages are pure: they return a changed copy of the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..records.ask import Ask, Numbered, Outcome
from ..records.usage import Usage
from ..text.strings import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..asking.controls import Answered, Control
    from ..asking.windows import Budget
    from ..cases.case import Case
    from ..policy.policy import Policy
    from ..reading.reconcile import Finding
    from ..records.errors import JudgeError
    from ..records.model import CitationAudit, Evidence, Skipped, Statement, Status

# Records of a plan are named tuples: an assertion in promptfoo is a fresh process, and to define a
# dataclass takes ten times as long. No default is ever changed in place.
NOTHING: Mapping[Any, Any] = {}

Cell = tuple[int, int]
"""The number of a window (from 0) and of a statement."""


class Log(NamedTuple):
    """What the asks cost, and how they went.

    Args:
        forms: how each reply was read.
        schema_errors: where replies break the schema that was sent.
        mismatches: how many verdicts a reply should have and how many it has, where they differ.
    """

    usage: Usage = Usage()
    errors: tuple[JudgeError, ...] = ()
    forms: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    schema_errors: tuple[str, ...] = ()
    mismatches: tuple[tuple[int, int], ...] = ()


class ClaimsKnown(NamedTuple):
    """What is known about the claims of the answer.

    Args:
        by_sentence: the claims of each sentence that the judge listed; () if it lists none.
        closed: sentences that are not asked about again.
    """

    by_sentence: Mapping[int, tuple[str, ...]] = NOTHING
    closed: frozenset[int] = frozenset()


class VerdictsKnown(NamedTuple):
    """The statements, and what the judge has said about them.

    Args:
        statements: what is judged: sentences of the answer, or claims.
        first_like: for each statement the first one with the same text, where repeats count once.
        by_window: the findings of each window.
        widened: the findings of the asks that show the evidence of windows that disagree.
        closed: what is not asked again: refused, filtered, truncated, failed.
        failed: the asks that failed, by window (None for a widened ask) and statement.
        controls: the controls that were asked in each window, and the labels that they got.
        asked: for each number that an ask had, the window and the statement that it stood for.
        denied: the numbers of other asks that the replies of a stage speak against.
    """

    statements: tuple[Statement, ...] = ()
    first_like: Mapping[int, int] = NOTHING
    by_window: Mapping[Cell, Finding] = NOTHING
    widened: Mapping[int, Finding] = NOTHING
    closed: frozenset[Cell] = frozenset()
    failed: Mapping[tuple[int | None, int], JudgeError] = NOTHING
    controls: Mapping[int | None, Answered] = NOTHING
    asked: Mapping[int, tuple[int | None, int]] = NOTHING
    denied: frozenset[int] = frozenset()

    @property
    def answered_controls(self) -> Answered:
        """The controls of all windows with their labels."""
        return tuple(answered for window in self.controls.values() for answered in window)


class Likely(NamedTuple):
    """What is known where statements are shown only the likeliest parts of the context.

    Args:
        parts: ranges of numbers of context sentences.
        sizes: the tokens of each sentence of the context.
        ranked: for each statement its likeliest parts, best first: those that are shown with it in
            any case, and those that are shown while it is not supported.
        everything: how many asks it would take to show everything.
        readers: for each window the statements that it is shown to.
    """

    parts: tuple[range, ...]
    sizes: tuple[int, ...]
    ranked: Mapping[int, tuple[tuple[int, ...], tuple[int, ...]]]
    everything: int
    readers: tuple[frozenset[int], ...] = ()


class Rated(NamedTuple):
    """The ratings by dimension, as the judge gave them, and its suggestions."""

    ratings: Mapping[str, float]
    suggestions: tuple[str, ...]


class Ended(NamedTuple):
    """The case is not graded: why, and more about it where needed.

    Args:
        status: what happened.
        detail: more about it, in words.
        blank: the answer contains no letter and no digit.
        error: the judge's error that is the cause; None: the asks' errors tell it.
    """

    status: Status
    detail: str = ""
    blank: bool = False
    error: JudgeError | None = None


class State(NamedTuple):
    """All that is known so far.

    Args:
        case, policy, language: what the plan was given.
        budget: how much one ask may hold.
        audit: the citation audit, if there is one.
        answer: the sentences of the answer.
        skipped: spans of the answer that are not judged, with reasons.
        context: the numbered sentences of the context (or its truths).
        windows: the numbers of context sentences that fit one ask each.
        likely: set if not every statement is shown every window.
        rated: the ratings, once they are there.
        explanation: the judge's explanation of the score.
        used: the last number that an ask of the grade had.
        ended: set if the procedure is over before there are verdicts.
    """

    case: Case
    policy: Policy
    budget: Budget
    language: str = "en"
    audit: CitationAudit | None = None
    answer: tuple[Statement, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    context: tuple[Evidence, ...] = ()
    windows: tuple[Sequence[int], ...] = ()
    likely: Likely | None = None
    claims: ClaimsKnown = ClaimsKnown()
    truths: Mapping[int, tuple[str, ...]] = NOTHING
    verdicts: VerdictsKnown = VerdictsKnown()
    rated: Rated | None = None
    explanation: str = ""
    log: Log = Log()
    used: int = 0
    ended: Ended | None = None


class Job(NamedTuple):
    """An ask, and what its numbers mean.

    Args:
        ask: what the judge is asked.
        window: the window that it shows; None if it shows the evidence of several windows.
        controls: the controls among its statements, by number in the ask.
        own: the own numbers of what it is about, by number in the ask.
    """

    ask: Ask
    window: int | None = 0
    controls: Mapping[int, Control] = NOTHING
    own: Mapping[int, int] = NOTHING

    @property
    def ids(self) -> tuple[int, ...]:
        """The own numbers of what is asked about, without the controls."""
        return tuple(self.own.values())


Answers = tuple[tuple[Job, Outcome], ...]
"""The jobs of a stage with their outcomes."""


class Asking(NamedTuple):
    """A stage that asks: what to ask now, and what is known once the outcomes are there.

    ``refit`` cuts the case anew if the judge can take less than was thought; None if it is too
    late for that.
    """

    jobs: Callable[[State], tuple[Job, ...]]
    absorb: Callable[[State, Answers], State]
    refit: Callable[[State], State] | None = None


Stage = Asking | Callable[[State], State]
"""A stage either asks, or changes the state without asking."""


def noted(
    state: State,
    *,
    usage: Usage | None = None,
    error: JudgeError | None = None,
    form: str = "",
    warnings: Iterable[str] = (),
    schema_errors: tuple[str, ...] = (),
    mismatch: tuple[int, int] | None = None,
) -> State:
    """The state with entries added to its log."""
    log = Log(
        state.log.usage + (usage or Usage()),
        (*state.log.errors, error) if error else state.log.errors,
        (*state.log.forms, form) if form else state.log.forms,
        (*state.log.warnings, *warnings),
        state.log.schema_errors + schema_errors,
        (*state.log.mismatches, mismatch) if mismatch else state.log.mismatches,
    )
    return state._replace(log=log)


def with_statements(state: State, statements: Sequence[Statement]) -> State:
    """The state with these statements to judge."""
    first_like: dict[int, int] = {}
    firsts: dict[str, int] = {}
    for statement in statements:
        key = one_line(statement.text) if state.policy.dedupe else str(statement.id)
        first_like[statement.id] = firsts.setdefault(key, statement.id)
    return state._replace(verdicts=VerdictsKnown(tuple(statements), first_like))


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
