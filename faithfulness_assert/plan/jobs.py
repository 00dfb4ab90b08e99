"""Asks with numbers of their own, that fit the judge's limits.

In a grade, no number occurs in two asks. So a reply that belongs to another ask has no number of
this one. The reply to an ask about a single item needs none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..asking.controls import Control, mixed
from ..asking.prompt import REPLY_TOKENS, REPLY_TOKENS_PER_ITEM, make_ask
from ..asking.tokens import estimate_tokens
from ..asking.windows import LINE_TOKENS, MIN_ROOM, Budget, chunk, cut_to_fit, window
from ..records.errors import InputError, OtherReply
from ..records.judge import Ask, AskKind, Numbered, Payload
from .state import Job, State, ended, numbered_texts


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
    first = before[-1].ask.ids[-1] if before else state.used
    lines = mixed(draft.items, controls, state.secret)
    numbered = tuple(enumerate(lines, first + 1))
    items = tuple((n, x.text if isinstance(x, Control) else x[1]) for n, x in numbered)
    question = "" if draft.kind == "truths" else state.case.question
    payload = Payload(items, draft.sentences, question)
    ask = make_ask(draft.kind, state.policy, payload, remark=draft.remark, secret=state.secret)
    if any(isinstance(error, OtherReply) for error in state.log.errors):
        ask = replace(ask, fresh=True)
    return Job(
        ask,
        draft.window,
        {n: x for n, x in numbered if isinstance(x, Control)},
        {n: x[0] for n, x in numbered if not isinstance(x, Control)},
    )


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
    # What fits into a third of the room, by bytes, is shown as it is: no line of it is cut.
    at_least = most - sum(len(message["content"].encode()) for message in bare.messages)
    texts = [s.text for s in state.context] + [s.text for s in state.statements]
    needed = sum(len(text.encode()) + LINE_TOKENS for text in texts)
    needed += budget.reply_tokens * len(state.statements)
    if max(MIN_ROOM, 3 * needed) <= at_least:
        return state._replace(budget=budget._replace(room=at_least), windows=windows)
    return _fitted(state, budget, most - bare.size(estimate_tokens))


def _fitted(state: State, budget: Budget, room: int) -> State:
    """The state with windows that fit the room that instructions and question leave."""
    if room < MIN_ROOM:
        detail = f"question: it leaves no room in {budget.limits.named} for the context"
        return ended(state, "invalid_input", detail)
    budget = budget._replace(room=room)
    try:
        chunk(numbered_texts(state.statements), budget)
    except InputError as error:
        return ended(state, "invalid_input", str(error))
    # A longer line is no sentence but a text without ends. It is cut into lines of which a window
    # has several, so that windows overlap, and that evidence of two of them fits one ask.
    most = room * 2 // 3
    context = cut_to_fit(state.context, min(most, max(LONG_LINE, most // LINES)))
    return state._replace(budget=budget, context=context, windows=window(context, budget))


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
