"""What a judge is: the one method it must have, and what it may say about itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Protocol, get_args

from ..records.checks import is_whole
from .ask import Ask, AskKind, Reply
from .errors import ConfigError

ASK_KINDS: frozenset[AskKind] = frozenset(get_args(AskKind))


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one ask to a judge may contain; None means no limit.

    Args:
        prompt_tokens: of the prompt.
        statements: in one ask.
        total_tokens: of the prompt and the longest reply together: the context window of a model.

    Raises:
        ConfigError: a limit is not a whole number from 1.
    """

    prompt_tokens: int | None = None
    statements: int | None = None
    total_tokens: int | None = None

    def __post_init__(self) -> None:
        for name in ("prompt_tokens", "statements", "total_tokens"):
            limit = getattr(self, name)
            if limit is not None and not (is_whole(limit) and limit >= 1):
                raise ConfigError(
                    f"limits: {name} must be a whole number from 1, or None, got {limit!r}"
                )

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
            known = ", ".join(sorted(ASK_KINDS))
            raise ConfigError(f"judge: its 'asks' must be some of {known}, got {self.asks!r}")
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
    known = {name: limit for name, limit in limits.items() if limit is not None}
    return {"name": info.name, **(info.identity or {}), **known}
