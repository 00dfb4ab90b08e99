"""What the page shows of one case, as small plain lists.

A case has two parts. The *row* is what lists, filters and search need: it is loaded for all cases
when the page opens. The *detail* is loaded when the case is shown. ``assets/model.js`` reads both.
Offsets are those of JavaScript (UTF-16).
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, NamedTuple

from ..records.model import LABELS
from .plain_fields import list_of, mapping_of, number_of, share_of, span_of, text_of, whole_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

STATUSES = (
    *("graded", "no_statements", "abstained", "no_context", "judge_refused", "unreadable"),
    *("judge_failed", "invalid_input"),
)
OUTCOMES = ("failed", "not_graded", "passed")
UNRESOLVED = "unresolved"
MAX_NAMES = 40
"""Names of a kind. A result may have any label; the page lists no more of them."""
MAX_NAME = 60
SHOWN_METADATA = {
    *("warnings", "calculation", "graderError", "controls", "tokens", "suggestions", "rawRatings"),
    *("inverse", "reasonParts"),
}


class Texts(NamedTuple):
    """The texts of a case, as they were graded. ``passages``: ids and texts."""

    answer: str
    passages: Sequence[tuple[str, str]]
    question: str = ""


class Names:
    """Names in the order in which they were met. The page refers to them by their place."""

    def __init__(self, known: Sequence[str] = ()) -> None:
        self.names = list(known)
        self._places = {name: place for place, name in enumerate(self.names)}
        self._most = len(self.names) + MAX_NAMES

    def place(self, name: str) -> int:
        """The place of a name. Those that are too many are all "other"."""
        name = name[:MAX_NAME]
        if name not in self._places:
            if len(self.names) >= self._most:
                name = "other"
            self._places.setdefault(name, len(self.names))
            if self._places[name] == len(self.names):
                self.names.append(name)
        return self._places[name]


class Offsets:
    """Turns places in a text, in characters, into places in JavaScript's strings."""

    def __init__(self, text: str) -> None:
        self.size = len(text)
        self._astral: list[int] = []
        if not text.isascii() and max(text) > "\uffff":
            self._astral = [place for place, char in enumerate(text) if char > "\uffff"]

    def __call__(self, place: int) -> int:
        return place + bisect_left(self._astral, place) if self._astral else place


class Vocabulary:
    """The names that rows refer to."""

    def __init__(self) -> None:
        self.labels = Names((*LABELS, UNRESOLVED))
        self.statuses = Names(STATUSES)
        self.flags = Names()


def outcome_of(record: Mapping[str, Any]) -> str:
    """``passed``, ``failed``, or ``not_graded`` for a grader error."""
    passes = record.get("pass", record.get("pass_")) is True
    if passes and score_of(record) is not None:
        return "passed"
    return "not_graded" if record.get("error") is not None else "failed"


def score_of(record: Mapping[str, Any]) -> float | None:
    """The score, if it means anything."""
    return None if record.get("defined") is False else share_of(record.get("score"))


def is_inverse(record: Mapping[str, Any]) -> bool:
    """Whether the policy inverts scores."""
    return mapping_of(record.get("metadata")).get("inverse") is True


def label_of(verdict: Mapping[str, Any]) -> str:
    """The label, whatever it is; ``unresolved`` without one."""
    return text_of(verdict.get("label")) or UNRESOLVED


def row_view(record: Mapping[str, Any], texts: Texts | None, names: Vocabulary) -> list[Any]:
    """The row of a case: id, number, status, outcome, score, threshold, question, answer,
    statements. The score is None where it means nothing, the answer where it is not known, the
    threshold where the policy inverts scores.

    A statement is its label, where it is in the answer, its text if that is not known from there,
    and its flags.
    """
    answer = texts.answer if texts else None
    offsets = Offsets(answer or "")
    return [
        text_of(record.get("case_id")),
        whole_of(record.get("row")),
        names.statuses.place(text_of(record.get("status")) or "unknown"),
        OUTCOMES.index(outcome_of(record)),
        score_of(record),
        None if is_inverse(record) else share_of(record.get("threshold")),
        texts.question if texts else "",
        answer,
        [
            _statement(mapping_of(verdict), answer, offsets, names)
            for verdict in list_of(record.get("verdicts"))
        ],
    ]


def _statement(
    verdict: Mapping[str, Any], answer: str | None, offsets: Offsets, names: Vocabulary
) -> list[Any]:
    statement = text_of(verdict.get("statement"))
    start, end = -1, -1
    span = span_of(*_pair(verdict.get("span")), offsets.size)
    if answer is not None and span:
        start, end = offsets(span[0]), offsets(span[1])
        if answer[span[0] : span[1]] == statement:
            statement = ""
    flags = [names.flags.place(text_of(flag)) for flag in list_of(verdict.get("flags"))]
    view = [names.labels.place(label_of(verdict)), start, end, statement, flags]
    return view if flags else view[:4] if statement else view[:3]


def _pair(value: object) -> tuple[object, object]:
    items = list_of(value)
    return (items[0], items[1]) if len(items) == 2 else (None, None)


def detail_view(
    record: Mapping[str, Any], texts: Texts | None, place: Callable[[str], int]
) -> dict[str, Any]:
    """What is only shown in a case, without what is empty.

    ``place`` keeps the text of a passage, and says where.
    """
    metadata = mapping_of(record.get("metadata"))
    passages = list(texts.passages) if texts else []
    places = _Passages(passages)
    answer = Offsets(texts.answer if texts else "")
    error = mapping_of(record.get("error"))
    view = {
        "reason": text_of(record.get("reason")),
        "error": [text_of(error.get(name)) for name in ("kind", "message")] if error else None,
        "warnings": [text_of(item) for item in list_of(metadata.get("warnings"))],
        "calculation": text_of(metadata.get("calculation")),
        "skipped": [_skipped(mapping_of(span), answer) for span in list_of(record.get("skipped"))],
        "passages": [[id, place(text)] for id, text in passages],
        "verdicts": [
            _verdict(mapping_of(verdict), places) for verdict in list_of(record.get("verdicts"))
        ],
        "citations": _citations(mapping_of(record.get("citations"))),
        "scores": _numbers(record.get("named_scores")),
        "ratings": _numbers(metadata.get("rawRatings")),
        "suggestions": [text_of(item) for item in list_of(metadata.get("suggestions"))],
        "controls": _numbers(metadata.get("controls")),
        "facts": _facts(record),
        "columns": {text_of(k): _plain(v) for k, v in mapping_of(record.get("columns")).items()},
        "metadata": {text_of(k): _plain(v) for k, v in metadata.items() if k not in SHOWN_METADATA},
    }
    return {name: value for name, value in view.items() if value}


def _skipped(span: Mapping[str, Any], answer: Offsets) -> list[Any]:
    inside = span_of(span.get("start"), span.get("end"), answer.size)
    start, end = (answer(inside[0]), answer(inside[1])) if inside else (-1, -1)
    return [start, end, text_of(span.get("reason"))]


class _Passages:
    """Finds evidence in the passages of a case."""

    def __init__(self, passages: Sequence[tuple[str, str]]) -> None:
        self._texts = [text for _, text in passages]
        self._offsets: dict[int, Offsets] = {}
        self._places: dict[str, list[int]] = {}
        for place, (id, _) in enumerate(passages):
            self._places.setdefault(id, []).append(place)

    def evidence(self, evidence: Mapping[str, Any]) -> list[Any]:
        """Where it is: the passage's place, its span there, and, if that is another, its text.

        Without passages, or if it is not there: the passage's id, the sentence, and the text.
        """
        id, text = text_of(evidence.get("passage")), text_of(evidence.get("text"))
        spans = [
            (place, span)
            for place in self._places.get(id, ())
            if (
                span := span_of(evidence.get("start"), evidence.get("end"), len(self._texts[place]))
            )
        ]
        for place, (start, end) in spans:
            if self._texts[place][start:end] == text:
                return self._found(place, start, end)
        if spans:  # the text is a truth that was found there
            place, (start, end) = spans[0]
            return [*self._found(place, start, end), text]
        return [id, whole_of(evidence.get("sentence")), text]

    def _found(self, place: int, start: int, end: int) -> list[Any]:
        offsets = self._offsets.get(place)
        if offsets is None:
            offsets = self._offsets[place] = Offsets(self._texts[place])
        return [place, offsets(start), offsets(end)]


def _verdict(verdict: Mapping[str, Any], places: _Passages) -> dict[str, Any]:
    shown = share_of(verdict.get("shown"))
    view = {
        "e": [places.evidence(mapping_of(item)) for item in list_of(verdict.get("evidence"))],
        "r": text_of(verdict.get("reason")),
        "u": text_of(verdict.get("unresolved")),
        "repeats": whole_of(verdict.get("repeat_of")),
        "shown": shown if shown is not None and shown < 1 else None,
    }
    return {
        name: value for name, value in view.items() if value is not None and value not in ("", [])
    }


def _citations(audit: Mapping[str, Any]) -> dict[str, Any]:
    if not audit:
        return {}
    return {
        "invalid": [text_of(item) for item in list_of(audit.get("invalid_citations"))],
        "uncited": whole_of(audit.get("uncited_claim_count")) or 0,
        "sentences": [text_of(item) for item in list_of(audit.get("uncited_sentences"))],
    }


def _numbers(value: object) -> dict[str, float]:
    numbers = {text_of(name): number_of(item) for name, item in mapping_of(value).items()}
    return {name: number for name, number in numbers.items() if number is not None}


def _facts(record: Mapping[str, Any]) -> dict[str, Any]:
    tokens = mapping_of(record.get("tokens_used"))
    facts: dict[str, Any] = {
        "policy": text_of(record.get("policy")),
        "judge": text_of(record.get("judge")),
        "coverage": share_of(record.get("coverage")),
        "prompt": whole_of(tokens.get("prompt")),
        "completion": whole_of(tokens.get("completion")),
        "requests": whole_of(tokens.get("num_requests")),
        "cost": number_of(record.get("cost")),
        "ms": number_of(record.get("latency_ms")),
    }
    return {name: value for name, value in facts.items() if value not in (None, "")}


def _plain(value: object, depth: int = 6) -> Any:
    """A value as JSON that a browser can read."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return number_of(value)
    if depth and isinstance(value, dict):
        return {text_of(name): _plain(item, depth - 1) for name, item in value.items()}
    if depth and isinstance(value, list | tuple):
        return [_plain(item, depth - 1) for item in value]
    return text_of(value)
