"""What makes a control: which sentences are used, how one is altered, and when it counts as passed."""

from __future__ import annotations

import json

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts as hostile_texts

from faithfulness_assert import Ask, Reply, grade
from faithfulness_assert.asking.controls import Control, make_controls, mixed
from faithfulness_assert.records.model import Label

ROWS = json.loads((ROOT / "fixtures" / "controls.json").read_text("utf-8"))
TRUE, FALSE = Control("It is so.", true=True), Control("It is not so.", true=False)
PLAIN = "The shop in the harbour sells 25 loaves of bread."


def altered(*context: str, statements: tuple[str, ...] = ("x",)) -> str | None:
    """The false control that a context gives; None if it gives none."""
    controls = make_controls(context, statements)
    return controls[1].text if controls else None


@pytest.mark.parametrize(("kind", "label", "passed"), ROWS["passed"])
def test_a_control_passes_only_with_a_right_label(
    kind: str, label: Label | None, passed: bool
) -> None:
    assert {"true": TRUE, "false": FALSE}[kind].passed(label) is passed


# ---------------------------------------------------------------- the false control


@pytest.mark.parametrize(
    ("sentence", "context", "expected"),
    [row[1:] for row in ROWS["altered"]],
    ids=[row[0] for row in ROWS["altered"]],
)
def test_one_number_or_name_is_swapped_for_one_that_the_context_does_not_have(
    sentence: str, context: str, expected: str | None
) -> None:
    assert altered(sentence, context) == expected


@pytest.mark.parametrize("sentence", ROWS["no control"])
def test_a_sentence_that_is_not_beyond_doubt_is_no_control(sentence: str) -> None:
    assert make_controls([sentence], ["A statement."]) == ()


def test_an_altered_sentence_that_the_answer_contains_is_not_used() -> None:
    first = altered(PLAIN)
    assert first is not None
    assert altered(PLAIN, statements=(first,)) is None
    assert altered(PLAIN, statements=(first.upper(),)) is None
    other = "The cafe in the harbour sells 31 cups of hot tea."
    assert altered(PLAIN, other, statements=(first,)) == other.replace("31", "71")


def test_a_sentence_that_the_answer_contains_is_no_control() -> None:
    assert make_controls([PLAIN], [PLAIN]) == ()
    assert make_controls([PLAIN], [PLAIN.lower()]) == ()


# ---------------------------------------------------------------- which sentences are used


def test_the_lengths_of_sentences_are_used_exactly() -> None:
    longest = "The shop " + "and the shed " * 9 + "are 3 by now."
    padded = longest[:-1] + "w" * (140 - len(longest)) + "."
    assert len(padded) == 140
    assert altered(padded) is not None
    assert altered(padded.replace("now", "noww")) is None


def test_the_true_control_is_one_of_the_eight_shortest_sentences() -> None:
    context = [
        f"The shop number {n} in the harbour {'of the old town ' * (n // 4)}is open."
        for n in range(10, 30)
    ]
    used = [s for s in context if 25 <= len(s) <= 140]
    shortest = sorted(used, key=lambda s: (len(s), s))[:8]
    chosen = {make_controls(context, [f"statement {n}"])[0].text for n in range(200)}
    assert chosen == set(shortest)
    swapped = {make_controls(context, [f"statement {n}"])[1].text for n in range(200)}
    assert len(swapped) == 8


# ---------------------------------------------------------------- where the controls are put


@given(st.lists(hostile_texts, min_size=1, max_size=6))
def test_mixing_in_controls_keeps_the_statements_in_their_order(texts: list[str]) -> None:
    statements = tuple(enumerate(texts, 7))
    lines = mixed(statements, (TRUE, FALSE))
    assert tuple(line for line in lines if not isinstance(line, Control)) == statements
    assert {line for line in lines if isinstance(line, Control)} == {TRUE, FALSE}
    assert len(lines) == len(statements) + 2
    assert mixed(statements, ()) == statements


def test_controls_stand_at_every_place() -> None:
    made = [mixed(((3, f"a{n}"), (7, f"b{n}")), (TRUE, FALSE)) for n in range(60)]
    assert len({(lines.index(TRUE), lines.index(FALSE)) for lines in made}) == 12


@pytest.mark.parametrize(
    ("statements", "lines"),
    [
        ("a0", "a0 TRUE FALSE"),
        ("a1 b1", "a1 TRUE FALSE b1"),
        ("a5 b5 c5", "TRUE a5 b5 c5 FALSE"),
        ("a6", "FALSE a6 TRUE"),
    ],
)
def test_the_same_statements_have_the_same_controls_at_the_same_places_in_every_version(
    statements: str, lines: str
) -> None:
    """Stored replies of a judge are for such an ask."""
    made = mixed(tuple(enumerate(statements.split(), 3)), (TRUE, FALSE))
    names = {TRUE: "TRUE", FALSE: "FALSE"}
    assert [names[x] if isinstance(x, Control) else x[1] for x in made] == lines.split()


def test_the_same_texts_give_the_same_controls_in_every_version() -> None:
    context = [f"The shop number {n} in the harbour is open." for n in range(10, 16)]
    chosen = [[c.text[16:18] for c in make_controls(context, [f"statement {n}"])] for n in (0, 1)]
    assert chosen == [["15", "54"], ["13", "50"]]


# ---------------------------------------------------------------- whole grades


class Reciting:
    """Labels the answer's own statement as supported, and controls as it is told; None for none."""

    def __init__(self, true: str | None, false: str | None) -> None:
        self.true, self.false = true, false

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        context = {text for _, text in ask.payload.sentences}
        entries = []
        for number, text in ask.payload.items:
            own = text == "The shop has a door."
            label = "supported" if own else self.true if text in context else self.false
            if label:
                entries.append({"id": number, "evidence": [1], "label": label})
        return Reply(json.dumps({"verdicts": entries}))


@pytest.mark.parametrize(
    ("true", "false", "status"),
    [
        ("supported", "not_enough_info", "graded"),
        ("supported", "contradicted", "graded"),
        ("supported", "supported", "unreadable"),
        ("not_enough_info", "contradicted", "unreadable"),
        ("supported", None, "unreadable"),
        (None, "contradicted", "unreadable"),
    ],
)
def test_only_a_judge_that_gets_both_controls_right_is_believed(
    true: str | None, false: str | None, status: str
) -> None:
    context = ["The shop has a door.", PLAIN]
    judge = Reciting(true, false)
    result = grade("The shop has a door.", context, judge=judge, controls="enforce")
    assert result.status == status
    assert result.pass_ is (status == "graded")
    report = grade("The shop has a door.", context, judge=judge, controls="report")
    assert (report.status, report.score) == ("graded", 1.0)
    failed = [(true, "supported") if true != "supported" else None, false in ("supported", None)]
    assert report.metadata["controls"]["passed"] == 2 - sum(map(bool, failed))


def test_controls_do_not_depend_on_the_order_of_the_context() -> None:
    context = [
        f"The {noun} has {n} rooms in it." for n, noun in enumerate(("inn", "spa", "zoo"), 7)
    ]
    assert make_controls(context, ["A."]) == make_controls(context[::-1], ["A."])
