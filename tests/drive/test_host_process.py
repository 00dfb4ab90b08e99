"""The process that imports us, a notebook, a server or one that forks, stays as it was and works on."""

import asyncio
import os
import pickle
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from typing import Any

import pytest
from loopback import Answer, Loopback, Request, completion

from faithfulness_assert import Ask, Grader, Reply, agrade, grade, grade_many

CASE = {"answer": "It rains.", "context": "It rains."}
VERDICT = '{"verdicts":[{"id":1,"evidence":[1],"label":"supported"}]}'
GOOD = completion(VERDICT)


def script(code: str, *arguments: str) -> str:
    """What a program prints that grades in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


# ---------------------------------------------------------------- nothing of it changes

PROGRAM = """
import asyncio, logging, os, random, signal, sys, threading
if sys.version_info < (3, 11):
    import exceptiongroup  # httpcore2 needs it, and it has a hook of its own

def of_logger(name):
    given = vars(logging.getLogger(name))
    return [given[part] for part in ("filters", "handlers", "level", "propagate", "disabled")]

def state():
    return {
        "loggers": {name: of_logger(name) for name in LOGGERS},
        "root": of_logger(None),
        "logging": (logging.getLogRecordFactory(), logging.getLoggerClass()),
        "signals": [signal.getsignal(number) for number in signal.valid_signals()],
        "loops": asyncio.events._event_loop_policy,
        "hooks": (sys.excepthook, sys.unraisablehook, threading.excepthook),
        "random": random.getstate(),
        "system": (dict(os.environ), os.getcwd()),
    }

LOGGERS = ("httpx2", "httpcore2", "httpcore2.connection", "openai", "asyncio", "mine")
asyncio.run(asyncio.sleep(0))  # it makes the policy of event loops
before = state()
import faithfulness_assert as fa
options = dict(judge="openai:m", base_url=sys.argv[1], api_key="sk-abcdefghijk1234567890")
case = dict(answer="It rains.", context="It rains.")
assert fa.grade(**case, **options).status == "graded"
assert asyncio.run(fa.agrade(**case, **options)).status == "graded"
assert list(fa.grade_many([case], **options))
assert fa.grade(**case).status == "graded"
after = state()
print([what for what in before if before[what] != after[what]])
made = [logging.getLogger(name) for name in list(logging.root.manager.loggerDict)]
print([g for g in made for f in g.filters if "faithfulness" in type(f).__module__])
"""


def test_importing_and_using_the_package_changes_nothing_of_the_process():
    with Loopback(GOOD) as server:
        assert script(PROGRAM, server.url) == "[]\n[]\n"


# ---------------------------------------------------------------- what a judge raises


class Raising:
    """A judge that raises this at its first ask, in a thread or on the event loop."""

    def __init__(self, error: BaseException) -> None:
        self._errors = [error]

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        if self._errors:
            raise self._errors.pop()
        return Reply(VERDICT)


class RaisingOnLoop(Raising):
    any_loop = True

    async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        await asyncio.sleep(0)
        return self.ask(ask)


class Stopping(RaisingOnLoop):
    async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0.01)
        return Reply(VERDICT)


CALLS: dict[str, Callable[..., Any]] = {
    "grade": lambda **options: grade(**CASE, **options),
    "agrade": lambda **options: asyncio.run(agrade(**CASE, **options)),
    "grade_many": lambda **options: next(iter(grade_many([CASE] * 9, concurrency=1, **options))),
}


@pytest.mark.parametrize("options", [{}, {"deadline": None}, {"timeout": 20}])
@pytest.mark.parametrize("made", [Raising, RaisingOnLoop])
@pytest.mark.parametrize("call", CALLS)
def test_a_judge_that_exits_has_failed_and_the_next_ask_is_answered(call, made, options):
    judge = made(SystemExit(3))
    result = CALLS[call](judge=judge, **options)
    assert (result.status, result.error.kind) == ("judge_failed", "transport")
    assert "SystemExit" in result.error.message
    assert CALLS[call](judge=judge, **options).status == "graded"


DIRECT = [] if sys.version_info < (3, 11) else [("agrade", True), ("grade_many", True)]


@pytest.mark.parametrize(("call", "keeps_deadline"), [*((call, False) for call in CALLS), *DIRECT])
def test_a_judge_that_cancels_itself_has_failed_and_ends_no_batch(call, keeps_deadline):
    judge = RaisingOnLoop(asyncio.CancelledError())
    judge.keeps_deadline = keeps_deadline
    assert CALLS[call](judge=judge).status == "judge_failed"
    assert CALLS[call](judge=judge).status == "graded"


@pytest.mark.parametrize("made", [Raising, RaisingOnLoop])
@pytest.mark.parametrize("call", CALLS)
def test_an_interrupt_ends_the_call_and_no_other(call, made):
    judge = made(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        CALLS[call](judge=judge)
    results = list(grade_many([CASE] * 3, judge=judge))
    assert {result.status for result in results} == {"graded"}


def test_a_judge_that_stops_our_event_loop_stops_nobody():
    assert {r.status for r in grade_many([CASE] * 4, judge=Stopping(OSError()))} == {"graded"}


# ---------------------------------------------------------------- forks

FORKING = """
import os, sys, threading, time
from faithfulness_assert import Grader
options = dict(base_url=sys.argv[1], api_key="k", max_retries=0, deadline=60)
grader = Grader("openai:m", **options)
case = dict(answer="It rains.", context="It rains.")
grader.grade(**case)  # a fork during an import would be Python's own affair
threads = [threading.Thread(target=grader.grade, kwargs=case) for _ in range(6)]
for thread in threads:
    thread.start()
time.sleep(1)
child = os.fork()
if child == 0:
    ends = [g.grade(**case).status for g in (grader, Grader("openai:m", **options))]
    ends += [r.status for r in grader.grade_many([case] * 4)]
    os.write(1, f"{set(ends)}\\n".encode())
    os._exit(0)
print(os.waitpid(child, 0)[1], grader.grade(**case).status)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_process_that_was_forked_while_asks_were_under_way_grades():
    def answer(request: Request) -> Answer:
        return Answer(GOOD.body, delay=4 if request.number == 2 else 0)

    with Loopback(answer) as server:
        assert script(FORKING, server.url) == "{'graded'}\n0 graded\n"


def test_a_pickled_grader_asks_the_same_and_has_no_key_of_the_environment(monkeypatch):
    key, url = "sk-test-0123456789abcdef", "http://127.0.0.1:9/v1"
    for known, given in ((key, {}), ("", {"api_key": key})):
        monkeypatch.setenv("OPENAI_API_KEY", known)
        grader = Grader("openai:m", "ragas", 0.7, base_url=url, **given)
        assert (key.encode() in pickle.dumps(grader)) == (not known)
        remade = pickle.loads(pickle.dumps(grader))
        assert remade.judge._endpoint.key == key
        assert (repr(remade), remade._secret) == (repr(grader), grader._secret)


def test_a_grader_travels_to_a_spawned_process_with_its_store(tmp_path):
    with Loopback(GOOD) as server, get_context("spawn").Pool(1) as pool:
        grader = Grader("openai:m", base_url=server.url, cache=tmp_path, policy={"base": "default"})
        result = pool.apply(grader.grade, ("It rains.", "It rains."))
        again = grader.grade(**CASE)
    assert (result.status, result.score) == ("graded", 1.0)
    assert (again.score, again.tokens_used.num_requests) == (1.0, 0)


# ---------------------------------------------------------------- open files

MANY = """
import asyncio, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (128, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
from faithfulness_assert import Grader

async def main():
    grader = Grader("openai:m", base_url=sys.argv[1], api_key="k", max_retries=0)
    grader.gate = None  # of a server on this machine, which would be asked carefully
    case = dict(answer="It rains.", context="It rains.")
    results = await asyncio.gather(*(grader.agrade(**case) for _ in range(200)))
    print({result.reason if result.error else result.status for result in results})

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_a_process_that_may_open_few_files_grades_all_the_same():
    with Loopback(Answer(GOOD.body, delay=0.05)) as server:
        assert script(MANY, server.url) == "{'graded'}\n"


# ---------------------------------------------------------------- proxies


def through(server: Loopback, url: str, **options: Any) -> Any:
    way = {
        "base_url": url,
        "api_key": "k",
        "max_retries": 0,
        "controls": "off",
        "timeout": 20,
        **options,
    }
    return Grader("openai:m", **way).grade(**CASE)


def of_way(result: Any) -> list[str]:
    """The warnings of the way to the server."""
    return [warning for warning in result.warnings if "base_url" in warning]


def test_a_server_on_this_machine_is_asked_without_the_proxy(monkeypatch):
    monkeypatch.delenv("NO_PROXY")
    with Loopback(GOOD) as proxy, Loopback(GOOD) as server:
        for name in ("http_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.root)
        for host in ("127.0.0.1", "localhost"):
            url = server.url.replace("127.0.0.1", host)
            assert not of_way(through(server, url))
    assert (len(proxy.requests), len(server.requests)) == (0, 2)


def test_https_through_a_proxy_is_a_tunnel_and_needs_no_warning(monkeypatch):
    with Loopback(GOOD) as proxy:
        monkeypatch.setenv("https_proxy", proxy.root)
        result = through(proxy, "https://judge.example/v1")
    assert (result.status, proxy.connections, proxy.requests) == ("judge_failed", 1, [])
    assert result.error.kind == "transport"
    assert not of_way(result)


@pytest.fixture
def socks() -> Iterator[tuple[str, list[bytes]]]:
    """A SOCKS5 proxy that answers one ask itself, and the hosts that it was asked for."""
    hosts: list[bytes] = []
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        client, _ = listening.accept()
        with client, client.makefile("rb") as sent:
            sent.read(sent.read(2)[1])
            client.sendall(b"\5\0")
            head = sent.read(4)
            hosts.append(sent.read(sent.read(1)[0]) if head[3] == 3 else sent.read(4))
            sent.read(2)
            client.sendall(b"\5\0\0\1\0\0\0\0\0\0")
            headers = dict(
                line.split(b": ", 1) for line in iter(sent.readline, b"\r\n") if b": " in line
            )
            sent.read(int(headers[b"content-length"]))
            client.sendall(b"".join(GOOD.parts()))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"socks5h://127.0.0.1:{listening.getsockname()[1]}", hosts
    listening.close()
    thread.join(20)


def test_a_socks_proxy_is_used(socks, monkeypatch):
    address, hosts = socks
    monkeypatch.setenv("all_proxy", address)
    with Loopback(GOOD) as server:
        assert through(server, "http://judge.example/v1").status == "graded"
    assert hosts == [b"judge.example"]
