"""Models of a hub: what is fetched of a repository, over real HTTP from an imitation of the hub."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from loopback import Answer, Loopback, Request
from tiny_models import tiny_model

NAME = "org/checker"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
ENDS_THE_PROCESS = b"import os; os._exit(9)"
GRADE = f"""
import sys
from faithfulness_assert import grade
from faithfulness_assert.judges.local import model_files
model_files.SECONDS = float(sys.argv[1])
for at in sys.argv[2:]:
    try:
        result = grade("Tall, indeed.", "The tower.", judge="local:{NAME}" + at)
        print(result.judge, result.score, result.warnings)
    except Exception as error:
        print(type(error).__name__, error)
"""


class Hub:
    """A hub with one repository, of which ``asked`` are the files that somebody fetched."""

    def __init__(self, files: Path) -> None:
        self.files, self.asked = files, set[str]()
        self.server = Loopback((), models=lambda request: self.answer(request))

    def answer(self, request: Request) -> Answer:
        place = unquote(request.path).partition("?")[0]
        path = place.removeprefix(f"/{NAME}/resolve/{COMMIT}/")
        files = [p for p in self.files.rglob("*") if p.is_file()]
        tree = [
            {"type": "file", "path": str(p.relative_to(self.files)), "size": p.stat().st_size}
            for p in files
        ]
        told = {"id": NAME, "sha": COMMIT, "siblings": [{"rfilename": one["path"]} for one in tree]}
        api = f"/api/models/{NAME}"
        known = dict.fromkeys((api, *(f"{api}/revision/{r}" for r in ("main", COMMIT))), told)
        known[f"{api}/tree/{COMMIT}"] = [{**one, "oid": str(one["path"])} for one in tree]
        status, error = 200, {}
        if place in known:
            body = json.dumps(known[place]).encode()
        elif self.files / path in files:
            self.asked.add(path)
            body = (self.files / path).read_bytes()
        else:
            status, body, error = 404, b"{}", {"X-Error-Code": "RevisionNotFound"}
        headers = {"ETag": f'"{hash(body)}"', "X-Repo-Commit": COMMIT, **error}
        return Answer(body, status, headers)

    def grade(self, home: Path, *ats: str, seconds: float = 60.0, **own: str) -> list[str]:
        """What a process prints that grades with the model of this hub, a line for each revision.

        It waits so many ``seconds`` for the hub.
        """
        kept = {n: v for n, v in os.environ.items() if not n.startswith(("HF_", "HUGGING"))}
        own |= {"HF_HOME": str(home), "NO_PROXY": "*", "HF_HUB_DISABLE_XET": "1"}
        url = {"HF_ENDPOINT": self.server.root}
        done = subprocess.run(
            [sys.executable, "-c", GRADE, str(seconds), *ats],
            capture_output=True,
            text=True,
            env={**kept, **own, **url},
            check=False,
            timeout=120,
        )
        lines = done.stdout.splitlines()
        assert len(lines) == len(ats), done.stderr
        return lines


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    files = tmp_path / "repository"
    tiny_model(files, {"indeed": [0.0, 9.0, 0.0]})
    (files / "modeling_checker.py").write_bytes(ENDS_THE_PROCESS)
    (files / "pytorch_model.bin").write_bytes(ENDS_THE_PROCESS)
    hub = Hub(files)
    with hub.server:
        yield hub


def test_what_is_fetched_is_data_of_a_named_commit_and_is_used_again_where_nobody_answers(
    hub, tmp_path
):
    home, named = tmp_path / "home", f"local:{NAME}@{COMMIT[:12]} 1.0"
    plain, pinned, unknown = hub.grade(home, "", f"@{COMMIT}", "@v9")
    unpinned = f"no commit of the model is pinned; to repeat the grade, name it NAME@{COMMIT}"
    assert named in plain
    assert unpinned in plain
    assert pinned == f"{named} []"
    assert f"ConfigError judge: the model {NAME} at v9 is neither" in unknown
    assert "(RevisionNotFoundError)" in unknown
    assert "model.onnx" in hub.asked
    assert not [name for name in hub.asked if name.endswith((".py", ".bin"))]
    hub.asked.clear()
    (offline,) = hub.grade(home, "", HF_HUB_OFFLINE="1")
    assert named in offline
    assert unpinned in offline
    assert not hub.asked
    hub.answer = lambda _: Answer(delay=60)
    begun = time.monotonic()
    (late,) = hub.grade(home, "", seconds=1.0)
    (nothing,) = hub.grade(tmp_path / "another home", "", seconds=1.0)
    assert time.monotonic() - begun < 60
    assert named in late
    assert f"{NAME} is neither a folder nor on this machine" in nothing


@pytest.mark.parametrize("name", ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"])
def test_offline_nobody_is_asked_and_the_error_says_what_to_do(hub, tmp_path, name):
    (said,) = hub.grade(tmp_path / "home", "@v2", **{name: "1"})
    assert f"{NAME} at v2 is neither a folder nor on this machine" in said
    assert "could not be fetched from the hub (HF_HUB_OFFLINE is set)" in said
    assert f"hf download {NAME} --revision v2" in said
    assert not hub.asked
