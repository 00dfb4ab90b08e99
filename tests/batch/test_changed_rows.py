"""A run whose input changes: results follow their rows, new rows are graded, a changed one is named first."""

import csv
import json
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from fakes import TruthfulJudge
from hypothesis import given
from hypothesis import strategies as st
from loopback import Loopback, completion
from rows import asked_of, changed_database, results_of

from faithfulness_assert import ConfigError
from faithfulness_assert.batch import RunOutcome, open_data_set, run, run_description

Case = dict[str, Any]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows have the same fields, so that runs of few rows may grow as those of many do."""
    monkeypatch.setattr(run_description, "SAMPLE", 1)


def case(number: int, id: str | None = None) -> Case:
    text = f"The tower {number} is tall."
    return {
        "answer": text,
        "context": text if number % 3 else "It rains.",
        "id": id or f"c{number}",
    }


def quiet(source: Any, directory: Path, **options: Any) -> RunOutcome:
    return run(source, directory, progress=False, **options)


def source_of(folder: Path, kind: str, given: list[Case]) -> Any:
    """The same cases as a file, a list, or an iterator that can be read once."""
    if kind == "list":
        return given
    if kind == "iterator":
        return iter(given)
    path = folder / f"cases.{kind}"
    if kind == "csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, ["id", "answer", "context"])
            writer.writeheader()
            writer.writerows(given)
    else:
        path.write_text("".join(f"{json.dumps(case)}\n" for case in given), encoding="utf-8")
    return path


KINDS = ["jsonl", "csv", "list", "iterator"]


def test_rows_that_are_added_while_a_file_is_read_are_graded_once(tmp_path, monkeypatch):
    path, judge = source_of(tmp_path, "jsonl", [case(n) for n in range(60)]), TruthfulJudge()
    kind = type(open_data_set([]))
    read = kind.rows

    def rows(self: Any, *given: Any) -> Any:
        source_of(tmp_path, "jsonl", [case(n) for n in range(62)])
        return read(self, *given)

    with monkeypatch.context() as patch:
        patch.setattr(kind, "rows", rows)
        quiet(path, tmp_path / "run", judge=judge)
    source_of(tmp_path, "jsonl", [case(n) for n in range(63)])
    assert quiet(path, tmp_path / "run", judge=judge).summary.cases == 63
    assert len(judge.asked) == 63


def test_a_row_that_could_not_be_read_loses_nothing_when_it_can(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text(
        "answer,context\nThe café is open.,The café is open.\nIt rains.,It rains.\n", "latin-1"
    )
    assert quiet(path, tmp_path / "run", judge="embedded").summary.not_graded == 1
    again = quiet(path, tmp_path / "run", judge="embedded", encoding="cp1252")
    assert (again.summary.cases, again.summary.not_graded) == (2, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_row_is_named_with_its_field_before_anything_is_paid(tmp_path, kind):
    judge, directory = TruthfulJudge(), tmp_path / "run"
    given = [case(n) for n in range(1, 7)]
    quiet(source_of(tmp_path, kind, given), directory, judge=judge)
    before, about = results_of(directory), asked_of(directory, "SELECT value FROM run")
    given[2] = {**given[2], "answer": "The tower 3 is old."}
    given[4] = {**given[4], "answer": "It is.", "context": "It rains."}
    given = [case(9), *given[:5], case(8)] if kind == "list" else [*given[:5], case(8)]
    judge.asked.clear()
    for _ in range(2):
        with pytest.raises(ConfigError) as caught:
            quiet(source_of(tmp_path, kind, given), directory, judge=judge)
        said = str(caught.value)
        assert "row 3 (c3) has another answer; row 5 (c5) has another answer, context; " in said
        assert "row 6 (c6)" in said
        assert "regrade_changed=True" in said
        assert not judge.asked
        assert results_of(directory) == before
        assert asked_of(directory, "SELECT value FROM run") == about
    source = source_of(tmp_path, kind, given)
    outcome = quiet(source, directory, judge=judge, regrade_changed=True)
    assert len(judge.asked) == (4 if kind == "list" else 3)
    assert "rows that changed, and are graded again: 2" in " ".join(outcome.notes) or kind != "list"
    quiet(source_of(tmp_path, kind, given), tmp_path / "whole", judge=TruthfulJudge())
    assert results_of(directory) == results_of(tmp_path / "whole")
    earlier = asked_of(directory, "SELECT result FROM earlier")
    assert {json.loads(text)["case_id"] for text in earlier} == {"c3", "c5", "c6"}


def test_of_rows_with_the_same_texts_that_one_is_named_which_changed(tmp_path):
    same = [{**case(1), "id": f"c{number}"} for number in range(6)]
    quiet(same, tmp_path / "run", judge="embedded")
    changed = [same[0], {**same[1], "answer": "It rains."}, same[2], *same[4:]]
    with pytest.raises(ConfigError) as caught:
        quiet(changed, tmp_path / "run", judge="embedded")
    assert ": row 2 (c1) has another answer; row 4 (c3) is gone. " in str(caught.value)


EDITS = st.lists(st.integers(0, 7), max_size=9)


@given(
    before=EDITS,
    after=EDITS,
    finished=st.integers(0, 9),
    kind=st.sampled_from(["jsonl", "list"]),
    ids=st.sampled_from(["none", "content", "same"]),
)
def test_a_run_over_any_changed_input_ends_as_a_run_over_it_and_pays_for_new_texts_only(
    before, after, finished, kind, ids
):
    def cases(numbers: list[int]) -> list[Case]:
        made = [case(n, "same" if ids == "same" else None) for n in numbers]
        for one in made if ids == "none" else ():
            del one["id"]
        return made

    if not before or not after:
        return
    with TemporaryDirectory() as made:
        folder, judge = Path(made), TruthfulJudge()
        directory = folder / "run"
        quiet(source_of(folder, kind, cases(before)), directory, judge=judge)
        stopped = f"DELETE FROM results WHERE row > {finished}"  # as if it was stopped there
        changed_database(directory, stopped)
        kept = results_of(directory)
        had = Counter(before[:finished])
        judge.asked.clear()
        source = source_of(folder, kind, cases(after))
        try:
            quiet(source, folder / "run", judge=judge)
        except ConfigError as error:
            assert had - Counter(after), error
            assert not judge.asked
            assert results_of(directory) == kept
            quiet(source, folder / "run", judge=judge, regrade_changed=True)
        else:
            assert not had - Counter(after)
        assert len(judge.asked) == (Counter(after) - had).total()
        quiet(source, folder / "whole", judge=TruthfulJudge())
        assert results_of(folder / "run") == results_of(folder / "whole")


def test_a_server_that_was_started_again_elsewhere_is_the_same_judge(tmp_path):
    reply = completion('{"verdicts":[{"id":1,"evidence":[1],"label":"supported"}]}')
    options = {"judge": "openai:m", "api_key": "k", "controls": "off"}
    path = source_of(tmp_path, "jsonl", [case(n) for n in (1, 2, 4)])
    for count in (3, 4):
        with Loopback(lambda _: reply) as server:
            outcome = quiet(path, tmp_path / "run", base_url=server.url, **options)
            assert outcome.summary.cases == count
            assert len(server.requests) == (3 if count == 3 else 1)
        path = source_of(tmp_path, "jsonl", [case(n) for n in (1, 2, 4, 5)])
    with pytest.raises(ConfigError, match=r'judge\.name: was "openai:m"'):
        quiet(path, tmp_path / "run", **{**options, "judge": "openai:other"})


def test_where_rows_are_gone_it_says_that_their_results_would_be_lost(tmp_path):
    given = [case(n) for n in range(1, 5)]
    quiet(given, tmp_path / "run", judge="embedded")
    for shorter, loss in ((given[:1], "3 rows"), ([*given[:2], given[3]], "1 row")):
        with pytest.raises(ConfigError, match=f"; {loss} would lose the result"):
            quiet(shorter, tmp_path / "run", judge="embedded")
    changed_database(tmp_path / "run", "DELETE FROM results WHERE row = 2 OR row = 4")
    cut = [case(7), given[2], {**given[3], "answer": "No."}, given[0]]
    assert "gone, and had no grade: 1" in quiet(cut, tmp_path / "run", judge="embedded").notes[-1]
    assert any("no grade: 1" in e for e in asked_of(tmp_path / "run", "SELECT event FROM events"))
