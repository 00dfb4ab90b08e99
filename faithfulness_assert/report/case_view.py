"""What the page shows of one case, as small plain lists.

A case has two parts. The *row* is what lists, filters and search need: it is loaded for all cases
when the page opens. The *detail* is loaded when the case is shown. ``assets/model.js`` reads both.
Offsets are those of JavaScript (UTF-16).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from ..asking.ranking import nearest_sentences
from ..records.model import Evidence, Verdict
from ..records.result import GradingResult
from ..records.views import FLAG_WORDS
from ..text.context_numbers import Numbers
from ..text.wrong_words import MOST_WRONG, difference
from .results import Record, plain, text_of

UNRESOLVED = "unresolved"
ANSWER = 7
"""The place of the answer in a row."""
SHOWN_METADATA = {"warnings", "calculation", "controls", "suggestions", "rawRatings", "inverse"}


class Offsets:
    """Turns places in a text, in characters, into places in JavaScript's strings."""

    def __init__(self, text: str) -> None:
        self.size = len(text)
        self._astral: list[int] = []
        if not text.isascii() and max(text) > "\uffff":
            self._astral = [place for place, char in enumerate(text) if char > "\uffff"]

    def __call__(self, place: int) -> int:
        return place + bisect_left(self._astral, place) if self._astral else place

    def span(self, start: int, end: int) -> list[int]:
        """A span of the text; -1, -1 where there is no text."""
        inside = start < end <= self.size
        return [self(start), self(end)] if inside else [-1, -1]


def label_of(verdict: Verdict) -> str:
    """The label, whatever it is; ``unresolved`` without one."""
    return verdict.label or UNRESOLVED


def row_view(record: Record) -> list[Any]:
    """The row of a case: id, number, status, outcome, score, threshold, question, answer,
    statements. The score is None where it means nothing, the answer where it is not known, the
    threshold where the policy inverts scores.

    A statement is its label, where it is in the answer, its text if that is not known from there,
    and its flags.
    """
    case, result = record.case, record.result
    answer = case.answer if case else None
    offsets = Offsets(answer or "")
    return [
        result.case_id,
        record.line.row,
        result.status,
        record.outcome,
        result.score,
        record.threshold,
        case.question if case else "",
        answer,
        [_statement(verdict, answer, offsets) for verdict in result.verdicts],
    ]


def _statement(verdict: Verdict, answer: str | None, offsets: Offsets) -> list[Any]:
    statement, (start, end) = verdict.statement, verdict.span or (0, 0)
    if answer is not None and start < end <= len(answer) and answer[start:end] == statement:
        statement = ""
    flags = [flag for flag in verdict.flags if flag in FLAG_WORDS]
    view = [label_of(verdict), *offsets.span(start, end), statement, flags]
    return view if flags else view[:4] if statement else view[:3]


def detail_view(record: Record, place: Callable[[str], int]) -> dict[str, Any]:
    """What is only shown in a case, without what is empty.

    ``place`` keeps the text of a passage, and says where.
    """
    result, case = record.result, record.case
    metadata, audit = result.metadata, result.citations
    places = _Passages([(p.id, p.text) for p in case.context] if case else ())
    answer = Offsets(case.answer if case else "")
    bare = [v for v in result.verdicts if not (v.evidence or v.is_fine)]
    nearest = nearest_sentences(case, result.verdicts, bare) if case else {}
    view = {
        "reason": result.reason,
        "error": [result.error.kind, result.error.message] if result.error else None,
        "warnings": result.warnings,
        "calculation": metadata.get("calculation"),
        "skipped": [[*answer.span(s.start, s.end), s.reason] for s in result.skipped],
        "complete": case is not None,
        "verdicts": [_verdict(v, places, nearest.get(v.id)) for v in result.verdicts],
        "passages": [[id, place(text)] for id, text in places.all()],
        "citations": audit
        and {
            "invalid": audit.invalid_citations,
            "uncited": audit.uncited_claim_count,
            "sentences": audit.uncited_sentences,
        },
        "scores": result.named_scores,
        "ratings": metadata.get("rawRatings"),
        "suggestions": metadata.get("suggestions"),
        "controls": metadata.get("controls"),
        "facts": _facts(result),
        "columns": {text_of(k): plain(value) for k, value in record.line.columns.items()},
        "metadata": {name: v for name, v in metadata.items() if name not in SHOWN_METADATA},
    }
    return _without_blanks(view)


class _Passages:
    """The passages of a case, and where evidence is in them.

    What the judge names and is in none of them is added to one of its own.
    """

    def __init__(self, passages: Sequence[tuple[str, str]]) -> None:
        self._passages = passages
        self._offsets = cache(lambda place: Offsets(passages[place][1]))
        self._places: dict[str, list[int]] = {}
        for place, (id, _) in enumerate(passages):
            self._places.setdefault(id, []).append(place)
        self._named: dict[str, tuple[int, dict[str, int]]] = {}  # where each text begins
        self._ends: Counter[str] = Counter()

    def all(self) -> Iterator[tuple[str, str]]:
        """The ids and texts, those of named evidence last."""
        yield from self._passages
        yield from ((id, "\n".join(texts)) for id, (_, texts) in self._named.items())

    def evidence(self, evidence: Evidence) -> list[Any]:
        """Where it is: the passage's place, its span there, and, if that is another, its text."""
        id, text, start, end = evidence.passage, evidence.text, evidence.start, evidence.end
        places = [p for p in self._places.get(id, ()) if start < end <= len(self._passages[p][1])]
        for place in places:
            if self._passages[place][1][start:end] == text:
                return [place, *self._offsets(place).span(start, end)]
        if places:  # the text is a truth that was found there
            return [places[0], *self._offsets(places[0]).span(start, end), text]
        size = Offsets(text)(len(text))
        place, starts = self._named.setdefault(id, (len(self._passages) + len(self._named), {}))
        if text not in starts:
            starts[text] = self._ends[id]
            self._ends[id] += size + 1
        return [place, starts[text], starts[text] + size]


def _says(verdict: Verdict, sentence: str) -> str:
    """What a sentence says instead, if it lacks only what the verdict calls wrong."""
    wrong, says = difference(verdict.statement, [sentence], Numbers(sentence))
    is_known = all(any(word in words for words in verdict.wrong) for word in wrong)
    return says if is_known else ""


def _verdict(verdict: Verdict, places: _Passages, nearest: Evidence | None) -> dict[str, Any]:
    says = _says(verdict, nearest.text) if nearest and verdict.wrong else verdict.says
    view = {
        "w": list(verdict.wrong[:MOST_WRONG]),
        "s": [says] if says else [],
        "e": [places.evidence(item) for item in verdict.evidence],
        "n": places.evidence(nearest) if nearest else [],
        "r": verdict.reason,
        "u": verdict.unresolved,
        "repeats": verdict.repeat_of,
        "shown": verdict.shown if 0 <= verdict.shown < 1 else None,
    }
    return _without_blanks(view)


def _facts(result: GradingResult) -> dict[str, Any]:
    tokens = result.tokens_used
    is_used = tokens.num_requests or tokens.total
    facts = {
        "policy": result.policy,
        "judge": result.judge,
        "cost": result.cost,
        "coverage": result.coverage if result.verdicts or result.counts else None,
        "prompt": tokens.prompt if is_used else None,
        "completion": tokens.completion if is_used else None,
        "requests": tokens.num_requests if is_used else None,
        "ms": result.latency_ms or None,
    }
    return _without_blanks(facts)


def _without_blanks(view: Mapping[str, Any]) -> dict[str, Any]:
    """What is there: a number may be 0."""
    return {name: value for name, value in view.items() if value or type(value) in (int, float)}
