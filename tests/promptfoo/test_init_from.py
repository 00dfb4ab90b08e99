"""``init --from`` finds the built-in assertions in any promptfoo config and prints ours, to paste."""

import json
import sys
from typing import Any

import pytest
import yaml
from command import here as run
from hypothesis import given
from hypothesis import strategies as st
from rows import contains, rows

from faithfulness_assert import ConfigError, Grader
from faithfulness_assert.promptfoo.hook import read_config
from faithfulness_assert.promptfoo.migrate import migrate_config

CONFIG = """\
# our eval
defaultTest:
  options: {provider: {id: "ollama:chat:llama3.1", config: {apiKey: opensesame, top_k: 1}}}
tests:
  - vars: {query: price?, at: 22:00}
    assert:
      - type: contains
        value: a
      - type: context-faithfulness
        threshold: 0.8  # since May
        metric: Faith
        contextTransform: context.vars.docs
  - assert: [&a {type: context-faithfulness, threshold: 0.5}, *a]
"""


def printed(config: object) -> list[dict[str, Any]]:
    """The assertions of the output, as YAML reads them."""
    read: list[dict[str, Any]] = yaml.safe_load(migrate_config(config))
    return read


@pytest.mark.parametrize("row", rows("migrated_configs"), ids=lambda row: row["what"])
def test_a_config_is_migrated_as_its_row_says(row):
    if "error" in row:
        with pytest.raises(ConfigError, match=f"^{row['error']}"):
            migrate_config(row["config"])
        return
    text = migrate_config(row["config"])
    for ours, wanted in zip(printed(row["config"]), row.get("ours", ()), strict="ours" in row):
        assert contains(ours, wanted), ours
    assert [said for said in row.get("says", ()) if said not in text] == []
    assert [said for said in row.get("never", ()) if said in text] == []


def test_the_command_prints_or_writes_a_new_file_and_leaves_the_config(tmp_path):
    config, new = tmp_path / "promptfooconfig.yaml", tmp_path / "ours.yaml"
    config.write_text(CONFIG)
    done = run("init", "--from", str(config))
    assert (done.returncode, done.stderr) == (0, "")
    first, second = yaml.safe_load(done.stdout)
    judge = {"judge": "openai:llama3.1", "baseUrl": "http://localhost:11434/v1"}
    assert first["config"] == {
        **judge,
        "policy": "promptfoo",
        "threshold": 0.8,
        "components": "none",
        "contextFrom": "vars.docs",
    }
    assert second["config"].items() >= {"policy": "promptfoo", "threshold": 0.5}.items()
    assert "Left out of the assertion: metric." in done.stdout
    assert "Left out of the provider's config: top_k." in done.stdout
    assert "opensesame" not in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == [config.name]
    assert run("init", "--from", str(config), "-o", str(new)).returncode == 0
    assert new.read_text() == done.stdout
    again = run("init", "--from", str(config), "-o", str(config))
    assert (again.returncode, config.read_text()) == (2, CONFIG)
    assert "exists; name a new file" in again.stderr
    del second["config"]["components"]
    grader = Grader(**read_config(second), api_key="none")
    assert (grader.policy.name, grader.policy.threshold) == ("promptfoo", 0.5)


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
def test_the_hook_accepts_the_output_for_any_assertion(assertion, description, options):
    config = {"tests": [{"description": description, "options": options, "assert": [assertion]}]}
    (ours,) = printed(config)
    settings = read_config(ours)
    assert ours["type"] == "python"
    assert settings["policy"] == "promptfoo"
    assert "metric" not in ours  # promptfoo would count a grader error as 0 in it
    if isinstance(assertion.get("transform"), str):
        assert ours["transform"] == assertion["transform"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("missing.yaml", None),
        ("promptfooconfig.js", b"module.exports = {}"),
        ("broken.yaml", b"tests: [\n"),
        ("tag.yaml", b"tests: !!python/object/apply:os.system ['echo hacked']"),
        ("binary.yaml", b"\xff\xfe\x00"),
        ("huge.yaml", b"# " + b"x" * (1 << 21)),
        ("empty.yaml", b""),
        ("other.json", json.dumps({"tests": []}).encode()),
    ],
)
def test_a_broken_or_hostile_file_gives_one_line_of_error(tmp_path, name, content):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    done = run("init", "--from", str(tmp_path / name))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("faithfulness-assert: init: ")
    assert len(done.stderr.splitlines()) == 1
    assert ("Write it as JSON, and name that: node -e" in done.stderr) == name.endswith(".js")


@pytest.mark.parametrize("ending", "yaml yml json js mjs cjs ts mts cts".split())
def test_a_config_is_never_overwritten_nor_is_another_put_beside_it(tmp_path, ending):
    config = tmp_path / f"promptfooconfig.{ending}"
    config.write_text(CONFIG)
    done = run("init", str(tmp_path))
    assert (done.returncode, config.read_text()) == (2, CONFIG)
    assert f"Its assertions are converted by --from {config}" in done.stderr
    assert "leaves a config as it is, and adds one line to .env" in done.stderr
    assert [*tmp_path.iterdir()] == [config]
    done = run("init", str(tmp_path), "--force")
    assert (done.returncode, config.read_text()) == (0, CONFIG)
    written = {".env", "faithfulness.cjs", "faithfulness.py", config.name}
    assert {path.name for path in tmp_path.iterdir()} == written
    assert "promptfooconfig" not in done.stdout


@pytest.mark.parametrize("before", ["KEY=abc", "KEY=abc\n", "# c", "KEY=\xfc\n"])
def test_what_stands_in_an_environment_file_stays_and_the_python_has_a_line_of_its_own(
    tmp_path, before
):
    environment = tmp_path / ".env"
    environment.write_bytes(before.encode("latin-1"))
    assert "left as it is" not in run("init", str(tmp_path)).stdout
    lines = environment.read_bytes().decode("latin-1").splitlines()
    assert lines[0] == before.strip()
    assert lines[-1] == f"PROMPTFOO_PYTHON='{sys.executable}'"
