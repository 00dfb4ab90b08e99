"""What makes a control: which sentences are used, how one is altered, and when it counts as passed."""

import re
from collections.abc import Sequence

import pytest
from fakes import TruthfulJudge
from rows import rows, summary_of

from faithfulness_assert import grade
from faithfulness_assert.asking.controls import Control, controls_from, mixed

ROWS = rows("controls")
TRUE, FALSE = Control("It is so.", true=True), Control("It is not so.", true=False)
PLAIN = "The shop in the harbour sells 25 loaves of bread."
MUSEUM = ["The museum in the harbour opens at nine.", "Adults pay 14 euros for a day ticket."]


def make_controls(
    context: Sequence[str], statements: Sequence[str], secret: bytes = b""
) -> tuple[Control, ...]:
    """The controls of a context of one passage."""
    return controls_from([context], statements, secret)


# ---------------------------------------------------------------- the false control


@pytest.mark.parametrize(
    ("sentence", "context", "expected"),
    [row[1:] for row in ROWS["altered"]],
    ids=[row[0] for row in ROWS["altered"]],
)
def test_one_number_or_name_is_swapped_for_one_that_the_context_does_not_have(
    sentence, context, expected
):
    for seed in range(40):
        _, false = make_controls([sentence, context], ["x"], b"%d" % seed)
        found = re.fullmatch(expected, false.text)
        assert found or " not " in false.text
        assert not found or found[1].casefold() not in re.findall(r"\d+|[a-z]+", context.casefold())


@pytest.mark.parametrize("sentence", ROWS["no control"])
def test_a_sentence_that_is_not_beyond_doubt_is_no_control(sentence):
    assert make_controls([sentence], ["A statement."]) == ()


def test_an_altered_sentence_that_the_answer_contains_is_not_used():
    secrets = [b"%d" % n for n in range(40)]
    said = [make_controls([PLAIN], ["x"], secret)[1].text.upper() for secret in secrets]
    made = {c.text.upper() for secret in secrets for c in make_controls([PLAIN], said, secret)}
    assert made.isdisjoint(said)


# ---------------------------------------------------------------- which sentences are used


def test_any_plain_sentence_of_any_passage_may_be_the_true_control():
    own = [f"The inn {n} of the town has rooms." for n in range(9)]
    other = [f"The shop number {n} in the harbour of the old town is open." for n in range(9)]
    made = [controls_from([own, other], ["x"], b"%d" % n) for n in range(400)]
    assert {true.text for true, _ in made} == {*own, *other}
    assert len({false.text for _, false in made}) > 200


def test_a_context_of_one_passage_among_many_does_not_supply_both_controls():
    own, other = ["The inn of the town has 7 rooms."], ["The shop in the harbour sells 25 loaves."]
    for n in range(40):
        texts = [c.text for c in controls_from([own, other], ["x"], b"%d" % n)]
        assert not all("inn" in text for text in texts)


# ---------------------------------------------------------------- where the controls are put


def test_controls_stand_at_every_place():
    lines = [mixed(((3, "a"), (7, "b")), (TRUE, FALSE), b"%d" % n) for n in range(200)]
    assert len({(made.index(TRUE), made.index(FALSE)) for made in lines}) == 12


@pytest.mark.parametrize(
    ("first", "second"),
    [("The sauna is warm.", "It costs 9 euros."), ("Are children free?", "No.")],
)
def test_no_control_stands_before_what_refers_back_or_behind_a_question(first, second):
    statements = ((1, first), (2, second), (3, "The pool is cold."), (4, "Is it deep?"))
    for seed in range(60):
        made = mixed(statements, (TRUE, FALSE), b"%d" % seed)
        assert made[made.index(statements[1]) - 1] == statements[0]
        assert made[-1] == statements[3]


# ---------------------------------------------------------------- whole grades


OWN = "The shop has a door."


def reciting(true: str | None, false: str | None) -> TruthfulJudge:
    """Supports the answer's own statement, and labels controls as it is told; None for none."""
    known = (PLAIN, *MUSEUM)
    return TruthfulJudge(
        lambda text: "supported" if text == OWN else true if text in known else false
    )


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
def test_only_a_judge_that_gets_both_controls_right_is_believed(true, false, status):
    context = [OWN, PLAIN]
    judge = reciting(true, false)
    result = grade(OWN, context, judge=judge, controls="enforce")
    assert result.status == status
    assert result.pass_ is (status == "graded")
    report = grade(OWN, context, judge=judge, controls="report")
    assert (report.status, report.score) == ("graded", 1.0)
    failed = [(true, "supported") if true != "supported" else None, false in ("supported", None)]
    assert report.metadata["controls"]["passed"] == 2 - sum(map(bool, failed))


@pytest.mark.parametrize("context", ["Opening hours: 9-18", "* 4 rooms\n* 5 beds", "ok"])
def test_verdicts_without_a_control_are_counted_and_do_not_count_themselves_if_enforced(context):
    judge = reciting("supported", "supported")
    reported = grade(OWN, context, judge=judge, controls="report")
    assert (reported.status, reported.warnings) == ("graded", [])
    told = summary_of(*[reported] * 3)
    assert told.count("could be made for 3 of 3 cases: it takes room for several statements") == 1
    tested = grade(OWN, [OWN, PLAIN], judge=judge, controls="report")
    assert "could be made" not in summary_of(reported, tested)
    enforced = grade(OWN, context, judge=judge, controls="enforce")
    assert (enforced.status, enforced.pass_) == ("unreadable", False)
    assert enforced.error.kind == "unreliable_judge"
    assert "no control could be made" in enforced.error.message


@pytest.mark.parametrize(
    "context",
    [
        ["早餐每人58元，从七点到十点供应。", "酒店不允许携带宠物入住客房。"],
        ["密码在房间卡上。", "早餐从7:30开始。"],
        ["犬は一晩40ユーロです。", "猫は禁止されています。"],
        ["무료 체험은 14일입니다.", "이 건물에는 엘리베이터가 없다."],
    ],
)
def test_a_sentence_in_a_script_that_says_much_with_a_character_needs_fewer(context):
    true, false = make_controls(context, ["x"])
    assert (true.text in context, true.true, false.true) == (True, True, False)
    assert make_controls([sentence[-5:] for sentence in context], ["x"]) == ()


def test_where_the_answer_says_all_of_the_context_an_invented_control_stands_alone():
    for seed in range(20):
        (control,) = make_controls(MUSEUM, MUSEUM, b"%d" % seed)
        assert not control.true
        assert control.text not in MUSEUM
    assert make_controls(MUSEUM[:1], MUSEUM[:1]) == ()
