"""The worker, with real processes and sockets: whatever happens to it, assertions get the same grades as without it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import processes
import pytest
from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from loopback import BOTH_SUPPORTED, Answer, Loopback, Request, no_schema, refusal_to
from processes import PATIENCE, eventually
from strategies import examples

from faithfulness_assert.judges import environment_prefixes
from faithfulness_assert.promptfoo import get_assert, hook
from faithfulness_assert.promptfoo.worker_process import (
    address,
    client,
    protocol,
    server,
    worker_socket,
)
from faithfulness_assert.records.errors import ConfigError

if not Path("/proc/self").exists():
    pytest.skip("the tests find workers through /proc", allow_module_level=True)

TRUE = "The Eiffel Tower is 330 metres tall. It stands in Paris."
FALSE = "The Eiffel Tower is 530 metres tall. It stands in Paris."
NOT_PYTHON = {
    "assert": [{"type": "not-python", "value": "file://x.py", "config": {"judge": "embedded"}}]
}
KEY = "sk-worker-0123456789abcdef0123456789abcdef"


def given(context: Any = TRUE, **config: Any) -> dict[str, Any]:
    return {"vars": {"context": context}, "config": {"judge": "embedded", **config}}


def given_api(judge: Loopback, **config: Any) -> dict[str, Any]:
    """The same, with a judge behind an API."""
    return given(judge="openai:m", baseUrl=judge.url, **config)


GIVEN = given()


@pytest.fixture(autouse=True)
def socket_base(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a short path for the sockets of each test; workers that still run at the end are killed."""
    with processes.socket_folder(monkeypatch) as folder:
        yield folder
        processes.kill_workers(folder)
        assert eventually(lambda: not workers())


def workers() -> list[int]:
    """The living workers of this test."""
    return processes.workers(os.environ["TMPDIR"])


@contextmanager
def running(
    owner: int | None = None, *, idle: float = 60, code: str = ""
) -> Iterator[subprocess.Popen[str]]:
    """A worker for ``owner``; by default for this process's parent, so that it serves this process."""
    owner = owner or os.getppid()
    main = (
        ["-c", f"{code}\nfrom faithfulness_assert.cli import main; main()"]
        if code
        else ["-m", "faithfulness_assert"]
    )
    command = [sys.executable, *main, "worker", "--pid", str(owner), "--idle", str(idle)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            assert eventually(
                lambda: (
                    address.is_listening(address.socket_path(owner)) or process.poll() is not None
                )
            )
            yield process
        finally:
            process.kill()


@contextmanager
def sleeping_process() -> Iterator[subprocess.Popen[bytes]]:
    """A process that does nothing, as a worker's owner."""
    with subprocess.Popen(["sleep", "600"]) as process:
        try:
            yield process
        finally:
            process.kill()


def worker_reply(output: Any = TRUE, context: Any = GIVEN) -> dict[str, Any]:
    """The worker's reply; the test fails without one."""
    reply = client.ask(output, context)
    assert reply is not None
    return reply


def worker_result(output: Any = TRUE, context: Any = GIVEN) -> dict[str, Any]:
    """The result that the worker replies with."""
    result: dict[str, Any] = worker_reply(output, context)["result"]
    return result


def socket_path() -> str:
    """The socket of the worker that serves this process."""
    return address.socket_path(os.getppid())


# ---------------------------------------------------------------- the same result


@pytest.mark.parametrize(
    ("output", "context"),
    [
        (TRUE, GIVEN),
        (FALSE, given(components="all")),
        ("", GIVEN),
        (TRUE, given([])),
        (TRUE, given(treshold=1)),
        (TRUE, {"vars": {"context": TRUE}}),
        (TRUE, None),
        (
            {"answer": "Größe 1,5 \udc80 🗼", "n": [1e300, float("inf"), None]},
            given("Größe 1,5 🗼"),
        ),
        (TRUE, given([{"text": TRUE, "id": "é"}], contextFrom="vars.context")),
        (TRUE, given(judge="openai:m", baseUrl="http://127.0.0.1:9/v1", maxRetries=0)),
    ],
)
def test_the_worker_replies_with_the_same_json_as_a_grade_in_the_assertions_process(
    output: Any, context: Any
) -> None:
    with running():
        assert json.dumps(worker_result(output, context)) == json.dumps(
            hook.get_assert(output, context)
        )


def test_an_ungraded_not_python_assertion_raises_through_the_worker_too() -> None:
    context = {**GIVEN, "test": NOT_PYTHON}
    with running():
        assert "raised" in worker_reply("", context)
        with pytest.raises(hook.NotPythonError) as through_the_worker:
            get_assert("", context)
    with pytest.raises(hook.NotPythonError) as in_this_process:
        hook.get_assert("", context)
    assert str(through_the_worker.value) == str(in_this_process.value)


def test_a_change_of_any_judges_environment_changes_the_identity(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`protocol` is imported by every assertion, so it repeats the prefixes and loads no judge."""
    assert set(environment_prefixes()) <= set(protocol._PREFIXES)
    for prefix in environment_prefixes():
        before = protocol.identity()
        monkeypatch.setenv(f"{prefix}ORGANISATION", "another")
        assert protocol.identity() != before


def test_an_assertion_with_a_worker_does_not_grade_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook, "get_assert", lambda *_: pytest.fail("it graded"))
    with running():
        assert get_assert(TRUE, GIVEN)["pass"] is True


def test_each_of_many_parallel_assertions_gets_its_own_result() -> None:
    context = given("The tower is 330 metres tall.")
    answers = [f"The tower is {height} metres tall." for height in range(300, 340)]
    with running(), ThreadPoolExecutor(16) as pool:
        results = list(pool.map(lambda answer: worker_result(answer, context), answers))
    assert results == [hook.get_assert(answer, context) for answer in answers]
    assert sum(result["pass"] for result in results) == 1


def test_what_one_assertion_learned_about_a_judge_is_used_by_the_next() -> None:
    with Loopback(no_schema) as judge, running():
        context = given_api(judge)
        assert [worker_result(TRUE, context)["pass"] for _ in range(3)] == [True] * 3
        assert ["response_format" in request.body for request in judge.requests].count(False) == 3
        learned = len(judge.requests) - 3
        assert hook.get_assert(TRUE, context)["pass"] is True
        assert len(judge.requests) == 3 + learned + 1 + learned


def test_a_grader_is_kept_for_one_eval_only() -> None:
    first = server.cached_grader(1, "embedded", "default", 0.5, language="en")
    assert server.cached_grader(1, "embedded", "default", 0.5, language="en") is first
    for other in (
        server.cached_grader(2, "embedded", "default", 0.5, language="en"),
        server.cached_grader(1, "embedded", "default", 0.6),
    ):
        assert other is not first


ONE_ASSERTION = """
import asyncio, importlib.util, inspect, json, os, sys  # as promptfoo's wrapper does
before = set(sys.modules)
from faithfulness_assert.promptfoo import get_assert
assert get_assert(*json.loads(sys.argv[1]))["pass"]
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def test_with_a_worker_an_assertion_loads_four_small_modules_and_no_other() -> None:
    with running(os.getpid()):
        command = [sys.executable, "-c", ONE_ASSERTION, json.dumps([TRUE, GIVEN])]
        loaded = json.loads(
            subprocess.run(command, capture_output=True, text=True, check=True).stdout
        )
    worker = ".promptfoo.worker_process"
    ours = [
        "",
        ".files",
        ".promptfoo",
        worker,
        *(f"{worker}.{name}" for name in ("address", "client", "protocol")),
    ]
    assert loaded == ["__future__", *(f"faithfulness_assert{name}" for name in ours)]


# ---------------------------------------------------------------- which worker serves which process


def test_without_a_worker_nothing_is_started_or_written(socket_base: Path) -> None:
    assert get_assert(TRUE, GIVEN)["pass"] is True
    assert list(socket_base.iterdir()) == []


def test_two_evals_at_once_each_have_their_own_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        sleeping_process() as one,
        sleeping_process() as other,
        running(one.pid),
        running(other.pid),
    ):
        for evaluation in (one, other):
            monkeypatch.setattr(os, "getppid", lambda pid=evaluation.pid: pid)
            assert client.find_socket() == address.socket_path(evaluation.pid)
            assert "result" in worker_reply()
        one.kill()
        assert eventually(lambda: len(workers()) == 1)
        assert "result" in worker_reply()
        other.kill()
        assert eventually(lambda: workers() == [])


def test_the_worker_of_a_shell_serves_the_processes_that_the_shell_starts() -> None:
    ask = "import json, sys; from faithfulness_assert.promptfoo.worker_process import client; sys.exit(not client.ask(*json.loads(sys.argv[1])))"
    with running(os.getpid()):
        command = [
            "sh",
            "-c",
            '"$@"; exit $?',
            "sh",
            sys.executable,
            "-c",
            ask,
            json.dumps([TRUE, GIVEN]),
        ]
        assert subprocess.run(command, check=False).returncode == 0


def test_of_several_workers_that_start_for_one_eval_one_stays() -> None:
    owner = os.getppid()
    command = [sys.executable, "-m", "faithfulness_assert", "worker", "--pid", str(owner)]
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(4)
    ]
    assert eventually(lambda: sum(process.poll() is not None for process in started) == 3)
    assert len(workers()) == 1
    assert "result" in worker_reply()
    for process in started:
        process.kill()
        said, _ = process.communicate()
        assert process.returncode < 0 or (process.returncode == 2 and "already" in said)


@pytest.mark.parametrize("attribute", ["version", "environment", "folder", "host"])
def test_a_worker_with_another_version_key_or_folder_does_not_grade(
    attribute: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with running():
        if attribute == "version":
            monkeypatch.setattr("faithfulness_assert.__version__", "0.0.0")
        elif attribute == "environment":
            monkeypatch.setenv("OPENAI_API_KEY", KEY)
        elif attribute == "host":
            monkeypatch.setattr(socket, "gethostname", lambda: "another container")
        else:
            monkeypatch.chdir(tmp_path)
        assert client.ask(TRUE, GIVEN) is None
        assert get_assert(TRUE, GIVEN)["pass"] is True
        assert len(workers()) == 1


def test_the_key_is_neither_on_disk_nor_in_a_command_line(
    monkeypatch: pytest.MonkeyPatch, socket_base: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Loopback(refusal_to(401, f"wrong key {KEY}")) as judge, running() as process:
        result = worker_result(TRUE, given_api(judge))
        assert judge.requests[0].headers["authorization"] == f"Bearer {KEY}"
        assert KEY not in json.dumps(result)
        assert KEY.encode() not in Path(f"/proc/{process.pid}/cmdline").read_bytes()
        assert all(KEY not in path.read_text() for path in socket_base.rglob("*") if path.is_file())
        process.terminate()
        assert KEY not in process.communicate()[0]


# ---------------------------------------------------------------- other users


def test_only_its_user_may_enter_its_folder_and_open_its_socket() -> None:
    with running():
        assert os.stat(address.socket_folder()).st_mode & 0o777 == 0o700
        assert os.stat(socket_path()).st_mode & 0o777 == 0o600


def open_to_all(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    folder.chmod(0o777)


def behind_a_link(folder: Path) -> None:
    folder.with_name("elsewhere").mkdir(mode=0o700)
    folder.symlink_to("elsewhere")


def another_user_s(folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a folder another user's")
    folder.mkdir(mode=0o700)
    os.chown(folder, 65534, 65534)


@pytest.mark.parametrize("make", [open_to_all, behind_a_link, another_user_s])
def test_a_folder_that_other_users_can_reach_is_not_used(make: Callable[[Path], None]) -> None:
    make(Path(address.socket_folder()))
    with socket.socket(socket.AF_UNIX) as trap:
        trap.bind(socket_path())
        trap.listen()
        trap.setblocking(False)
        assert get_assert(TRUE, GIVEN)["pass"] is True
        with running() as process:
            assert "only its user may enter" in process.communicate()[0]
            assert process.returncode == 2
        with pytest.raises(BlockingIOError):  # nobody has connected
            trap.accept()


def test_a_link_in_place_of_the_socket_is_not_followed() -> None:
    Path(address.socket_folder()).mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as trap:
        trap.bind(str(Path(os.environ["TMPDIR"]) / "trap"))
        trap.listen()
        trap.setblocking(False)
        Path(socket_path()).symlink_to("../trap")
        with pytest.raises(PermissionError):
            address.connect(socket_path())
        with pytest.raises(BlockingIOError):
            trap.accept()


AS_ANOTHER_USER = """
import os, socket, sys
with socket.socket(socket.AF_UNIX) as line:
    os.setgid(65534)
    os.setuid(65534)
    line.connect(sys.argv[1])
    message = sys.stdin.buffer.read()
    line.sendall(len(message).to_bytes(4, "big") + message)
    print("answered" if line.recv(1) else "refused")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_is_refused_even_where_the_files_would_let_them_in(socket_base: Path) -> None:
    message = json.dumps({"identity": protocol.identity(), "eval": 1, "grade": [TRUE, GIVEN]})
    with running():
        path = socket_path()
        socket_base.chmod(0o755)
        Path(address.socket_folder()).chmod(0o777)
        os.chmod(path, 0o666)
        done = subprocess.run(
            [sys.executable, "-c", AS_ANOTHER_USER, path],
            input=message,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (
            done.stdout.strip() == "refused"
            or "ConnectionReset" in done.stderr
            or "BrokenPipe" in done.stderr
        )
        Path(address.socket_folder()).chmod(0o700)
        assert "result" in worker_reply()


# ---------------------------------------------------------------- invalid requests


def reply_to(data: bytes) -> bytes:
    """What the worker sends back for these bytes."""
    with address.connect(socket_path()) as line:
        line.sendall(data)
        with suppress(ConnectionError):
            return line.recv(1000)
    return b""


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xff\xff\xff",
        b"GET / HTTP/1.1\r\n\r\n",
        (4).to_bytes(4, "big") + b"\xff{]}",
        (2000).to_bytes(4, "big") + b"[" * 2000,
    ],
)
def test_invalid_bytes_get_no_result_and_the_next_request_is_served(data: bytes) -> None:
    with running():
        assert b"result" not in reply_to(data)
        assert "result" in worker_reply()


@pytest.mark.parametrize("request_", ["null", "[]", "{}", '{"identity": {}}'])
def test_a_request_without_the_right_identity_is_refused(request_: str) -> None:
    with running():
        reply = reply_to(len(request_).to_bytes(4, "big") + request_.encode())
        assert b"refused" in reply
        assert TRUE.encode() not in reply


def test_a_request_that_is_too_large_is_graded_by_the_assertion(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(protocol, "MAX_BYTES", 200)
    with running():
        assert client.ask(TRUE, GIVEN) is None
        assert get_assert(TRUE, GIVEN)["pass"] is True


def test_an_output_that_is_not_json_is_graded_by_the_assertion() -> None:
    with running():
        assert get_assert({1, 2}, GIVEN)["metadata"]["graderError"] is True
        assert "result" in worker_reply()


def test_a_connection_that_stays_silent_is_closed() -> None:
    with running(
        code="from faithfulness_assert.promptfoo.worker_process import protocol; protocol.SILENCE = 0.3"
    ):
        assert reply_to(b"\0\0") == b""
        assert "result" in worker_reply()


def test_assertions_beyond_the_limit_grade_by_themselves() -> None:
    limit = (
        "from faithfulness_assert.promptfoo.worker_process import server; server.MAX_ASSERTIONS = 2"
    )
    with (
        Loopback(Answer(BOTH_SUPPORTED.body, delay=2)) as judge,
        running(code=limit),
        ThreadPoolExecutor(6) as pool,
    ):
        replies = list(pool.map(lambda _: client.ask(TRUE, given_api(judge)), range(6)))
        assert len(judge.requests) == 2
        assert [reply["result"]["pass"] for reply in replies if reply] == [True] * 2
        assert len(workers()) <= 1  # the busy worker was not replaced
        assert "result" in worker_reply()


# ---------------------------------------------------------------- faults


def test_the_socket_of_a_dead_worker_is_replaced() -> None:
    with running() as process:
        process.kill()
        process.wait()
    assert Path(socket_path()).exists()
    assert get_assert(FALSE, GIVEN) == hook.get_assert(FALSE, GIVEN)
    assert eventually(lambda: client.ask(TRUE, GIVEN))
    assert len(workers()) == 1


def test_an_assertion_survives_a_worker_that_is_killed_during_its_grade() -> None:
    reached = threading.Event()

    def slow_once(request: Request) -> Answer:
        first = not reached.is_set()
        reached.set()
        return Answer(delay=60) if first else no_schema(request)

    with Loopback(slow_once) as judge, running() as process, ThreadPoolExecutor(1) as pool:
        result = pool.submit(get_assert, TRUE, given_api(judge))
        assert reached.wait(PATIENCE)
        process.kill()
        assert result.result(PATIENCE)["pass"] is True
    assert eventually(lambda: client.ask(TRUE, GIVEN))
    assert len(workers()) == 1


def test_a_worker_that_hangs_is_replaced_and_ends_when_it_wakes_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with running() as process:
        process.send_signal(signal.SIGSTOP)
        begun = time.monotonic()
        with (
            monkeypatch.context() as patch
        ):  # only here: the next worker may need longer on a busy machine
            patch.setattr(protocol, "SILENCE", 0.5)
            assert get_assert(TRUE, GIVEN)["pass"] is True
        assert time.monotonic() - begun < PATIENCE
        assert eventually(lambda: client.ask(TRUE, GIVEN))
        assert len(workers()) == 2
        process.send_signal(signal.SIGCONT)
        assert eventually(lambda: process.poll() is not None)
        assert "result" in worker_reply()


def test_an_assertion_that_notices_a_death_late_keeps_the_new_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with running() as old, ExitStack() as later:
        new: list[int] = []

        def dies(path: str, _: bytes) -> dict[str, Any]:
            old.kill()
            old.wait()
            os.unlink(path)
            new.append(later.enter_context(running()).pid)
            raise ConnectionResetError

        with monkeypatch.context() as late:
            late.setattr(client, "exchange", dies)
            assert client.ask(TRUE, GIVEN) is None
        assert "result" in worker_reply()
        assert workers() == new


def test_a_judge_may_take_longer_than_the_silence_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(protocol, "SILENCE", 3.5)
    with Loopback(Answer(BOTH_SUPPORTED.body, delay=5)) as judge, running():
        assert worker_result(TRUE, given_api(judge))["pass"] is True
        assert len(judge.requests) == 1


def test_the_deadline_also_holds_in_the_worker() -> None:
    with Loopback(Answer(delay=60)) as judge, running():
        begun = time.monotonic()
        result = worker_result(TRUE, given_api(judge, deadline=1))
        assert time.monotonic() - begun < PATIENCE
        assert (result["pass"], result["metadata"]["error"]["kind"]) == (False, "timeout")


def test_an_idle_worker_ends() -> None:
    with running(idle=2) as process:
        assert "result" in worker_reply()
        assert eventually(lambda: process.poll() is not None)
        assert "assertions graded: 1" in process.communicate()[0]
    assert not Path(socket_path()).exists()
    assert get_assert(TRUE, GIVEN)["pass"] is True


def test_a_worker_ends_with_its_owner_even_if_the_owner_is_a_zombie() -> None:
    with sleeping_process() as owner, running(owner.pid) as process:
        os.kill(owner.pid, signal.SIGKILL)  # without wait(): it stays a zombie
        assert eventually(lambda: process.poll() is not None)


def test_a_worker_for_a_process_that_has_ended_does_not_start() -> None:
    with subprocess.Popen(["true"]) as gone:
        pass
    with running(gone.pid) as process:
        assert f"cannot serve process {gone.pid}" in process.communicate()[0]
        assert process.returncode == 2


def test_a_worker_without_its_socket_finishes_its_assertions_and_ends() -> None:
    reached = threading.Event()

    def slow(request: Request) -> Answer:
        reached.set()
        time.sleep(1)
        return no_schema(request)

    with Loopback(slow) as judge, running() as process, ThreadPoolExecutor(1) as pool:
        reply = pool.submit(worker_reply, TRUE, given_api(judge))
        assert reached.wait(PATIENCE)
        os.unlink(socket_path())
        assert reply.result(PATIENCE)["result"]["pass"] is True
        assert eventually(lambda: process.poll() is not None)


@pytest.mark.parametrize("name", ["/proc", "/dev/null", "/nowhere"])
def test_an_eval_works_without_a_folder_for_the_socket(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", name)
    assert "no worker was started" in run_extension("beforeAll").stderr
    assert run_extension("afterAll").stderr == ""
    assert get_assert(TRUE, GIVEN)["pass"] is True
    with running() as process:
        assert "cannot serve" in process.communicate()[0]
        assert process.returncode == 2


def test_a_full_disk_is_a_config_error_of_the_worker_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "mkdir", full)
    with (
        pytest.raises(OSError, match="No space left"),
        worker_socket.open_socket(address.socket_path(1)),
    ):
        pytest.fail("it made a socket")
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # this process keeps its handlers
    with pytest.raises(ConfigError, match="No space left"):
        server.serve(os.getpid(), 60)


@pytest.mark.parametrize("home", [None, "/proc/nowhere"])
def test_no_home_is_needed(home: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if home is None:
        monkeypatch.delenv("HOME", raising=False)
    else:
        monkeypatch.setenv("HOME", home)
    with running():
        assert "result" in worker_reply()


@pytest.mark.parametrize("length", [10, 60, 80, 100, 200])
def test_the_path_of_a_socket_is_never_too_long(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", "/" + "x" * length)
    assert len(address.socket_path(2**22)) <= 103


# ---------------------------------------------------------------- promptfoo's extension


def run_extension(hook_name: str) -> subprocess.CompletedProcess[str]:
    """The extension as promptfoo runs it: in a process whose pipes must close."""
    code = f"from faithfulness_assert.promptfoo import worker; worker({hook_name!r}, {{'suite': {{}}}})"
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )


def test_the_extension_starts_one_worker_and_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getppid", os.getpid)  # this process takes the place of promptfoo
    run_extension("beforeAll")
    (first,) = workers()
    assert "result" in worker_reply()
    for name in ("beforeAll", "beforeEach", "afterEach"):
        run_extension(name)
        assert workers() == [first]
    run_extension("afterAll")
    assert workers() == []
    assert client.ask(TRUE, GIVEN) is None
    run_extension("afterAll")


def test_both_ways_in_which_promptfoo_calls_extensions_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from faithfulness_assert.promptfoo import worker

    called: list[str] = []
    monkeypatch.setattr(client, "start", lambda: called.append("start"))
    monkeypatch.setattr(client, "stop", lambda: called.append("stop"))
    for arguments in (
        ("beforeAll", {}),
        ({}, {"hookName": "beforeAll"}),
        ("afterAll", {}),
        ({}, {"hookName": "afterAll"}),
        ("beforeEach", {}),
    ):
        worker(*arguments)
    assert called == ["start", "start", "stop", "stop"]


# ---------------------------------------------------------------- without Unix sockets

NO_UNIX = "import socket; del socket.AF_UNIX"


@pytest.fixture
def tcp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "UNIX", False)
    monkeypatch.setattr(address, "SUFFIX", ".port")


@pytest.mark.usefixtures("tcp")
def test_without_unix_sockets_the_worker_uses_a_loopback_port_and_a_token() -> None:
    with running(code=NO_UNIX) as process:
        assert worker_result(FALSE) == hook.get_assert(FALSE, GIVEN)
        path = Path(socket_path())
        assert path.stat().st_mode & 0o777 == 0o600
        port, _ = json.loads(path.read_text())
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as stranger:
            stranger.sendall(b"x" * 32)
            assert len(protocol.receive_exactly(stranger, 64)) == 64  # its proof, and its challenge
            stranger.sendall(b"x" * 32)
            assert stranger.recv(1) == b""
        assert "result" in worker_reply()
        process.terminate()


@pytest.mark.usefixtures("tcp")
def test_a_process_on_a_dead_workers_port_sees_no_text() -> None:
    with socket.create_server(("127.0.0.1", 0)) as thief, ThreadPoolExecutor(1) as pool:

        def steal() -> bytes:
            line, _ = thief.accept()
            with line:
                line.settimeout(PATIENCE)
                seen = line.recv(1000)
                line.sendall(b"x" * 64)
                with suppress(ConnectionError):
                    seen += line.recv(1000)
                return seen

        seen = pool.submit(steal)
        Path(address.socket_folder()).mkdir(mode=0o700)
        Path(socket_path()).write_text(json.dumps([thief.getsockname()[1], "00" * 32]))
        with pytest.raises(PermissionError, match="token"):
            client.exchange(client.find_socket(), b"{}")
        assert len(seen.result()) == 32


# ---------------------------------------------------------------- long runs


def status(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def test_hundreds_of_assertions_leave_no_memory_threads_or_connections_behind() -> None:
    with running() as process:
        for number in range(300):
            worker_reply(f"{TRUE} It has {number} steps.", given(threshold=number % 7 / 10))
            if number == 100:
                before = status(process.pid, "VmRSS")
        assert status(process.pid, "VmRSS") - before < 20_000
        assert eventually(lambda: status(process.pid, "Threads") == 1)
        assert len(list(Path(f"/proc/{process.pid}/fd").iterdir())) < 16


class AnyOrder(RuleBasedStateMachine):
    """Events in any order: each assertion is graded right, and at most one worker runs."""

    @rule()
    def start(self) -> None:
        if not address.is_listening(socket_path()):
            client.detach(client.spawn(os.getppid()))
        assert eventually(lambda: address.is_listening(socket_path()))

    @rule(by=st.sampled_from([signal.SIGKILL, signal.SIGTERM]))
    def end(self, by: signal.Signals) -> None:
        for pid in workers():
            os.kill(pid, by)
        assert eventually(lambda: not workers())

    @rule()
    def stop(self) -> None:
        message = json.dumps({"identity": protocol.identity(), "stop": True}).encode()
        assert eventually(
            lambda: address.is_listening(socket_path()) or not workers()
        )  # no worker is starting
        with suppress(OSError):
            client.exchange(client.find_socket(), message)
        assert eventually(lambda: not workers())

    @rule()
    def idle(self) -> None:
        self.end(signal.SIGTERM)
        with running(idle=0.1) as process:
            process.wait(PATIENCE)

    @rule(answer=st.sampled_from([TRUE, FALSE, ""]), count=st.integers(1, 4))
    def assertions(self, answer: str, count: int) -> None:
        with ThreadPoolExecutor(count) as pool:
            results = list(pool.map(lambda _: get_assert(answer, GIVEN), range(count)))
        assert results == [hook.get_assert(answer, GIVEN)] * count

    def teardown(self) -> None:
        assert eventually(lambda: len(workers()) <= 1)
        self.end(signal.SIGTERM)


def test_every_assertion_is_graded_right_whatever_happens_to_workers() -> None:
    run_state_machine_as_test(
        AnyOrder,
        settings=examples(
            4,
            stateful_step_count=8,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
