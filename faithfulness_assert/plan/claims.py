"""The stage that splits sentences of the answer into claims, by asking the judge.

No sentence of the answer may get lost here: a sentence that the judge leaves out is asked about
again, and a sentence that no claims stand for is graded as it stands, or reported as skipped if it
says nothing that can be checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from unicodedata import normalize

from ..asking.windows import chunk
from ..reading.gate import has_negation, qualifiers
from ..reading.lists_and_ratings import read_lists
from ..records.errors import JudgeError, OtherReply, UnreadableReply
from ..records.judge import Numbered, Outcome
from ..records.model import Skipped, Statement
from ..text.forms import claims_nothing
from ..text.phrases import has_number_or_name, numbers_and_names, words_that_count
from ..text.strings import lazy_pattern, one_line
from .jobs import Draft, is_too_long, number_jobs
from .outcomes import usable_text, worth_asking_again
from .state import Job, Log, State, ended, note_error, noted, numbered_texts, with_statements

CLAIMS_PER_SENTENCE = 20
MANY = 64
"""A word that so many sentences have in common does not tell them apart."""

_MARKS = "\"'“”‘’«»„*_~`#()[]{}"
_STOPS = ".,;:!?…。！？，；："
_PARTS = lazy_pattern(r"\w+")


def jobs(state: State) -> tuple[Job, ...]:
    """One ask for each group of sentences of which the claims are not known."""
    known = state.claims.keys() | state.closed_sentences
    waiting = [s for s in state.answer if s.id not in known]
    groups = chunk(numbered_texts(waiting), state.budget)
    return number_jobs(state, [Draft("claims", group) for group in groups])


def lose(state: State, job: Job, error: JudgeError) -> State:
    """Sentences without claims. They are asked about again if that may help."""
    state = note_error(state, job, error)
    if worth_asking_again(state.policy, error):
        return state
    return state._replace(closed_sentences=state.closed_sentences.union(job.own.values()))


def take(state: State, job: Job, outcome: Outcome) -> State:
    """Claims by sentence."""
    found = listed_by_item(job, outcome)
    listed, sentences = sum(map(len, found.values())), len(job.ask.ids)
    if listed > CLAIMS_PER_SENTENCE * sentences:
        raise UnreadableReply(f"{listed} claims for {sentences} sentences are too many")
    return noted(state._replace(claims={**state.claims, **found}), Log(forms=("claims",)))


def listed_by_item(job: Job, outcome: Outcome) -> dict[int, tuple[str, ...]]:
    """What a reply lists under each item of its ask that it names; () where it lists nothing.

    Raises:
        JudgeError: the reply cannot be used or read, or has numbers that its ask does not have.
    """
    try:
        listed = read_lists(
            usable_text(job.ask, outcome), (text for _, text in job.ask.payload.items)
        )
    except OtherReply:
        raise
    except UnreadableReply as error:  # a refusal in words is no list either, and is asked again
        raise UnreadableReply(error.message) from None
    only = next(iter(job.own.values())) if len(job.own) == 1 else None
    found: dict[int, list[str]] = {}
    for number, text in listed:
        own = only if number is None else job.own.get(number)
        if own is None:
            raise UnreadableReply("the judge's lists have other numbers than those that were asked")
        found.setdefault(own, []).extend([text] if text else [])
    return {number: tuple(texts) for number, texts in found.items()}


def settle(state: State) -> State:
    """The claims as statements. If there are no claims at all, the case cannot be graded."""
    known, errors = state.claims, state.log.errors
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
    why = "the judge finds no claim in it"
    aside = (Skipped(s.start or 0, s.end or 0, why) for s in state.answer if s.id in silent)
    skipped = [*state.skipped, *aside]
    state = state._replace(skipped=tuple(sorted(skipped, key=lambda span: span.start)))
    if len(carried) < len(graded):
        which = f"{len(graded) - len(carried)} of {len(graded)} sentences were graded as they stand"
        warning = f"{which}: the judge's claims do not say all that they say"
        state = noted(state, Log(warnings=(warning,)))
    if state.statements:
        return state
    return ended(state, "no_statements", "the judge finds no claim in the answer")


def _silent(state: State) -> set[int]:
    """The sentences that make no claim, as the judge says and as far as their text allows.

    A judge that lists no claim for the whole answer is believed, unless there is a number or a
    name: what an answer without claims scores, the policy says.
    """
    said = {n for n, claims in state.claims.items() if not claims}
    if len(said) == len(state.answer) and not any(has_number_or_name(s.text) for s in state.answer):
        return said
    return {
        s.id for s in state.answer if s.id in said and claims_nothing(s.text, is_item=s.is_item)
    }


def _statements_of(sentence: Statement, claims: tuple[str, ...]) -> list[Statement]:
    """The claims of a sentence as statements, each once; without any, the sentence itself."""
    once = {claim_key(claim): claim for claim in reversed(claims)}
    texts = reversed(once.values()) if claims else (sentence.text,)
    return [replace(sentence, text=text) for text in texts]


# ---------------------------------------------------------------- whether claims stand for it

# They do if each is nearest to their sentence, and if they say together all that it says for
# certain: its numbers, names, conditions and quantifiers, and whether it denies something. So a
# refusal, a remark, a claim of another sentence or half of a claim never stands for it.


def claim_key(text: str) -> str:
    """A key that is equal for claims that differ only in case, markup and punctuation.

    Marks inside a word stay: 3.5 is not 35, and -5 is not 5.
    """
    plain = normalize("NFKC", one_line(text)).casefold()
    words = (word.rstrip(_MARKS + _STOPS).lstrip(_MARKS) for word in plain.split())
    return " ".join(word for word in words if word)


class Sentences:
    """The sentences of an answer, ready to be compared with claims."""

    def __init__(self, sentences: Numbered) -> None:
        self.texts = dict(sentences)
        self.keys = {number: claim_key(text) for number, text in sentences}
        self.words = {number: words_that_count(text) for number, text in sentences}
        self.places: dict[str, list[int]] = {}
        for number, words in self.words.items():
            for word in words:
                self.places.setdefault(word, []).append(number)

    def carried_by(self, number: int, claims: Sequence[str]) -> bool:
        """Whether claims stand for the sentence with this number."""
        if not claims:
            return False
        text, whole = self.texts[number], " ".join(claims)
        said = {part.casefold() for part in _PARTS.findall(whole)}
        certain = (
            part.casefold() for name in numbers_and_names(text) for part in _PARTS.findall(name)
        )
        if not said.issuperset(certain) or has_negation(text) != has_negation(whole):
            return False
        if qualifiers(text) != qualifiers(whole):
            return False
        return all(self._is_of(number, claim) for claim in claims)

    def _is_of(self, number: int, claim: str) -> bool:
        """Whether no other sentence shares more words with a claim."""
        key = claim_key(claim)
        if key == self.keys[number]:
            return True
        words = words_that_count(claim)
        places = (self.places.get(word, ()) for word in words)
        shared = Counter(n for found in places if len(found) <= MANY for n in found)
        own = len(words & self.words[number])
        if key in self.keys.values() or (self.words[number] and not own):
            return False
        return all(count <= own for other, count in shared.items() if other != number)
