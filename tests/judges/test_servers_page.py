"""The page on servers works as it is written: each recipe is run at the address that it names, where an imitation of the server is."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from dialects import KEY, ROWS, Imitation, reached
from remote import bare_environment
from test_docs import FENCE

from faithfulness_assert import grade, settings
from faithfulness_assert.cli.app import _run
from faithfulness_assert.promptfoo.migrate import SERVERS

PAGE = (ROOT / "docs" / "servers.md").read_text(encoding="utf-8")
FOREIGN = ("ollama", "vllm", "llama-server")
RECIPES = {
    part.splitlines()[0]: {fence[1]: fence[2] for fence in FENCE.finditer(part)}
    for part in PAGE.split("\n## ")[1:]
    if "```toml" in part
}


def run_console(block: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Runs the commands of a block as a shell would; those of other programs are only looked at."""
    code = -1
    for line in block.splitlines():
        program, *arguments = shlex.split(os.path.expandvars(line))
        if program == "export":
            monkeypatch.setenv(*arguments[0].split("=", 1))
        elif program == "faithfulness-assert":
            code = _run(arguments)
        else:
            assert program in FOREIGN
    return code


@pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))
def test_each_recipe_works_as_it_stands(
    row: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = RECIPES[row["name"]]
    bare_environment(monkeypatch)
    monkeypatch.chdir(tmp_path)
    settings.forget()
    for name in re.findall(r"=\$(\w+)", recipe["console"]):
        monkeypatch.setenv(name, KEY)
    with reached(Imitation(row), monkeypatch) as url:
        table = recipe["toml"].replace(row["base_url"], url)
        (tmp_path / "pyproject.toml").write_text(table, encoding="utf-8")
        assert run_console(recipe["console"], monkeypatch) == 0
        printed = capsys.readouterr().out
        result = grade("Adults pay 12 euros. It is free.", "Adults pay 12 euros. Children pay.")
    assert (result.status, result.score) == ("graded", 0.5), result.reason
    assert result.judge == f"openai:{row['model']}"
    assert [line for line in recipe["text"].splitlines() if line not in printed] == []
    assert "Traceback" not in printed
    assert KEY not in printed


def test_every_imitated_server_has_a_recipe_and_every_recipe_an_imitation() -> None:
    assert list(RECIPES) == [row["name"] for row in ROWS.values()]
    for row in ROWS.values():
        recipe = RECIPES[row["name"]]["toml"]
        assert f'judge = "openai:{row["model"]}"' in recipe
        assert f'base_url = "{row["base_url"]}"' in recipe


def test_the_page_lists_every_grader_of_promptfoo_that_becomes_a_judge() -> None:
    part = PAGE.partition("\n## In promptfoo\n")[2]
    listed = re.findall(r"`(\w+):(?:openai\.)?…`", part)
    assert sorted(listed) == sorted([*SERVERS, "openai"])
