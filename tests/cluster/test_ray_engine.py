"""Ray grades as this machine does: the same results, and none is lost when an actor or a node dies.

Run by ``tox -e ray``.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from faithfulness_assert import ConfigError, Reply, grade
from faithfulness_assert.batch import run

ray = pytest.importorskip("ray", reason="the extra ray is not installed")
our_ray = pytest.importorskip("faithfulness_assert.batch.ray")
grade_dataset, remaining, PREFIX = our_ray.grade_dataset, our_ray.remaining, our_ray.PREFIX
pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("default")]

ROOT = Path(__file__).parents[2]
RECORDS: list[dict[str, Any]] = [
    {
        "id": f"case {n}",
        "answer": f"The shop {n} is open daily. It sells {n} cakes.",
        "context": [f"The shop {n} is open daily.", "Cakes are good."],
        "colour": ["red", "green"][n % 2],
    }
    for n in range(300)
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two node processes with one core each; the tests are connected to the first."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="warning")
    cluster.wait_for_nodes()
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def few(rows: list[dict[str, Any]]) -> Any:
    """A data set of few blocks: Ray would give each row its own, and start a task for each."""
    return ray.data.from_items(rows, override_num_blocks=4)


def results(directory: Path) -> list[tuple[Any, ...]]:
    """The results of a run as far as they do not depend on time, in the order of the rows."""
    outcome = run(RECORDS, directory, progress=False)
    assert not outcome.stopped
    lines = sorted(outcome.directory.lines(), key=lambda line: line.row)
    return [
        (*line[:3], dict(line.columns), line.result.score, list(map(repr, line.result.verdicts)))
        for line in lines
    ]


def test_a_run_on_a_cluster_equals_a_run_on_this_machine_and_either_goes_on_with_it(
    cluster: Any, tmp_path: Path
) -> None:
    begun = run(RECORDS, tmp_path / "ray", engine="ray", progress=False)
    assert (begun.stopped, begun.counts.finished) == ("", len(RECORDS))
    size = begun.directory.results.stat().st_size
    assert results(tmp_path / "ray") == results(tmp_path / "local")
    assert begun.directory.results.stat().st_size == size, "nothing is graded again"


def test_a_data_set_keeps_its_columns_and_gets_the_results(cluster: Any) -> None:
    graded = grade_dataset(few(RECORDS), threshold=0.4).take_all()
    assert len(graded) == len(RECORDS)
    by_id = {row["id"]: row for row in graded}
    for record in RECORDS:
        row = by_id[record["id"]]
        own = grade(record["answer"], record["context"], threshold=0.4)
        assert row["colour"] == record["colour"]
        assert row[f"{PREFIX}score"] == own.score
        assert row[f"{PREFIX}pass"] is own.pass_ is True
        assert f'"score":{own.score}' in row[f"{PREFIX}result"]


def test_a_row_that_cannot_be_graded_says_so_and_has_no_score(cluster: Any) -> None:
    records = [{"id": "a", "answer": "Yes.", "context": None}]
    (row,) = grade_dataset(ray.data.from_items(records)).take_all()
    assert (row[f"{PREFIX}status"], row[f"{PREFIX}score"]) == ("invalid_input", None)
    assert "context" in row[f"{PREFIX}reason"]


def test_grading_again_replaces_the_results_that_are_there(cluster: Any) -> None:
    record = {"id": 1, "answer": "It is red.", "context": "It is red.", f"{PREFIX}score": "old"}
    (graded,) = grade_dataset(ray.data.from_items([record])).take_all()
    assert (graded["id"], graded[f"{PREFIX}score"]) == (1, 1.0)
    (again,) = grade_dataset(ray.data.from_items([graded]), threshold=0.4).take_all()
    assert list(again) == list(graded)


def test_rows_without_an_id_always_remain(cluster: Any) -> None:
    rows = ray.data.from_items(
        [{"id": name, "place": n} for n, name in enumerate(["a", None, "b"])]
    )
    finished = ray.data.from_items([{"id": "a"}, {"id": None}])
    assert {row["place"] for row in remaining(rows, finished).take_all()} == {1, 2}


def test_interrupted_grading_goes_on_with_the_rows_that_are_not_written(
    cluster: Any, tmp_path: Path
) -> None:
    ds = few(RECORDS)
    grade_dataset(few(RECORDS[:100])).write_parquet(str(tmp_path / "graded"))
    finished = ray.data.read_parquet(str(tmp_path / "graded")).select_columns(["id"])
    left = grade_dataset(remaining(ds, finished)).take_all()
    assert {row["id"] for row in left} == {record["id"] for record in RECORDS[100:]}
    nothing = ray.data.from_items([{"id": "x"}]).filter(lambda row: row["id"] != "x")
    assert remaining(ds, nothing).count() == len(RECORDS)


def deadly_judge(marker: Path) -> Any:
    """A judge that kills its process once. Its class is pickled whole, since it is local."""

    class Deadly:
        name = "deadly"

        def ask(self, ask: Any, /, *, deadline: float | None = None) -> Any:
            from faithfulness_assert import Reply

            if "shop 150" in str(ask.payload):
                try:
                    os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    pass
                else:
                    os._exit(1)
            labels = [
                {"id": n, "evidence": [1], "label": "supported"} for n, _ in ask.payload.items
            ]
            import json

            return Reply(json.dumps({"verdicts": labels}))

    return Deadly()


def test_an_actor_that_is_killed_loses_nothing(cluster: Any, tmp_path: Path) -> None:
    marker = tmp_path / "killed"
    outcome = run(
        *(RECORDS, tmp_path / "run"),
        judge=deadly_judge(marker),
        engine="ray",
        actors=2,
        progress=False,
    )
    assert marker.exists()
    assert (outcome.stopped, outcome.counts.passed) == ("", len(RECORDS))
    lines = list(outcome.directory.lines())
    assert len({line.case_id for line in lines}) == len(lines) == len(RECORDS)


class Deadly:
    """A judge that ends its process at one of the cases."""

    name = "deadly"

    def ask(self, ask: Any, **_: Any) -> Reply:
        if "deadly" in str(ask.messages):
            os._exit(1)
        return Reply('{"verdicts":[{"id":1,"evidence":[1],"label":"supported"}]}')


def test_a_row_at_which_each_actor_dies_stops_the_run(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(our_ray, "MOST_DEATHS", 1)
    rows = [{"answer": f"It is {how}.", "context": "It is."} for how in ("fine", "deadly")]
    with pytest.raises(ConfigError, match="actors: a process that grades died again and again"):
        run(rows, tmp_path, judge=Deadly(), engine="ray", actors=1, progress=False)


def test_a_budget_stops_a_run_and_it_goes_on_with_a_larger_one(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(our_ray, "AT_ONCE", 30)
    records = [{**RECORDS[0], "id": str(n), "context": None} for n in range(4000)]
    stopped = run(records, tmp_path, engine="ray", max_errors=5, progress=False)
    assert "max_errors is 5" in stopped.stopped
    assert 5 < stopped.counts.finished < 2000
    rest = run(records, tmp_path, engine="ray", progress=False)
    assert (rest.stopped, rest.counts.finished) == ("", 4000)


def test_the_examples_of_the_page_grade_a_folder_and_go_on(cluster: Any, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "many-answers.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python {\.ray}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len(examples) == 2
    few(RECORDS).write_parquet(str(tmp_path / "answers"))
    names: dict[str, Any] = {}
    try:
        for example in examples:
            here = re.sub(r'"([\w-]+)/"', lambda folder: repr(str(tmp_path / folder[1])), example)
            exec(compile(here, "many-answers.md", "exec"), names)
    finally:
        ray.data.DataContext.get_current().checkpoint_config = None
    for folder in ("graded", "graded-too"):
        graded = ray.data.read_parquet(str(tmp_path / folder)).select_columns(["id"]).take_all()
        assert sorted(row["id"] for row in graded) == sorted(record["id"] for record in RECORDS)


def test_rays_own_checkpoint_goes_on_with_the_rows_that_are_not_written(
    cluster: Any, tmp_path: Path
) -> None:
    from ray.data.checkpoint import CheckpointConfig

    context, graded = ray.data.DataContext.get_current(), str(tmp_path / "graded")
    for part, rows in (("some", RECORDS[:250]), ("all", RECORDS)):
        few(rows).write_parquet(str(tmp_path / part))
    try:
        context.checkpoint_config = CheckpointConfig(
            "id", str(tmp_path / "checkpoint"), delete_checkpoint_on_success=False
        )
        for part in ("some", "all"):
            grade_dataset(ray.data.read_parquet(str(tmp_path / part))).write_parquet(graded)
    finally:
        context.checkpoint_config = None
    written = ray.data.read_parquet(graded).select_columns(["id"]).take_all()
    assert sorted(row["id"] for row in written) == sorted(record["id"] for record in RECORDS)


def test_a_node_that_is_killed_loses_nothing(cluster: Any, tmp_path: Path) -> None:
    """The last one on this cluster: after it, tasks of Ray wait for up to a minute."""
    node = cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    records, written = RECORDS * 4, tmp_path / "run" / "results.jsonl"
    before: list[int] = []

    def kill() -> None:
        while not written.exists() or not written.stat().st_size:
            time.sleep(0.01)
        before.append(written.read_bytes().count(b"\n"))
        cluster.remove_node(node, allow_graceful=False)

    killer = threading.Thread(target=kill)
    killer.start()
    outcome = run(records, tmp_path / "run", engine="ray", actors=4, progress=False)
    killer.join()
    assert 0 < before[0] < len(records), "the node was killed in the middle of the run"
    assert (outcome.stopped, outcome.counts.finished) == ("", len(records))
    assert len({line.row for line in outcome.directory.lines()}) == len(records)


def test_the_command_grades_on_a_cluster_of_its_own(tmp_path: Path) -> None:
    data = tmp_path / "cases.csv"
    data.write_text("id,answer,context\na,The shop is open.,The shop is open.\n", encoding="utf-8")
    command = [sys.executable, "-m", "faithfulness_assert", "batch", str(data), "--quiet"]
    done = subprocess.run(
        [*command, "--run", str(tmp_path / "run"), "--engine", "ray", "--actors", "1"],
        capture_output=True,
        text=True,
        env={**os.environ, "RAY_ADDRESS": "local"},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "1 passed" in done.stdout


@pytest.mark.parametrize("name", ["address", "RAY_ADDRESS"])
@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_an_address_where_no_cluster_answers_is_told_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, scheme: str
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        address = f"{scheme}127.0.0.1:{taken.getsockname()[1]}"
        if name == "RAY_ADDRESS":
            monkeypatch.setenv(name, address)
        monkeypatch.setattr(ray, "is_initialized", lambda: False)
        given = address if name == "address" else None
        with pytest.raises(ConfigError, match=rf"^{name}: no Ray cluster answers at {address}"):
            run(RECORDS, tmp_path, engine="ray", address=given, progress=False)


def test_an_address_that_ray_does_not_take_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(ConfigError, match=r"^address: no Ray cluster can be used"):
        run(RECORDS, tmp_path, engine="ray", address="nobody://there", progress=False)


def test_what_only_one_engine_takes_the_other_refuses(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="actors: only for the engine ray"):
        run(RECORDS, tmp_path, actors=2)
    with pytest.raises(ConfigError, match="processes: only for the engine local"):
        run(RECORDS, tmp_path, engine="ray", processes=2)
    with pytest.raises(ConfigError, match="actors: must be a whole number"):
        run(RECORDS, tmp_path, engine="ray", actors=0)
