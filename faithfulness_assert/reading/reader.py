"""Read a judge's reply: its verdicts as rows and residue.

Most replies are exactly what was asked for: numbers and labels, and nothing else. Without a word of
the judge's own there is no residue, so the rows of such a reply are those that ``forms.py`` finds
(a test compares them), for a tenth of the time. Whatever is not exact in any way is left to that
one, which is loaded only then. Whether a label counts is decided in ``reconcile.py``, by the gate.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..records.judge import ReplyForm
from ..records.model import Label
from ..text.strings import clean_text
from .rows import Labels, Reading, Row, is_key


def read(
    text: str, labels: Labels = None, form: ReplyForm | None = None, *, single: bool = False
) -> Reading:
    """The rows and the residue of a judge's reply.

    Args:
        labels: a policy's own words (see ``parse_label``).
        form: what was asked for. It changes no verdict: a reply that conforms is read faster.
        single: the reply is about one statement, so a plain sentence may be its verdict.

    Raises:
        UnreadableReply: no verdict can be read (kind ``unreadable``), or the judge refused (kind
            ``refusal``).
        TypeError: ``text`` is not a string.
    """
    if form and isinstance(text, str) and (exact := exact_rows(text, form, labels)):
        return Reading(exact, form="schema")
    from .forms import read_any  # most replies are exact

    return read_any(text, labels, single=single)


_MOST = 10**9
"""Numbers of statements and sentences are smaller than this."""


def exact_rows(
    text: str, form: ReplyForm, labels: Mapping[str, Label] | None = None
) -> tuple[Row, ...] | None:
    """The rows of a reply that conforms to ``form`` to the letter; None if it does not.

    ``labels``: a policy's own words. If they change the meaning of a label, no reply is exact.
    """
    if form.kind != "verdicts" or (labels and not labels.keys().isdisjoint(form.labels)):
        return None
    keys = {"id", "evidence", "label"} if form.numbered else {"evidence", "label"}
    rows = []
    try:
        reply = _DECODER.decode(text)
        is_ours = is_key(reply.pop("ask")) if "ask" in reply else True
        items = reply.pop("verdicts")
        for item in items:
            reason = item.pop("reason", "") if form.reasons != "none" else ""
            number, evidence, label = item.get("id"), item["evidence"], item["label"]
            numbers = (*evidence, number if form.numbered else 0)
            whole = all(type(n) is int and abs(n) < _MOST for n in numbers)  # true is no number
            is_exact = whole and label in form.labels and item.keys() == keys
            if not is_exact or type(evidence) is not list or type(reason) is not str:
                return None
            rows.append(Row(number, label, tuple(evidence), reason=clean_text(reason)))
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):  # another form
        return None
    return tuple(rows) if rows and is_ours and not reply and type(items) is list else None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key occurs twice")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_object)
