"""The records that travel through the house: frozen, plain, and free of behaviour beyond checking themselves.

They are standard-library dataclasses and not pydantic models because a promptfoo assertion is a fresh Python process:
building pydantic models would double what it costs. Pydantic reads dataclasses all the same (``pydantic.TypeAdapter(Verdict)``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, get_args

from .errors import ConfigError, JudgeErrorKind

Label = Literal["supported", "partially_supported", "not_enough_info", "contradicted", "not_a_claim"]
Unresolved = Literal["missing", "duplicate", "invalid"]
Status = Literal[
    "graded",
    "no_statements",
    "abstained",
    "no_context",
    "judge_refused",
    "unreadable",
    "judge_failed",
    "invalid_input",
]
ErrorKind = Literal[JudgeErrorKind, "input"]
AskKind = Literal["claims", "truths", "verdicts", "claims_and_verdicts", "ratings", "reason"]

LABELS: tuple[Label, ...] = get_args(Label)

_SURROGATE = re.compile("[\ud800-\udfff]")
_TAGS = {0xE0000 + code: code for code in range(0x20, 0x7F)}
_VISIBLE = re.compile(r"[^\W_]")


def clean_text(text: str) -> str:
    """``text`` with each lone surrogate replaced by U+FFFD, so that it can be encoded. Positions stay as they are."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def without_tags(text: str) -> str:
    """``text`` with ASCII characters in place of the tag characters that stand for them: models read these, and nobody sees them."""
    return text if text.isascii() else text.translate(_TAGS)


def is_blank(text: str) -> bool:
    """Whether ``text`` has no letter and no digit: white space, zero-width characters and bare punctuation say nothing."""
    return _VISIBLE.search(text) is None


def names_of(items: Iterable[object], limit: int = 12) -> str:
    """Names for a message: the first few, sorted, each cut to 40 characters."""
    names = sorted(clean_text(str(item))[:40] for item in items)
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return (", ".join(names[:limit]) or "none") + more


# ---------------------------------------------------------------- what is graded


@dataclass(frozen=True, slots=True)
class Statement:
    """One checkable unit of the answer. ``start`` and ``end`` are its character span there, where it has one."""

    id: int
    text: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A span of the answer that is no statement, with the reason: never dropped in silence."""

    start: int
    end: int
    reason: str


# ---------------------------------------------------------------- what a judge is asked and says


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and requests. Counts that are no finite, non-negative numbers become 0; ``total`` is always ``prompt + completion``.

    ``cached`` is the part of ``prompt`` that came from the provider's cache, ``reasoning`` the part of ``completion`` that was
    thought and not said.
    ``estimated`` is true where any part was counted by us because the judge did not say.
    """

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    reasoning: int = 0
    num_requests: int = 0
    estimated: bool = False
    total: int = field(default=0)

    def __post_init__(self) -> None:
        for name in ("prompt", "completion", "cached", "reasoning", "num_requests"):
            object.__setattr__(self, name, _count(getattr(self, name)))
        object.__setattr__(self, "total", self.prompt + self.completion)

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.cached + other.cached,
            self.reasoning + other.reasoning,
            self.num_requests + other.num_requests,
            self.estimated or other.estimated,
        )


def _count(value: object) -> int:
    """A token count from outside, or 0: negative, fractional, absurdly large and non-numeric ones are not believed."""
    ok = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12
    return value if ok else 0  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Payload:
    """The structured content of an ask, for judges that need no prompt.

    Args:
        statements: ``(number, text)`` of what is asked about: statements; for claims, sentences of the answer; for truths, pieces of
            passages; for ratings, the answer as number 1.
        sentences: ``(number, text)`` of the context.
        question: what was asked.
        findings: what the citation audit found (ratings), or the score (a reason), in words.
    """

    statements: tuple[tuple[int, str], ...]
    sentences: tuple[tuple[int, str], ...] = ()
    question: str = ""
    findings: str = ""


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """What shape the reply to an ask must have; ``wire.json_schema`` turns it into a JSON Schema."""

    kind: AskKind
    labels: tuple[Label, ...] = ()
    reasons: bool = False
    dimensions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """One request to a judge.

    Args:
        messages: ``{"role": ..., "content": ...}`` mappings, ready for a chat API.
        form: the shape of the reply; :attr:`schema` is its JSON Schema.
        ids: the statement (or sentence) numbers that the reply must cover.
        max_tokens: cap on the tokens of the reply.
        payload: the same content as data.
    """

    messages: tuple[Mapping[str, str], ...]
    form: ReplyForm
    ids: tuple[int, ...]
    max_tokens: int
    payload: Payload

    @property
    def kind(self) -> AskKind:
        """What is asked for: ``claims``, ``truths``, ``verdicts``, ``claims_and_verdicts``, ``ratings`` or a ``reason``."""
        return self.form.kind

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the reply. Built on first use: it needs pydantic, which not every judge does."""
        from .wire import json_schema

        return json_schema(self.form)


@dataclass(frozen=True, slots=True)
class Reply:
    """A judge's answer to an ask.

    Args:
        text: what it said.
        usage: what it cost; None where the judge did not say (then it is estimated).
        requests: how many were sent for it, failed ones too; counts where ``usage`` is None.
        finish_reason: ``stop``, ``length``, ``content_filter``, or what the provider calls it.
        refusal: the text of a refusal that came in a field of its own.
        validated: the text was made by our own code, so that its shape needs no second check.
        cached: it came from a store of replies and cost nothing.
        warnings: what the user should know about how it came.

    Raises:
        TypeError: a field is of another type.
    """

    text: str
    usage: Usage | None = None
    finish_reason: str = "stop"
    refusal: str | None = None
    validated: bool = False
    cached: bool = False
    warnings: tuple[str, ...] = ()
    requests: int = 1

    def __post_init__(self) -> None:
        for name, kinds in (("text", str | None), ("usage", Usage | None), ("finish_reason", str), ("refusal", str | None)):
            if not isinstance(getattr(self, name), kinds):
                raise TypeError(f"Reply.{name}: got {type(getattr(self, name)).__name__}")
        if not isinstance(self.warnings, tuple) or not all(isinstance(warning, str) for warning in self.warnings):
            raise TypeError("Reply.warnings: must be a tuple of strings")
        object.__setattr__(self, "text", clean_text(self.text or ""))
        object.__setattr__(self, "finish_reason", finish_reason(self.finish_reason))


_FINISH = {
    **dict.fromkeys(("", "end_turn", "eos", "eos_token", "stop_sequence"), "stop"),
    **dict.fromkeys(("max_tokens", "max_output_tokens", "max_completion_tokens", "model_length", "incomplete", "truncated"), "length"),
    "model_context_window_exceeded": "length",
    **dict.fromkeys(("safety", "blocklist", "prohibited_content", "recitation", "refusal", "blocked"), "content_filter"),
    **dict.fromkeys(("failed", "cancelled", "canceled"), "error"),
}


def finish_reason(word: str) -> str:
    """Why a reply ended, in our words: ``stop``, ``length``, ``content_filter``, ``error``; any other word stays, in lower case."""
    word = clean_text(word[:40]).lower()
    return _FINISH.get(word, word)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one ask to a judge may hold; None means no limit. Raises ``ConfigError`` for anything but whole numbers from 1."""

    prompt_tokens: int | None = None
    statements: int | None = None

    def __post_init__(self) -> None:
        for name in ("prompt_tokens", "statements"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise ConfigError(f"limits: {name} must be a whole number from 1, or None, got {value!r}")


class Judge(Protocol):
    """Whatever answers an ask: an LLM behind an API, the embedded rule, a tape.

    Only ``ask`` is required. A judge may also have ``aask`` (the same, awaited; otherwise ``ask`` runs in a thread), ``name`` (shown
    in results), ``limits`` (a :class:`Limits`), ``identity`` (a JSON mapping of all settings that shape its replies, never a key; the
    store of replies hashes it), ``never_contradicts`` (True where it cannot tell a contradiction), ``remote`` (True where a model behind
    an API answers: its grades then hold controls), ``keeps_deadline`` (True where ``ask`` returns in time by itself; any other is asked
    in a thread that is left behind when the time is up) and ``caveat`` (what a reader of its results should know, added to the reason of
    every grade).
    """

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """Answers, or raises ``JudgeError`` and nothing else. ``deadline`` is an instant of ``time.monotonic()``."""
        ...


# ---------------------------------------------------------------- what comes out


@dataclass(frozen=True, slots=True)
class Evidence:
    """A context sentence that a verdict points at: its number, its passage, its character span there, its text."""

    sentence: int
    passage: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge said of one statement.

    ``label`` is None where no valid verdict came, even after the re-ask; ``unresolved`` then says why. ``span`` is the statement's
    character span in the answer. ``repeat_of`` names the first statement with the same text. ``flags`` hold what did not check out
    (``no_such_evidence``, ``lowered``).
    """

    id: int
    statement: str
    label: Label | None
    unresolved: Unresolved | None = None
    evidence: tuple[Evidence, ...] = ()
    reason: str = ""
    span: tuple[int, int] | None = None
    repeat_of: int | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraderError:
    """Why a case could not be graded. It says nothing about the answer."""

    kind: ErrorKind
    message: str
    retryable: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", clean_text(self.message))


@dataclass(frozen=True, slots=True)
class CitationAudit:
    """What the citations of an answer show, found without a judge.

    Args:
        invalid_citations: cited ids that no passage has, each once, in order.
        uncited_claim_count: how many sentences claim something without a citation.
        uncited_sentences: those sentences.
        hallucination_detected: whether anything was cited that does not exist.
        needs_retry: whether the answer should be written again: an invalid citation, or five uncited sentences.
    """

    invalid_citations: tuple[str, ...] = ()
    uncited_claim_count: int = 0
    uncited_sentences: tuple[str, ...] = ()
    hallucination_detected: bool = False
    needs_retry: bool = False

    def confidence(self, base: float) -> float:
        """A judge's confidence ``base`` lowered by the findings: halved by an invalid citation, 3 % less for each uncited sentence.

        The sentences take 40 % at most; the result is in [0, 1]. ``base`` is in [0, 1]; 2 and more is a percentage, what lies between
        1 and 2 is 1, and what is below 0 is 0.

        Raises:
            ConfigError: ``base`` is no finite number.
        """
        if isinstance(base, bool) or not isinstance(base, int | float) or not math.isfinite(base):
            raise ConfigError(f"base: must be a finite number, got {base!r:.50}")
        share = min(max(base / 100 if base >= 2 else base, 0.0), 1.0)
        halved = 0.5 if self.invalid_citations else 1.0
        return share * halved * (1 - min(0.4, 0.03 * self.uncited_claim_count))
