"""Samples make a cascade worth it: the first judge errs where its samples disagree."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

import pytest
from command import run as command
from loopback import Answer, Loopback, Request, good_reply
from true_server import answered, block, said, text_of

from faithfulness_assert import ConfigError
from faithfulness_assert.batch import run
from faithfulness_assert.batch.certifying import certify
from faithfulness_assert.batch.data_sets import open_data_set
from faithfulness_assert.batch.estimate import estimate_run
from faithfulness_assert.batch.finished_runs import lines_of
from faithfulness_assert.judges.certificate import read_certificate

CASES = 240
SAMPLES = 5
KEY = "sk-0123456789abcdef"


def cases(start: int) -> list[dict[str, Any]]:
    """Answers of two sentences. The context has not every first one."""
    told = []
    for n in range(start, start + CASES):
        true = f"Keller sold {n} carts to Brandt."
        first_one = true if n % 2 else f"Brandt sold {n} carts to Keller."
        answer = f"{first_one} The carts were new."
        told.append({"id": f"q{n}", "answer": answer, "context": [f"{true} The carts were new."]})
    return told


class Models:
    """``dear`` is always right. ``cheap`` guesses in every third case, anew each time."""

    def __init__(self) -> None:
        self._times, self._lock = Counter[str](), Lock()
        self.asked = Counter[str]()

    def __call__(self, request: Request) -> Answer:
        text, model = text_of(request), str(request.body["model"])
        with self._lock:
            self.asked[model] += 1
        if model == "dear":
            return answered(request)
        statement = next(iter(block("statements", text).values()))
        with self._lock:
            self._times[statement] += 1
            time = self._times[statement]
        reply = said(text)
        if digest(statement) % 3 == 0:
            reply["verdicts"][0]["label"] = ("supported", "contradicted")[
                digest(statement, time) % 2
            ]
        return good_reply(request, json.dumps(reply))


def digest(*parts: object) -> int:
    return int(sha256(repr(parts).encode()).hexdigest(), 16)


@pytest.fixture(scope="module")
def models() -> Iterator[tuple[Models, dict[str, Any]]]:
    model = Models()
    with Loopback(model) as server:
        given = {"base_url": server.url, "api_key": KEY, "controls": "off", "progress": False}
        yield model, given


@pytest.fixture(scope="module")
def runs(models: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the cheap judge with samples, one without, and one of the dear judge."""
    folder, (_, given) = tmp_path_factory.mktemp("sampled"), models
    run(cases(0), folder / "sampled", judge="openai:cheap", samples=SAMPLES, **given)
    run(cases(0), folder / "single", judge="openai:cheap", **given)
    run(cases(0), folder / "dear", judge="openai:dear", **given)
    return folder


def test_the_spread_of_samples_makes_a_certificate_and_a_single_verdict_makes_none(
    models: Any, runs: Path, tmp_path: Path
) -> None:
    file = tmp_path / "certificate.json"
    told = command("certify", str(runs / "single"), str(runs / "dear"), "-o", str(file))
    assert (told.returncode, file.exists()) == (1, False), told.stdout + told.stderr
    told = command("certify", str(runs / "sampled"), str(runs / "dear"), "-o", str(file))
    assert told.returncode == 0, told.stdout + told.stderr
    certificate = read_certificate(str(file))
    assert certificate.accepted / certificate.cases > 0.6

    model, given = models
    model.asked.clear()
    judge = {"judge": "cascade:openai:cheap,openai:dear", "certificate": str(file)}
    new = cases(CASES)
    estimate = estimate_run(open_data_set(new).rows(), samples=SAMPLES, api_key=KEY, **judge)
    outcome = run(new, tmp_path / "cascade", samples=SAMPLES, **judge, **given)
    assert model.asked["cheap"] == CASES * SAMPLES
    assert model.asked["dear"] < 0.4 * CASES  # it is asked once
    assert estimate.asks == pytest.approx(sum(model.asked.values()), rel=0.05)
    assert "in at least 95% of the cases that it answers" in outcome.text
    alone = [
        line.result.pass_ == (int(line.case_id[1:]) % 2 == 1)
        for line in lines_of(tmp_path / "cascade")()
        if not line.result.metadata["cascade"]["second"]
    ]
    assert sum(alone) / len(alone) >= 0.95
    assert len(alone) == CASES - model.asked["dear"]


def test_the_second_judge_of_a_certificate_was_asked_once(models: Any, tmp_path: Path) -> None:
    _, given = models
    for name in ("one", "two"):
        run(cases(0)[:4], tmp_path / name, judge="openai:dear", samples=3, **given)
    with pytest.raises(ConfigError, match="samples=3, and the second judge of a cascade is asked"):
        certify(tmp_path / "one", tmp_path / "two")
    run(cases(0)[:4], tmp_path / "other", judge="openai:dear", threshold=0.5, **given)
    with pytest.raises(ConfigError, match="with other policy"):
        certify(tmp_path / "one", tmp_path / "other")
