"""What a judge is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..records.checks import is_fraction
from ..text.strings import clean_text
from .errors import JudgeError
from .model import Label
from .usage import Usage

AskKind = Literal["claims", "truths", "verdicts", "claims_and_verdicts", "ratings", "reason"]
Numbered = tuple[tuple[int, str], ...]
"""Texts with their numbers."""


@dataclass(frozen=True, slots=True)
class Payload:
    """The content of an ask as data, for judges that need no prompt.

    Args:
        items: what the ask is about, numbered. An ask for verdicts: statements; for claims:
            sentences of the answer; for truths: pieces of passages; for ratings: the answer;
            for a reason: the statements that lost points.
        sentences: the numbered sentences of the context.
        question: what was asked.
        notes: for ratings, what the citation audit found; for a reason, the score.
    """

    items: Numbered
    sentences: Numbered = ()
    question: str = ""
    notes: str = ""

    @property
    def statements(self) -> Numbered:
        """The items, under the name that they have in an ask for verdicts."""
        return self.items


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """The shape that the reply to an ask must have.

    Args:
        kind: what is asked for.
        labels: the labels of verdicts.
        reasons: whether a verdict has a reason.
        dimensions: what is rated.
        numbered: whether items have numbers: not if there is only one.
    """

    kind: AskKind
    labels: tuple[Label, ...] = ()
    reasons: bool = False
    dimensions: tuple[str, ...] = ()
    numbered: bool = True


@dataclass(frozen=True, slots=True)
class Ask:
    """One request to a judge.

    Args:
        messages: ``{"role": ..., "content": ...}`` mappings, ready for a chat API.
        form: the shape of the reply.
        ids: the numbers of the items that the reply must cover.
        max_tokens: the most tokens that the reply may have.
        payload: the same content as data.
        schema: the JSON Schema of the reply.
        echo: a token that the reply must repeat; "" for none, as in every ask of a plan.
        sample: from 1; an ask that is put several times has a number for each. A judge that can
            vary its replies should do so for those after the first.
    """

    messages: tuple[Mapping[str, str], ...]
    form: ReplyForm
    ids: tuple[int, ...]
    max_tokens: int
    payload: Payload
    schema: Mapping[str, Any] = field(default_factory=dict, compare=False)
    echo: str = ""
    sample: int = 1

    @property
    def kind(self) -> AskKind:
        """What is asked for; see ``AskKind``."""
        return self.form.kind

    def size(self, count: Callable[[str], int]) -> int:
        """What all messages together have by ``count``, such as ``len``."""
        return sum(count(message["content"]) for message in self.messages)


@dataclass(frozen=True, slots=True)
class Reply:
    """A judge's answer to an ask.

    Args:
        text: what the judge wrote.
        usage: what it cost; None where the judge did not say (the cost is then estimated).
        finish_reason: ``stop``, ``length``, ``content_filter``, or the provider's own word.
        refusal: the text of a refusal that came in a field of its own.
        validated: the text was made by our own code, so its shape needs no check.
        cached: it came from a store of replies and cost nothing.
        warnings: what the user should know about how it came.
        requests: how many requests it took, failed ones too; used where ``usage`` is None.
        confidence: how probable the judge finds its verdict on each item of the ask, in their
            order, in [0, 1]; None where it does not say; () if it never does.
        wrong: the words of each item that nothing in the context supports, as the item writes them,
            where the judge marks words; () if it never does.

    Raises:
        TypeError: a field has the wrong type.
    """

    text: str
    usage: Usage | None = None
    finish_reason: str = "stop"
    refusal: str | None = None
    validated: bool = False
    cached: bool = False
    warnings: tuple[str, ...] = ()
    requests: int = 1
    confidence: tuple[float | None, ...] = ()
    wrong: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        for name, kinds in _REPLY_TYPES.items():
            if not isinstance(getattr(self, name), kinds):
                raise TypeError(f"Reply.{name}: got {type(getattr(self, name)).__name__}")
        if not all(isinstance(warning, str) for warning in self.warnings):
            raise TypeError("Reply.warnings: must be a tuple of strings")
        if not all(sure is None or is_fraction(sure) for sure in self.confidence):
            raise TypeError("Reply.confidence: must be a tuple of numbers from 0 to 1, or None")
        if not all(isinstance(words, tuple) and all(map(_is_text, words)) for words in self.wrong):
            raise TypeError("Reply.wrong: must be a tuple of tuples of strings")
        object.__setattr__(self, "text", clean_text(self.text or ""))
        object.__setattr__(self, "finish_reason", finish_reason(self.finish_reason))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


_REPLY_TYPES: Mapping[str, Any] = {
    "text": str | None,
    "usage": Usage | None,
    "finish_reason": str,
    "refusal": str | None,
    "warnings": tuple,
    "confidence": tuple,
    "wrong": tuple,
}

Outcome = Reply | JudgeError

_PROVIDERS_WORDS = {
    "stop": "end_turn eos eos_token stop_sequence",
    "length": "max_tokens max_output_tokens max_completion_tokens model_length incomplete "
    "truncated model_context_window_exceeded",
    "content_filter": "safety blocklist prohibited_content recitation refusal blocked "
    "content_filtered guardrail_intervened",
    "error": "failed cancelled canceled",
}
_ABNORMAL = ("length", "content_filter", "error")
_FINISH_REASONS = {
    "": "stop",
    **{word: reason for reason, words in _PROVIDERS_WORDS.items() for word in words.split()},
}


def finish_reason(word: str) -> str:
    """Why a reply ended: stop, length, content_filter, error, or the provider's own word.

    Gemini says more after a colon (``content_filter: PROHIBITED_CONTENT``). That never ends well.
    """
    word = clean_text(word[:40]).lower()
    reason = _FINISH_REASONS.get(head := word.partition(":")[0].strip(), head)
    return reason if head == word or reason in _ABNORMAL else word
