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


def test_an_assertion_becomes_ours_with_its_threshold_metric_and_weight() -> None:
    (ours,) = printed(
        config_with(
            {**BUILT_IN, "metric": "Faithfulness", "weight": 2, "provider": "openai:chat:gpt-4o"}
        )
    )
    assert ours == {
        "type": "python",
        "value": "file://faithfulness.py",
        "metric": "Faithfulness",
        "weight": 2,
        "config": {"judge": "openai:gpt-4o", "policy": "promptfoo", "threshold": 0.8},
    }


@pytest.mark.parametrize(
    ("provider", "judge"),
    [
        ("openai:chat:gpt-4o", "openai:gpt-4o"),
        ("openai:gpt-4o-mini", "openai:gpt-4o-mini"),
        ("openai:responses:o3", "openai:o3"),
        ("openai:chat:ft:gpt-4o:mine::abc", "openai:ft:gpt-4o:mine::abc"),
        ("anthropic:messages:claude-sonnet-4", "anthropic:claude-sonnet-4"),
        ({"id": "openai:chat:gpt-4o"}, "openai:gpt-4o"),
        ({"text": {"id": "openai:gpt-4o"}, "embedding": "openai:embedding:ada"}, "openai:gpt-4o"),
        ({"text": "openai:gpt-4o"}, "openai:gpt-4o"),
    ],
)
def test_a_promptfoo_grader_becomes_the_judge_of_the_same_name(provider: Any, judge: str) -> None:
    (ours,) = printed(config_with({**BUILT_IN, "provider": provider}))
    assert ours["config"]["judge"] == judge


@pytest.mark.parametrize(
    "provider", ["azure:chat:mine", "file://mine.py", {"config": {}}, {"id": 7}, [], 7, True]
)
def test_a_grader_that_is_not_one_of_our_judges_is_named_in_a_comment(provider: Any) -> None:
    text = migrate_config(config_with({**BUILT_IN, "provider": provider}))
    assert "name one" in text or "names no grader" in text


def test_the_most_specific_grader_is_used() -> None:
    config = {
        "defaultTest": {"options": {"provider": "openai:default"}, "assert": [BUILT_IN]},
        "tests": [
            {"options": {"provider": "openai:of-the-test"}, "assert": [BUILT_IN]},
            {
                "options": {"provider": "openai:of-the-test"},
                "assert": [{**BUILT_IN, "provider": "openai:its-own"}],
            },
        ],
    }
    assert [ours["config"]["judge"] for ours in printed(config)] == [
        "openai:default",
        "openai:of-the-test",
        "openai:its-own",
    ]


def test_assertions_are_found_everywhere_in_a_config() -> None:
    config = {
        "defaultTest": {"assert": [{**BUILT_IN, "threshold": 0.1}]},
        "tests": [
            {
                "assert": [
                    {
                        "type": "assert-set",
                        "assert": [
                            {**BUILT_IN, "threshold": 0.2},
                            {"type": "contains", "value": "x"},
                        ],
                    }
                ]
            }
        ],
        "scenarios": [{"config": [], "tests": [{"assert": [{**BUILT_IN, "threshold": 0.3}]}]}],
        "assertionTemplates": {"faithful": {**BUILT_IN, "threshold": 0.4}},
    }
    assert [ours["config"]["threshold"] for ours in printed(config)] == [0.1, 0.2, 0.3, 0.4]


def test_the_same_assertion_in_many_tests_is_printed_once() -> None:
    text = migrate_config(
        {"tests": [{"description": f"test {n}", "assert": [BUILT_IN]} for n in range(60)]}
    )
    assert text.count("- type: python") == 1
    assert "in 60 places: tests[1] “test 0”" in text


@pytest.mark.parametrize(
    ("transform", "path"),
    [
        ("context.metadata.docs", "metadata.docs"),
        ("context.vars.passages[0]", "vars.passages[0]"),
        ("output.context", "output.context"),
        ("output", "output"),
    ],
)
def test_a_transform_that_is_only_a_path_becomes_context_from(transform: str, path: str) -> None:
    (ours,) = printed(config_with({**BUILT_IN, "contextTransform": transform}))
    assert ours["config"]["contextFrom"] == path


@pytest.mark.parametrize(
    "transform",
    [
        "output.docs.map(d => d.text)",
        "file://context.js",
        "metadata.docs",
        "context.other",
        "output.length + 1",
        7,
        [],
    ],
)
def test_a_transform_that_is_code_becomes_a_comment(transform: Any) -> None:
    config = config_with({**BUILT_IN, "contextTransform": transform})
    (ours,) = printed(config)
    assert "contextFrom" not in ours["config"]
    assert "# contextTransform is code: " in migrate_config(config)


def test_an_inverted_assertion_is_inverted_with_a_comment() -> None:
    config = config_with({**BUILT_IN, "type": "not-context-faithfulness"})
    assert printed(config)[0]["type"] == "not-python"
    assert "does not invert not-context-faithfulness" in migrate_config(config)


@pytest.mark.parametrize("threshold", [None, "{{threshold}}", [0.5], float("nan"), 10**400])
def test_an_invalid_threshold_becomes_a_comment(threshold: Any) -> None:
    config = config_with({"type": "context-faithfulness", "threshold": threshold})
    assert "threshold" not in printed(config)[0]["config"]
    assert "had no threshold" in migrate_config(config)


def test_no_key_is_repeated() -> None:
    options = {
        "apiKey": "sk-0123456789abcdef",
        "apiBaseUrl": "https://me:secret@host/v1",
        "temperature": 0,
    }
    text = migrate_config(
        config_with({**BUILT_IN, "provider": {"id": "openai:gpt-4o", "config": options}})
    )
    assert "sk-0123456789abcdef" not in text
    assert "secret" not in text
    assert "OPENAI_API_KEY" in text
    assert "Left out of the provider's config: apiBaseUrl, temperature" in text


def test_the_address_of_the_users_server_is_kept() -> None:
    provider = {"id": "openai:chat:mine", "config": {"apiBaseUrl": "http://localhost:8000/v1"}}
    assert (
        printed(config_with({**BUILT_IN, "provider": provider}))[0]["config"]["baseUrl"]
        == "http://localhost:8000/v1"
    )


def test_files_that_were_not_read_are_listed() -> None:
    text = migrate_config(
        {
            "defaultTest": {"assert": [BUILT_IN]},
            "tests": ["file://more.yaml", {"path": "file://tests.py:make", "config": {}}],
        }
    )
    assert "tests file://more.yaml is another file" in text
    assert "tests file://tests.py:make is another file" in text


@pytest.mark.parametrize(
    "config",
    [
        None,
        [],
        "x",
        7,
        {},
        {"tests": "file://tests.csv"},
        {"tests": {"a": 1}},
        config_with({"type": "python"}),
    ],
)
def test_a_config_without_the_assertion_is_a_clear_error(config: Any) -> None:
    with pytest.raises(ConfigError, match=r"^init: "):
        migrate_config(config)


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
    "yes",
    "\U00010000",
    "\U000e0041",
    'a"b\\c',
    "a: b",
    "# x",
    "- x",
    "{{env.X}}",
    "null",
    "\ud800",
    "a\nb",
    "\x1b[31m",
    "1e3",
    "~",
    "on",
]
texts = st.text(max_size=40) | st.sampled_from(ODD_TEXTS)
scalars = st.none() | st.booleans() | st.floats() | st.integers() | texts
plain = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
)
keys = st.sampled_from(
    [
        "threshold",
        "metric",
        "weight",
        "transform",
        "contextTransform",
        "provider",
        "rubricPrompt",
        "assert",
        "config",
    ]
)
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
    for key in ("metric", "transform"):
        if isinstance(assertion.get(key), str):
            assert ours[key] == assertion[key]


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
    (ours,) = printed(
        config_with(
            {
                **BUILT_IN,
                "provider": {
                    "id": "openai:chat:gpt-4o",
                    "config": {"apiBaseUrl": "http://127.0.0.1:9/v1"},
                },
            }
        )
    )
    grader = Grader(**read_config(ours), api_key="none")
    assert (grader.policy.name, grader.policy.threshold) == ("promptfoo", 0.8)


def test_the_command_prints_and_writes_nothing(tmp_path: Path) -> None:
    config = tmp_path / "promptfooconfig.yaml"
    config.write_text(yaml.safe_dump(config_with(BUILT_IN)), "utf-8")
    done = init_from(config)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == migrate_config(config_with(BUILT_IN))
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
