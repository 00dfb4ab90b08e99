"""More of what takes a text of others: judges on this machine, names of judges, and labels of people.

See ``growth_sinks.py``, which has the rest.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

from fakes import ScriptedJudge
from growth_sinks import (
    ANSWER,
    CONTEXT,
    YES,
    Commands,
    Sink,
    as_lines,
    cases,
    file,
    pieces,
    said,
    usual,
)

import faithfulness_assert as fa

MARKS = {"it": [0.0, 2.0], "tower": [3.0, 0.0], "x": [0.0, 5.0]}
"""Words of a model that labels tokens: supported, or not."""
KINDS = {"it": [0.0, 2.0, 0.0], "tower": [3.0, 0.0, 0.0], "x": [0.0, 0.0, 5.0]}
FEW = 40
"""Answers of a sheet that have nothing to do with the text: it must have 30."""


# ---------------------------------------------------------------- judges


def checkers(folder: Path) -> dict[str, Sink]:
    """Judges that were trained to check, here and behind a server."""
    from tiny_models import tiny_model

    from faithfulness_assert.asking.document_claim import document_claim
    from faithfulness_assert.judges.claims_judge import TwoJudges
    from faithfulness_assert.judges.local import LocalJudge

    @cache
    def labels() -> LocalJudge:
        return local("labels", KINDS)

    @cache
    def tokens() -> LocalJudge:
        kind = "BertForTokenClassification"
        return local("tokens", MARKS, kind=kind, labels=None, family="lettucedetect")

    def local(name: str, vectors: dict[str, list[float]], **made: Any) -> LocalJudge:
        options = {key: made.pop(key) for key in ("family", "label_order") if key in made}
        model = tiny_model(folder / name, vectors, **made)
        return LocalJudge(model.removeprefix("local:"), device="cpu", **options)

    def config(text: str) -> object:
        """A model whose config says the text wherever it says something."""
        given = {"family": "pair", "label_order": "contradicted,supported,not_enough_info"}
        told: dict[str, Any] = {"labels": (text, f"{text}1", f"{text}2"), "model_type": text}
        return local("config", KINDS, kind=text, **told, **given, **{text[:1000]: text})

    @cache
    def ask() -> Any:
        judge = ScriptedJudge(["{}"])
        fa.grade("It is so.", CONTEXT, judge=judge)
        return judge.asked[0]

    def claim(text: str) -> object:
        payload = replace(ask().payload, items=((1, text),), sentences=((1, text), (2, text)))
        return document_claim(replace(ask(), payload=payload))

    def outputs(names: Callable[[str], tuple[str, ...]]) -> Sink:
        return lambda text: local("names", KINDS, labels=names(text))

    return {
        "an answer, a local judge": lambda text: fa.grade(text, CONTEXT, judge=labels()),
        "a context, a local judge": lambda text: fa.grade(ANSWER, text, judge=labels()),
        "an answer, marked tokens": lambda text: fa.grade(text, CONTEXT, judge=tokens()),
        "a long statement, marked tokens": lambda text: fa.grade(
            text.replace(".", "").replace("。", "")[:200] + ".", text, judge=tokens(), reasons=True
        ),
        "a question, marked tokens": lambda text: fa.grade(
            ANSWER, CONTEXT, question=text, judge=tokens()
        ),
        "a local model's config": config,
        "a local model's labels": outputs(lambda text: (text, "entailment", text)),
        "two judges": lambda text: fa.grade(
            text, CONTEXT, judge=TwoJudges(labels(), YES), policy="ragas"
        ),
        "a document and a claim": claim,
    }


def cards(folder: Path) -> dict[str, Sink]:
    """Cards of judges whose names are texts of others."""
    from faithfulness_assert.probe import compare_cards, probe
    from faithfulness_assert.report import write_probe_report

    def side_by_side(text: str) -> str:
        card = probe(ScriptedJudge(["No."], name=text), per_kind=1)
        both = compare_cards(card, card)
        write_probe_report(card, folder / "card.html")
        write_probe_report(both, folder / "cards.html")
        return json.dumps(both.to_json()) + both.to_markdown()

    return {"cards side by side": side_by_side}


# ---------------------------------------------------------------- labels


def labels(folder: Path) -> dict[str, Sink]:
    """Sheets that people label."""
    from faithfulness_assert.agreement.judged import open_run
    from faithfulness_assert.agreement.labels import read_labels

    made = Commands(folder)

    @cache
    def of_a_run() -> tuple[Any, list[dict[str, Any]]]:
        run, written = drawn(folder, made, "x", ".csv")
        return open_run(run), filled(written)

    def sheet(name: str, **changed: Callable[[str], str]) -> Sink:
        """A sheet with a text in some of its columns, in each row."""

        def read(text: str) -> object:
            run, rows = of_a_run()
            rows = [{**row, **{c: of(text) for c, of in changed.items()}} for row in rows]
            return read_labels(file(folder, name, as_table(rows)), run)

        return read

    def part(text: str) -> str:
        return text[: max(len(text) // 30, 1)]

    shown = dict.fromkeys(("question", "context", "answer", "evidence", "comment", "more"), part)

    def random(text: str) -> object:
        rows = [
            {"id": f"{n}{each}", "label": "faithful", "answer": each, "label_2": ""}
            for n, each in enumerate(pieces(text))
        ]
        return read_labels(file(folder, "random.csv", as_table(rows)), of_a_run()[0], random=True)

    def agreed(text: str) -> str:
        run, written = drawn(folder, made, text, ".csv")
        written.write_text(as_table(filled(written)), encoding="utf-8")
        page = str(folder / "agreement.html")
        return made.words("agreement", str(written), run, "--markdown", "--report", page)

    return {
        "command label": lambda text: drawn(folder, made, text, ".jsonl"),
        "command agreement": agreed,
        "the texts of a sheet": sheet("sheet.csv", **shown),
        "how a sheet was drawn": sheet("sheet.csv", drawn=part),
        "the ids of a sheet": sheet("sheet.csv", case_id=part),
        "the labels of a sheet": sheet("sheet.csv", label=part),
        "a sheet of a random sample": random,
        "a sheet": lambda text: read_labels(file(folder, "sheet.csv", text), of_a_run()[0]),
    }  # fmt: skip


def drawn(folder: Path, made: Commands, text: str, suffix: str) -> tuple[str, Path]:
    """Results that say a text, and a sheet with all of their answers."""
    from faithfulness_assert.batch.data_sets import open_data_set
    from faithfulness_assert.batch.rows import Line, digest

    few = [{"id": f"few{n}", "answer": ANSWER, "context": CONTEXT} for n in range(FEW)]
    long = {"id": text, "answer": text, "context": text, "question": text}
    data = file(folder, "labelled.jsonl", as_lines([*few, long, *cases(text)]))
    lines = [
        Line(row.case_id, n, digest(row), {}, said(row.fields["context"]) if n > FEW else usual())
        for n, row in enumerate(open_data_set(data).rows(), 1)
    ]
    run = file(folder, "labelled_results.jsonl", "".join(f"{each.to_json()}\n" for each in lines))
    written = folder / f"labelled{next(made.number)}{suffix}"
    made.words("label", run, "-o", str(written), "--n", "10000", "--data", data)
    return run, written


def filled(sheet: Path) -> list[dict[str, Any]]:
    """The rows of a sheet with both labels."""
    with sheet.open(encoding="utf-8-sig", newline="") as opened:
        rows: list[dict[str, Any]] = list(csv.DictReader(opened))
    names = "faithful", "unfaithful"
    return [{**row, "label": names[crc32(row["case_id"].encode()) % 3 > 0]} for row in rows]


def as_table(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
