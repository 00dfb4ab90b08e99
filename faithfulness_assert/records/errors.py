"""Every error that this package raises, and whose fault it is.

FaithfulnessError
├── ConfigError      yours: a judge, policy, threshold or option that cannot be used (a ValueError)
├── InputError       your data's: an answer or context that cannot be graded (a ValueError);
│                    grade() turns it into a result with status ``invalid_input``
├── NotGraded        a grader error where no result can be returned (in ``pytest_plugin``)
└── JudgeError       the judge's: it has a kind, whether a retry may help, and what it cost
    ├── PromptTooLong     an ask is too long for the judge's context window
    └── UnreadableReply   the judge replied, but no verdict can be read
        └── OtherReply    the reply is that to another ask

The message of a ``ConfigError`` shows nothing that looks like a key or a password.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, get_args

from ..text.strings import lazy_pattern
from .usage import Usage

REDACTED = "[redacted]"
# A key is random: a piece of it, without a sign inside, mixes letters and digits, or large and
# small letters, or is long; or there are signs in place of letters. "sk-2024.jsonl" is the name of
# a file, and "xai-grok-4-fast-reasoning" that of a model.
_MIXED = r"(?=[^\W_]{6})(?=\d{0,40}[^\W\d_])(?=[^\W\d_]{0,40}\d)"
_CASES = r"(?-i:[a-z]{1,40}[A-Z]{1,40}[a-z]{1,40}[A-Z])"
_RANDOM = rf"(?=[\w+/=\-]{{0,40}}(?:[*…]|\.\.|[^\W\d_]{{12}}|\d{{9}}|{_MIXED}|{_CASES}))"
_KEY = lazy_pattern(
    rf"\bsk-{_RANDOM}[\w*.+/=\-…]{{4,}}"
    r"|\b(?:sk_|gsk_|hf_|r8_|xai-|pplx-|nvapi-|gh[a-z]_|github_pat_|AIza|AKIA)"
    rf"{_RANDOM}[\w\-]{{12,}}"
    r"|(?<=://)[^\s/@]{1,300}@",
    re.IGNORECASE,
)


def without_keys(text: str) -> str:
    """``text`` without what begins like a provider's key, and without logins in addresses."""
    return _KEY.sub(REDACTED, text)


# ---------------------------------------------------------------- errors


JudgeErrorKind = Literal[
    "refusal",
    "content_filter",
    "truncated",
    "unreadable",
    "unreliable_judge",
    "transport",
    "auth",
    "rate_limit",
    "timeout",
    "server",
    "not_stored",
    "token_limit",
]

Remedy = Literal["wait", "repair", "none"]
"""What helps the asks after one that failed.

``wait``: the server fails whatever it is asked, and may work again by itself. ``repair``: it does
too, until a person mends key, credit, model or address. ``none``: this ask alone failed.
"""


class FaithfulnessError(Exception):
    """Base of every error of this package."""


class ConfigError(FaithfulnessError, ValueError):
    """The caller's own mistake: a judge, policy, threshold or option that cannot be used.

    What looks like a key is no part of its message: one may be typed where a name belongs.
    """

    __module__ = "faithfulness_assert"  # as users import it: a line of pytest has little room

    def __init__(self, *args: object) -> None:
        super().__init__(*(without_keys(arg) if isinstance(arg, str) else arg for arg in args))


class InputError(FaithfulnessError, ValueError):
    """Data that cannot be graded; ``grade()`` turns it into the status ``invalid_input``."""

    case_id: object = None
    """The id of the case, where that alone could be read."""


class JudgeError(FaithfulnessError):
    """The judge failed. This says nothing about the answer.

    Args:
        message: what happened and what to do, free of secrets.
        kind: one of ``JudgeErrorKind``; any other word is taken as ``transport``.
        retryable: whether the same ask may succeed later.
        usage: what the failed ask cost, where the judge said so.
        http_status: the HTTP status, where there was one.
        fix: what the user can do, if the kind does not say it.
        retry_after: the seconds that the judge asks us to wait, if it does.
        remedy: what helps the asks after this one, where the judge knows; else the kind says it.
    """

    def __init__(
        self,
        message: str,
        kind: JudgeErrorKind = "transport",
        *,
        retryable: bool = False,
        usage: Usage | None = None,
        http_status: int | None = None,
        fix: str = "",
        retry_after: float | None = None,
        remedy: Remedy | None = None,
    ) -> None:
        super().__init__(message)
        self.message = str(message)
        self.kind: JudgeErrorKind = kind if kind in get_args(JudgeErrorKind) else "transport"
        self.retryable = retryable
        self.usage = usage
        self.http_status = http_status
        self.fix = fix
        self.retry_after = retry_after
        self.remedy: Remedy = remedy or "none"
        if remedy is None:
            # No credit, or a wait of an hour, is for a person to mend.
            no_credit = self.kind == "rate_limit" and not retryable
            no_answer = self.kind == "transport" and http_status is None
            if no_credit or self.kind == "auth" or http_status == 404:
                self.remedy = "repair"
            elif no_answer or self.kind in ("rate_limit", "server", "timeout"):
                self.remedy = "wait"


class PromptTooLong(JudgeError):  # noqa: N818 - the public name, shorter than the rule's
    """An ask is too long for the judge. The grader then asks again, with shorter asks.

    Args:
        window: the tokens that prompt and reply may have together, by the grader's count.

    Raises:
        TypeError: the window is not a whole number.
    """

    def __init__(
        self,
        message: str,
        window: int,
        *,
        usage: Usage | None = None,
        http_status: int | None = None,
        fix: str = "Lower max_prompt_tokens, or use a model with a larger context window.",
    ) -> None:
        if not isinstance(window, int):
            raise TypeError(f"PromptTooLong.window: got {type(window).__name__}")
        super().__init__(
            message, "transport", usage=usage, http_status=http_status, fix=fix, remedy="none"
        )
        self.window = window


class UnreadableReply(JudgeError):  # noqa: N818 - the public name, shorter than the rule's
    """The judge replied, but its reply contains no verdict that can be read and matched."""

    def __init__(
        self,
        message: str,
        kind: JudgeErrorKind = "unreadable",
        *,
        retryable: bool = True,
        **more: Any,
    ) -> None:
        super().__init__(message, kind, retryable=retryable, **more)


class OtherReply(UnreadableReply):
    """The reply repeats the key of another ask, so it belongs to that one."""


def pip_install(*requirements: str, extra: str = "") -> str:
    """The command that installs these requirements, or an ``extra`` of this project.

    It is quoted for any shell: zsh takes ``[...]`` for a pattern, and all take ``>`` for a file.
    """
    from shlex import quote  # only on the way to a hint

    names = (f"faithfulness-assert[{extra}]",) if extra else requirements
    return " ".join(["pip install", *map(quote, names)])


def suggest(word: str, choices: Iterable[str]) -> str:
    """Help after an unknown name: the most similar known one, else all of them.

    Of a word that ends with a name, all: ``unsupported`` is the opposite of ``supported``.
    """
    import difflib  # only ever needed on the way to an error

    names = sorted(choices)
    if not names:
        return "It takes none."
    near = difflib.get_close_matches(word, names, n=1)
    return (
        f"Did you mean {near[0]!r}?"
        if near and not word.endswith(near[0])
        else f"Known: {', '.join(names)}."
    )


# ---------------------------------------------------------------- how messages call an option
# As Python has it, or as the command line has it: who shows messages says it once.

COMMANDS = {"mapping": "map"}
"""Options whose name on the command line is another than in Python."""
OWN_FLAGS = ("from", "records")
"""Keys of a mapping that are flags on the command line."""
_on_command_line = False


def option(name: str, value: object = None) -> str:
    """An option for a message, with a value if there is one.

    ``option("mapping", {"answer": "COLUMN"})`` is ``mapping={'answer': 'COLUMN'}``, and on the
    command line ``--map answer=COLUMN``. True is the value of a switch.
    """
    if not _on_command_line:
        return name if value is None else f"{name}={value!r}"
    flag = f"--{COMMANDS.get(name, name).replace('_', '-')}"
    if value is None or value is True:
        return flag
    import shlex  # only ever needed on the way to a message

    if not isinstance(value, Mapping):
        return f"{flag} {shlex.quote(str(value))}"
    given = [f"{key}={item}" for key, item in value.items() if key not in OWN_FLAGS]
    own = [f"--{key} {shlex.quote(str(value[key]))}" for key in OWN_FLAGS if key in value]
    return " ".join([*(f"{flag} {shlex.quote(text)}" for text in given), *own])


@contextmanager
def named_as_on_command_line() -> Iterator[None]:
    """While it is open, messages name options as the command line has them."""
    global _on_command_line  # one process is one command line, or none
    before, _on_command_line = _on_command_line, True
    try:
        yield
    finally:
        _on_command_line = before
