"""The embedded judge: no key, no download, no network. A smoke test that compares words only.

It never answers ``contradicted``. It labels a sentence with two names exchanged
as supported, and one that is true in quite other words as ``not_enough_info``.
``benchmarks/embedded_judge.py`` measures how often it is right. Use it to test that everything is
connected, and an LLM judge to grade answers.

Its rule: are the words of a statement in the context, above all the last?
Common words such as "the" say nothing and are left out, and a sentence tends to begin with what is
known and to end with what is new. So a sentence of a statement has the share of its words that the
context knows, where the first word weighs 1, the second 2, and so on. A word is known if a word of
the context has the same stem; a number is one word in all its forms (``words.py``). The best window
is the three neighbouring sentences of the context with most of the words. Outside of it a word
counts less, and all such words together at most ``APART``.

What speaks against a sentence lowers its score. Half a point: one of its numbers or names is
nowhere in the context; it has a negation and its evidence has none; or its evidence has one and
else no word that the sentence lacks. Up to half a point, less for a long sentence: one or two of
its words are unknown, and the closest sentence of the context has no more words that it lacks. For
who writes in words of his own changes many; a copy with one word changed says something else.

A statement has the score of its weakest sentence. Citation marks are ignored. The rule does not see
that two names are exchanged, nor that a word which is elsewhere in the context has taken the place
of another.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from ...records.errors import JudgeError
from ...records.judge import Ask, JudgeInfo, Reply, ReplyForm
from ...records.usage import Usage
from ...text.learned import asks
from ...text.talk import may_be_set_aside
from .words import (
    LONGEST,
    Index,
    Text,
    content_words,
    find_names,
    find_words,
    negates,
    plain,
    sentences,
    stem_of,
    with_known_numbers,
)

THRESHOLD = 0.6
WINDOW = 3  # context sentences that are compared together
ELSEWHERE = 0.8  # what a word counts that is in the context, but not in the window
APART = 0.35  # what all words outside the window count at most
AGAINST = 0.5  # what a missing number or name takes from the score, so that it cannot be enough
CHANGES = 2  # unknown words of a sentence that may be a changed copy
CHANGE = 2.5  # what they take from the score, divided by the number of words
FEW = 3  # words that may be all of an answer, such as "Paris and London"
PLACES = 1_000  # of words, the rarest first, that the window comes from: limits the work


class EmbeddedJudge:
    """Labels a statement ``supported`` if the context knows enough of its words.

    Of all other statements, those that claim nothing are ``not_a_claim`` where the ask allows it,
    and the rest are ``not_enough_info``. The same ask always gets the same reply. The question is
    never evidence.
    """

    info: ClassVar[JudgeInfo] = JudgeInfo(
        name="embedded",
        keeps_deadline=True,
        caveat="embedded smoke-test judge: compares words only; name an LLM judge for real grading",
        never_contradicts=True,
        deterministic=True,
        asks=frozenset({"verdicts"}),
        identity={"judge": "embedded", "version": 9},
    )

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """A verdict for each statement of ``ask``.

        Raises:
            JudgeError: the ask is not for verdicts, which needs an LLM; or ``deadline``, an instant
                of ``time.monotonic()``, has passed.
        """
        if ask.kind != "verdicts":
            raise JudgeError(
                "the embedded judge cannot write claims: use a policy that splits into sentences "
                "(split='sentences'), or an LLM judge",
                "unreadable",
            )
        index, texts = Index(ask.payload.sentences), [text for _, text in ask.payload.items]
        verdicts = []
        for number, statement in ask.payload.statements:
            if deadline is not None and time.monotonic() > deadline:
                raise JudgeError(
                    "the embedded judge ran out of time; pass fewer statements or a later deadline",
                    "timeout",
                )
            verdict = _verdict(support(statement, index), ask.form)
            may_be_aside = "not_a_claim" in ask.form.labels and not (
                verdict["label"] == "supported" and _may_be_answer(statement)
            )
            if may_be_aside and may_be_set_aside(statement, texts):
                verdict |= {"label": "not_a_claim", "evidence": []}
            verdicts.append({"id": number, **verdict} if ask.form.numbered else verdict)
        text = json.dumps({"verdicts": verdicts}, separators=(",", ":"))
        return Reply(text, usage=Usage(), validated=True)


class Support(NamedTuple):
    """How well a context supports a statement.

    Args:
        score: between -0.5 and 1.
        evidence: the numbers of the context sentences in the best windows that share words with the
            statement, ascending.
        against: what lowered the score, in words, or empty.
    """

    score: float = 0.0
    evidence: tuple[int, ...] = ()
    against: str = ""


def _may_be_answer(statement: str) -> bool:
    """Whether it may be all of an answer, such as a name or a number, which look like no claim."""
    return not asks(statement) and len(find_words(statement)) <= FEW


def _verdict(support: Support, form: ReplyForm) -> dict[str, Any]:
    is_enough, where = support.score >= THRESHOLD, ", ".join(map(str, support.evidence[:5]))
    reason = f"its words are in context sentences {where}; this is the smoke-test judge"
    if not is_enough:
        share = f"{max(support.score, 0):.0%} of its words are in the context"
        reason = support.against or f"{share}, and {THRESHOLD:.0%} are needed; smoke-test judge"
    return {
        "evidence": list(support.evidence) if is_enough else [],
        **({"reason": reason} if form.reasons == "all" else {}),
        "label": "supported" if is_enough else "not_enough_info",
    }


# ---------------------------------------------------------------- the rule


def support(statement: str, index: Index) -> Support:
    """How well the context supports ``statement``. A statement without words has the score 0."""
    statement = plain(statement)
    is_there = tuple(find_words(statement)) in index.exact
    parts = [statement] if is_there else sentences(statement) or [statement]
    supports = [_sentence_support(part, index) for part in parts]
    evidence = sorted({number for one in supports for number in one.evidence})
    return min(supports, key=lambda one: one.score)._replace(evidence=tuple(evidence))


def _sentence_support(sentence: str, index: Index) -> Support:
    """A sentence with more words than a window can contain needs the same one in the context.

    This also limits the work.
    """
    words = find_words(sentence)
    same = index.exact.get(tuple(words))
    sentence, words, number = with_known_numbers(sentence, words, index)
    against = f"the number {number[:60]} is nowhere in the context" if number else ""
    if not against:
        names = (n for n in find_names(sentence) if stem_of(n.casefold()) not in index.places)
        name = next(names, "")  # another form of it will do
        against = f"the name {name} is nowhere in the context" if name else ""
    penalty = AGAINST if against else 0.0
    if same is not None:
        return Support(1.0 - penalty, (same,), against)
    said = list(dict.fromkeys(map(stem_of, content_words(words))))
    stems = {stem for stem in said if stem in index.places}
    if not stems or len(words) > WINDOW * LONGEST:
        return Support(-penalty, (), against)
    window = _best_window(stems, index)
    near = set[str]().union(*(text.stems for text in window))
    useful: list[Text] = []  # those that have the most words of the statement, or add some
    for text in sorted(window, key=lambda text: -len(text.stems & stems)):
        if not text.stems & stems <= set[str]().union(*(one.stems for one in useful)):
            useful.append(text)
    if not against:
        against, penalty = _difference(words, said, useful, index)
    weights = dict(zip(said, range(1, len(said) + 1), strict=True))
    within, all_known = (sum(map(weights.__getitem__, some)) for some in (stems & near, stems))
    far, total = all_known - within, sum(weights.values())
    score = within / total + min(ELSEWHERE * far / total, APART) - penalty
    return Support(score, tuple(sorted({text.number for text in useful})), against)


def _difference(
    words: list[str], said: list[str], useful: Sequence[Text], index: Index
) -> tuple[str, float]:
    """How a sentence differs from its evidence, and its penalty, if it may be a changed copy."""
    denies, closest = negates(words), useful[0].words
    if denies and not any(negates(text.words) for text in useful):
        return "the negation is nowhere near the evidence", AGAINST
    new = sum(stem not in index.places for stem in said)
    left = len({*map(stem_of, content_words(closest))}.difference(said))
    if negates(closest) and not (denies or new or left):
        return "the evidence has a negation", AGAINST
    if 0 < new <= CHANGES and left <= new:
        penalty = min(AGAINST, CHANGE / len(said))
        return "it is a sentence of the context with a word changed", penalty
    return "", 0.0


def _best_window(stems: set[str], index: Index) -> Sequence[Text]:
    """The neighbouring texts that contain most of these words, judged by the rarest ones."""
    last, left = max(len(index.texts) - WINDOW, 0), PLACES
    held: dict[int, set[str]] = {}
    for stem in sorted(stems, key=lambda stem: (len(index.places[stem]), stem)):
        for at in index.places[stem][: max(left, 0)]:
            for start in range(max(at - WINDOW + 1, 0), min(at, last) + 1):
                held.setdefault(start, set()).add(stem)
        left -= len(index.places[stem])
    best = min(held, key=lambda start: (-len(held[start]), start))
    return index.texts[best : best + WINDOW]
