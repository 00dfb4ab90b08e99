"""How long an ask may be: known by model, or learned from a server that finds an ask too long.

Servers count with their own tokenizers. What they say becomes tokens by the grader's count. A
server may be wrong, or lie: a window that cannot be right is replaced by half of what was sent.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ...records.errors import PromptTooLong
from ...records.judge import Ask, Limits, Outcome, Reply
from ..token_counter import model_of, token_counter
from .answers import ServerError

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
WINDOWS = {
    "claude": 200_000,
    "gpt-3.5-turbo": 16_385,
    "gpt-4": 8_192,
    "gpt-4-0125": 128_000,
    "gpt-4-1106": 128_000,
    "gpt-4-32k": 32_768,
    "gpt-4-turbo": 128_000,
    "gpt-4-vision": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-4o": 128_000,
    "gpt-5": 272_000,
    "o1": 200_000,
    "o1-mini": 128_000,
    "o1-preview": 128_000,
    "o3": 200_000,
    "o4-mini": 200_000,
}

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
_NUMBER = re.compile(r"\d{1,12}")
_SEARCHED = 2_000  # characters of a message


def default_limits(judge_name: str, statements: int) -> Limits:
    """The limits of a judge without the option ``max_prompt_tokens``."""
    model = model_of(judge_name).rpartition("/")[2]
    parts = model.split("-")
    names = ("-".join(parts[:end]) for end in range(len(parts), 0, -1))
    known = next((WINDOWS[name] for name in names if name in WINDOWS), None)
    if known is None:
        return Limits(UNKNOWN_PROMPT, statements)
    return Limits(statements=statements, total_tokens=min(known, LONGEST))


class ContextWindow:
    """What is known about the window of one judge; shared by all its asks and threads.

    Args:
        judge_name: names the model, whose tokens are counted.
        limits: what is known before the first ask.
    """

    def __init__(self, judge_name: str, limits: Limits) -> None:
        self._count, self._limits = token_counter(judge_name), limits

    @property
    def limits(self) -> Limits:
        """The limits by all that was learned so far."""
        return self._limits

    def checked(self, ask: Ask, outcome: Outcome) -> Outcome:
        """The outcome of a try. If the ask was too long, it is a failure that names the window.

        ``ask`` has the messages that were sent, which a judge may word otherwise than the plan.
        """
        if isinstance(outcome, Reply):
            return self._unless_cut(ask, outcome)
        if not isinstance(outcome, ServerError) or not outcome.too_long:
            return outcome
        window = self._learned(usable_window(outcome.said, ask.size(self._count), ask.max_tokens))
        return PromptTooLong(outcome.message, window, http_status=outcome.http_status)

    def _unless_cut(self, ask: Ask, reply: Reply) -> Outcome:
        """The reply; a failure if the server read only a part of the prompt.

        Where it read too little for a window, the reply warns of it: it may be wrong about that.
        """
        counted = reply.usage.prompt if reply.usage else 0
        if not counted or not self._is_cut(ask, counted):
            return reply
        message = (
            f"the server counted {counted:,} prompt tokens, far fewer than were sent: "
            "it may have cut the prompt"
        )
        if counted < LEAST:
            return replace(reply, warnings=(message, *reply.warnings))
        return PromptTooLong(message, self._learned(int(counted * MARGIN)), usage=reply.usage)

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
        if _is_power_of_two(counted) or _is_power_of_two(2 * (counted - 2)):
            return counted < ask.size(self._count)
        few = counted * CHARS_PER_TOKEN < len(text) < 1.1 * len(text.encode("ascii", "ignore"))
        return few and 2 * counted < ask.size(self._count)

    def _learned(self, window: int) -> int:
        """``window``, which applies from now on."""
        known = self._limits.total_tokens
        if window >= LEAST and (known is None or window < known):
            self._limits = replace(self._limits, total_tokens=window)
        return window


def _is_power_of_two(number: int) -> bool:
    return number & (number - 1) == 0


def usable_window(message: str, prompt: int, reply: int) -> int:
    """The window that a server's message states, by the grader's count of tokens.

    Half of what was sent if it states none, or one that cannot be right.

    Args:
        message: what the server said.
        prompt: the tokens of the prompt by the grader's count.
        reply: the cap on the tokens of the reply.
    """
    text, sent = message[:_SEARCHED], prompt + reply
    found = next((match for pattern in _STATED if (match := pattern.search(text))), None)
    stated = int(found[1]) if found else 0
    # The server's own count of the prompt, or a larger one, which is on the safe side.
    numbers = {int(number) for number in _NUMBER.findall(text)} - {stated}
    counted = min((n for n in numbers if n >= prompt), default=prompt)
    window = int(stated * MARGIN * prompt / max(counted, 1))
    return window if LEAST <= window < sent else sent // 2
