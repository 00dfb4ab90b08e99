"""Runs whose world changes: they stop where waiting does not help, say why, and go on after the fix.

Each is compared with a run that nothing disturbed: no row is lost, doubled, changed or paid twice.
"""

import json
import re
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fakes import TruthfulJudge, failing
from loopback import Answer, Loopback, Request, refusal_to
from rows import results_of
from true_server import answered

from faithfulness_assert.batch import RunOutcome, run
from faithfulness_assert.drive import breaker, gate
from faithfulness_assert.drive.breaker import FAILURES

AT_ONCE = 4
HOPELESS = 50  # cases in a row
ROWS = 60


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "PAUSES", (0.05,) * 3)
    monkeypatch.setattr(breaker, "RUN_COOL_DOWN", 0.05)


def cases(count: int = ROWS) -> list[dict[str, Any]]:
    """Every third case needs no judge: it has no context."""
    return [
        {"id": f"c{n}", "answer": f"The tower {n} is tall.", "context": told(n)}
        for n in range(1, count + 1)
    ]


def told(n: int) -> str:
    return "" if n % 3 == 0 else f"The tower {n} is tall."


def needs_judge(row: int) -> bool:
    return row % 3 != 0


class World:
    """A server that answers, and from a request on fails in some way, until it is mended."""

    def __init__(self, failure: Answer, at: int) -> None:
        self.failure, self.at = failure, at
        self.mended = False
        self.answered: Counter[str] = Counter()
        self.failed = 0
        self._lock = threading.Lock()

    def __call__(self, request: Request) -> Answer:
        tower = re.findall(r"The tower \d+ ", json.dumps(request.body))[0]
        with self._lock:
            if not self.mended and sum(self.answered.values()) >= self.at:
                self.failed += 1
                return self.failure
            self.answered[tower] += 1
        return answered(request)


def graded(server: Loopback, directory: Path, source: Any = None, **options: Any) -> RunOutcome:
    given = {
        "judge": "openai:m",
        "base_url": server.url,
        "api_key": "sk-secret-0123456789",
        "controls": "off",
        "concurrency": AT_ONCE,
        "progress": False,
        **options,
    }
    return run(source or cases(), directory, **given)


@pytest.fixture
def undisturbed(tmp_path: Path) -> dict[int, dict[str, Any]]:
    with Loopback(answered) as server:
        assert graded(server, tmp_path / "undisturbed").exit_code == 1
    return results_of(tmp_path / "undisturbed")


LOST = {
    "revoked": (
        refusal_to(401, "Incorrect API key provided"),
        "Check the key: OPENAI_API_KEY in the environment, or api_key from Python",
        "auth",
    ),
    "used up": (refusal_to(429, "quota", code="insufficient_quota"), "credit", "rate_limit"),
    "model gone": (refusal_to(404, "The model `m` does not exist"), "model's name", "transport"),
    "moved": (Answer(b"", 301, {"location": "https://elsewhere/v1"}), "base_url", "transport"),
}


@pytest.mark.parametrize(
    ("lost", "at"), [*((lost, 25) for lost in LOST), ("revoked", 0), ("used up", 1)]
)
def test_what_no_waiting_mends_stops_a_run_that_goes_on_after_the_fix(
    tmp_path, undisturbed, lost, at
):
    failure, fix, kind = LOST[lost]
    world = World(failure, at)
    with Loopback(world) as server:
        stopped = graded(server, tmp_path / "run")
        errors = stopped.summary.not_graded
        assert stopped.exit_code == 3
        assert fix in stopped.stopped
        assert re.search(
            rf"not graded: {errors} x {kind}, such as: .*{fix}", stopped.summary.text()
        )
        assert FAILURES <= errors <= FAILURES + AT_ONCE  # with those under way when it began
        assert world.failed == errors
        rows = results_of(tmp_path / "run")
        assert sum(needs_judge(row) and not rows[row]["error"] for row in rows) == at
        again = graded(server, tmp_path / "run")
        assert again.stopped, "the world is as it was"
        world.mended = True
        assert graded(server, tmp_path / "run").exit_code == 1
    assert results_of(tmp_path / "run") == undisturbed
    assert set(world.answered.values()) == {1}, "paid twice"


def test_an_address_that_no_longer_answers_stops_a_run_when_its_patience_ends(
    tmp_path, undisturbed, monkeypatch
):
    monkeypatch.setattr(breaker, "PART_OF_DEADLINE", 1 / 300)
    monkeypatch.setattr(breaker, "LEAST_PATIENCE", 1.0)
    world, once = World(Answer(raw=b"", end="reset"), 20), iter([True])

    def answer(request: Request) -> Answer:
        reply = world(request)
        if reply is world.failure and next(once, False):
            threading.Thread(target=server.__exit__, args=(None, None, None)).start()
        return reply

    with Loopback(answer) as server:
        port = int(server.root.rpartition(":")[2])
        stopped = graded(server, tmp_path / "run")
    assert re.search(r"has not answered for 0\.\d minutes: no connection", stopped.stopped)
    assert stopped.summary.not_graded == 0
    assert 0 < stopped.summary.cases < ROWS
    world.mended = True
    with Loopback(world, port) as server:
        assert graded(server, tmp_path / "run").exit_code == 1
    assert results_of(tmp_path / "run") == undisturbed
    assert set(world.answered.values()) == {1}


def test_a_row_that_a_server_forbids_stops_nothing(tmp_path):
    def answer(request: Request) -> Answer:
        text = json.dumps(request.body)
        if re.search(r"tower (7|20|22|40) ", text):
            return refusal_to(403, "forbidden by a firewall")
        return answered(request)

    with Loopback(answer) as server:
        outcome = graded(server, tmp_path / "run", concurrency=1)
    assert (outcome.stopped, outcome.summary.not_graded) == ("", 4)


class Wrong(TruthfulJudge):
    """Fails from one ask on."""

    def __init__(self, at: int, error: Callable[[], Exception]) -> None:
        super().__init__()
        self.at, self.error = at, error

    def ask(self, ask: Any, /, *, deadline: float | None = None) -> Any:
        reply = super().ask(ask)
        if len(self.asked) > self.at:
            raise self.error()
        return reply


@pytest.mark.parametrize("at", [0, 30])
@pytest.mark.parametrize(
    "error", [lambda: failing("truncated"), lambda: ValueError("a bug")], ids=["cut", "bug"]
)
def test_many_errors_in_a_row_stop_a_run_wherever_it_stands(tmp_path, at, error):
    judge = Wrong(at, error)
    options = {"judge": judge, "concurrency": 2, "progress": False}
    stopped = run(cases(400), tmp_path / "run", **options)
    assert f"{HOPELESS} cases in a row could not be graded" in stopped.stopped
    assert HOPELESS <= stopped.summary.not_graded <= HOPELESS + 4
    assert run(cases(400), tmp_path / "run", max_errors=400, **options).stopped == ""


def test_errors_that_are_about_the_texts_or_come_now_and_then_stop_nothing(tmp_path):
    judge = Wrong(0, lambda: failing("refusal"))
    outcome = run(cases(200), tmp_path / "run", judge=judge, concurrency=2, progress=False)
    assert (outcome.stopped, outcome.summary.cases) == ("", 200)


def test_what_failed_so_before_does_not_stop_a_run_that_goes_on(tmp_path):
    options = {"judge": Wrong(0, lambda: failing("transport")), "progress": False}
    first = run(cases(200), tmp_path / "run", max_errors=400, **options)
    assert first.summary.not_graded > HOPELESS
    again = run(cases(200), tmp_path / "run", **options)
    assert (again.stopped, again.graded) == ("", first.summary.not_graded)
