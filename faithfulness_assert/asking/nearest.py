"""What the context says that is nearest to a statement. It is for people, and decides nothing."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ..text.evidence import number_sentences
from .ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..cases.case import Case
    from ..records.model import Evidence, Verdict


def nearest_sentences(
    case: Case, verdicts: Sequence[Verdict], wanted: Iterable[Verdict], language: str = "en"
) -> dict[int, Evidence]:
    """For statements the sentence of the context that shares the rarest words with each.

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
    return {number: sentences[found[0]] for number, found in best.items() if found}
