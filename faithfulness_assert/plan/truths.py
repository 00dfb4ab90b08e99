"""The stage that lists what the context states, by asking the judge; verdicts are then found against these truths.

The context is cut into pieces, runs of sentences of one passage. Nothing of the context may vanish: a piece for which no truths come
stands for itself, by its own sentences.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from ..asking.prompt import make_ask
from ..asking.windows import LINE_TOKENS, chunk
from ..records.ask import Outcome, Payload
from ..records.judge import Limits
from ..records.model import Evidence, Statement
from ..text.strings import is_blank
from .claims import numbered_texts
from .state import Job, State, absorb_each, failed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..records.errors import JudgeError

PIECE_TOKENS = 6_000  # of the context in one ask, so that the list of its facts fits a reply
UNPLACED = 0  # stands for the piece of a truth that names none


def jobs(state: State) -> tuple[Job, ...]:
    """Asks for the truths of all pieces that have none yet."""
    waiting = [piece for piece in _asked(state) if piece.id not in state.truths]
    texts = {piece.id: piece.text for piece in waiting}
    groups = chunk(
        waiting, Limits(), 3 * _budget(state), state.count
    )  # a third of the room is what it fills
    return tuple(
        Job(make_ask("truths", state.policy, Payload(tuple((n, texts[n]) for n in group))))
        for group in groups
    )


def _budget(state: State) -> int:
    return PIECE_TOKENS if state.room is None else min(PIECE_TOKENS, state.room // 3)


def _pieces(state: State) -> tuple[tuple[Evidence, ...], ...]:
    """The context's sentences in runs: of one passage each, and no longer than the budget."""
    return tuple(
        run
        for _, of_passage in groupby(state.sentences, lambda s: s.passage)
        for run in _runs(list(of_passage), state)
    )


def _runs(sentences: list[Evidence], state: State) -> Iterator[tuple[Evidence, ...]]:
    run: list[Evidence] = []
    used = LINE_TOKENS
    for sentence in sentences:
        tokens = state.count(sentence.text) + 1
        if run and used + tokens > _budget(state):
            yield tuple(run)
            run, used = [], LINE_TOKENS
        run.append(sentence)
        used += tokens
    yield tuple(run)


def _asked(state: State) -> list[Statement]:
    """The pieces as the judge sees them; one that is a single endless sentence is not asked about."""
    texts = [" ".join(sentence.text for sentence in piece) for piece in _pieces(state)]
    most = _budget(state) - LINE_TOKENS
    return [
        Statement(number, text) for number, text in enumerate(texts, 1) if state.count(text) <= most
    ]


def absorb(state: State, jobs: tuple[Job, ...], outcomes: tuple[Outcome, ...]) -> State:
    """Truths by piece."""
    return absorb_each(state, jobs, outcomes, _take, _lose)


def _lose(state: State, job: Job, error: JudgeError) -> State:
    return replace(
        failed(state, job, error), closed=state.closed
    )  # what that closes are statements


def _take(state: State, job: Job, outcome: Outcome) -> State:
    ids = job.ask.ids
    alone = ids[0] if len(ids) == 1 else UNPLACED
    truths: dict[int, tuple[str, ...]] = {}
    for number, text in numbered_texts(job, outcome):
        place = alone if number is None else number
        if (place in ids or place == UNPLACED) and not is_blank(text):
            truths[place] = (*truths.get(place, ()), text)
    # A plain list cannot show which passage it leaves out: it is taken to speak of all.
    asked: dict[int, tuple[str, ...]] = dict.fromkeys(ids, ()) if UNPLACED in truths else {}
    elsewhere = (*state.truths.get(UNPLACED, ()), *truths.pop(UNPLACED, ()))
    return replace(
        state,
        truths={**state.truths, **asked, **truths, UNPLACED: elsewhere},
        forms=(*state.forms, "truths"),
    )


def settle(state: State, _jobs: tuple[Job, ...], _outcomes: tuple[Outcome, ...]) -> State:
    """The truths in place of the context's sentences; a piece without any keeps its own."""
    found: list[tuple[Evidence, str]] = []
    bare, most, pieces = 0, state.policy.truths_limit, _pieces(state)
    for number, piece in enumerate(pieces, 1):
        span = replace(piece[0], end=piece[-1].end)
        truths = state.truths.get(number)
        bare += truths is None
        found += (
            [(sentence, sentence.text) for sentence in piece]
            if truths is None
            else [(span, t) for t in truths[:most]]
        )
    unplaced = state.truths.get(UNPLACED, ())[: most and most * len(pieces)]
    found += [(Evidence(0, "", 0, 0, ""), text) for text in unplaced]
    sentences = tuple(
        replace(source, sentence=number, text=text)
        for number, (source, text) in enumerate(found, 1)
    )
    told = (
        (f"no truths came for {bare} parts of the context, which were shown as they stand",)
        if bare
        else ()
    )
    return replace(state, sentences=sentences, warnings=(*state.warnings, *told))
