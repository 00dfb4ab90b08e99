"""How a reply counts, and what its entries with and without numbers say about each statement."""

from __future__ import annotations

import pytest

from faithfulness_assert.plan.findings import in_conflict, merged
from faithfulness_assert.reading import RawVerdict, read
from faithfulness_assert.reading.reconcile import MISSING, Finding, agreed, align, shift
from faithfulness_assert.records.errors import UnreadableReply
from faithfulness_assert.records.model import Label

SHOP, DOGS, ROOF = "The shop is open daily.", "Dogs are welcome inside.", "The roof is green."
THREE = {1: SHOP, 2: DOGS, 3: ROOF}


@pytest.mark.parametrize(
    ("given", "asked", "added"),
    [
        ({1, 2, 3}, {1, 2, 3}, 0),
        ({1}, {1, 2, 3}, 0),
        ({0, 1, 2}, {1, 2, 3}, 1),
        ({0}, {1}, 1),
        ({0, 1}, {1, 2, 3}, None),
        ({0, 1}, {2, 3}, None),
        ({0, 1, 2, 3}, {1, 2, 3}, None),
        ({1, 2}, {4, 7}, None),
        ({1}, {4}, None),
        ({2, 3, 4}, {1, 2, 3}, None),
        ({4, 5}, {1, 3}, 0),
        ({1, 2, 3, 9}, {1, 2, 3}, 0),
        ({7, 20}, {1, 2, 3}, 0),
        ({4, 6}, {1, 3}, None),
        (set(), {1, 2}, 0),
    ],
)
def test_numbers_are_trusted_only_if_they_cannot_be_another_way_of_counting(
    given: set[int], asked: set[int], added: int | None
) -> None:
    assert shift(given, asked) == added
    assert shift(sorted(given), sorted(asked)) == added


def entry(number: int | None, label: Label | None = "supported", text: str = "") -> RawVerdict:
    (made,) = read('[{"id": 1, "label": "supported", "evidence": [1]}]').verdicts
    return made._replace(id=number, label=label, statement=text)


def found(*entries: RawVerdict, **options: bool) -> list[object]:
    findings, _ = align(entries, THREE, **options)
    return [findings[n].label or findings[n].unresolved for n in THREE]


def test_an_entry_whose_number_and_text_are_of_two_statements_earns_nothing() -> None:
    assert found(entry(1, text=DOGS)) == ["missing", "missing", "missing"]
    assert found(entry(1), entry(2), entry(1, "contradicted", DOGS)) == [
        "duplicate",
        "duplicate",
        "missing",
    ]
    assert found(entry(1), entry(2), entry(1, "supported", DOGS)) == [
        "supported",
        "supported",
        "missing",
    ]
    assert found(entry(1), entry(2), entry(1, None, DOGS)) == ["supported", "supported", "missing"]


def test_an_unknown_number_with_a_known_text_denies_only_that_statement() -> None:
    assert found(entry(1), entry(2), entry(9, "contradicted", DOGS)) == [
        "supported",
        "duplicate",
        "missing",
    ]


def test_what_denies_a_statement_is_put_under_its_number_after_a_shift() -> None:
    first = (entry(0), entry(1), entry(2))
    assert found(*first) == ["supported", "supported", "supported"]
    assert found(*first, entry(0, "contradicted", DOGS)) == ["duplicate", "duplicate", "supported"]


def test_a_doubtful_entry_is_counted_as_one_that_matches_no_statement() -> None:
    _, unknown = align([entry(1), entry(8), entry(2, text=SHOP)], THREE)
    assert unknown == 2


@pytest.mark.parametrize("label", ["not_enough_info", "contradicted"])
def test_more_unnumbered_verdicts_than_statements_are_read_only_if_all_deny(label: Label) -> None:
    assert found(*[entry(None, label)] * 4) == [label] * 3
    for labels in ((label, label, label, "supported"), ("supported",) * 4):
        with pytest.raises(UnreadableReply, match="got 4 unnumbered verdicts for 3 statements"):
            found(*(entry(None, one) for one in labels))


def test_by_position_an_entry_about_something_else_is_not_the_statements() -> None:
    about = (entry(None, text="A shop opens."), entry(None, text="Cats bite."), entry(None))
    assert found(*about) == ["supported", "invalid", "supported"]


# ---------------------------------------------------------------- several findings of one statement


def finding(label: Label, *evidence: int) -> Finding:
    return Finding(label, None, evidence)


def test_findings_that_agree_are_one_with_all_evidence_once() -> None:
    assert agreed([finding("supported", 2, 1), finding("supported", 1, 3)]) == finding(
        "supported", 2, 1, 3
    )
    assert agreed([finding("supported", 2)]) == finding("supported", 2)
    assert agreed([]) == MISSING


def test_findings_that_differ_are_unresolved_and_a_contradiction_among_them_is_kept_in_mind() -> (
    None
):
    torn = agreed([finding("supported", 1), finding("contradicted", 2)])
    assert torn == Finding(unresolved="duplicate", evidence=(1, 2), disputed=True)
    mild = agreed([finding("supported", 1), finding("not_enough_info", 2)])
    assert mild == Finding(unresolved="duplicate")
    assert agreed([finding("supported", 3), torn]) == Finding(
        unresolved="duplicate", evidence=(3, 1, 2), disputed=True
    )


def test_a_window_that_contradicts_itself_takes_the_credit_of_another_window() -> None:
    torn = agreed([finding("supported", 1), finding("contradicted", 2)])
    for pair in ([torn, finding("supported", 3)], [finding("supported", 3), torn]):
        assert merged(pair).label is None
        assert merged(pair).unresolved == "duplicate"
    missing = [MISSING, finding("supported", 3)]
    assert merged(missing) == finding("supported", 3)


def test_a_window_that_says_two_things_is_in_conflict_only_if_one_is_a_contradiction() -> None:
    torn = agreed([finding("supported", 1), finding("contradicted", 2)])
    mild = agreed([finding("supported", 1), finding("not_enough_info", 2)])
    assert in_conflict([torn, finding("supported", 3)])
    assert not in_conflict([mild, finding("supported", 3)])
