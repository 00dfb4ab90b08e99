"""``doctor`` says whether the judge answers, what its server takes, and in which form it replies."""

import json
import re
import sys
from collections.abc import Callable

from command import here
from loopback import Answer, Loopback, Request, completion
from true_server import answered, block, text_of


def doctor(judge: str, url: str) -> tuple[int, str]:
    """Asks a judge; gives the exit code and what was printed."""
    address = {f"{judge.partition(':')[0].upper()}_BASE_URL": url}
    return here("doctor", "--judge", judge, ANTHROPIC_API_KEY="sk-1", **address)[:2]


def always(label: str) -> Callable[[Request], Answer]:
    """A judge that gives each statement this label."""

    def reply(request: Request) -> Answer:
        ids = block("statements", text_of(request))
        rows = [{"id": n, "evidence": [1], "label": label} for n in ids]
        return completion(json.dumps({"verdicts": rows}))

    return reply


def test_a_server_that_ignores_a_schema_is_told_as_that():
    with Loopback(answered) as server:
        code, printed = doctor("openai:m", server.url)
    assert code == 0
    assert "ok    judge openai:m answers: score 1.00" in printed
    assert "ok    left out: nothing" in printed
    assert "warn  structured output: the server keeps to no JSON Schema" in printed
    assert "context window: not known" in printed


def test_a_judge_that_fails_what_it_should_pass_is_warned_of_and_addresses_show_no_password():
    with Loopback(always("not_enough_info")) as server:
        _, printed = doctor("openai:m", server.url.replace("://", "://me:opensesame@"))
    assert re.search("warn  judge openai:m answers: score 0.00 .* does not pass; see pro", printed)
    assert f"setting base_url: {server.url} (from OPENAI_BASE_URL)" in printed
    assert "opensesame" not in printed


def test_a_judge_that_supports_everything_is_told_as_that():
    with Loopback(always("supported")) as server:
        code, printed = doctor("openai:m", server.url)
    assert code == 0
    assert "warn  judge openai:m: failed a control: " in printed


def test_options_of_a_grade_are_taken_and_told_as_what_they_are():
    given = {"deadline": "8", "threshold": "0.5", "policy": "ragas", "judge": "openai:m"}
    options = [word for name in given for word in ("-o", f"{name}={given[name]}")]
    with Loopback(answered) as server:
        code, printed, _ = here(
            "doctor", *options, "-o", f"base_url={server.url}", "-o", "api_key=sk-1"
        )
    assert code == 0
    assert "setting policy: ragas (from -o)" in printed
    assert "setting threshold: 0.5 (from -o)" in printed
    assert "judge openai:m answers: score 1.00" in printed
    code, printed, _ = here("doctor", "-o", "threshold=7")
    assert (code, "threshold: must be a number from 0 to 1" in printed) == (1, True)


def test_a_judge_that_does_not_answer_fails_and_nothing_is_said_of_its_server():
    code, printed = doctor("openai:m", "http://127.0.0.1:9/v1")
    assert code == 1
    assert "fail  judge openai:m: Not graded: no connection to the judge" in printed
    assert not re.search("left out|structured output|context window", printed)


def test_a_program_that_a_file_of_the_folder_names_is_not_run(tmp_path, monkeypatch):
    monkeypatch.delenv("PROMPTFOO_PYTHON", raising=False)
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\ntouch ran\n")
    program.chmod(0o755)
    for named, said in (
        (str(program), "warn  PROMPTFOO_PYTHON"),
        (sys.executable, "ok    PROMPTFOO_PYTHON"),
    ):
        (tmp_path / ".env").write_text(f"PROMPTFOO_PYTHON='{named}'\n")
        assert said in doctor("embedded", "http://127.0.0.1:9/v1")[1]
    assert not (tmp_path / "ran").exists()
