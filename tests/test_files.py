"""Only regular files are read; what is written is whole, private, and goes through no link."""

import json
import os
import signal
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command import GOOD, Done, here

from faithfulness_assert import ConfigError
from faithfulness_assert.batch import run
from faithfulness_assert.files import (
    append_file,
    new_file,
    open_file,
    open_text,
    private_folder,
    read_text,
)
from faithfulness_assert.judges.embedded import EmbeddedJudge
from faithfulness_assert.judges.stored_replies import StoredJudge

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes, links and modes of Unix")
SECRET = "the secret of another file"


@pytest.fixture(autouse=True)
def _umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text(SECRET)
    return path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def write(path: Path) -> None:
    with new_file(path) as file:
        file.write(b"new")


def append(path: Path) -> None:
    with append_file(path) as file:
        file.write(b"new")


# ---------------------------------------------------------------- one file


@pytest.mark.parametrize("use", [open_file, open_text, write, append])
def test_pipes_folders_and_devices_are_refused_at_once(use, tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe", "/dev/null"):
        with pytest.raises(OSError, match=r"directory|regular file"):
            use(tmp_path / name)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_text_is_read_up_to_its_limit_and_no_byte_more(tmp_path):
    file = tmp_path / "text"
    for size, fits in ((0, True), (1 << 20, True), ((1 << 20) + 1, False)):
        file.write_text("é" * (size // 2) + "x" * (size % 2), encoding="utf-8")
        if fits:
            assert len(read_text(file, most=1 << 20)) == size // 2
        else:
            with pytest.raises(OSError, match="it is larger than 1 MB"):
                read_text(file, most=1 << 20)


def test_a_new_file_takes_the_place_of_a_link_and_leaves_its_target(tmp_path, secret):
    path = tmp_path / "report"
    path.symlink_to(secret)
    write(path)
    assert (path.read_text(), path.is_symlink(), secret.read_text()) == ("new", False, SECRET)
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "made")
    write(dangling)
    assert not (tmp_path / "made").exists()


def test_a_file_keeps_its_permissions_and_a_new_one_has_those_of_the_umask_or_is_private(tmp_path):
    path = tmp_path / "report"
    write(path)
    assert mode(path) == 0o644
    for kept in (0o600, 0o664):
        path.chmod(kept)
        write(path)
        assert mode(path) == kept
    with new_file(tmp_path / "private", private=True):
        (part,) = tmp_path.glob(".*.part")
        assert mode(part) == 0o600
    assert mode(tmp_path / "private") == 0o600
    append(tmp_path / "grown")
    assert mode(tmp_path / "grown") == 0o600


def test_nothing_is_added_through_a_link(tmp_path, secret):
    (tmp_path / "results").symlink_to(secret)
    with pytest.raises(OSError, match="link"):
        append(tmp_path / "results")
    assert secret.read_text() == SECRET


def test_a_link_is_read_where_a_user_named_it(tmp_path, secret):
    link = tmp_path / "link"
    link.symlink_to(secret)
    with open_file(link) as file:
        assert file.read() == SECRET.encode()


def test_a_private_folder_is_no_link(tmp_path):
    private_folder(tmp_path / "a")
    assert mode(tmp_path / "a") == 0o700
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="link"):
        private_folder(tmp_path / "b")


# ---------------------------------------------------------------- runs, caches, commands


RUN_FILES = ["run.sqlite", "run.sqlite-wal", "run.sqlite-shm", "run.sqlite-journal", "lock"]


def graded(folder: Path, data: object = (GOOD,)) -> None:
    run(data, folder, progress=False)


@pytest.mark.parametrize("name", RUN_FILES)
def test_no_file_of_a_run_writes_through_a_link(name, tmp_path, secret):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / name).symlink_to(secret)
    try:
        graded(folder)
    except ConfigError as error:
        assert str(folder) in str(error)
        assert SECRET not in str(error)
    assert secret.read_text() == SECRET


def test_a_run_and_a_cache_can_be_read_by_their_user_only(tmp_path):
    graded(tmp_path / "run")
    judge = EmbeddedJudge()
    judge.identity = {"judge": "embedded"}
    StoredJudge(judge, tmp_path / "cache")
    made = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert {"run.sqlite", "lock", "judge.json"} <= {p.name for p in made}
    assert {path: oct(mode(path)) for path in made if mode(path) != 0o600} == {}


def command(*arguments: object) -> Done:
    """The command, which must not wait for a pipe: it gets a minute."""

    def late(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    try:
        return here(*arguments)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def pipes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pipes, a run, and a run whose results are a pipe."""
    folder = tmp_path_factory.mktemp("pipes")
    for suffix in ("", ".jsonl", ".csv", ".parquet", ".yaml", ".html"):
        os.mkfifo(folder / f"pipe{suffix}")
    (folder / "data.jsonl").write_text(json.dumps(GOOD) + "\n")
    for name in ("run", "piped"):
        graded(folder / name, folder / "data.jsonl")
    (folder / "piped" / "run.sqlite").unlink()
    os.mkfifo(folder / "piped" / "run.sqlite")
    return folder


@pytest.mark.parametrize(
    "words",
    [
        *("report {pipe}", "report {pipe}.csv", "report {pipe}.parquet", "report {piped}"),
        *(
            "compare {pipe} {pipe}",
            "grade {pipe}.jsonl",
            "grade {pipe}.csv",
            "policies {pipe}.yaml",
        ),
        *("report {run} -o {pipe}.html", "batch {data} --run {piped}", "init --from {pipe}.yaml"),
        *("batch {data} --run {run} --output {pipe}.jsonl", "batch --run {run} --replies {pipe}"),
    ],
)
def test_no_command_waits_for_a_pipe(words, pipes):
    places = {name: pipes / name for name in ("run", "pipe", "piped")}
    done = command(*words.format(**places, data=pipes / "data.jsonl").split())
    assert done.returncode == 2, done.stderr
    assert "\nfaithfulness-assert: " in f"\n{done.stderr}"
    assert "Traceback" not in done.stderr
    assert stat.S_ISFIFO((pipes / "pipe.html").stat().st_mode)


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_init_writes_through_no_link(force, tmp_path, secret):
    folder, made = tmp_path / "example", tmp_path / "made"
    folder.mkdir()
    (folder / "context.txt").symlink_to(made)
    (folder / "faithfulness.py").symlink_to(secret)
    done = command("init", folder, *force)
    assert done.returncode == (0 if force else 2), done.stderr
    assert (made.exists(), secret.read_text()) == (False, SECRET)
