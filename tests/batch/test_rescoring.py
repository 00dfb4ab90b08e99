"""A run scored again is the run that grading under the other policy gives, and costs no ask."""

import json
import random
import re
import shutil
import sqlite3
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from command import here
from fakes import USAGE
from rows import asked_of, changed_database, finished, results_of

from faithfulness_assert import Ask, ConfigError, JudgeError, Policy, Reply
from faithfulness_assert.batch import rescore, run
from faithfulness_assert.records.judge import JudgeInfo, Limits

ANSWER = "The tower {0} has {1} floors. It opened in 19{0}. Dogs are welcome [{2}]."
CONTEXT = "The tower {0} is tall. It has {1} floors. It opened long ago."
LABELS = ("supported", "supported", "partially_supported", "not_enough_info", "contradicted", "")


class Judge:
    """What it says follows from the texts alone. It fails, refuses and leaves out now and then."""

    info = JudgeInfo(name="drawn", keeps_deadline=True, limits=Limits(statements=2))

    def __init__(self) -> None:
        self.asked = 0

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.asked += 1
        texts = [text for _, text in ask.payload.items]
        fate = random.Random(texts[0]).random()
        if fate < 0.1:
            raise JudgeError("the server is down", "server", retryable=True)
        if fate < 0.2:
            return Reply("", refusal="I will not.", usage=USAGE)
        if fate < 0.3 or "unreadable" in texts[0]:
            return Reply("So it is.", usage=USAGE)
        said = [
            {"id": number, "evidence": [1] * chance.randint(0, 1), "label": chance.choice(LABELS)}
            for number, text in ask.payload.items
            for chance in [random.Random(text)]
        ]
        return Reply(json.dumps({"verdicts": said}), usage=USAGE)


def cases() -> list[dict[str, Any]]:
    odd = [
        {"answer": "", "context": "The tower is tall."},
        {"answer": "The tower is tall.", "context": ""},
        {"answer": "I cannot answer that.", "context": "The tower is tall."},
        {"answer": 5, "context": "The tower is tall."},
        {"answer": "The tower is unreadable.", "context": "The tower is tall."},
    ]
    usual = [
        {"answer": ANSWER.format(n, n % 7, n % 3), "context": CONTEXT.format(n, n % 7)}
        for n in range(10, 50)
    ]
    return [{"id": f"c{n}", **case} for n, case in enumerate([*usual, *odd])]


def graded(folder: Path, **options: Any) -> Judge:
    judge = Judge()
    run(cases(), folder, judge=judge, progress=False, seed=1, max_errors=1000, **options)
    return judge


@pytest.fixture(scope="module")
def june(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "june"
    graded(folder, citations="audit")
    return folder


@pytest.mark.parametrize(
    "changes",
    [
        {"threshold": 0.3},
        {"weights": {"partially_supported": 0.9, "contradicted": 0}, "fail_on": ()},
        {"all_or_nothing": True},
        {"strict_evidence": True},
        {"on_missing": "error"},
        {"on_failed": "unsupported"},
        {"endings": {"blank": "pass", "no_context": 0.9, "abstained": "error"}, "explain": "none"},
        {
            "endings": {"no_statements": "error"},
            "policy": {"name": "default", "citations": "audit", "headline": "made_up"},
        },
        {"citations": "enforce"},
        {"policy": {"base": "default", "name": "ours", "threshold": 0.1, "citations": "audit"}},
        {"citations": "enforce", "score_caps": [{"finding": "uncited", "ceiling": 0.1}]},
    ],
    ids=lambda changes: "+".join(changes),
)
def test_it_is_the_run_that_grading_gives(june, tmp_path, changes):
    outcome = rescore(june, tmp_path / "again", **changes)
    wanted = tmp_path / "wanted"
    graded(wanted, **{"citations": "audit", **changes})
    assert results_of(tmp_path / "again") == results_of(wanted)
    assert results_of(wanted) != results_of(june)
    query = "SELECT value FROM run WHERE name = 'about'"
    again, about = (
        [json.loads(one) for one in asked_of(path, query)] for path in (outcome.path, wanted)
    )
    assert again == about


OTHER = {
    "split": "claims", "verify": "per_claim", "labels": {"perhaps": "supported"}, "reasks": 0,
    "allow_not_a_claim": False, "dedupe": False, "requires_question": True, "inverse": True,
    "positional_prefix": True, "citations": "off", "hedges": ("maybe",), "reask_singly": True,
    "reasons": "all", "explain": "judge", "controls": "enforce",
    "guidance": "Be strict.", "truths_limit": 3, "samples": 3,
    "examples": ({"context": "a", "statement": "b", "label": "supported"},),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER)
def test_a_field_that_needs_new_asks_is_named(june, tmp_path, name):
    policy = {"name": "default", "citations": "audit", name: OTHER[name]}
    wanted = rf"{name}[\w.]*: was .*, is .*"
    with pytest.raises(ConfigError, match=rf"june: needs new asks for ({wanted})\."):
        rescore(june, tmp_path / "again", policy=policy)
    assert not (tmp_path / "again").exists()


def test_every_field_is_said_to_weigh_or_to_need_asks():
    weigh = {f.name for f in fields(Policy) if f.metadata["keeps_prompts"]}
    asks = {f.name for f in fields(Policy)} - weigh
    assert asks == {*OTHER} - {"citations", "explain"}


@pytest.mark.parametrize(
    ("weights", "same"),
    [
        ({"partially_supported": 1.0}, True),
        ({"partially_supported": 0.0}, False),  # then a partial verdict earns nothing
        ({"contradicted": -1}, False),  # then not_enough_info earns something, beside it
        ({"contradicted": -1, "not_enough_info": -1}, True),
    ],
)
def test_weights_may_change_while_the_same_labels_earn(june, tmp_path, weights, same):
    try:
        rescore(june, tmp_path / "again", weights=weights)
    except ConfigError as error:
        assert "needs new asks for weights" in str(error)
        assert not same
    else:
        assert same


@pytest.mark.parametrize(
    "change",
    [
        {"score": 1.0, "pass": True},
        {"verdicts": []},
        {"metadata": {"found": {"ended": ["no_context", "", False, None, 1]}}},
        {"metadata": {"found": {"cause": ["x"]}}},
        {"metadata": {"rawRatings": {"faithfulness": 0.5}, "found": {"open": 99}}},
    ],
    ids=str,
)
def test_a_line_that_its_policy_would_not_give_is_refused(june, tmp_path, change):
    copy = tmp_path / "copy"
    shutil.copytree(june, copy)
    wanted = "judge_failed" if change.keys() == {"metadata"} else "graded"
    line = next(line for line in results_of(copy).values() if line["status"] == wanted)
    with closing(sqlite3.connect(copy / "run.sqlite")) as db, db:
        patch = json.dumps(change), line["row"]
        db.execute("UPDATE results SET result = json_patch(result, ?) WHERE row = ?", patch)
    said = rf"row {line['row']} \({line['case_id']}\): its verdicts do not give its result"
    with pytest.raises(ConfigError, match=said):
        rescore(copy, tmp_path / "again", threshold=0.5)
    assert not finished(tmp_path / "again")


def test_a_run_that_is_not_finished_is_scored_as_far_as_it_is(june, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(june, copy)
    changed_database(copy, "DELETE FROM results WHERE row % 3 = 0")
    outcome = rescore(copy, tmp_path / "again", threshold=0.5)
    assert 0 < outcome.summary.cases < len(cases())
    assert outcome.notes == ("the run is not finished: what it has is scored",)


def test_it_goes_on_with_new_rows_under_the_new_policy(june, tmp_path):
    rescore(june, tmp_path / "again", threshold=0.3)
    more = {"id": "new", "answer": ANSWER.format(99, 1, 1), "context": CONTEXT.format(99, 1)}
    judge = Judge()
    given = {"judge": judge, "citations": "audit", "threshold": 0.3, "retry_errors": False}
    outcome = run([*cases(), more], tmp_path / "again", progress=False, **given)
    assert judge.asked
    assert outcome.graded == 1


def test_wrong_use_is_told_and_no_run_is_overwritten(june, tmp_path):
    for given, said in (
        ({"timeout": 5}, "timeout: nobody is asked, so only options of the policy can be given"),
        ({"treshold": 5}, "treshold: unknown option. Did you mean 'threshold'"),
        ({"policy": "ragas"}, 'split: was "sentences", is "claims"'),
        ({"directory": june}, "has a run already; use another directory"),
        ({"source": tmp_path}, "must be the directory of a run"),
    ):
        with pytest.raises(ConfigError, match=said):
            rescore(**{"source": june, "directory": tmp_path / "again", **given})


def test_the_command_line(june, tmp_path):
    again = tmp_path / "again"
    given = ["--run", again, "-o", 'weights={"partially_supported": 0.9}', "--threshold", "0.3"]
    done = here("rescore", june, *given)
    assert (done.returncode, done.stdout[:9]) == (3, "45 cases:"), done.stderr
    told = here("compare", june, again, "--min-graded", "0").stdout
    assert re.search(r"^0 regressed, ([1-9]\d* lost, )?[1-9]\d* improved", told, re.MULTILINE)
    assert "passes 0.3" in told
    assert here("report", june, again, "-o", tmp_path / "report.html").returncode == 0
    quiet = here("rescore", str(june), "--run", str(tmp_path / "quiet"), "--quiet").stdout
    assert re.fullmatch(r"[\d,]+ cases: .*\n", quiet)
    assert "spent" not in here("rescore", str(june), "--run", str(tmp_path / "third")).stdout


@pytest.mark.parametrize(
    ("changed", "is_of_policy"),
    [
        (["--threshold", "0.9"], True),
        (["--policy", "mine.toml"], True),
        (["-o", 'evidence_roles=["user"]'], False),
    ],
)
def test_where_only_the_policy_of_a_run_is_another_its_rescoring_is_named(
    tmp_path, monkeypatch, changed, is_of_policy
):
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text('name = "mine"\nthreshold = 0.3\n')
    Path("a.jsonl").write_text(json.dumps({"answer": "It is red.", "context": "It is red."}))
    assert here("batch", "a.jsonl", "--run", "june").returncode == 0
    refused = here("batch", "a.jsonl", "--run", "june", *changed)
    assert refused.returncode == 2
    assert ("faithfulness-assert rescore june --run NEW" in refused.stderr) == is_of_policy
    if is_of_policy:
        assert here("rescore", "june", "--run", "july", *changed).returncode == 0
        assert here("batch", "a.jsonl", "--run", "july", *changed).returncode == 0
