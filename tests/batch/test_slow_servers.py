"""Runs against a server on this machine that is slow, or that answers with a decompression bomb."""

from __future__ import annotations

import gzip
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from loopback import Answer, Loopback, Request
from remote import bare_environment
from true_server import answered

from faithfulness_assert.batch import RunOutcome, run


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)


def graded(server: Loopback, folder: Path, count: int, **more: Any) -> RunOutcome:
    texts = [f"The tower {n} is tall." for n in range(count)]
    rows = [{"answer": text, "context": text} for text in texts]
    given = {"judge": "openai:m", "base_url": server.url, "api_key": "k", "controls": "off", **more}
    return run(rows, folder / "run", progress=False, **given)


def test_a_server_that_answers_one_after_the_other_loses_no_case(tmp_path: Path) -> None:
    """All of them together take longer than the deadline of each."""
    one = threading.Lock()

    def slow(request: Request) -> Answer:
        with one:
            time.sleep(0.2)
            return answered(request)

    with Loopback(slow) as server:
        given: dict[str, Any] = {"concurrency": 20, "timeout": 2, "deadline": 2.5, "max_retries": 2}
        outcome = graded(server, tmp_path, 20, **given)
    assert (outcome.counts.errors, outcome.counts.passed) == (0, 20)
    assert outcome.counts.now.seconds > 2.5


def test_after_a_decompression_bomb_a_case_is_asked_about_again(tmp_path: Path) -> None:
    bomb = Answer(gzip.compress(b" " * (9 << 20), 9), headers={"content-encoding": "gzip"})

    def odd(request: Request) -> Answer:
        return bomb if request.number % 3 == 1 else answered(request)

    with Loopback(odd) as server:
        outcome = graded(server, tmp_path, 12, concurrency=1, max_retries=2)
    assert (outcome.counts.errors, outcome.counts.passed) == (0, 12)
    assert len(server.requests) == 18
