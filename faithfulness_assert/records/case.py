"""The record of what is graded, checked and brought into one form as it is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..text.strings import clean_text, names_of, without_tags
from .errors import InputError, suggest
from .model import CitationAudit

MAX_ANSWER_CHARS = 1_000_000
MAX_CONTEXT_CHARS = 8_000_000
MAX_QUESTION_CHARS = 50_000

# What other systems call the fields of a case.
CASE_ALIASES: Mapping[str, tuple[str, ...]] = {
    "answer": ("actual_output", "response"),
    "context": ("retrieval_context", "retrieved_contexts", "retrieved_content", "contexts"),
    "question": ("user_input", "query", "input"),
    "citation_audit": ("last_citation_audit",),
}


@dataclass(frozen=True, slots=True)
class Passage:
    """One piece of context. ``id`` names it in evidence and citations; without one, passages are called 1, 2, 3."""

    text: str
    id: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", _string(self.text, "context", "a passage's text"))
        object.__setattr__(self, "id", _name(self.id))


@dataclass(frozen=True, slots=True, init=False)
class Case:
    """What is graded.

    Args:
        answer: the LLM's answer.
        context: what the answer may rest on: a string, a :class:`Passage`, a mapping with ``text`` (and ``id`` or
            ``chunk_id``), or a sequence of these.
        question: what was asked. It resolves references and is never evidence.
        id: the caller's name for the case.
        citation_audit: an audit of the answer's citations that was made before: a :class:`CitationAudit` or a mapping with its fields. It
            is taken as it is. None: a policy that wants one makes it.
        named: fields under the names of other systems, see ``CASE_ALIASES``: ``actual_output``, ``retrieved_contexts`` ...

    Raises:
        InputError: a field is missing, unknown, given twice, is not text, or is larger than ``MAX_ANSWER_CHARS``,
            ``MAX_CONTEXT_CHARS`` or ``MAX_QUESTION_CHARS``.
    """

    answer: str
    context: tuple[Passage, ...]
    question: str = ""
    id: str = ""
    citation_audit: CitationAudit | None = None

    def __init__(
        self,
        answer: Any = None,
        context: Any = None,
        question: Any = None,
        id: Any = "",
        citation_audit: Any = None,
        **named: Any,
    ) -> None:
        given = {
            "answer": answer,
            "context": context,
            "question": question,
            "citation_audit": citation_audit,
        }
        given = _by_our_names(
            {name: value for name, value in given.items() if value is not None}, named
        )
        answer = _string(given.get("answer"), "answer", "the answer")
        if len(answer) > MAX_ANSWER_CHARS:
            raise InputError(
                f"answer: {len(answer):,} characters, the limit is {MAX_ANSWER_CHARS:,}; grade it in parts"
            )
        context = _passages(given.get("context"), given)
        size = sum(len(p.text) for p in context)
        if size > MAX_CONTEXT_CHARS:
            raise InputError(
                f"context: {size:,} characters, the limit is {MAX_CONTEXT_CHARS:,}; pass the passages that were retrieved"
            )
        question = _string(given.get("question", ""), "question", "the question")
        if len(question) > MAX_QUESTION_CHARS:
            raise InputError(
                f"question: {len(question):,} characters, the limit is {MAX_QUESTION_CHARS:,}"
            )
        audit = _audit(given.get("citation_audit"))
        fields = {
            "answer": answer,
            "context": context,
            "question": question,
            "id": _name(id),
            "citation_audit": audit,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)


def _by_our_names(given: dict[str, Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """All fields of a case under our names."""
    ours = {alias: name for name, aliases in CASE_ALIASES.items() for alias in aliases}
    for alias, value in named.items():
        name = ours.get(alias)
        if name is None:
            raise InputError(
                f"{alias:.60}: a case has no such field. {suggest(alias, [*CASE_ALIASES, 'id', *ours])}"
            )
        if value is not None and name in given:
            raise InputError(f"{alias}: is another name of {name}, which was given too")
        if value is not None:
            given[name] = value
    return given


def _audit(value: object) -> CitationAudit | None:
    """A given audit; keys beside those of a :class:`CitationAudit` are other systems' and are not read."""
    if value is None or isinstance(value, CitationAudit):
        return value
    if (
        not isinstance(value, Mapping)
        or not {"invalid_citations", "uncited_claim_count"} <= value.keys()
    ):
        raise InputError(
            "citation_audit: must be a CitationAudit, or a mapping with invalid_citations and uncited_claim_count"
        )
    invalid, count, found = (
        value["invalid_citations"],
        value["uncited_claim_count"],
        value.get("hallucination_detected", False),
    )
    if (
        isinstance(invalid, str)
        or not isinstance(invalid, Sequence)
        or not all(isinstance(name, str) for name in invalid)
    ):
        raise InputError("citation_audit: invalid_citations must be a list of ids")
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise InputError(
            f"citation_audit: uncited_claim_count must be a whole number from 0, got {count!r:.40}"
        )
    if not isinstance(found, bool):
        raise InputError(
            f"citation_audit: hallucination_detected must be true or false, got {found!r:.40}"
        )
    names = tuple(clean_text(name) for name in invalid)
    return CitationAudit(
        names, count, (), found, bool(value.get("needs_retry", found or bool(names)))
    )


def _name(value: object) -> str:
    """An id as text; a null is none."""
    return "" if value is None else clean_text(str(value))


def _string(value: object, name: str, what: str) -> str:
    if isinstance(value, str):
        return without_tags(clean_text(value))
    given = "none was given" if value is None else f"got {type(value).__name__}"
    raise InputError(f"{name}: {what} must be a string, {given}")


def _passages(value: object, given: Iterable[str]) -> tuple[Passage, ...]:
    """``value`` as passages with ids: those given, else their place 1, 2, 3."""
    if value is None:
        looked = ", ".join(("context", *CASE_ALIASES["context"]))
        raise InputError(
            "context: none was given; pass a string or a list of passages (an empty list means that retrieval found nothing). "
            f"Looked for {looked}; there is {names_of(given)}"
        )
    items: Iterable[object]
    if isinstance(value, str | Passage | Mapping):
        items = (value,)
    elif isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        items = value
    else:
        raise InputError(
            f"context: must be a string or a list of passages, got {type(value).__name__}"
        )
    found = [_passage(item, place) for place, item in enumerate(items, 1)]
    return tuple(Passage(p.text, p.id or str(place)) for place, p in enumerate(found, 1))


def _passage(item: object, place: int) -> Passage:
    if isinstance(item, Passage):
        return item
    if isinstance(item, Mapping):
        text = next(
            (
                item[key]
                for key in ("text", "content", "page_content", "pageContent")
                if key in item
            ),
            None,
        )
        if not isinstance(text, str):
            raise InputError(
                f"context: passage {place} needs a string under 'text', it has the keys {names_of(item)}"
            )
        return Passage(text, item.get("id", item.get("chunk_id", "")))
    return Passage(_string(item, "context", f"passage {place}"))
