"""The faults of a judge: from a right reply, what a judge with that fault says instead.

A fault of the text (``TEXT``) changes the words. A fault of the protocol (``PROTOCOL``) is in the
HTTP answer; a server imitates it. None of them is specific to one grader.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Reply:
    """A right reply, in the form that a grader asks for.

    Args:
        value: plain text, or a value that is sent as JSON.
        list_key: where ``value`` has its list of verdicts; "" if it is one verdict by itself.
        key: where an entry has its verdict.
        yes: the verdict of a supported statement.
        no: the verdict of any other statement.
    """

    value: Any
    list_key: str = ""
    key: str = "verdict"
    yes: Any = 1
    no: Any = 0

    @property
    def text(self) -> str:
        return self.value if isinstance(self.value, str) else compact(self.value)

    @property
    def entries(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.value[self.list_key] if self.list_key else [self.value]
        return found


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _each(say: Callable[[Reply, bool, int], Any]) -> Callable[[Reply], str]:
    """The reply with other verdicts: ``say`` gets reply, right verdict (a bool) and place."""

    def fault(reply: Reply) -> str:
        entries = [
            {**entry, reply.key: say(reply, entry[reply.key] == reply.yes, place)}
            for place, entry in enumerate(reply.entries)
        ]
        changed = {reply.list_key: entries} if reply.list_key else entries[0]
        return compact(changed)

    return fault


def _listed(change: Callable[[list[Any]], list[Any]]) -> Callable[[Reply], str]:
    """The reply with another list of verdicts. A reply with one verdict has no list to change."""

    def fault(reply: Reply) -> str:
        if not reply.list_key:
            return reply.text
        return replace(reply, value={reply.list_key: change(reply.entries)}).text

    return fault


def _with_invented(entries: list[Any]) -> list[Any]:
    invented = []
    for number in (1, 2):
        own = {"statement": f"Invented statement {number}."} if "statement" in entries[0] else {}
        invented.append({**entries[0], **own})
    return [*entries, *invented]


def _number(reply: Reply, yes: bool) -> Any:
    return int(yes) if _is_word(reply) else reply.yes if yes else reply.no


def _is_word(reply: Reply) -> bool:
    return isinstance(reply.yes, str)


TEXT: dict[str, Callable[[Reply], str]] = {
    "fenced": lambda r: f"```json\n{r.text}\n```",
    "prose": lambda r: (
        f"Sure! Here is my assessment {{as asked}}:\n\n{r.text}\n\nLet me know if you need [more]."
    ),
    "think_block": lambda r: (
        f'<think>Let me see: {{"verdict": 0}} would be wrong.</think>\n{r.text}'
    ),
    "trailing_comma": lambda r: re.sub(r"([\]}])", r",\1", r.text),
    "single_quotes": lambda r: repr(r.value),
    "wrapper": lambda r: compact({"result": r.value}),
    "bare_list": lambda r: compact(r.entries),
    "renamed_key": lambda r: compact({"items": r.entries}) if r.list_key else r.text,
    "num_strings": _each(lambda r, yes, _: str(_number(r, yes))),
    "booleans": _each(lambda r, yes, _: yes),
    "alt_vocab": _each(lambda r, yes, _: int(yes) if _is_word(r) else "yes" if yes else "no"),
    "verbose_verdict": _each(lambda r, yes, _: "Yes, supported" if yes else "No, not supported"),
    "floats": _each(lambda r, yes, _: 0.9 if yes else 0.2),
    "out_of_range": _each(lambda r, yes, _: r.yes if yes else -1),
    "null_verdict": _each(lambda r, yes, _: r.yes if yes else None),
    "nan": _each(lambda r, yes, place: (r.yes if yes else r.no) if place else float("nan")),
    "fewer": _listed(lambda entries: entries[:-2]),
    "more": _listed(_with_invented),
    "duplicate": _listed(lambda entries: [entries[0], *entries]),
    "reordered": _listed(lambda entries: entries[::-1]),
    "empty_list": _listed(lambda entries: []),
    "empty_object": lambda r: "{}",
    "empty_string": lambda r: "",
    "truncated": lambda r: r.text[: int(len(r.text) * 0.62)],
    "refusal_text": lambda r: "I'm sorry, but I can't assist with that request.",
    "code_exec": lambda r: "open('PWNED','w').write('the reply was evaluated')",
}

PROTOCOL = (
    "length",
    "content_filter",
    "refusal_field",
    "null_content",
    "http429",
    "http500",
    "http_html",
    "hold",
)
