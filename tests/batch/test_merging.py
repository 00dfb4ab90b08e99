"""Runs over the shards of a data set, merged, are the run over all of it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from batch_server import BatchServer
from command import here, written
from rows import changed_database, finished, results_of

from faithfulness_assert import ConfigError
from faithfulness_assert.batch import merge, rescore, run

ANSWERS = ("It is tall.", "It is old.", "", "It rains in Rome.")


def rows(count: int, ids: str = "c{}", start: int = 0) -> list[dict[str, Any]]:
    given = [
        {"answer": f"Tower {n}. {ANSWERS[n % 4]}", "context": f"Tower {n}. It is tall.", "team": n}
        for n in range(start, start + count)
    ]
    return [{"id": ids.format(start + n), **row} if ids else row for n, row in enumerate(given)]


def graded(folder: Path, cases: list[dict[str, Any]], **options: Any) -> Path:
    data = folder.with_suffix(".jsonl")
    data.write_text("".join(f"{json.dumps(case)}\n" for case in cases))
    run(data, folder, progress=False, **options)
    return folder


def summary_of(run: Path) -> str:
    """The first line of what the command says of a finished run."""
    return here("batch", run.with_suffix(".jsonl"), "--run", run).stdout.splitlines()[0]


@pytest.mark.parametrize("ids", ["c{}", ""], ids=["with ids", "without"])
def test_it_is_the_run_over_all_rows(tmp_path, ids):
    all_rows = rows(12, ids)
    whole = graded(tmp_path / "whole", all_rows)
    shards = [graded(tmp_path / f"s{n}", all_rows[n : n + 4]) for n in (0, 4, 8)]
    done = here("merge", *shards, "--run", tmp_path / "merged")
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, summary_of(whole))
    assert results_of(tmp_path / "merged") == results_of(whole)
    assert "not worse" in here("compare", whole, tmp_path / "merged").stdout
    again = run(whole.with_suffix(".jsonl"), tmp_path / "merged", progress=False)
    assert again.graded == 0
    more = run([*all_rows, *rows(1, ids, 20)], tmp_path / "merged", progress=False)
    assert more.graded == 1


def test_ids_that_happen_to_be_numbers_of_rows_are_kept(tmp_path):
    first, second = (graded(tmp_path / f"s{n}", rows(4, "{}", n)) for n in (5, 1))
    outcome = merge([first, second], tmp_path / "merged")
    assert sorted(line.case_id for line in outcome.lines()) == list("12345678")
    assert not outcome.notes


def refused(sources: list[Path], folder: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        merge(sources, folder / "merged")
    assert not (folder / "merged").exists() or not finished(folder / "merged")
    return str(caught.value)


def test_what_does_not_belong_together_is_refused(tmp_path):
    first = graded(tmp_path / "first", rows(3))
    strict = graded(tmp_path / "strict", rows(3, start=3), threshold=0.9)
    said = refused([first, strict], tmp_path)
    assert f"{strict}: was graded otherwise than {first}: policy.threshold: was 0.8, is 0.9" in said
    rescore(strict, tmp_path / "fits", threshold=0.8)
    assert merge([first, tmp_path / "fits"], tmp_path / "both").summary.cases == 6
    shares = graded(tmp_path / "shares", rows(3, start=2))
    assert "in several runs, such as c2;" in refused([first, shares], tmp_path)
    copy = shutil.copytree(first, tmp_path / "copy")
    same = f"{copy}: has the same data as {first} ({first}.jsonl); a shard can be merged once"
    assert same in refused([first, copy], tmp_path)
    assert "has the same data" in refused([first, tmp_path / "." / "first"], tmp_path)
    assert "merge: give two runs or more" in refused([first], tmp_path)
    assert "must be the directory of a run" in refused([first, tmp_path], tmp_path)
    with pytest.raises(ConfigError, match="has a run already"):
        merge([first, tmp_path / "fits"], first)


@pytest.mark.parametrize("left", ["results", "rows"])
def test_a_run_that_is_not_finished_is_refused(tmp_path, left):
    first, second = (graded(tmp_path / f"s{n}", rows(3, start=n)) for n in (0, 3))
    changed_database(second, f"DELETE FROM {left} WHERE row = 3")
    assert f"{second}: is not finished: go on with it" in refused([first, second], tmp_path)


def test_runs_over_a_batch_api_are_scored_again_and_merged(tmp_path, monkeypatch):
    folders = [tmp_path / "s0", tmp_path / "s4"]
    monkeypatch.setenv("OPENAI_API_KEY", "key-0123456789abcdef")
    with BatchServer() as server:
        given = ("--via", "openai-batch", "--judge", "openai:m", "-o", f"base_url={server.url}")
        for place, folder in enumerate(folders):
            data = written(tmp_path / "data.json", json.dumps(rows(4, start=4 * place)))
            here("batch", data, "--run", folder, *given)
            if not place:
                assert "is not finished" in refused([folder, folder], tmp_path)
            while here("batch", "--run", folder).returncode == 4:
                pass
        for folder in folders:
            rescore(folder, folder.with_name(f"{folder.name}-strict"), threshold=1.0)
        merged = merge([tmp_path / "s0-strict", tmp_path / "s4-strict"], tmp_path / "strict")
        assert merge(folders, tmp_path / "all").summary.cases == merged.summary.cases == 8
