"""What came of an ask, as a plan receives it: a reply, or a ``JudgeError``.

A judge may be anybody's code. Whatever it returns or raises instead is wrapped in a ``JudgeError``.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from ..records.ask import Ask, Outcome, Reply
from ..records.errors import JudgeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..records.usage import Usage

log = logging.getLogger("faithfulness_assert")
# Without a handler, logging prints warnings to stderr, which promptfoo shows as the reason.
log.addHandler(logging.NullHandler())

MAX_CAUSES = 5


def as_outcome(ask: Ask, reply: object) -> Outcome:
    """``reply`` if it is one; else the error that the judge must have returned a reply."""
    if isinstance(reply, JudgeError):
        return failed(ask, reply)
    if not isinstance(reply, Reply):
        return failed(ask, _misbehaved(f"returned {type(reply).__name__}, not a Reply"))
    log.info(
        "%s: asked for %d, replied %d characters, %s",
        *(ask.kind, len(ask.ids), len(reply.text), reply.finish_reason),
    )
    return reply


def failed(ask: Ask, error: Exception | SystemExit) -> JudgeError:
    """The ``JudgeError`` for what an ask raised. Its cause is what the judge itself raised.

    The text of a foreign exception may contain a key, so messages only show its type. The log shows
    more of it at DEBUG, without credentials.
    """
    judge_error = error if isinstance(error, JudgeError) else wrapped(error)
    log.warning("%s: asked for %d, failed: %s", ask.kind, len(ask.ids), judge_error.kind)
    if judge_error is not error and log.isEnabledFor(logging.DEBUG):
        log.debug("what the judge raised: %s", "".join(_shown(error)))
    return judge_error


def late(waited: float = 0.0, usage: Usage | None = None) -> JudgeError:
    """The error of an ask for which no time is left, after it ``waited`` (seconds) for others."""
    message = "the deadline of this grade has passed"
    if waited >= 1:
        message += f": this ask waited {waited:.0f} s for others; raise concurrency or deadline"
    return JudgeError(message, "timeout", retryable=True, usage=usage)


def wrapped(error: Exception | SystemExit) -> JudgeError:
    """The ``JudgeError`` for what a judge raised instead."""
    name = type(error).__name__
    # Python 3.10 has three classes of this name.
    if any(base.__name__ == "TimeoutError" for base in type(error).__mro__):
        wrapped = JudgeError(f"the judge raised {name}", "timeout", retryable=True)
    else:
        wrapped = _misbehaved(f"raised {name}, not a JudgeError")
    wrapped.__cause__ = error
    return wrapped


def _misbehaved(what: str) -> JudgeError:
    fix = "Fix the judge: its ask() must return a Reply or raise a JudgeError."
    return JudgeError(f"the judge {what}", "transport", fix=fix)


def _shown(error: BaseException) -> Iterator[str]:
    """The tracebacks of an exception and its causes, without credentials in their texts."""
    import traceback

    from ..judges.remote.redaction import redact, safe_text

    cause: BaseException | None = error
    for _ in range(MAX_CAUSES):
        if cause is None:
            return
        try:
            said = safe_text(str(cause))
        except Exception:  # noqa: BLE001 - its __str__ may be anybody's code too
            said = "it has no text"
        yield f"{type(cause).__name__}: {said}\n"
        yield redact("".join(traceback.format_tb(cause.__traceback__)))
        cause = cause.__cause__ or cause.__context__
