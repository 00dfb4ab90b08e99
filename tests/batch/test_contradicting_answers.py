"""Several lines for one ask of a batch: what they do not agree on earns nothing, in any order."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from batch_server import Batch, BatchServer, Body
from remote import bare_environment
from test_provider_batches import VIAS, begun, cases, collected, judge_of, online, results

from faithfulness_assert.batch.data_sets import open_data_set
from faithfulness_assert.batch.provider_batches import submit
from faithfulness_assert.batch.run_directory import RunDirectory
from faithfulness_assert.batch.summary import DIFFERING, Summary
from faithfulness_assert.records.usage import Usage


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)


def turned(text: str) -> str:
    """A reply that says the opposite of its last verdict."""
    data = json.loads(text)
    last = data["verdicts"][-1]
    last["label"] = "contradicted" if last["label"] == "supported" else "supported"
    return json.dumps(data)


class Contradicting(BatchServer):
    """Sends other lines for every second ask, and all of later rounds: ``said`` makes their texts."""

    def __init__(self, said: Any, *, first: bool, until: int = 99) -> None:
        super().__init__(looks=0)
        self.said, self.first, self.until = said, first, until
        self.extra: Counter[str] = Counter()

    def outputs(self, batch: Batch, path: str) -> tuple[list[Body], list[Body]]:
        good, bad = super().outputs(batch, path)
        lines: list[Body] = []
        for line in good:
            number, place, _ = line["custom_id"].split("-")
            more: list[Body] = []
            if (int(place) % 2 == 0 or int(number) > 1) and int(number) <= self.until:
                more = [self._other(line, text) for text in self.said(_text(line))]
            lines += [*more, line] if self.first else [line, *more]
        return lines, bad

    def _other(self, line: Body, text: str) -> Body:
        line = json.loads(json.dumps(line))
        body = line["response"]["body"]
        for name, count in body["usage"].items():
            self.extra[{"input_tokens": "prompt_tokens"}.get(name, name)] += count
        self.extra["asks"] += 1
        if "choices" in body:
            body["choices"][0]["message"]["content"] = text
        else:
            body["content"][0]["text"] = text
        return line


def _text(line: Body) -> str:
    body = line["response"]["body"]
    if "choices" in body:
        return str(body["choices"][0]["message"]["content"])
    return str(body["content"][0]["text"])


def spent(directory: RunDirectory) -> Usage:
    return sum((line.result.tokens_used for line in directory.lines()), Usage())


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("via", VIAS)
def test_a_statement_about_which_two_lines_differ_is_open_in_either_order(
    tmp_path: Path, via: str, first: bool
) -> None:
    """All else is as in a run that nothing disturbed, and both lines are paid for."""
    with Contradicting(lambda text: [turned(text)], first=first) as server:
        directory = RunDirectory(tmp_path / "run")
        standing = submit(open_data_set(cases(8)), directory, via, **judge_of(via, server))
        billed = server.billed + server.extra
        undisturbed = online(8, via, server)
    used, found, summary = spent(directory), results(directory), Summary()
    assert (used.num_requests, used.prompt) == (billed["asks"], billed["prompt_tokens"])
    for name, right in undisturbed.items():
        if int(name.split()[1]) % 2 == 0:  # every second ask is of an odd case
            assert found[name] == right
            continue
        labels = [verdict.label for verdict in found[name].verdicts]
        assert labels == [right.verdicts[0].label, None]
        assert not found[name].pass_
        assert (found[name].score or 0) <= (right.score or 0)
        assert DIFFERING in found[name].warnings
    for line in directory.lines():
        summary.add(line)
    assert summary.differing == 4
    assert f"4 cases: {DIFFERING}" in summary.text()
    assert any("4 asks with several answers that are not the same" in s for s in standing.said)


@pytest.mark.parametrize("policy", ["ragas", "masis"])
@pytest.mark.parametrize("via", VIAS)
def test_an_ask_whose_lines_cannot_be_read_in_a_row_is_sent_again(
    tmp_path: Path, via: str, policy: str
) -> None:
    def other(text: str) -> list[str]:
        name = json.loads(text).get("ask")
        return [json.dumps({"ask": name, "claims": ["Shops are shut."], "faithfulness": 0.0})]

    with Contradicting(other, first=True, until=1) as server:
        directory = begun(tmp_path, via, server, 6, policy=policy)
        collected(directory)
        right = online(6, via, server, policy=policy)
    found = results(directory)
    assert {name: (r.score, r.status) for name, r in found.items()} == {
        name: (r.score, r.status) for name, r in right.items()
    }
    assert sum(DIFFERING in result.warnings for result in found.values()) == 3


@pytest.mark.parametrize("via", VIAS)
@pytest.mark.parametrize(("lines", "paid"), [(1, 2), (7, 8), (8, 9), (30, 9)])
def test_however_many_lines_agree_one_that_does_not_is_heard(
    tmp_path: Path, via: str, lines: int, paid: int
) -> None:
    """Lines that are the same are one answer; of lines that differ too many are not believed."""

    def said(text: str) -> list[str]:
        return [*(text + " " * n for n in range(1, lines)), turned(text)]

    with Contradicting(said, first=False) as server:
        directory = begun(tmp_path, via, server, 1)
        collected(directory)
    [result] = results(directory).values()
    assert not result.pass_
    assert not result.verdicts or result.verdicts[-1].label is None
    used = spent(directory)
    assert used.num_requests >= paid


@pytest.mark.parametrize("via", VIAS)
def test_a_line_that_is_there_again_changes_nothing(tmp_path: Path, via: str) -> None:
    with Contradicting(lambda text: [text] * 20, first=True) as server:
        directory = begun(tmp_path, via, server, 4)
        collected(directory)
        billed = Counter(server.billed)
        assert results(directory) == online(4, via, server)
    assert spent(directory).prompt == billed["prompt_tokens"]
