"""What a plan knows, and the asks that it makes of that.

Stages are pure: they return a changed copy of the state. In a grade, no number occurs in two asks.
So a reply that belongs to another ask has no number of this one. The reply to an ask about a single
item needs none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from ..asking.controls import Answered, Control, mixed
from ..asking.prompt import REPLY_TOKENS, REPLY_TOKENS_PER_ITEM, make_ask
from ..asking.windows import (
    MIN_ROOM,
    Budget,
    chunk,
    cut_to_fit,
    estimate_tokens,
    line_tokens,
    overlapping,
)
from ..cases.case import Case
from ..policy.policy import Policy
from ..reading.reconcile import Finding
from ..records.errors import InputError, JudgeError
from ..records.judge import Ask, AskKind, Numbered, Outcome, Payload
from ..records.model import CitationAudit, Evidence, Skipped, Statement, Status
from ..records.usage import Usage
from ..text.context_numbers import NONE, Numbers
from ..text.learned import asks
from ..text.phrases import refers_back
from ..text.strings import clip, one_line
from ..text.talk import claims_nothing

# Records of a plan are named tuples: an assertion in promptfoo is a fresh process, and to define a
# dataclass takes ten times as long. No default is ever changed in place.
NOTHING: Mapping[Any, Any] = {}
NO_USAGE = Usage()

LOOKED_BACK = 20
"""Sentences: a loop repeats all of them, and hardly anything else in an answer does."""
SHORT = 10
"""Tokens of a statement that may lean on the one before it: "Yes.", "Price: 114 euros"."""
LONGEST_REFERENT = 300
"""Characters of a sentence that is shown only because the next one refers to it."""

Cell = tuple["int | None", int]
"""The number of a window (from 0; None: the evidence of several windows) and of a statement, or of
whatever else an ask is about."""


class Log(NamedTuple):
    """What the asks cost, and how they went."""

    usage: Usage = NO_USAGE
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


class Ratings(NamedTuple):
    """The ratings by dimension, as the judge gave them, and its suggestions."""

    ratings: Mapping[str, float]
    suggestions: tuple[str, ...]


class End(NamedTuple):
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
    audit: CitationAudit | None = None
    end: End | None = None  # set if the procedure is over before there are verdicts
    log: Log = Log()
    last_number: int = 0  # the last number that an ask of the grade had
    sentences: tuple[Statement, ...] = ()  # of the answer
    skipped: tuple[Skipped, ...] = ()  # spans of the answer that are not judged, with reasons
    names: Mapping[str, str] = NOTHING  # of passages, by id
    context: tuple[Evidence, ...] = ()  # its numbered sentences, or its truths
    windows: tuple[Sequence[int], ...] = ()  # numbers of context sentences that fit one ask each
    likely: Likely | None = None  # set if not every statement is shown every window
    claims: Mapping[int, tuple[str, ...]] = NOTHING  # of each sentence; () if the judge lists none
    closed_sentences: frozenset[int] = frozenset()  # their claims are not asked for again
    truths: Mapping[int, tuple[str, ...]] = NOTHING  # of each piece of the context
    statements: tuple[Statement, ...] = ()  # what is judged: sentences of the answer, or claims
    first_like: Mapping[int, int] = NOTHING  # the one that is asked about in place of each
    alike: Mapping[int, int] = NOTHING  # the first that says the same, if repeats count once
    known: Numbers = NONE  # the numbers that the context has
    asked: Numbers = NONE  # those of the question
    findings: Mapping[Cell, Finding] = NOTHING
    closed: frozenset[Cell] = frozenset()  # not asked again: refused, filtered, truncated, failed
    error_of: Mapping[Cell, JudgeError] = NOTHING  # of which the ask failed
    controls: Mapping[int | None, Answered] = NOTHING  # of each window, with how the judge did
    cell_of: Mapping[int, Cell] = NOTHING  # what each number stood for in its ask for verdicts
    denied_numbers: frozenset[int] = frozenset()  # numbers of other asks that replies speak against
    ratings: Ratings | None = None
    explanation: str = ""  # the judge's, of the score


class Job(NamedTuple):
    """An ask, and what its numbers mean."""

    ask: Ask
    window: int | None = 0  # the one that it shows; None if it shows the evidence of several
    controls: Mapping[int, Control] = NOTHING  # those among its statements, by number in the ask
    cells: Mapping[int, Cell] = NOTHING  # what the others are, by number in the ask


Answers = tuple[tuple[Job, Outcome], ...]
"""The jobs of a stage with their outcomes."""


def note(state: State, more: Log) -> State:
    """The state with these entries added to its log."""
    log: list[Any] = list(state.log)
    for place, entries in enumerate(more):
        if entries and entries is not NO_USAGE:
            log[place] = entries if log[place] is NO_USAGE else log[place] + entries
    return state._replace(log=Log(*log))


def note_error(state: State, _job: Job, error: JudgeError) -> State:
    """The state with an error in its log."""
    return note(state, Log(errors=(error,)))


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
    """The state with these statements to judge.

    Behind other sentences ("For children the dose is as follows.") the same words may be false:
    they are judged again, but count once for each label. What refers back or answers a question
    says something else behind another sentence, and counts. Of a loop of sentences, what comes
    behind ``LOOKED_BACK`` of them is not judged again.
    """
    texts = [f"{s.list_number or ''} {one_line(s.text)}" for s in statements]
    first_like = {statement.id: statement.id for statement in statements}
    alike = dict(first_like)
    asked, said = dict[tuple[str, ...], int](), dict[tuple[str, str], int]()
    run: deque[str] = deque([""], maxlen=LOOKED_BACK)
    has_repeats = state.policy.dedupe and len({*texts}) < len(texts)
    for statement, text in zip(statements, texts, strict=True) if has_repeats else ():
        if text != run[-1]:
            run.append(text)
        first_like[statement.id] = asked.setdefault(tuple(run), statement.id)
        before = run[-2] if asks(run[-2]) or refers_back(text) else ""
        alike[statement.id] = said.setdefault((before, text), statement.id)
    return state._replace(statements=tuple(statements), first_like=first_like, alike=alike)


def use_numbers(state: State, jobs: Iterable[Job]) -> State:
    """The state that knows which numbers these asks have."""
    numbers = [number for job in jobs if job.cells for number in job.ask.ids]
    return state._replace(last_number=max(numbers, default=state.last_number))


def end(state: State, status: Status, detail: str = "") -> State:
    """The state of a plan that is over."""
    return state._replace(end=End(status, detail))


def context_lines(state: State, numbers: Iterable[int]) -> Numbered:
    """These sentences of the context, as an ask shows them."""
    return tuple([(number, state.context[number - 1].text) for number in numbers])


def shown_passages(state: State, lines: Numbered) -> Numbered:
    """Where passages begin among these sentences of the context, and the names of passages."""
    first, last = list[tuple[int, str]](), None
    for number, _ in lines:
        line = state.context[number - 1]  # several passages may have one id
        if last is None or line.passage != last.passage or line.start <= last.start:
            first.append((number, state.names.get(line.passage, "")))
        last = line
    return tuple(first)


def distinct_statements(state: State) -> list[Statement]:
    """The statements that are asked about."""
    return [s for s in state.statements if state.first_like[s.id] == s.id]


def _referents(state: State, items: Numbered) -> Iterator[tuple[int, str]]:
    """What is shown before statements: for those that may lean on a claim that does not stand
    before them in the ask, that claim; and their numbers in a list that counts.
    """
    last = 0
    for number, text in items if state.policy.split != "claims" else ():  # claims are whole
        own = state.statements[number - 1]
        is_short = not own.is_item and estimate_tokens(text) <= SHORT
        leans = number > last + 1 and (is_short or refers_back(text, state.language))
        if leans and not claims_nothing(text):
            under = own.heading, own.lead_in
            before = state.statements[number - 2 :: -1]
            alike = (without_heading(s) for s in before if (s.heading, s.lead_in) == under)
            claims = (text for text in alike if not claims_nothing(text))
            yield from ((number, clip(claim, LONGEST_REFERENT)) for claim in islice(claims, 1))
        if own.list_number:
            yield number, f"item {own.list_number}"
        last = number


def as_judged(statement: Statement) -> Statement:
    """A statement of the splitter with the text that the judge is shown: with what it is under."""
    if not (statement.heading or statement.lead_in or statement.shown):
        return statement
    shown = (statement.heading, statement.lead_in, statement.shown or statement.text)
    return replace(statement, text=" ".join(filter(None, shown)))


def without_heading(statement: Statement) -> str:
    """The text of a statement as it is judged, without its heading."""
    return statement.text.removeprefix(f"{statement.heading} ")


def numbered_texts(statements: Iterable[Statement]) -> Numbered:
    """The statements as an ask shows them."""
    return tuple((statement.id, statement.text) for statement in statements)


# ---------------------------------------------------------------- asks


class Draft(NamedTuple):
    """What to ask about."""

    kind: AskKind
    items: Numbered  # statements, sentences or pieces, with their own numbers
    sentences: Numbered = ()  # the context to show
    window: int | None = 0  # the window that this is; None for the evidence of several
    remark: str = ""  # what was wrong with the last reply


def number_jobs(state: State, drafts: Iterable[Draft]) -> tuple[Job, ...]:
    """The asks of these drafts, numbered from where the last ask of the grade ended."""
    jobs: list[Job] = []
    for draft in drafts:
        jobs.append(make_job(state, draft, jobs))
    return tuple(jobs)


def make_job(
    state: State, draft: Draft, before: Sequence[Job], controls: Sequence[Control] = ()
) -> Job:
    """The ask of a draft, numbered from where those ``before`` it end."""
    first = before[-1].ask.ids[-1] if before else state.last_number
    lines = mixed(draft.items, controls, state.secret)
    numbered = tuple(enumerate(lines, first + 1))
    items = tuple([(n, x.text if isinstance(x, Control) else x[1]) for n, x in numbered])
    question = "" if draft.kind == "truths" else state.case.question
    cells = {n: (draft.window, x[0]) for n, x in numbered if not isinstance(x, Control)}
    headings: list[tuple[int, str]] = []
    referents: list[tuple[int, str]] = []
    if draft.kind == "verdicts":
        headings = [(n, h) for n, (_, x) in cells.items() if (h := state.statements[x - 1].heading)]
        place = {x: n for n, (_, x) in cells.items()}
        referents = [(place[x], text) for x, text in _referents(state, draft.items)]
    payload = Payload(
        items,
        draft.sentences,
        question,
        headings=tuple(headings),
        referents=tuple(referents),
        passages=shown_passages(state, draft.sentences),
    )
    ask = fitting_ask(state, draft.kind, payload, draft.remark)
    return Job(ask, draft.window, {n: x for n, x in numbered if isinstance(x, Control)}, cells)


def fitting_ask(state: State, kind: AskKind, payload: Payload, remark: str = "") -> Ask:
    """The ask for a payload. If it is too long, it goes without brackets."""
    ask = make_ask(kind, state.policy, payload, remark=remark, secret=state.secret)
    if is_within(state.budget, ask):
        return ask
    payload = replace(payload, passages=(), referents=())
    return make_ask(kind, state.policy, payload, remark=remark, secret=state.secret)


# ---------------------------------------------------------------- what fits one ask

LINES = 16
"""Lines that the context in an ask has at least, unless the lines were shorter than LONG_LINE."""
LONG_LINE = 200
"""Tokens of a line that is never cut if it fits an ask."""


def fit(state: State) -> State:
    """Finds the room that one ask has, and the windows. A case that cannot fit ends here."""
    limits, windows = state.budget.limits, (range(1, len(state.context) + 1),)
    # The reply to each statement takes tokens too, where the judge counts them.
    reply_tokens = 0 if limits.total_tokens is None else REPLY_TOKENS_PER_ITEM
    budget = state.budget._replace(room=None, reply_tokens=reply_tokens)
    most = limits.prompt_room(REPLY_TOKENS)
    if most is None:
        return state._replace(budget=budget, windows=windows)
    bare = make_ask("verdicts", state.policy, Payload((), question=state.case.question))
    room = most - bare.size(estimate_tokens)
    if room < MIN_ROOM:
        detail = f"question: it leaves no room in {limits.named} for the context"
        return end(state, "invalid_input", detail)
    budget = budget._replace(room=room)
    try:
        chunk(numbered_texts(state.statements), budget)
    except InputError as error:
        return end(state, "invalid_input", str(error))
    # A longer line is no sentence but a text without ends. It is cut into lines of which a window
    # has several, so that windows overlap, and that evidence of two of them fits one ask.
    longest = room * 2 // 3
    context = cut_to_fit(state.context, min(longest, max(LONG_LINE, longest // LINES)))
    return state._replace(
        budget=budget,
        context=context,
        windows=overlapping([line_tokens(s.text) for s in context], longest),
    )


def is_too_long(budget: Budget, text: str) -> bool:
    """Whether a claim of the judge (or a whole answer) does not fit one ask."""
    room = budget.statements_room
    return room is not None and budget.statement_tokens(text) > room


def is_within(budget: Budget, ask: Ask) -> bool:
    """Whether an ask keeps the judge's limits."""
    most_items = budget.limits.statements
    most_tokens = budget.limits.prompt_room(ask.max_tokens)
    if most_items is not None and len(ask.ids) > most_items:
        return False
    return most_tokens is None or ask.size(estimate_tokens) <= most_tokens
