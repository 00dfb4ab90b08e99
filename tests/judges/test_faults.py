"""Any fault of a judge's server leads in time to the right score or a grader error, and shows no key.

Each row of ``fixtures/faults.json`` is one fault (``loopback.fault`` documents the fields) with the
outcome that a grade must have: ``status``; the error's ``kind`` (a list where HTTP clients differ)
and ``retryable``; how many ``requests`` the server got; a text that the reason contains (``says``).
``soon`` marks a fault that only the deadline ends. To add a fault, add a line there.
"""

import logging
import re
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from attacks import outputs
from loopback import Answer, Loopback, Request, fault
from rows import rows

from faithfulness_assert import Grader, GradingResult

KEY = "sk-proj-a+b/c=0123456789abcdefXYZ"
CASE = {
    "answer": "The museum opens at nine. It closes at five.",
    "context": "The museum opens at nine on weekdays.",
}
AT_ONCE, AT_LENGTH = 2.0, 30.0
"""Deadlines in seconds, for a grade that is never answered and for one that is.

They are longer than a slow machine needs, and shorter than a server's longest wait."""

T = TypeVar("T")
ROWS: list[dict[str, Any]] = rows("faults")


def shows_key(text: str) -> bool:
    """Whether ``text`` shows the key, or a good part of it."""
    return "0123456789" in re.sub(r"[\W_]+", "", text)


def graded(
    base_url: str, api: str, seconds: float, case: Mapping[str, str] = CASE, **options: Any
) -> tuple[GradingResult, float]:
    """The result of a grade, and how many seconds it took."""
    grader = Grader(
        f"{api}:m", base_url=base_url, api_key=KEY, max_retries=1, deadline=seconds, **options
    )
    begun = time.monotonic()
    result = grader.grade(**case)
    took = time.monotonic() - begun
    return result, took


def replayed(row: Mapping[str, Any], api: str) -> tuple[GradingResult, float, int]:
    """A result, how many seconds it took, and how many requests the server got."""

    def answer(request: Request) -> Answer:
        return fault(row, request, request.number - 1)

    with Loopback(answer) as server:
        root = (
            row.get("transport", {})
            .get("url", server.root)
            .replace("{port}", server.root.rpartition(":")[2])
        )
        result, took = graded(
            root if api == "anthropic" else f"{root}/v1",
            api,
            AT_ONCE if row.get("soon") else AT_LENGTH,
        )
    return result, took, len(server.requests)


def each(faults: Iterable[dict[str, Any]], do: Callable[[dict[str, Any]], T]) -> list[T]:
    """What ``do`` gives for each row: first for many at once, then for the floods, one by one.

    A flood takes the time of our event loop from the rows beside it, whose requests then go out
    after their deadlines.
    """
    floods, others = [], []
    for row in faults:
        (floods if "repeat" in row.get("transport", {}) else others).append(row)
    with ThreadPoolExecutor(24) as pool:
        done = list(pool.map(do, others))
    return [*done, *map(do, floods)]


def wrong(row: Mapping[str, Any], result: GradingResult, took: float, requests: int) -> list[str]:
    """What differs from the row."""
    error, whole = result.error, row["status"] == "graded"
    kinds = row["kind"] if isinstance(row.get("kind"), list) else [row.get("kind")]
    score, told = (0.5 if whole else None), bool(result.metadata.get("graderError"))
    counted = result.tokens_used.num_requests
    held = {
        f"status {result.status}": result.status == row["status"],
        f"score {result.score}": (result.score, result.defined) == (score, whole),
        f"passes {result.pass_}": not result.pass_,
        f"error {error}": (error.kind if error else None) in kinds,
        f"metadata {told}": told is not whole,
        f"retryable {error}": row.get("retryable") in (None, error and error.retryable),
        f"{requests} requests": requests == row.get("requests", requests),
        f"{counted} counted": counted == requests or row.get("requests") == 0,
        f"says {result.reason}": row.get("says", "").lower() in result.reason.lower(),
        f"took {took:.1f} s": took < AT_LENGTH,
        "shows the key": not shows_key(outputs(result)),
    }
    return [what for what, right in held.items() if not right]


@pytest.mark.parametrize("api", ["openai", "anthropic"])
def test_every_fault_has_the_outcome_of_its_row(api, caplog):
    caplog.set_level(logging.INFO)  # other loggers, whose messages a CI may show
    caplog.set_level(logging.DEBUG, "faithfulness_assert")
    own = [row for row in ROWS if api in row.get("apis", (api,))]
    assert len(own) > 0.8 * len(ROWS)
    found = each(own, lambda row: (row["id"], wrong(row, *replayed(row, api))))
    problems = {name: bad for name, bad in found if bad}
    assert not problems, "\n".join(f"{name}: {bad}" for name, bad in problems.items())
    assert sum(record.name.startswith("faithfulness_assert") for record in caplog.records) >= len(
        own
    )
    assert not [record for record in caplog.records if shows_key(record.getMessage())]
