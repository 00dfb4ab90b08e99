"""Whatever shows or writes a text of others shows it as text: on a terminal, in a CI's log, in Markdown, XML and tables."""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from sinks import shown

from faithfulness_assert import ConfigError

ON_A_SCREEN = (
    *("pretty", "a failed test", "a summary of errors", "annotations", "words of a command"),
    *("command grade", "command grade --all", "command grade --json", "command estimate"),
    *("command compare", "command compare --markdown", "command report", "command init --from"),
)
COMMANDS = ("::error::x", "##[error]x", "##vso[task.complete]x", "::add-mask::x")
BEFORE = ("", "\n", "\r", "\t", " ", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\x00")
HIDDEN = ("\x1b[31m", "\x9b31m", "\u202e", "\u2066", "\U000e0041", "\U000e0001", "\x07", "\b")
WIDE = ("\ufeff", "\u200b", "\u2060", "\u00a0", "\u3000", "\u1680", "\u00ad")
TEXTS = {
    "commands": "a".join(f"{before}{one}" for before in BEFORE for one in COMMANDS),
    "commands behind signs": "".join(f"\n{sign}{one}" for sign in WIDE for one in COMMANDS),
    "commands where a line is wrapped": " ".join(f"{'a' * n} {COMMANDS[n % 4]}" for n in range(60, 82)),
    "hidden": "a".join((*HIDDEN, *WIDE, "b\U000e0041\U000e007f")),
    "a command alone": "::error::x",
}  # fmt: skip
LINE_ENDS = re.compile(r"\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
COMMAND = re.compile(r"##\w*\[|^[\s\ufeff\u200b]*::")
OURS = re.compile(r"::(?:error|warning) title=")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shown")


def shown_text(made: object) -> str:
    return made if isinstance(made, str) else "\n".join(map(str, made))


def problems(text: str, *, ours: bool = False) -> Iterator[str]:
    """What a terminal or the log of a CI would act on, or a reader would not see."""
    for char in set(text) - {"\n", "\u200c", "\u200d"}:
        if not char.isprintable() or "\U000e0000" <= char <= "\U000e0fff":
            yield f"U+{ord(char):04X}"
    for line in LINE_ENDS.split(text):
        if COMMAND.search(line) and not (ours and OURS.match(line)):
            yield ascii(line[:80])


@pytest.mark.parametrize("name", ON_A_SCREEN)
def test_nothing_that_is_shown_acts_on_a_terminal_or_a_log(name, folder):
    for text in TEXTS.values():
        try:
            made = shown(folder)[name](text)
        except ConfigError:
            continue
        assert list(problems(shown_text(made), ours=name == "annotations")) == []


@pytest.mark.parametrize("text", TEXTS)
def test_files_for_other_programs_have_no_hidden_characters(text, folder):
    shown(folder)["JUnit"](TEXTS[text])
    content = (folder / "out.xml").read_text(encoding="utf-8")
    assert list(problems(content)) == []
    ElementTree.fromstring(content)
