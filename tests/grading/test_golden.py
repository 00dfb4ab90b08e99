"""Golden conformance: for the same verdicts we give what other systems give.

Where their result is a defect, the row says what we do instead.

A file of ``fixtures/golden`` holds the rows of the policy that it is named after (``citations.json``, the audit's, has its own test).
"""

import json
import re
from collections import Counter
from typing import Any

import pytest
from conftest import ROOT
from fakes import ScriptedJudge

from faithfulness_assert import ConfigError, GradingResult, Reply, grade, policies

FILES = sorted(
    path for path in (ROOT / "fixtures" / "golden").glob("*.json") if path.stem != "citations"
)
ROWS = [(path.stem, row) for path in FILES for row in json.loads(path.read_text(encoding="utf-8"))]
ANSWER = "I hope this answer helps you."
LONG_ANSWER = "This answer says about ten things in words that its claims turn around."

# The names under which a row's inputs give the fields of a case; all else in them is what the judge says.
ANSWERS = ("response", "longform_output")
CONTEXTS = ("context", "retrieval_context", "retrieved_contexts")
QUESTIONS = ("user_input", "input", "query")


def judge_of(policy: str, row: dict[str, Any], answer: str) -> ScriptedJudge:
    """Replies as the row's judge, once for each kind of ask; to a re-ask, nothing."""
    inputs, verdicts = row.get("inputs", {}), row["verdicts"]
    if policy == "ragas-hhem":  # what a local judge makes of these probabilities
        verdicts = ["supported" if chance > 0.5 else "not_enough_info" for chance in verdicts]
    text = inputs.get("judge_text", json.dumps([{"verdict": v} for v in verdicts]))
    count = inputs.get("statement_count", len(verdicts))
    each = [json.dumps({"verdict": v}) for v in verdicts]
    said = {
        "claims": [json.dumps({"claims": claims_of(answer, count)})],
        "truths": [json.dumps({"truths": ["what the context says"]})],
        "verdicts": each if policies[policy].verify == "per_claim" else [text],
        "ratings": [json.dumps(inputs.get("llm", {}))],
        "reason": [json.dumps({"reason": "Because of this."})],
    }
    return ScriptedJudge([lambda ask: Reply(said[ask.kind].pop(0) if said[ask.kind] else "")])


def claims_of(answer: str, count: int) -> list[str]:
    """So many claims, each of the answer's words in another order."""
    words = answer.split()
    return [" ".join(words[i:] + words[:i]) for i in range(count)]


def run(policy: str, row: dict[str, Any]) -> GradingResult:
    inputs = row.get("inputs", {})
    given = next((inputs[name] for name in ANSWERS if name in inputs), None)
    count = inputs.get("statement_count", len(row["verdicts"]))
    written = LONG_ANSWER if count else ANSWER
    if policies[policy].split == "sentences" and "statement_count" in inputs and count:
        written = " ".join(f"Sentence number {i} of this answer is here." for i in range(count))
    written = written if given is None else given
    context: Any = next((inputs[name] for name in CONTEXTS if name in inputs), "the context")
    audit = inputs.get("audit")
    judge = judge_of(policy, row, str(written))
    question = {name: inputs[name] for name in QUESTIONS if name in inputs}
    return grade(
        written,
        context,
        judge=judge,
        policy=policy,
        policy_options=row["options"],
        last_citation_audit=audit,
        **question,
    )


@pytest.mark.parametrize(
    ("policy", "row"), ROWS, ids=[f"{policy}: {row['case']}" for policy, row in ROWS]
)
def test_the_score_is_the_systems_own_or_what_we_do_instead(policy, row):
    expected = row["expected"] if row["carry"] else row["ours"]
    if "error" in expected:
        assert_an_error(policy, row)
        return
    result = run(policy, row)
    score = expected.get("score", expected.get("overall_score"))
    theirs = result.score if result.defined else result.metadata.get("unreadableScore", 0.0)
    assert theirs == pytest.approx(score, abs=1e-9)
    assert result.pass_ == expected.get("pass", score >= policies[policy].threshold)
    assert result.metadata["graderError"] == expected.get(
        "grader_error", result.status == "unreadable"
    )
    for name in policies[policy].dimensions:
        assert result.named_scores[name] == pytest.approx(
            expected.get(name, result.named_scores[name]), abs=1e-9
        )
    assert bool(result.metadata.get("warnings")) or not expected.get("warning")
    assert result.status == expected.get("status", result.status)


WITH_REASON = [
    (policy, row)
    for policy, row in ROWS
    if row["carry"] and ("reason" in row["expected"] or "explanation" in row["expected"])
]


@pytest.mark.parametrize(
    ("policy", "row"), WITH_REASON, ids=[f"{policy}: {row['case']}" for policy, row in WITH_REASON]
)
def test_the_reason_contains_every_figure_of_the_systems_own_reason(policy, row):
    theirs = row["expected"].get("reason") or row["expected"]["explanation"]
    assert figures(theirs) <= figures(str(run(policy, row).reason))


def figures(reason: str) -> Counter[str]:
    """The figures of a reason, without percentages (the score again), zeros and quotes."""
    found = re.findall(r"\d+(?:\.\d+)?(?![\d.]*%)", re.sub("“.*?”", "", reason))
    return Counter(figure for figure in found if figure != "0")


def assert_an_error(policy: str, row: dict[str, Any]) -> None:
    """A wrong option is a ConfigError; missing data is an undefined result that names it."""
    if "inputs" not in row:
        with pytest.raises(ConfigError):
            run(policy, row)
        return
    result = run(policy, row)
    assert (result.defined, result.pass_, result.score) == (False, False, None)
    assert result.error.kind == "input"


def test_every_policy_but_our_own_has_golden_rows():
    assert {path.stem for path in FILES} == set(policies) - {"default"}


def test_the_rows_are_all_that_the_systems_are_known_to_give(shared):
    known = json.loads((shared / "golden" / "systems.json").read_text(encoding="utf-8"))
    ours = {(row["system"], row["case"]) for _, row in ROWS if not row.get("added")}
    citations = json.loads((FILES[0].parent / "citations.json").read_text(encoding="utf-8"))
    ours |= {(row["system"], row["case"]) for row in citations}
    assert {(row["system"], row["case"]) for row in known} == ours
