"""However a valid reply is changed, the reader never grants more than the original reply."""

from __future__ import annotations

import time

from fuzz.reading_checks import NO_ONE, SECONDS, check
from fuzz.replies import RANK, Mutant, mutants
from hypothesis import given, settings

from faithfulness_assert.reading import read
from faithfulness_assert.reading.reconcile import settle
from faithfulness_assert.records.errors import UnreadableReply


def ranks(mutant: Mutant) -> dict[int, int]:
    try:
        findings = settle(read(mutant.text, NO_ONE), dict.fromkeys(mutant.labels, "")).findings
    except UnreadableReply:
        return {}
    return {number: RANK[finding.label] for number, finding in findings.items()}


@settings(max_examples=400, deadline=None)
@given(mutants)
def test_no_label_of_a_mutated_reply_grants_more_than_the_original(mutant: Mutant) -> None:
    start = time.process_time()
    read_ranks = ranks(mutant)
    assert time.process_time() - start < SECONDS
    assert {number: rank for number, rank in read_ranks.items() if rank > mutant.most[number]} == {}


@settings(max_examples=100, deadline=None)
@given(mutants)
def test_a_mutated_reply_passes_all_checks(mutant: Mutant) -> None:
    check(mutant.text)
