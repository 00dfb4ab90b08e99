"""A panel's verdict is that of more than half of its judges, and nothing else earns anything."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command import run as command
from hypothesis import given
from hypothesis import strategies as st
from loopback import Loopback
from true_server import answered

from faithfulness_assert import Ask, ConfigError, Grader, JudgeError, Reply, Usage, grade
from faithfulness_assert.batch import rescore, run
from faithfulness_assert.judges.embedded import EmbeddedJudge
from faithfulness_assert.judges.several import Panel
from faithfulness_assert.records.judge import JudgeInfo
from faithfulness_assert.records.model import LABELS

STATEMENTS = ("The gate is red.", "The well is deep.", "The roof leaks.")
ANSWER, CONTEXT = " ".join(STATEMENTS), "The gate is red. The well is old."
WEIGHTS = {"supported": 1.0, "partially_supported": 0.5}
FAILS = "fails"


class Says:
    """A judge that gives these labels, in the order of the statements; "" leaves one out."""

    def __init__(self, name: str, labels: Sequence[str] | str) -> None:
        self.info = JudgeInfo(name, identity={"judge": name})
        self.labels = labels
        self.asked = 0

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.asked += 1
        if self.labels == FAILS:
            raise JudgeError("the server is down", "transport", retryable=True)
        texts = dict(zip(STATEMENTS, self.labels, strict=True))
        verdicts = [
            {**({"id": n} if ask.form.numbered else {}), "evidence": [1], "label": texts[text]}
            for n, text in ask.payload.items
            if texts[text]
        ]
        return Reply(json.dumps({"verdicts": verdicts}), Usage(100, 10, num_requests=1))


def panel(*labels: Sequence[str] | str) -> Panel:
    return Panel(*(Says(f"judge{n}", said) for n, said in enumerate(labels)))


label = st.sampled_from([name for name in LABELS if name != "not_a_claim"] + [""])
judge_labels = st.tuples(*[label] * len(STATEMENTS))


@given(st.lists(judge_labels, min_size=2, max_size=5))
def test_a_statement_has_the_label_of_more_than_half_of_all_judges_or_none(said: Any) -> None:
    result = grade(ANSWER, CONTEXT, judge=panel(*said))
    if not any("".join(labels) for labels in said):
        assert result.error is not None
        return
    expected = []
    for column in zip(*said, strict=True):
        most = [name for name in set(column) if name and column.count(name) * 2 > len(said)]
        expected.append(most[0] if most else None)
    silent = sum(not any(labels) for labels in said)
    if silent * 2 >= len(said):  # no reply of theirs can be read
        assert result.error is not None
        return
    if result.error is None:
        assert [verdict.label for verdict in result.verdicts] == expected
        assert result.score == pytest.approx(sum(WEIGHTS.get(e or "", 0.0) for e in expected) / 3)
    else:  # a judge without any reply might have made a majority that decides
        assert silent or all(e is None for e in expected)


@pytest.mark.parametrize(("with_evidence", "score"), [(1, 0.0), (2, 1.0), (3, 1.0)])
def test_what_needs_evidence_needs_it_of_more_than_half_of_the_judges(
    with_evidence: int, score: float
) -> None:
    class Bare(Says):
        """Names no evidence."""

        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            reply = super().ask(ask)
            return replace(reply, text=reply.text.replace("[1]", "[]"))

    kinds = [Says] * with_evidence + [Bare] * (3 - with_evidence)
    for order in (kinds, kinds[::-1]):
        judges = Panel(*(kind(f"j{n}", ["supported"] * 3) for n, kind in enumerate(order)))
        assert grade(ANSWER, CONTEXT, judge=judges, strict_evidence=True).score == score


def test_a_judge_that_cannot_be_reached_has_no_vote_and_may_leave_the_case_open() -> None:
    good, bad = ("supported",) * 3, ("not_enough_info",) * 3
    decided = grade(ANSWER, CONTEXT, judge=panel(good, good, FAILS))
    assert decided.score == 1.0
    assert "2 of" not in (decided.reason or "")
    assert any("server is down" in warning for warning in decided.warnings)
    undecided = grade(ANSWER, CONTEXT, judge=panel(good, bad, FAILS))
    assert undecided.error is not None
    assert undecided.error.kind == "transport"
    assert undecided.score is None
    alone = grade(ANSWER, CONTEXT, judge=panel(good, FAILS, FAILS))
    assert alone.error is not None
    assert not alone.pass_


def test_judges_that_all_disagree_leave_a_case_that_says_who_said_what() -> None:
    yes, no, other = (("supported",) * 3, ("contradicted",) * 3, ("not_enough_info",) * 3)
    result = grade(ANSWER, CONTEXT, judge=panel(yes, no, yes, no))
    assert result.error is not None
    assert result.error.message == (
        "no majority on 3 of 3 statements; of statement 1, 2 of 4 judges said supported, "
        "2 contradicted. Ask more of them, an odd number, or look at this case yourself."
    )
    three = grade(ANSWER, CONTEXT, judge=panel(yes, no, other))
    said = "1 of 3 judges said supported, 1 contradicted, 1 not enough info"
    assert said in str(three.reason)
    assert [(v.unresolved, v.reason) for v in three.verdicts] == [("split", said)] * 3


def test_it_says_how_much_they_agree_and_what_all_of_them_cost() -> None:
    good, mixed = ("supported",) * 3, ("supported", "contradicted", "supported")
    result = grade(
        ANSWER, CONTEXT, judge=panel(good, mixed, good), prices={"prompt": 1e6, "completion": 0}
    )
    assert "[panel of 3 judges: 2 of 3 statements have one label of all 3]" in str(result.reason)
    assert result.metadata["panel"] == {"judges": 3, "graded": 3, "alike": 2, "of": 3}
    assert result.judge == "panel:judge0,judge1,judge2"
    assert (result.tokens_used.prompt, result.tokens_used.num_requests) == (300, 3)
    assert result.cost == 300.0


def test_each_way_to_grade_gives_the_same() -> None:
    labels = ("supported",) * 3, ("contradicted",) * 3, ("supported", "supported", "contradicted")
    grader = Grader(panel(*labels))
    case = {"answer": ANSWER, "context": CONTEXT}
    first = grader.grade(ANSWER, CONTEXT)
    others = [asyncio.run(grader.agrade(ANSWER, CONTEXT)), *grader.grade_many([case, case])]
    for other in others:
        assert [v.label for v in other.verdicts] == [v.label for v in first.verdicts]
        assert other.score == first.score == pytest.approx(2 / 3)


def test_nothing_to_check_asks_nobody() -> None:
    judges = panel(("supported",) * 3, FAILS)
    for answer, context, status in (("", CONTEXT, "no_statements"), (ANSWER, "", "no_context")):
        assert grade(answer, context, judge=judges).status == status
    assert all(judge.asked == 0 for judge in judges.members)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("judge", "options", "problem"),
    [
        ("panel:embedded", {}, "should be written 'panel:A,B,C'"),
        ("panel:embedded,", {}, "should be written 'panel:A,B,C'"),
        ("panel:embedded,nonsense:x", {}, "unknown judge 'nonsense:x'"),
        ("panel:embedded,panel:embedded,embedded", {}, "cannot be one of several judges"),
        ("panel:embedded,openai:m", {"split": "claims"}, "a panel needs split='sentences'"),
        ("panel:openai:m,openai:n", {"policy": "masis"}, "has no verdicts that a panel votes on"),
        ("panel:openai:m,openai:n", {"prices": {"prompt": 1}}, "must name the judges, as in"),
        ("panel:embedded,embedded", {"base_url": "http://127.0.0.1:1"}, "has no such option"),
        (",".join(["panel:embedded"] + ["embedded"] * 9), {}, "needs 2 to 9 judges, got 10"),
    ],
)
def test_what_cannot_vote_is_refused_at_once(judge: str, options: Any, problem: str) -> None:
    key = {"api_key": "sk-0123456789abcdef"} if "openai" in judge else {}
    with pytest.raises(ConfigError) as error:
        grade("x", "x", judge=judge, **key, **options)
    assert problem in str(error.value)


def test_a_run_of_a_panel_sums_up_and_can_be_scored_again(tmp_path: Path) -> None:
    """Over HTTP: two models and the embedded judge, named as on the command line."""
    cases = [
        {
            "id": f"q{n}",
            "answer": f"House {n} has {n} rooms.",
            "context": f"House {n} has {n} rooms.",
        }
        for n in range(1, 9)
    ]
    with Loopback(answered) as server:
        options: Any = {"base_url": server.url, "api_key": "sk-0123456789abcdef"}
        outcome = run(
            cases,
            tmp_path / "run",
            judge="panel:embedded,openai:m,openai:n",
            progress=False,
            **options,
        )
        assert len(server.requests) == 16
    assert outcome.exit_code == 0
    assert "panel: 8 of 8 statements have one label of all judges" in outcome.text
    again = rescore(tmp_path / "run", tmp_path / "again", threshold=1.0)
    assert again.counts.passed == 8


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_panel_has_the_caveats_of_its_judges_wherever_they_sit(place: int) -> None:
    judges: list[Any] = [Says("a", ["supported"] * 3), Says("b", ["supported"] * 3)]
    judges.insert(place, EmbeddedJudge())
    result = grade(ANSWER, CONTEXT, judge=Panel(*judges))
    caveat = EmbeddedJudge().info.caveat
    assert result.metadata["judgeNote"] == caveat
    assert (result.reason or "").endswith(f"of all 3] [{caveat}]")
    assert "judgeNote" not in grade(ANSWER, CONTEXT, judge=panel(*[["supported"] * 3] * 2)).metadata


def test_grade_says_at_its_end_on_how_much_the_judges_agree(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps([{"answer": "It is red. It is wide.", "context": "It is red."}]))
    told = command("grade", str(file), "--judge", "panel:embedded,embedded")
    assert "panel: 2 of 2 statements have one label of all judges" in told.stdout
    assert "(embedded smoke-test judge: compares words only;" in told.stdout
