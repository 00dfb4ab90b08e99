"""What a judge that is always right replies to each prompt of each grader.

The grader and its step are recognised by a phrase of the prompt (``STEPS``), the item by its town.
Replies are as short as the form allows: compact JSON, and reasons of a few words. For us, each
verdict names two sentences of the context.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from faults import Reply
from items import TOWNS, Item, items, labels_of

TOWN = re.compile(rf"\b(?:{'|'.join(TOWNS)})\b(?: \d+)?")
KNOWN = items(1000)
ITEM_OF = {name[0]: item for item in KNOWN if (name := TOWN.search(item.question))}
LABELS = labels_of(KNOWN)
VERDICTS = "verdicts"  # the step whose reply decides the score
REASONS = {True: "The context says so.", False: "The context gives another figure."}


def item_in(prompt: str) -> Item:
    """The item that is named last. The examples in a grader's prompt have other towns."""
    return ITEM_OF[TOWN.findall(prompt)[-1]]


# ---------------------------------------------------------------- a function for each kind of reply


def _sentences(key: str) -> Callable[[str], Reply]:
    return lambda prompt: Reply({key: item_in(prompt).sentences})


def _verdicts(
    list_key: str, yes: object, no: object, *, with_statement: bool = True
) -> Callable[[str], Reply]:
    def reply(prompt: str) -> Reply:
        item = item_in(prompt)
        entries = [
            {
                **({"statement": sentence} if with_statement else {}),
                "reason": REASONS[label],
                "verdict": yes if label else no,
            }
            for sentence, label in zip(item.sentences, item.labels, strict=True)
        ]
        return Reply({list_key: entries}, list_key, "verdict", yes, no)

    return reply


def _truths(prompt: str) -> Reply:
    facts = (re.split(r"(?<=[.])\s+", passage) for passage in item_in(prompt).contexts)
    return Reply({"truths": [fact for passage in facts for fact in passage]})


def _trulens_score(prompt: str) -> Reply:
    """The score from 0 to 3 of one statement."""
    return _score_of(re.findall(r"STATEMENT: (.*?)\s*(?:\n\n|$)", prompt, re.DOTALL)[-1].strip())


def _trulens_reformat(prompt: str) -> Reply:
    """The same for an earlier reply. Where that names no statement, there is nothing to score."""
    statements = item_in(prompt).sentences if TOWN.search(prompt) else ()
    return _score_of(next((s for s in statements if s in prompt), "none"))


def _score_of(statement: str) -> Reply:
    label = LABELS.get(statement, False)
    value = {
        "criteria": statement,
        "supporting_evidence": REASONS[label] if label else "NOTHING FOUND",
        "score": 3 if label else 0,
    }
    return Reply(value, key="score", yes=3, no=0)


def _our_verdicts(prompt: str) -> Reply:
    context, statements = (
        re.findall(r"^(\d+) (.+)$", block, re.MULTILINE)
        for name in ("context", "statements")
        for block in re.findall(rf"<{name}-\w+>\n(.*?)\n</{name}-", prompt, re.DOTALL)
    )
    place_of = {text: int(number) for number, text in context}
    entries = []
    for number, text in statements:
        supported = LABELS.get(text, text in place_of)  # a control is a sentence of the context
        place = place_of.get(text, 1)
        label = "supported" if supported else "contradicted"
        entries.append({"id": int(number), "evidence": [place, place + 1], "label": label})
    return Reply({"verdicts": entries}, "verdicts", "label", "supported", "contradicted")


# ---------------------------------------------------------------- which prompt asks for which


@dataclass(frozen=True)
class Step:
    """A step of a grader: its prompts have all phrases of ``marks``."""

    name: str
    marks: tuple[str, ...]
    reply: Callable[[str], Reply]


RAGAS_VERDICTS = (
    "Your task is to judge the faithfulness of a series of statements based on a given context"
)
STEPS = (
    Step(VERDICTS, ("Judge each statement by the context alone.",), _our_verdicts),
    # ragas
    Step(
        "statements",
        ("Break down each sentence into one or more fully understandable statements",),
        _sentences("statements"),
    ),
    Step(VERDICTS, (RAGAS_VERDICTS, "directly inferred"), _verdicts("statements", 1, 0)),
    # autoevals
    Step(
        "statements",
        ("Create one or more statements from each sentence in the given answer",),
        _sentences("statements"),
    ),
    Step(
        VERDICTS,
        (RAGAS_VERDICTS, "can be verified based on the context"),
        _verdicts("faithfulness", 1, 0),
    ),
    # deepeval
    Step(
        VERDICTS,
        ("indicate whether EACH claim contradicts any facts in the retrieval context",),
        _verdicts("verdicts", "yes", "no", with_statement=False),
    ),
    Step("truths", ('with the "truths" key as a list of strings',), _truths),
    Step("statements", ('with the "claims" key as a list of strings',), _sentences("claims")),
    Step(
        "reason",
        ("Below is a list of Contradictions",),
        lambda _: Reply({"reason": "The answer gives other figures than the context."}),
    ),
    # trulens
    Step(
        "trivial",
        ("Identify and remove sentences that are stylistic",),
        lambda prompt: Reply(repr(list(item_in(prompt).sentences))),
    ),
    Step(
        "statements",
        ("Split the following statement into individual sentences",),
        lambda prompt: Reply("\n".join(item_in(prompt).sentences)),
    ),
    Step(VERDICTS, ("INFORMATION OVERLAP classifier",), _trulens_score),
    Step(
        "reformat",
        ("Convert the following text into a strict JSON object with keys",),
        _trulens_reformat,
    ),
)


def step_of(prompt: str) -> Step:
    """The step that a prompt belongs to. LookupError: no grader is known to ask this."""
    for step in STEPS:
        if all(mark in prompt for mark in step.marks):
            return step
    raise LookupError(f"no grader is known to ask this: {prompt:.200}")
