"""A truthful judge behind the loopback server: a statement is supported if the context contains it word for word.

It replies to promptfoo's ``context-faithfulness`` and to our asks, each in the format that the prompt asks for.
"""

from __future__ import annotations

import json
import re
from typing import Any

from loopback import Request


def reply(request: Request) -> str:
    """The reply to a prompt of promptfoo or of ours."""
    text = "\n".join(message["content"] for message in request.body["messages"])
    if "create one or more statements from each sentence" in text:
        return "\n".join(sentences(text.rsplit("answer: ", 1)[1].rsplit("statements:", 1)[0]))
    if "Natural language inference" in text:
        context, asked = text.rsplit("context:\n", 1)[1].rsplit("statements:\n", 1)
        return explained(
            context, [line for line in asked.rsplit("Answer:", 1)[0].splitlines() if line]
        )
    blocks = dict(re.findall(r"<([a-z-]+)-\w+>\n(.*?)\n</", text, re.DOTALL))
    return json.dumps(_ours(text, blocks), separators=(",", ":"))


def _ours(text: str, blocks: dict[str, str]) -> dict[str, Any]:
    if text.startswith("You split"):
        return {
            "sentences": [
                {"id": number, "claims": [said]}
                for said, number in numbered(blocks["answer"]).items()
            ]
        }
    if text.startswith("You list"):
        return {
            "passages": [
                {"id": number, "truths": sentences(said)}
                for said, number in numbered(blocks["passages"]).items()
            ]
        }
    if text.startswith("You explain"):
        return {"reason": "The judge says why."}
    if text.startswith("You rate"):
        return {
            **dict.fromkeys(re.findall(r"^- (\w+):", text, re.MULTILINE), 0.9),
            "suggestions": ["Say less."],
        }
    context = numbered(blocks["context"])
    return {
        "verdicts": [verdict(context, *pair) for pair in numbered(blocks["statements"]).items()]
    }


def verdict(context: dict[str, int], statement: str, number: int) -> dict[str, Any]:
    """``contradicted`` if the context says the same with another number."""
    if statement in context:
        return {"id": number, "evidence": [context[statement]], "label": "supported"}
    other = next(
        (
            place
            for text, place in context.items()
            if _without_numbers(text) == _without_numbers(statement)
        ),
        None,
    )
    if other is not None:
        return {"id": number, "evidence": [other], "label": "contradicted"}
    return {"id": number, "evidence": [], "label": "not_enough_info"}


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+", "#", text)


def explained(context: str, statements: list[str]) -> str:
    """The built-in's format: each statement with an explanation and a verdict; then all verdicts."""
    verdicts = ["Yes" if statement in context else "No" for statement in statements]
    why = {
        "Yes": "The context states this in the same words.",
        "No": "The context gives another figure for this.",
    }
    lines = [
        f"{n}. {s}\nExplanation: {why[v]} Verdict: {v}."
        for n, (s, v) in enumerate(zip(statements, verdicts, strict=True), 1)
    ]
    return "\n".join(
        [
            *lines,
            "Final verdict for each statement in order: "
            + " ".join(f"{verdict}." for verdict in verdicts),
        ]
    )


def sentences(text: str) -> list[str]:
    """The sentences of a text that has no abbreviations."""
    return re.findall(r"\S[^.]*\.", text)


def numbered(block: str) -> dict[str, int]:
    """The lines of a numbered block, with their numbers."""
    return {line.split(" ", 1)[1]: int(line.split(" ", 1)[0]) for line in block.splitlines()}
