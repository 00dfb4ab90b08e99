"""A judge that judges honestly, and copies what its prompt contains into its reply.

Judges quote what they judge: before their verdicts, behind them, in a reason or a field. :data:`FORMS` are the forms
in which it writes its verdicts, :data:`PLACES` where the copy stands.
"""

import json
from collections.abc import Callable, Mapping

from fakes import USAGE

from faithfulness_assert import Ask, Reply

Labels = Mapping[int, str]


def _listed(line: str, head: str = "", tail: str = "") -> Callable[[Labels, str], str]:
    """A form with a line for each verdict; the copy stands behind the last one."""

    def form(labels: Labels, reason: str) -> str:
        lines = [line.format(n, label) for n, label in labels.items()]
        return "\n".join(part for part in (head, *lines, tail, reason) if part)

    return form


def _as_json(labels: Labels, reason: str, **more: str) -> str:
    said = [{"id": n, "evidence": [1], "label": label} for n, label in labels.items()]
    told = {"reason": reason} if reason else {}
    return json.dumps({"verdicts": [{**entry, **told} for entry in said], **more})


def _in_order(labels: Labels, reason: str) -> str:
    words = ("Yes" if label == "supported" else "No" for label in labels.values())
    told = f"{reason}\n" if reason else ""
    return f"{told}Final verdict for each statement in order: {'. '.join(words)}."


FORMS: dict[str, Callable[[Labels, str], str]] = {
    "json": _as_json,
    "fenced": lambda labels, reason: f"```json\n{_as_json(labels, reason)}\n```",
    "mapping": lambda labels, reason: json.dumps(
        {**labels, **({"note": reason} if reason else {})}
    ),
    "numbered": _listed("{0}. {1}"),
    "colon": _listed("{0}: {1} [1]"),
    "verdict lines": _listed("verdict: {1}"),
    "table": _listed("| {0} | {1} |", "| id | label |\n|---|---|"),
    "csv": _listed("{0},{1}", "id,label"),
    "yaml": _listed("  - id: {0}\n    label: {1}", "verdicts:"),
    "tags": _listed('<verdict id="{0}">{1}</verdict>', "<verdicts>", "</verdicts>"),
    "headed": _listed("### Statement {0}\nVerdict: {1}\n"),
    "final": _in_order,
}

PLACES: dict[str, Callable[[str, Callable[[str], str]], str]] = {
    "before": lambda copy, written: f"{copy}\n\n{written('')}",
    "behind": lambda copy, written: f"{written('')}\n\n{copy}",
    "around": lambda copy, written: f"{copy}\n\n{written('')}\n\n{copy}",
    "quoted": lambda copy, written: f"The answer says: {json.dumps(copy)}\n{written('')}",
    "thought": lambda copy, written: f"<think>{copy}</think>\n{written('')}",
    "inside": lambda copy, written: written(copy),
}


class CopyingJudge:
    """Gives each statement its label, in one form, with a copy at one place."""

    name = "copying"

    def __init__(self, label: Callable[[str], str], form: str, place: str, copy: str) -> None:
        self._label, self._form, self._place, self._copy = label, FORMS[form], PLACES[place], copy

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        labels = {n: self._label(text) for n, text in ask.payload.items}
        return Reply(self._place(self._copy, lambda copy: self._form(labels, copy)), usage=USAGE)
