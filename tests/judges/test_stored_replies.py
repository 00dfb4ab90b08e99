"""Tests of stored replies: the same ask gets the same reply again, at no cost."""

import asyncio
import os
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from e2e.judge import reply
from loopback import Answer, Loopback, Request, completion

from faithfulness_assert import (
    Ask,
    Case,
    ConfigError,
    Grader,
    GradingResult,
    JudgeError,
    Reply,
    Usage,
    grade,
)
from faithfulness_assert.judges.stored_replies import MAX_FILE_BYTES, StoredJudge
from faithfulness_assert.records.judge import Limits, Payload, ReplyForm
from faithfulness_assert.records.model import GraderError

ASK = Ask(
    ({"role": "user", "content": "Is it so?"},),
    ReplyForm("verdicts", ("supported", "contradicted")),
    (1,),
    352,
    Payload(()),
)
USAGE = Usage(prompt=100, completion=20, num_requests=1)


@dataclass
class CountingJudge:
    """Replies with a new text each time, so that a stored reply is recognised."""

    identity: Any = field(default_factory=lambda: {"judge": "counting", "version": 1})
    said: Reply = field(default_factory=lambda: Reply("", USAGE, warnings=("hot",)))
    name: str = "counting:1"
    limits: Limits = field(default_factory=lambda: Limits(1000, 7))
    never_contradicts: bool = True
    asked: int = 0

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.asked += 1
        return replace(self.said, text=self.said.text or f"reply {self.asked} \ud83d 	 é")


def only_stored(folder: Any, spec: Any) -> StoredJudge:
    """The judge of whoever only reads."""
    return StoredJudge(None, folder, spec=spec)


OURS = ("judge.json", "controls-seed")


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in OURS)


def asking(text: str, **changes: Any) -> Ask:
    return replace(ASK, messages=({"role": "user", "content": text},), **changes)


OTHERS = (
    *map(asking, ("Is it so!", "", "\ud800\x00\u202e é", "Is it so?\n")),
    replace(ASK, messages=({"role": "system", "content": "Is it so?"},)),
    replace(ASK, form=ReplyForm("verdicts", ("supported", "not_enough_info"))),
    replace(ASK, form=ReplyForm("verdicts", ("supported", "contradicted"), reasons="all")),
    replace(ASK, form=ReplyForm("claims")),
    replace(ASK, sample=2),
    replace(ASK, sample=3),
)
"""Asks that differ from ``ASK`` in one thing that shapes the reply."""


def test_each_ask_has_a_reply_of_its_own_and_gets_it_again_without_a_call(tmp_path):
    judge, asks = CountingJudge(), (ASK, *OTHERS)
    first = [StoredJudge(judge, tmp_path).ask(ask) for ask in asks]
    assert judge.asked == len({reply.text for reply in first}) == len(asks)
    for again in (StoredJudge(judge, tmp_path), only_stored(tmp_path, judge)):
        second = [again.ask(ask) for ask in asks]
        assert [reply.text for reply in second] == [reply.text for reply in first]
        assert all(r.cached and r.usage == Usage() and not r.validated for r in second)
        assert {reply.warnings for reply in second} == {("hot",)}
        turned = replace(ASK, messages=({"content": "Is it so?", "role": "user"},))
        assert again.ask(turned).text == first[0].text
        assert again.ask(replace(ASK, max_tokens=353)).text == first[0].text
    assert judge.asked == len(asks)


def test_a_stored_judge_is_asynchronous_exactly_if_its_judge_is(tmp_path):
    class AsyncJudge(CountingJudge):
        async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            return replace(self.ask(ask), warnings=(f"deadline {deadline}",))

    judge = AsyncJudge()
    stored = StoredJudge(judge, tmp_path)
    replies = [asyncio.run(stored.aask(ASK, deadline=5.0)) for _ in range(2)]
    assert [reply.cached for reply in replies] == [False, True]
    assert [reply.warnings for reply in replies] == [("deadline 5.0",)] * 2
    assert replies[0].text == replies[1].text == stored.ask(ASK).text
    assert judge.asked == 1
    assert not hasattr(StoredJudge(CountingJudge(), tmp_path), "aask")


@pytest.mark.parametrize(
    "said",
    [
        Reply("cut", USAGE, "length"),
        Reply("half", USAGE, "content_filter"),
        Reply("odd", USAGE, "tool_calls"),
        Reply("x", USAGE, refusal="No."),
        Reply(" \n", USAGE),
    ],
)
def test_incomplete_refused_and_blank_replies_are_not_stored(said, tmp_path):
    judge = CountingJudge(said=said)
    for _ in range(2):
        assert StoredJudge(judge, tmp_path).ask(ASK) == said
    assert judge.asked == 2
    assert not files(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"null",
        b"[]",
        b"[" * 100_000,
        b'{"ask": "another", "text": "foreign"}',
        b'{"text": "foreign"}',
        b'{"ask": "KEY"}',
        b'{"ask": "KEY", "text": 5}',
        b'{"ask": "KEY", "text": "' + b"x" * MAX_FILE_BYTES + b'"}',
    ],
    ids=lambda content: str(content[:20]),
)
def test_an_invalid_file_is_ignored_and_replaced(content, tmp_path):
    judge = CountingJudge()
    stored = StoredJudge(judge, tmp_path)
    stored.ask(ASK)
    (path,) = files(tmp_path)
    path.write_bytes(content.replace(b"KEY", path.stem.encode()))
    with pytest.raises(JudgeError):
        only_stored(tmp_path, judge).ask(ASK)
    assert stored.ask(ASK).text.startswith("reply 2")
    assert stored.ask(ASK).cached  # the file was replaced


def test_a_pipe_or_folder_instead_of_a_file_neither_blocks_nor_fails(tmp_path):
    stored = StoredJudge(CountingJudge(), tmp_path)
    stored.ask(ASK)
    (path,) = files(tmp_path)
    path.unlink()
    if hasattr(os, "mkfifo"):
        os.mkfifo(path)
        assert not stored.ask(ASK).cached
        path.unlink()
    path.mkdir()
    reply = stored.ask(ASK)
    assert not reply.cached
    assert any(w.startswith("cache: ") for w in reply.warnings)
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on file sizes there")
def test_a_full_disk_is_a_warning_not_an_error_and_leaves_no_part_of_a_file(tmp_path):
    import resource

    said = Reply("a" * 50_000)
    stored = StoredJudge(CountingJudge(said=said), tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        reply = stored.ask(ASK)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    warned = "cache: the reply could not be stored: File too large"
    assert reply == replace(said, warnings=(warned,))
    assert not files(tmp_path)


@pytest.mark.parametrize("identity", [None, {}, {"x": object()}, {"x": float("nan")}])
def test_a_judge_without_a_valid_identity_cannot_be_stored(identity, tmp_path):
    for make in (StoredJudge, lambda judge, folder: only_stored(folder, judge)):
        with pytest.raises(ConfigError, match="identity"):
            make(CountingJudge(identity=identity), tmp_path)


def test_judges_share_a_folder_and_nobody_gets_the_reply_of_another(tmp_path):
    judges = [CountingJudge({"v": n}, Reply(f"by {n}"), f"../j:{n}") for n in (1, 2)]
    for _ in range(2):
        assert [StoredJudge(j, tmp_path).ask(ASK).text for j in judges] == ["by 1", "by 2"]
    assert [only_stored(tmp_path, j).ask(ASK).text for j in judges] == ["by 1", "by 2"]
    assert [judge.asked for judge in judges] == [1, 1]
    assert len(list(tmp_path.iterdir())) == 2


# ---------------------------------------------------------------- from stored replies alone

ANSWER, CONTEXT = "Adults pay 12 euros.", "Adults pay 12 euros. Children pay nothing."
KEY = "sk-0123456789abcdef"


def verdict(request: Request) -> Answer:
    return completion(reply(request), usage={"prompt_tokens": 9, "completion_tokens": 2})


def test_what_was_stored_is_graded_without_key_address_package_and_network(tmp_path):
    """The secret of the folder makes the same controls and tags in the next process, too."""
    given = {"judge": "openai:m", "temperature": 0.5, "cache": tmp_path}
    with Loopback(verdict) as server:
        live = {"base_url": server.url, "api_key": KEY, "timeout": 5, "max_retries": 1}
        first = [grade(ANSWER, CONTEXT, **given, **live) for _ in range(2)]
        asked = len(server.requests)
    assert asked == first[0].tokens_used.num_requests > first[1].tokens_used.num_requests == 0
    assert not any(KEY in path.read_text() for path in tmp_path.rglob("*.json"))
    code = f"""
import sys
sys.modules.update(openai=None, httpx=None, httpx2=None)
from faithfulness_assert import grade
options = { {**given, "cache": str(tmp_path)} }
print(grade({ANSWER!r}, {CONTEXT!r}, cache_only=True, **options).model_dump_json())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert not done.stderr
    again = GradingResult.model_validate_json(done.stdout)
    assert (again.judge, again.verdicts, again.score) == ("openai:m", first[0].verdicts, 1)
    assert again.tokens_used == Usage()


def test_a_reply_that_is_not_stored_is_a_grader_error_that_says_how_to_store_it(tmp_path):
    only = Grader("openai:m", cache=tmp_path, cache_only=True)
    for result in (only.grade(ANSWER, CONTEXT), *only.grade_many([Case(ANSWER, CONTEXT)])):
        assert (result.status, result.score, result.pass_) == ("judge_failed", None, False)
        assert result.error == GraderError("not_stored", result.error and result.error.message)
        assert "no stored reply in" in result.reason
        assert "Grade once with cache and without cache_only" in result.reason
    assert not list(tmp_path.iterdir())


def test_only_stored_replies_of_an_object_never_ask_it(tmp_path):
    judge = CountingJudge(said=Reply('{"verdicts":[{"id":1,"evidence":[1],"label":"supported"}]}'))
    assert grade(ANSWER, CONTEXT, judge=judge, cache=tmp_path).pass_
    assert grade(ANSWER, CONTEXT, judge=judge, cache=tmp_path, cache_only=True).pass_
    next(tmp_path.glob("*/controls-seed")).unlink()
    lacking = grade(ANSWER, CONTEXT, judge=judge, cache=tmp_path, cache_only=True)
    assert "Its file controls-seed is missing: commit it" in lacking.reason
    assert judge.asked == 1


@pytest.mark.parametrize(
    "about",
    ["[]", "{", '{"name": 5, "identity": {}}', '{"name": "x", "identity": {}, "limits": 3}'],
)
def test_a_damaged_description_of_the_judge_finds_no_reply_and_is_written_anew(about, tmp_path):
    judge = CountingJudge()
    StoredJudge(judge, tmp_path).ask(ASK)
    (path,) = tmp_path.glob("*/judge.json")
    path.write_text(about)
    named = StoredJudge(judge, tmp_path, spec="openai:m")
    assert named.ask(ASK)
    (own,) = tmp_path.glob("openai*/judge.json")
    own.write_text(about)
    with pytest.raises(JudgeError):
        only_stored(tmp_path, "openai:m").ask(ASK)
    StoredJudge(judge, tmp_path, spec="openai:m")
    assert only_stored(tmp_path, "openai:m").ask(ASK).cached
