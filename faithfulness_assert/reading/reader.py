"""Read a judge's reply: its verdicts as rows and residue, in one of few forms.

A reply that is exactly what was asked for is read by ``exact.py``; the readers of all others are
loaded only then. Whether a label counts is decided in ``reconcile.py``, by the gate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..records.errors import UnreadableReply
from ..text.strings import clean_text
from .exact import exact_rows
from .rows import Reading, Row, has_rows

if TYPE_CHECKING:
    from ..records.ask import ReplyForm
    from .labels import Labels
    from .rows import Form


def read(
    text: str, labels: Labels = None, form: ReplyForm | None = None, *, single: bool = False
) -> Reading:
    """The rows and the residue of a judge's reply.

    Args:
        labels: a policy's own words (see ``labels.parse_label``).
        form: what was asked for. It changes no verdict: a reply that conforms is read faster.
        single: the reply is about one statement, so a plain sentence may be its verdict.

    Raises:
        UnreadableReply: no verdict can be read (kind ``unreadable``), or the judge refused (kind
            ``refusal``).
        TypeError: ``text`` is not a string.
    """
    if form and isinstance(text, str) and (exact := exact_rows(text, form, labels)):
        return Reading(exact, form="schema")
    from .json_form import read_json
    from .json_values import looks_like_json
    from .lines_form import read_lines

    reply = answer_in(text)
    said, mended = read_json(reply, labels)
    found: Form = "repaired" if mended else "json"
    if not has_rows(said) and not looks_like_json(reply):
        said, found = read_lines(reply, labels, single=single), "text"
    if not has_rows(said):
        raise unreadable(reply, "verdict")
    rows = tuple(part for part in said if isinstance(part, Row))
    return Reading(rows, tuple(part for part in said if isinstance(part, str)), found)


def answer_in(text: str) -> str:
    """The judge's answer, without its thinking. A text that is no string raises TypeError."""
    if not isinstance(text, str):
        raise TypeError(f"a reply must be a string, got {type(text).__name__}")
    from .json_values import unwrap
    from .thinking import without_thinking

    return without_thinking(unwrap(clean_text(text))).strip()


def unreadable(reply: str, wanted: str) -> UnreadableReply:
    """The error for a reply in which nothing that was wanted is found: why that may be."""
    from .json_values import looks_like_json
    from .refusal import is_judge_refusal, lacks_material

    if lacks_material(reply):
        return UnreadableReply(
            "the judge says that it was given no context or no statements: do they reach it?",
            "refusal",
            retryable=False,
        )
    if is_judge_refusal(reply):
        return UnreadableReply("the judge refused to answer", "refusal", retryable=False)
    if not reply:
        return UnreadableReply("the judge's reply is empty, or contains only its thinking")
    if looks_like_json(reply):
        return UnreadableReply(
            f"the judge's reply is JSON without a {wanted}, or it is broken or cut off"
        )
    return UnreadableReply(f"the judge's reply contains no {wanted}")
