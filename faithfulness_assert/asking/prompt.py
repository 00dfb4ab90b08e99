"""Asks as text: packaged instructions, and fences around every block of foreign text.

The order lets providers' prompt caches hit when answers share a context: instructions (static),
context, question, statements. Nothing here is a template: texts are joined, never formatted, so
braces and percent signs of a user stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache

from ..files import read_text
from ..policy.policy import Policy
from ..policy.values import Example
from ..records.judge import Ask, AskKind, Numbered, Payload, ReplyForm
from ..text.strings import one_line
from .fences import fenced, key_of
from .schema import json_schema

_FOLDER = __file__.removesuffix("prompt.py") + "prompts/"

REPLY_TOKENS = 256
REPLY_TOKENS_PER_ITEM = 96
ONE_WORD_TOKENS = 16
"""For one word, and for the marks with which some models end."""
CHARS_PER_REPLY_TOKEN = 2
"""For truths: a list of the facts of a passage is not longer than the passage."""

SAID_MORE = "Your last reply said more than the verdicts: reply with the JSON alone."
NO_ONE_LABEL = (
    "Your last reply did not give each statement here one of the labels: reply with the JSON alone."
)
IS_A_CLAIM = "Your last reply set aside what claims something: check it against the context."
"""What was wrong with a reply, as an ask says it that follows."""


def make_ask(
    kind: AskKind, policy: Policy, payload: Payload, *, remark: str = "", secret: bytes = b""
) -> Ask:
    """The ask of this kind for this payload.

    ``secret``: who does not know it cannot foresee the tags around foreign text.
    ``remark``: what was wrong with the last reply, behind all texts. Reasons that said too
    much are not asked for again, and what claims something is not set aside again.
    """
    several = len(payload.items) != 1
    if kind == "ratings":
        form = ReplyForm(kind, dimensions=tuple(policy.dimensions))
    elif kind == "verdicts":
        sets_aside = policy.allow_not_a_claim and remark != IS_A_CLAIM
        labels = (*policy.judged, "not_a_claim") if sets_aside else policy.judged
        reasons = "none" if remark == SAID_MORE else policy.reasons
        form = ReplyForm(kind, labels, reasons, numbered=several)
    else:
        form = ReplyForm(kind, numbered=several)
    system = instructions(form, policy.guidance, tuple(policy.examples), policy.truths_limit)
    content = fenced(_blocks(kind, payload), secret)
    content = f"{content}\n\n{remark}" if remark else content
    key, max_tokens = key_of(secret, system, content), REPLY_TOKENS
    if kind == "truths":
        max_tokens += sum(len(text) for _, text in payload.items) // CHARS_PER_REPLY_TOKEN
    else:
        max_tokens += REPLY_TOKENS_PER_ITEM * len(payload.items)
    return Ask(
        messages=(
            {"role": "system", "content": system},
            {"role": "user", "content": f'{content}\n\nThe JSON begins with "ask":"{key}".'},
        ),
        form=form,
        ids=tuple([number for number, _ in payload.items]),
        max_tokens=max_tokens,
        payload=payload,
        schema=json_schema(form),
        echo=key,
    )


# ---------------------------------------------------------------- instructions


@lru_cache(maxsize=64)
def instructions(
    form: ReplyForm,
    guidance: str = "",
    examples: tuple[Example, ...] = (),
    limit: int | None = None,
) -> str:
    """The static part of an ask, the same for all cases; ``limit``: most truths of a passage."""
    parts = [_prompt(form.kind)]
    if form.labels:
        rules = _prompt("rules")
        if form.reasons == "problems":
            rules = f"{rules}\n{_prompt('problems')}"
        parts += [f"Labels:\n{_meanings('labels', form.labels)}", rules]
    if form.dimensions:
        parts += [_meanings("dimensions", form.dimensions), _prompt("strictly")]
    if form.kind == "truths" and limit is not None:
        parts.append(f"At most {limit} for each passage: the most important.")
    if guidance.strip():
        parts.append(f"Guidance:\n{guidance.strip()}")
    for example in examples if form.labels else ():
        context = fenced([("context", example.context)])
        statement = fenced([("statement", one_line(example.statement))])
        parts.append(f"Example:\n{context}\n{statement}\nlabel: {example.label}")
    names = {"verdicts": "statement", "claims": "sentence", "truths": "passage"}
    order = f", each {names[form.kind]} in its order" if form.kind in names else ""
    wanted = f"Reply with compact JSON only{order}:\n{_reply_example(form)}"
    return "\n\n".join([*parts, wanted])


def _meanings(name: str, wanted: Sequence[str]) -> str:
    """The lines of a packaged list ("- name: meaning") for these names."""
    lines = _prompt(name).splitlines()
    return "\n".join(line for line in lines if line[2:].partition(":")[0] in wanted)


def _reply_example(form: ReplyForm) -> str:
    """A reply in the wanted form. A judge that only repeats it gives no verdict."""
    if form.dimensions:
        ratings = "".join(f'"{name}":0.0,' for name in form.dimensions)
        return f'{{{ratings}"suggestions":["..."]}}'
    number = '"id":1,' if form.numbered else ""
    if form.kind in ("claims", "truths"):
        name = "sentences" if form.kind == "claims" else "passages"
        return f'{{"{name}":[{{{number}"{form.kind}":["...","..."]}}]}}'
    if form.kind == "reason":
        return '{"reason":"..."}'
    words = "one short English sentence" if form.reasons == "all" else ""
    reason = "" if form.reasons == "none" else f'"reason":"{words}",'
    return f'{{"verdicts":[{{{number}"evidence":[17,18],{reason}"label":"..."}}]}}'


# ---------------------------------------------------------------- content


def _blocks(kind: AskKind, payload: Payload) -> list[tuple[str, str]]:
    """The named blocks of foreign text, in their order."""
    context = "context", _numbered(payload.sentences, payload.passages, gap="\n")
    asked = one_line(payload.question)
    question = [("question", asked)] if asked else []
    if kind == "ratings":
        audit = [("citation-audit", payload.notes)] if payload.notes else []
        return [*question, context, ("answer", payload.items[0][1].strip()), *audit]
    items = _numbered(payload.items, payload.referents)
    if kind == "reason":
        return [("score", payload.notes), ("statements", items)]
    if kind == "truths":
        return [("passages", items)]
    if kind == "claims":
        return [*question, ("answer", items)]
    return [context, *question, ("statements", items)]


def _numbered(items: Numbered, before: Numbered, *, gap: str = "") -> str:
    """One line for each item, so that no text can add, replace or renumber another.

    What stands ``before`` an item is shown in brackets, behind a ``gap`` to the line above.
    """
    shown = brackets(before)
    lines = []
    for number, text in items:
        text = one_line(text)
        own = shown.get(number) or ("[] " if text.startswith("[") else "")  # never the text's own
        lines.append(f"{gap if number in shown else ''}{number} {own}{text}")
    return "\n".join(lines).lstrip("\n")


def brackets(before: Numbered) -> dict[int, str]:
    """What is shown before items, each in a bracket, by the number of the item."""
    shown: dict[int, str] = {}
    for number, text in before:
        shown[number] = shown.get(number, "") + (f"[{one_line(text)}] " if text else "")
    return shown


@cache
def _prompt(name: str) -> str:
    # An assertion in promptfoo is a fresh process: it does without pathlib.
    return read_text(f"{_FOLDER}{name}.md").strip()


# ---------------------------------------------------------------- for a checker of one question


def document_claim(ask: Ask) -> Ask:
    """An ask for the verdict on one statement as a document and a claim. It shows no question.

    For checkers that were trained on one question alone. Instructions and form are those of
    Bespoke-MiniCheck (``minicheck/utils.py`` of its authors). They have no fences, so each text
    stands on one line: no text can begin a line with "Claim:".

    Raises:
        ValueError: it is about several statements.
    """
    [(_, statement)] = ask.payload.items
    document = " ".join(one_line(text) for _, text in ask.payload.sentences)
    content = f"Document: {document}\nClaim: {one_line(statement)}"
    return replace(
        ask,
        messages=(
            {"role": "system", "content": _prompt("document_claim")},
            {"role": "user", "content": content},
        ),
        max_tokens=ONE_WORD_TOKENS,
        echo="",
    )


def prompts_fingerprint() -> str:
    """The SHA-256 of all prompts, in hex: results under other prompts are not alike."""
    from hashlib import sha256
    from pathlib import Path

    files = ((path.name, read_text(str(path))) for path in sorted(Path(_FOLDER).iterdir()))
    return sha256("".join(f"{name}\0{text}\0" for name, text in files).encode()).hexdigest()
