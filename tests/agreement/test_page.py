"""The page on agreement works as it is written: its scripts and commands are run in order, and print what it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from command import here as run
from conftest import ROOT
from test_docs import FENCE, OUTPUT

PAGE = (ROOT / "docs" / "agreement.md").read_text(encoding="utf-8")
EXITS = {"probe": 0, "batch": 1, "rescore": 0, "label": 0, "agreement": 0}


def shown_in(printed: str, shown: str) -> bool:
    """Whether the page shows what was printed; where it has ``…``, it leaves out lines."""
    printed, place = re.sub(r" +$", "", printed, flags=re.MULTILINE), 0
    for number, part in enumerate(shown.split("…\n")):
        found = printed.find(part, place)
        if found < 0 or (number == 0 and part and found != 0):
            return False
        place = found + len(part)
    return shown.endswith("…\n") or place == len(printed)


def test_each_command_of_the_page_prints_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = []
    for fence in FENCE.finditer(PAGE):
        if fence[1] == "python {.agreement}":
            exec(compile(fence[2], "agreement.md", "exec"), {})
            continue
        lines = fence[2].splitlines() if fence[1] == "console" else []
        for name, *arguments in map(shlex.split, lines):
            assert name == "faithfulness-assert"
            done = run(*arguments, COLUMNS="80")
            assert done.returncode == EXITS[arguments[0]], done.stderr
            ran.append(arguments[0])
        if lines and (output := OUTPUT.match(PAGE, fence.end())):
            assert shown_in(done.stdout, output[1]), done.stdout
    assert ran == ["probe", "batch", "label", "agreement", "rescore", "agreement"]
    assert (tmp_path / "agreement.html").stat().st_size > 10_000
