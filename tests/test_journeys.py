"""Journeys of a new user, each from beginning to end: nothing is green that was not graded."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import here as run
from command import project as set_project
from conftest import ROOT
from e2e.judge import reply
from loopback import Answer, Loopback, Request, completion
from plugin_runs import Runs

from faithfulness_assert import grade
from faithfulness_assert.batch import run as run_batch
from faithfulness_assert.promptfoo import get_assert

pytest_plugins = ["pytester"]

TRUE, FALSE = "The tower is 330 metres tall.", "The tower is 330 metres tall. It sank."
KEY = "sk-0123456789abcdef"


def judged(request: Request) -> Answer:
    """A truthful judge, which knows one key only."""
    if request.headers["authorization"] != f"Bearer {KEY}":
        return Answer({"error": {"message": "Incorrect API key provided", "code": 401}}, 401)
    return completion(reply(request), usage={"prompt_tokens": 700, "completion_tokens": 100})


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback(judged) as server:
        yield server


@pytest.fixture(autouse=True)
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, server: Loopback) -> Path:
    """The folder of a new project, which is the working folder."""
    (pytester.path / ".git").mkdir()
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    set_project(pytester.path, "")
    return pytester.path


def test_a_run_with_a_wrong_key_is_never_called_not_worse(project):
    """The command that the docs give to the GitHub Action, once with the right key and once with another."""
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"- run: faithfulness-assert (batch .*--min-graded.*)", page)
    rows = [f"q{n},It has {n} rooms.,It has {n} rooms.\n" for n in range(55)]
    blank = [f"blank{n},,x\n" for n in range(5)]  # what needs no judge is graded with any key
    (project / "answers.csv").write_text("".join(["id,answer,context\n", *rows, *blank]))
    begin = shlex.split(recipe)
    assert run(*begin).returncode == 0
    (project / "new").rename("baseline")
    assert run(*begin, OPENAI_API_KEY="sk-of-somebody-else").returncode == 3
    compared = run("compare", "baseline", "new")
    assert compared.returncode == 3
    assert compared.stdout.startswith("new is not comparable with baseline: only ")
    assert "Incorrect API key provided" in compared.stdout
    assert "not worse" not in compared.stdout
    assert re.search(r"^passed +55 +0$", compared.stdout, re.MULTILINE)


def test_one_setting_names_the_judge_in_every_place(project, pytester, server, monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL")
    set_project(project, f'judge = "openai:of-the-project"\nbase_url = "{server.url}"')
    case = json.dumps({"answer": TRUE, "context": TRUE})
    (project / "case.json").write_text(case, encoding="utf-8")
    runs = Runs(pytester)
    runs.write(
        "from faithfulness_assert import assert_faithful\n"
        "def test_it(faithfulness):\n"
        "    faithfulness(TRUE, CONTEXT)\n    assert_faithful(TRUE, CONTEXT)\n"
    )
    assert grade(TRUE, TRUE).judge == "openai:of-the-project"
    assert get_assert(TRUE, {"vars": {"context": TRUE}})["pass"]
    assert run_batch("case.json", "run", progress=False).exit_code == 0
    for command in (("grade",), ("batch", "--run", "cli", "--quiet"), ("estimate",)):
        assert run(command[0], "case.json", *command[1:]).returncode == 0
    runs.run().assert_outcomes(passed=1)
    assert {request.body["model"] for request in server.requests} == {"of-the-project"}
    assert len(server.requests) == 7
    told = " ".join(run("doctor").stdout.split())
    source = project / "pyproject.toml"
    assert f"setting judge: openai:of-the-project (from {source})" in told
    assert f"setting base_url: {server.url} (from {source})" in told
    assert "setting policy: default (from the default)" in told
    told = run("doctor", FAITHFULNESS_ASSERT_JUDGE="embedded").stdout
    assert "setting judge: embedded (from FAITHFULNESS_ASSERT_JUDGE)" in told
    told = run("doctor", "--judge", "embedded", FAITHFULNESS_ASSERT_JUDGE="openai:no").stdout
    assert "setting judge: embedded (from --judge)" in told
    told = " ".join(run("doctor", "-o", f"base_url={server.url}").stdout.split())
    assert f"setting base_url: {server.url} (from -o)" in told
