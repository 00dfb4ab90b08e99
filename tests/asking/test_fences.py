"""Fences and controls take linear time, and the secret is for its user only."""

from __future__ import annotations

import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from faithfulness_assert.asking.controls import Controls
from faithfulness_assert.asking.fences import fenced
from faithfulness_assert.judges.stored_replies import kept_secret

SENTENCES = [f"The shop {n} in the town sells {n % 9973} loaves." for n in range(40_000)]
TEXTS: dict[str, Callable[[int], object]] = {
    "all short tags": lambda n: fenced(
        [("context", " ".join(f"context-{i % 65536:04x}" for i in range(n)))]
    ),
    "half tags": lambda n: fenced([("context", "<context-" * n)]),
    "signs in a tag": lambda n: fenced([("context", "<" + "/" * n + "context-_>")]),
    "sentences": lambda n: Controls(["x"], b"s").of([SENTENCES[: n // 4]]),
}


def seconds(make: Callable[[int], object], size: int) -> float:
    taken = []
    for _ in range(4):
        before = time.process_time()
        make(size)
        taken.append(time.process_time() - before)
    return min(taken)


@pytest.mark.parametrize("make", TEXTS.values(), ids=TEXTS.keys())
def test_twice_the_text_takes_twice_the_time(make: Callable[[int], object]) -> None:
    once, _, twice = (seconds(make, size) for size in (40_000, 80_000, 160_000))
    assert twice <= max(2.6**2 * once, 0.5)


@pytest.mark.skipif(sys.platform == "win32", reason="modes of Unix")
def test_a_folder_keeps_one_secret_for_its_user_only(tmp_path: Path) -> None:
    first = kept_secret(tmp_path)
    assert kept_secret(tmp_path) == first
    assert len(first) == 32
    assert stat.S_IMODE((tmp_path / "controls-seed").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["controls-seed"]
