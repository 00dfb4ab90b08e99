"""Asks with numbers of their own: in a grade, no number occurs in two asks.

So a reply that belongs to another ask has no number of this one. The reply to an ask about a single
item needs none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..asking.controls import Control, mixed
from ..asking.prompt import make_ask
from ..records.ask import Payload
from .state import Job

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..records.ask import AskKind, Numbered
    from .state import State


class Draft(NamedTuple):
    """What to ask about.

    Args:
        items: statements, sentences or pieces, with their own numbers.
        sentences: the context to show.
        window: the window that it is; None for the evidence of several.
        remark: what was wrong with the last reply.
    """

    kind: AskKind
    items: Numbered
    sentences: Numbered = ()
    window: int | None = 0
    remark: str = ""


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
    lines = mixed(draft.items, controls)
    numbered = tuple(enumerate(lines, first + 1))
    items = tuple((n, x.text if isinstance(x, Control) else x[1]) for n, x in numbered)
    question = "" if draft.kind == "truths" else state.case.question
    payload = Payload(items, draft.sentences, question)
    return Job(
        make_ask(draft.kind, state.policy, payload, remark=draft.remark),
        draft.window,
        {n: x for n, x in numbered if isinstance(x, Control)},
        {n: x[0] for n, x in numbered if not isinstance(x, Control)},
    )
