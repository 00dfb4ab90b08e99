"""A truthful judge behind the loopback server, for promptfoo and for us.

It replies to promptfoo's ``context-faithfulness`` and to our asks, each in the format that the prompt asks for.
"""

import json
import re

from loopback import Request
from true_server import said


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
    return json.dumps(said(text, contradicts=True), separators=(",", ":"))


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
    final = " ".join(f"{verdict}." for verdict in verdicts)
    return "\n".join([*lines, f"Final verdict for each statement in order: {final}"])


def sentences(text: str) -> list[str]:
    """The sentences of a text that has no abbreviations."""
    return re.findall(r"\S[^.]*\.", text)
