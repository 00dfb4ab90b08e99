"""What the tests of judges behind an API share: an ask, and a property test with any JSON."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import openai  # noqa: F401 - on a busy machine this takes longer than the deadline of a test
from hypothesis import given
from hypothesis import strategies as st
from loopback import Answer, Loopback
from strategies import examples

from faithfulness_assert import Ask, JudgeError
from faithfulness_assert.asking.schema import json_schema
from faithfulness_assert.judges.remote.remote_judge import RemoteJudge
from faithfulness_assert.records.judge import Payload, ReplyForm

with suppress(ImportError):  # other systems are tested without it
    import anthropic  # noqa: F401

FORM = ReplyForm("verdicts", ("supported", "not_enough_info"))
ASK = Ask(
    messages=({"role": "system", "content": "Judge."}, {"role": "user", "content": "Is it so?"}),
    form=FORM,
    ids=(1,),
    max_tokens=352,
    payload=Payload(((1, "It is so."),)),
    schema=json_schema(FORM),
)
TEXT = '{"verdicts":[{"id":1,"evidence":[1],"label":"supported"}]}'

KEYS = ["message", "code", "text", "error", "index", "type", "explanation"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=6,
)


def check_any_json(
    judge: Callable[[Loopback], RemoteJudge], with_slot: Callable[[str, Any], Any], slots: list[str]
) -> None:
    """Any JSON in one of the ``slots`` of a good answer leads to a valid reply or to a JudgeError."""
    current: list[Answer] = []
    with Loopback(lambda _: current[0]) as server:
        asking = judge(server)

        @examples(100)
        @given(
            slot=st.sampled_from(slots), value=JSON, status=st.sampled_from([200, 200, 400, 500])
        )
        def check(slot: str, value: Any, status: int) -> None:
            current[:] = [Answer(with_slot(slot, value), status)]
            try:
                reply = asking.ask(ASK)
            except JudgeError as error:
                error.message.encode()
            else:
                assert status == 200
                f"{reply.text}{reply.refusal}{reply.finish_reason}".encode()

        check()
