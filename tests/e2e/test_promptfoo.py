"""What a user of promptfoo gets from our assertion, run by a real promptfoo.

One run grades all of ``TESTS``: starting promptfoo takes seconds. A second one runs the files that ``init`` writes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from loopback import Answer, Loopback, Request, completion, refusal_to

from .promptfoo import FAILED_TESTS, Promptfoo, Run

pytestmark = pytest.mark.e2e

KEY = "sk-e2e-0123456789abcdef0123456789abcdef"

PASSAGES = [
    "The museum opens at ten and closes at six. It is shut on Mondays.",
    "A ticket costs 9 euros. The garden behind the house is free for everyone.",
]
TRUE = "The museum opens at ten. It is shut on Mondays. A ticket costs 9 euros. The garden behind the house is free."
MADE_UP = "A ticket costs 35 euros."
FALSE = TRUE.replace("A ticket costs 9 euros.", MADE_UP)

INLINE = "from faithfulness_assert.promptfoo import get_assert\nreturn get_assert(output, context)\n"


def check(judge: str | None = "embedded", *, kind: str = "python", value: str = "file://faithfulness.py", **config: Any) -> dict[str, Any]:
    """One assertion, through the file that ``init`` writes unless ``value`` says otherwise."""
    named = {"judge": judge} if judge else {}
    return {"type": kind, "value": value, "config": {**named, **config}}


def api(model: str, **changed: Any) -> dict[str, Any]:
    """One assertion whose judge is the loopback server."""
    return check(f"openai:{model}", baseUrl="{{env.JUDGE_URL}}", **changed)


def case(name: str, answer: Any, *asserts: dict[str, Any], **variables: Any) -> dict[str, Any]:
    """One test. Lists in ``variables`` stay lists: by default promptfoo makes one test of each element."""
    given = {"query": "What should a visitor know?", "context": " ".join(PASSAGES), "answer": answer, **variables}
    return {"description": name, "vars": given, "assert": list(asserts), "options": {"disableVarExpansion": True}}


TOKENS = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}

SCRIPT = {
    "all-supported": ["supported"] * 4,
    "one-unsupported": ["supported", "supported", "not_enough_info", "supported"],
}


def judge(request: Request) -> Answer:
    """The model that a request names picks the reply. ``locked`` repeats the key that it was shown, as real servers do."""
    model = request.body["model"]
    usage = {**TOKENS, "prompt_tokens_details": {"cached_tokens": 20}}
    if model == "locked":
        return refusal_to(401, f"Incorrect API key provided: {request.headers['authorization']}.", code="invalid_api_key")
    if model == "refuses":
        return completion(None, refusal="I'm sorry, I can't help with that.", usage=usage)
    verdicts = [{"id": number, "evidence": [], "label": label} for number, label in enumerate(SCRIPT[model], 1)]
    return completion(json.dumps({"verdicts": verdicts}), usage=usage)


TESTS = [
    case("shim and inline", FALSE, check(), check(value=INLINE)),
    case("an API judge", TRUE, api("all-supported"), api("one-unsupported")),
    case("the judge refuses", TRUE, api("refuses")),
    case("the key is rejected", TRUE, api("locked")),
    case("not-python, the key is rejected", TRUE, api("locked", kind="not-python")),
    case("not-python, a made-up number", FALSE, check(kind="not-python", threshold=0.9)),
    case("no judge", TRUE, check(None)),
    case("a list of passages", TRUE, check(), context=PASSAGES),
    case("passages in metadata", TRUE, check(contextFrom="providerResponse.metadata.retrieved"), context="Nothing.", retrieved=PASSAGES),
    case("an object", {"reply": TRUE, "sources": [1, 2]}, check(answerFrom="output.reply")),
    case("the answer declines", "I'm sorry, but I can't answer that question.", check()),
]


@dataclass(frozen=True)
class Graded:
    """What the one run over ``TESTS`` brought."""

    run: Run
    asked: list[str]  # the model of each request that reached the judge

    def of(self, name: str) -> list[dict[str, Any]]:
        """The results of a test's own assertions, which have a config, without those of the statements under them."""
        parts = self.run.results[name]["gradingResult"]["componentResults"]
        return [part for part in parts if "config" in part["assertion"]]


@pytest.fixture(scope="module")
def graded(promptfoo: Promptfoo, tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """All of ``TESTS`` in one run, with no judge in the environment."""
    folder = tmp_path_factory.mktemp("all")
    init(folder)
    shutil.copy(Path(__file__).with_name("provider.py"), folder)
    config = folder / "all.json"
    config.write_text(json.dumps({"prompts": ["{{query}}"], "providers": ["file://provider.py"], "tests": TESTS}), "utf-8")
    with Loopback(judge) as server:
        run = promptfoo.eval(config, JUDGE_URL=server.url, OPENAI_API_KEY=KEY)
    return Graded(run, [request.body["model"] for request in server.requests])


def init(folder: Path) -> None:
    """Writes the example, as a user does."""
    subprocess.run([sys.executable, "-m", "faithfulness_assert", "init", str(folder)], check=True, stdout=subprocess.DEVNULL)


def test_the_template_passes_its_faithful_answer_and_fails_its_made_up_price(promptfoo: Promptfoo, tmp_path: Path) -> None:
    """What ``init`` writes runs as it is; promptfoo's exit code and the reason say which answer failed, and why."""
    init(tmp_path)
    run = promptfoo.eval(tmp_path / "promptfooconfig.yaml")
    faithful, made_up = run.results["A faithful answer passes"], run.results["A made-up price fails, on purpose"]
    assert run.exit_code == FAILED_TESTS
    assert faithful["success"], faithful["gradingResult"]["reason"]
    assert faithful["score"] == 1
    assert not made_up["success"]
    assert made_up["score"] == pytest.approx(4 / 5)
    assert "An adult ticket costs 18 euros." in made_up["gradingResult"]["reason"]


def test_the_file_and_the_inline_value_give_the_same_result(graded: Graded) -> None:
    """An inline value needs no file, and nothing is lost by it."""
    shim, inline = ({**part, "assertion": None, "metadata": None} for part in graded.of("shim and inline"))
    assert shim == inline
    assert shim["score"] == pytest.approx(3 / 4)


def test_a_judge_behind_an_api_is_asked_once_for_each_assertion(graded: Graded) -> None:
    """Four statements are one request, and a wrong key or a refusal is not tried again."""
    assert sorted(graded.asked) == ["all-supported", "locked", "locked", "one-unsupported", "refuses"]
    scores = [part["score"] for part in graded.of("an API judge")]
    assert scores == pytest.approx([1, 3 / 4])


def test_tokens_add_up_in_promptfoo_s_totals(graded: Graded) -> None:
    """A test sums its assertions, the run sums its tests, and a refused ask was paid for too."""
    both = graded.run.results["an API judge"]["gradingResult"]["tokensUsed"]
    assert both == {"total": 300, "prompt": 240, "completion": 60, "cached": 40, "numRequests": 2}
    answered = [model for model in graded.asked if model != "locked"]
    total = graded.run.output["results"]["prompts"][0]["metrics"]["tokenUsage"]["assertions"]
    for name, each in TOKENS.items():
        assert total[name.removesuffix("_tokens")] == len(answered) * each


@pytest.mark.parametrize("name", ["the judge refuses", "the key is rejected", "not-python, the key is rejected", "no judge"])
def test_a_grader_error_fails_even_where_the_assertion_is_inverted(graded: Graded, name: str) -> None:
    """What could not be graded is not passed by turning it round."""
    (part,) = graded.of(name)
    assert not graded.run.results[name]["success"]
    assert (part["pass"], part["score"]) == (False, 0)


def test_an_inverted_assertion_passes_an_unfaithful_answer(graded: Graded) -> None:
    """So that ``not-python`` fails above because of the error and not always."""
    assert graded.run.results["not-python, a made-up number"]["success"]


def test_without_a_judge_the_reason_says_what_to_write(graded: Graded) -> None:
    """No judge is chosen in silence; both choices are named."""
    (part,) = graded.of("no judge")
    for word in ("config.judge", "embedded", "openai:"):
        assert word in part["reason"]


@pytest.mark.parametrize("name", ["a list of passages", "passages in metadata", "an object"])
def test_answer_and_context_are_found_where_they_are(graded: Graded, name: str) -> None:
    """A list of passages, a provider's metadata, and an answer inside an object grade like plain text."""
    (part,) = graded.of(name)
    assert (part["pass"], part["score"]) == (True, 1), part["reason"]


def test_an_answer_that_declines_earns_nothing(graded: Graded) -> None:
    """Nothing was claimed, so nothing was backed."""
    (part,) = graded.of("the answer declines")
    assert (part["pass"], part["score"]) == (False, 0)


def test_problems_are_components_with_an_assertion_of_their_own(graded: Graded) -> None:
    """promptfoo's viewer then shows the statement and why it failed, and no null makes the test an error."""
    for part in graded.of("shim and inline"):
        (problem,) = part["componentResults"]
        assert not problem["pass"]
        assert problem["assertion"] == {"type": "python", "value": MADE_UP}
        assert problem["reason"]
        assert None not in problem.values()


def test_every_assertion_gives_a_reason_and_no_test_is_an_error(graded: Graded) -> None:
    """promptfoo takes a failed assertion with an empty reason for a passed one."""
    assert graded.run.exit_code == FAILED_TESTS
    assert graded.run.output["results"]["stats"]["errors"] == 0
    assert len(graded.run.results) == len(TESTS)
    assert all(part["reason"].strip() for test in TESTS for part in graded.of(test["description"]))


def test_the_key_is_nowhere_in_what_promptfoo_writes(graded: Graded) -> None:
    """Not even where the server repeats it in its error."""
    assert KEY not in graded.run.text
    assert KEY not in graded.run.console
