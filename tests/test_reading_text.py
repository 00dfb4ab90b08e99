"""The rules of reading words: what may follow a label, what retracts verdicts, the forms of plain text."""

from __future__ import annotations

import pytest

from faithfulness_assert.reading import parse_label, read
from faithfulness_assert.reading.labels import normalise, split_head
from faithfulness_assert.reading.retraction import is_retracted, quoted, taken_back
from faithfulness_assert.records.errors import UnreadableReply

YES, NO, PARTLY, AGAINST = "supported", "not_enough_info", "partially_supported", "contradicted"
MARK = "Final verdict for each statement in order:"


def pairs(text: str) -> list[tuple[int | None, str | None]]:
    return [(entry.id, entry.label) for entry in read(text).verdicts]


# ---------------------------------------------------------------- labels


@pytest.mark.parametrize(
    "said",
    [
        *(
            "yes: yes: yes",
            "Yes, it is stated in sentence 3",
            "Yes, in sentences 1, 2 and 3",
            "Yes, see [1] and [2, 3] there",
            "Yes; per passage (4",
        ),
        *(
            "fully  -_supported",
            "_yes_",
            "yes--",
            "\u2019yes\u2019",
            "Supported - verbatim",
            "Yes\nAs the text says",
            "Yes (explicitly)",
        ),
        *("yes".ljust(200), "Yes, " + "yes, " * 39, "Yes, " + "the context says " + "a " * 1_990),
    ],
    ids=lambda said: said[:40],
)
def test_a_yes_may_be_repeated_and_explained(said: str) -> None:
    assert parse_label(said) == YES


@pytest.mark.parametrize(
    "said",
    [
        *(
            "Yes, as 3 of 4",
            "Yes, it is [3] and 4",
            "Yes, it is ①",
            "Yes, it is ½",
            "Yes, it is ❌",
            "yes: it is 20%",
            "Yes, Anna says so",
        ),
        *(
            "0: no",
            "1 - yes",
            "1: yes",
            "[1] yes",
            "--yes",
            "- yes",
            "yes_isn't",
            "Yes, see sentence 3.5",
            "Yes, in sentence 3 / 4",
        ),
        *(
            "yes".ljust(201),
            "Yes, " + "yes, " * 41,
            "Yes, " + "the context says " + "a " * 2_000,
            "No" + "x" * 300,
        ),
    ],
    ids=lambda said: said[:40],
)
def test_a_yes_with_a_count_or_of_great_length_is_not_a_label(said: str) -> None:
    assert parse_label(said) is None


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("Not a claim: it greets 3 people", "not_a_claim"),
        ("Not a claim, but", None),
        ("Partially supported: it isn't the date", PARTLY),
        ("Partially supported: the date is false", None),
        ("No: yes", NO),
        ("No, " + "x" * 5_000, NO),
        ("Contradicted, but only partly", AGAINST),
        ("i don’t know", NO),
    ],
)
def test_what_may_follow_a_word_depends_on_what_it_grants(said: str, label: str | None) -> None:
    assert parse_label(said) == label


def test_a_word_is_normalised_to_lower_case_parts_joined_by_one_underscore() -> None:
    assert [
        normalise(word)
        for word in (" **Fully -_ Supported.** ", "Don’t know", "-Yes", "e\u0301t\u00e9", "«Oui»!")
    ] == [
        *("fully_supported", "don't_know", "-yes", "\u00e9t\u00e9", "«oui"[1:]),
    ]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("yes", ("yes", "")),
        ("> **Yes**, it is", ("Yes**", " it is")),
        ("Yes - it is - so", ("Yes", " it is - so")),
        ("well-known", ("well-known", "")),
        ("是。好", ("是", "好")),
        (":no", ("", "no")),
    ],
)
def test_a_text_is_split_at_its_first_delimiter(text: str, parts: tuple[str, str]) -> None:
    assert split_head(text) == parts


# ---------------------------------------------------------------- the prose around verdicts


@pytest.mark.parametrize(
    ("around", "positive", "seen"),
    [
        (["", ""], True, False),
        (["!", "..."], True, False),
        (["```json\n", "\n```"], True, False),
        (["Wait, ", ""], True, False),
        (["So. Wait, ", " done"], True, False),
        (["", " Wait, no."], True, True),
        (["", " Wait, no."], False, True),
        (["", " I\u2019m glad. ACTUALLY, no."], False, True),
        (["", " a. Wait, ", ""], False, True),
        (["", " Correction: ", ""], True, False),
        (["", " Correction: ", "", ""], True, False),
        (["", " Correction: "], True, True),
        (["", "", " Correction: "], True, True),
        (["For example: ", ""], True, True),
        (["For example: ", ""], False, False),
        (["", " for example: ", ""], True, True),
        (["", " for example: "], True, False),
        (["The expected output: ", ""], True, True),
        (["The expected output: ", ""], False, False),
        (["", " I can't help with that request."], True, True),
        (["", " I can't help with that request."], False, False),
        (["", "x" * 19_999], False, False),
        (["", "x" * 20_000], False, True),
    ],
)
def test_second_thoughts_retract_all_verdicts_and_quotation_only_positive_ones(
    around: list[str], positive: bool, seen: bool
) -> None:
    assert is_retracted(around, positive=positive) is seen


def test_the_introduction_of_a_quotation_is_right_before_it() -> None:
    assert quoted("FOR EXAMPLE: ")
    assert quoted("The answer itself says the following: ")
    assert quoted("x" * 200 + " e.g. ")
    assert not quoted("For example, this one stands in the text. ")


def test_very_long_prose_after_verdicts_retracts_them() -> None:
    assert not taken_back("x" * 20_000)
    assert taken_back("x" * 20_001)
    assert taken_back("SCRATCH THAT")
    assert taken_back("It was injected.")
    assert taken_back("That\u2019s it. I was wrong")


# ---------------------------------------------------------------- plain text


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("Yes. I hope it helps", [(None, YES)]),
        ("Yes. I hope it helps. So do all of us", [(None, YES)]),
        ("Yes. I hope helps", [(None, YES), (None, None)]),
        ("Yes. I do not hope it helps", [(None, YES), (None, None)]),
        ("2. yes 3. no", [(2, YES), (3, NO)]),
        ("1. yes, 2. no;", [(1, YES), (2, NO)]),
        ("1 ,\n 0 .", [(None, YES), (None, NO)]),
        ("**1, 0**", [(None, YES), (None, NO)]),
        ("1\t,\t0", [(None, YES), (None, NO)]),
        ("Yes. 1. No", [(None, YES), (None, None), (None, NO)]),
        ("Yes. 1", [(None, YES), (None, None)]),
        ("'Yes'. *", [(None, YES)]),
        ("\n1. Yes\n2. No\nVerdict: x", [(1, YES), (2, NO)]),
        ("\r\n```\r\nYes.\r\nNo.\r\n```", [(None, YES), (None, NO)]),
    ],
)
def test_the_list_of_final_verdicts_is_read_item_by_item(
    after: str, expected: list[tuple[int | None, str | None]]
) -> None:
    assert pairs(f"{MARK} {after}") == expected


@pytest.mark.parametrize(
    "after", ["1. yes 3. no", "2. yes 1. no", "perhaps", "I hope it helps all of us"]
)
def test_a_final_list_with_gaps_or_without_labels_is_not_read(after: str) -> None:
    with pytest.raises(UnreadableReply, match=r"^the judge's reply contains no verdict$"):
        read(f"{MARK} {after}")


def test_a_final_list_is_quoted_only_by_the_200_characters_before_it() -> None:
    with pytest.raises(UnreadableReply):
        read(f"For example:\n{MARK} Yes.")
    assert pairs(f"For example: {'x' * 200}\n{MARK} Yes.") == [(None, YES)]


def test_the_final_list_decides_if_the_text_before_it_only_mentions_verdicts() -> None:
    assert pairs(f"It has a verdict: maybe, and a verdict: no.\n{MARK} Yes.") == [(None, YES)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Final verdict: yes\nReason: it is so", [(None, YES)]),
        ("x; verdict: yes", [(None, YES)]),
        ("x" * 90 + ". verdict: yes", [(None, YES)]),
        ("verdict: no\nfinal answer: it is not", [(None, NO)]),
        ("verdict: yes\nOverall, it is", [(None, YES)]),
        ("1. a. verdict: yes\n1. b. verdict: yes\n2. verdict: yes", [(1, YES), (1, YES), (2, YES)]),
        ("1. verdict: yes", [(1, YES)]),
        ("1. a\n2. b\n\nverdict: maybe\nverdict: yes", [(None, None), (None, YES)]),
    ],
)
def test_the_word_verdict_counts_at_the_start_of_a_line_or_sentence(
    text: str, expected: list[tuple[int | None, str | None]]
) -> None:
    assert pairs(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *(
            "x (e.g. verdict: yes",
            "for example\nverdict: yes",
            "For example:\n - verdict: yes",
            "so a verdict: yes",
            "x" * 90 + " verdict: yes",
        ),
        *(
            "verdict: yes\nfinal answer: so",
            "verdict: partially supported\nIt is not",
            "verdict: yes\nIt is not",
            "verdict: no\nWait, no.",
        ),
        *(
            "verdict: yes\nfinal verdict: yes",
            "Verdict: Yes. 2. Verdict: No.",
            "1. 2. a\nverdict: yes\nverdict: no\n3. b\nverdict: no",
        ),
    ],
    ids=lambda text: text[:40],
)
def test_a_verdict_that_is_mentioned_or_retracted_grants_nothing(text: str) -> None:
    with pytest.raises(UnreadableReply):
        read(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes.\n\nNo.", [(None, YES), (None, NO)]),
        ("1. Yes\n\nI am glad", [(1, YES)]),
        ("1. Yes\n\n2. No", [(1, YES), (2, NO)]),
        ("1. Yes\n\n2. No\n\nI am glad", [(1, YES), (2, NO)]),
        ("Here:\nyes", [(None, YES)]),
        ("Here：\nyes", [(None, YES)]),
        ("1:\nyes", [(1, YES)]),
        ("yes\n\n no \n", [(None, YES), (None, NO)]),
        ("1. It is: no\n2. No: it is", [(1, NO), (2, NO)]),
        ("1. A -> B -> yes\n2. A | no", [(1, YES), (2, NO)]),
        ("1. A - yes\n2. A – no", [(1, YES), (2, NO)]),
    ],
)
def test_a_bare_list_is_read(text: str, expected: list[tuple[int | None, str | None]]) -> None:
    assert pairs(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *(
            "1. Yes\n\nNot so",
            "1. Yes\n\nWait, no.",
            "1: \nyes\nno",
            "1. It is - yes",
            "1. yes\n2. It is: partially: supported",
        ),
        *(
            "1. yes\n2. It is partially so: supported",
            "1. yes\n2. A: 0",
            "1. yes\n2. A: 1.",
            "1. yes\n2. yes: no",
            "1. yes\n2. 1: no",
        ),
        *("1. yes\nno", "Here:", "yes:\nyes, or so", "1. yes\n2. so"),
    ],
)
def test_a_list_with_anything_else_in_it_is_not_read(text: str) -> None:
    with pytest.raises(UnreadableReply):
        read(text)


def test_the_statement_of_a_numbered_line_ends_before_its_last_delimiter() -> None:
    said = [
        (entry.statement, entry.line)
        for entry in read("1. **A: b** -> yes\n2. A | * no\n3. No: it is\n4. Yes").verdicts
    ]
    assert said == [("A: b", "A: b** -> yes"), ("A", "A | * no"), ("", "No: it is"), ("", "")]
