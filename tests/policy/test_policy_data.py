"""Policies from plain data or a file; each mistake is reported with its field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import ConfigError, grade, policies
from faithfulness_assert.policy.load import DATA_KEYS, find_policy, policy_from

FILES = {
    "ours.toml": 'base = "ragas"\nthreshold = 0.9\nguidance = "bps are basis points"\n[weights]\npartially_supported = 0.5\n',
    "ours.yaml": "base: ragas\nthreshold: 0.9\nguidance: bps are basis points\nweights: {partially_supported: 0.5}\n",
    "ours.json": '{"base": "ragas", "threshold": 0.9, "guidance": "bps are basis points", "weights": {"partially_supported": 0.5}}',
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("prefix", ["", "file://"])
def test_a_policy_file_gives_the_same_policy_in_every_format(
    tmp_path: Path, name: str, prefix: str
) -> None:
    (tmp_path / name).write_text(FILES[name], encoding="utf-8")
    policy = find_policy(f"{prefix}{tmp_path / name}", {}, {})
    assert (policy.name, policy.split, policy.threshold) == ("ours", "claims", 0.9)
    assert dict(policy.weights) == {**policies["ragas"].weights, "partially_supported": 0.5}


def test_options_override_the_file_and_its_fields_override_policy_options(
    tmp_path: Path,
) -> None:
    file = tmp_path / "strict.yaml"
    file.write_text(
        "base: axion\nname: house rules\npolicy_options: {strict_mode: true}\nthreshold: 0.6\n",
        encoding="utf-8",
    )
    policy = find_policy(str(file), {"threshold": 0.7}, {})
    assert (policy.name, policy.threshold, policy.weights["not_enough_info"]) == (
        "house rules",
        0.7,
        -1.0,
    )


def test_a_bare_off_in_yaml_is_read_as_off(tmp_path: Path) -> None:
    file = tmp_path / "quiet.yaml"
    file.write_text("base: masis\ncontrols: off\ncitations: off\n", encoding="utf-8")
    policy = find_policy(str(file), {}, {})
    assert (policy.controls, policy.citations) == ("off", "off")


def test_a_mapping_can_be_a_policy() -> None:
    result = grade(
        "The tower is tall.", "The tower is tall.", policy={"base": "default", "threshold": 1.0}
    )
    assert (result.policy, result.threshold, result.pass_) == ("custom", 1.0, True)


def test_a_custom_policy_has_a_summary_of_its_own() -> None:
    assert policy_from({"base": "deepeval"}).summary == "Based on deepeval."
    assert policy_from({"base": "deepeval", "summary": "House rules."}).summary == "House rules."


BROKEN: list[tuple[str, str, str]] = [
    ("a.toml", "threshold = ", "invalid TOML"),
    ("a.yaml", "threshold: [", "invalid YAML"),
    ("a.json", "{", "invalid JSON"),
    ("a.json", "[" * 100_000, "invalid JSON"),
    ("a.json", "[1]", "must contain a mapping"),
    ("a.yaml", "", "must contain a mapping"),
    ("a.yaml", "treshold: 0.5", "Did you mean 'threshold'"),
    ("a.yaml", "base: raggas", "Did you mean 'ragas'"),
    ("a.yaml", "base: [1]", "base must be a preset"),
    ("a.yaml", "weights: {supported: .nan}", "weights"),
    ("a.yaml", "weights: {suported: 1}", "Did you mean 'supported'"),
    ("a.yaml", "threshold: high", "threshold"),
    ("a.yaml", "name: 5", "name"),
    ("a.yaml", "summary: [1]", "summary"),
    ("a.yaml", "deviations: 5", "deviations"),
    ("a.yaml", "labels: {no: maybe}", "labels"),
    ("a.yaml", "policy_options: 5", "policy_options"),
    ("a.yaml", "score_caps: [{finding: uncited, ceiling: 2}]", "score_caps"),
    ("a.yaml", "threshold: !!python/object/apply:os.system ['true']", "invalid YAML"),
    ("a.toml", 'base = "ragas"\n' + "#" * (1 << 20), "larger than"),
]


@pytest.mark.parametrize(
    ("name", "text", "message"), BROKEN, ids=[f"{name}: {text[:30]}" for name, text, _ in BROKEN]
)
def test_a_wrong_policy_file_is_reported_with_the_mistake(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        find_policy(str(tmp_path / name), {}, {})


def test_a_policy_file_that_is_missing_or_not_text_is_reported(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe\x00")
    for name in ("a.toml", "b.toml", "."):
        with pytest.raises(ConfigError, match="policy: "):
            find_policy(f"file://{tmp_path / name}", {}, {})


@given(
    st.dictionaries(
        st.sampled_from(sorted(DATA_KEYS)),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.none()),
    )
)
def test_any_plain_data_is_a_policy_or_a_config_error(data: dict[str, Any]) -> None:
    try:
        policy = policy_from(data)
    except ConfigError as error:
        assert "policy" in str(error) or "each takes" in str(error)
    else:
        assert 0 <= policy.passes_at <= 1
