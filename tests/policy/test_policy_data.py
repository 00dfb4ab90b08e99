"""Policies from plain data or a file; each mistake is reported with its field."""

from dataclasses import fields
from typing import Any

import pytest
from fakes import TruthfulJudge
from hypothesis import given
from hypothesis import strategies as st
from rows import rows

from faithfulness_assert import ConfigError, Grader, Policy, policies

DATA_KEYS = sorted({*(field.name for field in fields(Policy)), "base", "policy_options"})


def policy_of(policy: Any, **options: Any) -> Policy:
    """The policy of a grader whose judge can do all that is asked."""
    return Grader(TruthfulJudge(), policy, **options).policy


FILES = {
    "ours.toml": 'base = "ragas"\nthreshold = 0.9\nguidance = "bps are basis points"\n[weights]\npartially_supported = 0.5\n',
    "ours.yaml": "base: ragas\nthreshold: 0.9\nguidance: bps are basis points\nweights: {partially_supported: 0.5}\n",
    "ours.json": '{"base": "ragas", "threshold": 0.9, "guidance": "bps are basis points", "weights": {"partially_supported": 0.5}}',
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("prefix", ["", "file://"])
def test_a_policy_file_gives_the_same_policy_in_every_format(tmp_path, name, prefix):
    (tmp_path / name).write_text(FILES[name], encoding="utf-8")
    policy = policy_of(f"{prefix}{tmp_path / name}")
    assert (policy.name, policy.split, policy.threshold) == ("ours", "claims", 0.9)
    assert dict(policy.weights) == {**policies["ragas"].weights, "partially_supported": 0.5}


def test_options_override_the_file_and_its_fields_override_policy_options(tmp_path):
    file = tmp_path / "strict.yaml"
    file.write_text(
        "base: axion\nname: house rules\npolicy_options: {strict_mode: true}\nthreshold: 0.6\n",
        encoding="utf-8",
    )
    policy = policy_of(str(file), threshold=0.7)
    assert (policy.name, policy.threshold, policy.weights["not_enough_info"]) == (
        "house rules",
        0.7,
        -1.0,
    )


def test_a_bare_off_in_yaml_is_read_as_off(tmp_path):
    file = tmp_path / "quiet.yaml"
    file.write_text("base: masis\ncontrols: off\ncitations: off\n", encoding="utf-8")
    policy = policy_of(str(file))
    assert (policy.controls, policy.citations) == ("off", "off")


BROKEN = [row for row in rows("policy_mistakes") if "file" in row] + [
    {"file": "a.json", "text": "[" * 100_000, "message": "invalid JSON"},
    {"file": "a.toml", "text": 'base = "ragas"\n' + "#" * (1 << 20), "message": "larger than"},
]


@pytest.mark.parametrize("row", BROKEN, ids=lambda row: f"{row['file']}: {row['text'][:30]}")
def test_a_wrong_policy_file_is_reported_with_the_mistake(tmp_path, row):
    (tmp_path / row["file"]).write_text(row["text"], encoding="utf-8")
    with pytest.raises(ConfigError, match=row["message"]):
        policy_of(str(tmp_path / row["file"]))


def test_a_policy_file_that_is_missing_or_not_text_is_reported(tmp_path):
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe\x00")
    for name in ("a.toml", "b.toml", "."):
        with pytest.raises(ConfigError, match="policy: "):
            policy_of(f"file://{tmp_path / name}")


@given(
    st.dictionaries(
        st.sampled_from(DATA_KEYS),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.none()),
    )
)
def test_any_plain_data_is_a_policy_or_a_config_error(data):
    try:
        policy = policy_of(data)
    except ConfigError as error:
        assert "policy" in str(error) or "each takes" in str(error)
    else:
        assert 0 <= policy.passes_at <= 1
