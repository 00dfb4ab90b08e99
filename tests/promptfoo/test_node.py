"""``doctor`` and ``init`` name the promptfoo that runs on the Node at hand."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest
from e2e.promptfoo import VERSIONS

from faithfulness_assert.cli.doctor_commands import check_node
from faithfulness_assert.cli.node import FOR_NODE_20, NEEDED, Node, promptfoo_for
from faithfulness_assert.cli.promptfoo_commands import run_init


@pytest.mark.parametrize(
    ("version", "package"),
    [
        ("26.10.0", "promptfoo@latest"),
        ("23.0.0", "promptfoo@latest"),
        ("22.22.0", "promptfoo@latest"),
        ("22.21.9", None),
        ("21.7.3", None),
        ("20.20.0", FOR_NODE_20),
        ("20.19.6", None),
        ("18.20.8", None),
        ("", None),
        (None, None),
    ],
)
def test_each_node_has_its_promptfoo(version: str | None, package: str | None) -> None:
    """As the field ``engines`` of promptfoo's packages says it."""
    assert promptfoo_for(Node("node", version)) == package


def test_the_promptfoo_that_we_name_for_node_20_is_the_one_that_we_test() -> None:
    assert f"promptfoo@{VERSIONS['20']}" == FOR_NODE_20


@pytest.mark.parametrize(
    ("script", "state", "said"),
    [
        ("echo v22.22.1", "ok", "runs promptfoo@latest"),
        ("echo v20.20.2", "ok", f"runs {FOR_NODE_20}"),
        ("echo v18.0.0", "warn", f"cannot run promptfoo. {NEEDED}"),
        ("exit 1", "warn", f"does not start. {NEEDED}"),
        (None, "warn", f"Node is not on PATH. Only promptfoo needs it. {NEEDED}"),
    ],
)
def test_doctor_and_init_name_it(
    script: str | None,
    state: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A script takes the place of Node."""
    if script is not None:
        (tmp_path / "node").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "node").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    check = check_node()
    assert check.state == state
    assert said in check.text
    run_init(
        Namespace(config=None, folder=tmp_path / "example", force=False, write=False, overwrite=[])
    )
    written = capsys.readouterr().out
    package = said.removeprefix("runs ") if state == "ok" else "promptfoo@latest"
    assert f"npx {package} eval" in written
    assert (NEEDED in written) == (said != "runs promptfoo@latest")
