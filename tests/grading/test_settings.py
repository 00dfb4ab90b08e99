"""One setting for the judge holds in every place, in one order, and a hostile or broken file does no harm."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rows import rows

from faithfulness_assert import (
    ConfigError,
    Grader,
    Policy,
    assert_faithful,
    grade,
    grade_many,
    settings,
)
from faithfulness_assert.probe import probe

VARIABLE = "FAITHFULNESS_ASSERT_JUDGE"
TEXT = "The tower is 330 metres tall."


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a project, which is the working folder. It is the root of a repository."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    settings._of_folder.cache_clear()
    return tmp_path


def write(folder: Path, table: str, head: str = "[tool.faithfulness_assert]") -> None:
    (folder / "pyproject.toml").write_text(f'[project]\nname = "x"\n\n{head}\n{table}\n', "utf-8")
    settings._of_folder.cache_clear()


# ---------------------------------------------------------------- the order


def test_each_source_comes_before_the_next(project, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    assert (Grader().judge_name, Grader().policy.name) == ("embedded", "default")
    write(project, 'judge = "openai:from-file"\npolicy = "promptfoo-plan"\nthreshold = 0.7')
    grader = Grader()
    assert (grader.judge_name, grader.policy.name) == ("openai:from-file", "promptfoo-plan")
    assert grader.policy.passes_at == 0.7
    monkeypatch.setenv(VARIABLE, "openai:from-variable")
    assert Grader().judge_name == "openai:from-variable"
    assert Grader("embedded", "default").judge_name == "embedded"
    assert Grader(threshold=0.4).policy.passes_at == 0.4


def test_a_threshold_goes_with_its_policy_and_an_address_with_its_judge(project, monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "sk-test")
    write(project, 'judge = "openai:m"\nthreshold = 0.1\nbase_url = "http://127.0.0.1:9/v1"')
    assert Grader().policy.passes_at == 0.1
    assert Grader(policy=Policy(threshold=0.95)).policy.passes_at == 0.95
    assert Grader(policy="default").policy.passes_at == 0.8
    addresses = {
        judge: settings.choose(judge, None, None, {}).options.get("base_url")
        for judge in ("setting", "openai:other", "anthropic:m", "embedded")
    }
    url = "http://127.0.0.1:9/v1"
    assert addresses == {"setting": url, "openai:other": url, "anthropic:m": None, "embedded": None}
    monkeypatch.setenv(VARIABLE, "anthropic:m")
    assert "base_url" not in settings.choose("setting", None, None, {}).options
    monkeypatch.delenv(VARIABLE)
    given = {"base_url": "http://127.0.0.1:8/v1"}
    assert settings.choose("setting", None, None, given).options == given
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:7/v1")
    assert settings.choose("setting", None, None, {}).options == {}


NAMING_NONE: dict[str, Callable[[Any], object]] = {
    "grade": lambda none: grade(TEXT, TEXT, judge=none),
    "Grader": Grader,
    "grade_many": lambda none: list(grade_many([{"answer": TEXT, "context": TEXT}], judge=none)),
    "assert_faithful": lambda none: assert_faithful(TEXT, TEXT, judge=none),
    "probe": lambda none: probe(none, per_kind=1),
}


@pytest.mark.parametrize("way", NAMING_NONE)
def test_a_judge_that_is_none_was_meant_to_be_one_and_is_an_error(project, way):
    write(project, 'judge = "embedded"')
    said = "^judge: must name a judge, got None. Leave it out for that of the settings$"
    with pytest.raises(ConfigError, match=said):
        NAMING_NONE[way](None)


def test_a_cache_is_below_the_project_and_none_can_be_named(project, monkeypatch):
    write(project, 'judge = "openai:m"\ncache = "replies"')
    below = project / "src"
    below.mkdir()
    monkeypatch.chdir(below)
    assert settings.choose("setting", None, None, {}).options == {"cache": str(project / "replies")}
    assert settings.choose("setting", None, None, {"cache": None}).options == {"cache": None}
    assert settings.choose("embedded", None, None, {}).options == {}
    assert settings.choose(Grader("embedded").judge, None, None, {}).options == {}


def test_the_policy_file_of_a_project_is_found_from_each_of_its_folders(project, monkeypatch):
    (project / "strict.toml").write_text('base = "default"\nthreshold = 0.99\n', "utf-8")
    write(project, 'policy = "strict.toml"')
    (project / "deep" / "er").mkdir(parents=True)
    monkeypatch.chdir(project / "deep" / "er")
    assert Grader().policy.passes_at == 0.99


# ---------------------------------------------------------------- files that are not ours, or wrong


@pytest.mark.parametrize("row", rows("wrong_settings"), ids=lambda row: row["table"])
def test_a_wrong_table_is_refused_with_file_and_field(project, row):
    write(project, row["table"], head=row.get("head", "[tool.faithfulness_assert]"))
    with pytest.raises(ConfigError) as caught:
        grade(TEXT, TEXT)
    assert row["problem"].replace("FILE", str(project / "pyproject.toml")) in str(caught.value)
    assert str(project / "pyproject.toml") in str(caught.value)
    assert "very-secret" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"this is no TOML at all [[[",
        b"\xff\xfe\x00",
        b"[tool.mypy]\nstrict = tru",
        b'[project]\ndependencies = ["faithfulness-assert"]\nbroken = ',
    ],
)
def test_a_file_without_our_table_is_never_in_the_way(project, content):
    (project / "pyproject.toml").write_bytes(content)
    settings._of_folder.cache_clear()
    assert grade(TEXT, TEXT).judge == "embedded"


def test_only_the_project_itself_is_asked(project, monkeypatch):
    write(project, 'judge = "openai:m"')
    repository = project / "vendor" / "other"
    (repository / ".git").mkdir(parents=True)
    monkeypatch.chdir(repository)
    assert settings.read_settings() == {}
    package = project / "package"
    package.mkdir()
    (package / "pyproject.toml").write_text('[project]\nname = "y"\n', "utf-8")
    monkeypatch.chdir(package)
    assert settings.read_settings() == {}


def test_a_file_that_belongs_to_another_user_is_not_read(project, monkeypatch):
    write(project, 'judge = "openai:m"\nbase_url = "http://attacker.example/v1"')
    below = project / "below"
    below.mkdir()
    found, stat = settings.project_file, os.stat
    assert found(str(below)) == str(project / "pyproject.toml")

    def as_other(path: Any, **options: Any) -> os.stat_result:
        known = stat(path, **options)
        if not str(path).endswith("pyproject.toml"):
            return known
        return os.stat_result([*known[:4], known.st_uid + 1, *known[5:10]])

    monkeypatch.setattr(settings.os, "stat", as_other)
    assert found(str(below)) is None
    assert found(str(project)) is None
