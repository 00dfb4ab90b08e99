"""Whole grades in the dialect of each server that the page on servers has a recipe for, at its own address.

The page works as it is written: the settings of each server's row grade.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from command import here, project
from conftest import ROOT
from dialects import FORBIDDEN, KEY, ROWS, Imitation, cap_of, reached
from loopback import Answer, Request
from test_docs import table

from faithfulness_assert import Grader
from faithfulness_assert import grade as graded

FACTS = [f"Museum {n} was opened by the mayor in {1700 + n}." for n in range(8)]
CASE = {"answer": " ".join([*FACTS[:6], "Museum 9 burnt down."]), "context": " ".join(FACTS)}
SCORE = pytest.approx(6 / 7)
LONG = [
    f"Gallery {n} of the museum has {n + 3} rooms and was painted in {1800 + n}."
    for n in range(150)
]
each = pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))


@pytest.fixture
def grade(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Grades a case by an imitation of a server, at its own address."""

    def graded(made: Imitation, case: Any = CASE, **options: Any) -> Any:
        name = options.pop("model", made.row["model"])
        with reached(made, monkeypatch) as url:
            given = {"base_url": url, "api_key": KEY, "max_retries": 0, "timeout": 20}
            grader = Grader(f"openai:{name}", **{**given, **options})
            return grader.grade(**case)

    return graded


# ---------------------------------------------------------------- right grades


@each
def test_a_parameter_that_the_server_rejects_is_left_out_and_told(row, grade):
    result = grade(Imitation(row), seed=7)
    rejected = row.get("rejects", {}).keys() - {"max_tokens"}
    assert (result.status, result.score) == ("graded", SCORE), result.reason
    told = [warning for warning in result.warnings if "is http, not https" not in warning]
    assert len(told) == len(rejected)
    for name in rejected:
        assert name in " ".join(result.metadata["warnings"])


@each
def test_a_case_that_is_too_long_for_the_server_is_graded_in_parts(row, grade):
    case = {"answer": f"{LONG[3]} {LONG[140]} Museum 9 burnt down.", "context": " ".join(LONG)}
    result = grade(Imitation(row, window=2048), case)
    assert (result.status, result.score) == ("graded", pytest.approx(2 / 3)), result.reason
    assert "context window" in " ".join(result.metadata["warnings"])


# ---------------------------------------------------------------- how else they answer

WAYS = [
    pytest.param({**row, **way}, id=f"{name}-{way['way']}")
    for name, row in ROWS.items()
    for way in row.get("ways", ())
]


@pytest.mark.parametrize("row", WAYS)
def test_however_a_server_answers_the_grade_is_right_and_is_learned_once(row, monkeypatch):
    asked = []

    def counted(request: Request) -> Answer:
        asked.append(cap_of(request))
        return Imitation(row)(request)

    with reached(Imitation(row), monkeypatch, counted) as url:
        options = {"base_url": url, "api_key": KEY, "max_retries": 0, "timeout": 20}
        grader = Grader(f"openai:{row['model']}", **options, seed=7, **row.get("options", {}))
        results = [grader.grade(**CASE) for _ in range(3)]
    for result in results:
        assert (result.status, result.score) == ("graded", SCORE), result.reason
    told = " ".join(results[0].metadata.get("warnings", ()))
    assert all(words in told for words in row.get("told", ())), told
    assert results[2].tokens_used.num_requests == 1
    assert len(asked) <= 6
    if "thinks" in row:
        assert len(asked) <= 5
        assert asked[-1] > row["thinks"]


# ---------------------------------------------------------------- errors told right

KINDS = {"wrong_key": "auth", "unknown_model": "transport", "filtered": "content_filter"}


@pytest.mark.parametrize(
    ("row", "error"),
    [
        pytest.param(row, error, id=f"{name}-{error}")
        for name, row in ROWS.items()
        for error in row["errors"]
        if error != "too_long"
    ],
)
def test_what_the_server_says_is_wrong_is_told_right(row, error, grade):
    told = row["errors"][error]
    options = {
        "wrong_key": {"api_key": "sk-wrong"},
        "unknown_model": {"model": "no-such-model"},
    }.get(error, {})
    case = {**CASE, "context": f"{CASE['context']} {FORBIDDEN}."} if error == "filtered" else CASE
    made = Imitation(row, always="" if error in KINDS else error)
    result = grade(made, case, **options)
    assert result.error.kind == told.get("kind", KINDS.get(error, "transport")), result.reason
    says = {"auth": "api_key", "transport": "model's name", "content_filter": "filter"}
    assert told.get("says", says.get(result.error.kind, "")) in result.reason
    assert "sk-wrong" not in result.reason
    assert not result.error.retryable or result.error.kind == "server"


# ---------------------------------------------------------------- promptfoo's names for them

IDS = [(row, provider) for row in ROWS.values() for provider in row["promptfoo"]]


@pytest.mark.parametrize(
    ("row", "provider"),
    IDS,
    ids=lambda value: value.get("id") if isinstance(value, dict) else value,
)
def test_a_grader_of_promptfoo_becomes_a_judge_that_this_server_answers(
    row, provider, grade, tmp_path
):
    assertion = {"type": "context-faithfulness", "provider": provider}
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"tests": [{"assert": [assertion]}]}), encoding="utf-8")
    (judge,) = (one["config"] for one in yaml.safe_load(here("init", "--from", config).stdout))
    own = {"RESOURCE": "my-resource", "REGION": "us-west-2"}
    address = re.sub("|".join(own), lambda name: own[name[0]], judge["baseUrl"])  # as a user does
    assert address == row["base_url"]
    result = grade(Imitation(row), model=judge["judge"].removeprefix("openai:"))
    assert (result.status, result.score) == ("graded", SCORE), result.reason


# ---------------------------------------------------------------- the page on servers

PAGE = ROOT / "docs" / "servers.md"
RECIPES = {re.sub(r"\[|\].*", "", name): row for name, *row in table(PAGE, "server")[1:]}


@each
def test_each_server_grades_with_the_settings_of_its_row(row, tmp_path, monkeypatch):
    judge = f"openai:{row['model']}"
    if row["name"] in RECIPES:
        assert RECIPES[row["name"]][:2] == [judge, row["base_url"]]
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    with reached(Imitation(row), monkeypatch) as url:
        project(tmp_path, f'judge = "{judge}"\nbase_url = "{url}"')
        done = here("doctor")
        result = graded("Adults pay 12 euros. It is free.", "Adults pay 12 euros. Children pay.")
    assert (result.status, result.score) == ("graded", 0.5), result.reason
    assert done.returncode == 0
    assert KEY not in done.stdout + done.stderr


def test_the_page_lists_every_imitated_server_and_every_grader_of_promptfoo():
    assert list(RECIPES) == [row["name"] for row in ROWS.values() if row["promptfoo"]]
    page = PAGE.read_text("utf-8")
    others = {row["name"]: row["base_url"] for row in ROWS.values() if not row["promptfoo"]}
    assert all(f"{name} (`{url}`)" in " ".join(page.split()) for name, url in others.items())
    part = page.partition("\n## Graders of promptfoo\n")[2].partition("\n#")[0]
    listed = re.findall(r"`(\w+):(?:openai\.)?…`", part)
    given = [provider for row in ROWS.values() for provider in row["promptfoo"]]
    names = {(one if isinstance(one, str) else one["id"]).partition(":")[0] for one in given}
    assert set(listed) >= names
