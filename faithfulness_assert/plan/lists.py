"""The stage that has the judge list claims of the answer, truths of the context, or both.

Nothing may get lost here. A sentence of the answer that the judge leaves out is asked about again,
and one that no claims stand for is graded as it stands, or reported as skipped if it says nothing
that can be checked. The context is cut into pieces, runs of sentences of one passage: a piece for
which no truths come is shown by its own sentences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from ..asking.windows import LINE_TOKENS, Budget, chunk, estimate_tokens
from ..reading.gate import frames, negations, qualifiers
from ..reading.lists_and_ratings import read_lists
from ..records.errors import JudgeError, OtherReply, UnreadableReply
from ..records.judge import Limits, Outcome
from ..records.model import Evidence, Skipped, Statement
from ..text.context_numbers import Numbers
from ..text.learned import asks
from ..text.phrases import words_that_count
from ..text.strings import (
    function_words,
    lazy_pattern,
    negation_words,
    plain_words,
    text_key,
    words_in,
)
from ..text.talk import claims_nothing
from .outcomes import usable_text, worth_asking_again
from .state import (
    Draft,
    Job,
    Log,
    State,
    end,
    is_too_long,
    note,
    note_error,
    number_jobs,
    numbered_texts,
    use_numbers,
    with_statements,
    without_heading,
)

Piece = tuple[Evidence, ...]

CLAIMS_PER_SENTENCE = 20
FEW = 4
"""Of so many words of a sentence, its claims change less than one."""
MANY = 64
"""A word that so many sentences have in common does not tell them apart."""
PIECE_TOKENS = 6_000
"""Tokens of the context in one ask, so that the list of its facts fits a reply."""

_WORD = lazy_pattern(r"[^\W\d_]+")
_NUMBER = lazy_pattern(r"-?\d+(?:[.,]\d+)*")


def jobs(state: State) -> tuple[Job, ...]:
    """Asks for what is not listed yet. Claims and truths do not wait for each other."""
    made: tuple[Job, ...] = ()
    if state.policy.split == "claims":
        closed = state.claims.keys() | state.closed_sentences
        waiting = [s for s in state.sentences if s.id not in closed]
        groups = chunk(numbered_texts(waiting), state.budget)
        made = number_jobs(state, [Draft("claims", group) for group in groups])
    if state.policy.verify == "truths":
        texts = (" ".join(sentence.text for sentence in piece) for piece in _pieces(state))
        waiting_texts = ((n, text) for n, text in enumerate(texts, 1) if n not in state.truths)
        # Without those that are one sentence too long for an ask. `chunk` fills a third of it.
        most = _piece_tokens(state)
        fits = tuple(w for w in waiting_texts if estimate_tokens(w[1]) <= most - LINE_TOKENS)
        groups = chunk(fits, Budget(Limits(), 3 * most))
        made += number_jobs(use_numbers(state, made), [Draft("truths", group) for group in groups])
    return made


def _own(job: Job) -> dict[int, int]:
    """The numbers of sentences or pieces, by their numbers in the ask."""
    return {number: own for number, (_, own) in job.cells.items()}


def absorb_error(state: State, job: Job, error: JudgeError) -> State:
    """What was asked for is asked for again; sentences without claims only if that may help."""
    state = note_error(state, job, error)
    if job.ask.kind == "truths" or worth_asking_again(state.policy, error):
        return state
    return state._replace(closed_sentences=state.closed_sentences.union(_own(job).values()))


def absorb_reply(state: State, job: Job, outcome: Outcome) -> State:
    """Claims by sentence, or truths by piece; () if the judge names an item and lists nothing."""
    text, items = usable_text(job.ask, outcome), job.ask.payload.items
    try:
        listed = read_lists(text, (item for _, item in items))
    except OtherReply:
        raise
    except UnreadableReply as error:  # a refusal in words is no list either, and is asked again
        raise UnreadableReply(error.message) from None
    own_numbers = _own(job)
    only = next(iter(own_numbers.values())) if len(own_numbers) == 1 else None
    texts_of: dict[int, list[str]] = {}
    for number, entry in listed:
        own = only if number is None else own_numbers.get(number)
        if own is None:
            raise UnreadableReply("the judge's lists have other numbers than those that were asked")
        texts_of.setdefault(own, []).extend([entry] if entry else [])
    lists = {number: tuple(texts) for number, texts in texts_of.items()}
    if job.ask.kind == "claims":
        count = sum(map(len, lists.values()))
        if count > CLAIMS_PER_SENTENCE * len(items):
            raise UnreadableReply(f"{count} claims for {len(items)} sentences are too many")
        return note(state._replace(claims={**state.claims, **lists}), Log(forms=("claims",)))
    truths = {**state.truths, **{number: texts for number, texts in lists.items() if texts}}
    # A reply to an earlier ask would make the answer its own evidence.
    keys = {text_key(truth) for texts in truths.values() for truth in texts}
    stated = {text_key(statement.text) for statement in state.statements}
    if keys <= stated and not keys <= {text_key(sentence.text) for sentence in state.context}:
        problem = "the judge lists no truths: it repeats the statements of the answer"
        raise UnreadableReply(problem)
    return note(state._replace(truths=truths), Log(forms=("truths",)))


def settle(state: State) -> State:
    """The claims as statements, and the truths in place of the context's sentences."""
    if state.policy.split == "claims":
        state = _with_claims(state)
    return _with_truths(state) if state.policy.verify == "truths" and not state.end else state


def _with_claims(state: State) -> State:
    """The claims as statements. If there are no claims at all, the case cannot be graded."""
    if not state.claims and any(error.kind != "unreadable" for error in state.log.errors):
        return with_statements(state, ())  # `conclude` tells the error
    sentences = Sentences(state)
    statements: list[Statement] = []
    skipped = list(state.skipped)
    graded = as_they_stand = 0
    for sentence in state.sentences:
        claimed = state.claims.get(sentence.id, ())
        is_silent = claimed == () and sentence.id in state.claims
        if is_silent and claims_nothing(sentence.text, is_item=sentence.is_item):
            why = "the judge finds no claim in it"
            skipped.append(Skipped(sentence.start or 0, sentence.end or 0, why))
            continue
        graded += 1
        listed = {claim: as_claim(sentence, claim) for claim in claimed}
        claims = [c for c, shown in listed.items() if not is_too_long(state.budget, shown.text)]
        if sentences.carried_by(sentence.id, claims):
            keys = [(plain_words(claim), *_NUMBER.findall(claim)) for claim in claims]
            once = dict(zip(reversed(keys), reversed(claims), strict=True))
            statements += [listed[claim] for claim in reversed(once.values())]
        else:
            as_they_stand += 1
            statements.append(sentence)
    state = with_statements(state, [replace(s, id=n) for n, s in enumerate(statements, 1)])
    state = state._replace(skipped=tuple(sorted(skipped, key=lambda span: span.start)))
    if as_they_stand:
        which = f"{as_they_stand} of {graded} sentences were graded as they stand"
        why = "the judge's claims do not say all that they say"
        warning = f"{which}: {why if state.claims else 'the ask for claims failed'}"
        state = note(state, Log(warnings=(warning,)))
    none = "the judge finds no claim in the answer"
    return state if state.statements else end(state, "no_statements", none)


# ---------------------------------------------------------------- whether claims stand for it

# They do if each is nearest to their sentence, and if they have together its numbers, names,
# conditions, quantifiers and negations, and nearly all of its words. They add no number and hardly
# a word to the answer and the question, none where they leave one out, and none that only reports
# or supposes what they say. So a remark, half of a claim or what a judge finds right instead never
# stands for it, nor is what is listed under another sentence counted twice.


def as_claim(sentence: Statement, claim: str) -> Statement:
    """A claim of a sentence, behind the heading and lead-in of that, as far as it leaves them out.

    Or a value under another heading would back it. A lead-in may be rewritten.
    """
    heading, lead_in = sentence.heading, sentence.lead_in
    if heading and f" {plain_words(heading)} " in f" {plain_words(claim)} ":
        heading = ""
    if lead_in and not words_that_count(lead_in).isdisjoint(words_that_count(claim)):
        lead_in = ""
    text = " ".join(filter(None, (heading, lead_in, claim)))
    return replace(sentence, text=text, heading=heading)


class Sentences:
    """The sentences of an answer, ready to be compared with claims."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.texts = {s.id: without_heading(s) for s in state.sentences}
        self.keys = {*map(text_key, self.texts.values())}
        self.places: dict[str, list[int]] = {}
        for number, text in self.texts.items():
            for word in words_that_count(text):
                self.places.setdefault(word, []).append(number)

    @cached_property
    def known(self) -> tuple[frozenset[str], Numbers]:
        text = f"{self.state.case.answer}\n{self.state.case.question}"
        return _words(text), Numbers(text)

    def carried_by(self, number: int, claims: Sequence[str]) -> bool:
        """Whether claims stand for the sentence with this number."""
        text, whole = self.texts[number], "\n".join(claims)
        if [*map(text_key, claims)] == [text_key(text)]:
            return True
        if not claims or qualifiers(text) != qualifiers(whole) or not _denies_as(whole, text):
            return False
        if not frames(whole) <= frames(text) or (any(map(asks, claims)) and not asks(text)):
            return False
        (known, numbers), own, said = self.known, _words(text), _words(whole)
        lost, new = own - said, said - known
        changed = len(lost) + len(new)
        if (lost and new) or ((lost or changed > 1) and changed * FEW >= len(own)):
            return False
        if not lost.isdisjoint(_names(text)):
            return False
        if not (Numbers(whole).has_all_of(text) and numbers.has_all_of(whole)):
            return False
        return _has_in_order(whole, text) and all(self._is_of(number, one) for one in claims)

    def _is_of(self, number: int, claim: str) -> bool:
        """Whether no other sentence shares more words with a claim."""
        if (key := text_key(claim)) in self.keys:
            return key == text_key(self.texts[number])
        places = (self.places.get(word, ()) for word in words_that_count(claim))
        shared = Counter(n for owners in places if len(owners) <= MANY for n in owners)
        own = shared[number]
        return own == max(shared.values(), default=0)


def _words(text: str) -> frozenset[str]:
    """The words of a text, shortened, without function words, negations and numbers."""
    little = function_words() | negation_words()
    found = words_that_count(" ".join(word for word in words_in(text) if word not in little))
    return frozenset(word for word in found if not word.isdigit())


def _names(text: str) -> frozenset[str]:
    """The words with a capital; of the first one only if the next has one, too."""
    found = _WORD.findall(text)
    is_alone = not "".join(found[1:2])[:1].isupper()
    return words_that_count(" ".join(word for word in found[is_alone:] if word[0].isupper()))


def _has_in_order(claims: str, sentence: str) -> bool:
    """Whether claims have the numbers of their sentence in its order: no two are exchanged."""
    said, own = (dict.fromkeys(_NUMBER.findall(text)) for text in (claims, sentence))
    return [number for number in said if number in own] == [n for n in own if n in said]


def _denies_as(claims: str, sentence: str) -> bool:
    """Whether claims deny something if their sentence does, and as often: each part of it may."""
    first, _, rest = sentence.partition(",")
    is_answer = " " not in first and negations(rest)  # "No, dogs are not allowed."
    denied, said = negations(rest if is_answer else sentence), negations(claims)
    return said >= denied and (denied > 0 or said == 0)


# ---------------------------------------------------------------- truths of the context


def _piece_tokens(state: State) -> int:
    room = state.budget.statements_room
    if room is None:
        return PIECE_TOKENS
    # The list of its facts may take more tokens than the piece itself.
    return min(PIECE_TOKENS, room // 2 if state.budget.reply_tokens else room)


def _pieces(state: State) -> tuple[Piece, ...]:
    """The context's sentences in runs of one passage each that fit one ask."""
    most = _piece_tokens(state)
    runs: list[list[Evidence]] = []
    used = 0
    for sentence in state.context:
        tokens = estimate_tokens(sentence.text) + 1
        is_next = runs and runs[-1][-1].passage == sentence.passage
        if is_next and used + tokens <= most:
            runs[-1].append(sentence)
            used += tokens
        else:
            runs.append([sentence])
            used = LINE_TOKENS + tokens
    return tuple(map(tuple, runs))


def _with_truths(state: State) -> State:
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
    return note(state._replace(context=context), Log(warnings=(warning,) if bare else ()))
