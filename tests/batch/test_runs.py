"""Runs that go on: nothing is lost, graded twice or mixed, whatever was killed, cut, damaged or full, and each end says what it is."""

import json
import os
import random
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from batch_server import BatchServer, Body, truthful
from command import here, written
from fakes import TruthfulJudge, failing
from hypothesis import given
from hypothesis import strategies as st
from kill_runs import killed_run
from loopback import Answer, Loopback, Request, completion, refusal_to
from processes import eventually
from rows import asked_of, changed_database, finished, results_of
from strategies import examples
from true_server import answered

from faithfulness_assert import Ask, ConfigError, Grader, Reply
from faithfulness_assert.batch import RunOutcome, merge, rescore, run, watching
from faithfulness_assert.batch.store import lines_of, writing
from faithfulness_assert.batch.summary import Summary
from faithfulness_assert.batch.watching import Counts
from faithfulness_assert.drive import gate
from faithfulness_assert.records.judge import Limits
from faithfulness_assert.report import write_report

SUPPORTED = '{"verdicts":[{"id":1,"evidence":[1],"label":"supported"}]}'
PRICES = {"prompt": 1_000_000, "completion": 1_000_000}  # so that the cost is the tokens
KEY = "key-0123456789abcdef"


@pytest.fixture(autouse=True)
def _key_and_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(gate, "PAUSES", (0.05,) * 3)


def cases(count: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"c{n}",
            "answer": f"The tower {n} is tall.",
            "context": f"The tower {n} is tall." if n % 3 else "It rains.",
            "expected": n,
        }
        for n in range(1, count + 1)
    ]


def file_of(folder: Path, given: list[Any]) -> Path:
    return written(folder / "cases.jsonl", "".join(f"{json.dumps(case)}\n" for case in given))


def quiet(source: Any, directory: Path, **options: Any) -> RunOutcome:
    return run(source, directory, progress=False, **options)


class Failing(TruthfulJudge):
    """Fails for statements about some towers, as long as it is told to."""

    def __init__(self, towers: set[int], error: str) -> None:
        super().__init__()
        self.towers, self.error = towers, error

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        reply = super().ask(ask)
        if any(int(text.split()[2]) in self.towers for _, text in ask.payload.items):
            raise failing(self.error)
        return reply

    def taken(self) -> list[int]:
        """The towers that it was asked about since."""
        towers = [int(ask.payload.items[0][1].split()[2]) for ask in self.asked]
        self.asked.clear()
        return sorted(towers)


# ---------------------------------------------------------------- results


def test_a_run_has_the_results_that_grade_many_gives_with_their_columns(tmp_path):
    """A row that cannot be read has one that says where and why."""
    path = file_of(tmp_path, cases(20))
    path.write_text(path.read_text() + "{\n")
    outcome = quiet(path, tmp_path / "run")
    given = ({k: v for k, v in case.items() if k != "expected"} for case in cases(20))
    found = results_of(tmp_path / "run")
    for number, result in enumerate(Grader().grade_many(given), 1):
        own = {**result.model_dump(mode="json", by_alias=True), "latency_ms": 0}
        assert {name: found[number][name] for name in own} == own
        assert found[number]["columns"] == {"expected": number}
    assert (found[21]["status"], found[21]["case_id"]) == ("invalid_input", "21")
    assert "line 21: invalid JSON" in found[21]["reason"]
    assert (outcome.summary.passed, outcome.summary.not_graded, outcome.exit_code) == (14, 1, 3)
    with pytest.raises(ConfigError, match="contains no cases"):
        quiet(file_of(tmp_path, []), tmp_path / "empty")


def test_slow_cases_do_not_hold_up_the_results_of_others(tmp_path):
    go_on = threading.Event()

    class SlowFirst(TruthfulJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            if " 1 " in ask.payload.items[0][1]:
                assert go_on.wait(60)
            if " 150 " in ask.payload.items[0][1]:
                go_on.set()
            return super().ask(ask)

    quiet(cases(200), tmp_path / "run", judge=SlowFirst(), concurrency=4)
    assert list(results_of(tmp_path / "run")) == list(range(1, 201))
    [*others, last] = asked_of(tmp_path / "run", "SELECT row FROM results ORDER BY at")
    assert 1 in [*others, last][100:]


def test_a_set_of_texts_is_the_same_row_in_each_process(tmp_path):
    program = (
        "import sys; from faithfulness_assert.batch import run\n"
        "row = {'answer': 'It is old.', 'context': {'It is old.', 'a', 'b'}, 'tags': {'d', 'e'}}\n"
        "print(run([row], sys.argv[1], progress=False).summary.cases)"
    )
    for seed in ("1", "2"):
        command = [sys.executable, "-c", program, str(tmp_path / "run")]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert (done.stdout, done.stderr) == ("1\n", "")


# ---------------------------------------------------------------- going on


def test_killed_at_random_it_goes_on_to_the_results_of_an_uninterrupted_run(tmp_path):
    """``tools/kill_runs.py`` does it fifty times."""
    assert killed_run(tmp_path, 100, 2, random.Random())["kills"] == 2


@pytest.mark.parametrize(
    ("error", "again"),
    [
        *((kind, True) for kind in ("transport", "auth", "rate_limit", "timeout")),
        *((kind, False) for kind in ("refusal", "content_filter")),
    ],
)
def test_what_failed_for_the_server_is_graded_again_and_what_did_not_is_kept(
    tmp_path, error, again
):
    path, directory, judge = file_of(tmp_path, cases(6)), tmp_path / "run", Failing({2, 5}, error)
    assert quiet(path, directory, judge=judge).summary.not_graded == 2
    kept = results_of(directory)
    judge.taken()
    assert quiet(path, directory, judge=judge, retry_errors=False).exit_code == 3
    assert not judge.taken()
    judge.towers = {5}
    outcome = quiet(path, directory, judge=judge)
    assert judge.taken() == ([2, 5] if again else [])
    assert outcome.summary.not_graded == (1 if again else 2)
    found = results_of(directory)
    assert {n: found[n] for n in (1, 3, 4, 6)} == {n: kept[n] for n in (1, 3, 4, 6)}
    judge.towers = set()
    assert quiet(path, directory, judge=judge, retry_errors=True).summary.not_graded == 0
    assert judge.taken() == ([5] if again else [2, 5])


def test_what_a_run_spent_counts_in_one_place_with_what_was_graded_again(tmp_path):
    """A limit that it has used up changes nothing, and the one that is shown lets it go on."""
    given, folder = cases(9), tmp_path / "run"
    prices = f"prices={json.dumps(PRICES)}"

    def graded(*more: object) -> Any:
        file = file_of(tmp_path, given)
        with Loopback(answered) as server:
            command = ["batch", file, "--run", folder, "--judge", "openai:m", "-o", prices]
            return here(*command, "-o", f"base_url={server.url}", "--concurrency", "1", *more)

    def spent(said: str) -> tuple[int, float]:
        line = next(line for line in said.splitlines() if line.startswith("spent: "))
        return int(line.split()[1]), float(line.split()[-1].replace(",", ""))

    requests, cost = spent(graded().stdout)
    assert requests == 9
    given = [{**case, "answer": f"{case['answer']} It is old."} for case in given]
    stopped = graded("--regrade-changed", "--max-cost", cost / 2)
    assert (stopped.returncode, len(results_of(folder))) == (3, 9)
    assert spent(stopped.stdout) == (requests, cost)
    assert f"its cost is {cost:.6g}, and --max-cost is" in stopped.stderr
    limit = stopped.stderr.split("--max-cost ")[-1].split()[0]
    assert cost < float(limit) <= 2.1 * cost
    again = graded("--regrade-changed", "--max-cost", 10 * cost)
    assert again.returncode in (0, 1)
    assert spent(again.stdout)[0] == 18
    assert spent(again.stdout)[1] > 2 * cost


def test_a_run_goes_on_with_the_secret_with_which_it_began(tmp_path):
    """So another run with it asks the same; and each batch of a batch API does."""

    def asked(directory: Path) -> list[str]:
        before, path = len(server.requests), file_of(tmp_path, cases(5))
        quiet(path, directory, judge="openai:m", base_url=server.url)
        return prompts(request.body for request in server.requests[before:])

    def prompts(bodies: Any) -> list[str]:
        """What was asked, without the token that each line of a batch has of its own."""
        said = ("\n".join(str(m["content"]) for m in body["messages"]) for body in bodies)
        return sorted(text.partition("\n\nThe JSON begins with")[0] for text in said)

    with Loopback(answered) as server:
        here = asked(tmp_path / "here")
        assert set(asked(tmp_path / "other")).isdisjoint(here)
        (secret,) = asked_of(tmp_path / "here", "SELECT value FROM run WHERE name = 'secret'")
        with writing(tmp_path / "over a batch API") as store:
            store.keep("secret", json.loads(secret))
        changed_database(tmp_path / "here", "DELETE FROM results WHERE row > 2")
        rest = asked(tmp_path / "here")
        assert (len(rest), set(rest) < set(here)) == (3, True)
    sent = []

    def noting(path: str, body: Body) -> tuple[int, Body]:
        sent.append(body)
        busy = 500, {"error": {"message": "busy"}}
        return busy if len(sent) <= 2 else truthful(path, body)

    with BatchServer(noting, looks=0) as batches:
        over_batch_api(tmp_path / "over a batch API", tmp_path / "cases.jsonl", batches)
    assert len(sent) == 7
    assert set(prompts(sent)) == set(here)


def over_batch_api(directory: Path, data: Path, server: BatchServer) -> None:
    """Begins a run over a batch API, and goes on with it until it is finished."""
    given = ("--via", "openai-batch", "--judge", "openai:m", "-o", f"base_url={server.url}")
    done = here("batch", data, "--run", directory, *given)
    while done.returncode == 4:
        done = here("batch", "--run", directory)
    assert done.returncode == 1, done.stderr


# ---------------------------------------------------------------- what changed


def test_other_settings_are_named_and_refused(tmp_path):
    path, content = file_of(tmp_path, cases(3)), "SELECT result FROM results"
    quiet(path, tmp_path / "run")
    before = asked_of(tmp_path / "run", content)
    for options, said in (
        ({"threshold": 0.5}, r"policy.threshold: was 0.8, is 0.5"),
        ({"policy": {"name": "mine"}}, r'policy.name: was "default", is "mine"'),
        ({"guidance": "Be strict."}, r'policy.guidance: was "", is "Be strict."'),
        ({"language": "pt"}, r'Changed: options.language: was "auto", is "pt"\. Use'),
        ({"judge": TruthfulJudge()}, r'judge.name: was "embedded", is "truthful"'),
    ):
        with pytest.raises(ConfigError, match=said):
            quiet(path, tmp_path / "run", **options)
    assert quiet(path, tmp_path / "run", deadline=5, prices={"prompt": 1}).exit_code == 1
    for name in ("version", "prompts"):
        other = f"UPDATE run SET value = json_set(value, '$.{name}', 'other') WHERE name = 'about'"
        changed_database(tmp_path / "run", other)
        with pytest.raises(ConfigError, match=rf'Changed: .*{name}: was "other", is'):
            quiet(path, tmp_path / "run")
    assert asked_of(tmp_path / "run", content) == before
    quiet(path, tmp_path / "object", judge=TruthfulJudge(limits=Limits(statements=5)))
    with pytest.raises(ConfigError, match=r"judge.max_statements: was 5, is 3\. Use"):
        quiet(path, tmp_path / "object", judge=TruthfulJudge(limits=Limits(statements=3)))


def test_a_run_goes_on_at_another_address_only_if_it_is_named(tmp_path):
    file, folder = file_of(tmp_path, cases(4)), tmp_path / "run"
    command = [*"batch --quiet --concurrency 1 --judge openai:m --run".split(), folder, file]
    with Loopback(answered) as server, Loopback(answered) as other:
        for url in (server.url, f"{server.url}/"):
            begun = here(*command, "--max-run-tokens", "1", OPENAI_BASE_URL=url)
            assert begun.returncode == 3
        for named in ((), ("-o", "base_url=")):
            refused = here(*command, *named, OPENAI_BASE_URL=other.url)
            assert refused.returncode == 2
            assert f"begun at {server.url}, and would go on at {other.url}" in refused.stderr
        assert not other.requests
        assert here(*command, "-o", f"base_url={other.url}").returncode == 1
        assert other.requests


# ---------------------------------------------------------------- databases from anywhere


FOREIGN = "is not the database of a run"
CRAFTED = {
    "newer": ("PRAGMA user_version = 2", "made by a newer version .*install that version"),
    "foreign": ("PRAGMA application_id = 7", FOREIGN),
    "view": ("CREATE VIEW v AS SELECT load_extension('x')", FOREIGN),
    "trigger": ("CREATE TRIGGER t AFTER INSERT ON results BEGIN SELECT 1; END", FOREIGN),
    "table": ("CREATE TABLE t (a)", FOREIGN),
    "column": ("ALTER TABLE rows ADD COLUMN a AS (1)", FOREIGN),
}


@pytest.mark.parametrize("kind", CRAFTED)
def test_a_database_with_anything_else_in_it_is_refused_and_left_as_it_is(tmp_path, kind):
    command, said = CRAFTED[kind]
    quiet(cases(2), tmp_path / "run")
    changed_database(tmp_path / "run", command)
    before = (tmp_path / "run" / "run.sqlite").read_bytes()
    for use in (
        lambda: quiet(cases(3), tmp_path / "run"),
        lambda: list(lines_of(tmp_path / "run")),
        lambda: rescore(tmp_path / "run", tmp_path / "again", threshold=0.5),
        lambda: merge([tmp_path / "run"] * 2, tmp_path / "again"),
    ):
        with pytest.raises(ConfigError, match=said):
            use()
    for command in ("report {run} -o {out}", "compare {run} {run}", "label {run} -o {out}"):
        words = command.format(run=tmp_path / "run", out=tmp_path / "out.csv").split()
        assert here(*words).returncode == 2
    assert (tmp_path / "run" / "run.sqlite").read_bytes() == before


@pytest.mark.parametrize("size", [10, 5_000, 40_000])
def test_a_database_that_is_cut_off_is_told_and_kept(tmp_path, size):
    quiet(cases(20), tmp_path / "run")
    file = tmp_path / "run" / "run.sqlite"
    file.write_bytes(file.read_bytes()[:size])
    for use in (lambda: quiet(cases(21), tmp_path / "run"), lambda: results_of(tmp_path / "run")):
        with pytest.raises(ConfigError, match=r"run.sqlite: cannot be used: .*damaged: copy"):
            use()
    assert file.stat().st_size == size


VALUES = st.none() | st.integers(-9, 9) | st.floats() | st.text(max_size=9) | st.binary(max_size=9)


@examples(60)
@given(table=st.sampled_from(["results", "rows", "run", "earlier"]), value=VALUES, data=st.data())
def test_whatever_value_is_in_a_table_it_is_read_or_told(table, value, data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    quiet(cases(2), folder)
    with closing(sqlite3.connect(folder / "run.sqlite")) as db, db:
        names = [column[1] for column in db.execute(f"PRAGMA table_info({table})")]
        name = data.draw(st.sampled_from(names))
        try:
            db.execute(f"UPDATE {table} SET {name} = ? WHERE rowid = 1", (value,))
        except sqlite3.Error:
            return
    for use in (
        lambda: results_of(folder),
        lambda: write_report(folder, folder / "report.html"),
        lambda: quiet(cases(3), folder, regrade_changed=True),
    ):
        with suppress(ConfigError):
            use()


def test_anybody_reads_a_run_that_is_under_way_and_nobody_else_changes_it(tmp_path):
    """With SQLite, with ``export``, with a report."""
    seen = []

    class Watched(TruthfulJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            if len(self.asked) == 5:
                assert eventually(lambda: finished(tmp_path / "run") == 5)
                seen.append(here("export", tmp_path / "run", "-o", tmp_path / "a.csv").returncode)
                seen.append(here("report", tmp_path / "run", "-o", tmp_path / "a.html").returncode)
                told = here("batch", tmp_path / "cases.jsonl", "--run", tmp_path / "run")
                seen.append("another process works on this run" in told.stderr)
            return super().ask(ask)

    path = file_of(tmp_path, cases(9))
    quiet(path, tmp_path / "run", judge=Watched(), concurrency=1)
    assert seen == [0, 0, True]
    assert (tmp_path / "a.csv").read_text().count("truthful") == 5
    assert {file.name for file in (tmp_path / "run").iterdir()} == {"run.sqlite", "lock"}


def test_what_a_server_refused_at_night_is_found_in_the_file(tmp_path):
    def answer(request: Request) -> Answer:
        return refusal_to(429, "slow down") if request.number == 2 else completion(SUPPORTED)

    with Loopback(answer) as server:
        way = {"judge": "openai:m", "base_url": server.url, "max_retries": 3, "controls": "off"}
        quiet(cases(6), tmp_path / "run", **way)
    events = asked_of(tmp_path / "run", "SELECT event FROM events WHERE at > 0")
    assert events[0] == "begun"
    assert any("failed: rate_limit, HTTP 429" in event for event in events)


# ---------------------------------------------------------------- limits


def test_a_run_stops_at_its_limit_and_goes_on_with_a_larger_one(tmp_path):
    judge, path = TruthfulJudge(), file_of(tmp_path, cases(40))
    limits = {"prices": PRICES, "concurrency": 1}
    for name, most in (("max_run_tokens", 600), ("max_cost", 601)):
        directory = tmp_path / name
        one = quiet(path, directory, judge=judge, **{name: most}, **limits)
        assert f"and {name} is {most}" in one.stopped
        assert one.exit_code == 3
        asked = len(judge.asked)
        assert 5 <= asked <= 9  # 120 tokens each, and those that were under way
        assert quiet(path, directory, judge=judge, **{name: most}, **limits).summary.cases == asked
        assert len(judge.asked) == asked
        assert quiet(path, directory, judge=judge, **{name: 10**6}, **limits).exit_code == 0
        assert len(judge.asked) == 40
        judge.asked.clear()


def test_what_a_limit_needs_and_takes_is_said_before_anything_is_sent(tmp_path):
    for options, said in (
        ({"max_run_tokens": -1}, "max_run_tokens: must be"),
        ({"max_run_tokens": 1.5}, "max_run_tokens: must be"),
        ({"max_cost": "5"}, "max_cost: must be"),
        ({"max_errors": True}, "max_errors: must be"),
        ({"concurrency": 0}, "concurrency: must be a whole number from 1 to 1,000"),
        ({"concurrency": 2.5}, "concurrency: must be a whole number from 1 to 1,000"),
        ({"max_cost": 1, "judge": "openai:m"}, "max_cost: needs the option prices"),
    ):
        with pytest.raises(ConfigError, match=said):
            quiet(cases(1), tmp_path / "run", **options)


def test_of_a_run_that_was_begun_without_prices_the_cost_is_a_least_one(tmp_path):
    quiet(cases(2), tmp_path / "run", judge=TruthfulJudge())
    gone_on = quiet(cases(4), tmp_path / "run", judge=TruthfulJudge(), prices=PRICES)
    assert "cost at least" in gone_on.summary.text()
    events = asked_of(tmp_path / "run", "SELECT event FROM events")
    assert "gone on with results for 2 of 4 cases" in events


# ---------------------------------------------------------------- disks and other processes


@pytest.mark.skipif(os.name != "posix", reason="limits of a POSIX system")
@pytest.mark.parametrize("room", [60_000, 300_000])
def test_a_full_disk_stops_a_run_that_goes_on_when_there_is_room(tmp_path, room):
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        outcome = quiet(cases(300), tmp_path / "run")
    except ConfigError as error:
        assert "run.sqlite: cannot be used" in str(error)
    else:
        assert "run.sqlite cannot be written" in outcome.stopped
        assert outcome.exit_code == 3
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert finished(tmp_path / "run") < 300
    assert quiet(cases(300), tmp_path / "run").stopped == ""
    assert list(results_of(tmp_path / "run")) == list(range(1, 301))


def test_a_directory_that_cannot_be_written_is_named_with_the_reason(tmp_path):
    with pytest.raises(ConfigError, match="file: cannot be written: File exists"):
        quiet(cases(1), written(tmp_path / "file", "x"))


def test_a_run_that_was_killed_before_it_had_a_table_goes_on(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.sqlite").touch()
    done = here("batch", file_of(tmp_path, cases(3)), "--run", tmp_path / "run")
    assert (done.returncode, finished(tmp_path / "run")) == (1, 3)


# ---------------------------------------------------------------- progress


def test_the_line_of_progress_has_rate_spend_counts_time_left_and_what_goes_wrong(monkeypatch):
    """Cases of the last minute count for the rate. 80 columns have the time left and all counts."""
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    found = Summary()
    found.cases = 200
    counts = Counts(found, 4000)
    for seconds, cases in ((100, 600), (40, 1000), (20, 1200)):
        now[0] += seconds
        found.cases, found.passed, found.cost = cases, cases - 150, 1.204
        said = str(counts)
    first = "1,200 of 4,000 | 0:04:40 left"
    assert said == f"{first} | 1,050 passed, 150 failed | cost 1.20 | 10.0/s"
    found.passed, found.not_graded, found.tokens["prompt"] = 1000, 50, 81_000
    rest = "1,000 passed, 150 failed, 50 not graded | cost 1.20 | 10.0/s | 81,000 tokens"
    assert str(counts) == f"{first} | {rest}"
    assert "50 not graded" in str(counts)[:79]
    found.last_error = "last error (auth): HTTP 401: no"
    assert str(counts) == f"{first} | {rest} | last error (auth): HTTP 401: no"
    first = "1,200 of 4,000"
    counts.trouble = lambda: "waiting: no connection"
    assert str(counts) == f"{first} | waiting: no connection | {rest}"


def test_progress_is_shown_also_while_no_result_comes_and_all_rows_are_counted(
    tmp_path, monkeypatch, capfd
):
    monkeypatch.setattr(watching, "LINE_SECONDS", 0.01)
    said = []

    class Patient(TruthfulJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            if not said:
                said.append(eventually(lambda: "0 of 30 | " in capfd.readouterr().err))
            return super().ask(ask)

    outcome = run(file_of(tmp_path, cases(30)), tmp_path / "run", judge=Patient(), concurrency=1)
    assert said == [True]
    assert outcome.total == 30
    assert "faithfulness-progress" not in {thread.name for thread in threading.enumerate()}
