"""Somebody else who may write into a folder swaps its files for links while we write there.

Python tells of each call to the system before it is made (PEP 578). So an attacker who is as fast as
can be acts before the first one, in the next trial before the second one, and so on.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from faithfulness_assert.files import open_database
from faithfulness_assert.judges.embedded import EmbeddedJudge
from faithfulness_assert.judges.tape import StoredJudge
from faithfulness_assert.records.errors import ConfigError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and modes of Unix")
ATTACK = """
import os, shutil, sqlite3, sys
from contextlib import closing
from faithfulness_assert.files import *

folder, secret = sys.argv[1:]
path, wait = f"{folder}/file", None

def swap(event, arguments):  # before a call, each file becomes a link to the secret
    global wait
    if wait is None or not event.startswith(("os.", "open", "sqlite3.", "fcntl.")):
        return
    wait -= 1
    if wait < 0:
        wait = None
        for name in os.listdir(folder):
            os.unlink(f"{folder}/{name}")
            os.symlink(secret, f"{folder}/{name}")

def use():
    if sys.argv[0] == "new_file":
        with new_file(path) as file:
            file.write(b"new")
    elif sys.argv[0] == "append_file":
        with append_file(path) as file:
            file.write(b"new")
    elif sys.argv[0] == "first_file":
        first_file(f"{folder}/first", b"new")
    elif sys.argv[0] == "check_new_file":
        check_new_file(path)
    else:
        with closing(open_database(path)) as db:
            db.execute("CREATE TABLE ours (a)")

sys.addaudithook(swap)
trials, done = 0, False
while not done:
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    open(path, "wb").close()
    os.chmod(path, 0o666)
    wait = trials
    try:
        use()
    except (OSError, sqlite3.Error):
        pass
    done, wait, trials = wait is not None, None, trials + 1
print(trials)
"""


@pytest.mark.parametrize(
    "use", ["new_file", "append_file", "first_file", "check_new_file", "open_database"]
)
def test_a_link_that_is_laid_between_two_calls_leads_to_no_other_file(
    use: str, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    with closing(sqlite3.connect(secret)) as db:  # a file that SQLite would write into
        db.execute("CREATE TABLE theirs (a)")
    secret.chmod(0o600)
    before = secret.read_bytes(), secret.stat().st_mode
    start = f"import sys; sys.argv[:2] = [{use!r}]; exec({ATTACK!r})"
    command = [sys.executable, "-c", start, "", tmp_path / "folder", secret]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert int(done.stdout) > 2
    assert (secret.read_bytes(), secret.stat().st_mode) == before


def test_a_database_in_a_folder_that_is_linked_is_opened(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "linked").symlink_to("folder")
    direct = Path(os.path.relpath(tmp_path / "folder" / "b.sqlite"))
    for named in (tmp_path / "linked" / "a é?#%.sqlite", direct):
        with closing(open_database(named)) as db:
            db.execute("CREATE TABLE t (a)")
        assert (tmp_path / "folder" / named.name).stat().st_size > 0


def test_no_reply_is_stored_in_a_folder_that_a_cache_only_links_to(tmp_path: Path) -> None:
    judge = EmbeddedJudge()
    judge.identity = {"judge": "embedded"}  # type: ignore[attr-defined]
    StoredJudge(judge, tmp_path / "cache")
    (own,) = (tmp_path / "cache").iterdir()
    own.rename(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "tape.json").write_text("mine")
    own.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match="link"):
        StoredJudge(judge, tmp_path / "cache")
    assert (tmp_path / "elsewhere" / "tape.json").read_text() == "mine"
