"""A file or folder may have any name: on a terminal and in a log of CI it is shown on one line, as text."""

import json
import shlex
import sys

import pytest
from support.command import GOOD, here

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="names that only Unix allows")
NAMES = ["a\n::error::x\x1b[2J\x1b]0;x\x07\u202edcba", "d\r\n##[error]x\u200b\x85f\U000e0041"]
CONFIG = """
prompts: [x]
providers: [echo]
tests:
  - vars: {query: q, context: c}
    assert: [{type: context-faithfulness, threshold: 0.9}]
"""


def shown_safely(text: str) -> bool:
    return all(
        (char.isprintable() or char == "\n") and not line.lstrip().startswith(("::", "##["))
        for line in text.split("\n")
        for char in line
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_command_shows_a_hostile_name_as_text(name, tmp_path):
    folder = tmp_path / name
    codes, said = {}, {}

    def command(*words: str) -> None:
        done = here(*words)
        codes[words], said[words] = done.returncode, done.stdout + done.stderr

    made = ("init", str(folder))
    command(*made)
    shown = said[made].split("Now run: ")[1].split("\n")[0]
    assert shlex.split(shown)[0] == "cd"
    command("init", str(folder), "--force")
    config, data = folder / f"{name}.yaml", folder / f"{name}.json"
    config.write_text(CONFIG)
    data.write_text(json.dumps([GOOD]))
    command("init", "--from", str(config))
    command("init", "--from", str(config), "-o", f"{folder}/new {name}.yaml")
    command("grade", str(data))
    command("batch", str(data), "--run", f"{folder}/run", f"--output={folder}/out {name}.csv")
    command("report", f"{folder}/run", "-o", f"{folder}/{name}.html")
    command("doctor", "--judge", f"local:{folder}")
    assert [*codes.values()] == [0, 0, 0, 0, 0, 0, 0, 1]
    for words in (("grade",), ("report",), ("batch", "--run")):
        command(*words, f"{folder}/no {name}")
    command("compare", f"{folder}/run", f"{folder}/no {name}")
    command("policies", f"{folder}/no {name}.toml")
    assert not [words for words, text in said.items() if not shown_safely(text)]
