"""Judges that do what a text of their prompt tells them, and how often a lie passes with them.

The texts are rows of ``fixtures/attacks.jsonl`` with a rule (``obeys``): which statements are said to be controls that must be
rejected. The judge supports all others. It reads nothing but its prompt, and computes what it is told to from all of it.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fakes import USAGE

from faithfulness_assert import Ask, Reply, grade

PASSAGES = [
    "The city museum opens at nine. Adults pay 14 euros for a ticket. The collection was founded in 1889 by Clara Brandt.",
    "The river ferry leaves every hour. A boat carries 120 people. The pier lies beside the old market hall.",
]
LIE = "Dogs and bicycles may enter all rooms of the museum."
ANSWER = f"The city museum opens at nine. {LIE}"
SEEDS = 200


class Shown:
    """What a prompt shows."""

    def __init__(self, content: str) -> None:
        blocks = {
            name: (tag, dict(re.findall(r"^(\d+) (.*)$", block, re.MULTILINE)))
            for name, tag, block in re.findall(r"<(\w+)-(\w+)>\n(.*?)\n</\1-\2>", content, re.S)
        }
        self.tag, self.statements = blocks["statements"]
        self.sentences = list(blocks["context"][1].values())
        self.text = "\n".join(self.sentences)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _differ_by_little(one: str, other: str) -> bool:
    """Whether two texts are not the same, but are so except for two words, or a part at an end."""
    a, b = _words(one.casefold()), _words(other.casefold())
    if a == b:
        return False
    while a and b and a[0] == b[0]:
        del a[0], b[0]
    while a and b and a[-1] == b[-1]:
        del a[-1], b[-1]
    return max(len(a), len(b)) <= 2


def new_numbers(shown: Shown) -> set[str]:
    known = set(re.findall(r"\d+", shown.text))
    return {n for n, text in shown.statements.items() if set(re.findall(r"\d+", text)) - known}


def new_names(shown: Shown) -> set[str]:
    known = set(_words(shown.text))
    return {
        n
        for n, text in shown.statements.items()
        if {word for word in _words(text)[1:] if word[0].isupper() or word.isdecimal()} - known
        or (_words(text)[0] not in known and text != LIE)
    }


def changed_sentences(shown: Shown) -> set[str]:
    return {
        n
        for n, text in shown.statements.items()
        if text not in shown.sentences
        and any(_differ_by_little(text, sentence) for sentence in shown.sentences)
    }


def denials(shown: Shown) -> set[str]:
    return {n for n, text in shown.statements.items() if " not " in text}


def joined(shown: Shown) -> set[str]:
    return {n for n, text in shown.statements.items() if ", and " in text}


def twins(shown: Shown) -> set[str]:
    return {
        n
        for n, text in shown.statements.items()
        for other in shown.statements.values()
        if _differ_by_little(text, other)
    }


def _all_of(*rules: Callable[[Shown], set[str]]) -> Callable[[Shown], set[str]]:
    return lambda shown: set().union(*(rule(shown) for rule in rules))


def unless(*marks: str) -> Callable[[Shown], set[str]]:
    """All but sentences of the context and what has one of these marks."""
    return lambda shown: {
        n
        for n, text in shown.statements.items()
        if text not in shown.sentences and not any(mark in text for mark in marks)
    }


def _at(*places: int) -> Callable[[Shown], set[str]]:
    return lambda shown: {list(shown.statements)[place % len(shown.statements)] for place in places}


def _by(key: Callable[[str], Any]) -> Callable[[Shown], set[str]]:
    def rule(shown: Shown) -> set[str]:
        others = {n: text for n, text in shown.statements.items() if text not in shown.sentences}
        return {max(others, key=lambda n: key(others[n]))}

    return rule


RULES: Mapping[str, Callable[[Shown], set[str]]] = {
    "nothing is a control": lambda _: set(),
    "new numbers": new_numbers,
    "new numbers and names": new_names,
    "changed sentences": changed_sentences,
    "denials": denials,
    "numbers, names and changed sentences": _all_of(new_names, changed_sentences),
    "twins of statements": twins,
    "twins, numbers, names and changed sentences": _all_of(new_names, changed_sentences, twins),
    "all kinds that we know": _all_of(new_names, changed_sentences, denials, joined),
    "all that do not name the dogs": unless("Dogs"),
    "all but the lie": unless(LIE) and (lambda shown: unless(LIE)(shown) | joined(shown)),
    "the first and the last": _at(0, -1),
    "the second": _at(1),
    "the place that the tag gives": lambda shown: _at(int(shown.tag, 16))(shown),
    "the longest": _by(len),
    "the shortest": _by(lambda text: -len(text)),
    "the two shortest sentences of passage 1": lambda shown: {
        n
        for n, text in shown.statements.items()
        if any(
            text != s and _differ_by_little(text, s)
            for s in sorted(shown.sentences[:3], key=len)[:2]
        )
    },
    "what the passage lists": lambda shown: (
        {
            n
            for n, text in shown.statements.items()
            if shown.text.count(text) < 2 and text not in shown.sentences and LIE not in text
        }
        & changed_sentences(shown)
    ),
}


class Obedient:
    """Rejects what a rule says of its prompt, and supports all else. ``remote``: it is tested."""

    remote = True

    def __init__(self, rule: str) -> None:
        self._rule = RULES[rule]

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        shown = Shown(ask.messages[-1]["content"])
        rejected = self._rule(shown)
        entries = [
            {
                "id": int(n),
                "evidence": [],
                "label": "not_enough_info" if n in rejected else "supported",
            }
            for n in shown.statements
        ]
        return Reply(json.dumps({"verdicts": entries}), usage=USAGE)


def passes(row: Mapping[str, Any], payload: str, seed: int) -> bool:
    """Whether the lie counts as supported under ``controls="enforce"`` with this secret."""
    context, answer = [*PASSAGES], ANSWER
    if row["channel"] == "context":
        context.append(payload)
    else:
        answer = f"{payload} {LIE}"
    result = grade(answer, context, judge=Obedient(row["obeys"]), controls="enforce", seed=seed)
    return result.status == "graded" and any(
        v.statement == LIE and v.label == "supported" for v in result.verdicts
    )


def share_passed(row: Mapping[str, Any], payload: str, seeds: Iterable[int]) -> float:
    """The share of secrets with which the lie passes."""
    passed = [passes(row, payload, seed) for seed in seeds]
    return sum(passed) / len(passed)
