"""The stage that lists what the context states, by asking the judge. Verdicts then rest on that.

The context is cut into pieces: runs of sentences of one passage. Nothing of the context may get
lost: a piece for which no truths come is shown by its own sentences.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from ..asking.prompt import make_ask
from ..asking.windows import LINE_TOKENS, Budget, chunk
from ..reading.json_values import looks_like_json
from ..records.ask import Numbered, Payload
from ..records.errors import UnreadableReply
from ..records.judge import Limits
from ..records.model import Evidence
from ..text.strings import is_blank, text_key
from .numbered_replies import is_chatter, read_entries
from .outcomes import absorb_each, usable_text
from .state import Job, State, TruthsKnown, noted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..records.ask import Outcome
    from ..records.errors import JudgeError
    from .numbered_replies import Entries
    from .state import Answers

KINDS = ("truths",)
"""The kinds of ask of this stage."""

Piece = tuple[Evidence, ...]

PIECE_TOKENS = 6_000
"""Tokens of the context in one ask, so that the list of its facts fits a reply."""


def jobs(state: State) -> tuple[Job, ...]:
    """Asks for the truths of all pieces that have none."""
    waiting = tuple((n, text) for n, text in _asked(state) if n not in state.truths.by_piece)
    # `chunk` fills a third of the room.
    budget = Budget(state.budget.count, Limits(), 3 * _piece_tokens(state))
    groups = chunk(waiting, budget)
    return tuple(Job(make_ask("truths", state.policy, Payload(group))) for group in groups)


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
        tokens = state.budget.count(sentence.text) + 1
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
    return tuple((n, text) for n, text in enumerate(texts, 1) if state.budget.count(text) <= most)


def absorb(state: State, answers: Answers) -> State:
    """Truths by piece."""
    return absorb_each(state, answers, _take, _lose)


def _lose(state: State, _job: Job, error: JudgeError) -> State:
    return noted(state, error=error)


def _take(state: State, job: Job, outcome: Outcome) -> State:
    entries, _ = read_entries(job, outcome)
    if not looks_like_json(usable_text(outcome)) and is_chatter(entries, job.ask.payload.items):
        raise UnreadableReply("the judge lists no truths: its words are not of the context")
    if _repeats_answer(state, entries):
        raise UnreadableReply("the judge lists no truths: it repeats the statements of the answer")
    known = _merged(state.truths, entries, job.ask.ids)
    return noted(state._replace(truths=known), form="truths")


def _repeats_answer(state: State, entries: Entries) -> bool:
    """Whether a reply to an earlier ask would make the answer its own evidence."""
    truths = {text_key(text) for _, text in entries if not is_blank(text)}
    stated = {text_key(statement.text) for statement in state.verdicts.statements}
    context = {text_key(sentence.text) for sentence in state.context}
    return truths <= stated and not truths <= context


def _merged(known: TruthsKnown, entries: Entries, asked: Sequence[int]) -> TruthsKnown:
    """What is known with the entries of a reply.

    A list without numbers cannot show which piece it leaves out: it speaks about all of them.
    """
    only = asked[0] if len(asked) == 1 else None
    by_piece: dict[int, tuple[str, ...]] = {}
    unplaced: list[str] = []
    for number, text in entries:
        place = only if number is None else number
        if is_blank(text):
            continue
        if place is None:
            unplaced.append(text)
        else:
            by_piece[place] = (*by_piece.get(place, ()), text)
    covered: dict[int, tuple[str, ...]] = dict.fromkeys(asked, ()) if unplaced else {}
    return TruthsKnown({**known.by_piece, **covered, **by_piece}, (*known.unplaced, *unplaced))


def settle(state: State) -> State:
    """The truths in place of the context's sentences. A piece without truths keeps its own."""
    shown: list[Evidence] = []
    bare, most, pieces = 0, state.policy.truths_limit, _pieces(state)
    for number, piece in enumerate(pieces, 1):
        truths = state.truths.by_piece.get(number)
        if truths is None:
            bare += 1
            shown += piece
        else:
            whole = replace(piece[0], end=piece[-1].end)
            shown += [replace(whole, text=truth) for truth in truths[:most]]
    unplaced = state.truths.unplaced[: most and most * len(pieces)]
    shown += [Evidence(0, "", 0, 0, truth) for truth in unplaced]
    context = tuple(replace(line, sentence=number) for number, line in enumerate(shown, 1))
    return noted(state._replace(context=context), warnings=_bare_warning(bare))


def _bare_warning(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    return (f"no truths came for {count} parts of the context, which were shown as they are",)
