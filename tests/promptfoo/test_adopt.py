"""``init --from CONFIG --write`` adopts a project in place, and changes nothing else in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import run
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import ConfigError
from faithfulness_assert.promptfoo.adopt import adopt
from faithfulness_assert.promptfoo.promptfoo_yaml import read_yaml

TEMPLATES = Path(__file__).parents[2] / "faithfulness_assert" / "promptfoo" / "templates"
CONFIG = """\
# our eval
prompts: ["{{query}}"]   # kept
providers: [echo]
defaultTest:
  options: {provider: "ollama:chat:llama3.1"}
tests:
  - vars: {query: price?, at: 22:00, ok: yes}
    assert:
      - type: contains
        value: a
      # before
      - type: context-faithfulness
        # agreed with Ana
        threshold: 0.8  # since May
        metric: Faith

      - {type: icontains, value: b}
  - vars: {query: q}
    assert: [{type: context-faithfulness, threshold: 0.5}]
"""


def adopted(tmp_path: Path, text: str, name: str = "promptfooconfig.yaml") -> tuple[str, list[str]]:
    config = tmp_path / name
    config.write_bytes(text.encode())
    adoption = adopt(config, TEMPLATES, "/usr/bin/python3")
    after = adoption.changes.get(config, (text, text))[1]
    return after, adoption.notes


def test_a_project_is_adopted_and_only_its_assertions_change(tmp_path: Path) -> None:
    config, env = tmp_path / "promptfooconfig.yaml", tmp_path / ".env"
    config.write_text(CONFIG)
    env.write_text("MY_SECRET=hunter22")
    shown = run("init", "--from", str(config))
    assert (shown.returncode, shown.stderr) == (0, "")
    assert config.read_text() == CONFIG
    assert "hunter22" not in shown.stdout
    assert "+PROMPTFOO_PYTHON=" in shown.stdout
    done = run("init", "--from", str(config), "--write")
    assert (done.returncode, done.stderr) == (0, "")
    text = config.read_text()
    for line in CONFIG.splitlines():
        ours = ("context-faithfulness", "threshold", "metric")
        assert any(word in line for word in ours) or line in text.splitlines()
    assert "# agreed with Ana" in text
    assert "# since May" in text
    first, second = read_yaml(text)["tests"]
    assert first["vars"] == {"query": "price?", "at": "22:00", "ok": "yes"}
    judge = {"judge": "openai:llama3.1", "baseUrl": "http://localhost:11434/v1"}
    config_of = {**judge, "policy": "promptfoo", "threshold": 0.8}
    assert first["assert"][1] == {
        "type": "python",
        "value": "file://faithfulness.py",
        "config": config_of,
    }
    assert second["assert"][0]["config"] == {**config_of, "threshold": 0.5}
    assert env.read_text().startswith("MY_SECRET=hunter22\nPROMPTFOO_PYTHON=")
    for name in ("faithfulness.py", "faithfulness.cjs"):
        assert (tmp_path / name).read_bytes() == (TEMPLATES / name).read_bytes()
    again = run("init", "--from", str(config), "--write")
    assert (again.returncode, config.read_text()) == (2, text)
    assert "no context-faithfulness assertion" in again.stderr


@pytest.mark.parametrize("name", ["promptfooconfig.yaml", "promptfooconfig.json"])
def test_no_key_is_shown_or_copied(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(
        '{"tests": [{"assert": [{"type": "context-faithfulness", "provider": {"id": "openai:m",'
        '\n"config": {"apiKey": "opensesame", "headers": {"X-Api-Token": "my word"}}}}]}]}'
    )
    done = run("init", "--from", str(tmp_path / name))
    assert done.returncode == 0
    assert "opensesame" not in done.stdout
    assert "my word" not in done.stdout
    assert "{{env" not in done.stdout
    assert run("init", "--from", str(tmp_path / name), "--write").returncode == 0
    assert "opensesame" not in (tmp_path / name).read_text()


def test_line_ends_of_old_macs_stay(tmp_path: Path) -> None:
    after, _ = adopted(tmp_path, CONFIG.replace("\n", "\r"))
    assert "file://faithfulness.py" in after
    assert "# agreed with Ana\r" in after
    assert "\n" not in after


def test_line_ends_and_what_is_in_braces_stay(tmp_path: Path) -> None:
    after, _ = adopted(tmp_path, CONFIG.replace("\n", "\r\n"))
    assert after.count("\n") == after.count("\r\n") == after.count("\r")
    assert after.replace("\r\n", "\n") == adopted(tmp_path, CONFIG)[0]
    text = '{\n "tests": [{"assert": [{"type": "context-faithfulness"}]}]}'
    after, _ = adopted(tmp_path, text, "a.json")
    assert json.loads(after)["tests"][0]["assert"][0]["type"] == "python"
    with_tab = text.replace("\n", "\n\t")  # which is no YAML
    after, notes = adopted(tmp_path, with_tab, "a.json")
    assert after == with_tab
    assert "- type: python" in notes


@pytest.mark.parametrize(
    "text",
    [
        "tests:\n- assert:\n  - &a {type: context-faithfulness}\n  - *a\n",
        "base: &b {threshold: 0.5}\ntests:\n- assert:\n  - type: context-faithfulness\n    <<: *b\n",
        "tests:\n- assert:\n  - &a\n    type: context-faithfulness\n- assert: [*a]\n",
    ],
)
def test_what_shares_its_text_with_others_is_listed_and_left(tmp_path: Path, text: str) -> None:
    after, notes = adopted(tmp_path, text)
    assert after == text
    assert "An assertion that is written with YAML anchors was left as it is. Ours:" in notes
    assert "- type: python" in notes


def test_a_file_of_another_kind_with_our_name_stays(tmp_path: Path) -> None:
    (tmp_path / "faithfulness.py").write_text("mine")
    (tmp_path / ".env").write_text("export PROMPTFOO_PYTHON=python3.12\n")
    config = tmp_path / "a.yaml"
    config.write_text(CONFIG)
    done = run("init", "--from", str(config), "--write")
    assert "faithfulness.py exists and is another file than ours; it stays." in done.stdout
    assert (tmp_path / "faithfulness.py").read_text() == "mine"
    assert (tmp_path / ".env").read_text() == "export PROMPTFOO_PYTHON=python3.12\n"


def test_a_config_is_never_overwritten_without_its_name(tmp_path: Path) -> None:
    config = tmp_path / "promptfooconfig.yaml"
    config.write_text(CONFIG)
    for more in ([], ["--force"], ["--overwrite", "faithfulness.py"]):
        done = run("init", str(tmp_path), *more)
        assert done.returncode == 2
        assert config.read_text() == CONFIG
    assert f"init --from {config}" in run("init", str(tmp_path), "--force").stderr
    named = ["--force", "--overwrite", "promptfooconfig.yaml"]
    assert run("init", str(tmp_path), *named).returncode == 0
    assert config.read_text() != CONFIG


@pytest.mark.parametrize(
    ("more", "named"),
    [(["elsewhere"], "FOLDER"), (["--force"], "--force"), (["--overwrite", "a"], "--overwrite")],
)
def test_what_only_the_example_takes_is_refused_beside_a_config(
    more: list[str], named: str, tmp_path: Path
) -> None:
    (tmp_path / "a.yaml").write_text(CONFIG)
    done = run("init", *more, "--from", str(tmp_path / "a.yaml"), "--write")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{named}: not with --from, which changes a config where it is" in done.stderr
    assert (tmp_path / "a.yaml").read_text() == CONFIG


@pytest.mark.parametrize("name", ["promptfooconfig.js", "tests.csv", "a.toml", "a"])
def test_a_config_that_is_no_data_is_refused_with_the_endings_that_are_read(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text("x = 1")
    with pytest.raises(ConfigError, match=r"must end in \.yaml, \.yml, \.json$"):
        adopt(tmp_path / name, TEMPLATES, "python3")


words = st.sampled_from(
    ["a", "price?", "yes", "22:00", "x # y", "'q'", "ü\U0001f600", "{{v}}", "- z"]
)
built_in = st.fixed_dictionaries(
    {"type": st.just("context-faithfulness")},
    optional={"threshold": st.sampled_from([0.1, 0.5]), "metric": words, "weight": st.just(2)},
)
other = st.fixed_dictionaries({"type": st.just("contains"), "value": words})
tests = st.lists(
    st.fixed_dictionaries(
        {
            "vars": st.dictionaries(words, words, max_size=2),
            "assert": st.lists(built_in | other, min_size=1, max_size=3),
        }
    ),
    min_size=1,
    max_size=3,
)


@given(tests, st.booleans(), st.sampled_from([2, 4]))
def test_any_config_means_the_same_but_for_our_assertions(
    tmp_path_factory: pytest.TempPathFactory, given_tests: Any, flow: bool, indent: int
) -> None:
    ours = [a for test in given_tests for a in test["assert"] if a["type"] != "contains"]
    given_tests[0]["assert"] += [] if ours else [{"type": "context-faithfulness"}]
    style = None if flow else False
    config = {"tests": given_tests, "description": "last"}
    text = yaml.dump(config, default_flow_style=style, indent=indent, allow_unicode=True)
    after, notes = adopted(tmp_path_factory.mktemp("a"), text)
    anchors = sum(note.startswith("An assertion that is written") for note in notes)
    result = read_yaml(after)
    assert result["description"] == "last"
    before = read_yaml(text)["tests"]
    left = 0
    for old, new in zip(before, result["tests"], strict=True):
        assert old["vars"] == new["vars"]
        for one, other_one in zip(old["assert"], new["assert"], strict=True):
            replaced = other_one["type"] == "python"
            left += other_one["type"] == "context-faithfulness"
            assert one == other_one or replaced
    assert not left or anchors
