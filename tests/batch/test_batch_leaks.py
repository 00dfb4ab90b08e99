"""Whatever the server of a batch API sends back, no key gets into a run, its outputs or another server."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from batch_server import BatchServer, Body, truthful
from loopback import Answer, Loopback
from remote import bare_environment
from test_provider_batches import VIAS, cases

from faithfulness_assert.cli import main

KEY = "sk-proj-0123456789abcdefXYZ"


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)


def command(*words: str) -> int:
    """The command in this process, so that all its logs are seen."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["faithfulness-assert", *words])
        with pytest.raises(SystemExit) as end:
            main()
    return int(str(end.value.code))


def kept(run: Path) -> str:
    """All that a run and its outputs have on disk."""
    return "".join(file.read_bytes().decode("latin-1") for file in run.rglob("*") if file.is_file())


class Echoing(BatchServer):
    """Has the key somewhere in its answers: ``where`` names the field."""

    def __init__(self, where: str) -> None:
        super().__init__(model=self.model_with_key, refuse=self.refused)
        self.where = where

    def model_with_key(self, path: str, body: Body) -> tuple[int, Body]:
        status, answer = truthful(path, body)
        if self.where == "reply":
            answer = json.loads(
                json.dumps(answer).replace('\\"label\\"', f'\\"reason\\":\\"{KEY}\\",\\"label\\"')
            )
        if self.where in ("end", "model", "id"):
            inner = answer["choices"][0] if "choices" in answer else answer
            names = {"end": "finish_reason" if "choices" in answer else "stop_reason"}
            (inner if self.where == "end" else answer)[names.get(self.where, self.where)] = KEY
        return status, answer

    def refused(self, lines: Any) -> list[Body]:
        error = {"code": KEY, "line": 1, "message": f"no {KEY}", "param": KEY}
        return [error] if self.where == "refusal" else []

    def serve(self, method: str, url: str, content: bytes) -> tuple[int, bytes]:
        if self.where == "error" and "batches" in url:
            return 400, json.dumps({"error": {"message": f"no {KEY}", "type": KEY}}).encode()
        status, answer = super().serve(method, url.replace(f"batch_{KEY}", "batch_1"), content)
        if self.where == "id of the batch" and b"request_counts" in answer:
            answer = re.sub(rb'"id": "batch_1"', f'"id": "batch_{KEY}"'.encode(), answer)
        if self.where == "status" and b"request_counts" in answer:
            answer = re.sub(
                rb'status": "[a-z_]+"', f'status": "as {KEY}"'.encode(), answer, count=1
            )
        if self.where == "other lines" and b"custom_id" in answer and method == "GET":
            line = {"custom_id": KEY, "response": {"status_code": 200, "body": KEY}, "error": None}
            answer += json.dumps({**line, "result": {"type": KEY}}).encode() + b"\n" + KEY.encode()
        return status, answer


PLACES = ["reply", "end", "model", "id", "error", "status", "id of the batch", "other lines"]


@pytest.mark.parametrize(
    ("where", "via"),
    [*((where, via) for where in PLACES for via in VIAS), ("refusal", "openai-batch")],
)
def test_no_part_of_a_batch_apis_answers_puts_the_key_anywhere(
    where: str,
    via: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    data, run = tmp_path / "data.jsonl", tmp_path / "run"
    data.write_text("".join(f"{json.dumps(case)}\n" for case in cases(2)))
    provider = via.partition("-")[0]
    with Echoing(where) as server:
        url = server.url if provider == "openai" else server.root
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", KEY)
        outputs = [f"--output={tmp_path / 'out'}.{end}" for end in ("csv", "jsonl", "xml")]
        outputs += ["--github", f"--report={tmp_path / 'out.html'}"]
        words = [f"--judge={provider}:m", f"--via={via}", "-o", f"base_url={url}"]
        words += ["-o", "reasons=true", "-o", "max_retries=0"]
        code = command("batch", str(data), "--run", str(run), *words, *outputs)
        for _ in range(3):
            code = command("batch", "collect", str(run), *outputs)
        assert server.requests
    ends = {"refusal": (3, 4), "error": (3,), "id of the batch": (3,), "status": (4,)}
    assert code in ends.get(where, (0, 1, 3))
    logged = "".join(f"{r.getMessage()} {vars(r)}" for r in caplog.records)
    shown = kept(tmp_path) + "".join(capfd.readouterr()) + logged
    assert "0123456789abcdef" not in shown


def test_the_results_of_a_batch_are_asked_for_where_the_key_belongs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    data, run = tmp_path / "data.jsonl", tmp_path / "run"
    data.write_text("".join(f"{json.dumps(case)}\n" for case in cases(2)))
    with Loopback(Answer("{}")) as other, BatchServer() as server:
        show = server._anthropic

        def elsewhere(batch: Any) -> Body:
            seen = show(batch)
            return {**seen, "results_url": seen["results_url"] and f"{other.root}/results"}

        monkeypatch.setattr(server, "_anthropic", elsewhere)
        words = ["--judge=anthropic:m", "--via=anthropic-batch", "-o", f"base_url={server.root}"]
        command("batch", str(data), "--run", str(run), *words)
        assert command("batch", "collect", str(run)) in (0, 1)
    assert other.connections == 0
