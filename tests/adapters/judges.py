"""Judges that take their time, and what they are asked about."""

import asyncio
import json
import random
import threading
from dataclasses import dataclass, field
from typing import Any

from fakes import ScriptedJudge, TruthfulJudge, failing

from faithfulness_assert import Ask, Reply

from .systems import Sample

ANSWER, CONTEXT = "The tower is 3 m tall. It is red.", ["The tower is 3 m tall."]
HALF = Sample("How tall?", ANSWER, CONTEXT)
SERVER_DOWN = ScriptedJudge([failing("server", retryable=True)])


@dataclass
class SlowJudge:
    """Supports what the context says word for word, after a short while that differs."""

    under_way: int = 0
    most: int = 0
    name: str = "slow"
    random: Any = field(default_factory=lambda: random.Random(7), repr=False, compare=False)

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        context = {text for _, text in ask.payload.sentences}
        verdicts = [
            {"id": n, "evidence": [1] if text in context else [], "label": label}
            for n, text in ask.payload.items
            for label in ["supported" if text in context else "not_enough_info"]
        ]
        return Reply(json.dumps({"verdicts": verdicts}))

    async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(self.random.random() / 50)
        self.under_way -= 1
        return self.ask(ask, deadline=deadline)


@dataclass
class WaitingJudge(TruthfulJudge):
    """Replies after it is released; asks about other towers than the first at once."""

    released: threading.Event = field(default_factory=threading.Event)
    name: str = "waiting"

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        if "first" in ask.payload.items[0][1]:
            self.released.wait(30)
        return super().ask(ask, deadline=deadline)


class AsyncJudge:
    """Never replies; knows whether it was cancelled."""

    name = "never"

    def __init__(self) -> None:
        self.began, self.cancelled = asyncio.Event(), False

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        raise AssertionError("this blocks the event loop")

    async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.began.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return Reply("")
