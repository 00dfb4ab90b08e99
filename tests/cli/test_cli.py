"""The command line: exit codes for CI, JSON for programs, and messages without a traceback."""

import json
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from command import BAD, COMMAND, GOOD, here, run
from loopback import Answer, Loopback, Request, completion
from rows import rows

from faithfulness_assert import policies


def jsonl(tmp_path: Path, *cases: object) -> str:
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(json.dumps(case) for case in cases), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("row", rows("commands"), ids=lambda row: row["what"])
def test_a_command_does_what_its_row_says(row, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in row.get("files", {}).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    arguments = [
        one.format(python=sys.executable, file=__file__) if one.startswith("{") else one
        for one in row["arguments"]
    ]
    done = here(*arguments, stdin=row.get("stdin", ""), OPENAI_API_KEY=None)
    assert done.returncode == row["exit"]
    assert [text for text in row.get("out", ()) if text not in done.stdout] == []
    assert row.get("err", "") in done.stderr
    assert len(done.stderr.splitlines()) == ("err" in row)
    assert (done.stdout + done.stderr).replace("\n", "").isprintable()


def test_the_commands_are_these():
    shown = re.findall(r"^    ([a-z]+)(?: |$)", here("--help").stdout, re.MULTILINE)
    assert " ".join(shown) == (
        "demo grade batch estimate rescore merge export report compare policies init label "
        "agreement probe doctor"
    )


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_export_writes_what_batch_writes_as_its_output(suffix, tmp_path):
    data, directory = jsonl(tmp_path, GOOD, BAD), f"{tmp_path}/run"
    at_once, later = f"{tmp_path}/a.{suffix}", f"{tmp_path}/b.{suffix}"
    assert here("batch", data, "--run", directory, "--output", at_once, "--quiet").returncode == 1
    assert here("export", directory, "-o", later).returncode == 0
    assert Path(later).read_bytes() == Path(at_once).read_bytes()
    assert here("export", directory, "-o", f"{directory}/run.sqlite").returncode == 2
    own = f"{tmp_path}/own.jsonl"
    assert here("export", directory, "-o", own).returncode == 0
    assert here("export", own, "-o", own).returncode == 2


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet", "xml"])
def test_an_export_is_replaced_by_the_next_and_the_input_of_its_run_by_none(suffix, tmp_path):
    data, run, file = tmp_path / "a.csv", tmp_path / "run", tmp_path / f"again.{suffix}"
    data.write_text("case_id,row,status,pass,score,answer,context\n1,1,,,,It is red.,It is red.\n")
    assert here("batch", data, "--run", run, "--quiet").returncode == 0
    assert [here("export", run, "-o", file).returncode for _ in range(2)] == [0, 0]
    before = data.read_bytes()
    for command in (["export", run, "-o"], ["batch", "--run", run, "--output"]):
        done = here(*command, data)
        assert (done.returncode, data.read_bytes()) == (2, before)
        assert "choose another" in done.stderr


def test_json_output_is_one_object_per_line_and_only_a_line_feed_ends_a_line(tmp_path):
    file = tmp_path / "cases.jsonl"
    odd = {**BAD, "id": "a\u2028b\u2029c\x85d"}
    lines = [json.dumps(case, ensure_ascii=False) for case in (odd, GOOD)]
    file.write_bytes(("\r\n".join(lines) + "\r\n").encode())
    done = here("grade", str(file), "--json")
    results = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
    assert [(r["case_id"], r["pass"]) for r in results] == [(odd["id"], False), ("good", True)]


def test_a_result_is_shown_before_the_next_case_is_graded(tmp_path):
    shown = threading.Event()
    waited = []

    def answer(request: Request) -> Answer:
        if "walls" in json.dumps(request.body):  # the second case waits until the first is shown
            waited.append(shown.wait(50))
        return completion('{"verdicts":[{"id":1,"evidence":[1],"label":"supported"}]}')

    file = jsonl(tmp_path, GOOD, {"answer": "The walls are red.", "context": "The walls are red."})
    with Loopback(answer) as server:
        judge = ["--judge", "openai:m", "-o", f"base_url={server.url}", "-o", "api_key=k"]
        command = [*COMMAND, "grade", file, *judge, "--json", "--concurrency", "1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            first = json.loads(process.stdout.readline())
            shown.set()
            second = json.loads(process.stdout.read())
    assert (first["case_id"], first["pass"], second["pass"]) == ("good", True, True)
    assert waited == [True]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("arguments", [["demo"], ["policies"]])
def test_a_full_disk_is_one_line_and_not_the_exit_code_of_answers_that_fail(arguments):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.stderr.startswith("faithfulness-assert: nothing more can be written: No space left")
    assert (done.stderr.count("\n"), done.returncode) == (1, 2)


@pytest.mark.parametrize("how", ["--json", "--all"])
def test_a_reader_that_closes_the_pipe_early_is_not_an_error(tmp_path, how):
    file = jsonl(tmp_path, *[BAD] * 400)  # more than a pipe holds
    with subprocess.Popen(
        [*COMMAND, "grade", file, how], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141  # not that of answers that fail


PLAIN_C = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}


def test_any_terminal_can_show_any_text():
    case = json.dumps(
        {**GOOD, "answer": "The tower is 530 metres tall: très haut 😀."}, ensure_ascii=False
    )
    shown = run("grade", "-", stdin=case, **PLAIN_C)
    assert (shown.returncode, shown.stderr) == (1, "")
    assert "tr\\xe8s haut \\U0001f600" in shown.stdout
    (verdict,) = json.loads(run("grade", "-", "--json", stdin=case, **PLAIN_C).stdout)["verdicts"]
    assert verdict["statement"] == "The tower is 530 metres tall: très haut 😀."
    assert run("grade", "-", "--judge", "ü", **PLAIN_C).stderr.count("\n") == 1


@pytest.mark.parametrize(
    "environment", [{}, {"COLUMNS": "80", "FORCE_COLOR": "1"}], ids=["pipe", "terminal"]
)
def test_policies_lists_all_presets_on_one_screen(environment):
    printed = here("policies", **environment).stdout
    listed = re.sub(r"\x1b\[[\d;]*m", "", printed)
    assert ("\x1b" in printed) == bool(environment)
    assert listed.isascii()
    lines = listed.splitlines()
    first_words = [line.split(maxsplit=1)[0] for line in lines if line[:1].strip()]
    assert [word for word in first_words if word in policies] == list(policies)
    assert len(lines) < 24
    assert max(map(len, lines)) <= 80
    assert "differs" not in listed
