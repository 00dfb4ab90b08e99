"""The same ask is the same text everywhere, so that caches find it; and no author of a text foresees it."""

import json
import os
import subprocess
import sys
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
for options in json.loads(sys.argv[1]):
    grade(**options)
"""
GIVEN = ({"api_key": KEYS[0]}, {"api_key": KEYS[1]}, {"api_key": KEYS[2]})
GIVEN += tuple({**given, "seed": 7} for given in GIVEN)


def sent(server: Loopback) -> list[list[str]]:
    """What a process sends to grade one answer with each of ``GIVEN``, with windows over the context."""
    before = len(server.requests)
    base = {"answer": ANSWER, "context": CONTEXT, "base_url": server.url, "judge": "openai:m"}
    places = [{"extra_headers": {"x-place": str(n)}} for n in range(len(GIVEN))]
    options = [
        {**base, **given, **place, "max_prompt_tokens": 900}
        for given, place in zip(GIVEN, places, strict=True)
    ]
    environment = {**os.environ, "NO_PROXY": "127.0.0.1"}
    program = (sys.executable, "-c", PROGRAM, json.dumps(options))
    subprocess.run(program, check=True, env=environment, timeout=120)
    bodies: list[list[str]] = [[] for _ in GIVEN]
    for request in server.requests[before:]:
        bodies[int(request.headers["x-place"])].append(json.dumps(request.body))
    return [sorted(of_one) for of_one in bodies]


def test_two_processes_with_one_key_or_one_seed_send_the_same_bytes():
    with Loopback(answered) as server:
        one, again = sent(server), sent(server)
    key, other, guessed, *seeded = one
    assert len(key) > 1
    assert (key, other) == tuple(again[:2])
    assert guessed != again[2]
    assert seeded[0] == seeded[1] == seeded[2] == again[3]
    assert len({tuple(of_one) for of_one in (key, other, guessed, seeded[0])}) == 4


def test_a_cache_made_with_one_key_is_read_with_another_and_with_none(tmp_path):
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
def test_a_key_that_anybody_guesses_gives_no_secret(key):
    assert secret_of_key(key) is None
