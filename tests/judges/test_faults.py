"""Any fault of a judge's server leads in time to the right score or a grader error, and shows no key.

Each row of ``fixtures/faults.json`` is one fault (``loopback.fault`` documents the fields) with the
outcome that a grade must have: ``status``; the error's ``kind`` (a list where HTTP clients differ)
and ``retryable``; how many ``requests`` the server got; a text that the reason contains (``says``).
``soon`` marks a fault that only the deadline ends. To add a fault, add a line there.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import pytest
from conftest import ROOT
from loopback import Answer, Loopback, Request, fault

from faithfulness_assert import Grader, GradingResult

FIXTURES = ROOT / "fixtures"
KEY = "sk-proj-a+b/c=0123456789abcdefXYZ"
CASE = {
    "answer": "The museum opens at nine. It closes at five.",
    "context": "The museum opens at nine on weekdays.",
}
AT_ONCE, AT_LENGTH = 2.0, 30.0
"""Deadlines in seconds, for a grade that is never answered and for one that is.

They are longer than a slow machine needs, and shorter than a server's longest wait."""

T = TypeVar("T")
ROWS: list[dict[str, Any]] = json.loads((FIXTURES / "faults.json").read_text(encoding="utf-8"))


def shows_key(text: str) -> bool:
    """Whether ``text`` shows the key, or a good part of it."""
    return "0123456789" in re.sub(r"[\W_]+", "", text)


def outputs(result: GradingResult) -> str:
    """All texts of a result, in every format."""
    forms = (
        result.model_dump_json(),
        result.pretty(),
        json.dumps(result.to_promptfoo("all")),
        json.dumps(dict(result.metadata)),
    )
    return "\n".join([result.reason, repr(result), *forms])


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
    grader.judge.close()  # type: ignore[attr-defined]
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


def each(rows: Iterable[dict[str, Any]], do: Callable[[dict[str, Any]], T]) -> list[T]:
    """What ``do`` gives for each row: first for many at once, then for the floods, one by one.

    A flood takes the time of our event loop from the rows beside it, whose requests then go out
    after their deadlines.
    """
    floods, others = [], []
    for row in rows:
        (floods if "repeat" in row.get("transport", {}) else others).append(row)
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(do, others))
    return [*done, *map(do, floods)]


def wrong(row: Mapping[str, Any], result: GradingResult, took: float, requests: int) -> list[str]:
    """What differs from the row."""
    error, whole = result.error, row["status"] == "graded"
    kinds = row["kind"] if isinstance(row.get("kind"), list) else [row.get("kind")]
    held = {
        f"status {result.status}": result.status == row["status"],
        f"score {result.score}": result.score == (0.5 if whole else None)
        and result.defined == whole,
        f"passes {result.pass_}": not result.pass_,
        f"error {error}": (error.kind if error else None) in kinds,
        f"metadata {result.metadata.get('graderError')}": bool(result.metadata.get("graderError"))
        == (not whole),
        f"retryable: {error}": "retryable" not in row
        or (error is not None and error.retryable == row["retryable"]),
        f"{requests} requests": requests == row.get("requests", requests),
        f"{result.tokens_used}": result.tokens_used.num_requests == requests
        or row.get("requests") == 0,
        f"says {result.reason}": row.get("says", "").lower() in result.reason.lower(),
        f"took {took:.1f} s": took < (AT_ONCE + 5 if row.get("soon") else AT_LENGTH),
        "shows the key": not shows_key(outputs(result)),
    }
    return [what for what, right in held.items() if not right]


@pytest.mark.parametrize("api", ["openai", "anthropic"])
def test_every_fault_has_the_outcome_of_its_row(api: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)  # other loggers, whose messages a CI may show
    caplog.set_level(logging.DEBUG, "faithfulness_assert")
    rows = [row for row in ROWS if api in row.get("apis", (api,))]
    assert len(rows) > 0.8 * len(ROWS)
    found = each(rows, lambda row: (row["id"], wrong(row, *replayed(row, api))))
    problems = {name: bad for name, bad in found if bad}
    assert not problems, "\n".join(f"{name}: {bad}" for name, bad in problems.items())
    assert sum(record.name.startswith("faithfulness_assert") for record in caplog.records) >= len(
        rows
    )
    assert not [record for record in caplog.records if shows_key(record.getMessage())]


@pytest.mark.parametrize(
    "form",
    [KEY, KEY.upper(), " ".join(KEY), quote(KEY, safe=""), json.dumps(KEY)],
)
def test_a_shown_key_would_be_detected(form: str) -> None:
    assert shows_key(f"before {form} after")


# ---------------------------------------------------------------- the shared catalogue, with its own server

ENDLESS = ("hang", "headers_hang", "drip")

SHARED_ENDS: dict[str, dict[str, Any]] = json.loads(
    (FIXTURES / "shared_faults.json").read_text(encoding="utf-8")
)
"""The outcome of faults of the shared catalogue, and what ``warns`` of them. Where no status is said,
the case is graded."""


@pytest.fixture(scope="module")
def catalogue(shared: Path) -> Iterator[tuple[list[dict[str, Any]], int]]:
    """The rows, and the port of the server that replays them."""
    spec = importlib.util.spec_from_file_location(
        "fake_server", shared / "faults" / "fake_server.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # it leaves a file open
        spec.loader.exec_module(module)
    for row in module.F.values():
        # Hang longer than any test waits. A bomb only needs to be larger than the limit.
        longer = {"seconds": 10 * AT_LENGTH, "bytes_per_s": 0.5, "mb": 32}
        row["transport"].update(
            {name: value for name, value in longer.items() if name in row["transport"]}
        )
    server = module.serve(0)
    yield list(module.F.values()), server.server_address[1]
    server.shutdown()
    server.server_close()


def as_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the catalogue in the form of our rows. Its own columns apply if it is not listed."""
    end = SHARED_ENDS.get(row["id"], {})
    made = {"status": "graded", **end, "id": row["id"]}
    if end.get("kind") not in (None, "unreadable"):
        made["retryable"] = end.get("retryable", row["retryable"])
    return {**made, "soon": row["transport"].get("mode") in ENDLESS}


def test_every_fault_of_the_shared_catalogue_has_the_right_outcome(
    catalogue: tuple[list[dict[str, Any]], int], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    caplog.set_level(logging.DEBUG, "faithfulness_assert")
    rows, port = catalogue

    def end(row: dict[str, Any]) -> tuple[GradingResult, float]:
        case = (
            {**CASE, "context": CASE["context"] + " The museum is old." * 2_000}
            if row["id"] == "silent-prompt-truncation"
            else CASE
        )
        return graded(
            f"http://127.0.0.1:{port}/f/{row['id']}/v1",
            "openai",
            AT_ONCE if as_row(row)["soon"] else AT_LENGTH,
            case,
            seed=7,
        )

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(end, rows))
    assert len(rows) >= 50
    assert SHARED_ENDS.keys() <= {row["id"] for row in rows}
    problems: dict[str, list[str]] = {}
    for row, (result, took) in zip(rows, results, strict=True):
        bad = wrong(as_row(row), result, took, result.tokens_used.num_requests)
        warned = str(result.metadata.get("warnings", ()))
        expected = SHARED_ENDS.get(row["id"], {}).get("warns")
        if (expected or "") not in warned or (row["retryable"] == "downgrade" and not expected):
            bad.append(f"warns {warned}")
        if row["then"] and result.tokens_used.num_requests != 2:
            bad.append(f"{result.tokens_used.num_requests} requests")
        result.model_dump_json().encode()
        if bad:
            problems[row["id"]] = bad
    assert not problems, "\n".join(f"{name}: {bad}" for name, bad in problems.items())
    assert not [
        record
        for record in caplog.records
        if shows_key(record.getMessage()) or "hunter2" in record.getMessage()
    ]
    assert not [result for result, _ in results if "hunter2" in outputs(result)]
