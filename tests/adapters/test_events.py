"""What an OpenTelemetry event contains. Run by ``tox -e adapters``."""

from __future__ import annotations

import pytest
from fakes import ScriptedJudge

from faithfulness_assert import grade

from .judges import ANSWER, CONTEXT, SERVER_DOWN
from .systems import Sample, events_of, in_opentelemetry, package

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore")]


def test_an_event_has_no_text_of_the_answer_unless_it_is_wanted() -> None:
    secret = Sample("Q?", "Zebra 77 sleeps. Lions roar.", ["Lions roar."])
    (plain,) = in_opentelemetry([secret], texts=False)
    assert "Zebra" not in plain.why
    assert plain.why == "graded: 1 supported, 1 not_enough_info; passes at 0.8"
    (full,) = in_opentelemetry([secret])
    assert "Zebra 77 sleeps." in full.why
    (down,) = in_opentelemetry([secret], texts=False, judge=ScriptedJudge(["Zebra? I can't help."]))
    assert "Zebra" not in down.why


def test_an_event_belongs_to_the_span_of_the_answer() -> None:
    package("opentelemetry.sdk")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import set_span_in_context

    span = TracerProvider().get_tracer("test").start_span("chat")
    result, context = grade(ANSWER, CONTEXT, judge=SERVER_DOWN), set_span_in_context(span)
    (record,) = events_of(
        lambda emit, logger: emit(
            result, context=context, response_id="r1", logger=logger, name="mine"
        )
    )
    assert record.event_name == "gen_ai.evaluation.result"
    assert record.span_id == span.get_span_context().span_id
    assert dict(record.attributes) == {
        "gen_ai.evaluation.name": "mine",
        "gen_ai.evaluation.score.label": "judge_failed",
        "gen_ai.evaluation.explanation": "not graded: judge_failed",
        "gen_ai.response.id": "r1",
        "error.type": "server",
    }
