"""The page on servers works as it is written: each recipe is run at the address that it names, where an imitation of the server is."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from dialects import KEY, ROWS, Imitation
from internet import Internet
from loopback import Answer, Loopback, Request, refusal_to
from remote import bare_environment
from test_docs import FENCE
from true_server import answered

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
    (tmp_path / "pyproject.toml").write_text(recipe["toml"], encoding="utf-8")
    bare_environment(monkeypatch)
    monkeypatch.chdir(tmp_path)
    settings.forget()
    for name in re.findall(r"=\$(\w+)", recipe["console"]):
        monkeypatch.setenv(name, KEY)
    made = Imitation(row)
    with Internet({made.place: made}) as internet:
        internet.reach(monkeypatch, tmp_path)
        assert run_console(recipe["console"], monkeypatch) == 0
        printed = capsys.readouterr().out
        result = grade("Adults pay 12 euros. It is free.", "Adults pay 12 euros. Children pay.")
    assert (result.status, result.score) == ("graded", 0.5), result.reason
    assert result.judge == f"openai:{row['model']}"
    assert [line for line in recipe["text"].splitlines() if line not in printed] == []
    assert f"server: {row['name']} (known by {row['known_by']})" in printed
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


# ---------------------------------------------------------------- what doctor says of others


def doctor(url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    bare_environment(monkeypatch)
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    _run(["doctor", "--judge", "openai:m"])
    return capsys.readouterr().out


def test_a_server_of_no_known_kind_is_called_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Loopback(answered) as server:
        printed = doctor(server.url, monkeypatch, capsys)
    assert "server: an OpenAI-compatible server of an unknown kind" in printed
    assert "structured output: the server takes a JSON Schema and ignores it" in printed


def test_what_a_judge_of_another_api_does_is_told_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_schema(request: Request) -> Answer:
        if "output_config" in request.body:
            return refusal_to(400, "output_config: Extra inputs are not permitted")
        return answered(request)

    bare_environment(monkeypatch)
    with Loopback(no_schema) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.root)
        assert _run(["doctor", "--judge", "anthropic:claude-sonnet-4-5"]) == 0
    printed = capsys.readouterr().out
    assert "server: " not in printed
    assert "left out: the server does not support a JSON Schema; none was sent" in printed
    assert "structured output: no JSON Schema could be sent" in printed
    assert "context window: 200,000 tokens for this model" in printed


def test_a_server_that_says_nothing_is_only_told_as_that(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = doctor("http://127.0.0.1:9/v1", monkeypatch, capsys)
    assert "fail  judge openai:m: Not graded: no connection to the judge" in printed
    assert not re.search("server: |left out|structured output|context window", printed)


def test_what_a_hostile_server_writes_reaches_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "\x1b[31m\n::add-mask::x sk-1m1tated"
    models = Answer({"data": [{"id": evil, "max_model_len": 10**400}, {"id": 7}, "x"] * 999})
    error = refusal_to(404, evil, {"server": "llama.cpp", "x-litellm-version": "e"})
    with Loopback(error, models=models) as server:
        printed = doctor(server.url, monkeypatch, capsys)
    assert "\x1b" not in printed
    assert not re.search("^::", printed, re.MULTILINE)
    assert "model: m is not in its list, which has: " in printed
    assert "server: LiteLLM (known by its header x-litellm-)" in printed
    assert "sk-1m1tated" not in printed


def test_a_model_that_the_server_does_not_have_is_told_with_those_that_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Imitation(ROWS["ollama"])
    with Internet({made.place: made}) as internet:
        internet.reach(monkeypatch, tmp_path)
        bare_environment(monkeypatch)
        monkeypatch.delenv("NO_PROXY")
        monkeypatch.setenv("OPENAI_BASE_URL", ROWS["ollama"]["base_url"])
        assert _run(["doctor", "--judge", "openai:llama9"]) == 1
    printed = capsys.readouterr().out
    assert "fail  judge openai:llama9: Not graded" in printed
    assert "server: Ollama" in printed
    assert "model: llama9 is not in its list, which has: llama3.2:latest" in printed
