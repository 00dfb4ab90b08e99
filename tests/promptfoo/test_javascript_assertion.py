"""``faithfulness.cjs`` in a real Node: whatever happens to its worker, it gives the results of the ``python`` assertion."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import processes
import pytest
from loopback import Answer, Loopback, Request, completion
from processes import eventually

import faithfulness_assert
from faithfulness_assert.promptfoo import hook
from faithfulness_assert.promptfoo.worker_process import protocol

if not Path("/proc/self").exists():
    pytest.skip("the tests find workers through /proc", allow_module_level=True)
if shutil.which("node") is None:
    pytest.skip("node is not on PATH", allow_module_level=True)

TEMPLATE = Path(faithfulness_assert.__file__).parent / "promptfoo/templates/faithfulness.cjs"
TRUE = "The Eiffel Tower is 330 metres tall. It stands in Paris."
FALSE = "The Eiffel Tower is 530 metres tall. It stands in Paris."
GIVEN: dict[str, Any] = {"vars": {"context": TRUE}, "config": {"judge": "embedded"}}
NEGATED = {"assert": [{"type": "not-javascript", "config": {"judge": "embedded"}}]}
SUPPORTED = completion(
    json.dumps({"verdicts": [{"id": n, "evidence": [1], "label": "supported"} for n in (1, 2)]})
)


class Promptfoo:
    """A Node that calls the assertion. Its Python is a script that first notes which module it runs."""

    def __init__(self, folder: Path, template: Path = TEMPLATE, server: str = "") -> None:
        self._log = folder / "log"
        self._log.touch()
        python = folder / "python"
        branch = f"case $2 in *server) {server};; esac" if server else ""
        python.write_text(
            f'#!/bin/sh\necho $2 >> {self._log}\n{branch}\nexec {sys.executable} "$@"\n'
        )
        python.chmod(0o755)
        self.node = subprocess.Popen(
            ["node", str(Path(__file__).with_name("assertions.cjs")), str(template)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PROMPTFOO_PYTHON": str(python)},
        )

    def send(self, name: str, *given: Any) -> None:
        """Makes a call."""
        assert self.node.stdin is not None
        self.node.stdin.write(json.dumps([name, *given]) + "\n")
        self.node.stdin.flush()

    def call(self, name: str, *given: Any) -> Any:
        """Makes a call; returns what it returns."""
        self.send(name, *given)
        assert self.node.stdout is not None
        return json.loads(self.node.stdout.readline())

    def grade(self, output: Any, context: Any = GIVEN) -> Any:
        """The result of one assertion, or the message of the error that its ``pass`` raises."""
        return self.call("grade", [output, context])[0]

    def processes(self) -> int:
        """How many assertions were graded in a process of their own."""
        return self._log.read_text().split().count("faithfulness_assert.promptfoo.javascript")

    def close(self) -> None:
        """Ends Node as the end of an eval does."""
        self.node.kill()
        self.node.communicate()


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a short path for the sockets; no process of the test is left at its end."""
    with processes.socket_folder(monkeypatch) as folder:
        yield folder
        left = not eventually(lambda: not processes.workers(str(folder)))
        processes.kill_workers(folder)
        assert not left


@pytest.fixture
def promptfoo(folder: Path) -> Iterator[Promptfoo]:
    """A promptfoo whose eval has begun."""
    started = Promptfoo(folder)
    started.call("beforeAll", {}, {"hookName": "beforeAll"})
    yield started
    started.close()


def workers() -> list[int]:
    return processes.workers(os.environ["TMPDIR"])


def sockets(folder: Path) -> list[Path]:
    return list(folder.glob("faithfulness-assert-*/*.sock"))


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


def test_the_worker_and_a_new_process_give_the_result_of_the_python_assertion(
    promptfoo: Promptfoo,
) -> None:
    wanted = [json.loads(json.dumps(hook.get_assert(*case))) for case in CASES]
    assert promptfoo.call("grade", *CASES) == wanted
    assert promptfoo.processes() == 0
    promptfoo.call("afterAll")
    assert eventually(lambda: not workers())
    assert promptfoo.call("grade", *CASES[:2]) == wanted[:2]
    assert promptfoo.processes() == 2


def test_an_undefined_result_fails_a_negated_assertion_with_a_message_and_no_stack(
    promptfoo: Promptfoo,
) -> None:
    """With and without a worker."""
    blank = {"error": "Nothing to check: the answer is blank.", "stack": ""}
    assert promptfoo.grade("", {**GIVEN, "test": NEGATED}) == blank
    promptfoo.call("afterAll")
    assert eventually(lambda: not workers())
    assert promptfoo.grade("", {**GIVEN, "test": NEGATED}) == blank


@pytest.mark.parametrize(
    ("python", "why"),
    [("/nowhere/python", "ENOENT"), ("exec {python} -I -S", "No module named"), ("exit 3", ": 3")],
)
def test_without_a_python_that_grades_it_fails_and_says_why(
    python: str, why: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Promptfoo(folder, server="true")
    script = folder / "python"
    if python.startswith("/"):
        script.unlink()
    else:
        script.write_text(f'#!/bin/sh\n{python.format(python=sys.executable)} "$@"\n')
    broken.call("beforeAll")
    result = broken.grade(TRUE)
    broken.close()
    assert set(result) == {"error", "stack"}
    assert result["error"].startswith("Not graded: ")
    assert why in result["error"]
    assert "PROMPTFOO_PYTHON" in result["error"]
    assert result["stack"] == ""


def test_a_changed_key_is_not_graded_by_the_worker_that_has_the_old_one(
    promptfoo: Promptfoo,
) -> None:
    with Loopback(SUPPORTED) as judge:
        api = {**GIVEN, "config": {"judge": "openai:m", "baseUrl": judge.url}}
        promptfoo.call("set", "OPENAI_API_KEY", "sk-changed-0123456789abcdef")
        assert promptfoo.grade(TRUE, api)["pass"] is True
        assert judge.requests[0].headers["authorization"] == "Bearer sk-changed-0123456789abcdef"
    assert promptfoo.processes() == 1


def test_a_second_eval_of_the_same_process_uses_the_same_worker(promptfoo: Promptfoo) -> None:
    """As ``promptfoo eval --watch`` does. Without ``afterAll``, the first worker still runs."""
    assert promptfoo.grade(TRUE)["pass"] is True
    first = workers()
    promptfoo.call("beforeAll")
    assert promptfoo.grade(TRUE)["pass"] is True
    assert eventually(lambda: workers() == first)
    assert promptfoo.processes() == 0


# ---------------------------------------------------------------- what happens to a worker


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_that_dies_between_two_assertions_changes_no_result(
    how: signal.Signals, promptfoo: Promptfoo
) -> None:
    before = promptfoo.grade(FALSE)
    (pid,) = workers()
    os.kill(pid, how)
    assert eventually(lambda: pid not in workers())
    assert promptfoo.grade(FALSE) == before
    assert promptfoo.processes() == 1
    if (
        how == signal.SIGKILL
    ):  # the socket was left, so the process that found it has replaced the worker
        assert eventually(lambda: promptfoo.grade(FALSE) == before and promptfoo.processes() < 9)
        assert len(workers()) == 1


def test_a_socket_that_vanishes_between_two_assertions_changes_no_result(
    promptfoo: Promptfoo, folder: Path
) -> None:
    before = promptfoo.grade(FALSE)
    (path,) = sockets(folder)
    path.unlink()
    assert promptfoo.grade(FALSE) == before
    assert promptfoo.processes() == 1
    assert eventually(lambda: not workers())


@pytest.mark.parametrize("with_worker", [True, False])
def test_a_promptfoo_that_is_killed_leaves_no_process(with_worker: bool, folder: Path) -> None:
    reached = threading.Event()

    def hang(_: Request) -> Answer:
        reached.set()
        return Answer(delay=60)

    killed = Promptfoo(folder)
    with Loopback(hang) as judge:
        if with_worker:
            killed.call("beforeAll")
        api = {**GIVEN, "config": {"judge": "openai:m", "baseUrl": judge.url, "apiKey": "none"}}
        killed.send("grade", [TRUE, api])
        assert reached.wait(processes.PATIENCE)
        assert len(workers()) == 1
        killed.close()
        assert eventually(lambda: not workers())


# ---------------------------------------------------------------- what pretends to be a worker


@contextmanager
def pretender(path: Path, reply: Callable[[], bytes | None]) -> Iterator[list[bytes]]:
    """Listens at ``path`` and sends ``reply()`` to each request, or nothing; yields the requests."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    requests: list[bytes] = []
    done = threading.Event()

    def serve() -> None:
        while not done.is_set():
            with suppress(TimeoutError, OSError):
                connection, _ = listener.accept()
                with connection:
                    requests.append(protocol.receive(connection))
                    answer = reply()
                    if answer is None:
                        done.wait(processes.PATIENCE)
                    else:
                        connection.sendall(answer)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(0.05)
        thread = threading.Thread(target=serve)
        thread.start()
        yield requests
        done.set()
        thread.join()


def announcing(folder: Path, path: Path) -> str:
    """Shell commands in place of a worker: they say that it listens at ``path``."""
    (folder / "said").write_text(json.dumps({"socket": str(path), **protocol.place()}))
    return f"cat {folder}/said; exit"


def framed(message: bytes) -> bytes:
    return len(message).to_bytes(4, "big") + message


def test_a_reply_that_is_not_a_whole_result_is_not_credited(folder: Path) -> None:
    """Then a new process grades. A sign of life before a result is no reply."""
    passed = json.dumps({"result": {**hook.get_assert(TRUE, GIVEN), "score": 0.123}}).encode()
    broken = [b"", bytes(8), framed(b"{}"), framed(b"null"), framed(passed)[:-1], b"\0\0"]
    broken.append(framed(b'{"refused": "busy"}'))
    replies = iter([bytes(8) + framed(passed), *broken])
    path = folder / "private" / "1.sock"
    with pretender(path, lambda: next(replies)) as requests:
        node = Promptfoo(folder, server=announcing(folder, path))
        node.call("beforeAll")
        assert node.grade(FALSE)["score"] == 0.123
        assert [node.grade(FALSE)["score"] for _ in broken] == [0.5] * len(broken)
        assert node.processes() == len(broken)
        node.close()
        assert len(requests) == 1 + len(broken)


def test_a_worker_that_says_nothing_is_given_up(folder: Path) -> None:
    """While it starts, and while it should grade. The limits are shorter here."""
    hasty = folder / "hasty.cjs"
    hasty.write_text(TEMPLATE.read_text().replace("0_000", "00"))
    path = folder / "private" / "1.sock"
    with pretender(path, lambda: None) as requests:
        for server in ("exec sleep 60", announcing(folder, path)):
            node = Promptfoo(folder, hasty, server)
            node.call("beforeAll")
            assert node.grade(FALSE)["score"] == 0.5
            node.call("afterAll")
            node.close()
    assert len(requests) == 1


def open_to_all(path: Path) -> None:
    path.parent.chmod(0o750)


def behind_a_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def in_a_linked_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))
    path.parent.symlink_to("elsewhere")


def in_a_folder_of_another_user(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a folder another user's")
    os.chown(path.parent, 65534, 65534)


def of_another_user(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a file another user's")
    os.chown(path, 65534, 65534)


@pytest.mark.parametrize(
    "change",
    [open_to_all, behind_a_link, in_a_linked_folder, in_a_folder_of_another_user, of_another_user],
)
def test_a_socket_that_another_user_may_have_made_or_opened_gets_no_text(
    change: Callable[[Path], None], folder: Path
) -> None:
    path = folder / "private" / "1.sock"
    with pretender(path, lambda: b"") as requests:
        change(path)
        node = Promptfoo(folder, server=announcing(folder, path))
        node.call("beforeAll")
        assert node.grade(FALSE)["score"] == 0.5
        node.close()
    assert requests == []


def test_the_file_is_short_enough_to_be_read() -> None:
    """Users commit it to their own repositories."""
    lines = TEMPLATE.read_text("utf-8").splitlines()
    assert len(lines) <= 64
    assert max(map(len, lines)) <= 100
