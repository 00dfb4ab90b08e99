"""``doctor`` and ``init`` say which Node promptfoo needs."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run

from faithfulness_assert.cli.doctor_commands import check_node
from faithfulness_assert.cli.node import NEEDED


@pytest.mark.parametrize(
    ("script", "state", "found"),
    [
        ("echo v26.1.0", "ok", "26.1.0"),
        ("echo v22.22.1", "ok", "22.22.1"),
        ("echo v22.21.9", "warn", "22.21.9"),
        ("echo v20.20.2", "warn", "20.20.2"),
        ("exit 1", "warn", "none that starts"),
        (None, "warn", "none that starts"),
    ],
)
def test_init_and_doctor_say_which_node_promptfoo_needs(
    script: str | None, state: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script takes the place of Node."""
    if script is not None:
        (tmp_path / "node").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "node").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    check = check_node()
    assert (check.state, NEEDED in check.text) == (state, state == "warn")
    written = run("init", str(tmp_path / "example")).stdout
    assert "npx promptfoo@latest eval" in written
    assert f"{NEEDED}; here is {found}." in written
