"""``doctor`` says whether promptfoo runs on the Node that is here."""

import pytest
from command import here


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo v26.1.0", "ok    Node 26.1.0 at {} runs promptfoo"),
        ("echo v22.21.9", "warn  Node 22.21.9 at {}: promptfoo needs Node 22.22 or newer"),
        ("exit 1", "warn  {} does not start: promptfoo needs Node 22.22 or newer"),
        (None, "warn  Node is not on PATH: promptfoo needs Node 22.22 or newer"),
    ],
)
def test_doctor_says_which_node_promptfoo_needs(script, said, tmp_path, monkeypatch):
    """A script takes the place of Node."""
    node = tmp_path / "node"
    if script is not None:
        node.write_text(f"#!/bin/sh\n{script}\n")
        node.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    shown = " ".join(here("doctor", "--judge", "nobody", COLUMNS="500").stdout.split())
    assert " ".join(said.format(node).split()) in shown
