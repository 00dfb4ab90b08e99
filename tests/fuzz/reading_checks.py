"""Checks that hold for every reply, and the replies to start from: for the fuzz target and its test."""

from __future__ import annotations

import base64
import json
import re
import time
import unicodedata
from pathlib import Path

from fakes import ScriptedJudge

from faithfulness_assert import grade
from faithfulness_assert.reading.lists_and_ratings import read_lists
from faithfulness_assert.reading.reader import read
from faithfulness_assert.reading.reconcile import EARNING, settle
from faithfulness_assert.reading.rows import LABEL_WORDS
from faithfulness_assert.records.errors import UnreadableReply
from faithfulness_assert.records.model import LABELS, Label

ROOT = Path(__file__).parents[2]
ANSWER = "The museum opens at nine. Adults pay 14 euros. Children enter free."
CONTEXT = "The museum opens at nine. Adults pay 14 euros. Children enter free."
STATEMENTS = dict(enumerate(ANSWER.split(". "), 1))
SECONDS = 3.0  # for one input of a few kB, on a slow machine with the code instrumented
# A statement's number is not a word; without this label no digit grants anything.
NO_ONE: dict[str, Label] = {"1": "not_enough_info"}
PREFIX = {"labels": NO_ONE, "positional_prefix": True}
DENIAL = "\n\nNone of the statements is supported by the context."

_GRANTING = sorted(f"{LABEL_WORDS['supported']} {LABEL_WORDS['partially_supported']}".split())
_WORDS = "|".join(word.replace("_", r"[\s_\-]+") for word in _GRANTING)
_GRANTS = re.compile(rf"(?<![^\W_])(?:{_WORDS})(?![^\W_])")


def check(text: str) -> None:
    """Raises AssertionError if a check fails. Any other exception is passed on."""
    start = time.process_time()
    _check_verdicts(text)
    _check_lists(text)
    _check_denied(text)
    _check_grade(text)
    assert time.process_time() - start < SECONDS, "too slow"


def _check_verdicts(text: str) -> None:
    try:
        found = read(text)
    except UnreadableReply as error:
        assert error.kind in ("unreadable", "refusal")
        assert error.message
        return
    assert found.rows
    for row in found.rows:
        assert row.label in (None, *LABELS)
        assert type(row.number) in (int, type(None))
        assert all(type(number) is int for number in row.evidence)
        (row.statement + row.reason + row.quote).encode()  # no lone surrogate
    assert all(isinstance(said, str) for said in found.residue)


def _check_lists(text: str) -> None:
    try:
        found = read_lists(text)
    except UnreadableReply as error:
        assert error.kind in ("unreadable", "refusal")
        return
    for number, claim in found:
        assert type(number) in (int, type(None))
        claim.encode()


def _check_denied(text: str) -> None:
    """A reply that ends with a denial of all grants nothing, unless it is cut off before that."""
    if "<" in text or "◁" in text or "think" in text.lower():  # what follows a tag may be thinking
        return
    try:
        findings = settle(read(text + DENIAL), STATEMENTS, prefix=True).findings
    except UnreadableReply:
        return
    assert not any(f.label in EARNING for f in findings.values()), "granted all the same"


def _check_grade(text: str) -> None:
    result = grade(ANSWER, CONTEXT, judge=ScriptedJudge([text]), policy=PREFIX)
    assert result.score is None or 0 <= result.score <= 1
    assert any(v.label for v in result.verdicts) or not result.pass_, "a pass without a verdict"
    assert not result.score or grants(text), "a score without a word that grants anything"


def grants(text: str) -> bool:
    """Whether ``text`` contains a word that could grant support, also in fullwidth letters.

    Escapes may hide any word.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "\\" in text or _GRANTS.search(plain) is not None


def seeds() -> list[str]:
    """Recorded replies: the project's own, and the shared corpora if they are beside the checkout."""
    own = "hostile_replies verdict_outputs small_model_replies realistic_replies".split()
    files = [ROOT / "fixtures" / f"{name}.jsonl" for name in own]
    corpora = ROOT.parent / "shared" / "corpora"
    files += [corpora / "verdict_outputs.jsonl", corpora / "malformed_json.jsonl"]
    rows = [
        json.loads(line)
        for path in files
        if path.is_file()
        for line in path.read_text("utf-8").splitlines()
    ]
    return sorted({text for row in rows if (text := _text(row)) and len(text) <= 4_000})


def _text(row: dict[str, str]) -> str:
    raw = row.get("raw") or row.get("reply") or ""
    return raw or base64.b64decode(row.get("raw_b64") or "").decode("utf-8", "surrogateescape")
