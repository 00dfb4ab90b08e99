"""One finding for each statement, whatever the reply contains, and nothing guessed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import UnreadableReply, read_verdicts
from faithfulness_assert.plan.findings import allowed
from faithfulness_assert.policy.fields import SCORED
from faithfulness_assert.reading import RawVerdict, read
from faithfulness_assert.reading.reconcile import Finding, agreed, align, shift
from faithfulness_assert.records.model import LABELS
from faithfulness_assert.text.numbers_and_names import has_number_or_name


def raw(number: int | None, label: str | None, statement: str = "") -> RawVerdict:
    return RawVerdict(id=number, statement=statement, label=label, evidence=(), reason="", quote="")


def labels(entries: list[RawVerdict], n: int, **options: bool) -> list[str | None]:
    found, _ = align(entries, dict.fromkeys(range(1, n + 1), ""), **options)
    return [found[number].label or found[number].unresolved for number in range(1, n + 1)]


def test_numbers_decide_in_any_order() -> None:
    assert labels([raw(2, "contradicted"), raw(1, "supported")], 2) == ["supported", "contradicted"]


def test_a_statement_without_an_entry_is_missing_and_one_without_a_label_invalid() -> None:
    assert labels([raw(1, "supported"), raw(2, None)], 3) == ["supported", "invalid", "missing"]


def test_conflicting_duplicates_are_unresolved_and_equal_ones_agree() -> None:
    assert labels(
        [raw(1, "supported"), raw(1, "contradicted"), raw(2, "supported"), raw(2, "supported")], 2
    ) == ["duplicate", "supported"]


def test_unknown_numbers_are_ignored_and_counted() -> None:
    found, ignored = align([raw(1, "supported"), raw(7, "supported")], {1: "", 2: ""})
    assert (found[1].label, found[2].unresolved, ignored) == ("supported", "missing", 1)


def test_a_reply_that_counts_from_zero_is_shifted_only_when_it_is_complete() -> None:
    assert labels([raw(0, "supported"), raw(1, "contradicted")], 2) == ["supported", "contradicted"]
    assert labels([raw(0, "contradicted"), raw(1, "supported")], 3) == ["missing"] * 3


@pytest.mark.parametrize("asked", [(2, 3), (1, 3), (5, 9)])
def test_a_reply_that_renumbers_the_statements_is_not_trusted(
    asked: tuple[int, int],
) -> None:
    found, _ = align([raw(1, "not_enough_info"), raw(2, "supported")], dict.fromkeys(asked, ""))
    assert [f.label for f in found.values()] == [None, None]
    found, _ = align(
        [raw(asked[0], "not_enough_info"), raw(asked[1], "supported")], dict.fromkeys(asked, "")
    )
    assert [f.label for f in found.values()] == ["not_enough_info", "supported"]


def test_an_entry_without_a_number_is_matched_by_its_text() -> None:
    statements = {1: "Rome is old.", 2: "Oslo is new."}
    found, _ = align(
        [raw(None, "contradicted", "Oslo is new."), raw(None, "supported", "rome is old")],
        statements,
    )
    assert (found[1].label, found[2].label) == ("supported", "contradicted")


def test_a_reply_that_only_repeats_the_statements_has_no_verdicts() -> None:
    statements = {1: "Is aspirin safe for dogs: yes", 2: "Approved by the FDA: yes"}
    echoed = read("\n".join(f"{number}. {text}" for number, text in statements.items()))
    found, _ = align(echoed.verdicts, statements)
    assert [f.label for f in found.values()] == [None, None]
    judged = read("\n".join(f"{number}. {text}: no" for number, text in statements.items()))
    found, _ = align(judged.verdicts, statements)
    assert [f.label for f in found.values()] == ["not_enough_info", "not_enough_info"]


def test_an_entry_with_the_number_and_text_of_two_statements_counts_for_neither() -> None:
    found, ignored = align(
        [raw(1, "supported", "Oslo is new.")], {1: "Rome is old.", 2: "Oslo is new."}
    )
    assert (found[1].unresolved, found[2].unresolved, ignored) == ("missing", "missing", 1)


def test_position_counts_only_if_the_counts_agree() -> None:
    assert labels([raw(None, "supported"), raw(None, "contradicted")], 2) == [
        "supported",
        "contradicted",
    ]
    with pytest.raises(UnreadableReply, match="got 1 unnumbered verdict for 2 statements"):
        labels([raw(None, "supported")], 2)


def test_too_few_verdicts_fill_the_first_statements_only_under_positional_prefix() -> None:
    assert labels([raw(None, "supported")], 3, positional_prefix=True) == [
        "supported",
        "missing",
        "missing",
    ]


def test_surplus_verdicts_are_unreadable_unless_all_are_negative() -> None:
    assert labels([raw(None, "not_enough_info")] * 5, 3) == ["not_enough_info"] * 3
    with pytest.raises(UnreadableReply):
        labels(
            [raw(None, "not_enough_info")] * 4 + [raw(None, "supported")], 3, positional_prefix=True
        )


@given(
    st.lists(
        st.tuples(
            st.none() | st.integers(-2, 12),
            st.none() | st.sampled_from(LABELS),
            st.sampled_from(["", "Rome is old.", "x"]),
        ),
        max_size=12,
    ),
    st.integers(1, 6),
    st.booleans(),
)
def test_each_statement_has_one_finding_and_no_more_support_than_the_reply(
    entries: list[tuple[int | None, str | None, str]], n: int, prefix: bool
) -> None:
    replied = [raw(*entry) for entry in entries]
    try:
        found, ignored = align(
            replied,
            {i: "Rome is old." if i == 1 else f"s{i}" for i in range(1, n + 1)},
            positional_prefix=prefix,
        )
    except UnreadableReply:
        return
    assert set(found) == set(range(1, n + 1))
    assert all((f.label is None) != (f.unresolved is None) for f in found.values())
    assert sum(f.label == "supported" for f in found.values()) <= sum(
        r.label == "supported" for r in replied
    )
    assert 0 <= ignored <= len(replied)


def test_read_verdicts_gives_labels_and_none_for_what_is_missing_or_invalid() -> None:
    reply = {"verdicts": [{"id": 3, "label": "supported"}, {"id": 1, "label": "perhaps"}]}
    assert read_verdicts(json.dumps(reply), 3) == [None, None, "supported"]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "null",
        "[]",
        '{"verdicts":[]}',
        '{"verdicts":[{"id":1,"label":"perhaps"}]}',
        "Hello there",
    ],
)
def test_read_verdicts_raises_if_there_is_no_verdict(reply: str) -> None:
    with pytest.raises(UnreadableReply):
        read_verdicts(reply, 1)


@pytest.mark.parametrize("n", [0, -1, True, 1.5, "2"])
def test_read_verdicts_rejects_an_invalid_count(n: object) -> None:
    with pytest.raises(ValueError, match="n_statements: must be a positive integer"):
        read_verdicts("yes", n)


@pytest.mark.parametrize(
    "text",
    [
        "It costs 5 euros.",
        "it costs twelve euros.",
        "Es kostet zwölf Euro.",
        "He met Marie there.",
        "NASA launched it.",
        "Einstein was born here.",
        "“Paris” is large.",
        "埃菲尔铁塔在巴黎。",
        "الأهرامات في مصر.",
        "Is it true that Paris burned?",
    ],
)
def test_a_number_or_a_name_is_always_a_claim(text: str) -> None:
    assert has_number_or_name(text)


@pytest.mark.parametrize(
    "text",
    [
        "Thanks, I hope this helps!",
        "Let me know if you'd like more.",
        "",
        "希望对您有帮助！",
        "Bonjour !",
        "Ich hoffe, das hilft Ihnen weiter.",
    ],
)
def test_a_courtesy_may_be_set_aside(text: str) -> None:
    assert not has_number_or_name(text)


def test_a_statement_with_a_number_cannot_be_set_aside() -> None:
    aside = Finding("not_a_claim", None)
    assert allowed("It costs 5 euros.", aside, LABELS).unresolved == "invalid"
    assert allowed("Hope this helps!", aside, SCORED).unresolved == "invalid"
    assert allowed("Hope this helps!", aside, LABELS) == aside


def test_entries_that_match_no_statement_are_counted() -> None:
    raw = [
        RawVerdict(1, label="supported"),
        RawVerdict(7, label="supported"),
        RawVerdict(8, label="supported"),
        RawVerdict(None),
    ]
    found, unknown = align(raw, {1: "a", 2: "b"})
    assert (found[1].label, found[2].unresolved, unknown) == ("supported", "missing", 3)
    assert align([RawVerdict(None, label="supported")], {1: "a"})[1] == 0


def test_evidence_quote_and_reason_of_an_entry_are_kept() -> None:
    entry = RawVerdict(1, label="contradicted", evidence=(3,), reason="because", quote="the text")
    assert align([entry], {1: "a"})[0][1] == Finding(
        "contradicted", None, (3,), "the text", "because"
    )


def test_findings_that_agree_share_their_evidence_and_keep_the_first_reason() -> None:
    one, two = (
        Finding("supported", None, (1, 2), reason="one"),
        Finding("supported", None, (2, 3), reason="two"),
    )
    assert agreed([one, two]) == Finding("supported", None, (1, 2, 3), reason="one")


def test_numbers_from_zero_are_shifted_with_repeated_texts_too() -> None:
    raw = [RawVerdict(0, "It rains.", "supported"), RawVerdict(1, "It snows.", "contradicted")]
    found, _ = align(raw, {1: "It rains.", 2: "It snows."})
    assert [found[number].label for number in (1, 2)] == ["supported", "contradicted"]


def test_texts_that_differ_in_their_last_letter_are_different() -> None:
    found, _ = align(
        [RawVerdict(None, "Grade", "supported"), RawVerdict(None, "Grade X", "contradicted")],
        {1: "Grade X.", 2: "Grade."},
    )
    assert (found[1].label, found[2].label) == ("contradicted", "supported")


@pytest.mark.parametrize(
    ("given", "asked", "added"),
    [
        ({1, 2, 3}, {1, 2, 3}, 0),
        ({2}, {1, 2}, 0),
        ({1, 3}, {1, 2, 3}, 0),
        ({1, 2, 3, 9}, {1, 2, 3}, 0),
        ({1, 2, 9}, {1, 2, 3}, 0),
        ({2, 3}, {2, 3}, 0),
        ({0, 1}, {1, 2}, 1),
        ({0}, {1, 2}, None),
        ({0, 2, 3}, {1, 3, 4}, None),
        ({0, 1, 2, 3}, {1, 2, 3}, None),
        ({1, 2}, {5, 6}, None),
        ({1, 2}, {2, 3}, None),
        ({2, 3, 4}, {1, 2, 3}, None),
        ({3, 4}, {1, 2, 3}, None),
        ({1}, {5}, None),
    ],
)
def test_a_reply_s_numbers_are_those_that_were_asked_count_from_zero_or_are_not_trusted(
    given: set[int], asked: set[int], added: int | None
) -> None:
    assert shift(given, asked) == added


def test_entries_without_a_single_label_are_unreadable() -> None:
    with pytest.raises(
        UnreadableReply, match=r"^the reply has entries, but none of them is a valid verdict$"
    ):
        read_verdicts('[{"id": 1, "label": "perhaps"}, {"id": 2, "label": "maybe"}]', 2)


def test_the_number_of_verdicts_must_match_the_statements() -> None:
    assert read_verdicts("Yes. No.", 2) == ["supported", "not_enough_info"]
    assert read_verdicts('[{"id": 0, "label": "yes"}, {"id": 1, "label": "no"}]', 2) == [
        "supported",
        "not_enough_info",
    ]
    for count in (1, 3):
        with pytest.raises(
            UnreadableReply, match=f"got 2 unnumbered verdicts for {count} statement"
        ):
            read_verdicts("Yes. No.", count)
