"""What a server was seen to need: other parameters, room to think, shorter asks.

When a server rejects a parameter, the next request leaves it out or sends it in another form. What
a server rejected is not sent to it again. ``Steps`` counts the steps taken for each parameter, and
for the room to think; ``|`` has all the steps of both. They are never taken back, and there are few
of each, so adapting ends.

A window is learned from a server that finds an ask too long. Servers count with their own
tokenizers; what they say becomes tokens by the grader's count. A server may be wrong, or lie: a
window that cannot be right is replaced by half of what was sent.

What was learned can be kept in a folder, by address and model, so that no other process pays for it
again. It has numbers only: no text, no address, no key.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ...asking.windows import estimate_tokens
from ...files import new_file, read_text
from ...reading.unwrapping import is_complete, thought_and_answer
from ...records.checks import is_whole
from ...records.errors import JudgeError, PromptTooLong
from ...records.judge import PROMPT_CUT, Ask, Limits, Outcome, Reply
from ...text.strings import lazy_pattern
from .answers import ServerError

Steps = Counter[str]
REJECTING = (400, 404, 415, 422, 500, 501, 502)
"""Statuses of servers that do not support a parameter, or fail at it, or repeat another's words."""


class Fallback(NamedTuple):
    """A parameter that some servers reject.

    Args:
        pattern: how their error messages name it, in any case.
        gaps: after each step, what the server does not support, and what was sent instead.
    """

    pattern: str
    gaps: tuple[str, ...]


Fallbacks = Mapping[str, Fallback]
"""By name; one that is a part of another before that, and what messages name loosely at last."""

LEAST = 900
"""A smaller window has no room for an ask: whoever reports one is wrong, or of no use."""
MARGIN = 0.95
"""Part of a window that is used: other texts may have more tokens by the server's count."""
CHARS_PER_TOKEN = 8
"""No tokenizer packs text more tightly, in whichever script."""
ROOMS = (0, 4_096, 16_384)
"""Tokens for thinking, beside those of a reply: none at first, more after each cut-off reply."""
LEAST_FOR_TEXTS = 2_048
"""Tokens of a window of which none is kept for thinking."""
ONLY_THOUGHT = (
    "the judge spent its tokens on reasoning and said nothing; raise max_tokens, ask for less "
    "(reasoning_effort), or use another model"
)

_NUMBER = lazy_pattern(r"(?<![\w.,-])(?:\d{1,3}(?:,\d{3})+|\d{1,12})(?![\w-])")
"""A number that is no part of a name, such as that of a model."""
_SEARCHED = 2_000  # characters of a message

_THINKS = lazy_pattern(
    r"(?:^|[/:._-])(?:o[134](?:-|$)|gpt-?[5-9]|gpt-oss|gemini-(?:2\.5|[3-9])|qwen-?3|qwq|magistral"
    r"|deepseek-r\d|glm-(?:4\.[5-9]|[5-9])|kimi-k2\.5|minimax-m\d|grok-(?:3-mini|4)|seed-oss"
    r"|nemotron)|think|reason",
    re.I,
)
_THINKS_NOT = lazy_pattern(r"instruct|gpt-5[\w.]*-chat|non?-?(?:think|reason)|without", re.I)
_HARD = ("high", "xhigh", "max")


def first_room(model: str, effort: object) -> int:
    """The first of ``ROOMS`` for a model, by the family that its name tells.

    ``effort``: what was asked of it, as ``reasoning_effort``; None if nothing was.
    """
    if effort is not None:
        return 0 if effort == "none" else 2 if effort in _HARD else 1
    return int(bool(_THINKS.search(model) and not _THINKS_NOT.search(model)))


class Needs:
    """What is known about the server of one judge; shared by all its asks and threads.

    Args:
        fallbacks: the parameters that may be left out or sent in another form.
        limits: what is known before the first ask.
        first: the steps of the first ask.
        max_tokens: the most tokens of each reply, where the user sets them.
        warnings: what the user should know about the way to the server.
    """

    def __init__(
        self,
        fallbacks: Fallbacks,
        limits: Limits,
        first: Mapping[str, int],
        max_tokens: int | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        self.fallbacks = fallbacks
        self._limits, self._warnings = limits, warnings
        self._window: int | None = None  # of prompt and reply together, once it is learned
        self.steps = self.first = Steps(first)
        self._max_tokens = max_tokens
        self._path: Path | None = None
        self._kept = ""

    @property
    def limits(self) -> Limits:
        """The limits of a plan by all that was learned so far, less the room to think."""
        total = self._window and self._for_texts(self._window)
        return replace(self._limits, total_tokens=total)

    def _for_texts(self, window: int) -> int:
        """The tokens of a window without those kept for thinking, if texts have enough then."""
        wanted = self._max_tokens or self.room(self.steps)
        return window - min(wanted, max(window - LEAST_FOR_TEXTS, 0) * 2 // 3)

    def room(self, steps: Steps) -> int:
        """The tokens for thinking after these steps."""
        return ROOMS[steps["room"]]

    def cap(self, ask: Ask, steps: Steps) -> int:
        """The most tokens that the reply to an ask may have, thinking included.

        ``ask`` has the messages that are sent.
        """
        cap = self._max_tokens or ask.max_tokens + self.room(steps)
        if cap > ask.max_tokens and self._window:
            cap = max(min(cap, self._window - ask.size(estimate_tokens)), ask.max_tokens)
        return cap

    def warned(self, reply: Reply, steps: Steps) -> Reply:
        """The reply, with a warning for each of these steps, and for the way that it came."""
        empty = reply.reasoned and not (reply.text.strip() or reply.refusal)
        warnings = [*((ONLY_THOUGHT,) if empty else ()), *self._warnings]
        for name, row in self.fallbacks.items():
            if steps[name] > self.first[name]:
                warnings.append(f"the server does not support {row.gaps[steps[name] - 1]}")
        return replace(reply, warnings=(*reply.warnings, *warnings)) if warnings else reply

    # ------------------------------------------------------------ kept for other processes

    def keep_in(self, folder: Path, address: str, model: str) -> None:
        """Takes over what a folder has of this server, and keeps there what is learned.

        A file with more steps than there are is not believed.
        """
        name = hashlib.sha256(f"{address}\n{model}".encode()).hexdigest()[:24]
        self._path = folder / f"server-{name}.json"
        most = {name: len(row.gaps) for name, row in self.fallbacks.items()}
        most["room"] = len(ROOMS) - 1
        with suppress(OSError, ValueError, TypeError, AttributeError, RecursionError):
            stored = json.loads(read_text(self._path, most=1 << 20))
            steps = Steps({n: stored["steps"].get(n, 0) for n in most})
            if all(is_whole(count) and 0 <= count <= most[n] for n, count in steps.items()):
                self.steps = self.steps | steps
            if is_whole(window := stored["window"]):
                self._learned(window)
        self._kept = self._known()

    def learn(self, reply: Reply, steps: Steps) -> None:
        """Begins each later ask with the steps that led to a reply, and keeps what is new.

        Other asks may have added their steps.
        """
        if not reply.text.strip():  # they led to nothing
            steps = self.steps
        if reply.reasoned:
            steps = steps | Steps(room=1)
        if steps is not self.steps:
            self.steps = self.steps | steps
        if self._path is not None and (known := self._known()) != self._kept:
            self._kept = known
            with suppress(OSError), new_file(self._path, private=True) as file:
                file.write(known.encode("ascii"))

    def _known(self) -> str:
        taken = {name: n for name, n in self.steps.items() if n}
        return json.dumps({"steps": taken, "window": self._window})

    # ------------------------------------------------------------ after a try

    def after(
        self,
        ask: Ask,
        outcome: Outcome,
        sent: Steps,
        request: Callable[[Ask, Steps], Mapping[str, Any]],
        cap: int,
    ) -> tuple[Outcome, Steps | None]:
        """The outcome of a try, and the steps of the next one; None if it ends here.

        The next try needs no wait and is not a retry.

        Args:
            ask: what was sent, with its messages as they were sent.
            outcome: what came.
            sent: the steps with which it was sent.
            request: returns the parameters of an ask that are sent after given steps.
            cap: the most tokens that the reply could have.
        """
        if isinstance(outcome, Reply):
            return self._after_reply(ask, outcome, sent)
        if not isinstance(outcome, ServerError):
            return outcome, None
        if outcome.too_long:
            window = usable_window(outcome.said, ask.size(estimate_tokens) + cap, cap)
            error = self._too_long(outcome.message, window, http_status=outcome.http_status)
            return error, sent if self.cap(ask, sent) < cap else None
        # Not one of keys, filters, limits or time.
        may_name_one = outcome.kind in ("transport", "server")
        if outcome.status not in REJECTING or not may_name_one:
            return outcome, None
        text = f"{outcome.param} {outcome.said}"
        for name, row in self.fallbacks.items():
            if sent[name] < len(row.gaps) and re.search(row.pattern, text, re.I):
                more = sent + Steps([name])
                if request(ask, more) != request(ask, sent):
                    return outcome, more
        return outcome, None

    def _after_reply(self, ask: Ask, reply: Reply, sent: Steps) -> tuple[Outcome, Steps | None]:
        """A reply that was cut off while the model thought is asked for again with more room.

        One that is empty because the server took all of it for thinking comes without a format.
        """
        counted = reply.usage.prompt if reply.usage else 0
        if counted and _is_cut(ask, counted):
            few = f"{counted:,}" if counted >= LEAST else f"under {LEAST}"
            message = f"the server counted {few} prompt tokens, far fewer than sent: {PROMPT_CUT}"
            if counted >= LEAST:
                return self._too_long(message, int(counted * MARGIN), usage=reply.usage), None
            # Too little for a window: it may be wrong about that.
            reply = replace(reply, warnings=(message, *reply.warnings))
        ended = reply.finish_reason
        if ended == "length" and is_complete(reply.text):
            ended = "stop"
        thought, answer = thought_and_answer(reply.text)
        reasoned = bool(reply.reasoned or thought or (reply.usage and reply.usage.reasoning))
        if (ended, reasoned) != (reply.finish_reason, reply.reasoned):
            reply = replace(reply, finish_reason=ended, reasoned=reasoned)
        if ended == "length":
            answers = answer.startswith(("{", "[", "```")) and not reasoned
            if not (answers or self._max_tokens) and sent["room"] < len(ROOMS) - 1:
                return reply, sent + Steps(room=1)
        elif reasoned and not answer and not reply.refusal and ended == "stop":
            none = len(self.fallbacks["format"].gaps)
            return reply, sent | Steps(format=none) if sent["format"] < none else None
        return reply, None

    def _too_long(self, message: str, window: int, **more: Any) -> JudgeError:
        """The failure of an ask that is too long, with what a plan may use of the window."""
        self._learned(window)
        return PromptTooLong(message, self._for_texts(window), **more)

    def _learned(self, window: int) -> None:
        """From now on, this window applies, if it is one."""
        if window >= LEAST:
            self._window = min(window, self._window or window)


def _is_cut(ask: Ask, counted: int) -> bool:
    """Whether so few tokens cannot be the whole prompt.

    Ollama reads no more than its context length, or half of it and two tokens; usually that is a
    power of two.
    """
    if counted >= LEAST and any(n & (n - 1) == 0 for n in (counted, 2 * (counted - 2))):
        return counted < ask.size(estimate_tokens)
    return counted * CHARS_PER_TOKEN < ask.size(len)


def usable_window(message: str, sent: int, cap: int) -> int:
    """The window that a server's message states, by the grader's count of tokens.

    A message may also have the tokens of the prompt, of the reply (``cap``) and of both. Those of
    the prompt are more than the window, or make with the cap another number of the message. So the
    smallest of the others is the window. Half of ``sent``, prompt and cap together, if there is
    none, or one that cannot be right.
    """
    numbers = {int(n.replace(",", "")) for n in _NUMBER.findall(message[:_SEARCHED])}
    others = {n for n in numbers if n != cap and n + cap not in numbers}
    windows = (window for n in others if LEAST <= (window := int(n * MARGIN)) < sent)
    return min(windows, default=sent // 2)
