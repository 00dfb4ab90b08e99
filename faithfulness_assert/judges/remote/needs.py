"""What a server was seen to need: other parameters, room to think, shorter asks.

A window is known by model, or learned from a server that finds an ask too long. Servers count with
their own tokenizers; what they say becomes tokens by the grader's count. A server may be wrong, or
lie: a window that cannot be right is replaced by half of what was sent.

What was learned can be kept in a folder, by address and model, so that no other process pays for it
again. It has numbers only: no text, no address, no key.
"""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...asking.tokens import estimate_tokens
from ...files import new_file, read_text
from ...records.checks import is_whole
from ...records.errors import PromptTooLong
from ...records.judge import Ask, Limits, Outcome, Reply
from ...text.strings import lazy_pattern
from .. import model_of
from .answers import ServerError
from .fallbacks import REJECTING, Steps, merge_steps

UNKNOWN_PROMPT = 100_000
"""The longest prompt for a model that is not known, until its server says more."""
LONGEST = 200_000
"""The longest ask by default. A longer one may well take more than the default timeout."""
LEAST = 900
"""A smaller window has no room for an ask: whoever reports one is wrong, or of no use."""
MARGIN = 0.95
"""Part of a window that is used: other texts may have more tokens by the server's count."""
CHARS_PER_TOKEN = 5
"""A server that counted more than one token for so many characters read the whole prompt."""
CHARS_PER_TOKEN_AT_MOST = 8
"""No tokenizer packs text more tightly, in whichever script."""

# Prompt and reply together, or less if the prompt has a limit of its own. As in the providers'
# lists of models (platform.openai.com/docs/models, platform.claude.com/docs), November 2026.
_MODELS = {
    8_192: "gpt-4",
    16_385: "gpt-3.5-turbo",
    32_768: "gpt-4-32k",
    128_000: "gpt-4-0125 gpt-4-1106 gpt-4-turbo gpt-4-vision gpt-4o o1-mini o1-preview",
    200_000: "claude o1 o3 o4-mini",
    272_000: "gpt-5",
    1_047_576: "gpt-4.1",
}
WINDOWS = {model: window for window, models in _MODELS.items() for model in models.split()}

_STATED = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"> *(\d{1,12})",
        r"<= *(\d{1,12})",
        r"(?<!input )(?<!\()(?:length|size|window|limit):? (?:is |of )?(?:only )?\(?(-?\d{1,12})",
        r"tokens allowed \((\d{1,12})",
        r"with (\d{1,12}) maximum context",
        r"\blimit:? (\d{1,12}), requested",
    )
)
_NUMBER = lazy_pattern(r"\d{1,12}")
_CAP = lazy_pattern(r"(?:output|completion|new|max)[_ ]?(?:\w{1,12}[_ ])?tokens|num_predict", re.I)
"""How servers name the cap on a reply, which may be too large for the model."""
_SEARCHED = 2_000  # characters of a message


def default_limits(judge_name: str, statements: int) -> Limits:
    """The limits of a judge without the option ``max_prompt_tokens``."""
    model = model_of(judge_name).rpartition("/")[2]
    parts = model.split("-")
    names = ("-".join(parts[:end]) for end in range(len(parts), 0, -1))
    window = next((WINDOWS[name] for name in names if name in WINDOWS), None)
    if window is None:
        return Limits(UNKNOWN_PROMPT, statements)
    return Limits(statements=statements, total_tokens=min(window, LONGEST))


ROOMS = (0, 4_096, 16_384)
"""Tokens for thinking, beside those of a reply: none at first, more after each cut-off reply."""

LEAST_FOR_TEXTS = 2_048
"""Tokens of a window of which none is kept for thinking."""

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
        limits: what is known before the first ask.
        steps: the fallbacks with which the first ask is sent, and in ``room`` which of ``ROOMS``.
        max_tokens: the most tokens of each reply, where the user sets them.
        budget: tokens for thinking that the user asks the model to use.
    """

    def __init__(self, limits: Limits, steps: Steps, max_tokens: int | None, budget: int) -> None:
        self._limits, self.steps = limits, steps
        self.max_tokens, self._budget = max_tokens, budget
        self._most: int | None = None
        self._path: Path | None = None
        self._stored: dict[str, Any] = {}

    @property
    def limits(self) -> Limits:
        """The limits of a plan by all that was learned so far, less the room to think."""
        total = self._limits.total_tokens
        if total is None:
            return self._limits
        return replace(self._limits, total_tokens=total - self._kept_free(total))

    def _kept_free(self, total: int) -> int:
        """The tokens of a window that are kept for thinking, if texts have enough beside that."""
        wanted = self.max_tokens or self.room(self.steps)
        return min(wanted, max(total - LEAST_FOR_TEXTS, 0) * 2 // 3)

    def room(self, steps: Steps) -> int:
        """The tokens for thinking after these steps."""
        return max(ROOMS[steps["room"]], self._budget)

    def cap(self, ask: Ask, steps: Steps) -> int:
        """The most tokens that the reply to an ask may have, thinking included.

        ``ask`` has the messages that are sent.
        """
        cap = self.max_tokens or ask.max_tokens + self.room(steps)
        total = self._limits.total_tokens
        if cap <= ask.max_tokens:
            return cap
        if total is not None:
            cap = min(cap, total - ask.size(estimate_tokens))
        return max(min(cap, self._most or cap), ask.max_tokens)

    # ------------------------------------------------------------ kept for other processes

    def keep_in(self, folder: Path, address: str, model: str, most: Steps) -> None:
        """Takes over what a folder has of this server, and keeps there what is learned.

        ``most``: the most steps of each kind. A file with others is not believed.
        """
        name = hashlib.sha256(f"{address}\n{model}".encode()).hexdigest()[:24]
        self._path = folder / f"server-{name}.json"
        with suppress(OSError, ValueError, TypeError, AttributeError, RecursionError):
            stored = json.loads(read_text(self._path, most=1 << 20))
            steps = {n: stored["steps"].get(n, 0) for n in most}
            if all(is_whole(count) and 0 <= count <= most[n] for n, count in steps.items()):
                self.steps = merge_steps(self.steps, steps)
            if is_whole(window := stored["window"]):
                self._learned(window)
            if is_whole(least := stored["most"]) and least >= LEAST:
                self._most = least
        self._stored = self._as_json()

    def learn(self, reply: Reply, steps: Steps) -> bool:
        """Begins each later ask with the steps that led to a reply. Whether there is news to keep.

        Other asks may have added their steps.
        """
        if reply.reasoned:
            steps = {**steps, "room": max(steps["room"], 1)}
        if not reply.text.strip():
            steps = {**steps, "format": 0}
        self.steps = merge_steps(self.steps, steps)
        return self._path is not None and self._as_json() != self._stored

    def keep(self) -> None:
        """Writes what was learned into the folder."""
        self._stored = self._as_json()
        if self._path is not None:
            with suppress(OSError), new_file(self._path, private=True) as file:
                file.write(json.dumps(self._stored).encode("ascii"))

    def _as_json(self) -> dict[str, Any]:
        taken = {name: count for name, count in self.steps.items() if count}
        return {"steps": taken, "window": self._limits.total_tokens, "most": self._most}

    # ------------------------------------------------------------ asks that are too long

    def checked(self, ask: Ask, outcome: Outcome, cap: int) -> Outcome:
        """The outcome of a try. If the ask was too long, it is a failure that names the window.

        ``ask`` has the messages that were sent, which a judge may word otherwise than the plan;
        ``cap`` was the most tokens of the reply.
        """
        if isinstance(outcome, Reply):
            counted = outcome.usage.prompt if outcome.usage else 0
            if not counted or not self._is_cut(ask, counted):
                return outcome
            message = (
                f"the server counted {counted:,} prompt tokens, far fewer than were sent: "
                "it may have cut the prompt"
            )
            if counted >= LEAST:
                return self._too_long(message, int(counted * MARGIN), usage=outcome.usage)
            # Too little for a window: it may be wrong about that.
            return replace(outcome, warnings=(message, *outcome.warnings))
        if not isinstance(outcome, ServerError):
            return outcome
        if outcome.too_long:
            window = usable_window(outcome.said, ask.size(estimate_tokens), cap)
            return self._too_long(outcome.message, window, http_status=outcome.http_status)
        if outcome.status in REJECTING and cap > ask.max_tokens and _CAP.search(outcome.said):
            numbers = map(int, _NUMBER.findall(outcome.said[:_SEARCHED]))
            most = max((n for n in numbers if ask.max_tokens <= n < cap), default=0)
            self._most = most or self._most
        return outcome

    def _too_long(self, message: str, window: int, **more: Any) -> PromptTooLong:
        """The failure of an ask that is too long, with what a plan may use of the window."""
        self._learned(window)
        return PromptTooLong(message, window - self._kept_free(window), **more)

    def _is_cut(self, ask: Ask, counted: int) -> bool:
        """Whether so few tokens cannot be the whole prompt.

        Ollama reads no more than its context length, or half of it and two tokens; usually that is
        a power of two.
        """
        text = "".join(message["content"] for message in ask.messages)
        if counted * CHARS_PER_TOKEN_AT_MOST < len(text):
            return True
        if counted < LEAST:
            return False
        if any(number & (number - 1) == 0 for number in (counted, 2 * (counted - 2))):
            return counted < ask.size(estimate_tokens)
        few = counted * CHARS_PER_TOKEN < len(text) < 1.1 * len(text.encode("ascii", "ignore"))
        return few and 2 * counted < ask.size(estimate_tokens)

    def _learned(self, window: int) -> None:
        """From now on, this window applies, if it is one."""
        before = self._limits.total_tokens
        if window >= LEAST and (before is None or window < before):
            self._limits = replace(self._limits, total_tokens=window)


def usable_window(message: str, prompt: int, reply: int) -> int:
    """The window that a server's message states, by the grader's count of tokens.

    Half of what was sent if it states none, or one that cannot be right.

    Args:
        message: what the server said.
        prompt: the tokens of the prompt by the grader's count.
        reply: the cap on the tokens of the reply.
    """
    text, sent = message[:_SEARCHED], prompt + reply
    statement = next((match for pattern in _STATED if (match := pattern.search(text))), None)
    stated = int(statement[1]) if statement else 0
    # The server's own count of the prompt, or a larger one, which is on the safe side.
    numbers = {int(number) for number in _NUMBER.findall(text)} - {stated}
    counted = min((n for n in numbers if n >= prompt), default=prompt)
    window = int(stated * MARGIN * prompt / max(counted, 1))
    return window if LEAST <= window < sent else sent // 2
