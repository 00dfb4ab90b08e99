"""In every system, a sample has the score that ``grade()`` gives it, and none where it was not graded.

Run by ``tox -e adapters``.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from fakes import TruthfulJudge, failing
from loopback import Answer, Loopback

from faithfulness_assert import Ask, Reply, grade

from .judges import ANSWER, CONTEXT, AsyncJudge, SlowJudge
from .systems import WAYS, Sample, adapter

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore")]
each_way = pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))

LABELS = ("supported", "contradicted")
FACTS = ["is 3 m tall", "has a red door", "stands in Bern", "was built in 1900"]


def sample(n: int) -> Sample:
    """A sample whose context backs ``n % 5`` of the four statements of its answer."""
    told = [f"The tower {n} {fact}." for fact in FACTS]
    return Sample(f"What about tower {n}?", " ".join(told), told[: n % 5] or ["Nothing is known."])


SAMPLES = [sample(n) for n in range(5)]


@each_way
def test_each_sample_is_graded_with_its_own_context(way):
    shown = way(SAMPLES)
    for s, found in zip(SAMPLES, shown, strict=True):
        result = grade(s.answer, s.context, question=s.question)
        assert found.score == result.score
        assert found.passed in (None, result.pass_)
        assert found.why in (result.reason, "(ragas logs it)")
    assert [s.score for s in shown] == [0.0, 0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize("name", ["deepeval", "ragas experiment", "ragas evaluate", "inspect"])
def test_what_runs_on_an_event_loop_does_not_block_it(name):
    judge = SlowJudge()
    WAYS[name]([sample(n) for n in range(20)], judge=judge)
    assert judge.most > 1


FAULTS = (
    Reply("", refusal="I can't help with that."),
    "I'm sorry, but I can't help with that.",
    "Lorem ipsum.",
    "",
    failing("server", retryable=True),
    failing("auth"),
    failing("timeout", retryable=True),
    RuntimeError("boom"),
    Reply('{"verdicts": [', finish_reason="length"),
)


@each_way
def test_of_many_samples_only_those_that_were_graded_have_a_score(way):
    """Each third sample meets a fault, and each fault is met twice."""

    class Chaotic(SlowJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            n = int(ask.payload.items[0][1].split()[2])
            fault = (
                FAULTS[n // 3 % len(FAULTS)] if n % 3 == 0 else super().ask(ask, deadline=deadline)
            )
            if isinstance(fault, Exception):
                raise fault
            return Reply(fault) if isinstance(fault, str) else fault

    shown = way([sample(n) for n in range(60)], judge=Chaotic())
    assert [s.score for s in shown] == [None if n % 3 == 0 else n % 5 / 4 for n in range(60)]
    assert all(s.why and not s.passed for s in shown[::3])


@each_way
@pytest.mark.parametrize("ending", ["no_context", "abstained"])
def test_where_nothing_is_to_be_graded_it_is_what_the_policy_says(way, ending):
    answer = {"no_context": "The tower is 3 m tall.", "abstained": "I don't know."}[ending]
    context = {"no_context": [], "abstained": ["The tower is tall."]}[ending]
    for options in ({}, {"endings": {ending: "error"}}, {"endings": {ending: 0.5}}):
        (found,) = way([Sample("Q?", answer, context)], **options)
        result = grade(answer, context, **options)
        assert found.score == (result.score if result.defined else None)
        assert bool(found.passed) <= result.pass_


@each_way
def test_options_reach_the_grader(way):
    half = [SAMPLES[2]]
    for options in (
        {"threshold": 0.4},
        {"threshold": 0.6},
        {"all_or_nothing": True},
        {"policy": "ragas", "judge": TruthfulJudge(lambda text: LABELS["Bern" in text])},
        {"judge": TruthfulJudge(lambda text: LABELS["Bern" in text]), "threshold": 0.5},
    ):
        (found,) = way(half, **options)
        result = grade(half[0].answer, half[0].context, **options)
        assert (found.score, found.passed) in ((result.score, None), (result.score, result.pass_))


@each_way
def test_an_unknown_option_is_an_error_before_anything_is_graded(way):
    with pytest.raises(ValueError, match="treshold"):
        way(SAMPLES, treshold=0.5)


@each_way
def test_a_key_is_in_nothing_that_is_shown(way, capfd):
    key = "sk-very-secret-0123456789"
    refused = Answer({"error": {"message": f"Incorrect API key provided: {key}"}}, status=401)
    with Loopback(refused) as server:
        options: dict[str, Any] = {"base_url": server.url, "api_key": key}
        if way is WAYS["inspect"]:  # it writes options into its log, so they must not be given
            options = {}
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("OPENAI_BASE_URL", server.url)
            environment.setenv("OPENAI_API_KEY", key)
            shown = way(SAMPLES[:2], judge="openai:gpt-none", **options)
    assert [s.score for s in shown] == [None, None]
    assert key not in str([*shown, *capfd.readouterr()])


FIELDS = {"answer": ANSWER, "context": CONTEXT}


def deepeval_call(judge: Any) -> Any:
    metric = adapter("deepeval")(judge)
    from deepeval.test_case import LLMTestCase

    case = LLMTestCase(input="Q?", actual_output=ANSWER, retrieval_context=CONTEXT)
    return metric.a_measure(case)


CALLS: dict[str, Callable[[Any], Any]] = {
    "deepeval": deepeval_call,
    "ragas": lambda judge: adapter("ragas")(judge).ascore("Q?", ANSWER, CONTEXT),
    "langfuse": lambda judge: adapter("langfuse")(judge)(output=ANSWER, metadata=FIELDS),
    "langsmith": lambda judge: adapter("langsmith")(judge)({}, FIELDS, {}),
    "inspect": lambda judge: adapter("inspect_ai")(judge, case=lambda _: FIELDS)(None, None),
}


@pytest.mark.parametrize("system", CALLS)
def test_a_cancelled_grade_cancels_its_asks(system):
    async def cancelled() -> AsyncJudge:
        judge = AsyncJudge()
        task = asyncio.ensure_future(CALLS[system](judge))
        await asyncio.wait_for(judge.began.wait(), 120)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0)
        return judge

    assert asyncio.run(cancelled()).cancelled
