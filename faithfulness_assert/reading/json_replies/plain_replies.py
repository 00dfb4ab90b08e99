"""Reads a reply that is exactly what was asked for: numbers and labels, and nothing else.

Most replies are. Without a word of the judge's own there is nothing to weigh, so its verdicts are
those that the full reader finds (``tests/test_plain_replies.py`` compares them), for a tenth of the
time. Whatever is not plain in any way is left to the full reader.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..raw_verdict import RawVerdict

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ...records.ask import ReplyForm
    from ...records.model import Label

_KEYS = {"id", "evidence", "label"}
_MOST = 10**9
"""Numbers of statements and sentences are smaller than this."""


def plain_verdicts(
    text: str, form: ReplyForm, labels: Mapping[str, Label] | None = None
) -> tuple[RawVerdict, ...] | None:
    """The verdicts of a reply that conforms to ``form`` to the letter; None if it does not.

    ``labels``: a policy's own words. If they change the meaning of a label, no reply is plain.
    """
    if form.kind != "verdicts" or form.reasons:
        return None
    if labels and not labels.keys().isdisjoint(form.labels):
        return None
    try:
        reply = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    items = reply.get("verdicts") if isinstance(reply, dict) and len(reply) == 1 else None
    if not isinstance(items, list) or not items:
        return None
    verdicts = [_verdict(item, form.labels) for item in items]
    return tuple(v for v in verdicts if v) if all(verdicts) else None


def _verdict(item: Any, labels: Collection[Label]) -> RawVerdict | None:
    if not isinstance(item, dict) or item.keys() != _KEYS:
        return None
    number, evidence, label = item["id"], item["evidence"], item["label"]
    if not isinstance(evidence, list) or label not in labels:
        return None
    if not all(type(n) is int and abs(n) < _MOST for n in (number, *evidence)):  # true is no number
        return None
    return RawVerdict(number, label=label, evidence=tuple(evidence))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key occurs twice")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_object)
