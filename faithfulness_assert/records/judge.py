"""What a judge is asked, what it answers, and what a judge is.

A judge must have one method, and may say what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Protocol, get_args

from ..records.checks import check_number, is_fraction
from ..text.strings import clean_text
from .errors import ConfigError, JudgeError
from .model import Label
from .usage import Usage

AskKind = Literal["claims", "truths", "verdicts", "ratings", "reason"]
Reasons = Literal["none", "problems", "all"]
"""Which verdicts have a reason: none, those that are not ``supported``, or all."""
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
        headings: those with which items begin, by the number of the item.
        referents: what is shown before items, by their numbers: their place in a list that counts,
            and what they refer back to where it is none of the items.
        passages: of the passages that are shown, the number of the first sentence and the name,
            "" where it has none.
    """

    items: Numbered
    sentences: Numbered = ()
    question: str = ""
    notes: str = ""
    headings: Numbered = ()
    referents: Numbered = ()
    passages: Numbered = ()


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """The shape that the reply to an ask must have.

    Args:
        kind: what is asked for.
        labels: the labels of verdicts.
        reasons: which verdicts have a reason; the others have an empty one, unless none has any.
        dimensions: what is rated.
        numbered: whether items have numbers: not if there is only one.
    """

    kind: AskKind
    labels: tuple[Label, ...] = ()
    reasons: Reasons = "none"
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
        echo: a short key that the reply repeats, by which it is known as the reply to this ask; ""
            for none.
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


CONTROL_TAKES = (
    "room for several statements in an ask (none with family=document_claim), and a context with "
    "two sentences of 25 to 140 characters and five words or more (Chinese, Japanese, Korean: 8 to "
    "70 characters), each with a full stop and not spoken to the reader"
)
"""What it needs that controls can be made (``asking/controls.py``)."""
PROMPT_CUT = "it may have cut the prompt; raise its context length"
"""The words of a reply's warning that a run counts."""


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
        reasoned: whether the judge thought before it answered, as far as its server says so.

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
    reasoned: bool = False

    def __post_init__(self) -> None:
        for name, kinds in _REPLY_TYPES.items():
            if not isinstance(getattr(self, name), kinds):
                raise TypeError(f"Reply.{name}: got {type(getattr(self, name)).__name__}")
        if not all(isinstance(warning, str) for warning in self.warnings):
            raise TypeError("Reply.warnings: must be a tuple of strings")
        if not all(sure is None or is_fraction(sure) for sure in self.confidence):
            raise TypeError("Reply.confidence: must be a tuple of numbers from 0 to 1, or None")
        for words in self.wrong:
            if not isinstance(words, tuple) or any(not isinstance(word, str) for word in words):
                raise TypeError("Reply.wrong: must be a tuple of tuples of strings")
        object.__setattr__(self, "text", clean_text(self.text or ""))
        if self.finish_reason != "stop":
            object.__setattr__(self, "finish_reason", finish_reason(self.finish_reason))


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


# ---------------------------------------------------------------- what a judge is


ASK_KINDS: frozenset[AskKind] = frozenset(get_args(AskKind))
MOST_TOKENS = 10**12


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one ask to a judge may contain; None means no limit.

    Args:
        prompt_tokens: of the prompt.
        statements: in one ask.
        total_tokens: of the prompt and the longest reply together: the context window of a model.

    Raises:
        ConfigError: a limit is not a whole number from 1 to ``MOST_TOKENS``.
    """

    prompt_tokens: int | None = None
    statements: int | None = None
    total_tokens: int | None = None

    def __post_init__(self) -> None:
        for name in ("prompt_tokens", "statements", "total_tokens"):
            limit = getattr(self, name)
            # A judge may say its limits anew for each grade, so what is right is seen at once.
            if limit is not None and not (type(limit) is int and 1 <= limit <= MOST_TOKENS):
                check_number(f"limits: {name}", limit, 1, MOST_TOKENS, whole=True)

    @property
    def named(self) -> str:
        """What limits a prompt, as messages call it."""
        if self.total_tokens is None:
            return "max_prompt_tokens"
        return f"the judge's context window of about {self.total_tokens:,} tokens"

    def prompt_room(self, reply_tokens: int) -> int | None:
        """The tokens that a prompt may have if its reply may have ``reply_tokens``."""
        beside = None if self.total_tokens is None else self.total_tokens - reply_tokens
        return min((t for t in (self.prompt_tokens, beside) if t is not None), default=None)


@dataclass(frozen=True, slots=True)
class JudgeInfo:
    """What a judge says about itself.

    Args:
        name: shown in results.
        remote: True where a model behind an API answers. The grader then adds control statements.
        keeps_deadline: True where ``ask`` always returns before its deadline. Any other judge is
            asked in a thread, which is abandoned when the time is up.
        any_loop: True where ``aask`` may be awaited on any event loop, also on several in turn.
            ``grade_many`` then awaits it; other judges are asked in threads.
        limits: the most that one ask may contain.
        caveat: what a reader of its results should know; added to the reason of every grade.
        never_contradicts: True where it never answers ``contradicted``.
        deterministic: True where the same ask always gets the same reply, so that more ``samples``
            than one say nothing.
        asks: the kinds of ask that it can answer.
        identity: all settings that shape its replies, as a JSON mapping without keys or passwords.
            The store of replies hashes it. None: its replies cannot be stored.

    Raises:
        ConfigError: ``limits`` is not a ``Limits``, or ``asks`` contains an unknown kind.
    """

    name: str
    remote: bool = False
    keeps_deadline: bool = False
    any_loop: bool = False
    limits: Limits = field(default_factory=Limits)
    caveat: str = ""
    never_contradicts: bool = False
    deterministic: bool = False
    asks: frozenset[AskKind] = ASK_KINDS
    identity: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.limits, Limits):
            got = type(self.limits).__name__
            raise ConfigError(f"judge: its 'limits' must be a Limits, got {got}")
        if not isinstance(self.asks, Iterable) or not ASK_KINDS.issuperset(self.asks):
            kinds = ", ".join(sorted(ASK_KINDS))
            raise ConfigError(f"judge: its 'asks' must be some of {kinds}, got {self.asks!r}")
        object.__setattr__(self, "name", str(self.name))
        object.__setattr__(self, "asks", frozenset(self.asks))


class Judge(Protocol):
    """Whatever answers an ask: an LLM behind an API, the embedded judge, stored replies.

    Only ``ask`` is required. A judge may also have ``aask``, the same as a coroutine (without it,
    ``ask`` runs in a thread), and say what it is: either with an attribute ``info``
    (a ``JudgeInfo``), or with attributes that are named like the fields of ``JudgeInfo``.
    One behind an API may say how often it is asked again (``max_retries``).
    """

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """Answers, or raises ``JudgeError`` and nothing else.

        ``deadline`` is an instant of ``time.monotonic()``.
        """
        ...


def judge_info(judge: object) -> JudgeInfo:
    """What ``judge`` says about itself: its ``info``, else its attributes.

    A judge without a name is called by the name of its class. Only ``info`` can say which kinds of
    ask it answers: a judge of a few lines may well keep the asks that it got as ``asks``.

    Raises:
        ConfigError: an attribute has a value that a ``JudgeInfo`` cannot have.
    """
    info = getattr(judge, "info", None)
    if isinstance(info, JudgeInfo):
        return info
    names = (f.name for f in fields(JudgeInfo) if f.name != "asks")
    given = {name: getattr(judge, name, None) for name in names}
    return JudgeInfo(
        **{"name": type(judge).__name__}
        | {name: value for name, value in given.items() if value is not None}
    )


def described(judge: object) -> dict[str, Any]:
    """A judge as runs have it: what shapes its replies, and what it is asked.

    The window of a model is left out: a judge may learn it while it is used.
    """
    info = judge_info(judge)
    limits = {
        "max_prompt_tokens": info.limits.prompt_tokens,
        "max_statements": info.limits.statements,
    }
    limits_set = {name: limit for name, limit in limits.items() if limit is not None}
    return {"name": info.name, **(info.identity or {}), **limits_set}
