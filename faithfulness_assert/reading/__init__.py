"""Read a judge's reply: verdicts, claims (or truths), ratings, a reason, or an error.

No verdict is ever guessed. A reply that is exactly what was asked for is read here. Every other one
goes to ``full_reader.py``, which is loaded only then: its many patterns take time to compile.
Whether the verdicts fit the statements is checked in ``reconcile.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .json_replies.plain_replies import plain_verdicts
from .labels import parse_label
from .raw_verdict import RawVerdict, Reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..records.ask import ReplyForm
    from ..records.model import Label
    from .full_reader import read_claims, read_ratings, read_reason

__all__ = [
    "RawVerdict",
    "Reading",
    "parse_label",
    "read",
    "read_claims",
    "read_ratings",
    "read_reason",
]


def read(
    text: str, labels: Mapping[str, Label] | None = None, form: ReplyForm | None = None
) -> Reading:
    """The verdicts of a reply, in its order and with its own numbers.

    Args:
        text: the judge's reply.
        labels: a policy's own words (see ``parse_label``).
        form: what was asked for. It changes no verdict: a reply that conforms is read faster.

    Raises:
        UnreadableReply: no verdict can be read (kind ``unreadable``), or the judge refused (kind
            ``refusal``).
        TypeError: ``text`` is not a string.
    """
    if form and isinstance(text, str) and (verdicts := plain_verdicts(text, form, labels)):
        return Reading(verdicts, "schema")
    from .full_reader import read_verdicts_in

    return read_verdicts_in(text, labels)


def __getattr__(name: str) -> Any:
    """The names of the full reader, which are loaded on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import full_reader

    return getattr(full_reader, name)
