"""``init --from`` finds the built-in assertions in any promptfoo config and prints YAML for ours."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from rows import contains, rows

from faithfulness_assert import ConfigError, Grader
from faithfulness_assert.promptfoo.hook import read_config
from faithfulness_assert.promptfoo.migrate import MAX_ASSERTIONS, migrate_config

BUILT_IN: dict[str, Any] = {"type": "context-faithfulness", "threshold": 0.8}


def config_with(*assertions: Any, **config: Any) -> dict[str, Any]:
    return {"tests": [{"vars": {"query": "q"}, "assert": list(assertions)}], **config}


def printed(config: object) -> list[dict[str, Any]]:
    """The assertions of the output, as YAML reads them."""
    read: list[dict[str, Any]] = yaml.safe_load(migrate_config(config))
    return read


def init_from(path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "faithfulness_assert", "init", "--from", str(path)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=False)


@pytest.mark.parametrize("row", rows("migrated_configs"), ids=lambda row: row["what"])
def test_a_config_is_migrated_as_its_row_says(row: dict[str, Any]) -> None:
    if "error" in row:
        with pytest.raises(ConfigError, match=f"^{row['error']}"):
            migrate_config(row["config"])
        return
    text = migrate_config(row["config"])
    for ours, wanted in zip(printed(row["config"]), row.get("ours", ()), strict="ours" in row):
        assert contains(ours, wanted), ours
    assert [said for said in row.get("says", ()) if said not in text] == []
    assert [said for said in row.get("never", ()) if said in text] == []


def test_the_same_assertion_in_many_tests_is_printed_once() -> None:
    text = migrate_config(
        {"tests": [{"description": f"test {n}", "assert": [BUILT_IN]} for n in range(60)]}
    )
    assert text.count("- type: python") == 1
    assert "in 60 places: tests[1] “test 0”" in text


def test_yaml_aliases_for_billions_of_values_are_handled_at_once() -> None:
    lines = [
        f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]" for n in range(12)
    ]
    everywhere = "threshold: *m, contextTransform: *m, metric: *m, provider: *m"
    tests = f"tests: [{{description: *m, assert: [{{type: context-faithfulness, {everywhere}}}]}}]"
    text = "\n".join(["a: &a [x, x]", *lines, tests])
    assert "a list" in migrate_config(yaml.safe_load(text))
    many = {"tests": [{"assert": [BUILT_IN] * 1000}] * 1000}
    with pytest.raises(ConfigError, match=f"more than {MAX_ASSERTIONS:,}"):
        migrate_config(many)


ODD_TEXTS = [
    *("yes", "on", "null", "~", "1e3", "a: b", "# x", "- x", "a\nb", "{{env.X}}", 'a"b\\c'),
    *("\U00010000", "\U000e0041", "\ud800", "\x1b[31m"),
]
texts = st.text(max_size=40) | st.sampled_from(ODD_TEXTS)
scalars = st.none() | st.booleans() | st.floats() | st.integers() | texts
plain = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
)
KEYS = "threshold metric weight transform contextTransform provider rubricPrompt assert config"
keys = st.sampled_from(KEYS.split())
assertions = st.dictionaries(keys, plain).map(lambda more: {**more, "type": "context-faithfulness"})


@given(assertions, plain, plain)
def test_the_hook_accepts_the_output_for_any_assertion(
    assertion: dict[str, Any], description: Any, options: Any
) -> None:
    config = {"tests": [{"description": description, "options": options, "assert": [assertion]}]}
    (ours,) = printed(config)
    settings = read_config(ours)
    assert ours["type"] == "python"
    assert settings["policy"] == "promptfoo"
    assert "metric" not in ours  # promptfoo would count a grader error as 0 in it
    if isinstance(assertion.get("transform"), str):
        assert ours["transform"] == assertion["transform"]


@given(
    st.dictionaries(
        st.sampled_from(["tests", "defaultTest", "scenarios", "assertionTemplates"]), plain
    )
)
def test_any_config_is_read_or_a_clear_error(config: dict[str, Any]) -> None:
    try:
        migrate_config(config)
    except ConfigError as error:
        assert str(error).startswith("init: ")


def test_the_grader_accepts_the_printed_judge_and_options() -> None:
    provider = {"id": "openai:chat:gpt-4o", "config": {"apiBaseUrl": "http://127.0.0.1:9/v1"}}
    (ours,) = printed(config_with({**BUILT_IN, "provider": provider}))
    grader = Grader(**read_config(ours), api_key="none")
    assert (grader.policy.name, grader.policy.threshold) == ("promptfoo", 0.8)


def test_the_command_prints_and_writes_nothing(tmp_path: Path) -> None:
    config = tmp_path / "promptfooconfig.yaml"
    config.write_text(yaml.safe_dump(config_with(BUILT_IN)), "utf-8")
    done = init_from(config)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Nothing was written" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["promptfooconfig.yaml"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("missing.yaml", None),
        ("promptfooconfig.js", b"module.exports = {}"),
        ("broken.yaml", b"tests: [\n"),
        ("tag.yaml", b"tests: !!python/object/apply:os.system ['echo hacked']"),
        ("binary.yaml", b"\xff\xfe\x00"),
        ("deep.yaml", b"[" * 100_000),
        ("huge.yaml", b"# " + b"x" * (1 << 21)),
        ("empty.yaml", b""),
        ("other.json", json.dumps({"tests": []}).encode()),
    ],
)
def test_a_broken_or_hostile_file_gives_one_line_of_error(
    tmp_path: Path, name: str, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    done = init_from(tmp_path / name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("faithfulness-assert: init: ")
    assert len(done.stderr.splitlines()) == 1
