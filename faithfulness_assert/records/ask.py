"""What a judge is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..text.strings import clean_text
from .errors import JudgeError
from .model import Label
from .usage import Usage

AskKind = Literal["claims", "truths", "verdicts", "claims_and_verdicts", "ratings", "reason"]


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
    schema: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def kind(self) -> AskKind:
        """What is asked for: ``claims``, ``truths``, ``verdicts``, ``claims_and_verdicts``, ``ratings`` or a ``reason``."""
        return self.form.kind


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
        for name, kinds in (
            ("text", str | None),
            ("usage", Usage | None),
            ("finish_reason", str),
            ("refusal", str | None),
        ):
            if not isinstance(getattr(self, name), kinds):
                raise TypeError(f"Reply.{name}: got {type(getattr(self, name)).__name__}")
        if not isinstance(self.warnings, tuple) or not all(
            isinstance(warning, str) for warning in self.warnings
        ):
            raise TypeError("Reply.warnings: must be a tuple of strings")
        object.__setattr__(self, "text", clean_text(self.text or ""))
        object.__setattr__(self, "finish_reason", finish_reason(self.finish_reason))


_FINISH = {
    **dict.fromkeys(("", "end_turn", "eos", "eos_token", "stop_sequence"), "stop"),
    **dict.fromkeys(
        (
            "max_tokens",
            "max_output_tokens",
            "max_completion_tokens",
            "model_length",
            "incomplete",
            "truncated",
        ),
        "length",
    ),
    "model_context_window_exceeded": "length",
    **dict.fromkeys(
        ("safety", "blocklist", "prohibited_content", "recitation", "refusal", "blocked"),
        "content_filter",
    ),
    **dict.fromkeys(("failed", "cancelled", "canceled"), "error"),
}


def finish_reason(word: str) -> str:
    """Why a reply ended, in our words: ``stop``, ``length``, ``content_filter``, ``error``; any other word stays, in lower case."""
    word = clean_text(word[:40]).lower()
    return _FINISH.get(word, word)


Outcome = Reply | JudgeError
