"""Two judges as one: a checker gives the verdicts, an LLM writes claims, truths and reasons."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from ..records.ask import Ask, Reply
from ..records.errors import ConfigError
from ..records.judge import Judge, JudgeInfo, Limits, judge_info
from . import background


class TwoJudges:
    """A judge of two.

    Args:
        checker: gives all verdicts.
        writer: answers every other ask.

    Raises:
        ConfigError: the writer cannot write claims.
    """

    def __init__(self, checker: Judge, writer: Judge) -> None:
        if "claims" not in judge_info(writer).asks:
            name = judge_info(writer).name
            raise ConfigError(f"claims_judge: {name!r} cannot write claims; name an LLM")
        self.checker, self.writer = checker, writer
        # How often its server may be asked again is the writer's business.
        self.max_retries = getattr(writer, "max_retries", 0)
        self.timeout = getattr(writer, "timeout", 60.0)
        self.secrets = getattr(writer, "secrets", None)

    @property
    def info(self) -> JudgeInfo:
        """What both are together, with the limits that they have learned so far."""
        checks, writes = judge_info(self.checker), judge_info(self.writer)
        identity: dict[str, Any] | None = None
        if checks.identity and writes.identity:
            parts = {"checker": dict(checks.identity), "writer": dict(writes.identity)}
            url = writes.identity.get("base_url", "")  # by which a server's asks are counted
            identity = {"judge": "two", "base_url": url, **parts}
        return replace(
            checks,
            name=f"{checks.name} with {writes.name}",
            remote=checks.remote or writes.remote,
            keeps_deadline=checks.keeps_deadline and writes.keeps_deadline,
            any_loop=checks.any_loop and writes.any_loop,
            limits=_lower(checks.limits, writes.limits),
            asks=(writes.asks | checks.asks) - {"claims_and_verdicts"},
            identity=identity,
        )

    def _of(self, ask: Ask) -> Any:
        return self.checker if ask.kind == "verdicts" else self.writer

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """The reply of the judge whose ask this is.

        Raises:
            JudgeError: that judge's own.
        """
        reply: Reply = self._of(ask).ask(ask, deadline=deadline)
        return reply

    async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """The same as a coroutine.

        Raises:
            JudgeError: that judge's own.
        """
        judge = self._of(ask)
        if hasattr(judge, "aask"):
            reply: Reply = await judge.aask(ask, deadline=deadline)
            return reply
        return await background.in_thread(judge.ask, ask, deadline=deadline)


def _lower(one: Limits, two: Limits) -> Limits:
    """The limits that both keep."""
    names = [field.name for field in fields(Limits)]
    pairs = {name: (getattr(one, name), getattr(two, name)) for name in names}
    return Limits(
        **{n: min((x for x in p if x is not None), default=None) for n, p in pairs.items()}
    )
