"""What takes a text of others: every public function, command, reader, view and output, by name.

Each sink is a function of a text, which it puts wherever a text of others can be. ``growth_reach.py`` says what no sink reaches.
"""

from __future__ import annotations

import atexit
import csv
import io
import json
import os
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import redirect_stderr, suppress
from functools import cache, partial
from importlib import import_module
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.sax.saxutils import escape

from fakes import ScriptedJudge, TruthfulJudge
from own_policy import likely_parts_from

import faithfulness_assert as fa
from faithfulness_assert import JudgeError
from faithfulness_assert.records.judge import Limits

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "faithfulness_assert"
Sink = Callable[[str], object]

CONTEXT = "The tower is 330 metres tall. It was built in 1889. The ticket costs 12 euros."
ANSWER = "The tower is tall [1]. It was built in 1889. It costs 12 euros."
YES = TruthfulJudge(lambda _: "not_enough_info")
BATCH = ("--judge", "embedded", "--quiet")
ROW_SIZE = 150
"""Characters of a row, where a text becomes the rows of a data set."""


@cache
def sinks() -> dict[str, Sink]:
    """All of them."""
    import growth_people

    os.environ["NO_PROXY"] = "127.0.0.1"
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "FAITHFULNESS_ASSERT_JUDGE"):
        os.environ.pop(name, None)
    folder = Path(tempfile.mkdtemp(prefix="growth-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / ".git").mkdir()
    os.chdir(folder)
    return {
        **parts(),
        **grades(),
        **records(),
        **replies(folder),
        **views(),
        **outputs(folder),
        **readers(folder),
        **data_sets(folder),
        **runs(folder),
        **configs(folder),
        **promptfoo(folder),
        **commands(folder),
        **growth_people.checkers(folder),
        **growth_people.cards(folder),
        **growth_people.labels(folder),
    }


# ---------------------------------------------------------------- texts in their places


def file(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8", errors="replace", newline="")
    return str(path)


def pieces(text: str, size: int = ROW_SIZE) -> list[str]:
    """The text in parts."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def stuffed(value: Any, text: str, least: int = 14) -> Any:
    """Data with ``text`` in place of each text of at least ``least`` characters."""
    if isinstance(value, dict):
        return {key: stuffed(inner, text, least) for key, inner in value.items()}
    if isinstance(value, list):
        return [stuffed(inner, text, least) for inner in value]
    return text if isinstance(value, str) and len(value) >= least and value[-1:] in ".?" else value


def fixture(name: str) -> Any:
    return json.loads((ROOT / "fixtures" / name).read_text(encoding="utf-8"))


@cache
def usual() -> fa.GradingResult:
    return fa.grade(ANSWER, CONTEXT)


def said(text: str) -> fa.GradingResult:
    """A result that says the text wherever a result says something."""
    data = usual().model_dump()
    data["reason"], data["case_id"] = text, text
    data["metadata"] = {"warnings": [text], "suggestions": [text], text[:1000]: text}
    data["metadata"]["judgeNote"] = text
    data["judge"], data["policy"] = text, text
    for verdict in data["verdicts"]:
        verdict["statement"], verdict["reason"], verdict["label"] = text, text, "contradicted"
        for evidence in verdict["evidence"]:
            evidence["text"], evidence["passage"] = text, text
    return fa.GradingResult.model_validate({**data, "pass": False})


def line(text: str, number: int = 1, column: str = "column") -> Any:
    from faithfulness_assert.batch.rows import Line

    return Line(text, number, "", {column: text}, said(text))


def cases(text: str) -> list[dict[str, Any]]:
    """A case for each part of a text."""
    return [
        {"id": f"{n}{part}", "answer": f"It is {part}.", "context": part, "column": part}
        for n, part in enumerate(pieces(text), 1)
    ]


def as_lines(rows: list[Any]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


# ---------------------------------------------------------------- parts, cases, grades


def parts() -> dict[str, Sink]:
    from faithfulness_assert.judges.remote.redaction import Secrets, safe_text

    return {
        "split_statements": fa.split_statements,
        "audit_citations": lambda text: fa.audit_citations(text, ["1", "doc-1", "a_1"]),
        "audit_citations of ids": lambda text: fa.audit_citations(ANSWER, text.split()[:5000]),
        "is_refusal": fa.is_refusal,
        "read_verdicts": lambda text: fa.read_verdicts(text, 3),
        "a server's text": lambda text: safe_text(text, Secrets(["sk-SECRET12345678"])),
    }


def grades() -> dict[str, Sink]:
    import asyncio

    def windows(tokens: int, **options: Any) -> dict[str, Any]:
        return {"judge": TruthfulJudge(YES.label, Limits(prompt_tokens=tokens)), **options}

    def likely(text: str) -> object:
        with likely_parts_from(0):
            return fa.grade(ANSWER, text * 4, **windows(900))

    def asserted(text: str) -> None:
        for judge in ("embedded", ScriptedJudge([text])):
            with suppress(AssertionError, fa.NotGraded):
                fa.assert_faithful(text, CONTEXT, judge=judge)

    return {
        "an answer": lambda text: fa.grade(text, CONTEXT),
        "a context": lambda text: fa.grade(ANSWER, text),
        "both": lambda text: fa.grade(text, text),
        "passages": lambda text: fa.grade(ANSWER, text.split() or [text]),
        "passages with ids": lambda text: fa.grade(
            ANSWER, [{"text": "It is so.", "id": part} for part in pieces(text)], citations="audit"
        ),
        "an answer, any judge": lambda text: fa.grade(text, CONTEXT, judge=YES),
        "a context, any judge": lambda text: fa.grade(ANSWER, text, judge=YES),
        "a context in windows": lambda text: fa.grade(ANSWER, text, **windows(2000)),
        "likely windows": likely,
        "an answer in windows": lambda text: fa.grade(text, CONTEXT, **windows(2000)),
        "controls": lambda text: fa.grade(ANSWER, text, judge=YES, controls="enforce", seed=1),
        "a question": lambda text: fa.grade(ANSWER, CONTEXT, question=text, judge=YES),
        "agrade": lambda text: asyncio.run(fa.agrade(text, text, judge=YES)),
        "grade_many": lambda text: fa.grade_many(cases(text)).to_frame(),
        "assert_faithful": asserted,
        "claims": lambda text: fa.grade(text, CONTEXT, judge=YES, policy="ragas"),
        "truths": lambda text: fa.grade(ANSWER, text, judge=YES, policy="deepeval"),
        "ratings": lambda text: fa.grade(text, text, judge=YES, policy="masis"),
        "an id": lambda text: next(fa.Grader().grade_many([{**cases("x")[0], "id": text}])),
        "a field's name": lambda text: next(fa.Grader().grade_many([{**cases("x")[0], text: 1}])),
        "very many fields": lambda text: next(
            fa.Grader().grade_many([{**cases("x")[0], **dict.fromkeys(pieces(text, 8), "x")}])
        ),
    }


def records() -> dict[str, Sink]:
    """Conversations and records of other systems, and what adapters share."""
    from faithfulness_assert.adapters import shared

    listed = [row["messages"] for row in fixture("conversations.json")]
    said_ones = [messages for messages in listed if isinstance(messages, list)]
    tools = [row["data"] for row in fixture("tool_data.json")]
    exports: list[Any] = []
    for path in sorted((ROOT / "fixtures" / "data_sets").iterdir()):
        if path.suffix == ".jsonl":
            first = path.read_text(encoding="utf-8").splitlines()[0]
            exports.append(json.loads(first))
    roles = ("tool", "user", "last_user", "system")

    def conversation(made: Callable[[str], Any]) -> Sink:
        return lambda text: fa.Case(messages=made(text), evidence_roles=roles)

    def calls(text: str) -> list[dict[str, Any]]:
        """Calls and results whose texts repeat each other, many times."""
        rows: list[dict[str, Any]] = [{"role": "user", "content": text}]
        for n, part in enumerate(pieces(text, 200)):
            call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": part}}
            rows.append({"role": "assistant", "content": part, "tool_calls": [call]})
            rows.append({"role": "tool", "tool_call_id": "c", "content": f"{n} {part}"})
        return [*rows, {"role": "assistant", "content": text}]

    def echoes(text: str) -> list[dict[str, Any]]:
        """One call with a long argument, and very many results that may give it back."""
        call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": text}}
        first = {"role": "assistant", "content": "", "tool_calls": [call]}
        one_of_many = [
            {"role": "tool", "tool_call_id": "c", "content": part} for part in pieces(text, 30)
        ]
        return [first, *one_of_many, {"role": "assistant", "content": "It is so."}]

    def blocks(text: str) -> list[dict[str, Any]]:
        content = [{"type": "text", "text": part} for part in pieces(text, 2)]
        return [{"role": r, "content": content} for r in ("user", "assistant")]

    return {
        "a conversation": conversation(
            lambda text: [{"role": r, "content": text} for r in ("user", "tool", "assistant")]
        ),
        **{
            f"conversation {n}": conversation(partial(stuffed, messages))
            for n, messages in enumerate(said_ones)
        },
        "a conversation of calls": conversation(calls),
        "a conversation of echoes": conversation(echoes),
        "a conversation of blocks": conversation(blocks),
        "a conversation as text": conversation(str),
        "a tool's data": conversation(
            lambda text: [
                {"role": "tool", "content": [stuffed(one, text, 2) for one in tools]},
                {"role": "tool", "content": json.dumps({part: part for part in pieces(text)})},
                {"role": "assistant", "content": "It is so."},
            ]
        ),
        "nested data of a tool": conversation(
            lambda text: [
                {"role": "tool", "content": "[" * (len(text) // 4) + text},
                {"role": "assistant", "content": "It is so."},
            ]
        ),
        **{
            f"export {n}": lambda text, row=row: list(fa.Grader().grade_many([stuffed(row, text)]))
            for n, row in enumerate(exports)
        },
        "what adapters find": lambda text: shared.found_case(
            {text[:1000]: text, "question": text}, {"answer": text}, {"contexts": pieces(text)}
        ),
        "what adapters say": lambda text: (
            shared.explanation(said(text)),
            shared.facts(said(text)),
        ),
    }


# ---------------------------------------------------------------- judges


def replies(folder: Path) -> dict[str, Sink]:
    from loopback import Answer, Loopback, claude_message, completion

    def reply(policy: str, **options: Any) -> Sink:
        def judged(text: str) -> object:
            judge = ScriptedJudge([text, text, text, text])
            return fa.grade(ANSWER, CONTEXT, question="Why?", judge=judge, policy=policy, **options)

        return judged

    def entries(text: str) -> object:
        """A reply in the right form, with the text in each of its fields."""
        rows = [
            {"id": n, "evidence": [1, text], "label": label, "reason": text, "quote": text}
            for n, label in enumerate(("supported", text, "contradicted"), 1)
        ]
        judge = ScriptedJudge([json.dumps({"verdicts": rows, "note": text})])
        return fa.grade(ANSWER, CONTEXT, judge=judge, reasons=True, strict_evidence=True)

    def many_entries(text: str) -> object:
        rows = [{"id": n, "label": part} for n, part in enumerate(pieces(text), 1)]
        return fa.grade(ANSWER, CONTEXT, judge=ScriptedJudge([json.dumps({"verdicts": rows})]))

    current: list[Answer] = []

    @cache
    def server() -> Any:
        return Loopback(lambda _: current[0]).__enter__()

    def over_http(answer: Callable[[str], Answer], judge: str = "openai:m", **options: Any) -> Sink:
        def judged(text: str) -> object:
            current[:] = [answer(text)]
            url = server().root if judge == "anthropic:m" else server().url
            access = {"base_url": url, "api_key": "sk-SECRET12345678", "max_retries": 0}
            return fa.grade(ANSWER, CONTEXT, judge=judge, **access, **options)

        return judged

    def own_client(text: str) -> object:
        import openai

        current[:] = [completion(text)]
        client = openai.OpenAI(base_url=server().url, api_key="sk-SECRET12345678", max_retries=0)
        return fa.grade(ANSWER, CONTEXT, judge="openai:m", client=client)

    def error(text: str) -> Answer:
        return Answer({"error": {"message": text, "type": text, "code": text}}, 400)

    return {
        "a reply": reply("default"),
        "a reply with reasons": reply("default", reasons=True),
        "a reply of claims": reply("ragas"),
        "a reply of truths": reply("deepeval"),
        "a reply of ratings": reply("masis"),
        "a reply for each claim": reply("ragaliq"),
        "the fields of a reply": entries,
        "very many entries": many_entries,
        "a reply over HTTP": over_http(completion),
        "a reply that is kept": over_http(completion, cache=folder / "cache"),
        "an error over HTTP": over_http(error),
        "no JSON over HTTP": over_http(Answer),
        "a reply of Claude": over_http(claude_message, "anthropic:m"),
        "a reply to your client": own_client,
    }


# ---------------------------------------------------------------- results


def views() -> dict[str, Sink]:
    from faithfulness_assert.batch.rows import Line
    from faithfulness_assert.policy.describe import in_full
    from faithfulness_assert.policy.load import policy_from
    from faithfulness_assert.pytest_plugin.assertions import failure_text
    from faithfulness_assert.records.result_list import Results

    def case(text: str) -> fa.Case:
        return fa.Case(text, [{"id": text, "text": text}], text, text)

    def graded_view(text: str) -> str:
        one = case(text)
        return failure_text(fa.grade(one.answer, "It is so. " * 20, threshold=1), one)

    return {
        "pretty": lambda text: said(text).pretty(),
        "repr": lambda text: repr(said(text)),
        "to_promptfoo": lambda text: said(text).to_promptfoo("all"),
        "a notebook": lambda text: said(text)._repr_html_(),
        "a notebook of many": lambda text: Results([said(text)] * 3, [case_of(text)])._repr_html_(),
        "a frame": lambda text: fa.to_frame([said(text)]),
        "JSON": lambda text: Line.of_json(line(text).to_json()),
        "a failed test": lambda text: failure_text(said(text), case(text)),
        "a graded failed test": graded_view,
        "a policy in full": lambda text: list(
            in_full(policy_from({"guidance": text[:4000], "summary": text[:200]}))
        ),
    }


def case_of(text: str) -> dict[str, Any]:
    return {"id": text, "answer": text, "context": [text], text[:1000]: text}


def outputs(folder: Path) -> dict[str, Sink]:
    from faithfulness_assert.batch.outputs import github_annotations, write_results
    from faithfulness_assert.cli import terminal
    from faithfulness_assert.pytest_plugin.fixture import read_markers
    from faithfulness_assert.pytest_plugin.session_results import PROPERTY, SessionResults

    def output(suffix: str, lines: Callable[[str], list[Any]]) -> Sink:
        return lambda text: write_results(lines(text), folder / f"out{suffix}")

    def one(text: str) -> list[Any]:
        return [line(text, column=text[:1000])]

    def many(text: str) -> list[Any]:
        return [line(part, n, part) for n, part in enumerate(pieces(text), 1)]

    def session(text: str) -> list[str]:
        settings: Any = SimpleNamespace(report=folder / "session.html", max_tokens=0)
        results = SessionResults(settings, collecting=False)
        found = [(PROPERTY, each.to_json()) for each in (*one(text), *many(text))]
        report: Any = SimpleNamespace(user_properties=found, worker_id="", nodeid=text)
        results.pytest_runtest_logreport(report)
        results.pytest_sessionfinish(SimpleNamespace(exitstatus=0))  # type: ignore[arg-type]
        lines: list[str] = []
        terminal: Any = SimpleNamespace(section=lines.append, line=lines.append)
        results.pytest_terminal_summary(terminal)
        return lines

    def shown(results: Callable[[str], list[Any]], **options: Any) -> Sink:
        def show(text: str) -> str:
            given = case_of(text)
            one_case = fa.Case(text, [text], text, text) if given else None
            of: Callable[[int], Any] = lambda _: one_case  # noqa: E731
            rows = [each.result for each in results(text)]
            return captured(lambda: terminal.show(rows, case_of=of, **options))

        return show

    return {
        **{
            f"{name}{more}": output(suffix, lines)
            for name, suffix in (("JUnit", ".xml"), ("CSV", ".csv"), ("lines", ".jsonl"), ("Parquet", ".parquet"))
            for more, lines in (("", one), (" of many", many))
        },
        "annotations": lambda text: list(github_annotations([*one(text), *many(text)])),
        "a terminal": shown(one, as_json=False),
        "a terminal of many": shown(many, as_json=False, only_worst=True),
        "--json": shown(one, as_json=True),
        "a session of pytest": session,
        "a marker of pytest": lambda text: read_markers([SimpleNamespace(args=(), kwargs={text: text})]),
    }  # fmt: skip


def captured(run: Callable[[], object]) -> str:
    """What it writes to standard output, and then to standard error."""
    before, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    terminal = import_module("faithfulness_assert.cli.terminal")
    terminal._console.cache_clear()
    try:
        with redirect_stderr(io.StringIO()) as errors:
            run()
        sys.stdout.flush()
        return sys.stdout.buffer.getvalue().decode() + errors.getvalue()  # type: ignore[attr-defined, no-any-return]
    finally:
        sys.stdout = before
        terminal._console.cache_clear()


# ---------------------------------------------------------------- files


def readers(folder: Path) -> dict[str, Sink]:
    """Files as the text itself is their content, and with the text in a place of theirs."""
    from faithfulness_assert.policy.files import read_data
    from faithfulness_assert.report import write_report

    def config(suffix: str, before: str = "", after: str = "") -> Sink:
        return lambda text: read_data(file(folder, f"p{suffix}", before + text + after), "policy")

    def report(made: Callable[[str], str], **options: Any) -> Sink:
        def written(text: str) -> object:
            results, data = file(folder, "r.jsonl", made(text)), file(folder, "d.jsonl", case(text))
            more = {"data": data, **dict.fromkeys(options, results)}
            return write_report(results, folder / "r.html", **more)

        return written

    def case(text: str) -> str:
        return as_lines([{**case_of(text[:3000]), "answer": text}])

    def many(text: str) -> str:
        return "".join(f"{line(part, n, part).to_json()}\n" for n, part in enumerate(pieces(text)))

    return {
        **{f"{suffix} of a policy": config(suffix) for suffix in (".toml", ".yaml", ".json")},
        "a value of TOML": config(".toml", "x = "),
        "a text in TOML": config(".toml", "x = '''", "'''"),
        "a key in TOML": config(".toml", "[", "]"),
        "a value of YAML": config(".yaml", "x: "),
        "a list in YAML": config(".yaml", "x: [", "]"),
        "a text in YAML": lambda text: read_data(
            file(folder, "p.yaml", "x: |\n" + "".join(f"  {one}\n" for one in text.split("\n"))),
            "policy",
        ),
        "a key in YAML": config(".yaml", "? "),
        "a value of JSON": config(".json", '{"x": ', "}"),
        "a report": report(lambda text: f"{line(text).to_json()}\n"),
        "a report of many": report(many),
        "a report of two": report(many, other=True),
        "a report of a text": report(str),
    }


def data_sets(folder: Path) -> dict[str, Sink]:
    from faithfulness_assert.batch.data_sets import open_data_set
    from faithfulness_assert.cases.tables import Given

    def rows(source: Any, **options: Any) -> int:
        return sum(1 for _ in open_data_set(source, **options).rows())

    def of_file(suffix: str, made: Callable[[str], str], **options: Any) -> Sink:
        return lambda text: rows(file(folder, f"data{suffix}", made(text)), **options)

    def as_csv(table: list[list[str]]) -> str:
        text = io.StringIO()
        csv.writer(text).writerows(table)
        return text.getvalue()

    def whole(text: str) -> str:
        return as_csv([["id", "answer", "context", text[:1000]], [text] * 4])

    def many(text: str) -> str:
        return as_csv([["answer", "context"], *([part, f'["{part}"]'] for part in pieces(text))])

    def columns(text: str) -> str:
        names = [f"{n}{part}" for n, part in enumerate(pieces(text))]
        return as_csv([["answer", "context", *names], ["a", "b", *names]])

    def parquet(text: str) -> object:
        import pyarrow as pa
        from pyarrow.parquet import write_table

        made = pa.table({"answer": pieces(text), "context": [[part] for part in pieces(text)]})
        write_table(made, folder / "data.parquet")
        return rows(folder / "data.parquet"), rows(made)

    def frames(text: str) -> None:
        import pandas as pd
        import polars as pl

        values = {"answer": pieces(text), "context": pieces(text), "meta": pieces(text)}
        for frame in (pd.DataFrame(values), pl.DataFrame(values)):
            rows(frame)
            list(Given(frame))

    def mapped(text: str) -> object:
        row = {"a": text, "b": [{"c": part} for part in pieces(text)], text[:1000]: {"d": text}}
        return rows([row], mapping={"answer": "a", "context": "b[].c"})

    def mapping(text: str) -> object:
        return rows([{"a": text, "context": "x"}], mapping={"answer": text[:1000]})

    return {
        "lines of a data set": of_file(".jsonl", lambda text: as_lines(cases(text))),
        "a line of a data set": of_file(".jsonl", lambda text: as_lines([case_of(text)] * 2)),
        "a JSON data set": of_file(".json", lambda text: json.dumps({"results": cases(text)})),
        "one JSON record": of_file(".json", lambda text: json.dumps(case_of(text))),
        "a text as JSON": of_file(".json", lambda text: f'[{{"answer": "{text}'),
        "a text as lines": of_file(".jsonl", str),
        "a text as CSV": of_file(".csv", str),
        "a text as a cell": of_file(".csv", lambda text: f"answer,context\nx,{text}\n"),
        "a CSV data set": of_file(".csv", whole),
        "a CSV data set of many": of_file(".csv", many),
        "a CSV data set of columns": of_file(".csv", columns),
        "a list in a cell": of_file(".csv", lambda text: as_csv([["answer", "context"], ["a", f"['{text}']"]])),
        "another encoding": of_file(".csv", whole, encoding="utf-8"),
        "a workbook": lambda text: rows(workbook(folder / "data.xlsx", text)),
        "a Parquet data set": parquet,
        "tables in memory": frames,
        "a mapped record": mapped,
        "a mapping": mapping,
    }  # fmt: skip


def workbook(path: Path, text: str) -> Path:
    sys.path.append(str(ROOT / "tests" / "batch"))
    from test_excel_files import workbook as make

    clean = escape("".join(c if c.isprintable() else " " for c in text), {'"': "&quot;"})
    del clean  # its cells escape their texts themselves
    shown = "".join(c if c.isprintable() else " " for c in text)
    made: Path = make(path, {"S": [["answer", "context"], [shown, shown], *([p, p] for p in pieces(shown))]})  # fmt: skip
    return made


def runs(folder: Path) -> dict[str, Sink]:
    """Runs, and what is made of them."""
    from faithfulness_assert import batch
    from faithfulness_assert.batch.comparison import compare
    from faithfulness_assert.batch.comparison_views import as_markdown, as_text
    from faithfulness_assert.batch.estimate import estimate_run
    from faithfulness_assert.batch.finished_runs import lines_of
    from faithfulness_assert.batch.rows import Row
    from faithfulness_assert.batch.summary import Summary
    from faithfulness_assert.probe import probe

    number = count()

    def new() -> Path:
        return folder / f"run{next(number)}"

    def run(rows: list[dict[str, Any]], **options: Any) -> Path:
        directory = new()
        options = {"judge": "embedded", "progress": False, **options}
        batch.run(rows, directory, **options)
        return directory

    def summary(text: str) -> str:
        found = Summary()
        for n, part in enumerate(pieces(text), 1):
            found.add(line(part, n))
        return found.text() + "".join(found.errors.lines())

    def errors(text: str) -> str:
        found = Summary()
        for part in pieces(text):
            result = fa.grade(ANSWER, CONTEXT, judge=ScriptedJudge([JudgeError(part, "server")]))
            found.add(line(part)._replace(result=result))
        return found.text() + "".join(found.errors.lines())

    def compared(before: list[Any], after: list[Any]) -> str:
        names = [
            file(folder, f"{name}.jsonl", "".join(f"{each.to_json()}\n" for each in lines))
            for name, lines in (("before", before), ("after", after))
        ]
        found = compare(*map(lines_of, names), names=("a", "b"), abouts=({}, {}), min_graded=0)
        return as_text(found) + as_markdown(found)

    def merged(text: str) -> object:
        half = len(text) // 2
        return batch.merge([run(cases(text[:half])), run(cases(text[half:]))], new())

    def changed(text: str) -> object:
        directory = run(cases(text))
        others = [{**row, "answer": "Another one."} for row in reversed(cases(text))]
        given: dict[str, Any] = {"judge": "embedded", "progress": False}
        return batch.run(others, directory, regrade_changed=True, **given)

    def probed(text: str) -> str:
        card = probe(ScriptedJudge([text], name=text), per_kind=1)
        return json.dumps(card.to_json()) + card.to_markdown() + "".join(card.notes())

    return {
        "a run": lambda text: run(cases(text)),
        "a run of one case": lambda text: run([case_of(text)]),
        "a run that goes on": changed,
        "rescore": lambda text: batch.rescore(
            run(cases(text)), new(), threshold=0.5, weights={"partially_supported": 0.1}
        ),
        "merge": merged,
        "a summary": summary,
        "a summary of errors": errors,
        "compare": lambda text: compared([line("x")], [line(text), line("x")]),
        "compare many": lambda text: compared(
            [line(f"{n}{part}", n) for n, part in enumerate(pieces(text))],
            [line(f"{n}{part}", n)._replace(result=usual()) for n, part in enumerate(pieces(text))],
        ),
        "estimate": lambda text: estimate_run(
            [Row(1, text, {"answer": text, "context": text})], judge="openai:gpt-4o"
        ),
        "probe": probed,
    }


def configs(folder: Path) -> dict[str, Sink]:
    """Settings, options and policies."""
    from faithfulness_assert import settings
    from faithfulness_assert.options import parse_options
    from faithfulness_assert.policy.load import load_policy, policy_from
    from faithfulness_assert.text.strings import one_line

    def project(table: str) -> Sink:
        def read(text: str) -> object:
            home = folder / "project"
            home.mkdir(exist_ok=True)
            file(home, "pyproject.toml", table.format(text))
            settings.forget()
            return settings._of_folder(str(home))

        return read

    return {
        "settings": project("[tool.faithfulness_assert]\n{}"),
        "a value of settings": project("[tool.faithfulness_assert]\njudge = '''{}'''"),
        "a whole pyproject.toml": project("{}"),
        "a policy": lambda text: load_policy(file(folder, "q.yaml", f"guidance: {json.dumps(text[:4000])}")),
        "fields of a policy": lambda text: policy_from({"guidance": text[:4000], "labels": {"fine": "supported", one_line(text)[:60]: "supported"}}),
        "examples of a policy": lambda text: policy_from({"examples": [{"statement": text, "context": text, "label": "supported"}]}),
        "an unknown field of a policy": lambda text: policy_from({text: text}),
        "an option's value": lambda text: parse_options([f"guidance={text}"], "-o"),
        "an option's name": lambda text: parse_options([f"{text}=1"], "-o"),
        "an option": lambda text: fa.Grader("embedded", language=text),
        "a judge's name": lambda text: fa.Grader(text),
        "a policy's name": lambda text: fa.Grader("embedded", text),
    }  # fmt: skip


# ---------------------------------------------------------------- promptfoo, commands


def promptfoo(folder: Path) -> dict[str, Sink]:
    from faithfulness_assert.promptfoo import get_assert, grade, worker
    from faithfulness_assert.promptfoo.eval_end import told
    from faithfulness_assert.promptfoo.migrate import migrate_file
    from faithfulness_assert.promptfoo.worker_process import protocol

    judge = {"judge": "embedded"}

    def asserted(context: Callable[[str], dict[str, Any]]) -> Sink:
        return lambda text: get_assert(text, {"config": judge, **context(text)})

    def migrated(text: str) -> str:
        home = folder / "migrated"
        home.mkdir(exist_ok=True)
        return migrate_file(str(file(home, "c.yaml", text)))

    def in_config(form: str) -> Sink:
        return lambda text: migrated(form.replace("TEXT", json.dumps(text)))

    def every(text: str) -> str:
        tests = "".join(
            f"  - description: {json.dumps(part)}\n    assert:\n      - type: context-faithfulness\n"
            f"        threshold: 0.5 # {n}\n"
            for n, part in enumerate(pieces(text, 150))
        )
        return migrated(f"tests:\n{tests}")

    def shared(text: str) -> str:
        one = f"x: &a {{type: context-faithfulness, transform: {json.dumps(text)}}}\n"
        return migrated(f"{one}tests:\n  - assert: [{', '.join(['*a'] * (len(text) // 60))}]\n")

    def ended(text: str) -> list[str]:
        grade = said(text).to_promptfoo("all")
        result = {"gradingResult": {"componentResults": [grade]}, "vars": {"query": text}}
        return told([{"results": [result] * 3}], 20)

    def hooked(text: str) -> str:
        grade = said(text).to_promptfoo("all")
        context = {"results": [{"gradingResult": {"componentResults": [grade]}}]}
        with redirect_stderr(io.StringIO()) as written:
            worker("afterAll", context)
        return written.getvalue()

    def message(text: str) -> bytes:
        one, other = socket.socketpair()
        with one, other:
            sending = threading.Thread(target=protocol.send, args=(one, text.encode()))
            sending.start()
            received = protocol.receive(other)
            sending.join()
        return received

    return {
        "an assertion": asserted(lambda text: {"vars": {"context": text, "query": text}}),
        "an assertion's variables": asserted(lambda text: {"vars": dict.fromkeys(pieces(text, 8), text)}),
        "an assertion's path": asserted(lambda text: {"vars": {"a": text}, "config": {**judge, "contextFrom": text[:900]}}),
        "an assertion's config": asserted(lambda text: {"vars": {"context": text}, "config": {**judge, text: text}}),
        "an assertion's metadata": asserted(lambda text: {"metadata": {"context": pieces(text)}, "providerResponse": {"raw": text}}),
        "the end of an eval": ended,
        "the hook after an eval": hooked,
        "an assertion of JavaScript": lambda text: grade(text, {"vars": {"context": text}, "config": judge, "assertionType": "javascript"}),
        "a message to the worker": message,
        "a config of promptfoo": migrated,
        "texts in a config of promptfoo": in_config(
            "description: TEXT\ntests:\n  - description: TEXT\n    assert:\n      - type: context-faithfulness\n"
            "        contextTransform: TEXT\n        transform: TEXT\n        metric: TEXT\n        provider: TEXT\n"
        ),
        "braces in a config of promptfoo": in_config(
            "tests: [{description: TEXT, assert: [{type: context-faithfulness, provider: {id: TEXT, config: {apiBaseUrl: TEXT, apiKey: TEXT}}}]}]"
        ),
        "very many assertions": every,
        "very many assertions on Macs of old": lambda text: migrated(
            "tests:\r" + "".join(f"  - assert:\r      - type: context-faithfulness # {part!a}\r" for part in pieces(text, 150))
        ),
        "an assertion with aliases": shared,
    }  # fmt: skip


def commands(folder: Path) -> dict[str, Sink]:
    """The commands, in this process."""

    made = Commands(folder)
    run, after_run = made.run, made.after_run

    def result(text: str) -> str:
        return f"{line(text).to_json()}\n"

    def config(text: str) -> str:
        return f"tests: [{{description: {text!a}, assert: [{{type: context-faithfulness}}]}}]"

    def policy(text: str) -> str:
        return json.dumps({"guidance": text, "summary": text})

    return {
        "command grade": run("grade", "{cli}", "--judge", "embedded", "--all", cli=data),
        "command grade --json": run("grade", "{cli}", "--judge", "embedded", "--json", cli=data),
        "command estimate": run("estimate", "{cli}", "--judge", "openai:gpt-4o", cli=data),
        "command batch": after_run("report", "ONE", "-o", "{folder}/c.html"),
        "command rescore": after_run("rescore", "ONE", "--run", "TWO", "--threshold", "0.5"),
        "command merge": made.merged,
        "command compare": after_run("compare", "ONE", "ONE"),
        "command compare --recheck": made.rechecked,
        "command report": run("report", "{cli}", "-o", "{folder}/c.html", cli=result),
        "command compare --markdown": run("compare", "{cli}", "{cli}", "--markdown", cli=result),
        "command batch --via files": made.exported,
        "command policies": lambda text: made.words("policies", file(folder, "p.json", policy(text))),
        "command init --from": lambda text: made.words("init", "--from", file(folder, "c.yaml", config(text))),
        "words of a command": lambda text: made.words("grade", text, f"--{text}", "--map", text),
    }  # fmt: skip


def data(text: str) -> str:
    """A data set for a command."""
    return as_lines([case_of(text), *cases(text[:240])])


class Commands:
    """Runs commands, each on files and directories of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.number = folder, count(1)

    def words(self, *words: str) -> str:
        """What a command shows."""
        app = import_module("faithfulness_assert.cli.app")
        return captured(lambda: app._run(list(words)))

    def run(self, *words: str, **files: Callable[[str], str]) -> Sink:
        """A command whose words name these files."""

        def command(text: str) -> str:
            paths = {n: file(self.folder, f"{n}.jsonl", made(text)) for n, made in files.items()}
            return self.words(*(word.format(**paths, folder=self.folder) for word in words))

        return command

    def after_run(self, *words: str) -> Sink:
        """A command on a run."""

        def command(text: str) -> str:
            at = next(self.number)
            one, two = (str(self.folder / f"command{at}{end}") for end in "ab")
            self.run("batch", "{cli}", "--run", one, *BATCH, cli=data)(text)
            named = (word.replace("ONE", one).replace("TWO", two) for word in words)
            return self.run(*named)("")

        return command

    def rechecked(self, text: str) -> str:
        words = ("compare", "ONE", "ONE", "--recheck", "1", "--judge", "embedded", "--data")
        return str(self.after_run(*words, file(self.folder, "again.jsonl", data(text)))(text))

    def merged(self, text: str) -> str:
        at = next(self.number)
        shards = [str(self.folder / f"shard{at}{end}") for end in "ab"]
        for n, shard in enumerate(shards):
            rows = as_lines([{**row, "id": f"{n}{row['id']}"} for row in cases(text)])
            given = file(self.folder, f"shard{n}.jsonl", rows)
            self.words("batch", given, "--run", shard, *BATCH)
        return self.words("merge", *shards, "--run", str(self.folder / f"merged{at}"))

    def exported(self, text: str) -> str:
        directory = self.folder / f"export{next(self.number)}"
        given = file(self.folder, "export.jsonl", data(text))
        self.words("batch", given, "--via", "files", "--run", str(directory), "--judge", "openai:m")
        shown = ""
        for rounds in (1, 2, 3):
            asks = directory / "rounds" / f"{rounds:03}"
            if asks.is_dir():
                answers = file(self.folder, "answers.jsonl", _answers(asks, text))
                shown += self.words("batch", "--run", str(directory), "--replies", answers)
        return shown


def _answers(asks: Path, text: str) -> str:
    """The answers of a batch API to the asks in a folder, each the text."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    response = {"status_code": 200, "body": {"choices": [choice]}}
    asked = (each for path in asks.glob("*.jsonl") for each in path.read_text("utf-8").splitlines())
    return as_lines(
        [{"custom_id": json.loads(a)["custom_id"], "response": response} for a in asked]
    )
