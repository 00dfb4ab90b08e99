"""What the pages say about large data sets works as written."""

import csv
import re
import shlex

from command import here
from conftest import ROOT
from e2e import judge as simulated
from loopback import Loopback, completion
from rows import results_of

ROWS = 30


def commands(page: str) -> list[str]:
    """The lines of a page that run ``faithfulness-assert batch``."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^\.venv/bin/faithfulness-assert (batch .*)$", text, re.MULTILINE)


def test_the_commands_of_the_pages_grade_a_csv_and_go_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "answers.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "answer", "context", "team"])
        for number in range(1, ROWS + 1):
            text = f"Tower {number} is tall."
            table.writerow([f"a{number}", text, text if number % 3 else "It rains.", "red"])
    first, *others = [*commands("README.md"), *commands("docs/many-answers.md")]
    with Loopback(lambda request: completion(simulated.reply(request))) as server:
        access = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-simulated"}
        for command in (first, *others):
            done = here(*shlex.split(command), **access)
            assert done.returncode == 1, done.stderr
            assert f"{ROWS} cases: 20 passed, 10 failed, 0 not graded" in done.stdout
    found = results_of(tmp_path / "june")
    assert list(found) == list(range(1, ROWS + 1))
    assert {line["columns"]["team"] for line in found.values()} == {"red"}
    assert len((tmp_path / "june-results.csv").read_text().splitlines()) == ROWS + 1
    assert others
