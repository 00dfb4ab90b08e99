"""The public entrances for texts of others, and what shows such texts: each by name, as a function of one text."""

import csv
import io
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from importlib import import_module
from pathlib import Path
from typing import Any

from fakes import ScriptedJudge, TruthfulJudge
from report_pages import a_line

import faithfulness_assert as fa
from faithfulness_assert.batch.outputs import github_annotations, write_results
from faithfulness_assert.batch.rows import Line
from faithfulness_assert.batch.summary import Summary
from faithfulness_assert.cases.sources import open_data_set
from faithfulness_assert.policy.parsing import read_data
from faithfulness_assert.promptfoo import get_assert
from faithfulness_assert.pytest_plugin.assertions import failure_text
from faithfulness_assert.records.judge import Limits
from faithfulness_assert.report import write_report

Sink = Callable[[str], object]
CONTEXT = "The tower is 330 metres tall. It was built in 1889. The ticket costs 12 euros."
ANSWER = "The tower is tall [1]. It was built in 1889. It costs 12 euros."
ROW_SIZE = 150
"""Characters of a row, where a text becomes the rows of a data set."""
MANY = 20 * ROW_SIZE
"""So much of a text becomes rows, where each of them is graded."""


# ---------------------------------------------------------------- texts in their places


def pieces(text: str, size: int = ROW_SIZE) -> list[str]:
    """The text in parts."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def case(text: str) -> dict[str, Any]:
    """A record that says the text in every field."""
    return {"id": text, "answer": text, "context": [text], text[:1000]: text}


def cases(text: str) -> list[dict[str, Any]]:
    """A case for each part of a text."""
    return [
        {"id": f"{n}{part}", "answer": f"It is {part}.", "context": part, "column": part}
        for n, part in enumerate(pieces(text), 1)
    ]


def result_saying(text: str) -> fa.GradingResult:
    """A result that says the text wherever a result says something."""
    data = fa.grade(ANSWER, CONTEXT).model_dump()
    data |= {**dict.fromkeys(("case_id", "judge", "policy"), text), "reason": f"It says {text}"}
    data["metadata"] = {"warnings": [text], "judgeNote": text, text[:1000]: text}
    for verdict in data["verdicts"]:
        verdict |= {"statement": text, "reason": text, "label": "contradicted"}
        for evidence in verdict["evidence"]:
            evidence |= {"text": text, "passage": text}
    return fa.GradingResult.model_validate({**data, "pass": False})


def line(text: str, number: int = 1) -> Line:
    """A line of results that says the text."""
    return Line(text, number, "", {text[:1000]: text}, result_saying(text))


def lines(text: str) -> list[Line]:
    """One that says all of a text, and one for each part of its beginning."""
    parts = pieces(text[:MANY])
    return [line(text), *(line(part, n) for n, part in enumerate(parts, 2))]


def as_json_lines(rows: list[Any]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


# ---------------------------------------------------------------- texts in


def grading() -> dict[str, Sink]:
    """What takes an answer, a context, a question or a conversation."""
    judge = TruthfulJudge(lambda _: "not_enough_info")
    windows = TruthfulJudge(judge.label, Limits(prompt_tokens=2000))
    roles = ("tool", "user", "last_user", "system")

    def conversation(text: str) -> fa.Case:
        calls: list[dict[str, Any]] = []
        for n, part in enumerate(pieces(text)):
            call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": part}}
            calls.append({"role": "assistant", "content": part, "tool_calls": [call]})
            calls.append({"role": "tool", "tool_call_id": "c", "content": f"{n} {part}"})
        ends = [{"role": role, "content": text} for role in ("tool", "assistant")]
        return fa.Case(
            messages=[{"role": "user", "content": text}, *calls, *ends], evidence_roles=roles
        )

    return {
        "split_statements": fa.split_statements,
        "audit_citations": lambda text: fa.audit_citations(text, ["1", "doc-1", "a_1"]),
        "audit_citations of ids": lambda text: fa.audit_citations(ANSWER, text.split()[:5000]),
        "is_refusal": fa.is_refusal,
        "read_verdicts": lambda text: fa.read_verdicts(text, 3),
        "an answer": lambda text: fa.grade(text, CONTEXT),
        "a context": lambda text: fa.grade(ANSWER, text),
        "an answer and its context": lambda text: fa.grade(text, text, judge=judge),
        "passages": lambda text: fa.grade(
            ANSWER, [{"text": part, "id": part} for part in pieces(text)], citations="audit"
        ),
        "an answer in windows": lambda text: fa.grade(text, text, judge=windows),
        "a context with controls": lambda text: fa.grade(
            ANSWER, text, judge=judge, controls="enforce", seed=1
        ),
        "a question": lambda text: fa.grade(ANSWER, CONTEXT, question=text, judge=judge),
        "claims": lambda text: fa.grade(text, CONTEXT, judge=judge, policy="ragas"),
        "truths": lambda text: fa.grade(ANSWER, text, judge=judge, policy="deepeval"),
        "ratings": lambda text: fa.grade(text, text, judge=judge, policy="masis"),
        "many cases": lambda text: list(fa.Grader().grade_many([case(text), *cases(text[:MANY])])),
        "a conversation": conversation,
        "a conversation as text": lambda text: fa.grade(messages=text),
        "an assertion of promptfoo": lambda text: get_assert(
            text, {"vars": {"context": text, "query": text}, "config": {"judge": "embedded"}}
        ),
    }


def replies() -> dict[str, Sink]:
    """What a judge says."""

    def reply(text: str, **options: Any) -> object:
        judge = ScriptedJudge([text] * 4)
        return fa.grade(ANSWER, CONTEXT, question="Why?", judge=judge, **options)

    def entries(text: str) -> object:
        rows = [
            {"id": n, "evidence": [1, text], "label": label, "reason": text, "quote": text}
            for n, label in enumerate(("supported", text, "contradicted"), 1)
        ]
        return reply(json.dumps({"verdicts": rows, "note": text}), reasons="all")

    def many(text: str) -> object:
        rows = [{"id": n, "label": part} for n, part in enumerate(pieces(text), 1)]
        return reply(json.dumps({"verdicts": rows}))

    def error(text: str) -> object:
        judge = ScriptedJudge([fa.JudgeError(text, "server")])
        return fa.grade(ANSWER, CONTEXT, judge=judge)

    return {
        "a reply": reply,
        "a reply with reasons": lambda text: reply(text, reasons="all"),
        "a reply of claims": lambda text: reply(text, policy="ragas"),
        "a reply of truths": lambda text: reply(text, policy="deepeval"),
        "a reply of ratings": lambda text: reply(text, policy="masis"),
        "the fields of a reply": entries,
        "many entries": many,
        "an error of a judge": error,
    }


def reading(folder: Path) -> dict[str, Sink]:
    """Data sets, policies and results in files."""

    def file(name: str, text: str) -> Path:
        path = folder / name
        path.write_text(text, encoding="utf-8", errors="replace", newline="")
        return path

    def rows(suffix: str, made: Callable[[str], str]) -> Sink:
        return lambda text: list(open_data_set(str(file(f"data{suffix}", made(text)))).rows())

    def config(suffix: str, before: str = "", after: str = "") -> Sink:
        return lambda text: read_data(str(file(f"p{suffix}", before + text + after)), "policy")

    def table(text: str) -> str:
        parts = pieces(text)
        made = io.StringIO()
        csv.writer(made).writerows([["answer", "context", *parts], ["a", text, *parts]])
        return made.getvalue()

    def report(text: str) -> object:
        given = {**case(text[:3000]), "answer": text}
        found = "".join(a_line(json.loads(each.to_json()), given) for each in lines(text))
        return write_report(str(file("r.jsonl", found)), folder / "r.html")

    return {
        "lines of a data set": rows(".jsonl", lambda text: as_json_lines([case(text), *cases(text)])),
        "a JSON data set": rows(".json", lambda text: json.dumps({"results": cases(text)})),
        "a text as JSON": rows(".json", lambda text: f'[{{"answer": "{text}'),
        "a text as lines": rows(".jsonl", str),
        "a text as CSV": rows(".csv", str),
        "a CSV data set": rows(".csv", table),
        **{f"{suffix} of a policy": config(suffix) for suffix in (".toml", ".yaml", ".json")},
        "a value of TOML": config(".toml", "x = "),
        "a list in YAML": config(".yaml", "x: [", "]"),
        "a report": report,
        "a report of a text": lambda text: write_report(str(file("t.jsonl", text)), folder / "t.html"),
    }  # fmt: skip


# ---------------------------------------------------------------- texts out


def shown(folder: Path) -> dict[str, Sink]:
    """What shows or writes results, and commands in this process."""

    def written(suffix: str) -> Sink:
        return lambda text: write_results(lines(text), folder / f"out{suffix}")

    def failed(text: str) -> str:
        return failure_text(
            result_saying(text), fa.Case(text, [{"id": text, "text": text}], text, text)
        )

    def summary(text: str) -> str:
        found = Summary()
        for part in pieces(text[:MANY]):
            judge = ScriptedJudge([fa.JudgeError(part, "server")])
            found.add(fa.grade(ANSWER, CONTEXT, id=part, judge=judge))
        return found.text() + "".join(found.error_lines())

    def command(*words: str, file: Callable[[str], str] = str) -> Sink:
        """A command, whose words may name a file that is made of the text."""

        def run(text: str) -> str:
            path = folder / f"{words[0]}.{'yaml' if words[0] == 'init' else 'jsonl'}"
            path.write_text(file(text), encoding="utf-8", errors="replace")
            given = [word.format(file=path, text=text, folder=folder) for word in words]
            app = import_module("faithfulness_assert.cli.app")
            return captured(lambda: app._run(given))

        return run

    def data(text: str) -> str:
        return as_json_lines([case(text), *cases(text[:MANY])])

    def results(text: str) -> str:
        return "".join(f"{each.to_json()}\n" for each in lines(text))

    def policy(text: str) -> str:
        return f"tests: [{{description: {text!a}, assert: [{{type: context-faithfulness}}]}}]"

    return {
        "pretty": lambda text: result_saying(text).pretty(),
        "to_promptfoo": lambda text: result_saying(text).to_promptfoo("all"),
        "a notebook": lambda text: result_saying(text)._repr_html_(),
        "a failed test": failed,
        "a summary of errors": summary,
        "annotations": lambda text: list(github_annotations(lines(text))),
        "JUnit": written(".xml"),
        "CSV": written(".csv"),
        "command grade": command("grade", "{file}", "--judge", "embedded", file=data),
        "command grade --all": command("grade", "{file}", "--judge", "embedded", "--all", file=data),
        "command grade --json": command("grade", "{file}", "--judge", "embedded", "--json", file=data),
        "command estimate": command("estimate", "{file}", "--judge", "embedded", file=data),
        "command compare": command("compare", "{file}", "{file}", file=results),
        "command compare --markdown": command("compare", "{file}", "{file}", "--markdown", file=results),
        "command report": command("report", "{file}", "-o", "{folder}/c.html", file=results),
        "command init --from": command("init", "--from", "{file}", file=policy),
        "words of a command": command("grade", "{text}", "--{text}", "--map", "{text}"),
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
        return sys.stdout.buffer.getvalue().decode() + errors.getvalue()
    finally:
        sys.stdout = before
        terminal._console.cache_clear()
