"""Tests of stored replies: the same ask gets the same reply again, at no cost."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import Loopback, completion
from strategies import examples

from faithfulness_assert.judges.openai import OpenAIJudge
from faithfulness_assert.judges.tape import MAX_FILE_BYTES, StoredJudge, TapeJudge, ask_key
from faithfulness_assert.records.ask import Ask, Payload, Reply, ReplyForm
from faithfulness_assert.records.errors import ConfigError, JudgeError
from faithfulness_assert.records.judge import Limits, judge_info
from faithfulness_assert.records.usage import Usage

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


OURS = ("tape.json", "secret")


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in OURS)


TEXTS = st.text(max_size=30) | st.text(st.characters(categories=["Cs", "Cc", "Cf"]), max_size=5)
ASKS = st.builds(
    Ask,
    messages=st.lists(
        st.fixed_dictionaries({"role": st.sampled_from(["system", "user"]), "content": TEXTS}),
        max_size=2,
    ).map(tuple),
    form=st.builds(
        ReplyForm,
        st.sampled_from(["verdicts", "claims"]),
        st.just(("supported", "contradicted")),
        st.booleans(),
    ),
    ids=st.just((1,)),
    max_tokens=st.integers(1, 3),
    payload=st.just(Payload(())),
)


@examples(30)
@given(asks=st.lists(ASKS, max_size=6))
def test_an_ask_that_was_made_before_gets_the_same_reply_without_a_call(asks: list[Ask]) -> None:
    with TemporaryDirectory() as folder:
        judge = CountingJudge()
        first = [StoredJudge(judge, folder).ask(ask) for ask in asks]
        # The order of a message's keys does not matter.
        different = {
            (
                str([sorted(m.items()) for m in ask.messages]),
                ask.form.kind,
                ask.form.reasons,
                ask.max_tokens,
            )
            for ask in asks
        }
        assert judge.asked == len(different)
        for again in (StoredJudge(judge, folder), TapeJudge(folder)):
            second = [again.ask(ask) for ask in asks]
            assert [r.text for r in second] == [r.text for r in first]
            assert all(
                r.cached and r.usage == Usage() and r.warnings == ("hot",) and not r.validated
                for r in second
            )
        assert judge.asked == len(different)


def test_everything_that_shapes_a_reply_is_part_of_its_key() -> None:
    other = [
        replace(ASK, messages=({"role": "user", "content": "Is it so!"},)),
        replace(ASK, messages=({"role": "system", "content": "Is it so?"},)),
        replace(ASK, form=ReplyForm("verdicts", ("supported", "not_enough_info"))),
        replace(ASK, form=ReplyForm("verdicts", ("supported", "contradicted"), reasons=True)),
        replace(ASK, form=ReplyForm("claims")),
        replace(ASK, max_tokens=353),
        replace(ASK, sample=2),
        replace(ASK, sample=3),
    ]
    keys = {ask_key(ask, {"m": 1}) for ask in (ASK, *other)} | {ask_key(ASK, {"m": 2})}
    assert len(keys) == len(other) + 2
    assert ask_key(replace(ASK), {"a": 1, "b": 2}) == ask_key(ASK, {"b": 2, "a": 1})


def test_the_first_sample_has_the_key_of_an_ask_without_samples() -> None:
    before = "b1f26908e61f"
    assert ask_key(ASK, {"m": 1}).startswith(before)
    assert ask_key(replace(ASK, sample=1), {"m": 1}) == ask_key(ASK, {"m": 1})


def test_no_stored_reply_answers_two_samples_of_one_ask(tmp_path: Path) -> None:
    judge = CountingJudge()
    samples = [replace(ASK, sample=n) for n in (1, 2, 3)]
    stored = [StoredJudge(judge, tmp_path).ask(ask).text for ask in samples]
    assert len(set(stored)) == judge.asked == 3
    for again in (StoredJudge(judge, tmp_path), TapeJudge(tmp_path)):
        assert [again.ask(ask).text for ask in samples] == stored
    assert judge.asked == 3


def test_stored_judge_and_tape_say_the_same_about_themselves_as_their_judge(
    tmp_path: Path,
) -> None:
    judge = CountingJudge()
    for changes in (
        {"caveat": "an early version", "remote": True},
        {"asks": frozenset({"verdicts", "claims"}), "limits": Limits(None, 3)},
        {"keeps_deadline": True, "never_contradicts": False},
    ):
        info = replace(judge_info(judge), **changes)
        judge.info = info  # type: ignore[attr-defined]
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        assert judge_info(StoredJudge(judge, folder)) == info
        assert judge_info(TapeJudge(folder)) == replace(info, keeps_deadline=True)


def test_a_stored_judge_is_asynchronous_exactly_if_its_judge_is(tmp_path: Path) -> None:
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
def test_incomplete_refused_and_blank_replies_are_not_stored(said: Reply, tmp_path: Path) -> None:
    judge = CountingJudge(said=said)
    for _ in range(2):
        assert StoredJudge(judge, tmp_path).ask(ASK) == said
    assert judge.asked == 2
    assert not files(tmp_path)


def test_an_error_is_raised_and_not_stored(tmp_path: Path) -> None:
    class Failing(CountingJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            raise JudgeError(f"deadline {deadline}", "server", retryable=True)

    with pytest.raises(JudgeError, match=r"deadline 5\.0"):
        StoredJudge(Failing(), tmp_path).ask(ASK, deadline=5.0)
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
def test_an_invalid_file_is_ignored_and_replaced(content: bytes, tmp_path: Path) -> None:
    judge = CountingJudge()
    stored = StoredJudge(judge, tmp_path)
    stored.ask(ASK)
    (path,) = files(tmp_path)
    path.write_bytes(content.replace(b"KEY", path.stem.encode()))
    with pytest.raises(JudgeError):
        TapeJudge(tmp_path).ask(ASK)
    assert stored.ask(ASK).text.startswith("reply 2")
    assert stored.ask(ASK).cached  # the file was replaced


def test_a_pipe_or_folder_instead_of_a_file_neither_blocks_nor_fails(tmp_path: Path) -> None:
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


def run(code: str, *arguments: str) -> subprocess.Popen[str]:
    head = f"import sys; sys.path[:0] = {sys.path!r}; from test_tape import *; from dataclasses import replace\n"
    return subprocess.Popen(
        [sys.executable, "-c", head + textwrap.dedent(code), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_concurrent_processes_only_write_whole_files(tmp_path: Path) -> None:
    code = """
        stored = StoredJudge(CountingJudge(said=Reply(sys.argv[2] * 50_000)), sys.argv[1])
        texts = {stored.ask(replace(ASK, max_tokens=n)).text for _ in range(2) for n in range(1, 80)}
        print(sorted({(len(t), t[0]) for t in texts} - {(50_000, "a"), (50_000, "b")}))
    """
    both = [run(code, str(tmp_path), letter) for letter in "ab"]
    ends = [process.communicate(timeout=60) for process in both]
    assert ends == [("[]\n", "")] * 2
    assert not list(tmp_path.rglob("*.part"))
    tape = TapeJudge(tmp_path)
    assert {tape.ask(replace(ASK, max_tokens=n)).text for n in range(1, 80)} <= {
        "a" * 50_000,
        "b" * 50_000,
    }


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on file sizes there")
def test_a_full_disk_is_a_warning_not_an_error(tmp_path: Path) -> None:
    code = """
        import resource
        stored = StoredJudge(CountingJudge(), sys.argv[1])
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
        reply = stored.ask(ASK)
        print(reply.text[:7], reply.usage == USAGE, [w for w in reply.warnings if w.startswith("cache: ")])
    """
    out, errors = run(code, str(tmp_path)).communicate(timeout=60)
    assert out == "reply 1 True ['cache: the reply could not be stored: File too large']\n", errors
    assert not files(tmp_path)


def test_an_unusable_folder_is_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ConfigError, match="cannot be written"):
            StoredJudge(CountingJudge(), folder)
    for wrong in ("", 5, None, "a\0b", b"x"):
        with pytest.raises(ConfigError, match="must be the path"):
            StoredJudge(CountingJudge(), wrong)  # type: ignore[arg-type]
        with pytest.raises(ConfigError, match="must be the path"):
            TapeJudge(wrong)  # type: ignore[arg-type]


def test_a_stored_run_writes_nothing(tmp_path: Path) -> None:
    StoredJudge(CountingJudge(), tmp_path).ask(ASK)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert StoredJudge(CountingJudge(), tmp_path).ask(ASK).cached
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize("identity", [None, {}, {"x": object()}, {"x": float("nan")}])
def test_a_judge_without_a_valid_identity_cannot_be_stored(identity: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="identity"):
        StoredJudge(CountingJudge(identity=identity), tmp_path)


def test_judges_share_a_folder_and_a_tape_is_that_of_one_judge(tmp_path: Path) -> None:
    for version in (1, 2):
        StoredJudge(
            CountingJudge({"version": version}, Reply(f"by {version}"), f"../j:{version}"), tmp_path
        ).ask(ASK)
    assert len(list(tmp_path.iterdir())) == 2
    with pytest.raises(ConfigError, match=r"contains the tapes .*name one"):
        TapeJudge(tmp_path)
    assert {TapeJudge(folder).ask(ASK).text for folder in tmp_path.iterdir()} == {"by 1", "by 2"}


def test_a_missing_or_unreadable_tape_is_a_config_error(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(ConfigError, match=r"tape: .*tape\.json"):
            TapeJudge(folder)
    limits = '{"name": "x", "identity": {}, "limits": {"prompt_tokens": "many"}}'
    for content in ("[]", "{", '{"name": 5, "identity": {}}', '{"name": "x"}', limits):
        (tmp_path / "tape.json").write_text(content)
        with pytest.raises(ConfigError):
            TapeJudge(tmp_path)
    (tmp_path / "tape.json").write_text(
        '{"name": "x", "identity": {}, "limits": {"statements": 3}}'
    )
    assert TapeJudge(tmp_path).info.limits == Limits(None, 3)


def test_a_missing_reply_is_an_error_that_names_the_tape(tmp_path: Path) -> None:
    StoredJudge(CountingJudge(), tmp_path).ask(ASK)
    with pytest.raises(JudgeError, match=r"counting-1-.*verdicts") as caught:
        TapeJudge(tmp_path).ask(replace(ASK, max_tokens=1))
    assert not caught.value.retryable


def test_a_second_run_sends_no_request_and_the_folder_contains_no_key(tmp_path: Path) -> None:
    key = "sk-0123456789abcdef"
    with Loopback(
        completion('{"verdicts":[]}', usage={"prompt_tokens": 9, "completion_tokens": 2})
    ) as server:
        runs = [
            StoredJudge(OpenAIJudge("m", base_url=server.url, api_key=key), tmp_path).ask(ASK)
            for _ in range(2)
        ]
    assert len(server.requests) == 1
    assert [r.usage and r.usage.total for r in runs] == [11, 0]
    assert runs[0].text == runs[1].text
    assert not any(key in path.read_text() for path in tmp_path.rglob("*.json"))
    assert json.loads((next(tmp_path.iterdir()) / "tape.json").read_text())["name"] == "openai:m"
