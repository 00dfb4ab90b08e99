"""An estimate plans the same asks as the run, counts the same tokens, and sends nothing."""

import json
import socket
from typing import Any

import pytest
from fakes import TruthfulJudge
from hypothesis import given
from hypothesis import strategies as st
from peers.items import items
from strategies import examples

from faithfulness_assert import Ask, Grader, Reply, Usage, policies
from faithfulness_assert.batch.estimate import estimate_run
from faithfulness_assert.judges import exact_token_counter
from faithfulness_assert.judges.embedded import EmbeddedJudge
from faithfulness_assert.records.judge import JudgeInfo, Limits
from faithfulness_assert.settings import _of_folder

MODEL = "openai:gpt-4o-mini"
PRICES = {"prompt": 0.15, "completion": 0.6}


def case(number: int) -> dict[str, Any]:
    item = items(1, number)[0]
    return {"answer": item.answer, "context": list(item.contexts), "question": item.question}


def rows(count: int) -> list[dict[str, Any]]:
    return [case(number) for number in range(1, count + 1)]


class Counting(TruthfulJudge):
    """A model of which each ask and its tokens are counted."""

    info = JudgeInfo(MODEL, remote=True, limits=Limits(prompt_tokens=1020))

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        said = {"ask": ask.echo, **json.loads(super().ask(ask).text)}
        if ask.kind == "verdicts":
            said = {**said, **json.loads(EmbeddedJudge().ask(ask).text)}
            for verdict in said["verdicts"] if ask.form.reasons == "problems" else ():
                is_right = verdict["label"] == "supported"
                verdict["reason"] = "" if is_right else "The context has another number for it."
        count = exact_token_counter(MODEL)
        text = json.dumps(said, separators=(",", ":"))
        return Reply(text, Usage(ask.size(count), count(text), num_requests=1))


@pytest.mark.parametrize("policy", sorted(policies))
def test_under_every_policy_the_estimate_is_near_what_a_run_uses(policy):
    options = {"policy": policy, "prices": PRICES}
    estimate = estimate_run(rows(12), judge=Counting(), **options)
    run = list(Grader(Counting(), **options).grade_many(rows(12)))
    asks = sum(result.tokens_used.num_requests for result in run)
    assert estimate.asks == pytest.approx(asks, rel=0.05)
    assert estimate.prompt == pytest.approx(sum(r.tokens_used.prompt for r in run), rel=0.05)
    # A suggestion, where a policy wants one, is longer from a model than from this judge.
    assert estimate.cost == pytest.approx(sum(r.cost or 0 for r in run), rel=0.08)
    assert estimate.planned == estimate.cases == 12
    assert estimate.margin == 0.0


def test_nothing_is_sent_stored_or_needed(monkeypatch, tmp_path):
    def refused(*_: object) -> None:
        raise AssertionError("an estimate opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refused)
    for judge in (MODEL, "anthropic:claude-sonnet-4-5"):
        estimate = estimate_run(rows(2), judge=judge, cache=tmp_path / "replies")
        assert estimate.asks == 2
        assert estimate.cost is None
    assert not (tmp_path / "replies").exists()


def test_without_a_judge_it_is_that_of_any_model_behind_an_api(tmp_path, monkeypatch):
    """The default judge asks nobody, so that its estimate would be 0 whatever the data."""
    monkeypatch.chdir(tmp_path)
    _of_folder.cache_clear()
    estimate, named = estimate_run(rows(3), prices=PRICES), estimate_run(rows(3), judge=MODEL)
    assert estimate.asks == named.asks == 3
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows(3))))
    assert estimate_run(tmp_path / "a.jsonl", judge=MODEL) == named
    assert estimate.prompt == pytest.approx(named.prompt, rel=0.1)
    assert estimate.cost > 0
    assert str(estimate).startswith("3 cases, for any model behind an API, since no judge is named")
    (tmp_path / "pyproject.toml").write_text('[tool.faithfulness_assert]\njudge = "embedded"\n')
    _of_folder.cache_clear()
    assert estimate_run(rows(3)).asks == 0
    assert str(estimate_run(rows(3))).startswith("3 cases, for embedded: about 0 asks, ")
    _of_folder.cache_clear()


@examples(10)
@given(st.integers(1, 60), st.integers(1, 30))
def test_a_sample_stands_for_all_rows_and_says_so(count, sample):
    same = [case(1)] * count
    estimate = estimate_run(iter(same), judge=MODEL, sample=sample)
    one = estimate_run(same[:1], judge=MODEL)
    assert estimate.planned == min(count, sample)
    assert estimate.prompt == count * one.prompt
    assert ("A random sample" in str(estimate)) == (count > sample)


def test_rows_that_cannot_be_read_or_have_no_context_and_a_judge_here_cost_nothing():
    broken = ["no record", {"answer": "Yes.", "context": []}, *rows(1)]
    estimate = estimate_run(broken, judge=MODEL)
    assert (estimate.cases, estimate.planned, estimate.asks) == (3, 2, 1)
    assert "1 row cannot be read" in str(estimate)
    none = estimate_run([], judge=MODEL)
    here = estimate_run(rows(3), judge="embedded", prices=PRICES)
    assert (none.cases, none.asks, none.margin, none.cost) == (0, 0, 0.0, None)
    assert (here.prompt, here.completion, here.cost) == (0, 0, 0.0)
