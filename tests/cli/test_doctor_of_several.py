"""``doctor`` says of each of several judges what it says of one, and whether they fit together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import run as command
from loopback import Answer, Loopback
from remote import bare_environment
from true_server import answered

from faithfulness_assert.batch import run
from faithfulness_assert.batch.certifying import certify
from faithfulness_assert.cli.doctor_commands import checks

KEY = "sk-0123456789abcdef"


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)


def said(judge: str, **options: object) -> list[tuple[str, str]]:
    """What is said of the judge: each line, with its state."""
    found = [(check.text, check.state) for check in checks(judge, options)]
    start = next(n for n, (text, _) in enumerate(found) if text.startswith("tokens are"))
    return found[start + 1 :]


def texts(found: list[tuple[str, str]], state: str = "") -> list[str]:
    return [text for text, its in found if state in ("", its)]


def test_each_judge_of_a_panel_is_asked_and_its_server_described() -> None:
    with Loopback(answered) as server:
        one = said("openai:m", base_url=server.url, api_key=KEY)
        found = said("panel:openai:m,embedded,openai:n", base_url=server.url, api_key=KEY)
    several = texts(found)
    heads = [text.split(" answers")[0] for text in several if text.startswith("judge ")]
    assert heads == [
        "judge openai:m",
        "judge embedded",
        "judge openai:n",
        "judge panel:openai:m,embedded,openai:n: these judges can grade together",
    ]
    assert texts(found, "fail") == []
    kinds = {text.partition(":")[0] for text in texts(one) if not text.startswith("judge")}
    assert {"server", "left out", "structured output", "context window"} <= kinds
    for kind in kinds:
        assert sum(text.startswith(f"{kind}:") for text in several) == 2, kind


def test_a_judge_without_a_key_and_one_that_does_not_answer_are_named() -> None:
    with Loopback(Answer(status=500)) as server:
        found = said("panel:embedded,openai:m", base_url=server.url)
    [failed] = texts(found, "fail")
    assert failed.startswith("judge openai:m: ")
    assert any(text.startswith("judge embedded answers") for text in texts(found))
    found = said("panel:embedded,openai:m")
    missing = texts(found, "fail")
    assert all("api_key: missing. Set OPENAI_API_KEY" in text for text in missing)
    assert [text.split(": ")[0] for text in missing] == [
        "judge openai:m",
        "judge panel:embedded,openai:m",
    ]


def test_a_cascade_needs_its_certificate_and_the_judges_are_checked_without_it(
    tmp_path: Path,
) -> None:
    cases = [
        {"id": str(n), "answer": f"Keller sold {n} carts.", "context": f"Keller sold {n} carts."}
        for n in range(150)
    ]
    judge, path = "cascade:embedded,openai:m", tmp_path / "certificate.json"
    with Loopback(answered) as server:
        access = {"base_url": server.url, "api_key": KEY}
        run(cases, tmp_path / "a", judge="embedded", progress=False)
        run(cases, tmp_path / "b", judge="openai:m", progress=False, **access)  # type: ignore[arg-type]
        certificate = certify(tmp_path / "a", tmp_path / "b").certificate
        assert certificate is not None
        path.write_text(json.dumps(certificate.to_json()))
        without = said(judge, **access)
        with_it = said(judge, certificate=str(path), **access)
        options = [f"{name}={value}" for name, value in {**access, "certificate": path}.items()]
        arguments = [part for option in options for part in ("-o", option)]
        done = command("doctor", "--judge", judge, *arguments)
    [lacking] = texts(without, "fail")
    assert lacking.startswith(f"judge {judge}: certificate: a cascade needs one; make it with")
    assert texts(with_it, "fail") == []
    assert f"judge {judge}: these judges can grade together" in done.stdout
    assert done.returncode == 0, done.stdout
    assert KEY not in done.stdout + done.stderr


def test_a_name_that_is_no_judge_is_said_once() -> None:
    for judge in ("panel:embedded", "panel:embedded,panel:a,b", "cascade:a,b,c", "nobody"):
        found = said(judge)
        assert [state for _, state in found] == ["fail"], found
