"""The stage that splits sentences of the answer into claims, by asking the judge.

With ``joint``, the same ask also brings the verdicts. No sentence of the answer may get lost here:
a sentence that the judge leaves out is asked about again, and a sentence that no claims stand for
is graded as it stands, or reported as skipped if it says nothing that can be checked.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from ..asking.windows import chunk
from ..reading.lists import read_lists
from ..records.errors import UnreadableReply
from ..records.model import Skipped, Statement
from ..text.numbers_and_names import has_number_or_name
from . import joint
from .carrying import Sentences, as_they_stand, check_count, claim_key
from .findings import may_be_set_aside
from .fit import is_too_long
from .jobs import Draft, number_jobs
from .outcomes import absorb_each, usable_text, worth_asking_again
from .state import Job, State, context_lines, ended, noted, numbered_texts, with_statements

if TYPE_CHECKING:
    from ..records.ask import AskKind, Numbered, Outcome
    from ..records.errors import JudgeError
    from .state import Answers

KINDS = ("claims", "claims_and_verdicts")
"""The kinds of ask of this stage."""


def jobs(state: State) -> tuple[Job, ...]:
    """One ask for each group of sentences of which the claims are not known."""
    known, closed = state.claims.by_sentence, state.claims.closed
    waiting = [s for s in state.answer if s.id not in known and s.id not in closed]
    groups = chunk(numbered_texts(waiting), state.budget)
    whole = len(groups) == 1 and len(waiting) == len(state.answer)
    kind, context = _kind(state) if whole else ("claims", ())
    return number_jobs(state, (Draft(kind, group, context) for group in groups))


def _kind(state: State) -> tuple[AskKind, Numbered]:
    """The kind of ask and the context that it shows: with verdicts if the policy wants it."""
    if not state.policy.joint or len(state.windows) > 1:
        return "claims", ()
    return "claims_and_verdicts", context_lines(state, state.windows[0])


def absorb(state: State, answers: Answers) -> State:
    """Claims by sentence; for a joint ask, statements with their findings."""
    return absorb_each(state, answers, _take, _lose)


def _lose(state: State, job: Job, error: JudgeError) -> State:
    state = noted(state, error=error)
    if worth_asking_again(state.policy, error):
        return state
    return state._replace(claims=state.claims._replace(closed=state.claims.closed.union(job.ids)))


def _take(state: State, job: Job, outcome: Outcome) -> State:
    if job.ask.kind == "claims_and_verdicts":
        return joint.take(state, job, outcome)
    found = listed_by_item(job, outcome)
    check_count(sum(map(len, found.values())), len(job.ask.ids))
    known = {**state.claims.by_sentence, **found}
    return noted(state._replace(claims=state.claims._replace(by_sentence=known)), form="claims")


def listed_by_item(job: Job, outcome: Outcome) -> dict[int, tuple[str, ...]]:
    """What a reply lists under each item of its ask that it names; () where it lists nothing.

    Raises:
        JudgeError: the reply cannot be used or read, or has numbers that its ask does not have.
    """
    try:
        listed = read_lists(usable_text(outcome), (text for _, text in job.ask.payload.items))
    except UnreadableReply as error:  # a refusal in words is no list either, and is asked again
        raise UnreadableReply(error.message) from None
    only = job.ids[0] if len(job.ids) == 1 else None
    found: dict[int, list[str]] = {}
    for number, text in listed:
        own = only if number is None else job.own.get(number)
        if own is None:
            raise UnreadableReply("the judge's lists have other numbers than those that were asked")
        found.setdefault(own, []).extend([text] if text else [])
    return {number: tuple(texts) for number, texts in found.items()}


def settle(state: State) -> State:
    """The claims as statements. If there are no claims at all, the case cannot be graded."""
    if state.verdicts.by_window:  # a joint reply has made the statements
        return state
    known, errors = state.claims.by_sentence, state.log.errors
    if not known and any(error.kind != "unreadable" for error in errors):
        return with_statements(state, ())  # `conclude` tells the error
    silent, sentences = _silent(state), Sentences(numbered_texts(state.answer))
    graded = [s for s in state.answer if s.id not in silent]
    fitting = {
        n: tuple(text for text in texts if not is_too_long(state.budget, text))
        for n, texts in known.items()
    }
    carried = {s.id for s in graded if sentences.carried_by(s.id, fitting.get(s.id, ()))}
    texts = chain.from_iterable(
        _statements_of(s, fitting[s.id] if s.id in carried else ()) for s in graded
    )
    state = with_statements(state, [replace(s, id=number) for number, s in enumerate(texts, 1)])
    skipped = [*state.skipped, *(_skipped(s) for s in state.answer if s.id in silent)]
    state = state._replace(skipped=tuple(sorted(skipped, key=lambda span: span.start)))
    state = noted(state, warnings=as_they_stand(len(graded) - len(carried), len(graded)))
    if state.verdicts.statements:
        return state
    return ended(state, "no_statements", "the judge finds no claim in the answer")


def _silent(state: State) -> set[int]:
    """The sentences that make no claim, as the judge says and as far as their text allows.

    A judge that lists no claim for the whole answer is believed, unless there is a number or a
    name: what an answer without claims scores, the policy says.
    """
    said = {n for n, claims in state.claims.by_sentence.items() if not claims}
    if len(said) == len(state.answer) and not any(has_number_or_name(s.text) for s in state.answer):
        return said
    return {s.id for s in state.answer if s.id in said and may_be_set_aside(s.text)}


def _statements_of(sentence: Statement, claims: tuple[str, ...]) -> list[Statement]:
    """The claims of a sentence as statements, each once; without any, the sentence itself."""
    once = {claim_key(claim): claim for claim in reversed(claims)}
    texts = reversed(once.values()) if claims else (sentence.text,)
    return [replace(sentence, text=text) for text in texts]


def _skipped(sentence: Statement) -> Skipped:
    return Skipped(sentence.start or 0, sentence.end or 0, "the judge finds no claim in it")
