"""``faithfulness.cjs`` in a real Node: one Python process gives the results of the ``python`` assertion, and ends with the eval."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loopback import BOTH_SUPPORTED, Answer, Loopback, Request, no_schema
from processes import PATIENCE, eventually, graders

import faithfulness_assert
from faithfulness_assert.promptfoo import get_assert

if not Path("/proc/self").exists():
    pytest.skip("the tests find processes through /proc", allow_module_level=True)
if shutil.which("node") is None:
    pytest.skip("node is not on PATH", allow_module_level=True)

TEMPLATE = Path(faithfulness_assert.__file__).parent / "promptfoo/templates/faithfulness.cjs"
TRUE = "The Eiffel Tower is 330 metres tall. It stands in Paris."
FALSE = "The Eiffel Tower is 530 metres tall. It stands in Paris."
GIVEN: dict[str, Any] = {"vars": {"context": TRUE}, "config": {"judge": "embedded"}}
NEGATED = {"assert": [{"type": "not-javascript", "config": {"judge": "embedded"}}]}


class Promptfoo:
    """A Node that calls the assertion."""

    def __init__(self, **environment: str) -> None:
        self.node = subprocess.Popen(
            ["node", str(Path(__file__).with_name("promptfoo.cjs")), str(TEMPLATE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PROMPTFOO_PYTHON": sys.executable, **environment},
        )
        self._sent = 0
        self._came: dict[int, Any] = {}

    def send(self, name: str, *given: Any) -> int:
        """Makes a call; returns its number."""
        self._sent += 1
        self.node.stdin.write(json.dumps([self._sent, name, *given]) + "\n")
        self.node.stdin.flush()
        return self._sent

    def result(self, number: int) -> Any:
        """What a call returns, or the message of the error that its ``pass`` raises."""
        while number not in self._came:
            came, result = json.loads(self.node.stdout.readline())
            self._came[came] = result
        return self._came[number]

    def call(self, name: str, *given: Any) -> Any:
        return self.result(self.send(name, *given))

    def grade(self, output: Any, context: Any = GIVEN) -> Any:
        return self.call("grade", output, context)


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The folder by which processes of a test are found; none is left at its end."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    yield tmp_path
    assert eventually(lambda: not graders(tmp_path))


@pytest.fixture
def promptfoo(folder: Path) -> Iterator[Promptfoo]:
    started = Promptfoo()
    yield started
    started.node.kill()
    started.node.communicate()


def asking(judge: Loopback) -> dict[str, Any]:
    """By an address that is not known to be this machine's, which would be asked with care."""
    url = judge.url.replace("127.0.0.1", "0.0.0.0")
    return {**GIVEN, "config": {"judge": "openai:m", "baseUrl": url}}


# ---------------------------------------------------------------- the same result

CASES: list[tuple[Any, Any]] = [
    (TRUE, GIVEN),
    (FALSE, {**GIVEN, "config": {"judge": "embedded", "components": "all"}}),
    ("", GIVEN),
    (None, GIVEN),
    ([TRUE], {**GIVEN, "config": {"judge": "embedded", "answerFrom": "output[0]"}}),
    ({"answer": "Größe 1,5 \udc80 🗼", "n": [1e300, None]}, {"vars": {"context": "Größe 1,5 🗼"}}),
    (TRUE, {**GIVEN, "config": {"judge": "embedded", "treshold": 1}}),
]


def test_one_process_gives_the_results_of_the_python_assertion(promptfoo, folder):
    calls = [promptfoo.send("grade", *case) for case in CASES]
    wanted = [json.loads(json.dumps(get_assert(*case))) for case in CASES]
    assert [promptfoo.result(call) for call in calls] == wanted
    blank = {"error": "Not graded: Nothing to check: the answer is blank.", "stack": ""}
    assert promptfoo.grade("", {**GIVEN, "test": NEGATED}) == blank
    assert len(graders(folder)) == 1


def test_many_asks_are_under_way_at_once_share_what_was_learned_and_end_with_node(promptfoo):
    """The judge answers none before it has all; that it takes no schema was learned before.

    Without ``afterAll``, the process ends when Node has nothing to do.
    """
    together, learned = threading.Barrier(12), threading.Event()

    def judge(request: Request) -> Answer:
        if learned.is_set():
            together.wait(PATIENCE)
        return no_schema(request)

    with Loopback(judge) as server:
        assert promptfoo.grade(TRUE, asking(server))["pass"] is True
        before = len(server.requests)
        learned.set()
        calls = [promptfoo.send("grade", TRUE, asking(server)) for _ in range(together.parties)]
        assert all(promptfoo.result(call)["pass"] for call in calls)
        assert len(server.requests) == before + together.parties
    _, said = promptfoo.node.communicate(timeout=PATIENCE)
    assert (promptfoo.node.returncode, said) == (0, "")


def test_a_changed_key_is_used_at_once_and_what_is_under_way_is_finished(promptfoo):
    asked, changed = threading.Event(), threading.Event()

    def judge(request: Request) -> Answer:
        if request.number == 1:
            asked.set()
            assert changed.wait(PATIENCE)
        return BOTH_SUPPORTED

    with Loopback(judge) as server:
        promptfoo.call("set", "OPENAI_API_KEY", "sk-first-0123456789abcdef")
        first = promptfoo.send("grade", TRUE, asking(server))
        assert asked.wait(PATIENCE)
        promptfoo.call("set", "OPENAI_API_KEY", "sk-changed-0123456789abcdef")
        assert promptfoo.grade(TRUE, asking(server))["pass"] is True
        changed.set()
        assert promptfoo.result(first)["pass"] is True
        keys = [request.headers["authorization"].split("-")[1] for request in server.requests]
    assert keys == ["first", "changed"]


# ---------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    ("python", "why"),
    [("", "ENOENT"), ("exec {python} -I -S", "exit code 1"), ("exit 3", "exit code 3")],
)
def test_without_a_python_that_grades_it_fails_and_says_why(python, why, folder):
    """Under ``not-javascript`` too, where a result that does not pass would be inverted."""
    script = folder / "python"
    if python:
        script.write_text(f'#!/bin/sh\n{python.format(python=sys.executable)} "$@"\n')
        script.chmod(0o755)
    broken = Promptfoo(PROMPTFOO_PYTHON=str(script))
    result, negated = broken.grade(TRUE), broken.grade(TRUE, {**GIVEN, "test": NEGATED})
    broken.call("afterAll", {"results": []})
    _, said = broken.node.communicate()
    assert (result["pass"], result["score"], result["metadata"]["graderError"]) == (False, 0, True)
    assert result["reason"].startswith("Not graded: ")
    assert why in result["reason"]
    assert "PROMPTFOO_PYTHON" in result["reason"]
    assert negated == {"error": result["reason"], "stack": ""}
    assert (said.count("\n"), why in said, "PROMPTFOO_PYTHON" in said) == (1, True, True)


def test_a_process_that_dies_loses_what_is_under_way_and_is_replaced(promptfoo, folder):
    asked = threading.Barrier(3)

    def judge(_: Request) -> Answer:
        asked.wait(PATIENCE)
        return Answer(delay=60)

    before = promptfoo.grade(FALSE)
    for how in (signal.SIGKILL, signal.SIGTERM):
        with Loopback(judge) as server:
            calls = [promptfoo.send("grade", TRUE, asking(server)) for _ in range(2)]
            asked.wait(PATIENCE)
            (pid,) = graders(folder)
            os.kill(pid, how)
            for call in calls:
                lost = promptfoo.result(call)
                assert (lost["pass"], lost["metadata"]["graderError"]) == (False, True)
                assert how.name in lost["reason"]
        assert promptfoo.grade(FALSE) == before
        assert graders(folder) != [pid]


def test_what_is_printed_is_no_answer(folder):
    """By a library before Python is ready, by others later, and by programs that it starts; each may read its input."""
    (folder / "sitecustomize.py").write_text("""
import os, subprocess, sys, threading
print("loading [", end="", flush=True)
def noise():
    for number in range(200):
        os.write(1, b'[1, {"result": {"pass": true}}]\\n') if number > 3 else None
        subprocess.run([sys.executable, "-S", "-c", "input(); print('[2, {}]')"], stdin=0, stderr=2) if "-m" in sys.orig_argv and number in (4, 9) else None
        threading.Event().wait(.01)
def began(event, _):
    if event == "import" and _[0] == "faithfulness_assert.promptfoo.hook" and not threads:
        threads.append(threading.Thread(target=noise, daemon=True))
        threads[0].start()
threads = []
sys.addaudithook(began)
""")
    noisy = Promptfoo(PYTHONPATH=str(folder))
    wanted = [get_assert(answer, GIVEN)["score"] for answer in (TRUE, FALSE) * 20]
    assert [noisy.grade(answer)["score"] for answer in (TRUE, FALSE) * 20] == wanted
    noisy.node.communicate()


# ---------------------------------------------------------------- its end


@pytest.mark.parametrize(
    "is_named", [True, False]
)  # `file://faithfulness.cjs`, without `:afterAll`
def test_after_all_tells_what_was_made_up_and_ends_the_process(promptfoo, folder, is_named):
    result = {
        "testCase": {"description": "tall"},
        "gradingResult": {"componentResults": [promptfoo.grade(FALSE)]},
    }
    if is_named:
        promptfoo.call("afterAll", {"results": [result]}, {"hookName": "afterAll"})
    else:
        assert promptfoo.call("extension", "beforeAll", {"suite": {}}) is None
        promptfoo.call("extension", "afterAll", {"results": [result]})
    assert eventually(lambda: not graders(folder))
    _, said = promptfoo.node.communicate()
    assert said.startswith("tall: made up: “The Eiffel Tower is 530 metres tall.” (")


def test_a_promptfoo_that_is_killed_leaves_no_process(promptfoo, folder):
    """The judge does not answer, and nobody waits for it."""
    reached = threading.Event()

    def hang(_: Request) -> Answer:
        reached.set()
        return Answer(delay=60)

    with Loopback(hang) as judge:
        promptfoo.send("grade", TRUE, asking(judge))
        assert reached.wait(PATIENCE)
        assert len(graders(folder)) == 1
        promptfoo.node.kill()
        assert eventually(lambda: not graders(folder))
