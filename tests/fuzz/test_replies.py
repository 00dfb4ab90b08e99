"""Whatever a reply says, and however a valid one is changed, the reader returns what the judge said, or nothing."""

from __future__ import annotations

import json
import re
import time
import unicodedata

from fakes import ScriptedJudge
from fuzz.replies import PIECES, RANK, Mutant, mutants
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from faithfulness_assert import grade
from faithfulness_assert.reading.lists_and_ratings import read_lists
from faithfulness_assert.reading.reader import read
from faithfulness_assert.reading.reconcile import CREDITED, settle
from faithfulness_assert.reading.rows import LABEL_WORDS, parse_label
from faithfulness_assert.records.errors import UnreadableReply
from faithfulness_assert.records.model import LABELS, Label

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
    assert not any(f.label in CREDITED for f in findings.values()), "granted all the same"


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


# ---------------------------------------------------------------- replies that are changed

NEGATIONS = "not no never isn't without but partially contradicted false nicht".split()


def ranks(mutant: Mutant) -> dict[int, int]:
    try:
        findings = settle(read(mutant.text, NO_ONE), dict.fromkeys(mutant.labels, "")).findings
    except UnreadableReply:
        return {}
    return {number: RANK[finding.label] for number, finding in findings.items()}


@examples(600)
@given(mutants)
def test_no_label_of_a_mutated_reply_grants_more_than_the_original(mutant: Mutant) -> None:
    start = time.process_time()
    read_ranks = ranks(mutant)
    assert time.process_time() - start < SECONDS
    assert {number: rank for number, rank in read_ranks.items() if rank > mutant.most[number]} == {}


@examples(200)
@given(
    mutants.map(lambda mutant: mutant.text)
    | st.text()
    | st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
)
def test_any_text_passes_all_checks(text: str) -> None:
    check(text)


@given(
    st.sampled_from(("yes", "supported", "true", "fully supported")),
    st.sampled_from((", ", ". ", ": ", " - ", " (", "\n")),
    st.text(),
    st.sampled_from(NEGATIONS),
)
def test_a_positive_word_before_a_negation_earns_nothing(
    word: str, delimiter: str, rest: str, negation: str
) -> None:
    label = f"{word}{delimiter}{rest} {negation} "
    assert parse_label(label) is None
    reading = read(json.dumps([{"label": label, "id": 1}]))
    assert settle(reading, {1: "It is."}).findings[1].label not in CREDITED
