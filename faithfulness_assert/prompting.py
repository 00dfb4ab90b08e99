"""Asks as text: packaged instructions, and around every foreign block a fence that the block cannot contain.

The order lets providers' prompt caches hit when answers share a context: instructions (static), context, question, statements.
Nothing here is a template: texts are joined, never formatted, so braces and percent signs of a user stay what they are.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from .model import Ask, AskKind, Label, Payload, ReplyForm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .policy import Example, Policy

JUDGED: tuple[Label, ...] = ("supported", "partially_supported", "not_enough_info", "contradicted")
REPLY_TOKENS = 256
REPLY_TOKENS_PER_ITEM = 96


def make_ask(kind: AskKind, policy: Policy, payload: Payload) -> Ask:
    """The ask of this kind for these numbered statements (or sentences of the answer) and context sentences."""
    not_a_claim = policy.allow_not_a_claim or kind == "claims_and_verdicts"
    labels: tuple[Label, ...] = () if kind == "claims" else (*JUDGED, "not_a_claim") if not_a_claim else JUDGED
    form = ReplyForm(kind, labels, reasons=policy.reasons and kind != "claims")
    return Ask(
        messages=(
            {"role": "system", "content": instructions(form, policy.guidance, policy.examples)},
            {"role": "user", "content": _content(form, payload)},
        ),
        form=form,
        ids=tuple(number for number, _ in payload.statements),
        max_tokens=REPLY_TOKENS + REPLY_TOKENS_PER_ITEM * len(payload.statements),
        payload=payload,
    )


def instructions(form: ReplyForm, guidance: str = "", examples: Sequence[Example] = ()) -> str:
    """The static part of an ask: the same for every case under a policy."""
    parts = [_prompt(form.kind)]
    if form.kind != "claims":
        labels = _prompt("labels")
        parts += [f"{labels}\n{_prompt('not_a_claim')}" if "not_a_claim" in form.labels else labels, _prompt("rules")]
    if guidance.strip():
        parts.append(f"Guidance:\n{guidance.strip()}")
    parts += [_example(example) for example in examples] if form.kind != "claims" else []
    return "\n\n".join([*parts, f"Reply with compact JSON only, each {_item(form)} in its order:\n{_reply_example(form)}"])


def _item(form: ReplyForm) -> str:
    return "statement" if form.kind == "verdicts" else "sentence"


def _example(example: Example) -> str:
    context, statement = fence("context", example.context), fence("statement", one_line(example.statement))
    return f"Example:\n{context}\n{statement}\nlabel: {example.label}"


def _reply_example(form: ReplyForm) -> str:
    if form.kind == "claims":
        return '{"sentences":[{"id":1,"claims":["...","..."]}]}'
    claim = '"claim":"...",' if form.kind == "claims_and_verdicts" else ""
    reason = '"reason":"one short sentence",' if form.reasons else ""
    return f'{{"verdicts":[{{"id":1,{claim}"evidence":[17,18],{reason}"label":"supported"}}]}}'


def _content(form: ReplyForm, payload: Payload) -> str:
    blocks = [fence("context", numbered(payload.sentences))] if form.kind != "claims" else []
    if payload.question.strip():
        blocks.append(fence("question", payload.question.strip()))
    blocks.append(fence("statements" if form.kind == "verdicts" else "answer", numbered(payload.statements)))
    return "\n\n".join(blocks)


def numbered(items: Sequence[tuple[int, str]]) -> str:
    """One line for each item, so that no text can add, replace or renumber another."""
    return "\n".join(f"{number} {one_line(text)}" for number, text in items)


def one_line(text: str) -> str:
    """``text`` with every run of white space, line breaks of any script included, as one space."""
    return " ".join(text.split())


def fence(name: str, block: str) -> str:
    """``block`` between tags that it cannot contain. They derive from the block alone, so that prompts stay cacheable."""
    salt = 0
    while (tag := f"{name}-{crc32(f'{salt}:{block}'.encode()):08x}") in block:
        salt += 1
    return f"<{tag}>\n{block}\n</{tag}>"


@cache
def _prompt(name: str) -> str:
    return (Path(__file__).parent / "prompts" / f"{name}.md").read_text(encoding="utf-8").strip()
