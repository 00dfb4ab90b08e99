"""The pages keep their word: examples print what stands below them, and tables are those of the presets and the fixtures.

A Python block right above a ``text`` block is an example: it is run, after those above it, and must print that text. A block of data that
starts with ``# NAME`` is a file that the examples may use.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT

from faithfulness_assert import policies
from faithfulness_assert.policy.describe import HEAD, row
from faithfulness_assert.policy.load import find_policy
from faithfulness_assert.policy.presets import SOURCE_OPTIONS
from faithfulness_assert.promptfoo.hook import read_config
from faithfulness_assert.records.case import CASE_ALIASES

README, MIGRATING = ROOT / "README.md", ROOT / "docs" / "migrating.md"
PAGES = [README, MIGRATING]


BLOCK = r"^```(\w*)\n((?:(?!```).*\n)*)```$"
EXAMPLE = r"^```python\n((?:(?!```).*\n)*)```\n\n```text\n((?:(?!```).*\n)*)```$"


def blocks(page: Path, *languages: str) -> list[str]:
    """The texts of a page's fenced blocks in these languages."""
    return [
        text
        for language, text in re.findall(BLOCK, page.read_text(encoding="utf-8"), re.MULTILINE)
        if language in languages
    ]


def table(page: Path, first: str) -> list[list[str]]:
    """The rows of the table whose first head is ``first``, that head first; cells without code marks."""
    found = re.search(
        rf"^\| {first} \|.*?(?=^\n|\Z)", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert found
    lines = found[0].replace("`", "").splitlines()
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if not line.startswith("|--")
    ]


def plain(page: Path) -> str:
    return " ".join(page.read_text(encoding="utf-8").split())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_print_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for text in blocks(page, "toml", "yaml", "json"):
        if named := re.match(r"# (\S+\.\w+)\n", text):
            Path(named[1]).write_text(text, encoding="utf-8")
    names: dict[str, Any] = {}
    examples = re.findall(EXAMPLE, page.read_text(encoding="utf-8"), re.MULTILINE)
    assert examples
    for code, said in examples:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, page.name, "exec"), names)
        assert out.getvalue() == said


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_python_is_python(page: Path) -> None:
    for text in blocks(page, "python"):
        compile(text, page.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_config_for_promptfoo_is_one_that_the_hook_takes(page: Path) -> None:
    listed = [yaml.safe_load(text) for text in blocks(page, "yaml")]
    assertions = [
        item
        for data in listed
        for item in (data.get("assert", []) if isinstance(data, dict) else data)
    ]
    for assertion in assertions:
        if assertion["type"] == "python":
            config = read_config({"config": assertion["config"]})
            find_policy(config.get("policy", "default"), {}, config.get("policy_options", {}))
    assert assertions


def test_the_readme_lists_every_policy_as_it_is_with_the_golden_rows_that_it_passes() -> None:
    head, *rows = table(README, "policy")
    assert tuple(head) == (HEAD[0], "system", *HEAD[1:], "golden rows")
    for name, _, *cells, passed in rows:
        assert tuple(cells) == row(policies[name])[1:]
        assert passed == (golden(name) if name != "default" else "")
    assert [name for name, *_ in rows] == list(policies)
    assert f"The citation audit passes {golden('citations')}" in plain(README)


def golden(policy: str) -> str:
    """How many rows the golden test holds a policy to; it fails where one is not passed."""
    rows = json.loads((ROOT / "fixtures" / "golden" / f"{policy}.json").read_text(encoding="utf-8"))
    return f"{len(rows)} of {len(rows)}"


def test_the_page_on_migrating_tells_every_deviation_of_every_policy() -> None:
    text = plain(MIGRATING)
    for policy in policies.values():
        assert [line for line in policy.deviations if f"- {line}" not in text] == []


def test_the_page_on_migrating_lists_the_options_and_names_that_are_kept() -> None:
    kept = {
        name: cells[-1]
        for cells in table(MIGRATING, "you have")[1:]
        for name in policies
        if re.search(rf"(?<![\w-]){name}(?![\w-])", cells[1])
    }
    assert set(kept) == set(policies) - {"default"}
    for name, options in kept.items():
        known = SOURCE_OPTIONS.get(name, {"threshold": None})
        assert options == (", ".join(known) or "none, as in ragas")
    aliases = {cells[0]: tuple(cells[1].split(", ")) for cells in table(MIGRATING, "field")[1:]}
    assert aliases == dict(CASE_ALIASES)
