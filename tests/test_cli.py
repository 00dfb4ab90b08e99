"""The command line: exit codes that CI can use, JSON that machines can read, and messages without a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

GOOD = {"answer": "The tower is 330 metres tall.", "context": "The tower is 330 metres tall.", "id": "good"}
BAD = {"answer": "The tower is 530 metres tall.", "context": ["The tower is 330 metres tall."], "id": "bad"}
BROKEN = {"answer": "The tower is tall.", "id": "broken"}


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "faithfulness_assert", *arguments]
    return subprocess.run(command, capture_output=True, text=True, input=stdin, timeout=60, check=False, encoding="utf-8")


def jsonl(tmp_path: Path, *cases: object) -> str:
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(json.dumps(case) for case in cases), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("cases", "code"), [((GOOD,), 0), ((GOOD, BAD), 1), ((GOOD, BAD, BROKEN), 3)], ids=["all passed", "some failed", "some not graded"]
)
def test_the_exit_code_says_how_it_went(tmp_path: Path, cases: tuple[object, ...], code: int) -> None:
    assert run("grade", jsonl(tmp_path, *cases)).returncode == code


def test_json_output_is_one_result_a_line(tmp_path: Path) -> None:
    done = run("grade", jsonl(tmp_path, GOOD, BAD), "--json")
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(r["case_id"], r["pass"]) for r in results] == [("good", True), ("bad", False)]


def test_cases_come_from_json_a_list_or_standard_input(tmp_path: Path) -> None:
    one, many = tmp_path / "one.json", tmp_path / "many.json"
    one.write_text(json.dumps(GOOD), encoding="utf-8")
    many.write_text(json.dumps([GOOD, GOOD]), encoding="utf-8")
    assert "1 cases: 1 passed" in run("grade", str(one)).stdout
    assert "2 cases: 2 passed" in run("grade", str(many)).stdout
    assert "1 cases: 1 passed" in run("grade", "-", stdin=json.dumps(GOOD)).stdout


def test_options_reach_the_grader(tmp_path: Path) -> None:
    file = jsonl(tmp_path, {**GOOD, "answer": GOOD["answer"] + " A giraffe lives there."})
    assert run("grade", file).returncode == 1
    assert run("grade", file, "--threshold", "0.5").returncode == 0
    assert run("grade", file, "-o", "threshold=0.5").returncode == 0
    assert run("grade", file, "-o", 'weights={"not_enough_info": 1.0}').returncode == 2


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("grade", "nowhere.jsonl"), "nowhere.jsonl"),
        (("grade", "-", "--judge", "nobody"), "nobody"),
        (("grade", "-", "--policy", "promptfo"), "Did you mean 'promptfoo'"),
        (("grade", "-", "-o", "x"), "NAME=VALUE"),
        (("grade", "-"), "holds no case"),
        (("policies", "nope"), "nope"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(arguments: tuple[str, ...], named: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert named in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(GOOD) + "\n{", encoding="utf-8")
    assert "line 2" in run("grade", str(path)).stderr


def test_the_demo_needs_nothing_and_shows_every_statement() -> None:
    done = run("demo")
    assert done.returncode == 0
    assert "24 euros" in done.stdout
    assert "abstained" in done.stdout
    assert "no_context" in done.stdout
    assert "smoke" in done.stdout
    assert "\x1b" not in done.stdout


def test_what_a_terminal_would_act_on_is_escaped(tmp_path: Path) -> None:
    hostile = {"answer": "\x1b[31mPASS\x1b[0m \x9b31m The tower\rPASS is \u202eesrever tall.", "context": "x\x07", "id": "\x1b]0;t\x07"}
    done = run("grade", jsonl(tmp_path, hostile))
    assert not {"\x1b", "\x9b", "\x07", "\u202e", "\r"} & set(done.stdout)
    assert "\\x1b[31mPASS" in done.stdout


def test_policies_lists_and_explains() -> None:
    listed = run("policies").stdout
    assert all(name in listed for name in ("default", "promptfoo", "ragas"))
    told = run("policies", "promptfoo").stdout
    assert "differs:" in told
    assert "example:" in told


def test_init_writes_an_example_and_overwrites_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    done = run("init", str(folder))
    assert done.returncode == 0
    assert (folder / "promptfooconfig.yaml").is_file()
    (folder / "promptfooconfig.yaml").write_text("mine", encoding="utf-8")
    again = run("init", str(folder))
    assert again.returncode == 2
    assert "--force" in again.stderr
    assert (folder / "promptfooconfig.yaml").read_text(encoding="utf-8") == "mine"


def test_doctor_checks_this_machine_and_a_promptfoo_context(tmp_path: Path) -> None:
    context = tmp_path / "context.json"
    context.write_text(
        json.dumps({"vars": {"docs": "The tower.", "query": "How?"}, "config": {"contextFrom": "vars.docs"}}), encoding="utf-8"
    )
    done = run("doctor", "--context", str(context))
    assert done.returncode == 0
    assert "judge embedded answers" in done.stdout
    assert "context: The tower." in done.stdout
    assert "question: How?" in done.stdout
    failed = run("doctor", "--judge", "openai:x")
    assert failed.returncode == 1
    assert "OPENAI_API_KEY" in failed.stdout


def test_help_names_every_command() -> None:
    text = run("--help").stdout
    assert all(name in text for name in ("demo", "grade", "policies", "init", "doctor"))
