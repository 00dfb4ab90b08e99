"""Whatever a reply says, and however a valid one is changed, the reader returns what the judge said, or nothing."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from fuzz.reading_checks import NO_ONE, SECONDS, check, seeds
from fuzz.replies import LISTS, PIECES, RANK, WORDS, Mutant, mutants
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from faithfulness_assert.reading.reader import read
from faithfulness_assert.reading.reconcile import EARNING, settle
from faithfulness_assert.reading.rows import parse_label
from faithfulness_assert.records.errors import UnreadableReply

if TYPE_CHECKING:
    from collections.abc import Callable

FORMS = (
    *LISTS,
    "\n".join,
    lambda words: json.dumps({"verdicts": words}),
    lambda words: json.dumps([{"verdict": word} for word in words]),
)
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


def test_the_seeds_of_fuzzing_pass_all_checks() -> None:
    texts = seeds()
    for text in texts:
        check(text)
    assert len(texts) > 100


@given(
    st.lists(st.sampled_from(sorted(WORDS)), min_size=1, max_size=8),
    st.sampled_from(FORMS),
    st.data(),
)
def test_every_form_of_list_is_read_in_its_order(
    labels: list[str], form: Callable[[list[str]], str], data: st.DataObject
) -> None:
    words = [data.draw(st.sampled_from(WORDS[label])) for label in labels]
    said = [row.label for row in read(form(words)).rows]
    assert said in (labels, labels * 2)  # a form may end with the list of its verdicts


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
    assert settle(reading, {1: "It is."}).findings[1].label not in EARNING
