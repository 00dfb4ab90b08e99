"""Runs our command as a user does, in a process of its own or in this one, and two cases to give to it."""

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest

from faithfulness_assert import settings
from faithfulness_assert.cli import main, terminal

GOOD = {
    "answer": "The tower is 330 metres tall.",
    "context": "The tower is 330 metres tall.",
    "id": "good",
}
BAD = {
    "answer": "The tower is 530 metres tall.",
    "context": ["The tower is 330 metres tall."],
    "id": "bad",
}
COMMAND = [sys.executable, "-m", "faithfulness_assert"]


def run(
    *arguments: str, stdin: str = "", **environment: str | None
) -> subprocess.CompletedProcess[str]:
    """The command with these variables beside those that there are, or without one that is None."""
    given = {**os.environ, **environment}
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        input=stdin,
        timeout=60,
        check=False,
        encoding="utf-8",
        env={name: value for name, value in given.items() if value is not None},
    )


class Done(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


def project(folder: Path, table: str) -> None:
    """Writes the settings of the project in a folder, which are read anew then."""
    text = f"[tool.faithfulness_assert]\n{table}\n"
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    settings._of_folder.cache_clear()


def here(*arguments: object, stdin: str = "", **environment: str | None) -> Done:
    """The same in this process, which takes a tenth of the time."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    settings._of_folder.cache_clear()
    terminal._console.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.delenv(name, raising=False) if value is None else patch.setenv(name, value)
        patch.setattr("sys.argv", ["faithfulness-assert", *map(str, arguments)])
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        with (
            redirect_stdout(streams[0]),
            redirect_stderr(streams[1]),
            pytest.raises(SystemExit) as ended,
        ):
            main()
    terminal._console.cache_clear()
    texts = []
    for stream in streams:
        stream.seek(0)
        texts.append(stream.read())
    assert isinstance(ended.value.code, int)
    return Done(ended.value.code, *texts)


def written(path: Path, text: str) -> Path:
    """The file with this text."""
    path.write_text(text, encoding="utf-8")
    return path
