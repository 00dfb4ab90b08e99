"""The same ask is the same text everywhere, so that caches find it; and no author of a text foresees it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from loopback import Loopback
from true_server import answered

from faithfulness_assert import GradingResult, grade
from faithfulness_assert.judges.secret import secret_of_key

ANSWER, CONTEXT = "The mill opened in 1889. It is red.", "The mill opened in 1889. " * 90
KEYS = ("sk-proj-T7uWq2ZmX9pLc4Rv", "sk-proj-Bn5Gd8YkE3sHj6Fa", "sk-short-key")
PROGRAM = """
import json, sys
from faithfulness_assert import grade
options = json.loads(sys.argv[1])
grade(**options)
"""


def sent(server: Loopback, key: str, **options: Any) -> list[Any]:
    """What a process of its own sends to grade one answer, with windows over the context."""
    before = len(server.requests)
    options = {
        "answer": ANSWER,
        "context": CONTEXT,
        "base_url": server.url,
        "api_key": key,
        **options,
    }
    options |= {"judge": "openai:m", "max_prompt_tokens": 900}
    environment = {**os.environ, "NO_PROXY": "127.0.0.1"}
    program = (sys.executable, "-c", PROGRAM, json.dumps(options))
    subprocess.run(program, check=True, env=environment, timeout=120)
    return sorted(json.dumps(request.body) for request in server.requests[before:])


def test_two_processes_with_one_key_or_one_seed_send_the_same_bytes() -> None:
    with Loopback(answered) as server:
        one, again, other = (sent(server, key) for key in (KEYS[0], KEYS[0], KEYS[1]))
        seeded = [sent(server, key, seed=7) for key in KEYS]
        drawn = [sent(server, KEYS[2]) for _ in range(2)]
    assert len(one) > 1
    assert one == again != other
    assert seeded[0] == seeded[1] == seeded[2] != one
    assert drawn[0] != drawn[1]


def test_a_cache_made_with_one_key_is_read_with_another_and_with_none(tmp_path: Path) -> None:
    def result(key: str | None, **options: Any) -> GradingResult:
        return grade(ANSWER, CONTEXT, judge="openai:m", api_key=key, cache=tmp_path, **options)

    with Loopback(answered) as server:
        first = result(KEYS[0], base_url=server.url)
        asked = len(server.requests)
        second = result(KEYS[1], base_url=server.url)
        assert len(server.requests) == asked > 0
    third = result(None, cache_only=True)
    assert first.verdicts == second.verdicts == third.verdicts
    assert (first.status, third.tokens_used.num_requests) == ("graded", 0)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "EMPTY",
        "ollama",
        "sk-1234",
        "x" * 40,
        "sk-no-key-required-here",
        "your-api-key-goes-here-please",
    ],
)
def test_a_key_that_anybody_guesses_gives_no_secret(key: str) -> None:
    assert secret_of_key(key) is None
