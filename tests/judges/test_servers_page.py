"""The page on servers works as it is written: the settings of each server's row grade, by an imitation of the server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from command import here
from conftest import ROOT
from dialects import KEY, ROWS, Imitation, reached
from test_docs import table

from faithfulness_assert import grade, settings

PAGE = ROOT / "docs" / "servers.md"
RECIPES = {re.sub(r"\[|\].*", "", name): row for name, *row in table(PAGE, "server")[1:]}


@pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))
def test_each_server_grades_with_the_settings_of_its_row(
    row: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = f"openai:{row['model']}"
    if row["name"] in RECIPES:
        assert RECIPES[row["name"]][:2] == [judge, row["base_url"]]
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    settings.forget()
    with reached(Imitation(row), monkeypatch) as url:
        text = f'[tool.faithfulness_assert]\njudge = "{judge}"\nbase_url = "{url}"\n'
        (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
        done = here("doctor")
        result = grade("Adults pay 12 euros. It is free.", "Adults pay 12 euros. Children pay.")
    assert (result.status, result.score) == ("graded", 0.5), result.reason
    assert done.returncode == 0
    assert KEY not in done.stdout + done.stderr


def test_the_page_lists_every_imitated_server_and_every_grader_of_promptfoo() -> None:
    assert list(RECIPES) == [row["name"] for row in ROWS.values() if row["promptfoo"]]
    page = PAGE.read_text("utf-8")
    others = {row["name"]: row["base_url"] for row in ROWS.values() if not row["promptfoo"]}
    assert all(f"{name} (`{url}`)" in " ".join(page.split()) for name, url in others.items())
    part = page.partition("\n## Graders of promptfoo\n")[2].partition("\n#")[0]
    listed = re.findall(r"`(\w+):(?:openai\.)?…`", part)
    given = [provider for row in ROWS.values() for provider in row["promptfoo"]]
    names = {(one if isinstance(one, str) else one["id"]).partition(":")[0] for one in given}
    assert set(listed) >= names
