"""Whole grades with a judge of a few lines: nothing inflates where replies and stages meet.

Each row of ``fixtures/stages.jsonl`` is one grade or several with the same result: ``name``;
``about``, the rule that it belongs to; ``policy``, one or a list; ``options``, ``limits`` of the
judge; ``answer``, ``context``, ``question``; ``replies``, what the judge says, one script or a
list; and ``expected``, what each result must be (see ``wrong``). To add a case, add a line there.

A script has what the judge says for each kind of ask, or for all under ``*``: one reply for all
asks, or a list of replies in order, of which the last one is repeated. Claims and truths for which
there is none are what was asked about, word for word. A reply is a text, or JSON, or one of these:

- ``{"thinks": {text: label}}``: verdicts by what a statement says, ``*`` for any other text.
- ``{"to": text or texts, "say": reply}``: only for asks that show this text or are about these.
- ``{"raise": kind}``, or ``{"reply": {...}}`` with the fields of a ``Reply``.

An ``id`` in JSON, and ``<1>`` in a text, is a place in its ask: 1 is the first number that the ask
has, whatever it is. With ``"raw": true`` a row is about wrong numbers: they are said as they are.
A long text is written as ``{"long": [text, [times, text], ...]}``; ``#`` in it counts.
"""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from threading import Lock
from typing import Any

import pytest
from fakes import TruthfulJudge, tokens
from own_policy import with_own_policy

from faithfulness_assert import Ask, GradingResult, JudgeError, Reply, grade
from faithfulness_assert.records.judge import Limits

FIXTURE = Path(__file__).parents[2] / "fixtures" / "stages.jsonl"


def expanded(value: Any) -> Any:
    """A row with its long texts written out."""
    if isinstance(value, list):
        return [expanded(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() != {"long"}:
        return {key: expanded(item) for key, item in value.items()}
    parts = (part if isinstance(part, list) else [1, part] for part in value["long"])
    return "".join(text.replace("#", str(n)) for times, text in parts for n in range(1, times + 1))


ROWS: list[dict[str, Any]] = [
    expanded(json.loads(line)) for line in FIXTURE.read_text(encoding="utf-8").split("\n") if line
]


class Scripted:
    """A judge that says what a script tells it to say.

    It is awaited, so that asks that are sent at once get their replies in order.
    """

    any_loop = True

    def __init__(
        self,
        script: Mapping[str, Any],
        limits: Mapping[str, int] | None = None,
        *,
        raw: bool = False,
    ) -> None:
        self.limits, self.raw = Limits(**(limits or {})), raw
        self.asked: list[Ask] = []
        self._script = {
            kind: list(said) if isinstance(said, list) else [said] for kind, said in script.items()
        }
        self._lock = Lock()

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        with self._lock:
            self.asked.append(ask)
            said = self._next(ask)
        if said is None:
            return TruthfulJudge().ask(ask) if "verdicts" not in ask.kind else Reply("{}")
        return as_reply(said if self.raw else placed(said, ask.ids[0] - 1), ask)

    async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        return self.ask(ask, deadline=deadline)

    def _next(self, ask: Ask) -> Any:
        said = self._script.get(ask.kind, self._script.get("*", []))
        for reply in said:
            if is_for_some(reply) and fits(reply["to"], ask):
                return reply["say"]
        for_all = [reply for reply in said if not is_for_some(reply)]
        if len(for_all) > 1:
            said.remove(for_all[0])
        return for_all[0] if for_all else None


def is_for_some(reply: Any) -> bool:
    """Whether a reply is only for some asks."""
    return isinstance(reply, dict) and reply.keys() == {"to", "say"}


def fits(condition: str | list[str], ask: Ask) -> bool:
    """Whether an ask shows this text, or is about these texts."""
    if isinstance(condition, list):
        return [text for _, text in ask.payload.items] == condition
    return any(condition in message["content"] for message in ask.messages)


def placed(said: Any, before: int) -> Any:
    """What is said, with places as the numbers of an ask that has this number before its first."""
    if isinstance(said, str):
        return re.sub(r"<(\d+)>", lambda match: str(int(match[1]) + before), said)
    if isinstance(said, list):
        return [placed(item, before) for item in said]
    if not isinstance(said, dict):
        return said
    return {
        key: item + before if key == "id" and type(item) is int else placed(item, before)
        for key, item in said.items()
    }


def as_reply(said: Any, ask: Ask) -> Reply:
    """What a script says, as a reply. Raises what the script wants to be raised."""
    if isinstance(said, dict) and said.keys() == {"raise"}:
        raise JudgeError("it failed", said["raise"], retryable=True)
    if isinstance(said, dict) and said.keys() == {"reply"}:
        return Reply(**said["reply"])
    if isinstance(said, dict) and said.keys() == {"thinks"}:
        said = thoughts(said["thinks"], ask)
    return Reply(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))


def thoughts(labels: Mapping[str, str], ask: Ask) -> dict[str, Any]:
    """The verdicts of a judge that thinks this of texts."""
    other = labels.get("*", "not_enough_info")
    shown = [number for number, _ in ask.payload.sentences][:1]
    return {
        "verdicts": [
            {"id": number, "evidence": shown, "label": labels.get(text, other)}
            for number, text in ask.payload.items
        ]
    }


def runs(row: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The policies and scripts of a row."""
    policies, scripts = (
        said if isinstance(said, list) else [said] for said in (row["policy"], row["replies"])
    )
    return list(product(policies, scripts))


def graded(row: Mapping[str, Any], policy: str, script: Any) -> tuple[GradingResult, list[Ask]]:
    """The result of a row, and the asks that it took."""
    judge = Scripted(script, row.get("limits"), raw=row.get("raw", False))
    options = dict(row.get("options", {}))
    if "question" in row:
        options["question"] = row["question"]
    options = with_own_policy({**options, "policy": policy})
    result = grade(row["answer"], row["context"], judge=judge, **options)
    return result, judge.asked


def told(result: GradingResult) -> dict[str, str]:
    """Where a result tells what is wrong with a statement."""
    components = result.to_promptfoo("all")["componentResults"]
    return {
        "reason": result.reason or "",
        "pretty": result.pretty(),
        "warnings": " ".join(result.metadata.get("warnings", ())),
        "components": " ".join(component["reason"] for component in components),
    }


def remark(ask: Ask) -> str:
    """What an ask says before its key of the reply before it."""
    line = ask.messages[-1]["content"].split("\n")[-3]
    return "" if line.startswith("</") else line


def actual(result: GradingResult, asked: Sequence[Ask], answer: str) -> dict[str, Any]:
    """The values that a row may expect."""
    score = result.score if result.defined else result.metadata.get("unreadableScore", 0.0)
    verdicts, shown = result.verdicts, (ask.payload.sentences for ask in asked)
    return {
        "score": round(score, 3),
        "pass": result.pass_,
        "defined": result.defined,
        "status": result.status,
        "error": result.error.kind if result.error else None,
        "labels": [v.label for v in verdicts],
        "unresolved": [v.unresolved for v in verdicts if v.label is None],
        "statements": [v.statement for v in verdicts],
        "spans": [answer[slice(*v.span)] if v.span else None for v in verdicts],
        "skipped": [answer[s.start : s.end] for s in result.skipped],
        "why_skipped": [span.reason for span in result.skipped],
        "counts": {name: number for name, number in result.counts.items() if number},
        "flags": [list(v.flags) for v in verdicts],
        "wrong": [list(v.wrong) for v in verdicts],
        "says": [v.says for v in verdicts],
        "evidence": [[e.sentence for e in v.evidence] for v in verdicts],
        "coverage": round(result.coverage, 3),
        "asks": sorted(ask.kind for ask in asked),
        "ratings": {name: round(value, 3) for name, value in result.named_scores.items()},
        "explained": result.reason is not None,
        "reasons": [v.reason for v in verdicts],
        "repeat_of": [v.repeat_of for v in verdicts],
        "places": [[[e.passage, e.start, e.end] for e in v.evidence] for v in verdicts],
        "asked": [[ask.kind, *(f"{n}. {text}" for n, text in ask.payload.items)] for ask in asked],
        "shown": next(([text for _, text in said] for said in shown if said), []),
        "notes": [ask.payload.notes for ask in asked],
        "remarks": [remark(ask) for ask in asked],
        "metadata": result.metadata,
    }


def wrong(expected: Mapping[str, Any], result: GradingResult, asked: list[Ask], answer: str) -> str:
    """What differs from a row: its values, the texts that places contain, and ``max_asks``."""
    places, values = told(result), actual(result, asked, answer)
    texts = {
        "reason": [places["reason"]],
        "warning": [places["warnings"]],
        "told": list(places.values()),
    }
    problems = []
    for name, value in expected.items():
        if name in texts:
            wanted = [value] if isinstance(value, str) else value
            problems += [
                f"{name} lacks {text!r}: {place}"
                for text in wanted
                for place in texts[name]
                if text not in place
            ]
        elif name == "max_asks":
            problems += [f"{len(asked)} asks"] if len(asked) > value else []
        elif name == "metadata":  # null: there is no such key
            found = {key: values[name].get(key) for key in value}
            problems += [f"{name} has {found}, not {value}"] if found != value else []
        elif values[name] != value:
            problems.append(f"{name} is {values[name]!r}, not {value!r}")
    return "; ".join(problems)


def lost_or_shared(result: GradingResult, answer: str) -> list[str]:
    """Letters and digits of the answer that are not in exactly one span. Claims share a span."""
    skipped = {(s.start, s.end) for s in result.skipped}
    spans = [*{v.span for v in result.verdicts if v.span}, *skipped]
    covered = [0] * len(answer)
    for start, end in spans:
        for place in range(start, end):
            covered[place] += 1
    return [f"{c} at {i}" for i, c in enumerate(answer) if c.isalnum() and covered[i] != 1]


def is_complete(result: GradingResult) -> bool:
    """Whether a result speaks about the whole answer: some end before the answer is looked at."""
    return bool(result.verdicts) or result.status == "no_statements"


def too_large(asked: Sequence[Ask], limits: Mapping[str, int]) -> list[str]:
    """The asks that break the judge's limits."""
    most_tokens, most_items = limits.get("prompt_tokens"), limits.get("statements")
    sizes = [(ask, sum(tokens(message["content"]) for message in ask.messages)) for ask in asked]
    return [
        f"{ask.kind} {ask.ids}: {size} tokens"
        for ask, size in sizes
        if (most_tokens and size > most_tokens) or (most_items and len(ask.ids) > most_items)
    ]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['about']}: {row['name']}")
def test_every_row_has_its_result(row):
    for policy, script in runs(row):
        result, asked = graded(row, policy, script)
        problems = wrong(row["expected"], result, asked, row["answer"])
        assert not problems, f"{policy}, {str(script)[:500]}: {problems}"
        assert not too_large(asked, row.get("limits", {}))
        assert bool(result.metadata.get("graderError")) is (result.error is not None)
        if is_complete(result):
            assert not lost_or_shared(result, row["answer"])
        json.dumps(result.to_promptfoo("all"), allow_nan=False)


def test_every_row_is_one_line_with_its_own_name_and_expects_something():
    names = [(row["about"], row["name"]) for row in ROWS]
    assert len(set(names)) == len(names)
    assert all(row["expected"] and runs(row) for row in ROWS)
