"""All asks of a run follow from its one secret: in other processes, over a batch API, and when it goes on."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from batch_server import BatchServer, Body, truthful
from loopback import Loopback
from remote import bare_environment
from true_server import answered

from faithfulness_assert import Grader
from faithfulness_assert.batch import run
from faithfulness_assert.batch.data_sets import open_data_set
from faithfulness_assert.batch.provider_batches import collect, submit
from faithfulness_assert.batch.row_grading import GraderSettings
from faithfulness_assert.batch.run_directory import RunDirectory

KEY = "key-0123456789abcdef"
CASES = [
    {
        "id": f"case {n}",
        "answer": f"Shop {n} is open on Sundays.",
        "context": [f"The shop {n} of the town is open on Sundays and sells 25 loaves of bread."],
    }
    for n in range(1, 9)
]


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)


def prompts_of(bodies: Iterable[Mapping[str, Any]]) -> list[str]:
    """What was asked, without the token that each line of a batch has of its own."""
    said = ("\n".join(str(m["content"]) for m in body["messages"]) for body in bodies)
    return sorted(text.partition("\n\nThe JSON begins with")[0] for text in said)


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback(answered) as server:
        yield server


def asked(directory: Path, server: Loopback) -> list[str]:
    """The prompts of a run, or of what it still lacked."""
    before = len(server.requests)
    source = directory.with_suffix(".jsonl")
    source.write_text("".join(json.dumps(case) + "\n" for case in CASES), encoding="utf-8")
    access: dict[str, Any] = {"judge": "openai:m", "base_url": server.url, "api_key": KEY}
    run(source, directory, progress=False, **access)
    return prompts_of(request.body for request in server.requests[before:])


def test_a_run_asks_what_another_run_with_its_secret_asks(tmp_path: Path, server: Loopback) -> None:
    here = asked(tmp_path / "here", server)
    assert len(here) == len(CASES)
    (tmp_path / "there").mkdir()
    shutil.copy(tmp_path / "here" / "secret", tmp_path / "there")
    assert asked(tmp_path / "there", server) == here
    assert set(asked(tmp_path / "other", server)).isdisjoint(here)


def test_a_run_goes_on_with_the_secret_with_which_it_began(
    tmp_path: Path, server: Loopback
) -> None:
    whole = asked(tmp_path / "run", server)
    file = tmp_path / "run" / "results.jsonl"
    kept = file.read_text("utf-8").splitlines(keepends=True)[:3]
    file.write_text("".join(kept), "utf-8")
    again = asked(tmp_path / "run", server)
    assert len(again) == len(CASES) - 3
    assert set(again) < set(whole)


def test_what_processes_and_actors_get_makes_a_grader_that_asks_the_same() -> None:
    given = GraderSettings("embedded", "default", None, {"controls": "report"}, b"s" * 32)
    script = (
        "import sys; from faithfulness_assert.batch.row_grading import GraderSettings\n"
        f"grader = GraderSettings(*{tuple(given)!r}).grader()\n"
        f"plan = grader._plan(grader._read({CASES[0]!r}))\n"
        "print(next(plan)[0].messages)"
    )
    made = {
        subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout
        for _ in range(2)
    }
    grader = given.grader()
    case = grader._read(CASES[0])
    assert made == {f"{next(grader._plan(case))[0].messages}\n".encode()}  # type: ignore[arg-type]


@pytest.mark.parametrize("via", ["openai-batch", "anthropic-batch"])
def test_all_rounds_over_a_batch_api_ask_what_the_secret_of_the_run_gives(
    via: str, tmp_path: Path
) -> None:
    directory = RunDirectory(tmp_path / "run")
    provider = via.partition("-")[0]
    sent: list[Body] = []

    def noting(path: str, body: Body) -> tuple[int, Body]:
        sent.append(body)
        if len(sent) <= 3:
            return 500, {"error": {"message": "busy"}}
        return truthful(path, body)

    with BatchServer(noting) as server:
        base_url = server.url if provider == "openai" else server.root
        access: dict[str, Any] = {"judge": f"{provider}:m", "base_url": base_url, "api_key": KEY}
        submit(open_data_set(CASES), directory, via, **access)
        while not collect(directory, api_key=KEY).finished:
            pass
    with Loopback(answered) as server:
        access["base_url"] = server.url if provider == "openai" else server.root
        grader = Grader(**access).keep_secret(directory.secret())
        assert {grader.grade(**case).status for case in CASES} == {"graded"}  # type: ignore[arg-type]
        grader.judge.close()  # type: ignore[attr-defined]
        wanted = prompts_of(request.body for request in server.requests)
    assert len(sent) > len(wanted) == len(CASES)
    assert set(prompts_of(sent)) == set(wanted)
