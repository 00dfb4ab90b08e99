"""Asks as text: packaged instructions, and around every foreign block a fence that the block cannot contain.

The order lets providers' prompt caches hit when answers share a context: instructions (static), context, question, statements.
Nothing here is a template: texts are joined, never formatted, so braces and percent signs of a user stay what they are.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from ..records.ask import Ask, AskKind, Payload, ReplyForm
from ..text.strings import one_line
from .schema import json_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..policy.policy import Example, Policy
    from ..records.model import Label

REPLY_TOKENS = 256
REPLY_TOKENS_PER_ITEM = 96
CHARS_PER_REPLY_TOKEN = (
    2  # of the passages whose facts are listed: a list of facts is no longer than what it is of
)


VERDICT_KINDS = ("verdicts", "claims_and_verdicts")
ITEMS: dict[AskKind, str] = {
    "verdicts": "statement",
    "claims": "sentence",
    "claims_and_verdicts": "sentence",
    "truths": "passage",
}


def make_ask(kind: AskKind, policy: Policy, payload: Payload) -> Ask:
    """The ask of this kind for this payload, see :class:`Payload`."""
    form = _form(kind, policy)
    return Ask(
        messages=(
            {"role": "system", "content": instructions(form, policy)},
            {"role": "user", "content": _content(form, payload)},
        ),
        form=form,
        ids=tuple(number for number, _ in payload.statements),
        max_tokens=_max_tokens(kind, payload),
        payload=payload,
        schema=json_schema(form),
    )


def _form(kind: AskKind, policy: Policy) -> ReplyForm:
    labels: tuple[Label, ...] = policy.judged if kind in VERDICT_KINDS else ()
    if labels and (policy.allow_not_a_claim or kind == "claims_and_verdicts"):
        labels = (*labels, "not_a_claim")
    dimensions = tuple(policy.dimensions) if kind == "ratings" else ()
    return ReplyForm(
        kind, labels, reasons=policy.reasons and kind in VERDICT_KINDS, dimensions=dimensions
    )


def _max_tokens(kind: AskKind, payload: Payload) -> int:
    if kind == "truths":
        return (
            REPLY_TOKENS + sum(len(text) for _, text in payload.statements) // CHARS_PER_REPLY_TOKEN
        )
    return REPLY_TOKENS + REPLY_TOKENS_PER_ITEM * len(payload.statements)


def instructions(form: ReplyForm, policy: Policy) -> str:
    """The static part of an ask: the same for every case under a policy."""
    parts = [_prompt(form.kind)]
    if form.labels:
        parts += ["\n".join(["Labels:", *_lines_of("labels", form.labels)]), _prompt("rules")]
    if form.dimensions:
        parts += ["\n".join(_lines_of("dimensions", form.dimensions)), _prompt("strictly")]
    if form.kind == "truths" and policy.truths_limit is not None:
        parts.append(f"At most {policy.truths_limit} for each passage: the most important.")
    if policy.guidance.strip():
        parts.append(f"Guidance:\n{policy.guidance.strip()}")
    parts += [_example(example) for example in policy.examples] if form.labels else []
    return "\n\n".join(
        [*parts, f"Reply with compact JSON only{_order(form)}:\n{_reply_example(form)}"]
    )


def _lines_of(name: str, wanted: Sequence[str]) -> list[str]:
    """The lines of a packaged list ("- name: what it is") that are for these names."""
    return [line for line in _prompt(name).splitlines() if line[2:].partition(":")[0] in wanted]


def _order(form: ReplyForm) -> str:
    return f", each {ITEMS[form.kind]} in its order" if form.kind in ITEMS else ""


def _example(example: Example) -> str:
    context, statement = (
        fence("context", example.context),
        fence("statement", one_line(example.statement)),
    )
    return f"Example:\n{context}\n{statement}\nlabel: {example.label}"


def _reply_example(form: ReplyForm) -> str:
    if form.dimensions:
        ratings = "".join(f'"{name}":0.0,' for name in form.dimensions)
        return f'{{{ratings}"suggestions":["..."]}}'
    listed = {
        "claims": '{"sentences":[{"id":1,"claims":["...","..."]}]}',
        "truths": '{"passages":[{"id":1,"truths":["...","..."]}]}',
    }
    if form.kind in listed:
        return listed[form.kind]
    if form.kind == "reason":
        return '{"reason":"..."}'
    claim = '"claim":"...",' if form.kind == "claims_and_verdicts" else ""
    reason = '"reason":"one short sentence",' if form.reasons else ""
    return f'{{"verdicts":[{{"id":1,{claim}"evidence":[17,18],{reason}"label":"..."}}]}}'  # a judge that only repeats it says nothing


def _content(form: ReplyForm, payload: Payload) -> str:
    context, question = (
        ("context", numbered(payload.sentences)),
        ("question", payload.question.strip()),
    )
    items = numbered(payload.statements)
    blocks = [context, question, ("statements" if form.kind == "verdicts" else "answer", items)]
    if form.kind == "ratings":
        blocks = [
            question,
            context,
            ("answer", payload.statements[0][1].strip()),
            ("citation-audit", payload.findings),
        ]
    elif form.kind == "reason":
        blocks = [("score", payload.findings), ("statements", items)]
    elif form.kind == "truths":
        blocks = [("passages", items)]
    elif form.kind == "claims":
        blocks = [question, ("answer", items)]
    whole = "\n".join(block for _, block in blocks)
    return "\n\n".join(
        fence(name, block, whole)
        for name, block in blocks
        if block or name not in ("question", "citation-audit")
    )


def numbered(items: Sequence[tuple[int, str]]) -> str:
    """One line for each item, so that no text can add, replace or renumber another."""
    return "\n".join(f"{number} {one_line(text)}" for number, text in items)


def fence(name: str, block: str, whole: str = "") -> str:
    """``block`` between tags that neither it nor the ``whole`` text of the ask contains.

    They derive from the block alone, so that prompts stay cacheable, unless somebody has written such a tag. Short ones cost fewer tokens;
    where one is taken the tag is long, for a text can hold every short one.
    """
    salt = 0
    tag = f"{name}-{crc32(block.encode()) & 0xFFFF:04x}"
    while tag in block or tag in whole:
        salt += 1
        tag = f"{name}-{crc32(f'{salt}:{block}'.encode()):08x}"
    return f"<{tag}>\n{block}\n</{tag}>"


@cache
def _prompt(name: str) -> str:
    return (Path(__file__).parent / "prompts" / f"{name}.md").read_text(encoding="utf-8").strip()
