"""In whichever form a server sends the key, wherever in its answer: nothing that we show or keep has it.

All over real HTTP, with all loggers at DEBUG: each form goes to each place of an answer, and from there to each sink.
"""

from __future__ import annotations

import asyncio
import json
import logging
import pickle
import traceback
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from attacks import outputs
from leaks import ANSWERED, FORMS, LONG, LOOSE, PLACES, SHORT, Echo, case, shows
from plugin_runs import Runs, output
from remote import ASK, bare_environment

from faithfulness_assert import Grader, Reply, grade, to_frame
from faithfulness_assert.cli import main
from faithfulness_assert.cli.exit_codes import WRONG_USE
from faithfulness_assert.promptfoo.worker_process import protocol
from faithfulness_assert.promptfoo.worker_process.server import Worker
from faithfulness_assert.promptfoo.worker_process.worker_socket import WorkerSocket
from faithfulness_assert.records.errors import ConfigError, JudgeError
from faithfulness_assert.records.result import GradingResult
from faithfulness_assert.records.result_list import Results
from faithfulness_assert.settings import forget


def forms_of(key: str) -> list[str]:
    return [*FORMS, *LOOSE] if key == LONG else [*FORMS]


@pytest.mark.parametrize("key", [LONG, SHORT])
def test_each_form_would_be_noticed(key: str) -> None:
    forms = {name: {**FORMS, **LOOSE}[name] for name in forms_of(key)}
    assert [name for name, form in forms.items() if not shows(f"See: {form(key)} .", key)] == []
    assert not shows(json.dumps(case(1)), key)


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)


class Logs:
    """What is logged anywhere, also by handlers that format it themselves."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self._caplog = caplog
        names = ("httpx", "httpcore", "openai", "anthropic", "faithfulness_assert", "asyncio")
        for name in (None, *names, "httpx2", "httpcore2", "aiohttp"):
            caplog.set_level(logging.DEBUG, name)

    def new(self) -> str:
        """What was logged since the last call."""
        found = [
            f"{r.getMessage()} {r.args!r} {r.exc_text} {r.exc_info}" for r in self._caplog.records
        ]
        self._caplog.clear()
        return "\n".join(found)


@pytest.fixture
def logs(caplog: pytest.LogCaptureFixture) -> Logs:
    return Logs(caplog)


class Looked:
    """Looks for the key in texts; at long lines that it has seen before only once."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._clean: set[str] = set()

    def leaks(self, shown: Mapping[Any, str]) -> list[Any]:
        """The names of the texts that show the key. All are looked at together first: it is faster."""
        lines = "\n".join(shown.values()).split("\n")
        new = [line for line in lines if len(line) < 40 or line not in self._clean]
        if not shows("\n".join(new), self._key):
            self._clean.update(new)
            return []
        return [name for name, text in shown.items() if shows(text, self._key)] or ["together"]


def of_result(result: GradingResult) -> str:
    """A result in every form in which Python shows or keeps it."""
    alone = Results([result])
    frame = to_frame(alone)
    return "\n".join(
        [
            *(outputs(result), str(result), result._repr_html_(), alone._repr_html_()),
            *(repr(alone), frame.to_csv(), frame.to_json(), frame.to_html()),
            pickle.dumps(result, 0).decode("latin-1"),
        ]
    )


def of_error(error: BaseException) -> str:
    """An error with all that a traceback, a debugger or a report of a crash shows of it."""
    trace = traceback.TracebackException.from_exception(error, capture_locals=True)
    chain = [error, error.__cause__, error.__context__]
    told = [
        f"{one!r} {one} {getattr(one, 'args', '')!r} {vars(one) if one else ''}" for one in chain
    ]
    return "\n".join([*trace.format(), *told, *getattr(error, "__notes__", [])])


def of_outcome(outcome: Reply | JudgeError) -> str:
    return of_error(outcome) if isinstance(outcome, JudgeError) else repr(outcome)


def asked(judge: Any, number: int, asynchronous: bool) -> Reply | JudgeError:
    """What a judge says to an ask about this case."""
    ask = replace(ASK, messages=({"role": "user", "content": f"Room {number} opens at nine."},))
    try:
        return asyncio.run(judge.aask(ask)) if asynchronous else judge.ask(ask)
    except JudgeError as error:
        return error


class Saying:
    """A judge that says what another one said."""

    def __init__(self, outcome: Reply | JudgeError) -> None:
        self._outcome = outcome

    def ask(self, ask: Any, /, *, deadline: float | None = None) -> Reply:
        if isinstance(self._outcome, JudgeError):
            raise self._outcome
        return self._outcome


pytest_plugins = ["pytester"]
ACCESS = [(LONG, "openai", False), (LONG, "anthropic", True), (SHORT, "anthropic", False)]
"""The first one has each form in each place; the others have each form, and each place with a third of the forms."""


@pytest.mark.parametrize(("key", "api", "own_client"), ACCESS)
def test_no_form_of_a_key_in_any_place_of_an_answer_gets_anywhere(
    key: str, api: str, own_client: bool, tmp_path: Path, logs: Logs
) -> None:
    every = 1 if (key, api, own_client) == ACCESS[0] else 3
    cases = [
        (place, form)
        for p, place in enumerate(PLACES)
        for f, form in enumerate(forms_of(key))
        if (p + f) % every == 0
    ]
    looked, found = Looked(key), []
    with Echo(key, cases) as server:
        graders = {
            split: grader_of(server, key, api, own_client, split=split, cache=tmp_path)
            for split in ("sentences", "claims")
        }
        for number, (place, form) in enumerate(cases):
            asynchronous = bool(number % 2)
            grader = graders["claims" if place == "claim" else "sentences"]
            shown = {}
            if place in ANSWERED:
                given = case(number)
                result = (
                    asyncio.run(grader.agrade(**given)) if asynchronous else grader.grade(**given)
                )
            else:
                outcome = asked(grader.judge, number, asynchronous)
                shown["outcome"] = of_outcome(outcome)
                result = grade(**case(number), judge=Saying(outcome))
            shown |= {"result": result.model_dump_json(), "log": logs.new()}
            found += [(place, form, sink) for sink in looked.leaks(shown)]
        assert any(key in str(request.headers) for request in server.requests)
    kept = {file: file.read_text() for file in tmp_path.rglob("*.json")}
    assert len(kept) > 20
    assert not found
    assert not looked.leaks(kept)


def grader_of(server: Echo, key: str, api: str, own_client: bool, **options: Any) -> Grader:
    access: dict[str, Any] = {"base_url": server.url if api == "openai" else server.root}
    access["api_key"] = key
    if own_client:
        made = {"openai": openai.OpenAI, "anthropic": anthropic.Anthropic}[api](**access)
        access = {"client": made}
    more: dict[str, Any] = {"reasons": True, "controls": "off", "reasks": 0, "max_retries": 0}
    return Grader(f"{api}:m", **{**more, **options}, **access)


# ---------------------------------------------------------------- sinks

WHOLE = ("all that a good answer has", "refusal", "all that an error has")


@pytest.mark.parametrize("place", WHOLE)
def test_no_view_of_a_result_shows_the_key_in_any_form(place: str) -> None:
    looked = Looked(LONG)
    with Echo(LONG, [(place, form) for form in forms_of(LONG)]) as server:
        grader = grader_of(server, LONG, "openai", own_client=False)
        shown = {form: grader.grade(**case(n)) for n, form in enumerate(forms_of(LONG))}
    assert not [form for form, result in shown.items() if looked.leaks({form: of_result(result)})]


def command(*words: str) -> int:
    """The command in this process, so that all its logs are seen. It is never used in a wrong way."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["faithfulness-assert", *words])
        with pytest.raises(SystemExit) as end:
            main()
    assert end.value.code != WRONG_USE, words
    return int(str(end.value.code))


@pytest.mark.parametrize("place", WHOLE)
@pytest.mark.parametrize("api", ["openai", "anthropic"])
def test_no_command_and_no_file_shows_the_key_in_any_form(
    place: str,
    api: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    logs: Logs,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(f"{api.upper()}_API_KEY", LONG)
    forms = forms_of(LONG)
    Path("data.json").write_text(json.dumps([case(number) for number in range(len(forms))]))
    outputs = [f"--output=out.{end}" for end in ("csv", "jsonl", "xml")]
    with Echo(LONG, [(place, form) for form in forms]) as server:
        url = server.url if api == "openai" else server.root
        judge = [f"--judge={api}:m", "-o", f"base_url={url}"]
        options = [*judge, "-o", "reasons=true", "-o", "max_retries=0", "-o", "reasks=0"]
        command("grade", "data.json", "--all", "--report=grade.html", *options, "-o", "cache=tape")
        command("grade", "data.json", "--json", *options)
        command(
            "batch", "data.json", "--run=run", "--github", "--report=run.html", *outputs, *options
        )
        command("rescore", "run", "--run=again", "--threshold=0.9")
        command("compare", "run", "again")
        command("compare", "run", "again", "--markdown")
        command("report", "run", "--output=report.html")
        command("probe", "--per-kind=1", *judge, "-o", "max_retries=0")
        monkeypatch.setenv(f"{api.upper()}_BASE_URL", url)
        command("doctor", f"--judge={api}:m")
        assert len(server.requests) > 20 or place == WHOLE[-1]
    said = capfd.readouterr()
    shown = {
        file: file.read_bytes().decode("latin-1") for file in tmp_path.rglob("*") if file.is_file()
    }
    assert {"run.html", "out.csv", "results.jsonl"} <= {file.name for file in shown}
    shown |= {"standard output": said.out, "standard error": said.err, "log": logs.new()}
    assert not Looked(LONG).leaks(shown)


SECRETS = ("p@ssword-77", "sesame-open", "p%40ssword-77")


@pytest.mark.parametrize("given", ["option", "variable", "project"])
def test_no_command_and_no_file_shows_what_is_secret_in_an_address(
    given: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    logs: Logs,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data.json").write_text(json.dumps([case(0), case(1)]))
    said = [("all that a good answer has", "URL"), ("reason", "plain")]
    with Echo(SECRETS[given == "project"], said) as server:
        login = "" if given == "project" else "me:p%40ssword-77@"  # no password is allowed there
        url = server.url.replace("//", f"//{login}") + "?token=sesame-open"
        project = f"[tool.faithfulness_assert]\njudge = 'openai:m'\nbase_url = '{url}'\n"
        Path("pyproject.toml").write_text(project if given == "project" else "")
        judge = ["--judge=openai:m", "-o", f"base_url={url}"][: 3 * (given == "option")]
        if given == "variable":
            monkeypatch.setenv("FAITHFULNESS_ASSERT_JUDGE", "openai:m")
            monkeypatch.setenv("OPENAI_BASE_URL", url)
        retries = ["-o", "max_retries=0", "-o", "reasks=0"]
        forget()
        command(
            "grade",
            "data.json",
            "--all",
            "--report=grade.html",
            *judge,
            *retries,
            "-o",
            "cache=tape",
        )
        command("batch", "data.json", "--run=run", "--output=out.csv", *judge, *retries)
        command("report", "run")
        command("estimate", "data.json", *judge)
        command("doctor", *judge[:1])
        assert all("token=sesame-open" in request.path for request in server.requests)
        assert len(server.requests) >= 4
    Path("pyproject.toml").unlink()
    out, err = capfd.readouterr()
    shown = "".join(
        file.read_bytes().decode("latin-1") for file in tmp_path.rglob("*") if file.is_file()
    )
    shown += f"{out} {err} {logs.new()}"
    assert [secret for secret in SECRETS if secret in shown] == []


def test_the_parts_of_a_grader_show_no_secret_even_if_it_could_not_be_made(tmp_path: Path) -> None:
    url = "http://me:p%40ssword-77@127.0.0.1:1/v1?token=sesame-open"
    grader = Grader("openai:m", base_url=url, api_key=LONG, cache=tmp_path)
    judge: Any = grader.judge
    said = f"{grader!r} {vars(grader)} {judge!r} {vars(judge)} {judge.judge!r} {vars(judge.judge)}"
    assert [secret for secret in (LONG, *SECRETS) if secret in said] == []
    with pytest.raises(ConfigError) as caught:
        Grader("openai:m", base_url="http://localhost/v1", api_key=LONG, no_such_option=1)  # type: ignore[call-arg]
    assert LONG not in of_error(caught.value)


def test_neither_pytest_nor_the_worker_shows_the_key_in_any_form(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, logs: Logs
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", LONG)
    forms = forms_of(LONG)
    with Echo(LONG, [("all that a good answer has", form) for form in forms]) as server:
        Runs(pytester).write(f"""
@pytest.mark.parametrize("number", range({len(forms)}))
def test_it(number):
    from faithfulness_assert import assert_faithful
    text = f"Room {{number}} opens at nine."
    assert_faithful(text, text, judge="openai:m", base_url={server.url!r}, reasons=True, reasks=0)
""")
        ways = ("-vv", "--showlocals", "--log-level=DEBUG", "--junitxml=out.xml", "--tb=long")
        said = output(Runs.run(Runs(pytester), *ways, "-p", "no:randomly"))
        config = {"judge": "openai:m", "baseUrl": server.url, "reasons": True, "reasks": 0}
        worker = Worker(WorkerSocket.__new__(WorkerSocket), lambda: False, 1.0)
        for number in range(len(forms)):
            context = {"vars": {"context": case(number)["context"]}, "config": config}
            asked = {"grade": [case(number)["answer"], context], "eval": 1}
            said += json.dumps(worker._reply_to({"identity": protocol.identity(), **asked}))
    assert said.count("test_it.py::test_it[") >= len(forms)
    assert "fixture" not in said
    assert said.count('"metadata"') == len(forms)
    kept = "".join(file.read_text() for file in pytester.path.rglob("*.xml"))
    assert not Looked(LONG).leaks({"said": said, "kept": kept, "log": logs.new()})
