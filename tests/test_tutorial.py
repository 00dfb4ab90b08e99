"""The tutorial and the page on agreement work as they are written: each command is run, and prints what the page shows."""

import re
import shlex
import subprocess
import sys

import pytest
from command import here
from conftest import ROOT
from test_docs import FENCE, OUTPUT, openai_server  # noqa: F401

FILES = {"json": "cases.json", "python {.pytest}": "test_answers.py"}
FAILING = ("grade", "pytest", "batch")
RAN = {
    "tutorial": ["demo", "grade", "grade", "pytest"],
    "agreement": ["probe", "batch", "label", "agreement", "rescore", "agreement"],
}
"""The commands of each page. Those of ``FAILING`` have a case that fails."""


def shown_in(printed: str, shown: str) -> bool:
    """Whether the page shows what was printed; where it has ``…``, it leaves out lines."""
    printed, place = re.sub(r" +$", "", printed, flags=re.MULTILINE), 0
    for number, part in enumerate(shown.split("…\n")):
        found = printed.find(part, place)
        if found < 0 or (number == 0 and part and found != 0):
            return False
        place = found + len(part)
    return shown.endswith("…\n") or place == len(printed)


@pytest.mark.usefixtures("openai_server")
@pytest.mark.parametrize("name", RAN)
def test_each_command_of_a_page_prints_what_the_page_shows(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    page, ran = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8"), []
    for fence in FENCE.finditer(page):
        if fence[1] in FILES:
            (tmp_path / FILES[fence[1]]).write_text(fence[2], encoding="utf-8")
        elif fence[1] == "python {.agreement}":
            exec(compile(fence[2], "agreement.md", "exec"), {})
        lines = fence[2].splitlines() if fence[1] == "console" else []
        for program, *arguments in map(shlex.split, lines):
            if program not in ("faithfulness-assert", "pytest"):
                continue
            if program == "pytest":
                command = [sys.executable, "-m", program, *arguments]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
            else:
                done = here(*arguments, COLUMNS="80")
            ran.append(arguments[0] if program != "pytest" else program)
            assert done.returncode == (ran[-1] in FAILING), done.stdout + done.stderr
            assert "Traceback" not in done.stderr, done.stderr
        if lines and (output := OUTPUT.match(page, fence.end())):
            assert shown_in(done.stdout, output[1]), done.stdout
    assert ran == RAN[name]
    report = {"tutorial": "report.html", "agreement": "agreement.html"}[name]
    assert (tmp_path / report).stat().st_size > 10_000
