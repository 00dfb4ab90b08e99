"""Nine first journeys of a new user, each from beginning to end: nothing is green that was not graded."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
import yaml
from command import here as run
from conftest import ROOT
from e2e.judge import reply
from labelled_runs import rows_of, write_rows
from loopback import Answer, Loopback, Request, completion
from plugin_runs import Runs, summary
from tiny_models import tiny_model

from faithfulness_assert import grade, grade_many, settings
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
    settings.forget()
    return pytester.path


def test_a_run_with_a_wrong_key_is_never_called_not_worse(project: Path) -> None:
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


def test_a_mean_over_results_never_counts_what_was_not_graded_as_a_score() -> None:
    results = [grade(TRUE, TRUE), grade(TRUE, None), grade(FALSE, TRUE, judge="openai:m")]
    assert [result.score for result in results] == [1.0, None, 0.5]
    with pytest.raises(TypeError):
        mean(result.score for result in results)  # type: ignore[type-var]
    assert results[1].to_promptfoo()["score"] == 0.0
    done = run("grade", "-", stdin=json.dumps({"answer": TRUE, "context": []}))
    assert "no case has a score" in " ".join(done.stdout.split())


def test_results_of_the_example_for_promptfoo_are_graded_as_its_eval_did(project: Path) -> None:
    """The results as promptfoo stores them; ``tests/e2e`` has a real eval."""
    assert run("init", "example").returncode == 0
    config = yaml.safe_load((project / "example" / "promptfooconfig.yaml").read_text("utf-8"))
    given = config["defaultTest"]["vars"]
    results = [
        {"vars": given, "testIdx": n, "promptIdx": 0, "response": {"output": t["providerOutput"]}}
        for n, t in enumerate(config["tests"])
    ]
    stored = {"results": {"version": 3, "results": results}}
    (project / "results.json").write_text(json.dumps(stored), encoding="utf-8")
    ours = config["defaultTest"]["assert"][0]["config"]
    options = ("--judge", ours["judge"], "--threshold", str(ours["threshold"]))
    done = run("grade", "results.json", *options)
    assert done.returncode == 1
    assert "2 cases: 1 passed, 1 failed, 0 not graded" in done.stdout


def test_an_assertion_in_a_test_asks_the_judge_of_the_configuration_and_its_store(
    pytester: pytest.Pytester, server: Loopback
) -> None:
    runs = Runs(pytester)
    runs.ini("faithfulness_judge = openai:of-the-ini", "faithfulness_cache = replies")
    runs.write(
        "from faithfulness_assert import assert_faithful\n"
        "def test_it():\n    assert assert_faithful(TRUE, CONTEXT).judge == 'openai:of-the-ini'\n"
    )
    runs.run().assert_outcomes(passed=1)
    asked = len(server.requests)
    assert asked
    again = runs.run("--faithfulness-cache-only")
    again.assert_outcomes(passed=1)
    assert len(server.requests) == asked
    assert summary(again)[0].startswith("1 case: 1 passed, 0 failed, 0 not graded")


def test_many_cases_end_after_a_screen(project: Path) -> None:
    """With the worst ones, the errors by their cause, and how to see all."""
    cases: list[dict[str, Any]] = [{"answer": TRUE, "context": TRUE} for _ in range(20)]
    cases += [{"id": f"half{n}", "answer": FALSE, "context": TRUE} for n in range(29)]
    cases += [{"id": "worst", "answer": "All is made up.", "context": TRUE}]
    cases += [{"id": f"broken{n}", "answer": 7, "context": TRUE} for n in range(10)]
    (project / "cases.json").write_text(json.dumps(cases), encoding="utf-8")
    done = run("grade", "cases.json", "--judge", "embedded")
    assert done.returncode == 3
    assert len(done.stdout.splitlines()) <= 50
    said = " ".join(done.stdout.split())
    assert "60 cases: 20 passed, 30 failed, 10 not graded" in said
    assert said.count("answer: must be") == 1
    shown = re.findall(r"^FAIL +[\d.]+ +(\S+)", done.stdout, re.MULTILINE)
    assert shown == ["worst", "half0", "half1"]
    assert "Only the 3 worst of 30 failed cases are shown. --all shows every case" in said
    whole = run("grade", "cases.json", "--judge", "embedded", "--all").stdout
    assert len(re.findall(r"^FAIL ", whole, re.MULTILINE)) == 30
    assert "broken8" in whole
    (project / "cases.json").write_text(json.dumps(cases[20:51]), encoding="utf-8")
    said = run("grade", "cases.json", "--judge", "embedded").stdout
    assert "31 cases: 0 passed, 30 failed, 1 not graded" in said
    assert re.search("^ERROR .*broken0", said, re.MULTILINE)
    assert said.count("answer: must be") == 1


def test_one_setting_names_the_judge_in_every_place(
    project: Path,
    pytester: pytest.Pytester,
    server: Loopback,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    table = f'judge = "openai:of-the-project"\nbase_url = "{server.url}"'
    (project / "pyproject.toml").write_text(f"[tool.faithfulness_assert]\n{table}\n")
    settings.forget()
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


def test_a_frame_goes_in_and_a_frame_comes_out() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"model": ["a", "b", "c"], "answer": [TRUE, FALSE, TRUE], "context": [TRUE, TRUE, None]}
    )
    results = grade_many(frame)
    graded = results.to_frame()
    assert list(graded["model"]) == ["a", "b", "c"]
    assert list(graded["status"]) == ["graded", "graded", "invalid_input"]
    assert list(graded["pass"]) == [True, False, False]
    assert graded["score"].mean() == 0.75  # of those that have one
    assert [len(statements) for statements in graded["statements"]] == [1, 2, 0]
    shown = re.findall(r"^(PASS|FAIL|ERROR)", results._repr_html_(), re.MULTILINE)
    assert shown == ["FAIL", "ERROR", "PASS"]


# ---------------------------------------------------------------- with a model on one's own machine

FOUND, MISSED = "it sank .", "it burned ."
"""What is wrong and found by the model, and what it takes for true, less surely than what is true."""
VECTORS = {"tall": [0.0, 4.0, 0.0], "sank": [20.0, 0.0, 0.0], "burned": [0.0, -3.0, 0.0]}


def own_model(project: Path, cases: int) -> str:
    """A model of a few words. Of the answers that it is for, each fifth is wrong, one way or the other."""
    rows = []
    for n in range(cases):
        context = f"The tower is tall in {n}."
        added = {0: FOUND, 5: MISSED}.get(n % 10)
        answer = f"The tower is tall and {added}" if added else context
        rows.append(json.dumps({"id": f"q{n}", "answer": answer, "context": context}))
    (project / "answers.jsonl").write_text("\n".join(rows), encoding="utf-8")
    return tiny_model(project / "checker", VECTORS)


def batch(folder: str, judge: str) -> str:
    done = run("batch", "answers.jsonl", "--run", folder, "--judge", judge)
    assert done.returncode == 1, done.stderr
    return done.stdout


def test_a_model_of_ones_own_is_held_against_people_without_any_server(
    project: Path, server: Loopback
) -> None:
    said = batch("june", own_model(project, 100))
    assert "100 cases: 90 passed, 10 failed, 0 not graded" in said
    sheet = project / "sheet.csv"
    assert run("label", "june", "-o", str(sheet), "--n", "100").returncode == 0
    rows = rows_of(sheet)
    for row in rows:  # a person sees each fault
        wrong = "sank" in row["answer"] or "burned" in row["answer"]
        row["label"] = "unfaithful" if wrong else "faithful"
    write_rows(sheet, rows)
    told = run("agreement", str(sheet), "june")
    assert told.returncode == 0, told.stderr
    line = r"20.0 % \([\d.]+ to [\d.]+\) of answers are unfaithful, by 100 labels\n"  # 10 found, 10 missed
    assert re.match(line, told.stdout)
    for name, value in {"agreement": 90, "recall": 50, "precision": 100}.items():
        assert re.search(rf"^{name} +{value}.0%", told.stdout, re.MULTILINE)
    assert not server.requests
