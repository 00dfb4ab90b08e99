"""The stage that splits sentences of the answer into claims, by asking the judge.

With ``joint``, the same ask also brings the verdicts. No sentence of the answer may get lost here:
a sentence that the judge leaves out is asked about again, and a sentence that then has no claim of
its own is graded as it stands, or reported as skipped if it says nothing that can be checked.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from ..asking.prompt import make_ask
from ..asking.windows import chunk
from ..reading.claim_remarks import contains_no_claims_remark
from ..reading.json_values import looks_like_json
from ..records.ask import AskKind, Numbered, Outcome, Payload
from ..records.model import Skipped, Statement
from ..text.numbers_and_names import has_number_or_name
from ..text.strings import is_blank
from . import joint
from .claim_sources import by_words, claim_key, without_strays
from .findings import may_be_set_aside
from .fit import is_too_long
from .numbered_replies import check_count, is_chatter, read_entries
from .outcomes import absorb_each, ignored_entries, usable_text, worth_asking_again
from .state import (
    Claimed,
    Job,
    Silent,
    State,
    Unlisted,
    context_lines,
    ended,
    noted,
    numbered_texts,
    with_statements,
)

if TYPE_CHECKING:
    from ..records.errors import JudgeError
    from .numbered_replies import Entries
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
    payloads = [Payload(group, context, state.case.question) for group in groups]
    return tuple(Job(make_ask(kind, state.policy, payload)) for payload in payloads)


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
    entries, astray = read_entries(job, outcome)
    check_count(len(entries) + len(astray), len(job.ask.ids))
    reply = usable_text(outcome)
    is_prose = not looks_like_json(reply)
    if is_prose and is_chatter(entries, job.ask.payload.items):
        entries, astray = [], []
    silence = Silent(in_words=is_prose or contains_no_claims_remark(reply))
    found = _by_sentence(entries, job.ask.payload.items, silence)
    if not entries and not astray:  # the judge finds no claim at all
        found = dict.fromkeys(job.ask.ids, silence)
    placed = {
        number: Claimed(claims)
        for number, claims in by_words(astray, numbered_texts(state.answer)).items()
        if number in job.ask.ids and number not in found
    }
    ignored = len(astray) - sum(len(claimed.texts) for claimed in placed.values())
    known = {**state.claims.by_sentence, **found, **placed}
    state = state._replace(claims=state.claims._replace(by_sentence=known))
    return noted(state, form="claims", warnings=ignored_entries(ignored))


def _by_sentence(
    entries: Entries, asked: Numbered, silence: Silent
) -> dict[int, Claimed | Silent | Unlisted]:
    """What a reply says about each sentence that it covers; ``silence`` is how it says "none".

    A list without numbers covers all sentences. Each of its claims goes to the sentence with which
    it shares the most words.
    """
    numbers = {number for number, _ in entries}
    claims: dict[int, list[str]] = {number: [] for number, _ in asked if number in numbers}
    for number, text in entries:
        if number in claims and not is_blank(text):
            claims[number].append(text)
    loose = [text for number, text in entries if number is None and not is_blank(text)]
    only_one = bool(loose) and len(asked) == 1
    sources = {asked[0][0]: tuple(loose)} if only_one else by_words(loose, asked)
    for number, texts in sources.items():
        claims.setdefault(number, []).extend(texts)
    covered: dict[int, Claimed | Silent | Unlisted] = {
        number: Claimed(tuple(texts)) if texts else silence for number, texts in claims.items()
    }
    if None not in numbers:
        return covered
    return {number: covered.get(number, Unlisted()) for number, _ in asked}


def settle(state: State) -> State:
    """The claims as statements. If there are no claims at all, the case cannot be graded."""
    if state.verdicts.by_window:  # a joint reply has made the statements
        return state
    known = state.claims.by_sentence
    if not known and state.log.errors:
        return with_statements(state, ())  # `conclude` tells the error
    listed = {n: said.texts for n, said in known.items() if isinstance(said, Claimed)}
    claims = {
        number: tuple(text for text in texts if not is_too_long(state.budget, text))
        for number, texts in without_strays(listed, numbered_texts(state.answer)).items()
    }
    silent = _silent(state)
    graded = (s for s in state.answer if s.id not in silent)
    texts = chain.from_iterable(_statements_of(s, claims.get(s.id, ())) for s in graded)
    state = with_statements(state, [replace(s, id=number) for number, s in enumerate(texts, 1)])
    skipped = [*state.skipped, *(_skipped(s) for s in state.answer if s.id in silent)]
    state = state._replace(skipped=tuple(sorted(skipped, key=lambda span: span.start)))
    strays = sum(map(len, listed.values())) - sum(map(len, claims.values()))
    state = noted(state, warnings=_strays_warning(strays))
    if state.verdicts.statements:
        return state
    return ended(state, "no_statements", "the judge finds no claim in the answer")


def _silent(state: State) -> set[int]:
    """The sentences that make no claim, as the judge says and as far as their text allows.

    A judge that lists no claim for the whole answer is believed, unless there is a number or a
    name: what an answer without claims scores, the policy says.
    """
    said = {n: known for n, known in state.claims.by_sentence.items() if isinstance(known, Silent)}
    believed = len(said) == len(state.answer) and not any(known.in_words for known in said.values())
    if believed and not any(has_number_or_name(s.text) for s in state.answer):
        return set(said)
    return {s.id for s in state.answer if s.id in said and may_be_set_aside(s.text)}


def _statements_of(sentence: Statement, claims: tuple[str, ...]) -> list[Statement]:
    """The claims of a sentence as statements, each once; without any, the sentence itself."""
    once = {claim_key(claim): claim for claim in reversed(claims)}
    texts = reversed(once.values()) if claims else (sentence.text,)
    return [replace(sentence, text=text) for text in texts]


def _skipped(sentence: Statement) -> Skipped:
    return Skipped(sentence.start or 0, sentence.end or 0, "the judge finds no claim in it")


def _strays_warning(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    why = "they are too long, or not about the sentence that they name"
    return (f"the judge's claims that were ignored, because {why}: {count}",)
