"""The record of what is graded. It is checked and brought into one form when it is made."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import starmap
from typing import Any

from ..conversations.events import EVIDENCE_ROLES, check_evidence_roles
from ..records.checks import as_mapping, is_whole
from ..records.errors import InputError
from ..records.model import MAX_ANSWER_CHARS, CitationAudit
from ..text.strings import (
    clean_text,
    clip,
    is_blank,
    key_words,
    lazy_pattern,
    names_of,
    without_tags,
)
from .systems import CASE_ALIASES, by_our_names, is_missing, names, split_record

MAX_CONTEXT_CHARS = 8_000_000
MAX_QUESTION_CHARS = 50_000

_MAY_BE_SAID = ("[", "{", "`")
"""Begins of a text that may have messages in it, as JSON or in a fence."""
TEXT_KEYS = dict.fromkeys(("text", "content", "page_content", "pageContent")).keys()
_TEXT_WORDS = "text content quote snippet passage chunk body excerpt value sentence context".split()
_MAX_ID = 80
_ID_KEYS = ("id", "chunk_id", "id_")
NEEDED = {
    "answer": "a string",
    "context": "a string or a list of passages (an empty list means that retrieval found nothing)",
}
_INSIDE = ("kwargs", "document", "node", "text_resource")
"""Where a document stands in others: LangChain, serialized; OpenInference; LlamaIndex."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One piece of context.

    ``id`` names it in evidence and citations. Passages without an id are called 1, 2, 3.
    ``title``, else an id in words, is shown to the judge: it tells what "it" is in the text.
    """

    text: str
    id: str = ""
    title: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", _string(self.text, "context: the text of a passage"))
        object.__setattr__(self, "id", _id(self.id))
        if self.title != "":
            object.__setattr__(self, "title", clip(_string(self.title or "", "context: a title")))

    @property
    def name(self) -> str:
        """The title, else the id if most of it is letters; "" where neither says anything."""
        if self.title or self.id.isdigit():
            return self.title
        letters = sum(map(str.isalpha, self.id))
        is_word = letters > 2 and 2 * letters > sum(map(str.isalnum, self.id))
        return clip(self.id) if is_word else ""


@dataclass(frozen=True, slots=True, init=False)
class Case:
    """What is graded.

    Args:
        answer: the LLM's answer.
        context: what the answer may use: a string, a ``Passage``, a mapping with ``text`` (and
            ``id`` or ``chunk_id``), a document of LangChain, LlamaIndex or Haystack, or a sequence
            of these. Messages among them are evidence as those in ``messages`` are.
        question: what was asked. It resolves references and is never evidence.
        id: the caller's name for the case.
        citation_audit: an earlier audit of the answer's citations: a ``CitationAudit`` or a
            mapping with its fields. It is used as it is. None: a policy that wants one makes it.
        messages: a conversation. Its last assistant message is the answer, its last user message
            the question; results of tools and documents are added to the context. An answer or a
            question that is given too is used instead.
        evidence_roles: whose messages are evidence: ``tool`` (the default), ``user`` (without the
            last message of a user), ``last_user``, ``system``.
        named: fields under the names of other systems, see ``CASE_ALIASES``: ``actual_output``,
            ``retrieved_contexts`` ...

    ``question_missing``: another system's field for the question is there (``input=None``), but
    blank. ``ignored``: the fields of a record that are not part of a case, see ``of``.
    ``notes``: what of the messages is not used. ``no_evidence``: why they are no context.

    Raises:
        InputError: a field is missing, unknown, given twice, not a text, or larger than
            ``MAX_ANSWER_CHARS``, ``MAX_CONTEXT_CHARS`` or ``MAX_QUESTION_CHARS``; or messages have
            no answer or no known shape.
        ConfigError: unknown ``evidence_roles``.
    """

    answer: str
    context: tuple[Passage, ...]
    question: str = ""
    id: str = ""
    citation_audit: CitationAudit | None = None
    question_missing: bool = field(default=False, repr=False, compare=False)
    ignored: tuple[str, ...] = field(default=(), repr=False, compare=False)
    notes: tuple[str, ...] = field(default=(), repr=False, compare=False)
    no_evidence: str = field(default="", repr=False, compare=False)

    def __init__(
        self,
        answer: Any = None,
        context: Any = None,
        question: Any = None,
        id: Any = "",
        citation_audit: Any = None,
        *,
        messages: Any = None,
        evidence_roles: Sequence[str] = EVIDENCE_ROLES,
        **named: Any,
    ) -> None:
        ours = {
            "answer": answer,
            "context": context,
            "question": question,
            "citation_audit": citation_audit,
            "messages": messages,
        }
        given, chats = by_our_names(ours, named), list[Any]()
        messages = given.pop("messages", "")
        if not isinstance(messages, str) or messages.strip():
            from ..conversations.conversation import read_conversation  # most cases have none

            roles = check_evidence_roles(evidence_roles)
            chat = read_conversation(messages, roles, has_answer="answer" in given)
            given = {"answer": chat.answer, "question": chat.question, "context": (), **given}
            chats.append(chat)
        for name, how in NEEDED.items():
            if name not in given:
                looked = f"Looked for {', '.join(names(name))}; the case has {names_of(given)}"
                raise InputError(f"{name}: missing; pass {how}. {looked}")
        passages, inside = _context_of(given["context"], evidence_roles)
        passages += tuple(starmap(Passage, chats[0].passages if chats else ()))
        chats += [inside] if inside else []
        question = _string(given.get("question", ""), "question:")
        answer = _string(given["answer"], "answer:")
        length = sum(len(passage.text) for passage in passages)
        for name, size, limit, fix in (
            ("context", length, MAX_CONTEXT_CHARS, "pass only the passages that were retrieved"),
            ("question", len(question), MAX_QUESTION_CHARS, "shorten it"),
            ("answer", len(answer), MAX_ANSWER_CHARS, "grade it in parts"),
        ):
            if size > limit:
                raise InputError(f"{name}: {size:,} characters, the limit is {limit:,}; {fix}")
        is_named = not named.keys().isdisjoint(CASE_ALIASES["question"])
        fields = {
            "answer": answer,
            "context": passages,
            "question": question,
            "id": _id(id),
            "citation_audit": _audit(given.get("citation_audit")),
            "question_missing": is_named and is_blank(question),
            "ignored": (),
            "notes": tuple(note for one in chats for note in one.notes),
            "no_evidence": next((one.no_evidence for one in chats), ""),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, record: object, evidence_roles: Sequence[str] = EVIDENCE_ROLES) -> Case:
        """The case in a record, which may be one of DeepEval, RagaliQ, ragas, Axion or MASIS.

        Fields that are not part of a case are ignored and listed in ``ignored``. Where DeepEval's
        record has both ``context`` and ``retrieval_context``, the latter is used.

        Raises:
            InputError: as above, or it is no record. An ``InputError`` in place of one says why.
        """
        if isinstance(record, InputError):
            raise record
        if not isinstance(record, Mapping):
            shape = "a mapping with answer and context, or a Case"
            raise InputError(f"a case must be {shape}, got {type(record).__name__}")
        fields, ignored = split_record(record)
        try:
            case = cls(**fields, evidence_roles=evidence_roles)
        except InputError as error:
            beside = f"; not read: {names_of(ignored)}" if ignored else ""
            raise InputError(f"{error}{beside}") from None
        object.__setattr__(case, "ignored", ignored)
        return case


def _id(value: object) -> str:
    """An id as text; "" for one that is missing."""
    return "" if is_missing(value) else clean_text(str(value))


def _string(value: object, what: str) -> str:
    if isinstance(value, str):
        return without_tags(clean_text(value))
    got = "nothing" if value is None else type(value).__name__
    raise InputError(f"{what} must be a string, got {got}")


# ---------------------------------------------------------------- passages


def passages_of(value: object) -> tuple[Passage, ...]:
    """``value`` as passages. Their ids are those given, else their places 1, 2, 3.

    Raises:
        InputError: it is no context: neither a text nor a list of passages.
    """
    return _context_of(value, EVIDENCE_ROLES)[0]


def _context_of(value: Any, evidence_roles: Sequence[str]) -> tuple[tuple[Passage, ...], Any]:
    """``value`` as passages, and the ``Conversation`` in it, if it has messages."""
    if callable(as_list := getattr(value, "tolist", None)):  # an array of NumPy, as in a frame
        value = as_list()
    is_one = isinstance(value, str | Passage | Mapping) or _document(value)
    items: Any = [value] if is_one else value
    if isinstance(value, Mapping):
        texts = _only_text(value, list)  # {"title": ["A", ...], "sentences": [[...], ...]}
        if texts and not _only_text(value):
            items = rows_of(value, texts)
        elif value and all(str(id)[-2:].strip("]").isdigit() for id in value):  # such as ``[1]``
            ids = {
                id: one if isinstance(one, Mapping) else {"text": one} for id, one in value.items()
            }
            items = [{"id": id, **one} for id, one in ids.items()]
    if not isinstance(items, Sequence) or isinstance(items, bytes | bytearray):
        got = type(value).__name__
        raise InputError(f"context: must be a string or a list of passages, got {got}")
    flat = [one for i in items for one in (i if _are_several(i) else (i,)) if one is not None]
    chat = None
    if not all(isinstance(one, str) and not one.lstrip().startswith(_MAY_BE_SAID) for one in flat):
        from ..conversations.conversation import read_context

        flat, chat = read_context(flat, check_evidence_roles(evidence_roles))
    passages = tuple(_passage(item, place) for place, item in enumerate(flat, 1))
    passages += tuple(starmap(Passage, chat.passages if chat else ()))
    texts = (p.text.strip() if len(p.text) <= MAX_LEFT_OVER else "" for p in passages)
    begun = (text if _LEFT_OVER.match(text) else "text" for text in texts)  # few are searched
    if passages and not any(_LEFT_OVER.sub("", text).strip(", \n") for text in begun):
        said = clip(passages[0].text)
        raise InputError(f"context: a passage is only {said!r}: {_NOTHING_READ}")
    return passages, chat


MAX_LEFT_OVER = 4_096
"""Characters of the longest path of a file."""
MAX_NAME = 255
_NAME_OF_FILE = lazy_pattern(r"\w+://\S+|[^\n]+\.[a-zA-Z]{1,4}[0-9]?")
_LEFT_OVER = lazy_pattern(
    r"\[object \w{1,40}\]|\{\{[^{}\n]{1,80}\}\}|\$\{[^{}\n]{1,80}\}"
    r"|undefined|nan|none|null|<na>|#?n/a|#ref!|#value!"
    r"|file://\S+(?:(?: \S+){0,20}\.\w{1,5})?",
    re.I,
)
"""What a program leaves in place of a text: of an object, a variable, a value or a file."""
_NOTHING_READ = (
    "no text, but what a program leaves where it read none. Pass the text itself (with promptfoo, "
    "write it into `vars`), or an empty list"
)


def is_file_name(text: str) -> bool:
    """Whether a text only names files or pages, as ``sources`` may: that is no context."""
    is_name = len(text) <= MAX_LEFT_OVER and _NAME_OF_FILE.fullmatch(text.strip())
    return bool(is_name) and all(len(one) <= MAX_NAME for one in text.split(","))


def _passage(item: object, place: int) -> Passage:
    if isinstance(item, str):
        return Passage(item, str(place))
    if isinstance(item, Passage):
        return item if item.id else replace(item, id=str(place))
    name: object = ""
    if isinstance(item, list | tuple) and len(item) == 2:
        first, second = item  # an id or a title, and a text or sentences; or a passage and a score
        item, name = (first, "") if isinstance(second, int | float) else (second, first)
    own = _document(item) or as_mapping(item)
    text = _text_in(own or item)
    if text is None:
        problem = f"be a string, got {type(item).__name__}"
        if isinstance(item, Mapping):
            has = [f"{key} is {clip(repr(own[key]), 40)}" for key in TEXT_KEYS if key in own]
            problem = f"have a string 'text', {(*has, f'its keys are {names_of(own)}')[0]}"
        raise InputError(f"context: passage {place} must {problem}")
    around = item if isinstance(item, Mapping) else getattr(item, "__dict__", {})
    holders = [own, around, as_mapping(own.get("metadata")), as_mapping(own.get("meta"))]
    ids = (one[key] for one in holders[:2] for key in _ID_KEYS if key in one)
    name = name or next((id for id in ids if not isinstance(id, list | Mapping)), "")
    titles = (str(one.get("title") or "").strip() for one in holders)
    return Passage(text, _id(name) or str(place), next(filter(None, titles), ""))


def _text_in(value: Any) -> str | None:
    """The text of a passage; a list of texts is one, as sentences of it."""
    if _is_texts(value):
        return " ".join(value)
    if not isinstance(value, Mapping):
        return value if isinstance(value, str) else None
    texts = [value[key] for key in TEXT_KEYS if isinstance(value.get(key), str)]
    if not any(texts):
        texts += [
            t for t in (_only_text(value), _text_in(_only_text(value, list))) if t is not None
        ]
    return next(filter(None, texts), texts[0] if texts else None)


def _are_several(item: object) -> bool:
    """Whether a passage is a list of them: of texts, or of documents or blocks of content."""
    are_documents = isinstance(item, list) and all(isinstance(one, Mapping) for one in item)
    return (are_documents and bool(item)) or _is_texts(item)


def _is_texts(item: object) -> bool:
    """Whether a passage is a list of texts, and not a pair such as ``["p_3", "It opens at 9."]``"""
    if not isinstance(item, list | tuple) or not all(isinstance(text, str) for text in item):
        return False
    is_pair = len(item) == 2 and len(item[0]) <= _MAX_ID and not any(map(str.isspace, item[0]))
    return not (is_pair and any(map(str.isspace, item[1])))


def _only_text(document: Mapping[str, Any], kind: type = str) -> Any:
    """The text (or list) under the only key whose last word is one for texts: ``chunkText``."""
    own = [(str(key), value) for key, value in document.items() if isinstance(value, kind)]
    texts = [value for key, value in own if (words := key_words(key)) and words[-1] in _TEXT_WORDS]
    texts = texts or [value for key, value in own if key == "document"]  # Chroma
    return texts[0] if len(texts) == 1 else None


def rows_of(columns: Mapping[str, Any], texts: list[Any]) -> list[dict[str, Any]]:
    """The rows of parallel lists, those that are as long as ``texts``."""
    lists = [
        key for key, item in columns.items() if isinstance(item, list) and len(item) == len(texts)
    ]
    return [{key: columns[key][place] for key in lists} for place in range(len(texts))]


def _document(item: object) -> Mapping[str, Any]:
    """The mapping with the text of a passage. A document of a library is read as its attributes."""
    inner = item
    for _ in range(len(_INSIDE)):
        fields = inner if isinstance(inner, Mapping) else getattr(inner, "__dict__", {})
        if not TEXT_KEYS.isdisjoint(fields):
            return fields
        inner = next((fields[key] for key in _INSIDE if key in fields), None)
    return {}


# ---------------------------------------------------------------- citation audit


def _audit(value: object) -> CitationAudit | None:
    """An earlier audit. Keys that ``CitationAudit`` does not have are other systems' own."""
    if value is None or isinstance(value, CitationAudit):
        return value
    given = as_mapping(value)
    ids, count = given.get("invalid_citations"), given.get("uncited_claim_count")
    detected = given.get("hallucination_detected", False)
    are_ids = isinstance(ids, list | tuple) and all(isinstance(id, str) for id in ids)
    if not (are_ids and is_whole(count) and count >= 0 and isinstance(detected, bool)):
        raise InputError(
            "citation_audit: must be a CitationAudit or a mapping with invalid_citations, a list "
            "of ids, and uncited_claim_count, a whole number from 0; hallucination_detected, if "
            "given, is true or false"
        )
    cited = tuple(map(clean_text, ids or ()))
    needs_retry = bool(given.get("needs_retry", detected or bool(cited)))
    return CitationAudit(cited, count, (), detected, needs_retry)
