"""The embedded judge: no key, no download, no network. A smoke test that compares words only.

It never answers ``contradicted``. It labels a sentence with two names exchanged
as supported, and one that is true in quite other words as ``not_enough_info``.
``benchmarks/embedded_judge.py`` measures how often it is right. Use it to test that everything is
connected, and an LLM judge to grade answers.

Its rule: are the words of a statement in the context, above all the last?
Common words such as "the" say nothing and are left out, and a sentence tends to begin with what is
known and to end with what is new. So a sentence of a statement has the share of its words that the
context knows, where the first word weighs 1, the second 2, and so on. A word is known if a word of
the context has the same stem; a number that the context has in another form is no word. The best
window is the three neighbouring sentences of the context with most of the words. Outside of it a
word counts less, and all such words together at most ``APART``.

What speaks against a sentence lowers its score. Half a point: one of its numbers or names is
nowhere in the context; it has a negation and its evidence has none; or its evidence has one and
else no word that the sentence lacks. Up to half a point, less for a long sentence: one or two of
its words are unknown, and the closest sentence of the context has no more words that it lacks. For
who writes in words of his own changes many; a copy with one word changed says something else.

A statement has the score of its weakest sentence. Citation marks are ignored. The rule does not see
that two names are exchanged, nor that a word which is elsewhere in the context has taken the place
of another.

Every pattern is linear, and a word has at most 20 letters (longer ones are read as several words),
so no text can make it slow.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

from ..records.errors import JudgeError
from ..records.judge import Ask, JudgeInfo, Reply, ReplyForm
from ..records.usage import Usage
from ..text.citations import without_marks
from ..text.learned import asks
from ..text.numbers import Meaning, find_numbers
from ..text.strings import DENSE, function_words, negation_signs, negation_words
from ..text.talk import claims_nothing, is_shown_with

THRESHOLD = 0.6
WINDOW = 3  # context sentences that are compared together
ELSEWHERE = 0.8  # what a word counts that is in the context, but not in the window
APART = 0.35  # what all words outside the window count at most
AGAINST = 0.5  # what a missing number or name takes from the score, so that it cannot be enough
CHANGES = 2  # unknown words of a sentence that may be a changed copy
CHANGE = 2.5  # what they take from the score, divided by the number of words
PLACES = 1_000  # of words, the rarest first, that the window comes from: limits the work
FEW = 3  # words that may be all of an answer, such as "Paris and London"
STEM = 5  # letters of a word that count
LONGEST = 100  # words of a text of an index; a transcript without full stops is cut
LAST_ROUNDED = 1e14  # larger numbers are compared to the last digit

# One letter of these scripts means as much as several of an alphabet, or they write no spaces
# between words. Each letter is read as a word.
_DENSE = DENSE + "\uac00-\ud7af"
# Vowel signs of these scripts belong to a word, but `\w` does not match them.
_INDIC_SIGNS = "\u0900-\u0963\u0966-\u0dff"
_ASCII_WORD = re.compile(r"\w{1,20}")
# Not compiled here: that would take longer than all other imports together.
_WORD = rf"[{_DENSE}]|(?:(?![{_DENSE}])[\w{_INDIC_SIGNS}]){{1,20}}"
# Three letters before the full stop, so that "Dr. Ada" and "U.S. Army" are not cut. A question
# claims nothing: it is kept with its answer.
_SENTENCE_END = re.compile(r"(?<=\w{3}[.!])\s+|(?<=[。！])")

_DIGIT = re.compile(r"\d")
_LITTLE = {*negation_words(), *"".join(negation_signs()), *function_words()}

_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s|en|e|n)$")


class EmbeddedJudge:
    """Labels a statement ``supported`` if the context knows enough of its words.

    Of all other statements, those that claim nothing are ``not_a_claim`` where the ask allows it,
    the rest ``not_enough_info``. Headings are left out. The same ask always gets the same reply.
    """

    info: ClassVar[JudgeInfo] = JudgeInfo(
        name="embedded",
        keeps_deadline=True,
        caveat="embedded smoke-test judge: compares words only; name an LLM judge for real grading",
        never_contradicts=True,
        deterministic=True,
        asks=frozenset({"verdicts"}),
        identity={"judge": "embedded", "version": 11},
    )

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """A verdict for each statement of ``ask``.

        Raises:
            JudgeError: ``deadline``, an instant of ``time.monotonic()``, has passed.
        """
        index, texts = Index(ask.payload.sentences), [said for _, said in ask.payload.items]
        verdicts, headings = [], dict(ask.payload.headings)
        for number, text in ask.payload.items:
            statement = text.removeprefix(f"{headings.get(number, '')} ")
            if deadline is not None and time.monotonic() > deadline:
                raise JudgeError(
                    "the embedded judge ran out of time; pass fewer statements or a later deadline",
                    "timeout",
                )
            verdict = _verdict(support(statement, index), ask.form)
            # A name or a number, which looks like no claim, may be all of an answer.
            is_short = not asks(statement) and len(find_words(statement)) <= FEW
            may_be_aside = "not_a_claim" in ask.form.labels and not (
                verdict["label"] == "supported" and is_short
            )
            if may_be_aside and (claims_nothing(statement) or is_shown_with(statement, texts)):
                verdict |= {"label": "not_a_claim", "evidence": []}
            verdicts.append({"id": number, **verdict} if ask.form.numbered else verdict)
        reply = json.dumps({"verdicts": verdicts}, separators=(",", ":"))
        return Reply(reply, usage=Usage(), validated=True)


class Support(NamedTuple):
    """How well a context supports a statement.

    Args:
        score: between -0.5 and 1.
        evidence: the numbers of the context sentences in the best windows that share words with the
            statement, ascending.
    """

    score: float = 0.0
    evidence: tuple[int, ...] = ()


def _verdict(support: Support, form: ReplyForm) -> dict[str, Any]:
    is_enough, score = support.score >= THRESHOLD, max(support.score, 0)
    reason = f"its words score {score:.0%}, and {THRESHOLD:.0%} are enough; smoke-test judge"
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
    parts = [statement] if is_there else _SENTENCE_END.split(statement)
    spoken = [part for part in parts if _words_as_written(part)] or [statement]
    supports = [_sentence_support(part, index) for part in spoken]
    evidence = sorted({number for one in supports for number in one.evidence})
    return min(supports, key=lambda one: one.score)._replace(evidence=tuple(evidence))


def _sentence_support(sentence: str, index: Index) -> Support:
    """A sentence with more words than a window can contain needs the same one in the context.

    This also limits the work.
    """
    words = find_words(sentence)
    is_missing, known = _numbers(sentence, words, index)
    names = (stem_of(name.casefold()) for name in find_names(sentence))  # another form will do
    penalty = AGAINST if is_missing or not index.places.keys() >= set(names) else 0.0
    if (same := index.exact.get(tuple(words))) is not None:
        return Support(1.0 - penalty, (same,))
    said = dict.fromkeys(stem_of(word) for word in content_words(words) if word not in known)
    weights = {stem: weight for weight, stem in enumerate(said, 1) if stem in index.places}
    if not weights or len(words) > WINDOW * LONGEST:
        return Support(-penalty)
    shared = [(text, text.stems & weights.keys()) for text in _best_window(weights, index)]
    useful, near = list[Text](), set[str]()  # texts that have the most of these words, or add some
    for text, stems in sorted(shared, key=lambda pair: -len(pair[1])):
        if not stems <= near:
            useful.append(text)
            near |= stems
    penalty = penalty or _difference(words, list(said), useful, index)
    within, total = sum(weights[stem] for stem in near), sum(range(1, len(said) + 1))
    far = min(ELSEWHERE * (sum(weights.values()) - within) / total, APART)
    numbers = tuple(sorted({text.number for text in useful}))
    return Support(within / total + far - penalty, numbers)


def _numbers(sentence: str, words: list[str], index: Index) -> tuple[bool, set[str]]:
    """Whether the context lacks one of its numbers in digits; the words of those that it has."""
    is_missing, known = False, set[str]()
    if not _DIGIT.search(sentence) and all(stem_of(word) in index.places for word in words):
        return is_missing, known
    for number in find_numbers(sentence):
        if number.is_part or not number.asks:
            continue
        if found := index.numbers.intersection(map(_number_key, number.asks)):
            has_unit = not found.issubset(_number_key(("", value)) for value in number.plain)
            with_unit, alone = (number.first, number.last), (number.start, number.end)
            known.update(find_words(sentence[slice(*(with_unit if has_unit else alone))]))
        elif number.digits:
            is_missing = True
    return is_missing, known.difference(index.words)


def _difference(words: list[str], said: list[str], useful: list[Text], index: Index) -> float:
    """The penalty of a sentence whose evidence denies what it says, or of which it is a copy with a
    word changed.
    """
    denies, closest = negates(words), useful[0].words
    if denies and not any(negates(text.words) for text in useful):
        return AGAINST
    new = sum(stem not in index.places for stem in said)
    left = len({*map(stem_of, content_words(closest))}.difference(said))
    if negates(closest) and not (denies or new or left):
        return AGAINST
    return min(AGAINST, CHANGE / len(said)) if 0 < new <= CHANGES and left <= new else 0.0


def _best_window(stems: Iterable[str], index: Index) -> list[Text]:
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


# ---------------------------------------------------------------- how it reads a text


def plain(text: str) -> str:
    """A text without citation marks, unless it has no other words."""
    without = without_marks(text)
    return without if _words_as_written(without) else text


def find_words(text: str) -> list[str]:
    """The words of ``text``, case-folded, in order."""
    return [word.casefold() for word in _words_as_written(text)]


def _words_as_written(text: str) -> list[str]:
    return _ASCII_WORD.findall(text) if text.isascii() else re.findall(_WORD, text)


def stem_of(word: str) -> str:
    """What the forms of a word have in common, such as "opens" and "opened"."""
    return _ENDING.sub("", word)[:STEM]


def content_words(words: list[str]) -> list[str]:
    """``words`` without those that hold a sentence together, or deny it; or all of them."""
    return [word for word in words if word not in _LITTLE] or words


def find_names(sentence: str) -> list[str]:
    """The capitalised words of ``sentence`` after the first word; none if it is all upper case."""
    if sentence.isupper():
        return []
    return [w for w in _words_as_written(sentence)[1:] if w[0].isupper() and len(w) > 1]


def negates(words: list[str]) -> bool:
    """Whether ``words``, as ``find_words`` gives them, contain a negation: "not", or "n't"."""
    text = "".join(words)
    if not negation_words().isdisjoint(words) or any(signs in text for signs in negation_signs()):
        return True
    return "t" in words and any(a.endswith("n") and b == "t" for a, b in pairwise(words))


class Text(NamedTuple):
    """A sentence of a context, or a piece of a long one: its number, words and their stems."""

    number: int
    words: list[str]
    stems: frozenset[str]


class Index:
    """A context, prepared once for any number of statements. Takes linear time.

    Args:
        context: pairs of a number and a sentence.

    Attributes:
        texts: its sentences; long ones are cut into several texts.
        places: the positions in ``texts`` where each stem occurs.
        words: all words.
        exact: the number of the sentence that consists of exactly these words.
    """

    def __init__(self, context: Iterable[tuple[int, str]]) -> None:
        self.texts, self._sentences, self.words = list[Text](), list[str](), set[str]()
        self.places, self.exact = dict[str, list[int]](), dict[tuple[str, ...], int]()
        for number, sentence in context:
            words = find_words(plain(sentence))
            if words:
                self._sentences.append(sentence)
                self.exact.setdefault(tuple(words), number)
            self.words.update(words)
            for start in range(0, len(words), LONGEST):
                piece = words[start : start + LONGEST]
                text = Text(number, piece, frozenset(map(stem_of, piece)))
                for stem in text.stems:
                    self.places.setdefault(stem, []).append(len(self.texts))
                self.texts.append(text)

    @cached_property
    def numbers(self) -> frozenset[tuple[str, str]]:
        """What all its numbers mean. Only a statement with a number needs it."""
        numbers = (number for text in self._sentences for number in find_numbers(plain(text)))
        return frozenset(_number_key(one) for number in numbers for one in number.offers)


def _number_key(meaning: Meaning) -> tuple[str, str]:
    """A number as it is compared, without the error of a conversion."""
    kind, value = meaning
    return kind, f"{value:.12g}" if abs(value) < LAST_ROUNDED else f"{value:.0f}"
