"""Whatever a judge says, grade() returns a complete result; whatever the options, that or a ConfigError. Nothing else."""

import json
import math
from typing import Any

from fakes import LABELS, ScriptedJudge
from hypothesis import given
from hypothesis import strategies as st
from own_policy import with_own_policy
from strategies import examples

from faithfulness_assert import ConfigError, GradingResult, Reply, Usage, grade, policies

ANSWER = "The museum opens at nine. Adults pay 14 euros. Children enter free."
CONTEXT = ["The museum opens at nine. Adults pay 14 euros.", "Children enter free."]
DIMENSIONS = tuple(policies["masis"].dimensions)

words = st.sampled_from(
    [*LABELS, "yes", "no", "idk", "Yes.", "NO", "true", "perhaps", "", "1", "0", "FULLY_SUPPORTED"]
)
scalars = (
    words | st.none() | st.booleans() | st.integers(-3, 5) | st.floats() | st.text(max_size=10)
)
entries = st.fixed_dictionaries(
    {},
    optional={
        "id": st.integers(-1, 5) | scalars,
        "label": scalars,
        "verdict": scalars,
        "evidence": st.lists(scalars, max_size=3),
        "x": scalars,
    },
)
near_valid = st.one_of(
    st.lists(entries, max_size=6).map(lambda found: {"verdicts": found}),
    st.lists(entries | scalars, max_size=6),
    st.dictionaries(st.text(max_size=8), st.lists(entries, max_size=4), max_size=3),
    st.lists(
        st.fixed_dictionaries(
            {"id": st.integers(1, 3), "claims": st.lists(st.text(max_size=20), max_size=3)}
        )
    ).map(lambda found: {"sentences": found}),
    st.dictionaries(
        st.sampled_from([*DIMENSIONS, "suggestions", "overall"]),
        scalars | st.integers(-200, 200),
        max_size=6,
    ),
    st.fixed_dictionaries(
        dict.fromkeys(DIMENSIONS, st.floats(0, 100) | st.sampled_from(["0.5", 85, -1]))
    ),
    st.fixed_dictionaries({"reason": scalars}),
).map(json.dumps)
DRESSES = ["{}", "```json\n{}\n```", "Sure:\n{}\nDone.", "<think>{}</think>", "<think>no</think>{}"]
dresses = st.sampled_from([*DRESSES, "{}{}", "{", "[{}"])
texts = st.one_of(
    st.text(max_size=80),
    st.builds(lambda dress, body: dress.replace("{}", body), dresses, near_valid),
    st.lists(words, max_size=5).map(
        lambda found: "Final verdict for each statement in order: " + ". ".join(found)
    ),
)
replies = st.builds(
    Reply,
    texts,
    usage=st.none()
    | st.builds(Usage, st.integers() | st.floats(), st.integers() | st.none(), st.integers()),
    finish_reason=st.sampled_from(
        ["stop", "stop", "stop", "length", "content_filter", "tool_calls", ""]
    ),
    refusal=st.none() | st.none() | st.text(max_size=10),
)
VALUES: dict[str, tuple[Any, ...]] = {
    "threshold": (0, 0.5, 1),
    "weights": ({}, {"supported": 0.5, "contradicted": -1}, {"not_enough_info": 1}),
    "on_missing": ("unsupported", "error"),
    "endings": ({"blank": "pass"}, {"no_statements": 0.3, "blank": "error"}, {"x": "fail"}),
    **dict.fromkeys(("strict_evidence", "inverse", "dedupe", "positional_prefix"), (True, False)),
    **dict.fromkeys(("all_or_nothing", "reask_singly"), (True, False)),
    "citations": ("off", "audit", "enforce"),
    "reasks": (0, 1, 4),
    "examples": ([], [{"context": "c", "statement": "s", "label": "supported"}]),
    "labels": ({"perhaps": "contradicted"}, {"yes": "not_enough_info"}),
    "guidance": ("Be strict.",),
    "policy": tuple(policies),
    "verify": ("batch", "per_claim", "truths", "rubric"),
    "split": ("sentences", "claims"),
    "truths_limit": (1, 9),
    "dimensions": (dict.fromkeys(DIMENSIONS, 0.25), {"x": 1}),
    "explain": ("ours", "judge", "none"),
    "on_unreadable": (0.0, 0.5),
    "headline": ("supported", "made_up"),
    "citation_audit": (None, {"invalid_citations": ["9"]}, {"uncited_claim_count": 3}),
}
"""Values that an option takes, and some that are nearly such."""
options = st.builds(
    lambda fitting, odd: {**fitting, **odd},
    st.fixed_dictionaries({}, optional={n: st.sampled_from(some) for n, some in VALUES.items()}),
    st.dictionaries(st.sampled_from([*VALUES]), scalars, max_size=1),
)


def check(result: GradingResult) -> None:
    assert result.score is None or 0 <= result.score <= 1
    assert math.isfinite(result.latency_ms)
    assert result.defined or not result.pass_
    assert (result.score is None) is not result.defined
    assert result.defined or result.to_promptfoo()["score"] == 0
    assert (result.error is not None) == result.metadata["graderError"]
    assert not (result.error and result.defined)
    assert result.reason or (result.reason is None and result.status == "graded")
    assert result.to_promptfoo()["reason"]
    usage = result.tokens_used
    assert usage.total == usage.prompt + usage.completion >= 0
    assert sum(result.counts.values()) <= len(result.verdicts)
    json.dumps(result.to_promptfoo("all"), allow_nan=False, ensure_ascii=False).encode("utf-8")
    assert (
        GradingResult.model_validate_json(result.model_dump_json(by_alias=True)).score
        == result.score
    )
    result.pretty()


@examples(200)
@given(st.lists(replies, min_size=1, max_size=4), st.sampled_from(sorted(policies)))
def test_grade_returns_a_complete_result_whatever_the_judge_says(script, policy):
    check(grade(ANSWER, CONTEXT, judge=ScriptedJudge(script), policy=policies[policy]))


@examples(150)
@given(options, st.lists(replies, min_size=1, max_size=2))
def test_grade_raises_a_config_error_or_returns_a_complete_result_whatever_the_options(
    options, script
):
    try:
        result = grade(ANSWER, CONTEXT, judge=ScriptedJudge(script), **with_own_policy(options))
    except ConfigError as error:
        assert str(error)
        return
    check(result)


@examples(150)
@given(
    st.text(max_size=200),
    st.none() | st.text(max_size=200) | st.lists(st.text(max_size=50), max_size=3),
    st.text(max_size=30),
)
def test_grade_takes_any_text(answer, context, question):
    check(grade(answer, context, question=question))
