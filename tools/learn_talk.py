"""Learns what tells talk, declines and topics from claims: writes text/words/learned_weights.bin.

    pip install scikit-learn && python tools/learn_talk.py [--check]

It reads fixtures/talk.jsonl (pieces of answers: does a reader have to check it?), declining.jsonl
(whole answers: do they only decline?) and topics.jsonl (headings: do they only name a topic?), all
our own, and fits three logistic regressions. Rows with ``held`` are left out of it. It prints how
many of these are told right. ``--check`` leaves the weights as they are and only measures.
"""

from __future__ import annotations

import json
import random
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zlib import compress

from faithfulness_assert.text.learned import SIZE, UNIT, features, is_topic
from faithfulness_assert.text.sentences import sentence_spans
from faithfulness_assert.text.talk import accompanies, claims_nothing, clauses, declines

ROOT = Path(__file__).resolve().parents[1]
WEIGHTS = ROOT / "faithfulness_assert" / "text" / "words" / "learned_weights.bin"
LEAST = 6
"""Hundredths. A smaller weight is not kept: it changes next to nothing."""
ROUNDS = 4
FEWEST = 3
"""Rows that must have a feature: what fewer have tells little of other texts."""
CALLED_OUT, BARE = 0.3, 0.25
"""Of the claims, so much is also learned with an exclamation mark, and as a lower-case fragment."""
VERB_FIRST = re.compile(
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|ist|sind|war|hat|"
    r"haben|kann|gibt|wird|heeft|wordt|zijn)\b",
    re.IGNORECASE,
)
"""The order of words tells such a question, also in a part without its mark."""
JOINED = 0.2
"""Of what claims nothing, so much is also learned as a claim, joined to one on either side."""
NO_MARK = re.compile(r"[^\[\](:：\d]{1,70}(?<![.!?。！？…])")
"""Talk that has no mark of a sentence, a label or a citation."""


class Row(NamedTuple):
    """A sentence, and whether it claims something."""

    text: str
    claims: bool
    is_item: bool = False
    language: str = ""
    weight: float = 1.0


def read(name: str) -> list[dict[str, Any]]:
    lines = (ROOT / "fixtures" / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def sentences(text: str) -> list[str]:
    found = [line[a:b] for line in text.split("\n") for a, b in sentence_spans(line)]
    return [each for each in found if re.search(r"\w", each)] or [text]


@cache
def places(text: str, is_item: bool = False, is_heading: bool = False) -> frozenset[int]:
    text = text.rstrip(" :：") if is_heading else text
    return frozenset(features(text, is_item=is_item, is_heading=is_heading))


def fit(rows: list[Row], *, are_headings: bool = False) -> Any:
    """The weight at each place of a table, and at its end the bias."""
    import numpy as np
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    found = [sorted(places(row.text, row.is_item, are_headings)) for row in rows]
    ends = np.cumsum([0, *map(len, found)])
    table = csr_matrix((np.ones(ends[-1]), np.concatenate(found), ends), shape=(len(rows), SIZE))
    often = np.flatnonzero(np.asarray(table.sum(axis=0)).ravel() >= FEWEST)
    model = LogisticRegression(C=0.6, max_iter=3000, solver="liblinear")
    claims_nothing = [not row.claims for row in rows]
    model.fit(table[:, often], claims_nothing, sample_weight=[row.weight for row in rows])
    weights = np.zeros(SIZE + 1)
    weights[often], weights[SIZE] = model.coef_[0], model.intercept_[0]
    return weights


def score(weights: Any, text: str) -> float:
    return float(weights[[*places(text), SIZE]].sum())


def weight_of(row: dict[str, Any]) -> float:
    """Rows that a test holds one by one weigh more."""
    if "must" not in row:
        return 1.0
    return 3.0 if row.get("claims") else 9.0


def talk_rows(given: list[dict[str, Any]]) -> list[Row]:
    """The rows, each part of what claims nothing, and claims that stand beside talk."""
    rows = [
        Row(r["text"], r["claims"], r.get("is_item", False), r["language"], weight_of(r))
        for r in given
    ]
    claims: dict[str, list[Row]] = {}
    for row in rows:
        if row.claims and not row.is_item and len(row.text) > 24:
            claims.setdefault(row.language, []).append(row)
    added = []
    for row in rows:
        if row.claims:
            continue
        parts = sentences(row.text)
        added += [row._replace(text=part) for part in parts if len(parts) > 1]
        shorter = [part.strip() for part in clauses(row.text)]
        if len(shorter) > 1:
            added += [row._replace(text=p, weight=0.5) for p in shorter if p not in parts]
        if row.text.endswith("?") and VERB_FIRST.match(row.text):
            added.append(row._replace(text=row.text.rstrip(" ?") + ",", weight=0.5))
        draws = random.Random(row.text)  # so that a new row changes nothing for the others
        if draws.random() < JOINED and row.language in claims:
            fact = draws.choice(claims[row.language]).text
            joint = draws.choice([", ", ". ", " - ", " ", "; ", ": "])
            before, after = draws.sample([row.text, fact], 2)
            after = after if draws.random() < 0.5 else after[:1].lower() + after[1:]
            added.append(
                row._replace(text=before.rstrip(" .!。！:：?？") + joint + after, claims=True)
            )
    return called_out(rows + added)


def called_out(rows: list[Row]) -> list[Row]:
    """The rows, and some of the claims as they seldom are here: called out, or as a fragment."""
    plain = [row for row in rows if row.claims and row.text.endswith((".", "。"))]
    called = [row._replace(text=row.text[:-1] + "!") for row in plain]
    bare = [row._replace(text=row.text[:1].lower() + row.text[1:-1]) for row in plain]
    return [
        *rows,
        *(row for row in called if random.Random(row.text).random() < CALLED_OUT),
        *(row for row in bare if random.Random(row.text).random() < BARE),
    ]


def silence_rows(given: list[dict[str, Any]], talk: list[dict[str, Any]]) -> list[Row]:
    """The sentences of answers that only decline, talk beside them, and claims.

    Of a longer answer that says something, only one sentence has to: the one that seems to most.
    """
    rows = [
        Row(part, False, weight=weight_of(r))
        for r in given
        if r["declines"]
        for part in sentences(r["text"])
    ]
    rows += [Row(r["text"], r["claims"], weight=weight_of(r) if r["claims"] else 0.5) for r in talk]
    others = [sentences(r["text"]) for r in given if not r["declines"]]
    rows += [Row(parts[0], True, weight=2.0) for parts in others if len(parts) == 1]
    rows = called_out(rows)
    longer = [parts for parts in others if len(parts) > 1]
    chosen = [" ".join(parts) for parts in longer]
    for _ in range(ROUNDS):
        weights = fit(rows + [Row(text, True, weight=2.0) for text in chosen])
        chosen = [min(parts, key=lambda part: score(weights, part)) for parts in longer]
    return rows + [Row(text, True, weight=2.0) for text in chosen]


def topic_rows(talk: list[dict[str, Any]], topics: list[dict[str, Any]]) -> list[Row]:
    """Headings, and what could stand as one: short talk, and claims without their stop."""
    rows = [Row(r["text"], not r["topic"], weight=9.0 if "must" in r else 3.0) for r in topics]
    rows += [Row(text, claims) for text, claims in as_headings(talk)]
    return rows


def as_headings(talk: list[dict[str, Any]]) -> list[tuple[str, bool]]:
    found = [(r["text"].rstrip(".。"), r["claims"], r["text"]) for r in talk if "is_item" not in r]
    short = [(bare, claims, text) for bare, claims, text in found if len(text) <= 90]
    claimed = [(bare, True) for bare, claims, text in short if claims and bare != text]
    talked = [(text, False) for _, claims, text in short if not claims and NO_MARK.fullmatch(text)]
    return claimed + talked


def learn(*given: list[dict[str, Any]]) -> None:
    import numpy as np

    talk, declining, topics = given
    fitted = (
        fit(talk_rows(talk)),
        fit(silence_rows(declining, talk)),
        fit(topic_rows(talk, topics), are_headings=True),
    )
    tables = np.rint(100 * np.array(fitted))
    tables[np.abs(tables) < LEAST] = 0
    units = np.clip(np.rint(tables / UNIT), -127, 127).astype("int8")
    WEIGHTS.write_bytes(compress(units.tobytes(), 9))
    print(f"{np.count_nonzero(units):,} weights")


def share(of: list[bool]) -> str:
    return f"{sum(of)} of {len(of)} ({sum(of) / max(len(of), 1):.1%})"


def measure(*given: list[dict[str, Any]]) -> None:
    talk, declining, topics = given

    def aside(claims: bool) -> list[bool]:
        return [
            claims_nothing(r["text"], is_item=r.get("is_item", False))
            for r in talk
            if r["claims"] == claims
        ]

    def silent(declined: bool) -> list[bool]:
        answers = [sentences(r["text"]) for r in declining if r["declines"] == declined]
        return [all(map(accompanies, parts)) and any(map(declines, parts)) for parts in answers]

    print(
        f"set aside: {share(aside(False))} of what claims nothing, {share(aside(True))} of claims"
    )
    print(
        f"declines: {share(silent(True))} of what only declines, {share(silent(False))} of others"
    )
    held = [(r["text"], not r["topic"]) for r in topics] + as_headings(talk)
    named, claimed = (
        [is_topic(text) for text, c in held if c == claims] for claims in (False, True)
    )
    print(f"topics: {share(named)} of what names one, {share(claimed)} of claims")


def main() -> None:
    given = [read(name) for name in ("talk.jsonl", "declining.jsonl", "topics.jsonl")]
    if "--check" not in sys.argv:
        learn(*([r for r in rows if "held" not in r] for rows in given))
    measure(*([r for r in rows if "held" in r] for rows in given))


if __name__ == "__main__":
    main()
