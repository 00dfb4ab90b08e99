"""A model behind an API that is right about what it is shown: what tests of servers share."""

import json
import re
from typing import Any

from loopback import Answer, Request, good_reply


def text_of(request: Request) -> str:
    """All that the model is shown."""
    messages = [m["content"] for m in request.body["messages"]]
    return "\n".join([request.body.get("system", ""), *messages])


def block(name: str, text: str) -> dict[int, str]:
    """The numbered lines of a block of the prompt, without what is shown before them."""
    found = re.search(rf"<({name}-\w+)>\n(.*?)\n</\1>", text, re.S)
    lines = re.findall(r"(?m)^(\d+) (?:\[[^\]]*\] )*(.*)", found[2] if found else "")
    return {int(number): line for number, line in lines}


def said(text: str, *, contradicts: bool = False) -> dict[str, Any]:
    """What the model replies to any of our prompts: each sentence is one claim, and one truth.

    A statement is supported if it is a sentence of the context that is shown. ``contradicts``: it
    is contradicted if the context has the same with another number. Verdicts have reasons if the
    prompt shows them.
    """
    key = re.search(r'"ask":"(\w+)"', text.rpartition("\n")[2])
    return {**({"ask": key[1]} if key else {}), **_said(text, contradicts)}


def _said(text: str, contradicts: bool) -> dict[str, Any]:
    if listed := block("passages", text):
        truths = {n: re.findall(r"\S[^.]*\.", line) for n, line in listed.items()}
        return {"passages": [{"id": n, "truths": texts} for n, texts in truths.items()]}
    if dimensions := re.findall(r"^- (\w+):", text, re.M) if "You rate" in text else []:
        return {**dict.fromkeys(dimensions, 0.9), "suggestions": ["Say less."]}
    if "You explain" in text:
        return {"reason": "The judge says why."}
    if not (statements := block("statements", text)):
        claims = block("answer", text)
        return {"sentences": [{"id": n, "claims": [line]} for n, line in claims.items()]}
    shown = {line: number for number, line in block("context", text).items()}
    alike = {re.sub(r"\d+", "#", line): number for line, number in shown.items()}
    verdicts = []
    for n, line in statements.items():
        against = alike.get(re.sub(r"\d+", "#", line)) if contradicts else None
        number = shown.get(line, against)
        label = "supported" if line in shown else "contradicted" if against else "not_enough_info"
        reason = {"reason": f"It says: {line}"} if '"reason":' in text else {}
        if '"reason":""' in text:  # only for what is not supported
            why = f"The context says {'another number' if against else 'nothing about it'}."
            reason = {"reason": "" if label == "supported" else why}
        verdicts.append({"id": n, "evidence": [number] if number else [], **reason, "label": label})
    return {"verdicts": verdicts}


def answered(request: Request, text: str | None = None, tokens: int | None = None) -> Answer:
    """The reply to a request. ``tokens`` is the usage that is reported; default: by its length."""
    text = text_of(request) if text is None else text
    tokens = len(text) // 4 if tokens is None else tokens
    names = ("prompt_tokens", "completion_tokens")
    if request.path.endswith("/messages"):
        names = ("input_tokens", "output_tokens")
    usage = dict(zip(names, (tokens, 9), strict=True))
    return good_reply(request, json.dumps(said(text)), usage=usage)
