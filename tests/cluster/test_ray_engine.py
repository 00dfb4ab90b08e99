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
from rows import asked_of, finished

from faithfulness_assert import ConfigError, Reply
from faithfulness_assert.batch import run

ray = pytest.importorskip("ray", reason="the extra ray is not installed")
our_ray = pytest.importorskip("faithfulness_assert.batch.ray")
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


def on_ray(rows: Any, directory: Path, **options: Any) -> Any:
    return run(rows, directory, engine="ray", progress=False, **options)


def results(directory: Path) -> list[tuple[Any, ...]]:
    """The results of a run as far as they do not depend on time, in the order of the rows."""
    outcome = run(RECORDS, directory, progress=False)
    assert not outcome.stopped
    lines = sorted(outcome.lines(), key=lambda line: line.row)
    return [
        (*line[:3], dict(line.columns), line.result.score, list(map(repr, line.result.verdicts)))
        for line in lines
    ]


def test_a_run_on_a_cluster_equals_a_run_on_this_machine_and_either_goes_on_with_it(
    cluster, tmp_path
):
    begun = on_ray(RECORDS, tmp_path / "ray")
    assert (begun.stopped, begun.summary.cases) == ("", len(RECORDS))
    query = "SELECT result FROM results"
    before = asked_of(begun.path, query)
    assert results(tmp_path / "ray") == results(tmp_path / "local")
    assert asked_of(begun.path, query) == before, "nothing is graded again"


class Deadly:
    """A judge that ends its process at one of the cases; with a ``marker`` only once."""

    name = "deadly"

    def __init__(self, marker: Path | None = None) -> None:
        self.marker = marker

    def ask(self, ask: Any, **_: Any) -> Reply:
        if "shop 150" in str(ask.payload) and not (self.marker and self.marker.exists()):
            if self.marker:
                self.marker.touch()
            os._exit(1)
        verdicts = (
            f'{{"id":{n},"evidence":[1],"label":"supported"}}' for n, _ in ask.payload.items
        )
        return Reply(f'{{"verdicts":[{",".join(verdicts)}]}}')


def test_an_actor_that_dies_loses_nothing_and_one_that_always_dies_stops_the_run(
    cluster, tmp_path, monkeypatch
):
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    monkeypatch.setattr(our_ray, "MOST_DEATHS", 1)
    rows = RECORDS[149:151]
    with pytest.raises(ConfigError, match="actors: a process that grades died again and again"):
        on_ray(rows, tmp_path / "dead", judge=Deadly(), actors=1)
    marker = tmp_path / "killed"
    outcome = on_ray(RECORDS, tmp_path / "run", judge=Deadly(marker), actors=2)
    assert marker.exists()
    assert (outcome.stopped, outcome.summary.passed) == ("", len(RECORDS))
    lines = list(outcome.lines())
    assert len({line.case_id for line in lines}) == len(lines) == len(RECORDS)


def test_a_budget_stops_a_run_and_it_goes_on_with_a_larger_one(cluster, tmp_path, monkeypatch):
    records = [{**RECORDS[0], "id": str(n), "context": None} for n in range(4000)]
    stopped = on_ray(records, tmp_path, max_errors=5)
    assert "max_errors is 5" in stopped.stopped
    assert 5 < stopped.summary.cases < 2000
    rest = on_ray(records, tmp_path)
    assert (rest.stopped, rest.summary.cases) == ("", 4000)


def test_the_example_of_the_page_grades_a_folder_and_goes_on(cluster, tmp_path):
    page = (ROOT / "docs" / "many-answers.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python {\.ray}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    ray.data.from_items(RECORDS, override_num_blocks=4).write_parquet(str(tmp_path / "answers"))
    here = re.sub(r'"([\w-]+)/"', lambda folder: repr(str(tmp_path / folder[1])), example)
    try:
        exec(compile(here, "many-answers.md", "exec"), {})
    finally:
        ray.data.DataContext.get_current().checkpoint_config = None
    graded = ray.data.read_parquet(str(tmp_path / "graded")).select_columns(["id"]).take_all()
    assert sorted(row["id"] for row in graded) == sorted(record["id"] for record in RECORDS)


def test_a_node_that_is_killed_loses_nothing(cluster, tmp_path):
    """The last one on this cluster: after it, tasks of Ray wait for up to a minute."""
    node = cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    records, path = RECORDS * 4, tmp_path / "run"
    before: list[int] = []

    def kill() -> None:
        while not (found := finished(path)):
            time.sleep(0.01)
        before.append(found)
        cluster.remove_node(node, allow_graceful=False)

    killer = threading.Thread(target=kill)
    killer.start()
    outcome = on_ray(records, path, actors=4)
    killer.join()
    assert 0 < before[0] < len(records), "the node was killed in the middle of the run"
    assert (outcome.stopped, outcome.summary.cases) == ("", len(records))
    assert len({line.row for line in outcome.lines()}) == len(records)


def test_the_command_grades_on_a_cluster_of_its_own(tmp_path):
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


@pytest.mark.parametrize("scheme", ["", "ray://", "nobody://"])
def test_an_address_where_no_cluster_answers_is_told_at_once(monkeypatch, tmp_path, scheme):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        address = f"{scheme}127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setenv("RAY_ADDRESS", address)
        monkeypatch.setattr(ray, "is_initialized", lambda: False)
        with pytest.raises(ConfigError, match=rf"^RAY_ADDRESS: no Ray cluster at {address}"):
            on_ray(RECORDS, tmp_path)


def test_what_only_one_engine_takes_the_other_refuses(tmp_path):
    with pytest.raises(ConfigError, match="actors: only for the engine ray"):
        run(RECORDS, tmp_path, actors=2)
    with pytest.raises(ConfigError, match="actors: must be a whole number"):
        on_ray(RECORDS, tmp_path, actors=0)
