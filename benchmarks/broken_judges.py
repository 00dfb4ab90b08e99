"""Grades with a judge that always replies with the same fault, for each fault of a fake judge.

    python benchmarks/broken_judges.py

The faults are those of ``peers/faults.py``; ``peers/compare.py`` puts other graders to them too.
Each fault is one HTTP server on the loopback device behind the OpenAI judge. It knows the right
verdicts, writes them in the requested form, and then applies the fault. The output says for each
fault whether all labels can be known from such a reply, the outcome, and how often the judge was
called (more than once means that it was asked again).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.extend(str(Path(__file__).parents[1] / name) for name in ("tests", "tests/support"))
from loopback import Answer, Loopback, Request, completion, refusal_to
from peers.faults import PROTOCOL, TEXT, Reply

from faithfulness_assert import grade
from faithfulness_assert.judges.openai import OpenAIJudge

SHAPES = (*TEXT, *PROTOCOL)
HOLD = 1.0  # seconds that the fault "hold" delays its answer; the judge waits half as long

SENTENCES = {  # and whether the context supports them
    "Arvika was founded in 1639.": True,
    "The town has 88000 inhabitants.": True,
    "The clock tower is 122 metres tall.": False,
    "The company Altern employs 213 people there.": True,
    "A ferry links the town with an island.": False,
}
CONTEXT = (
    "Arvika was founded in 1639 beside the river Osk. The town of Arvika has 88000 inhabitants. "
    "The clock tower in Arvika is 45 metres tall. The company Altern employs 213 people in Arvika."
)
TRUTH = sum(SENTENCES.values()) / len(SENTENCES)

# Faults that lose all labels, and the kind of grader error that they must lead to.
LOST = {
    "truncated": "unreadable",
    "length": "truncated",
    "floats": "unreadable",
    "empty_list": "unreadable",
    "empty_object": "unreadable",
    "empty_string": "unreadable",
    "null_content": "unreadable",
    "code_exec": "unreadable",
    "refusal_text": "refusal",
    "refusal_field": "refusal",
    "content_filter": "content_filter",
    "http429": "rate_limit",
    "http500": "server",
    "http_html": "server",
    "hold": "timeout",
}
# Faults that lose some labels. These statements count as unverified, so the score is at most the
# true one; with on_missing="error" the result is a grader error.
PARTLY = ("fewer", "nan", "null_verdict", "out_of_range")


@dataclass(frozen=True)
class Outcome:
    """The outcome of one fault. ``kind`` is the kind of grader error, or "" if there is a score."""

    shape: str
    score: float | None
    kind: str
    coverage: float
    calls: int

    @property
    def right(self) -> bool:
        """Whether this is the outcome that the fault must have."""
        if self.shape in LOST:
            return self.kind == LOST[self.shape]
        if self.kind or self.score is None:
            return False
        if self.shape in PARTLY:
            return self.score <= TRUTH and self.coverage < 1
        return abs(self.score - TRUTH) < 1e-9 and self.calls == 1


def _right_reply(request: Request) -> Reply:
    """The right reply to an ask."""
    asked = re.search(
        r"<(statements-\w+)>\n(.*)\n</\1>", request.body["messages"][-1]["content"], re.DOTALL
    )
    assert asked
    entries = [
        {
            "id": int(number),
            "evidence": [],
            "label": "supported" if SENTENCES[text] else "not_enough_info",
        }
        for number, text in re.findall(r"^(\d+) (.+)$", asked[2], re.MULTILINE)
    ]
    return Reply({"verdicts": entries}, "verdicts", "label", "supported", "not_enough_info")


def _server(shape: str) -> Callable[[Request], Answer]:
    def answer(request: Request) -> Answer:
        reply = _right_reply(request)
        if shape in TEXT:
            return completion(TEXT[shape](reply))
        return {
            "http429": refusal_to(
                429, "Rate limit reached", {"retry-after": "0.3"}, code="rate_limit_exceeded"
            ),
            "http500": refusal_to(500, "The server had an error", type="server_error"),
            "http_html": Answer(
                "<html><body>502 Bad Gateway</body></html>", headers={"content-type": "text/html"}
            ),
            "hold": Answer(completion(reply.text).body, delay=HOLD),
            "length": completion(TEXT["truncated"](reply), finish_reason="length"),
            "content_filter": completion(None, finish_reason="content_filter"),
            "refusal_field": completion(None, refusal="I'm sorry, I can't help with that."),
            "null_content": completion(None),
        }[shape]

    return answer


def outcome(shape: str, **options: Any) -> Outcome:
    """Grades the case with a judge that always has this fault."""
    with Loopback(_server(shape)) as server:
        judge = OpenAIJudge(
            "m",
            base_url=server.url,
            api_key="none",
            timeout=HOLD / 2 if shape == "hold" else 30,
            max_retries=0,
        )
        # Without control statements, so that each lost label is that of a statement.
        result = grade(" ".join(SENTENCES), CONTEXT, judge=judge, controls="off", **options)
        kind = result.error.kind if result.error else ""
        return Outcome(shape, result.score, kind, result.coverage, len(server.requests))


def outcomes() -> Iterator[Outcome]:
    return map(outcome, SHAPES)


def line(one: Outcome) -> str:
    verdict = "right" if one.right else "WRONG"
    kept = "none" if one.shape in LOST else "some" if one.shape in PARTLY else "all"
    end = f"score {one.score or 0:.2f} (true {TRUTH:.2f}), coverage {one.coverage:.0%}"
    if one.kind:
        end = f"grader error: {one.kind}"
    return f"{verdict}  {one.shape:16s} labels kept: {kept:5s} calls {one.calls}  {end}"


def main() -> None:
    results = list(outcomes())
    for one in results:
        print(line(one))
    right = sum(one.right for one in results)
    extra = sum(one.calls - 1 for one in results if one.shape not in {*LOST, *PARTLY})
    print(f"{right} of {len(results)} right; extra calls where all labels are kept: {extra}")
    sys.exit(0 if right == len(results) else 1)


if __name__ == "__main__":
    main()
