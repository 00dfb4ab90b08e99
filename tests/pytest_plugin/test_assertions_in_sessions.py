"""``assert_faithful`` in a test obeys the configuration and is counted, as the fixture; and both obey the settings of the project."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from e2e.judge import reply
from loopback import Loopback, completion
from plugin_runs import Runs, output

from faithfulness_assert import settings

pytest_plugins = ["pytester"]

IMPORT = "from faithfulness_assert import assert_faithful\n"


@pytest.fixture
def runs(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Runs:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    settings.forget()
    return Runs(pytester)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    usage = {"prompt_tokens": 700, "completion_tokens": 100}
    with Loopback(lambda request: completion(reply(request), usage=usage)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        yield server


# ---------------------------------------------------------------- the settings of the project


def project(runs: Runs, table: str) -> None:
    runs.pytester.makepyprojecttoml(f"[tool.faithfulness_assert]\n{table}\n")
    settings.forget()


def test_the_ini_comes_before_the_environment_and_that_before_the_project(
    runs: Runs, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(runs, 'judge = "openai:of-the-project"')
    code = f"{IMPORT}def test_one(faithfulness):\n    assert faithfulness(TRUE, CONTEXT).judge == "
    monkeypatch.setenv("FAITHFULNESS_ASSERT_JUDGE", "openai:of-the-variable")
    runs.write(f"{code}'openai:of-the-variable'\n")
    runs.run().assert_outcomes(passed=1)
    runs.ini("faithfulness_judge = openai:of-the-ini")
    runs.write(f"{code}'openai:of-the-ini'\n")
    runs.run().assert_outcomes(passed=1)
    runs.write(f"{code}'openai:of-the-option'\n")
    runs.run("--faithfulness-judge=openai:of-the-option").assert_outcomes(passed=1)


def test_a_wrong_table_fails_the_test_that_grades_and_no_other(runs: Runs) -> None:
    project(runs, 'api_key = "sk-very-secret"')
    runs.write(
        "def test_one(faithfulness):\n    faithfulness(TRUE, CONTEXT)\ndef test_two():\n    pass\n"
    )
    result = runs.run()
    result.assert_outcomes(passed=1, failed=1)
    assert "no key belongs into this file" in output(result)
    assert "sk-very-secret" not in output(result)
