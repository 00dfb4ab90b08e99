"""A model behind an API that is right about what it is shown: what tests of servers share."""

from __future__ import annotations

import json
import re

from loopback import Answer, Request, good_reply


def text_of(request: Request) -> str:
    """All that the model is shown."""
    messages = [m["content"] for m in request.body["messages"]]
    return "\n".join([request.body.get("system", ""), *messages])


def block(name: str, text: str) -> dict[int, str]:
    """The numbered lines of a block of the prompt."""
    found = re.search(rf"<({name}-\w+)>\n(.*?)\n</\1>", text, re.S)
    lines = (line.partition(" ") for line in (found[2].splitlines() if found else ()))
    return {int(number): line for number, _, line in lines}


def answered(request: Request, text: str | None = None, tokens: int | None = None) -> Answer:
    """The reply: a statement is supported if it is a sentence of the context that is shown.

    ``tokens`` is the usage that is reported for the prompt; default: by its length.
    """
    text = text_of(request) if text is None else text
    tokens = len(text) // 4 if tokens is None else tokens
    shown = {line: number for number, line in block("context", text).items()}
    verdicts = [
        {"id": n, "evidence": [shown[line]], "label": "supported"}
        if line in shown
        else {"id": n, "evidence": [], "label": "not_enough_info"}
        for n, line in block("statements", text).items()
    ]
    names = ("prompt_tokens", "completion_tokens")
    if request.path.endswith("/messages"):
        names = ("input_tokens", "output_tokens")
    usage = dict(zip(names, (tokens, 9), strict=True))
    return good_reply(request, json.dumps({"verdicts": verdicts}), usage=usage)
