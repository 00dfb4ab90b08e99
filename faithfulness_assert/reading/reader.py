"""Read a judge's reply: its verdicts as rows and residue.

Most replies are exactly what was asked for: numbers and labels, and nothing else. Without a word of
the judge's own there is no residue, so the rows of such a reply are those that ``forms.py`` finds
(a test compares them), for a tenth of the time. Whatever is not exact in any way is left to that
one, which is loaded only then. Whether a label counts is decided in ``reconcile.py``, by the gate.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
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
    if form.kind != "verdicts":
        return None
    if labels and not labels.keys().isdisjoint(form.labels):
        return None
    try:
        reply = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(reply, dict) or ("ask" in reply and not is_key(reply.pop("ask"))):
        return None
    items = reply.get("verdicts") if len(reply) == 1 else None
    if not isinstance(items, list) or not items:
        return None
    keys = {"id", "evidence", "label"} if form.numbered else {"evidence", "label"}
    reasoned = keys if form.reasons == "none" else {*keys, "reason"}
    rows = [_row(item, (keys, reasoned), form.labels) for item in items]
    return tuple(row for row in rows if row) if all(rows) else None


def _row(item: Any, keys: Collection[set[str]], labels: Collection[Label]) -> Row | None:
    if not isinstance(item, dict) or item.keys() not in keys:
        return None
    reason = item.get("reason", "")
    number, evidence, label = item.get("id", 0), item["evidence"], item["label"]
    if not isinstance(evidence, list) or label not in labels or not isinstance(reason, str):
        return None
    if not all(type(n) is int and abs(n) < _MOST for n in (number, *evidence)):  # true is no number
        return None
    return Row(item.get("id"), label, tuple(evidence), reason=clean_text(reason))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key occurs twice")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_object)
