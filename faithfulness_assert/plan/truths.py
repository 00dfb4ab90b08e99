"""The stage that lists what the context states, by asking the judge. Verdicts then rest on that.

The context is cut into pieces: runs of sentences of one passage. Nothing of the context may get
lost: a piece for which no truths come is shown by its own sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from ..asking.tokens import estimate_tokens
from ..asking.windows import LINE_TOKENS, Budget, chunk
from ..records.errors import UnreadableReply
from ..records.judge import Limits, Numbered, Outcome
from ..records.model import Evidence
from ..text.strings import text_key
from .claims import listed_by_item
from .jobs import Draft, number_jobs
from .state import Job, Log, State, noted

Piece = tuple[Evidence, ...]

PIECE_TOKENS = 6_000
"""Tokens of the context in one ask, so that the list of its facts fits a reply."""


def jobs(state: State) -> tuple[Job, ...]:
    """Asks for the truths of all pieces that have none."""
    waiting = tuple((n, text) for n, text in _asked(state) if n not in state.truths)
    # `chunk` fills a third of the room.
    budget = Budget(Limits(), 3 * _piece_tokens(state))
    groups = chunk(waiting, budget)
    return number_jobs(state, (Draft("truths", group) for group in groups))


def _piece_tokens(state: State) -> int:
    room = state.budget.statements_room
    if room is None:
        return PIECE_TOKENS
    # The list of its facts may take more tokens than the piece itself.
    return min(PIECE_TOKENS, room // 2 if state.budget.reply_tokens else room)


def _pieces(state: State) -> tuple[Piece, ...]:
    """The context's sentences in runs of one passage each that fit one ask."""
    passages = groupby(state.context, lambda sentence: sentence.passage)
    return tuple(run for _, sentences in passages for run in _runs(list(sentences), state))


def _runs(sentences: Sequence[Evidence], state: State) -> Iterator[Piece]:
    most = _piece_tokens(state)
    run: list[Evidence] = []
    used = LINE_TOKENS
    for sentence in sentences:
        tokens = estimate_tokens(sentence.text) + 1
        if run and used + tokens > most:
            yield tuple(run)
            run, used = [], LINE_TOKENS
        run.append(sentence)
        used += tokens
    yield tuple(run)


def _asked(state: State) -> Numbered:
    """The numbered pieces, without those that are one sentence too long for an ask."""
    texts = (" ".join(sentence.text for sentence in piece) for piece in _pieces(state))
    most = _piece_tokens(state) - LINE_TOKENS
    return tuple((n, text) for n, text in enumerate(texts, 1) if estimate_tokens(text) <= most)


def take(state: State, job: Job, outcome: Outcome) -> State:
    """Truths by piece."""
    listed = {number: texts for number, texts in listed_by_item(job, outcome).items() if texts}
    known = {**state.truths, **listed}
    if _repeats_answer(state, known.values()):
        raise UnreadableReply("the judge lists no truths: it repeats the statements of the answer")
    return noted(state._replace(truths=known), Log(forms=("truths",)))


def _repeats_answer(state: State, listed: Iterable[tuple[str, ...]]) -> bool:
    """Whether a reply to an earlier ask would make the answer its own evidence."""
    truths = {text_key(text) for texts in listed for text in texts}
    stated = {text_key(statement.text) for statement in state.statements}
    context = {text_key(sentence.text) for sentence in state.context}
    return truths <= stated and not truths <= context


def settle(state: State) -> State:
    """The truths in place of the context's sentences. A piece without truths keeps its own."""
    shown: list[Evidence] = []
    bare, most, pieces = 0, state.policy.truths_limit, _pieces(state)
    for number, piece in enumerate(pieces, 1):
        truths = state.truths.get(number)
        if truths is None:
            bare += 1
            shown += piece
        else:
            whole = replace(piece[0], end=piece[-1].end)
            shown += [replace(whole, text=truth) for truth in truths[:most]]
    context = tuple(replace(line, sentence=number) for number, line in enumerate(shown, 1))
    warning = f"no truths came for {bare} parts of the context, which were shown as they are"
    return noted(state._replace(context=context), Log(warnings=(warning,) if bare else ()))
