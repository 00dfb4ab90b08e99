"""Which parts of a context may speak of a statement: those that share words with it.

A shared word counts the more, the fewer parts contain it (the inverse document frequency of search
engines). Time and memory are linear in the length of the context.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import pairwise
from math import fsum, log

from ..cases.case import Case
from ..records.model import Evidence, Verdict
from ..text.phrases import search_terms
from ..text.sentences import FIND, number_sentences

ENOUGH = 4
"""A text with fewer terms may be all pronouns: the words of the one before it count too."""
BEFORE = 0.5
"""How much they count."""

MANY = 1 / 16
"""A term of more of the parts selects none, if rarer ones select enough."""
CANDIDATES = 4
"""Of so many times the wanted parts, all shared terms are compared."""
SCATTERED = 0.25
"""What a term counts that is not near the others."""


class Ranking:
    """The parts of a context, ready to be ranked by the words that they share with a text.

    Args:
        sentences: the context.
        parts: ranges of numbers of sentences, from 1.
    """

    def __init__(self, sentences: Iterable[str], parts: Sequence[range]) -> None:
        terms = [search_terms(text) for text in sentences]
        self._terms, self._parts = terms, parts
        places: dict[str, list[int]] = {}
        for part, numbers in enumerate(parts):
            for term in set[str]().union(*terms[numbers.start - 1 : numbers.stop - 1]):
                places.setdefault(term, []).append(part)
        self._places = places

    def best(self, text: str, before: str, most: int) -> tuple[int, ...]:
        """The parts that share the most with a text, best first.

        Terms that many parts contain only decide between parts that share rarer ones.

        Args:
            text: what is searched for.
            before: the text before it, which may name what it is about.
            most: so many parts; fewer if no others share a term.
        """
        own = search_terms(text)
        shares = dict.fromkeys(search_terms(before), BEFORE) if len(own) < ENOUGH else {}
        shares |= dict.fromkeys(own, 1.0)
        # Sorted, because the order of a set differs between processes.
        terms = sorted((len(self._places[t]), t) for t in shares if t in self._places)
        weights = {t: shares[t] * log(1 + len(self._parts) / parts) for parts, t in terms}
        scores: dict[int, float] = defaultdict(float)
        for parts, term in terms:
            if parts > len(self._parts) * MANY and len(scores) >= most:
                break
            for part in self._places[term]:
                scores[part] += weights[term]
        candidates = nlargest(CANDIDATES * most, scores, key=scores.__getitem__)
        close = {part: self._closest(part, weights) for part in candidates}
        return tuple(nlargest(most, candidates, key=close.__getitem__))

    def _closest(self, part: int, weights: Mapping[str, float]) -> float:
        """What a part shares, and the more what two of its lines that follow each other share."""
        lines = [weights.keys() & self._terms[line - 1] for line in self._parts[part]]
        pairs = [one | two for one, two in pairwise(lines)] or lines
        # Exact sums, because the order of a set differs between processes.
        together = max(fsum(map(weights.__getitem__, pair)) for pair in pairs)
        return together + SCATTERED * fsum(map(weights.__getitem__, set[str]().union(*lines)))


def nearest_sentences(
    case: Case, verdicts: Sequence[Verdict], wanted: Iterable[Verdict], language: str = FIND
) -> dict[int, Evidence]:
    """For statements the sentence of the context that shares the rarest words with each.

    It is for people, and decides nothing.

    Args:
        case: what was graded.
        verdicts: all verdicts of its result, in order.
        wanted: those to look for. One that shares no word with the context is left out.
        language: of the texts.
    """
    looked_for = list(wanted)
    if not looked_for:
        return {}
    sentences = number_sentences(case, language)
    parts = [range(number, number + 1) for number in range(1, len(sentences) + 1)]
    ranking = Ranking((sentence.text for sentence in sentences), parts)
    before = {two.id: one.statement for one, two in pairwise(verdicts)}
    best = {v.id: ranking.best(v.statement, before.get(v.id, ""), 1) for v in looked_for}
    return {number: sentences[places[0]] for number, places in best.items() if places}
