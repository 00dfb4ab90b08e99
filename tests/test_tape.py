"""The store of replies: what was asked once is answered the same again, at no cost, and nothing else is."""

from __future__ import annotations

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
from hypothesis import given, settings
from hypothesis import strategies as st
from loopback import Loopback, completion

from faithfulness_assert.judges.openai import OpenAIJudge
from faithfulness_assert.judges.tape import MAX_FILE_BYTES, StoredJudge, TapeJudge, ask_key
from faithfulness_assert.records.ask import Ask, Payload, Reply, ReplyForm
from faithfulness_assert.records.errors import ConfigError, JudgeError
from faithfulness_assert.records.judge import Limits
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
    """Says something new each time, so that an answer from the store can be told from one of its own."""

    identity: Any = field(default_factory=lambda: {"judge": "counting", "version": 1})
    said: Reply = field(default_factory=lambda: Reply("", USAGE, warnings=("hot",)))
    name: str = "counting:1"
    limits: Limits = field(default_factory=lambda: Limits(1000, 7))
    never_contradicts: bool = True
    asked: int = 0

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.asked += 1
        return replace(self.said, text=self.said.text or f"reply {self.asked} \ud83d 	 é")


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "tape.json")


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


@settings(max_examples=30, deadline=None)
@given(asks=st.lists(ASKS, max_size=6))
def test_what_was_asked_once_is_answered_the_same_again_with_no_call(asks: list[Ask]) -> None:
    with TemporaryDirectory() as folder:
        judge = CountingJudge()
        first = [StoredJudge(judge, folder).ask(ask) for ask in asks]
        # Messages are equal whatever the order of their keys.
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


def test_all_that_shapes_a_reply_shapes_its_key() -> None:
    other = [
        replace(ASK, messages=({"role": "user", "content": "Is it so!"},)),
        replace(ASK, messages=({"role": "system", "content": "Is it so?"},)),
        replace(ASK, form=ReplyForm("verdicts", ("supported", "not_enough_info"))),
        replace(ASK, form=ReplyForm("verdicts", ("supported", "contradicted"), reasons=True)),
        replace(ASK, form=ReplyForm("claims")),
        replace(ASK, max_tokens=353),
    ]
    keys = {ask_key(ask, {"m": 1}) for ask in (ASK, *other)} | {ask_key(ASK, {"m": 2})}
    assert len(keys) == len(other) + 2
    assert ask_key(replace(ASK), {"a": 1, "b": 2}) == ask_key(ASK, {"b": 2, "a": 1})


def test_the_store_stands_in_for_its_judge_in_all_it_says_of_itself(tmp_path: Path) -> None:
    judge = CountingJudge()
    for stand_in in (StoredJudge(judge, tmp_path), TapeJudge(tmp_path)):
        for name in ("name", "limits", "identity", "never_contradicts"):
            assert getattr(stand_in, name) == getattr(judge, name)


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
def test_what_says_nothing_of_the_case_is_not_kept(said: Reply, tmp_path: Path) -> None:
    judge = CountingJudge(said=said)
    for _ in range(2):
        assert StoredJudge(judge, tmp_path).ask(ASK) == said
    assert judge.asked == 2
    assert not files(tmp_path)


def test_an_error_is_let_through_and_not_kept(tmp_path: Path) -> None:
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
def test_a_file_that_is_not_one_of_ours_is_as_good_as_none(content: bytes, tmp_path: Path) -> None:
    judge = CountingJudge()
    stored = StoredJudge(judge, tmp_path)
    stored.ask(ASK)
    (path,) = files(tmp_path)
    path.write_bytes(content.replace(b"KEY", path.stem.encode()))
    with pytest.raises(JudgeError):
        TapeJudge(tmp_path).ask(ASK)
    assert stored.ask(ASK).text.startswith("reply 2")
    assert stored.ask(ASK).cached  # and it is mended


def test_a_pipe_or_folder_in_the_place_of_a_file_neither_blocks_nor_fails(tmp_path: Path) -> None:
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
    assert not list(tmp_path.rglob("*.tmp"))


def run(code: str, *arguments: str) -> subprocess.Popen[str]:
    folder = str(Path(__file__).parent)
    head = f"import sys; sys.path.insert(0, {folder!r}); from test_tape import *; from dataclasses import replace\n"
    return subprocess.Popen(
        [sys.executable, "-c", head + textwrap.dedent(code), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_processes_that_write_at_once_leave_whole_files_only(tmp_path: Path) -> None:
    code = """
        stored = StoredJudge(CountingJudge(said=Reply(sys.argv[2] * 50_000)), sys.argv[1])
        texts = {stored.ask(replace(ASK, max_tokens=n)).text for _ in range(2) for n in range(1, 80)}
        print(sorted({(len(t), t[0]) for t in texts} - {(50_000, "a"), (50_000, "b")}))
    """
    both = [run(code, str(tmp_path), letter) for letter in "ab"]
    ends = [process.communicate(timeout=60) for process in both]
    assert ends == [("[]\n", "")] * 2
    assert not list(tmp_path.rglob("*.tmp"))
    tape = TapeJudge(tmp_path)
    assert {tape.ask(replace(ASK, max_tokens=n)).text for n in range(1, 80)} <= {
        "a" * 50_000,
        "b" * 50_000,
    }


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on file sizes there")
def test_a_disk_that_fills_costs_a_warning_not_a_grade(tmp_path: Path) -> None:
    code = """
        import resource
        stored = StoredJudge(CountingJudge(), sys.argv[1])
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
        reply = stored.ask(ASK)
        print(reply.text[:7], reply.usage == USAGE, [w for w in reply.warnings if w.startswith("cache: ")])
    """
    out, errors = run(code, str(tmp_path)).communicate(timeout=60)
    assert out == "reply 1 True ['cache: the reply could not be kept: File too large']\n", errors
    assert not files(tmp_path)


def test_a_folder_that_cannot_be_is_named_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ConfigError, match="cannot be written"):
            StoredJudge(CountingJudge(), folder)
    for wrong in ("", 5, None, "a\0b", b"x"):
        with pytest.raises(ConfigError, match="must be the path"):
            StoredJudge(CountingJudge(), wrong)  # type: ignore[arg-type]
        with pytest.raises(ConfigError, match="must be the path"):
            TapeJudge(wrong)  # type: ignore[arg-type]


def test_a_kept_run_needs_no_right_to_write(tmp_path: Path) -> None:
    StoredJudge(CountingJudge(), tmp_path).ask(ASK)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert StoredJudge(CountingJudge(), tmp_path).ask(ASK).cached
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize("identity", [None, {}, {"x": object()}, {"x": float("nan")}])
def test_a_judge_whose_replies_cannot_be_told_apart_is_not_stored(
    identity: Any, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="identity"):
        StoredJudge(CountingJudge(identity=identity), tmp_path)


def test_judges_share_a_folder_and_a_tape_plays_one_of_them(tmp_path: Path) -> None:
    for version in (1, 2):
        StoredJudge(
            CountingJudge({"version": version}, Reply(f"by {version}"), f"../j:{version}"), tmp_path
        ).ask(ASK)
    assert len(list(tmp_path.iterdir())) == 2
    with pytest.raises(ConfigError, match=r"holds the tapes .*name one"):
        TapeJudge(tmp_path)
    assert {TapeJudge(folder).ask(ASK).text for folder in tmp_path.iterdir()} == {"by 1", "by 2"}


def test_a_tape_that_is_not_there_or_not_readable_is_an_error_of_the_caller(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(ConfigError, match=r"tape: .*tape\.json"):
            TapeJudge(folder)
    for content in ("[]", "{", '{"name": 5, "identity": {}}', '{"name": "x"}'):
        (tmp_path / "tape.json").write_text(content)
        with pytest.raises(ConfigError):
            TapeJudge(tmp_path)
    (tmp_path / "tape.json").write_text(
        '{"name": "x", "identity": {}, "limits": {"prompt_tokens": "many", "statements": 3}}'
    )
    assert TapeJudge(tmp_path).limits == Limits(None, 3)


def test_an_ask_that_is_not_on_the_tape_is_an_error_that_names_the_tape(tmp_path: Path) -> None:
    StoredJudge(CountingJudge(), tmp_path).ask(ASK)
    with pytest.raises(JudgeError, match=r"counting-1-.*verdicts") as caught:
        TapeJudge(tmp_path).ask(replace(ASK, max_tokens=1))
    assert not caught.value.retryable


def test_a_second_run_asks_the_server_nothing_and_the_folder_holds_no_key(tmp_path: Path) -> None:
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
