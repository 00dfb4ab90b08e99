"""The plugin of pytest: the fixture, the marker, the options, and what a session says at its end."""

import json
import os
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from command import project
from loopback import Answer, Loopback, Request, completion
from plugin_runs import CONTEXT, FALSE, PLUGIN, TRUE, Runs, output, summary
from rows import rows

import faithfulness_assert
from faithfulness_assert.settings import read_settings

pytest_plugins = ["pytester"]

OWN_FRAME = re.compile(r"^\S*faithfulness_assert\S*\.py:\d+", re.MULTILINE)
"""A line of a traceback that is in our own code."""
BOTH = "def test_true(faithfulness): faithfulness(TRUE, CONTEXT)\ndef test_false(faithfulness): faithfulness(FALSE, CONTEXT)\n"


@pytest.fixture
def runs(pytester: pytest.Pytester) -> Runs:
    return Runs(pytester)


# ---------------------------------------------------------------- silent unless used


@pytest.mark.parametrize("options", [(), ("-q",), ("--collect-only",), ("-v", "-rA")])
def test_a_session_that_does_not_use_the_fixture_shows_nothing_of_the_plugin(runs, options):
    runs.write("def test_nothing(): pass")
    shown = output(runs.run(*options))
    without_plugins_line = [
        line for line in shown.splitlines() if not line.startswith(("plugins:", "rootdir:"))
    ]
    assert "faithful" not in "\n".join(without_plugins_line).lower()


def test_a_report_replaces_an_earlier_one_and_is_no_file_of_another_kind(runs):
    runs.write("def test_it(faithfulness): faithfulness(TRUE, CONTEXT)")
    for _ in range(2):
        runs.run("--faithfulness-report=r.jsonl").assert_outcomes(passed=1)
    refused = runs.run("--faithfulness-report=mine.py")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    assert "must be a file that ends in .jsonl or .html" in refused.stderr.str()


def test_every_option_and_every_setting_has_the_name_of_the_package_in_it(runs):
    shown = output(runs.run("--help"))
    for name in ("judge", "policy", "threshold", "errors", "report", "max-tokens", "cache"):
        assert f"--faithfulness-{name}=" in shown
        assert f"\n  faithfulness_{name.replace('-', '_')}" in shown


def test_a_program_may_import_the_package_and_then_run_pytest(runs, monkeypatch):
    """pytest wants to rewrite the assertions of all packages that contain a plugin. ``site`` is one
    more distribution with this package in it, because a checkout is none."""
    about = runs.pytester.mkdir("site") / "copy-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: copy\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[pytest11]\ncopy = json\n")
    (about / "RECORD").write_text("faithfulness_assert/__init__.py,,\n")
    runs.write("def test_it(faithfulness): faithfulness(TRUE, CONTEXT)")
    program = runs.pytester.makepyfile(
        program=f"import faithfulness_assert, pytest\nraise SystemExit(pytest.main({list(PLUGIN)}))"
    )
    package = Path(faithfulness_assert.__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(about.parent), str(package)]))
    result = runs.pytester.runpython(program)
    assert result.ret == 0, output(result)
    result.assert_outcomes(passed=1)


# ---------------------------------------------------------------- the fixture


@pytest.mark.parametrize("row", rows("pytest_sessions"), ids=lambda row: row["what"])
def test_a_session_ends_as_its_row_says(runs, row):
    runs.ini(*row.get("ini", ()))
    runs.write(row["code"])
    options = row.get("options", [])
    result = runs.run(*options)
    shown, said = output(result), "\n".join(summary(result))
    if "exit" in row:
        assert result.ret == row["exit"]
    else:
        result.assert_outcomes(**row["outcomes"])
    assert [text for text in row.get("says", ()) if text not in shown] == []
    assert [text for text in row.get("never", ()) if text in shown] == []
    assert [text for text in row.get("summary", ()) if text not in said] == []
    assert "--full-trace" in options or not OWN_FRAME.search(shown)
    assert "Traceback" not in shown
    assert shown.replace("\n", "").isprintable()


# ---------------------------------------------------------------- where options come from


def test_the_ini_comes_before_the_environment_and_that_before_the_project(runs, monkeypatch):
    def judge_is(name: str, *options: str) -> None:
        judge = "faithfulness(TRUE, CONTEXT, controls='off').judge"
        runs.write(f"def test_one(faithfulness):\n    assert {judge} == 'openai:of-the-{name}'\n")
        runs.run(*options).assert_outcomes(passed=1)

    project(runs.pytester.path, 'judge = "openai:of-the-project"')
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with Loopback(supported) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("FAITHFULNESS_ASSERT_JUDGE", "openai:of-the-variable")
        judge_is("variable")
        runs.ini("faithfulness_judge = openai:of-the-ini")
        judge_is("ini")
        judge_is("option", "--faithfulness-judge=openai:of-the-option")


def test_a_wrong_table_fails_the_test_that_grades_and_no_other(runs):
    project(runs.pytester.path, 'api_key = "sk-very-secret"')
    runs.write(
        "def test_one(faithfulness):\n    faithfulness(TRUE, CONTEXT)\ndef test_two():\n    pass\n"
    )
    result = runs.run()
    result.assert_outcomes(passed=1, failed=1)
    assert "no key belongs into this file" in output(result)
    assert "sk-very-secret" not in output(result)


def test_the_settings_beside_the_configuration_count_wherever_pytest_is_started(runs):
    (sub := runs.pytester.path / "sub").mkdir()
    project(sub, "threshold = 0.7\n[tool.pytest.ini_options]\naddopts = '-q'")
    (sub / "test_it.py").write_text(
        "def test_it(faithfulness): assert faithfulness('It rains.', 'It rains.').threshold == 0.7"
    )
    runs.run("sub").assert_outcomes(passed=1)
    assert "threshold" not in read_settings()


def test_a_policy_file_of_the_configuration_is_found_from_any_folder(runs, monkeypatch):
    runs.ini("faithfulness_policy = own.toml")
    runs.write("def test_it(faithfulness): assert faithfulness(TRUE, CONTEXT).threshold == 0.7")
    (runs.pytester.path / "own.toml").write_text('base = "default"\nthreshold = 0.7\n', "utf-8")
    (sub := runs.pytester.path / "sub").mkdir()
    monkeypatch.chdir(sub)
    runs.run("..").assert_outcomes(passed=1)


# ---------------------------------------------------------------- stored replies


def supported(request: Request) -> Answer:
    usage = {"prompt_tokens": 80, "completion_tokens": 20}
    return completion('{"verdicts":[{"id":1,"evidence":[2],"label":"supported"}]}', usage=usage)


def test_what_is_stored_needs_no_second_ask_and_in_the_end_no_key(runs, monkeypatch):
    """An empty name of the folder asks the judge."""
    runs.ini("faithfulness_cache = replies")
    runs.write(
        "def test_it(faithfulness): faithfulness(TRUE, CONTEXT, judge='openai:m', controls='off')"
    )
    with Loopback(supported) as server, monkeypatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", server.url)
        patch.setenv("OPENAI_API_KEY", "sk-simulated")
        for given, asked in (((), 1), ((), 1), (("--faithfulness-cache=",), 2)):
            runs.run(*given).assert_outcomes(passed=1)
            assert len(server.requests) == asked
    result = runs.run("--faithfulness-cache-only")
    result.assert_outcomes(passed=1)
    assert not any(line.startswith("spent") for line in summary(result))
    runs.ini("faithfulness_options =", "    cache=replies", "    cache_only=true")
    runs.run().assert_outcomes(passed=1)


# ---------------------------------------------------------------- what a session says and writes


@pytest.mark.parametrize("options", [("-p", "no:terminal"), ("--collect-only",)])
def test_where_nothing_is_shown_or_run_nothing_breaks(runs, options):
    runs.write("def test_true(faithfulness): faithfulness(TRUE, CONTEXT)")
    result = runs.run(*options, "--faithfulness-report=results.jsonl")
    assert result.ret == 0
    assert summary(result) == []
    assert (runs.pytester.path / "results.jsonl").exists() == ("--collect-only" not in options)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]


def test_the_report_has_each_result_with_its_texts(runs):
    runs.write(
        BOTH
        + "def test_two(faithfulness):\n    faithfulness(TRUE, CONTEXT)\n    faithfulness(TRUE + '\\ud800\\x1b', [{'id': 'a', 'text': TRUE}], question='What?')"
    )
    runs.run("--faithfulness-report=out/results.jsonl").assert_outcomes(passed=2, failed=1)
    lines = lines_of(runs.pytester.path / "out" / "results.jsonl")
    assert [line["case_id"] for line in lines] == [
        "test_it.py::test_true",
        "test_it.py::test_false",
        "test_it.py::test_two",
        "test_it.py::test_two #2",
    ]
    assert [line["row"] for line in lines] == [1, 2, 3, 4]
    assert [line["pass"] for line in lines] == [True, False, True, True]
    assert lines[1]["columns"]["answer"] == FALSE
    assert [passage["text"] for passage in lines[1]["columns"]["context"]] == CONTEXT
    assert len(lines[1]["verdicts"]) == 2
    assert lines[3]["columns"] == {
        "answer": f"{TRUE}\ufffd\x1b",
        "context": [{"id": "a", "text": TRUE}],
        "question": "What?",
    }


def test_junit_xml_has_a_short_result_whatever_the_texts_contain(runs):
    runs.write(
        "def test_it(faithfulness): faithfulness('The \\x00\\x1b lion \\ufffe sleeps. ' * 50, CONTEXT)"
    )
    runs.run("--junitxml=junit.xml", "--faithfulness-report=results.jsonl")
    tree = ElementTree.parse(runs.pytester.path / "junit.xml")
    (found,) = tree.iterfind(".//property[@name='faithfulness']")
    result = json.loads(found.attrib["value"])
    assert result["pass"] is False
    assert result["verdicts"] == []
    assert "columns" not in result


RERUN = """
import pytest
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    '''As pytest-rerunfailures does it: the first run is reported as "rerun" if it fails.'''
    for last in (False, True):
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        again = not last and any(report.failed for report in reports)
        for report in reports:
            report.outcome = "rerun" if again and report.failed else report.outcome
            item.ihook.pytest_runtest_logreport(report=report)
        if not again:
            return True
        item._initrequest()
"""


def test_a_test_that_is_run_again_counts_with_its_last_run_and_pays_for_all(runs):
    runs.pytester.makeconftest(RERUN)
    runs.write(
        "judge = Scripted('ns')\ndef test_it(faithfulness): faithfulness(TRUE, CONTEXT, judge=judge)"
    )
    result = runs.run("--faithfulness-report=results.jsonl")
    assert summary(result)[0].startswith("1 case: 1 passed, 0 failed, 0 not graded")
    assert "spent: 2 requests, 160 prompt and 40 completion tokens" in summary(result)
    (line,) = lines_of(runs.pytester.path / "results.jsonl")
    assert line["pass"]


# ---------------------------------------------------------------- pytest-xdist


def test_workers_share_the_limit_and_send_their_results_here(runs):
    runs.write(
        "@pytest.mark.parametrize('n', range(8))\ndef test_it(n, faithfulness): faithfulness(TRUE, CONTEXT, judge=Scripted('s'))\n"
        + BOTH
    )
    result = runs.run_apart(
        "-n2", "--faithfulness-report=results.jsonl", "--faithfulness-max-tokens=300"
    )
    passed = result.parseoutcomes()["passed"]
    assert 3 <= passed <= 5, (
        "each worker may have begun one more; the embedded judge takes no tokens"
    )
    assert result.parseoutcomes()["failed"] == 10 - passed
    part = "* tokens were spent, of 150 that this process may spend (*"
    result.stdout.fnmatch_lines(part)
    said = summary(result)
    assert said[0].startswith(f"10 cases: {passed} passed, ")
    spent = [line for line in said if line.startswith("spent")]
    assert re.findall(r"spent: ([34]) requests, (240|320) prompt", spent[0])
    lines = lines_of(runs.pytester.path / "results.jsonl")
    assert sorted(line["row"] for line in lines) == list(range(1, 11))
    assert all(line["columns"]["answer"] in (TRUE, FALSE) for line in lines)
