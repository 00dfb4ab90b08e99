"""Fences and controls take linear time, and the secret is for its user only."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from faithfulness_assert.judges.stored_replies import kept_secret


@pytest.mark.skipif(sys.platform == "win32", reason="modes of Unix")
def test_a_folder_keeps_one_secret_for_its_user_only(tmp_path: Path) -> None:
    first = kept_secret(tmp_path)
    assert kept_secret(tmp_path) == first
    assert len(first) == 32
    assert stat.S_IMODE((tmp_path / "controls-seed").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["controls-seed"]
